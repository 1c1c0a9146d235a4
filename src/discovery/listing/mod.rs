//! Reading a component directory as a host does that walks trees, follows links or skips names.
//!
//! Which of these it does is data ([`TreeSpec`]); this is the walk. It ends on every tree: a real directory is
//! never entered below itself, and the depth is bounded. Here directories are listed; `entries` says which of their
//! entries are components, `judged` what the host makes of one, `ids` what it is called, and `candidates` has what is
//! left of each.

mod candidates;
mod entries;
mod ids;
mod judged;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::entries::is_file_of;
use super::marker::MarkerReader;
use super::scanner::Found;
use super::{platform, real_or_given};
use crate::host::{Entries, KindSpec, TreeSpec};
use crate::model::{Code, Form, Place, RootDir, RootStatus};

/// A component directory to read.
pub(super) struct Listing<'a> {
    pub(super) spec: &'a KindSpec,
    pub(super) tree: &'a TreeSpec,
    pub(super) place: Place,
    /// The plugin that brings it, whose name stands before each id.
    pub(super) plugin: Option<&'a str>,
}

/// The state of one walk.
struct Walker<'a, 'f> {
    listing: &'a Listing<'a>,
    reader: &'a mut MarkerReader,
    found: &'f mut Found,
    /// Real paths of the directories that are being read, outermost first.
    open: Vec<PathBuf>,
    /// The outermost link that led to the directory that is being read.
    link: Option<PathBuf>,
    entries: u64,
}

impl Listing<'_> {
    /// Reads the directory at `path` and adds what it holds to `found`.
    pub(super) fn read(&self, path: &Path, reader: &mut MarkerReader, found: &mut Found) -> RootDir {
        let (mut dir, listing) = found.open(self.spec, path);
        let Some(listing) = listing else {
            return dir;
        };
        let real = real_or_given(path);
        let mut walker = Walker {
            listing: self,
            reader,
            found,
            open: vec![real.clone()],
            link: None,
            entries: 0,
        };
        walker.directory(path, Path::new(""), &real, listing, 0);
        dir.entries = walker.entries;
        dir.real_path = Some(real);
        dir
    }
}

impl Listing<'_> {
    /// Reads a single file, or a single folder with a marker, as if it were all that its directory holds.
    pub(super) fn read_one(&self, path: &Path, reader: &mut MarkerReader, found: &mut Found) -> RootDir {
        let parent = path.parent().unwrap_or(path);
        let real = real_or_given(parent);
        let name = path.file_name().unwrap_or_default().to_owned();
        let metadata = fs::metadata(path).ok();
        let is = |test: fn(&fs::Metadata) -> bool| metadata.as_ref().is_some_and(test);
        let child = Child {
            refused: None,
            inner: PathBuf::from(&name),
            path: path.to_path_buf(),
            real: path.canonicalize().ok(),
            linked: fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()),
            is_dir: is(fs::Metadata::is_dir),
            is_file: is(fs::Metadata::is_file),
            name,
        };
        let mut walker = Walker {
            listing: self,
            reader,
            found,
            open: vec![real.clone()],
            link: None,
            entries: 1,
        };
        match self.tree.entries {
            Entries::Marker(marker) if child.is_dir => {
                if let Some(real) = child.real.clone() {
                    walker.marker_of(&child, &real, marker);
                }
            }
            Entries::Marker(_) => {
                let folder = parent.file_name().map(OsStr::to_owned);
                walker.file(&child, Form::File, folder);
            }
            Entries::Files(_) => {
                let stem = Path::new(&child.name).file_stem().map(OsStr::to_owned);
                walker.file(&child, Form::File, stem);
            }
        }
        let mut dir = RootDir::new(self.spec.kind, parent.to_path_buf(), self.spec.layout.marker());
        dir.real_path = Some(real);
        if metadata.is_none() {
            dir.status = RootStatus::Missing;
        }
        dir.entries = u64::from(metadata.is_some());
        dir
    }
}

/// One entry of a directory.
struct Child {
    name: OsString,
    /// Path as it is spelled, and below the component directory.
    path: PathBuf,
    inner: PathBuf,
    /// Where it really is; none for a link to nothing.
    real: Option<PathBuf>,
    linked: bool,
    is_dir: bool,
    is_file: bool,
    /// Why it is not known where a link leads, where the operating system refuses to follow it.
    refused: Option<io::Error>,
}

