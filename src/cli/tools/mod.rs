//! `tools …`: tools on demand.

pub(super) mod args;
mod explain;
mod lint;
mod rules;
mod simulate;

use self::args::{Tools, ToolsCommand};
use super::args::Global;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

pub(super) fn run(tools: &Tools, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    match &tools.command {
        ToolsCommand::Lint(lint) => lint::run(lint, global, output),
        ToolsCommand::Explain(explain) => explain::run(explain, global, output),
        ToolsCommand::Simulate(simulate) => simulate::run(simulate, global, output),
    }
}
