//! The settings of Claude Code: its files, what they must be, what they and the environment switch off, and where servers
//! are configured.

use crate::host::{
    Anchor, Comments, Gate, GateSpec, LayerSpec, ServerKeys, ServerSpec, ServerTypes, SwitchSpec, ValueType,
};
use crate::model::{ComponentKind, DiscoverySource, Scope};

/// What the host leaves out when it is told to run without what people have added; plugins are still named.
const EVERYTHING: &[ComponentKind] = &[
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::Hook,
    ComponentKind::McpServer,
    ComponentKind::Memory,
    ComponentKind::OutputStyle,
];

/// Settings that the host is started with are above all but the administrator's.
pub(super) static GIVEN: LayerSpec = LayerSpec {
    anchor: Anchor::Start(""),
    file: "--settings",
    source: DiscoverySource::Env,
    scope: Scope::User,
    comments: Comments::None,
    trusted_only: false,
    unless: &[],
    hooks: true,
};

/// The administrator may leave the user and the project nothing but plugins.
const fn plugin_only(kinds: &'static [ComponentKind], word: &'static str) -> GateSpec {
    GateSpec {
        kinds,
        key: &["strictPluginOnlyCustomization"],
        gate: Gate::PluginOnly(word),
        scopes: &[Scope::Managed],
    }
}

/// The settings files, lowest precedence first.
pub(super) const LAYERS: &[LayerSpec] = &[
    LayerSpec {
        anchor: Anchor::ClaudeHome,
        file: "settings.json",
        source: DiscoverySource::ClaudeGlobal,
        scope: Scope::User,
        comments: Comments::None,
        trusted_only: false,
        unless: &[],
        hooks: true,
    },
    LayerSpec {
        anchor: Anchor::Start(".claude"),
        file: "settings.json",
        source: DiscoverySource::Project,
        scope: Scope::Project,
        comments: Comments::None,
        trusted_only: false,
        unless: &[],
        hooks: true,
    },
    // One in the working directory still counts, below the one at the repository's root.
    LayerSpec {
        anchor: Anchor::Start(".claude"),
        file: "settings.local.json",
        source: DiscoverySource::Project,
        scope: Scope::Project,
        comments: Comments::None,
        trusted_only: false,
        unless: &[],
        hooks: true,
    },
    LayerSpec {
        anchor: Anchor::Checkout(".claude"),
        file: "settings.local.json",
        source: DiscoverySource::Project,
        scope: Scope::Project,
        comments: Comments::None,
        trusted_only: false,
        unless: &[],
        hooks: true,
    },
    LayerSpec {
        anchor: Anchor::Absolute("/etc/claude-code"),
        file: "managed-settings.json",
        source: DiscoverySource::Host,
        scope: Scope::Managed,
        comments: Comments::None,
        trusted_only: false,
        unless: &[],
        hooks: true,
    },
    LayerSpec {
        anchor: Anchor::Absolute("/etc/claude-code"),
        file: "managed-settings.d/*",
        source: DiscoverySource::Host,
        scope: Scope::Managed,
        comments: Comments::None,
        trusted_only: false,
        unless: &[],
        hooks: true,
    },
];

/// What the settings must be, where they are set.
pub(super) const TYPES: &[(&str, ValueType)] = &[
    ("model", ValueType::Text),
    ("outputStyle", ValueType::Text),
    ("language", ValueType::Text),
    ("cleanupPeriodDays", ValueType::Number),
    ("statusLine", ValueType::Table),
    ("disableAllHooks", ValueType::Flag),
    ("enableAllProjectMcpServers", ValueType::Flag),
    ("permissions", ValueType::Table),
    (
        "permissions.defaultMode",
        ValueType::OneOf(&[
            "acceptEdits",
            "auto",
            "bypassPermissions",
            "default",
            "delegate",
            "dontAsk",
            "manual",
            "plan",
        ]),
    ),
    ("permissions.allow", ValueType::List),
    ("permissions.ask", ValueType::List),
    ("permissions.deny", ValueType::List),
    ("env", ValueType::Table),
    ("claudeMdExcludes", ValueType::Texts),
    ("enabledPlugins", ValueType::TableOfFlags),
    ("extraKnownMarketplaces", ValueType::Table),
    (
        "skillOverrides",
        ValueType::TableOf(&["on", "off", "name-only", "user-invocable-only"]),
    ),
];

