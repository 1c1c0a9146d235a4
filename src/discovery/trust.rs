//! Whether the user trusts a project, as each host keeps it.

use std::path::{Path, PathBuf};

use super::free::Cause;
use super::roots::place;
use super::settings::{Settings, as_text};
use super::{Environment, Walk, real_or_given};
use crate::host::{Anchor, Comments, TrustSpec};
use crate::model::{Candidate, Code, State};
use crate::parse::document::Value;

impl Settings {
    /// What a candidate is said to be untrusted by.
    pub(super) fn trust_cause(&self) -> Option<Cause> {
        let path = self.trust_file.clone()?;
        Some(Cause { path, key: None })
    }

    /// Takes out of the running what of these candidates is in it, since its project is not trusted.
    pub(super) fn distrust<'a>(&self, candidates: impl Iterator<Item = &'a mut Candidate>, why: &str) {
        for candidate in candidates.filter(|candidate| candidate.state == State::Active) {
            candidate.turn_off(State::Untrusted, Code::NotTrusted, why, self.trust_cause());
        }
    }

    /// Finds out what the user's record says of this project.
    pub(super) fn find_trust(&mut self, trust: TrustSpec, environment: &Environment, walk: &Walk) {
        match trust {
            TrustSpec::CodexProjects => {
                let known: Vec<(PathBuf, bool)> = self
                    .all(&["projects"])
                    .flat_map(|(_, projects)| projects.value.entries())
                    .filter_map(|entry| {
                        let level = as_text(&entry.value.value.get("trust_level")?.value)?;
                        let path = PathBuf::from(&entry.key);
                        let path = path.canonicalize().unwrap_or(path);
                        Some((path, level == "trusted"))
                    })
                    .collect();
                self.trusted_dirs = known;
                self.trust_roots = [
                    walk.git_root.as_ref().or(Some(&walk.start)),
                    walk.worktree_of.as_ref(),
                ]
                .into_iter()
                .flatten()
                .cloned()
                .collect();
                self.trusted = self.trust_in(&walk.start) == Some(true);
                self.distrusted = self.trust_in(&walk.start) == Some(false);
                self.trust_file = self.layers.last().map(|layer| layer.path.clone());
            }
            TrustSpec::GeminiFolders => {
                let anchor = Anchor::Variable {
                    name: "GEMINI_CLI_HOME",
                    below: ".gemini/trustedFolders.json",
                    or_home: Some(".gemini/trustedFolders.json"),
                };
                let Some(path) = place(anchor, environment, walk) else {
                    return;
                };
                let off = self
                    .highest(&["security", "folderTrust", "enabled"])
                    .is_some_and(|(_, value)| value.value == Value::Bool(false));
                let level = match self.document(&path, Comments::NoTrailingComma) {
                    Some(Ok(root)) => {
                        let entries = root.value.entries();
                        let odd = entries.iter().find(|entry| {
                            !as_text(&entry.value.value).is_some_and(|word| LEVELS.contains(&word))
                        });
                        if let Some(odd) = odd {
                            let why = format!("the level of `{}` is none that the host knows", odd.key);
                            self.stop(&path, Some(&odd.key), why);
                        }
                        folder_trust(&root.value, &walk.start)
                    }
                    Some(Err((_, message))) => {
                        self.stop(&path, None, message);
                        None
                    }
                    None => None,
                };
                let by_variable = environment
                    .variables
                    .get("GEMINI_CLI_TRUST_WORKSPACE")
                    .is_some_and(|value| value == "true");
                self.trusted = off || by_variable || level == Some(true);
                self.trust_file = Some(path);
            }
        }
    }

    /// What is known of a directory: the user's word on it, else on the repository that it is in.
    pub(super) fn trust_in(&self, dir: &Path) -> Option<bool> {
        let word = |place: &Path| {
            let known = self.trusted_dirs.iter().rev().find(|(known, _)| known == place);
            known.map(|(_, trusted)| *trusted)
        };
        word(dir).or_else(|| self.trust_roots.iter().find_map(|root| word(root)))
    }

    /// Whether what lies in a host's folder of the project, such as `.codex`, counts.
    pub(super) fn trusts(&self, folder: &Path) -> bool {
        if self.trusted_dirs.is_empty() {
            return self.trusted;
        }
        let dir = folder.parent().unwrap_or(folder);
        self.trust_in(dir) == Some(true)
    }
}

/// The levels of trust in a record of folders.
const LEVELS: [&str; 3] = ["TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"];

/// What the longest path in a table of trusted folders that holds the directory says of it.
fn folder_trust(folders: &Value, dir: &Path) -> Option<bool> {
    let mut longest: Option<(usize, bool)> = None;
    for entry in folders.entries() {
        let Some(level) = as_text(&entry.value.value) else {
            continue;
        };
        let path = Path::new(&entry.key);
        let path = match level {
            "TRUST_PARENT" => path.parent().unwrap_or(path),
            _ => path,
        };
        let real = real_or_given(path);
        if dir.starts_with(&real) && longest.is_none_or(|(length, _)| entry.key.len() > length) {
            longest = Some((entry.key.len(), level != "DO_NOT_TRUST"));
        }
    }
    longest.map(|(_, trusted)| trusted)
}
