//! The servers that run: started when first needed, shared, started again after a crash, stopped when idle.

mod forward;
mod relay;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rmcp::model::{ClientCapabilities, ProtocolVersion, SubscriptionFilter};
#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
use rmcp::model::{LoggingLevel, SetLevelRequestParams};
use rmcp::{Peer, RoleClient, RoleServer};
use tokio::sync::{broadcast, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until};

pub use relay::Relay;

pub(in crate::mcp) use forward::{Downstream, Failed};
pub(in crate::mcp) use relay::{declares, method, refusal};

use super::bridge::{BoxFuture, Happening, Lister, ServerEvent};
use super::client::{Connection, FailureKind, ServerError, connect, this_client};
use super::{LaunchPlan, Limits, Offer, Wanted};

/// How many events may wait for a reader; one that lags behind looks at everything again.
const EVENTS: usize = 256;

/// How often a running server is looked at, to see that it has ended.
const LOOK: Duration = Duration::from_millis(100);

/// The longest that a call waits for a server that may not be started again yet; beyond, it is told when.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reaches servers.
pub trait Connector: Send + Sync + 'static {
    /// The servers that there are, by name.
    fn servers(&self) -> Vec<String>;
    /// Starts or reaches one.
    fn connect(
        &self,
        server: &str,
        relay: Relay,
    ) -> BoxFuture<'static, Result<Connection<Relay>, ServerError>>;
}

/// The servers that launch plans describe.
#[derive(Clone)]
pub struct Plans {
    plans: BTreeMap<String, LaunchPlan>,
    limits: Limits,
}

impl Plans {
    /// These plans; of two of one name the first counts.
    #[must_use]
    pub fn new(plans: Vec<LaunchPlan>, limits: Limits) -> Self {
        let mut by_name = BTreeMap::new();
        for plan in plans {
            by_name.entry(plan.name.clone()).or_insert(plan);
        }
        Self {
            plans: by_name,
            limits,
        }
    }
}

impl std::fmt::Debug for Plans {
    // The plans hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.plans.keys()).finish()
    }
}

impl Connector for Plans {
    fn servers(&self) -> Vec<String> {
        self.plans.keys().cloned().collect()
    }

    fn connect(
        &self,
        server: &str,
        relay: Relay,
    ) -> BoxFuture<'static, Result<Connection<Relay>, ServerError>> {
        let plan = self.plans.get(server).cloned();
        let limits = self.limits.clone();
        let server = server.to_owned();
        Box::pin(async move {
            match plan {
                Some(plan) => connect(&plan, &limits, relay).await,
                None => Err(unknown(&server)),
            }
        })
    }
}

/// There is no such server.
fn unknown(server: &str) -> ServerError {
    ServerError::new(FailureKind::NotFound, format!("there is no server `{server}`"))
}

/// Nothing is started any more.
fn closing() -> ServerError {
    ServerError::new(FailureKind::Network, "the gateway is being closed")
}

/// It ended by itself.
fn gone() -> ServerError {
    ServerError::new(FailureKind::Network, "it ended by itself")
}

/// Whose a running server is.
///
/// Clients that can answer nothing share one process of each server. A client that can be asked for input has its own:
/// a question of the server must reach the client whose call it is about, and its roots are its own.
#[derive(Clone, Debug)]
pub(in crate::mcp) enum Owner {
    /// Every client that cannot be asked.
    Shared,
    /// One client.
    Client {
        /// Its session.
        session: u64,
        /// What it says that it can do.
        capabilities: ClientCapabilities,
        /// How it is reached.
        peer: Peer<RoleServer>,
    },
}

