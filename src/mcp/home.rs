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
/// That it is no regular file, or cannot be read.
pub fn home_config(aleph_home: &Path) -> io::Result<Option<Vec<u8>>> {
    let real = home_config_path(aleph_home).canonicalize();
    match real.and_then(|real| inside::read(&real)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
