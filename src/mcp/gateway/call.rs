//! Calling a tool of a server for a client, and what the call unlocks.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult, ClientRequest, ClientResult,
    ContentBlock, ErrorData, InputRequest, InputRequiredResult, InputResponses, JsonObject, MetaObject,
    ResultType, ServerRequest, ServerResult,
};
use serde_json::{Value, json};

use super::Gateway;
use super::judge::Verdict;
use super::session::Client;
use super::view::View;
use crate::mcp::client::{FailureKind, ServerError};
use crate::mcp::pool::{Failed, InUse, declares, method};
use crate::tools::disclosure::OperationEffect;

/// How often a server may ask for input for one call, as the SDK has it.
const ROUNDS: usize = 10;

/// The key of `_meta` that says what a call unlocked.
const UNLOCKED: &str = "aleph/unlocked";

/// Answers to what a server asked for, and its own note, given back with the call.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

/// The lease of a tool that is being called: it does not run out meanwhile, however the call ends.
struct Leased<'a> {
    gateway: &'a Gateway,
    handle: &'a str,
    name: String,
}

impl<'a> Leased<'a> {
    fn begin(gateway: &'a Gateway, handle: &'a str, name: &str) -> Self {
        let now = gateway.now();
        if gateway.governs(name) {
            gateway.handles(|handles| handles.session(handle).begin_call(name, now));
        }
        Self {
            gateway,
            handle,
            name: name.to_owned(),
        }
    }
}

impl Drop for Leased<'_> {
    fn drop(&mut self) {
        if self.gateway.governs(&self.name) {
            let now = self.gateway.now();
            self.gateway.handles(|handles| {
                // Its client may have gone meanwhile, and its handle with it.
                if let Some(session) = handles.existing(self.handle) {
                    session.end_call(&self.name, now);
                }
            });
        }
    }
}

/// A sentence that an agent reads as the failure of its call.
pub(super) fn failure(sentence: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence)])
}

/// The failure of a server, for an agent.
pub(super) fn failed_server(server: &str, error: &ServerError) -> CallToolResult {
    failure(server_failure(server, error))
}

/// What failed, why, and what to do.
pub(super) fn server_failure(server: &str, error: &ServerError) -> String {
    let mut sentence = format!("the server `{server}` failed: {}", error.message);
    if !error.stderr.is_empty() {
        sentence.push_str("; its last words: ");
        sentence.push_str(&error.stderr.join(" / "));
    }
    sentence.push_str(match error.kind {
        FailureKind::Exited | FailureKind::Network | FailureKind::Protocol => {
            ". A later call starts it anew."
        }
        FailureKind::Timeout => {
            ". Call again, or ask for less; if it answers nothing more, it is started anew."
        }
        FailureKind::TooMuch => ". Ask for less.",
        FailureKind::Rejected
        | FailureKind::Refused
        | FailureKind::Dns
        | FailureKind::Tls
        | FailureKind::HttpStatus => ". Call again when the user has seen to it that it can be reached.",
        FailureKind::NotFound
        | FailureKind::CannotStart
        | FailureKind::BadAddress
        | FailureKind::Unauthorized
        | FailureKind::UnsupportedTransport
        | FailureKind::Definition
        | FailureKind::Unapproved => {
            ". Only the user can mend that: `aleph-discover mcp servers` shows how it is configured."
        }
    });
    sentence
}

impl Gateway {
    /// Calls a tool by name, for a client. A name that cannot be called is a failure that the agent reads.
    pub(super) async fn call(
        &self,
        client: &Client<'_>,
        handle: &str,
        name: &str,
        arguments: Option<JsonObject>,
        answers: Answers,
    ) -> Result<CallToolResponse, ErrorData> {
        self.first_look_for(name, &client.owner()).await;
        let view = self.view();
        let verdict = self.judge(&view, handle, name);
        if let Some(refusal) = verdict.refusal(name) {
            return Ok(failure(refusal.sentence()).into());
        }
        let Verdict::Open(tool) = verdict else {
            return Ok(failure(format!("there is no tool `{name}`")).into());
        };
        let leased = Leased::begin(self, handle, &tool.name);
        let server = match self.0.pool.get(&tool.server, &client.owner()).await {
            Ok(server) => server,
            Err(error) => return Ok(failed_server(&tool.server, &error).into()),
        };
        let request = |answers: Answers| {
            let mut params = CallToolRequestParams::new(tool.tool.clone());
            params.arguments.clone_from(&arguments);
            params.input_responses = answers.responses;
            params.request_state = answers.state;
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        };
        let answer = self.rounds(client, &server, &request, answers).await;
        let mut result = match answer {
            Ok(ServerResult::CallToolResult(result)) => result,
            // An empty object is a result without content.
            Ok(ServerResult::EmptyResult(_)) => CallToolResult::default(),
            Ok(ServerResult::InputRequiredResult(result)) => return Ok(result.into()),
            // It was not told that anybody could follow a task.
            Ok(ServerResult::CreateTaskResult(task)) => {
                let sentence = format!(
                    "`{}` began a task (`{}`) instead of answering, and tasks cannot be followed through the gateway; \
                     call it with the server configured directly",
                    tool.name, task.task.task_id
                );
                return Ok(failure(sentence).into());
            }
            Ok(_) => {
                let sentence = format!("the answer of `{}` is not that of a tool", tool.server);
                return Ok(failure(sentence).into());
            }
            Err(Failed::Answer(error)) => return Err(error),
            Err(Failed::Server(error)) => return Ok(failed_server(&tool.server, &error).into()),
            Err(Failed::Cancelled) => return Err(ErrorData::internal_error("cancelled", None)),
        };
        // A server of an older revision does not say it, and a client of 2026-07-28 has to be told. For older clients the
        // SDK takes it out again.
        result.result_type.get_or_insert(ResultType::COMPLETE);
        let succeeded = result.is_error != Some(true);
        let effect = self.operation_ended(&view, handle, &tool.name, arguments, succeeded);
        drop(leased);
        if let Some(effect) = effect {
            client.state.list_may_have_changed();
            decorate(&mut result, &effect, client.handed_out(handle));
        }
        Ok(result.into())
    }

