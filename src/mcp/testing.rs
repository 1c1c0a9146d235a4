//! Servers and clients in memory, for tests.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets what it does not expect fails, and says where"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::handler::client::ClientHandler;
use rmcp::handler::server::ServerHandler;
use rmcp::model::*;
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext, RunningService, ServiceExt,
    SubscriptionContext,
};
use rmcp::{Peer, RoleClient, RoleServer};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::Limits;
use super::bridge::BoxFuture;
use super::client::{Connection, FailureKind, ServerError, connect_streams};
use super::gateway::{Gateway, Session};
use super::pool::{Connector, Relay};

/// What a server in memory offers, and what became of it.
#[derive(Default)]
pub(super) struct Fake {
    pub(super) tools: Mutex<Vec<Tool>>,
    pub(super) resources: Mutex<Vec<Resource>>,
    pub(super) prompts: Mutex<Vec<Prompt>>,
    /// Whether it speaks 2026-07-28 too.
    pub(super) is_modern: AtomicBool,
    changed: Notify,
    /// How often it was started.
    pub(super) starts: AtomicUsize,
    /// How many of its next starts fail.
    pub(super) failing: AtomicUsize,
    /// How long a start takes.
    pub(super) delay: Mutex<Duration>,
    /// How long a list takes.
    pub(super) list_delay: Mutex<Duration>,
    /// Calls that were cancelled.
    pub(super) cancelled: AtomicUsize,
    /// A call of `slow` has arrived.
    pub(super) arrived: Notify,
    /// What carries the bytes of its processes; without it they are cut off.
    running: Mutex<Vec<tokio::task::AbortHandle>>,
    peers: Mutex<Vec<Peer<RoleServer>>>,
}

pub(super) fn tool(name: &str, description: &str) -> Tool {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    Tool::new(
        name.to_owned(),
        description.to_owned(),
        Arc::new(schema.as_object().unwrap().clone()),
    )
}

impl Fake {
    pub(super) fn with_tools(names: &[&str]) -> Arc<Self> {
        let fake = Self::default();
        *fake.tools.lock().unwrap() = names
            .iter()
            .map(|name| tool(name, &format!("does {name}")))
            .collect();
        Arc::new(fake)
    }

    pub(super) fn starts(&self) -> usize {
        self.starts.load(Ordering::SeqCst)
    }

    /// How many of its processes run.
    pub(super) fn alive(&self) -> usize {
        self.peers
            .lock()
            .unwrap()
            .iter()
            .filter(|peer| !peer.is_transport_closed())
            .count()
    }

    /// Ends it, as if its process were killed.
    pub(super) fn kill(&self) {
        for carrier in self.running.lock().unwrap().drain(..) {
            carrier.abort();
        }
    }

    /// Tells that all lists are others now.
    pub(super) async fn announce(&self) {
        self.changed.notify_waiters();
        let peers = self.peers.lock().unwrap().clone();
        for peer in peers {
            let _ = peer.notify_tool_list_changed().await;
        }
    }
}

/// One running instance.
#[derive(Clone)]
struct Instance(Arc<Fake>);

