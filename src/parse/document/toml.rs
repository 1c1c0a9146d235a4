//! TOML, read by the `toml` crate.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};
use toml_parser::lexer::TokenKind;

use super::{
    Document, Entry, LineIndex, Located, MAX_DEPTH, MAX_VALUES, Position, Problem, Value, problem_at,
    too_deep, too_many_values,
};
use crate::model::Code;

/// Reads a text without a byte order mark.
pub(super) fn parse(text: &str, lines: &LineIndex<'_>) -> Result<Document, Problem> {
    check_shape(text, lines)?;
    let table = DeTable::parse(text).map_err(|error| {
        let position = error
            .span()
            .map_or_else(|| lines.end(), |span| lines.position(span.start));
        let mut problem = problem_at(Code::BadConfig, position, error.message());
        if error.message() == "duplicate key" {
            problem.help = Some("TOML allows each key once; remove one of the two".to_owned());
        }
        problem
    })?;
    let position = Position { line: 1, column: 1 };
    let value = convert_table(table.into_inner(), position, lines, 1)?;
    Ok(Document {
        root: Located { position, value },
        problems: Vec::new(),
    })
}

/// Refuses what would nest too deep or take too much memory before the parser builds anything.
///
/// The `toml` crate bounds how deep brackets are nested, but not how long a dotted key is: each of its parts is one
/// table within another, and dropping a hundred thousand of them overflows the stack. Lexing needs no stack. Where
/// the text is broken the depth counted here may be too high, never too low.
fn check_shape(text: &str, lines: &LineIndex<'_>) -> Result<(), Problem> {
    // The open brackets, and how many levels there are without the innermost of them and its key.
    let mut open: Vec<(TokenKind, usize)> = Vec::new();
    let mut outer = 1;
    let mut dots = 0;
    let mut values = 0;
    let mut in_header = false;
    let mut line_is_blank = true;
    let mut after_dot = false;
    for token in toml_parser::Source::new(text).lex() {
        let kind = token.kind();
        match kind {
            TokenKind::Whitespace | TokenKind::Comment | TokenKind::Eof => continue,
            TokenKind::Newline => {
                if open.is_empty() {
                    if in_header {
                        outer = dots + 2;
                    }
                    in_header = false;
                    dots = 0;
                }
                line_is_blank = true;
                continue;
            }
            TokenKind::Dot => dots += 1,
            TokenKind::LeftSquareBracket if in_header => {}
            TokenKind::LeftSquareBracket if line_is_blank && open.is_empty() => {
                in_header = true;
                outer = 1;
                dots = 0;
            }
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                values += 1;
                open.push((kind, outer));
                outer += dots + 1;
                dots = 0;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                let opening = match kind {
                    TokenKind::RightSquareBracket => TokenKind::LeftSquareBracket,
                    _ => TokenKind::LeftCurlyBracket,
                };
                if open.last().is_some_and(|(kind, _)| *kind == opening)
                    && let Some((_, before)) = open.pop()
                {
                    outer = before;
                    dots = 0;
                }
            }
            TokenKind::Equals | TokenKind::Comma => values += 1,
            TokenKind::LiteralString
            | TokenKind::BasicString
            | TokenKind::MlLiteralString
            | TokenKind::MlBasicString
            | TokenKind::Atom => {
                if !after_dot {
                    dots = 0;
                }
            }
        }
        line_is_blank = false;
        after_dot = kind == TokenKind::Dot;
        if outer + dots > MAX_DEPTH {
            return Err(too_deep(lines.position(token.span().start())));
        }
        if values > MAX_VALUES {
            return Err(too_many_values(lines.position(token.span().start())));
        }
    }
    Ok(())
}

fn convert_table(
    table: DeTable<'_>,
    position: Position,
    lines: &LineIndex<'_>,
    depth: usize,
) -> Result<Value, Problem> {
    if depth > MAX_DEPTH {
        return Err(too_deep(position));
    }
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let key_position = lines.position(key.span().start);
        entries.push(Entry {
            key: key.into_inner().into_owned(),
            key_position,
            value: convert(value, lines, depth + 1)?,
        });
    }
    // The crate keeps tables by key; the order of the file is that of the places where keys first stand.
    entries.sort_by_key(|entry| entry.key_position);
    Ok(Value::Table(entries))
}

fn convert(value: Spanned<DeValue<'_>>, lines: &LineIndex<'_>, depth: usize) -> Result<Located, Problem> {
    let position = lines.position(value.span().start);
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(integer) => Value::Integer(convert_integer(&integer, position)?),
        DeValue::Float(float) => match float.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => {
                let message = format!("`{}` is not a number", float.as_str());
                return Err(problem_at(Code::BadConfig, position, message));
            }
        },
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(datetime) => Value::Datetime(datetime.to_string()),
        DeValue::Array(elements) => {
            if depth > MAX_DEPTH {
                return Err(too_deep(position));
            }
            let mut list = Vec::with_capacity(elements.len());
            for element in elements {
                list.push(convert(element, lines, depth + 1)?);
            }
            Value::List(list)
        }
        DeValue::Table(table) => convert_table(table, position, lines, depth)?,
    };
    Ok(Located { position, value })
}

/// The integer, if 64 bits hold it; TOML wants an error otherwise.
fn convert_integer(integer: &DeInteger<'_>, position: Position) -> Result<i128, Problem> {
    i128::from_str_radix(integer.as_str(), integer.radix())
        .ok()
        .filter(|value| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value))
        .ok_or_else(|| {
            let mut problem = problem_at(Code::BadConfig, position, "no 64-bit integer holds this number");
            problem.help = Some("write it as text, in quotes".to_owned());
            problem
        })
}