    /// Asks a server, answering what it asks for by asking the client. A client of 2026-07-28 or newer is given the
    /// questions instead, and calls again with its answers.
    pub(super) async fn rounds(
        &self,
        client: &Client<'_>,
        server: &InUse,
        request: &(dyn Fn(Answers) -> ClientRequest + Sync),
        mut answers: Answers,
    ) -> Result<ServerResult, Failed> {
        let timeout = self.0.pool.limits().request_timeout;
        for _ in 0..ROUNDS {
            let answer = server.ask(request(answers), &client.down, timeout).await?;
            let ServerResult::InputRequiredResult(required) = answer else {
                return Ok(answer);
            };
            if client.down.is_modern {
                return Ok(ServerResult::InputRequiredResult(required));
            }
            answers = answer_for(client, required).await?;
        }
        let message = format!("it asked for input more than {ROUNDS} times");
        Err(Failed::Answer(ErrorData::internal_error(message, None)))
    }

    /// What a call of a hub unlocked; none where the rules do not speak of it.
    fn operation_ended(
        &self,
        view: &View,
        handle: &str,
        name: &str,
        arguments: Option<JsonObject>,
        succeeded: bool,
    ) -> Option<OperationEffect> {
        if !self.0.hubs.contains(name) {
            return None;
        }
        let now = self.now();
        let arguments = arguments.map(Value::Object);
        let effect = self.handles(|handles| {
            let registry = handles.session(handle);
            registry.on_operation_called(name, arguments.as_ref(), succeeded, view, now)
        });
        (effect != OperationEffect::default()).then_some(effect)
    }
}

/// Has a client of an older revision answer what a server of a newer one asks for.
async fn answer_for(client: &Client<'_>, required: InputRequiredResult) -> Result<Answers, Failed> {
    let mut responses = InputResponses::new();
    for (key, question) in required.input_requests.unwrap_or_default() {
        let question: ServerRequest = match question {
            InputRequest::CreateMessage(request) => request.into(),
            InputRequest::Elicitation(request) => request.into(),
            InputRequest::ListRoots(request) => request.into(),
            _ => {
                return Err(Failed::Answer(ErrorData::internal_error(
                    "it asks for something unknown",
                    None,
                )));
            }
        };
        if !declares(&client.down.capabilities, &question) {
            return Err(Failed::Answer(crate::mcp::pool::refusal(method(&question))));
        }
        let answer = client.down.context.peer.send_request(question).await;
        let answer = answer.map_err(|error| match error {
            rmcp::ServiceError::McpError(error) => Failed::Answer(error),
            other => Failed::Answer(ErrorData::internal_error(other.to_string(), None)),
        })?;
        let answer = match answer {
            ClientResult::CreateMessageResult(result) => json!(result),
            ClientResult::ListRootsResult(result) => json!(result),
            ClientResult::ElicitResult(result) => json!(result),
            other => json!(other),
        };
        responses.insert(key, answer);
    }
    Ok(Answers {
        responses: Some(responses),
        state: required.request_state,
    })
}

/// Adds to a hub's answer what its call unlocked: for programs in `_meta`, and as a block of text after the hub's own
/// content for clients that show no `_meta`. Schemas are in both, since not every client lists its tools again in time.
fn decorate(result: &mut CallToolResult, effect: &OperationEffect, handle: Option<&str>) {
    let mut unlocked = json!(effect);
    if let (Some(object), Some(handle)) = (unlocked.as_object_mut(), handle) {
        object.insert("handle".to_owned(), json!(handle));
    }
    let meta = result.meta.get_or_insert_with(MetaObject::new);
    meta.insert(UNLOCKED.to_owned(), unlocked);
    let mut lines = Vec::new();
    if let Some(message) = &effect.message {
        lines.push(message.clone());
    }
    for tool in &effect.newly_discovered {
        lines.push(json!(tool).to_string());
    }
    for pending in &effect.pending {
        lines.push(format!("Not unlocked yet: {}; {}", pending.tool, pending.next));
    }
    if lines.is_empty() {
        return;
    }
    if let Some(handle) = handle {
        lines.push(format!("Pass \"handle\": \"{handle}\" with your next calls."));
    }
    result.content.push(ContentBlock::text(lines.join("\n")));
}
