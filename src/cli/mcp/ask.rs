//! `mcp refresh|resources|templates|read|prompts|prompt`: what asks servers.

use super::args::McpCommand;
use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

pub(super) fn run(_command: &McpCommand, _global: &Global, _output: &mut Output) -> Result<Exit, Failure> {
    Err(Failure::refused(
        "this build starts no servers",
        "`mcp servers` shows what is configured",
    ))
}
