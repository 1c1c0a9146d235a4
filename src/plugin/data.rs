//! Reading files of the Aleph home's `data` directory: a table of tables, of which one bad entry spoils no other.

use std::io;
use std::path::{Path, PathBuf};

use super::inside;
use crate::discovery::validate_path_component;
use crate::model::{Code, Diagnostic, Severity, TrustTier};
use crate::parse::document::{self, Format, Located, Value};

/// What such a file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataTable {
    pub(crate) path: PathBuf,
    /// The entries that are tables and whose names can be names of directories.
    pub(crate) entries: Vec<(String, Located)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads the entries of one table of a file.
pub(crate) fn read(aleph_home: &Path, file: &str, table: &str, code: Code) -> DataTable {
    let mut data = DataTable {
        path: aleph_home.join("data").join(file),
        ..DataTable::default()
    };
    let path = data.path.clone();
    let told = |message: String| {
        Diagnostic::new(code, Severity::Error, message)
            .with_path(&path)
            .with_help("repair the file, or move it away")
    };
    let real = path.canonicalize();
    let bytes = match real.and_then(|real| inside::read(&real)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return data,
        Err(error) => {
            let mut told = told(format!("cannot read the file, so nothing of it counts: {error}"));
            told.code = inside::refusal(&error, told.code);
            data.diagnostics.push(told);
            return data;
        }
    };
    let document = match document::parse(&bytes, Format::Toml) {
        Ok(document) => document,
        Err(problem) => {
            let message = format!("the file is broken, so nothing of it counts: {}", problem.message);
            data.diagnostics
                .push(told(message).with_position(problem.line, problem.column));
            return data;
        }
    };
    let Some(found) = document.root.value.get(table) else {
        return data;
    };
    if !matches!(found.value, Value::Table(_)) {
        let at = found.position;
        let message = format!("`{table}` is {}, not a table", found.value.type_name());
        data.diagnostics
            .push(told(message).with_position(Some(at.line), Some(at.column)));
        return data;
    }
    for entry in found.value.entries() {
        let at = entry.key_position;
        let wrong = if let Err(error) = validate_path_component(&entry.key) {
            Some(error.to_string())
        } else if !matches!(entry.value.value, Value::Table(_)) {
            Some(format!("it is {}, not a table", entry.value.value.type_name()))
        } else {
            None
        };
        match wrong {
            Some(why) => data.diagnostics.push(
                told(format!("the entry `{table}.{}` does not count: {why}", entry.key))
                    .with_position(Some(at.line), Some(at.column)),
            ),
            None => data.entries.push((entry.key.clone(), entry.value.clone())),
        }
    }
    data
}

/// A text of an entry.
pub(crate) fn text(entry: &Located, key: &str) -> Option<String> {
    match &entry.value.get(key)?.value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The tier of a name.
pub(super) fn tier(name: &str) -> Option<TrustTier> {
    TrustTier::ALL.into_iter().find(|tier| tier.as_str() == name)
}
