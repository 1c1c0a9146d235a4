//! How the component directories of Claude Code are read, a kind at a time.

use crate::host::{
    BadYaml, Depth, Entries, Fences, FieldSpec, IdRule, Links, MATTER, Matter, Takes, TextRule, TreeSpec,
};

const FOLLOWED: Links = Links {
    folders: true,
    files: true,
};

/// Front matter that is not valid is read once more with quotes around what they may be missing from.
const OWN: Matter = Matter {
    bad_yaml: BadYaml::SpecialsElseNothing,
    fences: Fences::ANYWHERE,
    ..MATTER
};

/// `skills/<folder>/SKILL.md`, exactly one level; the folder is the name.
pub(super) static SKILLS: TreeSpec = TreeSpec {
    entries: Entries::Marker("SKILL.md"),
    depth: Depth { min: 1, max: 1 },
    hidden: true,
    // Reserved for what the host downloads.
    passed_over: &["synced"],
    links: FOLLOWED,
    matter: Matter {
        body_describes: true,
        may_be_hidden: true,
        waits_for: "paths",
        ..OWN
    },
    id: IdRule::Folder,
    cleaned: &[],
    one_file_once: true,
    not_beside: None,
    without_marker: "a folder without SKILL.md is not a skill; Claude Code does not look into it",
    wrong_kind: "only folders with a SKILL.md are skills",
};

/// `commands/…/SKILL.md`: a folder with a marker is a skill there too.
pub(super) static SKILLS_IN_COMMANDS: TreeSpec = TreeSpec {
    depth: Depth::ANY,
    id: IdRule::Path(":"),
    passed_over: &[],
    entries: Entries::Marker("SKILL.md"),
    hidden: true,
    links: FOLLOWED,
    matter: Matter {
        body_describes: true,
        may_be_hidden: true,
        ..OWN
    },
    cleaned: &[],
    one_file_once: true,
    not_beside: None,
    without_marker: "",
    wrong_kind: "",
};

/// `commands/**/*.md`; folders are joined by `:`.
pub(super) static COMMANDS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: Matter {
        body_describes: true,
        may_be_hidden: true,
        ..OWN
    },
    id: IdRule::Path(":"),
    cleaned: &[],
    one_file_once: true,
    not_beside: Some("SKILL.md"),
    without_marker: "",
    wrong_kind: "only files that end in .md are commands",
};

/// `agents/**/*.md`; the declared name counts, and name and description are needed.
pub(super) static AGENTS: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth::ANY,
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: Matter {
        needed: true,
        name: true,
        description: true,
        name_must_be_text: true,
        empty_is_none: true,
        description_type: TextRule::Text,
        no_colon: true,
        fields: &[FieldSpec {
            key: "hooks",
            takes: Takes::MappingOrNothing,
        }],
        ..OWN
    },
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are agents",
};

/// `output-styles/*.md`; the declared name counts, else the file's.
pub(super) static OUTPUT_STYLES: TreeSpec = TreeSpec {
    entries: Entries::Files("md"),
    depth: Depth { min: 0, max: 0 },
    hidden: true,
    passed_over: &[],
    links: FOLLOWED,
    matter: OWN,
    id: IdRule::Declared,
    cleaned: &[],
    one_file_once: false,
    not_beside: None,
    without_marker: "",
    wrong_kind: "only files that end in .md are output styles",
};
