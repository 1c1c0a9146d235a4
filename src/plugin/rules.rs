//! Rules: text that is always given to the agent, or given by file pattern.

use std::fs;
use std::path::Path;

use super::inside::Place as Located;
use super::parts::Collector;
use super::read::CURSOR_RULES;
use crate::discovery::Found;
use crate::host::{KindSpec, Layout};
use crate::model::{Code, ComponentKind, Diagnostic, Severity, State};
use crate::parse::Position;

/// Folders of rules that a plugin has by default; the second only with a manifest of Cursor.
const FOLDERS: [&str; 2] = [".cursor/rules", "rules"];

/// How rules are read: as flat files only.
const fn spec(extension: &'static str) -> KindSpec {
    KindSpec {
        kind: ComponentKind::Memory,
        folder: "rules",
        families: &[],
        layout: Layout::Marked {
            // No directory entry has an empty name, so no directory is a rule.
            marker: "",
            extension,
            without_marker: "rules in sub-folders are not read",
        },
    }
}

const MDC: KindSpec = spec("mdc");
const MD: KindSpec = spec("md");

impl Collector<'_> {
    /// Rules, and what else is given to the agent as text.
    pub(super) fn rules(&mut self) {
        if let Some(located) = self.default_file(CURSOR_RULES) {
            self.rule_file(&located);
        }
        let folders = if self.is_cursor() && self.has_defaults(ComponentKind::Memory) {
            2
        } else {
            1
        };
        for folder in FOLDERS.into_iter().take(folders) {
            if let Some(located) = self.default_dir(folder) {
                self.rule_folder(&located);
            }
        }
        for (file, path) in self.named(ComponentKind::Memory) {
            if let Some(located) = self.locate(file, path) {
                if located.is_dir {
                    self.rule_folder(&located);
                } else {
                    self.rule_file(&located);
                }
            }
        }
        if self.is_cursor() && !self.has_defaults(ComponentKind::Memory) {
            let read = |this: &mut Self, located: &Located| this.rule_folder(located);
            self.replaced_folder(ComponentKind::Memory, "rules", read);
        }
    }

    fn rule_folder(&mut self, located: &Located) {
        if !self.is_new(ComponentKind::Memory, &located.real) {
            return;
        }
        let listing = fs::read_dir(&located.real).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut names: Vec<_> = match listing {
            Ok(entries) => entries.into_iter().map(|entry| entry.file_name()).collect(),
            Err(error) => {
                self.found.incomplete = true;
                let message = format!("cannot list this directory: {error}");
                self.found.diagnostics.push(
                    Diagnostic::new(Code::Unreadable, Severity::Error, message)
                        .with_path(&located.path)
                        .with_help("make it readable, or run as a user who may read it"),
                );
                return;
            }
        };
        names.sort();
        for name in names {
            let path = located.path.join(&name);
            self.scan_rule(&path, &located.real);
        }
    }

    fn scan_rule(&mut self, path: &Path, inside: &Path) {
        let is_mdc = path.extension().is_some_and(|extension| extension == "mdc");
        let place = self.free_place(path);
        let start = (self.found.candidates.len(), self.found.diagnostics.len());
        let mut found = Found::default();
        self.scanner
            .scan_one(if is_mdc { &MDC } else { &MD }, path, inside, &place, &mut found);
        let id = self.relative(path);
        for candidate in &mut found.candidates {
            // What a rule is called in its front matter does not make it another rule.
            // Front matter only says when a rule is given, and its usual patterns (`globs: *.ts`) are no YAML.
            if matches!(candidate.code, Some(Code::UnusableName | Code::BadFrontMatter)) {
                (candidate.state, candidate.code) = (State::Active, None);
            }
        }
        found
            .diagnostics
            .retain(|one| !matches!(one.code, Code::NameMismatch | Code::UnusableName));
        for diagnostic in &mut found.diagnostics {
            if diagnostic.code == Code::BadFrontMatter {
                diagnostic.severity = Severity::Warning;
            }
        }
        self.found.candidates.append(&mut found.candidates);
        self.found.diagnostics.append(&mut found.diagnostics);
        self.found.incomplete |= found.incomplete;
        self.qualify(start, Some(&id));
    }

    /// A file of rules that has no front matter.
    fn rule_file(&mut self, located: &Located) {
        if !self.is_new(ComponentKind::Memory, &located.real) {
            return;
        }
        let id = self.relative(&located.path);
        let start = Position { line: 1, column: 1 };
        let mut candidate = self.defined_in(&located.path, ComponentKind::Memory, &id, None, start);
        if let Some(detail) = &mut candidate.detail {
            (detail.line, detail.column) = (None, None);
        }
        if let Some(part) = &mut candidate.plugin {
            part.name = None;
        }
        if located.real != located.path {
            candidate.detail_mut().real_path = Some(located.real.clone());
        }
        self.found.candidates.push(candidate);
    }

    /// A path from the plugin's directory, with `/`.
    fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.plugin.path).unwrap_or(path);
        let parts = relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }
}
