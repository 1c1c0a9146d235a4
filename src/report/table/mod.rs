//! Reports for people: tables, and sentences where a table would not do.

use std::io::{self, Write};
use std::path::PathBuf;

use super::{ConfigFilesReport, RootsReport, ScanReport, WhyReport};
use crate::model::Diagnostic;

/// How tables are to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether to use colours.
    pub color: bool,
    /// Whether to make paths clickable.
    pub hyperlinks: bool,
    /// Width of the terminal in columns; none where lines must neither wrap nor be cut.
    pub width: Option<usize>,
    /// Show paths relative to this directory.
    pub relative_to: Option<PathBuf>,
    /// Leave out headline and summary.
    pub quiet: bool,
}

/// How much a table of `scan` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What is in effect, and what it beat.
    InEffect,
    /// Also what is ignored, rejected or malformed, and missing roots.
    Everything,
}

/// Writes the answer of `scan`.
pub fn scan(report: &ScanReport, _detail: Detail, _look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for chain in report.chains() {
        for candidate in chain.candidates() {
            writeln!(
                writer,
                "{} {} {} {}",
                chain.kind(),
                chain.id(),
                candidate.state,
                candidate.path().display()
            )?;
        }
    }
    Ok(())
}

/// What to do next after `scan`.
#[must_use]
pub fn scan_hints(_report: &ScanReport, _detail: Detail) -> Vec<String> {
    Vec::new()
}

/// Writes the answer of `why`.
pub fn why(report: &WhyReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    scan(&report.scan, Detail::Everything, look, writer)
}

/// The findings that are about what was asked.
#[must_use]
pub fn why_diagnostics(_report: &WhyReport) -> Vec<Diagnostic> {
    Vec::new()
}

/// What to do next after `why`.
#[must_use]
pub fn why_hints(_report: &WhyReport) -> Vec<String> {
    Vec::new()
}

/// Writes the answer of `roots`.
pub fn roots(report: &RootsReport, _look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for root in &report.resolution.roots {
        writeln!(
            writer,
            "{} {} {}",
            root.priority,
            root.status,
            root.path.display()
        )?;
    }
    Ok(())
}

/// Writes the answer of `find-config`.
pub fn config_files(report: &ConfigFilesReport, _look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for file in &report.found.files {
        writeln!(writer, "{} {}", file.state, file.path.display())?;
    }
    Ok(())
}

/// What to do next after `find-config`.
#[must_use]
pub fn config_hints(_report: &ConfigFilesReport) -> Vec<String> {
    Vec::new()
}

/// Writes findings.
pub fn diagnostics(
    diagnostics: &[Diagnostic],
    _verbose: bool,
    _look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    for diagnostic in diagnostics {
        writeln!(writer, "{}: {}", diagnostic.severity, diagnostic.message)?;
    }
    Ok(())
}

/// Writes hints.
pub fn hints(hints: &[String], _look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for hint in hints {
        writeln!(writer, "hint: {hint}")?;
    }
    Ok(())
}
