//! The settings files of a host, and which of its entries they switch off.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::config_files::read_regular;
use super::roots::place;
use super::scanner::Stop;
use super::value_types::{merged, wrong_type};
use super::{Environment, Walk};
use crate::host::{Anchor, Comments, HostProfile, LayerSpec};
use crate::model::{Code, Diagnostic, Scope, Severity, State};
use crate::parse::document::{self, Format, Located, Value};
use crate::parse::{Position, Problem};

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
    /// Whether the user has said that the project is not trusted, which is more than having said nothing.
    pub(super) distrusted: bool,
    /// Directories of which the user's word is known, and whether it is trust.
    pub(super) trusted_dirs: Vec<(PathBuf, bool)>,
    /// Directories whose word counts for those in them that have none.
    pub(super) trust_roots: Vec<PathBuf>,
    /// What keeps the host from starting here.
    pub(super) stop: Option<Stop>,
}

impl Settings {
    /// Reads every settings file of the host.
    pub(super) fn load(
        profile: &HostProfile,
        environment: &Environment,
        walk: &Walk,
        with_project: bool,
        given: Option<&OsStr>,
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
            let is_off = spec.unless.iter().any(|name| environment.is_on(name));
            if is_off || (of_project && !with_project) {
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
            if settings.trusts(path.parent().unwrap_or(&path)) {
                settings.read(profile, spec, &path);
            } else if path.is_file() {
                if profile.broken_settings_stop && profile.trust_gates_memory {
                    // What does not count is parsed all the same.
                    if let Some(Err((_, message))) = settings.document(&path, spec.comments) {
                        settings.stop(&path, None, message);
                    }
                }
                let why = "it counts only in a project that the user trusts".to_owned();
                settings
                    .left_out
                    .push((path, spec, State::Untrusted, Code::NotTrusted, why));
            }
        }
        let rank = |layer: &Layer| positions.iter().position(|spec| std::ptr::eq(*spec, layer.spec));
        settings.layers.sort_by_key(rank);
        if let Some((given, spec)) = given.zip(profile.given_layer) {
            settings.take_given(profile, spec, given);
        }
        settings.judge_together(profile);
        settings
    }

    /// Takes settings that the host is started with: JSON, or the path of a file; below the administrator's.
    fn take_given(&mut self, profile: &HostProfile, spec: &'static LayerSpec, given: &OsStr) {
        let text = given.to_string_lossy();
        let before = self.layers.len();
        if text.trim_start().starts_with('{') {
            let path = Path::new("--settings");
            match document::parse(text.as_bytes(), Format::Json) {
                Ok(document) => self.layers.push(Layer {
                    spec,
                    path: path.to_path_buf(),
                    root: document.root,
                }),
                Err(problem) => {
                    self.left_out.push((
                        path.to_path_buf(),
                        spec,
                        State::Invalid,
                        problem.code,
                        problem.message,
                    ));
                }
            }
        } else {
            let path = std::path::absolute(Path::new(given)).unwrap_or_else(|_| PathBuf::from(given));
            self.read(profile, spec, &path);
        }
        let managed = self
            .layers
            .iter()
            .position(|layer| layer.spec.scope == Scope::Managed);
        if self.layers.len() > before
            && let Some(at) = managed
            && let Some(layer) = self.layers.pop()
        {
            self.layers.insert(at, layer);
        }
    }

    fn read(&mut self, profile: &HostProfile, spec: &'static LayerSpec, path: &Path) {
        if self.layers.iter().any(|layer| layer.path == path) {
            return;
        }
        let root = match self.document(path, spec.comments) {
            Some(Ok(root)) => root,
            Some(Err((code, message))) => {
                if profile.broken_settings_stop {
                    self.stop(path, None, message.clone());
                }
                self.left_out
                    .push((path.to_path_buf(), spec, State::Invalid, code, message));
                return;
            }
            None => return,
        };
        // TOML layers are judged by what they say together.
        let each_by_itself = !is_toml(spec);
        let wrong = profile
            .types
            .iter()
            .filter(|_| each_by_itself && spec.scope != Scope::Managed)
            .find_map(|(key, takes)| Some((*key, wrong_type(&root, key, *takes)?)));
        if let Some((key, what)) = wrong {
            let why = if profile.broken_settings_stop {
                let why = format!("`{key}` must be {what}");
                self.stop(path, Some(key), why.clone());
                why
            } else {
                format!("`{key}` must be {what}, so the host takes nothing from this file")
            };
            self.left_out
                .push((path.to_path_buf(), spec, State::Invalid, Code::WrongType, why));
            return;
        }
        if profile.fills_in_files
            && let Some((written, position)) = missing_file(&root, path)
        {
            let why = format!("`{{file:{written}}}` in line {} names no file", position.line);
            self.stop(path, None, why.clone());
            self.left_out
                .push((path.to_path_buf(), spec, State::Invalid, Code::BadConfig, why));
            return;
        }
        self.layers.push(Layer {
            spec,
            path: path.to_path_buf(),
            root,
        });
    }

