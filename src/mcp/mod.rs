//! MCP servers: what would be started, with whose consent, and what they offer once asked (spec, mcp).
//!
//! Reading a configuration starts nothing. [`LaunchPlan`] is what starting a server would mean, as plain data, so that
//! it can be shown, digested and approved before anything runs. What connects, asks and serves comes after it, and is
//! the only part of this library that needs an asynchronous runtime: the feature `mcp`.

#[cfg(feature = "mcp")]
pub mod client;
mod entry;
mod launch;
mod limits;
pub mod qualified;

pub use entry::{
    Content, Offer, PromptArgument, PromptEntry, PromptText, ResourceEntry, TemplateEntry, Wanted,
};
pub use launch::{Launch, LaunchPlan};
pub use limits::Limits;
