//! The directories that are looked at.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ComponentKind, DiscoverySource, Family, Scope};

/// What came of looking at a root or at one of its component directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootStatus {
    /// It is there and was read.
    Scanned,
    /// It is not there.
    Missing,
    /// The operating system refused; the reason is its error.
    Unreadable,
    /// It is there and was deliberately not read; the reason says why.
    Skipped,
}

impl RootStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Scanned, Self::Missing, Self::Unreadable, Self::Skipped];

    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scanned => "scanned",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Skipped => "skipped",
        }
    }
}

impl std::fmt::Display for RootStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why a root, or a component directory, was not read; where the operating system refused, its words stand
/// instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootReason {
    /// It is the user's own directory, met again on the walk.
    IsGlobalRoot,
    /// It is the same directory as a root that stays.
    SameDirectory,
    /// It is a file, or a part of its path is.
    NotADirectory,
    /// It is a symbolic link to nothing.
    DanglingSymlink,
    /// It would stand in for a directory that the worktree has itself.
    WorktreeHasItsOwn,
}

impl RootReason {
    /// Every reason.
    pub const ALL: [Self; 5] = [
        Self::IsGlobalRoot,
        Self::SameDirectory,
        Self::NotADirectory,
        Self::DanglingSymlink,
        Self::WorktreeHasItsOwn,
    ];

    /// The id used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IsGlobalRoot => "is-global-root",
            Self::SameDirectory => "same-directory",
            Self::NotADirectory => "not-a-directory",
            Self::DanglingSymlink => "dangling-symlink",
            Self::WorktreeHasItsOwn => "worktree-has-its-own",
        }
    }
}

impl std::fmt::Display for RootReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A directory that a host looks at, whether it is there or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Absolute path as the host spells it: symbolic links are not resolved.
    pub path: PathBuf,
    /// Where the root comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Whose layout it has.
    pub family: Family,
    /// Later overrides earlier: of two candidates with one id the one with the higher number wins.
    pub priority: u32,
    /// The kinds that the host reads here.
    pub kinds: Vec<ComponentKind>,
    /// What came of looking.
    pub status: RootStatus,
    /// Why it was skipped or could not be read: a [`RootReason`], or the operating system's words.
    pub reason: Option<String>,
    /// The component directories that were looked at, in the order of their kinds.
    pub dirs: Vec<RootDir>,
    /// What holds for this root and for few others.
    pub terms: RootTerms,
}

/// What holds for a root and for few others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootTerms {
    /// The kinds that the host ranks otherwise than by the root's priority.
    pub ranks: Vec<(ComponentKind, u32)>,
    /// The directory of a worktree for which this one of the main checkout stands in, kind by kind.
    pub stands_in_for: Option<PathBuf>,
    /// The kinds of which what is in it counts only in a project that the user trusts.
    pub needs_trust: Vec<ComponentKind>,
    /// The plugin that it belongs to.
    pub plugin: Option<Box<str>>,
}

impl Root {
    /// The precedence of what it has of a kind.
    #[must_use]
    pub fn rank(&self, kind: ComponentKind) -> u32 {
        let own = self.terms.ranks.iter().find(|(ranked, _)| *ranked == kind);
        own.map_or(self.priority, |(_, rank)| *rank)
    }
}

impl Root {
    /// How many directory entries were met in all its component directories.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.dirs.iter().map(|dir| dir.entries).sum()
    }
}

/// One component directory of a root, such as `…/.claude/skills`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootDir {
    /// The kind that is read here.
    pub kind: ComponentKind,
    /// Absolute path as the host spells it.
    pub path: PathBuf,
    /// The same with symbolic links resolved, where that could be done.
    pub real_path: Option<PathBuf>,
    /// Name of the file that makes a directory in here a component, where one is needed.
    pub marker: Option<&'static str>,
    /// What came of looking.
    pub status: RootStatus,
    /// Why it was skipped or could not be read.
    pub reason: Option<String>,
    /// How many directory entries were met, hidden ones included.
    pub entries: u64,
}

impl RootDir {
    /// A component directory that is there, and of which nothing has been read.
    pub(crate) fn new(kind: ComponentKind, path: PathBuf, marker: Option<&'static str>) -> Self {
        Self {
            kind,
            path,
            real_path: None,
            marker,
            status: RootStatus::Scanned,
            reason: None,
            entries: 0,
        }
    }
}
