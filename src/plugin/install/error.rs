//! Why something was not installed, changed or removed.

use std::io;
use std::path::{Path, PathBuf};

use super::step::Observer;
use super::zip::ArchiveError;
use crate::plugin::source::SourceError;
use crate::plugin::tree::TreeError;

/// What kind of failure it is; the exit code in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The question cannot be asked.
    Usage,
    /// There is nothing of that name.
    No,
    /// A rule forbids it.
    Refused,
    /// Disk or git failed.
    Failed,
}

/// Why something was not installed, changed or removed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The source cannot be told.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// What the source leads to is no plugin.
    #[error("{what} is no plugin")]
    NotAPlugin {
        /// What the source leads to.
        what: String,
        /// Where that is, if it is on this machine.
        path: Option<PathBuf>,
    },
    /// Nothing is there, or it cannot be looked at.
    #[error("cannot look at {}: {source}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// What the source leads to is a marketplace.
    #[error("{what} is a marketplace, not a plugin")]
    IsMarketplace {
        /// What the source leads to.
        what: String,
        /// Where that is, if it is on this machine.
        path: Option<PathBuf>,
    },
    /// What was to be registered is no marketplace.
    #[error("{what} is no marketplace: {why}")]
    NotAMarketplace {
        /// What the source leads to.
        what: String,
        /// What is missing or broken.
        why: String,
        /// Where that is, if it is on this machine.
        path: Option<PathBuf>,
    },
    /// The plugin could not be in effect.
    #[error("the plugin is invalid: {why}")]
    Invalid {
        /// What is wrong with it.
        why: String,
        /// Where, if that is there to be looked at.
        path: Option<PathBuf>,
    },
    /// The tree may not be installed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The archive may not be unpacked.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Git is not there.
    #[error("git is needed for {url}, and there is no program `git`")]
    NoGit {
        /// The address.
        url: String,
    },
    /// Git failed.
    #[error("git could not get {url}: {why}")]
    Git {
        /// The address.
        url: String,
        /// Its words, or ours.
        why: String,
    },
    /// What a marketplace says of a repository is not handed to git.
    #[error("the {what} `{text}` of {url} is not taken: {why}")]
    Pick {
        /// `commit`, `ref` or `path`.
        what: &'static str,
        /// As it is written.
        text: String,
        /// The address.
        url: String,
        /// Which rule it breaks.
        why: &'static str,
    },
    /// A repository gave another commit than the one that is pinned.
    #[error("the commit is pinned to {wanted}, and {url} gave {found}")]
    Commit {
        /// The address.
        url: String,
        /// The pin.
        wanted: String,
        /// What came.
        found: String,
    },
    /// The tree is another than the one that is pinned.
    #[error("the plugin is pinned to {stated}, and its tree has {found}")]
    Pin {
        /// The pin, as stated.
        stated: String,
        /// The tree's digest of the same kind.
        found: String,
    },
    /// The tree changed between disclosure and installation.
    #[error("{} changed while it was being installed", path.display())]
    Changed {
        /// The tree.
        path: PathBuf,
    },
    /// Something of that id is there.
    #[error("`{id}` is already there, at {}", path.display())]
    Exists {
        /// The id.
        id: String,
        /// Where.
        path: PathBuf,
    },
    /// A marketplace of that name is registered.
    #[error("a marketplace `{name}` is registered already, in {}", path.display())]
    Registered {
        /// The name.
        name: String,
        /// The file that says so.
        path: PathBuf,
    },
    /// What is to be replaced or removed is no plugin, and was not installed.
    #[error("{} is {}, so it is neither replaced nor removed", path.display(), no_plugin(holds))]
    NotRemoved {
        /// The directory.
        path: PathBuf,
        /// The names of the plugins one level below it.
        holds: Vec<String>,
    },
    /// What is there cannot be replaced or removed.
    #[error("{} is not a directory of its own, so it is neither replaced nor removed", path.display())]
    NotOurs {
        /// The link or file.
        path: PathBuf,
    },
    /// The plugin's directory is one that the Aleph home lies in: it would be installed into itself.
    #[error("{} has the Aleph home {} in it, so it would be installed into itself", path.display(), home.display())]
    HoldsHome {
        /// The plugin's directory.
        path: PathBuf,
        /// The Aleph home.
        home: PathBuf,
    },
    /// Another process is at work.
    #[error("another process is changing {}", path.display())]
    Busy {
        /// The Aleph home.
        path: PathBuf,
    },
    /// A directory of the Aleph home is a link out of it.
    #[error("{} leads out of the Aleph home, to {}, where nothing is ever written", path.display(), target.display())]
    OutsideHome {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A file of records cannot be used, and is not overwritten.
    #[error("{} cannot be used, so nothing is changed: {why}", path.display())]
    BrokenRecord {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Others than the user could have written a file of records, or may exchange it, so it is not added to.
    #[error("{} can be written by others, so nothing is changed: {why}", path.display())]
    WritableByOthers {
        /// The file, or a directory that it lies in.
        path: PathBuf,
        /// Who may.
        why: String,
        /// What to do about it.
        help: String,
    },
    /// There is nothing of that name.
    #[error("there is no {what} `{name}`{}", near(suggestions))]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// What was probably meant.
        suggestions: Vec<String>,
        /// Whether that is an answer rather than a mistake.
        is_answer: bool,
    },
    /// Several marketplaces have an entry of that name.
    #[error("`{name}` is in several marketplaces: {}", marketplaces.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The marketplaces.
        marketplaces: Vec<String>,
    },
    /// An entry that this program cannot install.
    #[error("`{name}` cannot be installed: {why}")]
    NotInstallable {
        /// The entry.
        name: String,
        /// Why.
        why: String,
    },
    /// A name that cannot be one of a marketplace.
    #[error("`{name}` cannot be a marketplace's name: {why}")]
    Name {
        /// The name.
        name: String,
        /// Which rule it breaks.
        why: String,
    },
    /// Whoever watches said to stop.
    #[error("interrupted; nothing was changed")]
    Interrupted,
    /// The operating system refused, or the disk is full.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was attempted.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

