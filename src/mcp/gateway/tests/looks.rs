use rmcp::model::{Prompt, Resource};
use serde_json::json;

use super::*;
use crate::mcp::testing::{Client, call, legacy, text, through};

#[tokio::test(start_paused = true)]
async fn a_server_that_was_down_at_first_is_found_and_called_once_it_is_up() {
    let good = Fake::with_tools(&["read_file"]);
    let bad = Fake::with_tools(&["write_file"]);
    bad.failing.store(1, std::sync::atomic::Ordering::SeqCst);
    for by_name in [false, true] {
        let gateway = gateway([("good", &good), ("bad", &bad)]);
        let client = legacy(&gateway, Client::default()).await;
        settle().await;
        let found = call(&client, "tool_search", json!({"query": "file"})).await;
        let found = found.structured_content.unwrap();
        assert_eq!(found["count"], 1, "{found}");
        assert!(
            found["note"].as_str().unwrap().starts_with("not searched: bad ("),
            "{found}"
        );
        // The back-off is over.
        tokio::time::sleep(Duration::from_secs(2)).await;
        if by_name {
            let answer = through(&client, "bad__write_file", json!({})).await;
            assert_eq!(text(&answer), "write_file {}");
        }
        let found = call(&client, "tool_search", json!({"query": "file"})).await;
        let found = found.structured_content.unwrap();
        assert_eq!(found["count"], 2, "{found}");
        assert_eq!(found.get("note"), None);
        bad.failing.store(1, std::sync::atomic::Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_server_has_is_not_said_not_to_be_there() {
    let bad = Fake::with_tools(&["write_file"]);
    bad.failing.store(usize::MAX, std::sync::atomic::Ordering::SeqCst);
    let gateway = gateway([("bad", &bad)]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    let schema = call(&client, "get_tool_schema", json!({"name": "bad__write_file"})).await;
    let schema = schema.structured_content.unwrap();
    assert_eq!(
        (&schema["found"], &schema["reason"]),
        (&json!(false), &json!("server-away"))
    );
    assert!(
        schema["error"]
            .as_str()
            .unwrap()
            .contains("the server `bad` failed: "),
        "{schema}"
    );
    let answer = through(&client, "bad__write_file", json!({})).await;
    assert!(
        text(&answer).contains("the server `bad` failed: "),
        "{}",
        text(&answer)
    );
    let direct = call(&client, "bad__write_file", json!({})).await;
    assert_eq!(text(&direct), text(&answer));
    // A server of a like name is not meant.
    let other = through(&client, "ba__write_file", json!({})).await;
    assert!(
        text(&other).starts_with("there is no tool `ba__write_file`"),
        "{}",
        text(&other)
    );
    // It is left alone between two tries.
    let before = bad.starts();
    for _ in 0..20 {
        call(&client, "tool_search", json!({"query": "file"})).await;
    }
    assert!(bad.starts() <= before + 1, "{} {before}", bad.starts());
}

#[tokio::test(start_paused = true)]
async fn a_search_hardly_waits_for_a_server_that_failed_before_and_hangs_now() {
    let good = Fake::with_tools(&["read_file"]);
    let bad = Fake::with_tools(&["write_file"]);
    bad.failing.store(1, std::sync::atomic::Ordering::SeqCst);
    let gateway = gateway([("good", &good), ("bad", &bad)]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    *bad.delay.lock().unwrap() = Duration::from_secs(20);
    tokio::time::sleep(Duration::from_secs(2)).await;
    for _ in 0..2 {
        let start = tokio::time::Instant::now();
        let found = call(&client, "tool_search", json!({"query": "file"})).await;
        assert_eq!(found.structured_content.unwrap()["count"], 1);
        assert!(
            start.elapsed() < Duration::from_millis(1500),
            "{:?}",
            start.elapsed()
        );
    }
    assert_eq!(bad.starts(), 2);
}

#[tokio::test(start_paused = true)]
async fn who_reads_from_a_server_that_is_being_started_waits_for_it() {
    let quick = Fake::with_tools(&["echo"]);
    let slow = Fake::with_tools(&["echo"]);
    for (fake, name) in [(&quick, "q"), (&slow, "s")] {
        fake.resources.lock().unwrap().push(Resource::new("x:y", name));
        fake.prompts
            .lock()
            .unwrap()
            .push(Prompt::new("greet", None::<String>, None));
    }
    *slow.delay.lock().unwrap() = Duration::from_secs(8);
    for (tool, arguments) in [
        ("mcp_read_resource", json!({"uri": "slow:x:y"})),
        ("mcp_get_prompt", json!({"name": "slow:greet"})),
    ] {
        let gateway = gateway([("quick", &quick), ("slow", &slow)]);
        let client = legacy(&gateway, Client::default()).await;
        settle().await;
        let answer = call(&client, tool, arguments).await;
        assert_ne!(answer.is_error, Some(true), "{}", text(&answer));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_configured_and_not_behind_the_gateway_is_told_where_it_is_missed() {
    let files = Fake::with_tools(&["read_file"]);
    let config = GatewayConfig {
        absent: [("mail".to_owned(), "the user has not approved it".to_owned())].into(),
        ..GatewayConfig::default()
    };
    let gateway = Gateway::new(Fakes::of([("files", &files)]), config);
    let client = legacy(&gateway, Client::default()).await;
    let search = async |query: &str| {
        let found = call(&client, "tool_search", json!({"query": query})).await;
        found.structured_content.unwrap()
    };
    let nothing = search("send").await;
    assert_eq!(
        nothing["note"],
        "not behind this gateway: mail (the user has not approved it)"
    );
    assert!(
        nothing["reason"]
            .as_str()
            .unwrap()
            .ends_with("of one server: files"),
        "{nothing}"
    );
    assert_eq!(search("read").await.get("note"), None);
    let answer = through(&client, "mail__send", json!({})).await;
    assert!(
        text(&answer).contains("the server `mail` is not behind this gateway: the user has not approved it"),
        "{}",
        text(&answer)
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_is_told_of_the_servers_but_not_of_those_that_are_denied() {
    let files = Fake::with_tools(&["read_file"]);
    let policy = Policy::new(None, &["mail__*", "mail:*"]);
    let gateway = with_policy([("files", &files), ("mail", &files), ("a\n# b", &files)], policy);
    let told = |client: &rmcp::service::RunningService<rmcp::RoleClient, Client>| {
        let info = client.peer().peer_info().unwrap();
        info.instructions.clone().unwrap()
    };
    settle().await;
    let client = legacy(&gateway, Client::default()).await;
    assert!(
        told(&client).ends_with(" The servers: files."),
        "{}",
        told(&client)
    );
}

#[tokio::test(start_paused = true)]
async fn a_hit_has_what_an_agent_needs_and_no_more() {
    let files = Fake::with_tools(&["read_file"]);
    let gateway = gateway([("files", &files)]);
    let client = legacy(&gateway, Client::default()).await;
    let found = call(&client, "tool_search", json!({"query": "read file"})).await;
    let found = found.structured_content.unwrap();
    let hit = found["results"][0].as_object().unwrap();
    let keys: Vec<&str> = hit.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "description",
            "name",
            "parameters",
            "score",
            "server",
            "tool",
            "why"
        ]
    );
    let why = hit["why"].as_str().unwrap();
    assert!(why.contains("name: read, file"), "{why}");
    assert_eq!(hit["parameters"]["properties"]["path"]["type"], "string");
}
