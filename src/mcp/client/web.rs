//! Requests over HTTP whose results are wanted as the server writes them.
//!
//! The SDK's client reads an answer into its own types before anybody else sees it. What it is asked to post is posted
//! here if the result is wanted as it is written; everything else is left to it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use axum::body::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt};
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};

use super::verbatim::Wanted;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
/// The header that names a session of the older revisions.
const SESSION: &str = "mcp-session-id";
/// The header that says which event came last.
const LAST_EVENT: &str = "last-event-id";

type Failed = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The SDK's client, but for what is wanted as it is written.
#[derive(Clone)]
pub(super) struct Web {
    client: reqwest::Client,
    wanted: Arc<Wanted>,
}

impl Web {
    pub(super) const fn new(client: reqwest::Client, wanted: Arc<Wanted>) -> Self {
        Self { client, wanted }
    }

    /// Events, in which the SDK reads what was written.
    fn packed(&self, events: impl Stream<Item = Result<Sse, SseError>> + Send + 'static) -> Events {
        let wanted = Arc::clone(&self.wanted);
        let pack = move |mut event: Sse| {
            if let Some(packed) = event.data.as_deref().and_then(|text| wanted.pack(text)) {
                event.data = Some(packed);
            }
            event
        };
        events.map(move |event| event.map(&pack)).boxed()
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let mut request = self
            .client
            .post(uri)
            .header(ACCEPT, format!("{EVENTS}, {JSON}"))
            .headers(headers.into_iter().collect());
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        let body = serde_json::to_vec(message)?;
        let answer = request.header(CONTENT_TYPE, JSON).body(body).send().await?;
        let status = answer.status();
        if let Some(refused) = refused(status, answer.headers()) {
            return Err(refused);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let text = |name: &HeaderName| {
            let value = answer.headers().get(name);
            value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let kind = text(&CONTENT_TYPE);
        let retry_after = text(&RETRY_AFTER);
        let session = text(&HeaderName::from_static(SESSION));
        let is = |media: &str| kind.as_deref().is_some_and(|kind| is_media(kind, media));
        if status.is_success() && is(EVENTS) {
            let events = SseStream::from_bytes_stream(bounded(answer, limits.max_sse_event_size));
            return Ok(StreamableHttpPostResponse::Sse(self.packed(events), session));
        }
        if status.is_success() && !is(JSON) {
            return Err(StreamableHttpError::UnexpectedContentType(kind));
        }
        let longest = if is(JSON) {
            limits.max_json_response_size
        } else {
            limits.max_error_response_size
        };
        let body = read(answer, longest, status.is_success()).await?;
        match self.wanted.packed(&body) {
            Some(message) if status.is_success() => Ok(StreamableHttpPostResponse::Json(message, session)),
            // An error of the protocol says more than the status that it came with.
            Some(message @ ServerJsonRpcMessage::Error(_)) if status != StatusCode::TOO_MANY_REQUESTS => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                Err(HttpStatusError::new(status.as_u16(), retry_after).into())
            }
            _ => {
                let start = body.get(..body.len().min(256)).unwrap_or_default();
                let start = String::from_utf8_lossy(start);
                let message = if status.is_success() {
                    format!("its answer is no message of the protocol: {start}")
                } else {
                    format!("HTTP {status}: {start}")
                };
                Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(message)))
            }
        }
    }
}

/// Whether a content type is of this kind, whatever its parameters are.
fn is_media(kind: &str, media: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case(media)
}

/// What a server answers that wants another login, or any.
fn refused(status: StatusCode, headers: &HeaderMap) -> Option<Failed> {
    let challenge = headers.get(WWW_AUTHENTICATE)?;
    let challenge = String::from_utf8_lossy(challenge.as_bytes()).into_owned();
    match status {
        StatusCode::UNAUTHORIZED => Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(
            challenge,
        ))),
        StatusCode::FORBIDDEN => Some(StreamableHttpError::InsufficientScope(
            InsufficientScopeError::new(challenge, None),
        )),
        _ => None,
    }
}

/// A body of bounded length: a longer one is an error if all of it is needed, and else cut.
async fn read(mut answer: reqwest::Response, longest: usize, is_whole: bool) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        let room = longest.saturating_sub(body.len());
        if chunk.len() > room && is_whole {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: longest });
        }
        body.extend_from_slice(chunk.get(..chunk.len().min(room)).unwrap_or_default());
        if chunk.len() > room {
            break;
        }
    }
    Ok(body)
}

