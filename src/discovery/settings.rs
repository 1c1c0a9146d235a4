//! The settings files of a host, and which of its entries they switch off.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::config_files::read_regular;
use super::roots::{self, place};
use super::{Environment, Walk};
use crate::discovery::free::Cause;
use crate::host::{Anchor, Gate, GateSpec, HostProfile, LayerSpec, TrustSpec};
use crate::model::{Candidate, CandidateRef, Code, Diagnostic, Resolution, Scope, Severity, State};
use crate::parse::document::{self, Format, Located, Value};

/// A settings file that is there and can be read.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) spec: &'static LayerSpec,
    pub(super) path: PathBuf,
    pub(super) root: Located,
}

/// The settings of a host in one place.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Lowest precedence first.
    pub(super) layers: Vec<Layer>,
    /// Files that are there and do not count, with the reason.
    pub(super) left_out: Vec<(PathBuf, &'static LayerSpec, State, Code, String)>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) incomplete: bool,
    /// Whether the user trusts the project; true for a host that knows no trust.
    pub(super) trusted: bool,
    /// Where that is recorded.
    pub(super) trust_file: Option<PathBuf>,
}

impl Settings {
    /// Reads every settings file of the host.
    pub(super) fn load(
        profile: &HostProfile,
        environment: &Environment,
        walk: &Walk,
        with_project: bool,
    ) -> Self {
        let mut settings = Self {
            trusted: true,
            ..Self::default()
        };
        // The user's layers come first: they say whether the project's count.
        let mut later = Vec::new();
        for spec in profile.layers {
            let of_project = matches!(
                spec.anchor,
                Anchor::Start(_) | Anchor::GitRoot(_) | Anchor::Checkout(_) | Anchor::EachWalkDirectory(_)
            );
            if of_project && !with_project {
                continue;
            }
            for path in layer_files(spec, environment, walk) {
                if spec.trusted_only {
                    later.push((spec, path));
                } else {
                    settings.read(profile, spec, &path);
                }
            }
        }
        if let Some(trust) = profile.trust {
            settings.find_trust(trust, environment, walk);
        }
        let positions: Vec<&LayerSpec> = profile.layers.iter().collect();
        for (spec, path) in later {
            if settings.trusted {
                settings.read(profile, spec, &path);
            } else if path.is_file() {
                let why = "it counts only in a project that the user trusts".to_owned();
                settings
                    .left_out
                    .push((path, spec, State::Untrusted, Code::NotTrusted, why));
            }
        }
        let rank = |layer: &Layer| positions.iter().position(|spec| std::ptr::eq(*spec, layer.spec));
        settings.layers.sort_by_key(rank);
        settings
    }

    fn read(&mut self, profile: &HostProfile, spec: &'static LayerSpec, path: &Path) {
        if self.layers.iter().any(|layer| layer.path == path) {
            return;
        }
        let root = match self.document(path, spec.comments) {
            Some(Ok(root)) => root,
            Some(Err((code, message))) => {
                self.left_out
                    .push((path.to_path_buf(), spec, State::Invalid, code, message));
                return;
            }
            None => return,
        };
        let of_another_type = profile.tables.iter().find(|key| {
            let found = root.value.get(key);
            found.is_some_and(|found| !matches!(found.value, Value::Table(_)))
        });
        if let Some(key) = of_another_type.filter(|_| spec.scope != Scope::Managed) {
            let why = format!("`{key}` is no table, so the host takes nothing from this file");
            self.left_out
                .push((path.to_path_buf(), spec, State::Invalid, Code::WrongType, why));
            return;
        }
        self.layers.push(Layer {
            spec,
            path: path.to_path_buf(),
            root,
        });
    }

