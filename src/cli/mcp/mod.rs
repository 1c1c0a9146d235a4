//! `mcp`: which servers are configured, with whose consent they may run, and what they offer.

pub(super) mod args;
pub(super) mod ask;
mod consent;
mod servers;

use args::{Mcp, McpCommand};

use super::args::Global;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

pub(super) fn run(args: &Mcp, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        McpCommand::Servers => servers::run(global, output),
        McpCommand::Approve(args) => consent::approve(args, global, output),
        McpCommand::Revoke(args) => consent::revoke(args, global, output),
        McpCommand::Refresh(_)
        | McpCommand::Resources(_)
        | McpCommand::Templates(_)
        | McpCommand::Read(_)
        | McpCommand::Prompts(_)
        | McpCommand::Prompt(_) => ask::run(&args.command, global, output),
    }
}

/// Refuses what is asked of a server that is configured and not in effect.
fn out_of_use(name: &str, out: &aleph_discover::mcp::OutOfUse) -> Failure {
    let at = out
        .line
        .map(|line| format!(" in line {line}"))
        .unwrap_or_default();
    let why = format!("the server `{name}` is {}{at}: {}", out.state, out.why);
    Failure::refused(
        why,
        "`mcp servers` shows every definition of it and what is wrong",
    )
    .with_path(&out.file)
}

/// The user's environment, for plans and previews.
pub(super) fn user_environment() -> aleph_discover::mcp::UserEnvironment {
    aleph_discover::mcp::UserEnvironment::new(std::env::vars_os())
}
