//! The scanner's rules (discovery.md 3): what counts as an entry, and what becomes of the rest.

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{at, chain, chains, diagnostics, dir, fate_at, short, story, text};

/// Every form of the table is in effect, under its path name, with the path a person would edit and its marker.
#[test]
fn both_forms_of_every_kind_are_read() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/dir-skill/SKILL.md --
-- project/.aleph/skills/flat-skill.md --
-- project/.aleph/commands/dir-command/SKILL.md --
-- project/.aleph/commands/flat-command.md --
-- project/.aleph/agents/dir-agent/agent.md --
-- project/.aleph/agents/flat-agent.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        chains(&report),
        [
            "skill dir-skill",
            "skill flat-skill",
            "command dir-command",
            "command flat-command",
            "agent dir-agent",
            "agent flat-agent",
        ]
    );
    for (path, marker) in [
        ("skills/dir-skill", "skills/dir-skill/SKILL.md"),
        ("skills/flat-skill.md", "skills/flat-skill.md"),
        ("commands/dir-command", "commands/dir-command/SKILL.md"),
        ("commands/flat-command.md", "commands/flat-command.md"),
        ("agents/dir-agent", "agents/dir-agent/agent.md"),
        ("agents/flat-agent.md", "agents/flat-agent.md"),
    ] {
        let candidate = at(&report, &format!("project/.aleph/{path}"));
        assert_eq!(candidate["state"], "active", "{path}");
        assert_eq!(
            short(text(candidate, "marker")),
            format!("project/.aleph/{marker}")
        );
        assert_eq!(candidate["real_path"], candidate["marker"], "{path}");
        assert_eq!(candidate["rule"], Value::Null, "{path}");
        assert_eq!(candidate["code"], Value::Null, "{path}");
        assert_eq!(candidate["declared_name"], Value::Null, "{path}");
        assert_eq!(candidate["symlink_target"], Value::Null, "{path}");
    }
    assert_eq!(
        at(&report, "project/.aleph/skills/flat-skill.md")["path_name"],
        "flat-skill"
    );
    assert_eq!(
        at(&report, "project/.aleph/agents/dir-agent")["path_name"],
        "dir-agent"
    );
}

/// Only one level is read: what lies deeper is not an entry, and its parent says what it lacks.
#[test]
fn the_scanner_does_not_go_deeper() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/group/inner/SKILL.md --
-- project/.aleph/skills/group/loose.md --
-- project/.aleph/skills/outer/SKILL.md --
-- project/.aleph/skills/outer/skills/nested/SKILL.md --
",
    );
    let report = tree.scan();
    assert_eq!(chains(&report), ["skill group", "skill outer"]);
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/group"),
        "ignored no-marker"
    );
    assert_eq!(fate_at(&report, "project/.aleph/skills/outer"), "active");
}

/// A marker of another kind does not count, and a command's directory form has a `SKILL.md`.
#[test]
fn each_kind_has_its_own_marker() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a/agent.md --
-- project/.aleph/commands/b/COMMAND.md --
-- project/.aleph/agents/c/SKILL.md --
",
    );
    let report = tree.scan();
    for path in ["skills/a", "commands/b", "agents/c"] {
        let path = format!("project/.aleph/{path}");
        assert_eq!(fate_at(&report, &path), "ignored no-marker");
        assert_eq!(at(&report, &path)["marker"], Value::Null, "{path}");
    }
}

/// A directory of agents without `agent.md` may be an identity directory, and the message says so.
#[test]
fn an_agent_directory_without_marker_may_be_an_identity() {
    let tree = Tree::in_git(
        "
-- project/.aleph/agents/main/IDENTITY.md --
-- project/.aleph/agents/helper/agent.md --
-- project/.aleph/skills/plain/readme.md --
",
    );
    let report = tree.scan();
    let identity = at(&report, "project/.aleph/agents/main");
    assert_eq!(
        fate_at(&report, "project/.aleph/agents/main"),
        "ignored no-marker"
    );
    assert!(
        text(identity, "message").contains("identity directory"),
        "{identity:#}"
    );
    let skill = at(&report, "project/.aleph/skills/plain");
    assert!(!text(skill, "message").contains("identity"), "{skill:#}");
}

/// Hidden entries are candidates all the same; tables count them and name them only with `--all`.
#[test]
fn hidden_entries_are_counted_not_shown() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/.curated/SKILL.md --
-- project/.aleph/skills/.draft.md --
-- project/.aleph/skills/.DS_Store --
-- project/.aleph/skills/shown.md --
",
    );
    let report = tree.scan();
    for path in [".curated", ".draft.md", ".DS_Store"] {
        let path = format!("project/.aleph/skills/{path}");
        assert_eq!(fate_at(&report, &path), "ignored hidden", "{path}");
    }
    assert_eq!(fate_at(&report, "project/.aleph/skills/shown.md"), "active");
    assert_eq!(dir(&report, "project/.aleph", "skill")["entries"], 4);

    let brief = tree.aleph(["scan"]).run().exits(0);
    brief
        .shows("shown")
        .hides(".curated")
        .hides(".draft")
        .hides(".DS_Store");
    let all = tree.aleph(["scan", "--all"]).run().exits(0);
    all.shows(".curated")
        .shows(".draft")
        .shows(".DS_Store")
        .shows("hidden");
}

