//! Writing to disk: new files, whole files, whole trees, and nothing through a link out of the Aleph home.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::InstallError;
use crate::discovery::platform;

/// Makes a directory and those above it, as far as they are not there.
pub(super) fn make_dir(path: &Path) -> Result<(), InstallError> {
    platform::directories()
        .recursive(true)
        .create(path)
        .map_err(InstallError::io("make the directory", path))
}

/// Creates a file that is not there, with plain permissions.
pub(super) fn create(path: &Path, executable: bool) -> Result<fs::File, InstallError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    platform::with_mode(&mut options, executable);
    options.open(path).map_err(InstallError::io("create", path))
}

/// Makes a directory and those above it, remembering which were not there.
pub(super) fn make_remembered(path: &Path, made: &mut Vec<PathBuf>) -> Result<(), InstallError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && fs::metadata(dir).is_err())
        .collect();
    for dir in missing.into_iter().rev() {
        match platform::directories().create(dir) {
            Ok(()) => made.push(dir.to_path_buf()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            Err(error) => return Err(InstallError::io("make the directory", dir)(error)),
        }
    }
    Ok(())
}

/// Refuses a directory or file of the Aleph home that is a link out of it.
pub(super) fn inside(home: &Path, relative: &str) -> Result<(), InstallError> {
    let path = home.join(relative);
    let Ok(target) = path.canonicalize() else {
        // A dangling link would be followed by whoever writes through it.
        return match fs::read_link(&path) {
            Ok(target) => Err(InstallError::OutsideHome { path, target }),
            Err(_) => Ok(()),
        };
    };
    let real = home.canonicalize().map_err(InstallError::io("look at", home))?;
    if target.starts_with(real) {
        Ok(())
    } else {
        Err(InstallError::OutsideHome { path, target })
    }
}

/// Whether a directory is there; refuses anything else that is.
pub(super) fn is_directory(path: &Path) -> Result<bool, InstallError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(_) => Err(InstallError::NotOurs {
            path: path.to_path_buf(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(InstallError::io("look at", path)(error)),
    }
}

/// Moves something to its place.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), InstallError> {
    fs::rename(from, to).map_err(InstallError::io("move to its place", to))
}

/// Removes a directory with all it holds, also while a git whose parent was killed still adds to it.
pub(super) fn remove_all(path: &Path) -> Result<(), InstallError> {
    let mut tries = 0;
    loop {
        make_removable(path);
        match fs::remove_dir_all(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && tries < 20 => {
                tries += 1;
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            Err(error) => return Err(InstallError::io("clear away", path)(error)),
        }
    }
}

/// Removes a file, if it is there.
pub(super) fn remove_file(path: &Path) -> Result<(), InstallError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(InstallError::io("remove", path)(error)),
    }
}

/// Where a file is written before it takes its name.
pub(super) fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".aleph-discover");
    path.with_file_name(name)
}

/// Writes a file whole: beside its place, made safe on disk, then renamed. What is there keeps its permissions.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), InstallError> {
    let new = beside(path);
    remove_file(&new)?;
    let written = write_beside(path, &new, bytes);
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_beside(path: &Path, new: &Path, bytes: &[u8]) -> Result<(), InstallError> {
    let mut file = create(new, false)?;
    if let Ok(there) = fs::metadata(path) {
        file.set_permissions(there.permissions())
            .map_err(InstallError::io("set permissions of", new))?;
    }
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(InstallError::io("write", new))?;
    drop(file);
    fs::rename(new, path).map_err(InstallError::io("replace", path))?;
    if let Some(parent) = path.parent() {
        let _ = platform::sync_directory(parent);
    }
    Ok(())
}

/// Makes a whole tree safe on disk.
pub(super) fn sync_tree(root: &Path) -> Result<(), InstallError> {
    let synced = platform::sync_file_system(root).map_err(InstallError::io("flush", root))?;
    if synced {
        return Ok(());
    }
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).map_err(InstallError::io("read", &dir))? {
            let path = entry.map_err(InstallError::io("read", &dir))?.path();
            let metadata = fs::symlink_metadata(&path).map_err(InstallError::io("look at", &path))?;
            if metadata.is_dir() {
                open.push(path);
            } else if metadata.is_file() {
                File::open(&path)
                    .and_then(|file| file.sync_all())
                    .map_err(InstallError::io("flush", &path))?;
            }
        }
        platform::sync_directory(&dir).map_err(InstallError::io("flush", &dir))?;
    }
    Ok(())
}

/// Lets directories that nobody may write to be removed with all they hold.
fn make_removable(root: &Path) {
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&dir) else {
            continue;
        };
        if !metadata.is_dir() {
            continue;
        }
        platform::open_directory(&dir, &metadata);
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
}
