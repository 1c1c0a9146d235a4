//! The flags of `serve`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::complete;

/// Flags of `serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Serve streamable HTTP at this address instead of standard input and output; a free port of this machine without
    /// one
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub(crate) http: Option<String>,
    /// Let ADDR be an address that other machines reach
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,
    /// Put this server behind the gateway, approved or not, and no others than are named (repeatable)
    #[arg(long = "server", value_name = "NAME", add = complete::servers())]
    pub(crate) servers: Vec<String>,
    /// Rules of disclosure, instead of `disclosure.toml` in the Aleph home
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Print what to paste into the configuration of an agent, and where, and do nothing else
    #[arg(long, value_name = "AGENT", value_enum, conflicts_with_all = ["http", "allow_remote"])]
    pub(crate) print_config: Option<Agent>,
}

/// An agent that can be given the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
    /// Cursor
    Cursor,
}
