//! Gemini CLI, as observed on 0.61.0.
//!
//! The project is the working directory alone, and without trust nothing of it counts. Commands of one name are
//! all renamed.

use super::{
    Anchor, ApprovalSpec, BadYaml, ClashSpec, Comments, ConfigSpec, Depth, Entries, Fences, FieldSpec, Gate,
    GateSpec, GitMark, HostProfile, IdRule, ImportSpec, KindSpec, LayerSpec, Layout, Links, MATTER, Matter,
    MemoryChoice, MemoryFile, MemorySpec, Merge, MergeSpec, PluginSystem, ROOT, RootSpec, ServerKeys,
    ServerSpec, Side, Takes, Tie, TreeSpec, TrustSpec, WalkEnd, WalkScope, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};

const HOME: Anchor = Anchor::Variable {
    name: "GEMINI_CLI_HOME",
    below: ".gemini",
    or_home: Some(".gemini"),
};

const KINDS: &[ComponentKind] = &[ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];
/// Without trust the host refuses to run, so that these are not there for the user either.
const NEED_TRUST: &[ComponentKind] = &[ComponentKind::Command, ComponentKind::Agent];

/// `skills/SKILL.md` and `skills/*/SKILL.md` with name and description.
pub(crate) static SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth { min: 0, max: 1 },
    hidden: false,
    passed_over: &["node_modules"],
    links: Links {
        folders: true,
        files: true,
    },
    matter: Matter {
        needed: true,
        mark_hides: true,
        bad_yaml: BadYaml::LastLine,
        fences: Fences {
            padded: false,
            ..Fences::LOOSE
        },
        name: true,
        description: true,
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[':', '\\', '/', '<', '>', '*', '?', '"', '|'],
    one_file_once: false,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill; Gemini does not look into it",
    wrong_kind: "only SKILL.md and folders with one are skills",
};

