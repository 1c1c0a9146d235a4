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

/// A marker that is a link into a closed directory is unreadable and not broken: nobody knows whether it leads
/// anywhere. An entry that is such a link is refused all the same.
#[test]
fn a_link_into_a_closed_directory_is_not_broken() {
    let name = "a_link_into_a_closed_directory_is_not_broken";
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/m/sub/real.md --
-- project/.aleph/skills/m/SKILL.md -> sub/real.md --
-- project/.aleph/skills/entry -> m/sub/other --
-- project/.claude/skills/l/SKILL.md -> ../../../.aleph/skills/m/sub/real.md --
-- project/.claude/skills/folder -> ../../.aleph/skills/m/sub/other --
-- project/.aleph/skills/m/sub/ mode=000 --
",
    );
    let Some(scan) = tree.aleph(["scan", "--json"]).unprivileged(name) else {
        return;
    };
    let report = scan.run().exits(3).json();
    let marker = "project/.aleph/skills/m";
    assert_eq!(fate_at(&report, marker), "unreadable unreadable");
    assert_eq!(at(&report, marker)["symlink_target"], "sub/real.md");
    assert_eq!(report["complete"], false);
    let entry = "project/.aleph/skills/entry";
    assert_eq!(fate_at(&report, entry), "rejected symlink");
    let message = text(at(&report, entry), "message").to_lowercase();
    assert!(message.contains("permission denied"), "{message}");
    // A host that follows links would have read them.
    let host = tree.aleph(["scan", "skill", "--json", "--host", "claude-code"]);
    let report = host.unprivileged(name).expect("as before").run().exits(3).json();
    for path in ["l", "folder"] {
        let path = format!("project/.claude/skills/{path}");
        assert_eq!(fate_at(&report, &path), "unreadable unreadable", "{path}");
    }
}
