//! What the values of settings must be.

use super::settings::{as_text, strings};
use crate::host::{ServerTypes, ValueType};
use crate::parse::document::{Located, Value};

/// What the value under a key must be, where it is there and something else.
pub(super) fn wrong_type(root: &Located, key: &str, takes: ValueType) -> Option<&'static str> {
    let mut value = root;
    for part in key.split('.') {
        value = value.value.get(part)?;
    }
    let each = |value: &Value, right: fn(&Value) -> bool| {
        matches!(value, Value::Table(_)) && value.entries().iter().all(|entry| right(&entry.value.value))
    };
    let texts = |value: &Value| matches!(value, Value::List(items) if items.iter().all(|item| as_text(&item.value).is_some()));
    let (right, what) = match takes {
        ValueType::Table => (matches!(value.value, Value::Table(_)), "a table"),
        ValueType::List => (matches!(value.value, Value::List(_)), "a list"),
        ValueType::Texts => (texts(&value.value), "a list of texts"),
        ValueType::Text => (as_text(&value.value).is_some(), "text"),
        ValueType::Flag => (matches!(value.value, Value::Bool(_)), "`true` or `false`"),
        ValueType::Number => (
            matches!(value.value, Value::Integer(_) | Value::Float(_)),
            "a number",
        ),
        ValueType::OneOf(words) => (
            as_text(&value.value).is_some_and(|word| words.contains(&word)),
            "a word that the host knows",
        ),
        ValueType::Described => (
            each(&value.value, |one| match one.get("description") {
                Some(about) => as_text(&about.value).is_some(),
                None => matches!(one, Value::Table(_)),
            }),
            "a table of tables in which a `description` is text",
        ),
        ValueType::FilledText => (
            as_text(&value.value).is_some_and(|text| !text.trim().is_empty()),
            "text that is not blank",
        ),
        ValueType::SomeText => (
            as_text(&value.value).is_some_and(|text| !text.is_empty()),
            "text that is not empty",
        ),
        ValueType::Positive => (
            matches!(value.value, Value::Integer(number) if number > 0),
            "a whole number above zero",
        ),
        ValueType::TextOrTexts => (
            as_text(&value.value).is_some() || texts(&value.value),
            "text or a list of texts",
        ),
        ValueType::DistinctTexts => (
            texts(&value.value) && are_distinct(&value.value),
            "a list of at least one text, none blank and none twice",
        ),
        ValueType::TextsOrTables => (
            matches!(&value.value, Value::List(items) if items.iter().all(|item| {
                matches!(item.value, Value::String(_) | Value::Table(_))
            })),
            "a list of texts and tables",
        ),
        ValueType::TableOfTexts => (
            each(&value.value, |one| as_text(one).is_some()),
            "a table of texts",
        ),
        ValueType::TableOfTables => (
            each(&value.value, |one| matches!(one, Value::Table(_))),
            "a table of tables",
        ),
        ValueType::Integer => (matches!(value.value, Value::Integer(_)), "a whole number"),
        ValueType::Whole => (
            matches!(value.value, Value::Integer(number) if number >= 0),
            "a whole number that is not negative",
        ),
        ValueType::NotNegative => (
            match value.value {
                Value::Integer(number) => number >= 0,
                Value::Float(number) => number >= 0.0,
                _ => false,
            },
            "a number that is not negative",
        ),
        ValueType::WordOrTable(words) => (
            matches!(value.value, Value::Table(_))
                || as_text(&value.value).is_some_and(|word| words.contains(&word)),
            "a word that the host knows",
        ),
        ValueType::Servers(types) => (
            matches!(value.value, Value::Table(_))
                && value
                    .value
                    .entries()
                    .iter()
                    .all(|server| fits_server(&server.value, types)),
            "a table of servers, each with either a `command` or a `url` and with what belongs to it",
        ),
        ValueType::TypedServers => (
            each(&value.value, |one| {
                match one.get("type").and_then(|kind| as_text(&kind.value)) {
                    Some("local") => {
                        matches!(one.get("command").map(|found| &found.value), Some(Value::List(_)))
                    }
                    Some("remote") => one.get("url").is_some_and(|url| as_text(&url.value).is_some()),
                    Some(_) => false,
                    None => one.get("enabled").is_some() && one.entries().len() == 1,
                }
            }),
            "a table of servers with a `type` and what belongs to it",
        ),
        ValueType::TableOf(words) => {
            let right = matches!(value.value, Value::Table(_))
                && value
                    .value
                    .entries()
                    .iter()
                    .all(|entry| as_text(&entry.value.value).is_some_and(|word| words.contains(&word)));
            (right, "a table of words that the host knows")
        }
        ValueType::TableOfFlags => {
            let right = matches!(value.value, Value::Table(_))
                && value.value.entries().iter().all(|entry| {
                    matches!(
                        entry.value.value,
                        Value::Bool(_) | Value::List(_) | Value::Table(_)
                    )
                });
            (right, "a table of names that are `true` or `false`")
        }
    };
    (!right).then_some(what)
}

