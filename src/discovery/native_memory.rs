//! Memory of the native host that no plugin brings: the files that `instructions` of its configuration names.
//!
//! The lists of all configuration files are joined (discovery.md 6), so what one file names adds to what others do. The
//! reference leaves open where a path begins: here it is the directory of the file that names it, so that a
//! configuration means the same wherever the agent is started, and `~/` is the home.

use std::collections::HashMap;
use std::path::PathBuf;

use super::config_files::{ConfigFile, ConfigFiles};
use super::free::{self, Origin};
use super::glob::Looked;
use super::native_servers::native_priority;
use super::real_path::without_dots;
use super::scanner::Found;
use super::{Environment, real_or_given};
use crate::model::{Code, ComponentKind, Diagnostic, Family, IdOrigin, Root, Rule, Severity, State};
use crate::parse::Position;
use crate::parse::document::{Located, Value};

/// The list of a configuration file that memory files stand in.
const LIST: &str = "instructions";

/// How many of them are looked for in one file.
const MOST: usize = 1_000;

/// Finds the memory of one question.
pub(super) struct NativeMemory<'a> {
    pub(super) environment: &'a Environment,
    pub(super) roots: &'a [Root],
    pub(super) found: &'a mut Found,
    /// What is in already: by its real path, the path that it was named by.
    seen: HashMap<PathBuf, PathBuf>,
    looked: Looked,
}

impl<'a> NativeMemory<'a> {
    pub(super) fn new(environment: &'a Environment, roots: &'a [Root], found: &'a mut Found) -> Self {
        Self {
            environment,
            roots,
            found,
            seen: HashMap::new(),
            looked: Looked::default(),
        }
    }

    /// Finds it all; `files` are the host's configuration files.
    pub(super) fn find(mut self, files: &ConfigFiles) {
        for file in files.active() {
            let list = file
                .document
                .as_ref()
                .and_then(|document| document.root.value.get(LIST));
            match list.map(|list| (&list.value, list.position)) {
                None | Some((Value::Null, _)) => {}
                Some((Value::List(list), _)) => self.list(file, list),
                Some((other, at)) => {
                    let message = format!(
                        "`{LIST}` is {}, not a list, so it does not count",
                        other.type_name()
                    );
                    self.tell(file, at, Code::WrongType, message, Some("write a list"));
                }
            }
        }
    }

    fn list(&mut self, file: &ConfigFile, list: &[Located]) {
        for text in list.iter().take(MOST) {
            if let Value::String(pattern) = &text.value {
                self.named(file, pattern, text.position);
            } else {
                let message = format!(
                    "an element of `{LIST}` is {}, not a string, so it names no file",
                    text.value.type_name()
                );
                self.tell(
                    file,
                    text.position,
                    Code::WrongType,
                    message,
                    Some("write the path of a file"),
                );
            }
        }
        if let Some(first) = list.get(MOST) {
            let message = format!("only the first {MOST} files of `{LIST}` are looked for");
            self.tell(file, first.position, Code::SearchCut, message, None);
        }
    }

    /// What one text of a list names.
    fn named(&mut self, file: &ConfigFile, pattern: &str, at: Position) {
        if is_address(pattern) {
            let message = format!("`{LIST}` names an address, and nothing is fetched to show it");
            return self.tell(file, at, Code::NotFetched, message, None);
        }
        let dir = file.path.parent().unwrap_or(&file.path);
        let was_cut = self.looked.is_cut;
        let files = match (pattern.strip_prefix("~/"), &self.environment.home) {
            (Some(below), Some(home)) => self.looked.files(home, below),
            _ => self.looked.from(dir, pattern),
        };
        if self.looked.is_cut && !was_cut {
            let message =
                format!("so many directories are below what `{LIST}` names that not all were looked into");
            let help = "name files, or a directory that is nearer to them";
            self.tell(file, at, Code::SearchCut, message, Some(help));
        } else if files.is_empty() {
            let message = format!("`{pattern}` in `{LIST}` leads to no file");
            let help = "correct it, or make the file; what is relative begins at the directory of the configuration file";
            self.tell(file, at, Code::PathMissing, message, Some(help));
        }
        for path in files {
            self.take(file, tidy(path), at);
        }
    }

    fn take(&mut self, file: &ConfigFile, path: PathBuf, at: Position) {
        let real = real_or_given(&path);
        let first = self.seen.get(&real);
        // Lists are joined without duplicates, and so are the files that they name.
        if first == Some(&path) {
            return;
        }
        let origin = Origin {
            source: file.source,
            scope: file.scope,
            family: Family::Aleph,
            priority: native_priority(self.roots, &file.path, file.source, file.scope),
        };
        let mut candidate = free::candidate(ComponentKind::Memory, &path, &path.to_string_lossy(), origin);
        let mut message = format!("named in {}:{}:{}", file.path.display(), at.line, at.column);
        if let Some(first) = first {
            // It stands in the chain of the path under which the file is read.
            candidate.set_id(IdOrigin::Derived(first.to_string_lossy().into()));
            candidate.state = State::Alias;
            candidate.rule = Some(Rule::OneFileOnce);
            message = format!("{message}; it is {}, which is read already", first.display());
        } else {
            self.seen.insert(real, path);
        }
        candidate.detail_mut().message = Some(message.into());
        self.found.candidates.push(candidate);
    }

    fn tell(&mut self, file: &ConfigFile, at: Position, code: Code, message: String, help: Option<&str>) {
        let told = Diagnostic::new(code, code_severity(code), message)
            .with_path(&file.path)
            .with_position(Some(at.line), Some(at.column));
        self.found.diagnostics.push(match help {
            Some(help) => told.with_help(help),
            None => told,
        });
    }
}

/// A path without `.` and `..`, where it still leads to the same file.
fn tidy(path: PathBuf) -> PathBuf {
    let tidy = without_dots(&path);
    if real_or_given(&tidy) == real_or_given(&path) {
        tidy
    } else {
        path
    }
}

/// What may not be in the answer weighs more than what is known not to be.
const fn code_severity(code: Code) -> Severity {
    match code {
        Code::NotFetched => Severity::Note,
        _ => Severity::Warning,
    }
}

/// Whether a text names something on the network and no file.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
