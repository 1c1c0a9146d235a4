//! The gateway over streamable HTTP: one path, one token, nobody from elsewhere.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::session::{Handler, Transport, random_hex};
use super::visitors::{IDLE, Visitors, held_by};
use super::{Gateway, MAX_SESSIONS, in_place};

/// The path of the gateway.
pub const PATH: &str = "/mcp";

/// How long a session of an older revision lasts without a word of its client, which may have vanished.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// Who may come in.
struct Door {
    /// The digest of the token: comparing digests takes the same time wherever they differ first.
    token: [u8; 32],
    /// Whether hosts are expected that are not this machine.
    allow_remote: bool,
}

impl Door {
    /// Whether the name in `Host` or `Origin` is one that this machine goes by. A page of elsewhere that a browser was
    /// led to take for this machine names its own host. What is not wholly understood is none.
    fn knows(&self, authority: &str) -> bool {
        let is_port = |port: &str| port.is_empty() || port.parse::<u16>().is_ok();
        if let Some(rest) = authority.strip_prefix('[') {
            let Some((host, port)) = rest.split_once(']') else {
                return false;
            };
            let is_ours = host
                .parse::<Ipv6Addr>()
                .is_ok_and(|host| self.is_ours(host.into()));
            return is_ours && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
        }
        let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
        let is_ours = host.eq_ignore_ascii_case("localhost")
            || host
                .parse::<Ipv4Addr>()
                .is_ok_and(|host| self.is_ours(host.into()));
        is_ours && is_port(port)
    }

    fn is_ours(&self, address: IpAddr) -> bool {
        address.is_loopback() || self.allow_remote
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(given) = headers.get(header::AUTHORIZATION) else {
            return false;
        };
        let Some((scheme, token)) = given.to_str().ok().and_then(|given| given.split_once(' ')) else {
            return false;
        };
        let digest: [u8; 32] = Sha256::digest(token.trim()).into();
        scheme.eq_ignore_ascii_case("bearer") && digest == self.token
    }

    /// Why a request is not let in. Each name has to be there once: of two, another reader may take the other one.
    fn refuses(&self, uri: &Uri, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        const HOST: &str =
            "this host is not served here: name this machine, such as 127.0.0.1, once in `Host`";
        const ORIGIN: &str = "pages of elsewhere are not served here";
        let once = |name: &HeaderName| {
            let mut values = headers.get_all(name).iter();
            match (values.next(), values.next()) {
                (Some(value), None) => value.to_str().ok(),
                _ => None,
            }
        };
        let is_known = once(&header::HOST).is_some_and(|host| self.knows(host))
            && uri.authority().is_none_or(|host| self.knows(host.as_str()));
        if !is_known {
            return Some((StatusCode::FORBIDDEN, HOST));
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = once(&header::ORIGIN).and_then(|origin| origin.split_once("://"));
            let is_known = origin.is_some_and(|(scheme, authority)| {
                matches!(scheme, "http" | "https") && self.knows(authority)
            });
            if !is_known {
                return Some((StatusCode::FORBIDDEN, ORIGIN));
            }
        }
        if !self.has_token(headers) {
            return Some((StatusCode::UNAUTHORIZED, "the bearer token is missing or wrong"));
        }
        None
    }
}

/// The header that names the session of a client of 2025-11-25 or older.
const SESSION: &str = "mcp-session-id";

/// How long is waited for a session that was ended to have gone.
const LEAVING: Duration = Duration::from_secs(2);

/// What the door knows.
#[derive(Clone)]
struct Hall {
    door: Arc<Door>,
    gateway: Gateway,
    sessions: Arc<LocalSessionManager>,
    visitors: Visitors,
}

impl Hall {
    /// Whether there is room for one more, after the session that was idle longest has gone for it.
    async fn has_room(&self) -> bool {
        while !self.gateway.has_room() {
            let Some(idle) = self.visitors.take_idle() else {
                return false;
            };
            // One that has ended meanwhile is none to end.
            let _ = self.sessions.close_session(&idle).await;
            // What a session has goes in a task of its own.
            let gone = async {
                while !self.gateway.has_room() {
                    sleep(Duration::from_millis(5)).await;
                }
            };
            let _ = timeout(LEAVING, gone).await;
        }
        true
    }

