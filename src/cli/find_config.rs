//! `find-config`: the chain of configuration files of one name.

use aleph_discover::report::table;
use aleph_discover::report::{ConfigFilesReport, annotated};
use aleph_discover::{DiscoveryError, validate_path_component};

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
    validate_path_component(name).map_err(|source| DiscoveryError::Name {
        name: name.to_owned(),
        source,
    })?;
    let manager = session::open(global)?;
    let mut report = ConfigFilesReport::new(&manager, name)?;
    if args.merged {
        if !ConfigFilesReport::can_merge(&manager, name) {
            let config = &manager.profile().config;
            return Err(Failure::usage(
                format!("`{name}` cannot be merged: only the host's own configuration can"),
                format!(
                    "give one of {}, {}; or leave out --merged",
                    config.id,
                    config.names.join(", ")
                ),
            ));
        }
        report = report.with_merged(&manager, global.show_secrets);
    }
    match output.format {
        Format::Table if args.annotated => {
            if let Some(merged) = &report.merged {
                annotated(merged, output.stdout())?;
            }
            output.talk(&report.diagnostics, &[])?;
        }
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
    let from_environment = report
        .merged
        .as_ref()
        .is_some_and(|merged| !merged.values.is_empty());
    let found = report.found.active().next().is_some() || from_environment;
    Ok(Exit::of_answer(report.complete, found))
}
