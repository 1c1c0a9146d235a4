//! JSON and JSONC: the grammar, over the tokens of `jsonc-parser`'s scanner.
//!
//! The crate's own parsers build a tree that would have to be walked again, bound its depth but not its size, let
//! some of JSON5 through (other white space, raw line breaks in strings) and say no more than "expected comma". Its
//! scanner does the delicate part: strings with their escapes, numbers and comments.

use std::collections::HashMap;

use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::Token;
use jsonc_parser::{ParseStringErrorKind, Scanner, ScannerOptions};

use super::{
    Document, Entry, Format, LineIndex, Located, MAX_DEPTH, MAX_PROBLEMS, MAX_VALUES, Position, Problem,
    Value, problem_at, too_deep, too_many_values,
};
use crate::model::Code;

/// Reads a text without a byte order mark.
pub(super) fn parse(text: &str, lines: &LineIndex<'_>, format: Format) -> Result<Document, Problem> {
    let mut reader = Reader {
        text,
        lines,
        scanner: Scanner::new(text, &STRICT),
        is_jsonc: format == Format::Jsonc,
        token: None,
        start: 0,
        end: 0,
        values: 0,
        problems: Vec::new(),
        unlisted: None,
    };
    reader.advance()?;
    if reader.token.is_none() {
        let what = if reader.start == 0 {
            "empty"
        } else {
            "empty but for blanks and comments"
        };
        return Err(reader.error(
            format!("the file is {what}"),
            Some("write `{}`, or remove the file"),
        ));
    }
    let root = reader.value(1)?;
    reader.advance()?;
    if reader.token.is_some() {
        return Err(reader.error("something follows the end of the data", None));
    }
    let mut problems = reader.problems;
    if let Some((mut problem, number)) = reader.unlisted {
        problem.message = format!(
            "{}; {number} findings from here on are not listed",
            problem.message
        );
        problems.push(problem);
    }
    Ok(Document { root, problems })
}

/// Nothing of JSON5.
const STRICT: ScannerOptions = ScannerOptions {
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

struct Reader<'a> {
    text: &'a str,
    lines: &'a LineIndex<'a>,
    scanner: Scanner<'a>,
    is_jsonc: bool,
    /// The current token; none at the end of the text.
    token: Option<Token<'a>>,
    /// Offset of its first byte.
    start: usize,
    /// Offset behind its last byte.
    end: usize,
    /// How many values there have been.
    values: usize,
    problems: Vec<Problem>,
    /// The first problem that is not listed, and how many there are.
    unlisted: Option<(Problem, usize)>,
}

