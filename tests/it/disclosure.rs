//! Rules of disclosure on the command line: `tools lint`, `tools simulate` and `tools explain`.

use serde_json::{Value, json};

use crate::support::schema;
use crate::support::tree::Tree;
use crate::support::view::list;

/// A hub, a tool that it unlocks for ten minutes, and one that waits for a stage.
const SESSION: &str = r#"
-- project/rules.toml --
stages = ["entry", "connected"]

[[tool]]
name = "db__query"
auto_hide_after = "10m"

[[tool]]
name = "db__drop"
stage = "connected"

[[trigger]]
hub = "db__open"
operation = "connect"
unlocks = ["db__query"]
advance = "connected"
description = "the database is open"
-- project/db.json --
[{"name": "open", "inputSchema": {"type": "object", "properties": {"operation": {"enum": ["connect", "close"]}}}},
 {"name": "query", "inputSchema": {"type": "object", "properties": {"sql": {"type": "string"}}}},
 {"name": "drop"}]
"#;

/// Replays events and gives the answer to each, held against the schema.
fn replay(tree: &mut Tree, events: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    tree.write("project/events.jsonl", lines.join("\n"));
    let answers = tree
        .aleph(["tools", "simulate", "rules.toml", "--catalog", "db.json"])
        .reads(tree.path("project/events.jsonl"))
        .run()
        .exits(0)
        .json_lines();
    assert_eq!(answers.len(), events.len());
    answers.iter().for_each(schema::validate);
    answers
}

fn connect(ok: bool) -> Value {
    json!({"call": "db__open", "arguments": {"operation": "connect"}, "ok": ok})
}

#[test]
fn lint_names_what_is_wrong_with_line_and_column() {
    let tree = Tree::in_git(
        r#"
-- project/broken.toml --
[[tool]]
name = "db__drop"
stage = "nowhere"

[[trigger]]
hub = "db__a"
operation = "run"
unlocks = ["db__b"]

[[trigger]]
hub = "db__b"
operation = "run"
unlocks = ["db__a"]

[[trigger]]
hub = "db__open"
operation = "connect"
requires_stage = "domain_active"
advance = "entry"
"#,
    );
    let answer = tree
        .aleph(["tools", "lint", "broken.toml", "--json"])
        .run()
        .exits(1)
        .json();
    let told: Vec<(&str, i64, i64)> = list(&answer, "diagnostics")
        .iter()
        .filter(|one| one["severity"] == "error")
        .map(|one| {
            let place = |key: &str| one[key].as_i64().unwrap();
            (one["code"].as_str().unwrap(), place("line"), place("column"))
        })
        .collect();
    let expected = [
        ("unreachable-tool", 1, 1),
        ("unknown-stage", 3, 9),
        ("unreachable-tool", 8, 12),
        ("unreachable-tool", 13, 12),
        ("orphan-trigger", 15, 1),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        (&answer["tools"], &answer["reachable"], &answer["clean"]),
        (&json!(3), &json!(0), &json!(false))
    );
    tree.aleph(["tools", "lint", "broken.toml"])
        .run()
        .exits(1)
        .shows("3:9")
        .shows("there is no stage `nowhere`")
        .shows("to unlock it takes itself (db__a needs db__b needs db__a)")
        .shows("3 tools, 0 reachable");
}

#[test]
fn lint_has_nothing_to_say_of_sound_rules() {
    let tree = Tree::in_git(SESSION);
    let answer = tree
        .aleph(["tools", "lint", "rules.toml", "--catalog", "db.json", "--json"])
        .run()
        .exits(0)
        .json();
    assert_eq!(answer["diagnostics"], json!([]));
    assert_eq!(answer["clean"], true);
}

#[test]
fn rules_with_errors_are_not_used() {
    let tree = Tree::in_git("-- project/broken.toml --\n[[tool]]\nname = \"a\"\nstage = \"nowhere\"");
    tree.aleph(["tools", "simulate", "broken.toml"])
        .run()
        .exits(2)
        .says("unknown-stage")
        .says("tools lint");
}

