//! What a server says between question and answer, on its way to the client whose call it is about.
//!
//! A server may report progress, log, and ask for input while a call is under way. Every call registers a route; the
//! relay finds the route that a message is about and hands it to the task of that call, which alone talks to the client:
//! over HTTP a request to a client must travel on the stream of the call that it belongs to.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::handler::client::ClientHandler;
#[expect(deprecated, reason = "servers of older revisions log")]
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientResult, CustomNotification, CustomRequest, CustomResult,
    ErrorCode, ErrorData, JsonObject, LoggingMessageNotificationParam, NotificationMetaObject,
    ProgressNotificationParam, ProgressToken, RequestId, ServerRequest,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{Peer, RoleClient, RoleServer};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::budget::{Budget, Waiting};
use super::forward::{IN_PLACE, as_error};
use crate::mcp::bridge::{Happening, ServerEvent};
use crate::mcp::client::{QUESTIONS, written};
use crate::mcp::json::parse;

/// The methods of what is told while a call is under way.
pub(super) const LOG: &str = "notifications/message";
pub(super) const PROGRESS: &str = "notifications/progress";

/// How many messages of one call may wait for its client. Beyond, and beyond the [`Budget`] of its connection, progress and
/// log messages are dropped: a server that floods must not fill our memory because a client reads slowly.
const WAITING: usize = 256;

/// Something that a server says while a call is under way.
#[derive(Debug)]
pub(in crate::mcp) enum Upward {
    /// How far it is; and the same as it was written.
    Progress(ProgressNotificationParam, JsonObject, Waiting),
    /// A message for a log; and the same as it was written.
    #[expect(deprecated, reason = "servers of older revisions log")]
    Log(LoggingMessageNotificationParam, JsonObject, Waiting),
    /// It asks for input, and waits for the answer.
    Ask(Question),
}

/// A question of a server.
#[derive(Debug)]
pub(in crate::mcp) struct Question {
    /// Its method, such as `elicitation/create`.
    pub(in crate::mcp) method: String,
    /// What is asked, as it was written.
    pub(in crate::mcp) params: Option<JsonObject>,
    /// Whether it came on the stream of the call that it is about. Else it was given to a call that it may be about, of
    /// several of one client, and that call's end is not its own.
    pub(super) is_certain: bool,
    /// Where the answer goes.
    pub(super) reply: oneshot::Sender<Result<Value, ErrorData>>,
}

impl Question {
    /// It as a request to a client.
    pub(super) fn request(&self) -> ServerRequest {
        asked(&self.method, self.params.clone())
    }
}

/// What the keys of the metadata begin with that are the gateway's own.
const OURS: &str = "aleph/";

/// What a server wrote, without what it has in our name in its metadata: a client must be able to believe what it reads
/// there.
pub(in crate::mcp) fn not_in_our_name(mut written: JsonObject) -> JsonObject {
    if let Some(Value::Object(meta)) = written.get_mut("_meta") {
        meta.retain(|key, _| !key.starts_with(OURS));
    }
    written
}

/// A question as a request to a client, with all that was written.
pub(in crate::mcp) fn asked(method: &str, params: Option<JsonObject>) -> ServerRequest {
    let params = params.map(not_in_our_name);
    CustomRequest::new(method, params.map(Value::Object)).into()
}

/// Where the messages of one call go.
#[derive(Debug)]
struct Route {
    request: RequestId,
    to: mpsc::Sender<Upward>,
    /// Whether its client has to come again before it hears anything.
    is_held: bool,
    /// How many calls began before it.
    nth: usize,
    /// How many questions it was given that may be about others.
    questions: usize,
}

/// The calls of one connection that are under way.
#[derive(Debug, Default)]
struct Routes {
    by_token: HashMap<ProgressToken, Route>,
    begun: usize,
}

/// A question that a client has been asked: while it has not answered, the time of no call of that connection runs, since
/// it may be about any of them.
#[derive(Debug)]
pub(super) struct Asking(Relay);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.0.asking.fetch_sub(1, Ordering::AcqRel);
    }
}

