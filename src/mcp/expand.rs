//! Variables in a definition: `${NAME}` and `${NAME:-default}`.
//!
//! Everything else is left as it is written: `$NAME` without braces, `${` that is never closed, and what stands in
//! braces and is no name. `${env:NAME}`, as some editors write it, is `${NAME}`. A variable that is set to nothing
//! counts as set, unless a default is given: then the default holds, as in a shell.

use std::ffi::{OsStr, OsString};

/// How deep defaults may have variables with defaults in them.
const MAX_DEPTH: usize = 8;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text that stands for itself.
    Text(&'a str),
    /// A variable, and what it is if it is not set.
    Variable(&'a str, Option<&'a str>),
}

/// The pieces of a text, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("${")) {
        let start = from + found;
        let inner = start + 2;
        let Some(end) = closing(text, inner) else { break };
        from = inner;
        let Some(variable) = text.get(inner..end).and_then(variable) else {
            continue;
        };
        if let Some(before) = text.get(plain..start).filter(|before| !before.is_empty()) {
            pieces.push(Piece::Text(before));
        }
        pieces.push(variable);
        from = end + 1;
        plain = from;
    }
    if let Some(rest) = text.get(plain..).filter(|rest| !rest.is_empty()) {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// Where the brace is closed that was opened before `from`.
fn closing(text: &str, from: usize) -> Option<usize> {
    let mut open = 0_usize;
    for (offset, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(offset),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// What stands between the braces, if it is a variable.
fn variable(inner: &str) -> Option<Piece<'_>> {
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    let mut characters = name.chars();
    let begins = characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let is_name = begins && characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(Piece::Variable(name, default))
}

/// A variable that is not set and has no default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unset(pub(super) String);

/// A text with its variables replaced by what `lookup` knows of them.
pub(super) fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<OsString>) -> Result<OsString, Unset> {
    let mut expanded = OsString::new();
    append(text, lookup, MAX_DEPTH, &mut expanded)?;
    Ok(expanded)
}

fn append(
    text: &str,
    lookup: &dyn Fn(&str) -> Option<OsString>,
    depth: usize,
    expanded: &mut OsString,
) -> Result<(), Unset> {
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => expanded.push(text),
            Piece::Variable(name, default) => {
                let value = lookup(name).filter(|value| default.is_none() || !value.is_empty());
                match (value, default) {
                    (Some(value), _) => expanded.push(value),
                    (None, Some(default)) if depth > 0 => append(default, lookup, depth - 1, expanded)?,
                    (None, Some(default)) => expanded.push(OsStr::new(default)),
                    (None, None) => return Err(Unset(name.to_owned())),
                }
            }
        }
    }
    Ok(())
}

/// The variables that matter to a text, and whether each is set: those in a default only where the default holds.
pub(super) fn used(text: &str, lookup: &dyn Fn(&str) -> Option<OsString>) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    collect(text, lookup, MAX_DEPTH, &mut found);
    found
}

fn collect(
    text: &str,
    lookup: &dyn Fn(&str) -> Option<OsString>,
    depth: usize,
    found: &mut Vec<(String, bool)>,
) {
    for piece in pieces(text) {
        let Piece::Variable(name, default) = piece else {
            continue;
        };
        let is_set = lookup(name).is_some_and(|value| default.is_none() || !value.is_empty());
        match default {
            Some(default) if !is_set && depth > 0 => collect(default, lookup, depth - 1, found),
            Some(_) if !is_set => {}
            _ => found.push((name.to_owned(), is_set)),
        }
    }
}

/// Whether a text is one variable and nothing else, so that it holds no value itself.
pub(super) fn is_reference(text: &str) -> bool {
    matches!(pieces(text).as_slice(), [Piece::Variable(_, None)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        let lookup = |name: &str| match name {
            "A" => Some("a".into()),
            "EMPTY" => Some("".into()),
            "TRICK" => Some("${A}".into()),
            _ => None,
        };
        expand(text, &lookup)
            .map(|text| text.into_string().unwrap())
            .map_err(|Unset(name)| name)
    }

    #[test]
    fn names_and_defaults() {
        for (text, wanted) in [
            ("", ""),
            ("plain", "plain"),
            ("${A}", "a"),
            ("x${A}y${A}z", "xayaz"),
            ("${NONE:-b}", "b"),
            ("${A:-b}", "a"),
            ("${EMPTY}", ""),
            ("${EMPTY:-b}", "b"),
            ("${NONE:-}", ""),
            ("${NONE:-${A}}", "a"),
            ("${NONE:-{\"k\": {}}}", "{\"k\": {}}"),
            ("${NONE:-${NONE:-c}}d", "cd"),
            ("${NONE:-a:-b}", "a:-b"),
            ("${env:A}", "a"),
            ("${TRICK}", "${A}"),
            ("\u{e9}${A}\u{e9}", "\u{e9}a\u{e9}"),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_variable_stays() {
        for text in [
            "$A",
            "${",
            "${A",
            "${}",
            "${1}",
            "${A B}",
            "${input:token}",
            "${x%.*}",
            "a}b{",
            "$${",
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(text), "{text}");
        }
        assert_eq!(expanded("${x y ${A}}").as_deref(), Ok("${x y a}"));
    }

    #[test]
    fn an_unset_variable_is_named() {
        assert_eq!(expanded("x ${NONE} ${A}"), Err("NONE".to_owned()));
        assert_eq!(expanded("${NONE:-${OTHER}}"), Err("OTHER".to_owned()));
    }

    #[test]
    fn deep_defaults_end() {
        let deep = format!("{}x{}", "${N:-".repeat(50_000), "}".repeat(50_000));
        assert!(expanded(&deep).is_ok());
        assert!(used(&deep, &|_| None).is_empty());
    }

    #[test]
    fn what_matters_is_collected() {
        let lookup = |name: &str| (name == "A").then(|| "a".into());
        let used = |text| used(text, &lookup);
        let pair = |name: &str, is_set| (name.to_owned(), is_set);
        assert_eq!(
            used("${A} ${B} ${C:-${A}${D}}"),
            [
                pair("A", true),
                pair("B", false),
                pair("A", true),
                pair("D", false)
            ]
        );
        assert_eq!(used("${A:-${B}} ${C:-c}"), [pair("A", true)]);
        assert!(is_reference("${A}") && !is_reference("${A:-x}") && !is_reference("x${A}"));
    }
}
