//! Why a tool is or is not visible, and the next call that would change it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Clause, ClauseKind, DiscoveryRegistry, KnownTools, TriggerRule};

/// Why a tool is or is not visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Qualified name.
    pub name: String,
    /// Whether it is visible: every clause holds.
    pub visible: bool,
    /// The clauses that concern it.
    pub clauses: Vec<Clause>,
    /// What would make it visible, step by step; null if it is, or if nothing would.
    pub next: Option<String>,
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
    let visible = clauses.iter().all(|clause| clause.holds);
    let next = if visible {
        None
    } else {
        next(registry, name, &clauses)
    };
    Explanation {
        name: name.to_owned(),
        visible,
        clauses,
        next,
    }
}

/// What is missing, in the order in which it has to be done.
fn next(registry: &DiscoveryRegistry, name: &str, clauses: &[Clause]) -> Option<String> {
    let fails = |kind: ClauseKind| {
        clauses
            .iter()
            .any(|clause| clause.clause == kind && !clause.holds)
    };
    let rules = registry.rules();
    let rule = rules.tool(name);
    if fails(ClauseKind::Policy) {
        return None;
    }
    let mut steps = Vec::new();
    if fails(ClauseKind::Stage) {
        let stage = rules.stage_name(rule?.stage);
        let advances = |trigger: &&TriggerRule| {
            trigger
                .advance
                .is_some_and(|to| rule.is_some_and(|rule| to >= rule.stage))
        };
        let by = rules
            .triggers
            .iter()
            .find(advances)
            .map(|trigger| format!(" (by calling {})", trigger.call()));
        steps.push(format!("advance to stage `{stage}`{}", by.unwrap_or_default()));
    }
    if fails(ClauseKind::Domain) {
        steps.push(format!("make `{}` the active domain", rule?.domain.as_deref()?));
    }
    if fails(ClauseKind::Unlocked) {
        let current = registry.stages().stage();
        // The trigger that takes least: one whose stage is reached, else the one with the lowest stage.
        let trigger = rules
            .triggers_of(name)
            .min_by_key(|trigger| trigger.requires_stage)?;
        let first = (trigger.requires_stage > current)
            .then(|| format!("advance to stage `{}`", rules.stage_name(trigger.requires_stage)))
            .filter(|step| !steps.contains(step));
        steps.extend(first);
        steps.push(format!("call {}", trigger.call()));
    } else if fails(ClauseKind::Lease) || fails(ClauseKind::NotHidden) {
        steps.push(format!("show {name}"));
    }
    if fails(ClauseKind::Unlocked) && fails(ClauseKind::NotHidden) {
        steps.push(format!("show {name}"));
    }
    Some(steps.join(", then "))
}
