//! Claude Code, as observed with `-p` on 2.1.332.
//!
//! Skills and commands: managed, then the user's, then the project's, the nearest directory first. Agents and
//! output styles the other way round: managed, then the project's, the nearest first, then the user's.

use super::{
    Anchor, BadYaml, ClashSpec, Comments, ConfigSpec, Depth, Entries, Gate, GateSpec, GitMark, HostProfile,
    IdRule, ImportSpec, KindSpec, LayerSpec, Layout, Links, ListingSpec, MATTER, Matter, MemoryChoice,
    MemoryFile, MemorySpec, Merge, MergeSpec, PluginSystem, ROOT, RootSpec, RulesDir, ServerKeys, ServerSpec,
    Side, SwitchSpec, TextRule, Tie, TreeSpec, UsageSpec, ValueType, WalkEnd, WalkScope, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, HostId, Rule, Scope};

const KINDS: &[ComponentKind] = &[
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::OutputStyle,
];

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

const FOLLOWED: Links = Links {
    folders: true,
    files: true,
};

/// `skills/<folder>/SKILL.md`, exactly one level; the folder is the name.
static SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth { min: 1, max: 1 },
    hidden: true,
    // Reserved for what the host downloads.
    passed_over: &["synced"],
    links: FOLLOWED,
    matter: Matter {
        body_describes: true,
        may_be_hidden: true,
        ..MATTER
    },
    id: IdRule::Folder,
    cleaned: &[],
    one_file_once: true,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill; Claude Code does not look into it",
    wrong_kind: "only folders with a SKILL.md are skills",
};

/// `commands/…/SKILL.md`: a folder with a marker is a skill there too.
static SKILLS_IN_COMMANDS: TreeSpec = TreeSpec {
    depth: Depth::ANY,
    id: IdRule::Path(":"),
    passed_over: &[],
    entries: Entries::Marker("SKILL.md"),
    hidden: true,
    links: FOLLOWED,
    matter: Matter {
        body_describes: true,
        may_be_hidden: true,
        ..MATTER
    },
    cleaned: &[],
    one_file_once: true,
    not_beside: None,
    without_marker: "",
    wrong_kind: "",
};

/// `commands/**/*.md`; folders are joined by `:`.
static COMMANDS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: Matter {
        body_describes: true,
        may_be_hidden: true,
        ..MATTER
    },
    id: IdRule::Path(":"),
    cleaned: &[],
    one_file_once: true,
    not_beside: Some("SKILL.md"),
    without_marker: "",
    wrong_kind: "only files that end in .md are commands",
};

/// `agents/**/*.md`; the declared name counts, and name and description are needed.
static AGENTS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: Matter {
        needed: true,
        bad_yaml: BadYaml::Recovered,
        name: true,
        description: true,
        name_must_be_text: true,
        empty_is_none: true,
        description_type: TextRule::Text,
        no_colon: true,
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are agents",
};

/// `output-styles/*.md`; the declared name counts, else the file's.
static OUTPUT_STYLES: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth { min: 0, max: 0 },
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: MATTER,
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are output styles",
};

static MEMORY: MemorySpec = MemorySpec {
    fixed: &[
        MemoryFile {
            anchor: Anchor::Absolute("/etc/claude-code"),
            names: &["CLAUDE.md"],
            scope: Scope::Managed,
            unless: &[],
        },
        MemoryFile {
            anchor: Anchor::ClaudeHome,
            names: &["CLAUDE.md"],
            scope: Scope::User,
            unless: &[],
        },
    ],
    first_fixed_only: false,
    names: &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
    names_setting: &[],
    more_names_setting: &[],
    further_setting: &[],
    choice: MemoryChoice::All,
    walk: WalkScope::Top,
    rules: &[
        RulesDir {
            anchor: Some(Anchor::Absolute("/etc/claude-code/.claude")),
            folder: "rules",
            extension: "md",
            waits_for: "paths",
            scope: Scope::Managed,
        },
        RulesDir {
            anchor: Some(Anchor::ClaudeHome),
            folder: "rules",
            extension: "md",
            waits_for: "paths",
            scope: Scope::User,
        },
        RulesDir {
            anchor: None,
            folder: ".claude/rules",
            extension: "md",
            waits_for: "paths",
            scope: Scope::Project,
        },
    ],
    imports: Some(ImportSpec {
        depth: 4,
        strict: false,
        once: true,
        user_anywhere: true,
        within_start: true,
    }),
    skips_empty: true,
    excludes_setting: &["claudeMdExcludes"],
    marks_setting: &[],
    more_dirs_setting: &[],
    limit: None,
    not_of_outer_checkout: true,
    project_unless: &[],
};

const ANY: Side = Side {
    family: None,
    scope: None,
};

const fn of(scope: Scope) -> Side {
    Side {
        family: None,
        scope: Some(scope),
    }
}

const fn clash(rule: Rule, winner: Side, loser: Side) -> ClashSpec {
    ClashSpec {
        rule,
        winner,
        loser,
        same_family: false,
        kinds: &[],
    }
}

