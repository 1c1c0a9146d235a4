//! Text that a host always gives to the model: memory files, rules, and what they bring in.
//!
//! Here is the order in which a host goes about it, with the files that are at fixed places or that the settings name.
//! `project` has the files on the walk, `rules` the directories of rules, `files` takes a file in with what it imports,
//! and `imports` finds those in its text.

mod files;
mod imports;
mod project;
mod rules;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::free::{self, Origin};
use super::glob::Looked;
use super::native_memory::is_address;
use super::roots::place;
use super::scanner::Found;
use super::settings::Settings;
use super::{Environment, Walk};
use crate::host::MemorySpec;
use crate::model::{
    Candidate, Code, ComponentKind, Diagnostic, DiscoverySource, Family, IdOrigin, Rule, Scope, Severity,
    State,
};

/// Finds the memory of one question.
pub(super) struct Memory<'a> {
    pub(super) spec: &'a MemorySpec,
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
    pub(super) settings: &'a Settings,
    pub(super) with_project: bool,
    pub(super) found: &'a mut Found,
    /// Real paths of what is in already, each with the path under which it is.
    pub(super) seen: HashMap<PathBuf, PathBuf>,
    /// How many imports away from a file of its own each imported file was followed.
    pub(super) visited: HashMap<PathBuf, usize>,
    pub(super) order: u32,
}

/// A memory file that may be there.
struct Piece {
    path: PathBuf,
    scope: Scope,
    /// The directory that its imports may not leave; none where they may go anywhere.
    within: Option<PathBuf>,
}

