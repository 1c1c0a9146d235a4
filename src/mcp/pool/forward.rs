//! One request of a client, carried to a server and its answer back, with all that is said in between.

use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientRequest, CustomNotification, CustomResult, ErrorData, InputResponses,
    JsonObject, NotificationMetaObject, ProgressNotificationParam, RequestMetaObject, ServerResult,
};
#[expect(
    deprecated,
    reason = "clients of older revisions set a level, and servers of older revisions log"
)]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use rmcp::{RoleClient, RoleServer, ServiceError};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::InUse;
use super::relay::{
    Asking, LOG, PROGRESS, Question, Registered, Upward, answer_of, declares, is_answer, passed_on, refusal,
};
use crate::mcp::client::{FailureKind, ServerError, verbatim};

/// The names that the protocol reserves in `_meta`: they speak of one connection and not of what lies behind it.
const RESERVED: &str = "io.modelcontextprotocol/";

/// How long the last words of a server that has ended are waited for.
const DRAIN: Duration = Duration::from_millis(50);

/// How many questions a client is given with one answer; the rest come with the next.
const QUESTIONS: usize = 16;

/// The key of the metadata in which what is meant travels to clients over HTTP, to be put in the place of what it is in.
pub(in crate::mcp) const IN_PLACE: &str = "aleph/in-place";

/// What is meant, as it travels there: text, so that it may be nested as deep as can be read.
pub(in crate::mcp) fn packed(meant: &Value) -> Value {
    Value::String(meant.to_string())
}

/// The client's side of a request.
pub(in crate::mcp) struct Downstream<'a> {
    /// The request, as the SDK hands it to us.
    pub(in crate::mcp) context: &'a RequestContext<RoleServer>,
    /// Whether the client speaks 2026-07-28 or newer.
    pub(in crate::mcp) is_modern: bool,
    /// Whether it is reached over HTTP, where messages find their way by the SDK's types.
    pub(in crate::mcp) is_over_http: bool,
    /// What the client says that it can do.
    pub(in crate::mcp) capabilities: ClientCapabilities,
    /// The least level of log messages that it wants; none: all of them, or, from 2026-07-28 on, no messages.
    #[expect(deprecated, reason = "clients of older revisions set a level")]
    pub(in crate::mcp) log_level: Option<LoggingLevel>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(in crate::mcp) enum Failed {
    /// The server answered with an error of the protocol, which is passed on as it is.
    Answer(ErrorData),
    /// The server did not answer.
    Server(ServerError),
    /// The client does not want the answer any more.
    Cancelled,
    /// There is nothing that the client's answers are about, in a sentence.
    Over(String),
}

/// What came of a request.
pub(in crate::mcp) enum Asked {
    /// The result, as the server wrote it.
    Answer(Value),
    /// The server asks a client that cannot be asked by a request; it waits for the answers.
    Held(Box<Held>),
}

/// A request that a server has not answered yet. Dropped before that, it is cancelled.
pub(in crate::mcp) struct Held {
    server: InUse,
    handle: Option<RequestHandle<RoleClient>>,
    registered: Registered,
    /// What the server asked and the client has not answered.
    questions: Vec<Question>,
    /// There while the client has these to answer.
    asking: Option<Asking>,
    /// Dropped when the call is over: what is still asked then is taken back.
    going_on: watch::Sender<()>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let questions = std::mem::take(&mut self.questions);
        let Some(handle) = self.handle.take() else {
            self.registered.hand_on(questions);
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.server.was_given_up();
            runtime.spawn(async move {
                let _ = handle
                    .cancel(Some("nobody waits for it any more".to_owned()))
                    .await;
                // Their refusal comes after that: the server is not to go on without an answer.
                drop(questions);
            });
        }
    }
}

