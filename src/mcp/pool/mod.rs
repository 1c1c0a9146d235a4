//! The servers that run: started when first needed, shared, started again after a crash, stopped when idle.

mod budget;
mod connect;
mod forward;
mod live;
mod relay;
mod slots;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ClientCapabilities;
#[expect(deprecated, reason = "clients of older revisions set a level of logging")]
use rmcp::model::LoggingLevel;
use rmcp::{Peer, RoleServer};
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep, sleep_until};

pub use connect::{Connector, Plans};
pub use relay::Relay;

pub(in crate::mcp) use forward::{Asked, Downstream, Failed, Held, IN_PLACE, as_error, packed};
pub(in crate::mcp) use live::InUse;
pub(in crate::mcp) use relay::{answer_of, asked, declares, not_in_our_name, passed_on, refusal};

use super::bridge::{BoxFuture, Lister, ServerEvent};
use super::client::{FailureKind, ServerError};
use super::{Limits, Offer, Wanted};
use live::{Live, close};
use slots::{Phase, Shared, Step};

/// How many events may wait for a reader; one that lags behind looks at everything again.
const EVENTS: usize = 256;

/// The longest that a call waits for a server that may not be started again yet; beyond, it is told when.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often is looked whether a process of a server is free.
const LOOK: Duration = Duration::from_millis(50);

/// How many processes of a server those clients may have together that share them one call at a time, and one client that
/// says with every request what it can do.
const TURNS: u16 = 16;

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
        capabilities: Box<ClientCapabilities>,
        /// How it is reached outside a call; none if it is not: those of 2026-07-28 are asked by the answers to their
        /// calls alone.
        peer: Option<Peer<RoleServer>>,
    },
    /// Clients that say the same of what they can do and cannot be told apart, one call at a time.
    InTurn(Box<ClientCapabilities>),
}

impl Owner {
    /// What the server is told that can be done.
    fn capabilities(&self) -> ClientCapabilities {
        match self {
            Self::Shared => ClientCapabilities::default(),
            Self::Client { capabilities, .. } | Self::InTurn(capabilities) => (**capabilities).clone(),
        }
    }

    /// Whether a server of 2026-07-28 may be shared with everybody: it asks nothing by itself, and hears with every
    /// request what the client can do.
    const fn shares_modern(&self) -> bool {
        match self {
            Self::Shared => false,
            Self::Client { peer, .. } => peer.is_none(),
            Self::InTurn(_) => true,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Key {
    server: String,
    session: Option<u64>,
    /// What the server was told that its client can do, where one client may say this and that.
    told: String,
    /// Which of several processes it is.
    turn: u16,
}

impl Key {
    fn of(server: &str, owner: &Owner) -> Self {
        let told =
            |capabilities: &ClientCapabilities| serde_json::to_string(capabilities).unwrap_or_default();
        let server = server.to_owned();
        match owner {
            Owner::Shared => Self {
                server,
                ..Self::default()
            },
            Owner::Client {
                session,
                capabilities,
                peer,
            } => Self {
                server,
                session: Some(*session),
                // Those of older revisions say it once.
                told: peer
                    .as_ref()
                    .map_or_else(|| told(capabilities), |_| String::new()),
                turn: 0,
            },
            Owner::InTurn(capabilities) => Self {
                server,
                session: None,
                told: told(capabilities),
                turn: 0,
            },
        }
    }
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
        let shared = Shared::new(connector, limits, broadcast::Sender::new(EVENTS));
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
        self.get_or(server, owner, || false).await
    }

    /// As [`get`](Self::get). Where so many calls are under way as may be of clients that share it in turn, `make_room` is
    /// asked to end one of them; where it does not, it is waited for a moment.
    ///
    /// # Errors
    ///
    /// Why it could not be started, that it may not be started again yet, or that there is no room.
    pub(in crate::mcp) async fn get_or(
        &self,
        server: &str,
        owner: &Owner,
        make_room: impl Fn() -> bool,
    ) -> Result<InUse, ServerError> {
        let mut key = self.key(server, owner);
        self.may_run(server)?;
        let patience = Instant::now() + PATIENCE;
        loop {
            match self.0.next_step(&key, owner)? {
                Step::Busy if key.turn + 1 < TURNS => key.turn += 1,
                Step::Busy if make_room() => key.turn = 0,
                Step::Busy if Instant::now() < patience => {
                    sleep(LOOK).await;
                    key.turn = 0;
                }
                Step::Busy => {
                    let message = format!("{TURNS} calls of it wait for answers already");
                    return Err(ServerError::new(FailureKind::TooMuch, message));
                }
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
                        let message = format!("{}; it can be started again in {seconds} s", why.message);
                        return Err(ServerError { message, ..why });
                    }
                    sleep_until(then).await;
                }
            }
        }
    }

    /// Whether a server may still be used; one that may not is ended.
    ///
    /// # Errors
    ///
    /// Why it may not.
    pub(in crate::mcp) fn may_run(&self, server: &str) -> Result<(), ServerError> {
        let may_run = self.0.connector.may_run(server);
        if let Err(why) = &may_run {
            self.0.are_going(server, why);
            self.stop(server);
        }
        may_run
    }

    /// Which process of a server is an owner's, or the first of those it may have.
    fn key(&self, server: &str, owner: &Owner) -> Key {
        let shared = Key::of(server, &Owner::Shared);
        if owner.shares_modern() && self.0.is_up_and_modern(&shared) {
            return shared;
        }
        Key::of(server, owner)
    }

    /// Whether asking for a server would start it now, or soon: it does not run and has not failed a moment ago.
    pub(in crate::mcp) fn may_start(&self, server: &str, owner: &Owner) -> bool {
        let key = self.key(server, owner);
        self.0
            .slots(|slots| match slots.get(&key).map(|slot| &slot.phase) {
                Some(Phase::Down { from, why: Some(_) }) => *from <= Instant::now(),
                Some(Phase::Down { why: None, .. } | Phase::Starting(..) | Phase::Up(_)) | None => true,
            })
    }

    /// Ends every process of a server.
    fn stop(&self, server: &str) {
        self.end_where(|key| key.server == server);
    }

    /// Ends the servers of a client that has gone.
    pub(in crate::mcp) fn close_session(&self, session: u64) {
        self.end_where(|key| key.session == Some(session));
    }

    fn end_where(&self, is_meant: impl Fn(&Key) -> bool) {
        let gone = self.0.slots(|slots| {
            let keys: Vec<Key> = slots.keys().filter(|key| is_meant(key)).cloned().collect();
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

    /// Whether a server runs and speaks a revision before 2026-07-28.
    pub(in crate::mcp) fn is_legacy(&self, server: &str) -> bool {
        let processes = self.0.processes(server);
        processes.first().is_some_and(|live| !live.is_modern())
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
