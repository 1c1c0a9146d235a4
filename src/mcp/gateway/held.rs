//! Calls that wait for a client of 2026-07-28 to answer what a server of an older revision asks.
//!
//! Such a server asks in mid-call and waits; such a client is asked by the answer to its call, and calls again with its
//! answers. What the server has not answered is held meanwhile. The client knows it by a state that cannot be guessed,
//! and claims it by the same call, once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ErrorData, JsonObject};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::call::Leased;
use super::reply::Reply;
use super::session::random_name;
use crate::mcp::pool::{Failed, Held};

/// How many calls may be held.
const MOST: usize = 64;

/// What the states of held calls begin with. Others are those of servers, and so may these be: a server of 2026-07-28 may be
/// such a gateway.
const STATE: &str = "aleph-held-";

/// Whether this is the state of a held call, of this gateway or another one.
pub(super) fn is_state(state: Option<&str>) -> bool {
    state.is_some_and(|state| state.starts_with(STATE))
}

/// A held call is over that a client wants to go on with.
pub(super) fn too_late() -> Failed {
    let sentence =
        "the call that these answers belong to is over, since they came too late: make the call again";
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

/// A call that is held.
struct Entry {
    held: Box<Held>,
    bound: Bound,
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

    /// Holds a call for so long; what the client is answered meanwhile.
    ///
    /// # Errors
    ///
    /// The call again, and why it is not held.
    pub(super) fn hold(
        &self,
        held: Box<Held>,
        bound: Bound,
        handle: &str,
        lease: &mut Option<Leased>,
        longest: Duration,
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
        let reply = Reply::asking(questions, &state);
        self.entries(|entries| {
            if entries.len() >= MOST {
                let why = format!("{MOST} calls wait for the answers of clients already");
                return refuse(held, why);
            }
            let late = Arc::downgrade(&self.0);
            let name = state.clone();
            let timer = tokio::spawn(async move {
                sleep(longest).await;
                if let Some(late) = late.upgrade() {
                    let gone = Self(late).entries(|entries| entries.remove(&name));
                    drop(gone);
                }
            });
            let entry = Entry {
                held,
                bound,
                handle: handle.to_owned(),
                _lease: lease.take(),
                _timer: Timer(timer.abort_handle()),
            };
            entries.insert(state, entry);
            Ok(reply)
        })
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
        let gone: Vec<Entry> = self.entries(|entries| {
            let is_its = |_: &String, entry: &mut Entry| entry.bound.session == Some(session);
            entries.extract_if(is_its).map(|(_, entry)| entry).collect()
        });
        drop(gone);
    }

    /// Drops all of them.
    pub(super) fn close(&self) {
        let gone = self.entries(std::mem::take);
        drop(gone);
    }
}
