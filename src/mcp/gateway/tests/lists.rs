use rmcp::model::{Prompt, Resource, ServerNotification, SubscriptionFilter};
use serde_json::json;

use super::*;
use crate::mcp::testing::{Client, call, legacy, listed, modern, text, through, tool};

const SMALL: [&str; 3] = ["call_tool", "get_tool_schema", "tool_search"];

#[tokio::test(start_paused = true)]
async fn a_client_sees_a_small_surface_and_finds_describes_and_calls_the_rest() {
    let files = Fake::with_tools(&["read_file", "write_file"]);
    let mail = Fake::with_tools(&["send_message"]);
    let gateway = gateway([("files", &files), ("mail", &mail)]);
    let client = legacy(&gateway, Client::default()).await;
    assert_eq!(listed(&client).await, SMALL);

    let found = call(&client, "tool_search", json!({"query": "send a message"})).await;
    let found = found.structured_content.unwrap();
    assert_eq!(found["results"][0]["name"], "mail__send_message");
    assert_eq!(found["results"][0]["parameters"]["type"], "object");
    assert_eq!(found["count"], 1);

    let schema = call(&client, "get_tool_schema", json!({"name": "files__read_file"})).await;
    let schema = schema.structured_content.unwrap();
    assert_eq!(
        (&schema["found"], &schema["server"]),
        (&json!(true), &json!("files"))
    );

    let answer = through(&client, "files__read_file", json!({"path": "x"})).await;
    assert_eq!(text(&answer), "read_file {\"path\":\"x\"}");
    // Nothing but the answer of the tool.
    assert_eq!((answer.content.len(), answer.meta), (1, None));
}

#[tokio::test(start_paused = true)]
async fn what_was_found_is_listed_with_one_announcement_for_each_change() {
    let files = Fake::with_tools(&["read_file", "write_file", "move_file"]);
    let gateway = gateway([("files", &files)]);
    let client = legacy(&gateway, Client::default()).await;
    let other = legacy(&gateway, Client::default()).await;
    settle().await;
    let before = client.service().list_changed();
    call(&client, "tool_search", json!({"query": "file"})).await;
    settle().await;
    assert_eq!(client.service().list_changed(), before + 1);
    let now = listed(&client).await;
    assert_eq!(now.len(), SMALL.len() + 3);
    assert!(now.contains(&"files__move_file".to_owned()));
    // The same hits again change nothing.
    call(&client, "tool_search", json!({"query": "file"})).await;
    settle().await;
    assert_eq!(client.service().list_changed(), before + 1);
    // A listed tool can be called as it is listed.
    let answer = call(&client, "files__move_file", json!({"path": "a"})).await;
    assert_eq!(text(&answer), "move_file {\"path\":\"a\"}");
    // Another client sees nothing of it.
    assert_eq!(listed(&other).await, SMALL);
    assert_eq!(other.service().list_changed(), 0);
}

