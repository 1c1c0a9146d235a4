//! Why a server could not be asked, in words that tell what to do.

use std::error::Error;
use std::fmt;
use std::io;

use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// How much of standard error is shown, from its end.
const STDERR_BYTES: usize = 8 * 1024;
/// How many lines of it.
const STDERR_LINES: usize = 20;

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// There is no such program.
    NotFound,
    /// The program could not be started.
    CannotStart,
    /// The process ended before it had answered.
    Exited,
    /// The server did not answer in time.
    Timeout,
    /// One message, or the whole answer, is larger than the limit.
    TooMuch,
    /// What the server said is not the protocol.
    Protocol,
    /// The server answered with an error.
    Rejected,
    /// The address cannot be used.
    BadAddress,
    /// Nothing listens at the address.
    Refused,
    /// The name of the host is not known.
    Dns,
    /// The connection could not be made secure.
    Tls,
    /// The server wants to be logged in to.
    Unauthorized,
    /// The server answered with an HTTP status that is no success.
    HttpStatus,
    /// The connection was lost, or the network failed otherwise.
    Network,
    /// The SDK has no such transport: the old `sse`.
    UnsupportedTransport,
    /// Its definition does not say what to start or to call, or needs a variable that is not set.
    Definition,
    /// The user took the approval back.
    Unapproved,
}

impl FailureKind {
    /// The word for it in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::CannotStart => "cannot-start",
            Self::Exited => "exited",
            Self::Timeout => "timeout",
            Self::TooMuch => "too-much",
            Self::Protocol => "protocol",
            Self::Rejected => "rejected",
            Self::BadAddress => "bad-address",
            Self::Refused => "refused",
            Self::Dns => "dns",
            Self::Tls => "tls",
            Self::Unauthorized => "unauthorized",
            Self::HttpStatus => "http-status",
            Self::Network => "network",
            Self::UnsupportedTransport => "unsupported-transport",
            Self::Definition => "definition",
            Self::Unapproved => "unapproved",
        }
    }
}

/// Why a server could not be asked. Its text holds no value of the server's environment or headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// What kind of failure it was.
    pub kind: FailureKind,
    /// One sentence without a full stop.
    pub message: String,
    /// The last lines that the process wrote to its standard error; empty if there is no process or no line.
    pub stderr: Vec<String>,
    /// The code of the server's own answer, if it is one.
    pub rpc_code: Option<i32>,
}

