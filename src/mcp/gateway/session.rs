//! One client of the gateway: the server that it talks to.

use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientNotification,
    ClientRequest, CustomResult, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, ServerResult, SetLevelRequestParams, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, Service, SubscriptionContext};
use rmcp::{Peer, RoleServer};
use serde_json::json;

use super::arguments::Arguments;
use super::call::Answers;
use super::held::{Bound, Who};
use super::http::address_of;
use super::in_place::Place;
use super::judge::Verdict;
use super::reply::{Reply, answer_of, failure};
use super::seat::{CALLS, Seat, State};
use super::surface::{Own, instructions};
use super::{Gateway, announce, in_place};
use crate::mcp::client;
use crate::mcp::pool::{Downstream, Owner, passed_on};
use crate::model::hex;

/// How long a client of 2026-07-28 may take a list for fresh, in milliseconds; changes are announced to whoever
/// subscribed.
const FRESH: u64 = 60_000;

/// The key of `_meta` that hands out a handle.
const HANDLE: &str = "aleph/handle";

/// How a client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// By streams that end with it.
    Streams,
    /// Over HTTP, where a client of 2026-07-28 has no connection that lasts.
    Http,
}

/// One client of the gateway.
///
/// It is a [`Service`] of the SDK, and not one of its handlers: those can answer with what the SDK knows alone.
pub struct Session {
    handler: Handler,
}

/// What answers a client. It may be used as it is where what is [`in_place`] is taken out of what leaves.
pub(super) struct Handler {
    seat: Seat,
}

impl std::ops::Deref for Handler {
    type Target = Seat;

    fn deref(&self) -> &Seat {
        &self.seat
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.handler.state.id)
            .finish_non_exhaustive()
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        if let Some(announcer) = self.state.announcer.get() {
            announcer.abort();
        }
        self.gateway.close_session(self.state.id, &self.state.handle);
    }
}

/// The client of one request.
pub(super) struct Client<'a> {
    pub(super) down: Downstream<'a>,
    pub(super) state: &'a State,
    /// Which call of it this is, if it should be held.
    pub(super) bound: Bound,
}

impl Client<'_> {
    /// Whose servers it uses.
    pub(super) fn owner(&self) -> Owner {
        let peer = &self.down.context.peer;
        owner(self.state, &self.down.capabilities, self.down.is_modern, peer)
    }

    /// Who it is, as far as that can be told.
    pub(super) fn who(&self) -> Who {
        let context = self.down.context;
        match self.state.transport {
            Transport::Streams => Who::of(&self.state.id.to_string()),
            Transport::Http => {
                let address = address_of(&context.extensions).map(|address| address.ip());
                let says = context.meta.get("io.modelcontextprotocol/clientInfo");
                Who::of(&format!("{address:?} {says:?}"))
            }
        }
    }

    /// The handle to tell the client; none where its connection is its handle.
    pub(super) fn handed_out<'a>(&self, handle: &'a str) -> Option<&'a str> {
        (self.down.is_modern && handle != self.state.handle && !handle.is_empty()).then_some(handle)
    }
}

/// Whose servers a client uses: its own if it can be asked for input, else those of all.
///
/// Over HTTP clients of 2026-07-28 are not told apart. They have servers one call at a time, and servers are not told of
/// roots: one that remembers what it was told would use those of one client for the call of another.
fn owner(state: &State, declared: &ClientCapabilities, is_modern: bool, peer: &Peer<RoleServer>) -> Owner {
    let mut capabilities = Box::new(passed_on(declared));
    let is_anyone = is_modern && state.transport == Transport::Http;
    if is_anyone {
        capabilities.roots = None;
    }
    let can_be_asked =
        capabilities.roots.is_some() || capabilities.sampling.is_some() || capabilities.elicitation.is_some();
    if !can_be_asked {
        return Owner::Shared;
    }
    if is_anyone {
        return Owner::InTurn(capabilities);
    }
    Owner::Client {
        session: state.id,
        capabilities,
        peer: (!is_modern).then(|| peer.clone()),
    }
}

impl Session {
    /// A client at the other end of streams that end with it.
    #[must_use]
    pub fn new(gateway: &Gateway) -> Self {
        Self {
            handler: Handler::new(gateway, Transport::Streams),
        }
    }
}

impl Service<RoleServer> for Session {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let place = Place::default();
        context.extensions.insert(place.clone());
        let known = self.handler.handle_request(request, context).await?;
        Ok(match place.take() {
            Some(result) => ServerResult::CustomResult(CustomResult(result)),
            None => known,
        })
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.handler)
    }
}

