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
    /// Those of connections, which end with them and not because others are many.
    held: HashMap<String, DiscoveryRegistry>,
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
            held: HashMap::new(),
        }
    }

    /// Begins a session that is kept until it is closed, however many others there are. It does not count against the
    /// limit; the caller bounds how many there are.
    pub fn hold(&mut self, handle: &str) {
        let rules = &self.rules;
        self.held
            .entry(handle.to_owned())
            .or_insert_with(|| DiscoveryRegistry::new(Arc::clone(rules)));
    }

    /// The session of a handle, if there is one.
    pub fn existing(&mut self, handle: &str) -> Option<&mut DiscoveryRegistry> {
        match self.held.get_mut(handle) {
            Some(held) => Some(held),
            None => self.by_handle.get_mut(handle).map(|(_, session)| session),
        }
    }

    /// The session of a handle; a new handle begins with nothing reached.
    pub fn session(&mut self, handle: &str) -> &mut DiscoveryRegistry {
        let rules = Arc::clone(&self.rules);
        if self.held.contains_key(handle) {
            // It is there, so this makes none.
            return self
                .held
                .entry(handle.to_owned())
                .or_insert_with(|| DiscoveryRegistry::new(rules));
        }
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
        let entry = self
            .by_handle
            .entry(handle.to_owned())
            .or_insert_with(|| (clock, DiscoveryRegistry::new(rules)));
        entry.0 = clock;
        &mut entry.1
    }

    /// Whether there is a session of this handle that was handed out. One that is held is its connection's alone: nobody
    /// else can name it.
    #[must_use]
    pub fn contains(&self, handle: &str) -> bool {
        self.by_handle.contains_key(handle) && !self.held.contains_key(handle)
    }

    /// Forgets a session. Says whether there was one.
    pub fn close(&mut self, handle: &str) -> bool {
        let was_held = self.held.remove(handle).is_some();
        self.by_handle.remove(handle).is_some() || was_held
    }

    /// How many sessions are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_handle.len() + self.held.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    fn what_is_held_stays_however_many_others_there_are_and_cannot_be_named() {
        let mut sessions = Sessions::with_limit(Arc::new(Rules::default()), 2);
        sessions.hold("connection");
        sessions.session("connection").set_active_domain(Some("x"));
        for other in ["a", "b", "c", "d"] {
            sessions.session(other);
        }
        assert_eq!(sessions.len(), 3);
        assert_eq!(
            sessions.session("connection").stages().get_active_domain(),
            Some("x")
        );
        assert!(!sessions.contains("connection"));
        assert!(sessions.contains("d"));
        assert!(sessions.close("connection"));
        assert!(sessions.existing("connection").is_none());
        assert!(sessions.existing("d").is_some());
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
