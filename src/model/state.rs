//! What became of a candidate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a candidate in one chain; a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// In effect: the winner.
    Active,
    /// Loses to another candidate.
    Shadowed,
    /// Loses, and its bytes equal the winner's: harmless.
    Identical,
    /// The same real file as another candidate of the chain, reached by another path.
    Alias,
    /// In effect, but only under its qualified id.
    Namespaced,
    /// In effect together with others.
    Additive,
    /// Switched off.
    Disabled,
    /// Not in effect until it is trusted or approved.
    Untrusted,
    /// Malformed.
    Invalid,
    /// Refused by a safety rule.
    Rejected,
    /// There, but this host does not read it.
    Ignored,
    /// The operating system refused to let it be read.
    Unreadable,
}

impl State {
    /// Every state, in the order of the specification.
    pub const ALL: [Self; 12] = [
        Self::Active,
        Self::Shadowed,
        Self::Identical,
        Self::Alias,
        Self::Namespaced,
        Self::Additive,
        Self::Disabled,
        Self::Untrusted,
        Self::Invalid,
        Self::Rejected,
        Self::Ignored,
        Self::Unreadable,
    ];

    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Shadowed => "shadowed",
            Self::Identical => "identical",
            Self::Alias => "alias",
            Self::Namespaced => "namespaced",
            Self::Additive => "additive",
            Self::Disabled => "disabled",
            Self::Untrusted => "untrusted",
            Self::Invalid => "invalid",
            Self::Rejected => "rejected",
            Self::Ignored => "ignored",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether the host uses a candidate in this state.
    #[must_use]
    pub const fn is_in_effect(self) -> bool {
        matches!(self, Self::Active | Self::Namespaced | Self::Additive)
    }

    /// Whether a valid candidate in this state lost to another one.
    #[must_use]
    pub const fn is_loser(self) -> bool {
        matches!(self, Self::Shadowed | Self::Identical | Self::Alias)
    }

    /// Whether a candidate in this state was out of the running: it neither wins nor shadows.
    #[must_use]
    pub const fn is_out_of_the_running(self) -> bool {
        !self.is_in_effect() && !self.is_loser()
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
