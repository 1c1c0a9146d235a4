//! Asking servers for the first time what they offer, and again those that failed: a server that was down when the
//! gateway was started can be found once it is up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::timeout;

use super::Gateway;
use crate::mcp::client::{FailureKind, ServerError};
use crate::mcp::pool::Owner;
use crate::tools::qualified_name;

/// How long a search waits for servers whose tools nobody has seen yet, after the gateway was started.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// How long it waits for those that failed before and are asked again: what is broken for good must not slow down
/// every search.
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// How many characters of a server's name a qualified name keeps at least, however long it is.
const KEPT: usize = 55;

/// The servers of which nothing is known yet: being asked for the first time, or failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unknown {
    /// Being asked for the first time.
    pub(super) pending: BTreeSet<String>,
    /// Failed, and being asked again.
    pub(super) again: BTreeSet<String>,
    /// Why they could not be asked.
    pub(super) failed: BTreeMap<String, ServerError>,
}

impl Unknown {
    fn is_asking(&self, server: &str) -> bool {
        self.pending.contains(server) || self.again.contains(server)
    }
}

impl Gateway {
    /// Asks the servers of which nothing is known, once, as this client would use them.
    pub(super) fn look_first(&self, owner: &Owner) {
        if self.0.has_looked.swap(true, Ordering::AcqRel) {
            return;
        }
        let pending = self.0.unknown.borrow().pending.clone();
        for server in pending {
            tokio::spawn(self.clone().look_at(server, owner.clone()));
        }
    }

    /// Asks servers again that could not be asked before, but for those that are to be left alone for a while.
    fn look_again(&self, owner: &Owner, is_wanted: impl Fn(&str) -> bool) {
        let mut failed: Vec<String> = {
            let unknown = self.0.unknown.borrow();
            let names = unknown.failed.keys();
            names.filter(|server| is_wanted(server)).cloned().collect()
        };
        failed.retain(|server| self.0.pool.may_start(server, owner));
        for server in failed {
            let is_new = self.0.unknown.send_if_modified(|unknown| {
                !unknown.is_asking(&server) && unknown.again.insert(server.clone())
            });
            if is_new {
                tokio::spawn(self.clone().look_at(server, owner.clone()));
            }
        }
    }

    /// Starts a server and waits until it has told what it offers.
    async fn look_at(self, server: String, owner: Owner) {
        let mut changes = self.0.registry.subscribe();
        let longest = self.0.pool.limits().request_timeout;
        let failure = match self.0.pool.get(&server, &owner).await {
            Err(error) => Some(error),
            Ok(_in_use) => {
                let listed = async {
                    while !self.0.registry.is_known(&server)
                        && self.0.unknown.borrow().is_asking(&server)
                        && changes.changed().await.is_ok()
                    {}
                };
                let is_late = timeout(longest, listed).await.is_err();
                is_late
                    .then(|| ServerError::new(FailureKind::Timeout, "it did not tell what it offers in time"))
            }
        };
        self.0.unknown.send_modify(|unknown| {
            unknown.pending.remove(&server);
            unknown.again.remove(&server);
            if let Some(error) = failure {
                unknown.failed.insert(server, error);
            }
        });
    }

    /// Waits until every server was asked once and what it said can be found, or for some seconds: a server that is
    /// slow to start does not keep the others from being found.
    pub(super) async fn first_look_is_over(&self, owner: &Owner) {
        self.look_again(owner, |_| true);
        let mut unknown = self.0.unknown.subscribe();
        let wait = async {
            let _ = unknown.wait_for(|unknown| unknown.pending.is_empty()).await;
        };
        let _ = timeout(FIRST_LOOK, wait).await;
        let wait = unknown.wait_for(|unknown| unknown.again.is_empty());
        let _ = timeout(SECOND_LOOK, wait).await;
        self.view_is_current().await;
    }

    /// Whether every server was asked once, and what they said can be found.
    pub(super) fn is_settled(&self) -> bool {
        self.0.unknown.borrow().pending.is_empty()
            && self.0.view.borrow().version >= self.0.registry.version()
    }

    /// Waits until what servers have said can be found.
    async fn view_is_current(&self) {
        let mut views = self.0.view.subscribe();
        let current = views.wait_for(|view| view.version >= self.0.registry.version());
        let _ = timeout(FIRST_LOOK, current).await;
    }

    /// Waits for the look at the server that the name of a tool speaks of, where it does and nothing is known of it.
    pub(super) async fn first_look_for(&self, name: &str, owner: &Owner) {
        if self.view().tool(name).is_some() {
            return;
        }
        let is_tool = |server: &str| is_tool_of(name, server);
        let may_be = |server: &str| self.0.policy.allows_tool_named(name, server);
        self.first_look_where(owner, is_tool, may_be).await;
    }

    /// The same for the qualified name of a resource.
    pub(super) async fn first_look_for_resource(&self, name: &str, owner: &Owner) {
        if self.view().resource(name).is_some() {
            return;
        }
        let is_its = |server: &str| own_name(name, server).is_some();
        let may_be = |server: &str| {
            own_name(name, server).is_some_and(|uri| self.0.policy.allows_resource(server, uri))
        };
        self.first_look_where(owner, is_its, may_be).await;
    }

    /// The same for the qualified name of a prompt.
    pub(super) async fn first_look_for_prompt(&self, name: &str, owner: &Owner) {
        if self.view().prompt(name).is_some() {
            return;
        }
        let is_its = |server: &str| own_name(name, server).is_some();
        self.first_look_where(owner, is_its, |_| self.0.policy.allows(name))
            .await;
    }