impl InUse {
    /// Asks the server, and hands on what it says meanwhile.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub(in crate::mcp) async fn ask(
        &self,
        request: ClientRequest,
        down: &Downstream<'_>,
        timeout: Duration,
    ) -> Result<Asked, Failed> {
        self.live.connection.begin();
        let options = PeerRequestOptions::no_options().with_meta(self.meta(down));
        let request = verbatim(request);
        let sent = self
            .live
            .relay
            .send(self.peer().send_request_with_option(request, options))
            .await;
        let (handle, registered) = match sent {
            Ok(sent) => sent,
            Err(error) => return Err(self.failed(&error).await),
        };
        let held = Held {
            server: self.clone(),
            handle: Some(handle),
            registered,
            questions: Vec::new(),
            asking: None,
            going_on: watch::Sender::new(()),
        };
        held.go_on(down, timeout).await
    }

    async fn failed(&self, error: &ServiceError) -> Failed {
        if let ServiceError::McpError(error) = error {
            self.is_well();
            return Failed::Answer(error.clone());
        }
        let is_closed = self.live.connection.is_closed();
        if let Some(why) = self.live.why_over() {
            self.is_gone();
            return Failed::Server(self.with_last_words(why.clone()));
        }
        if is_closed {
            // What it wrote before it ended is still in the pipe.
            sleep(DRAIN).await;
        }
        let error = self.with_last_words(ServerError::of_service(error));
        if is_closed {
            self.is_gone();
        }
        Failed::Server(error)
    }

    /// An error with what the server wrote to its standard error last, and without secrets.
    fn with_last_words(&self, mut error: ServerError) -> ServerError {
        error.stderr = self.live.connection.last_words();
        self.live.connection.in_our_words(error)
    }

    /// What the client sent in `_meta`, but for what concerns its connection to us.
    fn meta(&self, down: &Downstream<'_>) -> RequestMetaObject {
        let mut meta = down.context.meta.clone();
        let is_modern = self.is_modern();
        meta.retain(|key, _| {
            let passes = is_modern
                && (key == "io.modelcontextprotocol/clientCapabilities"
                    || key == "io.modelcontextprotocol/logLevel");
            key != "progressToken" && (passes || !key.starts_with(RESERVED))
        });
        if let Some(declared) = meta.client_capabilities() {
            meta.set_client_capabilities(passed_on(&declared));
        }
        meta
    }
}

impl Held {
    /// Whether there is nothing to wait for: its server has gone.
    pub(in crate::mcp) fn is_lost(&self) -> bool {
        self.server.has_gone()
    }

    /// The server that has not answered.
    pub(in crate::mcp) const fn server(&self) -> &InUse {
        &self.server
    }

    /// What the server asked, each with the name by which it is answered.
    pub(in crate::mcp) fn questions(&self) -> impl Iterator<Item = (String, &Question)> {
        let named = |(nth, question)| (format!("question-{}", nth + 1), question);
        self.questions.iter().enumerate().map(named)
    }

