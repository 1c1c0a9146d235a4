//! The sessions over HTTP, and when each was last used: clients that vanish without a word must not keep others out.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use tokio::time::Instant;

/// How long nothing must have been heard in a session for it to go for a newcomer.
pub(super) const IDLE: Duration = Duration::from_secs(60);

/// What is known of a session.
struct Visit {
    last: Instant,
    /// Requests that are being answered.
    calls: usize,
    /// Streams that the client listens to.
    streams: usize,
}

/// The sessions, by the name that the SDK gave each.
#[derive(Clone)]
pub(super) struct Visitors {
    visits: Arc<Mutex<HashMap<Arc<str>, Visit>>>,
    /// How long nothing must have been heard in a session for it to go.
    idle: Duration,
}

impl Visitors {
    pub(super) fn new(idle: Duration) -> Self {
        Self {
            visits: Arc::default(),
            idle,
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<Arc<str>, Visit>) -> T) -> T {
        work(&mut self.visits.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A session has begun. Those of which nothing was heard for so long that the SDK has ended them are forgotten.
    pub(super) fn begin(&self, session: &str, forgotten: Duration) {
        let now = Instant::now();
        self.with(|visits| {
            visits.retain(|_, visit| visit.is_used() || now.duration_since(visit.last) < forgotten);
            let visit = Visit {
                last: now,
                calls: 0,
                streams: 0,
            };
            visits.insert(session.into(), visit);
        });
    }

    /// A session is over.
    pub(super) fn end(&self, session: &str) {
        self.with(|visits| visits.remove(session));
    }

    /// A session is used until the guard goes: for a call, or by listening. None where there is no such session.
    pub(super) fn use_of(&self, session: &str, listens: bool) -> Option<Use> {
        self.with(|visits| {
            let (session, _) = visits.get_key_value(session)?;
            let session = Arc::clone(session);
            let visit = visits.get_mut(&session)?;
            visit.last = Instant::now();
            *visit.counter(listens) += 1;
            Some(Use {
                visitors: self.clone(),
                session,
                listens,
            })
        })
    }

    /// Takes out the session that has been idle longest, and for as long as it must at least, without a call under way. Those that
    /// nobody listens to go first.
    pub(super) fn take_idle(&self) -> Option<Arc<str>> {
        let now = Instant::now();
        self.with(|visits| {
            let (session, _) = visits
                .iter()
                .filter(|(_, visit)| visit.calls == 0 && now.duration_since(visit.last) >= self.idle)
                .min_by_key(|(_, visit)| (visit.streams > 0, visit.last))?;
            let session = Arc::clone(session);
            visits.remove(&session);
            Some(session)
        })
    }
}

impl Visit {
    const fn is_used(&self) -> bool {
        self.calls > 0 || self.streams > 0
    }

    const fn counter(&mut self, listens: bool) -> &mut usize {
        if listens {
            &mut self.streams
        } else {
            &mut self.calls
        }
    }
}

/// That a session is used.
pub(super) struct Use {
    visitors: Visitors,
    session: Arc<str>,
    listens: bool,
}

impl Drop for Use {
    fn drop(&mut self) {
        self.visitors.with(|visits| {
            if let Some(visit) = visits.get_mut(&self.session) {
                visit.last = Instant::now();
                let counter = visit.counter(self.listens);
                *counter = counter.saturating_sub(1);
            }
        });
    }
}

/// An answer that keeps its session in use until its last byte is taken, or its client is gone.
pub(super) fn held_by(answer: Response, held: Option<Use>) -> Response {
    match held {
        Some(held) => answer.map(|body| Body::new(Held { body, _held: held })),
        None => answer,
    }
}

struct Held {
    body: Body,
    _held: Use,
}

impl HttpBody for Held {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn the_one_idle_longest_goes_and_none_that_is_used() {
        let visitors = Visitors::new(IDLE);
        for session in ["first", "listens", "calls", "last"] {
            visitors.begin(session, HOUR);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let listening = visitors.use_of("listens", true).expect("it is there");
        let call = visitors.use_of("calls", false).expect("it is there");
        assert!(visitors.use_of("unknown", false).is_none());
        assert_eq!(visitors.take_idle(), None, "a minute has not passed");
        tokio::time::advance(IDLE).await;
        // A word of a client counts anew.
        drop(visitors.use_of("first", false));
        assert_eq!(visitors.take_idle().as_deref(), Some("last"));
        assert_eq!(
            visitors.take_idle().as_deref(),
            Some("listens"),
            "then one that only listens"
        );
        drop(listening);
        assert_eq!(visitors.take_idle(), None);
        tokio::time::advance(IDLE).await;
        assert_eq!(visitors.take_idle().as_deref(), Some("first"));
        // The end of a call is a word too.
        drop(call);
        assert_eq!(visitors.take_idle(), None);
        tokio::time::advance(IDLE).await;
        assert_eq!(visitors.take_idle().as_deref(), Some("calls"));
        assert!(visitors.with(|visits| visits.is_empty()));
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_sdk_has_ended_is_forgotten() {
        let visitors = Visitors::new(IDLE);
        visitors.begin("one", HOUR);
        visitors.begin("ended", HOUR);
        visitors.end("ended");
        tokio::time::advance(HOUR).await;
        visitors.begin("two", HOUR);
        assert_eq!(
            visitors.with(|visits| visits.keys().cloned().collect::<Vec<_>>()),
            ["two".into()]
        );
    }
}
