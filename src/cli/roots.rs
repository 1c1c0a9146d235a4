//! `roots`: every directory that is probed.

use aleph_discover::model::RootStatus;
use aleph_discover::report::RootsReport;
use aleph_discover::report::table;

use super::args::{Format, Global, Roots, kinds};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

pub(super) fn run(args: &Roots, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let kinds = kinds(manager.profile(), &[], &args.kind)?;
    let report = RootsReport::new(&manager, &kinds);
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::roots(&report, &look, output.stdout())?;
            output.talk(&table::roots_diagnostics(&report), &[])?;
        }
        Format::Json => output.json(&report.view())?,
        // There is no list among those that JSON lines take apart, so the answer is its header alone.
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            for root in report
                .resolution
                .roots
                .iter()
                .filter(|root| root.status == RootStatus::Scanned)
            {
                output.path(&root.path)?;
            }
            output.talk(&report.resolution.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(report.resolution.complete, true))
}
