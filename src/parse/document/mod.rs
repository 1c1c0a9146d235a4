//! Configuration files in TOML, JSONC and JSON as one data model in which every key and value knows its place.
//!
//! [`parse`] takes bytes and yields a [`Document`], or the one [`Problem`] for which the file cannot be used; the
//! host skips such a file and goes on (spec, discovery 6). What is merely odd is among the document's problems.
//!
//! - JSON is RFC 8259 to the letter. JSONC is JSON with `//` and `/* */` comments and trailing commas, and nothing
//!   else: what only JSON5 has is an error in both.
//! - TOML is 1.1, as the `toml` crate reads it. A whole number that no 64-bit integer holds is an error there, as
//!   TOML demands; in JSON it is legal, keeps its text and is reported (`number-precision`). A number beyond the range
//!   of floating point (`1e999`) is an error in JSON.
//! - A duplicate key is an error in TOML; in JSON the last one counts and is reported at its place (`duplicate-key`).
//! - Half a surrogate pair (`"\ud800"`) is an error: no text can hold it, and the programs that read these files
//!   refuse it as well.
//! - A byte order mark is allowed in all formats. Anything but UTF-8 is an error that says at which byte.
//! - An empty TOML file is an empty table. An empty JSON or JSONC file, or one of only comments, is an error: no
//!   JSON parser takes it, so the host skips it too, and a file that silently counts as `{}` would hide that.
//! - A file has at most [`MAX_BYTES`], [`MAX_VALUES`] and [`MAX_DEPTH`]; what is beyond is an error. Time is linear
//!   in the size, and the stack that parsing or dropping takes is bounded by the depth.

mod json;
mod lines;
#[cfg(test)]
mod tests;
mod toml;
mod value;

use std::ffi::OsStr;
use std::path::Path;

use lines::LineIndex;
pub use value::{Entry, Located, Value};

use super::{Position, Problem};
use crate::model::Code;

/// How many bytes a file may have: 16 MiB; real ones have a few thousand.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// How many values a file may have: a bound on memory, since two bytes of text can be a value.
pub const MAX_VALUES: usize = 1_000_000;

/// How deep tables and lists may be nested, the outermost included.
///
/// The same in all formats, and below what the TOML parser allows (80), so that data does not depend on the format
/// that it is written in. Real files have fewer than ten levels.
pub const MAX_DEPTH: usize = 64;

/// How many problems of one file are listed; beyond, only their number is.
const MAX_PROBLEMS: usize = 100;

/// How a configuration file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// TOML 1.1.
    Toml,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// JSON and nothing else.
    Json,
}

impl Format {
    /// The format that a file's extension says: `.toml`, `.jsonc` or `.json`, in lower case only.
    #[must_use]
    pub fn from_file_name(name: &OsStr) -> Option<Self> {
        match Path::new(name).extension()?.to_str()? {
            "toml" => Some(Self::Toml),
            "jsonc" => Some(Self::Jsonc),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The format's name as people write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Toml => "TOML",
            Self::Jsonc => "JSONC",
            Self::Json => "JSON",
        }
    }
}

/// What a configuration file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The outermost table.
    pub root: Located,
    /// What is odd about a file that can be used all the same: duplicate keys and numbers that lose precision, in
    /// the order in which they were met, at most 100 and one that counts the rest.
    pub problems: Vec<Problem>,
}

/// Reads a configuration file.
///
/// # Errors
///
/// The problem for which the file cannot be used, with its line and column where there is one: `bad-config`,
/// `not-utf8`, `too-deep` or `too-large`.
pub fn parse(bytes: &[u8], format: Format) -> Result<Document, Problem> {
    let document = parse_any(bytes, format)?;
    match document.root.value {
        Value::Table(_) => Ok(document),
        _ => Err(not_a_table(&document.root)),
    }
}

/// Reads a file of which the outermost value may be any.
pub(crate) fn parse_any(bytes: &[u8], format: Format) -> Result<Document, Problem> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem {
            code: Code::TooLarge,
            line: None,
            column: None,
            message: format!("the file has {} bytes; at most {MAX_BYTES} are read", bytes.len()),
            help: None,
        });
    }
    let text = decode(bytes)?;
    let lines = LineIndex::new(text);
    match format {
        Format::Toml => toml::parse(text, &lines),
        Format::Jsonc | Format::Json => json::parse(text, &lines, format),
    }
}

/// The text of a file, without its byte order mark.
fn decode(bytes: &[u8]) -> Result<&str, Problem> {
    let (mark, content) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(content) => (3, content),
        None => (0, bytes),
    };
    let error = match std::str::from_utf8(content) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let before = content.get(..error.valid_up_to()).unwrap_or_default();
    let position = LineIndex::new(std::str::from_utf8(before).unwrap_or_default()).end();
    let message = if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        "the file is UTF-16, not UTF-8".to_owned()
    } else {
        let offset = mark + error.valid_up_to();
        format!("the byte at offset {offset} is not UTF-8")
    };
    let mut problem = problem_at(Code::NotUtf8, position, message);
    problem.help = Some("save the file as UTF-8".to_owned());
    Err(problem)
}

/// A problem at a place.
fn problem_at(code: Code, position: Position, message: impl Into<String>) -> Problem {
    Problem {
        code,
        line: Some(position.line),
        column: Some(position.column),
        message: message.into(),
        help: None,
    }
}

/// That values are nested too deep.
fn too_deep(position: Position) -> Problem {
    let message = format!("values are nested more than {MAX_DEPTH} levels deep");
    problem_at(Code::TooDeep, position, message)
}

/// That there are too many values.
fn too_many_values(position: Position) -> Problem {
    let message = format!("the file has more than {MAX_VALUES} values");
    problem_at(Code::TooLarge, position, message)
}

/// That the outermost value is no table.
fn not_a_table(root: &Located) -> Problem {
    let message = format!("the file holds {}, not a table", root.value.type_name());
    let mut problem = problem_at(Code::BadConfig, root.position, message);
    problem.help = Some("put everything in `{` and `}`".to_owned());
    problem
}
