//! Host profiles: the loading rules of a coding agent as data.
//!
//! A profile says where a host's roots are and how they rank, which kinds it reads in which folder, what marks
//! an entry, and which rule is named when two entries clash. The engine in `discovery` reads profiles and knows
//! no host by name, so adding a host is adding a file here.

mod aleph;
mod claude_code;
mod codex;
mod cursor;
mod gemini;
mod opencode;
mod rules;
mod tree;

use crate::model::{Code, ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};
pub use rules::{
    Comments, Gate, GateSpec, HookSpec, ImportSpec, LayerSpec, ListingSpec, MemoryChoice, MemoryFile,
    MemorySpec, PluginSystem, RulesDir, ServerKeys, ServerSpec, ServerTypes, SwitchSpec, UsageSpec,
    ValueType, WalkScope,
};
pub(crate) use tree::MATTER;
pub use tree::{
    BadYaml, Depth, Entries, Fences, FieldSpec, IdRule, Links, Matter, Takes, TextRule, TreeSpec,
};

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
    /// How far it looks upward.
    pub walk: WalkSpec,
    /// What it does with several entries of one name, where it is not that the highest priority wins.
    pub merges: &'static [MergeSpec],
    /// Its settings files, lowest precedence first.
    pub layers: &'static [LayerSpec],
    /// What settings count as that the host is started with; none where it has no such flag.
    pub given_layer: Option<&'static LayerSpec>,
    /// What the values of keys in them must be: a file in which one is something else is left out as a whole.
    pub types: &'static [(&'static str, ValueType)],
    /// What each server must look like by itself; none where that is not so strict.
    pub server_types: Option<&'static ServerTypes>,
    /// Whether a settings file that cannot be read, or has a value of another type, keeps the host from starting.
    pub broken_settings_stop: bool,
    /// Whether `{file:PATH}` in a setting stands for a file's text, and must name one.
    pub fills_in_files: bool,
    /// Variables that switch kinds off.
    pub switches: &'static [SwitchSpec],
    /// Hooks that need approval, and where they are; none where the layers say what is read.
    pub hooks: Option<&'static HookSpec>,
    /// What in them switches entries off.
    pub gates: &'static [GateSpec],
    /// Where MCP servers are configured.
    pub servers: &'static [ServerSpec],
    /// Which text it always gives to the model.
    pub memory: Option<&'static MemorySpec>,
    /// How it finds plugins that lie elsewhere than in a folder of a root.
    pub plugins: PluginSystem,
    /// Whether a skill takes the name from a command.
    pub skill_beats_command: bool,
    /// Kinds that are also made in the settings, and the table that they are in.
    pub made_in_settings: &'static [(ComponentKind, &'static str)],
    /// Names that are the host's own: a setting for one changes it and makes nothing.
    pub built_in: &'static [(ComponentKind, &'static str)],
    /// A setting that lists further directories of skills.
    pub more_skills: &'static [&'static str],
    /// Kinds that are answered for only when they are asked for by name, since the host itself lists none.
    pub on_request: &'static [ComponentKind],
    /// How many characters of a skill's description the model is given; 0 where there is no limit.
    pub longest_description: usize,
    /// How much all skills and commands together may take of what the model is given; none where there is no limit.
    pub listing: Option<&'static ListingSpec>,
    /// What of the project must be approved as it is, and where that is recorded.
    pub approvals: Option<ApprovalSpec>,
    /// Whether without trust no memory is given either, not even the user's.
    pub trust_gates_memory: bool,
    /// Where the trust that a project needs is recorded; none where the host knows no trust.
    pub trust: Option<TrustSpec>,
}

impl HostProfile {
    /// The profile of a host, or none where this version has no profile of it.
    #[must_use]
    pub const fn of(host: HostId) -> Option<&'static Self> {
        Some(Self::known(host))
    }

    /// The profile of a host; every host has one.
    #[must_use]
    pub const fn known(host: HostId) -> &'static Self {
        match host {
            HostId::Aleph => &aleph::PROFILE,
            HostId::ClaudeCode => &claude_code::PROFILE,
            HostId::Codex => &codex::PROFILE,
            HostId::Gemini => &gemini::PROFILE,
            HostId::Opencode => &opencode::PROFILE,
            HostId::Cursor => &cursor::PROFILE,
        }
    }

    /// The profile of Aleph, the native host.
    #[must_use]
    pub const fn native() -> &'static Self {
        &aleph::PROFILE
    }

    /// Whether this is the native host.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.id == HostId::Aleph
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
            (Code::NoMarker, Some(Layout::Tree(tree))) => Some(tree.without_marker),
            (Code::WrongKind, Some(Layout::Tree(tree))) => Some(tree.wrong_kind),
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
        ComponentKind::ALL
            .into_iter()
            .filter(|kind| self.reads(*kind) && !self.on_request.contains(kind))
    }

    /// Whether the host has entries of a kind at all.
    #[must_use]
    pub fn reads(&self, kind: ComponentKind) -> bool {
        let elsewhere = match kind {
            ComponentKind::Config => true,
            ComponentKind::Memory => self.memory.is_some(),
            ComponentKind::McpServer => !self.servers.is_empty(),
            ComponentKind::Plugin => self.plugins != PluginSystem::Folders,
            ComponentKind::Hook => self.hooks.is_some() || self.layers.iter().any(|layer| layer.hooks),
            _ => false,
        };
        elsewhere || self.kind(kind).is_some() || self.plugin_kinds.contains(&kind)
    }

    /// What the host does with several entries of one name of a kind.
    #[must_use]
    pub fn merge(&self, kind: ComponentKind) -> Merge {
        let spec = self.merges.iter().find(|spec| spec.kind == kind);
        spec.map_or(Merge::Highest, |spec| spec.merge)
    }

    /// Which of two entries of one priority and one name wins.
    #[must_use]
    pub fn tie(&self, kind: ComponentKind) -> Tie {
        let spec = self.merges.iter().find(|spec| spec.kind == kind);
        spec.map_or(Tie::FirstPath, |spec| spec.tie)
    }
}

