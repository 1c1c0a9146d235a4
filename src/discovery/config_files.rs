//! Configuration files: one name looked for in the Aleph home and in each directory of the walk, and the layers
//! that they and the environment are.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::merge::{self, Layer, LayerProblem, Merged};
use super::{DiscoveryError, Environment, Walk, native_servers, platform, validate_path_component};
use crate::host::HostProfile;
use crate::model::{Code, Diagnostic, DiscoverySource, Rule, Scope, Severity, State};
use crate::parse::Problem;
use crate::parse::document::{self, Document, Format};

/// A directory in which configuration files are looked for.
pub(super) struct Directory {
    pub(super) dir: PathBuf,
    pub(super) source: DiscoverySource,
    pub(super) scope: Scope,
}

/// One file of the name that was asked for, or what stands in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    /// The file.
    pub path: PathBuf,
    /// Where its directory comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Place of its directory in the order of precedence: 0 is the user's, higher overrides lower.
    pub order: u32,
    /// What became of it.
    pub state: State,
    /// Why it lost to the file named in `by`.
    pub rule: Option<Rule>,
    /// Index into [`ConfigFiles::files`].
    pub by: Option<u32>,
    /// What is wrong with it.
    pub code: Option<Code>,
    /// Where a symbolic link points, as written in the link.
    pub symlink_target: Option<PathBuf>,
    /// What is wrong with it, in words.
    pub message: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// 1-based line that `code` is about.
    pub line: Option<u32>,
    /// 1-based column that `code` is about.
    pub column: Option<u32>,
    /// What it says, where it is one of the host's own configuration files and can be read.
    pub document: Option<Document>,
}

/// The chain of configuration files of one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigFiles {
    /// The name that was asked for.
    pub name: String,
    /// What was found, lowest precedence first: the user's file, then the project's from the outermost
    /// directory inward. In one directory the file that counts stands last.
    pub files: Vec<ConfigFile>,
    /// Every path that was looked at and whether anything is there, in the same order.
    pub probed: Vec<(PathBuf, bool)>,
    /// What was odd on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// False when something could not be read.
    pub complete: bool,
}

impl ConfigFiles {
    /// The files that count, lowest precedence first.
    pub fn active(&self) -> impl Iterator<Item = &ConfigFile> {
        self.files.iter().filter(|file| file.state.is_in_effect())
    }
}

/// Looks for `name`, or for all formats of the host's own configuration if `name` is its id.
pub(super) fn find(
    profile: &HostProfile,
    environment: &Environment,
    walk: &Walk,
    name: &str,
) -> Result<ConfigFiles, DiscoveryError> {
    validate_path_component(name).map_err(|source| DiscoveryError::Name {
        name: name.to_owned(),
        source,
    })?;
    let mut found = ConfigFiles {
        name: name.to_owned(),
        complete: true,
        ..ConfigFiles::default()
    };
    // The format that counts comes last, as the higher of two layers does.
    let names: Vec<&str> = if name == profile.config.id {
        profile.config.names.iter().rev().copied().collect()
    } else {
        vec![name]
    };
    let (layers, told) = layers(environment, walk);
    found.complete &= told.is_none();
    found.diagnostics.extend(told);
    for (order, layer) in layers.iter().enumerate() {
        let first = found.files.len();
        for name in &names {
            let order = u32::try_from(order).unwrap_or(u32::MAX);
            found.probe(layer, order, name, Reading::of(profile, name));
        }
        let winner = found
            .files
            .iter()
            .rposition(|file| file.state == State::Active)
            .filter(|at| *at >= first);
        if let Some(winner) = winner {
            let by = u32::try_from(winner).ok();
            for file in found
                .files
                .iter_mut()
                .take(winner)
                .skip(first)
                .filter(|file| file.state == State::Active)
            {
                (file.state, file.rule, file.by) = (State::Shadowed, Some(Rule::ConfigFormat), by);
            }
        }
    }
    Ok(found)
}