impl Owner {
    const fn session(&self) -> Option<u64> {
        match self {
            Self::Shared => None,
            Self::Client { session, .. } => Some(*session),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    server: String,
    session: Option<u64>,
}

/// A running server.
pub(in crate::mcp) struct Live {
    connection: Arc<Connection<Relay>>,
    relay: Relay,
    in_use: AtomicUsize,
    last_used: Mutex<Instant>,
    listening: Option<AbortHandle>,
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

impl Live {
    fn idle_since(&self) -> Option<Instant> {
        (self.in_use.load(Ordering::Acquire) == 0)
            .then(|| *self.last_used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells the server which messages are wanted; one that does not log does not mind.
    #[expect(deprecated, reason = "clients of older revisions set a level of logging")]
    async fn set_level(&self, level: LoggingLevel) {
        if self.connection.capabilities().logging.is_some() {
            let _ = self
                .connection
                .peer()
                .set_level(SetLevelRequestParams::new(level))
                .await;
        }
    }

    fn touch(&self) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// A running server in use: it is not stopped as idle meanwhile.
pub(in crate::mcp) struct InUse {
    live: Arc<Live>,
    pool: Weak<Shared>,
    key: Key,
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.live.touch();
        self.live.in_use.fetch_sub(1, Ordering::AcqRel);
    }
}

impl InUse {
    fn peer(&self) -> &Peer<RoleClient> {
        self.live.connection.peer()
    }

    #[cfg(test)]
    pub(in crate::mcp) fn peer_for_tests(&self) -> &Peer<RoleClient> {
        self.peer()
    }

    /// Whether the server speaks 2026-07-28 or newer.
    pub(in crate::mcp) fn is_modern(&self) -> bool {
        self.live.connection.protocol_version().as_str() >= ProtocolVersion::V_2026_07_28.as_str()
    }

    /// A request was answered: the server is well, and starts again at once if it should end.
    fn is_well(&self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.slots(|slots| {
                if let Some(slot) = slots.get_mut(&self.key) {
                    slot.failures = 0;
                }
            });
        }
    }

    /// The server has gone: whoever needs it next gets a fresh one.
    fn is_gone(&self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.ended(&self.key, &self.live);
        }
    }
}

type Started = Option<Result<Arc<Live>, ServerError>>;

/// Where one server is in its life.
enum Phase {
    /// Not running; it may be started from then on.
    Down { from: Instant, why: Option<ServerError> },
    /// Being started; all who wait are told.
    Starting(watch::Receiver<Started>, AbortHandle),
    /// Running.
    Up(Arc<Live>),
}

struct Slot {
    phase: Phase,
    /// Failures in a row: of starts, and of servers that ended before they had answered anything.
    failures: u32,
}

struct Shared {
    connector: Arc<dyn Connector>,
    limits: Limits,
    slots: Mutex<HashMap<Key, Slot>>,
    events: broadcast::Sender<ServerEvent>,
    closing: watch::Sender<bool>,
}

/// The servers that run. Dropped, all of them are ended.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pool").field(&self.0.running()).finish()
    }
}

impl Pool {
    /// A pool in which nothing runs yet. Has to be made inside a runtime.
    #[must_use]
    pub fn new(connector: Arc<dyn Connector>, limits: Limits) -> Self {
        let shared = Arc::new(Shared {
            connector,
            limits,
            slots: Mutex::default(),
            events: broadcast::Sender::new(EVENTS),
            closing: watch::Sender::new(false),
        });
        tokio::spawn(stop_the_idle(Arc::downgrade(&shared)));
        Self(shared)
    }

    /// What happens to servers, from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.0.events.subscribe()
    }

    /// The servers that there are.
    #[must_use]
    pub fn servers(&self) -> Vec<String> {
        self.0.connector.servers()
    }

