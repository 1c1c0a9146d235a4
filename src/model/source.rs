//! Where a root comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which family of roots a candidate was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum DiscoverySource {
    /// The user's `~/.claude`, read for interop and never written.
    ClaudeGlobal,
    /// The user's Aleph home, `~/.aleph` unless configured otherwise.
    AlephGlobal,
    /// A `.claude` or `.aleph` directory on the upward walk from the working directory.
    Project,
    /// A directory that a plugin brings.
    Plugin,
    /// A place that belongs to another host than Aleph.
    Host,
    /// An environment variable.
    Env,
}

impl DiscoverySource {
    /// Whether Aleph only ever reads this source.
    ///
    /// True for [`ClaudeGlobal`](Self::ClaudeGlobal) and [`Project`](Self::Project): neither another host's
    /// directory nor a repository is a place that Aleph writes to. The same holds for
    /// [`Host`](Self::Host) and [`Env`](Self::Env), which Aleph does not own either.
    #[must_use]
    pub const fn is_read_only(self) -> bool {
        match self {
            Self::ClaudeGlobal | Self::Project | Self::Host | Self::Env => true,
            Self::AlephGlobal | Self::Plugin => false,
        }
    }

    /// Whether the source is one of the user's own global directories.
    #[must_use]
    pub const fn is_user(self) -> bool {
        match self {
            Self::ClaudeGlobal | Self::AlephGlobal => true,
            Self::Project | Self::Plugin | Self::Host | Self::Env => false,
        }
    }

    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeGlobal => "ClaudeGlobal",
            Self::AlephGlobal => "AlephGlobal",
            Self::Project => "Project",
            Self::Plugin => "Plugin",
            Self::Host => "Host",
            Self::Env => "Env",
        }
    }
}

impl std::fmt::Display for DiscoverySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// For whom a root holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The user, in every directory.
    User,
    /// Whoever works in this project.
    Project,
    /// Whoever has the plugin.
    Plugin,
    /// Everybody whom an administrator manages.
    Managed,
    /// Everybody on this machine.
    System,
}

impl Scope {
    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Plugin => "plugin",
            Self::Managed => "managed",
            Self::System => "system",
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whose layout a root has; clash rules speak of families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `.claude` and what stands in for it.
    Claude,
    /// `.aleph` and what stands in for it.
    Aleph,
    /// `.agents`, which several hosts share.
    Agents,
    /// `.codex` and what stands in for it.
    Codex,
    /// `.gemini`.
    Gemini,
    /// `.opencode` and the host's configuration directory.
    Opencode,
    /// `.cursor`.
    Cursor,
}

impl Family {
    /// The name of the directory that the family is known by.
    #[must_use]
    pub const fn dir_name(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::Aleph => ".aleph",
            Self::Agents => ".agents",
            Self::Codex => ".codex",
            Self::Gemini => ".gemini",
            Self::Opencode => ".opencode",
            Self::Cursor => ".cursor",
        }
    }
}