    /// Reads a configuration file: none where there is no such file or it cannot be read.
    pub(super) fn document(
        &mut self,
        path: &Path,
        comments: bool,
    ) -> Option<Result<Located, (Code, String)>> {
        let bytes = match read_regular(path, true) {
            Ok(bytes) => bytes?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                if super::platform::is_not_a_directory(&error) {
                    return None;
                }
                self.incomplete = true;
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::Unreadable,
                        Severity::Error,
                        format!("cannot read it: {error}"),
                    )
                    .with_path(path)
                    .with_help("what it says is unknown; make it readable"),
                );
                return None;
            }
        };
        let format = path
            .file_name()
            .and_then(Format::from_file_name)
            .unwrap_or(Format::Json);
        let format = if comments && format == Format::Json {
            Format::Jsonc
        } else {
            format
        };
        Some(match document::parse(&bytes, format) {
            Ok(document) => Ok(document.root),
            Err(problem) => {
                self.diagnostics.push(
                    Diagnostic::new(
                        problem.code,
                        Severity::Error,
                        format!("this file is left out: {}", problem.message),
                    )
                    .with_path(path)
                    .with_position(problem.line, problem.column),
                );
                Err((problem.code, problem.message))
            }
        })
    }

    fn find_trust(&mut self, trust: TrustSpec, environment: &Environment, walk: &Walk) {
        match trust {
            TrustSpec::CodexProjects => {
                let file = self.layers.iter().find(|layer| {
                    let projects = layer.root.value.get("projects");
                    projects.is_some_and(|found| {
                        let level = trust_level(&found.value, walk);
                        level == Some("trusted")
                    })
                });
                self.trusted = file.is_some();
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
                let level = match self.document(&path, true) {
                    Some(Ok(root)) => folder_trust(&root.value, &walk.start),
                    _ => None,
                };
                self.trusted = off || level == Some(true);
                self.trust_file = Some(path);
            }
        }
    }

    /// The value of a key in the highest layer that has it.
    pub(super) fn highest(&self, key: &[&str]) -> Option<(&Layer, &Located)> {
        self.all(key).last()
    }

    /// The values of a key in all layers, lowest first.
    pub(super) fn all<'a>(
        &'a self,
        key: &[&str],
    ) -> impl Iterator<Item = (&'a Layer, &'a Located)> + use<'a> {
        let key: Vec<String> = key.iter().map(|part| (*part).to_owned()).collect();
        self.layers.iter().filter_map(move |layer| {
            let mut value = &layer.root;
            for part in &key {
                value = value.value.get(part)?;
            }
            Some((layer, value))
        })
    }

    /// The texts of a list, or the one text, of all layers.
    pub(super) fn texts(&self, key: &[&str]) -> Vec<(PathBuf, String)> {
        let mut texts = Vec::new();
        for (layer, found) in self.all(key) {
            texts.extend(strings(&found.value).map(|text| (layer.path.clone(), text.to_owned())));
        }
        texts
    }

    /// What switches an entry off, if anything does.
    pub(super) fn gate(
        &self,
        gates: &[GateSpec],
        candidate: CandidateRef<'_>,
    ) -> Option<(Code, Cause, String)> {
        let id = candidate.id();
        gates
            .iter()
            .filter(|gate| gate.kinds.contains(&candidate.kind))
            .find_map(|gate| self.closes(gate, &id, candidate))
    }

    fn closes(
        &self,
        spec: &GateSpec,
        id: &str,
        candidate: CandidateRef<'_>,
    ) -> Option<(Code, Cause, String)> {
        let key = spec.key.join(".");
        let cause = |layer: &Layer, key: String| Cause {
            path: layer.path.clone(),
            key: Some(key),
        };
        match spec.gate {
            // What a plugin brings is not switched off by name.
            Gate::Word(_)
                if candidate
                    .detail
                    .as_ref()
                    .is_some_and(|detail| detail.plugin.is_some()) =>
            {
                None
            }
            Gate::Word(off) => {
                let (layer, value) = self.named(spec.key, id)?;
                let is_off = value.value == Value::String(off.to_owned());
                let message = format!("`{key}` sets it to `{off}`");
                is_off.then(|| (Code::SwitchedOff, cause(layer, format!("{key}.{id}")), message))
            }
            Gate::Flag(flag, off) => {
                let (layer, value) = self
                    .all(spec.key)
                    .filter_map(|(layer, table)| Some((layer, table.value.get(id)?.value.get(flag)?)))
                    .last()?;
                let message = format!("`{key}.{id}.{flag}` is {off}");
                let is_off = value.value == Value::Bool(off);
                is_off.then(|| {
                    (
                        Code::SwitchedOff,
                        cause(layer, format!("{key}.{id}.{flag}")),
                        message,
                    )
                })
            }
            Gate::Denied(tools) => self.all(spec.key).find_map(|(layer, list)| {
                let rule = strings(&list.value).find(|rule| {
                    tools.iter().any(|tool| {
                        rule.strip_prefix(tool)
                            .and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'))
                            .is_some_and(|name| name.trim() == id)
                    })
                })?;
                let message = format!("the permission rule `{rule}` takes it away");
                Some((Code::DeniedByRule, cause(layer, key.clone()), message))
            }),
            Gate::Names => self.all(spec.key).find_map(|(layer, list)| {
                let wanted = id.to_lowercase();
                strings(&list.value).find(|name| name.to_lowercase() == wanted)?;
                let message = format!("`{key}` names it");
                Some((Code::SwitchedOff, cause(layer, key.clone()), message))
            }),
            Gate::All(off) => {
                let (layer, value) = self.highest(spec.key)?;
                let is_off = value.value == Value::Bool(off);
                let message = format!("`{key}` is {off}");
                is_off.then(|| (Code::SwitchedOff, cause(layer, key), message))
            }
            Gate::PathOrName => {
                let marker = candidate.marker().unwrap_or_else(|| candidate.path());
                let real = candidate.real_path();
                self.all(spec.key)
                    .filter(|(layer, _)| spec.scopes.is_empty() || spec.scopes.contains(&layer.spec.scope))
                    .filter_map(|(layer, list)| {
                        let Value::List(items) = &list.value else {
                            return None;
                        };
                        let mut about = items.iter().filter_map(|item| {
                            let text = |key: &str| as_text(&item.value.get(key)?.value);
                            let by_path = text("path").is_some_and(|path| {
                                let path = Path::new(path);
                                path == marker
                                    || Some(path) == real.as_deref()
                                    || marker.parent() == Some(path)
                            });
                            let by_name = text("name").is_some_and(|name| name == id);
                            let enabled = item.value.get("enabled")?.value == Value::Bool(true);
                            (by_path || by_name).then_some(enabled)
                        });
                        about.next_back().map(|enabled| (layer, enabled))
                    })
                    .last()
                    .filter(|(_, enabled)| !enabled)
                    .map(|(layer, _)| {
                        let message = format!("`{key}` switches it off");
                        (Code::SwitchedOff, cause(layer, key), message)
                    })
            }
        }
    }

    /// The value under a name in the highest layer whose table has it.
    fn named<'a>(&'a self, key: &[&str], name: &str) -> Option<(&'a Layer, &'a Located)> {
        let tables = self.all(key);
        tables
            .filter_map(|(layer, table)| Some((layer, table.value.get(name)?)))
            .last()
    }
}

