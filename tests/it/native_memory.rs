//! Memory that the native host's configuration names (discovery.md 1: `memory`, where its configuration files have it).

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{at, candidates, fate, fate_at, list, short, text, told};

const TREE: &str = r#"
-- home/.aleph/aleph.toml --
instructions = ["rules/*.md", "~/own.md", "https://example.com/x.md", "gone.md"]
-- home/.aleph/rules/a.md --
a
-- home/.aleph/rules/b.txt --
b
-- home/own.md --
own
-- project/aleph.jsonc --
{"instructions": ["style.md", "docs/**/*.md", "./docs/../style.md", 5]} // relative to this file
-- project/aleph.json --
{"instructions": ["not-counted.md"]}
-- project/not-counted.md --
n
-- project/style.md --
s
-- project/docs/deep/one.md --
one
-- project/docs/link.md -> ../style.md --
-- project/sub/aleph.toml --
instructions = "style.md"
-- project/sub/style.md --
not named
"#;

/// Every candidate of a report, in one line each.
fn fates(report: &Value) -> Vec<String> {
    candidates(report).map(fate).collect()
}

#[test]
fn what_the_configuration_names_is_memory() {
    let tree = Tree::in_git(TREE);
    let run = tree
        .aleph(["scan", "memory", "--json"])
        .cwd(tree.path("project/sub"));
    let report = run.run().exits(0).json();
    assert_eq!(
        fates(&report),
        [
            "home/.aleph/rules/a.md active",
            "home/own.md active",
            "project/docs/deep/one.md active",
            "project/style.md active",
            "project/docs/link.md alias one-file-once by 0",
        ]
    );
    let of_style = at(&report, "project/style.md");
    assert_eq!(
        (text(of_style, "source"), text(of_style, "scope")),
        ("Project", "project")
    );
    assert_eq!(of_style["priority"], 40);
    assert_eq!(
        text(of_style, "message"),
        "named in [ROOT]/project/aleph.jsonc:1:19"
    );
    let told: Vec<String> = list(&report, "diagnostics")
        .iter()
        .map(|told| {
            let path = short(text(told, "path"));
            format!(
                "{path}:{}:{} {}",
                told["line"],
                told["column"],
                text(told, "code")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "home/.aleph/aleph.toml:1:43 not-fetched",
            "home/.aleph/aleph.toml:1:71 path-missing",
            "project/aleph.jsonc:1:69 wrong-type",
            "project/sub/aleph.toml:1:16 wrong-type",
        ]
    );
}

#[test]
fn why_says_what_became_of_a_memory_file() {
    let tree = Tree::in_git(TREE);
    let report = tree.aleph(["why", "./style.md", "--json"]).run().exits(0).json();
    assert_eq!(fate_at(&report, "project/style.md"), "active");
    tree.aleph(["why", "./not-counted.md"]).run().exits(1);
}

#[test]
fn a_pattern_for_too_much_ends_and_says_so() {
    let tree = Tree::new("-- project/aleph.toml --\ninstructions = [\"deep/**/*.md\"]\n");
    for number in 0..5_001 {
        std::fs::create_dir_all(tree.path(&format!("project/deep/{number}"))).unwrap();
    }
    let report = tree.aleph(["scan", "memory", "--json"]).run().exits(0).json();
    assert_eq!(told(&report, "search-cut"), ["project/aleph.toml"]);
}

#[test]
fn a_list_without_end_is_read_to_a_limit() {
    let many = vec!["\"x.md\""; 1_001].join(",");
    let tree = Tree::new(&format!(
        "-- project/aleph.json --\n{{\"instructions\": [{many}]}}\n-- project/x.md --\nx\n"
    ));
    let report = tree.aleph(["scan", "memory", "--json"]).run().exits(0).json();
    assert_eq!(fates(&report), ["project/x.md active"]);
    assert_eq!(told(&report, "search-cut"), ["project/aleph.json"]);
}
