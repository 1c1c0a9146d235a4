//! Answers, each with its reason.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// One of the conditions that a tool must meet to be visible; a closed list, in the order in which they are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClauseKind {
    /// There is such a tool.
    Known,
    /// The operator allows it.
    Policy,
    /// The stage that it needs is reached.
    Stage,
    /// The domain that it belongs to is active.
    Domain,
    /// An operation unlocked it.
    Unlocked,
    /// Its lease still runs.
    Lease,
    /// Nobody hid it.
    NotHidden,
}

impl ClauseKind {
    /// Why a tool is not visible if this does not hold.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::Known => Reason::Unknown,
            Self::Policy => Reason::Denied,
            Self::Stage => Reason::StageUnmet,
            Self::Domain => Reason::DomainUnmet,
            Self::Unlocked => Reason::NeverUnlocked,
            Self::Lease => Reason::Expired,
            Self::NotHidden => Reason::Hidden,
        }
    }
}

/// Why a tool is not visible, in a word; a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// There is no such tool.
    Unknown,
    /// The operator denies it.
    Denied,
    /// The stage that it needs is not reached.
    StageUnmet,
    /// Another domain is active than the one that it belongs to.
    DomainUnmet,
    /// No operation unlocked it yet.
    NeverUnlocked,
    /// Its lease ran out.
    Expired,
    /// Somebody hid it.
    Hidden,
}

impl Reason {
    /// The word used in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Denied => "denied",
            Self::StageUnmet => "stage-unmet",
            Self::DomainUnmet => "domain-unmet",
            Self::NeverUnlocked => "never-unlocked",
            Self::Expired => "expired",
            Self::Hidden => "hidden",
        }
    }
}

/// One condition and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Clause {
    /// The condition.
    pub clause: ClauseKind,
    /// Whether it holds now.
    pub holds: bool,
    /// What there is and what it would take.
    pub detail: String,
}

/// A tool that an operation made visible.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Unlocked {
    /// Qualified name.
    pub tool: String,
    /// The call that did it.
    pub trigger: String,
    /// Why, in the words of the trigger's description or of its conditions.
    pub why: String,
    /// How long it stays visible without being used, in milliseconds; null: as long as the session lasts.
    pub expires_in_ms: Option<u64>,
    /// Its description from now on: that which the rules give it, else its own.
    pub description: Option<String>,
    /// Its whole input schema, since not every client lists its tools again in time; null where the catalogue does
    /// not have it.
    pub schema: Option<Value>,
}

/// A tool that an operation would have made visible, but for the stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pending {
    /// Qualified name.
    pub tool: String,
    /// The stage that is reached.
    pub current_stage: String,
    /// The stage that it takes.
    pub required_stage: String,
    /// What to do: reach the stage and make this call again, since calls are not remembered.
    pub next: String,
}

/// What a call of a hub changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct OperationEffect {
    /// Tools that are visible now and were not before, by name.
    pub newly_discovered: Vec<Unlocked>,
    /// Tools whose trigger matched and that were visible already; their leases were renewed.
    pub already_visible: Vec<String>,
    /// Tools whose trigger matched and that stay hidden because somebody hid them: `show` brings them back.
    pub hidden: Vec<String>,
    /// Tools whose trigger matched and that stay hidden for another reason, which `explain` names.
    pub withheld: Vec<String>,
    /// Tools that would be visible at a later stage.
    pub pending: Vec<Pending>,
    /// The stage that the call advanced to.
    pub advanced_to: Option<String>,
    /// `Tool unlocked: a`, or `Tools unlocked: a, b`; none where nothing was.
    pub message: Option<String>,
}

/// What hiding a tool came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum HideOutcome {
    /// It was visible and is hidden until it is shown.
    Hidden,
    /// It was not visible; it will stay hidden also when it is unlocked.
    AlreadyHidden,
    /// The operator denies it.
    Denied,
    /// There is no such tool.
    Unknown {
        /// The nearest names.
        suggestions: Vec<String>,
    },
}

/// What showing a tool came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum ShowOutcome {
    /// It is visible again.
    Shown,
    /// It was visible already.
    AlreadyVisible,
    /// The stage that it needs is not reached.
    StageUnmet {
        /// The stage that is reached.
        current_stage: String,
        /// The stage that it takes.
        required_stage: String,
    },
    /// Another domain is active than the one that it belongs to.
    DomainUnmet {
        /// The domain that it takes.
        required_domain: String,
    },
    /// It was never unlocked: showing is no way round a trigger.
    NeverUnlocked {
        /// The calls that would unlock it, each by itself; where none of them can be made yet, what to do, step by step.
        next: Vec<String>,
    },
    /// The operator denies it.
    Denied,
    /// There is no such tool.
    Unknown {
        /// The nearest names.
        suggestions: Vec<String>,
    },
}

/// Why a stage was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// No stage has this name.
    #[error("there is no stage `{name}`; the stages are {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The stage is behind the one that is reached.
    #[error("`{requested}` comes before `{current}`: only a reset goes back")]
    Backwards {
        /// What was asked for.
        requested: String,
        /// What is reached.
        current: String,
    },
}

/// Which tools appeared and disappeared; one change, however many tools, is one notification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Visible now and not before, by name.
    pub appeared: Vec<String>,
    /// Visible before and not now, by name.
    pub disappeared: Vec<String>,
}

impl Change {
    /// The difference between two sorted lists of what is visible. Of lists of what is hidden, give the later one
    /// first.
    #[must_use]
    pub fn between(before: &[String], after: &[String]) -> Self {
        let missing = |from: &[String], of: &[String]| {
            of.iter()
                .filter(|name| from.binary_search(name).is_err())
                .cloned()
                .collect()
        };
        Self {
            appeared: missing(before, after),
            disappeared: missing(after, before),
        }
    }

    /// Whether nothing changed, so that nobody needs to be told.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.appeared.is_empty() && self.disappeared.is_empty()
    }
}

/// Whole milliseconds.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