/// Variables that switch kinds off.
pub(super) const SWITCHES: &[SwitchSpec] = &[
    SwitchSpec {
        variable: "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
        kinds: &[ComponentKind::Memory],
        scopes: &[],
        not_of_plugins: &[],
        files: &[],
    },
    SwitchSpec {
        variable: "CLAUDE_CODE_DISABLE_POLICY_SKILLS",
        kinds: &[ComponentKind::Skill],
        scopes: &[Scope::Managed],
        not_of_plugins: &[],
        files: &[],
    },
    // Plugins still bring their skills and commands; agents and servers of no one are there.
    SwitchSpec {
        variable: "CLAUDE_CODE_SIMPLE",
        kinds: EVERYTHING,
        scopes: &[],
        not_of_plugins: &[ComponentKind::Skill, ComponentKind::Command],
        files: &[],
    },
    SwitchSpec {
        variable: "CLAUDE_CODE_SAFE_MODE",
        kinds: EVERYTHING,
        scopes: &[],
        not_of_plugins: &[],
        files: &[],
    },
];

/// Settings that take components away.
pub(super) const GATES: &[GateSpec] = &[
    plugin_only(&[ComponentKind::Skill, ComponentKind::Command], "skills"),
    plugin_only(&[ComponentKind::Agent], "agents"),
    plugin_only(&[ComponentKind::Hook], "hooks"),
    plugin_only(&[ComponentKind::McpServer], "mcp"),
    GateSpec {
        kinds: &[ComponentKind::Skill, ComponentKind::Command],
        key: &["skillOverrides"],
        gate: Gate::Word("off"),
        scopes: &[],
    },
    GateSpec {
        kinds: &[ComponentKind::Agent],
        key: &["permissions", "deny"],
        gate: Gate::Denied(&["Agent", "Task"]),
        scopes: &[],
    },
];

/// Where MCP servers are configured.
pub(super) const SERVERS: &[ServerSpec] = &[
    ServerSpec {
        anchor: Some(Anchor::ClaudeState),
        file: ".claude.json",
        keys: ServerKeys::Table("mcpServers"),
        source: DiscoverySource::ClaudeGlobal,
        scope: Scope::User,
        priority: 10,
        exclusive: false,
        comments: Comments::None,
    },
    ServerSpec {
        anchor: Some(Anchor::EachWalkDirectory("")),
        file: ".mcp.json",
        keys: ServerKeys::Table("mcpServers"),
        source: DiscoverySource::Project,
        scope: Scope::Project,
        priority: 100,
        exclusive: false,
        comments: Comments::None,
    },
    ServerSpec {
        anchor: Some(Anchor::ClaudeState),
        file: ".claude.json",
        keys: ServerKeys::OfProject("mcpServers"),
        source: DiscoverySource::ClaudeGlobal,
        scope: Scope::User,
        priority: 10_000,
        exclusive: false,
        comments: Comments::None,
    },
    ServerSpec {
        anchor: Some(Anchor::Absolute("/etc/claude-code")),
        file: "managed-mcp.json",
        keys: ServerKeys::Table("mcpServers"),
        source: DiscoverySource::Host,
        scope: Scope::Managed,
        priority: 20_000,
        exclusive: true,
        comments: Comments::None,
    },
];

/// What servers must look like; one that does not is left out, and no other file's takes part in it.
pub(super) static SERVER_TYPES: ServerTypes = ServerTypes {
    any: &[("timeout", ValueType::Positive), ("alwaysLoad", ValueType::Flag)],
    started: &[
        ("command", ValueType::SomeText),
        ("args", ValueType::Texts),
        ("env", ValueType::TableOfTexts),
    ],
    reached: &[
        ("url", ValueType::Text),
        ("headers", ValueType::TableOfTexts),
        ("headersHelper", ValueType::Text),
        ("oauth", ValueType::Table),
    ],
    never: &[],
    words: &["http", "sse", "ws", "streamable-http"],
};
