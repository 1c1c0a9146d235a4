//! One request of a client, carried to a server and its answer back, with all that is said in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientRequest, ClientResult, ErrorData, ProgressNotificationParam, RequestMetaObject,
    ServerRequest, ServerResult,
};
#[expect(
    deprecated,
    reason = "clients of older revisions set a level, and servers of older revisions log"
)]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{RoleServer, ServiceError};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::InUse;
use super::relay::{Upward, declares, method, passed_on, refusal};
use crate::mcp::client::{FailureKind, ServerError};

/// The names that the protocol reserves in `_meta`: they speak of one connection and not of what lies behind it.
const RESERVED: &str = "io.modelcontextprotocol/";

/// How long the last words of a server that has ended are waited for.
const DRAIN: Duration = Duration::from_millis(50);

/// The client's side of a request.
pub(in crate::mcp) struct Downstream<'a> {
    /// The request, as the SDK hands it to us.
    pub(in crate::mcp) context: &'a RequestContext<RoleServer>,
    /// Whether the client speaks 2026-07-28 or newer.
    pub(in crate::mcp) is_modern: bool,
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
}

/// The ends of a request that is under way.
struct UnderWay<'a> {
    down: &'a Downstream<'a>,
    /// How many questions of the server the client has not answered yet: the server's time does not run meanwhile.
    asking: Arc<AtomicUsize>,
    /// Dropped when the call is over: what is still asked then is taken back.
    going_on: watch::Sender<()>,
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
    ) -> Result<ServerResult, Failed> {
        self.live.connection.begin();
        let options = PeerRequestOptions::no_options().with_meta(self.meta(down));
        let sent = self
            .live
            .relay
            .send(self.peer().send_request_with_option(request, options))
            .await;
        let (mut handle, mut registered) = match sent {
            Ok(sent) => sent,
            Err(error) => return Err(self.failed(&error).await),
        };
        let under_way = UnderWay {
            down,
            asking: Arc::default(),
            going_on: watch::Sender::new(()),
        };
        let mut deadline = Instant::now() + timeout;
        let answer = loop {
            tokio::select! {
                answer = &mut handle.rx => break answer.unwrap_or(Err(ServiceError::TransportClosed)),
                Some(message) = registered.from_server.recv() => {
                    // A server that only logs does not come nearer to an answer.
                    let is_log = matches!(message, Upward::Log(_));
                    under_way.deliver(message).await;
                    if !is_log {
                        deadline = Instant::now() + timeout;
                    }
                }
                () = down.context.ct.cancelled() => {
                    let _ = handle.cancel(Some("the client cancelled it".to_owned())).await;
                    return Err(Failed::Cancelled);
                }
                () = sleep_until(deadline) => {
                    deadline = Instant::now() + timeout;
                    if under_way.asking.load(Ordering::Acquire) == 0 {
                        let _ = handle.cancel(Some("it took too long".to_owned())).await;
                        let seconds = timeout.as_secs_f64();
                        let message = format!("no answer to the call within {seconds} s");
                        let error = ServerError::new(FailureKind::Timeout, message);
                        self.did_not_answer();
                        return Err(Failed::Server(self.with_last_words(error)));
                    }
                }
            }
        };
        // What was said before the answer reaches the client before the answer.
        while let Ok(message) = registered.from_server.try_recv() {
            under_way.deliver(message).await;
        }
        match answer {
            Ok(answer) => {
                self.is_well();
                Ok(answer)
            }
            Err(error) => Err(self.failed(&error).await),
        }
    }

    async fn failed(&self, error: &ServiceError) -> Failed {
        if let ServiceError::McpError(error) = error {
            self.is_well();
            return Failed::Answer(error.clone());
        }
        let is_closed = self.live.connection.is_closed();
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
        let connection = &self.live.connection;
        let stderr = connection.last_words();
        error.stderr.clone_from(&stderr);
        let mut error = connection.in_our_words(error);
        if error.stderr.is_empty() {
            // The limit that it broke says nothing of what it wrote.
            error.stderr = stderr;
            error = connection.in_our_words(error);
        }
        error
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

impl UnderWay<'_> {
    async fn deliver(&self, message: Upward) {
        match message {
            Upward::Progress(progress) => self.progress(progress).await,
            Upward::Log(message) => self.log(message).await,
            Upward::Ask(request, reply) => self.question(*request, reply).await,
        }
    }

    async fn progress(&self, mut progress: ProgressNotificationParam) {
        // A client that gave no token wants no progress.
        if let Some(token) = self.down.context.meta.get_progress_token() {
            progress.progress_token = token;
            // A client that has gone needs to be told nothing.
            let _ = self.down.context.peer.notify_progress(progress).await;
        }
    }

    #[expect(deprecated, reason = "servers of older revisions log")]
    async fn log(&self, message: LoggingMessageNotificationParam) {
        let least = if self.down.is_modern {
            self.down.context.meta.log_level()
        } else {
            Some(self.down.log_level.unwrap_or(LoggingLevel::Debug))
        };
        if least.is_some_and(|least| rank(message.level) >= rank(least)) {
            let _ = self.down.context.peer.notify_logging_message(message).await;
        }
    }

    /// Passes a question of the server to the client, in the task of the call that it belongs to.
    async fn question(
        &self,
        request: ServerRequest,
        reply: oneshot::Sender<Result<ClientResult, ErrorData>>,
    ) {
        if self.down.is_modern || !declares(&self.down.capabilities, &request) {
            let _ = reply.send(Err(refusal(method(&request))));
            return;
        }
        let options = PeerRequestOptions::no_options();
        match self
            .down
            .context
            .peer
            .send_request_with_option(request, options)
            .await
        {
            Ok(mut handle) => {
                self.asking.fetch_add(1, Ordering::AcqRel);
                let asking = Arc::clone(&self.asking);
                let mut going_on = self.going_on.subscribe();
                tokio::spawn(async move {
                    let mut reply = reply;
                    let answer = tokio::select! {
                        answer = &mut handle.rx => Some(answer.unwrap_or(Err(ServiceError::TransportClosed))),
                        // The server does not want to know any more.
                        () = reply.closed() => None,
                        _ = going_on.changed() => None,
                    };
                    asking.fetch_sub(1, Ordering::AcqRel);
                    match answer {
                        Some(answer) => {
                            let _ = reply.send(answer.map_err(as_error));
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
                let _ = reply.send(Err(as_error(error)));
            }
        }
    }
}

fn as_error(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        other => ErrorData::internal_error(format!("the client did not answer: {other}"), None),
    }
}

/// The levels of a log, from the least to the most urgent.
#[expect(deprecated, reason = "servers of older revisions log")]
pub(in crate::mcp) const fn rank(level: LoggingLevel) -> u8 {
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
