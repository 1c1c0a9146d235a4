//! Calling a tool of a server for a client, and what the call unlocks.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorData, InputResponses, JsonObject,
};
use serde_json::{Value, json};

use super::Gateway;
use super::held::{Patience, is_state, too_late};
use super::judge::Verdict;
use super::reply::{Kind, Reply, failed_server, failure, kind};
use super::session::Client;
use super::view::View;
use crate::mcp::pool::{Asked, Failed, answer_of, as_error, asked, declares, refusal};
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

/// How the rounds of a request ended.
pub(super) enum Ended {
    /// With a result, as the server wrote it.
    Result(Value),
    /// With questions for a client of 2026-07-28 or newer.
    Asks(Reply),
}

/// The lease of a tool that is being called: it does not run out meanwhile, however the call ends.
pub(super) struct Leased {
    gateway: Gateway,
    handle: String,
    name: String,
}

impl Leased {
    /// None for a tool that the rules do not speak of.
    fn begin(gateway: &Gateway, handle: &str, name: &str) -> Option<Self> {
        if !gateway.governs(name) {
            return None;
        }
        let now = gateway.now();
        gateway.handles(|handles| handles.session(handle).begin_call(name, now));
        Some(Self {
            gateway: gateway.clone(),
            handle: handle.to_owned(),
            name: name.to_owned(),
        })
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        let now = self.gateway.now();
        self.gateway.handles(|handles| {
            // Its client may have gone meanwhile, and its handle with it.
            if let Some(session) = handles.existing(&self.handle) {
                session.end_call(&self.name, now);
            }
        });
    }
}

/// A request to a server, made anew for each round of answers.
pub(super) type Request<'a> = dyn Fn(Answers) -> ClientRequest + Sync + 'a;

impl Gateway {
    /// Calls a tool by name, for a client. A name that cannot be called is a failure that the agent reads.
    pub(super) async fn call(
        &self,
        client: &Client<'_>,
        handle: &str,
        name: &str,
        arguments: Option<JsonObject>,
        answers: Answers,
    ) -> Result<Reply, ErrorData> {
        self.first_look_for(name, &client.owner()).await;
        let view = self.view();
        let verdict = self.judge(&view, handle, name);
        if let Some(refusal) = verdict.refusal(name) {
            return Ok(failure(refusal.sentence()));
        }
        let Verdict::Open(tool) = verdict else {
            return Ok(failure(format!("there is no tool `{name}`")));
        };
        let mut lease = Leased::begin(self, handle, &tool.name);
        let request = |answers: Answers| {
            let mut params = CallToolRequestParams::new(tool.tool.clone());
            params.arguments.clone_from(&arguments);
            params.input_responses = answers.responses;
            params.request_state = answers.state;
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        };
        let rounds = self.rounds(client, handle, &tool.server, &request, answers, &mut lease);
        let written = match rounds.await {
            Ok(Ended::Result(written)) => written,
            Ok(Ended::Asks(reply)) => return Ok(reply),
            Err(Failed::Answer(error)) => return Err(error),
            Err(Failed::Server(error)) => return Ok(failed_server(&tool.server, &error)),
            Err(Failed::Over(sentence)) => return Ok(failure(sentence)),
            Err(Failed::Cancelled) => return Err(ErrorData::internal_error("cancelled", None)),
        };
        // It was not told that anybody could follow a task.
        if let Kind::Task(id) = kind(&written) {
            let sentence = format!(
                "`{}` began a task (`{id}`) instead of answering, and tasks cannot be followed through the gateway; call \
                 it with the server configured directly",
                tool.name
            );
            return Ok(failure(sentence));
        }
        let Some(mut reply) = Reply::of_tool(written) else {
            let sentence = format!("the answer of `{}` is not that of a tool", tool.server);
            return Ok(failure(sentence));
        };
        let effect = self.operation_ended(&view, handle, &tool.name, arguments, reply.succeeded());
        drop(lease);
        if let Some(effect) = effect {
            client.state.list_may_have_changed();
            decorate(&mut reply, &effect, client.handed_out(handle));
        }
        Ok(reply)
    }

