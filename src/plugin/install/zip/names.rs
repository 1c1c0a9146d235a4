//! Names of entries: which are safe, and which would be one file on some file system.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use super::Refusal;
use crate::plugin::tree::MAX_DEPTH;

/// Longest part of a name that file systems take, in bytes.
const MAX_PART: usize = 255;

/// The name of an entry as text, if it may be unpacked.
pub(super) fn checked(raw: &[u8]) -> Result<String, Refusal> {
    let refuse = |why: &str| Err(Refusal::entry(raw, why));
    let Ok(name) = std::str::from_utf8(raw) else {
        return refuse("has a name that is not UTF-8");
    };
    if name.is_empty() {
        return refuse("has no name");
    }
    if name.starts_with('/') {
        return refuse("has an absolute path");
    }
    if name.contains('\\') {
        return refuse("has a backslash in its path");
    }
    let mut chars = name.chars();
    if chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':') {
        return refuse("has a drive letter");
    }
    if name.chars().any(char::is_control) {
        return refuse("has a control character in its path");
    }
    let parts = name.strip_suffix('/').unwrap_or(name).split('/');
    if parts.clone().count() > MAX_DEPTH {
        return Err(Refusal::entry(
            raw,
            format!("is nested more than {MAX_DEPTH} levels deep"),
        ));
    }
    for part in parts {
        match part {
            ".." => return refuse("goes up with `..`"),
            "" | "." => return refuse("has an empty part or `.` in its path"),
            _ if part.len() > MAX_PART => return refuse("has a part longer than 255 bytes"),
            _ => {}
        }
    }
    Ok(name.to_owned())
}

/// What stands under a name so far.
struct Known {
    spelling: String,
    is_dir: bool,
    /// Whether an entry of its own says so, not only a path through it.
    is_entry: bool,
}

/// The names of an archive, as a file system sees them that knows neither case nor composition.
#[derive(Default)]
pub(super) struct Names {
    known: HashMap<String, Known>,
}

/// What names are equal by: composed, lower case, composed again.
fn folded(text: &str) -> String {
    let lower: String = text.nfc().flat_map(char::to_lowercase).collect();
    // Upper case first, so that letters with two lower forms meet (final sigma, sharp s).
    let upper: String = lower.chars().flat_map(char::to_uppercase).collect();
    upper.chars().flat_map(char::to_lowercase).nfc().collect()
}

impl Names {
    /// Adds an entry's name.
    pub(super) fn add(&mut self, name: &str, is_dir: bool) -> Result<(), Refusal> {
        let plain = name.strip_suffix('/').unwrap_or(name);
        let ends: Vec<usize> = plain
            .match_indices('/')
            .map(|(at, _)| at)
            .chain([plain.len()])
            .collect();
        for end in ends {
            let path = plain.get(..end).unwrap_or(plain);
            let is_last = end == plain.len();
            let is_dir = is_dir || !is_last;
            let refuse = |why: String| Err(Refusal::entry(name.as_bytes(), why));
            let Some(known) = self.known.get_mut(&folded(path)) else {
                self.known.insert(
                    folded(path),
                    Known {
                        spelling: path.to_owned(),
                        is_dir,
                        is_entry: is_last,
                    },
                );
                continue;
            };
            if known.spelling != path {
                let other = known.spelling.escape_debug();
                return refuse(format!("differs from `{other}` only in case or composition"));
            }
            if known.is_dir != is_dir {
                return refuse("is a file and a directory in one".to_owned());
            }
            if is_last {
                if known.is_entry {
                    return refuse("is there twice".to_owned());
                }
                known.is_entry = true;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_names_are_refused() {
        for name in [
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a\\b",
            "C:x",
            "c:/x",
            "a//b",
            "./a",
            "a/./b",
            "",
            "/",
            "a\nb",
            "a\0b",
        ] {
            assert!(checked(name.as_bytes()).is_err(), "{name:?}");
        }
        assert!(checked(b"caf\xe9").is_err());
        assert!(checked("x/".repeat(33).as_bytes()).is_err());
        for name in ["a", "a/b", "a/", "..a", "a..b", ".hidden/x", "é", "1:x"] {
            assert!(checked(name.as_bytes()).is_ok(), "{name:?}");
        }
    }

    #[test]
    fn names_that_would_be_one_file_are_refused() {
        let add = |names: &[&str]| {
            let mut known = Names::default();
            names
                .iter()
                .all(|name| known.add(name, name.ends_with('/')).is_ok())
        };
        for names in [
            ["a", "a"],
            ["a", "A"],
            ["a/", "a/"],
            ["a/x", "A/y"],
            ["a", "a/x"],
            ["a/x", "a"],
            ["caf\u{e9}", "cafe\u{301}"],
            ["ΑΣ", "ας"],
            ["stra\u{df}e", "STRASSE"],
        ] {
            assert!(!add(&names), "{names:?}");
        }
        assert!(add(&["a/", "a/x", "a/y", "b/z", "b/"]));
    }
}
