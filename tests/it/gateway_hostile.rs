//! `serve` among clients and servers that do what they should not, and files that cannot be understood.

use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gateway_client::{LIMIT, Served, text, tree};
use super::mcp_script::{left, script, started};
use super::support::tree::Tree;

/// Servers that are approved and are not waited for long: each answer has this time, and one that ended is started again
/// at once.
fn impatient(servers: &[(&str, &str)], request_timeout: &str) -> Tree {
    let mut tree = tree(servers);
    tree.write(
        "home/.aleph/aleph.toml",
        format!("[mcp_client]\nrequest_timeout = \"{request_timeout}\"\nrestart_backoff = \"100ms\"\n"),
    );
    tree
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn fifo(path: &std::path::Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("there is mkfifo").success());
}

#[test]
fn what_a_client_says_before_it_has_begun_ends_nothing() {
    let tree = tree(&[("a", "healthy")]);
    let mut served = Served::new(&tree, &[]);
    for early in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}),
    ] {
        served.say(&early.to_string());
    }
    assert_eq!(served.ask("ping", &json!({}))["result"], json!({}));
    served.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    served.hello(&json!({}));
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
}

/// A gateway of which nobody reads the answers, after these lines.
fn unread(tree: &Tree, lines: &[Value]) -> std::process::Child {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut child = tree.aleph(["serve"]).env("PATH", path).talk();
    let stdin = child.stdin.as_mut().expect("it is piped");
    for line in lines {
        writeln!(stdin, "{line}").expect("it is read");
    }
    child
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }})
}

fn list(id: usize) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})
}

fn ends(child: &mut std::process::Child, what: &str) {
    let until = Instant::now() + LIMIT;
    while child.try_wait().expect("it can be waited for").is_none() {
        if Instant::now() > until {
            let _ = child.kill();
            panic!("{what}");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_client_that_takes_no_answers_any_more_ends_it() {
    let tree = tree(&[("a", "has a grandchild and ignores everything")]);
    let mut child = unread(&tree, &[hello()]);
    wait_until("the server is not started", || {
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let stdin = child.stdin.as_ref().expect("it is piped");
        writeln!(&*stdin, "{initialized}").expect("it is read");
        started(&tree) >= 2
    });
    drop(child.stdout.take());
    // Its own end stays open.
    let mut stdin = child.stdin.take().expect("it is piped");
    // A test beside this one that is starting a program has a copy of the end that reads, until that runs: so more than
    // one answer is asked for.
    let mut id = 0;
    wait_until("it goes on without anybody to answer", || {
        id += 1;
        let _ = writeln!(stdin, "{}", list(id));
        child.try_wait().expect("it can be waited for").is_some()
    });
    wait_until("something is left", || left(&tree).is_empty());
}

#[test]
fn a_client_that_does_not_read_is_not_read_either_and_cannot_hold_it() {
    let tree = tree(&[("a", "healthy")]);
    let mut child = unread(&tree, &[hello()]);
    let mut stdin = child.stdin.take().expect("it is piped");
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        for id in 1..50_000 {
            if writeln!(stdin, "{}", list(id)).is_err() {
                break;
            }
            count.store(id, Ordering::Relaxed);
        }
        let _ = done.send(());
    });
    // Until nothing is taken any more.
    let mut before = usize::MAX;
    wait_until("it reads on and on", || {
        thread::sleep(Duration::from_millis(500));
        let now = written.load(Ordering::Relaxed);
        std::mem::replace(&mut before, now) == now && now > 0
    });
    assert!(is_done.try_recv().is_err(), "all was read");
    assert!(before < 5_000, "{before} requests were taken");
    child.kill().expect("it can be killed");
    let _ = child.wait();

    let mut child = unread(&tree, &[hello()]);
    let mut stdin = child.stdin.take().expect("it is piped");
    for id in 1..400 {
        writeln!(stdin, "{}", list(id)).expect("it is read");
    }
    drop(stdin);
    ends(&mut child, "answers that nobody reads hold it");
    wait_until("something is left", || left(&tree).is_empty());
}

#[test]
fn a_server_that_asks_on_and_on_costs_its_call() {
    let tree = impatient(&[("a", "asks on and on when called")], "50s");
    let mut served = Served::new(&tree, &[]);
    served.hello(&json!({"elicitation": {}}));
    let answer = served.call("a__tool_0", &json!({}));
    assert!(
        text(&answer).contains("the server `a` failed: it asked more than 256 things at once"),
        "{answer}"
    );
    assert_eq!(text(&served.call("a__tool_1", &json!({}))), "\"tool_1\" {}");
}

#[test]
fn a_question_is_taken_back_when_its_call_is_over() {
    let tree = impatient(&[("a", "asks when called")], "50s");
    let mut served = Served::new(&tree, &[]);
    served.hello(&json!({"elicitation": {}}));
    let call = served.send(
        "tools/call",
        &json!({"name": "call_tool", "arguments": {"name": "a__tool_0"}}),
    );
    let question = served.message(|message| message["method"] == "elicitation/create");
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}});
    served.say(&cancelled.to_string());
    let taken_back = served.message(|message| message["method"] == "notifications/cancelled");
    assert_eq!(taken_back["params"]["requestId"], question["id"]);
}

