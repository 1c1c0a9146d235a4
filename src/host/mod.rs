//! Host profiles: the loading rules of a coding agent as data.
//!
//! A profile says where a host's roots are and how they rank, which kinds it reads in which folder, what marks
//! an entry, and which rule is named when two entries clash. The engine in `discovery` reads profiles and knows
//! no host by name, so adding a host is adding a file here.

mod aleph;

use crate::model::{Code, ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};

/// The loading rules of one host.
#[derive(Debug)]
pub struct HostProfile {
    /// The host.
    pub id: HostId,
    /// Its name as people write it.
    pub name: &'static str,
    /// Version of the real program on which the rules were observed; none for rules that are our own.
    pub observed: Option<&'static str>,
    /// Its roots, lowest precedence first.
    pub roots: &'static [RootSpec],
    /// The kinds that it reads from folders of its roots, in reporting order.
    pub kinds: &'static [KindSpec],
    /// Further kinds, which its plugins bring.
    pub plugin_kinds: &'static [ComponentKind],
    /// Which rule is named for a pair of winner and loser: the first that fits.
    pub clashes: &'static [ClashSpec],
    /// Its own configuration files.
    pub config: ConfigSpec,
}

impl HostProfile {
    /// The profile of a host, or none where this version has no profile of it.
    #[must_use]
    pub const fn of(host: HostId) -> Option<&'static Self> {
        match host {
            HostId::Aleph => Some(&aleph::PROFILE),
            HostId::ClaudeCode | HostId::Codex | HostId::Gemini | HostId::Opencode | HostId::Cursor => None,
        }
    }

    /// The profile of Aleph, the native host.
    #[must_use]
    pub const fn native() -> &'static Self {
        &aleph::PROFILE
    }

    /// The hosts that have a profile, in the order in which they are listed to people.
    pub fn known_hosts() -> impl Iterator<Item = HostId> {
        HostId::ALL.into_iter().filter(|host| Self::of(*host).is_some())
    }

    /// How a kind is read, where it is read from folders.
    #[must_use]
    pub fn kind(&self, kind: ComponentKind) -> Option<&KindSpec> {
        self.kinds.iter().find(|spec| spec.kind == kind)
    }

    /// What a code means for an entry of a kind, where the entry has no words of its own.
    #[must_use]
    pub fn usual_message(&self, kind: ComponentKind, code: Code) -> Option<&'static str> {
        match (code, self.kind(kind).map(|spec| &spec.layout)) {
            (Code::Hidden, _) => Some("its name begins with a dot; hidden entries are not read"),
            (Code::NoMarker, Some(Layout::Marked { without_marker, .. })) => Some(without_marker),
            (Code::NoManifest, _) => {
                Some("it has none of the files and folders that make a directory a plugin")
            }
            (Code::WrongKind, Some(Layout::Plugins)) => Some("a plugin is a directory"),
            (Code::WrongKind, _) => Some("only folders and files that end in .md are read here"),
            _ => None,
        }
    }

    /// Every kind that the host lists, in reporting order.
    pub fn listed_kinds(&self) -> impl Iterator<Item = ComponentKind> + use<'_> {
        ComponentKind::ALL.into_iter().filter(|kind| {
            self.kind(*kind).is_some() || self.plugin_kinds.contains(kind) || *kind == ComponentKind::Config
        })
    }
}

/// Where a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The Claude home: `CLAUDE_CONFIG_DIR`, else `<home>/.claude`.
    ClaudeHome,
    /// The Aleph home: `ALEPH_HOME`, else `<home>/.aleph`.
    AlephHome,
    /// A directory of this name in each directory of the upward walk.
    EachWalkDirectory(&'static str),
}

/// A root, or a root for each directory of the walk.
#[derive(Debug)]
pub struct RootSpec {
    /// Where it is.
    pub anchor: Anchor,
    /// Its source.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Whose layout it has.
    pub family: Family,
    /// Its priority; on the walk that of the outermost directory, to which the index counted inward is added.
    /// A band that would meet the one before it starts behind that one.
    pub priority: u32,
    /// The kinds that are read in it.
    pub kinds: &'static [ComponentKind],
}

/// How a kind is read from a folder.
#[derive(Debug)]
pub struct KindSpec {
    /// The kind.
    pub kind: ComponentKind,
    /// The folder's name in a root.
    pub folder: &'static str,
    /// What makes an entry of the folder a component.
    pub layout: Layout,
}

/// What makes an entry of a folder a component.
#[derive(Debug)]
pub enum Layout {
    /// A directory with a marker, or a file of its own, one level deep.
    Marked {
        /// Exact name of the file that makes a directory a component.
        marker: &'static str,
        /// Exact extension, without the dot, of a file that is a component by itself.
        extension: &'static str,
        /// What a directory without the marker may be instead, for people.
        without_marker: &'static str,
    },
    /// A directory that has one of the signs of a plugin.
    Plugins,
}

impl Layout {
    /// Exact name of the file that makes a directory a component, where there is one such name.
    #[must_use]
    pub const fn marker(&self) -> Option<&'static str> {
        match self {
            Self::Marked { marker, .. } => Some(marker),
            Self::Plugins => None,
        }
    }
}

/// One line of a host's clash table.
#[derive(Debug)]
pub struct ClashSpec {
    /// The rule to name.
    pub rule: Rule,
    /// What the winner must be.
    pub winner: Side,
    /// What the loser must be.
    pub loser: Side,
    /// Whether both must be of one family.
    pub same_family: bool,
}

/// What one side of a clash must be.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Its family, if that matters.
    pub family: Option<Family>,
    /// Its scope, if that matters.
    pub scope: Option<Scope>,
}

impl Side {
    /// Whether an entry of this family and scope is meant.
    #[must_use]
    pub fn fits(self, family: Family, scope: Scope) -> bool {
        self.family.is_none_or(|wanted| wanted == family) && self.scope.is_none_or(|wanted| wanted == scope)
    }
}

/// The host's own configuration files.
#[derive(Debug)]
pub struct ConfigSpec {
    /// The id of the chain, and the name to ask `find-config` for.
    pub id: &'static str,
    /// File names of which one directory's first counts.
    pub names: &'static [&'static str],
}
