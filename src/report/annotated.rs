//! The effective configuration as a document that says of every part where it comes from.

use std::io::{self, Write};

use serde_json::Value;

use super::escape::visible;
use super::json::{write_json, write_json_line};
use crate::discovery::merge::{Merged, MergedValue, Origin};

/// Writes the merged configuration as JSONC: above every part a comment with the file, line and column that it comes
/// from, and one for each value that it overrode.
///
/// # Errors
///
/// What the writer answers.
pub fn annotated(merged: &Merged, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "{{")?;
    let mut values = merged.values.iter().peekable();
    while let Some(value) = values.next() {
        let [outer, rest @ ..] = value.key.as_slice() else {
            continue;
        };
        let Some(inner) = rest.first() else {
            comments(value, 1, writer)?;
            member(Some(outer), &value.value, 1, writer)?;
            continue;
        };
        // Names of a table and elements of a list stand next to one another.
        let is_list = merged.config.get(outer).is_some_and(Value::is_array);
        write!(writer, "  {}: ", quoted(outer)?)?;
        writeln!(writer, "{}", if is_list { "[" } else { "{" })?;
        let mut part = Some((value, inner));
        while let Some((value, inner)) = part {
            comments(value, 2, writer)?;
            member((!is_list).then_some(inner), &value.value, 2, writer)?;
            part = values
                .next_if(|next| next.key.first() == Some(outer))
                .and_then(|next| Some((next, next.key.get(1)?)));
        }
        writeln!(writer, "  {}", if is_list { "]," } else { "}," })?;
    }
    writeln!(writer, "}}")
}

fn comments(value: &MergedValue, depth: usize, writer: &mut dyn Write) -> io::Result<()> {
    let indent = "  ".repeat(depth);
    writeln!(writer, "{indent}// {}", place(&value.origin))?;
    for repeated in &value.repeated {
        writeln!(writer, "{indent}// also in {}", place(repeated))?;
    }
    for overridden in &value.overridden {
        let text = compact(&overridden.value)?;
        writeln!(
            writer,
            "{indent}// overrides {text} from {}",
            place(&overridden.origin)
        )?;
    }
    Ok(())
}

fn member(key: Option<&String>, value: &Value, depth: usize, writer: &mut dyn Write) -> io::Result<()> {
    let indent = "  ".repeat(depth);
    let mut document = Vec::new();
    write_json(&mut document, value)?;
    let text = String::from_utf8_lossy(&document);
    let text = text.trim_end().replace('\n', &format!("\n{indent}"));
    match key {
        Some(key) => writeln!(writer, "{indent}{}: {text},", quoted(key)?),
        None => writeln!(writer, "{indent}{text},"),
    }
}

/// `file:line:column`, or the variable's name in place of the file.
fn place(origin: &Origin) -> String {
    let file = match &origin.path {
        Some(path) => visible(&path.to_string_lossy()).into_owned(),
        None => "ALEPH_CONFIG_CONTENT".to_owned(),
    };
    format!("{file}{}", position(origin))
}

/// `:line:column`.
pub(super) fn position(origin: &Origin) -> String {
    format!(":{}:{}", origin.position.line, origin.position.column)
}

/// A value on one line.
pub(super) fn compact(value: &Value) -> io::Result<String> {
    let mut line = Vec::new();
    write_json_line(&mut line, value)?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}

fn quoted(key: &str) -> io::Result<String> {
    compact(&Value::from(key))
}
