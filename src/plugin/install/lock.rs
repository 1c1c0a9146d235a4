//! The lock of an Aleph home.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::disk::make_remembered;
use super::error::InstallError;
use crate::discovery::platform;

/// The lock of a directory, held until this is dropped or the process ends.
pub(super) struct Lock(File);

impl Lock {
    /// Locks a directory, made if need be; what is made is remembered in `made`.
    pub(super) fn take(home: &Path, made: &mut Vec<PathBuf>) -> Result<Self, InstallError> {
        // Whoever held the lock before may take away a directory that it had made, so a lock counts only if its
        // directory is still the one in place.
        for _ in 0..100 {
            make_remembered(home, made)?;
            let file = match platform::open_for_lock(home) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(InstallError::io("open", home)(error)),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(InstallError::Busy {
                        path: home.to_path_buf(),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(InstallError::io("lock", home)(error)),
            }
            let lock = Self(file);
            let held = lock.0.metadata().ok().and_then(|held| platform::identity(&held));
            let there = fs::metadata(home).ok();
            let there_is = there.as_ref().and_then(platform::identity);
            if there.is_some() && (cfg!(not(unix)) || held == there_is) {
                return Ok(lock);
            }
        }
        Err(InstallError::Busy {
            path: home.to_path_buf(),
        })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a program that another thread is about to start has a copy of every open file
        // until it runs, and the lock would last as long as the last copy.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_it_is_dropped_even_if_a_copy_of_its_file_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let take = || Lock::take(dir.path(), &mut Vec::new());
        let lock = take().unwrap();
        // What a starting program has, until it runs.
        let copy = lock.0.try_clone().unwrap();
        assert!(matches!(take(), Err(InstallError::Busy { .. })));
        drop(lock);
        take().unwrap();
        drop(copy);
    }
}
