//! `why`: one name or file, every candidate, and the reason for each.

use aleph_discover::model::ComponentKind;
use aleph_discover::report::table;
use aleph_discover::report::{Question, WhyHostsReport, WhyReport};

use super::args::{Format, Global, Host, Why, kinds};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

pub(super) fn run(args: &Why, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    if args.name.is_empty() {
        return Err(Failure::usage(
            "there is no name or path to explain: it is empty",
            "give the name of a component, or the path of a file",
        ));
    }
    if global.host == Host::All {
        return every_host(args, global, output);
    }
    let manager = session::open(global)?;
    let kinds = kinds(manager.profile(), &[], &args.kind)?;
    let question = Question::read(&args.name, manager.working_dir());
    let mut report = WhyReport::new(&manager, question, &kinds);
    report.scan.context.show_secrets = global.show_secrets;
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
            output.talk(&table::why_diagnostics(&report), &[])?;
        }
    }
    Ok(Exit::of_answer(resolution.complete, report.is_in_effect()))
}

/// Asks every host, and shows the answers side by side.
fn every_host(args: &Why, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let managers = session::open_all(global)?;
    let Some(first) = managers.first() else {
        return Ok(Exit::of_answer(true, false));
    };
    let question = Question::read(&args.name, first.working_dir());
    let mut kinds: Vec<ComponentKind> = args.kind.iter().map(|kind| kind.0).collect();
    if kinds.is_empty() {
        kinds.extend(ComponentKind::ALL);
    }
    let mut report = WhyHostsReport::new(&managers, &question, &kinds);
    for answer in &mut report.answers {
        answer.scan.context.show_secrets = global.show_secrets;
    }
    match output.format {
        Format::Table => {
            let look = output.look(first.working_dir());
            table::why_hosts(&report, &look, output.stdout())?;
            output.talk(&report.gaps, &[])?;
        }
        Format::Json | Format::Jsonl => {
            if let Some(view) = report.view() {
                if output.format == Format::Json {
                    output.json(&view)?;
                } else {
                    output.json_line(&view)?;
                }
            }
        }
        Format::Paths => {
            for answer in &report.answers {
                for chain in answer.scan.chains() {
                    if let Some(winner) = chain.winner() {
                        output.path(&winner.path())?;
                    }
                }
            }
            output.talk(&report.gaps, &[])?;
        }
    }
    Ok(Exit::of_answer(report.is_complete(), report.is_in_effect()))
}
