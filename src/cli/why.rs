//! `why`: one name or file, every candidate, and the reason for each.

use aleph_discover::report::table;
use aleph_discover::report::{Question, WhyReport};

use super::args::{Format, Global, Why, kinds};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

pub(super) fn run(args: &Why, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let kinds = kinds(manager.profile(), &[], &args.kind)?;
    let question = Question::read(&args.name, manager.working_dir());
    let report = WhyReport::new(&manager, question, &kinds);
    let resolution = &report.scan.resolution;
    match output.format {
        Format::Table => {
            let look = output.look(&report.scan.context.directory);
            table::why(&report, &look, output.stdout())?;
            output.talk(&table::why_diagnostics(&report), &table::why_hints(&report))?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for chain in report.scan.chains() {
                output.json_line(&report.scan.chain_view(chain))?;
            }
        }
        Format::Paths => {
            for chain in report.scan.chains() {
                for candidate in chain.candidates() {
                    output.path(&candidate.path())?;
                }
            }
        }
    }
    Ok(Exit::of_answer(resolution.complete, report.is_in_effect()))
}
