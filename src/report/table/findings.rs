//! Findings and hints: what is told on standard error after the answer.

use std::io::{self, Write};

use super::paint::Paint;
use super::prose::Prose;
use super::{Look, words};
use crate::model::{Diagnostic, Severity};

/// How many findings are told unless all are asked for.
const MOST: usize = 20;

/// Writes findings, errors first; notes and what is beyond a screenful only if `verbose`.
///
/// # Errors
///
/// What the writer answers.
pub fn diagnostics(
    diagnostics: &[Diagnostic],
    verbose: bool,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let is_told = |diagnostic: &&Diagnostic| verbose || diagnostic.severity != Severity::Note;
    let most = if verbose { usize::MAX } else { MOST };
    let mut told = 0;
    if look.width.is_some() && !diagnostics.is_empty() {
        // On a terminal the findings follow the answer: set them apart.
        writeln!(writer)?;
    }
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let of_severity = diagnostics
            .iter()
            .filter(is_told)
            .filter(|diagnostic| diagnostic.severity == severity);
        for diagnostic in of_severity.take(most - told) {
            told += 1;
            finding(diagnostic, look, writer)?;
        }
    }
    let told_or_more = diagnostics.iter().filter(is_told).count();
    let notes = u64::try_from(diagnostics.len() - told_or_more).unwrap_or(u64::MAX);
    let more = told_or_more - told;
    if more > 0 {
        let notes_too = if notes > 0 {
            format!(", and {}", words::count(notes, "note", "notes"))
        } else {
            String::new()
        };
        writeln!(writer, "\u{2026} and {more} more{notes_too} (-v shows them)")?;
    } else if notes > 0 {
        writeln!(writer, "{} not shown (-v)", words::count(notes, "note", "notes"))?;
    }
    Ok(())
}

/// `error: what is the matter (code)`, where, and what to do.
fn finding(diagnostic: &Diagnostic, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let paint = match diagnostic.severity {
        Severity::Error => Paint::Bad,
        Severity::Warning => Paint::Warning,
        Severity::Note => Paint::Heading,
    };
    Prose::new(look)
        .painted(paint, &format!("{}:", diagnostic.severity))
        .say(&diagnostic.message)
        .say(&format!("({})", diagnostic.code))
        .write(writer, "", "  ")?;
    if let Some(path) = &diagnostic.path {
        let mut place = look.path(path);
        for position in [diagnostic.line, diagnostic.line.and(diagnostic.column)]
            .into_iter()
            .flatten()
        {
            place.push_str(&format!(":{position}"));
        }
        writeln!(writer, "  --> {place}")?;
    }
    if let Some(help) = &diagnostic.help {
        Prose::new(look)
            .painted(Paint::Heading, "help:")
            .say(help)
            .write(writer, "  ", "    ")?;
    }
    Ok(())
}

/// Writes hints.
///
/// # Errors
///
/// What the writer answers.
pub fn hints(hints: &[String], look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for hint in hints {
        Prose::new(look)
            .painted(Paint::Heading, "hint:")
            .say(hint)
            .write(writer, "", "  ")?;
    }
    Ok(())
}
