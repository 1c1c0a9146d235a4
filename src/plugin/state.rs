//! `<aleph home>/data/plugins.toml`: which plugins are switched on.
//!
//! `[entries.<id>] enabled = false` switches a plugin off; whatever is absent is on. The file is shared with Aleph,
//! so everything else in it is left alone. One that cannot be used counts as absent, and is told of loudly.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::inside;
use crate::model::{Code, Diagnostic, Severity};
use crate::parse::Position;
use crate::parse::document::{self, Format, Value};

/// Which plugins are switched off, and where that is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginStates {
    /// The file, whether it is there or not.
    pub path: PathBuf,
    /// The ids that are switched off, and where.
    pub off: BTreeMap<String, Position>,
    /// What is wrong with the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Where the file is.
#[must_use]
pub fn path(aleph_home: &Path) -> PathBuf {
    aleph_home.join("data").join("plugins.toml")
}

/// Reads the file of an Aleph home.
#[must_use]
pub fn read(aleph_home: &Path) -> PluginStates {
    let mut states = PluginStates {
        path: path(aleph_home),
        ..PluginStates::default()
    };
    // People keep such files elsewhere, so a link is followed.
    let real = states.path.canonicalize();
    let bytes = match real.and_then(|real| inside::read(&real)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return states,
        Err(error) => {
            let message = format!("cannot read which plugins are switched on, so all are: {error}");
            states.tell(message, None, "make the file a readable regular file");
            if let Some(told) = states.diagnostics.last_mut() {
                told.code = inside::refusal(&error, told.code);
            }
            return states;
        }
    };
    let document = match document::parse(&bytes, Format::Toml) {
        Ok(document) => document,
        Err(problem) => {
            let at = problem.line.zip(problem.column);
            let at = at.map(|(line, column)| Position { line, column });
            let message = format!(
                "the file that says which plugins are switched on is broken, so all are: {}",
                problem.message
            );
            states.tell(
                message,
                at,
                "repair it; until then switched-off plugins are in effect",
            );
            return states;
        }
    };
    let Some(entries) = document.root.value.get("entries") else {
        return states;
    };
    if !matches!(entries.value, Value::Table(_)) {
        let message = format!("`entries` is {}, not a table", entries.value.type_name());
        states.tell(message, Some(entries.position), "write `[entries.<plugin id>]`");
        return states;
    }
    for entry in entries.value.entries() {
        let Some(enabled) = entry.value.value.get("enabled") else {
            continue;
        };
        match enabled.value {
            Value::Bool(false) => {
                states.off.insert(entry.key.clone(), enabled.position);
            }
            Value::Bool(true) => {}
            _ => {
                let message = format!(
                    "`entries.{}.enabled` is {}, so it does not count and the plugin is on",
                    entry.key,
                    enabled.value.type_name()
                );
                states.tell(
                    message,
                    Some(enabled.position),
                    "write `enabled = false` or remove it",
                );
            }
        }
    }
    states
}

impl PluginStates {
    fn tell(&mut self, message: String, at: Option<Position>, help: &str) {
        self.diagnostics.push(
            Diagnostic::new(Code::StateFileBroken, Severity::Error, message)
                .with_path(&self.path)
                .with_position(at.map(|at| at.line), at.map(|at| at.column))
                .with_help(help),
        );
    }
}
