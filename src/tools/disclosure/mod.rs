//! Staged and operation-triggered disclosure: which tools are visible now, and what would make the rest visible.
//!
//! [`Rules`] come from `disclosure.toml`; a [`DiscoveryRegistry`] holds what one session has reached under them. There
//! is one rule of visibility, [`DiscoveryRegistry::clauses`], and listing, searching, describing and calling all ask
//! it. Visibility is computed when it is asked for, from the stage, the domain, what was unlocked, what was hidden and
//! which leases still run; nothing is switched on or off, so nothing can be forgotten in the wrong state.
//!
//! Hiding is not authorization: what may never be called is the gateway's `allow` and `deny` to say.

mod catalogue;
mod condition;
mod events;
mod explain;
mod lint;
mod outcome;
mod plan;
mod read;
mod registry;
mod rules;
mod sessions;
mod stages;
#[cfg(test)]
mod tests;
mod visibility;

pub use catalogue::CatalogueTools;
pub use condition::{ArgumentConditions, Condition};
pub use events::{DEFAULT_HANDLE, Event, EventAnswer, Simulation, read_event};
pub use explain::{Explanation, explain};
pub use lint::{Lint, lint};
pub use outcome::{
    Change, Clause, ClauseKind, HideOutcome, OperationEffect, Pending, Reason, ShowOutcome, StageError,
    Unlocked,
};
pub use plan::Step;
pub use read::read_rules;
pub use registry::{DiscoveryRegistry, KnownTools, NoCatalogue};
pub use rules::{DEFAULT_STAGES, Rules, Stage, ToolRule, TriggerRule};
pub use sessions::{MAX_SESSIONS, Sessions};
pub use stages::ToolRegistry;
