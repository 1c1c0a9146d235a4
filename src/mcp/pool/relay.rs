//! What a server says between question and answer, on its way to the client whose call it is about.
//!
//! A server may report progress, log, and ask for input while a call is under way. Every call registers a route; the
//! relay finds the route that a message is about and hands it to the task of that call, which alone talks to the client:
//! over HTTP a request to a client must travel on the stream of the call that it belongs to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::handler::client::ClientHandler;
#[expect(
    deprecated,
    reason = "servers of older revisions still ask for sampling and roots, and log"
)]
use rmcp::model::{
    ClientConfig, ClientResult, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
    CustomRequest, CustomResult, ElicitRequest, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData,
    ListRootsRequest, ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProgressToken, RequestId, ServerRequest,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{Peer, RoleClient, RoleServer};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::mcp::bridge::{Happening, ServerEvent};

/// How many messages of one call may wait for its client. Beyond, progress and log messages are dropped: a server that
/// floods must not fill our memory because a client reads slowly.
const WAITING: usize = 256;

/// Something that a server says while a call is under way.
#[derive(Debug)]
pub(in crate::mcp) enum Upward {
    /// How far it is.
    Progress(ProgressNotificationParam),
    /// A message for a log.
    #[expect(deprecated, reason = "servers of older revisions log")]
    Log(LoggingMessageNotificationParam),
    /// It asks for input, and waits for the answer.
    Ask(
        Box<ServerRequest>,
        oneshot::Sender<Result<ClientResult, ErrorData>>,
    ),
}

/// Where the messages of one call go.
#[derive(Debug)]
struct Route {
    request: RequestId,
    to: mpsc::Sender<Upward>,
}

struct Inner {
    server: String,
    events: broadcast::Sender<ServerEvent>,
    config: ClientConfig,
    /// The client that this connection was opened for; none where several share it.
    home: Option<Peer<RoleServer>>,
    routes: Mutex<HashMap<ProgressToken, Route>>,
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

impl Drop for Registered {
    fn drop(&mut self) {
        self.relay.routes(|routes| routes.remove(&self.token));
    }
}

/// The protocol's own refusal: there is no such method here.
pub(in crate::mcp) fn refusal(method: &str) -> ErrorData {
    let message = format!("the client does not support {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// The method of a request that a server sends.
pub(in crate::mcp) fn method(request: &ServerRequest) -> &str {
    match request {
        ServerRequest::PingRequest(_) => "ping",
        ServerRequest::CreateMessageRequest(_) => "sampling/createMessage",
        ServerRequest::ListRootsRequest(_) => "roots/list",
        ServerRequest::ElicitRequest(_) => "elicitation/create",
        ServerRequest::CustomRequest(custom) => &custom.method,
        _ => "this request",
    }
}

impl Relay {
    /// The handler for a connection that declares these capabilities, opened for one client or shared by several.
    pub(super) fn new(
        server: &str,
        events: broadcast::Sender<ServerEvent>,
        config: ClientConfig,
        home: Option<Peer<RoleServer>>,
    ) -> Self {
        Self(Arc::new(Inner {
            server: server.to_owned(),
            events,
            config,
            home,
            routes: Mutex::default(),
            sending: tokio::sync::Mutex::default(),
        }))
    }

    fn routes<T>(&self, work: impl FnOnce(&mut HashMap<ProgressToken, Route>) -> T) -> T {
        work(&mut self.0.routes.lock().unwrap_or_else(PoisonError::into_inner))
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
        self.routes(|routes| routes.insert(token.clone(), Route { request, to }));
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

    /// The call that a message without a token is about: the one whose stream it came on, the only one, or, where all
    /// calls are of one client, any of them. Where clients share a connection and it cannot be told, none: what is
    /// meant for one must not be shown to another.
    fn route(&self, origin: Option<&InboundStreamOrigin>) -> Option<mpsc::Sender<Upward>> {
        self.routes(|routes| {
            if let Some(InboundStreamOrigin::OutboundRequest(id)) = origin
                && let Some(route) = routes.values().find(|route| route.request == *id)
            {
                return Some(route.to.clone());
            }
            if routes.len() == 1 || self.0.home.is_some() {
                return routes.values().next().map(|route| route.to.clone());
            }
            None
        })
    }

    async fn ask(
        &self,
        request: ServerRequest,
        context: &RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        let method = method(&request).to_owned();
        if let Some(to) = self.route(context.extensions.get::<InboundStreamOrigin>()) {
            let (reply, answer) = oneshot::channel();
            if to.send(Upward::Ask(Box::new(request), reply)).await.is_ok() {
                let over = |_| ErrorData::internal_error("the call that this was about is over", None);
                return answer.await.map_err(over)?;
            }
            return Err(refusal(&method));
        }
        let Some(home) = self.0.home.clone() else {
            return Err(refusal(&method));
        };
        if !declares(&self.0.config.capabilities, &request) {
            return Err(refusal(&method));
        }
        // In a task of its own: the SDK would take the server's request for the client's call that this belongs to.
        let asked = tokio::spawn(async move { home.send_request(request).await });
        match asked.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(rmcp::ServiceError::McpError(error))) => Err(error),
            Ok(Err(error)) => Err(ErrorData::internal_error(error.to_string(), None)),
            Err(_) => Err(ErrorData::internal_error("the client could not be asked", None)),
        }
    }
}

/// Whether a client with these capabilities can answer such a request.
pub(in crate::mcp) const fn declares(
    capabilities: &rmcp::model::ClientCapabilities,
    request: &ServerRequest,
) -> bool {
    match request {
        ServerRequest::CreateMessageRequest(_) => capabilities.sampling.is_some(),
        ServerRequest::ListRootsRequest(_) => capabilities.roots.is_some(),
        ServerRequest::ElicitRequest(_) => capabilities.elicitation.is_some(),
        ServerRequest::PingRequest(_) => true,
        _ => false,
    }
}

fn unexpected() -> ErrorData {
    ErrorData::internal_error("the client's answer is not what was asked for", None)
}

#[expect(
    deprecated,
    reason = "servers of older revisions still ask for sampling and roots, and log"
)]
impl ClientHandler for Relay {
    fn get_info(&self) -> ClientConfig {
        self.0.config.clone()
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let request = CreateMessageRequest::new(params);
        match self.ask(request.into(), &context).await? {
            ClientResult::CreateMessageResult(result) => Ok(*result),
            _ => Err(unexpected()),
        }
    }

    async fn list_roots(&self, context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        match self.ask(ListRootsRequest::default().into(), &context).await? {
            ClientResult::ListRootsResult(result) => Ok(result),
            _ => Err(unexpected()),
        }
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match self.ask(ElicitRequest::new(params).into(), &context).await? {
            ClientResult::ElicitResult(result) => Ok(result),
            _ => Err(unexpected()),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        Err(refusal(&request.method))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        drop(self.0.sending.lock().await);
        let to = self.routes(|routes| routes.get(&params.progress_token).map(|route| route.to.clone()));
        if let Some(to) = to {
            let _ = to.try_send(Upward::Progress(params));
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        drop(self.0.sending.lock().await);
        if let Some(to) = self.route(None) {
            let _ = to.try_send(Upward::Log(params));
        } else if let Some(home) = &self.0.home {
            let _ = home.notify_logging_message(params).await;
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
