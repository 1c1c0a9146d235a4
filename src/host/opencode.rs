//! opencode, as observed on 1.18.33.
//!
//! Skills are loaded all at once and the last that is ready has the name. Agents and commands are merged folder by
//! folder: the configuration directory, each `.opencode` from the working directory up, then `~/.opencode`; later
//! beats earlier, so the outer folder beats the nearer one.

use super::{
    Anchor, BadYaml, ClashSpec, Comments, ConfigSpec, Depth, Entries, Fences, FieldSpec, Gate, GateSpec,
    GitMark, HostProfile, IdRule, KindSpec, LayerSpec, Layout, Links, MATTER, Matter, MemoryChoice,
    MemoryFile, MemorySpec, Merge, MergeSpec, PluginSystem, ROOT, RootSpec, ServerKeys, ServerSpec, Side,
    SwitchSpec, Takes, TextRule, Tie, TreeSpec, ValueType, WalkEnd, WalkScope, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};

const CONFIG_HOME: Anchor = Anchor::Variable {
    name: "XDG_CONFIG_HOME",
    below: "opencode",
    or_home: Some(".config/opencode"),
};
const MOVED: Anchor = Anchor::Variable {
    name: "OPENCODE_CONFIG_DIR",
    below: "",
    or_home: None,
};

/// A linked file or folder counts like any other.
const FOLLOWED: Links = Links {
    folders: true,
    files: true,
};

/// What is opened is front matter to the end of the file, if nothing closes it.
const OPEN: Fences = Fences {
    open_end: true,
    ..Fences::LOOSE
};

/// Nothing is needed, and what cannot be read says nothing; but what is read must be of its type.
const PLAIN: Matter = Matter {
    bad_yaml: BadYaml::ColonsElseNothing,
    fences: OPEN,
    name_must_be_text: true,
    dates_are_no_text: true,
    description_type: TextRule::Text,
    wrong_type_stops: true,
    ..MATTER
};

const fn field(key: &'static str, takes: Takes) -> FieldSpec {
    FieldSpec { key, takes }
}

const AGENT: Matter = Matter {
    fields: &[
        field("model", Takes::Text),
        field("prompt", Takes::Text),
        field("mode", Takes::OneOf(&["subagent", "primary", "all"])),
        field("tools", Takes::Mapping),
        field("disable", Takes::Flag),
        field("hidden", Takes::Flag),
        field("temperature", Takes::Number),
        field("top_p", Takes::Number),
        field(
            "color",
            Takes::Color(&[
                "primary",
                "secondary",
                "accent",
                "success",
                "warning",
                "error",
                "info",
            ]),
        ),
    ],
    ..PLAIN
};

const COMMAND: Matter = Matter {
    fields: &[
        field("agent", Takes::Text),
        field("model", Takes::Text),
        field("subtask", Takes::Flag),
    ],
    ..PLAIN
};

/// `skill/**/SKILL.md` and `skills/**/SKILL.md` of opencode's own folders; a name that is text is needed.
static SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth::ANY,
    hidden: false,
    passed_over: &[],
    links: FOLLOWED,
    matter: Matter {
        needed: true,
        name: true,
        name_must_be_text: true,
        description_type: TextRule::Text,
        dates_are_no_text: true,
        bad_yaml: BadYaml::ColonsQuoted,
        fences: OPEN,
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill",
    wrong_kind: "only folders with a SKILL.md are skills",
};

/// The same in `.claude` and `.agents`, where folders that begin with a dot count too.
static SHARED_SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: Matter {
        needed: true,
        name: true,
        name_must_be_text: true,
        description_type: TextRule::Text,
        dates_are_no_text: true,
        bad_yaml: BadYaml::ColonsQuoted,
        fences: OPEN,
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill",
    wrong_kind: "only folders with a SKILL.md are skills",
};

/// `command/**/*.md` and `commands/**/*.md`; a declared name counts, else the path, joined by `/`.
static COMMANDS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: COMMAND,
    id: IdRule::DeclaredElsePath("/"),
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are commands",
};

/// `agent/**/*.md` and `agents/**/*.md`; nothing is needed.
static AGENTS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: AGENT,
    id: IdRule::DeclaredElsePath("/"),
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are agents",
};

/// `mode/*.md` and `modes/*.md` are agents too.
static MODES: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth { min: 0, max: 0 },
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: AGENT,
    id: IdRule::DeclaredElsePath("/"),
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are modes",
};

