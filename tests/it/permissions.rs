//! What the operating system refuses to let be read (discovery.md 3); run as a user to whom permissions apply.

use crate::support::tree::Tree;
use crate::support::view::{at, chains, dir, fate_at, root, story, text, told};

/// An unreadable component directory is told as unreadable, never as empty; the rest goes on; exit 3.
#[test]
fn an_unreadable_directory_is_never_empty() {
    let name = "an_unreadable_directory_is_never_empty";
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/secret/SKILL.md --
-- project/.aleph/skills/ mode=000 --
-- project/.aleph/commands/open.md --
-- home/.claude/skills/other.md --
-- home/.claude/ mode=000 --
",
    );
    let Some(scan) = tree.aleph(["scan", "--json"]).unprivileged(name) else {
        return;
    };
    let report = scan.run().exits(3).json();
    let skills = dir(&report, "project/.aleph", "skill");
    assert_eq!(skills["status"], "unreadable");
    assert!(
        text(skills, "reason")
            .to_lowercase()
            .contains("permission denied"),
        "{skills:#}"
    );
    let home = root(&report, "home/.claude");
    assert_eq!(home["status"], "unreadable");
    assert!(
        text(home, "reason").to_lowercase().contains("permission denied"),
        "{home:#}"
    );
    assert_eq!(report["complete"], false);
    assert_eq!(chains(&report), ["command open"]);
    let mut unreadable = told(&report, "unreadable");
    unreadable.sort();
    unreadable.dedup();
    assert!(
        unreadable.contains(&"project/.aleph/skills".to_owned()),
        "{unreadable:?}"
    );
    assert!(
        unreadable.iter().any(|path| path.starts_with("home/.claude")),
        "{unreadable:?}"
    );

    // A person sees it too, without asking for more.
    let table = tree
        .aleph(["scan"])
        .unprivileged(name)
        .expect("as before")
        .run()
        .exits(3);
    let seen = format!("{}{}", table.stdout, table.stderr);
    assert!(seen.contains("project/.aleph/skills"), "{table}");
    assert!(seen.to_lowercase().contains("permission denied"), "{table}");
}

/// Unreadable entries are candidates with the operating system's reason; their siblings are in effect.
#[test]
fn unreadable_entries_are_candidates() {
    let name = "unreadable_entries_are_candidates";
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/closed/SKILL.md --
-- project/.aleph/skills/closed/ mode=000 --
-- project/.aleph/skills/marker/SKILL.md mode=000 --
-- project/.aleph/skills/flat.md mode=000 --
-- project/.aleph/skills/open.md --
-- home/.aleph/skills/flat.md --
the next one is in effect
",
    );
    let Some(scan) = tree.aleph(["scan", "--json"]).unprivileged(name) else {
        return;
    };
    let report = scan.run().exits(3).json();
    for path in ["closed", "marker", "flat.md"] {
        let path = format!("project/.aleph/skills/{path}");
        assert_eq!(fate_at(&report, &path), "unreadable unreadable", "{path}");
        let message = text(at(&report, &path), "message").to_lowercase();
        assert!(message.contains("permission denied"), "{path}: {message}");
    }
    assert_eq!(fate_at(&report, "project/.aleph/skills/open.md"), "active");
    assert_eq!(
        story(&report, "skill", "flat"),
        [
            "project/.aleph/skills/flat.md unreadable unreadable",
            "home/.aleph/skills/flat.md active",
        ]
    );
    assert_eq!(report["complete"], false);
    // A kind that is not asked for is not read, so nothing is refused.
    let commands = tree
        .aleph(["scan", "command", "--json"])
        .unprivileged(name)
        .expect("as before");
    assert_eq!(commands.run().exits(0).json()["complete"], true);
}

/// A directory that can be listed but not entered gives candidates, each with the reason.
#[test]
fn a_directory_that_can_only_be_listed_gives_unreadable_candidates() {
    let name = "a_directory_that_can_only_be_listed_gives_unreadable_candidates";
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/dir/SKILL.md --
-- project/.aleph/skills/flat.md --
-- project/.aleph/skills/ mode=444 --
",
    );
    let Some(scan) = tree.aleph(["scan", "--json"]).unprivileged(name) else {
        return;
    };
    let report = scan.run().exits(3).json();
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/dir"),
        "unreadable unreadable"
    );
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/flat.md"),
        "unreadable unreadable"
    );
    assert_eq!(report["complete"], false);
}

/// A directory that is closed itself is named, and not the open root that it lies in, whatever kinds are asked about.
#[test]
fn a_closed_directory_of_an_open_root_is_named_itself() {
    let name = "a_closed_directory_of_an_open_root_is_named_itself";
    let tree = Tree::in_git("-- project/.aleph/plugins/ mode=000 --\n");
    for kind in ["plugin", "hook"] {
        let Some(scan) = tree.aleph(["scan", kind, "--json"]).unprivileged(name) else {
            return;
        };
        let report = scan.run().exits(3).json();
        assert_eq!(told(&report, "unreadable"), ["project/.aleph/plugins"], "{kind}");
        assert_eq!(root(&report, "project/.aleph")["status"], "scanned", "{kind}");
    }
}

/// What rests on a file of the Aleph home that is closed is told as incomplete, by every command that reads it.
#[test]
fn a_closed_file_of_the_aleph_home_is_no_absent_one() {
    let name = "a_closed_file_of_the_aleph_home_is_no_absent_one";
    let tree = Tree::in_git(
        "
-- home/.aleph/plugins/a/skills/s.md --
-- home/.aleph/data/plugins.toml mode=000 --
[entries.a]
enabled = false
-- home/.aleph/data/marketplaces.toml mode=000 --
-- home/.aleph/data/mcp-approvals.toml mode=000 --
-- home/.aleph/data/installed.toml mode=000 --
-- project/.mcp.json --
{\"mcpServers\": {\"one\": {\"command\": \"x\"}}}
",
    );
    for (arguments, file) in [
        (&["scan", "--json"][..], "plugins.toml"),
        (&["plugins", "list", "--json"], "plugins.toml"),
        (&["plugins", "show", "a", "--json"], "plugins.toml"),
        (&["plugins", "verify", "--json"], "installed.toml"),
        (&["marketplace", "list", "--json"], "marketplaces.toml"),
        (&["mcp", "servers", "--json"], "mcp-approvals.toml"),
    ] {
        let Some(run) = tree.aleph(arguments.iter().copied()).unprivileged(name) else {
            return;
        };
        let report = run.run().exits(3).json();
        assert_eq!(report["complete"], false, "{arguments:?}");
        let told = told(&report, "unreadable");
        assert!(
            told.contains(&format!("home/.aleph/data/{file}")),
            "{arguments:?}: {told:?}"
        );
    }
}
