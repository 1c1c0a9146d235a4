//! The memory files of a project: on which directories, under which names, and how many bytes of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Memory, Piece, project_of};
use crate::discovery::settings::strings;
use crate::host::{MemoryChoice, WalkScope};
use crate::model::{Code, Diagnostic, Rule, Scope, Severity};
use crate::parse::document::Value;

impl Memory<'_> {
    fn dirs(&self) -> Vec<PathBuf> {
        if !self.spec.marks_setting.is_empty()
            && let Some((_, marks)) = self.settings.highest(self.spec.marks_setting)
        {
            let marks: Vec<&str> = strings(&marks.value).collect();
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

    pub(super) fn project(&mut self) {
        let mut dirs = self.dirs();
        dirs.reverse();
        let mut names = self.names(self.spec.names);
        if !self.spec.more_names_setting.is_empty()
            && let Some((_, value)) = self.settings.highest(self.spec.more_names_setting)
        {
            names.extend(strings(&value.value).map(str::to_owned));
        }
        // The name, and the nearest file of it.
        let only = match self.spec.choice {
            MemoryChoice::FirstNameOfWalk => names.iter().find_map(|name| {
                let mut files = dirs.iter().rev().map(|dir| dir.join(name));
                Some((name.clone(), files.find(|file| file.is_file())?))
            }),
            _ => None,
        };
        let mut left = self.limit();
        dirs.extend(self.more_dirs());
        for dir in &dirs {
            let mut taken: Option<PathBuf> = None;
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
                if !self.is_file(&path, Scope::Project) {
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
                    taken = (self.spec.choice == MemoryChoice::FirstOfFolder).then_some(path);
                    continue;
                }
                if let Some((_, read)) = only.as_ref().filter(|(only, _)| only != name) {
                    let beside = only.as_ref().map(|(only, _)| dir.join(only));
                    let beside = beside.filter(|beside| beside.is_file());
                    let why = "the host goes by another file name on this walk";
                    let read = Some(beside.as_deref().unwrap_or(read));
                    self.lost(&path, Scope::Project, Rule::OnlyOneNameOfWalk, why, read);
                } else if let Some(read) = &taken {
                    let why = "the host reads another file of this folder";
                    self.lost(&path, Scope::Project, Rule::FirstFileOfFolder, why, Some(read));
                } else {
                    taken = (self.spec.choice == MemoryChoice::FirstOfFolder).then(|| path.clone());
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
}
