//! Servers over HTTP: what goes wrong on the way to them, and what is sent to whom.

use std::sync::Mutex;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

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

/// An address at which whatever is sent is answered with these bytes.
async fn answering(answer: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(answer).await;
            });
        }
    });
    format!("127.0.0.1:{port}")
}

#[test]
fn what_went_wrong_on_the_network_is_told_apart() {
    block_on(async {
        // Nobody listens at a port that was just given back.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let error = failure(&http(&format!("http://127.0.0.1:{port}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Refused, "{error}");

        let error = failure(&http("http://no-such-host.invalid/mcp")).await;
        assert_eq!(error.kind, FailureKind::Dns, "{error}");

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

        for url in ["ftp://example.invalid/", "nonsense", "http://"] {
            let error = failure(&http(url)).await;
            assert_eq!(error.kind, FailureKind::BadAddress, "{error}");
        }
    });
}

/// An address at which what is sent first is kept and answered with these bytes.
async fn keeping(answer: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
    let keeper = Arc::clone(&kept);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 4096];
            let length = stream.read(&mut asked).await.unwrap_or_default();
            keeper
                .lock()
                .expect("not poisoned")
                .extend_from_slice(asked.get(..length).unwrap_or_default());
            let _ = stream.write_all(answer.as_bytes()).await;
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
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let port = listener.local_addr().expect("an address").port();
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
