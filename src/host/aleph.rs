//! Aleph, the native host: `.aleph`, with `.claude` read for interop.
//!
//! Later overrides earlier: `~/.claude`, `~/.aleph`, each `.claude` of the walk, each `.aleph` of the walk.
//! So a `.aleph` entry beats every `.claude` entry but a project's `.claude` beats `~/.aleph`.

use super::{
    Anchor, ClashSpec, ConfigSpec, GitMark, HostProfile, KindSpec, Layout, PluginSystem, ROOT, RootSpec,
    Side, WalkEnd, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, Family, HostId, Rule, Scope};

const CLAUDE_KINDS: &[ComponentKind] = &[ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];
const ALEPH_KINDS: &[ComponentKind] = &[
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::Plugin,
];

const ANY: Side = Side {
    family: None,
    scope: None,
};
const USER: Side = Side {
    family: None,
    scope: Some(Scope::User),
};
const PROJECT: Side = Side {
    family: None,
    scope: Some(Scope::Project),
};

pub(super) static PROFILE: HostProfile = HostProfile {
    id: HostId::Aleph,
    name: "Aleph",
    observed: None,
    roots: &[
        RootSpec {
            anchor: Anchor::ClaudeHome,
            source: DiscoverySource::ClaudeGlobal,
            scope: Scope::User,
            family: Family::Claude,
            priority: 0,
            kinds: CLAUDE_KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::AlephHome,
            source: DiscoverySource::AlephGlobal,
            scope: Scope::User,
            family: Family::Aleph,
            priority: 10,
            kinds: ALEPH_KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".claude"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Claude,
            priority: 20,
            kinds: CLAUDE_KINDS,
            ..ROOT
        },
        RootSpec {
            anchor: Anchor::EachWalkDirectory(".aleph"),
            source: DiscoverySource::Project,
            scope: Scope::Project,
            family: Family::Aleph,
            priority: 40,
            kinds: ALEPH_KINDS,
            ..ROOT
        },
    ],
    kinds: &[
        KindSpec {
            kind: ComponentKind::Skill,
            folder: "skills",
            families: &[],
            layout: Layout::Marked {
                marker: "SKILL.md",
                extension: "md",
                without_marker: "a folder without SKILL.md is not a skill",
            },
        },
        KindSpec {
            kind: ComponentKind::Command,
            folder: "commands",
            families: &[],
            layout: Layout::Marked {
                marker: "SKILL.md",
                extension: "md",
                without_marker: "a folder without SKILL.md is not a command; commands in sub-folders are not read",
            },
        },
        KindSpec {
            kind: ComponentKind::Agent,
            folder: "agents",
            families: &[],
            layout: Layout::Marked {
                marker: "agent.md",
                extension: "md",
                without_marker: "a folder without agent.md is not an agent; it may be an Aleph identity directory",
            },
        },
        KindSpec {
            kind: ComponentKind::Plugin,
            folder: "plugins",
            families: &[],
            layout: Layout::Plugins,
        },
    ],
    plugin_kinds: &[
        ComponentKind::Hook,
        ComponentKind::McpServer,
        ComponentKind::Memory,
    ],
    clashes: &[
        ClashSpec {
            rule: Rule::NativeOverClaude,
            winner: Side {
                family: Some(Family::Aleph),
                ..ANY
            },
            loser: Side {
                family: Some(Family::Claude),
                ..ANY
            },
            same_family: false,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::ProjectOverGlobal,
            winner: PROJECT,
            loser: USER,
            same_family: true,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::NearestDirectory,
            winner: PROJECT,
            loser: PROJECT,
            same_family: true,
            kinds: &[],
        },
        ClashSpec {
            rule: Rule::ClaudeProjectOverAlephGlobal,
            winner: Side {
                family: Some(Family::Claude),
                scope: Some(Scope::Project),
            },
            loser: Side {
                family: Some(Family::Aleph),
                scope: Some(Scope::User),
            },
            same_family: false,
            kinds: &[],
        },
    ],
    config: ConfigSpec {
        id: "aleph",
        names: &["aleph.toml", "aleph.jsonc", "aleph.json"],
    },
    walk: WalkSpec {
        git: GitMark::Strict,
        without_git: WalkEnd::Top,
        capped: true,
        marker_setting: None,
    },
    merges: &[],
    layers: &[],
    given_layer: None,
    types: &[],
    server_types: None,
    broken_settings_stop: false,
    fills_in_files: false,
    switches: &[],
    hooks: None,
    gates: &[],
    servers: &[],
    memory: None,
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