static MEMORY: MemorySpec = MemorySpec {
    fixed: &[
        MemoryFile {
            anchor: MOVED,
            names: &["AGENTS.md"],
            scope: Scope::User,
            unless: &[],
        },
        MemoryFile {
            anchor: CONFIG_HOME,
            names: &["AGENTS.md"],
            scope: Scope::User,
            unless: &["OPENCODE_CONFIG_DIR"],
        },
        MemoryFile {
            anchor: Anchor::Home(".claude"),
            names: &["CLAUDE.md"],
            scope: Scope::User,
            unless: &["OPENCODE_DISABLE_CLAUDE_CODE"],
        },
    ],
    first_fixed_only: true,
    names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
    names_setting: &[],
    more_names_setting: &[],
    further_setting: &["instructions"],
    choice: MemoryChoice::FirstNameOfWalk,
    walk: WalkScope::Walk,
    rules: &[],
    imports: None,
    skips_empty: true,
    excludes_setting: &[],
    marks_setting: &[],
    more_dirs_setting: &[],
    limit: None,
    not_of_outer_checkout: false,
    project_unless: &["OPENCODE_DISABLE_PROJECT_CONFIG"],
    each_path: true,
};

/// In one directory the second is read after the first.
const FILES: &str = "opencode.json|opencode.jsonc";
/// Any of these makes the host leave `.claude` alone.
const NO_CLAUDE: &[&str] = &[
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
];
/// And this one `.agents` too.
const NO_EXTERNAL: &[&str] = &["OPENCODE_DISABLE_EXTERNAL_SKILLS"];
const SKILL: &[ComponentKind] = &[ComponentKind::Skill];
const KINDS: &[ComponentKind] = &[ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];
const OWN: &[Family] = &[Family::Opencode];

const fn of(scope: Scope) -> Side {
    Side {
        family: None,
        scope: Some(scope),
    }
}

const fn no_claude_text(variable: &'static str) -> SwitchSpec {
    SwitchSpec {
        variable,
        kinds: &[ComponentKind::Memory],
        scopes: &[],
        not_of_plugins: &[],
        files: &["CLAUDE.md"],
    }
}

const fn layer(anchor: Anchor, file: &'static str, scope: Scope) -> LayerSpec {
    LayerSpec {
        anchor,
        file,
        source: match scope {
            Scope::Project => DiscoverySource::Project,
            _ => DiscoverySource::Host,
        },
        scope,
        comments: Comments::Allowed,
        trusted_only: false,
        unless: match scope {
            Scope::Project => &["OPENCODE_DISABLE_PROJECT_CONFIG"],
            _ => &[],
        },
        hooks: false,
    }
}

const fn kind(
    kind: ComponentKind,
    folder: &'static str,
    families: &'static [Family],
    tree: &'static TreeSpec,
) -> KindSpec {
    KindSpec {
        kind,
        folder,
        families,
        layout: Layout::Tree(tree),
    }
}