#[tokio::test(start_paused = true)]
async fn gates_open_and_close_together_and_are_announced_to_both_generations() {
    let fake = Fake::with_tools(&["echo"]);
    let gateway = gateway([("a", &fake)]);
    let old = legacy(&gateway, Client::default()).await;
    let new = modern(&gateway, Client::default()).await;
    settle().await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = new.peer().listen(filter).await.unwrap();
    assert_eq!(listed(&old).await, SMALL);
    assert_eq!(listed(&new).await, SMALL);
    let before = old.service().list_changed();

    fake.resources.lock().unwrap().push(Resource::new("a:b", "b"));
    fake.announce().await;
    settle().await;
    let with_resources = listed(&old).await;
    assert_eq!(with_resources.len(), SMALL.len() + 3, "{with_resources:?}");
    assert!(with_resources.contains(&"mcp_read_resource".to_owned()));
    assert_eq!(listed(&new).await, with_resources);
    assert_eq!(old.service().list_changed(), before + 1);
    let event = subscription.next().await.unwrap().unwrap();
    assert!(matches!(
        event,
        ServerNotification::ToolListChangedNotification(_)
    ));

    fake.resources.lock().unwrap().clear();
    fake.prompts
        .lock()
        .unwrap()
        .push(Prompt::new("p", None::<String>, None));
    fake.announce().await;
    settle().await;
    let with_prompts = listed(&old).await;
    assert!(with_prompts.contains(&"mcp_list_prompts".to_owned()));
    assert_eq!(with_prompts.len(), SMALL.len() + 2);
    assert_eq!(listed(&new).await, with_prompts);
    assert_eq!(old.service().list_changed(), before + 2);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_a_modern_client_is_constant_and_says_how_long_it_is_fresh() {
    let files = Fake::with_tools(&["read_file", "write_file"]);
    let gateway = gateway([("files", &files)]);
    let client = modern(&gateway, Client::default()).await;
    settle().await;
    let first = client.peer().list_tools(None).await.unwrap();
    assert_eq!(first.ttl_ms, Some(60_000));
    assert!(first.cache_scope.is_some());
    call(&client, "tool_search", json!({"query": "file"})).await;
    settle().await;
    assert_eq!(listed(&client).await, SMALL);
    // What was found can be called all the same.
    assert_eq!(
        text(&through(&client, "files__read_file", json!({})).await),
        "read_file {}"
    );
    // While a server was never asked, the list is said not to be fresh: its gates may open.
    *files.delay.lock().unwrap() = Duration::from_secs(3);
    let slow = super::gateway([("files", &files)]);
    let early = modern(&slow, Client::default()).await;
    assert_eq!(early.peer().list_tools(None).await.unwrap().ttl_ms, Some(0));
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(early.peer().list_tools(None).await.unwrap().ttl_ms, Some(60_000));
    let again = modern(&gateway, Client::default()).await;
    let second = again.peer().list_tools(None).await.unwrap();
    assert_eq!(json!(first), json!(second));
}

#[tokio::test(start_paused = true)]
async fn core_tools_are_listed_in_full_from_the_start() {
    let files = Fake::with_tools(&["read_file", "write_file"]);
    for (core, expected) in [(vec!["files__read_file"], 1), (vec!["*"], 2)] {
        let config = GatewayConfig {
            tiers: Tiers {
                core: core.into_iter().map(str::to_owned).collect(),
                ..Tiers::default()
            },
            ..GatewayConfig::default()
        };
        let gateway = Gateway::new(Fakes::of([("files", &files)]), config);
        settle().await;
        let old = legacy(&gateway, Client::default()).await;
        let new = modern(&gateway, Client::default()).await;
        let names = listed(&old).await;
        assert_eq!(names.len(), SMALL.len() + expected);
        assert!(names.contains(&"files__read_file".to_owned()));
        assert_eq!(listed(&new).await, names);
    }
}

#[tokio::test(start_paused = true)]
async fn one_policy_guards_list_search_schema_and_call() {
    let files = Fake::with_tools(&["read_file", "write_file"]);
    files
        .resources
        .lock()
        .unwrap()
        .push(Resource::new("a:secret", "secret"));
    let policy = Policy::new(Some(&["files__*"]), &["*write*"]);
    let gateway = with_policy([("files", &files)], policy);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    for query in [
        "write file",
        "select:files__write_file",
        "/write/",
        "server:files write",
    ] {
        let found = call(&client, "tool_search", json!({"query": query, "limit": 20})).await;
        let found = found.structured_content.unwrap();
        let names: Vec<&str> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["name"].as_str().unwrap())
            .collect();
        assert!(!names.contains(&"files__write_file"), "{query}: {found}");
        assert!(
            !found["suggestions"].to_string().contains("write_file"),
            "{query}: {found}"
        );
    }
    let starts = files.starts();
    let schema = call(&client, "get_tool_schema", json!({"name": "files__write_file"})).await;
    let schema = schema.structured_content.unwrap();
    assert_eq!(
        (&schema["found"], &schema["reason"]),
        (&json!(false), &json!("denied"))
    );
    let answer = through(&client, "files__write_file", json!({})).await;
    assert_eq!(
        (answer.is_error, text(&answer)),
        (Some(true), "the operator denies `files__write_file`".to_owned())
    );
    let direct = call(&client, "files__write_file", json!({})).await;
    assert_eq!(direct.is_error, Some(true));
    assert!(!listed(&client).await.contains(&"files__write_file".to_owned()));
    let answer = through(&client, "files__read_file", json!({})).await;
    assert_eq!(text(&answer), "read_file {}");
    // No resource fits `files__*`, so there is no gate for them either.
    assert!(!listed(&client).await.contains(&"mcp_read_resource".to_owned()));
    for denied in ["files__write_file", "write_file", "FILES__WRITE_FILE"] {
        let answer = through(&client, denied, json!({"path": "x"})).await;
        assert_eq!(answer.is_error, Some(true), "{denied}");
    }
    assert_eq!(files.starts(), starts, "what is denied starts nothing");
}

