//! The gateway over a pair of streams, and what stands between a client there and the SDK: a client that does not read,
//! that has gone, or that speaks out of turn.

use std::io;
use std::time::Duration;

use rmcp::model::{ClientNotification, ClientRequest, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport as Talk;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Gateway, Session};
use crate::mcp::open::OpenRequests;

/// How many requests of a client may be open before no more of it is read. More than may be calls, which are refused
/// beyond that: what is left open then are answers that nobody reads, and they must not fill our memory.
const OPEN: usize = 512;

/// How long what was written last may take to get out.
const CLOSE: Duration = Duration::from_millis(500);

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
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(longest);
    let session = Session::new(gateway);
    match session.serve(Careful::new(transport)).await {
        Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
        // It left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// A transport that reads no faster than answers are taken, ends when they are not taken at all, and lets nothing
/// through before the client has begun that is no request.
struct Careful<T> {
    inner: T,
    open: OpenRequests,
    has_begun: bool,
    is_broken: watch::Sender<bool>,
}

impl<T> Careful<T> {
    fn new(inner: T) -> Self {
        Self {
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

impl<T: Talk<RoleServer>> Talk<RoleServer> for Careful<T> {
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
                self.inner.receive().await
            };
            let message = tokio::select! {
                biased;
                _ = is_broken.wait_for(|is_broken| *is_broken) => return None,
                message = next => message?,
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