struct Inner {
    server: String,
    events: broadcast::Sender<ServerEvent>,
    config: ClientConfig,
    /// Whether all calls are of one client.
    is_of_one: bool,
    /// The client that this connection was opened for, if it can be asked outside a call.
    home: Option<Peer<RoleServer>>,
    routes: Mutex<Routes>,
    /// How many calls are under way.
    under_way: watch::Sender<usize>,
    /// What waits for clients.
    budget: Budget,
    /// How many questions a client was asked and has not answered.
    asking: AtomicUsize,
    /// Held while a request is sent and its route is not registered yet.
    sending: tokio::sync::Mutex<()>,
}

/// The handler of a connection to a server.
#[derive(Clone)]
pub struct Relay(Arc<Inner>);

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Relay").field(&self.0.server).finish()
    }
}

/// A registered call; its route ends with it.
pub(in crate::mcp) struct Registered {
    relay: Relay,
    token: ProgressToken,
    /// What the server says meanwhile.
    pub(in crate::mcp) from_server: mpsc::Receiver<Upward>,
}

impl Registered {
    /// Says whether the call's client has to come again before it hears anything.
    pub(super) fn set_held(&self, is_held: bool) {
        self.relay.routes(|routes| {
            if let Some(route) = routes.by_token.get_mut(&self.token) {
                route.is_held = is_held;
            }
        });
    }

    /// The relay that it is registered with.
    pub(super) const fn relay(&self) -> &Relay {
        &self.relay
    }

    /// The call is over: what it was given that may be about another one goes to another one.
    pub(super) fn hand_on(&mut self, questions: Vec<Question>) {
        self.end();
        self.from_server.close();
        let waiting = std::iter::from_fn(|| self.from_server.try_recv().ok());
        let waiting = waiting.filter_map(|message| match message {
            Upward::Ask(question) => Some(question),
            Upward::Progress(..) | Upward::Log(..) => None,
        });
        for question in questions.into_iter().chain(waiting) {
            // One that is dropped is refused; one that the server has taken back needs nothing.
            if !question.is_certain
                && !question.reply.is_closed()
                && let Some(to) = self.relay.route_of_question(None)
            {
                let _ = to.try_send(Upward::Ask(question));
            }
        }
    }

    fn end(&self) {
        let left = self.relay.routes(|routes| {
            routes.by_token.remove(&self.token);
            routes.by_token.len()
        });
        self.relay.0.under_way.send_replace(left);
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.hand_on(Vec::new());
    }
}