fn no_plugin(holds: &[String]) -> String {
    match holds {
        [] => "no plugin and was not installed".to_owned(),
        some => format!(
            "no plugin and was not installed, but holds some (`{}`)",
            some.join("`, `")
        ),
    }
}

fn near(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        some => format!("; did you mean `{}`?", some.join("`, `")),
    }
}

impl InstallError {
    /// An error where the work is to be given up.
    pub(super) fn unless_interrupted(observer: &dyn Observer) -> Result<(), Self> {
        if observer.is_interrupted() {
            return Err(Self::Interrupted);
        }
        Ok(())
    }

    /// For `map_err`: what was attempted on which path.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            what,
            path: path.to_path_buf(),
            source,
        }
    }

    /// What kind of failure it is.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Unknown { is_answer: true, .. } => Verdict::No,
            Self::Source(SourceError::Address { .. }) => Verdict::Refused,
            Self::Source(_)
            | Self::NotAPlugin { .. }
            | Self::Missing { .. }
            | Self::IsMarketplace { .. }
            | Self::NotAMarketplace { .. }
            | Self::Unknown { .. }
            | Self::Ambiguous { .. }
            | Self::Name { .. } => Verdict::Usage,
            Self::Tree(TreeError::Changed { .. })
            | Self::Archive(ArchiveError::Unreadable { .. })
            | Self::NoGit { .. }
            | Self::Git { .. }
            | Self::Changed { .. }
            | Self::Busy { .. }
            | Self::Interrupted
            | Self::Io { .. } => Verdict::Failed,
            Self::Invalid { .. }
            | Self::Tree(_)
            | Self::Archive(_)
            | Self::Pick { .. }
            | Self::Commit { .. }
            | Self::Pin { .. }
            | Self::Exists { .. }
            | Self::Registered { .. }
            | Self::NotRemoved { .. }
            | Self::NotOurs { .. }
            | Self::HoldsHome { .. }
            | Self::OutsideHome { .. }
            | Self::BrokenRecord { .. }
            | Self::WritableByOthers { .. }
            | Self::NotInstallable { .. } => Verdict::Refused,
        }
    }

    /// The path that it is about, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Exists { path, .. }
            | Self::Registered { path, .. }
            | Self::NotRemoved { path, .. }
            | Self::Missing { path, .. }
            | Self::NotOurs { path }
            | Self::HoldsHome { path, .. }
            | Self::Busy { path }
            | Self::Changed { path }
            | Self::OutsideHome { path, .. }
            | Self::BrokenRecord { path, .. }
            | Self::WritableByOthers { path, .. }
            | Self::Io { path, .. }
            | Self::Source(SourceError::TwoReadings { path, .. }) => Some(path),
            Self::Archive(error) => Some(error.archive()),
            Self::Tree(error) => error.path(),
            Self::NotAPlugin { path, .. }
            | Self::IsMarketplace { path, .. }
            | Self::NotAMarketplace { path, .. }
            | Self::Invalid { path, .. } => path.as_deref(),
            Self::Source(_)
            | Self::NoGit { .. }
            | Self::Git { .. }
            | Self::Pick { .. }
            | Self::Commit { .. }
            | Self::Pin { .. }
            | Self::Unknown { .. }
            | Self::Ambiguous { .. }
            | Self::NotInstallable { .. }
            | Self::Name { .. }
            | Self::Interrupted => None,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Source(SourceError::TwoReadings { kind, text, .. }) => {
                return format!("write `./{text}` for the path, or add `--as {kind}`");
            }
            Self::Source(_) => {
                "give a path, a .zip file, name@marketplace, owner/repo or the address of a git repository"
            }
            Self::NotAPlugin { .. } | Self::Missing { .. } => {
                "name what holds a manifest, or a folder skills, commands, agents or hooks, or an archive of that"
            }
            Self::IsMarketplace { .. } => {
                "register it with `marketplace add`, then install one of its plugins"
            }
            Self::NotAMarketplace { .. } => {
                "name a directory or repository with .claude-plugin/marketplace.json"
            }
            Self::Invalid { .. } => "`plugins validate` says everything that is wrong with it",
            Self::Tree(TreeError::Unreadable { .. } | TreeError::Changed { .. }) | Self::Changed { .. } => {
                "make it readable, let nobody write to it, and run again"
            }
            Self::Tree(_) => "such a tree is never installed; remove what is named",
            Self::Archive(ArchiveError::Unreadable { .. }) => "make it a readable regular file",
            Self::Archive(_) => "such an archive is never unpacked; ask whoever made it for another",
            Self::NoGit { .. } => "install git, or download the plugin and install it by its path",
            Self::Git { .. } => {
                "check the address and the network; nothing asks for a password or a key's phrase"
            }
            Self::Pick { .. } | Self::NotInstallable { .. } => "ask whoever keeps the marketplace",
            Self::Commit { .. } | Self::Pin { .. } => {
                "this is not what whoever pinned it looked at; do not install it before you know why"
            }
            Self::Exists { id, path } if path.file_name().is_none_or(|name| name != id.as_str()) => {
                "remove it first: its directory has another name, so the new one would not take its place"
            }
            Self::Exists { .. } => "add `--update` to replace it, or remove it first",
            Self::Registered { .. } => {
                "give another name with `--name`, or forget the one that is there with `marketplace remove`"
            }
            Self::NotRemoved { .. } => "remove it by hand if it is yours",
            Self::NotOurs { .. } => "remove it by hand if it is yours",
            Self::HoldsHome { .. } => {
                "move the plugin to a directory of its own, or the Aleph home out of it"
            }
            Self::Interrupted => "run it again when it may take its time",
            Self::Busy { .. } => "wait until it has ended, and run again",
            Self::OutsideHome { .. } => "make it a directory of its own",
            Self::WritableByOthers { help, .. } => help,
            Self::BrokenRecord { .. } => "repair the file, or move it away",
            Self::Unknown { what: "plugin", .. } => "`plugins --all` lists what there is",
            Self::Unknown { .. } => "`marketplace list` and `marketplace search` show what there is",
            Self::Ambiguous { .. } => "write name@marketplace",
            Self::Name { .. } => "give another with --name",
            Self::Io { .. } => "is the disk full, or the place closed to you? nothing was changed",
        }
        .to_owned()
    }
}
