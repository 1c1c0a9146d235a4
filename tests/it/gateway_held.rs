//! Calls that are held for clients of 2026-07-28 while these answer what a server of an older revision asks: many at once,
//! clients that answer wrongly or vanish, servers that die, and the end of the gateway meanwhile.

use std::io::Read;
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gateway_client::{LIMIT, Served, nothing_is_left, text, tree};
use super::gateway_http::Listening;
use super::mcp_script::left;
use super::support::tree::Tree;

/// A server that asks when it is told to, and answers with what it was answered.
const ASKS: &str = "writes what nobody knows";

/// The parameters of a call that has the server ask.
fn asking(nth: usize) -> Value {
    calling(&json!({"ask": true, "nth": nth}), "t")
}

/// The parameters of a call of a client of this name.
fn calling(arguments: &Value, client: &str) -> Value {
    json!({
        "name": "call_tool", "arguments": {"name": "a__strange", "arguments": arguments},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    })
}

/// The same call again, with this answer.
fn again(call: &Value, asked: &Value, answer: &Value) -> Value {
    let mut call = call.clone();
    call["inputResponses"] = json!({"question-1": answer});
    call["requestState"] = asked["requestState"].clone();
    call
}

fn said() -> Value {
    json!({"action": "accept", "content": {"name": "Ada"}})
}

fn is_asked(result: &Value) -> bool {
    result["resultType"] == "input_required"
}

/// A client of 2026-07-28 over streams asks; the result.
fn ask(served: &mut Served, params: &Value) -> Value {
    served.ask("tools/call", params)["result"].clone()
}

/// The same over HTTP; what is listened to for the answer.
fn send(listening: &Listening, params: &Value) -> TcpStream {
    let bearer = format!("Bearer {}", listening.token);
    let headers = [
        ("Host", listening.address.as_str()),
        ("Authorization", &bearer),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "call_tool"),
    ];
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    listening.post(&message, &headers)
}

fn result(mut stream: TcpStream) -> Value {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers to the end");
    let event = answer.lines().filter_map(|line| line.strip_prefix("data:"));
    let message = event
        .filter_map(|event| serde_json::from_str::<Value>(event).ok())
        .next_back();
    message.unwrap_or_else(|| panic!("no answer: {answer}"))["result"].clone()
}

fn over_http(listening: &Listening, params: &Value) -> Value {
    result(send(listening, params))
}

