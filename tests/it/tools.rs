//! Tools on demand (tools.md 1 to 4) on the command line.

use serde_json::{Value, json};

use crate::support::schema;
use crate::support::tree::Tree;
use crate::support::view::{list, text};

const TOOLS: &str = r#"
-- project/tools.json --
{"slack": [{"name": "post_message", "description": "Posts a message to a channel",
            "inputSchema": {"type": "object", "properties": {"channel": {"type": "string"}}, "required": ["channel"]}},
           {"name": "search", "description": "Searches messages"}],
 "git": {"tools": [{"name": "log", "title": "History", "description": "Shows commits"}, {"name": "search", "description": "Searches commits"}]},
 "bad": [{"name": "broken", "inputSchema": {"type": "string"}}]}
"#;

fn names(answer: &Value) -> Vec<&str> {
    list(answer, "results")
        .iter()
        .map(|hit| text(hit, "name"))
        .collect()
}

fn search(tree: &Tree, arguments: &[&str]) -> Value {
    let base = ["tools", "search", "--catalog", "tools.json", "--json"];
    tree.aleph(base.iter().chain(arguments)).run().exits(0).json()
}

/// A hit has everything that is needed to call the tool, and says why it is one.
#[test]
fn a_query_finds_a_tool_by_what_it_does() {
    let tree = Tree::new(TOOLS);
    let answer = search(&tree, &["send a message to a channel"]);
    assert_eq!(answer["schema"], "aleph-discover/tools-search@1");
    assert_eq!(names(&answer)[0], "slack__post_message");
    let hit = &answer["results"][0];
    assert_eq!(
        (text(hit, "server"), text(hit, "tool")),
        ("slack", "post_message")
    );
    assert_eq!(hit["parameters"]["required"], json!(["channel"]));
    assert!(
        list(hit, "why")
            .iter()
            .any(|part| part["field"] == "name" && part["term"] == "messag")
    );
    assert_eq!(answer["indexed"], 4);
    assert_eq!(answer["count"], answer["matched"]);
    assert_eq!(answer["truncated"], false);
}

/// Nothing can be asked for that has no answer: an answer of no hits would say that nothing matched.
#[test]
fn limits_of_nothing_are_refused() {
    let tree = Tree::new(TOOLS);
    for arguments in [["--limit", "0"], ["--cap", "0"], ["--ranker=bm25", "--cap=1"]] {
        let base = ["tools", "search", "--catalog", "tools.json", "search"];
        tree.aleph(base.iter().chain(&arguments)).run().exits(2);
    }
    assert_eq!(names(&search(&tree, &["messages commits", "--limit=1"])).len(), 1);
}

/// `--format paths` has names wherever the answer is about tools.
#[test]
fn the_names_of_what_is_counted_are_paths() {
    let tree = Tree::new(TOOLS);
    let lines = |command: &str| {
        let arguments = ["tools", command, "--catalog", "tools.json", "--format", "paths"];
        tree.aleph(arguments).run().exits(0).stdout
    };
    assert_eq!(
        lines("budget"),
        "git__log\ngit__search\nslack__post_message\nslack__search\n"
    );
    assert_eq!(lines("budget"), lines("list"));
}

/// Exact names are first; a bare name that several have lists all owners first.
#[test]
fn exact_names_are_first() {
    let tree = Tree::new(TOOLS);
    assert_eq!(
        names(&search(&tree, &["SEARCH"]))[..2],
        ["git__search", "slack__search"]
    );
    assert_eq!(names(&search(&tree, &["slack__Search"]))[0], "slack__search");
    assert_eq!(names(&search(&tree, &["select:git__log"])), ["git__log"]);
    assert_eq!(names(&search(&tree, &["/^post/"])), ["slack__post_message"]);
    assert!(
        names(&search(&tree, &["search server:git"]))
            .iter()
            .all(|name| name.starts_with("git__"))
    );
}

/// No hit is an answer, with the reason; what cannot be asked is an error.
#[test]
fn no_hit_is_a_success_that_says_why() {
    let tree = Tree::new(TOOLS);
    let answer = search(&tree, &["gti__lgo"]);
    assert_eq!(answer["count"], 0, "{answer}");
    assert!(text(&answer, "reason").contains("no tool"));
    assert_eq!(answer["suggestions"][0], "git__log");
    assert!(text(&search(&tree, &["the of"]), "reason").contains("too common"));
    assert!(text(&search(&tree, &["log server:gitt"]), "reason").contains("`gitt`"));
    let empty = Tree::new("");
    let answer = empty
        .aleph(["tools", "search", "x", "--json"])
        .run()
        .exits(0)
        .json();
    assert!(text(&answer, "reason").contains("no tools are known"));
    for query in ["", " ", "select:", "/(/"] {
        tree.aleph(["tools", "search", query, "--catalog", "tools.json"])
            .run()
            .exits(2);
    }
}

