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

/// Whether a server has what it needs, and nothing that is of another kind of server or of another type.
fn fits_server(server: &Located, types: &ServerTypes) -> bool {
    let has = |key: &str| server.value.get(key).is_some();
    let is_typed = |types: &[(&str, ValueType)]| {
        types
            .iter()
            .all(|(key, takes)| wrong_type(server, key, *takes).is_none())
    };
    let has_any = |types: &[(&str, ValueType)]| types.iter().any(|(key, _)| has(key));
    let (is_started, is_reached) = (has_any(types.started), has_any(types.reached));
    let has_its_own = (has("command") && !is_reached) || (has("url") && !is_started);
    matches!(server.value, Value::Table(_))
        && has_its_own
        && !types.never.iter().any(|key| has(key))
        && is_typed(types.any)
        && is_typed(types.started)
        && is_typed(types.reached)
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
