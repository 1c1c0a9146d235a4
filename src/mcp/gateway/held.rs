//! Calls that wait for a client of 2026-07-28 to answer what a server of an older revision asks.
//!
//! Such a server asks in mid-call and waits; such a client is asked by the answer to its call, and calls again with its
//! answers. What the server has not answered is held meanwhile. The client knows it by a state that cannot be guessed,
//! and claims it by the same call, once.
//!
//! People take their time, so a call may be held for long. Where there is no room for another, one that nobody can go on
//! with goes for it, then one of whoever has the most, then the oldest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ErrorData, JsonObject};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::call::Leased;
use super::reply::Reply;
use super::session::random_name;
use crate::mcp::Limits;
use crate::mcp::pool::{Failed, Held};

/// How many calls may be held.
const MOST: usize = 64;

/// How many bytes their questions may have together.
const MOST_BYTES: usize = Limits::MAX_ANSWER_BYTES;

/// What the states of held calls begin with. Others are those of servers, and so may these be: a server of 2026-07-28 may be
/// such a gateway.
const STATE: &str = "aleph-held-";

/// Whether this is the state of a held call, of this gateway or another one.
pub(super) fn is_state(state: Option<&str>) -> bool {
    state.is_some_and(|state| state.starts_with(STATE))
}

/// A held call is over that a client wants to go on with.
pub(super) fn too_late() -> Failed {
    let sentence = "the call that these answers belong to is over, since they came too late, or it went for those of others: make the \
         call again";
    Failed::Over(sentence.to_owned())
}

/// Whose call it is, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// The session of a client that has a connection that lasts.
    session: Option<u64>,
    /// The digest of what is called, and with what; none where no call is held.
    call: Option<[u8; 32]>,
}

impl Bound {
    /// This call of a client of 2026-07-28 or newer.
    pub(super) fn of(session: Option<u64>, request: &CallToolRequestParams) -> Self {
        let call = json!([request.name, request.arguments]).to_string();
        Self {
            session,
            call: Some(Sha256::digest(call).into()),
        }
    }

    /// A call of a client that is asked by requests.
    pub(super) const fn to_nothing() -> Self {
        Self {
            session: None,
            call: None,
        }
    }
}

/// Who a client says that it is: what is shared is shared among them. Over HTTP nothing but its address and its own word
/// tells a client of 2026-07-28 from another, and whoever has the token may say anything; so it is for those who mean well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Who([u8; 32]);

impl Who {
    /// A client of this description.
    pub(super) fn of(description: &str) -> Self {
        Self(Sha256::digest(description).into())
    }
}

/// How long calls are held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// At most.
    pub(super) longest: Duration,
    /// At least, whoever else wants to be: a client that has no more than the others is not driven out at once.
    pub(super) least: Duration,
}

/// A call that is held.
struct Entry {
    held: Box<Held>,
    bound: Bound,
    who: Who,
    since: Instant,
    /// How many bytes its questions have.
    bytes: usize,
    /// The session of disclosure that it was made in.
    handle: String,
    /// The tool that it calls does not hide meanwhile.
    _lease: Option<Leased>,
    _timer: Timer,
}

/// Ends the time of a call that is held no more.
struct Timer(AbortHandle);

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The calls that are held. Whatever is dropped is cancelled on its server.
#[derive(Clone, Default)]
pub(super) struct HeldCalls(Arc<Mutex<HashMap<String, Entry>>>);

