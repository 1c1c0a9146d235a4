//! `plugins`: what there is, what it brings, what is wrong with one, and what one would be installing.

use std::path::{Path, PathBuf};

use aleph_discover::DiscoveryManager;
use aleph_discover::model::Severity;
use aleph_discover::plugin;
use aleph_discover::report::table;
use aleph_discover::report::{Context, PluginsReport, ValidateReport};

use super::args::{FailOn, Format, Global, List, Plugins, PluginsCommand, Show, Validate};
use super::exit::Exit;
use super::failure::Failure;
use super::install;
use super::output::Output;
use super::session;

pub(super) fn run(args: &Plugins, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        None => list(&args.list, global, output),
        Some(PluginsCommand::List(args)) => list(args, global, output),
        Some(PluginsCommand::Show(args)) => show(args, global, output),
        Some(PluginsCommand::Validate(args)) => validate(args, global, output),
        Some(PluginsCommand::Disclose(args)) => install::disclose(args, global, output),
        Some(PluginsCommand::Install(args)) => install::install(args, global, output),
        Some(PluginsCommand::Remove(args)) => install::remove(args, global, output),
        Some(PluginsCommand::Enable(args)) => install::set_enabled(args, true, global, output),
        Some(PluginsCommand::Disable(args)) => install::set_enabled(args, false, global, output),
        Some(PluginsCommand::Verify(args)) => install::verify(args, global, output),
    }
}

fn list(args: &List, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let mut report = PluginsReport::new(&manager);
    report.scan.context.show_secrets = global.show_secrets;
    let resolution = &report.scan.resolution;
    match output.format {
        Format::Table => {
            let look = output.look(&report.scan.context.directory);
            table::plugins(&report, args.all, &look, output.stdout())?;
            output.talk(&resolution.diagnostics, &table::plugins_hints(&report))?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for one in &report.plugins {
                output.json_line(&report.plugin_view(one))?;
            }
        }
        Format::Paths => {
            for one in report.plugins.iter().filter(|one| one.state.is_in_effect()) {
                output.path(&one.path)?;
            }
            output.talk(&resolution.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(resolution.complete, true))
}

fn show(args: &Show, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    install::usable_name("plugin", &args.id)?;
    let manager = session::open(global)?;
    let mut report = PluginsReport::of_one(&manager, &args.id);
    report.scan.context.show_secrets = global.show_secrets;
    let resolution = &report.scan.resolution;
    match output.format {
        Format::Table => {
            let look = output.look(&report.scan.context.directory);
            table::plugin(&report, &look, output.stdout())?;
            output.talk(&resolution.diagnostics, &table::plugins_hints(&report))?;
        }
        Format::Json => output.json(&report.details())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for one in &report.plugins {
                output.json_line(&report.detail(one))?;
            }
        }
        Format::Paths => {
            for one in &report.plugins {
                for candidate in report.components(one) {
                    output.path(&candidate.marker().unwrap_or_else(|| candidate.path()))?;
                }
            }
            output.talk(&resolution.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(resolution.complete, !report.plugins.is_empty()))
}

fn validate(args: &Validate, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let path = existing(&manager, &args.path)?;
    let validation = plugin::validate(&path, manager.profile());
    let report = ValidateReport::new(Context::of(&manager), path, validation);
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::validation(&report, &look, output.stdout())?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            let found = &report.validation.diagnostics;
            let mut paths: Vec<&PathBuf> = found.iter().filter_map(|one| one.path.as_ref()).collect();
            paths.dedup();
            for path in paths {
                output.path(path)?;
            }
            output.talk(found, &[])?;
        }
    }
    let worst = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
    };
    Ok(Exit::of_answer(report.validation.complete, !report.has(worst)))
}

/// A path from the directory asked about, at which something is.
fn existing(manager: &DiscoveryManager, given: &Path) -> Result<PathBuf, Failure> {
    let path = settled(&manager.working_dir().join(given));
    match std::fs::symlink_metadata(&path) {
        Ok(_) => Ok(path),
        Err(error) => Err(Failure::usage(
            format!("cannot look at {}: {error}", path.display()),
            "name the directory of a plugin or marketplace",
        )
        .with_path(&path)),
    }
}

/// The path with its directory part real and its last part as it is, which may be a link.
fn settled(path: &Path) -> PathBuf {
    let ends_in_name = matches!(
        path.components().next_back(),
        Some(std::path::Component::Normal(_))
    );
    let settled = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if ends_in_name => parent.canonicalize().map(|parent| parent.join(name)),
        _ => path.canonicalize(),
    };
    settled.unwrap_or_else(|_| path.to_path_buf())
}
