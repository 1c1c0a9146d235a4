//! Connecting to a server and asking it, with a limit on everything.
//!
//! [`connect`] starts or reaches a server and shakes hands; a [`Connection`] asks and is closed. A server that hangs,
//! floods, dies or talks nonsense gives a [`ServerError`], never more. All of it has to happen inside a tokio runtime;
//! one of a single thread is enough.

mod error;
mod http;
mod lines;
mod list;
mod many;
mod process;
mod tls;
mod transport;
mod verbatim;
mod web;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::handler::client::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion, ServerCapabilities};
use rmcp::service::{
    ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService,
};
use rmcp::transport::Transport;
use rmcp::{Peer, RoleClient};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout, timeout_at};

pub use error::{FailureKind, ServerError};
pub use many::{Answer, Ask, ask, ask_all};

use verbatim::Questions;
pub(in crate::mcp) use verbatim::{QUESTIONS, verbatim, written};

use super::{Launch, LaunchPlan, Limits};
use lines::Lines;
use process::{Process, Tail};
use transport::{Gauge, Guarded, Patient};

/// How long the SDK waits for an answer to its first question before it asks as older servers want it.
const PROBE: Duration = Duration::from_secs(10);
/// How long closing a connection may take before its process is ended without it.
const CLOSE: Duration = Duration::from_millis(500);

/// A handler that offers a server nothing: no roots, no sampling, no elicitation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl ClientHandler for Plain {
    fn get_info(&self) -> ClientConfig {
        this_client(ClientCapabilities::default())
    }
}

/// How we name ourselves to servers.
pub(in crate::mcp) fn this_client(capabilities: ClientCapabilities) -> ClientConfig {
    let implementation = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    ClientConfig::new(capabilities, implementation)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
}

/// Whether a revision of the protocol is 2026-07-28 or newer. Revisions are dates, so their texts are in their order.
pub(in crate::mcp) fn is_modern(revision: &str) -> bool {
    revision >= ProtocolVersion::V_2026_07_28.as_str()
}

/// A server that has shaken hands.
///
/// [`close`](Self::close) ends it in order; dropped, its process and all that it started are killed.
pub struct Connection<H: ClientHandler = Plain> {
    // The order matters: the connection goes before the process, so that the process sees its input closed.
    service: RunningService<RoleClient, H>,
    process: Mutex<Option<Process>>,
    /// What its process says on standard error; none where there is no process.
    tail: Option<Tail>,
    gauge: Arc<Gauge>,
    secrets: Vec<String>,
    limits: Limits,
}

/// Starts or reaches a server and shakes hands with it, all of which may take `limits.start_timeout`.
///
/// Servers of all revisions of the protocol are understood: first they are asked as those of 2026-07-28 are, then as
/// older ones are; one that ends at the first question is started once more and asked the old way.
///
/// # Errors
///
/// Why it could not be reached. Nothing that was started is left.
pub async fn connect<H>(plan: &LaunchPlan, limits: &Limits, handler: H) -> Result<Connection<H>, ServerError>
where
    H: ClientHandler + Clone,
{
    let deadline = Instant::now() + limits.start_timeout;
    let late = Arc::new(AtomicBool::new(false));
    // Where there is too little time for the SDK to notice that nobody answers its first question, we notice.
    let first = if limits.start_timeout >= PROBE * 2 {
        deadline
    } else {
        Instant::now() + limits.start_timeout / 2
    };
    let modes = Modes::either();
    let error = match attempt(plan, limits, handler.clone(), modes, &late, first).await {
        Ok(connection) => return Ok(connection),
        Err(error) => error,
    };
    if !error.is_about_talk() || Instant::now() >= deadline {
        return Err(error.for_limit(limits));
    }
    let modes = if late.load(Ordering::Relaxed) {
        Modes::new_only()
    } else {
        ClientLifecycleMode::Initialize
    };
    match attempt(plan, limits, handler, modes, &late, deadline).await {
        Ok(connection) => Ok(connection),
        // The first failure says more, unless it is just that time was short.
        Err(second) if error.kind == FailureKind::Timeout => Err(second.for_limit(limits)),
        Err(_) => Err(error),
    }
}