    /// A request in which an answer of the client travels past what the SDK reads.
    async fn packed(&self, request: Request) -> Result<Request, Response> {
        if request.method() != Method::POST {
            return Ok(request);
        }
        let (mut parts, body) = request.into_parts();
        let longest = self.gateway.0.pool.limits().max_message_bytes;
        let body = axum::body::to_bytes(body, longest).await.map_err(|error| {
            let why = format!("the message cannot be read, or has more than {longest} bytes: {error}");
            (StatusCode::PAYLOAD_TOO_LARGE, why).into_response()
        })?;
        let body = match in_place::pack(&body) {
            Some(packed) => {
                parts.headers.insert(header::CONTENT_LENGTH, packed.len().into());
                packed.into()
            }
            None => body,
        };
        Ok(Request::from_parts(parts, body.into()))
    }

    /// Has a request answered, and remembers that its session was used.
    async fn answer(&self, request: Request, next: Next) -> Response {
        let session =
            |headers: &HeaderMap| -> Option<String> { Some(headers.get(SESSION)?.to_str().ok()?.to_owned()) };
        let named = session(request.headers());
        let (listens, ends) = (
            request.method() == Method::GET,
            request.method() == Method::DELETE,
        );
        let held = named
            .as_deref()
            .and_then(|named| self.visitors.use_of(named, listens));
        let request = match self.packed(request).await {
            Ok(request) => request,
            Err(refusal) => return refusal,
        };
        let answer = in_place::unpacked(next.run(request).await);
        match named {
            None => {
                if let Some(new) = session(answer.headers()) {
                    self.visitors.begin(&new, FORGOTTEN);
                }
            }
            Some(named)
                if ends && answer.status().is_success() || answer.status() == StatusCode::NOT_FOUND =>
            {
                self.visitors.end(&named);
            }
            Some(_) => {}
        }
        held_by(answer, held)
    }
}

async fn at_the_door(State(hall): State<Hall>, request: Request, next: Next) -> Response {
    match hall.door.refuses(request.uri(), request.headers()) {
        // The SDK would call it a fault of ours.
        None if !request.headers().contains_key(SESSION) && !hall.has_room().await => {
            let why = format!(
                "{MAX_SESSIONS} clients are served already: end a session with DELETE, or come again later"
            );
            let later = [(header::RETRY_AFTER, HeaderValue::from_static("60"))];
            (StatusCode::SERVICE_UNAVAILABLE, later, why).into_response()
        }
        None => hall.answer(request, next).await,
        Some((StatusCode::UNAUTHORIZED, why)) => {
            let challenge = [(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))];
            (StatusCode::UNAUTHORIZED, challenge, why).into_response()
        }
        Some((status, why)) => (status, why).into_response(),
    }
}

/// Where a request came from, as the SDK hands it on.
pub(super) fn address_of(extensions: &rmcp::model::Extensions) -> Option<SocketAddr> {
    let parts = extensions.get::<Parts>()?;
    let ConnectInfo(address) = parts.extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(*address)
}

/// A token of 256 random bits, in hexadecimal.
///
/// # Errors
///
/// If the system has no random numbers.
pub fn random_token() -> io::Result<String> {
    random_hex::<32>().map_err(io::Error::other)
}

/// Serves a gateway at `/mcp` of a listener until `stop` is over.
///
/// Whoever comes has to bring the token as `Authorization: Bearer …`, and to name this machine as `Host`; a browser also
/// has to come from a page of this machine. With `allow_remote` addresses of other interfaces are names of this machine
/// too, but no names of hosts.
///
/// # Errors
///
/// If the listener fails.
pub async fn serve(
    gateway: &Gateway,
    listener: TcpListener,
    token: &str,
    allow_remote: bool,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    serve_with(gateway, listener, token, allow_remote, IDLE, stop).await
}

