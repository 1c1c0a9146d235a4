//! Where all seats are taken, over HTTP.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// The head of the answer to a message, and the session that it names.
async fn post(address: SocketAddr, session: Option<&str>, message: &str) -> (u16, Option<String>) {
    let more = session.map_or_else(String::new, |session| format!("Mcp-Session-Id: {session}\r\n"));
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer secret\r\nContent-Length: {}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n\
         {more}\r\n{message}",
        message.len()
    );
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    let status = answer.split(' ').nth(1).expect("a status").parse();
    let named = answer
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "));
    (status.expect("a number"), named.map(str::to_owned))
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

/// A gateway in which all seats but two are taken, and the two sessions that have them.
async fn full(idle: Duration) -> (SocketAddr, String, String) {
    let gateway = gateway([("a", &Fake::with_tools(&["t"]))]);
    for _ in 2..MAX_SESSIONS {
        gateway.open_session();
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    tokio::spawn(async move {
        let stop = std::future::pending();
        http::serve_with(&gateway, listener, "secret", false, idle, stop).await
    });
    let (status, first) = post(address, None, HELLO).await;
    assert_eq!(status, 200);
    let (status, second) = post(address, None, HELLO).await;
    assert_eq!(status, 200);
    (
        address,
        first.expect("it has a session"),
        second.expect("it has a session"),
    )
}

#[tokio::test]
async fn the_session_idle_longest_goes_for_a_newcomer() {
    let idle = Duration::from_millis(300);
    let (address, first, second) = full(idle).await;
    tokio::time::sleep(idle).await;
    // The first one says something, so the second has been idle longest.
    assert_eq!(post(address, Some(&first), PING).await.0, 200);
    let (status, third) = post(address, None, HELLO).await;
    assert_eq!(status, 200);
    assert_eq!(post(address, Some(&second), PING).await.0, 404);
    for session in [Some(first), third] {
        assert_eq!(post(address, session.as_deref(), PING).await.0, 200);
    }
}

#[tokio::test]
async fn nobody_goes_who_was_heard_of_lately() {
    let (address, first, second) = full(Duration::from_secs(3600)).await;
    assert_eq!(post(address, None, HELLO).await.0, 503);
    for session in [first, second] {
        assert_eq!(post(address, Some(&session), PING).await.0, 200);
    }
}
