//! The gateway: one MCP server in place of many. Its clients search, describe and call what they need, and see nothing
//! else (spec, mcp 5).
//!
//! A [`Gateway`] is what all clients share: the servers that run, what they offer, the operator's policy and the rules
//! of disclosure. Each client is a [`Session`]. One predicate, `Gateway::judge`, says whether a tool may be seen, and
//! listing, searching, describing and calling all ask it.

mod announce;
mod arguments;
mod call;
mod held;
pub mod http;
mod in_place;
mod judge;
mod looks;
mod policy;
mod reply;
mod resources;
mod search;
mod seat;
mod session;
pub mod streams;
mod surface;
#[cfg(test)]
mod tests;
mod uris;
mod view;
mod visitors;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

pub use policy::{Policy, policy_in};
pub use session::Session;

use super::bridge::{self, BoxFuture, Lister};
use super::client::{FailureKind, ServerError};
use super::pool::{Connector, Owner, Pool};
use super::{Limits, Offer, Registry};
use crate::tools::Tiers;
use crate::tools::disclosure::{Rules, Sessions};
use held::HeldCalls;
use looks::Unknown;
use view::View;

/// How often is looked whether the user still agrees to the servers that run.
const LOOK: Duration = Duration::from_secs(1);

/// The most sessions at a time.
const MAX_SESSIONS: usize = 1024;

/// Keeps what servers list for when they do not run.
pub trait Keep: Send + Sync + 'static {
    /// A server that speaks this revision of the protocol listed this.
    fn keep(&self, server: &str, protocol: &str, offer: &Offer);
    /// A server could not be asked.
    fn failed(&self, _server: &str, _reason: &str) {}
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeepNothing;

impl Keep for KeepNothing {
    fn keep(&self, _server: &str, _protocol: &str, _offer: &Offer) {}
}

/// What a gateway works by.
pub struct GatewayConfig {
    /// What may be seen and called at all.
    pub policy: Policy,
    /// What is listed in full from the start: `[tools] core`.
    pub tiers: Tiers,
    /// What is visible when.
    pub rules: Arc<Rules>,
    /// How long servers may take.
    pub limits: Limits,
    /// What servers listed when they last ran.
    pub snapshots: BTreeMap<String, Offer>,
    /// Servers that are configured and that this gateway cannot reach, by name, and why, as half a sentence: an agent
    /// that misses something of theirs is told.
    pub absent: BTreeMap<String, String>,
    /// Where it is kept what they list now.
    pub keep: Arc<dyn Keep>,
    /// Whether servers of which there is no snapshot are asked what they offer as soon as the gateway is there. Where
    /// there will be one client and no other, they are better asked when it has come: what a server offers may depend on
    /// what its client can do, and a second process of each is saved.
    pub looks_at_once: bool,
    /// A clock that never goes back, for leases; the time since the gateway was started by default.
    pub clock: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl std::fmt::Debug for GatewayConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayConfig")
            .field("policy", &self.policy)
            .field("tiers", &self.tiers)
            .field("limits", &self.limits)
            .field("looks_at_once", &self.looks_at_once)
            .finish_non_exhaustive()
    }
}

impl Default for GatewayConfig {
    fn default() -> Self {
        let start = tokio::time::Instant::now();
        Self {
            policy: Policy::default(),
            tiers: Tiers::default(),
            rules: Arc::new(Rules::default()),
            limits: Limits::default(),
            snapshots: BTreeMap::new(),
            absent: BTreeMap::new(),
            keep: Arc::new(KeepNothing),
            looks_at_once: true,
            clock: Arc::new(move || start.elapsed()),
        }
    }
}

