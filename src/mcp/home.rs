//! `aleph.toml` of the Aleph home, for the tables in which a project has no say.

use std::io;
use std::path::{Path, PathBuf};

use crate::plugin::inside;

/// Where it is, whether it is there or not.
#[must_use]
pub fn home_config_path(aleph_home: &Path) -> PathBuf {
    aleph_home.join("aleph.toml")
}

/// What it holds; none where there is no such file. Links are followed. Only a regular file is read and never waited
/// for, and no more of it than parsers take.
///
/// # Errors
///
/// That it is no regular file, cannot be read, or is a link to something that is not there: what a file says that
/// should be there is not known, and that is not the same as that it says nothing.
pub fn home_config(aleph_home: &Path) -> io::Result<Option<Vec<u8>>> {
    let path = home_config_path(aleph_home);
    let real = path.canonicalize();
    match real.and_then(|real| inside::read(&real)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Err(io::Error::new(
                io::ErrorKind::NotFound,
                "a symbolic link to something that is not there",
            ))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