/// Many queries: one answer a line, in order, each with its id and without a header.
#[test]
fn queries_are_answered_a_line_each() {
    let mut tree = Tree::new(TOOLS);
    tree.write(
        "project/q.txt",
        "{\"id\": \"a\", \"query\": \"commits\"}\n\nsend a message\n{\"id\": 7, \"query\": \" \"}\n",
    );
    let run = tree
        .aleph(["tools", "search", "--queries", "q.txt", "--catalog", "tools.json"])
        .run()
        .exits(0);
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(
        answers.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(),
        [&json!("a"), &json!(3), &json!(7)]
    );
    assert!(names(&answers[0])[0].starts_with("git__"));
    assert_eq!(names(&answers[1])[0], "slack__post_message");
    assert_eq!(
        (&answers[2]["count"], &answers[2]["reason"]),
        (&json!(0), &json!("requires a non-empty `query`"))
    );
    for answer in &answers {
        schema::validate_as("tools-query@1", answer);
    }
}

/// The plain ranking knows no commands and no exact names.
#[test]
fn the_plain_ranking_stays_available() {
    let tree = Tree::new(TOOLS);
    let answer = search(&tree, &["posts message", "--ranker", "bm25"]);
    assert_eq!(answer["ranker"], "bm25");
    assert_eq!(names(&answer), ["slack__post_message"]);
    assert_eq!(
        search(&tree, &["select:log", "--ranker", "bm25"])["results"][0]["tool"],
        "log"
    );
}

/// The index is saved in an Aleph home that is there; what it answers is the same, and damage is never trusted.
#[test]
fn a_saved_index_answers_as_a_new_one_does() {
    let mut tree = Tree::new(&format!("{TOOLS}-- home/.aleph/ --\n"));
    let ask = |tree: &Tree, more: &[&str]| {
        let base = ["tools", "search", "commits", "--catalog", "tools.json", "--json"];
        tree.aleph(base.iter().chain(more)).run().exits(0).stdout
    };
    let saved = |tree: &Tree| -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(tree.path("home/.aleph/cache/tools"));
        entries.map_or_else(
            |_| Vec::new(),
            |entries| entries.map(|entry| entry.expect("an entry").path()).collect(),
        )
    };
    let first = ask(&tree, &["--no-cache"]);
    assert!(saved(&tree).is_empty());
    assert_eq!(ask(&tree, &[]), first);
    let files = saved(&tree);
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(ask(&tree, &[]), first);
    let whole = std::fs::read(&files[0]).expect("the index");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for bytes in [damaged.as_slice(), &whole[..100], b"", b"nonsense"] {
        std::fs::write(&files[0], bytes).expect("written");
        assert_eq!(ask(&tree, &[]), first);
        assert_eq!(
            std::fs::read(&files[0]).expect("the index"),
            whole,
            "it is written anew"
        );
    }
    // What a killed run left that had the number of this one is not in the way: `exec` keeps the number.
    let name = files[0]
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    std::fs::remove_file(&files[0]).expect("it is there");
    let again = ["tools", "search", "commits", "--catalog", "tools.json", "--json"];
    let script = format!("cd \"$HOME/.aleph/cache/tools\" && : > '.{name}'.$$ && cd - >&2 && exec \"$@\"");
    tree.aleph(again).run_behind(&script).exits(0);
    assert_eq!(saved(&tree), files, "it is saved, and nothing is left beside it");
    // Another text of the same file is another catalogue.
    tree.write("project/tools.json", r#"{"hg": [{"name": "commits"}]}"#);
    assert!(ask(&tree, &[]).contains("hg__commits"));
    assert_eq!(saved(&tree).len(), 1);
}

/// Without an Aleph home nothing is written.
#[test]
fn no_home_is_made_for_an_index() {
    let tree = Tree::new(TOOLS);
    search(&tree, &["commits"]);
    assert!(!tree.path("home/.aleph").exists());
}

