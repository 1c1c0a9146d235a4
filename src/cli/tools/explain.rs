//! `tools explain`: why a tool is or is not visible.

use std::io::Write;

use aleph_discover::model::Diagnostic;
use aleph_discover::report::disclosure::ToolReport;
use aleph_discover::report::{Context, escape};
use aleph_discover::tools::disclosure::{KnownTools, Reason, explain};

use super::allowed::AllowedTools;
use super::args::Explain;
use super::rules;
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::session;

/// How many of those that share a bare name are named.
const MOST_OWNERS: usize = 5;

pub(super) fn run(args: &Explain, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let (catalogue, told, failed) = super::catalogue(&args.sources, &manager, output)?;
    let known = AllowedTools::of_catalogue(&catalogue, global, &manager, output)?;
    // A file of events is one session's; of several it is the last one that is asked about.
    let (mut simulation, handle) = rules::replayed(
        args.rules.as_deref(),
        args.session.as_deref(),
        &manager,
        &known,
        output,
    )?;
    let now = simulation.now();
    let registry = simulation.sessions().session(&handle);
    // A bare name will do where only one server has it.
    let named = catalogue.named(&args.name);
    let name = match named.as_slice() {
        [tool] => tool.name.as_str(),
        _ => &args.name,
    };
    let mut explanation = explain(registry, name, &known, now);
    if explanation.reason == Some(Reason::Unknown) && !named.is_empty() {
        let owners = named.iter().take(MOST_OWNERS);
        explanation.suggestions = owners.map(|tool| tool.name.clone()).collect();
    }
    let is_sure = known.is_known(name).is_some() || registry.rules().governed_tools().contains(&name);
    let report = ToolReport {
        context: Context::of(&manager),
        explanation,
        diagnostics: told,
    };
    match output.format {
        Format::Table => {
            table(&report, output)?;
            let hint = "no tools are known, so whether there is one of this name is not either: give a file with \
                        --catalog, or refresh the servers";
            let hints: Vec<String> = (!is_sure).then(|| hint.to_owned()).into_iter().collect();
            output.talk(&report.diagnostics, &hints)?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {}
    }
    let is_complete = Diagnostic::is_all_read(&report.diagnostics);
    Ok(super::exit(failed, is_complete, report.explanation.visible))
}

fn table(report: &ToolReport, output: &mut Output) -> Result<(), Failure> {
    let explanation = &report.explanation;
    let is = match explanation.reason {
        None => "is visible",
        Some(Reason::Unknown) => "is unknown",
        Some(_) => "is not visible",
    };
    let out = output.stdout();
    writeln!(out, "{} {is}", escape::visible(&explanation.name))?;
    for clause in &explanation.clauses {
        let sign = if clause.holds { "holds" } else { "fails" };
        writeln!(out, "  {sign}  {}", escape::visible(&clause.detail))?;
    }
    if let Some(next) = &explanation.next {
        writeln!(out, "next: {}", escape::visible(next))?;
    }
    if !explanation.suggestions.is_empty() {
        let names = explanation.suggestions.join(", ");
        writeln!(out, "nearest names: {}", escape::visible(&names))?;
    }
    Ok(())
}