impl ServerHandler for Instance {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        if self.0.is_modern.load(Ordering::SeqCst) {
            let versions = ProtocolVersion::KNOWN_VERSIONS.to_vec();
            return Ok(DiscoverResult::from_server_info(versions, self.get_info()));
        }
        Err(ErrorData::method_not_found::<DiscoverRequestMethod>())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.0.changed.notified() => {
                    let _ = context.sink().notify_tool_list_changed().await;
                }
            }
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let delay = *self.0.list_delay.lock().unwrap();
        tokio::time::sleep(delay).await;
        Ok(ListToolsResult::with_all_items(
            self.0.tools.lock().unwrap().clone(),
        ))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(
            self.0.resources.lock().unwrap().clone(),
        ))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(
            self.0.prompts.lock().unwrap().clone(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text(format!("content of {}", request.uri), request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let text = format!("{} {}", request.name, json!(request.arguments));
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    #[allow(deprecated)]
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = json!(request.arguments);
        let result = match &*request.name {
            "rich" => {
                let mut result = CallToolResult::success(vec![
                    ContentBlock::text("text"),
                    ContentBlock::image("aW1hZ2U=", "image/png"),
                    ContentBlock::audio("YXVkaW8=", "audio/wav"),
                    ContentBlock::resource(ResourceContents::text("text", "a:b")),
                    ContentBlock::resource_link(Resource::new("a:c", "c")),
                ]);
                result.structured_content = Some(json!({"number": 1.0, "large": 9_007_199_254_740_993_u64}));
                let mut meta = MetaObject::new();
                meta.insert("own/key".to_owned(), json!([1, null]));
                result.meta = Some(meta);
                result
            }
            "fail" => CallToolResult::error(vec![ContentBlock::text("it failed")]),
            "refuse" => return Err(ErrorData::new(ErrorCode(-32_042), "no", Some(json!({"why": 1})))),
            "progress" => {
                for step in 1..=3 {
                    let token = context
                        .meta
                        .get_progress_token()
                        .expect("the gateway always has a token");
                    let progress = ProgressNotificationParam::new(token, f64::from(step));
                    context.peer.notify_progress(progress).await.unwrap();
                    let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(step));
                    context.peer.notify_logging_message(message).await.unwrap();
                }
                CallToolResult::success(vec![ContentBlock::text("done")])
            }
            "twice" => {
                let (one, other) = tokio::join!(ask(&context, "One?"), ask(&context, "Other?"));
                CallToolResult::success(vec![ContentBlock::text(format!("{one} {other}"))])
            }
            "ask" => {
                self.0.arrived.notify_one();
                let answer = tokio::select! {
                    answer = ask(&context, "Name?") => answer,
                    () = context.ct.cancelled() => {
                        self.0.cancelled.fetch_add(1, Ordering::SeqCst);
                        return Ok(CallToolResult::success(vec![]).into());
                    }
                };
                CallToolResult::success(vec![ContentBlock::text(answer)])
            }
            "input" => {
                let Some(responses) = request.input_responses else {
                    let question = json!({
                        "resultType": "input_required",
                        "inputRequests": {"name": {"method": "elicitation/create", "params": {
                            "mode": "form", "message": "Name?",
                            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
                        }}},
                        "requestState": "state",
                    });
                    let question: InputRequiredResult = serde_json::from_value(question).unwrap();
                    return Ok(question.into());
                };
                let answer = format!(
                    "{} {}",
                    json!(responses),
                    request.request_state.unwrap_or_default()
                );
                CallToolResult::success(vec![ContentBlock::text(answer)])
            }
            "roots" => {
                let answer = format!(
                    "{:?}",
                    context.peer.list_roots().await.map_err(|error| error.to_string())
                );
                CallToolResult::success(vec![ContentBlock::text(answer)])
            }
            "slow" => {
                self.0.arrived.notify_one();
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_secs(3600)) => {}
                    () = context.ct.cancelled() => {
                        self.0.cancelled.fetch_add(1, Ordering::SeqCst);
                    }
                }
                CallToolResult::success(vec![])
            }
            "meta" => CallToolResult::success(vec![ContentBlock::text(json!(context.meta).to_string())]),
            name => CallToolResult::success(vec![ContentBlock::text(format!("{name} {arguments}"))]),
        };
        Ok(result.into())
    }
}

/// Asks the client of a call.
async fn ask(context: &RequestContext<RoleServer>, message: &str) -> String {
    let params = json!({
        "mode": "form", "message": message,
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    });
    let request = ServerRequest::CustomRequest(CustomRequest::new("elicitation/create", Some(params)));
    match context.peer.send_request(request).await {
        Ok(ClientResult::ElicitResult(answer)) => json!(answer).to_string(),
        other => format!("{other:?}"),
    }
}

/// Reaches servers in memory.
#[derive(Clone, Default)]
pub(super) struct Fakes(pub(super) BTreeMap<String, Arc<Fake>>);

impl Fakes {
    pub(super) fn of<const N: usize>(servers: [(&str, &Arc<Fake>); N]) -> Arc<Self> {
        let servers = servers.map(|(name, fake)| (name.to_owned(), Arc::clone(fake)));
        Arc::new(Self(servers.into_iter().collect()))
    }
}