/// Snapshots count beside the files; a damaged one costs only itself.
#[test]
fn snapshots_are_read_from_the_aleph_home() {
    let tree = Tree::new(
        r#"
-- home/.aleph/cache/mcp/web.json --
{"server": "web", "tools": [{"name": "fetch", "description": "Downloads a page"}]}
-- home/.aleph/cache/mcp/cut.json --
{"server": "cut", "tools": [
-- home/.aleph/cache/mcp/notes.txt --
no snapshot
"#,
    );
    let answer = tree
        .aleph(["tools", "search", "download page", "--json"])
        .run()
        .exits(0)
        .json();
    assert_eq!(names(&answer), ["web__fetch"]);
    assert_eq!(answer["diagnostics"][0]["code"], "bad-snapshot");
    let again = tree
        .aleph(["tools", "search", "download page", "--json"])
        .run()
        .exits(0)
        .json();
    assert_eq!(again, answer);
}

/// Skills, commands and agents can be searched as well.
#[test]
fn components_are_listed_as_tools_of_their_kind() {
    let tree = Tree::new(
        "
-- project/.aleph/skills/deploy/SKILL.md --
---
description: Ships a release to staging
---
",
    );
    let answer = tree
        .aleph(["tools", "search", "release", "--kind", "skills", "--json"])
        .run()
        .exits(0)
        .json();
    assert_eq!(names(&answer), ["skill__deploy"]);
    tree.aleph(["tools", "list", "--kind", "hook"]).run().exits(2);
}

/// Every tool is listed, those that cannot be used with the reason; the tiers are those of the configuration.
#[test]
fn the_list_has_tiers_and_reasons() {
    let tree = Tree::new(&format!(
        "{TOOLS}-- home/.aleph/aleph.toml --\n[tools]\ncore = [\"git__log\"]\ndefer_mcp_tools = true\n"
    ));
    let answer = tree
        .aleph(["tools", "list", "--catalog", "tools.json", "--json"])
        .run()
        .exits(0)
        .json();
    let tools: Vec<(&str, &Value, &Value)> = list(&answer, "tools")
        .iter()
        .map(|tool| (text(tool, "name"), &tool["tier"], &tool["visible"]))
        .collect();
    let (core, deferred) = (json!("core"), json!("deferred"));
    assert_eq!(
        tools,
        [
            ("git__log", &core, &json!(true)),
            ("git__search", &deferred, &json!(false)),
            ("slack__post_message", &deferred, &json!(false)),
            ("slack__search", &deferred, &json!(false)),
            ("bad__broken", &Value::Null, &json!(false)),
        ]
    );
    assert_eq!(
        text(&answer["tools"][4], "quarantined"),
        "its input schema is for type \"string\", not for an object"
    );
    assert_eq!(answer["diagnostics"][0]["code"], "unusable-tool");
    assert_eq!(text(&answer["tools"][0], "digest").len(), 64);
    let budget = tree
        .aleph(["tools", "budget", "--catalog", "tools.json", "--json"])
        .run()
        .exits(0)
        .json();
    let bytes = |key: &str| budget[key].as_u64().expect("a number");
    assert!(budget["total"]["bytes"].as_u64() < budget["total"]["bytes_without_tiers"].as_u64());
    assert_eq!(budget["servers"][1]["bytes"], 0);
    assert!(budget.get("bytes").is_none() || bytes("bytes") > 0);
}

/// A schema is found by its full name, or by a bare one that only one server has; missing is exit 1.
#[test]
fn a_schema_is_found_or_the_nearest_names_are() {
    let tree = Tree::new(TOOLS);
    let ask = |name: &str, code: i32| {
        tree.aleph(["tools", "schema", name, "--catalog", "tools.json", "--json"])
            .run()
            .exits(code)
            .json()
    };
    let answer = ask("post_message", 0);
    assert_eq!(
        (&answer["found"], &answer["name"]),
        (&json!(true), &json!("slack__post_message"))
    );
    assert_eq!(answer["parameters"]["properties"]["channel"]["type"], "string");
    assert_eq!(ask("log", 0)["parameters"], json!({"type": "object"}));
    let answer = ask("post_mesage", 1);
    assert_eq!(answer["found"], false);
    assert!(text(&answer, "error").contains("there is no tool"));
    assert_eq!(answer["suggestions"][0], "post_message");
    assert_eq!(
        ask("search", 1)["suggestions"],
        json!(["git__search", "slack__search"])
    );
    assert!(text(&ask("broken", 1), "error").contains("cannot be used"));
    tree.aleph(["tools", "schema", "log", "--catalog", "tools.json"])
        .run()
        .exits(0)
        .shows("git__log");
}

/// What cannot be read as tools is an error with its place; text from strangers cannot steer a terminal.
#[test]
fn bad_catalogues_are_told_of() {
    let mut tree = Tree::new(TOOLS);
    tree.write("project/cut.json", "{\"tools\": [\n{\"name\":");
    tree.aleph(["tools", "list", "--catalog", "cut.json"])
        .run()
        .exits(2)
        .says("line 2, column");
    tree.aleph(["tools", "list", "--catalog", "none.json"])
        .run()
        .exits(2)
        .says("cannot read none.json");
    tree.write("project/deep.json", "[".repeat(100_000));
    tree.aleph(["tools", "list", "--catalog", "deep.json"])
        .run()
        .exits(2);
    let hostile = "[{\"name\": \"x\\u001b[31m\", \"description\": \"\\u001b]0;title\\u0007 \\u202e deploy\", \
                   \"inputSchema\": {\"type\": \"object\", \"properties\": {\"\u{202e}a\": {}}}}]";
    tree.write("project/hostile.json", hostile);
    for format in [&["--json"][..], &["--format", "jsonl"], &[]] {
        for command in [
            &["search", "deploy"][..],
            &["list"],
            &["schema", "hostile__x__31m"],
            &["budget", "--each"],
        ] {
            let base = ["tools"]
                .iter()
                .chain(command)
                .chain(&["--catalog", "hostile.json"])
                .chain(format);
            let run = tree.aleph(base).run().exits(0);
            let is_steering =
                |character: char| character.is_control() && character != '\n' || character == '\u{202e}';
            assert!(!run.stdout.contains(is_steering), "{:?}", run.stdout);
        }
    }
}
