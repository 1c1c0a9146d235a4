//! The only module with code for one operating system: opening files without following links or blocking, telling
//! files apart, and who may write them.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
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
        inode: metadata.ino().try_into().ok()?,
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

/// Whether following a path came to nothing, as with a link that dangles or goes round in circles; false where the
/// system refused to follow it, so that what is there is not known.
pub(crate) fn leads_nowhere(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || is_not_a_directory(error) || is_circle(error)
}

/// Whether links that were followed go round in a circle.
#[cfg(unix)]
pub(crate) fn is_circle(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// As on Unix, by `ERROR_CANT_RESOLVE_FILENAME`.
#[cfg(not(unix))]
pub(crate) fn is_circle(error: &io::Error) -> bool {
    error.raw_os_error() == Some(1921)
}

/// Gives a file that is to be created plain permissions: 0644, or 0755 if it is to be executable.
#[cfg(all(unix, feature = "install"))]
pub(crate) fn with_mode(options: &mut OpenOptions, executable: bool) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(if executable { 0o755 } else { 0o644 });
}

#[cfg(all(not(unix), feature = "install"))]
pub(crate) fn with_mode(_options: &mut OpenOptions, _executable: bool) {}

/// A directory that nobody else may look into, made anew in one that is there; it goes away with the value.
#[cfg(all(unix, feature = "install"))]
pub(crate) fn private_directory(inside: &Path) -> io::Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new()
        .prefix("aleph-discover-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir_in(inside)
}

#[cfg(all(not(unix), feature = "install"))]
pub(crate) fn private_directory(inside: &Path) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new()
        .prefix("aleph-discover-")
        .tempdir_in(inside)
}

/// Makes directories that nobody but the user can add to, whatever the user's mask allows others: what is put there counts.
#[cfg(unix)]
pub(crate) fn directories() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o755);
    builder
}

#[cfg(not(unix))]
pub(crate) fn directories() -> DirBuilder {
    DirBuilder::new()
}

/// Opens what a lock on a directory is held by: the directory itself, so that nothing is left behind; elsewhere a
/// file in it.
#[cfg(all(unix, feature = "install"))]
pub(crate) fn open_for_lock(directory: &Path) -> io::Result<File> {
    File::open(directory)
}

#[cfg(all(not(unix), feature = "install"))]
pub(crate) fn open_for_lock(directory: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join(".lock"))
}

/// Exchanges two directories in one step; false where the system or the file system cannot.
#[cfg(all(any(target_os = "linux", target_os = "macos"), feature = "install"))]
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(all(not(any(target_os = "linux", target_os = "macos")), feature = "install"))]
pub(crate) fn exchange(_one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Makes everything of the file system that a directory lies on safe on disk; false where that cannot be asked for
/// at once.
#[cfg(all(target_os = "linux", feature = "install"))]
pub(crate) fn sync_file_system(directory: &Path) -> io::Result<bool> {
    rustix::fs::syncfs(File::open(directory)?)?;
    Ok(true)
}

#[cfg(all(not(target_os = "linux"), feature = "install"))]
pub(crate) fn sync_file_system(_directory: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Makes the entries of a directory safe on disk.
#[cfg(all(unix, feature = "install"))]
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(all(not(unix), feature = "install"))]
pub(crate) fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a symbolic link.
#[cfg(all(unix, feature = "install"))]
pub(crate) fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(all(not(unix), feature = "install"))]
pub(crate) fn symlink(_target: &Path, _link: &Path) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "symbolic links are not made on this system",
    ))
}

/// Lets the owner of a directory list it and change its entries.
#[cfg(all(unix, feature = "install"))]
pub(crate) fn open_directory(directory: &Path, metadata: &Metadata) {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode();
    if mode & 0o700 != 0o700 {
        // Whether it helped shows when the directory is used.
        let _ = std::fs::set_permissions(directory, PermissionsExt::from_mode(mode | 0o700));
    }
}

#[cfg(all(not(unix), feature = "install"))]
pub(crate) fn open_directory(_directory: &Path, _metadata: &Metadata) {}

/// Why others than the user may write a file or change the entries of a directory, as a clause, with what to do about
/// it; none where they may not. The user is who runs this, or root. A group that has the user's own number counts as the
/// user: that is the private group of those systems that let groups write by default.
#[cfg(unix)]
pub(crate) fn writable_by_others(path: &Path, metadata: &Metadata) -> Option<(String, String)> {
    use std::os::unix::fs::MetadataExt;
    let (user, owner, group) = (
        rustix::process::geteuid().as_raw(),
        metadata.uid(),
        metadata.gid(),
    );
    if owner != user && owner != 0 {
        let why = format!("it belongs to another user (number {owner})");
        return Some((why, format!("`chown {user} {}`", path.display())));
    }
    // On a link they say nothing, and whoever asks has followed it.
    let mode = metadata.mode() & 0o7777;
    let by_group = mode & 0o020 != 0 && group != user;
    (mode & 0o002 != 0 || by_group).then(|| {
        let who = if mode & 0o002 == 0 {
            format!("the group with the number {group} may")
        } else {
            "everybody may".to_owned()
        };
        (
            format!("{who} write it (mode {mode:04o})"),
            format!("`chmod go-w {}`", path.display()),
        )
    })
}

#[cfg(not(unix))]
pub(crate) fn writable_by_others(_path: &Path, _metadata: &Metadata) -> Option<(String, String)> {
    None
}
