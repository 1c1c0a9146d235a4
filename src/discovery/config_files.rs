//! Configuration files: one name looked for in the Aleph home and in each directory of the walk.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Environment, Walk, platform, validate_path_component};
use crate::host::HostProfile;
use crate::model::{Code, Diagnostic, DiscoverySource, Rule, Scope, Severity, State};

/// A directory in which configuration files are looked for.
struct Layer {
    dir: PathBuf,
    source: DiscoverySource,
    scope: Scope,
}

/// One file of the name that was asked for, or what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// The chain of configuration files of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
) -> Result<ConfigFiles, super::DiscoveryError> {
    validate_path_component(name)?;
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
    for (order, layer) in layers(environment, walk, &mut found).iter().enumerate() {
        let first = found.files.len();
        for name in &names {
            found.probe(layer, u32::try_from(order).unwrap_or(u32::MAX), OsStr::new(name));
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

/// The Aleph home, then the walk from its outermost directory inward. A directory that is the Aleph home is
/// counted once, as the user's.
fn layers(environment: &Environment, walk: &Walk, found: &mut ConfigFiles) -> Vec<Layer> {
    let mut layers = Vec::new();
    let home = environment.resolved_aleph_home();
    match &home {
        Some(home) => {
            layers.push(Layer {
                dir: home.clone(),
                source: DiscoverySource::AlephGlobal,
                scope: Scope::User,
            });
        }
        None => {
            found.complete = false;
            found.diagnostics.push(
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
            layers.push(Layer {
                dir: dir.clone(),
                source: DiscoverySource::Project,
                scope: Scope::Project,
            });
        }
    }
    layers
}

impl ConfigFiles {
    fn probe(&mut self, layer: &Layer, order: u32, name: &OsStr) {
        let path = layer.dir.join(name);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                let absent = error.kind() == io::ErrorKind::NotFound || platform::is_not_a_directory(&error);
                self.probed.push((path.clone(), !absent));
                if !absent {
                    self.push(layer, order, path, None, Err(error));
                }
                return;
            }
        };
        self.probed.push((path.clone(), true));
        let target = metadata.is_symlink().then(|| fs::read_link(&path).ok()).flatten();
        let is_link = metadata.is_symlink();
        let judged = regular_file(&path).map_err(|error| {
            if is_link && error.kind() == io::ErrorKind::NotFound {
                io::Error::new(
                    io::ErrorKind::NotFound,
                    "a symbolic link to something that is not there",
                )
            } else {
                error
            }
        });
        self.push(layer, order, path, target, judged);
    }

    fn push(
        &mut self,
        layer: &Layer,
        order: u32,
        path: PathBuf,
        symlink_target: Option<PathBuf>,
        judged: io::Result<bool>,
    ) {
        let (state, code, message) = match judged {
            Ok(true) => (State::Active, None, None),
            Ok(false) => {
                let message = "not a regular file, so it does not count".to_owned();
                (State::Rejected, Some(Code::NotRegular), Some(message))
            }
            Err(error) if symlink_target.is_some() && error.kind() != io::ErrorKind::PermissionDenied => {
                (State::Rejected, Some(Code::Symlink), Some(error.to_string()))
            }
            Err(error) => {
                self.complete = false;
                (State::Unreadable, Some(Code::Unreadable), Some(error.to_string()))
            }
        };
        if let (Some(code), Some(message)) = (code, &message) {
            let (severity, help) = match state {
                State::Unreadable => (
                    Severity::Error,
                    "make it readable, or run as a user who may read it",
                ),
                _ => (Severity::Warning, "replace it by a regular file, or remove it"),
            };
            self.diagnostics.push(
                Diagnostic::new(code, severity, message.clone())
                    .with_path(&path)
                    .with_help(help),
            );
        }
        self.files.push(ConfigFile {
            path,
            source: layer.source,
            scope: layer.scope,
            order,
            state,
            rule: None,
            by: None,
            code,
            symlink_target,
            message,
        });
    }
}

/// Whether a path leads to a regular file that may be read. Links are followed: people keep such files elsewhere.
fn regular_file(path: &Path) -> io::Result<bool> {
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let real = path.canonicalize()?;
    Ok(platform::open_without_following(&real)?.metadata()?.is_file())
}
