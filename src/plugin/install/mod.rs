//! Installing, removing and switching plugins, and registering marketplaces: all of the library that writes.
//!
//! Nothing is ever written outside the Aleph home. Every change is staged, made safe on disk, and moved to its place
//! in one step; a process that ends at any moment leaves the old state or the new one, and whoever comes next clears
//! away what is left of it. Two processes never change one Aleph home at once: the second is told so.

mod bench;
mod change;
mod copy;
mod disk;
mod error;
mod git;
mod lock;
mod market;
mod note;
mod prepare;
mod records;
mod room;
mod step;
pub mod zip;

use std::path::{Path, PathBuf};

pub(crate) use change::change_records;
pub use change::{Change, recover, remove, set_enabled};
pub use error::{InstallError, Verdict};
pub use git::{Fetched, Git, MAX_CLONE, MAX_TIME};
pub use market::{add_marketplace, remove_marketplace, update_marketplace};
pub use prepare::Prepared;
pub use step::{Observer, Step};

use crate::host::HostProfile;

/// What installing needs to know.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The Aleph home. It need not be there yet.
    pub home: PathBuf,
    /// Whose rules say what a plugin brings.
    pub profile: &'static HostProfile,
    /// The user's git.
    pub git: Git,
    /// Whether what is disclosed is shown with secrets in commands, arguments and addresses, instead of `***`.
    pub show_secrets: bool,
}

impl Setting {
    fn plugins(&self) -> PathBuf {
        self.home.join("plugins")
    }
}

/// The hidden directory in which changes are staged, where something lies in it though nothing is being changed: what
/// could not be cleared away after a change.
#[must_use]
pub fn left_over(aleph_home: &Path) -> Option<PathBuf> {
    let staging = aleph_home.join("plugins").join(bench::STAGING);
    staging.symlink_metadata().is_ok().then_some(staging)
}

/// The directory of the user's plugin of an id: the one that is named so, else the one whose manifest says so.
#[must_use]
pub fn find(aleph_home: &Path, id: &str) -> Option<PathBuf> {
    let plugins = aleph_home.join("plugins");
    let own = plugins.join(id);
    let is_name = crate::discovery::validate_path_component(id).is_ok() && !id.starts_with('.');
    if is_name && own.symlink_metadata().is_ok() {
        return Some(own);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(plugins)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            is_dir && !entry.file_name().as_encoded_bytes().starts_with(b".")
        })
        .map(|entry| entry.path())
        .filter(|path| {
            let plugin = super::Plugin::read(path);
            !plugin.formats.is_empty() && plugin.id == id
        })
        .collect();
    found.sort();
    found.into_iter().next()
}
