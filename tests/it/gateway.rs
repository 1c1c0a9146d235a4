//! `serve` over standard input and output: how it begins, what it refuses, and that nothing is left when it ends.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gateway_client::{LIMIT, Served, lists_are_kept, nothing_is_left, text, tree};
use super::mcp_script::{configure, left, script};
use super::support::tree::Tree;
use super::support::{is_ignored, skipped};

#[test]
fn an_agent_finds_describes_and_calls_what_is_approved() {
    let tree = tree(&[("a", "healthy"), ("b", "healthy")]);
    let mut served = Served::ready(&tree, &[]);
    let found = served.tool("tool_search", &json!({"query": "thing 1", "limit": 20}));
    assert_eq!(found["structuredContent"]["matched"], 6, "{found}");
    let schema = served.tool("get_tool_schema", &json!({"name": "b__tool_1"}));
    assert_eq!(schema["structuredContent"]["found"], true);
    assert_eq!(
        text(&served.call("b__tool_1", &json!({"x": 1}))),
        "\"tool_1\" {\"x\":1}"
    );
    // What they listed is kept: the next gateway starts none of them before it is called.
    lists_are_kept(&tree, 2);
    drop(served.stdin.take());
    assert_eq!(served.ends().code(), Some(0));
    let before = super::mcp_script::started(&tree);
    let mut served = Served::ready(&tree, &[]);
    let found = served.tool("tool_search", &json!({"query": "thing 1"}));
    assert_eq!(found["structuredContent"]["matched"], 6);
    assert_eq!(super::mcp_script::started(&tree), before);
}

#[test]
fn a_task_that_nobody_can_follow_is_a_failure_that_says_so() {
    let tree = tree(&[("a", "begins a task when called")]);
    let mut served = Served::ready(&tree, &[]);
    let answer = served.call("a__tool_0", &json!({}));
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(
        text(&answer).starts_with("`a__tool_0` began a task (`7`) instead of answering"),
        "{answer}"
    );
}

#[test]
fn what_is_not_approved_is_not_there_unless_it_is_named() {
    let mut tree = Tree::new("-- project/.git/ --\n-- home/.aleph/ --\n");
    configure(&mut tree, &[("a", "healthy")]);
    let mut served = Served::ready(&tree, &[]);
    let found = served.tool("tool_search", &json!({"query": "thing"}))["structuredContent"].clone();
    assert_eq!(found["count"], 0);
    assert!(
        found["reason"]
            .as_str()
            .unwrap()
            .contains("no server is configured and approved"),
        "{found}"
    );
    assert_eq!(super::mcp_script::started(&tree), 0);
    let mut served = Served::ready(&tree, &["--server", "a"]);
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
    tree.aleph(["serve", "--server", "b"])
        .run()
        .exits(2)
        .says("no MCP server is called `b`");
}

#[test]
fn nothing_is_left_whatever_ends_it() {
    for behaviour in ["hangs when called", "has a grandchild and ignores everything"] {
        for signal in [None, Some(("INT", 2)), Some(("TERM", 15)), Some(("HUP", 1))] {
            if signal.is_some_and(|(_, number)| is_ignored(number)) {
                skipped(
                    "nothing_is_left_whatever_ends_it",
                    &format!("{signal:?} is ignored here"),
                );
                continue;
            }
            let tree = tree(&[("a", behaviour)]);
            let mut served = Served::ready(&tree, &[]);
            let started = served.tool("tool_search", &json!({"query": "thing"}));
            assert_eq!(started["structuredContent"]["count"], 3);
            let calls = super::mcp_script::started(&tree);
            served.send(
                "tools/call",
                &json!({"name": "call_tool", "arguments": {"name": "a__tool_0"}}),
            );
            let until = Instant::now() + LIMIT;
            while super::mcp_script::started(&tree) == calls {
                assert!(Instant::now() < until, "the call does not arrive");
                thread::sleep(Duration::from_millis(20));
            }
            assert!(!left(&tree).is_empty());
            match signal {
                None => drop(served.stdin.take()),
                Some((name, _)) => served.signal(name),
            }
            let status = served.ends();
            // It ends by the signal itself, once nothing is left of what it started.
            let expected = signal.map_or((Some(0), None), |(_, number)| (None, Some(number)));
            assert_eq!(
                (status.code(), status.signal()),
                expected,
                "{signal:?}, {behaviour}"
            );
            nothing_is_left(&tree);
        }
    }
}