    /// `may_be` says whether it could be had of a server at all: what is denied starts nothing.
    async fn first_look_where(
        &self,
        owner: &Owner,
        is_meant: impl Fn(&str) -> bool,
        may_be: impl Fn(&str) -> bool,
    ) {
        self.look_again(owner, |server| is_meant(server) && may_be(server));
        let mut unknown = self.0.unknown.subscribe();
        let is_over = |unknown: &Unknown| {
            let asked = unknown.pending.iter().chain(&unknown.again);
            asked.into_iter().all(|server| !is_meant(server))
        };
        let over = unknown.wait_for(is_over);
        let _ = timeout(self.0.pool.limits().start_timeout, over).await;
        self.view_is_current().await;
    }

    /// Why nothing is known of the server that the name of a tool speaks of.
    pub(super) fn why_away(&self, name: &str) -> Option<String> {
        let policy = &self.0.policy;
        self.why_away_where(|server| is_tool_of(name, server) && policy.allows_tool_named(name, server))
    }

    /// Why nothing is known of the server that the qualified name of a resource or a prompt speaks of.
    pub(super) fn why_away_qualified(&self, name: &str) -> Option<String> {
        self.why_away_where(|server| own_name(name, server).is_some())
    }

    fn why_away_where(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let unknown = self.0.unknown.borrow();
        if let Some((server, error)) = unknown.failed.iter().find(|(server, _)| is_meant(server)) {
            return Some(super::reply::server_failure(server, error));
        }
        if let Some(server) = unknown.pending.iter().find(|server| is_meant(server)) {
            return Some(format!(
                "the server `{server}` is still being started: call again"
            ));
        }
        let (server, why) = self.0.absent.iter().find(|(server, _)| is_meant(server))?;
        Some(format!("the server `{server}` is not behind this gateway: {why}"))
    }

    /// What an agent should know that looks for something: of which servers nothing can be found.
    pub(super) fn note(&self, is_behind: bool) -> Option<String> {
        note(&self.0.unknown.borrow(), is_behind)
    }

    /// What is configured and not behind the gateway; for an agent that found nothing.
    pub(super) fn absent(&self) -> Option<String> {
        const SHOWN: usize = 5;
        let absent = self.0.absent.iter().take(SHOWN);
        let mut told: Vec<String> = absent.map(|(server, why)| format!("{server} ({why})")).collect();
        if self.0.absent.len() > SHOWN {
            told.push(format!("{} more", self.0.absent.len() - SHOWN));
        }
        (!told.is_empty()).then(|| format!("not behind this gateway: {}", told.join(", ")))
    }
}

/// Of which servers nothing can be found, and whether what they listed just now is not searched yet.
fn note(unknown: &Unknown, is_behind: bool) -> Option<String> {
    const SHOWN: usize = 5;
    let mut notes = Vec::new();
    if is_behind {
        notes.push("what servers listed just now is not searched yet: search again".to_owned());
    }
    if !unknown.pending.is_empty() {
        let names: Vec<&str> = unknown.pending.iter().map(String::as_str).collect();
        notes.push(format!(
            "still being started, so not searched: {}",
            names.join(", ")
        ));
    }
    for (server, error) in unknown.failed.iter().take(SHOWN) {
        let last = error
            .stderr
            .last()
            .map(|line| format!("; its last words: {line}"))
            .unwrap_or_default();
        notes.push(format!("not searched: {server} ({}{last})", error.message));
    }
    if unknown.failed.len() > SHOWN {
        let more = unknown.failed.len() - SHOWN;
        notes.push(format!("nor {more} more, which failed too"));
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Whether a qualified name is one of a server's tools. Of a long name only its beginning stays.
fn is_tool_of(name: &str, server: &str) -> bool {
    let prefix = qualified_name(server, "");
    let prefix = prefix.get(..prefix.len().min(KEPT)).unwrap_or(&prefix);
    name.starts_with(prefix)
}

/// What a server itself calls what has this qualified name, if it is its own.
fn own_name<'a>(name: &'a str, server: &str) -> Option<&'a str> {
    name.strip_prefix(server)?.strip_prefix(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_searched_is_counted_to_the_end() {
        let mut unknown = Unknown::default();
        assert_eq!(note(&unknown, false), None);
        let behind = note(&unknown, true).unwrap();
        assert!(behind.contains("search again"), "{behind}");
        for nth in 0..7 {
            let error = ServerError::new(FailureKind::Exited, "it ended");
            unknown.failed.insert(nth.to_string(), error);
        }
        let note = note(&unknown, false).unwrap();
        assert!(
            note.starts_with("not searched: 0 (it ended); not searched: 1 (it ended)"),
            "{note}"
        );
        assert!(note.ends_with("; nor 2 more, which failed too"), "{note}");
    }

    #[test]
    fn a_name_speaks_of_the_server_that_it_begins_with() {
        let long = "s".repeat(80);
        for (name, server, is_of) in [
            ("a__b", "a", true),
            ("ab__c", "a", false),
            ("a_b__c", "a b", true),
            ("a", "a", false),
            (&*qualified_name(&long, "tool"), &*long, true),
        ] {
            assert_eq!(is_tool_of(name, server), is_of, "{name} {server}");
        }
        assert_eq!(own_name("a:b:c", "a"), Some("b:c"));
        assert_eq!(own_name("a:b:c", "a:b"), Some("c"));
        assert_eq!(own_name("ab:c", "a"), None);
    }
}
