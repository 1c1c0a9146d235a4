//! Where each server is in its life, and what moves it on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use tokio::sync::{broadcast, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::live::{Live, close};
use super::{Connector, Key, Owner, Relay, TURNS};
use crate::mcp::Limits;
use crate::mcp::bridge::{Happening, ServerEvent};
use crate::mcp::client::{Connection, FailureKind, ServerError, is_modern, this_client};

/// How often a running server is looked at, to see that it has ended.
const LOOK: Duration = Duration::from_millis(100);

/// Nothing is started any more.
fn closing() -> ServerError {
    ServerError::new(FailureKind::Network, "the gateway is being closed")
}

/// It ended by itself.
fn gone() -> ServerError {
    ServerError::new(FailureKind::Network, "it ended by itself")
}

pub(super) type Started = Option<Result<Arc<Live>, ServerError>>;

/// Where one server is in its life.
pub(super) enum Phase {
    /// Not running; it may be started from then on.
    Down { from: Instant, why: Option<ServerError> },
    /// Being started; all who wait are told.
    Starting(watch::Receiver<Started>, AbortHandle),
    /// Running.
    Up(Arc<Live>),
}

pub(super) struct Slot {
    pub(super) phase: Phase,
    /// Failures in a row: of starts, and of servers that ended before they had answered anything.
    pub(super) failures: u32,
}

pub(super) struct Shared {
    pub(super) connector: Arc<dyn Connector>,
    pub(super) limits: Limits,
    slots: Mutex<HashMap<Key, Slot>>,
    pub(super) events: broadcast::Sender<ServerEvent>,
    pub(super) closing: watch::Sender<bool>,
}

pub(super) enum Step {
    /// Somebody else has its turn.
    Busy,
    Use(Arc<Live>),
    Wait(watch::Receiver<Started>),
    NotBefore(Instant, ServerError),
}

impl Shared {
    /// No slots yet, and a task that looks after what will be idle.
    pub(super) fn new(
        connector: Arc<dyn Connector>,
        limits: Limits,
        events: broadcast::Sender<ServerEvent>,
    ) -> Arc<Self> {
        let shared = Arc::new(Self {
            connector,
            limits,
            slots: Mutex::default(),
            events,
            closing: watch::Sender::new(false),
        });
        tokio::spawn(stop_the_idle(Arc::downgrade(&shared)));
        shared
    }

