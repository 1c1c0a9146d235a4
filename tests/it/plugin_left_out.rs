//! What of plugins is not read is told of: beside the plugins of a monorepo, and in folders that a manifest puts out of
//! use (plugins.md 1 and 2).

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{list, text};

/// Every candidate of a kind, `path id state code`, from below the directory of the plugins.
fn candidates(report: &Value, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    for chain in list(report, "chains") {
        for one in list(chain, "candidates") {
            let (_, path) = text(one, "path").split_once("/.aleph/plugins/").unwrap();
            if chain["kind"] == kind {
                let code = one["code"].as_str().unwrap_or("-");
                found.push(format!(
                    "{path} {} {} {code}",
                    text(chain, "id"),
                    text(one, "state")
                ));
            }
        }
    }
    found.sort();
    found
}

fn scan(tree: &Tree) -> Value {
    tree.aleph(["scan", "--all", "--json"]).run().exits(0).json()
}

/// Whatever stands beside a plugin one level down is told of as it would be among the plugins.
#[test]
fn everything_in_a_monorepo_is_told_of() {
    let tree = Tree::in_git(
        "
-- home/.aleph/plugins/mono/one/skills/s/SKILL.md --
x
-- home/.aleph/plugins/mono/two/x/skills/s/SKILL.md --
x
-- home/.aleph/plugins/mono/.hid/skills/s/SKILL.md --
x
-- home/.aleph/plugins/mono/lnk -> one --
-- home/.aleph/plugins/mono/README.md --
x
-- home/.aleph/plugins/mono/pipe fifo --
-- home/.aleph/plugins/alone/two/x/skills/s/SKILL.md --
x
",
    );
    let found = candidates(&scan(&tree), "plugin");
    assert_eq!(
        found,
        [
            "alone alone ignored no-manifest",
            "mono/.hid .hid ignored hidden",
            "mono/README.md README.md ignored wrong-kind",
            "mono/lnk lnk rejected symlink",
            "mono/one one active -",
            "mono/pipe pipe rejected not-regular",
            "mono/two two ignored no-manifest",
        ]
    );
    let why = tree
        .aleph(["why", &tree.text("home/.aleph/plugins/mono/two"), "--json"])
        .run()
        .json();
    assert!(why.to_string().contains("no-manifest"), "{why:#}");
}

