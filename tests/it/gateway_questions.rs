//! Questions of real servers, which reach real clients through the gateway, between all revisions.

use std::path::Path;

use serde_json::{Value, json};

use super::gateway_http::Listening;
use super::gateway_peers::{Bench, Driver, all_peers};

#[test]
fn questions_of_a_real_server_reach_a_real_client() {
    let Some(peers) = all_peers("questions_of_a_real_server_reach_a_real_client") else {
        return;
    };
    let bench = Bench::new(peers);
    let calls = [
        ("trigger-elicitation-request", json!({})),
        ("get-roots-list", json!({})),
        (
            "trigger-sampling-request",
            json!({"prompt": "hello", "maxTokens": 10}),
        ),
    ];
    // What the server offers depends on what its client can do, and is there once it has heard of that.
    let step = |prefix: &str, (tool, arguments): &(&str, Value)| match prefix {
        "" => json!({"call": tool, "arguments": arguments, "patient": true}),
        prefix => {
            let call = json!({"name": format!("{prefix}{tool}"), "arguments": arguments});
            json!({"call": "call_tool", "arguments": call, "patient": true})
        }
    };
    let asks = |mut how: Value| {
        how["asks"] = json!(true);
        how
    };
    let direct: Vec<Value> = calls.iter().map(|call| step("", call)).collect();
    let truth = Driver::TypeScript1.drive(
        &bench.peers,
        &asks(Bench::everything(&bench.peers)),
        &json!(direct),
    );
    // What the client said.
    for (nth, said) in ["Ada", "file:///here", "as if a model had said it"]
        .into_iter()
        .enumerate()
    {
        assert!(truth["steps"][nth].to_string().contains(said), "{truth}");
    }
    let ours: Vec<Value> = std::iter::once(json!({"call": "tool_search", "arguments": {"query": "echo"}}))
        .chain(calls.iter().map(|call| step("everything__", call)))
        .collect();
    let answers = Driver::TypeScript1.drive(&bench.peers, &asks(bench.gateway()), &json!(ours));
    for nth in 0..calls.len() {
        assert_eq!(answers["steps"][nth + 1], truth["steps"][nth], "{:?}", calls[nth]);
    }
}

/// Has a client that can answer call tools that ask, behind the gateway.
fn answers_of(driver: Driver, bench: &Bench, mut how: Value, calls: &[(&str, Value)]) -> Vec<Value> {
    how["asks"] = json!(true);
    let call = |(name, arguments): &(&str, Value)| {
        let call = json!({"name": name, "arguments": arguments});
        json!({"call": "call_tool", "arguments": call, "patient": true})
    };
    // What a server offers may depend on what its client can do, and is heard of once it runs for this client.
    let started = calls.last().map(call).into_iter();
    let steps: Vec<Value> = started.chain(calls.iter().map(call)).collect();
    let answers = driver.drive(&bench.peers, &how, &json!(steps));
    let answers = answers["steps"].as_array().cloned().unwrap_or_default();
    answers.into_iter().skip(1).collect()
}

#[test]
fn questions_of_a_server_of_an_older_revision_reach_clients_of_the_newer() {
    let Some(peers) = all_peers("questions_of_a_server_of_an_older_revision_reach_clients_of_the_newer")
    else {
        return;
    };
    let bench = Bench::new(peers);
    let calls = [
        ("everything__trigger-elicitation-request", json!({})),
        (
            "everything__trigger-sampling-request",
            json!({"prompt": "hello", "maxTokens": 10}),
        ),
        ("everything__echo", json!({"message": "x"})),
    ];
    let listening = Listening::new(&bench.tree, None);
    let over_http = json!({"url": format!("http://{}/mcp", listening.address), "token": listening.token});
    for (driver, how) in [
        (Driver::TypeScript2, bench.gateway()),
        (Driver::PythonAuto, bench.gateway()),
        (Driver::TypeScript2, over_http),
    ] {
        let answers = answers_of(driver, &bench, how, &calls);
        let text = |nth: usize| answers[nth]["content"].to_string();
        assert!(text(0).contains("Ada"), "{driver:?} {answers:?}");
        assert!(
            text(1).contains("as if a model had said it"),
            "{driver:?} {answers:?}"
        );
        assert!(text(2).contains("Echo: x"), "{driver:?} {answers:?}");
    }
}

#[test]
fn questions_of_a_server_of_the_newer_revision_reach_clients_of_all() {
    let Some(peers) = all_peers("questions_of_a_server_of_the_newer_revision_reach_clients_of_all") else {
        return;
    };
    let mut bench = Bench::new(peers);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/ask.py");
    let server = json!({"command": bench.peers.join("python/bin/python"), "args": [script]});
    let servers = json!({"mcpServers": {"ask": server}}).to_string();
    bench.tree.write("home/.aleph/.mcp.json", servers.into_bytes());
    bench
        .tree
        .aleph(["mcp", "approve", "ask", "--yes"])
        .run()
        .exits(0);
    let calls = [
        ("ask__greet", json!({"word": "hello"})),
        ("ask__all_three", json!({})),
    ];
    for driver in Driver::ALL {
        let answers = answers_of(driver, &bench, bench.gateway(), &calls);
        let text = |nth: usize| answers[nth]["content"][0]["text"].clone();
        assert_eq!(text(0), "hello Ada", "{driver:?} {answers:?}");
        assert_eq!(
            text(1),
            "Ada / as if a model had said it / file:///here",
            "{driver:?} {answers:?}"
        );
    }
}
