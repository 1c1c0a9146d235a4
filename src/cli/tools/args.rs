//! The flags of `tools …`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Tools on demand.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct Tools {
    #[command(subcommand)]
    pub(in crate::cli) command: ToolsCommand,
}

/// The questions about tools.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ToolsCommand {
    /// What is wrong with a file of disclosure rules
    #[command(
        after_help = "Examples:\n  aleph-discover tools lint ~/.aleph/disclosure.toml\n  aleph-discover tools lint rules.toml --json"
    )]
    Lint(Lint),
    /// Why a tool is or is not visible, clause by clause, and the next call that would change it
    #[command(
        after_help = "Examples:\n  aleph-discover tools explain hub__deep_analysis\n  aleph-discover tools explain hub__deep_analysis --rules rules.toml --session events.jsonl"
    )]
    Explain(Explain),
    /// Replays a session: events on standard input, one JSON line for each on standard output
    #[command(
        after_help = "Examples:\n  aleph-discover tools simulate rules.toml < events.jsonl\n  echo '{\"call\": \"hub__session\", \"arguments\": {\"operation\": \"analyze\"}}' | aleph-discover tools simulate rules.toml"
    )]
    Simulate(Simulate),
}

/// Flags of `tools lint`.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct Lint {
    /// The rules file
    #[arg(value_name = "FILE")]
    pub(in crate::cli) file: PathBuf,
}

/// Flags of `tools explain`.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct Explain {
    /// Qualified name of the tool
    #[arg(value_name = "NAME")]
    pub(in crate::cli) name: String,
    /// The rules file instead of disclosure.toml in the Aleph home
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) rules: Option<PathBuf>,
    /// Events that happened before, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) session: Option<PathBuf>,
}

/// Flags of `tools simulate`.
#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct Simulate {
    /// The rules file
    #[arg(value_name = "FILE")]
    pub(in crate::cli) file: PathBuf,
}