#[tokio::test(start_paused = true)]
async fn a_denied_resource_or_prompt_is_neither_listed_nor_read_and_that_is_said() {
    let files = Fake::with_tools(&["read_file"]);
    for uri in ["a:secret", "a:open"] {
        files.resources.lock().unwrap().push(Resource::new(uri, uri));
    }
    for name in ["secret", "open"] {
        let prompt = Prompt::new(name, None::<String>, None);
        files.prompts.lock().unwrap().push(prompt);
    }
    let gateway = with_policy([("files", &files)], Policy::new(None, &["files:*secret"]));
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    for (list, key) in [
        ("mcp_list_resources", "resources"),
        ("mcp_list_prompts", "prompts"),
    ] {
        let listed = call(&client, list, json!({})).await.structured_content.unwrap();
        assert_eq!(listed["count"], 1, "{listed}");
        assert!(!listed[key].to_string().contains("secret"), "{listed}");
    }
    for (tool, key, denied, open) in [
        ("mcp_read_resource", "uri", "files:a:secret", "files:a:open"),
        ("mcp_get_prompt", "name", "files:secret", "files:open"),
    ] {
        let answer = call(&client, tool, json!({key: denied})).await;
        assert_eq!(
            (answer.is_error, text(&answer)),
            (Some(true), format!("the operator denies `{denied}`"))
        );
        let answer = call(&client, tool, json!({key: open})).await;
        assert_ne!(answer.is_error, Some(true), "{}", text(&answer));
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_allow_closes_everything() {
    let files = Fake::with_tools(&["read_file"]);
    files.resources.lock().unwrap().push(Resource::new("a:b", "b"));
    files
        .prompts
        .lock()
        .unwrap()
        .push(Prompt::new("p", None::<String>, None));
    let gateway = with_policy([("files", &files)], Policy::new(Some(&[]), &[]));
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    assert_eq!(listed(&client).await, SMALL);
    let found = call(&client, "tool_search", json!({"query": "read file"})).await;
    assert_eq!(found.structured_content.unwrap()["count"], 0);
    assert_eq!(
        through(&client, "files__read_file", json!({})).await.is_error,
        Some(true)
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_cannot_pass_a_tool_off_as_another_servers() {
    let evil = Fake::default();
    let mut spoof = serde_json::to_value(tool("read_file", "x")).unwrap();
    spoof["server"] = json!("files");
    let mut offer = Offer::default();
    offer.add(crate::mcp::Wanted::Tools, spoof);
    let config = GatewayConfig {
        snapshots: [("evil".to_owned(), offer)].into(),
        ..GatewayConfig::default()
    };
    let gateway = Gateway::new(Fakes::of([("evil", &Arc::new(evil))]), config);
    let client = legacy(&gateway, Client::default()).await;
    let found = call(&client, "tool_search", json!({"query": "read file"})).await;
    assert_eq!(
        found.structured_content.unwrap()["results"][0]["name"],
        "evil__read_file"
    );
}

#[tokio::test(start_paused = true)]
async fn with_a_snapshot_nothing_is_started_until_it_is_called() {
    let files = Fake::with_tools(&["read_file"]);
    let mut offer = Offer::default();
    offer.add(
        crate::mcp::Wanted::Tools,
        serde_json::to_value(tool("read_file", "x")).unwrap(),
    );
    let config = GatewayConfig {
        snapshots: [("files".to_owned(), offer)].into(),
        ..GatewayConfig::default()
    };
    let gateway = Gateway::new(Fakes::of([("files", &files)]), config);
    let client = legacy(&gateway, Client::default()).await;
    let found = call(&client, "tool_search", json!({"query": "read file"})).await;
    assert_eq!(found.structured_content.unwrap()["count"], 1);
    assert_eq!(files.starts(), 0);
    assert_eq!(
        text(&through(&client, "files__read_file", json!({})).await),
        "read_file {}"
    );
    assert_eq!(files.starts(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_search_does_not_wait_long_for_a_server_that_is_slow_to_start_and_says_so() {
    let quick = Fake::with_tools(&["read_file"]);
    let slow = Fake::with_tools(&["write_file"]);
    *slow.delay.lock().unwrap() = Duration::from_secs(20);
    let gateway = gateway([("quick", &quick), ("slow", &slow)]);
    let client = legacy(&gateway, Client::default()).await;
    let start = tokio::time::Instant::now();
    let found = call(&client, "tool_search", json!({"query": "file"}))
        .await
        .structured_content
        .unwrap();
    assert!(start.elapsed() < Duration::from_secs(6));
    assert_eq!(found["count"], 1);
    assert_eq!(found["note"], "still being started, so not searched: slow");
    // Who names it waits for it.
    assert_eq!(
        text(&through(&client, "slow__write_file", json!({})).await),
        "write_file {}"
    );
}