#[test]
fn a_server_that_ends_in_mid_call_costs_that_call_and_the_next_gets_a_fresh_one() {
    let tree = tree(&[("a", "ends when called"), ("b", "healthy")]);
    let mut served = Served::ready(&tree, &[]);
    served.tool("tool_search", &json!({"query": "thing"}));
    let answer = served.call("a__tool_0", &json!({}));
    assert_eq!(answer["isError"], true);
    assert!(text(&answer).contains("the server `a` failed"), "{answer}");
    assert!(!text(&answer).contains("hunter2"), "{answer}");
    assert_eq!(text(&served.call("b__tool_0", &json!({}))), "\"tool_0\" {}");
    std::fs::write(script(&tree, "a"), "healthy").unwrap();
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
}

#[test]
fn servers_that_misbehave_cost_their_own_tools_only() {
    let tree = tree(&[
        ("dies", "ends at start"),
        ("garbage", "talks garbage"),
        ("good", "healthy"),
    ]);
    let mut served = Served::ready(&tree, &[]);
    let found =
        served.tool("tool_search", &json!({"query": "thing", "limit": 20}))["structuredContent"].clone();
    assert_eq!(found["count"], 6, "{found}");
    assert!(
        found["note"].as_str().unwrap().contains("not searched: dies"),
        "{found}"
    );
    assert_eq!(text(&served.call("garbage__tool_0", &json!({}))), "\"tool_0\" {}");
    let answer = served.call("dies__tool_0", &json!({}));
    assert_eq!(answer["isError"], true);
}

