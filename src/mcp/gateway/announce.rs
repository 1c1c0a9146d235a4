//! Telling clients that their list is another: once for a change, however many tools it is about.

use std::time::Duration;

use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::time::sleep;

use super::seat::Seat;

/// Tells a client of 2025-11-25 or older, until it has gone.
pub(super) async fn to_legacy(seat: Seat, peer: Peer<RoleServer>) {
    let mut views = seat.gateway.0.view.subscribe();
    let debounce = seat.gateway.0.pool.limits().list_changed_debounce;
    let mut told = seat.fingerprint(false);
    loop {
        let expiry = seat.next_expiry();
        tokio::select! {
            changed = views.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            () = seat.state.changed.notified() => {}
            // A tool whose lease runs out is listed no more.
            () = until(expiry) => {}
        }
        sleep(debounce).await;
        views.mark_unchanged();
        let now = seat.fingerprint(false);
        if now != told {
            told = now;
            if peer.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }
}

/// Sleeps that long; for ever without a time.
async fn until(time: Option<Duration>) {
    match time {
        // The timer counts in milliseconds.
        Some(time) => sleep(time + Duration::from_millis(1)).await,
        None => std::future::pending().await,
    }
}

/// Tells a client of 2026-07-28 or newer that subscribed, until it does not want to know any more. The list is the same
/// for all of them, so only what all servers offer changes it.
pub(super) async fn to_subscriber(seat: &Seat, subscription: &SubscriptionContext) {
    let mut views = seat.gateway.0.view.subscribe();
    let debounce = seat.gateway.0.pool.limits().list_changed_debounce;
    let mut told = seat.fingerprint(true);
    loop {
        tokio::select! {
            () = subscription.cancelled() => return,
            changed = views.changed() => {
                if changed.is_err() {
                    return;
                }
            }
        }
        sleep(debounce).await;
        views.mark_unchanged();
        let now = seat.fingerprint(true);
        if now != told {
            told = now;
            if subscription.sink().notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }
}
