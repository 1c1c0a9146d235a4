//! Why a tool is or is not visible, and the next call that would change it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::plan::{Step, plan};
use super::{Clause, DiscoveryRegistry, KnownTools, Reason};

/// Why a tool is or is not visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Qualified name.
    pub name: String,
    /// Whether it is visible: every clause holds.
    pub visible: bool,
    /// The clauses that concern it.
    pub clauses: Vec<Clause>,
    /// Why it is not visible, in a word: of the first clause that does not hold; null if it is.
    pub reason: Option<Reason>,
    /// The nearest names, where there is no such tool.
    pub suggestions: Vec<String>,
    /// What would make it visible, step by step, the first of which can be done now; null if it is, or if nothing would.
    pub next: Option<String>,
    /// The steps of `next`.
    #[serde(skip)]
    pub steps: Vec<Step>,
}

/// Explains a tool in a session.
#[must_use]
pub fn explain(
    registry: &DiscoveryRegistry,
    name: &str,
    known: &dyn KnownTools,
    now: Duration,
) -> Explanation {
    let clauses = registry.clauses(name, known, now);
    let reason = clauses
        .iter()
        .find(|clause| !clause.holds)
        .map(|clause| clause.clause.reason());
    let steps = match reason {
        Some(_) => plan(registry, name, known, now).unwrap_or_default(),
        None => Vec::new(),
    };
    let suggestions = match reason {
        Some(Reason::Unknown) => registry.nearest(name, known),
        _ => Vec::new(),
    };
    Explanation {
        name: name.to_owned(),
        visible: reason.is_none(),
        clauses,
        reason,
        suggestions,
        next: words(&steps, ToString::to_string),
        steps,
    }
}

impl Explanation {
    /// As [`next`](Self::next), with each step in one's own words.
    #[must_use]
    pub fn next_in_words(&self, say: impl Fn(&Step) -> String) -> Option<String> {
        words(&self.steps, say)
    }
}

/// Steps in a sentence; of very many the first.
fn words(steps: &[Step], say: impl Fn(&Step) -> String) -> Option<String> {
    const SHOWN: usize = 12;
    let mut told: Vec<String> = steps.iter().take(SHOWN).map(say).collect();
    match steps.len().saturating_sub(SHOWN) {
        0 => {}
        more => told.push(format!("{more} more")),
    }
    (!told.is_empty()).then(|| told.join(", then "))
}