impl Handler {
    /// A client that was just accepted.
    pub(super) fn new(gateway: &Gateway, transport: Transport) -> Self {
        let (id, handle) = gateway.open_session();
        let seat = Seat {
            gateway: gateway.clone(),
            state: Arc::new(State::new(id, handle, transport)),
        };
        Self { seat }
    }

    fn client<'a>(&'a self, context: &'a RequestContext<RoleServer>, bound: Bound) -> Client<'a> {
        Client {
            down: Downstream {
                is_modern: is_modern(context),
                is_over_http: self.state.transport == Transport::Http,
                capabilities: context.client_capabilities().unwrap_or_default(),
                log_level: self.state.level(),
                context,
            },
            state: &self.state,
            bound,
        }
    }

    /// The session of disclosure that a call is made in. One that has no connection that lasts names it, or gets one; one
    /// that goes on with a call goes on in the same.
    fn handle(
        &self,
        client: &Client<'_>,
        given: Option<String>,
        answers: &Answers,
    ) -> Result<String, String> {
        if let Some(handle) = self
            .gateway
            .0
            .held
            .handle(answers.state.as_deref(), &client.bound)
        {
            return Ok(handle);
        }
        match given.as_deref() {
            None if !client.down.is_modern || self.state.transport == Transport::Streams => {
                Ok(self.state.handle.clone())
            }
            // Without rules there is nothing to remember.
            None if self.gateway.0.governed.is_empty() => Ok(String::new()),
            None | Some("new") => {
                let handle = random_name()?;
                self.gateway.handles(|handles| {
                    handles.session(&handle);
                });
                Ok(handle)
            }
            Some(known) if self.gateway.handles(|handles| handles.contains(known)) => Ok(known.to_owned()),
            Some(unknown) => Err(format!(
                "there is no handle `{unknown}`; leave it out to get a new one: it may have been dropped"
            )),
        }
    }

    /// Answers a call of one of the gateway's own tools.
    async fn call_own(
        &self,
        own: Own,
        client: &Client<'_>,
        request: CallToolRequestParams,
    ) -> Result<Reply, ErrorData> {
        let handles = client.down.is_modern && !self.gateway.0.governed.is_empty();
        let answers = Answers {
            responses: request.input_responses,
            state: request.request_state,
        };
        let prepared = Arguments::of(own, request.arguments, handles).and_then(|mut arguments| {
            let given = if handles && own.takes_handle() {
                arguments.optional_text("handle")?
            } else {
                None
            };
            Ok((arguments, self.handle(client, given, &answers)?))
        });
        let (mut arguments, handle) = match prepared {
            Ok(prepared) => prepared,
            Err(sentence) => return Ok(failure(sentence)),
        };
        let gateway = &self.gateway;
        let answered = match own {
            Own::ToolSearch => match gateway.tool_search(client, &handle, arguments).await {
                Ok((answer, found)) => {
                    let tiers = &gateway.0.tiers;
                    if self
                        .state
                        .promotions(|promotions| promotions.promote(tiers, &found))
                    {
                        self.state.list_may_have_changed();
                    }
                    Ok(answer)
                }
                Err(sentence) => Err(sentence),
            },
            Own::GetToolSchema => gateway.get_tool_schema(client, &handle, arguments).await,
            Own::ToolVisibility => {
                let answer = gateway.tool_visibility(&handle, arguments);
                self.state.list_may_have_changed();
                answer
            }
            Own::CallTool => {
                let named = arguments
                    .text("name")
                    .and_then(|name| Ok((name, arguments.object("arguments")?)));
                let (name, arguments) = match named {
                    Ok(named) => named,
                    Err(sentence) => return Ok(failure(sentence)),
                };
                let mut reply = gateway.call(client, &handle, &name, arguments, answers).await?;
                if let Some(handle) = client.handed_out(&handle)
                    && reply.is_complete()
                {
                    reply.add_meta(HANDLE, json!(handle));
                }
                return Ok(reply);
            }
            Own::ListResources => gateway.list_resources(client, arguments).await,
            Own::ListResourceTemplates => gateway.list_templates(client, arguments).await,
            Own::ListPrompts => gateway.list_prompts(client, arguments).await,
            Own::ReadResource => return gateway.read_resource(client, arguments, answers).await,
            Own::GetPrompt => return gateway.get_prompt(client, arguments, answers).await,
        };
        Ok(match answered {
            Ok(mut answer) => {
                if let (Some(object), Some(handle)) = (answer.as_object_mut(), client.handed_out(&handle)) {
                    object.insert("handle".to_owned(), json!(handle));
                }
                answer_of(answer)
            }
            Err(sentence) => failure(sentence),
        })
    }

