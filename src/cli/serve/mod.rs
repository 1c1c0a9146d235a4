//! `serve`: the gateway.

pub(super) mod args;
mod print_config;
#[cfg(feature = "mcp")]
pub(super) mod settings;
#[cfg(feature = "mcp")]
mod work;

use args::Serve;

use super::args::Global;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

pub(super) fn run(args: &Serve, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(agent) = args.print_config {
        return print_config::run(agent, args, global, output);
    }
    #[cfg(feature = "mcp")]
    return work::run(args, global, output);
    #[cfg(not(feature = "mcp"))]
    Err(Failure::refused(
        "this build starts no servers",
        "`serve --print-config AGENT` prints a configuration",
    ))
}
