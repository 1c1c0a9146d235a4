//! Configuration layers merged into what is in effect, with the origin of every part (spec, discovery 6).
//!
//! Three rules, by the outermost key:
//!
//! - [`MergeRule::PerKey`] (`agent`, `mcp`, `permission`, `provider`): each name in the table is replaced as a whole.
//! - [`MergeRule::Append`] (`plugin`, `instructions`): the lists are joined; what is already there is not added again.
//! - [`MergeRule::Replace`] (everything else, tables included): the later layer's value replaces the earlier one.
//!
//! A **key** in [`Merged::values`] is what a layer can replace or add by itself, no more and no less, because only for
//! that does "comes from here" and "overrode that" have one answer:
//!
//! - `["model"]` and `["compaction"]` for a replaced value, table or not. There is no entry for
//!   `compaction.auto`: a layer cannot override it alone, and what the earlier table had besides is gone.
//! - `["mcp", "github"]` for a name in a table that is replaced by name.
//! - `["plugin", "0"]`, the index in the merged list, for an element of a joined list. An element overrides nothing. It
//!   stays where it came first; later copies are in [`MergedValue::repeated`].
//!
//! So [`Merged::config`] is exactly what the entries put together: no part of it is without an origin. A table or
//! list that ends up with nothing in it is therefore absent.
//!
//! The origin's line and column are those of the *key* (of the element, in a list): a TOML table can be spread over
//! several headers, but its key has one place (`Entry::key_position`), and that is where a person starts to read.
//!
//! Null neither sets nor overrides, as a whole value or as the value of a name; within a value that is replaced as a
//! whole it is data like any other. A value of the wrong type (`mcp = 3`, `plugin = "x"`) does not count. Both are
//! among the [`Merged::problems`].

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::model::{Code, DiscoverySource};
use crate::parse::Position;
use crate::parse::Problem;
use crate::parse::document::{Document, Entry, Located, Value};
use crate::parse::secrets;

/// How the values of an outermost key are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeRule {
    /// The later layer's value replaces the earlier one.
    Replace,
    /// Each name in the table is replaced by itself.
    PerKey,
    /// Lists are joined without duplicates.
    Append,
}

impl MergeRule {
    /// The rule for an outermost key.
    #[must_use]
    pub fn of(key: &str) -> Self {
        match key {
            "agent" | "mcp" | "permission" | "provider" => Self::PerKey,
            "instructions" | "plugin" => Self::Append,
            _ => Self::Replace,
        }
    }
}

/// One configuration file, or what stands in for one.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The file; none for an environment variable.
    pub path: Option<PathBuf>,
    /// Where it comes from.
    pub source: DiscoverySource,
    /// What it says.
    pub document: Document,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file; none for an environment variable.
    pub path: Option<Arc<Path>>,
    /// Where its layer comes from.
    pub source: DiscoverySource,
    /// Where the key, or the element of a list, stands in the file.
    pub position: Position,
}

/// A value that a later layer replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct OverriddenValue {
    /// What it was.
    pub value: Json,
    /// Where it stands.
    pub origin: Origin,
}

/// What is in effect under one key.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedValue {
    /// The keys that lead to it, outermost first; for an element of a joined list the last is its index.
    pub key: Vec<String>,
    /// What is in effect.
    pub value: Json,
    /// Where it comes from.
    pub origin: Origin,
    /// What it replaced, lowest precedence first.
    pub overridden: Vec<OverriddenValue>,
    /// For an element of a joined list: where the same stands again, in the order of the layers.
    pub repeated: Vec<Origin>,
}

/// A problem in a layer that the merge came upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerProblem {
    /// The layer's file.
    pub path: Option<Arc<Path>>,
    /// `null-ignored` or `wrong-type`.
    pub problem: Problem,
}

/// The effective configuration and where each part of it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The effective configuration: a table.
    pub config: Json,
    /// Its parts by key; elements of joined lists in their order.
    pub values: Vec<MergedValue>,
    /// What did not count, in the order of the layers.
    pub problems: Vec<LayerProblem>,
}

impl Merged {
    /// The same with every secret masked, in what is in effect as in what was overridden.
    #[must_use]
    pub fn masked(mut self) -> Self {
        for value in &mut self.values {
            value.value = secrets::mask(&value.value, &value.key);
            for overridden in &mut value.overridden {
                overridden.value = secrets::mask(&overridden.value, &value.key);
            }
        }
        self.config = assemble(&self.values);
        self
    }
}

/// Merges layers, lowest precedence first.
#[must_use]
pub fn merge(layers: &[Layer]) -> Merged {
    let mut merging = Merging::default();
    for layer in layers {
        let path = layer.path.as_deref().map(Arc::from);
        let place = Place {
            path: path.as_ref(),
            source: layer.source,
        };
        for entry in layer.document.root.value.entries() {
            merging.add(&place, entry);
        }
    }
    merging.finish()
}

/// The layer that is being merged.
struct Place<'a> {
    path: Option<&'a Arc<Path>>,
    source: DiscoverySource,
}

impl Place<'_> {
    fn origin(&self, position: Position) -> Origin {
        Origin {
            path: self.path.cloned(),
            source: self.source,
            position,
        }
    }
}