    /// How long servers may take.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// A running server: the one that runs, or one that is started now. Whoever asks while it is being started waits
    /// for the same start.
    ///
    /// # Errors
    ///
    /// Why it could not be started, or that it may not be started again yet.
    pub(in crate::mcp) async fn get(&self, server: &str, owner: &Owner) -> Result<InUse, ServerError> {
        let key = Key {
            server: server.to_owned(),
            session: owner.session(),
        };
        let patience = Instant::now() + PATIENCE;
        loop {
            match self.0.next_step(&key, owner)? {
                Step::Use(live) => {
                    return Ok(InUse {
                        live,
                        pool: Arc::downgrade(&self.0),
                        key,
                    });
                }
                Step::Wait(mut started) => {
                    let answer = started.wait_for(Option::is_some).await;
                    if let Ok(answer) = answer
                        && let Some(Err(error)) = &*answer
                    {
                        return Err(error.clone());
                    }
                    // A start that vanished, and one that succeeded: look again.
                }
                Step::NotBefore(then, why) => {
                    if then > patience {
                        let seconds = then.duration_since(Instant::now()).as_secs().max(1);
                        let message = format!("{}; it is not started again for {seconds} s", why.message);
                        return Err(ServerError { message, ..why });
                    }
                    sleep_until(then).await;
                }
            }
        }
    }

    /// Ends the servers of a client that has gone.
    pub(in crate::mcp) fn close_session(&self, session: u64) {
        let gone = self.0.slots(|slots| {
            let keys: Vec<Key> = slots
                .keys()
                .filter(|key| key.session == Some(session))
                .cloned()
                .collect();
            let take = |key: Key| slots.remove(&key).map(|slot| (key, slot));
            keys.into_iter().filter_map(take).collect::<Vec<_>>()
        });
        for (key, slot) in gone {
            self.0.end(key, slot);
        }
    }

    /// The revision of the protocol that a running server speaks; empty if it does not run.
    pub(in crate::mcp) fn protocol(&self, server: &str) -> String {
        let processes = self.0.processes(server);
        let version = |live: &Arc<Live>| live.connection.protocol_version();
        processes.first().map(version).unwrap_or_default()
    }

    /// The running servers of a client.
    fn of_session(&self, session: u64) -> Vec<Arc<Live>> {
        self.0.slots(|slots| {
            let own = slots.iter().filter(|(key, _)| key.session == Some(session));
            own.filter_map(|(_, slot)| match &slot.phase {
                Phase::Up(live) => Some(Arc::clone(live)),
                Phase::Starting(..) | Phase::Down { .. } => None,
            })
            .collect()
        })
    }

    /// A client's roots are others now: its own servers are told.
    pub(in crate::mcp) fn roots_changed(&self, session: u64) {
        for live in self.of_session(session) {
            tokio::spawn(async move {
                // One that has gone asks again when it is started.
                let _ = live.connection.peer().notify_roots_list_changed().await;
            });
        }
    }

    /// A client wants another level of logging: its own servers are told.
    #[expect(deprecated, reason = "clients of older revisions set a level of logging")]
    pub(in crate::mcp) fn set_level(&self, session: u64, level: LoggingLevel) {
        for live in self.of_session(session) {
            tokio::spawn(async move { live.set_level(level).await });
        }
    }

    /// Ends all servers, with all that they started; none is started any more.
    pub async fn close(&self) {
        self.0.closing.send_replace(true);
        let slots = self.0.slots(std::mem::take);
        let mut closing = tokio::task::JoinSet::new();
        for (_, slot) in slots {
            match slot.phase {
                Phase::Starting(_, start) => start.abort(),
                Phase::Up(live) => {
                    closing.spawn(close(live));
                }
                Phase::Down { .. } => {}
            }
        }
        while closing.join_next().await.is_some() {}
    }
}

/// Closes a connection in order if nobody uses it; a call that is under way ends with the connection.
async fn close(live: Arc<Live>) {
    let connection = Arc::clone(&live.connection);
    drop(live);
    // Calls that are being cancelled let go in a moment.
    for _ in 0..20 {
        if Arc::strong_count(&connection) == 1 {
            break;
        }
        sleep(Duration::from_millis(10)).await;
    }
    if let Some(connection) = Arc::into_inner(connection) {
        connection.close().await;
    }
}

enum Step {
    Use(Arc<Live>),
    Wait(watch::Receiver<Started>),
    NotBefore(Instant, ServerError),
}

