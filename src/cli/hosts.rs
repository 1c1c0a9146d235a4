//! `hosts`: the same directory through every host's eyes.

use aleph_discover::model::ComponentKind;
use aleph_discover::report::HostsReport;
use aleph_discover::report::table;

use super::args::{Format, Global, Hosts};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

/// The kinds of which names can be contested between hosts.
const NAMED: [ComponentKind; 4] = [
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::McpServer,
];

pub(super) fn run(args: &Hosts, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let managers = session::open_all(global)?;
    let mut kinds: Vec<ComponentKind> = args.kind.iter().map(|kind| kind.0).collect();
    if kinds.is_empty() {
        kinds.extend(NAMED);
    }
    let Some(report) = HostsReport::new(&managers, &kinds) else {
        return Ok(Exit::of_answer(true, false));
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::hosts(&report, &look, output.stdout())?;
            output.talk(&report.gaps, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            for (path, _) in report.matrix() {
                output.path(&path)?;
            }
            output.talk(&report.gaps, &[])?;
        }
    }
    Ok(Exit::of_answer(report.is_complete(), true))
}