impl HeldCalls {
    fn entries<T>(&self, work: impl FnOnce(&mut HashMap<String, Entry>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The session of disclosure of the held call that a state names, if it is this call.
    pub(super) fn handle(&self, state: Option<&str>, bound: &Bound) -> Option<String> {
        self.entries(|entries| {
            let entry = entries.get(state?)?;
            (entry.bound == *bound).then(|| entry.handle.clone())
        })
    }

    /// Holds a call; what the client is answered meanwhile.
    ///
    /// # Errors
    ///
    /// The call again, and why it is not held.
    pub(super) fn hold(
        &self,
        held: Box<Held>,
        (bound, who): (Bound, Who),
        handle: &str,
        lease: &mut Option<Leased>,
        patience: Patience,
    ) -> Result<Reply, (Box<Held>, ErrorData)> {
        let refuse = |held: Box<Held>, why: String| Err((held, ErrorData::internal_error(why, None)));
        let state = match random_name() {
            Ok(name) => format!("{STATE}{name}"),
            Err(why) => return refuse(held, why),
        };
        let questions: JsonObject = held
            .questions()
            .map(|(name, question)| {
                let mut params = question.params.clone();
                // The client's progress with a question is told by nobody here.
                let meta = params.as_mut().and_then(|params| params.get_mut("_meta"));
                if let Some(meta) = meta.and_then(Value::as_object_mut) {
                    meta.remove("progressToken");
                }
                let mut asked = json!({"method": question.method});
                if let (Some(params), Some(asked)) = (params, asked.as_object_mut()) {
                    asked.insert("params".to_owned(), Value::Object(params));
                }
                (name, asked)
            })
            .collect();
        let bytes = questions
            .values()
            .map(|question| question.to_string().len())
            .sum();
        let reply = Reply::asking(questions, &state);
        if bytes > MOST_BYTES {
            return refuse(held, format!("what is asked has more than {MOST_BYTES} bytes"));
        }
        let mut gone = Vec::new();
        let outcome = self.entries(|entries| {
            let is_full = |entries: &HashMap<String, Entry>| {
                let all = entries.values().map(|entry| entry.bytes).sum::<usize>();
                entries.len() >= MOST || all + bytes > MOST_BYTES
            };
            while is_full(entries) {
                match take_one(entries, |_| true, who, patience.least) {
                    Some(entry) => gone.push(entry),
                    None => {
                        let why = format!("{MOST} calls wait for the answers of clients already");
                        return refuse(held, why);
                    }
                }
            }
            let late = Arc::downgrade(&self.0);
            let name = state.clone();
            let timer = tokio::spawn(async move {
                sleep(patience.longest).await;
                if let Some(late) = late.upgrade() {
                    let gone = Self(late).entries(|entries| entries.remove(&name));
                    drop(gone);
                }
            });
            let entry = Entry {
                held,
                bound,
                who,
                since: Instant::now(),
                bytes,
                handle: handle.to_owned(),
                _lease: lease.take(),
                _timer: Timer(timer.abort_handle()),
            };
            entries.insert(state, entry);
            Ok(reply)
        });
        drop(gone);
        outcome
    }

    /// Ends a call that is held on a server, for one of another client or one that can go on; whether there was one.
    pub(super) fn make_room_at(&self, server: &str, who: Who, least: Duration) -> bool {
        let is_at = |entry: &Entry| entry.held.server().name() == server;
        self.entries(|entries| take_one(entries, is_at, who, least))
            .is_some()
    }

    /// The held call that a client goes on with; none if its state is no such or no more, if it is that of a server, or if it
    /// has none.
    ///
    /// # Errors
    ///
    /// That it goes on with another call.
    pub(super) fn claim(&self, state: Option<&str>, bound: &Bound) -> Result<Option<Box<Held>>, Failed> {
        let Some(state) = state else {
            return Ok(None);
        };
        let claimed = self.entries(|entries| match entries.get(state) {
            Some(entry) if bound.call.is_some() && entry.bound == *bound => Ok(entries.remove(state)),
            Some(_) => Err(Failed::Over(
                "these answers belong to another call: repeat the one that was asked about, with the same arguments"
                    .to_owned(),
            )),
            None => Ok(None),
        });
        Ok(claimed?.map(|entry| entry.held))
    }

    /// Drops what a client that has gone had under way.
    pub(super) fn close_session(&self, session: u64) {
        self.close_where(|entry| entry.bound.session == Some(session));
    }

    /// Drops what is held on a server that is not to run any more.
    pub(super) fn close_server(&self, server: &str) {
        self.close_where(|entry| entry.held.server().name() == server);
    }

    fn close_where(&self, is_meant: impl Fn(&Entry) -> bool) {
        let gone: Vec<Entry> = self.entries(|entries| {
            let gone = entries.extract_if(|_, entry| is_meant(entry));
            gone.map(|(_, entry)| entry).collect()
        });
        drop(gone);
    }

    /// Drops all of them.
    pub(super) fn close(&self) {
        let gone = self.entries(std::mem::take);
        drop(gone);
    }
}

/// Takes out the call that goes for another one of this client, among those that are meant: one whose server has gone,
/// else the oldest of the client that has the most, if that has more than this one would have, else the oldest that was held
/// for the least time.
fn take_one(
    entries: &mut HashMap<String, Entry>,
    is_meant: impl Fn(&Entry) -> bool,
    who: Who,
    least: Duration,
) -> Option<Entry> {
    let meant = || entries.iter().filter(|(_, entry)| is_meant(entry));
    let mut counts: HashMap<Who, usize> = HashMap::new();
    for (_, entry) in meant() {
        *counts.entry(entry.who).or_default() += 1;
    }
    let own = counts.get(&who).copied().unwrap_or_default();
    let most = counts.values().copied().max().unwrap_or_default();
    let oldest = |is_it: &dyn Fn(&Entry) -> bool| {
        let which = meant().filter(|(_, entry)| is_it(entry));
        which
            .min_by_key(|(_, entry)| entry.since)
            .map(|(state, _)| state.clone())
    };
    let state = oldest(&|entry| entry.held.is_lost())
        .or_else(|| {
            let has_most = |entry: &Entry| counts.get(&entry.who) == Some(&most);
            (most > own + 1).then(|| oldest(&has_most)).flatten()
        })
        .or_else(|| oldest(&|entry| entry.since.elapsed() >= least))?;
    entries.remove(&state)
}
