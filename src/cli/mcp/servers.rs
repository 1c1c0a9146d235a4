//! `mcp servers`: what is configured, and whether it may run.

use aleph_discover::mcp::{configured, servers_report};
use aleph_discover::report::table;

use super::user_environment;
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn run(global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let report = servers_report(
        &manager,
        configured(&manager),
        &user_environment(),
        global.show_secrets,
    );
    let resolution = &report.scan.resolution;
    match output.format {
        Format::Table => {
            let look = output.look(&report.scan.context.directory);
            table::servers(&report, &look, output.stdout())?;
            output.talk(&resolution.diagnostics, &table::servers_hints(&report))?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for (chain, first) in report.chains() {
                output.json_line(&report.chain_view(chain, first))?;
            }
        }
        Format::Paths => {
            for (chain, _) in report.chains() {
                if let Some(winner) = chain.winner().filter(|winner| !winner.is_short_name()) {
                    output.path(&winner.path())?;
                }
            }
            output.talk(&resolution.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(resolution.complete, true))
}
