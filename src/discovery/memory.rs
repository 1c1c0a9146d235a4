//! Text that a host always gives to the model: memory files, rules, and what they bring in.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::config_files::read_regular;
use super::free::{self, Origin};
use super::imports::{imports, without_comments};
use super::judge;
use super::marker::{MarkerReader, Opened};
use super::real_path::without_dots;
use super::roots::place;
use super::scanner::Found;
use super::settings::Settings;
use super::{Environment, Walk, glob, real_or_given};
use crate::discovery::free::Cause;
use crate::host::{Fences, ImportSpec, MemoryChoice, MemorySpec, RulesDir, WalkScope};
use crate::model::{
    Candidate, Code, ComponentKind, Diagnostic, DiscoverySource, Family, Rule, Scope, Severity, State,
};
use crate::parse::document::Value;
use crate::parse::front_matter::FieldValue;

/// Finds the memory of one question.
pub(super) struct Memory<'a> {
    pub(super) spec: &'a MemorySpec,
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
    pub(super) settings: &'a Settings,
    pub(super) with_project: bool,
    pub(super) found: &'a mut Found,
    /// Real paths of what is in already.
    pub(super) seen: HashSet<PathBuf>,
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
                for candidate in self.found.candidates.iter_mut().skip(before) {
                    if candidate.state == State::Active {
                        let cause = self
                            .settings
                            .trust_file
                            .clone()
                            .map(|path| Cause { path, key: None });
                        let why = "the user has marked the project as not trusted";
                        candidate.turn_off(State::Untrusted, Code::NotTrusted, why, cause);
                    }
                }
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
        let mut one_is_there = false;
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
            let mut taken = false;
            for name in names {
                let path = dir.join(name);
                if !path.is_file() {
                    continue;
                }
                if self.spec.first_fixed_only && one_is_there {
                    self.lost(
                        &path,
                        file.scope,
                        Rule::OnlyOneNameOfWalk,
                        "another of the user's files is read",
                    );
                    continue;
                }
                if taken {
                    self.lost(
                        &path,
                        file.scope,
                        Rule::FirstFileOfFolder,
                        "another file of its folder is read",
                    );
                    continue;
                }
                one_is_there = true;
                let within = match self.spec.imports {
                    Some(imports) if imports.user_anywhere => None,
                    _ => Some(project_of(&dir)),
                };
                let has_text = self.take(Piece {
                    path,
                    scope: file.scope,
                    within,
                });
                taken = has_text && !is_single;
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

    fn dirs(&self) -> Vec<PathBuf> {
        if !self.spec.marks_setting.is_empty()
            && let Some((_, marks)) = self.settings.highest(self.spec.marks_setting)
        {
            let marks: Vec<&str> = super::settings::strings(&marks.value).collect();
            let is_top = |dir: &&Path| marks.iter().any(|mark| dir.join(mark).exists());
            let top = self
                .walk
                .start
                .ancestors()
                .find(is_top)
                .unwrap_or(&self.walk.start);
            let below = self.walk.start.ancestors().take_while(|dir| dir.starts_with(top));
            return below.map(Path::to_path_buf).collect();
        }
        match self.spec.walk {
            WalkScope::Walk => self.walk.dirs.clone(),
            WalkScope::Top => self.walk.start.ancestors().map(Path::to_path_buf).collect(),
        }
    }

    fn project(&mut self) {
        let mut dirs = self.dirs();
        dirs.reverse();
        let mut names = self.names(self.spec.names);
        if !self.spec.more_names_setting.is_empty()
            && let Some((_, value)) = self.settings.highest(self.spec.more_names_setting)
        {
            names.extend(super::settings::strings(&value.value).map(str::to_owned));
        }
        let only = match self.spec.choice {
            MemoryChoice::FirstNameOfWalk => names
                .iter()
                .find(|name| dirs.iter().any(|dir| dir.join(name).is_file()))
                .cloned(),
            _ => None,
        };
        let mut left = self.limit();
        dirs.extend(self.more_dirs());
        for dir in &dirs {
            let mut taken = false;
            let of_outer = self.spec.not_of_outer_checkout
                && self
                    .walk
                    .worktree_of
                    .as_ref()
                    .is_some_and(|main| dir.starts_with(main))
                && self
                    .walk
                    .git_root
                    .as_ref()
                    .is_some_and(|own| !dir.starts_with(own));
            for name in &names {
                // Rules stand between the shared files and the user's own for this project.
                if name.contains(".local.") && !of_outer {
                    self.rules_of(dir);
                }
                let path = dir.join(name);
                if !path.is_file() {
                    continue;
                }
                if of_outer && !name.contains(".local.") {
                    let why = "the worktree lies inside the checkout that this belongs to, and has its own";
                    self.passed_over(&path, Scope::Project, Code::OuterCheckout, why);
                    continue;
                }
                if left == Some(0) {
                    let why = "the project's files before it have all the bytes that the host takes";
                    self.passed_over(&path, Scope::Project, Code::TooLarge, why);
                    taken = self.spec.choice == MemoryChoice::FirstOfFolder;
                    continue;
                }
                if only.as_ref().is_some_and(|only| only != name) {
                    let why = "the host goes by another file name on this walk";
                    self.lost(&path, Scope::Project, Rule::OnlyOneNameOfWalk, why);
                } else if taken {
                    let why = "the host reads another file of this folder";
                    self.lost(&path, Scope::Project, Rule::FirstFileOfFolder, why);
                } else {
                    taken = self.spec.choice == MemoryChoice::FirstOfFolder;
                    let within = match self.spec.imports {
                        Some(imports) if imports.within_start => self.walk.start.clone(),
                        _ => project_of(dir),
                    };
                    self.spend(&mut left, &path);
                    self.take(Piece {
                        path,
                        scope: Scope::Project,
                        within: Some(within),
                    });
                }
            }
            if of_outer {
                continue;
            }
            if !names.iter().any(|name| name.contains(".local.")) {
                self.rules_of(dir);
            }
        }
    }

    /// Directories that the settings add.
    fn more_dirs(&self) -> Vec<PathBuf> {
        if self.spec.more_dirs_setting.is_empty() {
            return Vec::new();
        }
        let named = self.settings.texts(self.spec.more_dirs_setting).into_iter();
        let home = self.environment.home.as_ref();
        let dirs = named.map(|(_, dir)| match dir.strip_prefix("~/").zip(home) {
            Some((below, home)) => home.join(below),
            None => self.walk.start.join(dir),
        });
        dirs.filter(|dir| !self.walk.dirs.contains(dir)).collect()
    }

    /// How many bytes the project's files may have together.
    fn limit(&self) -> Option<u64> {
        let (key, usual) = self.spec.limit?;
        let set = self
            .settings
            .highest(key)
            .and_then(|(_, value)| match value.value {
                Value::Integer(bytes) => u64::try_from(bytes).ok(),
                _ => None,
            });
        Some(set.unwrap_or(usual))
    }

    /// Takes a file's bytes from what is left, and tells of one that is cut.
    fn spend(&mut self, left: &mut Option<u64>, path: &Path) {
        let Some(free) = left else {
            return;
        };
        let size = fs::metadata(path).map_or(0, |metadata| metadata.len());
        if size > *free {
            let message = format!("only the first {free} of its {size} bytes are given to the model");
            self.found.diagnostics.push(
                Diagnostic::new(Code::DocumentCut, Severity::Note, message)
                    .with_path(path)
                    .with_help("say first what counts, or raise the host's limit"),
            );
        }
        *free = free.saturating_sub(size);
    }

    fn rules_of(&mut self, dir: &Path) {
        for rules in self.spec.rules.iter().filter(|rules| rules.anchor.is_none()) {
            self.rules(rules, &dir.join(rules.folder));
        }
    }

    fn rules_at(&mut self, rules: &RulesDir) {
        let anchor = rules
            .anchor
            .and_then(|anchor| place(anchor, self.environment, self.walk));
        if let Some(dir) = anchor {
            self.rules(rules, &dir.join(rules.folder));
        }
    }

    /// Reads a directory of rules with all below it.
    fn rules(&mut self, rules: &RulesDir, dir: &Path) {
        let Ok(real) = dir.canonicalize() else {
            return;
        };
        let mut files = Vec::new();
        let mut open = HashSet::from([real.clone()]);
        let mut todo = vec![dir.to_path_buf()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(metadata) = fs::metadata(&path) else {
                    continue;
                };
                if metadata.is_dir() {
                    if path.canonicalize().is_ok_and(|real| open.insert(real)) {
                        todo.push(path);
                    }
                } else if metadata.is_file()
                    && path
                        .extension()
                        .is_some_and(|extension| extension == rules.extension)
                {
                    files.push(path);
                }
            }
        }
        files.sort();
        let mut reader = MarkerReader::default();
        for path in files {
            let leads_out = path.canonicalize().is_ok_and(|file| {
                !file.starts_with(&real)
                    && rules.scope == Scope::Project
                    && !file.starts_with(&self.walk.start)
            });
            if leads_out {
                let why = "a link that leads out of the project, which nobody has approved";
                self.passed_over(&path, rules.scope, Code::OutsideProject, why);
                continue;
            }
            if let Some(patterns) = waits(&mut reader, &path, rules.waits_for) {
                let why = format!("it waits for work on files that match {patterns}");
                self.passed_over(&path, rules.scope, Code::OnDemand, &why);
                continue;
            }
            let within = (rules.scope == Scope::Project).then(|| self.walk.start.clone());
            self.take(Piece {
                path,
                scope: rules.scope,
                within,
            });
        }
    }

    /// Files that the settings add.
    fn further(&mut self) {
        if self.spec.further_setting.is_empty() {
            return;
        }
        for (_, pattern) in self.settings.texts(self.spec.further_setting) {
            if pattern.starts_with("http://") || pattern.starts_with("https://") {
                continue;
            }
            let home = pattern.strip_prefix("~/").zip(self.environment.home.as_ref());
            let files = match home {
                Some((below, home)) => glob::files(home, below),
                None if Path::new(&pattern).is_absolute() => {
                    glob::files(Path::new("/"), pattern.trim_start_matches('/'))
                }
                None => self
                    .walk
                    .dirs
                    .iter()
                    .flat_map(|dir| glob::files(dir, &pattern))
                    .collect(),
            };
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

    fn lost(&mut self, path: &Path, scope: Scope, rule: Rule, why: &str) {
        let mut candidate = self.candidate(path, scope);
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

    /// Takes a file, and says whether there is text in it.
    fn take(&mut self, piece: Piece) -> bool {
        let text = match read_regular(&real_or_given(&piece.path), true) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => return false,
            Err(error) => {
                self.found.incomplete = true;
                let mut candidate = self.candidate(&piece.path, piece.scope);
                candidate.turn_off(State::Unreadable, Code::Unreadable, &error.to_string(), None);
                self.found.candidates.push(candidate);
                return false;
            }
        };
        if let Some((layer, pattern)) = self.excluded(&piece.path) {
            let mut candidate = self.candidate(&piece.path, piece.scope);
            let why = format!("the setting leaves out what matches `{pattern}`");
            let key = Some(self.spec.excludes_setting.join("."));
            let cause = Cause { path: layer, key };
            candidate.turn_off(State::Disabled, Code::SwitchedOff, &why, Some(cause));
            self.found.candidates.push(candidate);
            return true;
        }
        let has_comments = self.spec.imports.is_some_and(|imports| !imports.strict);
        let said = if has_comments {
            without_comments(&text)
        } else {
            text.clone()
        };
        if self.spec.skips_empty && said.trim().is_empty() {
            self.passed_over(
                &piece.path,
                piece.scope,
                Code::EmptyFile,
                "there is no text in it",
            );
            return false;
        }
        let real = real_or_given(&piece.path);
        if !self.seen.insert(real) {
            let mut candidate = self.candidate(&piece.path, piece.scope);
            candidate.state = State::Alias;
            candidate.rule = Some(Rule::OneFileOnce);
            candidate.detail_mut().message = Some("the same real file is read already".into());
            self.found.candidates.push(candidate);
            return true;
        }
        let candidate = self.candidate(&piece.path, piece.scope);
        self.found.candidates.push(candidate);
        if let Some(spec) = self.spec.imports {
            self.visited.insert(real_or_given(&piece.path), 0);
            self.bring_in(spec, &piece, &text, 1);
        }
        true
    }

    fn excluded(&self, path: &Path) -> Option<(PathBuf, String)> {
        if self.spec.excludes_setting.is_empty() {
            return None;
        }
        let path = path.to_string_lossy();
        self.settings
            .texts(self.spec.excludes_setting)
            .into_iter()
            .find(|(_, pattern)| glob::matches(pattern, &path))
    }

    fn bring_in(&mut self, spec: ImportSpec, from: &Piece, text: &str, depth: usize) {
        // A link is read at the place that it leads to.
        let file = if spec.strict {
            from.path.clone()
        } else {
            real_or_given(&from.path)
        };
        let base = file.parent().unwrap_or(&file).to_path_buf();
        for written in imports(spec, text) {
            let home = written.strip_prefix("~/").zip(self.environment.home.as_ref());
            let path = match home {
                Some((below, home)) if !spec.strict => home.join(below),
                _ => without_dots(&base.join(&written)),
            };
            if !path.is_file() {
                self.found.diagnostics.push(
                    Diagnostic::new(
                        Code::ImportMissing,
                        Severity::Note,
                        format!("`@{written}` names no file, so nothing is imported"),
                    )
                    .with_path(&from.path),
                );
                continue;
            }
            let real = real_or_given(&path);
            // What was followed from as near is not followed again: a loop ends, and work is bounded.
            let known = self.visited.get(&real).is_some_and(|before| *before <= depth);
            if known || (spec.once && self.seen.contains(&real)) {
                continue;
            }
            let piece = Piece {
                path: path.clone(),
                scope: from.scope,
                within: from.within.clone(),
            };
            let within = piece.within.as_ref().map(|dir| real_or_given(dir));
            if within.is_some_and(|within| !real.starts_with(within)) {
                let why = "an import that leads out of the project, which nobody has approved";
                self.passed_over(&path, piece.scope, Code::OutsideProject, why);
                continue;
            }
            if depth > spec.depth {
                let why = format!("imports are followed {} files deep", spec.depth);
                self.passed_over(&path, piece.scope, Code::ImportTooDeep, &why);
                continue;
            }
            let Ok(Some(bytes)) = read_regular(&real, true) else {
                continue;
            };
            if self.seen.insert(real.clone()) {
                let mut candidate = self.candidate(&path, piece.scope);
                candidate.detail_mut().message = Some(format!("imported by {}", from.path.display()).into());
                self.found.candidates.push(candidate);
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            self.visited.insert(real, depth);
            self.bring_in(spec, &piece, &text, depth + 1);
        }
    }
}

/// The git root above a directory, or the directory.
fn project_of(dir: &Path) -> PathBuf {
    let marked = dir.ancestors().find(|dir| fs::metadata(dir.join(".git")).is_ok());
    marked.unwrap_or(dir).to_path_buf()
}

/// The patterns of the files that a rule waits for; none where it waits for nothing, or for everything.
fn waits(reader: &mut MarkerReader, path: &Path, key: &str) -> Option<String> {
    let wanted = [judge::WANTED, &[key]].concat();
    let Opened::Read(reading) = reader.read_with(&real_or_given(path), &wanted, Fences::LOOSE) else {
        return None;
    };
    if reading.front_matter.invalid.is_some() {
        // Of broken YAML the line is still read as text.
        let text = String::from_utf8_lossy(reader.bytes()).into_owned();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        return line
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty() && line != "**");
    }
    let field = reading
        .front_matter
        .fields
        .into_iter()
        .find(|field| &*field.key == key)?;
    let patterns: Vec<String> = match field.value {
        FieldValue::Text(text) | FieldValue::NotText(text) => {
            text.split(',').map(|part| part.trim().to_owned()).collect()
        }
        FieldValue::List(items) => items.iter().map(|item| item.to_string()).collect(),
        FieldValue::Null | FieldValue::Mapping => Vec::new(),
    };
    let waits = patterns
        .iter()
        .any(|pattern| !pattern.is_empty() && pattern != "**");
    waits.then(|| patterns.join(", "))
}