impl Reader<'_> {
    /// Goes to the next token that is no comment.
    fn advance(&mut self) -> Result<(), Problem> {
        loop {
            let blank_start = self.end;
            let token = self.scanner.scan().map_err(|error| self.scan_error(&error))?;
            self.start = self.scanner.token_start();
            self.end = self.scanner.token_end();
            let blank = self.text.get(blank_start..self.start).unwrap_or_default();
            // The scanner takes all that Unicode calls white space for blank, as JSON5 does.
            if let Some((offset, character)) = blank.char_indices().find(|(_, c)| !" \t\n\r".contains(*c)) {
                return Err(self.unexpected_character(blank_start + offset, character));
            }
            match &token {
                Some(Token::CommentLine(_) | Token::CommentBlock(_)) if self.is_jsonc => continue,
                Some(Token::CommentLine(_) | Token::CommentBlock(_)) => {
                    let help = "remove the comment; only a `.jsonc` file (`aleph.jsonc`) may have one";
                    return Err(self.error("JSON has no comments", Some(help)));
                }
                Some(Token::String(_)) => self.check_string()?,
                Some(Token::Number(_)) => self.check_number_end()?,
                _ => {}
            }
            self.token = token;
            return Ok(());
        }
    }

    /// Refuses raw control characters, which the scanner lets pass.
    fn check_string(&self) -> Result<(), Problem> {
        let raw = self.text.get(self.start..self.end).unwrap_or_default();
        let Some(offset) = raw.bytes().position(|byte| byte < b' ') else {
            return Ok(());
        };
        let character = raw.as_bytes().get(offset).copied().map_or(' ', char::from);
        let (what, help) = match character {
            '\n' | '\r' => (
                "a line break",
                "write `\\n`, or close the string before the end of the line",
            ),
            '\t' => ("a tab", "write `\\t`"),
            _ => ("a control character", "write it as `\\u` and four digits"),
        };
        let position = self.lines.position(self.start + offset);
        Err(bad_config(
            position,
            format!("a string holds {what} as it is"),
            Some(help),
        ))
    }

    /// Refuses `01` and `1a`, which the scanner takes for two tokens.
    fn check_number_end(&self) -> Result<(), Problem> {
        let rest = self.text.get(self.end..).unwrap_or_default();
        if rest.starts_with(|c: char| c.is_alphanumeric() || "_.$".contains(c)) {
            return Err(self.error("this is not a number as JSON writes them", None));
        }
        Ok(())
    }

    /// Reads the value that begins with the current token; its last token is then the current one.
    fn value(&mut self, depth: usize) -> Result<Located, Problem> {
        let position = self.lines.position(self.start);
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(too_many_values(position));
        }
        let value = match self.token.take() {
            None => return Err(self.error("the file ends where a value is due", None)),
            Some(Token::Null) => Value::Null,
            Some(Token::Boolean(value)) => Value::Bool(value),
            Some(Token::Number(text)) => self.number(text, position)?,
            Some(Token::String(text)) => Value::String(text.into_owned()),
            Some(Token::OpenBrace | Token::OpenBracket) if depth > MAX_DEPTH => {
                return Err(too_deep(position));
            }
            Some(Token::OpenBrace) => self.table(position, depth)?,
            Some(Token::OpenBracket) => self.list(position, depth)?,
            Some(token) => return Err(self.unexpected(&token, "a value")),
        };
        Ok(Located { position, value })
    }

    fn table(&mut self, opening: Position, depth: usize) -> Result<Value, Problem> {
        let mut entries = Vec::new();
        self.advance()?;
        loop {
            let key_position = self.lines.position(self.start);
            let key = match self.token.take() {
                Some(Token::CloseBrace) => break,
                Some(Token::String(key)) => key.into_owned(),
                Some(token) => return Err(self.unexpected(&token, "a key in double quotes")),
                None => return Err(self.never_closed('{', opening)),
            };
            self.advance()?;
            match self.token.take() {
                Some(Token::Colon) => {}
                Some(token) => return Err(self.unexpected(&token, "`:` after the key")),
                None => return Err(self.never_closed('{', opening)),
            }
            self.advance()?;
            let value = self.value(depth + 1)?;
            entries.push(Entry {
                key,
                key_position,
                value,
            });
            if self.after_element('{', opening)? {
                break;
            }
        }
        Ok(Value::Table(self.without_duplicates(entries)))
    }

    fn list(&mut self, opening: Position, depth: usize) -> Result<Value, Problem> {
        let mut elements = Vec::new();
        self.advance()?;
        loop {
            match self.token {
                Some(Token::CloseBracket) => break,
                None => return Err(self.never_closed('[', opening)),
                Some(_) => elements.push(self.value(depth + 1)?),
            }
            if self.after_element('[', opening)? {
                break;
            }
        }
        Ok(Value::List(elements))
    }

    /// Passes the comma behind an element; true where the table or list ends instead.
    fn after_element(&mut self, bracket: char, opening: Position) -> Result<bool, Problem> {
        let is_table = bracket == '{';
        let closes = |token: &Option<Token<'_>>| match token {
            Some(Token::CloseBrace) => is_table,
            Some(Token::CloseBracket) => !is_table,
            _ => false,
        };
        self.advance()?;
        if closes(&self.token) {
            return Ok(true);
        }
        match self.token.take() {
            Some(Token::Comma) => {
                let comma = self.lines.position(self.start);
                self.advance()?;
                if !self.is_jsonc && closes(&self.token) {
                    let help = "remove the comma; only a `.jsonc` file (`aleph.jsonc`) may have one here";
                    return Err(bad_config(
                        comma,
                        "JSON has no comma behind the last element",
                        Some(help),
                    ));
                }
                Ok(false)
            }
            Some(token) if is_table => Err(self.unexpected(&token, "`,` or `}`")),
            Some(token) => Err(self.unexpected(&token, "`,` or `]`")),
            None => Err(self.never_closed(bracket, opening)),
        }
    }

    fn number(&mut self, text: &str, position: Position) -> Result<Value, Problem> {
        let is_whole = !text.contains(['.', 'e', 'E']);
        // JSON's `-0` is a floating-point zero: no integer has its sign.
        if is_whole && text != "-0" {
            if let Ok(value) = text.parse::<i64>() {
                return Ok(Value::Integer(value.into()));
            }
            if let Ok(value) = text.parse::<u64>() {
                return Ok(Value::Integer(value.into()));
            }
        }
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        let Some(value) = value else {
            return Err(bad_config(
                position,
                "the number is too large for any program to hold",
                None,
            ));
        };
        if !is_whole || text == "-0" {
            return Ok(Value::Float(value));
        }
        let message = "no 64-bit integer holds this number; most programs round it";
        let mut problem = problem_at(Code::NumberPrecision, position, message);
        problem.help = Some("write it as text, in double quotes".to_owned());
        self.report(problem);
        Ok(Value::BigInteger(text.to_owned()))
    }

    /// Keeps the last entry of each key and reports the others.
    fn without_duplicates(&mut self, mut entries: Vec<Entry>) -> Vec<Entry> {
        if entries.len() < 2 {
            return entries;
        }
        let mut last: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
        let mut dropped = vec![false; entries.len()];
        let mut found = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let Some(earlier) = last.insert(&entry.key, index) else {
                continue;
            };
            if let Some(dropped) = dropped.get_mut(earlier) {
                *dropped = true;
            }
            found.push((earlier, index));
        }
        if found.is_empty() {
            return entries;
        }
        for (earlier, index) in found {
            if let (Some(earlier), Some(later)) = (entries.get(earlier), entries.get(index)) {
                let Position { line, column } = earlier.key_position;
                let message = format!(
                    "the key `{}` stands here again; this one counts, not the one in line {line}, column {column}",
                    shortened(&later.key)
                );
                let mut problem = problem_at(Code::DuplicateKey, later.key_position, message);
                problem.help = Some("remove one of the two".to_owned());
                self.report(problem);
            }
        }
        let mut dropped = dropped.into_iter();
        entries.retain(|_| !dropped.next().unwrap_or(false));
        entries
    }

    fn report(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
            return;
        }
        match &mut self.unlisted {
            Some((_, number)) => *number += 1,
            None => self.unlisted = Some((problem, 1)),
        }
    }

    /// An error at the current token.
    fn error(&self, message: impl Into<String>, help: Option<&str>) -> Problem {
        bad_config(self.lines.position(self.start), message, help)
    }

    fn unexpected(&self, token: &Token<'_>, expected: &str) -> Problem {
        let found = match token {
            Token::String(_) => "a string".to_owned(),
            Token::Number(_) => "a number".to_owned(),
            Token::Word(word) => format!("`{}`", shortened(word)),
            _ => format!("`{}`", token.as_str()),
        };
        let help = match token {
            Token::Word(_) => Some("put text in double quotes"),
            Token::String(_) if expected.starts_with("`,`") => Some("is there a comma missing before it?"),
            _ => None,
        };
        self.error(format!("found {found} where {expected} is due"), help)
    }

    fn never_closed(&self, bracket: char, opening: Position) -> Problem {
        let Position { line, column } = opening;
        self.error(
            format!("the file ends, and the `{bracket}` in line {line}, column {column} is not closed"),
            None,
        )
    }

    fn unexpected_character(&self, offset: usize, character: char) -> Problem {
        let position = self.lines.position(offset);
        if character.is_ascii_graphic() {
            return bad_config(position, format!("`{character}` is not expected here"), None);
        }
        let code = u32::from(character);
        bad_config(
            position,
            format!("the character U+{code:04X} is not expected here"),
            None,
        )
    }

    /// The scanner's error in our words.
    fn scan_error(&self, error: &ParseError) -> Problem {
        let offset = error.range().start;
        let (message, help) = match error.kind() {
            ParseErrorKind::SingleQuotedStringsNotAllowed => {
                ("a string is in single quotes", Some("use double quotes"))
            }
            ParseErrorKind::HexadecimalNumbersNotAllowed => {
                ("JSON has no hexadecimal numbers", Some("write it in decimal"))
            }
            ParseErrorKind::UnaryPlusNumbersNotAllowed => {
                ("a number begins with a plus sign", Some("remove the plus sign"))
            }
            ParseErrorKind::BareDecimalPointNumbersNotAllowed => {
                ("a number needs digits on both sides of its point", None)
            }
            ParseErrorKind::NonFiniteNumbersNotAllowed => ("JSON has no infinities and no NaN", None),
            ParseErrorKind::ExpectedDigit
            | ParseErrorKind::ExpectedDigitFollowingNegativeSign
            | ParseErrorKind::ExpectedPlusMinusOrDigitInNumberLiteral => {
                ("a digit is due in this number", None)
            }
            ParseErrorKind::UnterminatedCommentBlock => {
                ("a comment is never closed", Some("end it with `*/`"))
            }
            ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
                ("a string is never closed", Some("end it with a double quote"))
            }
            ParseErrorKind::String(ParseStringErrorKind::InvalidUnicodeEscapeSequence(_)) => (
                "this escape is half of a surrogate pair, and no character",
                Some("write the character itself"),
            ),
            ParseErrorKind::String(ParseStringErrorKind::ExpectedFourHexDigits) => {
                ("`\\u` needs four hexadecimal digits", None)
            }
            ParseErrorKind::String(_) => ("JSON has no such escape", Some("write `\\\\` for a backslash")),
            kind => {
                let character = self.text.get(offset..).and_then(|rest| rest.chars().next());
                return match character {
                    Some(character) => self.unexpected_character(offset, character),
                    None => bad_config(self.lines.end(), kind.to_string(), None),
                };
            }
        };
        bad_config(self.lines.position(offset), message, help)
    }
}

fn bad_config(position: Position, message: impl Into<String>, help: Option<&str>) -> Problem {
    let mut problem = problem_at(Code::BadConfig, position, message);
    problem.help = help.map(str::to_owned);
    problem
}

/// A word short enough for a message.
fn shortened(word: &str) -> String {
    const MOST: usize = 40;
    let mut text: String = word.chars().take(MOST).collect();
    if text.len() < word.len() {
        text.push('…');
    }
    text
}