    pub(super) fn slots<T>(&self, work: impl FnOnce(&mut HashMap<Key, Slot>) -> T) -> T {
        work(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, server: &str, what: Happening) {
        // Nobody listens when everything is being closed.
        let _ = self.events.send(ServerEvent {
            server: server.to_owned(),
            what,
        });
    }

    pub(super) fn running(&self) -> Vec<String> {
        let mut names: Vec<String> = self.slots(|slots| {
            let up = slots
                .iter()
                .filter(|(_, slot)| matches!(slot.phase, Phase::Up(_)));
            up.map(|(key, _)| key.server.clone()).collect()
        });
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether a server runs and speaks 2026-07-28 or newer.
    pub(super) fn is_up_and_modern(&self, key: &Key) -> bool {
        self.slots(|slots| match slots.get(key).map(|slot| &slot.phase) {
            Some(Phase::Up(live)) => live.is_modern() && !live.connection.is_closed(),
            Some(Phase::Starting(..) | Phase::Down { .. }) | None => false,
        })
    }

    /// The running processes of a server, that which all share first.
    pub(super) fn processes(&self, server: &str) -> Vec<Arc<Live>> {
        let mut processes: Vec<(Option<u64>, Arc<Live>)> = self.slots(|slots| {
            let of_server = slots.iter().filter(|(key, _)| key.server == server);
            let up = of_server.filter_map(|(key, slot)| match &slot.phase {
                Phase::Up(live) => Some((key.session, Arc::clone(live))),
                Phase::Starting(..) | Phase::Down { .. } => None,
            });
            up.collect()
        });
        processes.sort_by_key(|(session, _)| *session);
        processes.into_iter().map(|(_, live)| live).collect()
    }

    pub(super) fn next_step(self: &Arc<Self>, key: &Key, owner: &Owner) -> Result<Step, ServerError> {
        if *self.closing.borrow() {
            return Err(closing());
        }
        let mut gone = None;
        let step = self.slots(|slots| {
            if !slots.contains_key(key) && !key.told.is_empty() {
                match make_room(slots, key) {
                    Ok(ended) => gone = ended,
                    Err(Full) => return Ok(Step::Busy),
                }
            }
            let slot = slots.entry(key.clone()).or_insert_with(|| Slot {
                phase: Phase::Down {
                    from: Instant::now(),
                    why: None,
                },
                failures: 0,
            });
            if let Phase::Up(live) = &slot.phase
                && live.connection.is_closed()
            {
                let live = Arc::clone(live);
                self.has_ended(key, slot, &live);
            }
            let in_turn = matches!(owner, Owner::InTurn(_)) && !key.told.is_empty();
            Ok(match &slot.phase {
                Phase::Up(live) if in_turn && live.is_in_use() && !live.is_modern() => Step::Busy,
                Phase::Up(live) => {
                    live.begin_use();
                    Step::Use(Arc::clone(live))
                }
                // A start whose task was dropped with its runtime tells nobody.
                Phase::Starting(started, task) if !task.is_finished() || started.borrow().is_some() => {
                    Step::Wait(started.clone())
                }
                Phase::Down { from, why: Some(why) } if *from > Instant::now() => {
                    Step::NotBefore(*from, why.clone())
                }
                Phase::Down { .. } | Phase::Starting(..) => Step::Wait(self.start(key, slot, owner)),
            })
        });
        if let Some((key, slot)) = gone {
            self.end(key, slot);
        }
        step
    }

    fn start(self: &Arc<Self>, key: &Key, slot: &mut Slot, owner: &Owner) -> watch::Receiver<Started> {
        let (tell, started) = watch::channel(None);
        if slot.failures > 0 {
            self.tell(&key.server, Happening::Restarting);
        }
        let home = match owner {
            Owner::Client { peer, .. } => peer.clone(),
            Owner::Shared | Owner::InTurn(_) => None,
        };
        let is_of_one = !matches!(owner, Owner::Shared);
        let config = this_client(owner.capabilities());
        let relay = Relay::new(&key.server, self.events.clone(), config, is_of_one, home);
        let connecting = self.connector.connect(&key.server, relay.clone());
        let pool = Arc::downgrade(self);
        let key = key.clone();
        // In a task of its own, so that it goes on when the caller that needed it first has gone.
        let task = tokio::spawn(async move {
            let connected = connecting.await;
            let Some(pool) = pool.upgrade() else { return };
            let outcome = pool.started(&key, connected, relay);
            tell.send_replace(Some(outcome));
        });
        slot.phase = Phase::Starting(started.clone(), task.abort_handle());
        started
    }

    fn started(
        self: &Arc<Self>,
        key: &Key,
        connected: Result<Connection<Relay>, ServerError>,
        relay: Relay,
    ) -> Result<Arc<Live>, ServerError> {
        let connected = connected.map(|connection| {
            let connection = Arc::new(connection);
            let listening = self.listen(&key.server, &connection);
            Arc::new(Live::new(connection, relay, listening))
        });
        let is_wanted = self.slots(|slots| {
            // Its client may have gone meanwhile, or everything is being closed.
            let Some(slot) = slots.get_mut(key) else {
                return false;
            };
            match &connected {
                Ok(live) => slot.phase = Phase::Up(Arc::clone(live)),
                Err(error) => self.is_down(slot, error.clone()),
            }
            true
        });
        if !is_wanted {
            if let Ok(live) = connected {
                tokio::spawn(close(live));
            }
            return Err(closing());
        }
        match &connected {
            Ok(live) => {
                self.tell(&key.server, Happening::Started);
                tokio::spawn(watch_over(
                    Arc::downgrade(self),
                    key.clone(),
                    Arc::downgrade(live),
                ));
            }
            Err(_) => self.tell(&key.server, Happening::Crashed),
        }
        connected
    }

    /// A server of 2026-07-28 announces changes only to whoever subscribed.
    fn listen(self: &Arc<Self>, server: &str, connection: &Arc<Connection<Relay>>) -> Option<AbortHandle> {
        if !is_modern(&connection.protocol_version()) {
            return None;
        }
        let (peer, events, server) = (connection.peer().clone(), self.events.clone(), server.to_owned());
        let task = tokio::spawn(async move {
            let filter = SubscriptionFilter::builder()
                .tools_list_changed()
                .resources_list_changed()
                .prompts_list_changed()
                .build();
            let Ok(mut subscription) = peer.listen(filter).await else {
                return;
            };
            while let Ok(Some(_)) = subscription.next().await {
                let _ = events.send(ServerEvent {
                    server: server.clone(),
                    what: Happening::Changed,
                });
            }
        });
        Some(task.abort_handle())
    }

    fn is_down(&self, slot: &mut Slot, why: ServerError) {
        let doubled = 2_u32.saturating_pow(slot.failures.min(16));
        let wait = self.limits.restart_backoff.saturating_mul(doubled);
        slot.failures = slot.failures.saturating_add(1);
        slot.phase = Phase::Down {
            from: Instant::now() + wait.min(Limits::MAX_RESTART_BACKOFF),
            why: Some(why),
        };
    }

    fn has_ended(&self, key: &Key, slot: &mut Slot, live: &Arc<Live>) {
        self.is_over(key, slot, live, gone());
    }

    /// The running processes of a server, which are going to be ended.
    pub(super) fn are_going(&self, server: &str, why: &ServerError) {
        for live in self.processes(server) {
            live.is_going(why.clone());
        }
    }

    fn is_over(&self, key: &Key, slot: &mut Slot, live: &Arc<Live>, why: ServerError) {
        let ended = live.connection.in_our_words(why);
        self.is_down(slot, ended);
        tokio::spawn(close(Arc::clone(live)));
        self.tell(&key.server, Happening::Crashed);
    }

    /// A running server ended by itself. Only the first who notices does anything.
    pub(super) fn ended(&self, key: &Key, live: &Arc<Live>) {
        self.give_up(key, live, gone());
    }

    /// A running server answers nothing any more: it is ended.
    pub(super) fn hangs(&self, key: &Key, live: &Arc<Live>) {
        let why = ServerError::new(FailureKind::Timeout, "it answered nothing any more");
        live.is_going(why.clone());
        self.give_up(key, live, why);
    }

    fn give_up(&self, key: &Key, live: &Arc<Live>, why: ServerError) {
        self.slots(|slots| {
            if let Some(slot) = slots.get_mut(key)
                && matches!(&slot.phase, Phase::Up(up) if Arc::ptr_eq(up, live))
            {
                self.is_over(key, slot, live, why);
            }
        });
    }

    /// Ends this process, if it is still the one in its slot.
    pub(super) fn end_one(&self, key: &Key, live: &Arc<Live>) {
        let slot = self.slots(|slots| {
            let slot = slots.get(key)?;
            let is_it = matches!(&slot.phase, Phase::Up(up) if Arc::ptr_eq(up, live));
            is_it.then(|| slots.remove(key)).flatten()
        });
        if let Some(slot) = slot {
            self.end(key.clone(), slot);
        }
    }

    /// Ends a server whose slot is no more.
    pub(super) fn end(&self, key: Key, slot: Slot) {
        match slot.phase {
            Phase::Starting(_, start) => start.abort(),
            Phase::Up(live) => {
                tokio::spawn(close(live));
                if !self.running().contains(&key.server) {
                    self.tell(&key.server, Happening::Stopped);
                }
            }
            Phase::Down { .. } => {}
        }
    }

    /// Stops what nobody has used for long enough; says when to look again.
    fn stop_idle(&self) -> Instant {
        let now = Instant::now();
        let limit = self.limits.idle_stop;
        let mut next = now + limit.min(Duration::from_secs(60));
        let idle: Vec<(Key, Slot)> = self.slots(|slots| {
            let mut idle = Vec::new();
            for (key, slot) in slots.iter() {
                if let Phase::Up(live) = &slot.phase
                    && let Some(since) = live.idle_since()
                {
                    if since + limit <= now {
                        idle.push(key.clone());
                    } else {
                        next = next.min(since + limit);
                    }
                }
            }
            let take = |key: Key| slots.remove(&key).map(|slot| (key, slot));
            idle.into_iter().filter_map(take).collect()
        });
        for (key, slot) in idle {
            self.end(key, slot);
        }
        next
    }
}

/// A server has as many processes as it may have, all of them in use.
struct Full;

/// Makes room for one more process of a server where clients say what they can do with every request: whatever they say,
/// they have no more than [`TURNS`] processes together. What has to go for that is the one that is idle for longest.
fn make_room(slots: &mut HashMap<Key, Slot>, key: &Key) -> Result<Option<(Key, Slot)>, Full> {
    let of_same =
        |other: &&Key| other.server == key.server && other.session == key.session && !other.told.is_empty();
    if slots.keys().filter(of_same).count() < usize::from(TURNS) {
        return Ok(None);
    }
    let now = Instant::now();
    let idle = slots.iter().filter(|(other, _)| of_same(other));
    let idle = idle.filter_map(|(key, slot)| match &slot.phase {
        Phase::Up(live) => live.idle_since().map(|since| (since, key)),
        // One that is not to be started again yet has to be remembered.
        Phase::Down { from, .. } => (*from <= now).then_some((*from, key)),
        Phase::Starting(..) => None,
    });
    let longest = idle.min_by_key(|(since, _)| *since).map(|(_, key)| key.clone());
    let longest = longest.ok_or(Full)?;
    Ok(slots.remove(&longest).map(|slot| (longest, slot)))
}

async fn stop_the_idle(pool: Weak<Shared>) {
    loop {
        let Some(next) = pool.upgrade().map(|pool| pool.stop_idle()) else {
            return;
        };
        sleep_until(next).await;
    }
}

/// Notices that a server has ended while nobody called it.
async fn watch_over(pool: Weak<Shared>, key: Key, live: Weak<Live>) {
    loop {
        sleep(LOOK).await;
        let (Some(pool), Some(live)) = (pool.upgrade(), live.upgrade()) else {
            return;
        };
        if live.connection.is_closed() {
            pool.ended(&key, &live);
            return;
        }
    }
}