/// A joined list while it grows.
#[derive(Default)]
struct Joined {
    elements: Vec<MergedValue>,
    /// The index of each element by its data.
    known: HashMap<String, usize>,
}

#[derive(Default)]
struct Merging {
    replaced: BTreeMap<Vec<String>, MergedValue>,
    joined: BTreeMap<String, Joined>,
    problems: Vec<LayerProblem>,
}

impl Merging {
    fn add(&mut self, place: &Place<'_>, entry: &Entry) {
        let value = &entry.value.value;
        if matches!(value, Value::Null) {
            return self.ignore_null(place, entry);
        }
        match (MergeRule::of(&entry.key), value) {
            (MergeRule::Replace, _) => self.replace(place, vec![entry.key.clone()], entry),
            (MergeRule::PerKey, Value::Table(names)) => {
                for name in names {
                    if matches!(name.value.value, Value::Null) {
                        self.ignore_null(place, name);
                    } else {
                        self.replace(place, vec![entry.key.clone(), name.key.clone()], name);
                    }
                }
            }
            (MergeRule::Append, Value::List(elements)) => self.append(place, &entry.key, elements),
            (MergeRule::PerKey, _) => self.refuse_type(place, entry, "a table"),
            (MergeRule::Append, _) => self.refuse_type(place, entry, "a list"),
        }
    }

    fn replace(&mut self, place: &Place<'_>, key: Vec<String>, entry: &Entry) {
        let value = entry.value.value.to_json();
        let origin = place.origin(entry.key_position);
        if let Some(merged) = self.replaced.get_mut(&key) {
            merged.overridden.push(OverriddenValue {
                value: std::mem::replace(&mut merged.value, value),
                origin: std::mem::replace(&mut merged.origin, origin),
            });
            return;
        }
        let merged = MergedValue {
            key: key.clone(),
            value,
            origin,
            overridden: Vec::new(),
            repeated: Vec::new(),
        };
        self.replaced.insert(key, merged);
    }

    fn append(&mut self, place: &Place<'_>, key: &str, elements: &[Located]) {
        let joined = self.joined.entry(key.to_owned()).or_default();
        for element in elements {
            let value = element.value.to_json();
            let origin = place.origin(element.position);
            let index = joined.elements.len();
            let first = *joined.known.entry(data_key(&value)).or_insert(index);
            if let Some(earlier) = joined.elements.get_mut(first) {
                earlier.repeated.push(origin);
                continue;
            }
            joined.elements.push(MergedValue {
                key: vec![key.to_owned(), index.to_string()],
                value,
                origin,
                overridden: Vec::new(),
                repeated: Vec::new(),
            });
        }
    }

    fn ignore_null(&mut self, place: &Place<'_>, entry: &Entry) {
        let message = format!(
            "`{}` is null, which neither sets nor overrides anything",
            entry.key
        );
        self.report(
            place,
            Code::NullIgnored,
            entry,
            message,
            "remove the key, or give it a value",
        );
    }

    fn refuse_type(&mut self, place: &Place<'_>, entry: &Entry, expected: &str) {
        let found = entry.value.value.type_name();
        let message = format!("`{}` is {found}, not {expected}, so it does not count", entry.key);
        self.report(
            place,
            Code::WrongType,
            entry,
            message,
            &format!("write {expected}"),
        );
    }

    fn report(&mut self, place: &Place<'_>, code: Code, entry: &Entry, message: String, help: &str) {
        let Position { line, column } = entry.value.position;
        self.problems.push(LayerProblem {
            path: place.path.cloned(),
            problem: Problem {
                code,
                line: Some(line),
                column: Some(column),
                message,
                help: Some(help.to_owned()),
            },
        });
    }

    fn finish(self) -> Merged {
        let joined = self.joined.into_values().flat_map(|joined| joined.elements);
        let mut values: Vec<_> = self.replaced.into_values().chain(joined).collect();
        // By the outermost key only: within one, names are sorted already and elements keep their order.
        values.sort_by(|left, right| left.key.first().cmp(&right.key.first()));
        Merged {
            config: assemble(&values),
            values,
            problems: self.problems,
        }
    }
}

/// The configuration that the values put together.
fn assemble(values: &[MergedValue]) -> Json {
    let mut config = Map::new();
    for merged in values {
        let value = merged.value.clone();
        match merged.key.as_slice() {
            [key] => {
                config.insert(key.clone(), value);
            }
            [key, name] if MergeRule::of(key) == MergeRule::PerKey => {
                let table = config
                    .entry(key.clone())
                    .or_insert_with(|| Json::Object(Map::new()));
                if let Json::Object(table) = table {
                    table.insert(name.clone(), value);
                }
            }
            [key, ..] => {
                let list = config
                    .entry(key.clone())
                    .or_insert_with(|| Json::Array(Vec::new()));
                if let Json::Array(list) = list {
                    list.push(value);
                }
            }
            [] => {}
        }
    }
    Json::Object(config)
}

/// A text that two values share if and only if they are the same data: the order of keys does not count.
fn data_key(value: &Json) -> String {
    match value {
        Json::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let parts: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Json::from(key.as_str()), data_key(value)))
                .collect();
            format!("{{{}}}", parts.join(","))
        }
        Json::Array(elements) => {
            let parts: Vec<_> = elements.iter().map(data_key).collect();
            format!("[{}]", parts.join(","))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.to_string(),
    }
}