struct Shared {
    policy: Arc<Policy>,
    /// All servers.
    servers: Arc<[String]>,
    tiers: Tiers,
    /// The tools that the rules of disclosure speak of.
    governed: BTreeSet<String>,
    /// The tools whose calls may unlock others.
    hubs: BTreeSet<String>,
    clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    absent: BTreeMap<String, String>,
    pool: Pool,
    registry: Arc<Registry>,
    view: watch::Sender<Arc<View>>,
    unknown: watch::Sender<Unknown>,
    handles: Mutex<Sessions>,
    held: HeldCalls,
    has_looked: AtomicBool,
    next_session: AtomicU64,
    sessions: std::sync::atomic::AtomicUsize,
}

/// One gateway: what all its clients share. Dropped with its sessions, all servers are ended.
#[derive(Clone)]
pub struct Gateway(Arc<Shared>);

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Gateway").field(&self.0.pool).finish()
    }
}

impl Gateway {
    /// A gateway to the servers of a connector. Has to be made inside a runtime.
    ///
    /// No server is started but those of which there is no snapshot: what they offer has to be known to be found.
    #[must_use]
    pub fn new(connector: Arc<dyn Connector>, config: GatewayConfig) -> Self {
        let pool = Pool::new(connector, config.limits);
        let registry = Arc::new(Registry::new());
        let servers: Arc<[String]> = pool.servers().into();
        for (server, offer) in config.snapshots {
            if servers.contains(&server) {
                registry.set_snapshot(&server, offer);
            }
        }
        let policy = Arc::new(config.policy);
        let (version, offers) = registry.offers();
        let view = View::build(version, &offers, &policy, &servers);
        let unknown = Unknown {
            pending: servers
                .iter()
                .filter(|server| !registry.is_known(server))
                .cloned()
                .collect(),
            ..Unknown::default()
        };
        let gateway = Self(Arc::new(Shared {
            policy,
            servers,
            tiers: Tiers {
                // Behind a gateway nothing is listed until it is found, but for what is named.
                defer_mcp_tools: !config.tiers.core.iter().any(|name| name == "*"),
                ..config.tiers
            },
            handles: Mutex::new(Sessions::new(Arc::clone(&config.rules))),
            governed: config
                .rules
                .governed_tools()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            hubs: config
                .rules
                .triggers
                .iter()
                .map(|trigger| trigger.hub.clone())
                .collect(),
            clock: config.clock,
            absent: config.absent,
            pool,
            registry,
            view: watch::Sender::new(Arc::new(view)),
            unknown: watch::Sender::new(unknown),
            held: HeldCalls::default(),
            has_looked: AtomicBool::new(false),
            next_session: AtomicU64::new(0),
            sessions: std::sync::atomic::AtomicUsize::new(0),
        }));
        gateway.run(config.keep);
        if config.looks_at_once {
            gateway.look_first(&Owner::Shared);
        }
        gateway
    }

    /// Starts what goes on in the background; it ends with the gateway.
    fn run(&self, keep: Arc<dyn Keep>) {
        let shared = &self.0;
        let lister = GatewayLister {
            pool: shared.pool.clone(),
            keep,
            unknown: shared.unknown.clone(),
        };
        // Subscribed to before the first server is started.
        let events = shared.pool.events();
        let debounce = shared.pool.limits().list_changed_debounce;
        let bridge = bridge::run(Arc::clone(&shared.registry), Arc::new(lister), events, debounce);
        let mut changes = shared.registry.subscribe();
        let weak = Arc::downgrade(shared);
        tokio::spawn(end_revoked(Weak::clone(&weak)));
        let mut dropped = shared.view.subscribe();
        tokio::spawn(async move {
            let views = async {
                while changes.changed().await.is_ok() {
                    let Some(shared) = weak.upgrade() else { return };
                    shared.build_view().await;
                }
            };
            tokio::select! {
                () = bridge => {}
                () = views => {}
                () = async { while dropped.changed().await.is_ok() {} } => {}
            }
        });
    }

    /// What can be found now.
    fn view(&self) -> Arc<View> {
        Arc::clone(&self.0.view.borrow())
    }

