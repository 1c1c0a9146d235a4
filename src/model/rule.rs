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
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 9] = [
        Self::NativeOverClaude,
        Self::ProjectOverGlobal,
        Self::NearestDirectory,
        Self::ClaudeProjectOverAlephGlobal,
        Self::TiePathOrder,
        Self::ConfigFormat,
        Self::ConfigLayers,
        Self::PluginNamespace,
        Self::AddsUp,
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
        }
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
