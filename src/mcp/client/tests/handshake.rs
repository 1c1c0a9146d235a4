//! Servers that answer line by line: old ones, mute ones, and those that say too much or close.

use std::sync::Mutex;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::*;
use crate::mcp::entry::Wanted;

/// A server that is a list of lines: for each line that it reads, in order, what it writes, `ID` being the id that was
/// asked with. At the end it stays silent and open.
async fn scripted(stream: DuplexStream, answers: Vec<String>) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    let mut answers = answers.into_iter();
    while let Ok(Some(line)) = lines.next_line().await {
        let asked: serde_json::Value = serde_json::from_str(&line).expect("the client writes JSON");
        let Some(id) = asked.get("id") else { continue };
        let Some(answer) = answers.next() else { continue };
        let answer = answer.replace("ID", &id.to_string());
        if write.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn reach_script(limits: &Limits, answers: &[&str]) -> Result<Connection, ServerError> {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(scripted(
        theirs,
        answers.iter().map(|answer| (*answer).to_owned()).collect(),
    ));
    let (read, write) = tokio::io::split(ours);
    connect_streams(read, write, limits, Plain).await
}

#[test]
fn an_old_server_is_spoken_to_as_it_wants() {
    block_on(async {
        let tools = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":null},7]}}\n";
        let connection = reach_script(&Limits::default(), &[LEGACY, HELLO, tools])
            .await
            .expect("it is there");
        assert_eq!(connection.protocol_version(), "2024-11-05");
        let offer = connection.lists(&[Wanted::Tools]).await.expect("it lists");
        // What the SDK cannot read is kept for the catalogue, which says what is wrong with it.
        assert_eq!(offer.tools.len(), 2);
        connection.close().await;
    });
}

#[test]
fn a_mute_server_costs_no_more_than_the_time_for_starting() {
    block_on_paused(async {
        let start = Instant::now();
        let error = reach_script(&short(), &[]).await.err().expect("nobody answers");
        assert_eq!(error.kind, FailureKind::Timeout);
        assert_eq!(error.message, "no answer to the handshake within 400ms");
        assert!(
            start.elapsed() < Duration::from_millis(500),
            "{:?}",
            start.elapsed()
        );
    });
}

#[test]
fn a_cursor_that_comes_again_ends_the_list() {
    block_on(async {
        let page = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[],\"nextCursor\":\"a\"}}\n";
        let connection = reach_script(&Limits::default(), &[LEGACY, HELLO, page, page, page])
            .await
            .expect("it is there");
        let error = connection
            .lists(&[Wanted::Tools])
            .await
            .expect_err("it has no end");
        assert_eq!(error.kind, FailureKind::Protocol);
        assert_eq!(
            error.message,
            "the pages of its tools have no end: one leads back to another"
        );
    });
}

#[test]
fn a_message_that_is_too_large_ends_the_connection_and_is_told() {
    block_on(async {
        let limits = Limits {
            max_message_bytes: 2048,
            ..Limits::default()
        };
        let large = format!("{}\n", "x".repeat(2049));
        let connection = reach_script(&limits, &[LEGACY, HELLO, &large])
            .await
            .expect("it is there");
        let error = connection
            .lists(&[Wanted::Tools])
            .await
            .expect_err("it is too large");
        assert_eq!(error.kind, FailureKind::TooMuch);
        assert_eq!(error.message, "it sent a message of more than 2048 bytes");
        assert!(connection.is_closed());
    });
}

#[test]
fn a_message_of_just_the_limit_is_read_and_lines_that_are_no_json_are_skipped() {
    block_on(async {
        let limits = Limits {
            max_message_bytes: 2048,
            ..Limits::default()
        };
        let tools = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[]}}";
        let noise = "x".repeat(2048);
        let answer = format!("{noise}\nhello?\n\n\u{1b}[31m{{]\n{tools}\n");
        let connection = reach_script(&limits, &[LEGACY, HELLO, &answer])
            .await
            .expect("it is there");
        assert_eq!(
            connection
                .lists(&[Wanted::Tools])
                .await
                .map(|offer| offer.tools.len()),
            Ok(0)
        );
    });
}

#[test]
fn a_server_that_never_stops_talking_is_left() {
    block_on(async {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let line = format!("{}\n", "y".repeat(65_535));
            while theirs.write_all(line.as_bytes()).await.is_ok() {}
        });
        let (read, write) = tokio::io::split(ours);
        let limits = Limits {
            start_timeout: Duration::from_secs(300),
            ..Limits::default()
        };
        let error = connect_streams(read, write, &limits, Plain)
            .await
            .err()
            .expect("it only talks");
        assert_eq!(error.kind, FailureKind::TooMuch, "{error}");
        assert_eq!(error.message, "it sent more than 67108864 bytes without an end");
    });
}

#[test]
fn a_server_that_closes_says_so() {
    block_on(async {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let mut first = [0; 16];
            let _ = theirs.read(&mut first).await;
        });
        let (read, write) = tokio::io::split(ours);
        let error = connect_streams(read, write, &Limits::default(), Plain)
            .await
            .err()
            .expect("it closed");
        assert_eq!(error.kind, FailureKind::Network);
    });
}

/// A server that is still being downloaded when the SDK gives up its first question, and then answers both.
#[test]
fn a_late_answer_does_not_spoil_the_handshake() {
    /// A transport that hands out what it is given and remembers what was sent.
    struct Slow {
        sent: Arc<Mutex<Vec<serde_json::Value>>>,
    }

    impl Transport<RoleClient> for Slow {
        type Error = std::io::Error;

        fn send(
            &mut self,
            item: rmcp::service::TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            let value = serde_json::to_value(&item).expect("a message is JSON");
            self.sent.lock().expect("not poisoned").push(value);
            async { Ok(()) }
        }

        async fn receive(&mut self) -> Option<rmcp::service::RxJsonRpcMessage<RoleClient>> {
            loop {
                {
                    let mut sent = self.sent.lock().expect("not poisoned");
                    let asks_old = sent.iter().any(|message| message["method"] == "initialize");
                    let next = sent.iter().position(|message| message.get("id").is_some());
                    if let (true, Some(next)) = (asks_old, next) {
                        let asked = sent.remove(next);
                        sent.push(serde_json::json!({"method": "initialize"}));
                        let answer = match asked["method"].as_str() {
                            Some("initialize") => HELLO,
                            _ => LEGACY,
                        };
                        let answer = answer.replace("ID", &asked["id"].to_string());
                        return serde_json::from_str(&answer).ok();
                    }
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let deadline = Instant::now() + Duration::from_secs(30);
        let reach = |patient: bool| async move {
            let slow = Slow { sent: Arc::default() };
            if patient {
                shake_hands(
                    Patient::new(slow, Arc::default(), Arc::new(Gauge::new())),
                    Plain,
                    Modes::either(),
                    deadline,
                )
                .await
                .map(drop)
            } else {
                shake_hands(slow, Plain, Modes::either(), deadline)
                    .await
                    .map(drop)
            }
        };
        assert_eq!(reach(true).await, Ok(()));
        // As long as this fails, the wrapper is needed.
        assert!(
            reach(false).await.is_err(),
            "the SDK has learnt to wait: drop `Patient`"
        );
    });
}
