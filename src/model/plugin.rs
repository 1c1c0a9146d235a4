//! What plugins bring, beyond what every candidate has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sign by which a directory is a plugin; in the order in which manifests give its metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PluginFormat {
    /// `aleph.plugin.toml`.
    AlephToml,
    /// `aleph.plugin.json`.
    AlephJson,
    /// `.claude-plugin/plugin.toml` or `.claude-plugin/plugin.json`.
    Claude,
    /// `.codex-plugin/plugin.json`.
    Codex,
    /// `.cursor-plugin/plugin.json`.
    Cursor,
    /// `.cursorrules` or `.cursor/rules/`.
    CursorRules,
    /// `.mcp.json`.
    Mcp,
    /// One of `skills/`, `commands/`, `agents/` and `hooks/`.
    Layout,
}

impl PluginFormat {
    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AlephToml => "aleph-toml",
            Self::AlephJson => "aleph-json",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::CursorRules => "cursor-rules",
            Self::Mcp => "mcp",
            Self::Layout => "layout",
        }
    }
}

impl std::fmt::Display for PluginFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// How far whoever serves a plugin is trusted; a higher one compares greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrustTier {
    /// Nobody vouches for it: archives, paths, git sources.
    Unverified,
    /// A marketplace that the user added.
    Community,
    /// A marketplace whose plugins somebody checks.
    Verified,
    /// The makers of the host.
    Official,
}

impl TrustTier {
    /// Every tier, lowest first.
    pub const ALL: [Self; 4] = [Self::Unverified, Self::Community, Self::Verified, Self::Official];

    /// The name used in JSON, tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::Community => "community",
            Self::Verified => "verified",
            Self::Official => "official",
        }
    }

    /// Whether something that runs commands needs the user's word first.
    #[must_use]
    pub const fn needs_word(self) -> bool {
        matches!(self, Self::Unverified | Self::Community)
    }
}

impl std::fmt::Display for TrustTier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a candidate has that a plugin brings.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginPart {
    /// Id of the plugin.
    pub plugin: Box<str>,
    /// `plugin:name`.
    pub qualified_id: Box<str>,
    /// Its own name, where it is one of several things that one file defines: an event, a server's name.
    pub name: Option<Box<str>>,
    /// It stands here only because its short name leads here; its own chain is that of the qualified id.
    pub is_short_name: bool,
    /// What a hook or MCP server is.
    pub definition: Option<Definition>,
}

/// What one of several things in a file is.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// A hook.
    Hook(HookDefinition),
    /// An MCP server.
    Server(ServerDefinition),
}

/// Something that the host does on an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookDefinition {
    /// The event, as written.
    pub event: String,
    /// What must match for it to run, as written; without one it always runs.
    pub matcher: Option<String>,
    /// What else must hold for it to run, as written.
    pub condition: Option<String>,
    /// `command`, `prompt`, `agent`, `http` or what else is written; `handler` for a function of the plugin's
    /// own runtime.
    pub action: String,
    /// The command line, as written.
    pub command: Option<String>,
    /// Arguments beside the command line, as written.
    pub args: Vec<String>,
    /// The address that is called, as written.
    pub url: Option<String>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<f64>,
    /// Variables that are set for it: names and values as written. Values are secrets.
    pub env: Vec<(String, String)>,
    /// How many times it runs on one event: as often as it is defined. 0 where it is switched off.
    pub fires: u32,
}

/// How one talks to an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A process that is started, by its standard streams.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP with server-sent events.
    Sse,
    /// A web socket.
    Ws,
}

impl Transport {
    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Ws => "ws",
        }
    }
}

impl std::fmt::Display for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A configured MCP server; every text is as written, with variables unexpanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerDefinition {
    /// Its name.
    pub name: String,
    /// How one talks to it; none where the definition does not say.
    pub transport: Option<Transport>,
    /// The program that is started.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory that it is started in.
    pub cwd: Option<String>,
    /// The address that is called.
    pub url: Option<String>,
    /// Variables that are set for it: names and values. Values are secrets.
    pub env: Vec<(String, String)>,
    /// Headers that are sent: names and values. Values are secrets.
    pub headers: Vec<(String, String)>,
    /// Variables of the user's environment that it is given by name.
    pub env_names: Vec<String>,
    /// Whether it is switched on.
    pub enabled: bool,
}
