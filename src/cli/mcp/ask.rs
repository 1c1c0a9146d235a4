//! `mcp refresh|resources|templates|read|prompts|prompt`: what asks servers.

#[cfg(feature = "mcp")]
pub(in crate::cli) mod choose;
#[cfg(feature = "mcp")]
mod lists;
#[cfg(feature = "mcp")]
mod one;
#[cfg(feature = "mcp")]
mod refresh;
#[cfg(feature = "mcp")]
pub(in crate::cli) mod runtime;

use super::args::McpCommand;
use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

#[cfg(feature = "mcp")]
pub(super) fn run(command: &McpCommand, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        McpCommand::Refresh(args) => refresh::run(args, global, output),
        McpCommand::Resources(args) => lists::resources(args, global, output),
        McpCommand::Templates(args) => lists::templates(args, global, output),
        McpCommand::Prompts(args) => lists::prompts(args, global, output),
        McpCommand::Read(args) => one::read(args, global, output),
        McpCommand::Prompt(args) => one::prompt(args, global, output),
        // These ask nobody, and are answered elsewhere.
        McpCommand::Servers | McpCommand::Approve(_) | McpCommand::Revoke(_) => Ok(Exit::Done),
    }
}

#[cfg(not(feature = "mcp"))]
pub(super) fn run(_command: &McpCommand, _global: &Global, _output: &mut Output) -> Result<Exit, Failure> {
    Err(Failure::refused(
        "this build starts no servers",
        "`mcp servers` shows what is configured",
    ))
}
