//! OpenAI Codex CLI, as observed on 0.171.0.
//!
//! It keeps every skill of one name. The project's `config.toml` and agents need trust, its skills and memory do not.

mod types;

use super::{
    Anchor, BadYaml, ClashSpec, Comments, ConfigSpec, Depth, Entries, Fences, FieldSpec, Gate, GateSpec,
    GitMark, HookSpec, HostProfile, IdRule, KindSpec, LayerSpec, Layout, Links, MATTER, Matter, MemoryChoice,
    MemoryFile, MemorySpec, Merge, MergeSpec, PluginSystem, ROOT, RootSpec, ServerKeys, ServerSpec, Side,
    Takes, TextRule, Tie, TreeSpec, TrustSpec, WalkEnd, WalkScope, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};

const HOME: Anchor = Anchor::Variable {
    name: "CODEX_HOME",
    below: "",
    or_home: Some(".codex"),
};

/// `skills/**/SKILL.md`, at most six folders deep; a linked folder is followed, a linked marker is not.
pub(crate) static SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth { min: 0, max: 6 },
    hidden: false,
    passed_over: &[],
    links: Links {
        folders: true,
        files: false,
    },
    matter: Matter {
        needed: true,
        mark_hides: true,
        bad_yaml: BadYaml::ValuesQuoted,
        lossy: false,
        description: true,
        description_type: TextRule::Scalar,
        fences: Fences {
            indented: true,
            longer: false,
            ..Fences::LOOSE
        },
        fields: &[FieldSpec {
            key: "metadata",
            takes: Takes::Mapping,
        }],
        name_in_one_line: true,
        longest_name: 64,
        blank_is_none: true,
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: true,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill",
    wrong_kind: "only folders with a SKILL.md are skills",
};

/// `agents/**/*.toml` with name, description and instructions.
static AGENTS: TreeSpec = TreeSpec {
    entries: Entries::Files("toml"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: Links {
        folders: true,
        files: true,
    },
    matter: Matter {
        needs_keys: &["name", "description", "developer_instructions"],
        toml_types: types::AGENT_TYPES,
        ..MATTER
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .toml are agents",
};

static MEMORY: MemorySpec = MemorySpec {
    fixed: &[MemoryFile {
        anchor: HOME,
        names: &["AGENTS.override.md", "AGENTS.md"],
        scope: Scope::User,
        unless: &[],
    }],
    first_fixed_only: false,
    names: &["AGENTS.override.md", "AGENTS.md"],
    names_setting: &[],
    more_names_setting: &["project_doc_fallback_filenames"],
    further_setting: &[],
    choice: MemoryChoice::FirstOfFolder,
    walk: WalkScope::Walk,
    rules: &[],
    imports: None,
    skips_empty: true,
    excludes_setting: &[],
    marks_setting: &[],
    more_dirs_setting: &[],
    limit: Some((&["project_doc_max_bytes"], 32 * 1024)),
    not_of_outer_checkout: false,
    project_unless: &[],
    each_path: false,
};

/// All hooks of all layers run, the administrator's at once and the others once the user has approved each as it is.
static HOOKS: HookSpec = HookSpec {
    file: "hooks.json",
    events: &[
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ],
    without_matcher: &["UserPromptSubmit", "Stop"],
    record: "state",
    timeout: 600,
};

const fn of(scope: Scope) -> Side {
    Side {
        family: None,
        scope: Some(scope),
    }
}

const SKILL: &[ComponentKind] = &[ComponentKind::Skill];

pub(super) static PROFILE: HostProfile = HostProfile {
    id: HostId::Codex,
    name: "Codex",
    observed: Some("0.171.0"),
    roots: &[
        RootSpec {
            anchor: Anchor::Absolute("/etc/codex"),
            scope: Scope::Managed,
            family: Family::Codex,
            priority: 10,
            kinds: SKILL,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".codex"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Codex,
            priority: 100,
            kinds: &[ComponentKind::Skill, ComponentKind::Agent],
            ranks: &[(ComponentKind::Agent, 20_000)],
            trusted_only: &[ComponentKind::Agent],
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".agents"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Agents,
            priority: 5_000,
            kinds: SKILL,
            ..ROOT
        },
        RootSpec {
            anchor: HOME,
            family: Family::Codex,
            priority: 10_000,
            kinds: &[ComponentKind::Skill, ComponentKind::Agent],
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::Home(".agents"),
            family: Family::Agents,
            priority: 10_001,
            kinds: SKILL,
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
            kind: ComponentKind::Agent,
            folder: "agents",
            families: &[],
            layout: Layout::Tree(&AGENTS),
        },
    ],
    plugin_kinds: &[],
    clashes: &[
        ClashSpec {
            rule: Rule::ProjectOverGlobal,
            winner: of(Scope::Project),
            loser: of(Scope::User),
            same_family: false,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::NearestDirectory,
            winner: of(Scope::Project),
            loser: of(Scope::Project),
            same_family: false,
            kinds: &[],
        },
    ],
    config: ConfigSpec {
        id: "config.toml",
        names: &[],
    },
    walk: WalkSpec {
        git: GitMark::Anything,
        without_git: WalkEnd::Start,
        capped: false,
        marker_setting: Some("project_root_markers"),
    },
    merges: &[
        MergeSpec {
            kind: ComponentKind::Skill,
            merge: Merge::Additive,
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
            anchor: Anchor::Absolute("/etc/codex"),
            file: "config.toml",
            source: DiscoverySource::Host,
            scope: Scope::System,
            comments: Comments::None,
            trusted_only: false,
            unless: &[],
            hooks: false,
        },
        LayerSpec {
            anchor: HOME,
            file: "config.toml",
            source: DiscoverySource::Host,
            scope: Scope::User,
            comments: Comments::None,
            trusted_only: false,
            unless: &[],
            hooks: false,
        },
        LayerSpec {
            anchor: Anchor::EachWalkDirectory(".codex"),
            file: "config.toml",
            source: DiscoverySource::Project,
            scope: Scope::Project,
            comments: Comments::None,
            trusted_only: true,
            unless: &[],
            hooks: false,
        },
    ],
    given_layer: None,
    types: types::TYPES,
    server_types: Some(&types::SERVERS),
    broken_settings_stop: true,
    fills_in_files: false,
    switches: &[],
    hooks: Some(&HOOKS),
    gates: &[
        GateSpec {
            kinds: SKILL,
            key: &["skills", "config"],
            gate: Gate::PathOrName,
            scopes: &[Scope::User],
        },
        GateSpec {
            kinds: &[ComponentKind::Hook],
            key: &["features", "hooks"],
            gate: Gate::All(false),
            scopes: &[],
        },
    ],
    servers: &[ServerSpec {
        anchor: None,
        file: "",
        keys: ServerKeys::Table("mcp_servers"),
        source: DiscoverySource::Host,
        scope: Scope::User,
        priority: 100,
        exclusive: false,
        comments: Comments::None,
    }],
    memory: Some(&MEMORY),
    plugins: PluginSystem::VersionCache,
    skill_beats_command: false,
    made_in_settings: &[],
    built_in: &[],
    more_skills: &[],
    on_request: &[ComponentKind::Plugin],
    longest_description: 1_024,
    listing: None,
    approvals: None,
    trust_gates_memory: false,
    trust: Some(TrustSpec::CodexProjects),
};
