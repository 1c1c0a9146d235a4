//! The workbench: an Aleph home that is ours alone for a while, a staging directory in it, and changes that are
//! whole or not at all.
//!
//! Everything is staged in one hidden directory of `plugins`. The lock is held on the Aleph home itself, so it ends
//! with the process and leaves nothing. Before a tree is moved, a note in the staging directory says what is about
//! to happen; whoever comes next reads it and finishes or forgets what a killed run had begun.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml_edit::Table;

use super::disk::{
    beside, inside, is_directory, make_dir, make_remembered, remove_all, remove_file, rename, sync_tree,
    write_whole,
};
use super::error::InstallError;
use super::lock::Lock;
use super::note::{self, NOTE, Note};
use super::records::DataFile;
use super::step::{Observer, Step};
use crate::discovery::platform;

/// The hidden directory below `plugins` in which everything is staged.
pub(super) const STAGING: &str = ".aleph-discover";
/// How what is left in it begins that could not be removed.
const LEFT: &str = "left-";
/// The hidden directory below `plugins` that clones of marketplaces lie in.
pub(super) const MARKETPLACES: &str = ".marketplaces";

/// Whose tree is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Plugin,
    Marketplace,
}

impl Place {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Plugin => "plugins",
            Self::Marketplace => "marketplaces",
        }
    }

    /// The directory that its trees lie in.
    pub(super) fn parent(self, home: &Path) -> PathBuf {
        let plugins = home.join("plugins");
        match self {
            Self::Plugin => plugins,
            Self::Marketplace => plugins.join(MARKETPLACES),
        }
    }

    /// The file that its records stand in; the table has the same name as the place.
    pub(super) const fn file(self) -> &'static str {
        match self {
            Self::Plugin => "installed.toml",
            Self::Marketplace => "marketplaces.toml",
        }
    }
}

/// An Aleph home under our lock.
pub(super) struct Bench<'o> {
    home: PathBuf,
    /// Directories that were made for this, outermost first; taken away again if nothing comes of it.
    made: Vec<PathBuf>,
    done: bool,
    pub(super) observer: &'o mut dyn Observer,
    _lock: Lock,
}

impl<'o> Bench<'o> {
    /// Locks an Aleph home, making it if need be, and clears away what a killed run left.
    pub(super) fn open(home: &Path, observer: &'o mut dyn Observer) -> Result<Self, InstallError> {
        let mut made = Vec::new();
        let lock = Lock::take(home, &mut made)?;
        let mut bench = Self {
            home: home.to_path_buf(),
            made,
            done: false,
            observer,
            _lock: lock,
        };
        bench.observer.at(Step::Locked);
        inside(home, "plugins")?;
        inside(home, "data")?;
        bench.recover()?;
        bench.observer.at(Step::Recovered);
        Ok(bench)
    }

    pub(super) fn staging(&self) -> PathBuf {
        self.home.join("plugins").join(STAGING)
    }

    /// An empty directory in the staging directory.
    pub(super) fn stage(&mut self, name: &str) -> Result<PathBuf, InstallError> {
        self.make(&self.home.join("plugins"))?;
        let path = self.staging().join(name);
        make_dir(&path)?;
        self.observer.at(Step::Staging);
        Ok(path)
    }

    /// Makes a directory, and remembers it in case nothing comes of this.
    fn make(&mut self, path: &Path) -> Result<(), InstallError> {
        make_remembered(path, &mut self.made)
    }

    /// Puts a staged tree in its place, exchanging it for what is there, and records it.
    pub(super) fn put(
        mut self,
        place: Place,
        name: &str,
        staged: &Path,
        record: Table,
    ) -> Result<Vec<PathBuf>, InstallError> {
        let file = DataFile::read(&self.home, place.file())?;
        let parent = place.parent(&self.home);
        self.make(&parent)?;
        inside(&self.home, &format!("plugins/{MARKETPLACES}"))?;
        sync_tree(staged)?;
        self.observer.at(Step::Synced);
        let target = parent.join(name);
        let is_there = is_directory(&target)?;
        self.note(place, name, Some(record.clone()), Some(staged))?;
        let aside = self.staging().join("old");
        if is_there {
            let exchanged = self.observer.may_exchange()
                && platform::exchange(staged, &target)
                    .map_err(InstallError::io("exchange for the new tree", &target))?;
            if !exchanged {
                rename(&target, &aside)?;
                self.observer.at(Step::Aside);
                if let Err(error) = rename(staged, &target) {
                    rename(&aside, &target)?;
                    return Err(error);
                }
            }
        } else {
            rename(staged, &target)?;
        }
        let _ = platform::sync_directory(&parent);
        self.observer.at(Step::Swapped);
        let changed = vec![target.clone()];
        match self.record(file, place, name, Some(record), changed) {
            Ok(changed) => {
                self.finish();
                Ok(changed)
            }
            Err(error) => {
                // Back to how it was: a tree without its record would be half a change.
                if aside.exists() {
                    rename(&target, staged)?;
                    rename(&aside, &target)?;
                } else if is_there {
                    platform::exchange(staged, &target)
                        .map_err(InstallError::io("exchange for the old tree", &target))?;
                } else {
                    rename(&target, staged)?;
                }
                Err(error)
            }
        }
    }

