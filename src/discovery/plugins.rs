//! The signs by which a directory among the plugins is known as a plugin.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::names::in_nfc;
use super::platform;
use super::scanner::Visit;
use crate::model::{Candidate, Code, Form, IdOrigin, State, hex};

/// Files that make a directory a plugin, in the order in which they would give its metadata.
pub(crate) const FILE_SIGNS: &[&str] = &[
    "aleph.plugin.toml",
    "aleph.plugin.json",
    ".claude-plugin/plugin.toml",
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    ".cursorrules",
    ".mcp.json",
];

/// Directories that make a directory a plugin.
pub(crate) const DIRECTORY_SIGNS: &[&str] = &[".cursor/rules", "skills", "commands", "agents", "hooks"];

/// What was found in a directory that may be a plugin.
enum Sign {
    /// This file or directory makes it one.
    Is(&'static str),
    /// Nothing does.
    Not,
}

/// Judges one real directory among the plugins: a plugin, or a monorepo of which exactly one more level is
/// looked at. Whatever stands there is told of, as it is among the plugins.
pub(super) fn visit(visit: &mut Visit<'_>, candidate: Candidate, path: &Path) {
    let sign = match sign(path) {
        Ok(sign) => sign,
        Err(error) => return visit.unreadable(candidate, path, &error),
    };
    if let Sign::Is(sign) = sign {
        return plugin(visit, candidate, sign);
    }
    let children = match children(path) {
        Ok(children) => children,
        Err(error) => return visit.unreadable(candidate, path, &error),
    };
    let mut below = Vec::new();
    for (name, file_type) in children {
        let below_path = path.join(&name);
        let is_hidden = name.as_encoded_bytes().first() == Some(&b'.');
        let sign = match &file_type {
            Ok(file_type) if file_type.is_dir() && !is_hidden => Some(self::sign(&below_path)),
            _ => None,
        };
        below.push((name, below_path, file_type, sign));
    }
    // What cannot be looked at may be a plugin.
    let is_monorepo = |sign: &Option<io::Result<Sign>>| matches!(sign, Some(Ok(Sign::Is(_)) | Err(_)));
    if !below.iter().any(|(.., sign)| is_monorepo(sign)) {
        return ignore(visit, candidate, Code::NoManifest);
    }
    for (name, path, file_type, sign) in below {
        let is_dir = file_type
            .as_ref()
            .is_ok_and(|kind| kind.is_dir() || kind.is_symlink());
        let mut child = if is_dir {
            visit.blank(&name, Form::Directory, IdOrigin::PathName)
        } else {
            // The whole name of the file, without that of the directory that it is in.
            let own = in_nfc(&name.to_string_lossy()).into_owned();
            visit.blank(&name, Form::File, IdOrigin::Derived(own.into()))
        };
        let nested = Path::new(&*candidate.entry_name).join(&name);
        child.entry_name = nested.into_os_string().into_boxed_os_str();
        match (file_type, sign) {
            (Err(error), _) | (_, Some(Err(error))) => visit.unreadable(child, &path, &error),
            (_, Some(Ok(Sign::Is(sign)))) => plugin(visit, child, sign),
            (_, Some(Ok(Sign::Not))) => ignore(visit, child, Code::NoManifest),
            (Ok(_), None) if name.as_encoded_bytes().first() == Some(&b'.') => {
                ignore(visit, child, Code::Hidden);
            }
            (Ok(kind), None) if kind.is_symlink() => visit.linked_entry(child, &path),
            (Ok(kind), None) if kind.is_file() => ignore(visit, child, Code::WrongKind),
            (Ok(_), None) => visit.reject_special(child, &path),
        }
    }
}

fn plugin(visit: &mut Visit<'_>, mut candidate: Candidate, sign: &'static str) {
    if FILE_SIGNS.contains(&sign) {
        candidate.has_marker = true;
        candidate.detail_mut().marker_name = Some(OsStr::new(sign).into());
    }
    candidate.set_id(IdOrigin::Derived(plugin_id(&candidate.path_name()).into()));
    visit.found.candidates.push(candidate);
}

fn ignore(visit: &mut Visit<'_>, mut candidate: Candidate, code: Code) {
    candidate.state = State::Ignored;
    candidate.code = Some(code);
    visit.found.candidates.push(candidate);
}

/// The first sign of a plugin that a directory has. Only real files and directories count: a linked one could
/// make any directory a plugin.
fn sign(path: &Path) -> io::Result<Sign> {
    for sign in FILE_SIGNS {
        if has(path, sign, fs::FileType::is_file)? {
            return Ok(Sign::Is(sign));
        }
    }
    for sign in DIRECTORY_SIGNS {
        if has(path, sign, fs::FileType::is_dir)? {
            return Ok(Sign::Is(sign));
        }
    }
    Ok(Sign::Not)
}

/// Whether a directory has this sign: of the wanted type, with no link on the way.
pub(crate) fn has(path: &Path, sign: &str, is_wanted: impl Fn(&fs::FileType) -> bool) -> io::Result<bool> {
    let below = path.join(sign);
    if let Some(parent) = below.parent().filter(|parent| *parent != path)
        && !file_type(parent)?.is_some_and(|file_type| file_type.is_dir())
    {
        return Ok(false);
    }
    Ok(file_type(&below)?.is_some_and(|file_type| is_wanted(&file_type)))
}

fn file_type(path: &Path) -> io::Result<Option<fs::FileType>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound || platform::is_not_a_directory(&error) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What is in a directory, by name, and what each is.
fn children(path: &Path) -> io::Result<Vec<(OsString, io::Result<fs::FileType>)>> {
    let mut children = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        children.push((entry.file_name(), entry.file_type()));
    }
    children.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(children)
}

/// The most bytes of a plugin's id.
const MAX_PLUGIN_ID: usize = 64;

/// The id that a directory's name gives a plugin: lowercase, everything outside `[a-z0-9-]` to `-`, runs
/// collapsed, cut at 64 bytes, ends trimmed; `plugin-` and 8 hex digits of the name's SHA-256 if nothing is left.
pub(crate) fn plugin_id(name: &str) -> String {
    let mut id = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        let character = if character.is_ascii_lowercase() || character.is_ascii_digit() {
            character
        } else {
            '-'
        };
        if character != '-' || !id.ends_with('-') {
            id.push(character);
        }
    }
    id.truncate(MAX_PLUGIN_ID);
    let trimmed = id.trim_matches('-');
    if trimmed.is_empty() {
        let mut digits = hex(&Sha256::digest(name.as_bytes()));
        digits.truncate(8);
        return format!("plugin-{digits}");
    }
    trimmed.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_of_small_letters_digits_and_single_hyphens() {
        for (name, id) in [
            ("My Plugin", "my-plugin"),
            ("my_plugin", "my-plugin"),
            ("--a  b--", "a-b"),
            ("123-x", "123-x"),
            ("Ünï", "n"),
            ("日本", "plugin-38e09b43"),
        ] {
            if id.starts_with("plugin-") {
                assert_eq!(plugin_id(name).len(), "plugin-".len() + 8);
            } else {
                assert_eq!(plugin_id(name), id);
            }
        }
        assert_eq!(plugin_id(&"a".repeat(100)), "a".repeat(64));
    }
}