/// The protocol's own refusal: there is no such method here.
pub(in crate::mcp) fn refusal(method: &str) -> ErrorData {
    let message = format!("the client does not support {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

impl Relay {
    /// The handler for a connection that declares these capabilities, opened for one client or shared by several.
    pub(super) fn new(
        server: &str,
        events: broadcast::Sender<ServerEvent>,
        config: ClientConfig,
        is_of_one: bool,
        home: Option<Peer<RoleServer>>,
    ) -> Self {
        Self(Arc::new(Inner {
            server: server.to_owned(),
            events,
            config,
            is_of_one,
            home,
            routes: Mutex::default(),
            under_way: watch::Sender::new(0),
            budget: Budget::default(),
            asking: AtomicUsize::new(0),
            sending: tokio::sync::Mutex::default(),
        }))
    }

    fn routes<T>(&self, work: impl FnOnce(&mut Routes) -> T) -> T {
        work(&mut self.0.routes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A client is asked something from now on.
    pub(super) fn begin_asking(&self) -> Asking {
        self.0.asking.fetch_add(1, Ordering::AcqRel);
        Asking(self.clone())
    }

    /// Whether a client has something to answer that may be about any call of this connection.
    pub(super) fn is_asking(&self) -> bool {
        self.0.asking.load(Ordering::Acquire) > 0
    }

    /// Waits until no call is under way.
    pub(super) async fn is_idle(&self) {
        let _ = self.0.under_way.subscribe().wait_for(|calls| *calls == 0).await;
    }

    /// Sends a request and registers its route before anything about it can arrive.
    pub(super) async fn send<E>(
        &self,
        send: impl Future<Output = Result<rmcp::service::RequestHandle<RoleClient>, E>>,
    ) -> Result<(rmcp::service::RequestHandle<RoleClient>, Registered), E> {
        let _sending = self.0.sending.lock().await;
        let handle = send.await?;
        let (to, from_server) = mpsc::channel(WAITING);
        let token = handle.progress_token.clone();
        let request = handle.id.clone();
        let under_way = self.routes(|routes| {
            let route = Route {
                request,
                to,
                is_held: false,
                nth: routes.begun,
                questions: 0,
            };
            routes.begun += 1;
            routes.by_token.insert(token.clone(), route);
            routes.by_token.len()
        });
        self.0.under_way.send_replace(under_way);
        let registered = Registered {
            relay: self.clone(),
            token,
            from_server,
        };
        Ok((handle, registered))
    }

    fn changed(&self) {
        // Nobody listens when everything is being closed.
        let _ = self.0.events.send(ServerEvent {
            server: self.0.server.clone(),
            what: Happening::Changed,
        });
    }

    /// The call on whose stream a message came.
    fn route_of(&self, origin: Option<&InboundStreamOrigin>) -> Option<mpsc::Sender<Upward>> {
        let Some(InboundStreamOrigin::OutboundRequest(id)) = origin else {
            return None;
        };
        self.routes(|routes| {
            let route = routes.by_token.values().find(|route| route.request == *id);
            route.map(|route| route.to.clone())
        })
    }

    /// A call that a message without a token may be about: the only one, or, where all calls are of one client, one of them.
    /// Where clients share a connection and it cannot be told, none: what is meant for one must not be shown to another.
    fn likely<'a>(&self, routes: &'a mut Routes) -> Option<&'a mut Route> {
        if routes.by_token.len() > 1 && !self.0.is_of_one {
            return None;
        }
        // One that hears it now if there is one, that was asked the least; of several that which began first, since most
        // servers ask in the order in which they were called.
        let routes = routes.by_token.values_mut();
        routes.min_by_key(|route| (route.is_held, route.questions, route.nth))
    }

    /// The call that a question is about, or may be about.
    fn route_of_question(&self, origin: Option<&InboundStreamOrigin>) -> Option<mpsc::Sender<Upward>> {
        self.route_of(origin).or_else(|| {
            self.routes(|routes| {
                let route = self.likely(routes)?;
                route.questions += 1;
                Some(route.to.clone())
            })
        })
    }

    /// Has the client answer that a question is about.
    async fn ask(
        &self,
        method: &str,
        params: Option<JsonObject>,
        context: &RequestContext<RoleClient>,
    ) -> Result<Value, ErrorData> {
        let params = params.map(not_in_our_name);
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let (reply, answer) = oneshot::channel();
        let mut message = Upward::Ask(Question {
            method: method.to_owned(),
            params: params.clone(),
            is_certain: self.route_of(origin).is_some(),
            reply,
        });
        // A call that has ended in this moment gives it back.
        while let Some(to) = self.route_of_question(origin) {
            message = match to.send(message).await {
                Err(mpsc::error::SendError(back)) => back,
                Ok(()) => {
                    let over = |_| ErrorData::internal_error("the call that this was about is over", None);
                    return answer.await.map_err(over)?;
                }
            };
        }
        let Some(home) = self.0.home.clone() else {
            return Err(refusal(method));
        };
        if !declares(&self.0.config.capabilities, method) {
            return Err(refusal(method));
        }
        let request = asked(method, params);
        // In a task of its own: the SDK would take the server's request for the client's call that this belongs to.
        let asked = tokio::spawn(async move { home.send_request(request).await });
        match asked.await {
            Ok(answer) => answer.map_err(as_error).and_then(answer_of),
            Err(_) => Err(ErrorData::internal_error("the client could not be asked", None)),
        }
    }
}

/// Whether a client with these capabilities can answer a question of this method.
pub(in crate::mcp) fn declares(capabilities: &ClientCapabilities, method: &str) -> bool {
    match method {
        "sampling/createMessage" => capabilities.sampling.is_some(),
        "roots/list" => capabilities.roots.is_some(),
        "elicitation/create" => capabilities.elicitation.is_some(),
        _ => false,
    }
}

/// What of a client's capabilities a server is told: what can be answered through us. Experimental capabilities and
/// extensions, tasks among them, are between the client and us, and would be promised in vain.
pub(in crate::mcp) fn passed_on(declared: &ClientCapabilities) -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots.clone_from(&declared.roots);
    capabilities.sampling.clone_from(&declared.sampling);
    capabilities.elicitation.clone_from(&declared.elicitation);
    capabilities
}

/// The metadata of a notification, where the SDK leaves it.
fn meta(context: &mut NotificationContext<RoleClient>) -> &mut JsonObject {
    if context.extensions.get::<NotificationMetaObject>().is_some() {
        context
            .extensions
            .get_or_insert_default::<NotificationMetaObject>()
    } else {
        &mut context.meta
    }
}

/// The parameters of a message as they were written, or as the SDK has them.
fn as_written(meta: &mut JsonObject, known: &impl Serialize) -> Option<JsonObject> {
    let known = || match serde_json::to_value(known) {
        Ok(Value::Object(known)) => Some(known),
        _ => None,
    };
    written(meta).or_else(known).map(not_in_our_name)
}

/// The answer of a client, as it wrote it: over HTTP it travels in what the SDK does not look into.
pub(in crate::mcp) fn answer_of(answer: ClientResult) -> Result<Value, ErrorData> {
    let mut answer = match answer {
        ClientResult::CustomResult(CustomResult(written)) => written,
        known => json!(known),
    };
    if let Some(Value::String(packed)) = answer.get_mut(IN_PLACE).map(Value::take) {
        answer = parse(packed.as_bytes()).map_err(|error| {
            ErrorData::internal_error(format!("the answer of the client cannot be read: {error}"), None)
        })?;
    }
    is_answer(answer)
}

/// An answer, if it can be one of any question: what it should have beside that is between the client and the server.
pub(in crate::mcp) fn is_answer(answer: Value) -> Result<Value, ErrorData> {
    if answer.is_object() {
        return Ok(answer);
    }
    let message = "the client's answer is not what was asked for: it is no object";
    Err(ErrorData::internal_error(message, None))
}

#[expect(deprecated, reason = "servers of older revisions log")]
impl ClientHandler for Relay {
    fn get_info(&self) -> ClientConfig {
        self.0.config.clone()
    }

    /// All that servers ask comes this way, as they wrote it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if !QUESTIONS.contains(&&*request.method) {
            return Err(refusal(&request.method));
        }
        let params = match request.params {
            Some(Value::Object(params)) => Some(params),
            _ => None,
        };
        self.ask(&request.method, params, &context)
            .await
            .map(CustomResult)
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        mut context: NotificationContext<RoleClient>,
    ) {
        drop(self.0.sending.lock().await);
        let to = self.routes(|routes| {
            routes
                .by_token
                .get(&params.progress_token)
                .map(|route| route.to.clone())
        });
        if let Some(to) = to {
            let written = as_written(meta(&mut context), &params).unwrap_or_default();
            if let Some(waiting) = self.0.budget.take(&written) {
                let _ = to.try_send(Upward::Progress(params, written, waiting));
            }
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        mut context: NotificationContext<RoleClient>,
    ) {
        drop(self.0.sending.lock().await);
        let written = as_written(meta(&mut context), &params).unwrap_or_default();
        let to = self.routes(|routes| self.likely(routes).map(|route| route.to.clone()));
        if let Some(to) = to {
            if let Some(waiting) = self.0.budget.take(&written) {
                let _ = to.try_send(Upward::Log(params, written, waiting));
            }
        } else if let Some(home) = &self.0.home {
            let message = CustomNotification::new(LOG, Some(Value::Object(written)));
            let _ = home.send_notification(message.into()).await;
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed();
    }
}
