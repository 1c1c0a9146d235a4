//! Saying what is wrong with YAML in the words of the person who has to mend it.
//!
//! The parser tells what it expected, and where; which habit of writing led there shows in the line itself.

use serde_saphyr::granit_parser::{ErrorKind, ScanError};

use super::lines::{Entry, after_brackets, entry, is_blank, is_comment_or_blank, is_indented, lines};
use super::yaml::MAX_DEPTH;
use super::{Position, Problem, to_u32};
use crate::model::Code;

/// How much of a key or value is quoted in a message, in characters.
const SHOWN: usize = 40;

/// Text of a file as a message may quote it: cut, and without characters that could disturb a terminal.
pub(super) fn shown(text: &str) -> String {
    let harmless =
        |character: char| character.is_alphanumeric() || character.is_ascii_graphic() || character == ' ';
    let mut characters = text.chars();
    let mut shown: String = characters
        .by_ref()
        .take(SHOWN)
        .map(|character| {
            if harmless(character) {
                character
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// What a person is told; the place only where it is another than the parser's.
struct Explanation {
    message: String,
    help: String,
    at: Option<Position>,
}

impl Explanation {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
            at: None,
        }
    }

    const fn at(mut self, at: Option<Position>) -> Self {
        self.at = at;
        self
    }
}

/// Turns the parser's error into a problem at its place in the whole file.
pub(super) fn syntax_error(text: &str, first_line: u32, error: &ScanError) -> Problem {
    let marker = error.marker();
    let at = Position {
        line: to_u32(marker.line()),
        column: to_u32(marker.col()).saturating_add(1),
    };
    let explanation = explain(text, error.kind(), at);
    let at = explanation.at.unwrap_or(at);
    let at = Position {
        line: first_line.saturating_add(at.line).saturating_sub(1),
        column: at.column,
    };
    Problem::new(Code::BadFrontMatter, Some(at), explanation.message).with_help(explanation.help)
}

/// The lines around an error.
struct Surroundings<'a> {
    /// The line itself, empty if the error is at the end of the text.
    line: &'a str,
    entry: Option<Entry<'a>>,
    /// The last line before it that is not blank, and its number.
    before: Option<(u32, &'a str)>,
    /// The last entry in that line or before it whose value begins with a bracket that is not closed.
    open_bracket: Option<(u32, Entry<'a>, &'a str)>,
}

fn surroundings(text: &str, number: u32) -> Surroundings<'_> {
    let mut found = Surroundings {
        line: "",
        entry: None,
        before: None,
        open_bracket: None,
    };
    for (line, current) in lines(text).zip(1u32..) {
        let parts = entry(line);
        if let Some(entry) = parts
            && entry.value.starts_with(['[', '{'])
            && after_brackets(entry.value).is_none()
        {
            found.open_bracket = Some((current, entry, line));
        }
        if current == number {
            found.line = line;
            found.entry = parts;
            break;
        }
        if !is_blank(line) {
            found.before = Some((current, line));
        }
    }
    found
}

/// 1-based column of a byte offset in a line.
fn column(line: &str, offset: usize) -> u32 {
    to_u32(line.get(..offset).map_or(0, |before| before.chars().count())).saturating_add(1)
}

fn quote_the_value(of: Option<Entry<'_>>) -> String {
    match of {
        Some(Entry { key, .. }) => {
            let key = key.trim_start_matches("- ");
            format!("put the value of `{}` in quotes", shown(key))
        }
        None => "put the value in quotes".to_owned(),
    }
}

fn explain(text: &str, kind: &ErrorKind, at: Position) -> Explanation {
    let around = surroundings(text, at.line);
    match kind {
        ErrorKind::UnexpectedCharacter { character } if character.is_ascii_graphic() => {
            begins_with(*character, &around)
        }
        ErrorKind::UnexpectedCharacter { character } => not_printable(text, *character),
        ErrorKind::UnknownAnchor => begins_with('*', &around),
        ErrorKind::MissingAnchorOrAliasName => {
            let ampersand = around.entry.is_some_and(|entry| entry.value.starts_with('&'));
            begins_with(if ampersand { '&' } else { '*' }, &around)
        }
        ErrorKind::UndeclaredTagHandle
        | ErrorKind::InvalidTagTerminator
        | ErrorKind::MissingTagUri
        | ErrorKind::UnclosedVerbatimTag
        | ErrorKind::InvalidTagEscape
        | ErrorKind::ExpectedTagBang
        | ErrorKind::InvalidGlobalTagCharacter => begins_with('!', &around),
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => Explanation::new(
            "a tab where only blanks may indent",
            "indent with spaces instead of tabs",
        ),
        ErrorKind::RecursionLimitExceeded => Explanation::new(
            format!("lists or mappings are nested more than {MAX_DEPTH} levels deep"),
            "front matter needs few levels: quote the value if its brackets are text",
        ),
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => Explanation::new(
            "a quote is opened and never closed",
            "close the quote, or put the value in quotes of the other kind if it is text",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            Explanation::new(
                "text follows after the closing quote of a value",
                "put the whole value in one pair of quotes, of the other kind than inside it",
            )
        }
        ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidUnicodeEscape => Explanation::new(
            "a backslash in double quotes that begins no escape known to YAML",
            "use single quotes, or write each backslash twice",
        ),
        ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::MismatchedFlowCollectionEnd { .. }
        | ErrorKind::MisplacedFlowCollectionEnd => brackets(kind, at, &around),
        _ => by_line(kind, at, &around),
    }
}

fn begins_with(character: char, around: &Surroundings<'_>) -> Explanation {
    let meaning = match character {
        '*' => "which makes it an alias of another value",
        '&' => "which makes it an anchor",
        '!' => "which makes it a tag",
        _ => "which YAML reserves",
    };
    let shown = match character {
        '`' => "a backtick".to_owned(),
        other => format!("`{other}`"),
    };
    let message = format!("a value that is not in quotes begins with {shown}, {meaning}");
    Explanation::new(message, quote_the_value(around.entry))
}

fn not_printable(text: &str, character: char) -> Explanation {
    // The parser gives the beginning of the value; one that came earlier would have stopped it earlier.
    let at = lines(text).zip(1u32..).find_map(|(line, number)| {
        let column = column(line, line.find(character)?);
        Some(Position { line: number, column })
    });
    let message = format!(
        "the character U+{:04X} is not allowed in YAML",
        u32::from(character)
    );
    let help = "remove it, or write it as an escape in double quotes";
    Explanation::new(message, help).at(at)
}

fn brackets(kind: &ErrorKind, at: Position, around: &Surroundings<'_>) -> Explanation {
    if let Some(explanation) = text_after_brackets(around, at.line) {
        return explanation;
    }
    if let Some((number, entry, line)) = around.open_bracket {
        let bracket = entry.value.chars().next().unwrap_or('[');
        let at = Position {
            line: number,
            column: column(line, entry.value_at),
        };
        let help = format!("close the bracket, or {}", quote_the_value(Some(entry)));
        return Explanation::new(format!("a `{bracket}` is opened and never closed"), help).at(Some(at));
    }
    let message = match kind {
        ErrorKind::MisplacedFlowCollectionEnd => "a closing bracket that no opening one belongs to",
        ErrorKind::MismatchedFlowCollectionEnd { .. } => "a bracket is closed by one of another kind",
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
            "what is inside the brackets is not a list of items with a comma between each two"
        }
        _ => "a bracket is opened and never closed",
    };
    Explanation::new(message, quote_the_value(around.entry))
}

