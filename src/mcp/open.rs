//! The requests of the other side that are open: received, and not answered yet.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// The requests of the other side that are open. Clones are of the same.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenRequests {
    ids: Arc<Mutex<HashSet<RequestId>>>,
    fewer: Arc<Notify>,
}

impl OpenRequests {
    /// A request came.
    pub(super) fn begin(&self, id: RequestId) {
        self.with(|ids| ids.insert(id));
    }

    /// A request was answered, or is not to be answered any more.
    pub(super) fn end(&self, id: &RequestId) {
        if self.with(|ids| ids.remove(id)) {
            self.fewer.notify_waiters();
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.with(|ids| ids.len())
    }

    /// Waits until there are fewer than this. May be dropped at any time.
    pub(super) async fn fewer_than(&self, most: usize) {
        loop {
            let fewer = self.fewer.notified();
            let mut fewer = std::pin::pin!(fewer);
            // From here on nothing is missed.
            fewer.as_mut().enable();
            if self.count() < most {
                return;
            }
            fewer.await;
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashSet<RequestId>) -> T) -> T {
        work(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
