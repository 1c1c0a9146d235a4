//! A running server, and the use of one.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rmcp::model::{ClientRequest, PingRequest};
#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
use rmcp::model::{LoggingLevel, SetLevelRequestParams};
use rmcp::{Peer, RoleClient};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use super::slots::Shared;
use super::{Key, Relay};
use crate::mcp::client::{Connection, ServerError, is_modern};

/// A running server.
pub(in crate::mcp) struct Live {
    pub(super) connection: Arc<Connection<Relay>>,
    pub(super) relay: Relay,
    in_use: AtomicUsize,
    last_used: Mutex<Instant>,
    listening: Option<AbortHandle>,
    /// How many requests it has answered.
    answers: AtomicU64,
    /// Whether it is being asked if it is there at all.
    is_probed: AtomicBool,
    /// Why it was ended while it was in use.
    why_over: OnceLock<ServerError>,
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

impl Live {
    pub(super) fn new(
        connection: Arc<Connection<Relay>>,
        relay: Relay,
        listening: Option<AbortHandle>,
    ) -> Self {
        Self {
            connection,
            relay,
            in_use: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
            listening,
            answers: AtomicU64::new(0),
            is_probed: AtomicBool::new(false),
            why_over: OnceLock::new(),
        }
    }

    /// Somebody uses it from now on; [`InUse`] ends that.
    pub(super) fn begin_use(&self) {
        self.in_use.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether the server speaks 2026-07-28 or newer.
    pub(super) fn is_modern(&self) -> bool {
        is_modern(&self.connection.protocol_version())
    }

    pub(super) fn is_in_use(&self) -> bool {
        self.in_use.load(Ordering::Acquire) > 0
    }

    pub(super) fn idle_since(&self) -> Option<Instant> {
        (self.in_use.load(Ordering::Acquire) == 0)
            .then(|| *self.last_used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells the server which messages are wanted; one that does not log does not mind.
    #[expect(deprecated, reason = "clients of older revisions set a level of logging")]
    pub(super) async fn set_level(&self, level: LoggingLevel) {
        if self.connection.capabilities().logging.is_some() {
            let _ = self
                .connection
                .peer()
                .set_level(SetLevelRequestParams::new(level))
                .await;
        }
    }

    /// It is going to be ended, whoever uses it; they are told why.
    pub(super) fn is_going(&self, why: ServerError) {
        // The first reason counts.
        let _ = self.why_over.set(why);
    }

    /// Why it was ended while it was in use, if it was.
    pub(super) fn why_over(&self) -> Option<&ServerError> {
        self.why_over.get()
    }

    fn touch(&self) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// A running server in use: it is not stopped as idle meanwhile.
pub(in crate::mcp) struct InUse {
    pub(super) live: Arc<Live>,
    pub(super) pool: Weak<Shared>,
    pub(super) key: Key,
}

impl Clone for InUse {
    fn clone(&self) -> Self {
        self.live.begin_use();
        Self {
            live: Arc::clone(&self.live),
            pool: Weak::clone(&self.pool),
            key: self.key.clone(),
        }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.live.touch();
        self.live.in_use.fetch_sub(1, Ordering::AcqRel);
    }
}

impl InUse {
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.live.connection.peer()
    }

    #[cfg(test)]
    pub(in crate::mcp) fn peer_for_tests(&self) -> &Peer<RoleClient> {
        self.peer()
    }

    /// The name of the server.
    pub(in crate::mcp) fn name(&self) -> &str {
        &self.key.server
    }

    /// Whether the server speaks 2026-07-28 or newer.
    pub(in crate::mcp) fn is_modern(&self) -> bool {
        self.live.is_modern()
    }

    /// Whether the server has gone.
    pub(in crate::mcp) fn has_gone(&self) -> bool {
        self.live.connection.is_closed()
    }

    /// A request was answered: the server is well, and starts again at once if it should end.
    pub(super) fn is_well(&self) {
        self.live.answers.fetch_add(1, Ordering::AcqRel);
        if let Some(pool) = self.pool.upgrade() {
            pool.slots(|slots| {
                if let Some(slot) = slots.get_mut(&self.key) {
                    slot.failures = 0;
                }
            });
        }
    }

    /// The server has gone: whoever needs it next gets a fresh one.
    pub(super) fn is_gone(&self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.ended(&self.key, &self.live);
        }
    }

    /// A call of it was given up before it was answered. Where clients that are not told apart have it in turn, what it still
    /// asks about that call must not reach the client of the next one: the next has a fresh process.
    pub(super) fn was_given_up(&self) {
        let is_in_turn = self.key.session.is_none() && !self.key.told.is_empty() && !self.is_modern();
        if is_in_turn && let Some(pool) = self.pool.upgrade() {
            pool.end_one(&self.key, &self.live);
        }
    }

    /// A request was not answered in time: finds out whether the server answers anything at all. One that does not answer
    /// a ping either, for as long again, hangs for good, and is started anew by whoever needs it next; without this every
    /// call would run into its time until the server is stopped as idle. Servers of 2026-07-28 know no ping, and at an
    /// address there is no process to end.
    pub(super) fn did_not_answer(&self) {
        let Some(pool) = self.pool.upgrade() else { return };
        let live = Arc::clone(&self.live);
        if self.is_modern() || !live.connection.is_process() || live.is_probed.swap(true, Ordering::AcqRel) {
            return;
        }
        let (pool, key, longest) = (
            Arc::downgrade(&pool),
            self.key.clone(),
            pool.limits.request_timeout,
        );
        tokio::spawn(async move {
            let before = live.answers.load(Ordering::Acquire);
            let peer = live.connection.peer().clone();
            let asked = peer.send_request(ClientRequest::PingRequest(PingRequest::default()));
            let is_silent = timeout(longest, asked).await.is_err();
            live.is_probed.store(false, Ordering::Release);
            if is_silent
                && live.answers.load(Ordering::Acquire) == before
                && let Some(pool) = pool.upgrade()
            {
                pool.hangs(&key, &live);
            }
        });
    }
}

/// Closes a connection, in order if nobody uses it. Whoever still waits for an answer in a moment gets none: neither the
/// process nor what it started is to live for as long as that takes.
pub(super) async fn close(live: Arc<Live>) {
    let connection = Arc::clone(&live.connection);
    drop(live);
    // Calls that are being cancelled let go in a moment.
    for _ in 0..20 {
        if Arc::strong_count(&connection) == 1 {
            break;
        }
        sleep(Duration::from_millis(10)).await;
    }
    match Arc::try_unwrap(connection) {
        Ok(connection) => connection.close().await,
        Err(in_use) => in_use.shut().await,
    }
}
