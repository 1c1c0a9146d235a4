use std::sync::atomic::Ordering;

use rmcp::model::{CallToolRequestParams, Prompt, Resource};
use serde_json::json;

use super::*;
use crate::mcp::testing::{Client, call, legacy, modern, text, through};

#[tokio::test(start_paused = true)]
async fn results_pass_through_unchanged() {
    let fake = Fake::with_tools(&["rich", "fail", "refuse"]);
    let gateway = gateway([("a", &fake)]);
    let pool = Pool::new(Fakes::of([("a", &fake)]), Limits::default());
    let direct = pool.get("a", &Owner::Shared).await.unwrap();
    for client in [
        legacy(&gateway, Client::default()).await,
        modern(&gateway, Client::default()).await,
    ] {
        for name in ["rich", "fail"] {
            let expected = direct
                .peer_for_tests()
                .call_tool(CallToolRequestParams::new(name))
                .await
                .unwrap();
            let answer = through(&client, &format!("a__{name}"), json!({})).await;
            assert_eq!(json!(answer.content), json!(expected.content));
            assert_eq!(answer.structured_content, expected.structured_content);
            assert_eq!(answer.is_error, expected.is_error);
            assert_eq!(answer.meta, expected.meta);
        }
        let mut params = CallToolRequestParams::new("call_tool");
        params.arguments = json!({"name": "a__refuse"}).as_object().cloned();
        let error = client.peer().call_tool_once(params).await.err().unwrap();
        let rmcp::ServiceError::McpError(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(
            (error.code.0, &*error.message, error.data),
            (-32_042, "no", Some(json!({"why": 1})))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_arrive_in_order_before_the_answer() {
    let fake = Fake::with_tools(&["progress"]);
    let gateway = gateway([("a", &fake)]);
    let client = legacy(&gateway, Client::default()).await;
    assert_eq!(text(&through(&client, "a__progress", json!({})).await), "done");
    let heard = client.service().heard();
    let progress: Vec<&String> = heard.iter().filter(|line| line.starts_with("progress")).collect();
    assert_eq!(progress, ["progress 1", "progress 2", "progress 3"]);
    let log: Vec<&String> = heard.iter().filter(|line| line.starts_with("log")).collect();
    assert_eq!(log, ["log 1", "log 2", "log 3"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_client_says_in_meta_reaches_the_server_but_for_what_concerns_its_connection() {
    let fake = Fake::with_tools(&["meta"]);
    let gateway = gateway([("a", &fake)]);
    for client in [
        legacy(&gateway, Client::default()).await,
        modern(&gateway, Client::default()).await,
    ] {
        let mut params = CallToolRequestParams::new("call_tool");
        params.arguments = json!({"name": "a__meta"}).as_object().cloned();
        let meta = json!({"traceparent": "00-1", "progressToken": "mine"});
        params.meta = Some(serde_json::from_value(meta).unwrap());
        let answer = client.peer().call_tool(params).await.unwrap();
        let seen: serde_json::Value = serde_json::from_str(&text(&answer)).unwrap();
        assert_eq!(seen["traceparent"], "00-1");
        assert_ne!(seen["progressToken"], "mine");
        assert!(
            !text(&answer).contains("\"test\""),
            "the server talks to the gateway: {seen}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn questions_of_a_server_reach_the_client_that_can_answer_and_are_refused_else() {
    let fake = Fake::with_tools(&["ask", "roots"]);
    let gateway = gateway([("a", &fake)]);
    let asked = legacy(&gateway, Client::that_can_be_asked()).await;
    let mute = legacy(&gateway, Client::default()).await;
    let answer = text(&through(&asked, "a__ask", json!({})).await);
    assert!(
        answer.contains("\"accept\"") && answer.contains("Ada"),
        "{answer}"
    );
    assert_eq!(asked.service().heard(), ["Name?"]);
    assert!(text(&through(&asked, "a__roots", json!({})).await).contains("file:///here"));
    for tool in ["a__ask", "a__roots"] {
        let refused = text(&through(&mute, tool, json!({})).await);
        assert!(
            refused.contains("32601") || refused.contains("does not support"),
            "{refused}"
        );
    }
    assert_eq!(mute.service().heard(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_server_of_a_newer_revision_is_answered_by_clients_of_both() {
    let fake = Fake::with_tools(&["input"]);
    fake.is_modern.store(true, Ordering::SeqCst);
    let gateway = gateway([("a", &fake)]);
    // One of an older revision is asked, and knows nothing of rounds.
    let old = legacy(&gateway, Client::that_can_be_asked()).await;
    let answer = text(&through(&old, "a__input", json!({})).await);
    assert!(answer.contains("Ada") && answer.ends_with(" state"), "{answer}");
    assert_eq!(old.service().heard(), ["Name?"]);
    // One that cannot be asked gets the protocol's own refusal.
    let mute = legacy(&gateway, Client::default()).await;
    let mut params = CallToolRequestParams::new("call_tool");
    params.arguments = json!({"name": "a__input"}).as_object().cloned();
    let refused = mute.peer().call_tool_once(params.clone()).await;
    assert!(format!("{refused:?}").contains("-32601"), "{refused:?}");
    // One of the newer revision makes the rounds itself.
    let new = modern(&gateway, Client::that_can_be_asked()).await;
    let answer = text(&new.call_tool(params).await.unwrap());
    assert!(answer.contains("Ada") && answer.ends_with(" state"), "{answer}");
    assert_eq!(new.service().heard(), ["Name?"]);
}

#[tokio::test(start_paused = true)]
async fn changes_of_a_server_of_a_newer_revision_are_noticed() {
    let fake = Fake::with_tools(&["one"]);
    fake.is_modern.store(true, Ordering::SeqCst);
    let gateway = gateway([("a", &fake)]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    fake.tools
        .lock()
        .unwrap()
        .push(crate::mcp::testing::tool("two", "x"));
    fake.announce().await;
    settle().await;
    assert_eq!(text(&through(&client, "a__two", json!({})).await), "two {}");
}

#[tokio::test(start_paused = true)]
async fn a_question_goes_to_the_client_whose_call_it_is_about() {
    let fake = Fake::with_tools(&["ask"]);
    let gateway = gateway([("a", &fake)]);
    let one = legacy(&gateway, Client::that_can_be_asked()).await;
    let other = legacy(&gateway, Client::that_can_be_asked()).await;
    let (first, second) = tokio::join!(
        through(&one, "a__ask", json!({})),
        through(&other, "a__ask", json!({}))
    );
    assert!(text(&first).contains("Ada") && text(&second).contains("Ada"));
    assert_eq!(one.service().heard(), ["Name?"]);
    assert_eq!(other.service().heard(), ["Name?"]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cancels_or_vanishes_cancels_the_call_of_the_server() {
    let fake = Fake::with_tools(&["slow"]);
    let gateway = gateway([("a", &fake)]);
    let client = legacy(&gateway, Client::default()).await;
    let mut params = CallToolRequestParams::new("call_tool");
    params.arguments = json!({"name": "a__slow"}).as_object().cloned();
    let request = rmcp::model::ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(params));
    let handle = client
        .peer()
        .send_cancellable_request(request.clone(), rmcp::service::PeerRequestOptions::no_options());
    let handle = handle.await.unwrap();
    fake.arrived.notified().await;
    handle.cancel(None).await.unwrap();
    settle().await;
    assert_eq!(fake.cancelled.load(Ordering::SeqCst), 1);

    let options = rmcp::service::PeerRequestOptions::no_options();
    let _handle = client
        .peer()
        .send_cancellable_request(request, options)
        .await
        .unwrap();
    fake.arrived.notified().await;
    client.cancel().await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(fake.cancelled.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_killed_in_mid_call_gives_that_client_an_error_and_the_next_call_a_fresh_server() {
    let fake = Fake::with_tools(&["slow", "echo"]);
    let gateway = gateway([("a", &fake)]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    let starts = fake.starts();
    let calling = through(&client, "a__slow", json!({}));
    let killing = async {
        fake.arrived.notified().await;
        fake.kill();
    };
    let (answer, ()) = tokio::join!(calling, killing);
    assert_eq!(answer.is_error, Some(true));
    assert!(
        text(&answer).contains("the server `a` failed"),
        "{}",
        text(&answer)
    );
    assert_eq!(text(&through(&client, "a__echo", json!({})).await), "echo {}");
    assert_eq!(fake.starts(), starts + 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_delays_no_other() {
    let slow = Fake::with_tools(&["slow"]);
    let quick = Fake::with_tools(&["echo"]);
    let gateway = gateway([("slow", &slow), ("quick", &quick)]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    let waiting = through(&client, "slow__slow", json!({}));
    let quick = async {
        slow.arrived.notified().await;
        let start = tokio::time::Instant::now();
        for _ in 0..10 {
            through(&client, "quick__echo", json!({})).await;
        }
        start.elapsed()
    };
    tokio::select! {
        _ = waiting => panic!("the slow call does not end"),
        took = quick => assert!(took < Duration::from_secs(1), "{took:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_gets_no_answer_ends_with_the_time_for_it() {
    let fake = Fake::with_tools(&["slow"]);
    let gateway = gateway([("a", &fake)]);
    let client = legacy(&gateway, Client::default()).await;
    let start = tokio::time::Instant::now();
    let answer = through(&client, "a__slow", json!({})).await;
    assert!(
        text(&answer).contains("no answer to the call within 60 s"),
        "{}",
        text(&answer)
    );
    assert!(start.elapsed() < Duration::from_secs(70));
    settle().await;
    assert_eq!(fake.cancelled.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn resources_and_prompts_are_listed_and_read_by_qualified_names() {
    let fake = Fake::with_tools(&[]);
    fake.resources
        .lock()
        .unwrap()
        .push(Resource::new("file:///x", "x"));
    fake.prompts
        .lock()
        .unwrap()
        .push(Prompt::new("greet", None::<String>, None));
    let gateway = gateway([("a", &fake), ("a:b", &Fake::with_tools(&[]))]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    let list = call(&client, "mcp_list_resources", json!({}))
        .await
        .structured_content
        .unwrap();
    assert_eq!(list["count"], 1);
    assert_eq!(list["resources"][0]["uri"], "a:file:///x");
    let read = call(&client, "mcp_read_resource", json!({"uri": "a:file:///x"})).await;
    assert_eq!(
        read.structured_content.unwrap()["content"],
        "content of file:///x"
    );
    let none = call(&client, "mcp_list_resources", json!({"server": "nobody"})).await;
    assert_eq!(
        none.structured_content.unwrap(),
        json!({"resources": [], "count": 0, "note": "no server is called `nobody`; those that have some: a"})
    );
    let prompts = call(&client, "mcp_list_prompts", json!({}))
        .await
        .structured_content
        .unwrap();
    assert_eq!(prompts["prompts"][0]["name"], "a:greet");
    let arguments = json!({"name": "a:greet", "arguments": {"who": "Ada"}});
    let prompt = call(&client, "mcp_get_prompt", arguments)
        .await
        .structured_content
        .unwrap();
    assert_eq!(
        prompt["messages"][0]["content"]["text"],
        "greet {\"who\":\"Ada\"}"
    );
    let missing = call(&client, "mcp_read_resource", json!({"uri": "x:y"})).await;
    assert!(text(&missing).contains("no server has the resource `x:y`"));
}

#[tokio::test(start_paused = true)]
async fn mistakes_are_answered_with_what_to_do() {
    let fake = Fake::with_tools(&["read_file"]);
    let twin = Fake::with_tools(&["read_file"]);
    let gateway = gateway([("files", &fake), ("disk", &twin)]);
    let client = legacy(&gateway, Client::default()).await;
    settle().await;
    let cases = [
        (
            "call_tool",
            json!({"name": "files__read_fil"}),
            "did you mean files__read_file",
        ),
        (
            "call_tool",
            json!({"name": "read_file"}),
            "2 servers have a tool `read_file`",
        ),
        (
            "call_tool",
            json!({"name": "zzz"}),
            "look for it with tool_search",
        ),
        ("call_tool", json!({}), "requires a non-empty `name`"),
        (
            "call_tool",
            json!({"name": "files__read_file", "arguments": "{}"}),
            "is text, not an object",
        ),
        ("call_tool", json!({"nam": "x"}), "did you mean `name`?"),
        (
            "tool_search",
            json!({"query": " "}),
            "requires a non-empty `query`",
        ),
        (
            "tool_search",
            json!({"query": "/(/"}),
            "cannot be used as a pattern",
        ),
    ];
    for (tool, arguments, expected) in cases {
        let answer = call(&client, tool, arguments.clone()).await;
        assert_eq!(answer.is_error, Some(true), "{arguments}");
        assert!(text(&answer).contains(expected), "{arguments}: {}", text(&answer));
    }
    let missing = call(&client, "get_tool_schema", json!({"name": "files__read_fle"})).await;
    assert_eq!(missing.is_error, Some(false));
    assert_eq!(
        missing.structured_content.unwrap()["suggestions"][0],
        "files__read_file"
    );
    let unknown = client
        .peer()
        .call_tool(CallToolRequestParams::new("nothing"))
        .await;
    assert!(format!("{unknown:?}").contains("-32602"), "{unknown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_is_told_what_can_be_answered_through_the_gateway_and_no_more() {
    let fake = Fake::with_tools(&["meta"]);
    fake.is_modern.store(true, Ordering::SeqCst);
    let gateway = gateway([("a", &fake)]);
    let declared = json!({
        "elicitation": {}, "experimental": {"x": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}},
    });
    let client = Client {
        capabilities: serde_json::from_value(declared).unwrap(),
        ..Client::default()
    };
    let client = modern(&gateway, client).await;
    let answer = through(&client, "a__meta", json!({})).await;
    let seen: serde_json::Value = serde_json::from_str(&text(&answer)).unwrap();
    assert_eq!(
        seen["io.modelcontextprotocol/clientCapabilities"],
        json!({"elicitation": {}})
    );
}

#[tokio::test(start_paused = true)]
async fn two_hundred_sessions_share_the_servers_and_leave_nothing() {
    let fake = Fake::with_tools(&["echo"]);
    let gateway = gateway([("a", &fake)]);
    let mut clients = Vec::new();
    for _ in 0..200 {
        clients.push(legacy(&gateway, Client::default()).await);
    }
    for client in &clients {
        assert_eq!(text(&through(client, "a__echo", json!({})).await), "echo {}");
    }
    assert_eq!(fake.starts(), 1);
    for client in clients {
        client.cancel().await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(gateway.0.sessions.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_can_be_asked_has_servers_of_its_own_that_end_with_it() {
    let fake = Fake::with_tools(&["echo"]);
    let gateway = gateway([("a", &fake)]);
    let client = legacy(&gateway, Client::that_can_be_asked()).await;
    settle().await;
    let alive = fake.alive();
    through(&client, "a__echo", json!({})).await;
    assert_eq!(fake.starts(), 2);
    client.cancel().await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(fake.alive(), alive);
}