/// Takes out of the running what is not trusted, not approved or switched off.
pub(super) fn close(
    profile: &HostProfile,
    settings: &mut Settings,
    resolution: &mut Resolution,
    place: &Here<'_>,
) {
    let mut closed = Vec::new();
    let approvals = profile
        .approvals
        .and_then(|spec| Some((spec, roots::place(spec.anchor, place.environment, place.walk)?)))
        .map(|(spec, dir)| {
            let file = dir.join(spec.file);
            let root = settings.document(&file, true).and_then(Result::ok);
            (spec, file, root)
        });
    for (index, candidate) in resolution.candidates.iter().enumerate() {
        if candidate.state != State::Active {
            continue;
        }
        let reference = CandidateRef::new(resolution, candidate);
        let needs_trust = reference
            .root()
            .is_some_and(|root| root.terms.needs_trust.contains(&candidate.kind));
        if needs_trust && !settings.trusted {
            let cause = settings.trust_file.clone().map(|path| Cause { path, key: None });
            let message = "this host loads it only in a project that the user trusts".to_owned();
            closed.push((index, State::Untrusted, Code::NotTrusted, message, cause));
        } else if let Some((spec, file, root)) = &approvals
            && spec.kind == candidate.kind
            && reference.scope() == Scope::Project
            && !is_approved(root.as_ref(), &place.walk.start, reference)
        {
            let cause = Some(Cause {
                path: file.clone(),
                key: None,
            });
            let message = "this host loads it only once its text has been approved".to_owned();
            closed.push((index, State::Untrusted, Code::NotApproved, message, cause));
        } else if let Some((code, cause, message)) = settings.gate(profile.gates, reference) {
            closed.push((index, State::Disabled, code, message, Some(cause)));
        }
    }
    for (index, state, code, message, cause) in closed {
        if let Some(candidate) = resolution.candidates.get_mut(index) {
            Candidate::turn_off(candidate, state, code, &message, cause);
        }
    }
}

