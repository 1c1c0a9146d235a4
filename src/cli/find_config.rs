//! `find-config`: the chain of configuration files of one name.

use aleph_discover::report::ConfigFilesReport;
use aleph_discover::report::table;

use super::args::{FindConfig, Format, Global};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

pub(super) fn run(args: &FindConfig, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let Some(name) = args.name.to_str() else {
        return Err(Failure::usage(
            "the name is not UTF-8",
            "give the plain name of a file",
        ));
    };
    // Before anything is touched, the working directory too.
    aleph_discover::validate_path_component(name).map_err(aleph_discover::DiscoveryError::from)?;
    let manager = session::open(global)?;
    let report = ConfigFilesReport::new(&manager, name)?;
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::config_files(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &table::config_hints(&report))?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for file in report.files() {
                output.json_line(&file)?;
            }
        }
        Format::Paths => {
            for file in report.found.active() {
                output.path(&file.path)?;
            }
            output.talk(&report.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(
        report.complete,
        report.found.active().next().is_some(),
    ))
}
