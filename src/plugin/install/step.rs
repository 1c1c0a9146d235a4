//! The steps of a change, as they are told to whoever watches: for progress, and for tests that end the process.

use std::path::Path;

/// A point that a change has come to. A process that ends there leaves the old state or the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The Aleph home is ours alone.
    Locked,
    /// What a killed run left is cleared away.
    Recovered,
    /// The staging directory is there.
    Staging,
    /// A repository is being fetched; again now and then while that lasts.
    Fetching {
        /// Its address.
        url: &'a str,
        /// Bytes on disk so far.
        bytes: u64,
    },
    /// A file is in the staging directory.
    File {
        /// Its path in the plugin.
        path: &'a Path,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The tree is being read for what it discloses.
    Hashing,
    /// The staged tree is safe on disk.
    Synced,
    /// What is about to happen is written down.
    Noted,
    /// What was there stands aside. Only where two directories cannot be exchanged in one step.
    Aside,
    /// The tree is in its place, or away.
    Swapped,
    /// The record says so.
    Recorded,
    /// What was about to happen is struck out: nothing is left to do but to clear away.
    Struck,
    /// The staging directory is gone.
    Cleared,
}

/// Who watches a change.
pub trait Observer {
    /// Hears of a step.
    fn at(&mut self, step: Step<'_>);

    /// Whether two directories may be exchanged in one step, where the system can. Tests say no, to see what
    /// happens where it cannot.
    fn may_exchange(&self) -> bool {
        true
    }

    /// Whether the work is to be given up, asked between files and while git runs. Nothing of it stays then. Not asked
    /// any more once the new tree is being put in its place, which takes a moment only.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl Observer for () {
    fn at(&mut self, _step: Step<'_>) {}
}
