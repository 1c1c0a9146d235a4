//! The words of the project as types; no I/O here.
//!
//! Everything else in the crate is written in these words: a [`Root`] is a directory that is looked at, a
//! [`Candidate`] is one thing on disk that could define a component, a [`Chain`] is all candidates of one
//! kind and id, a [`State`] is what became of a candidate and a [`Rule`] or a [`Code`] is why.

mod candidate;
mod chain;
mod code;
mod diagnostic;
mod hex;
mod host;
mod kind;
mod nearest;
mod plugin;
mod root;
mod rule;
mod source;
mod state;
mod words;

pub use candidate::{Candidate, Detail, FileIdentity, Form, FreePlace, IdOrigin, Place};
pub use chain::{CandidateRef, Chain, ChainSpan, ChainState, Resolution};
pub use code::Code;
pub use diagnostic::{Diagnostic, Severity, Subject};
pub use host::HostId;
pub use kind::ComponentKind;
pub use nearest::nearest;
pub use plugin::{
    Definition, HookDefinition, PluginFormat, PluginPart, ServerDefinition, Transport, TrustTier,
};
pub use root::{Root, RootDir, RootReason, RootStatus, RootTerms};
pub use rule::Rule;
pub use source::{DiscoverySource, Family, Scope};
pub use state::State;
pub use words::{WordPool, Words};

pub use hex::hex;
