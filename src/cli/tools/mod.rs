//! `tools`: the catalogue, searched, listed and counted.

mod allowed;
pub(super) mod args;
mod cache;
mod explain;
mod lint;
mod rules;
mod search;
mod simulate;
mod sources;

use std::collections::BTreeMap;
use std::path::Path;

use aleph_discover::DiscoveryManager;
use aleph_discover::model::{Code, Diagnostic, Severity};
use aleph_discover::report::{
    Context, SnapshotFacts, ToolsBudgetReport, ToolsListReport, ToolsSchemaReport, table,
};
use aleph_discover::tools::{Budget, Catalogue, Tiers, bare_name};
use args::{Tools, ToolsCommand};

use super::args::{Format, Global};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

#[cfg(feature = "mcp")]
pub(super) use rules::{has_own as has_own_rules, usable as usable_rules};

pub(super) fn run(args: &Tools, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        ToolsCommand::Search(search) => search::run(search, global, output),
        ToolsCommand::List(sources) => list(sources, global, output),
        ToolsCommand::Schema(schema) => self::schema(schema, global, output),
        ToolsCommand::Budget(budget) => self::budget(budget, global, output),
        ToolsCommand::Lint(lint) => lint::run(lint, global, output),
        ToolsCommand::Explain(explain) => explain::run(explain, global, output),
        ToolsCommand::Simulate(simulate) => simulate::run(simulate, global, output),
    }
}

/// What every question but search reads.
struct Known {
    context: Context,
    catalogue: Catalogue,
    tiers: Tiers,
    complete: bool,
    diagnostics: Vec<Diagnostic>,
    facts: SnapshotFacts,
    failed: bool,
}

/// A server that did not answer comes before what could not be read.
const fn exit(failed: bool, complete: bool, yes: bool) -> Exit {
    if failed {
        Exit::Failed
    } else {
        Exit::of_answer(complete, yes)
    }
}

fn read(args: &args::Sources, global: &Global, output: &Output) -> Result<Known, Failure> {
    let manager = session::open(global)?;
    let sources = sources::gather(args, &manager, output)?;
    let (catalogue, mut diagnostics) = sources.read()?;
    diagnostics.extend(catalogue.quarantined.iter().map(quarantined));
    let (tiers, told) = tiers(&manager);
    diagnostics.extend(told);
    Ok(Known {
        context: Context::of(&manager),
        catalogue,
        tiers,
        complete: sources.complete,
        diagnostics,
        failed: sources.failed,
        facts: sources.facts,
    })
}

/// The tools that the sources have, for questions about rules, what was odd about them, and whether a server that was
/// asked did not answer.
fn catalogue(
    args: &args::Sources,
    manager: &DiscoveryManager,
    output: &Output,
) -> Result<(Catalogue, Vec<Diagnostic>, bool), Failure> {
    let sources = sources::gather(args, manager, output)?;
    let (catalogue, mut diagnostics) = sources.read()?;
    diagnostics.extend(catalogue.quarantined.iter().map(quarantined));
    Ok((catalogue, diagnostics, sources.failed))
}

/// The names that begin in a way, each with its server, for whoever is typing one: qualified ones, and where something
/// was typed, bare ones that only one server has.
pub(super) fn names(
    args: &args::Sources,
    manager: &DiscoveryManager,
    beginning: &str,
) -> Vec<(String, String)> {
    let catalogue = sources::gather_briefly(args, manager).usable();
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in &catalogue.tools {
        *owners.entry(bare_name(&tool.server, &tool.tool)).or_default() += 1;
    }
    let is_known = |name: &str| !beginning.is_empty() && owners.get(name) == Some(&1);
    let mut names: Vec<(String, String)> = Vec::new();
    for tool in &catalogue.tools {
        let bare = Some(bare_name(&tool.server, &tool.tool)).filter(|name| is_known(name));
        for name in std::iter::once(tool.name.as_str()).chain(bare) {
            if name.starts_with(beginning) {
                names.push((name.to_owned(), tool.server.clone()));
            }
        }
    }
    names.sort_unstable();
    names.dedup_by(|one, other| one.0 == other.0);
    names
}

fn quarantined(tool: &aleph_discover::tools::Quarantined) -> Diagnostic {
    let name = if tool.tool.is_empty() {
        "a tool".to_owned()
    } else {
        format!("`{}`", tool.tool)
    };
    let message = format!("{name} of `{}` cannot be used: {}", tool.server, tool.reason);
    let mut diagnostic = Diagnostic::new(Code::UnusableTool, Severity::Warning, message);
    if !tool.source.is_empty() {
        diagnostic = diagnostic.with_path(Path::new(&tool.source));
        diagnostic.line = Some(tool.line);
    }
    diagnostic
}

/// `[tools]` of the effective configuration.
pub(super) fn tiers(manager: &DiscoveryManager) -> (Tiers, Vec<Diagnostic>) {
    let Ok(files) = manager.config_files(manager.profile().config.id) else {
        return (Tiers::default(), Vec::new());
    };
    let (merged, mut told) = files.merge(manager.environment());
    let (tiers, wrong) = Tiers::from_config(&merged.config);
    let origin = merged
        .values
        .iter()
        .find(|value| value.key.first().is_some_and(|key| key == "tools"));
    told.extend(wrong.into_iter().map(|message| {
        let mut diagnostic = Diagnostic::new(Code::WrongType, Severity::Warning, message);
        if let Some(origin) = origin.map(|value| &value.origin) {
            diagnostic.path = origin.path.as_deref().map(Path::to_path_buf);
            diagnostic.line = Some(origin.position.line);
            diagnostic.column = Some(origin.position.column);
        }
        diagnostic
    }));
    (tiers, told)
}

fn list(args: &args::Sources, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let Known {
        context,
        catalogue,
        tiers,
        complete,
        diagnostics,
        facts,
        failed,
    } = read(args, global, output)?;
    let report = ToolsListReport {
        context,
        catalogue,
        tiers,
        complete,
        diagnostics,
        facts,
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::tools_list(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &report.facts.hints())?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for tool in report.tools() {
                output.json_line(&tool)?;
            }
        }
        Format::Paths => {
            for tool in &report.catalogue.tools {
                output.path(Path::new(&tool.name))?;
            }
        }
    }
    Ok(exit(failed, report.complete, true))
}

fn schema(args: &args::Schema, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    if args.name.trim().is_empty() {
        return Err(Failure::usage(
            "the name is empty",
            "give the name of a tool, as `tools list` shows it",
        ));
    }
    let known = read(&args.sources, global, output)?;
    let report = ToolsSchemaReport {
        context: known.context,
        name: args.name.clone(),
        catalogue: known.catalogue,
        complete: known.complete,
        diagnostics: known.diagnostics,
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::tools_schema(&report, &look, output.stdout())?;
            output.flush()?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            if let Some(tool) = report.tool() {
                output.path(Path::new(&tool.name))?;
            }
        }
    }
    Ok(exit(known.failed, report.complete, report.tool().is_some()))
}

fn budget(args: &args::Budget, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let Known {
        context,
        catalogue,
        tiers,
        complete,
        diagnostics,
        facts: _,
        failed,
    } = read(&args.sources, global, output)?;
    let budget = Budget::new(&catalogue.tools, &tiers);
    let report = ToolsBudgetReport {
        context,
        budget,
        complete,
        diagnostics,
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::tools_budget(&report, args.each, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Paths => {
            for tool in &catalogue.tools {
                output.path(std::path::Path::new(&tool.name))?;
            }
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
    }
    Ok(exit(failed, report.complete, true))
}