/// The bytes of events, of which none may be longer. What is no UTF-8 is U+FFFD, as it is for servers that write a message a
/// line: a reader of events gives up the whole connection for one such byte, and nobody is told why.
fn bounded(
    answer: reqwest::Response,
    longest: usize,
) -> impl Stream<Item = Result<Bytes, io::Error>> + Send + Unpin + 'static {
    struct Read {
        answer: reqwest::Response,
        event: usize,
        line: usize,
        /// Whether a carriage return came last, which a line feed belongs to.
        returned: bool,
        /// The beginning of a character that goes on with the next bytes.
        begun: Vec<u8>,
    }
    let start = Some(Read {
        answer,
        event: 0,
        line: 0,
        returned: false,
        begun: Vec::new(),
    });
    let next = move |read: Option<Read>| async move {
        let mut read = read?;
        let chunk = match read.answer.chunk().await {
            Ok(chunk) => chunk?,
            Err(error) => return Some((Err(io::Error::other(error)), None)),
        };
        for byte in &chunk {
            read.event += 1;
            let returned = std::mem::replace(&mut read.returned, *byte == b'\r');
            match byte {
                b'\n' if returned => {}
                b'\n' | b'\r' if read.line == 0 => read.event = 0,
                b'\n' | b'\r' => read.line = 0,
                _ => read.line += 1,
            }
            if read.event > longest {
                let message = format!("it sent an event of more than {longest} bytes");
                return Some((Err(io::Error::other(message)), None));
            }
        }
        Some((Ok(whole_characters(&mut read.begun, chunk)), Some(read)))
    };
    Box::pin(futures_util::stream::unfold(start, next))
}

/// Bytes as UTF-8, after those of a character that had begun; what has begun at their end is kept.
fn whole_characters(begun: &mut Vec<u8>, bytes: Bytes) -> Bytes {
    if begun.is_empty() && std::str::from_utf8(&bytes).is_ok() {
        return bytes;
    }
    begun.extend_from_slice(&bytes);
    let read = std::mem::take(begun);
    let mut text = String::with_capacity(read.len());
    let mut left = read.len();
    for part in read.utf8_chunks() {
        text.push_str(part.valid());
        left = left.saturating_sub(part.valid().len() + part.invalid().len());
        let is_begun = std::str::from_utf8(part.invalid()).is_err_and(|error| error.error_len().is_none());
        if left == 0 && is_begun {
            begun.extend_from_slice(part.invalid());
        } else if !part.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Bytes::from(text)
}

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits)
            .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let is_wanted =
            matches!(&message, JsonRpcMessage::Request(request) if self.wanted.wants(&request.id));
        // We are told to log in by headers alone.
        if is_wanted && auth_header.is_none() {
            return self
                .post(&uri, &message, session_id.as_deref(), custom_headers, limits)
                .await;
        }
        self.client
            .post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits)
            .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        self.client
            .delete_session(uri, session_id, auth_header, custom_headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failed> {
        let longest = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            longest,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Result<Events, Failed> {
        // We are told to log in by headers alone.
        if auth_header.is_some() {
            let events = self.client.get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                max_sse_event_size,
            );
            return Ok(self.packed(events.await?));
        }
        let mut request = self
            .client
            .get(&*uri)
            .header(ACCEPT, format!("{EVENTS}, {JSON}"))
            .headers(custom_headers.into_iter().collect());
        if let Some(session) = session_id {
            request = request.header(SESSION, &*session);
        }
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let answer = request.send().await?;
        let status = answer.status();
        if status == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if let Some(refused) = refused(status, answer.headers()) {
            return Err(refused);
        }
        if !status.is_success() {
            return Err(HttpStatusError::new(status.as_u16(), None).into());
        }
        let kind = answer.headers().get(CONTENT_TYPE);
        let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
        if !kind.as_deref().is_some_and(|kind| is_media(kind, EVENTS)) {
            return Err(StreamableHttpError::UnexpectedContentType(kind));
        }
        Ok(self.packed(SseStream::from_bytes_stream(bounded(answer, max_sse_event_size))))
    }
}

/// A transport of the SDK on which results that are wanted as they are written are taken out of what it reads.
pub(super) struct Unpacked<T> {
    inner: T,
    wanted: Arc<Wanted>,
}

impl<T> Unpacked<T> {
    pub(super) const fn new(inner: T, wanted: Arc<Wanted>) -> Self {
        Self { inner, wanted }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Unpacked<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wanted.sent(&item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        Some(self.wanted.unpack(self.inner.receive().await?))
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_whole_wherever_the_bytes_are_cut() {
        let text = "a\u{e9}\u{20ac}\u{1f600}b".as_bytes();
        let broken = [text, b"\xff\xe2\x82", text, b"\xf0\x9f\n"].concat();
        let wanted = String::from_utf8_lossy(&broken).into_owned();
        for cut in 0..=broken.len() {
            for again in cut..=broken.len() {
                let mut begun = Vec::new();
                let parts = [&broken[..cut], &broken[cut..again], &broken[again..]];
                let read: Vec<u8> = parts
                    .iter()
                    .flat_map(|part| whole_characters(&mut begun, Bytes::copy_from_slice(part)))
                    .collect();
                assert_eq!(String::from_utf8(read).unwrap(), wanted, "{cut} {again}");
                assert!(begun.is_empty(), "{cut} {again}");
            }
        }
    }
}