impl Connector for Fakes {
    fn servers(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn connect(
        &self,
        server: &str,
        relay: Relay,
    ) -> BoxFuture<'static, Result<Connection<Relay>, ServerError>> {
        let fake = Arc::clone(&self.0[server]);
        Box::pin(async move {
            fake.starts.fetch_add(1, Ordering::SeqCst);
            let delay = *fake.delay.lock().unwrap();
            tokio::time::sleep(delay).await;
            if fake.failing.load(Ordering::SeqCst) > 0 {
                fake.failing.fetch_sub(1, Ordering::SeqCst);
                return Err(ServerError::new(FailureKind::CannotStart, "it does not start"));
            }
            let (ours, mut near) = tokio::io::duplex(1 << 16);
            let (mut far, theirs) = tokio::io::duplex(1 << 16);
            let carrier = tokio::spawn(async move {
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
            fake.running.lock().unwrap().push(carrier.abort_handle());
            let instance = Instance(Arc::clone(&fake));
            tokio::spawn(async move {
                if let Ok(service) = instance.serve(theirs).await {
                    fake.peers.lock().unwrap().push(service.peer().clone());
                    let _ = service.waiting().await;
                }
            });
            let (read, write) = tokio::io::split(ours);
            connect_streams(read, write, &Limits::default(), relay).await
        })
    }
}

/// A client that remembers what it is told, and can answer what it declares.
#[derive(Clone, Default)]
pub(super) struct Client {
    pub(super) capabilities: ClientCapabilities,
    pub(super) list_changed: Arc<AtomicUsize>,
    pub(super) heard: Arc<Mutex<Vec<String>>>,
}

impl Client {
    pub(super) fn that_can_be_asked() -> Self {
        let capabilities = json!({"elicitation": {}, "roots": {"listChanged": true}});
        Self {
            capabilities: serde_json::from_value(capabilities).unwrap(),
            ..Self::default()
        }
    }

    pub(super) fn list_changed(&self) -> usize {
        self.list_changed.load(Ordering::SeqCst)
    }

    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

#[allow(deprecated)]
impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(self.capabilities.clone(), Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.heard
            .lock()
            .unwrap()
            .push(json!(request)["message"].as_str().unwrap().to_owned());
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"})))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(serde_json::from_value(json!({"roots": [{"uri": "file:///here"}]})).unwrap())
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed.fetch_add(1, Ordering::SeqCst);
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard
            .lock()
            .unwrap()
            .push(format!("progress {}", params.progress));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard.lock().unwrap().push(format!("log {}", params.data));
    }
}

/// A client of 2025-11-25 at the gateway.
pub(super) async fn legacy(gateway: &Gateway, client: Client) -> RunningService<RoleClient, Client> {
    let io = seat(gateway);
    client.serve(io).await.expect("the gateway shakes hands")
}

/// A client of 2026-07-28 at the gateway.
pub(super) async fn modern(gateway: &Gateway, client: Client) -> RunningService<RoleClient, Client> {
    let mode = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::LATEST],
    };
    let io = seat(gateway);
    client
        .serve_with_lifecycle(io, mode)
        .await
        .expect("the gateway is discovered")
}

fn seat(gateway: &Gateway) -> tokio::io::DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let session = Session::new(gateway);
    tokio::spawn(async move {
        if let Ok(service) = session.serve(theirs).await {
            let _ = service.waiting().await;
        }
    });
    ours
}

/// Calls one of the gateway's tools.
pub(super) async fn call(
    client: &RunningService<RoleClient, Client>,
    name: &str,
    arguments: Value,
) -> CallToolResult {
    let mut params = CallToolRequestParams::new(name.to_owned());
    params.arguments = arguments.as_object().cloned();
    match client
        .peer()
        .call_tool_once(params)
        .await
        .expect("the gateway answers")
    {
        CallToolResponse::Complete(result) => result,
        other => panic!("{other:?}"),
    }
}

/// What a client calls through `call_tool`.
pub(super) async fn through(
    client: &RunningService<RoleClient, Client>,
    name: &str,
    arguments: Value,
) -> CallToolResult {
    call(client, "call_tool", json!({"name": name, "arguments": arguments})).await
}

/// All text of a result.
pub(super) fn text(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|block| block.as_text().map(|text| text.text.as_str()))
        .collect();
    texts.join("\n")
}

/// The names that a client lists.
pub(super) async fn listed(client: &RunningService<RoleClient, Client>) -> Vec<String> {
    let list = client.peer().list_all_tools().await.expect("the gateway lists");
    list.into_iter().map(|tool| tool.name.into_owned()).collect()
}

/// Lets what is under way come to its end; time is that of the test.
pub(super) async fn settle() {
    tokio::time::sleep(Duration::from_millis(500)).await;
}
