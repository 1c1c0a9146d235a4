//! What is kept of a client, and what is listed for it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
use rmcp::model::LoggingLevel;
use rmcp::model::Tool;
use tokio::sync::{Notify, Semaphore};
use tokio::task::AbortHandle;

use super::Gateway;
use super::session::Transport;
use super::surface::own_tools;
use crate::tools::{Promotions, Tier};

/// How many calls of one client may be under way. A client that floods is told to wait.
pub(super) const CALLS: usize = 256;

/// What is kept of a client.
pub(super) struct State {
    pub(super) id: u64,
    pub(super) transport: Transport,
    /// The session of disclosure that is its own.
    pub(super) handle: String,
    promotions: Mutex<Promotions>,
    /// Something was found or unlocked.
    pub(super) changed: Notify,
    #[expect(deprecated, reason = "clients of older revisions set a level of logging")]
    level: Mutex<Option<LoggingLevel>>,
    pub(super) calls: Semaphore,
    pub(super) announcer: OnceLock<AbortHandle>,
}

impl State {
    pub(super) fn new(id: u64, handle: String, transport: Transport) -> Self {
        Self {
            id,
            transport,
            handle,
            promotions: Mutex::default(),
            changed: Notify::new(),
            level: Mutex::new(None),
            calls: Semaphore::new(CALLS),
            announcer: OnceLock::new(),
        }
    }

    /// Has the list looked at, and a change announced.
    pub(super) fn list_may_have_changed(&self) {
        self.changed.notify_one();
    }

    pub(super) fn promotions<T>(&self, work: impl FnOnce(&mut Promotions) -> T) -> T {
        work(&mut self.promotions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[expect(deprecated, reason = "clients of older revisions set a level of logging")]
    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(deprecated, reason = "clients of older revisions set a level of logging")]
    pub(super) fn set_level(&self, level: LoggingLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }
}

/// A client, as what goes on in the background sees it.
#[derive(Clone)]
pub struct Seat {
    pub(super) gateway: Gateway,
    pub(super) state: Arc<State>,
}

impl Seat {
    /// What is listed for this client now: what it found and what was unlocked for it, where its revision allows that
    /// lists differ.
    pub(super) fn listed(&self, is_modern: bool) -> Vec<Tool> {
        let gateway = &self.gateway;
        let view = gateway.view();
        let has_rules = !gateway.0.governed.is_empty();
        let mut tools = own_tools(view.gates, has_rules, is_modern && has_rules);
        for tool in &view.catalogue.tools {
            let is_governed = gateway.governs(&tool.name);
            let is_listed = if is_modern {
                // The list must be the same for every connection, so what rules speak of is not in it.
                !is_governed && gateway.0.tiers.of(tool) == Tier::Core
            } else {
                let tier = self
                    .state
                    .promotions(|promotions| promotions.tier(&gateway.0.tiers, tool));
                let is_wanted = tier == Tier::Core
                    || is_governed
                        && gateway
                            .handles(|handles| handles.session(&self.state.handle).is_discovered(&tool.name));
                is_wanted && gateway.is_visible(&view, &self.state.handle, &tool.name)
            };
            if is_listed {
                let description = (!is_modern && is_governed)
                    .then(|| gateway.description(&view, &self.state.handle, tool))
                    .flatten();
                tools.extend(view.definition(tool, description.as_deref()));
            }
        }
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools
    }

    /// How long it is until something that was unlocked for this client hides again.
    pub(super) fn next_expiry(&self) -> Option<Duration> {
        if self.gateway.0.governed.is_empty() {
            return None;
        }
        let now = self.gateway.now();
        self.gateway
            .handles(|handles| handles.session(&self.state.handle).next_expiry(now))
    }

    /// A number that is another when the list is another.
    pub(super) fn fingerprint(&self, is_modern: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        for tool in self.listed(is_modern) {
            serde_json::to_string(&tool).unwrap_or_default().hash(&mut hasher);
        }
        hasher.finish()
    }
}
