//! A server that writes a message a line.

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty};

use super::verbatim::{Questions, Wanted};

/// How much room for a line is kept, in bytes.
const KEPT: usize = 64 * 1024;

/// Streams of lines. Written by the SDK; read by us, since what the SDK reads has lost what it does not know.
pub(super) struct Lines<R, W: AsyncWrite> {
    read: BufReader<R>,
    /// What is there of the line that is being read: reading may be broken off, and goes on with it.
    line: Vec<u8>,
    write: AsyncRwTransport<RoleClient, Empty, W>,
    wanted: Wanted,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// `read` has to bound the length of lines.
    pub(super) fn new(read: R, write: W, questions: Questions) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            write: AsyncRwTransport::new_client(tokio::io::empty(), write),
            wanted: Wanted::new(questions),
        }
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wanted.sent(&item);
        self.write.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let read = self.read.read_until(b'\n', &mut self.line).await;
            // What has no end of line is not a whole message.
            if read.is_err() || self.line.last() != Some(&b'\n') {
                return None;
            }
            let text = self.line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.line);
            // Some servers print other things too; these are no messages, and nobody is answered.
            let message = self.wanted.read(text);
            self.line.clear();
            // Room for one long answer is not kept for as long as the server runs.
            self.line.shrink_to(KEPT);
            if let Some(message) = message {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.write.close()
    }
}