/// As [`serve`], where a session goes for a newcomer after being idle for so long.
pub(super) async fn serve_with(
    gateway: &Gateway,
    listener: TcpListener,
    token: &str,
    allow_remote: bool,
    idle: Duration,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let door = Arc::new(Door {
        token: Sha256::digest(token).into(),
        allow_remote,
    });
    let config = StreamableHttpServerConfig::default()
        // The door has looked at both already, by the rule above.
        .disable_allowed_hosts()
        .with_max_request_body_bytes(gateway.0.pool.limits().max_message_bytes);
    let cancel = config.cancellation_token.clone();
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(FORGOTTEN);
    let sessions = gateway.clone();
    let accept = move || {
        if sessions.has_room() {
            Ok(Handler::new(&sessions, Transport::Http))
        } else {
            Err(io::Error::other("too many sessions"))
        }
    };
    let manager = Arc::new(manager);
    let hall = Hall {
        door,
        gateway: gateway.clone(),
        sessions: Arc::clone(&manager),
        visitors: Visitors::new(idle),
    };
    let service = StreamableHttpService::new(accept, manager, config);
    let router = axum::Router::new()
        .route_service(PATH, service)
        .layer(middleware::from_fn_with_state(hall, at_the_door))
        .into_make_service_with_connect_info::<SocketAddr>();
    let served = tokio::select! {
        served = axum::serve(listener, router) => served,
        () = stop => Ok(()),
    };
    cancel.cancel();
    served
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(allow_remote: bool) -> Door {
        Door {
            token: Sha256::digest("secret").into(),
            allow_remote,
        }
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &str)| (name.clone(), HeaderValue::from_str(value).unwrap());
        pairs.iter().map(pair).collect()
    }

    fn here() -> Uri {
        Uri::from_static(PATH)
    }

    #[test]
    fn a_name_that_is_not_wholly_understood_is_none() {
        for known in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:",
            "127.9.9.9:65535",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(door(false).knows(known), "{known}");
        }
        for unknown in [
            "",
            "localhost.",
            "localhost.evil",
            "localhost:evil",
            "localhost:80:80",
            "localhost:80@evil.example",
            "evil@localhost",
            "127.0.0.1:99999",
            "127.1",
            "[::1].evil.example",
            "[::1]evil:80",
            "[::1",
            "[127.0.0.1]",
            "::1",
        ] {
            assert!(!door(false).knows(unknown), "{unknown}");
        }
    }

    #[test]
    fn a_name_is_given_once_and_everywhere_alike() {
        let refused = |uri: &'static str, more: &[(HeaderName, &str)]| {
            let token = (header::AUTHORIZATION, "Bearer secret");
            let mut all = HeaderMap::new();
            for (name, value) in std::iter::once(&token).chain(more) {
                all.append(name, HeaderValue::from_str(value).unwrap());
            }
            door(false).refuses(&Uri::from_static(uri), &all).is_some()
        };
        let (host, origin) = (header::HOST, header::ORIGIN);
        let here = (host.clone(), "localhost");
        assert!(!refused("http://127.0.0.1:80/mcp", std::slice::from_ref(&here)));
        assert!(refused("http://evil.example/mcp", std::slice::from_ref(&here)));
        assert!(refused(PATH, &[here.clone(), (host, "evil.example")]));
        let ours = (origin.clone(), "http://localhost");
        assert!(!refused(PATH, &[here.clone(), ours.clone()]));
        assert!(refused(
            PATH,
            &[here.clone(), ours, (origin.clone(), "http://evil.example")]
        ));
        assert!(refused(PATH, &[here, (origin, "evil://localhost")]));
    }

    #[test]
    fn only_this_machine_with_the_token_comes_in() {
        let good = [
            (header::HOST, "127.0.0.1:80"),
            (header::AUTHORIZATION, "Bearer secret"),
        ];
        assert_eq!(door(false).refuses(&here(), &headers(&good)), None);
        for (host, authorization, origin, status) in [
            (
                "localhost:1",
                "bearer secret",
                Some("http://localhost:6274"),
                None,
            ),
            ("[::1]:1", "Bearer secret", None, None),
            ("127.0.0.1", "", None, Some(StatusCode::UNAUTHORIZED)),
            ("127.0.0.1", "Bearer wrong", None, Some(StatusCode::UNAUTHORIZED)),
            ("127.0.0.1", "Basic secret", None, Some(StatusCode::UNAUTHORIZED)),
            ("evil.example", "Bearer secret", None, Some(StatusCode::FORBIDDEN)),
            (
                "127.0.0.1.evil.example",
                "Bearer secret",
                None,
                Some(StatusCode::FORBIDDEN),
            ),
            ("10.0.0.1", "Bearer secret", None, Some(StatusCode::FORBIDDEN)),
            ("", "Bearer secret", None, Some(StatusCode::FORBIDDEN)),
            (
                "localhost",
                "Bearer secret",
                Some("https://evil.example"),
                Some(StatusCode::FORBIDDEN),
            ),
            (
                "localhost",
                "Bearer secret",
                Some("null"),
                Some(StatusCode::FORBIDDEN),
            ),
        ] {
            let mut pairs = vec![(header::HOST, host), (header::AUTHORIZATION, authorization)];
            pairs.extend(origin.map(|origin| (header::ORIGIN, origin)));
            let refused = door(false).refuses(&here(), &headers(&pairs));
            let refused = refused.map(|(status, _)| status);
            assert_eq!(refused, status, "{host} {authorization} {origin:?}");
        }
    }

    #[test]
    fn from_afar_only_addresses_are_names_of_this_machine() {
        assert!(door(true).knows("10.0.0.1:8080"));
        assert!(!door(true).knows("evil.example:8080"));
    }
}
