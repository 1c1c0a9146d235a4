//! The only module with code for one operating system: opening files without following links or blocking, and
//! telling files apart.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::model::FileIdentity;

/// Whether what is no link has the same name in its real path as in the path that it was asked for by. Elsewhere
/// a name may have been given in another case or form than the file system knows it by.
pub(super) const REAL_NAMES_ARE_GIVEN_NAMES: bool = cfg!(target_os = "linux");

/// Opens a file for reading: never through a symbolic link as the last component, and never waiting for the
/// other end of a FIFO. What was opened may still be anything: ask its metadata.
#[cfg(unix)]
pub(crate) fn open_without_following(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)
}

#[cfg(not(unix))]
pub(crate) fn open_without_following(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a symbolic link"));
    }
    OpenOptions::new().read(true).open(path)
}

/// Whether opening failed because a symbolic link stood there.
#[cfg(unix)]
pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

#[cfg(not(unix))]
pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

/// What makes two paths the same real file; none where the system does not say.
#[cfg(unix)]
pub(crate) fn identity(metadata: &Metadata) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    Some(FileIdentity {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

#[cfg(not(unix))]
pub(crate) fn identity(_metadata: &Metadata) -> Option<FileIdentity> {
    None
}

/// Whether a path could not be looked at because a part of it that should be a directory is not one.
pub(crate) fn is_not_a_directory(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}
