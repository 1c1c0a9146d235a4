//! Sessions by handle: what one unlocks, no other sees.

use std::collections::HashMap;
use std::sync::Arc;

use super::{DiscoveryRegistry, Rules};

/// The most sessions that are kept; beyond, the one that was not used for longest is dropped.
pub const MAX_SESSIONS: usize = 1024;

/// The registries of all sessions, by handle.
#[derive(Debug)]
pub struct Sessions {
    rules: Arc<Rules>,
    limit: usize,
    clock: u64,
    by_handle: HashMap<String, (u64, DiscoveryRegistry)>,
}

impl Sessions {
    /// No sessions yet.
    #[must_use]
    pub fn new(rules: Arc<Rules>) -> Self {
        Self::with_limit(rules, MAX_SESSIONS)
    }

    /// No sessions yet, and never more than `limit` (at least one).
    #[must_use]
    pub fn with_limit(rules: Arc<Rules>, limit: usize) -> Self {
        Self {
            rules,
            limit: limit.max(1),
            clock: 0,
            by_handle: HashMap::new(),
        }
    }

    /// The session of a handle; a new handle begins with nothing reached.
    pub fn session(&mut self, handle: &str) -> &mut DiscoveryRegistry {
        self.clock += 1;
        if !self.by_handle.contains_key(handle) && self.by_handle.len() >= self.limit {
            let oldest = self
                .by_handle
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(handle, _)| handle.clone());
            if let Some(oldest) = oldest {
                self.by_handle.remove(&oldest);
            }
        }
        let clock = self.clock;
        let rules = &self.rules;
        let entry = self
            .by_handle
            .entry(handle.to_owned())
            .or_insert_with(|| (clock, DiscoveryRegistry::new(Arc::clone(rules))));
        entry.0 = clock;
        &mut entry.1
    }

    /// Whether there is a session of this handle.
    #[must_use]
    pub fn contains(&self, handle: &str) -> bool {
        self.by_handle.contains_key(handle)
    }

    /// Forgets a session. Says whether there was one.
    pub fn close(&mut self, handle: &str) -> bool {
        self.by_handle.remove(handle).is_some()
    }

    /// How many sessions are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_handle.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_handle.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_bounded_and_the_least_used_goes_first() {
        let mut sessions = Sessions::with_limit(Arc::new(Rules::default()), 2);
        sessions.session("a").set_active_domain(Some("x"));
        sessions.session("b").set_active_domain(Some("y"));
        assert_eq!(sessions.session("a").stages().get_active_domain(), Some("x"));
        sessions.session("c");
        assert_eq!(sessions.len(), 2);
        assert_eq!(
            sessions.session("b").stages().get_active_domain(),
            None,
            "dropped, so it begins anew"
        );
    }

    #[test]
    fn a_closed_session_is_forgotten() {
        let mut sessions = Sessions::new(Arc::new(Rules::default()));
        sessions.session("a").set_active_domain(Some("x"));
        assert!(sessions.close("a"));
        assert!(!sessions.close("a"));
        assert_eq!(sessions.session("a").stages().get_active_domain(), None);
    }
}
