//! What real servers offer beside tools, resources and prompts, through the gateway to clients that nobody here wrote.

use serde_json::{Value, json};

use super::gateway_peers::{Bench, Driver, all_peers};
use super::mcp_peers::without_times;

/// A value with all texts cut where they say at what time they were made.
fn timeless(value: &Value) -> Value {
    match value {
        Value::String(_) => without_times(value),
        Value::Array(elements) => elements.iter().map(timeless).collect(),
        Value::Object(object) => {
            let entries = object.iter().map(|(key, value)| (key.clone(), timeless(value)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// What a client was told by the tools that list and read, as a direct connection tells it: parts of resources.
fn as_contents(answer: &Value, uri: &str) -> Value {
    let key = match answer["content_type"].as_str() {
        Some("text") => "text",
        Some("binary") => "blob",
        other => panic!("{other:?}: {answer}"),
    };
    json!([{"uri": uri, "mimeType": answer["mime_type"], key: answer["content"]}])
}

#[test]
fn every_client_reads_every_resource_and_fills_in_every_prompt_as_a_direct_connection_does() {
    let Some(peers) = all_peers("every_client_reads_every_resource_and_fills_in_every_prompt") else {
        return;
    };
    let bench = Bench::new(peers);
    let prompts = [
        ("simple-prompt", json!({})),
        ("args-prompt", json!({"city": "Rome", "state": "Lazio"})),
        (
            "completable-prompt",
            json!({"department": "Engineering", "name": "Alice"}),
        ),
        (
            "resource-prompt",
            json!({"resourceType": "Text", "resourceId": "1"}),
        ),
        ("args-prompt", json!({})),
        ("no-such-prompt", json!({})),
    ];
    let everything = Bench::everything(&bench.peers);
    // What there is, as the server itself lists it.
    let listed = Driver::TypeScript1.drive(
        &bench.peers,
        &everything,
        &json!([{"resources": true}, {"templates": true}, {"prompts": true}]),
    );
    let all = |nth: usize, key: &str| -> Vec<String> {
        let list = listed["steps"][nth].as_array().expect("a list");
        list.iter()
            .map(|one| one[key].as_str().expect("a text").to_owned())
            .collect()
    };
    for name in all(2, "name") {
        assert!(
            prompts.iter().any(|(known, _)| *known == name),
            "the prompt `{name}` is not filled in"
        );
    }
    let mut uris = all(0, "uri");
    for template in all(1, "uriTemplate") {
        uris.push(template.replace("{resourceId}", "1"));
    }
    let failing = uris.len();
    uris.push("demo://resource/dynamic/text/none".to_owned());
    let read = |uri: &String| json!({"read": uri});
    let fill = |(name, arguments): &(&str, Value)| json!({"prompt": name, "arguments": arguments});
    let steps: Vec<Value> = uris.iter().map(read).chain(prompts.iter().map(fill)).collect();
    let truth = Driver::TypeScript1.drive(&bench.peers, &everything, &json!(steps));
    let truth = truth["steps"].as_array().expect("answers");
    for driver in Driver::ALL {
        // The gates open when the server has told what it has: a search waits for that.
        let mut steps = vec![
            json!({"call": "tool_search", "arguments": {"query": "echo"}}),
            json!({"call": "mcp_list_resources", "arguments": {"server": "everything"}}),
            json!({"call": "mcp_list_resource_templates", "arguments": {}}),
            json!({"call": "mcp_list_prompts", "arguments": {}}),
        ];
        let lists = steps.len();
        for uri in &uris {
            steps.push(
                json!({"call": "mcp_read_resource", "arguments": {"uri": format!("everything:{uri}")}}),
            );
        }
        for (name, arguments) in &prompts {
            let call = json!({"name": format!("everything:{name}"), "arguments": arguments});
            steps.push(json!({"call": "mcp_get_prompt", "arguments": call}));
        }
        let answers = driver.drive(&bench.peers, &bench.gateway(), &json!(steps));
        let answers = answers["steps"].as_array().expect("answers");
        for (nth, (key, own, theirs)) in [
            ("resources", "uri", "uri"),
            ("templates", "uri_template", "uriTemplate"),
            ("prompts", "name", "name"),
        ]
        .into_iter()
        .enumerate()
        {
            let list = answers[nth + 1]["structuredContent"][key].as_array();
            let names: Vec<String> = list
                .unwrap_or_else(|| panic!("{driver:?} {key} {}", answers[nth + 1]))
                .iter()
                .map(|entry| entry[own].as_str().expect("a name").to_owned())
                .collect();
            let expected: Vec<String> = all(nth, theirs)
                .iter()
                .map(|name| format!("everything:{name}"))
                .collect();
            assert_eq!(names, expected, "{driver:?} {key}");
        }
        let rest = &answers[lists..];
        assert_eq!(rest.len(), truth.len(), "{driver:?}");
        for (nth, (uri, (ours, theirs))) in uris.iter().zip(rest.iter().zip(truth)).enumerate() {
            if nth == failing {
                assert!(theirs["failed"].is_object(), "{theirs}");
                assert_eq!(ours["isError"], true, "{driver:?} {uri} {ours}");
                continue;
            }
            assert_eq!(
                timeless(&as_contents(&ours["structuredContent"], uri)),
                timeless(&theirs["contents"]),
                "{driver:?} {uri}"
            );
        }
        let filled_in = rest[uris.len()..].iter().zip(&truth[uris.len()..]);
        for ((name, arguments), (ours, theirs)) in prompts.iter().zip(filled_in) {
            match theirs["failed"]["message"].as_str() {
                Some(message) => {
                    assert_eq!(ours["isError"], true, "{driver:?} {name} {arguments} {ours}");
                    // What is not listed is not asked for.
                    if *name == "no-such-prompt" {
                        continue;
                    }
                    let text = ours["content"][0]["text"].as_str().unwrap_or_default();
                    // The client's own words before it are its library's.
                    let said = message.rsplit("MCP error ").next().unwrap_or_default();
                    assert!(text.contains(said), "{driver:?} {name}: {text} / {message}");
                }
                None => assert_eq!(
                    timeless(&ours["structuredContent"]["messages"]),
                    timeless(&theirs["messages"]),
                    "{driver:?} {name} {arguments}"
                ),
            }
        }
    }
}

#[test]
fn gates_open_for_every_client_when_the_servers_have_told_what_they_have() {
    let Some(peers) = all_peers("gates_open_for_every_client") else {
        return;
    };
    for driver in Driver::ALL {
        // Nothing is known of the servers yet.
        let bench = Bench::new(peers.clone());
        // The Python client does not subscribe; it lists again, since the first list was not said to be fresh.
        let is_told = driver != Driver::PythonAuto;
        let steps = json!([
            {"list": true},
            {"call": "tool_search", "arguments": {"query": "zzz qqq"}},
            {"change": if is_told { 20_000 } else { 1_000 }},
            {"list": true},
            {"quiet": 1_000},
        ]);
        let answers = driver.drive(&bench.peers, &bench.gateway(), &steps);
        let has_gates = |nth: usize| {
            answers["steps"][nth]
                .to_string()
                .contains("\"mcp_read_resource\"")
        };
        assert!(has_gates(3), "{driver:?} {answers}");
        if !has_gates(0) && is_told {
            for nth in [2, 4] {
                assert_eq!(answers["steps"][nth], 1, "{driver:?}: gates are announced once");
            }
        }
    }
}
