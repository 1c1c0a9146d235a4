//! `tools explain`: why a tool is or is not visible.

use std::fs::File;
use std::io::{BufReader, Write};
use std::sync::Arc;

use aleph_discover::report::disclosure::ToolReport;
use aleph_discover::report::{Context, escape};
use aleph_discover::tools::disclosure::{CatalogueTools, Rules, Simulation, explain};

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
    let rules = match &args.rules {
        Some(path) => rules::usable(path, &known, output)?,
        None => {
            let path = manager.aleph_home()?.join("disclosure.toml");
            // Without a file there are no rules, and every tool is visible.
            if path.symlink_metadata().is_ok() {
                rules::usable(&path, &known, output)?
            } else {
                Rules::default()
            }
        }
    };
    let mut simulation = Simulation::new(Arc::new(rules), &known);
    let mut handle = None;
    if let Some(path) = &args.session {
        let file = File::open(path).map_err(|error| Failure::cannot_read(path, error))?;
        let name = path.display().to_string();
        for event in rules::events(&mut BufReader::new(file), &name) {
            let (of, event) = event?;
            simulation.apply(of.as_deref(), &event);
            handle = of;
        }
    }
    let now = simulation.now();
    // A file of events is one session's; of several it is the last one that is asked about.
    let registry = simulation
        .sessions()
        .session(handle.as_deref().unwrap_or("default"));
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
    Ok(super::exit(failed, true, report.explanation.visible))
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