    /// The servers that an agent is told of: not those that the policy leaves nothing of, nor names that would say more
    /// than a name.
    fn servers_behind(&self) -> Vec<String> {
        const LONGEST: usize = 64;
        let view = self.view();
        let mut servers = self.0.pool.servers();
        servers.retain(|server| {
            let offers_something = match view.offers.get(server) {
                None => true,
                Some(offer) => {
                    !(offer.resources.is_empty() && offer.templates.is_empty() && offer.prompts.is_empty())
                        || view.catalogue.tools.iter().any(|tool| tool.server == *server)
                }
            };
            let is_name = server.chars().count() <= LONGEST
                && server
                    .chars()
                    .all(|one| one.is_alphanumeric() || "-_.:/@ ".contains(one));
            offers_something && is_name
        });
        servers
    }

    fn now(&self) -> Duration {
        (self.0.clock)()
    }

    fn handles<T>(&self, work: impl FnOnce(&mut Sessions) -> T) -> T {
        work(&mut self.0.handles.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends all servers; the gateway answers nothing any more that needs one.
    pub async fn close(&self) {
        self.0.held.close();
        self.0.pool.close().await;
    }

    /// The number of a new client, and the handle of its connection.
    fn open_session(&self) -> (u64, String) {
        self.0.sessions.fetch_add(1, Ordering::AcqRel);
        let id = self.0.next_session.fetch_add(1, Ordering::Relaxed);
        let handle = format!("session-{id}");
        self.handles(|handles| handles.hold(&handle));
        (id, handle)
    }

    /// Whether one more client can be served.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.0.sessions.load(Ordering::Acquire) < MAX_SESSIONS
    }

    fn close_session(&self, session: u64, handle: &str) {
        self.0.sessions.fetch_sub(1, Ordering::AcqRel);
        self.0.held.close_session(session);
        self.handles(|handles| handles.close(handle));
        self.0.pool.close_session(session);
    }
}

impl Shared {
    /// Makes the view of what the registry says now, away from the thread that answers.
    async fn build_view(&self) {
        let (version, offers) = self.registry.offers();
        let (policy, servers) = (Arc::clone(&self.policy), Arc::clone(&self.servers));
        let build = move || View::build(version, &offers, &policy, &servers);
        let built = tokio::task::spawn_blocking(build).await;
        if let Ok(view) = built {
            self.view.send_replace(Arc::new(view));
        }
    }
}

/// Ends servers that run and to which the user does not agree any more, whatever they are doing: what was taken back is not
/// to go on, and who waits for its answer is told.
async fn end_revoked(gateway: Weak<Shared>) {
    loop {
        sleep(LOOK).await;
        let Some(shared) = gateway.upgrade() else { return };
        for server in shared.pool.running() {
            if shared.pool.may_run(&server).is_err() {
                shared.held.close_server(&server);
            }
        }
    }
}

/// The pool, as the bridge asks it.
struct GatewayLister {
    pool: Pool,
    keep: Arc<dyn Keep>,
    unknown: watch::Sender<Unknown>,
}

impl Lister for GatewayLister {
    fn running(&self) -> Vec<String> {
        self.pool.running()
    }

    fn list(&self, server: &str) -> BoxFuture<'static, Result<Offer, String>> {
        self.pool.list(server)
    }

    fn keep(&self, server: &str, offer: &Offer) {
        self.keep.keep(server, &self.pool.protocol(server), offer);
        self.unknown
            .send_if_modified(|unknown| unknown.failed.remove(server).is_some());
    }

    fn failed(&self, server: &str, reason: &str) {
        self.keep.failed(server, reason);
        self.unknown.send_if_modified(|unknown| {
            let is_looked_at = unknown.pending.remove(server) | unknown.again.remove(server);
            if is_looked_at {
                let error = ServerError::new(FailureKind::Protocol, reason);
                unknown.failed.insert(server.to_owned(), error);
            }
            is_looked_at
        });
    }
}
