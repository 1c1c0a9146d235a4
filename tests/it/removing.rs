//! What is not removed, and what is said of it (plugins.md 4).

use std::fs;

use serde_json::Value;

use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;
use crate::support::view::text;

fn exit(tree: &Tree, arguments: &[&str], code: i32) -> Value {
    let arguments = arguments.iter().copied().chain(["--json"]);
    tree.aleph(arguments).run().exits(code).json()
}

const TREE: &str = "
-- home/.aleph/plugins/notes/todo.txt --
mine
-- home/.aleph/plugins/mono/one/skills/s/SKILL.md --
x
-- home/.aleph/plugins/mono/two/agents/a.md --
x
-- home/.aleph/plugins/real/skills/s/SKILL.md --
x
-- project/.aleph/plugins/pp/skills/s/SKILL.md --
x
-- project/.aleph/plugins/plain/x --
";

/// Somebody's own directory, a collection, and the project's plugins stay, and it is said why.
#[test]
fn what_is_no_installed_plugin_stays() {
    let tree = Tree::in_git(TREE);
    let before = snapshot(tree.root());
    for (id, path, words) in [
        (
            "notes",
            "home/.aleph/plugins/notes",
            "no plugin and was not installed",
        ),
        ("mono", "home/.aleph/plugins/mono", "holds some (`one`, `two`)"),
        ("one", "home/.aleph/plugins/mono/one", "one of several plugins in"),
        (
            "pp",
            "project/.aleph/plugins/pp",
            "only what is in the Aleph home is removed",
        ),
    ] {
        let error = exit(&tree, &["plugins", "remove", id], 4);
        let error = &error["error"];
        assert!(text(error, "message").contains(words), "{error}");
        assert_eq!(text(error, "path"), format!("[ROOT]/{path}"));
        assert_eq!(snapshot(tree.root()), before, "{id}");
    }
    exit(&tree, &["plugins", "remove", "real"], 0);
    assert!(!tree.path("home/.aleph/plugins/real").exists());
}

/// Neither does an update take the place of somebody's own directory.
#[test]
fn what_is_no_plugin_is_not_replaced() {
    let mut tree = Tree::in_git(TREE);
    tree.add("-- project/notes/skills/s/SKILL.md --\nx\n-- project/mono/skills/s/SKILL.md --\nx");
    let before = snapshot(tree.root());
    for source in ["./notes", "./mono"] {
        for flags in [&[][..], &["--update"]] {
            let mut arguments = vec!["plugins", "install", source];
            arguments.extend(flags);
            let error = exit(&tree, &arguments, 4);
            assert!(
                text(&error["error"], "message").contains("neither replaced nor removed"),
                "{error}"
            );
            assert_eq!(snapshot(tree.root()), before, "{source}");
        }
    }
}

/// A plugin of which nothing but its directory is left was installed, so it can be removed.
#[test]
fn what_is_recorded_is_removed_whatever_is_left_of_it() {
    let tree = Tree::in_git("-- project/p/skills/s/SKILL.md --\nx");
    exit(&tree, &["plugins", "install", "./p"], 0);
    let there = tree.path("home/.aleph/plugins/p");
    fs::remove_dir_all(there.join("skills")).unwrap();
    exit(&tree, &["plugins", "remove", "p"], 0);
    assert!(!there.exists());
}

/// Nobody is asked whether they meant what they wrote.
#[test]
fn no_name_is_its_own_suggestion() {
    let tree = Tree::in_git(TREE);
    for (action, id) in [("enable", "notes"), ("disable", "plain"), ("remove", "plain")] {
        let answer = exit(&tree, &["plugins", action, id], 1);
        let suggested = answer["suggestions"].as_array().unwrap();
        assert!(!suggested.contains(&id.into()), "{answer}");
    }
    let answer = exit(&tree, &["plugins", "remove", "rael"], 1);
    assert_eq!(answer["suggestions"][0], "real");
}

/// One of that id under another name stays in the way of an update, so `--update` is not offered.
#[test]
fn a_plugin_in_a_directory_of_another_name_is_to_be_removed_first() {
    let tree = Tree::in_git(
        r#"
-- home/.aleph/plugins/Other/.claude-plugin/plugin.json --
{"name": "same"}
-- project/same/.claude-plugin/plugin.json --
{"name": "same"}
"#,
    );
    for flags in [&[][..], &["--update"]] {
        let mut arguments = vec!["plugins", "install", "./same"];
        arguments.extend(flags);
        let error = exit(&tree, &arguments, 4);
        assert!(
            text(&error["error"], "help").starts_with("remove it first"),
            "{error}"
        );
        assert_eq!(text(&error["error"], "path"), "[ROOT]/home/.aleph/plugins/Other");
    }
    exit(&tree, &["plugins", "remove", "same"], 0);
    exit(&tree, &["plugins", "install", "./same"], 0);
}
