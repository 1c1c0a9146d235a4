//! Finding and reading files of a plugin without ever leaving it.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::expand;
use crate::discovery::{platform, real_or_given};
use crate::model::{Code, Diagnostic, Severity};
use crate::parse::document::MAX_BYTES;
use crate::parse::manifest::DeclaredPath;

/// A plugin's directory, as its files are looked for.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// As it is spelled.
    pub(super) root: PathBuf,
    /// With links resolved.
    pub(super) real: PathBuf,
}

/// Something that is there and lies in the plugin.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// As it is spelled: below the plugin's own path.
    pub(super) path: PathBuf,
    /// With links resolved; below the plugin's real path.
    pub(super) real: PathBuf,
    pub(super) is_dir: bool,
    pub(super) is_file: bool,
}

/// Why a path is not followed.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It leads out of the plugin, in these words.
    Escapes(&'static str),
    /// Nothing is there.
    Missing,
    /// The operating system refused.
    Unreadable(io::Error),
}

impl Inside {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            real: real_or_given(root),
        }
    }

    /// Follows a path as a manifest writes it: relative to the plugin, with `/`; a variable for the plugin's
    /// directory may stand in front.
    pub(super) fn locate(&self, text: &str) -> Result<Place, Refusal> {
        let path = self.root.join(relative(text)?);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(Refusal::Unreadable(error));
            }
            Err(_) => return Err(Refusal::Missing),
        };
        if !real.starts_with(&self.real) {
            return Err(Refusal::Escapes("a symbolic link leads out of it"));
        }
        let metadata = fs::symlink_metadata(&real).map_err(Refusal::Unreadable)?;
        Ok(Place {
            path,
            real,
            is_dir: metadata.is_dir(),
            is_file: metadata.is_file(),
        })
    }
}

/// A path as a manifest writes it, below the plugin's directory, as far as that can be told without looking there.
pub(super) fn relative(text: &str) -> Result<PathBuf, Refusal> {
    let text = expand::without_root(text);
    if text.contains('\0') {
        return Err(Refusal::Missing);
    }
    let drive = text.as_bytes().get(1) == Some(&b':');
    if text.starts_with(['/', '\\', '~']) || drive {
        return Err(Refusal::Escapes("it is absolute"));
    }
    let mut path = PathBuf::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            _ => return Err(Refusal::Escapes("it goes up with `..`")),
        }
    }
    if text.contains('\\') && text.split('\\').any(|part| part == "..") {
        return Err(Refusal::Escapes("it goes up with `..`"));
    }
    Ok(path)
}

/// Reads a regular file, at most one byte more than parsers take.
pub(crate) fn read(real: &Path) -> io::Result<Vec<u8>> {
    let file = platform::open_without_following(real)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The code of a file that could not be read: that the operating system refused it, or `odd` for what is no file.
pub(super) fn refusal(error: &io::Error, odd: Code) -> Code {
    match error.kind() {
        io::ErrorKind::InvalidInput => odd,
        _ => Code::Unreadable,
    }
}

/// What to tell of a path of a manifest that is not followed.
pub(super) fn refused(path: &DeclaredPath, manifest: &Path, refusal: &Refusal) -> Diagnostic {
    let (key, text) = (path.key, &path.text);
    let (code, severity, message, help) = match refusal {
        Refusal::Escapes(why) => (
            Code::PathEscapesPlugin,
            Severity::Error,
            format!("`{key}` names `{text}`, which leaves the plugin: {why}; it is not read"),
            "name a path inside the plugin that begins with `./`".to_owned(),
        ),
        Refusal::Missing => (
            Code::PathMissing,
            Severity::Warning,
            format!("`{key}` names `{text}`, and nothing is there"),
            format!("make it, or remove it from `{key}`"),
        ),
        Refusal::Unreadable(error) => (
            Code::Unreadable,
            Severity::Error,
            format!("`{key}` names `{text}`, which cannot be read: {error}"),
            "make it readable, or run as a user who may read it".to_owned(),
        ),
    };
    Diagnostic::new(code, severity, message)
        .with_path(manifest)
        .with_position(Some(path.at.line), Some(path.at.column))
        .with_help(help)
}