/// Shakes hands with a server at the other end of streams, such as one in the same process.
///
/// # Errors
///
/// Why it did not work.
pub async fn connect_streams<R, W, H>(
    read: R,
    write: W,
    limits: &Limits,
    handler: H,
) -> Result<Connection<H>, ServerError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
    H: ClientHandler,
{
    let gauge = Arc::new(Gauge::new());
    let transport = guarded(read, write, limits, &gauge, Questions::of::<H>());
    let transport = Patient::new(transport, Arc::default(), Arc::clone(&gauge));
    let deadline = Instant::now() + limits.start_timeout;
    let service = shake_hands(transport, handler, Modes::either(), deadline)
        .await
        .map_err(|error| gauge.broken().unwrap_or(error).for_limit(limits).mask(&[]))?;
    Ok(Connection::new(service, None, gauge, Vec::new(), limits).await)
}

/// The ways of shaking hands.
struct Modes;

impl Modes {
    fn either() -> ClientLifecycleMode {
        ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: None,
        }
    }

    fn new_only() -> ClientLifecycleMode {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::LATEST],
        }
    }
}

fn guarded<R, W>(
    read: R,
    write: W,
    limits: &Limits,
    gauge: &Arc<Gauge>,
    questions: Questions,
) -> Lines<Guarded<R>, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let read = Guarded::new(read, Arc::clone(gauge), limits.max_message_bytes);
    Lines::new(read, write, questions)
}

async fn attempt<H: ClientHandler>(
    plan: &LaunchPlan,
    limits: &Limits,
    handler: H,
    mode: ClientLifecycleMode,
    late: &Arc<AtomicBool>,
    deadline: Instant,
) -> Result<Connection<H>, ServerError> {
    let secrets = plan.secrets();
    let gauge = Arc::new(Gauge::new());
    match &plan.launch {
        Launch::Process {
            program,
            args,
            directory,
            environment,
        } => {
            let (process, streams) = Process::start(program, args, directory, environment)
                .map_err(|error| error.mask(&secrets))?;
            let transport = guarded(
                streams.stdout,
                streams.stdin,
                limits,
                &gauge,
                Questions::of::<H>(),
            );
            let transport = Patient::new(transport, Arc::clone(late), Arc::clone(&gauge));
            match shake_hands(transport, handler, mode, deadline).await {
                Ok(service) => Ok(Connection::new(service, Some(process), gauge, secrets, limits).await),
                Err(error) => {
                    let error = gauge.broken().unwrap_or(error);
                    Err(post_mortem(error, Some(process)).await.mask(&secrets))
                }
            }
        }
        Launch::Http { url, headers } => {
            let transport = http::transport(url, headers, limits, Questions::of::<H>())
                .map_err(|error| error.mask(&secrets))?;
            let transport = Patient::new(transport, Arc::clone(late), Arc::clone(&gauge));
            match shake_hands(transport, handler, mode, deadline).await {
                Ok(service) => Ok(Connection::new(service, None, gauge, secrets, limits).await),
                Err(error) => Err(error.mask(&secrets)),
            }
        }
    }
}

