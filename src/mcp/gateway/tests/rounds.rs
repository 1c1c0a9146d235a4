//! Questions of servers of older revisions, for clients of 2026-07-28, which are asked by the answers to their calls.

use std::sync::atomic::Ordering;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResponse, InputRequiredResult};
use rmcp::service::RunningService;
use serde_json::{Value, json};

use super::*;
use crate::mcp::testing::{Client, modern, text, through};

fn params(name: &str, more: &Value) -> CallToolRequestParams {
    let mut params = CallToolRequestParams::new("call_tool");
    params.arguments = json!({"name": name, "arguments": more}).as_object().cloned();
    params
}

/// What a client is asked when it calls.
async fn asked(
    client: &RunningService<RoleClient, Client>,
    params: CallToolRequestParams,
) -> InputRequiredResult {
    match client.peer().call_tool_once(params).await.unwrap() {
        CallToolResponse::InputRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

fn answers(required: &InputRequiredResult) -> Option<std::collections::BTreeMap<String, Value>> {
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let questions = required.input_requests.as_ref()?;
    Some(
        questions
            .keys()
            .map(|key| (key.clone(), answer.clone()))
            .collect(),
    )
}

/// The call again, with answers.
fn again(mut params: CallToolRequestParams, required: &InputRequiredResult) -> CallToolRequestParams {
    params.input_responses = answers(required);
    params.request_state.clone_from(&required.request_state);
    params
}

#[tokio::test(start_paused = true)]
async fn a_client_is_asked_by_the_answer_to_its_call_and_the_call_goes_on() {
    let fake = Fake::with_tools(&["ask", "roots", "twice", "echo"]);
    let gateway = gateway([("a", &fake)]);
    let client = modern(&gateway, Client::that_can_be_asked()).await;
    let answer = client.call_tool(params("a__ask", &json!({}))).await.unwrap();
    assert!(text(&answer).contains("Ada"), "{answer:?}");
    assert_eq!(client.service().heard(), ["Name?"]);
    let answer = client.call_tool(params("a__roots", &json!({}))).await.unwrap();
    assert!(text(&answer).contains("file:///here"), "{answer:?}");
    // Several questions of one call.
    let answer = client.call_tool(params("a__twice", &json!({}))).await.unwrap();
    assert_eq!(text(&answer).matches("Ada").count(), 2, "{answer:?}");
    // One that can answer nothing gets the protocol's own refusal.
    let mute = modern(&gateway, Client::default()).await;
    let refused = text(&through(&mute, "a__ask", json!({})).await);
    assert!(refused.contains("32601"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_held_call_is_claimed_by_the_same_call_of_the_same_client_once() {
    let fake = Fake::with_tools(&["ask"]);
    let gateway = gateway([("a", &fake)]);
    let client = modern(&gateway, Client::that_can_be_asked()).await;
    let other = modern(&gateway, Client::that_can_be_asked()).await;
    let call = params("a__ask", &json!({"path": "x"}));
    let required = asked(&client, call.clone()).await;
    // Another client, other arguments, a state that was guessed.
    let stolen = other.peer().call_tool_once(again(call.clone(), &required)).await;
    let stolen = format!("{stolen:?}");
    assert!(
        stolen.contains("these answers belong to another call"),
        "{stolen}"
    );
    let changed = again(params("a__ask", &json!({"path": "y"})), &required);
    let changed = format!("{:?}", client.peer().call_tool_once(changed).await);
    assert!(
        changed.contains("these answers belong to another call"),
        "{changed}"
    );
    let mut guessed = again(call.clone(), &required);
    guessed.request_state = Some("aleph-held-0".to_owned());
    let guessed = format!("{:?}", client.peer().call_tool_once(guessed).await);
    assert!(guessed.contains("they came too late"), "{guessed}");
    assert_eq!(fake.cancelled.load(Ordering::SeqCst), 0);
    // The same call of the same client, once.
    let claim = again(call, &required);
    let answered = format!("{:?}", client.peer().call_tool_once(claim.clone()).await);
    assert!(answered.contains("Ada"), "{answered}");
    let twice = format!("{:?}", client.peer().call_tool_once(claim).await);
    assert!(twice.contains("they came too late"), "{twice}");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_not_held_for_ever_nor_for_a_client_that_has_gone() {
    let fake = Fake::with_tools(&["ask"]);
    let gateway = gateway([("a", &fake)]);
    let client = modern(&gateway, Client::that_can_be_asked()).await;
    settle().await;
    let call = params("a__ask", &json!({}));
    let required = asked(&client, call.clone()).await;
    tokio::time::sleep(Duration::from_secs(599)).await;
    assert_eq!(fake.cancelled.load(Ordering::SeqCst), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(fake.cancelled.load(Ordering::SeqCst), 1);
    let late = format!(
        "{:?}",
        client.peer().call_tool_once(again(call.clone(), &required)).await
    );
    assert!(late.contains("they came too late"), "{late}");

    asked(&client, call).await;
    client.cancel().await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    // The one that all share was idle meanwhile.
    assert_eq!(fake.alive(), 0, "its own process is ended with it");
}

#[tokio::test(start_paused = true)]
async fn no_more_than_so_many_calls_are_held() {
    let fake = Fake::with_tools(&["ask"]);
    let gateway = gateway([("a", &fake)]);
    let client = modern(&gateway, Client::that_can_be_asked()).await;
    let mut first = None;
    for nth in 0..64 {
        let call = params("a__ask", &json!({"nth": nth}));
        let required = asked(&client, call.clone()).await;
        first.get_or_insert((call, required));
    }
    let refused = through(&client, "a__ask", json!({})).await;
    assert!(text(&refused).contains("64 calls wait"), "{refused:?}");
    let (call, required) = first.unwrap();
    let answered = format!("{:?}", client.peer().call_tool_once(again(call, &required)).await);
    assert!(answered.contains("Ada"), "{answered}");
}

/// Servers in memory that the user may take back.
struct Revocable {
    fakes: Arc<Fakes>,
    is_revoked: std::sync::atomic::AtomicBool,
}

impl crate::mcp::pool::Connector for Revocable {
    fn servers(&self) -> Vec<String> {
        self.fakes.servers()
    }

    fn may_run(&self, _server: &str) -> Result<(), ServerError> {
        if self.is_revoked.load(Ordering::SeqCst) {
            return Err(ServerError::new(FailureKind::Unapproved, "it was taken back"));
        }
        Ok(())
    }

    fn connect(
        &self,
        server: &str,
        relay: crate::mcp::pool::Relay,
    ) -> crate::mcp::bridge::BoxFuture<
        'static,
        Result<crate::mcp::client::Connection<crate::mcp::pool::Relay>, ServerError>,
    > {
        self.fakes.connect(server, relay)
    }
}

#[tokio::test(start_paused = true)]
async fn a_held_call_of_a_server_that_was_taken_back_does_not_go_on() {
    let fake = Fake::with_tools(&["ask", "echo"]);
    let connector = Arc::new(Revocable {
        fakes: Fakes::of([("a", &fake)]),
        is_revoked: false.into(),
    });
    let gateway = Gateway::new(connector.clone(), GatewayConfig::default());
    let client = modern(&gateway, Client::that_can_be_asked()).await;
    let call = params("a__ask", &json!({}));
    let required = asked(&client, call.clone()).await;
    connector.is_revoked.store(true, Ordering::SeqCst);
    let claim = again(call.clone(), &required);
    let refused = format!("{:?}", client.peer().call_tool_once(claim).await);
    assert!(
        refused.contains("it was taken back") && !refused.contains("Ada"),
        "{refused}"
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((fake.cancelled.load(Ordering::SeqCst), fake.alive()), (1, 0));
    // Approved again, it is there again.
    connector.is_revoked.store(false, Ordering::SeqCst);
    assert_eq!(text(&through(&client, "a__echo", json!({})).await), "echo {}");
    let required = asked(&client, call.clone()).await;
    let answered = format!("{:?}", client.peer().call_tool_once(again(call, &required)).await);
    assert!(answered.contains("Ada"), "{answered}");
}

#[tokio::test(start_paused = true)]
async fn a_state_of_another_gateway_that_is_the_server_is_given_to_it() {
    let fake = Fake::with_tools(&["input"]);
    fake.is_modern.store(true, Ordering::SeqCst);
    let gateway = gateway([("a", &fake)]);
    let client = modern(&gateway, Client::that_can_be_asked()).await;
    let call = params("a__input", &json!({}));
    let mut claim = again(call.clone(), &asked(&client, call).await);
    claim.request_state = Some("aleph-held-of-it".to_owned());
    let answered = format!("{:?}", client.peer().call_tool_once(claim).await);
    assert!(
        answered.contains("Ada") && answered.contains("aleph-held-of-it"),
        "{answered}"
    );
}