impl Shared {
    fn slots<T>(&self, work: impl FnOnce(&mut HashMap<Key, Slot>) -> T) -> T {
        work(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, server: &str, what: Happening) {
        // Nobody listens when everything is being closed.
        let _ = self.events.send(ServerEvent {
            server: server.to_owned(),
            what,
        });
    }

    fn running(&self) -> Vec<String> {
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

    /// The running processes of a server, that which all share first.
    fn processes(&self, server: &str) -> Vec<Arc<Live>> {
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

    fn next_step(self: &Arc<Self>, key: &Key, owner: &Owner) -> Result<Step, ServerError> {
        if *self.closing.borrow() {
            return Err(closing());
        }
        self.slots(|slots| {
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
            Ok(match &slot.phase {
                Phase::Up(live) => {
                    live.in_use.fetch_add(1, Ordering::AcqRel);
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
        })
    }

    fn start(self: &Arc<Self>, key: &Key, slot: &mut Slot, owner: &Owner) -> watch::Receiver<Started> {
        let (tell, started) = watch::channel(None);
        if slot.failures > 0 {
            self.tell(&key.server, Happening::Restarting);
        }
        let (capabilities, home) = match owner {
            Owner::Shared => (ClientCapabilities::default(), None),
            Owner::Client {
                capabilities, peer, ..
            } => (capabilities.clone(), Some(peer.clone())),
        };
        let relay = Relay::new(&key.server, self.events.clone(), this_client(capabilities), home);
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
            Arc::new(Live {
                listening: self.listen(&key.server, &connection),
                connection,
                relay,
                in_use: AtomicUsize::new(0),
                last_used: Mutex::new(Instant::now()),
            })
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
        if connection.protocol_version().as_str() < ProtocolVersion::V_2026_07_28.as_str() {
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
        let ended = live.connection.in_our_words(gone());
        self.is_down(slot, ended);
        tokio::spawn(close(Arc::clone(live)));
        self.tell(&key.server, Happening::Crashed);
    }

    /// A running server ended by itself. Only the first who notices does anything.
    fn ended(&self, key: &Key, live: &Arc<Live>) {
        self.slots(|slots| {
            if let Some(slot) = slots.get_mut(key)
                && matches!(&slot.phase, Phase::Up(up) if Arc::ptr_eq(up, live))
            {
                self.has_ended(key, slot, live);
            }
        });
    }

    /// Ends a server whose slot is no more.
    fn end(&self, key: Key, slot: Slot) {
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

/// Adds what another process of the same server lists: what it offers may depend on what its client can do.
fn add(all: &mut Offer, other: Offer) {
    fn add<T, K: PartialEq>(all: &mut Vec<T>, other: Vec<T>, key: impl Fn(&T) -> K) {
        for entry in other {
            if !all.iter().any(|known| key(known) == key(&entry)) {
                all.push(entry);
            }
        }
    }
    add(&mut all.tools, other.tools, |tool| tool.get("name").cloned());
    add(&mut all.resources, other.resources, |resource| {
        resource.uri.clone()
    });
    add(&mut all.templates, other.templates, |template| {
        template.uri_template.clone()
    });
    add(&mut all.prompts, other.prompts, |prompt| prompt.name.clone());
    add(&mut all.cut, other.cut, |cut| *cut);
}

impl Lister for Pool {
    fn running(&self) -> Vec<String> {
        self.0.running()
    }

    fn list(&self, server: &str) -> BoxFuture<'static, Result<Offer, String>> {
        let processes = self.0.processes(server);
        Box::pin(async move {
            let mut all: Option<Offer> = None;
            for live in processes {
                let offer = live
                    .connection
                    .lists(&Wanted::ALL)
                    .await
                    .map_err(|error| error.message)?;
                match &mut all {
                    Some(all) => add(all, offer),
                    None => all = Some(offer),
                }
            }
            all.ok_or_else(|| "it is not running".to_owned())
        })
    }
}
