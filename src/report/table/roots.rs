//! `roots`: every directory that is probed, and what came of it.

use std::io::{self, Write};

use super::entries::{Entries, Entry, Measure};
use super::layout::Line;
use super::paint::Paint;
use super::prose::Prose;
use super::{Look, scan, words};
use crate::model::{Root, RootStatus};
use crate::report::{Context, RootsReport, escape};

/// Writes the answer of `roots`.
///
/// # Errors
///
/// What the writer answers.
pub fn roots(report: &RootsReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if !look.quiet {
        let prose = Prose::new(look).painted(Paint::Heading, "Roots");
        scan::in_place(&report.context, prose, look)
            .glue("; highest priority first")
            .write(writer, "", "  ")?;
        scan::place(&report.context, look, writer)?;
        writeln!(writer)?;
    }
    list(&report.context, &report.resolution.roots, look, writer)?;
    if !look.quiet {
        writeln!(writer)?;
        walk(report, look, writer)?;
    }
    Ok(())
}

/// Writes roots, highest priority first.
pub(super) fn list(context: &Context, roots: &[Root], look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let digits = roots
        .iter()
        .map(|root| root.priority.to_string().len())
        .max()
        .unwrap_or(1);
    let entries: Vec<Entry> = roots
        .iter()
        .rev()
        .map(|root| entry(context, root, digits, look))
        .collect();
    write_all(&entries, look, writer)
}

/// Writes a short list.
pub(super) fn write_all(entries: &[Entry], look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let mut measure = Measure::default();
    for entry in entries {
        measure.add(entry);
    }
    let mut list = Entries::new(&measure, look);
    for entry in entries {
        list.entry(writer, entry)?;
    }
    list.finish(writer)
}

fn entry(context: &Context, root: &Root, digits: usize, look: &Look) -> Entry {
    let (label, rest) = match root.status {
        RootStatus::Scanned => (Paint::Winner, Paint::Plain),
        RootStatus::Missing | RootStatus::Skipped => (Paint::Faint, Paint::Faint),
        RootStatus::Unreadable => (Paint::Bad, Paint::Plain),
    };
    let mut note = words::root_origin(root);
    let more = match root.status {
        RootStatus::Scanned => contents(context, root),
        RootStatus::Missing | RootStatus::Skipped | RootStatus::Unreadable => {
            words::reason(root.status, root.reason.as_deref())
        }
    };
    if !more.is_empty() {
        note = format!("{note}: {}", escape::prose(&more));
    }
    Entry {
        label: Line::new(label, format!("  {:>digits$}  {}", root.priority, root.status)),
        path: Line {
            text: look.path(&root.path),
            paint: rest,
            url: look.target(&root.path),
        },
        note: Line::new(Paint::Faint, note),
        note_is_optional: false,
    }
}

/// What is in a root, folder by folder; folders that are not there are not mentioned.
fn contents(context: &Context, root: &Root) -> String {
    let mut parts: Vec<String> = Vec::new();
    for dir in &root.dirs {
        let folder = context
            .profile
            .kind(dir.kind)
            .map_or_else(|| words::kinds(dir.kind), |spec| spec.folder);
        match dir.status {
            RootStatus::Scanned => {
                parts.push(format!(
                    "{} in {folder}",
                    words::count(dir.entries, "entry", "entries")
                ));
            }
            RootStatus::Missing if dir.reason.is_none() => {}
            status => {
                let why = words::reason(status, dir.reason.as_deref());
                parts.push(format!("{folder} {status}: {why}"));
            }
        }
    }
    if parts.is_empty() && !root.dirs.is_empty() {
        let folders: Vec<String> = root
            .dirs
            .iter()
            .filter_map(|dir| Some(context.profile.kind(dir.kind)?.folder.to_owned()))
            .collect();
        return format!("no {}", words::list(&folders).replace(" and ", " or "));
    }
    parts.join(", ")
}

fn walk(report: &RootsReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let walk = &report.walk;
    if walk.dirs.is_empty() {
        return Prose::new(look)
            .say("No directory of the project was looked at: --no-project or --max-depth 0 switches the walk off.")
            .write(writer, "", "  ");
    }
    writeln!(
        writer,
        "{}",
        look.paint(Paint::Heading, "The walk upward, nearest first")
    )?;
    let last = walk.dirs.len() - 1;
    for (index, dir) in walk.dirs.iter().enumerate() {
        let mut prose = Prose::new(look).path(dir);
        if let Some(stop) = walk.stop.filter(|_| index == last) {
            prose = prose.say(&format!("({})", words::stop(stop)));
        }
        prose.write(writer, "  ", "    ")?;
    }
    Ok(())
}
