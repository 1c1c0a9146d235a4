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

/// What lies in a closed directory is not said to be absent, nor to be nothing.
#[test]
fn a_path_in_a_closed_directory_is_not_missing() {
    let name = "a_path_in_a_closed_directory_is_not_missing";
    let tree = Tree::in_git(
        "
-- project/.claude/skills/b.md --
-- project/.claude/ mode=000 --
-- project/.aleph/skills/closed/SKILL.md --
-- project/.aleph/skills/closed/ mode=000 --
-- project/.aleph/commands/c.md --
-- project/.aleph/commands/ mode=000 --
-- project/far/away/x.md --
-- project/far/ mode=000 --
",
    );
    for path in [
        ".claude/skills/b.md",
        ".claude/skills",
        ".aleph/skills/closed/SKILL.md",
        "far/away/x.md",
    ] {
        let Some(why) = tree.aleph(["why", path, "--json"]).unprivileged(name) else {
            return;
        };
        let json = why.run().exits(3).json();
        assert_eq!(json["question"]["fate"], "unreadable", "{path}");
        assert_eq!(json["complete"], false, "{path}");
        assert!(!told(&json, "unreadable").is_empty(), "{path}");
        let table = tree
            .aleph(["why", path, "-q"])
            .unprivileged(name)
            .expect("as before");
        table
            .run()
            .exits(3)
            .shows("cannot be looked at: Permission denied")
            .hides("is not there")
            .hides("defines nothing");
    }
    // A directory of components that is closed is not one with no entries.
    let table = tree
        .aleph(["why", ".aleph/commands"])
        .unprivileged(name)
        .expect("as before");
    table
        .run()
        .exits(3)
        .shows("unreadable, Permission denied")
        .hides("0 entries");
}

/// Whoever ends with exit code 3 says what could not be read: on standard error, also with `-q`, and in the JSON.
#[test]
fn exit_code_3_never_stands_alone() {
    let name = "exit_code_3_never_stands_alone";
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a.md --
-- project/.aleph/skills/closed.md mode=000 --
-- project/.mcp.json mode=000 --
-- project/.aleph/plugins/p/skills/x.md --
-- project/.aleph/plugins/p/ mode=000 --
-- project/.claude/skills/b.md --
-- project/.claude/ mode=000 --
",
    );
    for command in [
        "scan",
        "scan --active",
        "scan --format paths",
        "why a",
        "why a --format paths",
        "why zz",
        "why a --host all",
        "why a --host all --format paths",
        "hosts",
        "hosts --format paths",
        "roots",
        "roots --format paths",
        "find-config .mcp.json",
        "find-config .mcp.json --format paths",
        "mcp servers",
        "mcp servers --format paths",
        "plugins list",
        "plugins list --format paths",
        "plugins validate .aleph/plugins/p --format paths",
        "tools list --kind skill",
    ] {
        let words = || command.split(' ');
        for more in [&[][..], &["-q"]] {
            let Some(run) = tree.aleph(words().chain(more.iter().copied())).unprivileged(name) else {
                return;
            };
            let run = run.run().exits(3).says("(unreadable)").says("project/");
            assert!(more.is_empty() || !run.stderr.contains("hint:"), "{run}");
        }
        if !command.contains("--format") {
            let json = tree.aleph(words().chain(["--json"])).unprivileged(name);
            let json = json.expect("as before").run().json();
            assert_eq!(json["complete"], false, "{command}");
            assert!(!told(&json, "unreadable").is_empty(), "{command}");
        }
    }
}

/// Without a home nothing of the user's is known, and every answer over all hosts says so.
#[test]
fn hosts_say_what_they_could_not_read() {
    let name = "hosts_say_what_they_could_not_read";
    let tree = Tree::in_git(
        "
-- project/.claude/skills/b.md --
-- project/.claude/ mode=000 --
",
    );
    let Some(hosts) = tree.aleph(["hosts"]).unprivileged(name) else {
        return;
    };
    hosts
        .run()
        .exits(3)
        .shows("as far as it could be read")
        .says("project/.claude");
    let why = tree.aleph(["why", "b", "--host", "all"]).unprivileged(name);
    why.expect("as before")
        .run()
        .exits(3)
        .shows("nothing of that name, as far as it could be read")
        .says("project/.claude");
    for arguments in [&["hosts", "--json"][..], &["why", "b", "--host", "all", "--json"]] {
        let run = tree.aleph(arguments.iter().copied()).unprivileged(name);
        let json = run.expect("as before").run().exits(3).json();
        assert_eq!(json["complete"], false);
        let told = told(&json, "unreadable");
        assert!(told.contains(&"project/.claude".to_owned()), "{told:?}");
        let mut once = told.clone();
        once.dedup();
        assert_eq!(told, once, "each is told once");
    }
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

/// Memory of other hosts in a closed directory may be there: nobody knows, and the answer says so.
#[test]
fn memory_in_a_closed_directory_is_not_absent() {
    let name = "memory_in_a_closed_directory_is_not_absent";
    let tree = Tree::in_git(
        "
-- home/.claude/CLAUDE.md --
mine
-- home/.claude/ mode=000 --
-- project/CLAUDE.md --
ours
",
    );
    let Some(run) = tree
        .aleph(["scan", "memory", "--host", "claude-code", "--json"])
        .unprivileged(name)
    else {
        return;
    };
    let report = run.run().exits(3).json();
    assert_eq!(
        fate_at(&report, "home/.claude/CLAUDE.md"),
        "unreadable unreadable"
    );
    assert_eq!(fate_at(&report, "project/CLAUDE.md"), "active");
}