impl Walker<'_, '_> {
    /// Reads one directory: `inner` is its path below the component directory, `real` where it really is.
    fn directory(&mut self, path: &Path, inner: &Path, real: &Path, listing: fs::ReadDir, depth: usize) {
        let tree = self.listing.tree;
        let mut children = Vec::new();
        for entry in listing {
            if self
                .link
                .as_ref()
                .is_some_and(|link| !self.found.is_followed(link))
            {
                break;
            }
            match entry {
                Ok(entry) => children.push(entry),
                Err(error) => self.found.cannot_list(path, &error),
            }
        }
        self.entries += if depth == 0 { children.len() as u64 } else { 0 };
        children.sort_by_key(fs::DirEntry::file_name);
        let beside = tree
            .not_beside
            .is_some_and(|marker| children.iter().any(|entry| entry.file_name() == marker));
        for entry in &children {
            let Some(child) = self.child(entry, inner, real) else {
                continue;
            };
            if self.is_passed_over(&child) {
                continue;
            }
            match tree.entries {
                Entries::Marker(marker) => self.marked(child, marker, depth),
                Entries::Files(extension) if beside && !child.is_dir => {
                    // What makes the folder a skill is in its place.
                    let is_marker = tree.not_beside.is_some_and(|marker| child.name == marker);
                    let code = if is_file_of(&child.name, extension) && !is_marker {
                        Code::WrongPlace
                    } else {
                        Code::WrongKind
                    };
                    let why = "its folder is a skill, so its files are no commands";
                    self.ignore(&child, code, Some(why));
                }
                Entries::Files(extension) => self.filed(child, extension, depth),
            }
        }
    }

    /// Reads a directory below the one that is being read; one that cannot be listed is told of.
    fn enter(&mut self, child: &Child, real: PathBuf, depth: usize) {
        match fs::read_dir(&child.path) {
            Ok(listing) => {
                self.open.push(real.clone());
                let is_first_link = child.linked && self.link.is_none();
                if is_first_link {
                    self.link = Some(child.path.clone());
                }
                self.directory(&child.path, &child.inner, &real, listing, depth);
                if is_first_link {
                    self.link = None;
                }
                self.open.pop();
            }
            Err(error) => self.found.cannot_list(&child.path, &error),
        }
    }

    fn child(&mut self, entry: &fs::DirEntry, inner: &Path, real: &Path) -> Option<Child> {
        let name = entry.file_name();
        let path = entry.path();
        let file_type = match entry.file_type() {
            Ok(file_type) => file_type,
            Err(error) => {
                self.found.cannot_list(&path, &error);
                return None;
            }
        };
        let linked = file_type.is_symlink();
        let mut refused = None;
        let (is_dir, is_file, real) = if linked {
            let metadata = fs::metadata(&path);
            let real = metadata.as_ref().ok().and_then(|_| path.canonicalize().ok());
            let is = |test: fn(&fs::Metadata) -> bool| metadata.as_ref().is_ok_and(test);
            let led = (is(fs::Metadata::is_dir), is(fs::Metadata::is_file), real);
            refused = metadata.err().filter(|error| !platform::leads_nowhere(error));
            led
        } else {
            (file_type.is_dir(), file_type.is_file(), Some(real.join(&name)))
        };
        Some(Child {
            inner: inner.join(&name),
            name,
            path,
            real,
            linked,
            is_dir,
            is_file,
            refused,
        })
    }

    /// Whether the host does not look at an entry, by its name alone or because it is a link.
    fn is_passed_over(&mut self, child: &Child) -> bool {
        let tree = self.listing.tree;
        let name = child.name.to_string_lossy();
        let over = tree
            .passed_over
            .iter()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == *pattern,
            });
        if over {
            self.ignore(
                child,
                Code::Hidden,
                Some("this host passes over entries of this name"),
            );
        } else if !tree.hidden && name.starts_with('.') {
            self.ignore(child, Code::Hidden, None);
        } else if let Some(error) = child
            .refused
            .as_ref()
            .filter(|_| tree.links.folders || tree.links.files)
        {
            let form = self.form(child);
            let candidate = self.blank(child, form);
            self.unreadable(candidate, &child.path, error);
        } else if child.linked && child.real.is_none() {
            self.ignore(child, Code::Symlink, Some("a symbolic link that leads nowhere"));
        } else if child.linked && child.is_dir && !tree.links.folders {
            self.ignore(
                child,
                Code::Symlink,
                Some("this host enters no linked folder here"),
            );
        } else {
            return false;
        }
        true
    }
}