/// Whether a list has texts, none of them blank or there twice.
fn are_distinct(list: &Value) -> bool {
    let mut seen: Vec<&str> = strings(list).map(str::trim).collect();
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    count > 0 && seen.len() == count && seen.iter().all(|text| !text.is_empty())
}

fn fits_server(server: &Located, types: &ServerTypes) -> bool {
    check_server(server, types).is_ok()
}

/// Whether a server has what it needs, and nothing that is of another kind of server or of another type.
pub(super) fn check_server(server: &Located, types: &ServerTypes) -> Result<(), String> {
    let has = |key: &str| server.value.get(key).is_some();
    let wrong = |types: &[(&str, ValueType)]| {
        types
            .iter()
            .find_map(|(key, takes)| Some(format!("`{key}` must be {}", wrong_type(server, key, *takes)?)))
    };
    let first = |types: &[(&'static str, ValueType)]| types.iter().map(|(key, _)| *key).find(|key| has(key));
    if !matches!(server.value, Value::Table(_)) {
        return Err("it is no table".to_owned());
    }
    let kind = server.value.get("type").map(|kind| as_text(&kind.value));
    let is_reached = match kind {
        _ if types.words.is_empty() => !has("command"),
        None if has("url") && !has("command") => {
            return Err("a `url` needs a `type`, such as `http`".to_owned());
        }
        None | Some(Some("stdio")) => false,
        Some(Some(word)) if types.words.contains(&word) => true,
        Some(_) => return Err("this host knows no server of its type".to_owned()),
    };
    let (own, other, needed) = if is_reached {
        (types.reached, types.started, "url")
    } else {
        (types.started, types.reached, "command")
    };
    if !has(needed) {
        return Err(match types.words {
            [] => "it has neither a `command` nor a `url`".to_owned(),
            _ => format!("a server of its type needs a `{needed}`"),
        });
    }
    let misplaced = first(other).filter(|_| types.words.is_empty());
    if let Some(key) = misplaced.or_else(|| types.never.iter().copied().find(|key| has(key))) {
        return Err(format!("a server with a `{needed}` cannot have `{key}`"));
    }
    wrong(types.any).or_else(|| wrong(own)).map_or(Ok(()), Err)
}

/// What settings say together: of two values of a key the later counts, and tables are put together.
pub(super) fn merged<'a>(layers: impl Iterator<Item = &'a Located>) -> Option<Located> {
    let mut all: Option<Located> = None;
    for layer in layers {
        match &mut all {
            None => all = Some(layer.clone()),
            Some(all) => put_over(all, layer),
        }
    }
    all
}

/// The depth of tables is bounded by the parser.
fn put_over(below: &mut Located, above: &Located) {
    match (&mut below.value, &above.value) {
        (Value::Table(below), Value::Table(above)) => {
            for entry in above {
                match below.iter_mut().find(|known| known.key == entry.key) {
                    Some(known) => put_over(&mut known.value, &entry.value),
                    None => below.push(entry.clone()),
                }
            }
        }
        _ => *below = above.clone(),
    }
}
