//! What the front matter of a file means to a host that is more, or less, forgiving than the native one.

use super::marker::{MarkerReader, Reading};
use crate::host::{BadYaml, Matter};
use crate::model::Code;
use crate::parse::front_matter::{self, Field, FrontMatter};

/// Keys that are always read beside name and description.
pub(super) const WANTED: &[&str] = &["disable"];

/// What a host makes of a file.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) name: Option<Box<str>>,
    pub(super) description: Option<Box<str>>,
    pub(super) fields: Vec<Field>,
    /// Why the host leaves it out.
    pub(super) refused: Option<Refusal>,
}

/// Why a host leaves a file out.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            line: None,
            column: None,
        }
    }
}

/// Judges a file that `reader` has just read.
pub(super) fn judge(matter: &Matter, reading: Reading, reader: &MarkerReader) -> Judged {
    let bytes = reader.bytes();
    let hidden = matter.mark_hides && reading.has_mark;
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let inexact = matter.exact_fence && first.strip_suffix(b"\r").unwrap_or(first) != b"---";
    if reading.too_large {
        let message = "the front matter does not end within the first 64 KiB, so it was not read";
        return left_out(Refusal::new(Code::TooLarge, message));
    }
    if !reading.has_front_matter || hidden || inexact {
        let mut judged = Judged::default();
        if matter.needed || matter.name {
            let why = match (hidden, reading.size) {
                (true, _) => "a byte order mark hides the front matter from this host",
                (_, 0) => "the file is empty; this host needs front matter",
                _ => "this host needs front matter, opened and closed by `---`",
            };
            judged.refused = Some(Refusal::new(Code::NoFrontMatter, why));
        } else if matter.body_describes {
            judged.description = first_line(bytes, 0);
        }
        return judged;
    }
    let mut front_matter = reading.front_matter;
    if let Some(refusal) = repair(matter, &mut front_matter, bytes) {
        return Judged {
            name: front_matter.name,
            description: front_matter.description,
            refused: Some(refusal),
            ..Judged::default()
        };
    }
    let mut judged = Judged {
        refused: demands(matter, &front_matter, bytes).or_else(|| unknown_key(matter, bytes)),
        name: front_matter
            .name
            .filter(|name| !matter.blank_is_none || !name.trim().is_empty()),
        description: front_matter.description,
        fields: front_matter.fields,
    };
    if judged.description.is_none() && matter.body_describes {
        judged.description = first_line(bytes, body_start(bytes));
    }
    judged
}

fn left_out(refusal: Refusal) -> Judged {
    Judged {
        refused: Some(refusal),
        ..Judged::default()
    }
}

/// Takes front matter that is not valid as the host takes it; says why where the host does not.
fn repair(matter: &Matter, front_matter: &mut FrontMatter, bytes: &[u8]) -> Option<Refusal> {
    if !matter.lossy && !is_utf8_so_far(bytes) {
        return Some(Refusal::new(
            Code::NotUtf8,
            "the file is not UTF-8, and this host reads no other",
        ));
    }
    if matter.bad_yaml == BadYaml::LastLine
        && (front_matter.invalid.is_some()
            || front_matter.name.is_none()
            || front_matter.description.is_none())
    {
        let text = String::from_utf8_lossy(bytes);
        *front_matter = last_lines(&text);
        return None;
    }
    let problem = front_matter.invalid.take()?;
    if problem.code == Code::NotUtf8 {
        // The host reads replacement characters where bytes are wrong.
        let text = String::from_utf8_lossy(bytes);
        let extent = front_matter::extent(text.as_bytes(), true);
        *front_matter = front_matter::parse(text.as_bytes(), &extent, WANTED);
        let again = front_matter.invalid.take()?;
        return matches!(matter.bad_yaml, BadYaml::Refused | BadYaml::ColonsOnly).then(|| refusal_of(&again));
    }
    match matter.bad_yaml {
        BadYaml::RecoveredUnlessTwice if problem.message.contains("twice") => Some(refusal_of(&problem)),
        BadYaml::Recovered | BadYaml::RecoveredUnlessTwice | BadYaml::LastLine => None,
        BadYaml::Refused => Some(refusal_of(&problem)),
        BadYaml::ColonsOnly => {
            let quoted = quote_colons(&String::from_utf8_lossy(bytes));
            let extent = front_matter::extent(quoted.as_bytes(), true);
            *front_matter = front_matter::parse(quoted.as_bytes(), &extent, WANTED);
            front_matter.invalid.take().map(|_| refusal_of(&problem))
        }
    }
}

fn refusal_of(problem: &crate::parse::Problem) -> Refusal {
    Refusal {
        code: problem.code,
        message: problem.message.clone(),
        line: problem.line,
        column: problem.column,
    }
}

