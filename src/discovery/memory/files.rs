//! Taking a memory file in: whether it counts, and what it brings in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::imports::{imports, without_comments};
use super::{Memory, Piece};
use crate::discovery::config_files::read_regular;
use crate::discovery::free::Cause;
use crate::discovery::glob;
use crate::discovery::real_or_given;
use crate::discovery::real_path::without_dots;
use crate::host::ImportSpec;
use crate::model::{Code, Diagnostic, IdOrigin, Rule, Scope, Severity, State};

impl Memory<'_> {
    /// Takes a file, and says whether there is text in it.
    pub(super) fn take(&mut self, piece: Piece) -> bool {
        let text = match read_regular(&real_or_given(&piece.path), true) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => return false,
            Err(error) => {
                self.unreadable(&piece.path, piece.scope, &error);
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
        let known = if self.spec.each_path {
            without_dots(&piece.path)
        } else {
            real_or_given(&piece.path)
        };
        if let Some(first) = self.seen.get(&known).cloned() {
            let mut candidate = self.candidate(&piece.path, piece.scope);
            candidate.set_id(IdOrigin::Derived(first.to_string_lossy().into()));
            candidate.state = State::Alias;
            candidate.rule = Some(Rule::OneFileOnce);
            candidate.detail_mut().message = Some("the same real file is read already".into());
            self.found.candidates.push(candidate);
            return true;
        }
        self.seen.insert(known, piece.path.clone());
        let candidate = self.candidate(&piece.path, piece.scope);
        self.found.candidates.push(candidate);
        if let Some(spec) = self.spec.imports {
            self.visited.insert(real_or_given(&piece.path), 0);
            self.bring_in(spec, &piece, &text, 1);
        }
        true
    }

    /// A file that the operating system refused to let be read.
    /// Whether there is a file at a path. One in a directory that is closed to us is told of, since nobody knows.
    pub(super) fn is_file(&mut self, path: &Path, scope: Scope) -> bool {
        match fs::metadata(path) {
            Ok(metadata) => metadata.is_file(),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.unreadable(path, scope, &error);
                false
            }
            Err(_) => false,
        }
    }

    fn unreadable(&mut self, path: &Path, scope: Scope, error: &io::Error) {
        self.found.incomplete = true;
        let mut candidate = self.candidate(path, scope);
        candidate.turn_off(State::Unreadable, Code::Unreadable, &error.to_string(), None);
        self.found.diagnostics.push(
            Diagnostic::new(Code::Unreadable, Severity::Error, error.to_string())
                .with_path(path)
                .with_subject(candidate.kind, candidate.id())
                .with_help("make it readable, or run as a user who may read it"),
        );
        self.found.candidates.push(candidate);
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
            if known || (spec.once && self.seen.contains_key(&real)) {
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
            let bytes = match read_regular(&real, true) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(error) => {
                    self.unreadable(&path, piece.scope, &error);
                    continue;
                }
            };
            if !self.seen.contains_key(&real) {
                self.seen.insert(real.clone(), path.clone());
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
