//! Copying a tree into the staging directory: what [`tree`] takes, and nothing else.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use super::disk::{create, make_dir};
use super::error::InstallError;
use super::step::{Observer, Step};
use crate::discovery::platform;
use crate::plugin::tree::{self, EntryKind, TreeError};

/// Copies a tree without `.git` into a directory that is there. Links are copied as they are written: those that
/// leave the tree are refused before. Files get plain permissions; only whether their owner may run them is kept.
pub(super) fn copy(from: &Path, into: &Path, observer: &mut dyn Observer) -> Result<(), InstallError> {
    let (entries, directories) = tree::list_all(from)?;
    for directory in directories {
        make_dir(&into.join(directory))?;
    }
    for entry in entries {
        InstallError::unless_interrupted(observer)?;
        let relative = entry.path.strip_prefix(from).unwrap_or(&entry.path);
        let target = into.join(relative);
        match &entry.kind {
            EntryKind::Link(points_to) => {
                platform::symlink(points_to, &target).map_err(InstallError::io("make the link", &target))?;
            }
            EntryKind::File { executable, size } => {
                copy_file(&entry.path, &target, *executable, *size)?;
                observer.at(Step::File {
                    path: relative,
                    bytes: *size,
                });
            }
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, executable: bool, size: u64) -> Result<(), InstallError> {
    let unreadable = |source| TreeError::Unreadable {
        path: from.to_path_buf(),
        source,
    };
    let mut source = platform::open_without_following(from).map_err(unreadable)?;
    let is_file = source.metadata().map_err(unreadable)?.is_file();
    let mut target = create(to, executable)?;
    let mut buffer = vec![0_u8; 64 * 1024];
    let mut copied = 0_u64;
    while is_file && copied <= size {
        let count = source.read(&mut buffer).map_err(unreadable)?;
        if count == 0 {
            break;
        }
        copied += count as u64;
        let chunk = buffer.get(..count).unwrap_or_default();
        target.write_all(chunk).map_err(InstallError::io("write", to))?;
    }
    if !is_file || copied != size {
        return Err(TreeError::Changed {
            path: from.to_path_buf(),
        }
        .into());
    }
    Ok(())
}

/// The only directory of a directory that has nothing else, as archives of repositories are made.
pub(super) fn only_child(dir: &Path) -> Option<std::path::PathBuf> {
    let mut children = fs::read_dir(dir).ok()?.flatten();
    let only = children.next()?;
    let is_dir = only.file_type().is_ok_and(|kind| kind.is_dir());
    (is_dir && children.next().is_none()).then(|| only.path())
}
