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

/// The same, in a time of its own that goes on only while nothing is left to do: for servers in memory that are waited for.
fn block_on_paused<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(work)
}

/// For tests in which the time runs out, and in no others: what is answered may take longer on a busy machine.
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

/// Why a server cannot be reached, which is not that the time runs out.
async fn failure(plan: &LaunchPlan) -> ServerError {
    let limits = Limits {
        start_timeout: Duration::from_secs(120),
        ..Limits::default()
    };
    connect(plan, &limits, Plain)
        .await
        .err()
        .expect("it cannot be reached")
}
