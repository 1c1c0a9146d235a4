//! `find-config NAME` in its plain form (discovery.md 6).

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{list, short, text};

/// The files, lowest precedence first, each as `ORDER PATH SOURCE STATE` and its rule or code.
fn files(report: &Value) -> Vec<String> {
    let line = |file: &Value| {
        let mut line = format!(
            "{} {} {} {}",
            file["order"],
            short(text(file, "path")),
            text(file, "source"),
            text(file, "state")
        );
        for key in ["rule", "code"] {
            if let Some(word) = file[key].as_str() {
                line.push(' ');
                line.push_str(word);
            }
        }
        line
    };
    list(report, "files").iter().map(line).collect()
}

fn find(tree: &Tree, name: &str, code: i32) -> Value {
    let run = tree
        .aleph(["find-config", name, "--json"])
        .cwd(tree.path("project/sub"));
    let report = run.run().exits(code).json();
    assert_eq!(report["schema"], "aleph-discover/find-config@1");
    assert_eq!(report["name"], name);
    assert_eq!(report["merged"], Value::Null);
    report
}

/// The global file is in the Aleph home, the project files are in the directories themselves, outermost first.
#[test]
fn global_first_then_the_walk_inward() {
    let tree = Tree::in_git(
        "
-- home/.aleph/aleph.jsonc --
{}
-- project/aleph.jsonc --
{}
-- project/sub/aleph.jsonc --
{}
-- project/.aleph/aleph.jsonc --
{}
-- home/aleph.jsonc --
{}
",
    );
    let report = find(&tree, "aleph.jsonc", 0);
    assert_eq!(
        files(&report),
        [
            "0 home/.aleph/aleph.jsonc AlephGlobal active",
            "1 project/aleph.jsonc Project active",
            "2 project/sub/aleph.jsonc Project active",
        ]
    );
    let lines = tree
        .aleph(["find-config", "aleph.jsonc", "--format", "paths"])
        .cwd(tree.path("project/sub"));
    assert_eq!(
        lines.run().exits(0).lines(),
        [
            "[ROOT]/home/.aleph/aleph.jsonc",
            "[ROOT]/project/aleph.jsonc",
            "[ROOT]/project/sub/aleph.jsonc",
        ]
    );
}

/// Any file name works; what is not there was probed; nothing found is 1.
#[test]
fn any_name_is_looked_for() {
    let tree = Tree::in_git("-- project/CLAUDE.md --\n-- project/sub/ --");
    let report = find(&tree, "CLAUDE.md", 0);
    let probed: Vec<(&str, bool)> = list(&report, "probed")
        .iter()
        .map(|probe| (short(text(probe, "path")), probe["found"] == true))
        .collect();
    assert_eq!(
        probed,
        [
            ("home/.aleph/CLAUDE.md", false),
            ("project/CLAUDE.md", true),
            ("project/sub/CLAUDE.md", false),
        ]
    );
    assert_eq!(files(&find(&tree, ".mcp.json", 1)), [""; 0]);
    let table = tree.aleph(["find-config", ".mcp.json"]).run().exits(1);
    table.shows("home/.aleph/.mcp.json").shows("project/.mcp.json");
}

/// Only regular files count: a directory, a FIFO and a link to nowhere are told and not in effect; a link to a
/// file counts and shows its target.
#[test]
fn only_regular_files_count() {
    let tree = Tree::in_git(
        "
-- home/.aleph/x/ --
-- project/x fifo --
-- project/sub/x -> ../real --
-- project/real --
",
    );
    let report = find(&tree, "x", 0);
    let listed = files(&report);
    assert_eq!(listed.len(), 3, "{listed:?}");
    assert!(
        listed[0].starts_with("0 home/.aleph/x AlephGlobal rejected"),
        "{listed:?}"
    );
    assert!(
        listed[1].starts_with("1 project/x Project rejected"),
        "{listed:?}"
    );
    assert_eq!(listed[2], "2 project/sub/x Project active");
    assert_eq!(list(&report, "files")[2]["symlink_target"], "../real");
    let paths = tree
        .aleph(["find-config", "x", "-0"])
        .cwd(tree.path("project/sub"))
        .raw();
    assert_eq!(paths.run().exits(0).stdout, "[ROOT]/project/sub/x\0");

    let tree = Tree::in_git("-- project/sub/x -> gone --\n-- project/x/ --");
    let listed = files(&find(&tree, "x", 1));
    assert!(
        listed.iter().all(|line| line.contains(" rejected ")),
        "{listed:?}"
    );
    assert_eq!(listed.len(), 2);
}

