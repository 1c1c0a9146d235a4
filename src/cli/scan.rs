//! `scan`: what is in effect here.

use aleph_discover::report::table::{self, Detail};
use aleph_discover::report::{Context, ScanReport, Selection};

use super::args::{Format, Global, Scan, kinds};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

pub(super) fn run(args: &Scan, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let kinds = kinds(manager.profile(), &args.kinds, &args.kind)?;
    let mut context = Context::of(&manager);
    context.show_secrets = global.show_secrets;
    let report = ScanReport {
        context,
        resolution: aleph_discover::plugin::scan(&manager, &kinds).resolution,
        kinds,
        selection: if args.active {
            Selection::Active
        } else {
            Selection::All
        },
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            let detail = if args.all {
                Detail::Everything
            } else {
                Detail::InEffect
            };
            table::scan(&report, detail, &look, output.stdout())?;
            output.talk(
                &report.resolution.diagnostics,
                &table::scan_hints(&report, detail),
            )?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head("aleph-discover/scan@1"))?;
            for chain in report.chains() {
                output.json_line(&report.chain_view(chain))?;
            }
        }
        Format::Paths => {
            for chain in report.chains() {
                for candidate in chain
                    .candidates()
                    // Once is enough: what a plugin brings is listed under its qualified id.
                    .filter(|candidate| !candidate.is_short_name())
                    .filter(|candidate| args.all || candidate.state.is_in_effect())
                {
                    output.path(&candidate.path())?;
                }
            }
            output.talk(&report.resolution.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(report.resolution.complete, true))
}