    /// Judges the types of TOML layers, which the host puts together before it looks at them.
    fn judge_together(&mut self, profile: &HostProfile) {
        let layers = || self.layers.iter().filter(|layer| is_toml(layer.spec));
        let Some(all) = merged(layers().map(|layer| &layer.root)) else {
            return;
        };
        let wrong = profile
            .types
            .iter()
            .find_map(|(key, takes)| Some((*key, wrong_type(&all, key, *takes)?)));
        let Some((key, what)) = wrong else {
            return;
        };
        // The highest that has a part in it: it has the last word.
        let by = layers().rfind(|layer| layer.root.value.get(key).is_some());
        if let Some(path) = by.map(|layer| layer.path.clone()) {
            self.stop(&path, Some(key), format!("`{key}` must be {what}"));
        }
    }

    /// Notes what keeps the host from starting; the first counts.
    pub(super) fn stop(&mut self, path: &Path, key: Option<&str>, why: String) {
        self.stop.get_or_insert(Stop {
            path: path.to_path_buf(),
            key: key.map(str::to_owned),
            why,
        });
    }

    /// Reads a configuration file: none where there is no such file or it cannot be read.
    pub(super) fn document(
        &mut self,
        path: &Path,
        comments: Comments,
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
        let format = if comments != Comments::None && format == Format::Json {
            Format::Jsonc
        } else {
            format
        };
        let parsed = match document::parse(&bytes, format) {
            Ok(_) if comments == Comments::NoTrailingComma && has_trailing_comma(&bytes) => {
                Err(Problem::new(
                    Code::BadConfig,
                    None,
                    "a comma stands before a closing bracket, which this host does not take",
                ))
            }
            parsed => parsed,
        };
        Some(match parsed {
            Ok(document) => Ok(document.root),
            // A file without text is a file without settings.
            Err(_) if comments == Comments::Allowed && bytes.trim_ascii().is_empty() => Ok(Located {
                position: Position { line: 1, column: 1 },
                value: Value::Table(Vec::new()),
            }),
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
}

fn is_toml(spec: &LayerSpec) -> bool {
    spec.file.ends_with(".toml")
}

/// The files that a layer stands for here, lowest precedence first.
pub(super) fn layer_files(spec: &LayerSpec, environment: &Environment, walk: &Walk) -> Vec<PathBuf> {
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

/// The first `{file:PATH}` in a text that names no file, with where the text stands.
fn missing_file(root: &Located, file: &Path) -> Option<(String, Position)> {
    let dir = file.parent().unwrap_or(file);
    let mut todo = vec![root];
    while let Some(located) = todo.pop() {
        match &located.value {
            Value::String(text) => {
                for part in text.split("{file:").skip(1) {
                    let Some((written, _)) = part.split_once('}') else {
                        continue;
                    };
                    // What is in the home directory is not known here.
                    if !written.starts_with('~') && !dir.join(written.trim()).is_file() {
                        return Some((written.to_owned(), located.position));
                    }
                }
            }
            Value::List(items) => todo.extend(items),
            Value::Table(entries) => todo.extend(entries.iter().map(|entry| &entry.value)),
            _ => {}
        }
    }
    None
}

/// Whether in JSON with comments a comma stands before a closing bracket.
fn has_trailing_comma(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let mut comma = false;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'"' => {
                comma = false;
                while let Some((inner, after)) = rest.split_first() {
                    rest = after;
                    match inner {
                        b'"' => break,
                        b'\\' => rest = rest.get(1..).unwrap_or_default(),
                        _ => {}
                    }
                }
            }
            b'/' if rest.starts_with(b"/") => {
                let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                rest = rest.get(end..).unwrap_or_default();
            }
            b'/' if rest.starts_with(b"*") => {
                let end = rest.windows(2).position(|pair| pair == b"*/");
                rest = end.and_then(|end| rest.get(end + 2..)).unwrap_or_default();
            }
            b',' => comma = true,
            b'}' | b']' if comma => return true,
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_before_a_closing_bracket_is_seen_and_no_other() {
        assert!(has_trailing_comma(br#"{"a": [1, /* c */ ] }"#));
        assert!(has_trailing_comma(b"{\"a\": 1, // c\n}"));
        assert!(!has_trailing_comma(br#"{"a": ",]", "b": "\",}"}"#));
        assert!(!has_trailing_comma(br#"{"a": 1} // ,}"#));
    }
}
