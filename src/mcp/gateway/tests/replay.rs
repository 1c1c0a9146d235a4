//! The same recorded run gives the same result through the gateway and in `tools simulate`.

use serde_json::{Value, json};

use super::*;
use crate::mcp::testing::{Client, call, legacy, through};
use crate::tools::disclosure::{Event, Simulation, read_event};

const RULES: &str = r#"
stages = ["entry", "middle", "late"]

[[tool]]
name = "hub__a"
auto_hide_after = "10m"

[[tool]]
name = "hub__b"
stage = "middle"

[[tool]]
name = "hub__c"
stage = "late"
auto_hide_after = "1m"

[[trigger]]
hub = "hub__session"
operation = "open"
unlocks = ["hub__a", "hub__b"]
[trigger.arguments]
kind = { one_of = ["full", "metrics"] }

[[trigger]]
hub = "hub__session"
operation = "step"
unlocks = ["hub__a"]
advance = "middle"

[[trigger]]
hub = "hub__fail"
operation = "open"
unlocks = ["hub__c"]

[[trigger]]
hub = "hub__session"
operation = "close"
requires_stage = "middle"
unlocks = ["hub__c"]
advance = "late"
"#;

const RUN: &str = r#"
{"call": "hub__session", "arguments": {"operation": "close"}, "ok": true}
{"call": "hub__session", "arguments": {"operation": "open"}, "ok": true}
{"call": "hub__session", "arguments": {"operation": "open", "kind": "full"}, "ok": true}
{"call": "hub__a", "arguments": {}, "ok": true}
{"call": "hub__b", "arguments": {}, "ok": true}
{"wait": "9m"}
{"call": "hub__a", "arguments": {}, "ok": true}
{"wait": "9m"}
{"call": "hub__a", "arguments": {}, "ok": true}
{"hide": "hub__a"}
{"call": "hub__session", "arguments": {"operation": "step"}, "ok": true}
{"call": "hub__session", "arguments": {"operation": "step"}, "ok": true, "handle": "other"}
{"show": "hub__c"}
{"show": "hub__a"}
{"call": "hub__fail", "arguments": {"operation": "open"}, "ok": false}
{"call": "hub__session", "arguments": {"operation": "close"}, "ok": true}
{"wait": "61s"}
{"call": "hub__c", "arguments": {}, "ok": true, "handle": "other"}
{"show": "hub__c"}
{"call": "hub__session", "arguments": {"operation": "close"}, "ok": true, "handle": "other"}
{"wait": "20m"}
{"call": "hub__a", "arguments": {}, "ok": true}
"#;

/// What one step came to, for a comparison.
#[derive(Debug, PartialEq)]
struct Step {
    unlocked: Value,
    outcome: Value,
    is_refused: bool,
    visible: Vec<String>,
}

#[tokio::test(start_paused = true)]
async fn the_same_run_gives_the_same_result_both_ways() {
    let fake = Fake::with_tools(&["session", "a", "b", "c", "fail"]);
    let gateway = with_rules([("hub", &fake)], RULES);
    let one = legacy(&gateway, Client::default()).await;
    let other = legacy(&gateway, Client::default()).await;
    settle().await;
    let view = gateway.view();
    let (rules, _) = read_rules(RULES.as_bytes());
    let mut simulation = Simulation::new(Arc::new(rules), &*view);
    for line in RUN.lines().filter(|line| !line.is_empty()) {
        let (handle, event) = read_event(line).unwrap();
        let expected = simulation.apply(handle.as_deref(), &event);
        let expected = Step {
            unlocked: expected
                .unlocked
                .as_ref()
                .map_or(json!({}), |effect| json!(effect)),
            outcome: json!([expected.hide, expected.show]),
            is_refused: expected.error.is_some(),
            visible: expected.visible,
        };
        let (client, session) = match handle.as_deref() {
            Some("other") => (&other, "session-1"),
            _ => (&one, "session-0"),
        };
        let nothing = json!(crate::tools::disclosure::OperationEffect::default());
        let mut step = Step {
            unlocked: json!({}),
            outcome: json!([null, null]),
            is_refused: false,
            visible: Vec::new(),
        };
        match &event {
            Event::Call { tool, arguments, ok } => {
                let answer = through(client, tool, arguments.clone().unwrap_or_default()).await;
                step.unlocked = match &answer.meta {
                    Some(meta) => meta["aleph/unlocked"].clone(),
                    None => nothing,
                };
                step.is_refused = *ok && answer.is_error == Some(true);
                if step.is_refused {
                    step.unlocked = json!({});
                }
            }
            Event::Hide(name) | Event::Show(name) => {
                let is_hide = matches!(event, Event::Hide(_));
                let action = if is_hide { "hide" } else { "show" };
                let arguments = json!({"action": action, "name": name});
                let outcome = call(client, "tool_visibility", arguments)
                    .await
                    .structured_content;
                step.outcome = if is_hide {
                    json!([outcome, null])
                } else {
                    json!([null, outcome])
                };
            }
            Event::Wait(time) => tokio::time::sleep(*time).await,
            Event::Advance { .. } | Event::Use(_) | Event::Reset => unreachable!("no such step in the run"),
        }
        let now = gateway.now();
        step.visible = gateway.handles(|handles| {
            handles
                .session(session)
                .visible_governed_tools(&*gateway.view(), now)
        });
        assert_eq!(step, expected, "{line}");
    }
}
