//! Why a valid candidate loses, or coexists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a valid candidate loses to the one named in `by`, or coexists with it; a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A `.aleph` entry beats a `.claude` entry, wherever each of them is.
    NativeOverClaude,
    /// Within one family the project's entry beats the user's.
    ProjectOverGlobal,
    /// Within one family the entry of the nearer directory beats the one further out.
    NearestDirectory,
    /// A project's `.claude` entry beats the one in the Aleph home.
    ClaudeProjectOverAlephGlobal,
    /// Two entries of one root have one id: the smaller path in byte order wins.
    TiePathOrder,
    /// In one directory `aleph.toml` beats `aleph.jsonc`, which beats `aleph.json`.
    ConfigFormat,
    /// Configuration layers do not replace one another: they are merged key by key.
    ConfigLayers,
    /// What a plugin brings does not compete for its short name: its qualified id leads to it.
    PluginNamespace,
    /// Things of this kind do not replace one another: all of one id are in effect.
    AddsUp,
    /// The user's entry beats the project's, as Claude Code does with skills and commands.
    UserOverProject,
    /// What an administrator puts on the machine beats the user's and the project's.
    ManagedOverAll,
    /// A skill beats a command of its name, wherever each of them is.
    SkillOverCommand,
    /// The host keeps every entry of one name and shows them side by side.
    KeptSideBySide,
    /// Commands of one name all lose it: each goes by a name that says where it is from.
    RenamedOnClash,
    /// The host loads entries at the same time, and whichever comes last has the name: it can change from start to start.
    HostOrderUndefined,
    /// The host lists one real file once, under the name it meets first.
    OneFileOnce,
    /// Two entries of one place have one name: the one whose path sorts last wins.
    LastPathWins,
    /// At one level the entry in `.agents` beats the one in the host's own directory.
    AgentsOverOwn,
    /// The entry of the directory further out beats the nearer one.
    OuterDirectory,
    /// The host's dot directory in the user's home is read last and beats the project's.
    OwnHomeOverAll,
    /// What an extension brings gives way to what the user or the project has under that name.
    ExtensionLast,
    /// The user's own entry for this project beats the one that the project shares.
    LocalOverProject,
    /// A plugin's server that would start the same thing as a configured one is left out.
    SameEndpoint,
    /// Of one directory the host reads only the first of several file names.
    FirstFileOfFolder,
    /// The host decides for one file name; what has another name is not read anywhere on the walk.
    OnlyOneNameOfWalk,
    /// Two plugins of one name bring one thing: the plugin given first has it.
    PluginFirstGiven,
    /// Of several versions of a plugin in the cache the highest is loaded.
    HigherVersion,
    /// In a plugin a command beats a skill of its name.
    CommandOverSkill,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 28] = [
        Self::NativeOverClaude,
        Self::ProjectOverGlobal,
        Self::NearestDirectory,
        Self::ClaudeProjectOverAlephGlobal,
        Self::TiePathOrder,
        Self::ConfigFormat,
        Self::ConfigLayers,
        Self::PluginNamespace,
        Self::AddsUp,
        Self::UserOverProject,
        Self::ManagedOverAll,
        Self::SkillOverCommand,
        Self::KeptSideBySide,
        Self::RenamedOnClash,
        Self::HostOrderUndefined,
        Self::OneFileOnce,
        Self::LastPathWins,
        Self::AgentsOverOwn,
        Self::OuterDirectory,
        Self::OwnHomeOverAll,
        Self::ExtensionLast,
        Self::LocalOverProject,
        Self::SameEndpoint,
        Self::FirstFileOfFolder,
        Self::OnlyOneNameOfWalk,
        Self::PluginFirstGiven,
        Self::HigherVersion,
        Self::CommandOverSkill,
    ];

    /// The id used in JSON, tables and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NativeOverClaude => "native-over-claude",
            Self::ProjectOverGlobal => "project-over-global",
            Self::NearestDirectory => "nearest-directory",
            Self::ClaudeProjectOverAlephGlobal => "claude-project-over-aleph-global",
            Self::TiePathOrder => "tie-path-order",
            Self::ConfigFormat => "config-format",
            Self::ConfigLayers => "config-layers",
            Self::PluginNamespace => "plugin-namespace",
            Self::AddsUp => "adds-up",
            Self::UserOverProject => "user-over-project",
            Self::ManagedOverAll => "managed-over-all",
            Self::SkillOverCommand => "skill-over-command",
            Self::KeptSideBySide => "kept-side-by-side",
            Self::RenamedOnClash => "renamed-on-clash",
            Self::HostOrderUndefined => "host-order-undefined",
            Self::OneFileOnce => "one-file-once",
            Self::LastPathWins => "last-path-wins",
            Self::AgentsOverOwn => "agents-over-own",
            Self::OuterDirectory => "outer-directory",
            Self::OwnHomeOverAll => "own-home-over-all",
            Self::ExtensionLast => "extension-last",
            Self::LocalOverProject => "local-over-project",
            Self::SameEndpoint => "same-endpoint",
            Self::FirstFileOfFolder => "first-file-of-folder",
            Self::OnlyOneNameOfWalk => "only-one-name-of-walk",
            Self::PluginFirstGiven => "plugin-first-given",
            Self::HigherVersion => "higher-version",
            Self::CommandOverSkill => "command-over-skill",
        }
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