    /// Takes a tree away, if it is there, and its record.
    pub(super) fn take_away(mut self, place: Place, name: &str) -> Result<Vec<PathBuf>, InstallError> {
        let file = DataFile::read(&self.home, place.file())?;
        let target = place.parent(&self.home).join(name);
        let mut changed = Vec::new();
        if is_directory(&target)? {
            self.stage("gone")?;
            self.note(place, name, None, None)?;
            let gone = self.staging().join("gone").join("tree");
            rename(&target, &gone)?;
            let _ = platform::sync_directory(&place.parent(&self.home));
            self.observer.at(Step::Swapped);
            changed.push(target.clone());
            match self.record(file, place, name, None, changed) {
                Ok(recorded) => changed = recorded,
                Err(error) => {
                    rename(&gone, &target)?;
                    return Err(error);
                }
            }
        } else {
            changed = self.record(file, place, name, None, changed)?;
        }
        self.finish();
        Ok(changed)
    }

    /// Writes the record of what was done.
    fn record(
        &mut self,
        mut file: DataFile,
        place: Place,
        name: &str,
        record: Option<Table>,
        mut changed: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, InstallError> {
        if file.set(place.as_str(), name, record)? {
            changed.push(self.write(&file)?);
        }
        self.observer.at(Step::Recorded);
        Ok(changed)
    }

    /// Writes a file of the data directory in one step.
    pub(super) fn write(&mut self, file: &DataFile) -> Result<PathBuf, InstallError> {
        let data = self.home.join("data");
        self.make(&data)?;
        file.write()
    }

    /// Ends with everything done. The change stands then, whatever of the old state cannot be cleared away: the next
    /// run tries again.
    pub(super) fn finish(mut self) {
        self.done = true;
        let _ = self.clear();
    }

    /// Ends with nothing done, as if nothing had been begun.
    pub(super) fn abandon(mut self) -> Result<(), InstallError> {
        self.done = true;
        self.undo()
    }

    fn undo(&mut self) -> Result<(), InstallError> {
        let cleared = self.recover();
        for dir in self.made.drain(..).rev() {
            // Whatever somebody else put there stays.
            let _ = fs::remove_dir(dir);
        }
        cleared
    }

    fn clear(&mut self) -> Result<(), InstallError> {
        let staging = self.staging();
        remove_file(&staging.join(NOTE))?;
        self.observer.at(Step::Struck);
        if staging.symlink_metadata().is_ok()
            && let Err(error) = remove_all(&staging)
        {
            // Such as what somebody else owns. It must not be in the way of what is staged next.
            set_aside(&staging).map_err(|_| error)?;
        }
        self.observer.at(Step::Cleared);
        Ok(())
    }

    /// Writes down what is about to happen.
    fn note(
        &mut self,
        place: Place,
        name: &str,
        record: Option<Table>,
        staged: Option<&Path>,
    ) -> Result<(), InstallError> {
        let text = note::text(place, name, record, staged, &self.staging())?;
        let path = self.staging().join(NOTE);
        write_whole(&path, text.as_bytes())?;
        self.observer.at(Step::Noted);
        Ok(())
    }

    /// Finishes or forgets what a killed run had begun.
    fn recover(&mut self) -> Result<(), InstallError> {
        for place in [
            "installed.toml",
            "plugins.toml",
            "marketplaces.toml",
            "mcp-approvals.toml",
        ] {
            remove_file(&beside(&self.home.join("data").join(place)))?;
        }
        let staging = self.staging();
        match fs::symlink_metadata(&staging) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(InstallError::NotOurs { path: staging }),
            Err(_) => return Ok(()),
        }
        if let Some(note) = Note::read(&staging) {
            let target = note.place.parent(&self.home).join(&note.name);
            let aside = staging.join("old");
            if !target.exists() && aside.exists() && note.staged.is_some() {
                rename(&aside, &target)?;
            } else if note.happened(&target, &staging) {
                let mut file = DataFile::read(&self.home, note.place.file())?;
                if file.set(note.place.as_str(), &note.name, note.record)? {
                    make_dir(&self.home.join("data"))?;
                    file.write()?;
                }
            }
        }
        self.clear()
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        if !self.done {
            // What cannot be cleared now is cleared by whoever comes next.
            let _ = self.undo();
        }
    }
}

/// Takes the names that are used in the staging directory from what cannot be removed.
fn set_aside(staging: &Path) -> io::Result<()> {
    let is_aside = |name: &OsStr| name.as_encoded_bytes().starts_with(LEFT.as_bytes());
    let mut number = 0_u32;
    for entry in fs::read_dir(staging)? {
        let entry = entry?;
        if is_aside(&entry.file_name()) {
            continue;
        }
        let mut free = staging.join(format!("{LEFT}{number}"));
        while free.symlink_metadata().is_ok() {
            number += 1;
            free = staging.join(format!("{LEFT}{number}"));
        }
        fs::rename(entry.path(), free)?;
    }
    Ok(())
}
