//! The runtime that asking needs, and no other command starts.

use std::time::Duration;

use crate::cli::failure::Failure;
#[cfg(unix)]
use crate::cli::interrupt::is_hang_up_ignored;

/// How long is waited for work that cannot be stopped, such as looking up a name.
const LAST: Duration = Duration::from_secs(1);

/// Does asynchronous work to its end, or to the signal that ends this process. Whatever the work started is ended in
/// either case.
pub(in crate::cli) fn run<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = runtime.block_on(async {
        let stop = stop()?;
        tokio::select! {
            biased;
            signal = stop => Err(Failure::stopped(signal)),
            done = work => Ok(done),
        }
    });
    // Drops the tasks, and with them the servers.
    runtime.shutdown_timeout(LAST);
    done
}

/// The number of the signal that wants this process to end. Listens from when it is called.
#[cfg(unix)]
fn stop() -> std::io::Result<impl Future<Output = u8>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // Who starts us with `nohup` wants us to go on, and a handler would take that back.
    let mut hang_up = match is_hang_up_ignored() {
        true => None,
        false => Some(signal(SignalKind::hangup())?),
    };
    // A terminal sends it to us and not to the servers, which have groups of their own.
    let mut quit = signal(SignalKind::quit())?;
    Ok(async move {
        let kind = tokio::select! {
            _ = interrupt.recv() => SignalKind::interrupt(),
            _ = terminate.recv() => SignalKind::terminate(),
            true = hangs_up(hang_up.as_mut()) => SignalKind::hangup(),
            _ = quit.recv() => SignalKind::quit(),
        };
        u8::try_from(kind.as_raw_value()).unwrap_or_default()
    })
}

/// Waits for it; without a handler for ever.
#[cfg(unix)]
async fn hangs_up(hang_up: Option<&mut tokio::signal::unix::Signal>) -> bool {
    match hang_up {
        Some(hang_up) => hang_up.recv().await.is_some(),
        None => std::future::pending().await,
    }
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere listening can fail")]
fn stop() -> std::io::Result<impl Future<Output = u8>> {
    Ok(async {
        // Without a handler there is nothing to wait for, and the system ends the process itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    })
}
