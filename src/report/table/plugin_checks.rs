//! `plugins validate` and `plugins disclose`.

use std::io::{self, Write};

use super::paint::Paint;
use super::prose::Prose;
use super::{Look, findings, words};
use crate::model::Severity;
use crate::plugin::Subject;
use crate::plugin::disclosure::Run;
use crate::report::{DiscloseReport, ValidateReport};

/// How many hidden texts and instructions are listed.
const MOST: usize = 20;

/// Writes the answer of `plugins validate`: the findings are the answer.
///
/// # Errors
///
/// What the writer answers.
pub fn validation(report: &ValidateReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let validation = &report.validation;
    if !look.quiet {
        for subject in &validation.subjects {
            let (what, id, path) = match subject {
                Subject::Plugin(plugin) => ("Plugin", plugin.id.clone(), &plugin.path),
                Subject::Marketplace(file) => ("Marketplace", file.name(), &file.path),
            };
            Prose::new(look)
                .painted(Paint::Heading, what)
                .painted(Paint::Heading, &id)
                .say("at")
                .path(path)
                .write(writer, "", "  ")?;
        }
    }
    // Apart from what is asked in a terminal, findings are usually told after an answer.
    let plain = Look {
        width: None,
        ..look.clone()
    };
    findings::diagnostics(&validation.diagnostics, true, &plain, writer)?;
    if !look.quiet {
        let number = |severity| u64::try_from(validation.count(severity)).unwrap_or(u64::MAX);
        let (errors, warnings) = (number(Severity::Error), number(Severity::Warning));
        let notes = number(Severity::Note);
        Prose::new(look)
            .say(&format!(
                "{}, {}, {}",
                words::count(errors, "error", "errors"),
                words::count(warnings, "warning", "warnings"),
                words::count(notes, "note", "notes")
            ))
            .write(writer, "", "")?;
    }
    Ok(())
}

/// Writes the answer of `plugins disclose`.
///
/// # Errors
///
/// What the writer answers.
pub fn disclosure(report: &DiscloseReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let disclosure = &report.disclosure;
    let version = disclosure.version.as_deref().unwrap_or("without a version");
    Prose::new(look)
        .painted(Paint::Heading, &report.plugin.id)
        .say(version)
        .say("at")
        .path(&report.plugin.path)
        .write(writer, "", "  ")?;
    let trust = format!("Trust: {}.", disclosure.tier);
    let ack = if disclosure.ack_required {
        "It runs commands, so installing it needs your word."
    } else {
        ""
    };
    Prose::new(look).say(&trust).say(ack).write(writer, "", "  ")?;

    heading("Runs", disclosure.runs.len(), look, writer)?;
    for run in &disclosure.runs {
        Prose::new(look)
            .say(&run_in_words(run))
            .write(writer, "  ", "    ")?;
        for one in &run.changes_what_runs {
            Prose::new(look)
                .painted(Paint::Bad, "changes what runs:")
                .say(&format!("it sets {}, and {}", one.variable, one.effect))
                .write(writer, "    ", "    ")?;
        }
    }
    heading("Asks for", disclosure.secrets.len(), look, writer)?;
    for secret in &disclosure.secrets {
        let need = if secret.required {
            "required"
        } else {
            "has a value"
        };
        Prose::new(look)
            .say(&format!("{} ({}; {need})", secret.name, secret.r#where))
            .write(writer, "  ", "    ")?;
    }
    let reach = [
        ("Network", &disclosure.network.declared, &disclosure.network.urls),
        (
            "Files outside",
            &disclosure.filesystem.declared,
            &disclosure.filesystem.outside,
        ),
    ];
    for (title, declared, list) in reach {
        heading(title, list.len() + usize::from(declared.is_some()), look, writer)?;
        if let Some(declared) = declared {
            Prose::new(look)
                .say(&format!("the manifest says: {declared}"))
                .write(writer, "  ", "    ")?;
        }
        for one in list {
            Prose::new(look).say(one).write(writer, "  ", "    ")?;
        }
    }
    heading("Instructs the agent", disclosure.instructs.len(), look, writer)?;
    for one in disclosure.instructs.iter().take(MOST) {
        Prose::new(look)
            .say(&format!("{} {}", words::kind(one.kind), one.id))
            .write(writer, "  ", "    ")?;
    }
    more(disclosure.instructs.len(), look, writer)?;
    heading("Hidden text", disclosure.hidden_text.len(), look, writer)?;
    for one in disclosure.hidden_text.iter().take(MOST) {
        let text = one
            .text
            .as_deref()
            .map(|text| format!(": {text}"))
            .unwrap_or_default();
        Prose::new(look)
            .path(std::path::Path::new(&one.path))
            .glue(&format!(":{}:{} {}{text}", one.line, one.column, one.kind))
            .write(writer, "  ", "    ")?;
    }
    let total = usize::try_from(disclosure.hidden_text_total).unwrap_or(usize::MAX);
    more(total, look, writer)?;
    writeln!(writer, "\n{}", look.paint(Paint::Heading, "Pin"))?;
    writeln!(writer, "  {}", disclosure.sha256)?;
    if let Some(pinned) = &disclosure.pinned_sha256 {
        let same = if disclosure.pin_holds == Some(true) {
            "is"
        } else {
            "is NOT"
        };
        Prose::new(look)
            .say(&format!(
                "stated: {pinned}, which {same} that of the tree as it is served"
            ))
            .write(writer, "  ", "    ")?;
    }
    Ok(())
}

fn heading(title: &str, count: usize, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let nothing = if count == 0 { ": nothing" } else { "" };
    writeln!(writer, "\n{}{nothing}", look.paint(Paint::Heading, title))
}

fn more(count: usize, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if count > MOST {
        let more = format!("\u{2026} and {} more (--json lists them)", count - MOST);
        Prose::new(look).say(&more).write(writer, "  ", "    ")?;
    }
    Ok(())
}

/// `hook Stop: sh x.sh (hooks/hooks.json:3)`.
fn run_in_words(run: &Run) -> String {
    let subject = run.event.as_deref().or(run.name.as_deref()).unwrap_or_default();
    let matcher = run
        .matcher
        .as_deref()
        .map(|matcher| format!(" on {matcher}"))
        .unwrap_or_default();
    let times = run
        .fires
        .filter(|fires| *fires > 1)
        .map(|fires| format!(", {fires} times"));
    let line = run.line.map(|line| format!(":{line}")).unwrap_or_default();
    let elsewhere = if run.in_effect {
        ""
    } else {
        ", only in another harness"
    };
    let command = [std::slice::from_ref(&run.command), run.args.as_slice()]
        .concat()
        .join(" ");
    format!(
        "{} {subject}{matcher}: {command} ({}{line}{}{elsewhere})",
        run.what,
        run.path,
        times.unwrap_or_default()
    )
}
