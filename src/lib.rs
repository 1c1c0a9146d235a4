//! What a coding agent loads in a directory, and why each thing won.
//!
//! [`DiscoveryManager`] answers for one directory: which roots a host looks at, which skills, commands, agents
//! and configuration files are there, and for every name the whole override chain, winner first, each loser with
//! the [`Rule`](model::Rule) that made it lose.
//!
//! The library never prints, never exits, and never looks at the process's environment by itself (but for
//! [`DiscoveryManager::with_defaults`] and [`Environment::from_process`], which say so). Looking only reads. What
//! writes does so in the Aleph home alone: `plugin::install`, `mcp::approve` and `mcp::revoke` under the feature `install`, and
//! [`Snapshots::write`](mcp::Snapshots::write). What starts programs is `mcp::client` and what is made with it, under the feature
//! `mcp`, and git in `plugin::install`.

pub mod discovery;
pub mod host;
pub mod mcp;
pub mod model;
pub mod parse;
pub mod plugin;
pub mod report;
pub mod tools;

pub use discovery::{
    DirectoryScanner, DiscoveredPath, DiscoveryConfig, DiscoveryError, DiscoveryManager, Environment,
    ScanDirectory, find_upward, validate_path_component,
};
pub use host::HostProfile;
pub use model::DiscoverySource;

/// The README's example of the library compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
