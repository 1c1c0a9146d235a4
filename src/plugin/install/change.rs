//! Removing plugins, and switching them on and off.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toml_edit::Table;

use super::bench::{Bench, Place};
use super::error::InstallError;
use super::records::DataFile;
use super::step::Observer;
use crate::plugin::{Plugin, installed, state};

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The id of the plugin, or the name of the marketplace.
    pub subject: String,
    /// The files and directories that are other than before, or gone; none where all was as asked for already.
    pub changed: Vec<PathBuf>,
}

/// Removes a plugin of the user's and its record. `directory` is where it is, if it is there. What is neither a plugin
/// nor recorded as installed stays.
///
/// # Errors
///
/// [`InstallError`]; nothing is changed then.
pub fn remove(
    home: &Path,
    id: &str,
    directory: Option<&Path>,
    observer: &mut dyn Observer,
) -> Result<Change, InstallError> {
    let plugins = home.join("plugins");
    let name = match directory {
        Some(directory) => {
            let name = directory.file_name().and_then(std::ffi::OsStr::to_str);
            let is_child = directory.parent() == Some(plugins.as_path());
            name.filter(|_| is_child).ok_or_else(|| InstallError::NotOurs {
                path: directory.to_path_buf(),
            })?
        }
        None => id,
    };
    if let Some(directory) = directory {
        is_to_go(home, directory, name)?;
    }
    let bench = Bench::open(home, observer)?;
    let changed = bench.take_away(Place::Plugin, name)?;
    Ok(Change {
        subject: id.to_owned(),
        changed,
    })
}

/// Refuses a directory that is neither a plugin nor recorded as one: somebody put it there for a reason of their own.
pub(super) fn is_to_go(home: &Path, directory: &Path, name: &str) -> Result<(), InstallError> {
    let is_dir = directory.symlink_metadata().is_ok_and(|there| there.is_dir());
    if !is_dir || !Plugin::read(directory).formats.is_empty() {
        return Ok(());
    }
    if installed::read(home).plugins.contains_key(name) {
        return Ok(());
    }
    let below = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut holds: Vec<String> = below
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .map(|entry| Plugin::read(&entry.path()))
        .filter(|plugin| !plugin.formats.is_empty())
        .map(|plugin| plugin.id)
        .collect();
    holds.sort();
    Err(InstallError::NotRemoved {
        path: directory.to_path_buf(),
        holds,
    })
}

/// Switches a plugin on or off in the state file; its other keys, their order and comments stay as they are.
///
/// # Errors
///
/// [`InstallError`]; nothing is changed then.
pub fn set_enabled(
    home: &Path,
    id: &str,
    enabled: bool,
    observer: &mut dyn Observer,
) -> Result<Change, InstallError> {
    let mut change = Change {
        subject: id.to_owned(),
        changed: Vec::new(),
    };
    // A file that would be overwritten has to be usable; and what is as asked for already needs no writing.
    let states = state::read(home);
    if enabled && states.diagnostics.is_empty() && !states.off.contains_key(id) {
        return Ok(change);
    }
    let mut bench = Bench::open(home, observer)?;
    let mut file = DataFile::read(home, "plugins.toml")?;
    if file.set_bool("entries", id, "enabled", enabled)? {
        change.changed.push(bench.write(&file)?);
        bench.finish();
    } else {
        bench.abandon()?;
    }
    Ok(change)
}

/// Changes entries of one table of a file in the data directory, in one step and under the lock of the Aleph home:
/// whoever else is at work is waited for, for as long as `patience`. Gives the file, if that changed it.
pub(crate) fn change_records(
    home: &Path,
    name: &str,
    table: &str,
    patience: Duration,
    entries: Vec<(String, Option<Table>)>,
) -> Result<Option<PathBuf>, InstallError> {
    let begun = Instant::now();
    let mut observer = ();
    let mut bench = loop {
        match Bench::open(home, &mut observer) {
            Err(InstallError::Busy { .. }) if begun.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => break opened?,
        }
    };
    let mut file = DataFile::read(home, name)?;
    let mut is_changed = false;
    for (key, record) in entries {
        is_changed |= file.set(table, &key, record)?;
    }
    if !is_changed {
        bench.abandon()?;
        return Ok(None);
    }
    let path = bench.write(&file)?;
    bench.finish();
    Ok(Some(path))
}

/// Finishes or forgets what a killed run left in an Aleph home. Does nothing where another process is at work, or
/// where there is nothing to do.
///
/// # Errors
///
/// [`InstallError`] where what is left cannot be cleared away.
pub fn recover(home: &Path, observer: &mut dyn Observer) -> Result<(), InstallError> {
    if home
        .join("plugins")
        .join(super::bench::STAGING)
        .symlink_metadata()
        .is_err()
    {
        return Ok(());
    }
    match Bench::open(home, observer) {
        Ok(bench) => bench.abandon(),
        Err(InstallError::Busy { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether records can be written: a file that cannot be used is not overwritten.
pub(super) fn check_records(home: &Path, place: Place) -> Result<(), InstallError> {
    if home.is_dir() {
        DataFile::read(home, place.file())?;
    }
    Ok(())
}