#[test]
fn a_call_that_fails_unlocks_nothing_and_one_that_succeeds_brings_the_schema() {
    let mut tree = Tree::in_git(SESSION);
    let answers = replay(
        &mut tree,
        &[json!({"call": "db__query"}), connect(false), connect(true)],
    );
    let error = answers[0]["error"].as_str().unwrap();
    assert!(error.contains("db__query is not visible"), "{error}");
    assert!(error.contains("call db__open with operation"), "{error}");
    assert_eq!(answers[1]["visible"], json!([]));
    assert_eq!(answers[1]["stage"], "entry");
    assert_eq!(answers[1]["list_changed"], 0);
    let new = &answers[2]["unlocked"]["newly_discovered"][0];
    assert_eq!(new["tool"], "db__query");
    assert_eq!(new["expires_in_ms"], 600_000);
    assert_eq!(new["schema"]["properties"]["sql"]["type"], "string");
    assert_eq!(answers[2]["unlocked"]["advanced_to"], "connected");
    assert_eq!(answers[2]["notification"]["message"], "Tool unlocked: db__query");
    assert_eq!(answers[2]["visible"], json!(["db__drop", "db__query"]));
    assert_eq!(answers[2]["list_changed"], 1);
}

#[test]
fn stages_leases_hiding_and_resetting_are_replayed() {
    let mut tree = Tree::in_git(SESSION);
    let events = [
        json!({"advance": "connected"}),
        json!({"advance": "entry"}),
        connect(true),
        json!({"hide": "db__query"}),
        connect(true),
        json!({"show": "db__query"}),
        json!({"wait": "9m"}),
        json!({"use": "db__query"}),
        json!({"wait": "9m"}),
        json!({"wait": "2m"}),
        json!({"reset": true}),
        json!({"show": "db__query"}),
    ];
    let answers = replay(&mut tree, &events);
    let visible: Vec<String> = answers
        .iter()
        .map(|answer| {
            let names = list(answer, "visible").iter().map(|name| name.as_str().unwrap());
            names.collect::<Vec<_>>().join(" ")
        })
        .collect();
    let (both, drop) = ("db__drop db__query", "db__drop");
    assert_eq!(
        visible,
        [drop, drop, both, drop, drop, both, both, both, both, drop, "", ""]
    );
    assert!(
        answers[1]["error"]
            .as_str()
            .unwrap()
            .contains("only a reset goes back")
    );
    assert_eq!(answers[3]["hide"]["outcome"], "hidden");
    assert_eq!(answers[4]["unlocked"]["hidden"], json!(["db__query"]));
    assert_eq!(answers[5]["show"]["outcome"], "shown");
    assert_eq!(answers[9]["changed"]["disappeared"], json!(["db__query"]));
    assert_eq!(answers[10]["stage"], "entry");
    assert_eq!(answers[11]["show"]["outcome"], "never-unlocked");
}

#[test]
fn two_handles_are_two_sessions_under_one_clock() {
    let mut tree = Tree::in_git(SESSION);
    let of = |handle: &str, mut event: Value| {
        event["handle"] = json!(handle);
        event
    };
    let answers = replay(
        &mut tree,
        &[
            of("one", connect(true)),
            of("two", json!({"use": "db__query"})),
            of("two", json!({"wait": "11m"})),
            of("one", json!({"use": "db__drop"})),
        ],
    );
    assert_eq!(answers[1]["handle"], "two");
    assert_eq!(answers[1]["visible"], json!([]));
    assert!(answers[1]["error"].is_string());
    assert_eq!(answers[3]["changed"]["disappeared"], json!(["db__query"]));
    assert_eq!(answers[3]["stage"], "connected");
}

