//! One channel that turns what happens to servers into what the registry knows.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast::{self, error::RecvError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::Offer;
use super::registry::Registry;

/// A future that may be sent and stored.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What happened to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It runs, and can be asked.
    Started,
    /// It says that its tools, resources or prompts are others now.
    Changed,
    /// It was stopped on purpose, as when nobody needed it.
    Stopped,
    /// It ended by itself.
    Crashed,
    /// It is being started again.
    Restarting,
    /// It is no longer configured or approved.
    Removed,
}

/// One server and what happened to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEvent {
    /// The server's name.
    pub server: String,
    /// What happened.
    pub what: Happening,
}

/// Whoever runs the servers, as far as the bridge asks.
pub trait Lister: Send + Sync + 'static {
    /// The servers that run.
    fn running(&self) -> Vec<String>;
    /// Asks a running server for everything that it lists. An error costs this server's entries only.
    fn list(&self, server: &str) -> BoxFuture<'static, Result<Offer, String>>;
    /// Is told what a server listed, to keep for when it does not run.
    fn keep(&self, _server: &str, _offer: &Offer) {}
    /// Is told that a server could not be listed, and why.
    fn failed(&self, _server: &str, _reason: &str) {}
}

/// The longest that a server which changes all the time is made to wait.
const SLOWEST: Duration = Duration::from_secs(10);

/// How soon after its last answer a server that changed is asked again. One that changes whenever it is asked, as some do
/// by mistake, is asked less and less often: each time costs it a whole list, and us an index and a file.
#[derive(Clone, Copy, Debug)]
struct Pace {
    wait: Duration,
    answered: Instant,
}

/// Listings under way, and those that are due.
struct Bridge {
    registry: Arc<Registry>,
    lister: Arc<dyn Lister>,
    debounce: Duration,
    /// When a server that says it changed is asked. The time counts from the first of several changes, so that a
    /// server that changes all the time is asked all the same.
    due: HashMap<String, Instant>,
    /// How fast each server that said it changed is asked again.
    paces: HashMap<String, Pace>,
    /// Servers that are being asked, each in a task of its own: a slow one delays nobody else.
    asking: JoinSet<(String, Result<Offer, String>)>,
    asked: HashSet<String>,
}

/// Applies events to the registry until the channel is closed.
///
/// The events have to be subscribed to before the first server is started; what runs already is asked all the same,
/// since a full look follows the subscription. A receiver that lags behind looks at everything again.
pub async fn run(
    registry: Arc<Registry>,
    lister: Arc<dyn Lister>,
    mut events: broadcast::Receiver<ServerEvent>,
    debounce: Duration,
) {
    let mut bridge = Bridge {
        registry,
        lister,
        debounce,
        due: HashMap::new(),
        paces: HashMap::new(),
        asking: JoinSet::new(),
        asked: HashSet::new(),
    };
    bridge.look_at_everything();
    loop {
        let next = bridge.due.values().min().copied();
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) => bridge.apply(event),
                Err(RecvError::Lagged(_)) => bridge.look_at_everything(),
                Err(RecvError::Closed) => return,
            },
            Some(answer) = bridge.asking.join_next() => {
                if let Ok((server, listing)) = answer {
                    bridge.take(&server, listing);
                }
            }
            () = until(next) => bridge.ask_who_is_due(),
        }
    }
}

/// Sleeps until then; for ever without one.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}

impl Bridge {
    fn apply(&mut self, event: ServerEvent) {
        match event.what {
            Happening::Started => self.due_in(event.server, Duration::ZERO),
            Happening::Changed => {
                let wait = self.wait_for(&event.server);
                self.due_in(event.server, wait);
            }
            Happening::Stopped | Happening::Crashed => {
                self.due.remove(&event.server);
                self.registry.withdraw(&event.server);
            }
            // What it lists counts until it says otherwise.
            Happening::Restarting => {}
            Happening::Removed => {
                self.due.remove(&event.server);
                self.paces.remove(&event.server);
                self.registry.remove(&event.server);
            }
        }
    }

    /// How long a change of a server is collected.
    fn wait_for(&self, server: &str) -> Duration {
        self.paces.get(server).map_or(self.debounce, |pace| pace.wait)
    }

    /// A server is asked: what changes again soon after its last answer waits twice as long the next time, and one that
    /// was quiet begins anew.
    fn set_pace(&mut self, server: &str) {
        let debounce = self.debounce.max(Duration::from_millis(1));
        if let Some(pace) = self.paces.get_mut(server) {
            let doubled = pace.wait.max(debounce).saturating_mul(2);
            pace.wait = if pace.answered.elapsed() <= doubled {
                doubled.min(SLOWEST.max(debounce))
            } else {
                self.debounce
            };
        }
    }

    fn due_in(&mut self, server: String, wait: Duration) {
        let then = Instant::now() + wait;
        let due = self.due.entry(server).or_insert(then);
        *due = then.min(*due);
    }

    fn look_at_everything(&mut self) {
        let running = self.lister.running();
        for gone in self.registry.live() {
            if !running.contains(&gone) {
                self.registry.withdraw(&gone);
            }
        }
        for server in running {
            self.due_in(server, Duration::ZERO);
        }
    }

    fn ask_who_is_due(&mut self) {
        let now = Instant::now();
        let ready: Vec<String> = self
            .due
            .iter()
            // One that is being asked is asked again afterwards: the answer under way may be from before the change.
            .filter(|(server, then)| **then <= now && !self.asked.contains(*server))
            .map(|(server, _)| server.clone())
            .collect();
        for server in self
            .due
            .iter_mut()
            .filter(|(server, _)| self.asked.contains(*server))
        {
            *server.1 = (*server.1).max(now + self.debounce.max(Duration::from_millis(1)));
        }
        for server in ready {
            self.due.remove(&server);
            self.set_pace(&server);
            self.asked.insert(server.clone());
            let listing = self.lister.list(&server);
            self.asking.spawn(async move { (server, listing.await) });
        }
    }

    fn take(&mut self, server: &str, listing: Result<Offer, String>) {
        self.asked.remove(server);
        let debounce = self.debounce;
        let answered = Instant::now();
        self.paces
            .entry(server.to_owned())
            .and_modify(|pace| pace.answered = answered)
            .or_insert(Pace {
                wait: debounce,
                answered,
            });
        // It may have ended while it was asked; what it said is of use for when it runs again, but it is not live.
        let is_running = self.lister.running().iter().any(|running| running == server);
        match listing {
            Ok(listing) => {
                self.lister.keep(server, &listing);
                self.registry.set_live(server, listing);
                if !is_running {
                    self.registry.withdraw(server);
                }
            }
            Err(reason) => {
                self.lister.failed(server, &reason);
                if !is_running {
                    self.registry.withdraw(server);
                }
            }
        }
    }
}