#[test]
fn a_client_that_sends_garbage_is_answered_or_passed_over_and_served_all_the_same() {
    let tree = tree(&[("a", "healthy")]);
    let mut served = Served::new(&tree, &[]);
    for garbage in [
        "",
        "hello",
        "{",
        "[]",
        "null",
        "{\"jsonrpc\": \"2.0\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 99, \"method\": \"tools/list\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": 5}",
        "\u{0}\u{1}\u{1b}[31m",
    ] {
        served.say(garbage);
    }
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let answer = served.ask("initialize", &hello);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    served.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    for garbage in [
        "{\"jsonrpc\": \"2.0\", \"id\": 98, \"method\": \"no/such\"}",
        "[1, 2",
        "{\"id\": 5, \"result\": {}}",
    ] {
        served.say(garbage);
    }
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
    let unknown = served.ask("tools/call", &json!({"name": "nothing"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_client_that_floods_gets_an_answer_to_everything() {
    let tree = tree(&[("a", "healthy")]);
    let mut served = Served::ready(&tree, &[]);
    served.tool("tool_search", &json!({"query": "thing"}));
    let mut ids = Vec::new();
    for _ in 0..2_000 {
        ids.push(served.send(
            "tools/call",
            &json!({"name": "tool_search", "arguments": {"query": "thing"}}),
        ));
    }
    let mut answered = std::collections::BTreeSet::new();
    while answered.len() < ids.len() {
        let line = served
            .lines
            .recv_timeout(LIMIT)
            .expect("every request is answered");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message.get("result").is_some() {
            answered.insert(message["id"].as_i64().unwrap());
        }
    }
}

#[test]
fn a_policy_that_is_not_understood_stops_it_and_a_project_only_denies() {
    let policies = [
        (
            "[gateway]\nalow = []\n",
            "there is no key `alow` in `[gateway]`",
            ":2:1",
        ),
        (
            "[gateway]\nallow = true\n",
            "`allow` is a boolean, not a list of names",
            ":2:9",
        ),
        ("[gateway\n", "", ":1:"),
    ];
    for (text, message, at) in policies {
        let mut tree = tree(&[("a", "healthy")]);
        tree.write("home/.aleph/aleph.toml", text.as_bytes());
        let run = tree
            .aleph(["serve"])
            .run()
            .exits(2)
            .says(message)
            .says(&format!("aleph.toml{at}"))
            .says("what the gateway may call cannot be told: one finding is an error\n");
        assert_eq!(run.stdout, "");
        assert_eq!(super::mcp_script::started(&tree), 0);
    }
    let mut tree = tree(&[("a", "healthy")]);
    tree.write("home/.aleph/aleph.toml", b"[gateway]\ndeny = [\"a__tool_0\"]\n");
    tree.write(
        "project/aleph.toml",
        b"[gateway]\nallow = [\"*\"]\ndeny = [\"a__tool_1\"]\n",
    );
    let mut served = Served::ready(&tree, &[]);
    for denied in ["a__tool_0", "a__tool_1"] {
        assert_eq!(
            text(&served.call(denied, &json!({}))),
            format!("the operator denies `{denied}`")
        );
    }
    assert_eq!(text(&served.call("a__tool_2", &json!({}))), "\"tool_2\" {}");
    tree.write("project/aleph.toml", b"[gateway]\ndenny = []\n");
    tree.aleph(["serve"]).run().exits(2).says("did you mean `deny`?");
    // It is not waited for, and does not count as a policy that is not there.
    let path = tree.path("home/.aleph/aleph.toml");
    std::fs::remove_file(&path).expect("it is there");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("there is mkfifo").success());
    tree.aleph(["serve"]).run().exits(2).says("not a regular file");
}

#[test]
fn rules_with_a_mistake_are_refused_with_line_and_column() {
    let mistakes = [
        ("stages = []\n", ":1:10"),
        ("[[tool]]\nname = \"a__tool_0\"\nstage = \"nowhere\"\n", ":3:9"),
        ("[[tool]]\nnam = \"a__tool_0\"\n", ":2:1"),
        (
            "[[trigger]]\nhub = \"a__tool_0\"\noperation = \"x\"\nunlocks = \"a__tool_1\"\n",
            ":4:11",
        ),
        ("[[tool]\n", ":1:"),
    ];
    for (rules, at) in mistakes {
        let mut tree = tree(&[("a", "healthy")]);
        tree.write("home/.aleph/disclosure.toml", rules.as_bytes());
        tree.aleph(["serve"])
            .run()
            .exits(2)
            .says(&format!("disclosure.toml{at}"));
        tree.write("project/own.toml", rules.as_bytes());
        tree.aleph(["serve", "--rules", "own.toml"])
            .run()
            .exits(2)
            .says(&format!("own.toml{at}"));
    }
    let mut tree = tree(&[("a", "healthy")]);
    let two = "[[tool]]\nnam = \"a__tool_0\"\n[[tool]]\nname = \"a__tool_0\"\nstage = \"nowhere\"\n";
    for (rules, errors) in [
        (mistakes[0].0, "one finding is an error"),
        (two, "4 of the findings are errors"),
    ] {
        tree.write("home/.aleph/disclosure.toml", rules.as_bytes());
        tree.aleph(["serve"])
            .run()
            .exits(2)
            .says(&format!("these rules cannot be used: {errors}\n"));
    }
    tree.aleph(["serve", "--rules", "missing.toml"])
        .run()
        .exits(2)
        .says("cannot read");
}

/// As `nohup` starts it, hanging up does not end it; any other signal does.
#[cfg(target_os = "linux")]
#[test]
fn a_hang_up_that_is_ignored_stays_ignored() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    if is_ignored(1) {
        return skipped(
            "a_hang_up_that_is_ignored_stays_ignored",
            "a hang-up is ignored here anyhow",
        );
    }
    let tree = tree(&[("a", "healthy")]);
    let child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" serve"])
        .arg(env!("CARGO_BIN_EXE_aleph-discover"))
        .current_dir(tree.path("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", tree.path("home"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is sh");
    let mut ignoring = Served::of(child);
    let mut usual = Served::new(&tree, &[]);
    for served in [&mut ignoring, &mut usual] {
        served.hello(&json!({}));
        served.signal("HUP");
    }
    assert_eq!(usual.ends().signal(), Some(1));
    let found = ignoring.tool("tool_search", &json!({"query": "select:a__tool_1"}));
    assert_eq!(found["structuredContent"]["count"], 1, "{found}");
    ignoring.signal("TERM");
    assert_eq!(ignoring.ends().signal(), Some(15));
}

#[test]
fn rules_hold_through_the_gateway() {
    let mut tree = tree(&[("a", "healthy")]);
    let rules = "[[trigger]]\nhub = \"a__tool_0\"\noperation = \"open\"\nunlocks = [\"a__tool_1\"]\n";
    tree.write("home/.aleph/disclosure.toml", rules.as_bytes());
    let mut served = Served::ready(&tree, &[]);
    assert_eq!(served.call("a__tool_1", &json!({}))["isError"], true);
    let answer = served.call("a__tool_0", &json!({"operation": "open"}));
    let unlocked = &answer["_meta"]["aleph/unlocked"]["newly_discovered"][0];
    assert_eq!(unlocked["tool"], "a__tool_1", "{answer}");
    assert_eq!(unlocked["schema"]["type"], "object");
    assert_eq!(text(&served.call("a__tool_1", &json!({}))), "\"tool_1\" {}");
}

#[test]
fn the_gateway_is_not_put_behind_itself() {
    let mut tree = Tree::new("-- project/.git/ --\n-- home/.aleph/ --\n");
    let text = json!({"mcpServers": {"self": {"command": "aleph-discover", "args": ["serve"]}}});
    tree.write("project/.mcp.json", text.to_string().into_bytes());
    tree.aleph(["mcp", "approve", "self", "--yes"]).run().exits(0);
    tree.aleph(["serve"])
        .run()
        .exits(0)
        .says("`self` is this gateway itself, so it is left out");
}

#[test]
fn what_was_revoked_is_neither_started_nor_used_any_more_by_a_gateway_that_runs() {
    let tree = tree(&[("a", "healthy"), ("b", "healthy")]);
    let revoke = |name: &str| {
        tree.aleph(["mcp", "revoke", name]).run().exits(0);
    };
    let approve = |name: &str| {
        tree.aleph(["mcp", "approve", name, "--yes"]).run().exits(0);
    };
    let mut served = Served::ready(&tree, &[]);
    // One that runs, revoked: its process is ended.
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
    let before = left(&tree).len();
    revoke("a");
    let refused = served.call("a__tool_0", &json!({}));
    assert_eq!(refused["isError"], true);
    assert!(
        text(&refused).contains("its approval was taken back"),
        "{refused}"
    );
    let until = Instant::now() + LIMIT;
    while left(&tree).len() == before {
        assert!(Instant::now() < until, "it goes on: {:?}", left(&tree));
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(text(&served.call("b__tool_0", &json!({}))), "\"tool_0\" {}");
    // The same definition approved again is the one that was.
    approve("a");
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
    lists_are_kept(&tree, 2);
    drop(served.stdin.take());
    served.ends();
    // One that is known by its snapshot and was not started yet.
    let mut served = Served::ready(&tree, &[]);
    let started = super::mcp_script::started(&tree);
    revoke("a");
    assert_eq!(served.call("a__tool_0", &json!({}))["isError"], true);
    assert_eq!(super::mcp_script::started(&tree), started);
    // One that was named needs no approval.
    let mut served = Served::ready(&tree, &["--server", "a"]);
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
}

#[test]
fn a_server_that_is_mended_while_the_gateway_runs_is_found() {
    let mut tree = tree(&[("a", "healthy"), ("b", "ends at start")]);
    tree.write(
        "home/.aleph/aleph.toml",
        b"[mcp_client]\nrestart_backoff = \"100ms\"\n",
    );
    let mut served = Served::ready(&tree, &[]);
    let search = |served: &mut Served| {
        served.tool("tool_search", &json!({"query": "thing", "limit": 20}))["structuredContent"].clone()
    };
    assert_eq!(search(&mut served)["count"], 3);
    let answer = served.call("b__tool_0", &json!({}));
    assert!(text(&answer).contains("the server `b` failed"), "{answer}");
    std::fs::write(script(&tree, "b"), "healthy").unwrap();
    let until = Instant::now() + LIMIT;
    while search(&mut served)["count"] != 6 {
        assert!(Instant::now() < until, "it is not found");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(text(&served.call("b__tool_0", &json!({}))), "\"tool_0\" {}");
}

#[test]
fn what_is_not_behind_it_is_told_to_the_user_and_to_an_agent_that_misses_it() {
    let mut tree = tree(&[("a", "healthy")]);
    let servers = json!({"mcpServers": {
        "late": {"command": "true"},
        "needs": {"command": "true", "args": ["${NOT_SET_ANYWHERE}"]},
        "self": {"command": "aleph-discover", "args": ["serve"]},
    }});
    tree.write("home/.aleph/.mcp.json", servers.to_string().into_bytes());
    tree.aleph(["mcp", "approve", "needs", "--yes"]).run().exits(0);
    let run = tree
        .aleph(["serve"])
        .run()
        .exits(0)
        .says("not behind the gateway, since not approved: late (");
    assert!(!run.stderr.contains("approve self"), "{}", run.stderr);
    let mut served = Served::ready(&tree, &[]);
    let found = served.tool("tool_search", &json!({"query": "zzz qqq"}));
    let note = found["structuredContent"]["note"].as_str().unwrap();
    assert!(
        note.contains("late (the user has not approved it; `aleph-discover mcp approve late` does"),
        "{note}"
    );
    assert!(note.contains("the variable `NOT_SET_ANYWHERE`"), "{note}");
    assert!(!note.contains("self"), "{note}");
    let answer = served.call("late__x", &json!({}));
    assert!(text(&answer).contains("the user has not approved it"), "{answer}");
}

#[test]
fn who_has_configured_nothing_is_told_where_to_begin() {
    let tree = Tree::new("-- project/.git/ --\n-- home/.aleph/ --\n");
    tree.aleph(["serve"])
        .run()
        .exits(0)
        .says("no MCP server is configured here: configure one in `.mcp.json`")
        .says("mcp approve NAME");
}
