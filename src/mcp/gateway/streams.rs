//! The gateway over a pair of streams, and what stands between a client there and the SDK: a client that does not read,
//! that has gone, or that speaks out of turn.

use std::io;
use std::time::Duration;

use rmcp::model::{
    ClientNotification, ClientRequest, ClientResult, CustomResult, ErrorCode, ErrorData, GetMeta,
    JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport as Talk;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Gateway, Session};
use crate::mcp::json::{Head, parse};
use crate::mcp::open::OpenRequests;

/// How many requests of a client may be open before no more of it is read. More than may be calls, which are refused
/// beyond that: what is left open then are answers that nobody reads, and they must not fill our memory.
const OPEN: usize = 512;

/// How long what was written last may take to get out.
const CLOSE: Duration = Duration::from_millis(500);

/// How much room for a line is kept, in bytes.
const KEPT: usize = 64 * 1024;

/// Serves one client over streams, until it closes its end or does not take answers any more.
///
/// # Errors
///
/// Why it could not be served.
pub async fn serve<R, W>(gateway: &Gateway, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let longest = gateway.0.pool.limits().max_message_bytes;
    let transport = AsyncRwTransport::new_server(tokio::io::empty(), write);
    let session = Session::new(gateway);
    match session
        .serve(Careful::new(Lines::new(read, longest), transport))
        .await
    {
        Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
        // It left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// What a client wrote in one line.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A request that cannot be taken, by this id, and why.
    Refused(RequestId, ErrorData),
    /// Nothing that anybody waits for an answer to.
    Noise,
}

impl Line {
    fn of(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let read = serde_json::from_slice(text).or_else(|_| parse(text).and_then(serde_json::from_value));
        let error = match read {
            Ok(mut message) => {
                // What the client answers is the server's to read, with fields that the SDK does not know.
                if let JsonRpcMessage::Response(answer) = &mut message
                    && let Some(written) = parse(text)
                        .ok()
                        .and_then(|mut read| Some(read.get_mut("result")?.take()))
                {
                    answer.result = ClientResult::CustomResult(CustomResult(written));
                }
                return Self::Message(Box::new(message));
            }
            Err(error) => error,
        };
        let text = String::from_utf8_lossy(text);
        let id = Head::of(&text).and_then(|head| serde_json::from_value(head.asked()?).ok());
        let message = format!("the request cannot be read: {error}");
        id.map_or(Self::Noise, |id| {
            Self::Refused(id, ErrorData::new(ErrorCode::PARSE_ERROR, message, None))
        })
    }
}

/// Reads what a client writes, a message a line. What is not read is not answered by the SDK, and who wrote it would wait.
struct Lines<R> {
    read: BufReader<R>,
    /// What is there of the line that is being read: reading may be broken off, and goes on with it.
    line: Vec<u8>,
    longest: usize,
    /// Whether the line is longer than that, and only its beginning is there.
    is_cut: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(read: R, longest: usize) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            longest,
            is_cut: false,
        }
    }

    /// The next line; none at the end. May be dropped at any time.
    async fn next(&mut self) -> Option<Line> {
        loop {
            let read = self.read.fill_buf().await.ok()?;
            if read.is_empty() {
                // What has no end of line is not a whole message.
                return None;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = read.get(..end.unwrap_or(read.len())).unwrap_or_default();
            let room = self.longest.saturating_sub(self.line.len());
            self.is_cut |= part.len() > room;
            self.line
                .extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
            let used = part.len() + usize::from(end.is_some());
            self.read.consume(used);
            if end.is_none() {
                continue;
            }
            // Of one that is too long it is not known what it asks.
            let line = match std::mem::take(&mut self.is_cut) {
                true => Line::Noise,
                false => Line::of(&self.line),
            };
            self.line.clear();
            // Room for one long message is not kept for as long as the client is there.
            self.line.shrink_to(KEPT);
            return Some(line);
        }
    }
}

/// A transport that reads no faster than answers are taken, ends when they are not taken at all, and lets nothing
/// through before the client has begun that is no request.
struct Careful<R, T> {
    lines: Lines<R>,
    inner: T,
    open: OpenRequests,
    has_begun: bool,
    is_broken: watch::Sender<bool>,
}

impl<R, T> Careful<R, T> {
    fn new(lines: Lines<R>, inner: T) -> Self {
        Self {
            lines,
            inner,
            open: OpenRequests::default(),
            has_begun: false,
            is_broken: watch::Sender::new(false),
        }
    }

    /// Whether the SDK is to be told of a message. Of what comes before the client has begun it knows requests alone,
    /// and takes anything else for the end.
    fn is_in_turn(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            self.has_begun |= match &request.request {
                ClientRequest::InitializeRequest(_) => true,
                // Both may come before.
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                request => request.get_meta().protocol_version().is_some(),
            };
            return true;
        }
        self.has_begun
    }
}

impl<R, T> Talk<RoleServer> for Careful<R, T>
where
    R: AsyncRead + Send + Unpin + 'static,
    T: Talk<RoleServer>,
{
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(answer) => Some(answer.id.clone()),
            JsonRpcMessage::Error(answer) => answer.id.clone(),
            _ => None,
        };
        let (open, is_broken) = (self.open.clone(), self.is_broken.clone());
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            if let Some(id) = &answered {
                open.end(id);
            }
            if sent.is_err() {
                is_broken.send_replace(true);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut is_broken = self.is_broken.subscribe();
        let open = self.open.clone();
        loop {
            let next = async {
                open.fewer_than(OPEN).await;
                self.lines.next().await
            };
            let line = tokio::select! {
                biased;
                _ = is_broken.wait_for(|is_broken| *is_broken) => return None,
                line = next => line?,
            };
            let message = match line {
                Line::Message(message) => *message,
                Line::Refused(id, why) => {
                    self.open.begin(id.clone());
                    // In a task of its own: reading may be broken off.
                    tokio::spawn(self.send(JsonRpcMessage::error(why, Some(id))));
                    continue;
                }
                Line::Noise => continue,
            };
            match &message {
                JsonRpcMessage::Request(request) => open.begin(request.id.clone()),
                // What was cancelled is not answered.
                JsonRpcMessage::Notification(told) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        open.end(id);
                    }
                }
                _ => {}
            }
            if self.is_in_turn(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // A client that does not read must not hold us.
        timeout(CLOSE, self.inner.close()).await.unwrap_or(Ok(()))
    }
}