/// The Aleph home, then the walk from its outermost directory inward; and what is to be told where no home is known.
/// A directory that is the Aleph home is counted once, as the user's.
pub(super) fn layers(environment: &Environment, walk: &Walk) -> (Vec<Directory>, Option<Diagnostic>) {
    let mut layers = Vec::new();
    let mut told = None;
    let home = environment.resolved_aleph_home();
    match &home {
        Some(home) => {
            layers.push(Directory {
                dir: home.clone(),
                source: DiscoverySource::AlephGlobal,
                scope: Scope::User,
            });
        }
        None => {
            told = Some(
                Diagnostic::new(
                    Code::NoHome,
                    Severity::Error,
                    "the home directory is not known, so the user's file was not looked for",
                )
                .with_help("set HOME, or give --home"),
            );
        }
    }
    let real_home = home.and_then(|home| home.canonicalize().ok());
    for dir in walk.dirs.iter().rev() {
        let is_home = real_home.is_some() && dir.canonicalize().ok() == real_home;
        if !is_home {
            layers.push(Directory {
                dir: dir.clone(),
                source: DiscoverySource::Project,
                scope: Scope::Project,
            });
        }
    }
    (layers, told)
}

/// A file that is read to say what is wrong with it. What any other must be is for the program that reads it to say.
#[derive(Clone, Copy)]
enum Reading {
    /// The host's own configuration.
    Config(Format),
    /// MCP servers, in the file that several hosts share.
    Servers,
}

impl Reading {
    fn of(profile: &HostProfile, name: &str) -> Option<Self> {
        if name == native_servers::FILE {
            return Some(Self::Servers);
        }
        let is_own = profile.config.names.contains(&name);
        let format = is_own.then(|| Format::from_file_name(OsStr::new(name))).flatten();
        format.map(Self::Config)
    }

    /// What the file says, as far as its document is of use here, and what is odd about it.
    fn read(self, bytes: &[u8]) -> Result<(Option<Document>, Vec<Problem>), Problem> {
        Ok(match self {
            Self::Config(format) => {
                let document = document::parse(bytes, format)?;
                let odd = document.problems.clone();
                (Some(document), odd)
            }
            Self::Servers => (None, native_servers::read(bytes)?.1),
        })
    }
}

/// What looking at one file came to.
struct Judgement {
    state: State,
    severity: Severity,
    problem: Option<Problem>,
    /// What is odd about a file that counts all the same.
    odd: Vec<Problem>,
    document: Option<Document>,
}

impl Judgement {
    fn refused(state: State, code: Code, message: impl Into<String>, help: &str) -> Self {
        let severity = match state {
            State::Rejected => Severity::Warning,
            _ => Severity::Error,
        };
        let problem = Some(Problem::new(code, None, message).with_help(help));
        Self {
            state,
            severity,
            problem,
            odd: Vec::new(),
            document: None,
        }
    }

    fn unreadable(error: &io::Error) -> Self {
        let help = "make it readable, or run as a user who may read it";
        Self::refused(State::Unreadable, Code::Unreadable, error.to_string(), help)
    }

    /// Reads the file if it is to be understood; for any other name it is enough that it can be opened.
    fn of(path: &Path, is_link: bool, reading: Option<Reading>) -> Self {
        let bytes = match read_regular(path, reading.is_some()) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                let help = "replace it by a regular file, or remove it";
                let message = "not a regular file, so it does not count";
                return Self::refused(State::Rejected, Code::NotRegular, message, help);
            }
            Err(error) if is_link && error.kind() != io::ErrorKind::PermissionDenied => {
                let message = match error.kind() {
                    io::ErrorKind::NotFound => "a symbolic link to something that is not there".to_owned(),
                    _ => format!("a symbolic link that leads nowhere: {error}"),
                };
                let help = "point the link at a regular file, or remove it";
                return Self::refused(State::Rejected, Code::Symlink, message, help);
            }
            Err(error) => return Self::unreadable(&error),
        };
        let (state, problem, odd, document) = match reading.map(|reading| reading.read(&bytes)) {
            None => (State::Active, None, Vec::new(), None),
            Some(Ok((document, odd))) => (State::Active, None, odd, document),
            Some(Err(problem)) => (State::Invalid, Some(problem), Vec::new(), None),
        };
        Self {
            state,
            severity: Severity::Error,
            problem,
            odd,
            document,
        }
    }
}