/// Whether what was read is UTF-8, but for a character that the end of the buffer cuts.
fn is_utf8_so_far(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// What the host demands of valid front matter and does not find.
fn demands(matter: &Matter, found: &FrontMatter, bytes: &[u8]) -> Option<Refusal> {
    let not_text = found
        .findings
        .iter()
        .any(|finding| finding.code == Code::NameNotText);
    let blank = |text: &str| matter.blank_is_none && text.trim().is_empty();
    let name = found
        .name
        .as_deref()
        .filter(|name| !(blank(name) || matter.name_must_be_text && not_text));
    let description = found.description.as_deref().filter(|text| !blank(text));
    if matter.name && name.is_none() {
        return Some(Refusal::new(
            Code::MissingName,
            "this host needs a `name` in the front matter",
        ));
    }
    if matter.description && description.is_none() {
        return Some(Refusal::new(
            Code::MissingDescription,
            "this host needs a `description` in the front matter",
        ));
    }
    let text = String::from_utf8_lossy(bytes.get(..body_start(bytes)).unwrap_or_default());
    let described = text.lines().any(|line| line.starts_with("description:"));
    if matter.description_must_be_text && found.description.is_none() && described {
        return Some(Refusal::new(
            Code::WrongType,
            "this host takes only text for a `description`",
        ));
    }
    let name = name?;
    if matter.longest_name > 0 && name.chars().count() > matter.longest_name {
        let why = format!(
            "this host takes at most {} characters for a name",
            matter.longest_name
        );
        return Some(Refusal::new(Code::UnusableName, why));
    }
    let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if matter.slug && !name.chars().all(is_slug) {
        return Some(Refusal::new(
            Code::UnusableName,
            "this host takes only small letters, digits, `-` and `_` in a name",
        ));
    }
    if matter.no_colon && (name.contains(':') || name.starts_with('-')) {
        return Some(Refusal::new(
            Code::UnusableName,
            "this host takes no name that has a `:` or begins with `-`",
        ));
    }
    None
}

/// A key that the host does not know, where it refuses those.
fn unknown_key(matter: &Matter, bytes: &[u8]) -> Option<Refusal> {
    if matter.only_keys.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(bytes.get(..body_start(bytes)).unwrap_or_default());
    let keys = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, _)| key);
    let plain = |key: &&str| !key.is_empty() && !key.starts_with([' ', '\t', '#', '-', '"', '\'']);
    let unknown = keys
        .filter(plain)
        .find(|key| !matter.only_keys.contains(&key.trim_end()))?;
    let message = format!("this host refuses front matter with a key that it does not know: `{unknown}`");
    Some(Refusal::new(Code::BadFrontMatter, message))
}

/// Name and description as the last lines have them that begin with those words.
fn last_lines(text: &str) -> FrontMatter {
    let mut found = FrontMatter::default();
    let mut lines = text
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with("---"))
        .peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if let Some(name) = line.strip_prefix("name:") {
            found.name = Some(name.trim().into());
        } else if let Some(first) = line.strip_prefix("description:") {
            let mut parts = vec![first.trim()];
            while let Some(more) =
                lines.next_if(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty())
            {
                parts.push(more.trim());
            }
            parts.retain(|part| !part.is_empty());
            found.description = Some(parts.join(" ").into());
        }
    }
    found
}

/// Where the body begins in a file whose front matter is closed.
fn body_start(bytes: &[u8]) -> usize {
    match front_matter::extent(bytes, true) {
        front_matter::Extent::Closed { yaml, .. } => {
            let rest = bytes.get(yaml.end..).unwrap_or_default();
            yaml.end
                + rest
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .map_or(rest.len(), |at| at + 1)
        }
        _ => 0,
    }
}

/// The first line with text from an offset on, without the signs of a heading.
fn first_line(bytes: &[u8], from: usize) -> Option<Box<str>> {
    let text = String::from_utf8_lossy(bytes.get(from..).unwrap_or_default());
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.trim_start_matches('#').trim().into())
}

/// The text with quotes around top-level values that have a colon and are not quoted.
fn quote_colons(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut fences = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            fences += 1;
        }
        let body = line.trim_end_matches(['\n', '\r']);
        let end = line.get(body.len()..).unwrap_or_default();
        match body.split_once(": ").filter(|(key, value)| {
            fences == 1
                && !key.starts_with([' ', '\t', '#', '-'])
                && !value
                    .trim()
                    .starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!'])
                && (value.contains(": ") || value.trim_end().ends_with(':'))
        }) {
            Some((key, value)) => {
                let value = value.trim().replace('\'', "''");
                quoted.push_str(&format!("{key}: '{value}'{end}"));
            }
            None => quoted.push_str(line),
        }
    }
    quoted
}
