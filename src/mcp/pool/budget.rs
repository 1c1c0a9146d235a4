//! How much of what servers say may wait in memory for clients that do not take it yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// What one connection may have waiting, in bytes. A client whose call is held hears nothing for minutes.
const MOST: usize = 16 * 1024 * 1024;

/// What waits of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget(Arc<AtomicUsize>);

/// Something that waits; dropped, there is room for something else.
#[derive(Debug)]
pub(in crate::mcp) struct Waiting {
    budget: Budget,
    bytes: usize,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.budget.0.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

impl Budget {
    /// Room for something to wait, if there is; where nothing else waits there always is.
    pub(super) fn take(&self, message: &serde_json::Map<String, Value>) -> Option<Waiting> {
        let bytes = message.iter().map(|(key, value)| key.len() + size(value)).sum();
        let more = |before: usize| {
            let after = before.checked_add(bytes)?;
            (before == 0 || after <= MOST).then_some(after)
        };
        let taken = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        taken.ok().map(|_| Waiting {
            budget: self.clone(),
            bytes,
        })
    }
}

/// About how many bytes a value has in memory. It is no deeper than what can be read.
fn size(value: &Value) -> usize {
    let within = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + size(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    within.saturating_add(size_of::<Value>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn so_much_waits_and_no_more() {
        let budget = Budget::default();
        let message = |bytes: usize| json!({"data": ["x".repeat(bytes)]}).as_object().unwrap().clone();
        // One that is larger than all of it may wait alone.
        let large = budget.take(&message(MOST + 1)).unwrap();
        assert!(budget.take(&message(1)).is_none());
        drop(large);
        let waiting: Vec<Waiting> = (0..100).map_while(|_| budget.take(&message(MOST / 4))).collect();
        assert_eq!(waiting.len(), 3);
        assert!(budget.take(&message(1)).is_some());
        drop(waiting);
        assert_eq!(budget.0.load(Ordering::Acquire), 0);
    }
}