    /// Asks a server, answering what it asks for by asking the client. A client of 2026-07-28 or newer is given the
    /// questions instead, and calls again with its answers: those to a server of its own revision go to it, for one of an
    /// older revision the request is held meanwhile.
    pub(super) async fn rounds(
        &self,
        client: &Client<'_>,
        handle: &str,
        server: &str,
        request: &Request<'_>,
        mut answers: Answers,
        lease: &mut Option<Leased>,
    ) -> Result<Ended, Failed> {
        let timeout = self.0.pool.limits().request_timeout;
        let down = &client.down;
        let claimed = self.0.held.claim(answers.state.as_deref(), &client.bound)?;
        let (server, mut asked) = match claimed {
            Some(held) => {
                // What the user took back meanwhile is not gone on with.
                self.0
                    .pool
                    .may_run(held.server().name())
                    .map_err(Failed::Server)?;
                if held.server().name() != server {
                    return Err(Failed::Over(format!(
                        "the call that these answers belong to was one of `{}`, and the name means one of `{server}` now: \
                         make the call again",
                        held.server().name()
                    )));
                }
                let server = held.server().clone();
                let responses = answers.responses.take().unwrap_or_default();
                (server, held.answered(responses, down, timeout).await?)
            }
            // A process is not needed to say so, and there may be none to be had.
            None if is_state(answers.state.as_deref()) && self.0.pool.is_legacy(server) => {
                return Err(too_late());
            }
            None => {
                let owner = client.owner();
                let who = client.who();
                let make_room = || self.0.held.make_room_at(server, who, timeout);
                let got = self.0.pool.get_or(server, &owner, make_room).await;
                let server = got.map_err(Failed::Server)?;
                if !server.is_modern() && is_state(answers.state.as_deref()) {
                    return Err(too_late());
                }
                let asked = server.ask(request(answers), down, timeout).await?;
                (server, asked)
            }
        };
        for _ in 0..ROUNDS {
            asked = match asked {
                Asked::Answer(written) => match kind(&written) {
                    Kind::InputRequired if down.is_modern => {
                        return Ok(Ended::Asks(Reply::input_required(written)));
                    }
                    Kind::InputRequired => {
                        let answers = answer_for(client, written).await?;
                        server.ask(request(answers), down, timeout).await?
                    }
                    Kind::Complete | Kind::Task(_) => return Ok(Ended::Result(written)),
                },
                Asked::Held(held) => {
                    let whose = (client.bound.clone(), client.who());
                    let patience = Patience {
                        longest: self.0.pool.limits().answer_timeout,
                        least: timeout,
                    };
                    match self.0.held.hold(held, whose, handle, lease, patience) {
                        Ok(reply) => return Ok(Ended::Asks(reply)),
                        Err((held, why)) => held.refused(why, down, timeout).await?,
                    }
                }
            };
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
async fn answer_for(client: &Client<'_>, mut required: Value) -> Result<Answers, Failed> {
    let mut responses = InputResponses::new();
    let questions = match required.get_mut("inputRequests").map(Value::take) {
        Some(Value::Object(questions)) => questions,
        _ => JsonObject::new(),
    };
    for (key, mut question) in questions {
        let params = match question.get_mut("params").map(Value::take) {
            Some(Value::Object(params)) => Some(params),
            _ => None,
        };
        let method = question.get("method").and_then(Value::as_str).unwrap_or_default();
        if !declares(&client.down.capabilities, method) {
            return Err(Failed::Answer(refusal(method)));
        }
        let answer = client.down.context.peer.send_request(asked(method, params)).await;
        let answer = answer
            .map_err(as_error)
            .and_then(answer_of)
            .map_err(Failed::Answer)?;
        responses.insert(key, answer);
    }
    let state = required.get("requestState").and_then(Value::as_str);
    Ok(Answers {
        responses: Some(responses),
        state: state.map(str::to_owned),
    })
}

/// Adds to a hub's answer what its call unlocked: for programs in `_meta`, and as a block of text after the hub's own
/// content for clients that show no `_meta`. Schemas are in both, since not every client lists its tools again in time.
fn decorate(reply: &mut Reply, effect: &OperationEffect, handle: Option<&str>) {
    let mut unlocked = json!(effect);
    if let (Some(object), Some(handle)) = (unlocked.as_object_mut(), handle) {
        object.insert("handle".to_owned(), json!(handle));
    }
    reply.add_meta(UNLOCKED, unlocked);
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
    reply.add_text(&lines.join("\n"));
}
