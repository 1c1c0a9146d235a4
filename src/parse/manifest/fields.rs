//! Reading keys of a table and telling of those that are not of the type that they need.

use super::{DeclaredPath, Spot, strings};
use crate::model::Code;
use crate::parse::document::{Entry, Located, Value};
use crate::parse::{Position, Problem};

/// How many problems of one file are kept; a file can have a million values.
const MAX_PROBLEMS: usize = 200;

/// How many paths of one key are followed; real manifests name at most a few dozen.
const MAX_PATHS: usize = 1_000;

/// What a key's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Bool,
    List,
    Table,
    TextOrTable,
    TextOrList,
    TextListOrTable,
    ListOrTable,
}

impl Type {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Bool => "true or false",
            Self::List => "a list",
            Self::Table => "a table",
            Self::TextOrTable => "a string or a table",
            Self::TextOrList => "a string or a list of strings",
            Self::TextListOrTable => "a string, a list or a table",
            Self::ListOrTable => "a list or a table",
        }
    }

    const fn fits(self, value: &Value) -> bool {
        match value {
            Value::String(_) => matches!(
                self,
                Self::Text | Self::TextOrTable | Self::TextOrList | Self::TextListOrTable
            ),
            Value::List(_) => matches!(
                self,
                Self::List | Self::TextOrList | Self::TextListOrTable | Self::ListOrTable
            ),
            Value::Table(_) => matches!(
                self,
                Self::Table | Self::TextOrTable | Self::TextListOrTable | Self::ListOrTable
            ),
            Value::Bool(_) => matches!(self, Self::Bool),
            _ => false,
        }
    }
}

/// The text of a value that is text.
pub(super) fn as_text(value: &Located) -> Option<&str> {
    match &value.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The elements of a value that is a list.
pub(super) fn as_list(value: &Located) -> Option<&[Located]> {
    match &value.value {
        Value::List(values) => Some(values),
        _ => None,
    }
}

/// A value of any simple type as its text; none for lists, tables and null.
pub(super) fn as_scalar(value: &Located) -> Option<String> {
    match &value.value {
        Value::String(text) | Value::BigInteger(text) | Value::Datetime(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Integer(value) => Some(value.to_string()),
        Value::Float(value) => Some(value.to_string()),
        Value::Null | Value::List(_) | Value::Table(_) => None,
    }
}

/// A number of seconds or the like.
pub(super) fn as_number(value: &Located) -> Option<f64> {
    match &value.value {
        // Timeouts are small; what is lost beyond 2^53 does not matter.
        #[allow(clippy::cast_precision_loss, reason = "timeouts are far below 2^53")]
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) if value.is_finite() => Some(*value),
        _ => None,
    }
}

pub(super) fn is_table(value: &Located) -> bool {
    matches!(value.value, Value::Table(_))
}

/// Tells that a value is of the wrong type.
pub(super) fn wrong_type(problems: &mut Vec<Problem>, key: &str, value: &Located, wanted: &str) {
    if problems.len() >= MAX_PROBLEMS {
        return;
    }
    let message = format!(
        "`{key}` is {}; it must be {wanted}, so it does not count",
        value.value.type_name()
    );
    push(
        problems,
        Problem::new(Code::ManifestWrongType, Some(value.position), message)
            .with_help(format!("give `{key}` {wanted}, or remove it")),
    );
}

pub(super) fn push(problems: &mut Vec<Problem>, problem: Problem) {
    if problems.len() < MAX_PROBLEMS {
        problems.push(problem);
    }
}

/// The keys of one table.
pub(super) struct Fields<'a> {
    entries: &'a [Entry],
    pub(super) problems: Vec<Problem>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(table: &'a Located) -> Self {
        Self {
            entries: table.value.entries(),
            problems: Vec::new(),
        }
    }

    /// The value of a key, whatever its type; null counts as absent.
    pub(super) fn any(&self, key: &str) -> Option<&'a Located> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        (entry.value.value != Value::Null).then_some(&entry.value)
    }

    /// The value of a key, if it is of this type.
    pub(super) fn get(&mut self, key: &str, wanted: Type) -> Option<&'a Located> {
        let value = self.any(key)?;
        if wanted.fits(&value.value) {
            return Some(value);
        }
        wrong_type(&mut self.problems, key, value, wanted.in_words());
        None
    }

    /// Tells of the keys among these whose values are of another type.
    pub(super) fn check(&mut self, known: &[(&str, Type)]) {
        for (key, wanted) in known {
            self.get(key, *wanted);
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Option<Spot<String>> {
        let value = self.get(key, Type::Text)?;
        Some(Spot {
            value: as_text(value)?.to_owned(),
            at: value.position,
        })
    }

    /// The text of a key that says something: a blank one counts as absent.
    pub(super) fn words(&mut self, key: &str) -> Option<Spot<String>> {
        self.text(key).filter(|text| !text.value.trim().is_empty())
    }

    /// The tables of a list of tables.
    pub(super) fn tables(&mut self, key: &str) -> Vec<&'a Located> {
        let Some(values) = self.get(key, Type::List).and_then(as_list) else {
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in values {
            if is_table(value) {
                tables.push(value);
            } else {
                wrong_type(&mut self.problems, key, value, "a table in each place");
            }
        }
        tables
    }

    /// The paths of a key that holds one, or a list of them. None where the key is absent or of another type.
    pub(super) fn paths(&mut self, key: &'static str) -> Option<Vec<DeclaredPath>> {
        let value = self.get(key, Type::TextOrList)?;
        Some(paths_of(value, key, &mut self.problems))
    }
}

/// The paths of a value that is a string or a list of strings.
pub(super) fn paths_of(value: &Located, key: &'static str, problems: &mut Vec<Problem>) -> Vec<DeclaredPath> {
    let path = |text: &str, at: Position| DeclaredPath {
        text: text.to_owned(),
        at,
        key,
        name: None,
    };
    match (as_text(value), as_list(value)) {
        (Some(text), _) => vec![path(text, value.position)],
        (None, Some(values)) => {
            if let Some(first) = values.get(MAX_PATHS) {
                let message =
                    format!("`{key}` names more than {MAX_PATHS} paths; those from here on are not read");
                let help = "name the folder that holds them";
                push(
                    problems,
                    Problem::new(Code::TooLarge, Some(first.position), message).with_help(help),
                );
            }
            strings(values.get(..MAX_PATHS).unwrap_or(values), key, problems)
                .into_iter()
                .map(|(text, at)| path(text, at))
                .collect()
        }
        (None, None) => Vec::new(),
    }
}