    /// Answers a call.
    async fn reply(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ErrorData> {
        let Ok(_permit) = self.state.calls.try_acquire() else {
            return Ok(failure(format!(
                "{CALLS} calls are under way already: wait for one of them"
            )));
        };
        let lasts = self.state.transport == Transport::Streams;
        let bound = if is_modern(context) {
            Bound::of(lasts.then_some(self.state.id), &request)
        } else {
            Bound::to_nothing()
        };
        let client = self.client(context, bound);
        self.gateway.look_first(&client.owner());
        if let Some(own) = Own::named(&request.name) {
            if self.has(own) {
                return self.call_own(own, &client, request).await;
            }
            let message = format!("no server has anything for `{}` now", own.name());
            return Err(ErrorData::invalid_params(message, None));
        }
        let answers = Answers {
            responses: request.input_responses,
            state: request.request_state,
        };
        // A tool that is listed, or that the client knows otherwise: the same predicate as everywhere.
        let handle = match self.handle(&client, None, &answers) {
            Ok(handle) => handle,
            Err(sentence) => return Ok(failure(sentence)),
        };
        self.gateway.first_look_for(&request.name, &client.owner()).await;
        let view = self.gateway.view();
        let verdict = self.gateway.judge(&view, &handle, &request.name);
        if matches!(verdict, Verdict::Unknown(_)) {
            let refusal = verdict.refusal(&request.name);
            let sentence = refusal.map_or_else(String::new, |refusal| refusal.sentence());
            return Err(ErrorData::invalid_params(sentence, None));
        }
        self.gateway
            .call(&client, &handle, &request.name, request.arguments, answers)
            .await
    }

    /// Whether one of the gateway's own tools is there now.
    fn has(&self, own: Own) -> bool {
        let is_open = self.gateway.view().gates.opens(own.name()).unwrap_or(true);
        is_open && (own != Own::ToolVisibility || !self.gateway.0.governed.is_empty())
    }
}

/// Whether a request is one of 2026-07-28 or newer.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| client::is_modern(version.as_str()))
}

/// A name that nobody can guess: 128 random bits, in hexadecimal.
pub(super) fn random_name() -> Result<String, String> {
    random_hex::<16>()
}

/// So many random bytes, in hexadecimal.
pub(super) fn random_hex<const BYTES: usize>() -> Result<String, String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random numbers: {error}"))?;
    Ok(hex(&bytes))
}

#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(
                env!("CARGO_PKG_NAME"),
                env!("CARGO_PKG_VERSION"),
            ))
            .with_instructions(instructions(&self.gateway.servers_behind()))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let is_modern = is_modern(&context);
        let declared = context.client_capabilities().unwrap_or_default();
        self.gateway
            .look_first(&owner(&self.state, &declared, is_modern, &context.peer));
        let mut list = json!({"tools": self.listed(is_modern)});
        if is_modern && let Some(list) = list.as_object_mut() {
            list.insert("resultType".to_owned(), json!("complete"));
            // What is known to be about to change is not to be kept.
            let fresh = if self.gateway.is_settled() { FRESH } else { 0 };
            list.insert("ttlMs".to_owned(), json!(fresh));
            // It is the same for every connection, but only whoever may connect may know it.
            list.insert("cacheScope".to_owned(), json!("private"));
        }
        Ok(ListToolsResult {
            meta: in_place::put(&context, list),
            ..ListToolsResult::default()
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = self.reply(request, &context).await?;
        let mut known = CallToolResult::default();
        known.meta = in_place::put(&context, reply.for_client(is_modern(&context)));
        Ok(known.into())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state.set_level(request.level);
        self.gateway.0.pool.set_level(self.state.id, request.level);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(info) = context.peer.peer_info() {
            self.gateway
                .look_first(&owner(&self.state, &info.capabilities, false, &context.peer));
        }
        let announcing = announce::to_legacy(self.seat.clone(), context.peer);
        let _ = self.state.announcer.set(tokio::spawn(announcing).abort_handle());
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.gateway.0.pool.roots_changed(self.state.id);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&ServerHandler::get_info(self).capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        announce::to_subscriber(&self.seat, &context).await;
        Ok(())
    }
}