/// `commands/**/*.toml` with a prompt; folders are joined by `:`.
pub(crate) static COMMANDS: TreeSpec = TreeSpec {
    entries: Entries::Files("toml"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: Links {
        folders: true,
        files: true,
    },
    matter: Matter {
        mark_hides: true,
        needs_keys: &["prompt"],
        ..MATTER
    },
    id: IdRule::Path(":"),
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .toml are commands",
};

/// The tools that an agent may name.
const TOOLS: &[&str] = &[
    "glob",
    "write_todos",
    "write_file",
    "google_web_search",
    "web_fetch",
    "replace",
    "run_shell_command",
    "grep_search",
    "search_file_content",
    "read_many_files",
    "read_file",
    "list_directory",
    "save_memory",
    "activate_skill",
    "ask_user",
    "tracker_*",
    "get_internal_docs",
    "enter_plan_mode",
    "exit_plan_mode",
    "update_topic",
    "discovered_tool_*",
    "mcp_*",
    "*",
];

/// `agents/*.md` with name and description, nothing that the host does not know, and no links.
pub(crate) static AGENTS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth { min: 0, max: 0 },
    hidden: true,
    passed_over: &["_*"],
    links: Links {
        folders: false,
        files: false,
    },
    matter: Matter {
        needed: true,
        mark_hides: true,
        bad_yaml: BadYaml::Refused,
        name: true,
        description: true,
        name_must_be_text: true,
        blank_is_none: true,
        slug: true,
        fields: &[
            FieldSpec {
                key: "tools",
                takes: Takes::ListOf(TOOLS),
            },
            FieldSpec {
                key: "max_turns",
                takes: Takes::Number,
            },
            FieldSpec {
                key: "timeout_mins",
                takes: Takes::Number,
            },
            FieldSpec {
                key: "temperature",
                takes: Takes::Number,
            },
            FieldSpec {
                key: "model",
                takes: Takes::Text,
            },
        ],
        only_keys: &[
            "kind",
            "name",
            "description",
            "display_name",
            "tools",
            "mcp_servers",
            "model",
            "temperature",
            "max_turns",
            "timeout_mins",
            "agent_card_url",
            "agent_card_json",
            "auth",
        ],
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are agents",
};

static MEMORY: MemorySpec = MemorySpec {
    fixed: &[MemoryFile {
        anchor: HOME,
        names: &["GEMINI.md"],
        scope: Scope::User,
        unless: &[],
    }],
    first_fixed_only: false,
    names: &["GEMINI.md"],
    names_setting: &["context", "fileName"],
    more_names_setting: &[],
    further_setting: &[],
    choice: MemoryChoice::All,
    walk: WalkScope::Walk,
    rules: &[],
    imports: Some(ImportSpec {
        depth: 5,
        strict: true,
        once: false,
        user_anywhere: false,
        within_start: false,
    }),
    skips_empty: true,
    excludes_setting: &[],
    marks_setting: &["context", "memoryBoundaryMarkers"],
    more_dirs_setting: &["context", "includeDirectories"],
    limit: None,
    not_of_outer_checkout: false,
    project_unless: &[],
    each_path: false,
};

const fn of(scope: Scope, family: Option<Family>) -> Side {
    Side {
        family,
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

const fn servers(anchor: Anchor, file: &'static str, scope: Scope, priority: u32) -> ServerSpec {
    ServerSpec {
        anchor: Some(anchor),
        file,
        keys: ServerKeys::Table("mcpServers"),
        source: match scope {
            Scope::Project => DiscoverySource::Project,
            _ => DiscoverySource::Host,
        },
        scope,
        priority,
        exclusive: false,
        comments: Comments::NoTrailingComma,
    }
}

pub(super) static PROFILE: HostProfile = HostProfile {
    id: HostId::Gemini,
    name: "Gemini CLI",
    observed: Some("0.61.0"),
    roots: &[
        RootSpec {
            anchor: HOME,
            family: Family::Gemini,
            priority: 1_000,
            kinds: KINDS,
            trusted_only: NEED_TRUST,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Variable {
                name: "GEMINI_CLI_HOME",
                below: ".agents",
                or_home: Some(".agents"),
            },
            family: Family::Agents,
            priority: 2_000,
            kinds: &[ComponentKind::Skill],
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Start(".gemini"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Gemini,
            priority: 3_000,
            kinds: KINDS,
            trusted_only: KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Start(".agents"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Agents,
            priority: 4_000,
            kinds: &[ComponentKind::Skill],
            trusted_only: KINDS,
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
            kind: ComponentKind::Command,
            folder: "commands",
            families: &[Family::Gemini],
            layout: Layout::Tree(&COMMANDS),
        },
        KindSpec {
            kind: ComponentKind::Agent,
            folder: "agents",
            families: &[Family::Gemini],
            layout: Layout::Tree(&AGENTS),
        },
    ],
    plugin_kinds: &[],
    clashes: &[
        clash(
            Rule::ExtensionLast,
            of(Scope::User, None),
            of(Scope::Plugin, None),
        ),
        clash(
            Rule::ExtensionLast,
            of(Scope::Project, None),
            of(Scope::Plugin, None),
        ),
        clash(
            Rule::AgentsOverOwn,
            of(Scope::Project, Some(Family::Agents)),
            of(Scope::Project, Some(Family::Gemini)),
        ),
        clash(
            Rule::AgentsOverOwn,
            of(Scope::User, Some(Family::Agents)),
            of(Scope::User, Some(Family::Gemini)),
        ),
        clash(
            Rule::ProjectOverGlobal,
            of(Scope::Project, None),
            of(Scope::User, None),
        ),
    ],
    config: ConfigSpec {
        id: "settings.json",
        names: &[],
    },
    walk: WalkSpec {
        git: GitMark::Anything,
        without_git: WalkEnd::Start,
        capped: false,
        marker_setting: None,
    },
    merges: &[
        MergeSpec {
            kind: ComponentKind::Command,
            merge: Merge::RenameAll,
            tie: Tie::FirstPath,
        },
        MergeSpec {
            kind: ComponentKind::Agent,
            merge: Merge::Highest,
            tie: Tie::FirstPath,
        },
        MergeSpec {
            kind: ComponentKind::Hook,
            merge: Merge::Additive,
            tie: Tie::FirstPath,
        },
    ],
    layers: &[
        LayerSpec {
            anchor: Anchor::Absolute("/etc/gemini-cli"),
            file: "system-defaults.json",
            source: DiscoverySource::Host,
            scope: Scope::System,
            comments: Comments::NoTrailingComma,
            trusted_only: false,
            unless: &[],
            hooks: true,
        },
        LayerSpec {
            anchor: HOME,
            file: "settings.json",
            source: DiscoverySource::Host,
            scope: Scope::User,
            comments: Comments::NoTrailingComma,
            trusted_only: false,
            unless: &[],
            hooks: true,
        },
        LayerSpec {
            anchor: Anchor::Start(".gemini"),
            file: "settings.json",
            source: DiscoverySource::Project,
            scope: Scope::Project,
            comments: Comments::NoTrailingComma,
            trusted_only: true,
            unless: &[],
            hooks: true,
        },
        LayerSpec {
            anchor: Anchor::Absolute("/etc/gemini-cli"),
            file: "settings.json",
            source: DiscoverySource::Host,
            scope: Scope::Managed,
            comments: Comments::NoTrailingComma,
            trusted_only: false,
            unless: &[],
            hooks: true,
        },
    ],
    given_layer: None,
    types: &[],
    server_types: None,
    broken_settings_stop: true,
    fills_in_files: false,
    switches: &[],
    hooks: None,
    gates: &[
        GateSpec {
            kinds: &[ComponentKind::Skill],
            key: &["skills", "disabled"],
            gate: Gate::Names,
            scopes: &[],
        },
        GateSpec {
            kinds: &[ComponentKind::Skill],
            key: &["skills", "enabled"],
            gate: Gate::All(false),
            scopes: &[],
        },
        GateSpec {
            kinds: &[ComponentKind::Agent],
            key: &["experimental", "enableAgents"],
            gate: Gate::All(false),
            scopes: &[],
        },
        GateSpec {
            kinds: &[ComponentKind::Agent],
            key: &["agents", "overrides"],
            gate: Gate::Flag("enabled", false),
            scopes: &[],
        },
    ],
    // The list of servers does not ask for trust, though the project's are not started without it.
    servers: &[
        servers(
            Anchor::Absolute("/etc/gemini-cli"),
            "system-defaults.json",
            Scope::System,
            100,
        ),
        servers(HOME, "settings.json", Scope::User, 200),
        servers(Anchor::Start(".gemini"), "settings.json", Scope::Project, 300),
        servers(
            Anchor::Absolute("/etc/gemini-cli"),
            "settings.json",
            Scope::Managed,
            400,
        ),
    ],
    memory: Some(&MEMORY),
    plugins: PluginSystem::Extensions,
    skill_beats_command: false,
    made_in_settings: &[],
    // A command of such a name is renamed, an agent left out: the host's own keeps it.
    built_in: &[
        (ComponentKind::Agent, "cli_help"),
        (ComponentKind::Agent, "codebase_investigator"),
        (ComponentKind::Agent, "generalist"),
        (ComponentKind::Command, "about"),
        (ComponentKind::Command, "agents"),
        (ComponentKind::Command, "auth"),
        (ComponentKind::Command, "bug"),
        (ComponentKind::Command, "bug-memory"),
        (ComponentKind::Command, "chat"),
        (ComponentKind::Command, "clear"),
        (ComponentKind::Command, "commands"),
        (ComponentKind::Command, "compress"),
        (ComponentKind::Command, "copy"),
        (ComponentKind::Command, "corgi"),
        (ComponentKind::Command, "debug"),
        (ComponentKind::Command, "docs"),
        (ComponentKind::Command, "export-session"),
        (ComponentKind::Command, "directory"),
        (ComponentKind::Command, "editor"),
        (ComponentKind::Command, "extensions"),
        (ComponentKind::Command, "footer"),
        (ComponentKind::Command, "help"),
        (ComponentKind::Command, "hooks"),
        (ComponentKind::Command, "ide"),
        (ComponentKind::Command, "init"),
        (ComponentKind::Command, "mcp"),
        (ComponentKind::Command, "memory"),
        (ComponentKind::Command, "model"),
        (ComponentKind::Command, "oncall"),
        (ComponentKind::Command, "permissions"),
        (ComponentKind::Command, "plan"),
        (ComponentKind::Command, "policies"),
        (ComponentKind::Command, "privacy"),
        (ComponentKind::Command, "quit"),
        (ComponentKind::Command, "resume"),
        (ComponentKind::Command, "rewind"),
        (ComponentKind::Command, "settings"),
        (ComponentKind::Command, "setup-github"),
        (ComponentKind::Command, "shortcuts"),
        (ComponentKind::Command, "skills"),
        (ComponentKind::Command, "stats"),
        (ComponentKind::Command, "tasks"),
        (ComponentKind::Command, "terminal-setup"),
        (ComponentKind::Command, "theme"),
        (ComponentKind::Command, "tools"),
        (ComponentKind::Command, "upgrade"),
        (ComponentKind::Command, "vim"),
        (ComponentKind::Command, "voice"),
    ],
    more_skills: &[],
    on_request: &[],
    longest_description: 0,
    listing: None,
    approvals: Some(ApprovalSpec {
        kind: ComponentKind::Agent,
        anchor: HOME,
        file: "acknowledgments/agents.json",
    }),
    trust_gates_memory: true,
    trust: Some(TrustSpec::GeminiFolders),
};