/// `[a] | b` and `[a] [b]`, as people write the hints of commands.
fn text_after_brackets(around: &Surroundings<'_>, number: u32) -> Option<Explanation> {
    let entry = around.entry.filter(|entry| entry.value.starts_with(['[', '{']))?;
    let rest = after_brackets(entry.value).filter(|rest| !is_comment_or_blank(rest))?;
    let what = if entry.value.starts_with('[') {
        "list"
    } else {
        "mapping"
    };
    let offset = entry.value_at + entry.value.len() - rest.trim_start_matches([' ', '\t']).len();
    let at = Position {
        line: number,
        column: column(around.line, offset),
    };
    let message =
        format!("text follows after the closing bracket, so the value is neither a {what} nor text");
    Some(Explanation::new(message, quote_the_value(Some(entry))).at(Some(at)))
}

fn by_line(kind: &ErrorKind, at: Position, around: &Surroundings<'_>) -> Explanation {
    if let Some(explanation) = text_after_brackets(around, at.line) {
        return explanation;
    }
    if let Some((_, entry, _)) = around.open_bracket
        && matches!(kind, ErrorKind::InvalidColonPlacement)
        && around.entry != Some(entry)
    {
        return brackets(kind, at, around);
    }
    let value_column = around.entry.map(|entry| column(around.line, entry.value_at));
    let is_item = around.line.trim_start_matches([' ', '\t']).starts_with("- ");
    match (kind, around.entry) {
        (ErrorKind::InvalidBlockScalarHeader, Some(entry)) if entry.value.starts_with(['|', '>']) => {
            Explanation::new(
                format!(
                    "text follows after `{}`",
                    if entry.value.starts_with('|') { '|' } else { '>' }
                ),
                "begin the text on the next line, indented, or put the value in quotes",
            )
        }
        (ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement, Some(entry))
            if value_column.is_some_and(|value| at.column >= value) =>
        {
            Explanation::new(
                "a second colon with a blank after it in a value that is not in quotes",
                format!(
                    "{}, or write it as a block after `|`",
                    quote_the_value(Some(entry))
                ),
            )
        }
        (ErrorKind::MappingValueNotAllowed, Some(_)) if is_indented(around.line) => Explanation::new(
            "an indented line goes on with the value above it, but reads like `key: value`",
            "put the value above in quotes or write it as a block after `|`; a key of its own begins at the first column",
        ),
        (ErrorKind::MappingValueNotAllowed, Some(_)) => match around.before {
            Some((number, line)) if entry(line).is_none() => stray_line(line, number),
            _ => other(kind),
        },
        (ErrorKind::BlockSequenceEntryNotAllowed, Some(_)) => Explanation::new(
            "a list begins on the line of its key",
            "put each `- item` on a line of its own, or put the value in quotes if it is text",
        ),
        (ErrorKind::ExpectedBlockSequenceEntry, _) => Explanation::new(
            "a line that is in line with the items of a list, but does not begin with `- `",
            "begin it with `- `, or indent it less or more than the items",
        ),
        (ErrorKind::ExpectedBlockMappingKey, _) if is_item => Explanation::new(
            "a list item that is indented differently from the others",
            "indent all items of the list alike",
        ),
        (
            ErrorKind::ExpectedBlockMappingKey | ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey,
            None,
        ) => stray_line(around.line, at.line),
        (ErrorKind::ExpectedBlockMappingKey, Some(_)) => Explanation::new(
            "a line that is indented differently from the keys that it belongs to",
            "indent all keys of a mapping alike",
        ),
        _ => other(kind),
    }
}

/// A line that is neither `key: value` nor the continuation of a value.
fn stray_line(line: &str, number: u32) -> Explanation {
    let at = Position {
        line: number,
        column: column(line, line.len() - line.trim_start_matches([' ', '\t']).len()),
    };
    let glued = line.split_once(':').is_some_and(|(key, value)| {
        !key.is_empty()
            && !value.starts_with('/')
            && key
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    });
    if glued {
        return Explanation::new(
            "there is no blank after the colon of a key",
            "write a blank after the colon",
        )
        .at(Some(at));
    }
    Explanation::new(
        "a line that is neither `key: value` nor indented to go on with the value above it",
        "indent it if it belongs to the value above, or put the whole value in quotes",
    )
    .at(Some(at))
}

fn other(kind: &ErrorKind) -> Explanation {
    Explanation::new(
        format!("not valid YAML: {kind}"),
        "check the indentation, and put values with punctuation in quotes",
    )
}