#[test]
fn a_server_that_only_logs_runs_out_of_time() {
    let tree = impatient(&[("a", "logs on and on when called")], "5s");
    let mut served = Served::ready(&tree, &[]);
    let answer = served.call("a__tool_0", &json!({}));
    assert!(
        text(&answer).contains("no answer to the call within 5 s"),
        "{answer}"
    );
}

#[test]
fn one_that_answers_nothing_any_more_is_replaced() {
    let tree = impatient(&[("a", "hangs when called")], "5s");
    let mut served = Served::ready(&tree, &[]);
    let answer = served.call("a__tool_0", &json!({}));
    assert!(
        text(&answer).contains("if it answers nothing more, it is started anew"),
        "{answer}"
    );
    wait_until("it goes on hanging", || left(&tree).is_empty());
    std::fs::write(script(&tree, "a"), "healthy").expect("it is written");
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
}

#[test]
fn the_last_words_of_a_server_are_told() {
    let tree = tree(&[("a", "ends when called")]);
    let mut served = Served::ready(&tree, &[]);
    let answer = text(&served.call("a__tool_0", &json!({})));
    assert!(answer.contains("; its last words: "), "{answer}");
    assert!(
        answer.contains("segmentation fault. A later call starts it anew."),
        "{answer}"
    );
    assert!(!answer.contains("hunter2"), "{answer}");
}