/// A tree with these limits.
fn limited(limits: &str) -> Tree {
    let mut tree = tree(&[("a", ASKS)]);
    let text = format!("[mcp_client]\n{limits}\n");
    tree.write("home/.aleph/aleph.toml", text.into_bytes());
    tree
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_thousand_calls_at_once_are_each_held_or_answered() {
    const CALLS: usize = 1_000;
    let tree = tree(&[("a", ASKS)]);
    let mut served = Served::new(&tree, &[]);
    let ids: Vec<i64> = (0..CALLS)
        .map(|nth| served.send("tools/call", &asking(nth)))
        .collect();
    let mut answers = std::collections::BTreeMap::new();
    while answers.len() < CALLS {
        let message = served.message(|message| message.get("method").is_none());
        let id = message["id"].as_i64().expect("an id");
        assert!(answers.insert(id, message).is_none(), "{id} is answered twice");
    }
    let mut held = Vec::new();
    let mut kinds = std::collections::BTreeMap::new();
    for (nth, id) in ids.iter().enumerate() {
        let result = &answers[id]["result"];
        if is_asked(result) {
            held.push((nth, result.clone()));
        }
        let kind = if is_asked(result) {
            "held".to_owned()
        } else {
            text(result)
        };
        *kinds.entry(kind).or_insert(0) += 1;
    }
    assert_eq!(kinds.values().sum::<usize>(), CALLS);
    assert_eq!(held.len(), 64, "{kinds:?}");
    // None of the others cost those that are held.
    let (nth, asked) = &held[0];
    let answered = ask(&mut served, &again(&asking(*nth), asked, &said()));
    assert_eq!(text(&answered), said().to_string(), "{kinds:?}");
    assert_eq!(left(&tree).len(), 1);
    drop(served.stdin.take());
    served.ends();
    nothing_is_left(&tree);
}

#[test]
fn whatever_else_is_answered_costs_the_held_call_nothing_and_the_server_is_told_the_truth() {
    let tree = limited("answer_timeout = \"10s\"");
    let mut served = Served::new(&tree, &[]);
    let call = asking(1);
    let asked = ask(&mut served, &call);
    assert!(is_asked(&asked), "{asked}");
    // Of another call, and of none.
    let other = ask(&mut served, &again(&asking(2), &asked, &said()));
    assert!(
        text(&other).contains("these answers belong to another call"),
        "{other}"
    );
    let mut guessed = asked.clone();
    guessed["requestState"] = json!("aleph-held-00");
    let guessed = ask(&mut served, &again(&call, &guessed, &said()));
    assert!(text(&guessed).contains("they came too late"), "{guessed}");
    // What is no answer at all is told to the server, which answers null then.
    let garbage = ask(&mut served, &again(&call, &asked, &json!("garbage")));
    assert_eq!(text(&garbage), "null", "{garbage}");
    // So is what was not answered.
    let asked = ask(&mut served, &call);
    let mut nothing = again(&call, &asked, &said());
    nothing["inputResponses"] = json!({"another": 1});
    let nothing = ask(&mut served, &nothing);
    assert_eq!(text(&nothing), "null", "{nothing}");
    // Twice.
    let asked = ask(&mut served, &call);
    let claim = again(&call, &asked, &said());
    assert_eq!(text(&ask(&mut served, &claim)), said().to_string());
    let twice = ask(&mut served, &claim);
    assert!(text(&twice).contains("they came too late"), "{twice}");
    // After its time.
    let asked = ask(&mut served, &call);
    std::thread::sleep(Duration::from_millis(10_500));
    let late = ask(&mut served, &again(&call, &asked, &said()));
    assert!(text(&late).contains("they came too late"), "{late}");
    assert_eq!(left(&tree).len(), 1);
}

fn kill_all(tree: &Tree) {
    for pid in left(tree) {
        // It may be gone already: whoever asks waits until all are.
        let killed = Command::new("sh")
            .args(["-c", &format!("kill -9 {pid}")])
            .status();
        killed.expect("there is sh");
    }
}

#[test]
fn a_server_that_dies_while_a_call_is_held_costs_that_call() {
    let tree = limited("restart_backoff = \"50ms\"");
    let mut served = Served::new(&tree, &[]);
    let held: Vec<(Value, Value)> = (0..3)
        .map(|nth| {
            let call = asking(nth);
            let asked = ask(&mut served, &call);
            (call, asked)
        })
        .collect();
    kill_all(&tree);
    wait_until("it lives on", || left(&tree).is_empty());
    for (call, asked) in &held {
        let answered = ask(&mut served, &again(call, asked, &said()));
        assert!(text(&answered).contains("the server `a` failed: "), "{answered}");
    }
    let call = asking(7);
    let expected = said().to_string();
    wait_until("it stays away", || {
        let asked = ask(&mut served, &call);
        is_asked(&asked) && text(&ask(&mut served, &again(&call, &asked, &said()))) == expected
    });
}

#[test]
fn nothing_is_left_of_held_calls_when_their_client_or_the_gateway_ends() {
    let tree = tree(&[("a", ASKS)]);
    let held = |tree: &Tree| {
        let mut served = Served::new(tree, &[]);
        for nth in 0..20 {
            assert!(is_asked(&ask(&mut served, &asking(nth))));
        }
        served
    };
    let mut served = held(&tree);
    drop(served.stdin.take());
    assert!(served.ends().success());
    nothing_is_left(&tree);
    let mut served = held(&tree);
    let begun = Instant::now();
    served.signal("TERM");
    served.ends();
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    nothing_is_left(&tree);
    let listening = Listening::new(&tree, None);
    for nth in 0..10 {
        assert!(is_asked(&over_http(&listening, &asking(nth))));
    }
    assert!(left(&tree).len() > 9);
    listening.signal("TERM");
    nothing_is_left(&tree);
}

#[test]
fn a_client_that_leaves_its_calls_held_keeps_nobody_else_waiting() {
    let tree = tree(&[("a", ASKS)]);
    let listening = Listening::new(&tree, None);
    let of = |client: &str, nth: usize| calling(&json!({"ask": true, "nth": nth}), client);
    // As many as there are processes.
    let greedy: Vec<Value> = (0..16)
        .map(|nth| over_http(&listening, &of("greedy", nth)))
        .collect();
    assert!(greedy.iter().all(is_asked), "{greedy:?}");
    // One more of its own has to wait, and is told.
    let more = over_http(&listening, &of("greedy", 16));
    assert!(
        text(&more).contains("16 calls of it wait for answers already"),
        "{more}"
    );
    let begun = Instant::now();
    for nth in 0..8 {
        let call = of("modest", nth);
        let asked = over_http(&listening, &call);
        assert!(is_asked(&asked), "{nth}: {asked}");
        if nth == 0 {
            let answered = over_http(&listening, &again(&call, &asked, &said()));
            assert_eq!(text(&answered), said().to_string(), "{answered}");
        }
    }
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    // The oldest went, and the others are still there.
    let first = over_http(&listening, &again(&of("greedy", 0), &greedy[0], &said()));
    assert!(text(&first).contains("went for those of others"), "{first}");
    let last = over_http(&listening, &again(&of("greedy", 15), &greedy[15], &said()));
    assert_eq!(text(&last), said().to_string(), "{last}");
    wait_until("what gave way goes on", || left(&tree).len() <= 17);
}

#[test]
fn what_the_user_takes_back_does_not_go_on() {
    let tree = tree(&[("a", ASKS)]);
    let mut served = Served::new(&tree, &[]);
    let call = asking(0);
    let asked = ask(&mut served, &call);
    assert!(is_asked(&asked), "{asked}");
    let mute = served.send("tools/call", &calling(&json!({"mute": true}), "t"));
    // It has arrived when what follows it is answered.
    let next = ask(&mut served, &calling(&json!({"next": true}), "t"));
    assert_eq!(next["structuredContent"]["one"], 1, "{next}");
    tree.aleph(["mcp", "revoke", "a"]).run().exits(0);
    let begun = Instant::now();
    let cut = served.answer(mute)["result"].clone();
    assert!(text(&cut).contains("its approval was taken back"), "{cut}");
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    nothing_is_left(&tree);
    let refused = ask(&mut served, &again(&call, &asked, &said()));
    assert!(
        text(&refused).contains("its approval was taken back"),
        "{refused}"
    );
}

#[test]
fn a_question_outlives_a_call_that_it_may_not_be_about() {
    let tree = tree(&[("a", ASKS)]);
    let mut served = Served::new(&tree, &[]);
    served.hello(&json!({"elicitation": {}}));
    let through = |arguments: Value| json!({"name": "call_tool", "arguments": {"name": "a__strange", "arguments": arguments}});
    let mute = served.send("tools/call", &through(json!({"mute": true})));
    let asks = served.send("tools/call", &through(json!({"ask": true})));
    let question = served.message(|message| message["method"] == "elicitation/create");
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": mute}});
    served.say(&cancelled.to_string());
    assert_eq!(served.ask("ping", &json!({}))["result"], json!({}));
    served.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": said()}).to_string());
    let answered = served.answer(asks)["result"].clone();
    assert_eq!(text(&answered), said().to_string(), "{answered}");
}

/// How much memory a process has, in KiB.
#[cfg(target_os = "linux")]
fn memory(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_server_says_while_its_calls_are_held_does_not_fill_the_memory() {
    let tree = tree(&[("a", ASKS)]);
    let mut served = Served::new(&tree, &[]);
    assert!(is_asked(&ask(&mut served, &asking(0))));
    let before = memory(served.child.id());
    for nth in 0..8 {
        let asked = ask(&mut served, &calling(&json!({"floods": true, "nth": nth}), "t"));
        assert!(is_asked(&asked), "{nth}: {asked}");
        // While no other call is under way, what is said waits for one that is held.
        std::thread::sleep(Duration::from_secs(1));
    }
    // What follows is answered when all of it has been read.
    let next = ask(&mut served, &calling(&json!({"next": true}), "t"));
    assert_eq!(next["structuredContent"]["one"], 1, "{next}");
    let more = memory(served.child.id()).saturating_sub(before);
    // 160 MiB were said.
    assert!(more < 96 * 1024, "{more} KiB");
}

#[test]
fn many_clients_at_once_are_each_held_or_told_and_other_servers_answer_meanwhile() {
    const CLIENTS: usize = 100;
    let tree = tree(&[("a", ASKS), ("b", "healthy")]);
    let listening = Listening::new(&tree, None);
    let elsewhere = json!({"name": "call_tool", "arguments": {"name": "b__tool_1"},
        "_meta": calling(&json!({}), "elsewhere")["_meta"]});
    assert_eq!(text(&over_http(&listening, &elsewhere)), "\"tool_1\" null");
    let of = |nth: usize| calling(&json!({"ask": true, "nth": nth}), &format!("client {nth}"));
    let streams: Vec<TcpStream> = (0..CLIENTS).map(|nth| send(&listening, &of(nth))).collect();
    let begun = Instant::now();
    assert_eq!(text(&over_http(&listening, &elsewhere)), "\"tool_1\" null");
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    let results: Vec<Value> = streams.into_iter().map(result).collect();
    let held: Vec<usize> = (0..CLIENTS).filter(|nth| is_asked(&results[*nth])).collect();
    assert_eq!(held.len(), 16, "{results:?}");
    for (nth, result) in results.iter().enumerate() {
        if held.contains(&nth) {
            let answered = over_http(&listening, &again(&of(nth), result, &said()));
            assert_eq!(text(&answered), said().to_string(), "{nth}: {answered}");
        } else {
            assert!(
                text(result).contains("16 calls of it wait for answers already"),
                "{nth}: {result}"
            );
        }
    }
}