impl ServerError {
    /// A failure of a kind, in one sentence without a full stop.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            stderr: Vec::new(),
            rpc_code: None,
        }
    }

    /// Whether another way of shaking hands may still work: the server is there, and it is the talk that failed.
    pub(super) const fn is_about_talk(&self) -> bool {
        match self.kind {
            FailureKind::Exited
            | FailureKind::Timeout
            | FailureKind::Protocol
            | FailureKind::Rejected
            | FailureKind::HttpStatus
            | FailureKind::Network => true,
            FailureKind::NotFound
            | FailureKind::CannotStart
            | FailureKind::TooMuch
            | FailureKind::BadAddress
            | FailureKind::Refused
            | FailureKind::Dns
            | FailureKind::Tls
            | FailureKind::Unauthorized
            | FailureKind::UnsupportedTransport
            | FailureKind::Definition
            | FailureKind::Unapproved => false,
        }
    }

    /// Whether the server says that it has no such method: it offers less than it declares.
    #[must_use]
    pub fn is_method_not_found(&self) -> bool {
        self.rpc_code == Some(ErrorCode::METHOD_NOT_FOUND.0)
    }

    /// Takes words out that must not be shown, and then cuts what is too long: a word that was cut before would not be
    /// known again.
    pub(super) fn mask(mut self, secrets: &[String]) -> Self {
        self.message = short(&masked(&self.message, secrets));
        // Together, since a secret may have several lines.
        let text = masked(&self.stderr.join("\n"), secrets);
        let mut lines: Vec<String> = Vec::new();
        let mut left = STDERR_BYTES;
        for line in text
            .lines()
            .rev()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
        {
            let line = end_of(line, left);
            if lines.len() == STDERR_LINES || line.is_empty() {
                break;
            }
            left -= line.len();
            lines.push(line.to_owned());
        }
        lines.reverse();
        self.stderr = lines;
        self
    }

    pub(super) fn of_handshake(error: &ClientInitializeError) -> Self {
        match error {
            error if error.is_authorization_required() => Self::unauthorized(),
            ClientInitializeError::TransportError { error, .. } => Self::of_transport(error),
            ClientInitializeError::ConnectionClosed(_) => Self::closed(),
            ClientInitializeError::JsonRpcError(answer) => Self::rejected(answer),
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => Self::of_handshake(fallback),
            ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
                let versions: Vec<&str> = server_supported.iter().map(|version| version.as_str()).collect();
                let message = format!(
                    "it speaks other versions of the protocol: {}",
                    versions.join(", ")
                );
                Self::new(FailureKind::Protocol, message)
            }
            ClientInitializeError::ExpectedInitResponse(_)
            | ClientInitializeError::ExpectedInitResult(_)
            | ClientInitializeError::ConflictInitResponseId(..)
            | ClientInitializeError::UncorrelatedErrorResponse { .. } => Self::new(
                FailureKind::Protocol,
                "its answer to the handshake is not what was asked for",
            ),
            other => Self::new(FailureKind::Protocol, one_line(&other.to_string())),
        }
    }

    pub(in crate::mcp) fn of_service(error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(answer) => Self::rejected(answer),
            error if error.is_authorization_required() => Self::unauthorized(),
            ServiceError::TransportSend(error) => Self::of_transport(error),
            ServiceError::TransportClosed => Self::closed(),
            ServiceError::Timeout { timeout } => Self::timeout("a request", *timeout),
            ServiceError::UnexpectedResponse => {
                Self::new(FailureKind::Protocol, "its answer is not what was asked for")
            }
            ServiceError::InputRequiredRoundsExceeded { .. } => {
                Self::new(FailureKind::Protocol, "it asks for input again and again")
            }
            other => Self::new(FailureKind::Protocol, one_line(&other.to_string())),
        }
    }

    pub(super) fn timeout(what: &str, after: std::time::Duration) -> Self {
        let after = crate::parse::duration::words(after);
        Self::new(
            FailureKind::Timeout,
            format!("no answer to {what} within {after}"),
        )
    }

    pub(super) fn closed() -> Self {
        Self::new(FailureKind::Network, "it closed the connection")
    }

    fn rejected(answer: &ErrorData) -> Self {
        let message = format!(
            "it answered with error {}: {}",
            answer.code.0,
            one_line(&answer.message)
        );
        Self {
            rpc_code: Some(answer.code.0),
            ..Self::new(FailureKind::Rejected, message)
        }
    }

    fn of_transport(error: &DynamicTransportError) -> Self {
        // The chain of sources ends here; what is inside has to be asked by its type.
        if let Some(http) = error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return Self::of_http(http);
        }
        match error.error.downcast_ref::<io::Error>() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Self::closed(),
            Some(error) => Self::new(FailureKind::Network, format!("it cannot be written to: {error}")),
            None => Self::closed(),
        }
    }

    fn of_http(error: &StreamableHttpError<reqwest::Error>) -> Self {
        match error {
            StreamableHttpError::Client(error) => Self::of_reqwest(error),
            StreamableHttpError::AuthRequired(_) => Self::unauthorized(),
            StreamableHttpError::InsufficientScope(_) => Self::new(
                FailureKind::Unauthorized,
                "what it was given to log in with does not allow this (HTTP 403)",
            ),
            StreamableHttpError::HttpStatus(status) => Self::of_status(status.status),
            StreamableHttpError::ResponseBodyTooLarge { max_size } => Self::new(
                FailureKind::TooMuch,
                format!("its answer has more than {max_size} bytes"),
            ),
            StreamableHttpError::SessionExpired => Self::new(
                FailureKind::HttpStatus,
                "there is no MCP server at this address (HTTP 404)",
            ),
            StreamableHttpError::UnexpectedContentType(kind) => {
                let kind = kind.as_deref().unwrap_or("no type");
                let message = format!("its answer is {}, not the protocol", one_line(kind));
                Self::new(FailureKind::Protocol, message)
            }
            StreamableHttpError::UnexpectedServerResponse(text) => Self::of_text(text),
            StreamableHttpError::ReservedHeaderConflict(name) => Self::new(
                FailureKind::BadAddress,
                format!("the header `{name}` is the protocol's own and cannot be configured"),
            ),
            StreamableHttpError::TransportChannelClosed => Self::closed(),
            other => Self::new(FailureKind::Protocol, one_line(&other.to_string())),
        }
    }

    /// Words of the SDK that hold the status and the body: `HTTP 500 Internal Server Error: …`.
    fn of_text(text: &str) -> Self {
        let status = text
            .strip_prefix("HTTP ")
            .and_then(|rest| rest.get(..3)?.parse().ok());
        match status {
            Some(status @ (300..=399 | 401 | 404)) => Self::of_status(status),
            Some(_) => Self::new(
                FailureKind::HttpStatus,
                format!("it answered with {}", one_line(text)),
            ),
            None => Self::new(FailureKind::Protocol, one_line(text)),
        }
    }

    fn of_status(status: u16) -> Self {
        match status {
            401 => Self::unauthorized(),
            404 => Self::new(
                FailureKind::HttpStatus,
                "there is no MCP server at this address (HTTP 404)",
            ),
            300..=399 => Self::new(
                FailureKind::HttpStatus,
                format!(
                    "its address leads to another one, which is not followed (HTTP {status}): configure where it leads to"
                ),
            ),
            _ => Self::new(FailureKind::HttpStatus, format!("it answered with HTTP {status}")),
        }
    }

    fn unauthorized() -> Self {
        Self::new(
            FailureKind::Unauthorized,
            "it wants to be logged in to (HTTP 401): configure a header such as `Authorization`",
        )
    }

    fn of_reqwest(error: &reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::new(FailureKind::BadAddress, "its address is no url of http or https");
        }
        if error.is_timeout() {
            return Self::new(FailureKind::Timeout, "the connection timed out");
        }
        if let Some(status) = error.status() {
            return Self::of_status(status.as_u16());
        }
        let mut last = String::new();
        let mut is_dns = false;
        let mut source: Option<&(dyn Error + 'static)> = error.source();
        // Bounded: a chain of errors has an end, but nothing says so.
        for _ in 0..32 {
            let Some(current) = source else { break };
            last = current.to_string();
            if let Some(tls) = current.downcast_ref::<rustls::Error>() {
                return Self::tls(&super::tls::in_words(tls));
            }
            is_dns |= last.contains("dns error");
            let io = current.downcast_ref::<io::Error>();
            if io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused) {
                return Self::new(
                    FailureKind::Refused,
                    "nothing listens there: the connection was refused",
                );
            }
            // What an `io::Error` wraps is not its source.
            source = match io.and_then(io::Error::get_ref) {
                Some(inner) => Some(inner),
                None => current.source(),
            };
        }
        if is_dns {
            return Self::new(FailureKind::Dns, "the name of its host is not known");
        }
        let message = format!("the connection failed: {}", one_line(&last));
        Self::new(FailureKind::Network, message)
    }

    fn tls(message: &str) -> Self {
        let message = format!("the connection could not be made secure: {}", one_line(message));
        Self::new(FailureKind::Tls, message)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ServerError {}

/// Text as one line: it may come from the server. It is cut once secrets are out of it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A sentence of bounded length.
fn short(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => text.get(..end).unwrap_or_default().chars().chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The end of a text, no longer than so many bytes.
fn end_of(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}

fn masked(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| {
        text.replace(secret.as_str(), "***")
    })
}
