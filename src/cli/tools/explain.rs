//! `tools explain`: why a tool is or is not visible.

use std::io::Write;

use aleph_discover::model::Diagnostic;
use aleph_discover::report::disclosure::ToolReport;
use aleph_discover::report::{Context, escape};
use aleph_discover::tools::disclosure::{CatalogueTools, explain};

use super::args::Explain;
use super::rules;
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn run(args: &Explain, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let (catalogue, told, failed) = super::catalogue(&args.sources, &manager, output)?;
    let known = CatalogueTools::new(&catalogue);
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
    let explanation = explain(registry, &args.name, &known, now);
    let report = ToolReport {
        context: Context::of(&manager),
        explanation,
        diagnostics: told,
    };
    match output.format {
        Format::Table => table(&report, output)?,
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {}
    }
    let is_complete = Diagnostic::is_all_read(&report.diagnostics);
    Ok(super::exit(failed, is_complete, report.explanation.visible))
}

fn table(report: &ToolReport, output: &mut Output) -> Result<(), Failure> {
    let explanation = &report.explanation;
    let is = if explanation.visible {
        "is visible"
    } else {
        "is not visible"
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
    Ok(())
}