/// Settings that the host is started with are above all but the administrator's.
static GIVEN: LayerSpec = LayerSpec {
    anchor: Anchor::Start(""),
    file: "--settings",
    source: DiscoverySource::Env,
    scope: Scope::User,
    comments: Comments::None,
    trusted_only: false,
    unless: &[],
    hooks: true,
};

/// Observed with skills of known lengths. The host's own differ by a few dozen characters from start to start.
static LISTING: ListingSpec = ListingSpec {
    characters: 30_000,
    variable: "SLASH_COMMAND_TOOL_CHAR_BUDGET",
    share_setting: &["skillListingBudgetFraction"],
    usual_share: 0.01,
    longest_setting: &["skillListingMaxDescChars"],
    overrides_setting: &["skillOverrides"],
    hidden_words: &["user-invocable-only"],
    name_only_word: "name-only",
    own: &[
        ("dataviz", 1_436),
        ("update-config", 690),
        ("keybindings-help", 228),
        ("code-review", 835),
        ("simplify", 176),
        ("fewer-permission-prompts", 163),
        ("loop", 336),
        ("claude-api", 1_157),
        ("workflow-authoring", 230),
        ("run", 361),
        ("plugin-authoring", 255),
        ("init", 59),
        ("security-review", 71),
    ],
    usage: UsageSpec {
        anchor: Anchor::ClaudeState,
        file: ".claude.json",
        key: "skillUsage",
        half_life_days: 7.0,
        least: 0.1,
    },
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

pub(super) static PROFILE: HostProfile = HostProfile {
    id: HostId::ClaudeCode,
    name: "Claude Code",
    observed: Some("2.1.332"),
    roots: &[
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".claude"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            priority: 100,
            kinds: KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::MainCheckout(".claude"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            priority: 100,
            kinds: KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::ClaudeHome,
            source: DiscoverySource::ClaudeGlobal,
            scope: Scope::User,
            priority: 10_000,
            kinds: KINDS,
            ranks: &[(ComponentKind::Agent, 50), (ComponentKind::OutputStyle, 50)],
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Absolute("/etc/claude-code/.claude"),
            source: DiscoverySource::Host,
            scope: Scope::Managed,
            priority: 20_000,
            kinds: KINDS,
            ..ROOT
        },
    ],
    kinds: &[
        KindSpec {
            kind: ComponentKind::Skill,
            folder: "skills",
            families: &[],
            layout: Layout::Tree(&SKILLS),
        },
        KindSpec {
            kind: ComponentKind::Skill,
            folder: "commands",
            families: &[],
            layout: Layout::Tree(&SKILLS_IN_COMMANDS),
        },
        KindSpec {
            kind: ComponentKind::Command,
            folder: "commands",
            families: &[],
            layout: Layout::Tree(&COMMANDS),
        },
        KindSpec {
            kind: ComponentKind::Agent,
            folder: "agents",
            families: &[],
            layout: Layout::Tree(&AGENTS),
        },
        KindSpec {
            kind: ComponentKind::OutputStyle,
            folder: "output-styles",
            families: &[],
            layout: Layout::Tree(&OUTPUT_STYLES),
        },
    ],
    plugin_kinds: &[],
    clashes: &[
        clash(Rule::ManagedOverAll, of(Scope::Managed), ANY),
        clash(Rule::PluginFirstGiven, of(Scope::Plugin), of(Scope::Plugin)),
        // What the user has for this project alone is before what the project shares.
        ClashSpec {
            kinds: &[ComponentKind::McpServer],
            ..clash(Rule::LocalOverProject, of(Scope::User), ANY)
        },
        clash(Rule::UserOverProject, of(Scope::User), of(Scope::Project)),
        clash(Rule::ProjectOverGlobal, of(Scope::Project), of(Scope::User)),
        clash(Rule::NearestDirectory, of(Scope::Project), of(Scope::Project)),
    ],
    config: ConfigSpec {
        id: "settings.json",
        names: &[],
    },
    walk: WalkSpec {
        git: GitMark::Anything,
        without_git: WalkEnd::Top,
        capped: false,
        marker_setting: None,
    },
    merges: &[
        MergeSpec {
            kind: ComponentKind::Skill,
            merge: Merge::Highest,
            tie: Tie::LastPath,
        },
        MergeSpec {
            kind: ComponentKind::Agent,
            merge: Merge::Highest,
            tie: Tie::LastPath,
        },
        // In one directory the order is that in which the file system lists the files.
        MergeSpec {
            kind: ComponentKind::Command,
            merge: Merge::Highest,
            tie: Tie::Undefined,
        },
        MergeSpec {
            kind: ComponentKind::Hook,
            merge: Merge::Additive,
            tie: Tie::FirstPath,
        },
    ],
    layers: &[
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
    ],
    given_layer: Some(&GIVEN),
    types: &[
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
    ],
    broken_settings_stop: false,
    fills_in_files: false,
    switches: &[
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
    ],
    hooks: None,
    gates: &[
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
    ],
    servers: &[
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
    ],
    memory: Some(&MEMORY),
    plugins: PluginSystem::Marketplaces,
    skill_beats_command: true,
    made_in_settings: &[],
    built_in: &[],
    more_skills: &[],
    on_request: &[],
    longest_description: 1_536,
    listing: Some(&LISTING),
    approvals: None,
    trust_gates_memory: false,
    trust: None,
};
