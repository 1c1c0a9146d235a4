//! Servers over streams in memory, and what is told of those that cannot be reached.

mod handshake;
mod lists;
mod network;
#[cfg(unix)]
mod process;

use super::*;

/// Runs a test in a runtime like that of the command line.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

fn short() -> Limits {
    Limits {
        start_timeout: Duration::from_millis(400),
        request_timeout: Duration::from_millis(400),
        ..Limits::default()
    }
}

const LEGACY: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}\n";
const HELLO: &str = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":\
    {\"tools\":{},\"resources\":{}},\"serverInfo\":{\"name\":\"old\",\"version\":\"1\"}}}\n";

async fn failure(plan: &LaunchPlan) -> ServerError {
    connect(
        plan,
        &Limits {
            start_timeout: Duration::from_secs(5),
            ..Limits::default()
        },
        Plain,
    )
    .await
    .err()
    .expect("it cannot be reached")
}
