//! What the front matter of a file means to a host that is more, or less, forgiving than the native one.

use super::marker::{MarkerReader, Reading};
use super::repair::repair;
use crate::host::{Matter, Takes, TextRule};
use crate::model::Code;
use crate::parse::front_matter::{self, Field, FieldValue, FrontMatter};

/// Keys that are always read beside name and description.
pub(super) const WANTED: &[&str] = &[
    "agent",
    "color",
    "disable",
    "disable-model-invocation",
    "hidden",
    "hooks",
    "max_turns",
    "metadata",
    "mode",
    "model",
    "paths",
    "prompt",
    "subtask",
    "temperature",
    "timeout_mins",
    "tools",
    "top_p",
    "user-invocable",
    "when_to_use",
];

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
    /// Whether it keeps the host from starting at all.
    pub(super) stops: bool,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            line: None,
            column: None,
            stops: false,
        }
    }

    fn that_stops(self, stops: bool) -> Self {
        Self { stops, ..self }
    }
}

/// Judges a file that `reader` has just read.
pub(super) fn judge(matter: &Matter, reading: Reading, reader: &MarkerReader) -> Judged {
    let bytes = reader.bytes();
    let hidden = matter.mark_hides && reading.has_mark;
    if reading.too_large {
        let message = "the front matter does not end within the first 64 KiB, so it was not read";
        return left_out(Refusal::new(Code::TooLarge, message));
    }
    if !reading.has_front_matter || hidden {
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
    if let Some(refusal) = repair(matter, &mut front_matter, bytes, WANTED) {
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
            .filter(|name| !matter.blank_is_none || !name.trim().is_empty())
            .map(|name| in_one_line(matter, name)),
        description: front_matter.description,
        fields: front_matter.fields,
    };
    if judged.description.is_none() && matter.body_describes {
        judged.description = first_line(bytes, body_start(matter, bytes));
    }
    judged
}

fn in_one_line(matter: &Matter, name: Box<str>) -> Box<str> {
    if !matter.name_in_one_line {
        return name;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").into()
}

fn left_out(refusal: Refusal) -> Judged {
    Judged {
        refused: Some(refusal),
        ..Judged::default()
    }
}

/// The patterns of the files that an entry with this field waits for; none where it waits for nothing, or for
/// everything.
pub(super) fn patterns_waited_for(field: &Field) -> Option<String> {
    let given: Vec<&str> = match &field.value {
        FieldValue::Text(text) => text.split(',').map(str::trim).collect(),
        // A number or a boolean is no pattern.
        FieldValue::List(items) => items
            .iter()
            .map(|item| &**item)
            .filter(|item| !matches!(*item, "true" | "false") && item.parse::<f64>().is_err())
            .collect(),
        FieldValue::NotText(_) | FieldValue::Null | FieldValue::Mapping => Vec::new(),
    };
    // `src/**` is `src`, and `/**` is nothing.
    let waits = given
        .iter()
        .map(|pattern| pattern.strip_suffix("/**").unwrap_or(pattern))
        .any(|pattern| !pattern.is_empty() && pattern != "**");
    waits.then(|| given.join(", "))
}

/// What the host demands of valid front matter and does not find.
fn demands(matter: &Matter, found: &FrontMatter, bytes: &[u8]) -> Option<Refusal> {
    let not_text = found
        .findings
        .iter()
        .any(|finding| finding.code == Code::NameNotText)
        || found
            .name
            .as_deref()
            .is_some_and(|name| is_plain_date("name:", name, matter, bytes));
    let is_date = |text: &str| is_plain_date("description:", text, matter, bytes);
    let blank = |text: &str| {
        matter.blank_is_none && text.trim().is_empty() || matter.empty_is_none && text.is_empty()
    };
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
    let wrong_type = match matter.description_type {
        TextRule::Any => false,
        TextRule::Scalar => found.description_not_text && found.description.is_none(),
        TextRule::Text => found.description_not_text || found.description.as_deref().is_some_and(is_date),
    };
    if wrong_type {
        return Some(
            Refusal::new(Code::WrongType, "this host takes only text for a `description`")
                .that_stops(matter.wrong_type_stops),
        );
    }
    if let Some((field, what)) = found
        .fields
        .iter()
        .find_map(|field| Some((field, wrong(matter, field)?)))
    {
        let why = format!("this host takes only {what} for `{}`", field.key);
        let refusal = Refusal {
            line: Some(field.at.line),
            column: Some(field.at.column),
            ..Refusal::new(Code::WrongType, why)
        };
        return Some(refusal.that_stops(matter.wrong_type_stops));
    }
    if matter.wrong_type_stops && not_text && !matter.name {
        let why = "this host takes only text for a `name`";
        return Some(Refusal::new(Code::WrongType, why).that_stops(true));
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

/// What a key takes, where its value is something else.
fn wrong(matter: &Matter, field: &Field) -> Option<&'static str> {
    let spec = matter.fields.iter().find(|spec| *spec.key == *field.key)?;
    let text = match &field.value {
        FieldValue::Text(text) => Some(&**text),
        _ => None,
    };
    let plain = match &field.value {
        FieldValue::NotText(text) => Some(&**text),
        _ => None,
    };
    let is_flag = plain.is_some_and(|word| matches!(word, "true" | "false"));
    let fits = |known: &str, word: &str| match known.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning) && (known != "*" || word == known),
        None => word == known,
    };
    let (right, what) = match spec.takes {
        Takes::Text => (text.is_some(), "text"),
        Takes::Number => (plain.is_some() && !is_flag, "a number"),
        Takes::Flag => (is_flag, "`true` or `false`"),
        Takes::MappingOrNothing => (
            matches!(field.value, FieldValue::Mapping | FieldValue::Null),
            "a mapping",
        ),
        Takes::Mapping => (matches!(field.value, FieldValue::Mapping), "a mapping"),
        Takes::OneOf(words) => (
            text.is_some_and(|text| words.contains(&text)),
            "a word that it knows",
        ),
        Takes::Color(words) => {
            let is_hex = |text: &str| {
                text.len() == 7
                    && text
                        .strip_prefix('#')
                        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
            };
            let right = text.is_some_and(|text| words.contains(&text) || is_hex(text));
            (right, "a colour such as `\"#a0b1c2\"`")
        }
        Takes::ListOf(words) => {
            let right = match &field.value {
                FieldValue::List(items) => items
                    .iter()
                    .all(|item| words.iter().any(|known| fits(known, item))),
                _ => false,
            };
            (right, "a list of tools that it knows")
        }
    };
    (!right).then_some(what)
}

/// Whether a value is a date without quotes, which is no text to a host that reads older YAML.
fn is_plain_date(key: &str, name: &str, matter: &Matter, bytes: &[u8]) -> bool {
    let digits = |part: &str, count: usize| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = name.split('-');
    let is_date = matches!(
        (parts.next(), parts.next(), parts.next(), parts.next()),
        (Some(year), Some(month), Some(day), None) if digits(year, 4) && digits(month, 2) && digits(day, 2)
    );
    matter.dates_are_no_text && is_date && {
        let text = String::from_utf8_lossy(bytes.get(..body_start(matter, bytes)).unwrap_or_default());
        text.lines()
            .filter_map(|line| line.strip_prefix(key))
            .any(|value| value.trim() == name)
    }
}

/// A key that the host does not know, where it refuses those.
fn unknown_key(matter: &Matter, bytes: &[u8]) -> Option<Refusal> {
    if matter.only_keys.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(bytes.get(..body_start(matter, bytes)).unwrap_or_default());
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

/// Where the body begins in a file whose front matter is closed.
fn body_start(matter: &Matter, bytes: &[u8]) -> usize {
    match front_matter::extent_between(bytes, true, matter.fences) {
        front_matter::Extent::Closed { yaml, .. } if matter.fences.anywhere => yaml.end + 3,
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
