//! Cursor, as its documentation has it in 2026; nothing here was observed on the program.
//!
//! Where the documentation does not say who wins, the rule is `host-order-undefined`.

use super::{
    Anchor, ClashSpec, Comments, ConfigSpec, Depth, Entries, GitMark, HostProfile, IdRule, KindSpec,
    LayerSpec, Layout, Links, MATTER, MemoryChoice, MemorySpec, Merge, MergeSpec, PluginSystem, ROOT,
    RootSpec, RulesDir, ServerKeys, ServerSpec, Side, Tie, TreeSpec, WalkEnd, WalkScope, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};

/// A linked file or folder counts like any other.
const FOLLOWED: Links = Links {
    folders: true,
    files: true,
};

/// `skills/**/SKILL.md`; the folder is the name.
static SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth::ANY,
    hidden: false,
    passed_over: &[],
    links: FOLLOWED,
    matter: MATTER,
    id: IdRule::Folder,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill",
    wrong_kind: "only folders with a SKILL.md are skills",
};

/// `commands/*.md`.
static COMMANDS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth { min: 0, max: 0 },
    hidden: false,
    passed_over: &[],
    links: FOLLOWED,
    matter: MATTER,
    id: IdRule::Path("/"),
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are commands",
};

/// `agents/*.md`; a declared name counts, else the file's.
static AGENTS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth { min: 0, max: 0 },
    hidden: false,
    passed_over: &[],
    links: FOLLOWED,
    matter: MATTER,
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are agents",
};

static MEMORY: MemorySpec = MemorySpec {
    fixed: &[],
    first_fixed_only: false,
    names: &["AGENTS.md", ".cursorrules"],
    names_setting: &[],
    more_names_setting: &[],
    further_setting: &[],
    choice: MemoryChoice::All,
    walk: WalkScope::Walk,
    rules: &[RulesDir {
        anchor: None,
        folder: ".cursor/rules",
        extension: "mdc",
        waits_for: "globs",
        scope: Scope::Project,
    }],
    imports: None,
    skips_empty: true,
    excludes_setting: &[],
    marks_setting: &[],
    more_dirs_setting: &[],
    limit: None,
    not_of_outer_checkout: false,
    project_unless: &[],
    each_path: false,
};

const SKILL: &[ComponentKind] = &[ComponentKind::Skill];
const SKILLS_AND_AGENTS: &[ComponentKind] = &[ComponentKind::Skill, ComponentKind::Agent];
const KINDS: &[ComponentKind] = &[ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];

const fn root(
    anchor: Anchor,
    scope: Scope,
    family: Family,
    priority: u32,
    kinds: &'static [ComponentKind],
) -> RootSpec {
    RootSpec {
        anchor,
        source: match scope {
            Scope::Project => DiscoverySource::Project,
            _ => DiscoverySource::Host,
        },
        scope,
        family,
        priority,
        kinds,
        ..ROOT
    }
}

pub(super) static PROFILE: HostProfile = HostProfile {
    id: HostId::Cursor,
    name: "Cursor",
    observed: None,
    roots: &[
        root(
            Anchor::Home(".codex"),
            Scope::User,
            Family::Codex,
            10,
            SKILLS_AND_AGENTS,
        ),
        root(
            Anchor::Home(".claude"),
            Scope::User,
            Family::Claude,
            11,
            SKILLS_AND_AGENTS,
        ),
        root(Anchor::Home(".agents"), Scope::User, Family::Agents, 12, SKILL),
        root(Anchor::Home(".cursor"), Scope::User, Family::Cursor, 13, KINDS),
        root(
            Anchor::GitRoot(".codex"),
            Scope::Project,
            Family::Codex,
            100,
            SKILLS_AND_AGENTS,
        ),
        root(
            Anchor::GitRoot(".claude"),
            Scope::Project,
            Family::Claude,
            101,
            SKILLS_AND_AGENTS,
        ),
        root(
            Anchor::GitRoot(".agents"),
            Scope::Project,
            Family::Agents,
            102,
            SKILL,
        ),
        root(
            Anchor::GitRoot(".cursor"),
            Scope::Project,
            Family::Cursor,
            103,
            KINDS,
        ),
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
            families: &[Family::Cursor],
            layout: Layout::Tree(&COMMANDS),
        },
        KindSpec {
            kind: ComponentKind::Agent,
            folder: "agents",
            families: &[],
            layout: Layout::Tree(&AGENTS),
        },
    ],
    plugin_kinds: &[],
    clashes: &[ClashSpec {
        rule: Rule::ProjectOverGlobal,
        winner: Side {
            family: None,
            scope: Some(Scope::Project),
        },
        loser: Side {
            family: None,
            scope: Some(Scope::User),
        },
        same_family: false,
        kinds: &[],
    }],
    config: ConfigSpec {
        id: "mcp.json",
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
            kind: ComponentKind::Skill,
            merge: Merge::Race,
            tie: Tie::Undefined,
        },
        MergeSpec {
            kind: ComponentKind::Command,
            merge: Merge::Race,
            tie: Tie::Undefined,
        },
        MergeSpec {
            kind: ComponentKind::McpServer,
            merge: Merge::Race,
            tie: Tie::Undefined,
        },
    ],
    layers: &[
        LayerSpec {
            anchor: Anchor::Home(".cursor"),
            file: "mcp.json",
            source: DiscoverySource::Host,
            scope: Scope::User,
            comments: Comments::Allowed,
            trusted_only: false,
            unless: &[],
            hooks: false,
        },
        LayerSpec {
            anchor: Anchor::GitRoot(".cursor"),
            file: "mcp.json",
            source: DiscoverySource::Project,
            scope: Scope::Project,
            comments: Comments::Allowed,
            trusted_only: false,
            unless: &[],
            hooks: false,
        },
    ],
    given_layer: None,
    types: &[],
    server_types: None,
    broken_settings_stop: false,
    fills_in_files: false,
    switches: &[],
    hooks: None,
    gates: &[],
    servers: &[ServerSpec {
        anchor: None,
        file: "",
        keys: ServerKeys::Table("mcpServers"),
        source: DiscoverySource::Host,
        scope: Scope::User,
        priority: 100,
        exclusive: false,
        comments: Comments::None,
    }],
    memory: Some(&MEMORY),
    plugins: PluginSystem::Folders,
    skill_beats_command: false,
    made_in_settings: &[],
    built_in: &[],
    more_skills: &[],
    on_request: &[],
    longest_description: 0,
    listing: None,
    approvals: None,
    trust_gates_memory: false,
    trust: None,
};
