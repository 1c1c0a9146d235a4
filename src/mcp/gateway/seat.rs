//! What is kept of a client, and what is listed for it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
use rmcp::model::LoggingLevel;
use serde_json::{Value, json};
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
pub(super) struct Seat {
    pub(super) gateway: Gateway,
    pub(super) state: Arc<State>,
}

/// A definition in the form of the client's revision: before 2026-07-28 what a tool puts out is an object.
fn of_revision(mut definition: Value, is_modern: bool) -> Value {
    let is_object = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "object");
    if !is_modern
        && let Some(definition) = definition.as_object_mut()
        && definition
            .get("outputSchema")
            .is_some_and(|schema| !is_object(schema))
    {
        definition.remove("outputSchema");
    }
    definition
}

impl Seat {
    /// What is listed for this client now, by name: what it found and what was unlocked for it, where its revision allows
    /// that lists differ. Definitions of servers are as these wrote them.
    pub(super) fn listed(&self, is_modern: bool) -> Vec<Value> {
        let gateway = &self.gateway;
        let view = gateway.view();
        let has_rules = !gateway.0.governed.is_empty();
        let own = own_tools(view.gates, has_rules, is_modern && has_rules);
        let mut tools: Vec<Value> = own.iter().map(|tool| json!(tool)).collect();
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
                let definition = view.definition(tool, description.as_deref());
                tools.extend(definition.map(|definition| of_revision(definition, is_modern)));
            }
        }
        let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
        tools.sort_by_cached_key(name);
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
            tool.to_string().hash(&mut hasher);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_has_the_form_of_the_clients_revision() {
        for (schema, is_kept) in [
            (json!({"type": "object", "later": 1}), true),
            (json!({"type": "array"}), false),
            (json!({"oneOf": []}), false),
        ] {
            let definition = json!({"name": "a", "outputSchema": schema, "later": 1});
            assert_eq!(of_revision(definition.clone(), true), definition);
            let old = of_revision(definition.clone(), false);
            assert_eq!(old.get("outputSchema").is_some(), is_kept, "{old}");
            assert_eq!(old["later"], 1);
        }
    }
}
