//! Looking: from an environment and a host profile to roots, candidates and chains.
//!
//! The flow of one question: [`Environment`] and [`DiscoveryConfig`] give the [`Walk`]; the walk and the host
//! profile give the roots; [`DirectoryScanner`] makes one pass over each component directory and yields every
//! entry as a candidate; `resolve` sorts candidates into chains and says who wins and why. Nothing in here
//! prints, writes, or looks at the process's own environment, but for [`Environment::from_process`].

mod across;
mod beyond;
mod budget;
mod clash;
mod config_files;
mod environment;
mod error;
mod free;
mod gates;
mod glob;
mod hook_files;
mod host_plugins;
mod judge;
mod listing;
mod manager;
mod marker;
mod memory;
pub mod merge;
pub(crate) mod names;
mod native_memory;
mod native_servers;
mod paths;
pub(crate) mod platform;
pub(crate) mod plugins;
mod real_path;
mod repair;
pub(crate) mod resolve;
mod roots;
mod scanner;
mod servers;
mod settings;
pub(crate) mod similar;
mod trust;
mod value_types;

pub use config_files::{ConfigFile, ConfigFiles};
pub use environment::{DEFAULT_UPWARD_DEPTH, DiscoveryConfig, Environment, HOST_VARIABLES};
pub use error::{ComponentNameError, DiscoveryError};
pub use manager::{DiscoveredPath, DiscoveryManager, ScanDirectory};
pub(crate) use native_servers::unusable;
pub use paths::{MAX_NAME_BYTES, Walk, WalkStop, find_upward, validate_path_component};
pub(crate) use real_path::real_or_given;
pub use scanner::{DirectoryScanner, Found};
