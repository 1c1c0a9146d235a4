//! What `why` is asked: a name, or a path with what is known of the links on the way to it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// What `why` was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// What became of everything of this name.
    Name(String),
    /// What became of this file or directory.
    Path {
        /// As it was given.
        given: String,
        /// Absolute.
        path: PathBuf,
        /// The symbolic links among the directories on the way to it, outermost first, each with the path that goes
        /// through it, absolute.
        through: Vec<(PathBuf, PathBuf)>,
    },
}

impl Question {
    /// Reads a question: what has a separator, or names an existing file in `base`, is a path; anything else is
    /// a name.
    #[must_use]
    pub fn read(given: &OsStr, base: &Path) -> Self {
        let path = base.join(given);
        let text = given.to_string_lossy();
        let has_separator = text.chars().any(std::path::is_separator);
        let is_file =
            || !text.is_empty() && std::fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_dir());
        if has_separator || is_file() {
            Self::Path {
                given: text.into_owned(),
                path: settle(&path),
                through: links_on_the_way(&path),
            }
        } else {
            Self::Name(text.into_owned())
        }
    }

    /// The question as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Path { given: text, .. } => text,
        }
    }
}

/// Absolute, with the directory part real and the last part as it is: what is asked about may be a link itself. Where
/// the directory is not there or closed to us, as much of it is real as can be known, and `..` takes back the part
/// before it.
fn settle(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain = plain.canonicalize().unwrap_or(plain);
                plain.pop();
            }
            Component::CurDir => {}
            _ => plain.push(component),
        }
    }
    let real = plain.ancestors().skip(1).find_map(|dir| {
        let rest = plain.strip_prefix(dir).ok()?;
        Some(dir.canonicalize().ok()?.join(rest))
    });
    real.unwrap_or(plain)
}

/// The directories on the way to a path that are symbolic links, outermost first, each settled itself and with what
/// the path is through it.
fn links_on_the_way(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    let is_link = |dir: &&Path| std::fs::symlink_metadata(dir).is_ok_and(|metadata| metadata.is_symlink());
    let through = |dir: &Path| {
        let link = settle(dir);
        let rest = path.strip_prefix(dir).ok()?;
        let whole = link.join(rest);
        Some((link, whole))
    };
    let links = path.ancestors().skip(1).filter(is_link).filter_map(through);
    let mut links: Vec<(PathBuf, PathBuf)> = links.collect();
    links.reverse();
    links
}
