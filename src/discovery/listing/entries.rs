//! Which entries of a directory are components: folders with a marker, and files of one extension.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use super::{Child, Walker};
use crate::discovery::platform;
use crate::model::{Code, Form, State};

impl Walker<'_, '_> {
    /// An entry of a kind that is a folder with a marker.
    pub(super) fn marked(&mut self, child: Child, marker: &str, depth: usize) {
        let tree = self.listing.tree;
        if !child.is_dir {
            if child.name == marker && tree.depth.min == 0 && depth == 0 {
                let folder = child.path.parent().map(Path::to_path_buf);
                let fallback = folder.as_deref().and_then(Path::file_name).map(OsStr::to_owned);
                self.file(&child, Form::File, fallback);
            } else if depth == 0 && child.name == marker {
                let why = "a marker counts in a folder of its own, not in the folder of all of them";
                self.ignore(&child, Code::WrongPlace, Some(why));
            } else if depth == 0 {
                self.ignore(&child, Code::WrongKind, None);
            }
            return;
        }
        if depth >= tree.depth.max {
            return;
        }
        let Some(real) = child.real.clone() else {
            return;
        };
        if self.open.contains(&real) {
            self.ignore(&child, Code::Symlink, Some("a link to a folder that it lies in"));
            return;
        }
        let has_marker = self.marker_of(&child, &real, marker);
        let goes_on = depth + 1 < tree.depth.max;
        if !goes_on {
            if !has_marker {
                self.without_marker(&child, marker);
            }
            return;
        }
        self.enter(&child, real, depth + 1);
    }

    /// Reads a folder's marker if it has one, and says whether it has.
    pub(super) fn marker_of(&mut self, child: &Child, real: &Path, marker: &str) -> bool {
        let path = child.path.join(marker);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
            Err(error) => {
                let mut candidate = self.blank(child, Form::Directory);
                candidate.has_marker = true;
                self.unreadable(candidate, &path, &error);
                return true;
            }
        };
        let mut candidate = self.blank(child, Form::Directory);
        candidate.has_marker = true;
        let linked = metadata.is_symlink();
        if linked {
            candidate.detail_mut().symlink_target = fs::read_link(&path).ok();
        }
        let real_marker = if linked {
            path.canonicalize()
        } else {
            Ok(real.join(marker))
        };
        let real_marker = match real_marker {
            Ok(real_marker) => real_marker,
            Err(error) if self.listing.tree.links.files && !platform::leads_nowhere(&error) => {
                self.unreadable(candidate, &path, &error);
                return true;
            }
            Err(_) => {
                self.out(
                    candidate,
                    State::Ignored,
                    Code::Symlink,
                    "a symbolic link that leads nowhere",
                );
                return true;
            }
        };
        if linked || child.linked || self.open.len() > 1 {
            candidate.detail_mut().real_path = Some(real_marker.clone());
        }
        if linked && !self.listing.tree.links.files {
            let why = "this host reads no marker that is a symbolic link";
            self.out(candidate, State::Ignored, Code::LinkedMarker, why);
            return true;
        }
        let fallback = child.name.clone();
        self.read(candidate, &path, &real_marker, &child.inner, Some(fallback));
        true
    }

    fn without_marker(&mut self, child: &Child, marker: &str) {
        let wrong = fs::read_dir(&child.path).ok().and_then(|listing| {
            let names = listing.flatten().map(|entry| entry.file_name());
            names.filter(|name| name.eq_ignore_ascii_case(marker)).min()
        });
        match wrong {
            None => self.ignore(child, Code::NoMarker, None),
            Some(name) => {
                let message = format!(
                    "the marker is called {}; it must be {marker} exactly",
                    name.display()
                );
                let mut candidate = self.blank(child, Form::Directory);
                candidate.has_marker = true;
                candidate.detail_mut().marker_name = Some(name.into_boxed_os_str());
                self.out(candidate, State::Ignored, Code::WrongCase, &message);
            }
        }
    }

    /// An entry of a kind that is a file.
    pub(super) fn filed(&mut self, child: Child, extension: &str, depth: usize) {
        let tree = self.listing.tree;
        if child.is_dir {
            let Some(real) = child.real.clone() else {
                return;
            };
            if depth >= tree.depth.max {
                let why = "this host reads no folders here";
                self.ignore(&child, Code::WrongKind, Some(why));
            } else if self.open.contains(&real) {
                self.ignore(&child, Code::Symlink, Some("a link to a folder that it lies in"));
            } else {
                self.enter(&child, real, depth + 1);
            }
        } else if !is_file_of(&child.name, extension) {
            self.ignore(&child, Code::WrongKind, None);
        } else if child.linked && !tree.links.files {
            let why = "this host reads no file here that is a symbolic link";
            self.ignore(&child, Code::Symlink, Some(why));
        } else if depth < tree.depth.min {
            let why = "this host reads such files in the folders of this directory, and none that lies in it";
            self.ignore(&child, Code::WrongPlace, Some(why));
        } else {
            let fallback = Path::new(&child.name).file_stem().map(OsStr::to_owned);
            self.file(&child, Form::File, fallback);
        }
    }

    pub(super) fn file(&mut self, child: &Child, form: Form, fallback: Option<OsString>) {
        let mut candidate = self.blank(child, form);
        candidate.has_marker = true;
        let Some(real) = child.real.clone() else {
            return;
        };
        if !child.is_file {
            let why = "not a regular file, so it was not opened";
            self.out(candidate, State::Rejected, Code::NotRegular, why);
            return;
        }
        if child.linked {
            candidate.detail_mut().symlink_target = fs::read_link(&child.path).ok();
        }
        if child.linked || self.open.len() > 1 {
            candidate.detail_mut().real_path = Some(real.clone());
        }
        self.read(candidate, &child.path, &real, &child.inner, fallback);
    }
}

/// Whether a name is one of a file of an extension.
pub(super) fn is_file_of(name: &OsStr, extension: &str) -> bool {
    Path::new(name).extension() == Some(OsStr::new(extension)) || is_bare_extension(name, extension)
}

/// Whether a name is only a dot and the extension, which counts as a file of that extension to a pattern.
fn is_bare_extension(name: &OsStr, extension: &str) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix('.'))
        .is_some_and(|rest| rest == extension)
}
