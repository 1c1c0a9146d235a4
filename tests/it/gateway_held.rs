//! Calls that are held for clients of 2026-07-28 while these answer what a server of an older revision asks: many at once,
//! clients that answer wrongly or vanish, servers that die, and the end of the gateway meanwhile.

use std::fs;
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
    let message = event.filter_map(|event| serde_json::from_str::<Value>(event).ok()).last();
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
        let Ok(line) = served.lines.recv_timeout(Duration::from_secs(8)) else {
            let mut kinds = std::collections::BTreeMap::new();
            for message in answers.values() {
                let message: &Value = message;
                let kind = if is_asked(&message["result"]) { "held".to_owned() } else { text(&message["result"]) };
                *kinds.entry(kind).or_insert(0) += 1;
            }
            panic!("{} {kinds:?}", answers.len());
        };
        let message: Value = serde_json::from_str(&line).unwrap();
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
        let kind = if is_asked(result) { "held".to_owned() } else { text(result) };
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