#[test]
fn explain_tells_clause_by_clause_what_a_session_lacks() {
    let mut tree = Tree::in_git(SESSION);
    let mut ask = |session: &[Value], code: i32| {
        let lines: Vec<String> = session.iter().map(Value::to_string).collect();
        tree.write("project/events.jsonl", lines.join("\n"));
        let arguments = [
            "tools",
            "explain",
            "db__query",
            "--rules",
            "rules.toml",
            "--session",
            "events.jsonl",
            "--json",
        ];
        tree.aleph(arguments).run().exits(code).json()
    };
    let before = ask(&[], 1);
    assert_eq!(before["visible"], false);
    assert_eq!(before["next"], "call db__open with operation = \"connect\"");
    let failing = |answer: &Value| -> Vec<String> {
        let clauses = list(answer, "clauses").iter();
        clauses
            .filter(|clause| clause["holds"] == false)
            .map(|clause| clause["clause"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(failing(&before), ["unlocked"]);
    let after = ask(&[connect(true)], 0);
    assert_eq!((&after["visible"], &after["next"]), (&json!(true), &json!(null)));
    let late = ask(&[connect(true), json!({"wait": "11m"})], 1);
    assert_eq!(failing(&late), ["lease"]);
    assert_eq!(late["next"], "show db__query");
}

/// What a session does not see is not found, not counted, and named nowhere.
#[test]
fn a_search_finds_what_the_session_sees() {
    let mut tree = Tree::in_git(SESSION);
    let mut ask = |session: &[Value], query: &str| {
        let lines: Vec<String> = session.iter().map(Value::to_string).collect();
        tree.write("project/events.jsonl", lines.join("\n"));
        let arguments = [
            "tools",
            "search",
            query,
            "--catalog",
            "db.json",
            "--rules",
            "rules.toml",
            "--json",
        ];
        let session = ["--session", "events.jsonl"];
        let answer = tree
            .aleph(arguments.iter().chain(&session).copied())
            .run()
            .exits(0)
            .json();
        schema::validate(&answer);
        let names: Vec<String> = list(&answer, "results")
            .iter()
            .map(|hit| hit["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(answer["matched"], names.len());
        (names, answer)
    };
    for query in ["query", "db__query", "select:db__query", "/quer/", "qery"] {
        let (names, answer) = ask(&[], query);
        assert!(names.iter().all(|name| name == "db__open"), "{query}: {answer:#}");
        assert_eq!(
            (&answer["indexed"], &answer["suggestions"]),
            (&json!(1), &json!([])),
            "{query}"
        );
        let (names, answer) = ask(&[connect(true)], query);
        assert_eq!(names[0], "db__query", "{query}");
        assert_eq!(answer["indexed"], 3);
    }
    assert_eq!(ask(&[], "server:db").0, ["db__open"]);
    let late = [connect(true), json!({"wait": "11m"}), json!({"hide": "db__open"})];
    assert_eq!(ask(&late, "server:db").0, ["db__drop"]);
    let (names, answer) = ask(
        &[connect(true), json!({"reset": true}), json!({"hide": "db__open"})],
        "open",
    );
    assert!(names.is_empty());
    assert!(
        answer["reason"].as_str().unwrap().contains("no tool is visible"),
        "{answer:#}"
    );
    // Without rules and events, everything is found; the rules of the Aleph home count for a session.
    tree.write(
        "home/.aleph/disclosure.toml",
        "[[tool]]\nname = \"db__drop\"\nstage = \"init_complete\"\n",
    );
    let count = |tree: &Tree, flags: &[&str]| {
        let arguments = ["tools", "search", "server:db", "--catalog", "db.json", "--json"];
        tree.aleph(arguments.iter().chain(flags).copied())
            .run()
            .exits(0)
            .json()["matched"]
            .clone()
    };
    assert_eq!(count(&tree, &[]), 3);
    tree.write("project/events.jsonl", "");
    assert_eq!(count(&tree, &["--session", "events.jsonl"]), 2);
}

/// Also a tool that no rule speaks of can be hidden, and that is told.
#[test]
fn hiding_a_tool_without_a_rule_is_a_change() {
    let mut tree = Tree::in_git(SESSION);
    let events = ["hide", "show", "hide"].map(|what| json!({what: "db__open"}));
    let answers = replay(&mut tree, &[&events[..], &[json!({"reset": true})]].concat());
    let changes: Vec<_> = answers
        .iter()
        .map(|answer| (&answer["changed"], &answer["list_changed"]))
        .collect();
    let (gone, back) = (
        json!({"appeared": [], "disappeared": ["db__open"]}),
        json!({"appeared": ["db__open"], "disappeared": []}),
    );
    let one = json!(1);
    assert_eq!(
        changes,
        [(&gone, &one), (&back, &one), (&gone, &one), (&back, &one)]
    );
}

#[test]
fn what_plugins_bring_is_a_tool_once_and_by_its_full_name() {
    let tree = Tree::in_git(
        "
-- home/.aleph/plugins/ops/skills/publish/SKILL.md --
-- project/.aleph/skills/deploy/SKILL.md --
",
    );
    let answer = tree
        .aleph(["tools", "list", "--kind", "skill", "--json"])
        .run()
        .exits(0)
        .json();
    let names: Vec<&str> = list(&answer, "tools")
        .iter()
        .map(|tool| tool["tool"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["deploy", "ops:publish"], "{answer:#}");
}

/// What lint counts as an error stops the gateway, and what it tells as odd is told.
#[test]
fn the_gateway_and_lint_judge_alike() {
    let mut tree = crate::gateway_client::tree(&[("a", "healthy")]);
    let trigger = "[[trigger]]\nhub = \"a__tool_0\"\noperation = \"open\"\nunlocks = [\"a__tool_1\"]\n";
    let declared = "[[tool]]\nname = \"a__tool_1\"\n";
    tree.write(
        "project/twice.toml",
        format!("{trigger}{trigger}{declared}").into_bytes(),
    );
    let stray = format!(
        "{trigger}{declared}[[tool]]\nname = \"gone__one\"\n[[tool]]\nname = \"gone__two\"\nstage = \"cipher_loaded\"\n"
    );
    tree.write("project/stray.toml", stray.into_bytes());
    let told = [
        "warning: `gone__one` and 1 more are of the server `gone`, which is not configured here",
        "warning: `gone__two` needs the stage `cipher_loaded`, which no trigger leads to",
    ];
    for (command, file, code) in [
        (&["tools", "lint"][..], "twice.toml", 1),
        (&["tools", "lint"], "stray.toml", 0),
        (&["serve", "--rules"], "twice.toml", 2),
        (&["serve", "--rules"], "stray.toml", 0),
    ] {
        let run = tree.aleph([command, &[file]].concat()).run().exits(code);
        let all = format!("{}{}", run.stdout, run.stderr);
        for told in told {
            assert_eq!(
                all.contains(told),
                file == "stray.toml",
                "{command:?} {file}: {run}"
            );
        }
        assert_eq!(
            all.contains("duplicate-trigger"),
            code != 0,
            "{command:?} {file}: {run}"
        );
        assert!(!all.contains("server `a`"), "{run}");
    }
}

/// A hub whose tool unlocks another, and one that no rule speaks of.
const CHAIN: &str = r#"
-- project/rules.toml --
[[trigger]]
hub = "h__hub"
operation = "o"
unlocks = ["h__a"]
[[trigger]]
hub = "h__a"
operation = "o"
unlocks = ["h__b"]
-- project/tools.json --
{"h": [{"name": "hub"}, {"name": "a"}, {"name": "b"}, {"name": "h:d"}], "i": [{"name": "a"}]}
"#;

fn explained(tree: &Tree, name: &str, code: i32) -> Value {
    let arguments = [
        "tools",
        "explain",
        name,
        "--rules",
        "rules.toml",
        "--catalog",
        "tools.json",
        "--json",
    ];
    let answer = tree.aleph(arguments).run().exits(code).json();
    schema::validate(&answer);
    answer
}

#[test]
fn explain_knows_what_there_is_not() {
    let tree = Tree::in_git(CHAIN);
    let answer = explained(&tree, "h__hubb", 1);
    assert_eq!(
        (&answer["visible"], &answer["reason"]),
        (&json!(false), &json!("unknown"))
    );
    assert_eq!(answer["suggestions"], json!(["h__hub"]));
    // A bare name will do where one server has it.
    assert_eq!(explained(&tree, "hub", 0)["name"], "h__hub");
    assert_eq!(explained(&tree, "d", 0)["name"], "h__d");
    let answer = explained(&tree, "b", 1);
    assert_eq!(
        (&answer["name"], &answer["reason"]),
        (&json!("h__b"), &json!("never-unlocked"))
    );
    assert_eq!(
        answer["next"],
        "call h__hub with operation = \"o\", then call h__a with operation = \"o\""
    );
    assert_eq!(explained(&tree, "a", 1)["suggestions"], json!(["h__a", "i__a"]));
    let table = tree
        .aleph(["tools", "explain", "h__hubb", "--catalog", "tools.json"])
        .run()
        .exits(1);
    assert!(table.stdout.contains("h__hubb is unknown"), "{table}");
    assert!(table.stdout.contains("nearest names: h__hub"), "{table}");
    // Where nothing is known of tools, that is said.
    let table = tree.aleph(["tools", "explain", "h__hub"]).run().exits(0);
    assert!(table.stderr.contains("no tools are known"), "{table}");
}

/// The gateway's policy is one of the clauses, whoever asks.
#[test]
#[cfg(feature = "mcp")]
fn what_the_operator_denies_is_denied_in_every_question_about_a_session() {
    let mut tree = Tree::in_git(CHAIN);
    assert_eq!(explained(&tree, "h__d", 0)["visible"], true);
    tree.write(
        "home/.aleph/aleph.toml",
        "[gateway]\ndeny = [\"h__h:d\", \"h__hub\"]\n",
    );
    let answer = explained(&tree, "h__d", 1);
    assert_eq!(
        (&answer["reason"], &answer["next"]),
        (&json!("denied"), &json!(null))
    );
    // Neither is there a way through a hub that is denied.
    assert_eq!(explained(&tree, "h__a", 1)["next"], Value::Null);
    tree.write(
        "project/events.jsonl",
        "{\"use\": \"h__d\"}\n{\"call\": \"h__hub\"}\n{\"hide\": \"h__d\"}\n",
    );
    let answers = tree
        .aleph(["tools", "simulate", "rules.toml", "--catalog", "tools.json"])
        .reads(tree.path("project/events.jsonl"))
        .run()
        .exits(0)
        .json_lines();
    answers.iter().for_each(schema::validate);
    assert_eq!(
        (&answers[0]["refused"], &answers[1]["refused"]),
        (&json!("denied"), &json!("denied"))
    );
    assert_eq!(answers[2]["hide"]["outcome"], "denied");
    let found = tree
        .aleph([
            "tools",
            "search",
            "server:h",
            "--rules",
            "rules.toml",
            "--catalog",
            "tools.json",
            "--json",
        ])
        .run()
        .exits(0)
        .json();
    assert_eq!(found["count"], 0, "{found:#}");
    // With a policy that is not understood nothing is served, and nothing said of what would be.
    tree.write("home/.aleph/aleph.toml", "[gateway]\ndenied = []\n");
    tree.aleph(["tools", "explain", "h__d", "--catalog", "tools.json"])
        .run()
        .exits(2);
}
