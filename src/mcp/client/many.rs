//! One question to many servers at once.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::error::{FailureKind, ServerError};
use super::{Plain, connect};
use crate::mcp::entry::{Content, Offer, PromptText, Wanted};
use crate::mcp::{LaunchPlan, Limits};

/// How many servers are asked at once. More than people have, so that those that hang hold nobody up; bounded all the
/// same, since each may be a process.
const AT_ONCE: usize = 64;

/// How often whoever waits is told that nothing happened.
const TICK: Duration = Duration::from_millis(500);

/// What a server is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// For these lists.
    Lists(Vec<Wanted>),
    /// For the resource of this uri of its own.
    Read(String),
    /// For the prompt of this name of its own, with these arguments.
    Prompt(String, Map<String, Value>),
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Its lists, and the revision of the protocol that it speaks.
    Lists(Offer, String),
    /// The parts of a resource.
    Read(Vec<Content>),
    /// A prompt.
    Prompt(PromptText),
}

/// Starts or reaches a server, asks it, and ends it.
///
/// # Errors
///
/// Why it could not be asked. Nothing that was started is left.
pub async fn ask(plan: &LaunchPlan, limits: &Limits, what: &Ask) -> Result<Answer, ServerError> {
    let connection = connect(plan, limits, Plain).await?;
    let answer = match what {
        Ask::Lists(wanted) => {
            let protocol = connection.protocol_version();
            let offer = connection.lists(wanted).await;
            offer.map(|offer| Answer::Lists(offer, protocol))
        }
        Ask::Read(uri) => connection.read_resource(uri).await.map(Answer::Read),
        Ask::Prompt(name, arguments) => connection
            .get_prompt(name, arguments.clone())
            .await
            .map(Answer::Prompt),
    };
    match answer {
        Ok(answer) => {
            connection.close().await;
            Ok(answer)
        }
        Err(error) => Err(connection.close_after(error).await),
    }
}

/// Asks servers the same question, all at once; the answers in the order of the plans. `answered` hears the name of each
/// server as it is done, and none every now and then, for whoever shows how far it is.
///
/// Dropped before it is done, it ends every server that it started.
pub async fn ask_all(
    plans: Vec<LaunchPlan>,
    limits: &Limits,
    what: &Ask,
    mut answered: impl FnMut(Option<&str>),
) -> Vec<Result<Answer, ServerError>> {
    let limits = Arc::new(limits.clone());
    let what = Arc::new(what.clone());
    let gate = Arc::new(Semaphore::new(AT_ONCE));
    let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
    let mut answers: Vec<Option<Result<Answer, ServerError>>> = names.iter().map(|_| None).collect();
    let mut tasks = JoinSet::new();
    for (nth, plan) in plans.into_iter().enumerate() {
        let (limits, what, gate) = (Arc::clone(&limits), Arc::clone(&what), Arc::clone(&gate));
        tasks.spawn(async move {
            // Nobody closes the gate, and without it there is only less order.
            let _pass = gate.acquire().await;
            (nth, ask(&plan, &limits, &what).await)
        });
    }
    let mut tick = tokio::time::interval(TICK);
    loop {
        let done = tokio::select! {
            done = tasks.join_next() => done,
            _ = tick.tick() => {
                answered(None);
                continue;
            }
        };
        let Some(done) = done else { break };
        let Ok((nth, answer)) = done else { continue };
        answered(names.get(nth).map(String::as_str));
        if let Some(place) = answers.get_mut(nth) {
            *place = Some(answer);
        }
    }
    let lost = || ServerError::new(FailureKind::Protocol, "asking it ended without an answer");
    answers
        .into_iter()
        .map(|answer| answer.unwrap_or_else(|| Err(lost())))
        .collect()
}
