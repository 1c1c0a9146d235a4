//! The kinds of component that a host can load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a component is. The order of the variants is the order in which kinds are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComponentKind {
    /// Instructions that the agent pulls in when they fit the work.
    Skill,
    /// A prompt that the user calls by name.
    Command,
    /// A sub-agent with its own instructions.
    Agent,
    /// A package that brings components of the other kinds.
    Plugin,
    /// A command that the host runs on an event.
    Hook,
    /// A configured MCP server.
    McpServer,
    /// Text that is always given to the agent: `CLAUDE.md`, `AGENTS.md`, rules.
    Memory,
    /// A configuration file of the host.
    Config,
    /// A way of answering that the user can choose.
    OutputStyle,
}

impl ComponentKind {
    /// Every kind, in reporting order.
    pub const ALL: [Self; 9] = [
        Self::Skill,
        Self::Command,
        Self::Agent,
        Self::Plugin,
        Self::Hook,
        Self::McpServer,
        Self::Memory,
        Self::Config,
        Self::OutputStyle,
    ];

    /// The name used on the command line and in JSON, singular.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Command => "command",
            Self::Agent => "agent",
            Self::Plugin => "plugin",
            Self::Hook => "hook",
            Self::McpServer => "mcp-server",
            Self::Memory => "memory",
            Self::Config => "config",
            Self::OutputStyle => "output-style",
        }
    }

    /// The plural of [`as_str`](Self::as_str), as people write it.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Skill => "skills",
            Self::Command => "commands",
            Self::Agent => "agents",
            Self::Plugin => "plugins",
            Self::Hook => "hooks",
            Self::McpServer => "mcp-servers",
            Self::Memory => "memories",
            Self::Config => "configs",
            Self::OutputStyle => "output-styles",
        }
    }
}

impl std::fmt::Display for ComponentKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
