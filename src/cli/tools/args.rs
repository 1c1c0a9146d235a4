//! The flags of `tools`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use aleph_discover::model::ComponentKind;
use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::complete;

/// The questions about tools.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    #[command(subcommand)]
    pub(crate) command: ToolsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// The tools that do what a query says, best first, with their schemas
    #[command(
        after_help = "In a query: select:NAME,NAME takes exact names, +word requires a word, server:NAME keeps to a server,\nand /regex/ matches names, titles and descriptions; docs/search.md has the whole of it.\n\nExamples:\n  aleph-discover tools search \"send a message to a channel\" --catalog tools.json\n  aleph-discover tools search \"server:git show history\" --limit 3 --json\n  aleph-discover tools search \"drop a table\" --rules rules.toml --session events.jsonl"
    )]
    Search(Search),
    /// Every tool, and why those that cannot be used cannot
    #[command(
        after_help = "Examples:\n  aleph-discover tools list --catalog tools.json\n  aleph-discover tools list --kind skill --json"
    )]
    List(Sources),
    /// The full schema of one tool
    #[command(
        after_help = "Examples:\n  aleph-discover tools schema git__log --catalog tools.json\n  aleph-discover tools schema log --json --catalog tools.json"
    )]
    Schema(Schema),
    /// What the first list of tools costs, in bytes and estimated tokens
    #[command(
        after_help = "Examples:\n  aleph-discover tools budget --catalog tools.json\n  aleph-discover tools budget --each --catalog tools.json"
    )]
    Budget(Budget),
    /// What is wrong with a file of disclosure rules
    #[command(
        after_help = "Examples:\n  aleph-discover tools lint ~/.aleph/disclosure.toml\n  aleph-discover tools lint rules.toml --catalog tools.json --json"
    )]
    Lint(Lint),
    /// Why a tool is or is not visible, clause by clause, and the next call that would change it
    #[command(
        after_help = "Examples:\n  aleph-discover tools explain hub__deep_analysis\n  aleph-discover tools explain hub__deep_analysis --rules rules.toml --session events.jsonl"
    )]
    Explain(Explain),
    /// Replays a session: events on standard input, one JSON line for each on standard output
    #[command(
        after_help = "Examples:\n  aleph-discover tools simulate rules.toml < events.jsonl\n  aleph-discover tools simulate rules.toml --catalog tools.json < events.jsonl"
    )]
    Simulate(Simulate),
}

/// Where tools come from; the snapshots in the Aleph home always count.
#[derive(Debug, Args)]
pub(crate) struct Sources {
    /// Read tools from FILE: an answer to tools/list, a list of tools, a map of servers to tools, or JSON lines; `-`
    /// reads standard input (repeatable)
    #[arg(long, value_name = "FILE", add = complete::files())]
    pub(crate) catalog: Vec<PathBuf>,
    /// Also the components of these kinds that are in effect: skills, commands, agents (repeatable)
    #[arg(long = "kind", value_name = "KIND", value_enum)]
    pub(crate) kind: Vec<CallableKind>,
    /// Ask the approved MCP servers now, instead of reading what they had when they were refreshed
    #[arg(long)]
    pub(crate) live: bool,
}

/// A kind of component that can be called: singular or plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallableKind(pub(crate) ComponentKind);

impl ValueEnum for CallableKind {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [CallableKind; 3] = [
            CallableKind(ComponentKind::Skill),
            CallableKind(ComponentKind::Command),
            CallableKind(ComponentKind::Agent),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()).alias(self.0.plural()))
    }
}

/// Flags of `tools search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What the tool is to do, or its name
    #[arg(
        value_name = "QUERY",
        required_unless_present = "queries",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    pub(crate) query: Option<String>,
    /// Ask every query of FILE, one a line or as JSON lines with `id` and `query`, and print one JSON answer a line;
    /// `-` reads standard input
    #[arg(long, value_name = "FILE", add = complete::files())]
    pub(crate) queries: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Show at most N tools
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::new(5).unwrap_or(NonZeroUsize::MIN))]
    pub(crate) limit: NonZeroUsize,
    /// Show at most N tools of one server (not with --ranker bm25)
    #[arg(long, value_name = "N")]
    pub(crate) cap: Option<NonZeroUsize>,
    /// How to rank
    #[arg(long, value_name = "RANKER", value_enum, default_value_t = RankerArg::Fields)]
    pub(crate) ranker: RankerArg,
    /// Find only what a session sees under the rules of FILE
    #[arg(long, value_name = "FILE", add = complete::files())]
    pub(crate) rules: Option<PathBuf>,
    /// Find only what a session sees after the events of FILE, one JSON object a line; under the rules of --rules, or
    /// of disclosure.toml in the Aleph home
    #[arg(long, value_name = "FILE", add = complete::files())]
    pub(crate) session: Option<PathBuf>,
}

/// Flags of `tools schema`.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// The tool's full name, or its name on its server where only one has it
    #[arg(value_name = "NAME", add = complete::tools())]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) sources: Sources,
}

/// Flags of `tools budget`.
#[derive(Debug, Args)]
pub(crate) struct Budget {
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Show every tool (tables only; JSON always has them)
    #[arg(long)]
    pub(crate) each: bool,
}

/// How to rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankerArg {
    /// Weighted fields, stems, synonyms, misspellings
    Fields,
    /// Plain BM25 over name and description
    Bm25,
}

/// Flags of `tools lint`.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// The rules file
    #[arg(value_name = "FILE", add = complete::files())]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) sources: Sources,
}

/// Flags of `tools explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The tool's full name, or its name on its server where only one has it
    #[arg(value_name = "NAME", add = complete::tools())]
    pub(crate) name: String,
    /// The rules file instead of disclosure.toml in the Aleph home
    #[arg(long, value_name = "FILE", add = complete::files())]
    pub(crate) rules: Option<PathBuf>,
    /// Events that happened before, one JSON object a line
    #[arg(long, value_name = "FILE", add = complete::files())]
    pub(crate) session: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: Sources,
}

/// Flags of `tools simulate`.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// The rules file
    #[arg(value_name = "FILE", add = complete::files())]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) sources: Sources,
}