#[test]
fn a_server_that_could_not_be_asked_says_so_and_is_asked_again() {
    let tree = impatient(&[("a", "ends at start"), ("b", "healthy")], "50s");
    let mut served = Served::ready(&tree, &[]);
    served.tool("tool_search", &json!({"query": "thing"}));
    let answer = served.call("a__tool_0", &json!({}));
    assert!(
        text(&answer).contains("is not known: the server `a` failed: it ended early"),
        "{answer}"
    );
    let schema = served.tool("get_tool_schema", &json!({"name": "a__tool_0"}));
    assert_eq!(schema["structuredContent"]["reason"], "server-away", "{schema}");
    std::fs::write(script(&tree, "a"), "healthy").expect("it is written");
    let until = Instant::now() + LIMIT;
    while text(&served.call("a__tool_0", &json!({}))) != "\"tool_0\" {}" {
        assert!(Instant::now() < until, "it stays lost");
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_policy_that_cannot_be_read_stops_it_wherever_it_stands() {
    type Make = fn(&mut Tree);
    let deny = "[gateway]\ndeny = [\"a__tool_0\"]\n";
    let cases: [(&str, Make); 8] = [
        ("unclosed table", |tree| {
            tree.write("project/aleph.toml", b"[gateway\n")
        }),
        ("not UTF-8", |tree| {
            tree.write("project/aleph.toml", b"[gateway]\ndeny = [\"\xff\"]\n")
        }),
        ("not a regular file", |tree| {
            fifo(&tree.path("project/aleph.toml"))
        }),
        ("a symbolic link to something that is not there", |tree| {
            std::os::unix::fs::symlink("nowhere", tree.path("project/aleph.toml")).expect("it is made");
        }),
        ("a symbolic link to something that is not there", |tree| {
            std::os::unix::fs::symlink("nowhere", tree.path("home/.aleph/aleph.toml")).expect("it is made");
        }),
        ("is read from aleph.toml alone", |tree| {
            tree.write(
                "home/.aleph/aleph.jsonc",
                b"{\"gateway\": {\"deny\": [\"a__tool_0\"]}}",
            );
        }),
        ("so what this denies does not", |tree| {
            tree.write("project/aleph.toml", b"");
            tree.write(
                "project/aleph.json",
                b"{\"gateway\": {\"deny\": [\"a__tool_0\"]}}",
            );
        }),
        ("did you mean `gateway`?", |tree| {
            tree.write("home/.aleph/aleph.toml", b"[Gateway]\ndeny = [\"a__tool_0\"]\n");
        }),
    ];
    for (says, make) in cases {
        let mut tree = tree(&[("a", "healthy")]);
        make(&mut tree);
        let run = tree.aleph(["serve"]).run().exits(2).says(says);
        assert_eq!((run.stdout.as_str(), started(&tree)), ("", 0), "{says}");
    }
    let mut tree = tree(&[("a", "healthy")]);
    tree.write("home/.aleph/aleph.toml", deny.as_bytes());
    tree.write("home/.aleph/aleph.jsonc", b"{");
    let mut served = Served::ready(&tree, &[]);
    assert_eq!(
        text(&served.call("a__tool_0", &json!({}))),
        "the operator denies `a__tool_0`"
    );
}

#[test]
fn a_denied_resource_is_not_read_however_it_is_written() {
    let mut tree = tree(&[("a", "healthy")]);
    tree.write(
        "home/.aleph/aleph.toml",
        b"[gateway]\ndeny = [\"a:bytes://c\", \"a:note://{name}\", \"a:plain\"]\n",
    );
    let mut served = Served::ready(&tree, &[]);
    served.tool("tool_search", &json!({"query": "thing"}));
    let read = |served: &mut Served, uri: &str| served.tool("mcp_read_resource", &json!({"uri": uri}));
    for uri in [
        "a:bytes://c",
        "a:BYTES://c",
        "a:bytes://%63",
        "a:bytes://c?x",
        "a: bytes://c",
        "a:note://x",
    ] {
        let answer = read(&mut served, uri);
        assert_eq!(text(&answer), format!("the operator denies `{uri}`"), "{answer}");
    }
    // It is listed, and not denied itself.
    let answer = read(&mut served, "a:note://a:b");
    assert_eq!(answer["structuredContent"]["content_type"], "text", "{answer}");
    for (prompt, why) in [
        ("a:plain", "the operator denies `a:plain`"),
        ("a:Plain", "no server has the prompt `a:Plain`"),
        ("a:plain ", "no server has the prompt `a:plain `"),
    ] {
        let answer = served.tool("mcp_get_prompt", &json!({"name": prompt}));
        assert!(text(&answer).starts_with(why), "{prompt}: {answer}");
    }
}

#[test]
fn rules_in_the_home_are_a_file_and_nothing_is_waited_for() {
    let tree = tree(&[("a", "healthy")]);
    fifo(&tree.path("home/.aleph/disclosure.toml"));
    tree.aleph(["serve"]).run().exits(2).says("not a regular file");
    tree.aleph(["tools", "explain", "a__tool_0"])
        .run()
        .exits(2)
        .says("not a regular file");
}

#[test]
fn what_a_server_says_that_nobody_asked_costs_nothing() {
    let tree = impatient(&[("a", "says what nobody asked"), ("b", "healthy")], "50s");
    let mut served = Served::new(&tree, &[]);
    served.hello(&json!({"elicitation": {}}));
    for _ in 0..5 {
        assert_eq!(text(&served.call("a__tool_0", &json!({}))), "answer 0");
        assert_eq!(text(&served.call("b__tool_1", &json!({}))), "\"tool_1\" {}");
    }
    assert_eq!(started(&tree) - left(&tree).len(), 0, "one was started anew");
}

#[test]
fn a_storm_of_changes_delays_nobody() {
    let tree = tree(&[("a", "storms"), ("b", "healthy")]);
    let mut served = Served::ready(&tree, &[]);
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "done");
    let begun = Instant::now();
    for nth in 0..20 {
        let call = json!({"nth": nth});
        assert_eq!(
            text(&served.call("b__tool_1", &call)),
            format!("\"tool_1\" {call}")
        );
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn requests_of_odd_form_are_answered_or_left_and_end_nothing() {
    let tree = tree(&[("a", "healthy")]);
    let mut served = Served::new(&tree, &[]);
    // Before it has begun.
    served.say(&json!({"jsonrpc": "2.0", "id": 77, "method": "tools/list"}).to_string());
    served.hello(&json!({}));
    for odd in [
        json!([{"jsonrpc": "2.0", "id": 70, "method": "ping"}]),
        json!([]),
        json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": [1], "method": "ping"}),
        json!({"jsonrpc": "1.0", "id": 71, "method": "ping"}),
        json!({"id": 72, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 73}),
        json!({"jsonrpc": "2.0", "id": 74, "result": 1}),
        json!({"jsonrpc": "2.0", "id": 75, "error": 1}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1.5}}),
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "x", "progress": 1}}),
        json!("text"),
        json!(7),
    ] {
        served.say(&odd.to_string());
        assert_eq!(served.ask("ping", &json!({}))["result"], json!({}), "{odd}");
    }
    for id in [
        json!(9_007_199_254_740_993_i64),
        json!(i64::MAX),
        json!(-1),
        json!(""),
        json!("7"),
    ] {
        served.say(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string());
        let answer = served.message(|message| message["id"] == id);
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    // What cannot be an id of ours is refused or left, and the rest is still answered.
    served.say("{\"jsonrpc\": \"2.0\", \"id\": 99999999999999999999, \"method\": \"ping\"}");
    assert_eq!(text(&served.call("a__tool_0", &json!({}))), "\"tool_0\" {}");
    // Twice.
    served.hello(&json!({"elicitation": {}}));
    assert_eq!(text(&served.call("a__tool_1", &json!({}))), "\"tool_1\" {}");
}

