//! Where a plugin that is being prepared is put: below the Aleph home, under its lock, or apart from it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::bench::Bench;
use super::disk::make_dir;
use super::error::InstallError;
use super::step::{Observer, Step};
use crate::discovery::platform;

/// Who watches, and under a lock or not yet.
pub(super) enum Hold<'o> {
    Free(&'o mut dyn Observer),
    Locked(Bench<'o>),
}

impl Hold<'_> {
    pub(super) fn observer(&mut self) -> &mut dyn Observer {
        match self {
            Self::Free(observer) => &mut **observer,
            Self::Locked(bench) => &mut *bench.observer,
        }
    }
}

impl<'o> Hold<'o> {
    pub(super) fn lock(self, home: &Path) -> Result<Bench<'o>, InstallError> {
        match self {
            Self::Free(observer) => Bench::open(home, observer),
            Self::Locked(bench) => Ok(bench),
        }
    }
}

/// Where what is not looked at in its own place is put.
pub(super) struct Room<'s, 'o> {
    pub(super) home: &'s Path,
    /// Where a directory apart from the Aleph home is made; none where the Aleph home is staged in.
    pub(super) temporary: Option<&'s Path>,
    pub(super) hold: Hold<'o>,
    pub(super) apart: Option<TempDir>,
}

impl<'o> Room<'_, 'o> {
    /// A directory of this name with nothing in it: below the Aleph home and under its lock, or apart from it.
    pub(super) fn stage(mut self, name: &str) -> Result<(Self, PathBuf), InstallError> {
        if let (Some(temporary), Hold::Free(observer)) = (self.temporary, &mut self.hold) {
            let made = platform::private_directory(temporary);
            let made = made.map_err(InstallError::io("make a directory in", temporary))?;
            let path = made.path().join(name);
            self.apart = Some(made);
            make_dir(&path)?;
            observer.at(Step::Staging);
            return Ok((self, path));
        }
        self.stage_at_home(name)
    }

    /// Whether nothing was staged, so that the plugin is looked at where it is.
    pub(super) fn is_in_its_place(&self) -> bool {
        self.apart.is_none() && matches!(self.hold, Hold::Free(_))
    }

    /// The same, below the Aleph home in any case.
    pub(super) fn stage_at_home(mut self, name: &str) -> Result<(Self, PathBuf), InstallError> {
        let mut bench = self.hold.lock(self.home)?;
        let path = bench.stage(name)?;
        self.hold = Hold::Locked(bench);
        Ok((self, path))
    }
}
