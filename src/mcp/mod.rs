//! MCP servers: what would be started, with whose consent, and what they offer once asked (spec, mcp).
//!
//! Reading a configuration starts nothing. [`LaunchPlan`] is what starting a server would mean, as plain data, so that
//! it can be shown, digested and approved before anything runs. What connects, asks and serves comes after it, and is
//! the only part of this library that needs an asynchronous runtime: the feature `mcp`.

mod approvals;
#[cfg(feature = "install")]
mod approve;
#[cfg(feature = "mcp")]
pub mod bridge;
#[cfg(feature = "mcp")]
mod catalogue;
#[cfg(feature = "mcp")]
pub mod client;
mod configured;
mod digest;
mod entry;
mod environment;
mod expand;
#[cfg(feature = "mcp")]
mod gates;
#[cfg(feature = "mcp")]
pub mod gateway;
mod home;
#[cfg(feature = "mcp")]
mod json;
mod launch;
mod limits;
#[cfg(feature = "mcp")]
mod open;
#[cfg(feature = "mcp")]
pub mod pool;
pub mod qualified;
#[cfg(feature = "mcp")]
mod registry;
mod report;
mod secrets;
mod snapshot;
#[cfg(all(test, feature = "mcp"))]
mod testing;

pub use approvals::{Approvals, Consent, Difference};
#[cfg(feature = "install")]
pub use approve::{approve, revoke};
#[cfg(feature = "mcp")]
pub use catalogue::catalogue;
pub use configured::{Configured, ConfiguredServer, Obstacle, OutOfUse, configured};
pub use digest::digest;
pub use entry::{
    Content, Offer, PromptArgument, PromptEntry, PromptText, ResourceEntry, TemplateEntry, Wanted,
};
pub use environment::UserEnvironment;
#[cfg(feature = "mcp")]
pub use gates::Gates;
pub use home::{home_config, home_config_path};
pub use launch::{Launch, LaunchError, LaunchPlan, Preview, Site};
pub use limits::Limits;
#[cfg(feature = "mcp")]
pub use registry::Registry;
pub use report::{difference_view, servers_report};
pub use snapshot::{Snapshot, SnapshotBeginning, Snapshots, Stale};