#[test]
fn two_requests_of_one_id_do_not_confuse_it() {
    let tree = tree(&[("a", "healthy")]);
    let mut served = Served::ready(&tree, &[]);
    for name in ["a__tool_0", "a__tool_1"] {
        let params = json!({"name": "call_tool", "arguments": {"name": name}});
        served
            .say(&json!({"jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": params}).to_string());
    }
    served.message(|message| message["id"] == 500);
    assert_eq!(text(&served.call("a__tool_2", &json!({}))), "\"tool_2\" {}");
}

#[test]
fn what_is_denied_by_a_servers_own_name_starts_nothing() {
    let mut tree = impatient(&[("a b", "ends at start"), ("c", "healthy")], "50s");
    let text_of = std::fs::read_to_string(tree.path("home/.aleph/aleph.toml")).expect("it is there");
    let text_of = format!("{text_of}[gateway]\ndeny = [\"a b__*\"]\n");
    tree.write("home/.aleph/aleph.toml", text_of.into_bytes());
    let mut served = Served::ready(&tree, &[]);
    served.tool("tool_search", &json!({"query": "thing"}));
    // It may be started again from here on.
    thread::sleep(Duration::from_millis(500));
    let before = started(&tree);
    let answer = served.call("a_b__tool_0", &json!({}));
    assert!(text(&answer).contains("there is no tool"), "{answer}");
    assert_eq!(started(&tree), before);
    // Another one of it that is not denied would have been looked for.
    tree.write(
        "home/.aleph/aleph.toml",
        b"[mcp_client]\nrestart_backoff = \"100ms\"\n",
    );
    let mut served = Served::ready(&tree, &[]);
    served.tool("tool_search", &json!({"query": "thing"}));
    let before = started(&tree);
    wait_until("it is looked for", || {
        served.call("a_b__tool_0", &json!({}));
        started(&tree) > before
    });
}

#[test]
fn a_gateway_that_is_configured_is_left_out_whatever_starts_it() {
    for (command, args) in [
        ("aleph-discover", json!(["serve"])),
        ("/usr/bin/aleph-discover", json!(["-C", "/tmp", "serve"])),
        ("npx", json!(["-y", "aleph-discover@1.2.3", "serve"])),
        ("sh", json!(["-c", "exec aleph-discover serve"])),
    ] {
        let mut tree = tree(&[]);
        let servers = json!({"mcpServers": {"me": {"command": command, "args": args}}});
        tree.write("project/.mcp.json", servers.to_string().into_bytes());
        let run = tree.aleph(["mcp", "servers"]).run().exits(0);
        assert!(!run.stderr.contains("mcp approve"), "{command}: {run}");
        tree.aleph(["mcp", "approve", "me", "--yes"]).run().exits(0);
        let path = std::env::var_os("PATH").unwrap_or_default();
        tree.aleph(["serve"])
            .env("PATH", path)
            .run()
            .exits(0)
            .says("`me` is this gateway itself, so it is left out");
    }
    // Its name may stand in the path of another.
    let mut tree = tree(&[]);
    let servers = json!({"mcpServers": {"other": {"command": "uv", "args": ["--directory", "/src/aleph-discover", "run", "serve"]}}});
    tree.write("project/.mcp.json", servers.to_string().into_bytes());
    let run = tree.aleph(["mcp", "servers"]).run().exits(0);
    assert!(run.stderr.contains("mcp approve other"), "{run}");
}