/// What lies in a folder that the manifest puts out of use is there, and is not in effect.
#[test]
fn what_a_manifest_puts_out_of_use_is_told_of() {
    let tree = Tree::in_git(
        r#"
-- home/.aleph/plugins/k/.claude-plugin/plugin.json --
{"name": "k", "commands": ["./x", "./commands/kept.md"], "agents": "./commands/../x"}
-- home/.aleph/plugins/k/commands/def.md --
x
-- home/.aleph/plugins/k/commands/kept.md --
x
-- home/.aleph/plugins/k/commands/notes.txt --
x
-- home/.aleph/plugins/k/commands/broken.md --
---
description: [
---
-- home/.aleph/plugins/k/x/new.md --
x
-- home/.aleph/plugins/k/agents/helper.md --
x
-- home/.aleph/plugins/same/.claude-plugin/plugin.json --
{"name": "same", "commands": "./commands"}
-- home/.aleph/plugins/same/commands/all.md --
x
"#,
    );
    let report = scan(&tree);
    assert_eq!(
        candidates(&report, "command"),
        [
            "k/commands/broken.md k:broken ignored default-replaced",
            "k/commands/def.md k:def ignored default-replaced",
            "k/commands/kept.md k:kept active -",
            "k/commands/kept.md kept active -",
            "k/commands/notes.txt k:notes.txt ignored wrong-kind",
            "k/x/new.md k:new active -",
            "k/x/new.md new active -",
            "same/commands/all.md all active -",
            "same/commands/all.md same:all active -",
        ]
    );
    assert_eq!(
        candidates(&report, "agent"),
        ["k/agents/helper.md k:helper ignored default-replaced"]
    );
    // What is wrong with a file that is not read matters to nobody.
    let codes: Vec<&str> = list(&report, "diagnostics")
        .iter()
        .map(|one| text(one, "code"))
        .collect();
    assert!(!codes.contains(&"bad-front-matter"), "{codes:?}");
    tree.aleph(["plugins", "show", "k", "-v"])
        .run()
        .exits(0)
        .shows("commands/def.md");
    let why = tree
        .aleph(["why", &tree.text("home/.aleph/plugins/k/commands/def.md")])
        .run();
    assert!(why.stdout.contains("takes the place of the usual"), "{why}");
}

/// Codex and Cursor replace files too.
#[test]
fn replaced_files_are_told_of() {
    let tree = Tree::in_git(
        r#"
-- home/.aleph/plugins/c/.codex-plugin/plugin.json --
{"name": "c", "skills": "./more", "hooks": "./h.json", "mcpServers": {"own": {"command": "own"}}}
-- home/.aleph/plugins/c/hooks/hooks.json --
{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "usual"}]}]}}
-- home/.aleph/plugins/c/h.json --
{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "named"}]}]}}
-- home/.aleph/plugins/c/.mcp.json --
{"mcpServers": {"usual": {"command": "usual"}}}
-- home/.aleph/plugins/c/skills/left/SKILL.md --
x
-- home/.aleph/plugins/c/more/right/SKILL.md --
x
-- home/.aleph/plugins/named/.codex-plugin/plugin.json --
{"name": "named", "mcpServers": "./.mcp.json", "hooks": "./hooks"}
-- home/.aleph/plugins/named/.mcp.json --
{"mcpServers": {"usual": {"command": "usual"}}}
-- home/.aleph/plugins/named/hooks/hooks.json --
{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "usual"}]}]}}
-- home/.aleph/plugins/u/.cursor-plugin/plugin.json --
{"name": "u", "rules": "./mine", "commands": "./commands"}
-- home/.aleph/plugins/u/rules/r.mdc --
x
-- home/.aleph/plugins/u/mine/m.mdc --
x
-- home/.aleph/plugins/u/commands/a.md --
x
-- home/.aleph/plugins/u/.cursor/commands/b.md --
x
"#,
    );
    let report = scan(&tree);
    let told: Vec<&str> = list(&report, "diagnostics")
        .iter()
        .filter(|one| one["code"] == "default-replaced")
        .map(|one| text(one, "path").split_once("/plugins/").unwrap().1)
        .collect();
    assert_eq!(told, ["c/.mcp.json", "c/hooks/hooks.json"]);
    let unused = |kind| -> Vec<String> {
        let all = candidates(&report, kind).into_iter();
        all.filter(|one| one.ends_with("default-replaced")).collect()
    };
    assert_eq!(unused("skill"), ["c/skills/left c:left ignored default-replaced"]);
    assert_eq!(
        unused("command"),
        ["u/.cursor/commands/b.md u:b ignored default-replaced"]
    );
    assert_eq!(
        unused("memory"),
        ["u/rules/r.mdc u:rules/r.mdc ignored default-replaced"]
    );
    let roots = tree.aleph(["roots", "--json"]).run().exits(0).json();
    assert!(
        roots.to_string().contains("takes the place of the usual"),
        "{roots:#}"
    );
}

/// Another host's plugins too: a folder that the manifest replaces is told of, one that it names is not.
#[test]
fn replaced_folders_of_other_hosts_are_told_of() {
    let tree = Tree::in_git(
        r#"
-- project/one/.claude-plugin/plugin.json --
{"name": "one", "commands": "./x", "agents": "./agents/"}
-- project/one/commands/def.md --
x
-- project/one/x/new.md --
x
-- project/one/agents/helper.md --
x
"#,
    );
    let report = tree
        .aleph(["scan", "--host", "claude-code", "--plugin-dir", "one", "--json"])
        .run()
        .json();
    let told: Vec<&str> = list(&report, "diagnostics")
        .iter()
        .filter(|one| one["code"] == "default-replaced")
        .map(|one| text(one, "path"))
        .collect();
    assert_eq!(told, ["[ROOT]/project/one/commands"]);
}
