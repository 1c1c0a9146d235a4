//! Servers over HTTP: what goes wrong on the way to them, and what is sent to whom.

use std::sync::Mutex;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::*;
use crate::mcp::Wanted;

fn http(url: &str) -> LaunchPlan {
    LaunchPlan {
        name: "web".to_owned(),
        hidden: Vec::new(),
        launch: Launch::Http {
            url: url.to_owned(),
            headers: vec![("Authorization".to_owned(), "Bearer secret-token".to_owned())],
        },
    }
}

/// A free port of this machine, at which nobody is answered yet.
async fn listening() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// Answers whatever is sent with these bytes, and gives what was sent first.
async fn answer(mut stream: TcpStream, answer: &[u8]) -> Vec<u8> {
    let mut asked = vec![0; 4096];
    let length = stream.read(&mut asked).await.unwrap_or_default();
    asked.truncate(length);
    let _ = stream.write_all(answer).await;
    let _ = stream.shutdown().await;
    // Closed before all was read, the system would take the answer back.
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    asked
}

/// An address at which whatever is sent is answered with these bytes.
async fn answering(bytes: &'static [u8]) -> String {
    let (listener, port) = listening().await;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, bytes));
        }
    });
    format!("127.0.0.1:{port}")
}

#[test]
fn what_went_wrong_on_the_network_is_told_apart() {
    block_on(async {
        // Nobody listens at a port that is taken and not listened at.
        let taken = TcpSocket::new_v4().expect("a socket");
        taken
            .bind("127.0.0.1:0".parse().expect("an address"))
            .expect("a port");
        let port = taken.local_addr().expect("an address").port();
        let error = failure(&http(&format!("http://127.0.0.1:{port}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Refused, "{error}");

        // A name that no resolver has to be asked for: its first part is longer than any may be.
        let name = format!("{}.invalid", "x".repeat(64));
        let error = failure(&http(&format!("http://{name}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Dns, "{error}");
        drop(taken);

        let host =
            answering(b"HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n")
                .await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Unauthorized, "{error}");

        let host = answering(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno").await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Unauthorized, "{error}");

        let host = answering(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::HttpStatus, "{error}");

        let host = answering(b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops").await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::HttpStatus, "{error}");

        // Plain HTTP where TLS is wanted: the provider of cryptography is there, and says what it met.
        let error = failure(&http(&format!("https://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Tls, "{error}");
        assert!(error.message.contains("does not speak TLS"), "{error}");

        for url in ["ftp://example.invalid/", "nonsense", "http://"] {
            let error = failure(&http(url)).await;
            assert_eq!(error.kind, FailureKind::BadAddress, "{error}");
        }
    });
}

/// A certificate of `localhost` that is its own authority, until 2126, and its key.
const SELF_SIGNED: [&str; 2] = [
    "MIIBmzCCAUGgAwIBAgIUKsZjMeauLTT8aPf6SlWclFqLMCgwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2\
     MTEzMDEzMzkwMloYDzIxMjYxMTA2MTMzOTAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
     AATi7/FC6JW0qfm5wrrBl0+xmozWtsM/0jPwOIgc+UD3cCpca12G2Hgj2yYDSLHrKEhD17rbcT6fIxtfZV2doJiro28wbTAdBgNV\
     HQ4EFgQUM36qT0n48CEkwT5MZJxKhG9hfhAwHwYDVR0jBBgwFoAUM36qT0n48CEkwT5MZJxKhG9hfhAwDwYDVR0TAQH/BAUwAwEB\
     /zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgYW+eoDYZ/JKyoHpKdgSLNeywNLDfWd8AsY02\
     anxCfMoCIQDbsZW0q4pZzGzh64Tr+fOHQEGeYBd73UfIsUvXPquZeA==",
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpJw0gqJTvcFhkL8KdsVwTVdD/bRF/Nrst7qGYPXq04ShRANCAATi\
     7/FC6JW0qfm5wrrBl0+xmozWtsM/0jPwOIgc+UD3cCpca12G2Hgj2yYDSLHrKEhD17rbcT6fIxtfZV2doJir",
];

/// What answers there is what `openssl req -x509` makes, which many a server at home has.
#[test]
fn a_certificate_that_does_not_hold_is_told_in_words() {
    use base64::Engine;
    use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
    let [certificate, key] = SELF_SIGNED.map(|text| {
        base64::engine::general_purpose::STANDARD
            .decode(text)
            .expect("it is base64")
    });
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(certificate)],
            PrivatePkcs8KeyDer::from(key).into(),
        )
        .expect("they belong together");
    let config = Arc::new(config);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            let mut server = rustls::ServerConnection::new(Arc::clone(&config)).expect("it is configured");
            // The client breaks off.
            let _ = server.complete_io(&mut stream);
        }
    });
    block_on(async {
        let error = failure(&http(&format!("https://localhost:{port}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Tls, "{error}");
        assert!(
            error.message.starts_with(
                "the connection could not be made secure: its certificate is that of an authority"
            ),
            "{error}"
        );
    });
}

/// An address at which what is sent first is kept and answered with these bytes.
async fn keeping(bytes: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let (listener, port) = listening().await;
    let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
    let keeper = Arc::clone(&kept);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let asked = answer(stream, bytes.as_bytes()).await;
            keeper.lock().expect("not poisoned").extend_from_slice(&asked);
        }
    });
    (format!("127.0.0.1:{port}"), kept)
}

#[test]
fn headers_are_sent_and_not_to_where_a_redirect_leads() {
    block_on(async {
        let (elsewhere, led) = keeping("HTTP/1.1 204 No Content\r\n\r\n".to_owned()).await;
        let redirect = format!(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/mcp\r\ncontent-length: 0\r\n\r\n"
        );
        let (host, kept) = keeping(redirect).await;
        let error = failure(&http(&format!("http://{host}/mcp?key=hidden-key"))).await;
        assert!(!error.message.contains("hidden-key"), "{error}");
        let sent = String::from_utf8_lossy(&kept.lock().expect("not poisoned")).to_lowercase();
        assert!(sent.contains("authorization: bearer secret-token"), "{sent}");
        assert_eq!(
            *led.lock().expect("not poisoned"),
            b"",
            "the redirect was followed"
        );
    });
}

#[test]
fn one_that_listens_and_never_answers_is_given_up() {
    block_on(async {
        let (listener, port) = listening().await;
        let plan = http(&format!("http://127.0.0.1:{port}/mcp"));
        let error = connect(&plan, &short(), Plain)
            .await
            .err()
            .expect("nobody answers");
        assert_eq!(error.kind, FailureKind::Timeout, "{error}");
        assert_eq!(error.message, "no answer to the handshake within 400ms");
        drop(listener);
    });
}

/// A server that shakes hands as those of older revisions do, and answers what is wanted as it is written with these bytes.
async fn shaking_hands(answer: String) -> String {
    let (listener, port) = listening().await;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = Vec::new();
            let mut part = [0; 4096];
            // All that is sent here fits into few parts, and ends with a brace.
            while !asked.ends_with(b"}") {
                match stream.read(&mut part).await {
                    Ok(0) | Err(_) => break,
                    Ok(length) => asked.extend_from_slice(part.get(..length).unwrap_or_default()),
                }
                if asked.starts_with(b"GET") || asked.starts_with(b"DELETE") {
                    break;
                }
            }
            let text = String::from_utf8_lossy(&asked).into_owned();
            let message = text.rsplit("\r\n").next().unwrap_or_default();
            let id = serde_json::from_str::<serde_json::Value>(message)
                .map(|message| message["id"].to_string())
                .unwrap_or_default();
            let json = |body: &str| {
                let body = body.replace("ID", &id);
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: s\r\ncontent-length: \
                     {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                )
            };
            let answer = if text.contains("\"server/discover\"") {
                json(LEGACY)
            } else if text.contains("\"initialize\"") {
                json(HELLO)
            } else if text.contains("\"tools/list\"") {
                answer.replace("ID", &id)
            } else if text.starts_with("POST") {
                "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()
            } else {
                "HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()
            };
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    format!("http://127.0.0.1:{port}/mcp")
}

#[test]
fn what_goes_wrong_in_mid_session_is_told_apart() {
    let response = |head: &str, body: &str| {
        format!(
            "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    };
    let json = "200 OK\r\ncontent-type: application/json";
    let long = format!("{{\"x\":\"{}\"}}", "y".repeat(70_000));
    let rejected = "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32000,\"message\":\"no\"}}";
    block_on(async {
        for (answer, kind) in [
            (
                response("401 No\r\nwww-authenticate: Bearer", ""),
                FailureKind::Unauthorized,
            ),
            (
                response("403 No\r\nwww-authenticate: Bearer", ""),
                FailureKind::Unauthorized,
            ),
            (response("401 No", "no"), FailureKind::Unauthorized),
            (response("429 Later", "later"), FailureKind::HttpStatus),
            (response("500 Oops", "oops"), FailureKind::HttpStatus),
            (
                response("500 Oops\r\ncontent-type: application/json", "{}"),
                FailureKind::HttpStatus,
            ),
            (
                response("302 There\r\nlocation: http://127.0.0.1:1/", ""),
                FailureKind::HttpStatus,
            ),
            (
                response("200 OK\r\ncontent-type: text/html", "<html>"),
                FailureKind::Protocol,
            ),
            (response(json, "{\"hello\": 1}"), FailureKind::Protocol),
            (response(json, "no JSON"), FailureKind::Protocol),
            (response(json, &long), FailureKind::TooMuch),
            (
                format!(
                    "HTTP/1.1 {json}\r\nconnection: close\r\n\r\n{}",
                    rejected.replace("0,\"error", "ID,\"error")
                ),
                FailureKind::Rejected,
            ),
            (
                format!(
                    "HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{}",
                    rejected.replace("0,\"error", "ID,\"error")
                ),
                FailureKind::Rejected,
            ),
        ] {
            let url = shaking_hands(answer.clone()).await;
            let limits = Limits {
                max_message_bytes: 65_536,
                ..Limits::default()
            };
            let connection = connect(&http(&url), &limits, Plain)
                .await
                .expect("it shakes hands");
            let error = connection.lists(&[Wanted::Tools]).await.expect_err("it fails");
            assert_eq!(error.kind, kind, "{error}: {answer:.80}");
            connection.close().await;
        }
    });
}
