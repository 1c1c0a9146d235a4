//! File name patterns: `*` and `?` within a name, `**` across directories, `{a,b}`.

use std::path::{Path, PathBuf};

/// How many directories at most are looked into for all patterns of one question.
const MAX_DIRS: usize = 5_000;

/// Whether a path, with `/` between its parts, is one that the pattern means.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    alternatives(pattern).iter().any(|pattern| {
        let pattern: Vec<&str> = pattern.split('/').collect();
        let path: Vec<&str> = path.split('/').collect();
        parts_match(&pattern, &path)
    })
}

/// The patterns that `{a,b}` stands for; only the first pair of braces and not more than a few.
fn alternatives(pattern: &str) -> Vec<String> {
    let braces = pattern.split_once('{').and_then(|(before, rest)| {
        let (inner, after) = rest.split_once('}')?;
        Some((before, inner, after))
    });
    match braces {
        None => vec![pattern.to_owned()],
        Some((before, inner, after)) => inner
            .split(',')
            .take(64)
            .map(|one| format!("{before}{one}{after}"))
            .collect(),
    }
}

fn parts_match(pattern: &[&str], path: &[&str]) -> bool {
    // One row for each part of the pattern: which beginnings of the path it can stand for.
    let mut reach = vec![false; path.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        let mut open = false;
        for (at, is_reached) in reach.iter().enumerate() {
            if *part == "**" {
                open |= *is_reached;
                if let Some(slot) = next.get_mut(at) {
                    *slot |= open;
                }
            } else if *is_reached
                && let Some(name) = path.get(at)
                && name_matches(part, name)
                && let Some(slot) = next.get_mut(at + 1)
            {
                *slot = true;
            }
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

/// Whether one name is one that a pattern without `/` means.
fn name_matches(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut reach = vec![false; name.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for sign in pattern.chars() {
        let mut next = vec![false; name.len() + 1];
        let mut open = false;
        for (at, is_reached) in reach.iter().enumerate() {
            if sign == '*' {
                open |= *is_reached;
                if let Some(slot) = next.get_mut(at) {
                    *slot = open;
                }
            } else if *is_reached
                && let Some(character) = name.get(at)
                && (sign == '?' || sign == *character)
                && let Some(slot) = next.get_mut(at + 1)
            {
                *slot = true;
            }
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

/// What was looked into for the patterns of one question: many of them together cost no more than a few.
#[derive(Default)]
pub(super) struct Looked {
    dirs: usize,
    /// Whether there was more than is looked into, so that files may be missing.
    pub(super) is_cut: bool,
}

impl Looked {
    /// The regular files that a pattern means, by path: an absolute one anywhere, another below `base`.
    pub(super) fn from(&mut self, base: &Path, pattern: &str) -> Vec<PathBuf> {
        if Path::new(pattern).is_absolute() {
            self.files(Path::new("/"), pattern.trim_start_matches('/'))
        } else {
            self.files(base, pattern)
        }
    }

    /// The regular files below `base` that a pattern means, by path.
    pub(super) fn files(&mut self, base: &Path, pattern: &str) -> Vec<PathBuf> {
        let has_sign = |part: &&str| part.contains(['*', '?', '{']);
        let parts: Vec<&str> = pattern.split('/').filter(|part| *part != ".").collect();
        let fixed: Vec<&str> = parts.iter().copied().take_while(|part| !has_sign(part)).collect();
        let rest: Vec<&str> = parts.iter().copied().skip(fixed.len()).collect();
        let mut start = base.to_path_buf();
        start.extend(&fixed);
        if rest.is_empty() {
            return start.is_file().then_some(start).into_iter().collect();
        }
        let depth = if rest.contains(&"**") { 16 } else { rest.len() - 1 };
        let rest = rest.join("/");
        let mut found = Vec::new();
        let mut todo = vec![(start.clone(), 0)];
        while let Some((dir, level)) = todo.pop() {
            if self.dirs == MAX_DIRS {
                self.is_cut = true;
                break;
            }
            self.dirs += 1;
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_dir = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
                let name = entry.file_name();
                if is_dir && level < depth && name != "node_modules" && name != ".git" {
                    todo.push((path, level + 1));
                } else if path.is_file()
                    && let Ok(below) = path.strip_prefix(&start)
                    && matches(&rest, &below.to_string_lossy())
                {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_people_expect() {
        for (pattern, path, is) in [
            ("docs/*.md", "docs/one.md", true),
            ("docs/*.md", "docs/deep/one.md", false),
            ("**/docs/CLAUDE.md", "/a/b/docs/CLAUDE.md", true),
            ("**", "a/b", true),
            ("/p/.claude/rules/**", "/p/.claude/rules/a.md", true),
            ("/p/.claude/rules/**", "/p/.claude/other/a.md", false),
            ("*.{md,txt}", "a.txt", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
        ] {
            assert_eq!(matches(pattern, path), is, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_looked_into_has_an_end_and_that_is_said() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("a/b/one.md"), "x").unwrap();
        let mut looked = Looked {
            dirs: MAX_DIRS - 3,
            is_cut: false,
        };
        assert_eq!(
            looked.files(dir.path(), "**/*.md"),
            [dir.path().join("a/b/one.md")]
        );
        assert!(!looked.is_cut);
        assert!(looked.files(dir.path(), "**/*.md").is_empty());
        assert!(looked.is_cut);
        // A name without signs costs nothing.
        assert_eq!(looked.files(dir.path(), "a/b/one.md").len(), 1);
    }
}