pub(super) static PROFILE: HostProfile = HostProfile {
    id: HostId::Opencode,
    name: "opencode",
    observed: Some("1.18.33"),
    roots: &[
        RootSpec {
            anchor: Anchor::Home(".claude"),
            source: DiscoverySource::ClaudeGlobal,
            priority: 10,
            kinds: SKILL,
            unless: NO_CLAUDE,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Home(".agents"),
            family: Family::Agents,
            priority: 20,
            kinds: SKILL,
            unless: NO_EXTERNAL,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".claude"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            priority: 1_000,
            kinds: SKILL,
            unless: NO_CLAUDE,
            outer_wins: true,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".agents"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Agents,
            priority: 5_000,
            kinds: SKILL,
            unless: NO_EXTERNAL,
            outer_wins: true,
            ..ROOT
        },
        RootSpec {
            anchor: CONFIG_HOME,
            family: Family::Opencode,
            priority: 9_000,
            kinds: KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".opencode"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Opencode,
            priority: 10_000,
            kinds: KINDS,
            unless: &["OPENCODE_DISABLE_PROJECT_CONFIG"],
            outer_wins: true,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Home(".opencode"),
            family: Family::Opencode,
            priority: 20_000,
            kinds: KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: MOVED,
            family: Family::Opencode,
            priority: 30_000,
            kinds: KINDS,
            ..ROOT
        },
    ],
    kinds: &[
        kind(ComponentKind::Skill, "skills", OWN, &SKILLS),
        kind(ComponentKind::Skill, "skill", OWN, &SKILLS),
        kind(
            ComponentKind::Skill,
            "skills",
            &[Family::Claude, Family::Agents],
            &SHARED_SKILLS,
        ),
        kind(ComponentKind::Command, "commands", OWN, &COMMANDS),
        kind(ComponentKind::Command, "command", OWN, &COMMANDS),
        kind(ComponentKind::Agent, "agents", OWN, &AGENTS),
        kind(ComponentKind::Agent, "agent", OWN, &AGENTS),
        kind(ComponentKind::Agent, "modes", OWN, &MODES),
        kind(ComponentKind::Agent, "mode", OWN, &MODES),
    ],
    plugin_kinds: &[],
    clashes: &[
        ClashSpec {
            rule: Rule::OwnHomeOverAll,
            winner: of(Scope::User),
            loser: of(Scope::Project),
            same_family: false,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::OwnHomeOverAll,
            winner: of(Scope::User),
            loser: of(Scope::User),
            same_family: false,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::ProjectOverGlobal,
            winner: of(Scope::Project),
            loser: of(Scope::User),
            same_family: false,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::OuterDirectory,
            winner: of(Scope::Project),
            loser: of(Scope::Project),
            same_family: false,
            kinds: &[],
        },
    ],
    config: ConfigSpec {
        id: "opencode.json",
        names: &[],
    },
    walk: WalkSpec {
        git: GitMark::NearestValid,
        without_git: WalkEnd::Top,
        capped: false,
        marker_setting: None,
    },
    merges: &[
        MergeSpec {
            kind: ComponentKind::Skill,
            merge: Merge::Race,
            tie: Tie::Undefined,
        },
        MergeSpec {
            kind: ComponentKind::Command,
            merge: Merge::Highest,
            tie: Tie::DeepestElseUndefined,
        },
        MergeSpec {
            kind: ComponentKind::Agent,
            merge: Merge::Highest,
            tie: Tie::DeepestElseUndefined,
        },
    ],
    layers: &[
        layer(
            CONFIG_HOME,
            "config.json|opencode.json|opencode.jsonc",
            Scope::User,
        ),
        layer(
            Anchor::Variable {
                name: "OPENCODE_CONFIG",
                below: "",
                or_home: None,
            },
            "",
            Scope::User,
        ),
        layer(Anchor::EachWalkDirectory(""), FILES, Scope::Project),
        layer(Anchor::EachWalkDirectory(".opencode"), FILES, Scope::Project),
        layer(Anchor::Home(".opencode"), FILES, Scope::User),
        layer(MOVED, FILES, Scope::User),
        layer(Anchor::Absolute("/etc/opencode"), FILES, Scope::Managed),
    ],
    given_layer: None,
    types: &[
        ("agent", ValueType::Described),
        ("command", ValueType::Described),
        ("mcp", ValueType::TypedServers),
        ("instructions", ValueType::Texts),
    ],
    server_types: None,
    broken_settings_stop: true,
    fills_in_files: true,
    switches: &[
        no_claude_text("OPENCODE_DISABLE_CLAUDE_CODE"),
        no_claude_text("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"),
    ],
    hooks: None,
    gates: &[GateSpec {
        kinds: &[ComponentKind::Agent],
        key: &["agent"],
        gate: Gate::Flag("disable", true),
        scopes: &[],
    }],
    servers: &[ServerSpec {
        anchor: None,
        file: "",
        keys: ServerKeys::Table("mcp"),
        source: DiscoverySource::Host,
        scope: Scope::User,
        priority: 100,
        exclusive: false,
        comments: Comments::None,
    }],
    memory: Some(&MEMORY),
    plugins: PluginSystem::Folders,
    skill_beats_command: false,
    made_in_settings: &[
        (ComponentKind::Agent, "agent"),
        (ComponentKind::Agent, "mode"),
        (ComponentKind::Command, "command"),
    ],
    built_in: &[
        (ComponentKind::Agent, "build"),
        (ComponentKind::Agent, "plan"),
        (ComponentKind::Agent, "general"),
        (ComponentKind::Agent, "explore"),
        (ComponentKind::Agent, "compaction"),
        (ComponentKind::Agent, "title"),
        (ComponentKind::Agent, "summary"),
        (ComponentKind::Command, "init"),
        (ComponentKind::Command, "review"),
    ],
    more_skills: &["skills", "paths"],
    on_request: &[],
    longest_description: 0,
    listing: None,
    approvals: None,
    trust_gates_memory: false,
    trust: None,
};
