//! The flags of `mcp`.

use clap::{Args, Subcommand};

use crate::cli::complete;

/// The questions about MCP servers.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Every configured server: from which file, who shadows whom, what would be started, approved or not
    #[command(
        after_help = "Nothing is started.\n\nExamples:\n  aleph-discover mcp servers\n  aleph-discover mcp servers --json\n  aleph-discover mcp servers --host claude-code"
    )]
    Servers,
    /// Say yes to a server: shows what would run and what of your environment it would see, and asks
    #[command(
        after_help = "Nothing is started. The yes is to the definition as it is now: when it changes, it has to be said again.\n\nExamples:\n  aleph-discover mcp approve github\n  aleph-discover mcp approve github --yes"
    )]
    Approve(Approve),
    /// Take the yes back
    #[command(
        after_help = "Examples:\n  aleph-discover mcp revoke github\n  aleph-discover mcp revoke github --json"
    )]
    Revoke(Server),
    /// Ask servers for everything that they have, and keep it for `tools` and for servers that do not run
    #[command(
        after_help = "Examples:\n  aleph-discover mcp refresh\n  aleph-discover mcp refresh --server github --server files"
    )]
    Refresh(Asked),
    /// The resources that servers have
    #[command(
        after_help = "Examples:\n  aleph-discover mcp resources\n  aleph-discover mcp resources --server files --json"
    )]
    Resources(Asked),
    /// The templates of resources that servers have
    #[command(
        after_help = "Examples:\n  aleph-discover mcp templates\n  aleph-discover mcp templates --server files --json"
    )]
    Templates(Asked),
    /// What a resource holds
    #[command(
        after_help = "Examples:\n  aleph-discover mcp read files:file:///notes.txt\n  aleph-discover mcp read files:file:///notes.txt --json"
    )]
    Read(Read),
    /// The prompts that servers have
    #[command(
        after_help = "Examples:\n  aleph-discover mcp prompts\n  aleph-discover mcp prompts --server github --json"
    )]
    Prompts(Asked),
    /// One prompt, with its arguments filled in
    #[command(
        after_help = "Examples:\n  aleph-discover mcp prompt github:review --arg number=12\n  aleph-discover mcp prompt github:review --arg number=12 --json"
    )]
    Prompt(Prompt),
}

/// Flags of `mcp approve`.
#[derive(Debug, Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// One server.
#[derive(Debug, Args)]
pub(crate) struct Server {
    /// The server's name, for a plugin's `plugin:name`
    #[arg(value_name = "NAME", allow_hyphen_values = true, add = complete::servers())]
    pub(crate) name: String,
}

/// Which servers are asked.
#[derive(Debug, Args)]
pub(crate) struct Asked {
    /// Ask this server only, approved or not (repeatable)
    #[arg(long = "server", value_name = "NAME", add = complete::servers())]
    pub(crate) servers: Vec<String>,
}

/// Flags of `mcp read`.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The resource as `mcp resources` lists it, `server:uri`
    #[arg(value_name = "URI", allow_hyphen_values = true)]
    pub(crate) uri: String,
    #[command(flatten)]
    pub(crate) asked: Asked,
}

/// Flags of `mcp prompt`.
#[derive(Debug, Args)]
pub(crate) struct Prompt {
    /// The prompt as `mcp prompts` lists it, `server:prompt`
    #[arg(value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: String,
    /// An argument of the prompt (repeatable)
    #[arg(long = "arg", value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) asked: Asked,
}