/// Where a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The Claude home: `CLAUDE_CONFIG_DIR`, else `<home>/.claude`.
    ClaudeHome,
    /// Where Claude Code keeps its `.claude.json`: the Claude home if it was moved, else the home directory.
    ClaudeState,
    /// The Aleph home: `ALEPH_HOME`, else `<home>/.aleph`.
    AlephHome,
    /// A directory of this name in each directory of the upward walk.
    EachWalkDirectory(&'static str),
    /// A path in the user's home directory.
    Home(&'static str),
    /// The directory that an environment variable names, and `below` in it; without it a path in the home.
    Variable {
        /// The variable.
        name: &'static str,
        /// What is looked at below the directory that it names.
        below: &'static str,
        /// What is looked at in the home directory where it is not set; none looks nowhere then.
        or_home: Option<&'static str>,
    },
    /// A fixed path.
    Absolute(&'static str),
    /// A path in the working directory itself.
    Start(&'static str),
    /// A path in the git root, or in the working directory where there is none.
    GitRoot(&'static str),
    /// A path in the main checkout of the repository, in its root, or in the working directory where there is none.
    Checkout(&'static str),
    /// A path in the main checkout, where the git root is a linked worktree that has none of its own.
    MainCheckout(&'static str),
}

/// Which directories a host looks at on its way up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkSpec {
    /// What makes a directory the root of a repository, where the walk ends.
    pub git: GitMark,
    /// Where it ends when there is no repository.
    pub without_git: WalkEnd,
    /// Whether the walk has the native limit on the number of directories.
    pub capped: bool,
    /// A setting that names other marks than `.git`: its layer's file and key.
    pub marker_setting: Option<&'static str>,
}

/// What makes a directory the root of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitMark {
    /// The nearest thing called `.git`, if it is a repository; if it is not, there is none.
    NearestValid,
    /// A real `.git` directory, or a file that begins with `gitdir:`.
    Strict,
    /// Anything called `.git` that leads somewhere.
    Anything,
}

/// Where a walk without a repository ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// At the top of the file system.
    Top,
    /// Where it begins.
    Start,
}

/// What of the project must be approved as it is, and where that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalSpec {
    /// The kind.
    pub kind: ComponentKind,
    /// The directory of the record.
    pub anchor: Anchor,
    /// Its file, a table from project to a table from name to digest.
    pub file: &'static str,
}

/// Where a host keeps which projects its user trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustSpec {
    /// `[projects."PATH"] trust_level = "trusted"` in the user's configuration; gates the project's layers.
    CodexProjects,
    /// A file of paths and levels in the user's directory; gates everything of the project.
    GeminiFolders,
}

/// What a host does with several entries of one kind and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The one with the highest priority wins.
    Highest,
    /// All are in effect.
    Additive,
    /// All are loaded at once and the last one that is ready wins; the priority says which mostly does.
    Race,
    /// None keeps the name: each is renamed after the place that it comes from.
    RenameAll,
}

/// Which of two entries of one priority and one name wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The smaller path in byte order.
    FirstPath,
    /// The greater path in byte order.
    LastPath,
    /// Not fixed; the greater path in byte order mostly does.
    Undefined,
    /// The one in the deepest directory; of one depth whichever.
    DeepestElseUndefined,
}

/// What a host does with several entries of one kind.
#[derive(Debug)]
pub struct MergeSpec {
    /// The kind.
    pub kind: ComponentKind,
    /// What becomes of entries of one name.
    pub merge: Merge,
    /// Which of two in one place wins.
    pub tie: Tie,
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
    /// Other priorities than the root's, for the kinds that the host ranks differently.
    pub ranks: &'static [(ComponentKind, u32)],
    /// The kinds that count only in a project that the user trusts.
    pub trusted_only: &'static [ComponentKind],
    /// Whether on the walk the directory further out beats the nearer one.
    pub outer_wins: bool,
    /// Environment variables of which none may be set.
    pub unless: &'static [&'static str],
}

/// What most roots have; the rest is given for each.
pub(crate) const ROOT: RootSpec = RootSpec {
    anchor: Anchor::Home(""),
    source: DiscoverySource::Host,
    scope: Scope::User,
    family: Family::Claude,
    priority: 0,
    kinds: &[],
    ranks: &[],
    trusted_only: &[],
    outer_wins: false,
    unless: &[],
};

/// How a kind is read from a folder.
#[derive(Debug)]
pub struct KindSpec {
    /// The kind.
    pub kind: ComponentKind,
    /// The folder's name in a root.
    pub folder: &'static str,
    /// The families whose roots have this folder; none where all have.
    pub families: &'static [Family],
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
    /// Folders with a marker, or files, found as this says.
    Tree(&'static TreeSpec),
}

impl Layout {
    /// Exact name of the file that makes a directory a component, where there is one such name.
    #[must_use]
    pub const fn marker(&self) -> Option<&'static str> {
        match self {
            Self::Marked { marker, .. } => Some(marker),
            Self::Plugins => None,
            Self::Tree(tree) => match tree.entries {
                Entries::Marker(marker) => Some(marker),
                Entries::Files(_) => None,
            },
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
    /// The kinds that it is about; none where it is about all.
    pub kinds: &'static [ComponentKind],
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
    /// File names of which one directory's first counts; none where the host's layers are its configuration.
    pub names: &'static [&'static str],
}