/// Files that are not `.md`, exactly so, are of the wrong kind and go by their file name.
#[test]
fn other_files_are_of_the_wrong_kind() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/notes.txt --
-- project/.aleph/skills/x.MD --
-- project/.aleph/skills/LICENSE --
-- project/.aleph/commands/run.toml --
-- project/.aleph/agents/a.mdc --
",
    );
    let report = tree.scan();
    for (kind, file) in [
        ("skill", "notes.txt"),
        ("skill", "x.MD"),
        ("skill", "LICENSE"),
        ("command", "run.toml"),
        ("agent", "a.mdc"),
    ] {
        let path = format!("project/.aleph/{kind}s/{file}");
        assert_eq!(story(&report, kind, file), [format!("{path} ignored wrong-kind")]);
        assert_eq!(chain(&report, kind, file)["state"], "none");
        assert_eq!(chain(&report, kind, file)["winner"], Value::Null);
    }
}

/// Marker names are exact on every platform.
#[test]
fn a_marker_in_another_case_is_said() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/lower/skill.md --
-- project/.aleph/skills/upper/SKILL.MD --
-- project/.aleph/commands/mixed/Skill.md --
-- project/.aleph/agents/title/Agent.md --
-- project/.aleph/agents/shout/AGENT.md --
-- project/.aleph/skills/both/SKILL.md --
-- project/.aleph/skills/both/skill.md --
",
    );
    let report = tree.scan();
    for path in [
        "skills/lower",
        "skills/upper",
        "commands/mixed",
        "agents/title",
        "agents/shout",
    ] {
        let path = format!("project/.aleph/{path}");
        assert_eq!(fate_at(&report, &path), "ignored wrong-case", "{path}");
    }
    let lower = at(&report, "project/.aleph/skills/lower");
    assert!(text(lower, "message").contains("skill.md"), "{lower:#}");
    assert_eq!(fate_at(&report, "project/.aleph/skills/both"), "active");
}

/// A directory, FIFO or socket where a marker or a flat file belongs is refused, and nothing hangs.
#[test]
fn what_is_not_a_regular_file_is_never_opened() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/dir/SKILL.md/ --
-- project/.aleph/skills/pipe/SKILL.md fifo --
-- project/.aleph/commands/plug/SKILL.md socket --
-- project/.aleph/agents/dir/agent.md/ --
-- project/.aleph/skills/flat-pipe.md fifo --
-- project/.aleph/commands/flat-plug.md socket --
-- project/.aleph/skills/fine/SKILL.md --
",
    );
    let report = tree.scan();
    for path in [
        "skills/dir",
        "skills/pipe",
        "commands/plug",
        "agents/dir",
        "skills/flat-pipe.md",
        "commands/flat-plug.md",
    ] {
        let path = format!("project/.aleph/{path}");
        assert_eq!(fate_at(&report, &path), "rejected not-regular", "{path}");
    }
    assert_eq!(fate_at(&report, "project/.aleph/skills/fine"), "active");
    assert_eq!(chain(&report, "skill", "flat-pipe")["state"], "none");
}

/// A directory whose name ends in `.md` is a directory like any other.
#[test]
fn a_directory_may_be_called_like_a_file() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/odd.md/SKILL.md --
-- project/.aleph/skills/empty.md/ --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "odd.md"),
        ["project/.aleph/skills/odd.md active"]
    );
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/empty.md"),
        "ignored no-marker"
    );
}

/// A directory and a flat file of one name are one clash: the smaller path wins, and that it is a tie is said.
#[test]
fn directory_and_flat_file_of_one_name_clash() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a/SKILL.md --
directory
-- project/.aleph/skills/a.md --
flat
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "a"),
        [
            "project/.aleph/skills/a active",
            "project/.aleph/skills/a.md shadowed tie-path-order by 0",
        ]
    );
    assert_eq!(diagnostics(&report, "ambiguous").len(), 1);
}

/// Only what is asked for is listed.
#[test]
fn kinds_can_be_chosen() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a.md --
-- project/.aleph/commands/b.md --
-- project/.aleph/agents/c.md --
",
    );
    let listed = |args: &[&str]| chains(&tree.aleph(args).run().exits(0).json());
    assert_eq!(listed(&["scan", "--json"]), ["skill a", "command b", "agent c"]);
    assert_eq!(listed(&["scan", "skill", "--json"]), ["skill a"]);
    assert_eq!(listed(&["scan", "skills", "--json"]), ["skill a"]);
    assert_eq!(
        listed(&["scan", "agents", "skill", "--json"]),
        ["skill a", "agent c"]
    );
    assert_eq!(listed(&["scan", "--kind", "command", "--json"]), ["command b"]);
    assert_eq!(listed(&["scan", "--kind", "commands", "--json"]), ["command b"]);
}
