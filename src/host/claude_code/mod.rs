//! Claude Code, as observed with `-p` on 2.1.332.
//!
//! Skills and commands: managed, then the user's, then the project's, the nearest directory first. Agents and
//! output styles the other way round: managed, then the project's, the nearest first, then the user's.

mod settings;
mod trees;

use super::{
    Anchor, ClashSpec, ConfigSpec, GitMark, HostProfile, ImportSpec, KindSpec, Layout, ListingSpec,
    MemoryChoice, MemoryFile, MemorySpec, Merge, MergeSpec, PluginSystem, ROOT, RootSpec, RulesDir, Side,
    Tie, UsageSpec, WalkEnd, WalkScope, WalkSpec,
};
use crate::model::{ComponentKind, DiscoverySource, HostId, Rule, Scope};

const KINDS: &[ComponentKind] = &[
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::OutputStyle,
];

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
    each_path: false,
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
            layout: Layout::Tree(&trees::SKILLS),
        },
        KindSpec {
            kind: ComponentKind::Skill,
            folder: "commands",
            families: &[],
            layout: Layout::Tree(&trees::SKILLS_IN_COMMANDS),
        },
        KindSpec {
            kind: ComponentKind::Command,
            folder: "commands",
            families: &[],
            layout: Layout::Tree(&trees::COMMANDS),
        },
        KindSpec {
            kind: ComponentKind::Agent,
            folder: "agents",
            families: &[],
            layout: Layout::Tree(&trees::AGENTS),
        },
        KindSpec {
            kind: ComponentKind::OutputStyle,
            folder: "output-styles",
            families: &[],
            layout: Layout::Tree(&trees::OUTPUT_STYLES),
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
    layers: settings::LAYERS,
    given_layer: Some(&settings::GIVEN),
    types: settings::TYPES,
    server_types: Some(&settings::SERVER_TYPES),
    broken_settings_stop: false,
    fills_in_files: false,
    switches: settings::SWITCHES,
    hooks: None,
    gates: settings::GATES,
    servers: settings::SERVERS,
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
