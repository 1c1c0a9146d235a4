//! Front matter: the YAML between two fences at the beginning of a markdown file.
//!
//! [`extent()`] says where it is, [`parse()`] what it says. The YAML is read as a stream of events: no tree is
//! built, aliases are never expanded, tags never run anything, and nothing recurses, so that the work is
//! bounded by the size of the text whatever the text is. (discovery.md, section 4)

mod diagnose;
mod fences;
mod lines;
mod recover;
mod scalar;
#[cfg(test)]
mod tests;
mod yaml;

pub use fences::{Cursor, Extent, extent, extent_between, extent_from};

use super::{Position, Problem};
use crate::model::Code;

/// How many bytes at most are read to find the end of the front matter: 64 KiB. (discovery.md, section 3)
pub const MAX_FRONT_MATTER: usize = 64 * 1024;

/// The value of a further key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// Text, as YAML gives it.
    Text(Box<str>),
    /// A number or a boolean, as it is written.
    NotText(Box<str>),
    /// A list: its text, number and boolean items, each as text; other items are left out.
    List(Vec<Box<str>>),
    /// A mapping, whose entries are not kept.
    Mapping,
}

impl FieldValue {
    /// The text of a value that is text, a number or a boolean.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::NotText(text) => Some(text),
            Self::Null | Self::List(_) | Self::Mapping => None,
        }
    }
}

/// A further top-level key that the caller asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key, exactly as asked for.
    pub key: Box<str>,
    /// Its value.
    pub value: FieldValue,
    /// Where the value begins.
    pub at: Position,
}

/// What front matter says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// The declared name as YAML gives it, neither trimmed nor judged; a number or boolean as written.
    pub name: Option<Box<str>>,
    /// Where the value of `name` begins; not known for a name that was recovered.
    pub name_at: Option<Position>,
    /// The description as YAML gives it; a number or boolean as written.
    pub description: Option<Box<str>>,
    /// Whether there is a description that is no text: nothing, a number, a boolean, a list or a mapping.
    pub description_not_text: bool,
    /// The further keys that were asked for and are there, in the order of the file; none if `invalid`.
    pub fields: Vec<Field>,
    /// Why the entry cannot be in effect: [`Code::BadFrontMatter`] or [`Code::NotUtf8`].
    ///
    /// `name` and `description` are then what could be read line by line.
    pub invalid: Option<Problem>,
    /// Where a value has a tag that is none of YAML's own, such as `!important`; none if `invalid`.
    pub unknown_tag: Option<Position>,
    /// What is worth saying of an entry that stays in effect.
    pub findings: Vec<Problem>,
}

/// Parses the front matter of a file; never fails, since what is wrong is part of the answer.
///
/// `bytes` and `extent` belong together: the extent was found in those bytes, or in a beginning of them. Of front
/// matter whose end is not among the bytes ([`Extent::NeedMore`]) name and description are what could be read line
/// by line.
/// `wanted` are further top-level keys, compared exactly; what nobody asked for is checked and skipped.
#[must_use]
pub fn parse(bytes: &[u8], extent: &Extent, wanted: &[&str]) -> FrontMatter {
    match extent {
        Extent::Absent => FrontMatter::default(),
        Extent::NeedMore => recovered(bytes),
        Extent::Unclosed => FrontMatter {
            findings: vec![unclosed()],
            ..FrontMatter::default()
        },
        Extent::Closed { yaml, first_line } => {
            let text = bytes.get(yaml.clone()).unwrap_or_default();
            match std::str::from_utf8(text) {
                Ok(text) => parse_yaml(text, *first_line, wanted),
                Err(error) => not_utf8(text, error.valid_up_to(), yaml.start, *first_line),
            }
        }
    }
}

fn parse_yaml(text: &str, first_line: u32, wanted: &[&str]) -> FrontMatter {
    match yaml::read(text, first_line, wanted) {
        Ok(front_matter) => front_matter,
        Err(problem) => {
            let recovered = recover::recover(text);
            FrontMatter {
                name: recovered.name.map(Into::into),
                description: recovered.description.map(Into::into),
                invalid: Some(problem),
                ..FrontMatter::default()
            }
        }
    }
}

/// The front matter of a file in UTF-16, which nobody reads: name and description as far as they can be recovered, and
/// why it is `invalid`. None where it does not begin with a fence in UTF-16.
#[must_use]
pub fn of_utf16(bytes: &[u8]) -> Option<FrontMatter> {
    // With its byte order mark, or without one from its fence.
    let (is_little, rest) = match bytes {
        [0xFF, 0xFE, rest @ ..] => (true, rest),
        [0xFE, 0xFF, rest @ ..] => (false, rest),
        [b'-', 0, b'-', 0, ..] => (true, bytes),
        [0, b'-', 0, b'-', ..] => (false, bytes),
        _ => return None,
    };
    let unit = if is_little {
        u16::from_le_bytes
    } else {
        u16::from_be_bytes
    };
    let (pairs, _) = rest.as_chunks::<2>();
    let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    let mut lines = text.split_inclusive('\n');
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let yaml: String = lines
        .take_while(|line| !matches!(line.trim_end(), "---" | "..."))
        .collect();
    let recovered = recover::recover(&yaml);
    let start = Position { line: 1, column: 1 };
    let problem = Problem::new(Code::NotUtf8, Some(start), "the file is UTF-16, not UTF-8");
    Some(FrontMatter {
        name: recovered.name.map(Into::into),
        description: recovered.description.map(Into::into),
        invalid: Some(problem.with_help("save the file as UTF-8")),
        ..FrontMatter::default()
    })
}

/// What can be read line by line of front matter whose end is not known.
fn recovered(bytes: &[u8]) -> FrontMatter {
    let text = String::from_utf8_lossy(bytes);
    let after_fence = text.split_once('\n').map_or("", |(_, rest)| rest);
    let recovered = recover::recover(after_fence);
    FrontMatter {
        name: recovered.name.map(Into::into),
        description: recovered.description.map(Into::into),
        ..FrontMatter::default()
    }
}

fn unclosed() -> Problem {
    let start = Position { line: 1, column: 1 };
    let message = "the front matter is opened and never closed, so the whole file is taken for its body";
    Problem::new(Code::UnclosedFrontMatter, Some(start), message)
        .with_help("end the front matter with a line `---` that is not indented")
}

fn not_utf8(text: &[u8], valid: usize, yaml_start: usize, first_line: u32) -> FrontMatter {
    let before = text.get(..valid).map(String::from_utf8_lossy).unwrap_or_default();
    let byte = text.get(valid).copied().unwrap_or_default();
    let last = before
        .rsplit_once(['\n', '\r'])
        .map_or(&*before, |(_, last)| last);
    let at = Position {
        line: first_line.saturating_add(to_u32(lines::line_ends(&before))),
        column: to_u32(last.chars().count()).saturating_add(1),
    };
    let message = format!(
        "the front matter is not UTF-8: byte 0x{byte:02X} at offset {} of the file",
        yaml_start + valid
    );
    let problem = Problem::new(Code::NotUtf8, Some(at), message).with_help("save the file as UTF-8");
    let recovered = recover::recover(&String::from_utf8_lossy(text));
    // A name in which a byte had to be replaced is not the name that its author gave.
    let whole = |text: &String| !text.contains(char::REPLACEMENT_CHARACTER);
    FrontMatter {
        name: recovered.name.filter(whole).map(Into::into),
        description: recovered.description.filter(whole).map(Into::into),
        invalid: Some(problem),
        ..FrontMatter::default()
    }
}

/// A count as the `u32` that positions are kept in; front matter is far too short for it to be cut.
fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