    /// Gives the server the client's answers by these names, and waits on.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub(in crate::mcp) async fn answered(
        mut self,
        mut answers: InputResponses,
        down: &Downstream<'_>,
        timeout: Duration,
    ) -> Result<Asked, Failed> {
        self.asking = None;
        let names: Vec<String> = self.questions().map(|(name, _)| name).collect();
        for (name, question) in names.into_iter().zip(std::mem::take(&mut self.questions)) {
            let answer = match answers.remove(&name) {
                Some(answer) => is_answer(answer),
                None => Err(ErrorData::internal_error("the client did not answer this", None)),
            };
            // The server may have changed its mind.
            let _ = question.reply.send(answer);
        }
        self.registered.set_held(false);
        self.go_on(down, timeout).await
    }

    /// Refuses what the server asked, and waits on.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub(in crate::mcp) async fn refused(
        mut self,
        why: ErrorData,
        down: &Downstream<'_>,
        timeout: Duration,
    ) -> Result<Asked, Failed> {
        self.asking = None;
        for question in std::mem::take(&mut self.questions) {
            let _ = question.reply.send(Err(why.clone()));
        }
        self.registered.set_held(false);
        self.go_on(down, timeout).await
    }

    async fn go_on(mut self, down: &Downstream<'_>, timeout: Duration) -> Result<Asked, Failed> {
        let mut deadline = Instant::now() + timeout;
        let answer = loop {
            let Some(handle) = &mut self.handle else {
                return Err(Failed::Cancelled);
            };
            tokio::select! {
                answer = &mut handle.rx => break answer.unwrap_or(Err(ServiceError::TransportClosed)),
                Some(message) = self.registered.from_server.recv() => {
                    // A server that only logs does not come nearer to an answer.
                    let is_log = matches!(message, Upward::Log(..));
                    self.deliver(message, down).await;
                    if !is_log {
                        deadline = Instant::now() + timeout;
                    }
                    if !self.questions.is_empty() {
                        self.deliver_all(down).await;
                        self.registered.set_held(true);
                        self.asking = Some(self.registered.relay().begin_asking());
                        return Ok(Asked::Held(Box::new(self)));
                    }
                }
                () = down.context.ct.cancelled() => {
                    self.cancel("the client cancelled it").await;
                    return Err(Failed::Cancelled);
                }
                () = sleep_until(deadline) => {
                    deadline = Instant::now() + timeout;
                    if !self.registered.relay().is_asking() {
                        self.cancel("it took too long").await;
                        let seconds = timeout.as_secs_f64();
                        let message = format!("no answer to the call within {seconds} s");
                        let error = ServerError::new(FailureKind::Timeout, message);
                        self.server.did_not_answer();
                        return Err(Failed::Server(self.server.with_last_words(error)));
                    }
                }
            }
        };
        self.handle = None;
        // What was said before the answer reaches the client before the answer.
        self.deliver_all(down).await;
        match answer {
            Ok(answer) => {
                self.server.is_well();
                Ok(Asked::Answer(match answer {
                    ServerResult::CustomResult(CustomResult(written)) => written,
                    known => json!(known),
                }))
            }
            Err(error) => Err(self.server.failed(&error).await),
        }
    }

    async fn cancel(&mut self, why: &str) {
        if let Some(handle) = self.handle.take() {
            self.server.was_given_up();
            let _ = handle.cancel(Some(why.to_owned())).await;
        }
    }

    /// Hands on what is there already, but for questions beyond those that a client may be given at once.
    async fn deliver_all(&mut self, down: &Downstream<'_>) {
        while self.questions.len() < QUESTIONS
            && let Ok(message) = self.registered.from_server.try_recv()
        {
            self.deliver(message, down).await;
        }
    }

    async fn deliver(&mut self, message: Upward, down: &Downstream<'_>) {
        match message {
            Upward::Progress(known, written, _waiting) => progress(known, written, down).await,
            Upward::Log(known, written, _waiting) => log(&known, written, down).await,
            Upward::Ask(question) if !declares(&down.capabilities, &question.method) => {
                let refusal = refusal(&question.method);
                let _ = question.reply.send(Err(refusal));
            }
            Upward::Ask(question) if down.is_modern => self.questions.push(question),
            Upward::Ask(question) => self.ask_client(question, down).await,
        }
    }

    /// Asks a client of an older revision, in the task of the call that it belongs to.
    async fn ask_client(&self, question: Question, down: &Downstream<'_>) {
        let options = PeerRequestOptions::no_options();
        let peer = &down.context.peer;
        match peer.send_request_with_option(question.request(), options).await {
            Ok(mut handle) => {
                let relay = self.registered.relay().clone();
                let asking = relay.begin_asking();
                let mut going_on = self.going_on.subscribe();
                let pool = self.server.pool.upgrade();
                let longest = pool.map_or(Duration::ZERO, |pool| pool.limits.answer_timeout);
                tokio::spawn(async move {
                    let is_certain = question.is_certain;
                    let mut reply = question.reply;
                    let is_over = async {
                        let _ = going_on.changed().await;
                        // It may be about another call, which still waits. Where there always is one, nobody may.
                        if !is_certain {
                            let _ = timeout(longest, relay.is_idle()).await;
                        }
                    };
                    let answer = tokio::select! {
                        answer = &mut handle.rx => Some(answer.unwrap_or(Err(ServiceError::TransportClosed))),
                        // The server does not want to know any more.
                        () = reply.closed() => None,
                        () = is_over => None,
                    };
                    drop(asking);
                    match answer {
                        Some(answer) => {
                            let _ = reply.send(answer.map_err(as_error).and_then(answer_of));
                        }
                        None => {
                            drop(reply);
                            let why = "the call that this was about is over".to_owned();
                            // A client that has gone needs to be told nothing.
                            let _ = handle.cancel(Some(why)).await;
                        }
                    }
                });
            }
            Err(error) => {
                let _ = question.reply.send(Err(as_error(error)));
            }
        }
    }
}

async fn progress(mut known: ProgressNotificationParam, mut written: JsonObject, down: &Downstream<'_>) {
    // A client that gave no token wants no progress.
    let Some(token) = down.context.meta.get_progress_token() else {
        return;
    };
    written.insert("progressToken".to_owned(), json!(token));
    let peer = &down.context.peer;
    // A client that has gone needs to be told nothing.
    let _ = if down.is_over_http {
        let mut meta = NotificationMetaObject::new();
        meta.insert(IN_PLACE.to_owned(), packed(&Value::Object(written)));
        known.meta = Some(meta);
        known.progress_token = token;
        peer.notify_progress(known).await
    } else {
        let progress = CustomNotification::new(PROGRESS, Some(Value::Object(written)));
        peer.send_notification(progress.into()).await
    };
}

#[expect(deprecated, reason = "servers of older revisions log")]
async fn log(known: &LoggingMessageNotificationParam, written: JsonObject, down: &Downstream<'_>) {
    let least = if down.is_modern {
        down.context.meta.log_level()
    } else {
        Some(down.log_level.unwrap_or(LoggingLevel::Debug))
    };
    if least.is_some_and(|least| rank(known.level) >= rank(least)) {
        let message = CustomNotification::new(LOG, Some(Value::Object(written)));
        let _ = down.context.peer.send_notification(message.into()).await;
    }
}

/// Why a client gave no answer, for the server that asked: an error of its own as it is.
pub(in crate::mcp) fn as_error(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        other => ErrorData::internal_error(format!("the client did not answer: {other}"), None),
    }
}

/// The levels of a log, from the least to the most urgent.
#[expect(deprecated, reason = "servers of older revisions log")]
const fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