impl Memory<'_> {
    /// Finds everything; `brought` are files of plugins.
    pub(super) fn find(mut self, brought: &[PathBuf]) {
        self.fixed();
        for path in brought {
            let within = path.parent().map(project_of);
            self.take(Piece {
                path: path.clone(),
                scope: Scope::Plugin,
                within,
            });
        }
        for rules in self.spec.rules.iter().filter(|rules| rules.anchor.is_some()) {
            self.rules_at(rules);
        }
        let is_off = self
            .spec
            .project_unless
            .iter()
            .any(|name| self.environment.is_on(name));
        if self.with_project && !is_off {
            let before = self.found.candidates.len();
            self.project();
            if self.settings.distrusted {
                let why = "the user has marked the project as not trusted";
                self.settings
                    .distrust(self.found.candidates.iter_mut().skip(before), why);
            }
            self.further();
        }
    }

    fn origin(&mut self, scope: Scope) -> Origin {
        self.order += 1;
        Origin {
            source: match scope {
                Scope::Project => DiscoverySource::Project,
                Scope::Plugin => DiscoverySource::Plugin,
                _ => DiscoverySource::Host,
            },
            scope,
            family: Family::Claude,
            priority: self.order,
        }
    }

    fn fixed(&mut self) {
        let mut first: Option<PathBuf> = None;
        for file in self.spec.fixed {
            let is_off = file.unless.iter().any(|name| match *name {
                // A directory, not a switch.
                "OPENCODE_CONFIG_DIR" => self.environment.variables.contains_key(name),
                switch => self.environment.is_on(switch),
            });
            let Some(dir) = place(file.anchor, self.environment, self.walk).filter(|_| !is_off) else {
                continue;
            };
            let names = if file.scope == Scope::User {
                self.names(file.names)
            } else {
                file.names.iter().map(|name| (*name).to_owned()).collect()
            };
            let is_single = names.len() == 1 || !self.spec.names_setting.is_empty();
            let mut taken: Option<PathBuf> = None;
            for name in names {
                let path = dir.join(name);
                if !self.is_file(&path, file.scope) {
                    continue;
                }
                if let Some(read) = first.as_deref().filter(|_| self.spec.first_fixed_only) {
                    let why = "another of the user's files is read";
                    self.lost(&path, file.scope, Rule::OnlyOneNameOfWalk, why, Some(read));
                    continue;
                }
                if let Some(read) = &taken {
                    let why = "another file of its folder is read";
                    self.lost(&path, file.scope, Rule::FirstFileOfFolder, why, Some(read));
                    continue;
                }
                first.get_or_insert_with(|| path.clone());
                let within = match self.spec.imports {
                    Some(imports) if imports.user_anywhere => None,
                    _ => Some(project_of(&dir)),
                };
                let has_text = self.take(Piece {
                    path: path.clone(),
                    scope: file.scope,
                    within,
                });
                taken = (has_text && !is_single).then_some(path);
            }
        }
    }

    /// The names to look for, as the settings have them.
    fn names(&self, own: &[&'static str]) -> Vec<String> {
        let mut names: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
        if !self.spec.names_setting.is_empty()
            && let Some((_, value)) = self.settings.highest(self.spec.names_setting)
        {
            let set: Vec<String> = super::settings::strings(&value.value)
                .map(str::to_owned)
                .collect();
            if !set.is_empty() {
                // The host's own name counts beside them.
                names = set;
                names.extend(own.iter().map(|name| (*name).to_owned()));
                let mut seen = HashSet::new();
                names.retain(|name| !name.trim().is_empty() && seen.insert(name.clone()));
            }
        }
        names
    }

    /// Files that the settings add.
    fn further(&mut self) {
        let key = self.spec.further_setting;
        if key.is_empty() {
            return;
        }
        let named = key.join(".");
        let mut looked = Looked::default();
        for (layer, pattern) in self.settings.texts(key) {
            if is_address(&pattern) {
                let message = format!("`{named}` names an address, and nothing is fetched to show it");
                let told = Diagnostic::new(Code::NotFetched, Severity::Note, message).with_path(&layer);
                self.found.diagnostics.push(told);
                continue;
            }
            let was_cut = looked.is_cut;
            let files = match pattern.strip_prefix("~/").zip(self.environment.home.as_ref()) {
                Some((below, home)) => looked.files(home, below),
                None if Path::new(&pattern).is_absolute() => looked.from(Path::new("/"), &pattern),
                None => {
                    let dirs = self.walk.dirs.iter();
                    dirs.flat_map(|dir| looked.files(dir, &pattern)).collect()
                }
            };
            if looked.is_cut && !was_cut {
                let message = format!(
                    "so many directories are below what `{named}` names that not all were looked into"
                );
                let told = Diagnostic::new(Code::SearchCut, Severity::Warning, message).with_path(&layer);
                self.found.diagnostics.push(told);
            }
            for path in files {
                self.take(Piece {
                    path,
                    scope: Scope::Project,
                    within: None,
                });
            }
        }
    }

    fn candidate(&mut self, path: &Path, scope: Scope) -> Candidate {
        let origin = self.origin(scope);
        free::candidate(ComponentKind::Memory, path, &path.to_string_lossy(), origin)
    }

    /// A file that is not read since `read` is: it stands in the chain of that one, where one is known.
    fn lost(&mut self, path: &Path, scope: Scope, rule: Rule, why: &str, read: Option<&Path>) {
        let mut candidate = self.candidate(path, scope);
        if let Some(read) = read {
            candidate.set_id(IdOrigin::Derived(read.to_string_lossy().into()));
        }
        candidate.state = State::Shadowed;
        candidate.rule = Some(rule);
        candidate.detail_mut().message = Some(why.into());
        self.found.candidates.push(candidate);
    }

    fn passed_over(&mut self, path: &Path, scope: Scope, code: Code, why: &str) {
        let mut candidate = self.candidate(path, scope);
        candidate.turn_off(State::Ignored, code, why, None);
        self.found.candidates.push(candidate);
    }
}

/// The git root above a directory, or the directory.
fn project_of(dir: &Path) -> PathBuf {
    let marked = dir.ancestors().find(|dir| fs::metadata(dir.join(".git")).is_ok());
    marked.unwrap_or(dir).to_path_buf()
}
