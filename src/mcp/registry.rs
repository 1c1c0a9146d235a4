//! What all servers offer, as last told by each: live, or by its snapshot.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::Offer;
use super::gates::Gates;

/// What is known of one server.
#[derive(Debug, Default)]
struct Known {
    /// What it lists while it runs.
    live: Option<Arc<Offer>>,
    /// What it listed when it last ran.
    snapshot: Option<Arc<Offer>>,
}

impl Known {
    /// What counts. A server that is idle or not yet started counts with its snapshot, so nothing becomes unfindable
    /// by being stopped.
    const fn effective(&self) -> Option<&Arc<Offer>> {
        match &self.live {
            Some(live) => Some(live),
            None => self.snapshot.as_ref(),
        }
    }
}

/// What all servers offer. Whoever reads sees one state, and is told when there is another.
#[derive(Debug)]
pub struct Registry {
    servers: Mutex<BTreeMap<String, Known>>,
    version: watch::Sender<u64>,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            servers: Mutex::default(),
            version: watch::Sender::new(0),
        }
    }
}

impl Registry {
    /// A registry in which nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes with every change of what counts.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The number of changes so far.
    #[must_use]
    pub fn version(&self) -> u64 {
        *self.version.borrow()
    }

    /// What a server listed when it last ran, from before this program started.
    pub fn set_snapshot(&self, server: &str, offer: Offer) {
        self.change(server, |known| known.snapshot = Some(Arc::new(offer)));
    }

    /// What a running server lists now; it is its snapshot from then on.
    pub fn set_live(&self, server: &str, offer: Offer) {
        self.change(server, |known| {
            let listing = Arc::new(offer);
            known.live = Some(Arc::clone(&listing));
            known.snapshot = Some(listing);
        });
    }

    /// A server stopped or crashed: what it listed live is withdrawn, and its snapshot counts.
    pub fn withdraw(&self, server: &str) {
        self.change(server, |known| known.live = None);
    }

    /// A server is gone for good, with its snapshot.
    pub fn remove(&self, server: &str) {
        self.change(server, |known| *known = Known::default());
    }

    /// Whether anything is known of a server.
    #[must_use]
    pub fn is_known(&self, server: &str) -> bool {
        self.with(|servers| {
            servers
                .get(server)
                .is_some_and(|known| known.effective().is_some())
        })
    }

    /// The servers whose live listing counts.
    #[must_use]
    pub fn live(&self) -> Vec<String> {
        self.with(|servers| {
            let live = servers.iter().filter(|(_, known)| known.live.is_some());
            live.map(|(name, _)| name.clone()).collect()
        })
    }

    /// What counts of every server, by name, and the number of the change that made it so.
    #[must_use]
    pub fn offers(&self) -> (u64, BTreeMap<String, Arc<Offer>>) {
        self.with(|servers| {
            let counts = servers.iter().filter_map(|(name, known)| {
                known
                    .effective()
                    .map(|listing| (name.clone(), Arc::clone(listing)))
            });
            (self.version(), counts.collect())
        })
    }

    /// The gates that are open now.
    #[must_use]
    pub fn gates(&self) -> Gates {
        let (_, offers) = self.offers();
        Gates::of(offers.values().map(AsRef::as_ref))
    }

    fn change(&self, server: &str, change: impl FnOnce(&mut Known)) {
        self.with(|servers| {
            let known = servers.entry(server.to_owned()).or_default();
            let before = known.effective().cloned();
            change(known);
            // Under the lock, so that a version and the listings of it belong together.
            if known.effective() != before.as_ref() {
                self.version.send_modify(|version| *version += 1);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, Known>) -> T) -> T {
        // Nothing in here panics half way, so a poisoned lock guards a whole state all the same.
        work(&mut self.servers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