impl ConfigFiles {
    fn probe(&mut self, layer: &Directory, order: u32, name: &str, reading: Option<Reading>) {
        let path = layer.dir.join(name);
        let looked = fs::symlink_metadata(&path);
        let absent = looked.as_ref().is_err_and(|error| {
            error.kind() == io::ErrorKind::NotFound || platform::is_not_a_directory(error)
        });
        self.probed.push((path.clone(), !absent));
        if absent {
            return;
        }
        let is_link = looked.as_ref().is_ok_and(fs::Metadata::is_symlink);
        let judgement = match &looked {
            Ok(_) => Judgement::of(&path, is_link, reading),
            Err(error) => Judgement::unreadable(error),
        };
        self.complete &= judgement.state != State::Unreadable;
        let own = judgement
            .problem
            .iter()
            .map(|problem| (judgement.severity, problem));
        let odd = judgement
            .odd
            .iter()
            .map(|problem| (native_servers::severity(problem), problem));
        for (severity, problem) in own.chain(odd) {
            self.diagnostics.push(tell(problem, severity).with_path(&path));
        }
        let problem = judgement.problem;
        self.files.push(ConfigFile {
            symlink_target: if is_link { fs::read_link(&path).ok() } else { None },
            path,
            source: layer.source,
            scope: layer.scope,
            order,
            state: judgement.state,
            rule: None,
            by: None,
            code: problem.as_ref().map(|problem| problem.code),
            line: problem.as_ref().and_then(|problem| problem.line),
            column: problem.as_ref().and_then(|problem| problem.column),
            help: problem.as_ref().and_then(|problem| problem.help.clone()),
            message: problem.map(|problem| problem.message),
            document: judgement.document,
        });
    }

    /// The effective configuration: the files that count, lowest precedence first, and above them what the
    /// environment says. What cannot be parsed is told and left out; the rest still merges.
    #[must_use]
    pub fn merge(&self, environment: &Environment) -> (Merged, Vec<Diagnostic>) {
        let mut told = Vec::new();
        let mut layers: Vec<Layer> = self
            .active()
            .filter_map(|file| {
                let (path, document) = (Some(file.path.clone()), file.document.clone()?);
                Some(Layer {
                    path,
                    source: file.source,
                    document,
                })
            })
            .collect();
        if let Some(content) = environment.config_content.as_deref() {
            match document::parse(content.as_encoded_bytes(), Format::Json) {
                Ok(document) => {
                    told.extend(
                        document
                            .problems
                            .iter()
                            .map(|problem| tell(problem, Severity::Warning)),
                    );
                    layers.push(Layer {
                        path: None,
                        source: DiscoverySource::Env,
                        document,
                    });
                }
                Err(problem) => told.push(tell(&problem, Severity::Error)),
            }
            for diagnostic in &mut told {
                diagnostic.message = format!("ALEPH_CONFIG_CONTENT: {}", diagnostic.message).into();
            }
        }
        let merged = merge::merge(&layers);
        for LayerProblem { path, problem } in &merged.problems {
            let severity = match problem.code {
                Code::NullIgnored => Severity::Note,
                _ => Severity::Warning,
            };
            let mut diagnostic = tell(problem, severity);
            match path {
                Some(path) => diagnostic.path = Some(path.to_path_buf()),
                None => diagnostic.message = format!("ALEPH_CONFIG_CONTENT: {}", diagnostic.message).into(),
            }
            told.push(diagnostic);
        }
        (merged, told)
    }
}

pub(super) fn tell(problem: &Problem, severity: Severity) -> Diagnostic {
    problem.clone().into_diagnostic(severity)
}

/// The bytes of a regular file, or none if the path leads to something else. Links are followed: people keep such
/// files elsewhere. A file that is only to be looked at is opened and not read; of one that is too large no more is
/// read than shows it.
pub(super) fn read_regular(path: &Path, wanted: bool) -> io::Result<Option<Vec<u8>>> {
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = platform::open_without_following(&path.canonicalize()?)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    if wanted {
        file.take(document::MAX_BYTES as u64 + 1)
            .read_to_end(&mut bytes)?;
    }
    Ok(Some(bytes))
}