/// Of a file that the host reads it is said what is wrong with it, in the words of `scan`; of any other only whether it
/// can be opened.
#[test]
fn what_is_wrong_with_a_file_of_servers_is_said() {
    let tree = Tree::in_git(
        r#"
-- home/.aleph/.mcp.json --
{"mcpServers": {"ok": {"command": "a"}}}
-- project/.mcp.json --
{bad
-- project/sub/.mcp.json --
{"mcpServers": {"odd": {"command": 1}}}
-- project/package.json --
{bad
"#,
    );
    let report = find(&tree, ".mcp.json", 0);
    assert_eq!(
        files(&report),
        [
            "0 home/.aleph/.mcp.json AlephGlobal active",
            "1 project/.mcp.json Project invalid bad-config",
            "2 project/sub/.mcp.json Project active",
        ]
    );
    let broken = &list(&report, "files")[1];
    assert_eq!((&broken["line"], &broken["column"]), (&1.into(), &2.into()));
    let told = |report: &Value| -> Vec<Value> {
        let about = |one: &&Value| {
            one["path"]
                .as_str()
                .is_some_and(|path| path.ends_with("/.mcp.json"))
        };
        let told = list(report, "diagnostics").iter().filter(about);
        told.map(|one| {
            serde_json::json!([
                one["code"],
                one["path"],
                one["severity"],
                one["line"],
                one["message"]
            ])
        })
        .collect()
    };
    let of_scan = tree.scan_in("project/sub");
    assert!(told(&report).len() >= 2, "{report:#}");
    assert_eq!(told(&report), told(&of_scan));
    // Where it is all that there is, the answer is no.
    let alone = tree.aleph(["find-config", ".mcp.json", "--aleph-home", &tree.text("nowhere")]);
    alone.run().exits(1).shows("invalid");
    assert_eq!(
        files(&find(&tree, "package.json", 0)),
        ["1 project/package.json Project active"]
    );
}

/// `aleph` without an extension is the host's own view: of one directory the best format counts.
#[test]
fn the_hosts_own_view_knows_the_formats() {
    let tree = Tree::in_git(
        "
-- home/.aleph/aleph.json --
{}
-- project/aleph.toml --
-- project/aleph.jsonc --
{}
-- project/aleph.json --
{}
-- project/sub/aleph.jsonc --
{}
-- project/sub/aleph.json --
{}
",
    );
    let report = find(&tree, "aleph", 0);
    let mut listed = files(&report);
    listed.sort_by_key(|line| line.split_once(' ').map(|(_, rest)| rest.to_owned()));
    let states: Vec<&str> = listed
        .iter()
        .filter_map(|line| line.split_once(' '))
        .map(|(_, rest)| rest)
        .collect();
    assert_eq!(
        states,
        [
            "home/.aleph/aleph.json AlephGlobal active",
            "project/aleph.json Project shadowed config-format",
            "project/aleph.jsonc Project shadowed config-format",
            "project/aleph.toml Project active",
            "project/sub/aleph.json Project shadowed config-format",
            "project/sub/aleph.jsonc Project active",
        ]
    );
    // Each loser names the winner of its directory.
    let all = list(&report, "files");
    for file in all.iter().filter(|file| file["state"] == "shadowed") {
        let by = usize::try_from(file["by"].as_u64().expect("a winner")).expect("an index");
        let parent = |file: &Value| {
            text(file, "path")
                .rsplit_once('/')
                .map(|(parent, _)| parent.to_owned())
        };
        assert_eq!(all[by]["state"], "active");
        assert_eq!(parent(&all[by]), parent(file));
    }
    // Asked for one exact name, that one counts.
    assert_eq!(
        files(&find(&tree, "aleph.json", 0)),
        [
            "0 home/.aleph/aleph.json AlephGlobal active",
            "1 project/aleph.json Project active",
            "2 project/sub/aleph.json Project active",
        ]
    );
}

/// Without the walk only the global file is looked for.
#[test]
fn no_project_leaves_the_global_file() {
    let tree = Tree::in_git("-- home/.aleph/x --\n-- project/x --");
    let report = tree
        .aleph(["find-config", "x", "--json", "--no-project"])
        .run()
        .exits(0)
        .json();
    assert_eq!(files(&report), ["0 home/.aleph/x AlephGlobal active"]);
    assert_eq!(list(&report, "probed").len(), 1);
}

/// A directory that cannot be looked into is told, not passed over.
#[test]
fn a_closed_place_is_told() {
    let name = "a_closed_place_is_told";
    let tree = Tree::in_git("-- home/.aleph/x --\n-- home/.aleph/ mode=000 --\n-- project/x --");
    let Some(run) = tree.aleph(["find-config", "x", "--json"]).unprivileged(name) else {
        return;
    };
    let report = run.run().exits(3).json();
    assert_eq!(report["complete"], false);
    let listed = files(&report);
    assert!(
        listed.contains(&"1 project/x Project active".to_owned()),
        "{listed:?}"
    );
    assert!(
        listed[0].starts_with("0 home/.aleph/x AlephGlobal unreadable"),
        "{listed:?}"
    );
}
