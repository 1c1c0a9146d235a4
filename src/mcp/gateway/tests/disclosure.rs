use serde_json::json;

use super::*;
use crate::mcp::testing::{Client, call, legacy, listed, modern, text, through};

const RULES: &str = r#"
[[tool]]
name = "hub__deep"
auto_hide_after = "10m"
[tool.descriptions]
discovered = "Now you can analyse deeply"

[[tool]]
name = "hub__later"
stage = "init_complete"

[[trigger]]
hub = "hub__session"
operation = "load"
unlocks = ["hub__deep"]
description = "a session was loaded"

[[trigger]]
hub = "hub__session"
operation = "init"
unlocks = ["hub__extra"]
advance = "init_complete"

[[trigger]]
hub = "hub__fail"
operation = "load"
unlocks = ["hub__never"]
"#;

fn hub() -> Arc<Fake> {
    Fake::with_tools(&["session", "deep", "later", "extra", "fail", "never"])
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_succeeds_unlocks_for_its_client_alone_with_schemas_in_the_answer() {
    let fake = hub();
    let gateway = with_rules([("hub", &fake)], RULES);
    let client = legacy(&gateway, Client::default()).await;
    let other = legacy(&gateway, Client::default()).await;
    settle().await;
    let locked = through(&client, "hub__deep", json!({})).await;
    assert_eq!(locked.is_error, Some(true));
    assert!(
        text(&locked).contains("call hub__session with operation = \"load\""),
        "{}",
        text(&locked)
    );
    let found = call(&client, "tool_search", json!({"query": "deep"}))
        .await
        .structured_content
        .unwrap();
    assert_eq!(found["count"], 0, "{found}");
    // Asked for by name, it is not said that there is none, and nothing else is offered in its place.
    let found = call(&client, "tool_search", json!({"query": "select:hub__deep"}))
        .await
        .structured_content
        .unwrap();
    let reason = found["reason"].as_str().unwrap();
    assert!(
        reason.ends_with("; next: call hub__session with operation = \"load\""),
        "{found}"
    );
    assert_eq!((&found["count"], found.get("suggestions")), (&json!(0), None));
    settle().await;
    let before = client.service().list_changed();

    let answer = through(&client, "hub__session", json!({"operation": "load"})).await;
    let unlocked = &answer.meta.as_ref().unwrap()["aleph/unlocked"];
    assert_eq!(unlocked["newly_discovered"][0]["tool"], "hub__deep");
    assert_eq!(unlocked["newly_discovered"][0]["why"], "a session was loaded");
    assert_eq!(unlocked["newly_discovered"][0]["schema"]["type"], "object");
    assert_eq!(unlocked["newly_discovered"][0]["expires_in_ms"], 600_000);
    assert_eq!(
        answer.content.len(),
        2,
        "one block of text after the hub's own content"
    );
    assert!(text(&answer).ends_with('}') && text(&answer).contains("Tool unlocked: hub__deep"));
    settle().await;
    assert_eq!(client.service().list_changed(), before + 1);
    let tools = client.peer().list_all_tools().await.unwrap();
    let deep = tools.iter().find(|tool| tool.name == "hub__deep").unwrap();
    assert_eq!(deep.description.as_deref(), Some("Now you can analyse deeply"));
    assert_eq!(text(&through(&client, "hub__deep", json!({})).await), "deep {}");
    let found = call(&client, "tool_search", json!({"query": "deep"}))
        .await
        .structured_content
        .unwrap();
    assert_eq!(found["results"][0]["description"], "Now you can analyse deeply");

    assert!(!listed(&other).await.contains(&"hub__deep".to_owned()));
    assert_eq!(through(&other, "hub__deep", json!({})).await.is_error, Some(true));
    assert_eq!(other.service().list_changed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_fails_unlocks_nothing() {
    let fake = hub();
    let gateway = with_rules([("hub", &fake)], RULES);
    let client = legacy(&gateway, Client::default()).await;
    let answer = through(&client, "hub__fail", json!({"operation": "load"})).await;
    assert_eq!(
        (answer.is_error, answer.content.len(), answer.meta),
        (Some(true), 1, None)
    );
    assert_eq!(
        through(&client, "hub__never", json!({})).await.is_error,
        Some(true)
    );
}

#[tokio::test(start_paused = true)]
async fn stages_advance_and_leases_run_out_and_hiding_lasts_until_showing() {
    let fake = hub();
    let gateway = with_rules([("hub", &fake)], RULES);
    let client = legacy(&gateway, Client::default()).await;
    let later = through(&client, "hub__later", json!({})).await;
    assert!(
        text(&later).contains("needs stage `init_complete`"),
        "{}",
        text(&later)
    );
    let answer = through(&client, "hub__session", json!({"operation": "init"})).await;
    // The rules have no words for it, so its own are given.
    assert_eq!(
        answer.meta.unwrap()["aleph/unlocked"]["newly_discovered"][0]["description"],
        "does extra"
    );
    assert_eq!(text(&through(&client, "hub__later", json!({})).await), "later {}");

    through(&client, "hub__session", json!({"operation": "load"})).await;
    tokio::time::sleep(Duration::from_secs(599)).await;
    assert_eq!(text(&through(&client, "hub__deep", json!({})).await), "deep {}");
    tokio::time::sleep(Duration::from_secs(599)).await;
    assert_eq!(text(&through(&client, "hub__deep", json!({})).await), "deep {}");
    tokio::time::sleep(Duration::from_secs(601)).await;
    let expired = call(&client, "get_tool_schema", json!({"name": "hub__deep"})).await;
    let expired = expired.structured_content.unwrap();
    assert_eq!(expired["reason"], "expired");
    assert_eq!(
        (&expired["error"], &expired["next"]),
        (
            &json!("`hub__deep` is not visible now: it had a lease of 10m that ran out 1s ago"),
            &json!("show it with tool_visibility")
        )
    );

    let show = json!({"action": "show", "name": "hub__deep"});
    let shown = call(&client, "tool_visibility", show.clone())
        .await
        .structured_content
        .unwrap();
    assert_eq!(shown["outcome"], "shown");
    let hide = json!({"action": "hide", "name": "hub__deep"});
    assert_eq!(
        call(&client, "tool_visibility", hide)
            .await
            .structured_content
            .unwrap()["outcome"],
        "hidden"
    );
    let again = through(&client, "hub__session", json!({"operation": "load"})).await;
    assert_eq!(
        again.meta.unwrap()["aleph/unlocked"]["hidden"],
        json!(["hub__deep"])
    );
    assert_eq!(
        through(&client, "hub__deep", json!({})).await.is_error,
        Some(true)
    );
    assert_eq!(
        call(&client, "tool_visibility", show)
            .await
            .structured_content
            .unwrap()["outcome"],
        "shown"
    );
    assert_eq!(text(&through(&client, "hub__deep", json!({})).await), "deep {}");
    let never = json!({"action": "show", "name": "hub__never"});
    let never = call(&client, "tool_visibility", never)
        .await
        .structured_content
        .unwrap();
    assert_eq!(never["outcome"], "never-unlocked");
}

#[tokio::test(start_paused = true)]
async fn a_tool_whose_lease_runs_out_leaves_the_list_with_one_announcement() {
    let fake = hub();
    let gateway = with_rules([("hub", &fake)], RULES);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    through(&client, "hub__session", json!({"operation": "load"})).await;
    settle().await;
    let before = client.service().list_changed();
    assert!(listed(&client).await.contains(&"hub__deep".to_owned()));
    tokio::time::sleep(Duration::from_secs(300)).await;
    through(&client, "hub__deep", json!({})).await;
    tokio::time::sleep(Duration::from_secs(599)).await;
    assert_eq!(
        client.service().list_changed(),
        before,
        "its use renewed the lease"
    );
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(client.service().list_changed(), before + 1);
    assert!(!listed(&client).await.contains(&"hub__deep".to_owned()));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(client.service().list_changed(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_modern_client_has_one_handle_on_its_streams_and_may_ask_for_more() {
    let fake = hub();
    let gateway = with_rules([("hub", &fake)], RULES);
    let client = modern(&gateway, Client::default()).await;
    settle().await;
    let before = listed(&client).await;
    through(&client, "hub__session", json!({"operation": "load"})).await;
    settle().await;
    assert_eq!(
        listed(&client).await,
        before,
        "the list is the same whatever was unlocked"
    );
    assert_eq!(text(&through(&client, "hub__deep", json!({})).await), "deep {}");
    let fresh = call(&client, "tool_search", json!({"query": "deep", "handle": "new"})).await;
    let fresh = fresh.structured_content.unwrap();
    assert_eq!(fresh["count"], 0);
    let handle = fresh["handle"].as_str().unwrap();
    let arguments = json!({"name": "hub__session", "arguments": {"operation": "load"}, "handle": handle});
    let unlocked = call(&client, "call_tool", arguments).await;
    assert_eq!(
        unlocked.meta.as_ref().unwrap()["aleph/unlocked"]["handle"],
        handle
    );
    assert!(text(&unlocked).contains(handle));
    let found = call(&client, "tool_search", json!({"query": "deep", "handle": handle})).await;
    assert_eq!(found.structured_content.unwrap()["count"], 1);
    let unknown = call(
        &client,
        "tool_search",
        json!({"query": "deep", "handle": "guess"}),
    )
    .await;
    assert!(text(&unknown).contains("there is no handle `guess`"));
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_is_called_as_it_is_listed_unlocks_too() {
    let fake = hub();
    let gateway = with_rules([("hub", &fake)], RULES);
    let client = legacy(&gateway, Client::default()).await;
    call(&client, "tool_search", json!({"query": "select:hub__session"})).await;
    let answer = call(&client, "hub__session", json!({"operation": "load"})).await;
    assert!(text(&answer).contains("Tool unlocked: hub__deep"));
}
