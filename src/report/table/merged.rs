//! `find-config --merged`: for every key its value, where it comes from, and what it overrode.

use std::io::{self, Write};

use super::entries::Entry;
use super::layout::Line;
use super::paint::Paint;
use super::prose::Prose;
use super::{Look, roots, scan, words};
use crate::discovery::merge::{Merged, MergedValue, Origin};
use crate::report::annotated::{compact, position};
use crate::report::{ConfigFilesReport, escape};

/// Writes the effective configuration, key by key; under each key what it overrode, highest precedence first as
/// everywhere in tables.
pub(super) fn merged(
    report: &ConfigFilesReport,
    merged: &Merged,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    if !look.quiet {
        let prose = Prose::new(look).painted(Paint::Heading, "The effective configuration");
        scan::in_place(&report.context, prose, look).write(writer, "", "  ")?;
        scan::place(&report.context, look, writer)?;
        writeln!(writer)?;
    }
    let mut entries = Vec::new();
    for value in &merged.values {
        entries.push(entry(
            &key(value),
            Paint::Winner,
            &value.origin,
            &compact(&value.value)?,
            look,
        ));
        for repeated in value.repeated.iter().rev() {
            entries.push(entry("  the same", Paint::Faint, repeated, "", look));
        }
        for overridden in value.overridden.iter().rev() {
            let text = compact(&overridden.value)?;
            entries.push(entry(
                "  overrides",
                Paint::Faint,
                &overridden.origin,
                &text,
                look,
            ));
        }
    }
    roots::write_all(&entries, look, writer)?;
    if !look.quiet {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let overridden = merged.values.iter().map(|value| value.overridden.len()).sum();
        if !entries.is_empty() {
            writeln!(writer)?;
        }
        let layers = words::count(number(report.found.active().count()), "file", "files");
        let keys = words::count(number(merged.values.len()), "key", "keys");
        Prose::new(look)
            .say(&format!(
                "{keys} from {layers}; {} overridden",
                number(overridden)
            ))
            .write(writer, "", "  ")?;
    }
    Ok(())
}

/// `mcp.github`, `plugin[0]`; a name that has a dot or a blank in quotes.
fn key(value: &MergedValue) -> String {
    let is_element = value.key.first().is_some_and(|outer| {
        crate::discovery::merge::MergeRule::of(outer) == crate::discovery::merge::MergeRule::Append
    });
    let mut text = String::new();
    for (index, part) in value.key.iter().enumerate() {
        if index > 0 && is_element {
            text.push_str(&format!("[{part}]"));
            continue;
        }
        if index > 0 {
            text.push('.');
        }
        let is_plain = !part.is_empty()
            && part
                .chars()
                .all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '$'));
        if is_plain {
            text.push_str(part);
        } else {
            text.push_str(&format!("\"{}\"", escape::visible(part)));
        }
    }
    text
}

fn entry(label: &str, paint: Paint, origin: &Origin, value: &str, look: &Look) -> Entry {
    let place = position(origin);
    let path = match &origin.path {
        Some(path) => Line {
            text: format!("{}{place}", look.path(path)),
            paint: if paint == Paint::Faint {
                paint
            } else {
                Paint::Plain
            },
            url: look.target(path),
        },
        None => Line::new(Paint::Plain, format!("ALEPH_CONFIG_CONTENT{place}")),
    };
    Entry {
        label: Line::new(paint, label),
        path,
        note: Line::new(
            if paint == Paint::Faint {
                paint
            } else {
                Paint::Plain
            },
            value,
        ),
        note_is_optional: false,
    }
}