/// Where a question is asked.
pub(super) struct Here<'a> {
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
}

/// Whether the user has approved a file as it is: its digest stands under the project and its name.
fn is_approved(approvals: Option<&Located>, project: &Path, candidate: CandidateRef<'_>) -> bool {
    let known = approvals.and_then(|root| {
        let project = root.value.entries().iter().find(|entry| {
            let known = Path::new(&entry.key);
            known == project || known.canonicalize().is_ok_and(|known| known == project)
        })?;
        as_text(&project.value.value.get(&candidate.id())?.value)
    });
    let Some(known) = known else {
        return false;
    };
    let bytes = candidate
        .real_path()
        .and_then(|path| read_regular(&path, true).ok().flatten());
    bytes.is_some_and(|bytes| {
        // The host hashes the text that it reads, in which wrong bytes are replaced.
        let digest = Sha256::digest(String::from_utf8_lossy(&bytes).as_bytes());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        hex == known
    })
}

/// The files that a layer stands for here, lowest precedence first.
fn layer_files(spec: &LayerSpec, environment: &Environment, walk: &Walk) -> Vec<PathBuf> {
    let dirs: Vec<PathBuf> = match spec.anchor {
        Anchor::EachWalkDirectory(below) => walk
            .dirs
            .iter()
            .rev()
            .map(|dir| {
                if below.is_empty() {
                    dir.clone()
                } else {
                    dir.join(below)
                }
            })
            .collect(),
        anchor => place(anchor, environment, walk).into_iter().collect(),
    };
    let mut files = Vec::new();
    for dir in dirs {
        match spec.file.strip_suffix("/*") {
            None if spec.file.is_empty() => files.push(dir),
            None => files.extend(spec.file.split('|').map(|file| dir.join(file))),
            Some(folder) => {
                let listing = std::fs::read_dir(dir.join(folder))
                    .into_iter()
                    .flatten()
                    .flatten();
                let mut drop_ins: Vec<PathBuf> = listing
                    .map(|entry| entry.path())
                    .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
                    .filter(|path| {
                        let name = path.file_name().unwrap_or_default();
                        name.as_encoded_bytes().first() != Some(&b'.')
                    })
                    .collect();
                drop_ins.sort();
                files.extend(drop_ins);
            }
        }
    }
    files
}

/// The texts of a list, or the one text.
pub(super) fn strings(value: &Value) -> impl Iterator<Item = &str> {
    let one = as_text(value).into_iter();
    let many: &[Located] = match value {
        Value::List(items) => items,
        _ => &[],
    };
    one.chain(many.iter().filter_map(|item| as_text(&item.value)))
}

/// A value that is text.
pub(super) fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// How much a Codex configuration trusts the project: the working directory's word, else the repository's.
fn trust_level<'a>(projects: &'a Value, walk: &Walk) -> Option<&'a str> {
    let places = [
        Some(walk.start.as_path()),
        walk.git_root.as_deref(),
        walk.worktree_of.as_deref(),
    ];
    places.into_iter().flatten().find_map(|place| {
        let project = projects.entries().iter().find(|entry| {
            let known = Path::new(&entry.key);
            known == place || known.canonicalize().is_ok_and(|known| known == place)
        })?;
        as_text(&project.value.value.get("trust_level")?.value)
    })
}

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
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if dir.starts_with(&real) && longest.is_none_or(|(length, _)| entry.key.len() > length) {
            longest = Some((entry.key.len(), level != "DO_NOT_TRUST"));
        }
    }
    longest.map(|(_, trusted)| trusted)
}
