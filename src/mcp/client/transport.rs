//! What stands between a server and the SDK: limits on what it says, and patience with servers that start slowly.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, ReadBuf};

use super::error::{FailureKind, ServerError};
use crate::mcp::Limits;
use crate::mcp::open::OpenRequests;

/// How many questions of a server may be open at a time beside one for each request that it has not answered: each waits
/// in our memory, and most of them for a person.
const QUESTIONS: usize = 256;

/// What a server may still say, and the limit that it broke.
pub(super) struct Gauge {
    left: AtomicUsize,
    broken: Mutex<Option<ServerError>>,
}

impl Gauge {
    pub(super) const fn new() -> Self {
        Self {
            left: AtomicUsize::new(Limits::MAX_ANSWER_BYTES),
            broken: Mutex::new(None),
        }
    }

    /// A new question: what was said before does not count against its answer.
    pub(super) fn reset(&self) {
        self.left.store(Limits::MAX_ANSWER_BYTES, Ordering::Relaxed);
    }

    /// Why the connection was given up, if a limit was broken.
    pub(super) fn broken(&self) -> Option<ServerError> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn give_up(&self, message: String) -> io::Error {
        let error = io::Error::other(message.clone());
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(ServerError::new(FailureKind::TooMuch, message));
        error
    }

    fn take(&self, bytes: usize) -> bool {
        let take = |left: usize| left.checked_sub(bytes);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }
}

/// Reads what a server writes, line by line, and ends where a limit is broken.
pub(super) struct Guarded<R> {
    inner: R,
    gauge: Arc<Gauge>,
    longest: usize,
    /// The length of the line that is being read.
    line: usize,
}

impl<R> Guarded<R> {
    pub(super) const fn new(inner: R, gauge: Arc<Gauge>, longest: usize) -> Self {
        Self {
            inner,
            gauge,
            longest,
            line: 0,
        }
    }

    fn look_at(&mut self, bytes: &[u8]) -> io::Result<()> {
        for (nth, part) in bytes.split(|byte| *byte == b'\n').enumerate() {
            self.line = if nth == 0 { self.line } else { 0 }.saturating_add(part.len());
            if self.line > self.longest {
                let message = format!("it sent a message of more than {} bytes", self.longest);
                return Err(self.gauge.give_up(message));
            }
        }
        if self.gauge.take(bytes.len()) {
            return Ok(());
        }
        let most = Limits::MAX_ANSWER_BYTES;
        Err(self
            .gauge
            .give_up(format!("it sent more than {most} bytes without an end")))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Guarded<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        let new = buf.filled().get(before..).unwrap_or_default();
        Poll::Ready(this.look_at(new))
    }
}

/// A transport on which a late answer to `server/discover` does not spoil the handshake that follows it.
///
/// The SDK asks `server/discover` first and gives a server ten seconds for it, then asks `initialize`. A server that is
/// still being downloaded answers both in the end, and the SDK takes the first answer for one to the second question.
pub(super) struct Patient<T> {
    inner: T,
    probe: Option<RequestId>,
    abandoned: Option<RequestId>,
    late: Arc<AtomicBool>,
    /// What the server asks, until it is answered.
    asked: OpenRequests,
    /// What it is asked, until it answers.
    ours: OpenRequests,
    gauge: Arc<Gauge>,
}

impl<T> Patient<T> {
    /// `late` becomes true when a late answer shows that the server knows `server/discover`.
    pub(super) fn new(inner: T, late: Arc<AtomicBool>, gauge: Arc<Gauge>) -> Self {
        Self {
            inner,
            probe: None,
            abandoned: None,
            late,
            asked: OpenRequests::default(),
            ours: OpenRequests::default(),
            gauge,
        }
    }

    /// Counts what the server asks. One that asks on and on, whether it is answered or not, is given up.
    fn may_go_on(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => self.asked.begin(request.id.clone()),
            JsonRpcMessage::Notification(told) => {
                if let ServerNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.asked.end(id);
                }
            }
            JsonRpcMessage::Response(answer) => self.ours.end(&answer.id),
            JsonRpcMessage::Error(answer) => {
                if let Some(id) = &answer.id {
                    self.ours.end(id);
                }
            }
        }
        if self.asked.count() <= QUESTIONS + self.ours.count() {
            return true;
        }
        let message = format!("it asked more than {QUESTIONS} things at once");
        drop(self.gauge.give_up(message));
        false
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Request(request) => {
                self.ours.begin(request.id.clone());
                match request.request {
                    ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
                    ClientRequest::InitializeRequest(_) => self.abandoned = self.probe.take(),
                    _ => {}
                }
            }
            JsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.ours.end(id);
                }
            }
            _ => {}
        }
        let answered = match &item {
            JsonRpcMessage::Response(answer) => Some(answer.id.clone()),
            JsonRpcMessage::Error(answer) => answer.id.clone(),
            _ => None,
        };
        let asked = self.asked.clone();
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            if let Some(id) = &answered {
                asked.end(id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.inner.receive().await?;
            if !self.may_go_on(&message) {
                return None;
            }
            let is_late = match (&message, &self.abandoned) {
                (JsonRpcMessage::Response(answer), Some(abandoned)) if answer.id == *abandoned => {
                    self.late.store(true, Ordering::Relaxed);
                    true
                }
                (JsonRpcMessage::Error(answer), Some(abandoned)) => answer.id.as_ref() == Some(abandoned),
                _ => false,
            };
            if !is_late {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
