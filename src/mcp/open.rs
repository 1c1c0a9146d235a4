//! The requests of the other side that are open: received, and not answered yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// The requests of the other side that are open. Clones are of the same.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenRequests {
    /// How many have each id: of two that have the same, both are open.
    ids: Arc<Mutex<HashMap<RequestId, usize>>>,
    fewer: Arc<Notify>,
}

impl OpenRequests {
    /// A request came.
    pub(super) fn begin(&self, id: RequestId) {
        self.with(|ids| *ids.entry(id).or_default() += 1);
    }

    /// A request was answered, or is not to be answered any more.
    pub(super) fn end(&self, id: &RequestId) {
        let is_one = self.with(|ids| match ids.get_mut(id) {
            Some(count) if *count > 1 => {
                *count -= 1;
                true
            }
            Some(_) => ids.remove(id).is_some(),
            None => false,
        });
        if is_one {
            self.fewer.notify_waiters();
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.with(|ids| ids.values().sum())
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

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<RequestId, usize>) -> T) -> T {
        work(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_one_id_are_all_open() {
        let open = OpenRequests::default();
        let id = RequestId::Number(1);
        for _ in 0..3 {
            open.begin(id.clone());
        }
        open.begin(RequestId::Number(2));
        assert_eq!(open.count(), 4);
        for left in [3, 2, 1, 1] {
            open.end(&id);
            assert_eq!(open.count(), left);
        }
    }
}
