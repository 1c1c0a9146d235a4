//! Registering marketplaces and what is told of their entries before anything is fetched (plugins.md 3 and 4).

use std::fs;

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{list, text};

fn exit(tree: &Tree, arguments: &[&str], code: i32) -> Value {
    let arguments = arguments.iter().copied().chain(["--json"]);
    tree.aleph(arguments).run().exits(code).json()
}

fn message(answer: &Value) -> &str {
    text(&answer["error"], "message")
}

/// The first entry of a name counts, wherever the second one stands.
#[test]
fn of_two_entries_of_one_name_the_first_counts() {
    for between in ["", r#"{"name": "e", "source": "./a"},"#] {
        let tree = Tree::in_git(&format!(
            r#"
-- project/our/.claude-plugin/marketplace.json --
{{"name": "our", "plugins": [{{"name": "d", "source": "./a"}}, {between} {{"name": "d", "source": "./b"}}]}}
-- project/our/a/skills/first/SKILL.md --
x
-- project/our/b/skills/second/SKILL.md --
x
"#
        ));
        exit(&tree, &["marketplace", "add", "./our"], 0);
        let checked = exit(&tree, &["plugins", "validate", "./our"], 1);
        let told: Vec<&str> = list(&checked, "diagnostics")
            .iter()
            .filter(|one| one["severity"] == "error")
            .map(|one| text(one, "message"))
            .collect();
        assert_eq!(
            told,
            ["the marketplace has two entries of the name `d`; the one in line 1 counts"]
        );
        for source in ["d@our", "d"] {
            let shown = exit(&tree, &["plugins", "disclose", source], 0);
            assert_eq!(
                text(&shown["disclosure"]["instructs"][0], "id"),
                "d:first",
                "{source}"
            );
        }
    }
}

/// An entry is never what is registered, so a name that is there is the directory.
#[test]
fn a_bare_name_that_is_there_is_registered() {
    let mut tree = Tree::in_git(
        r#"
-- project/our/.claude-plugin/marketplace.json --
{"name": "one", "plugins": []}
-- project/our@home/.claude-plugin/marketplace.json --
{"name": "two", "plugins": []}
-- project/owner/repo/.claude-plugin/marketplace.json --
{"name": "three", "plugins": []}
-- project/plain/x --
-- project/file --
"#,
    );
    tree.write("project/packed.zip", "PK");
    assert_eq!(
        text(&exit(&tree, &["marketplace", "add", "our"], 0), "subject"),
        "one"
    );
    assert_eq!(
        text(&exit(&tree, &["marketplace", "add", "our@home"], 0), "subject"),
        "two"
    );
    // That one could be a repository as well, and the flag that is offered exists.
    let both = exit(&tree, &["marketplace", "add", "owner/repo"], 2);
    assert!(text(&both["error"], "help").contains("`--as git`"), "{both}");
    assert!(text(&both["error"], "help").contains("`./owner/repo`"), "{both}");
    let there = exit(&tree, &["marketplace", "add", "owner/repo", "--as", "path"], 0);
    assert_eq!(text(&there, "subject"), "three");
    for (source, path) in [
        ("plain", Some("plain")),
        ("file", Some("file")),
        ("packed.zip", Some("packed.zip")),
        ("gone", None),
    ] {
        let error = exit(&tree, &["marketplace", "add", source], 2);
        assert!(message(&error).contains("is no marketplace"), "{error}");
        let told = error["error"]["path"].as_str();
        let wanted = path.map(|path| format!("[ROOT]/project/{path}"));
        assert_eq!(told.map(str::to_owned), wanted, "{error}");
    }
}

/// What is offered as help can be done.
#[test]
fn a_name_that_is_taken_and_a_directory_that_is_gone_are_told_with_what_helps() {
    let tree = Tree::in_git(
        r#"
-- project/our/.claude-plugin/marketplace.json --
{"name": "our", "plugins": []}
"#,
    );
    exit(&tree, &["marketplace", "add", "./our"], 0);
    let error = exit(&tree, &["marketplace", "add", "./our"], 4);
    let help = text(&error["error"], "help");
    assert!(message(&error).contains("`our` is registered already"), "{error}");
    assert!(
        help.contains("`--name`") && help.contains("`marketplace remove`"),
        "{help}"
    );
    assert!(!help.contains("--update"), "{help}");
    exit(&tree, &["marketplace", "add", "./our", "--name", "again"], 0);
    fs::rename(tree.path("project/our"), tree.path("project/moved")).unwrap();
    let listed = exit(&tree, &["marketplace", "list"], 0);
    let helps: Vec<&str> = list(&listed, "diagnostics")
        .iter()
        .map(|one| text(one, "help"))
        .collect();
    assert_eq!(helps.len(), 2, "{listed}");
    for help in helps {
        assert!(help.contains("bring the directory back"), "{help}");
        assert!(!help.contains("update"), "{help}");
    }
    exit(&tree, &["marketplace", "remove", "our"], 0);
}