async fn shake_hands<T, H>(
    transport: T,
    handler: H,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<RunningService<RoleClient, H>, ServerError>
where
    T: Transport<RoleClient> + 'static,
    H: ClientHandler,
{
    let start = Instant::now();
    let answer: Result<_, Box<ClientInitializeError>> =
        match timeout_at(deadline, handler.serve_with_lifecycle(transport, mode)).await {
            Ok(answer) => answer.map_err(Box::new),
            Err(_) => {
                return Err(ServerError::timeout(
                    "the handshake",
                    deadline.duration_since(start),
                ));
            }
        };
    answer.map_err(|error| ServerError::of_handshake(&error))
}

/// Adds what the process tells: how it ended, and its last words. Ends it.
async fn post_mortem(mut error: ServerError, process: Option<Process>) -> ServerError {
    let Some(mut process) = process else { return error };
    if error.kind == FailureKind::Network
        && let Some(status) = process.ends_by_itself().await
    {
        error.kind = FailureKind::Exited;
        error.message = format!("it ended early ({status})");
    }
    error.stderr = process.end().await;
    error
}

impl ServerError {
    /// A timeout of the handshake names the limit, not what was left of it at the last attempt.
    fn for_limit(self, limits: &Limits) -> Self {
        if self.kind != FailureKind::Timeout {
            return self;
        }
        Self {
            stderr: self.stderr,
            ..Self::timeout("the handshake", limits.start_timeout)
        }
    }
}

impl<H: ClientHandler> Connection<H> {
    async fn new(
        service: RunningService<RoleClient, H>,
        process: Option<Process>,
        gauge: Arc<Gauge>,
        secrets: Vec<String>,
        limits: &Limits,
    ) -> Self {
        // Who asks wants to know what is the case now.
        service
            .set_response_cache_config(ClientCacheConfig::disabled())
            .await;
        Self {
            service,
            tail: process.as_ref().map(Process::tail),
            process: Mutex::new(process),
            gauge,
            secrets,
            limits: limits.clone(),
        }
    }

    /// The SDK's handle, for what is not asked here.
    #[must_use]
    pub(in crate::mcp) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// The SDK's service, which answers servers that ask for input.
    #[must_use]
    pub(in crate::mcp) const fn service(&self) -> &RunningService<RoleClient, H> {
        &self.service
    }

    /// What the server says it can do.
    #[must_use]
    pub(in crate::mcp) fn capabilities(&self) -> ServerCapabilities {
        let info = self.service.peer_info();
        info.map(|info| info.capabilities.clone()).unwrap_or_default()
    }

    /// The revision of the protocol that is spoken, such as `2025-11-25`.
    #[must_use]
    pub fn protocol_version(&self) -> String {
        let info = self.service.peer_info();
        info.map(|info| info.protocol_version.as_str().to_owned())
            .unwrap_or_default()
    }

    /// Whether the server has gone: it ended, closed the connection or broke a limit.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed()
    }

    /// A new question is asked, of which the answer may be as large as answers may be.
    pub(in crate::mcp) fn begin(&self) {
        self.gauge.reset();
    }

    /// Waits for a request that was sent, as long as requests may take; what went wrong is in our words.
    ///
    /// A request that is given up is cancelled on the server.
    pub(in crate::mcp) async fn within<T>(
        &self,
        what: &str,
        request: impl Future<Output = Result<T, rmcp::ServiceError>>,
    ) -> Result<T, ServerError> {
        self.gauge.reset();
        let answer = match timeout(self.limits.request_timeout, request).await {
            Ok(answer) => answer.map_err(|error| ServerError::of_service(&error)),
            Err(_) => Err(ServerError::timeout(what, self.limits.request_timeout)),
        };
        answer.map_err(|error| self.in_our_words(error))
    }

    /// Whether it is a process that was started here.
    pub(in crate::mcp) const fn is_process(&self) -> bool {
        self.tail.is_some()
    }

    /// The last lines of the process's standard error, as they are; none where there is no process.
    pub(in crate::mcp) fn last_words(&self) -> Vec<String> {
        self.tail.as_ref().map(Tail::lines).unwrap_or_default()
    }

    /// An error of this connection, with the limit that was broken if one was, and without secrets.
    pub(in crate::mcp) fn in_our_words(&self, error: ServerError) -> ServerError {
        let error = match self.gauge.broken() {
            // It says nothing of what the server wrote.
            Some(broken) if error.kind == FailureKind::Network => ServerError {
                stderr: error.stderr,
                ..broken
            },
            _ => error,
        };
        error.mask(&self.secrets)
    }

    const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Closes the connection and ends the server, with all that it started, within four seconds.
    pub async fn close(mut self) {
        let _ = self.service.close_with_timeout(CLOSE).await;
        if let Some(process) = self.take_process() {
            process.end().await;
        }
    }

    /// Ends the connection and the server, with all that it started, while others still wait for answers: they get none.
    pub(in crate::mcp) async fn shut(&self) {
        self.service.cancellation_token().cancel();
        if let Some(process) = self.take_process() {
            process.end().await;
        }
    }

    fn take_process(&self) -> Option<Process> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Closes like [`close`](Self::close) after a failure, and adds what the process tells of it.
    pub async fn close_after(mut self, error: ServerError) -> ServerError {
        let mut process = self.take_process();
        let mut error = error;
        // Before its input is closed: afterwards it ends because of us.
        if error.kind == FailureKind::Network
            && let Some(process) = &mut process
            && let Some(status) = process.ends_by_itself().await
        {
            error.kind = FailureKind::Exited;
            error.message = format!("it ended in mid-session ({status})");
        }
        let _ = self.service.close_with_timeout(CLOSE).await;
        if let Some(process) = process {
            error.stderr = process.end().await;
        }
        error.mask(&self.secrets)
    }
}
