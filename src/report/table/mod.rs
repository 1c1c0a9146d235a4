//! Reports for people: tables, and sentences where a table would not do.
//!
//! What is shown of a stranger's tree goes through [`escape`](super::escape) first. Width is counted in columns of
//! the terminal. Without a width, as in a pipe, nothing is wrapped and nothing is cut.

mod advice;
mod config_files;
mod entries;
mod explain;
mod findings;
mod hosts;
mod install;
mod layout;
mod merged;
mod on_demand;
mod paint;
mod path;
mod plugin_checks;
mod plugins;
mod prose;
mod roots;
mod scan;
mod servers;
mod talk;
mod tools;
mod why;
mod words;

use std::path::PathBuf;

pub use config_files::config_files;
pub use explain::{explanation, explanations};
pub use findings::{diagnostics, hints};
pub use hosts::{hosts, why_hosts};
pub use install::{change, marketplaces, verified};
pub use on_demand::{mcp_prompt, mcp_prompts, mcp_read, mcp_refresh, mcp_resources, mcp_templates};
pub use plugin_checks::{disclosure, validation};
pub use plugins::{plugin, plugins, plugins_hints};
pub use roots::roots;
pub use scan::scan;
pub use servers::{servers, servers_hints, would_run};
pub use talk::{config_hints, roots_diagnostics, scan_hints, why_diagnostics, why_hints};
pub use tools::{tools_budget, tools_list, tools_schema, tools_search};
pub use why::why;

/// How tables are to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether to use colours.
    pub color: bool,
    /// Whether to make paths clickable.
    pub hyperlinks: bool,
    /// Width of the terminal in columns; none where lines must neither wrap nor be cut.
    pub width: Option<usize>,
    /// Show paths relative to this directory.
    pub relative_to: Option<PathBuf>,
    /// What the reader's shell takes `~` for; none to show such paths in full.
    pub home: Option<PathBuf>,
    /// Leave out headline and summary.
    pub quiet: bool,
}

/// How much a table of `scan` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What is in effect, and what it beat.
    InEffect,
    /// Also what is ignored, rejected or malformed, and missing roots.
    Everything,
}

#[cfg(test)]
mod tests;
