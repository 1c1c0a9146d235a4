//! `find-config`: the files of one name, and which of them count.

use std::io::{self, Write};
use std::path::Path;

use super::entries::Entry;
use super::layout::Line;
use super::paint::Paint;
use super::prose::Prose;
use super::{Look, merged, roots, scan, words};
use crate::discovery::ConfigFile;
use crate::model::{DiscoverySource, State};
use crate::report::{ConfigFilesReport, escape};

/// Writes the answer of `find-config`, highest precedence first as everywhere in tables.
///
/// # Errors
///
/// What the writer answers.
pub fn config_files(report: &ConfigFilesReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if let Some(values) = &report.merged {
        return merged::merged(report, values, look, writer);
    }
    let found = &report.found;
    if !look.quiet {
        let prose = Prose::new(look)
            .painted(Paint::Heading, "Files named")
            .painted(Paint::Heading, &names(report));
        scan::in_place(&report.context, prose, look)
            .glue("; highest precedence first")
            .write(writer, "", "  ")?;
        scan::place(&report.context, look, writer)?;
        writeln!(writer)?;
    }
    let entries: Vec<Entry> = found
        .probed
        .iter()
        .rev()
        .map(
            |(path, _)| match found.files.iter().find(|file| file.path == *path) {
                Some(file) => file_entry(report, file, look),
                None => line(Paint::Faint, "missing", path, String::new(), look),
            },
        )
        .collect();
    roots::write_all(&entries, look, writer)?;
    if !look.quiet {
        writeln!(writer)?;
        summary(report, look, writer)?;
    }
    Ok(())
}

/// The names that were looked for.
fn names(report: &ConfigFilesReport) -> String {
    let config = &report.context.profile.config;
    if report.found.name == config.id {
        let names: Vec<String> = config.names.iter().map(|name| (*name).to_owned()).collect();
        words::list(&names).replace(" and ", " or ")
    } else {
        escape::visible(&report.found.name).into_owned()
    }
}

fn file_entry(report: &ConfigFilesReport, file: &ConfigFile, look: &Look) -> Entry {
    let by = file
        .by
        .and_then(|by| report.found.files.get(by as usize))
        .and_then(|by| by.path.file_name())
        .map(|name| escape::visible(&name.to_string_lossy()).into_owned());
    let mut parts: Vec<String> = vec![
        match file.source {
            DiscoverySource::AlephGlobal | DiscoverySource::ClaudeGlobal => "global",
            DiscoverySource::Project => "project",
            DiscoverySource::Plugin => "plugin",
            DiscoverySource::Host => "host",
            DiscoverySource::Env => "environment",
        }
        .to_owned(),
    ];
    if let Some(rule) = file.rule {
        parts.push(rule.to_string());
    }
    if let Some(by) = by {
        parts.push(format!("by {by}"));
    }
    if let Some(code) = file.code {
        let words = file.message.as_deref().unwrap_or_else(|| words::code(code));
        parts.push(format!("{code}: {}", escape::prose(words)));
    }
    if let Some(target) = &file.symlink_target {
        parts.push(format!("leads to {}", escape::visible(&target.to_string_lossy())));
    }
    line(
        words::paint(file.state),
        file.state.as_str(),
        &file.path,
        parts.join(", "),
        look,
    )
}

fn line(paint: Paint, label: &str, path: &Path, note: String, look: &Look) -> Entry {
    let rest = if paint == Paint::Faint {
        paint
    } else {
        Paint::Plain
    };
    Entry {
        label: Line::new(paint, format!("  {label}")),
        path: Line {
            text: look.path(path),
            paint: rest,
            url: look.target(path),
        },
        note: Line::new(Paint::Faint, note),
        note_is_optional: false,
    }
}

fn summary(report: &ConfigFilesReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let found = &report.found;
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let active = number(found.active().count());
    let mut parts = vec![format!("{} in effect", words::count(active, "file", "files"))];
    for state in State::ALL.into_iter().filter(|state| !state.is_in_effect()) {
        let files = number(found.files.iter().filter(|file| file.state == state).count());
        if files > 0 {
            parts.push(words::counted(files, state));
        }
    }
    let missing = number(found.probed.iter().filter(|(_, found)| !found).count());
    if missing > 0 {
        parts.push(format!("{missing} missing"));
    }
    Prose::new(look).say(&parts.join("; ")).write(writer, "", "  ")
}