/// What would be refused without being fetched is not offered as installable, and whoever makes the marketplace is told.
#[test]
fn an_entry_that_is_refused_unfetched_is_not_installable() {
    let tree = Tree::in_git(
        r#"
-- project/our/.claude-plugin/marketplace.json --
{"name": "our", "plugins": [
  {"name": "fine", "source": {"source": "github", "repo": "o/r", "ref": "main"}},
  {"name": "whole", "source": {"source": "url", "url": "https://example.invalid/x.git", "sha": "0123456789012345678901234567890123456789"}},
  {"name": "short", "source": {"source": "github", "repo": "o/r", "sha": "abc"}},
  {"name": "up", "source": {"source": "git-subdir", "url": "https://example.invalid/x.git", "path": "../.."}},
  {"name": "root", "source": {"source": "git-subdir", "url": "https://example.invalid/x.git", "path": "/etc"}},
  {"name": "flag", "source": {"source": "github", "repo": "o/r", "ref": "--x"}},
  {"name": "owner", "source": {"source": "github", "repo": "o"}},
  {"name": "helper", "source": {"source": "url", "url": "ext::sh -c id"}},
  {"name": "packed", "source": {"source": "file", "path": "gone.zip"}}]}
"#,
    );
    exit(&tree, &["marketplace", "add", "./our"], 0);
    let shown = exit(&tree, &["marketplace", "show", "our"], 0);
    let mut refused = Vec::new();
    for entry in list(&shown["marketplaces"][0], "plugins") {
        let name = text(entry, "name");
        assert_eq!(entry["installable"] == true, entry["reason"].is_null(), "{entry}");
        if entry["installable"] == false {
            refused.push((name, text(entry, "reason").to_owned()));
        }
    }
    let names: Vec<&str> = refused.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        ["short", "up", "root", "flag", "owner", "helper", "packed"]
    );
    assert!(refused[0].1.contains("`abc`"), "{refused:?}");
    assert!(refused[1].1.contains("`..`"), "{refused:?}");
    let checked = exit(&tree, &["plugins", "validate", "./our"], 1);
    let told: Vec<&str> = list(&checked, "diagnostics")
        .iter()
        .filter(|one| one["code"] == "bad-marketplace-entry")
        .map(|one| text(one, "message"))
        .collect();
    // The archive is none of the repository's business.
    assert_eq!(told.len(), 6, "{told:?}");
    for name in ["short", "up", "root", "flag", "owner"] {
        let error = exit(&tree, &["plugins", "install", &format!("{name}@our")], 4);
        let reason = &refused.iter().find(|one| one.0 == name).unwrap().1;
        let why = reason.rsplit(": ").next().unwrap();
        assert!(message(&error).contains(why), "{error}\n{reason}");
    }
}

/// A version that only the entry states is disclosed and recorded; the plugin's own word counts where it has one.
#[test]
fn the_version_of_an_entry_counts_for_a_plugin_without_one() {
    let tree = Tree::in_git(
        r#"
-- project/our/.claude-plugin/marketplace.json --
{"name": "our", "plugins": [
  {"name": "bare", "source": "./a", "version": "3.1"},
  {"name": "own", "source": "./b", "version": "3.1"}]}
-- project/our/a/skills/s/SKILL.md --
x
-- project/our/b/.claude-plugin/plugin.json --
{"name": "own", "version": "2.0"}
"#,
    );
    exit(&tree, &["marketplace", "add", "./our"], 0);
    for (name, version) in [("bare", "3.1"), ("own", "2.0")] {
        let source = format!("{name}@our");
        let shown = exit(&tree, &["plugins", "disclose", &source], 0);
        assert_eq!(text(&shown["disclosure"], "version"), version);
        tree.aleph(["plugins", "disclose", &source])
            .run()
            .exits(0)
            .shows(version);
        exit(&tree, &["plugins", "install", &source], 0);
        let verified = exit(&tree, &["plugins", "verify", name], 0);
        assert_eq!(text(&verified["plugins"][0], "version"), version);
    }
}

/// A tier that is none is told of, and trusts nobody.
#[test]
fn a_mistyped_tier_of_an_entry_is_told() {
    let tree = Tree::in_git(
        r#"
-- project/our/.claude-plugin/marketplace.json --
{"name": "our", "plugins": [
  {"name": "good", "source": "./a", "tier": "unverified"},
  {"name": "typo", "source": "./a", "tier": "oficial"},
  {"name": "other", "source": "./a", "trust_tier": "Official"},
  {"name": "number", "source": "./a", "tier": 3},
  {"name": "none", "source": "./a"}]}
-- project/our/a/skills/s/SKILL.md --
x
"#,
    );
    let checked = exit(&tree, &["plugins", "validate", "./our"], 1);
    let told: Vec<(i64, &str)> = list(&checked, "diagnostics")
        .iter()
        .map(|one| (one["line"].as_i64().unwrap(), text(one, "code")))
        .collect();
    assert_eq!(
        told,
        [
            (3, "bad-marketplace-entry"),
            (4, "bad-marketplace-entry"),
            (5, "manifest-wrong-type")
        ]
    );
    exit(&tree, &["marketplace", "add", "./our"], 0);
    let shown = exit(&tree, &["marketplace", "show", "our"], 0);
    let tiers: Vec<&str> = list(&shown["marketplaces"][0], "plugins")
        .iter()
        .map(|one| text(one, "tier"))
        .collect();
    assert_eq!(
        tiers,
        [
            "unverified",
            "unverified",
            "unverified",
            "unverified",
            "community"
        ]
    );
}
