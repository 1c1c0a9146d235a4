//! Files of the data directory that are changed in place: one entry at a time, all else kept as it is.

use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, value};

use super::disk::{remove_file, write_whole};
use super::error::InstallError;
use crate::discovery::platform;
use crate::parse::document::{self, Format};
use crate::plugin::inside;

/// The keys that records have; what a new record does not state, an older one no longer does.
const OUR_KEYS: [&str; 8] = [
    "source",
    "kind",
    "name",
    "version",
    "commit",
    "sha256",
    "tier",
    "installed",
];

/// A file of the data directory, to be changed.
pub(super) struct DataFile {
    /// Where it is written: what a link leads to.
    path: PathBuf,
    /// Whether a link leads there.
    is_linked: bool,
    document: DocumentMut,
}

impl DataFile {
    /// Reads a file; one that is not there is empty.
    pub(super) fn read(home: &Path, name: &str) -> Result<Self, InstallError> {
        super::disk::inside(home, &format!("data/{name}"))?;
        let path = home.join("data").join(name);
        let is_linked = path.is_symlink();
        let path = path.canonicalize().unwrap_or(path);
        let broken = |why: String| InstallError::BrokenRecord {
            path: path.clone(),
            why,
        };
        let bytes = match inside::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(InstallError::io("read", &path)(error)),
        };
        // Ours first: it bounds depth and size, and says where something is wrong.
        document::parse(&bytes, Format::Toml).map_err(|problem| {
            let at = problem.line.zip(problem.column);
            broken(match at {
                Some((line, column)) => format!("line {line}, column {column}: {}", problem.message),
                None => problem.message,
            })
        })?;
        let text = String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8".to_owned()))?;
        let document = text
            .parse::<DocumentMut>()
            .map_err(|error| broken(error.message().to_owned()))?;
        Ok(Self {
            path,
            is_linked,
            document,
        })
    }

    /// Sets or removes `[table.name]`; whether that changed anything.
    pub(super) fn set(
        &mut self,
        table: &str,
        name: &str,
        record: Option<Table>,
    ) -> Result<bool, InstallError> {
        let Some(record) = record else {
            let Some(tables) = self.document.get_mut(table) else {
                return Ok(false);
            };
            return Ok(tables
                .as_table_like_mut()
                .is_some_and(|tables| tables.remove(name).is_some()));
        };
        let entry = self.entry(table, name)?;
        for key in OUR_KEYS {
            if !record.contains_key(key) {
                entry.remove(key);
            }
        }
        for (key, item) in record {
            put(entry, &key, item);
        }
        Ok(true)
    }

    /// Sets one key of `[table.name]`; whether it was another before.
    pub(super) fn set_bool(
        &mut self,
        table: &str,
        name: &str,
        key: &str,
        wanted: bool,
    ) -> Result<bool, InstallError> {
        let entry = self.entry(table, name)?;
        if entry.get(key).and_then(Item::as_bool) == Some(wanted) {
            return Ok(false);
        }
        put(entry, key, value(wanted));
        Ok(true)
    }

    fn entry(&mut self, table: &str, name: &str) -> Result<&mut dyn toml_edit::TableLike, InstallError> {
        let path = self.path.clone();
        let broken = move |what: String| InstallError::BrokenRecord {
            path,
            why: format!("`{what}` is not a table"),
        };
        let tables = self.document.entry(table).or_insert_with(|| {
            let mut tables = Table::new();
            tables.set_implicit(true);
            tables.into()
        });
        let is_inline = tables.is_inline_table();
        let tables = match tables.as_table_like_mut() {
            Some(tables) => tables,
            None => return Err(broken(table.to_owned())),
        };
        if !tables.contains_key(name) {
            let new = if is_inline {
                value(toml_edit::InlineTable::new())
            } else {
                Table::new().into()
            };
            tables.insert(name, new);
        }
        let entry = tables.get_mut(name).and_then(Item::as_table_like_mut);
        entry.ok_or_else(|| broken(format!("{table}.{name}")))
    }

    /// Writes the file in one step. One in which nothing is left, not even a comment, is taken away, unless somebody
    /// made a link to it.
    pub(super) fn write(&self) -> Result<PathBuf, InstallError> {
        if !self.is_linked && self.document.to_string().trim().is_empty() {
            remove_file(&self.path)?;
            if let Some(parent) = self.path.parent() {
                let _ = platform::sync_directory(parent);
            }
            return Ok(self.path.clone());
        }
        write_whole(&self.path, self.document.to_string().as_bytes())?;
        Ok(self.path.clone())
    }
}

/// Sets a value where a key stands already as if only its value had been typed over.
fn put(table: &mut dyn toml_edit::TableLike, key: &str, mut item: Item) {
    match table.get_mut(key) {
        Some(old) => {
            if let (Item::Value(old), Item::Value(new)) = (&*old, &mut item) {
                *new.decor_mut() = old.decor().clone();
            }
            *old = item;
        }
        None => {
            table.insert(key, item);
        }
    }
}

/// A table of texts, for a record.
pub(super) fn texts(pairs: &[(&str, Option<&str>)]) -> Table {
    let mut table = Table::new();
    for (key, text) in pairs {
        if let Some(text) = text {
            table.insert(key, value(*text));
        }
    }
    table
}
