//! What may be called at all: `[gateway]` of `aleph.toml`.
//!
//! Names are qualified: `server__tool` for tools, `server:uri` and `server:prompt` for resources and prompts. `*` stands
//! for any characters, `deny` wins over `allow`, and an empty `allow` closes everything. Only the Aleph home allows; a
//! project adds to what is denied. What is not understood closes: the caller does not serve with a problem.

use crate::model::Code;
use crate::parse::document::{Format, Located, Value, parse};
use crate::parse::{Position, Problem};

/// The table, and its keys.
const TABLE: &str = "gateway";
const KEYS: [&str; 2] = ["allow", "deny"];

/// A name in which `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern(String);

impl Pattern {
    /// Whether a name fits. Linear: each part is looked for once, from the end of the one before.
    fn fits(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else {
            return self.0 == name;
        };
        let Some(mut name) = name.strip_prefix(first) else {
            return false;
        };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        for part in middle.split('*').filter(|part| !part.is_empty()) {
            let Some((_, after)) = name.split_once(part) else {
                return false;
            };
            name = after;
        }
        name.ends_with(last)
    }
}

/// What the operator allows and denies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// None: everything that is not denied.
    allow: Option<Vec<Pattern>>,
    deny: Vec<Pattern>,
}

impl Policy {
    /// A policy from patterns; without `allow` everything is allowed that is not denied.
    #[must_use]
    pub fn new(allow: Option<&[&str]>, deny: &[&str]) -> Self {
        let patterns = |names: &[&str]| names.iter().map(|name| Pattern((*name).to_owned())).collect();
        Self {
            allow: allow.map(patterns),
            deny: patterns(deny),
        }
    }

    /// Whether something of this qualified name may be seen and called.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        let is_allowed = match &self.allow {
            None => true,
            Some(patterns) => patterns.iter().any(|pattern| pattern.fits(name)),
        };
        is_allowed && !self.deny.iter().any(|pattern| pattern.fits(name))
    }

    /// Adds what the Aleph home's `aleph.toml` says. With a problem nothing may be served.
    #[must_use]
    pub fn add_home(&mut self, text: &[u8]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (key, patterns) in read(text, Format::Toml, &mut problems) {
            match key {
                Key::Allow(_) => self.allow = Some(patterns),
                Key::Deny => self.deny.extend(patterns),
            }
        }
        problems
    }

    /// Adds what a project's configuration denies. The first list has problems with which nothing may be served, the
    /// second what does not count.
    #[must_use]
    pub fn add_project(&mut self, text: &[u8], format: Format) -> (Vec<Problem>, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut ignored = Vec::new();
        for (key, patterns) in read(text, format, &mut problems) {
            match key {
                Key::Allow(at) => ignored.push(
                    Problem::new(
                        Code::UnknownKey,
                        Some(at),
                        "a project cannot allow anything, so its `allow` does not count",
                    )
                    .with_help("move it to `[gateway]` of the Aleph home's aleph.toml"),
                ),
                Key::Deny => self.deny.extend(patterns),
            }
        }
        (problems, ignored)
    }
}

enum Key {
    Allow(Position),
    Deny,
}

fn read(text: &[u8], format: Format, problems: &mut Vec<Problem>) -> Vec<(Key, Vec<Pattern>)> {
    let document = match parse(text, format) {
        Ok(document) => document,
        Err(problem) => {
            problems.push(problem);
            return Vec::new();
        }
    };
    let Some(table) = document.root.value.get(TABLE) else {
        return Vec::new();
    };
    if !matches!(table.value, Value::Table(_)) {
        problems.push(wrong(table, "`gateway`", "a table"));
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in table.value.entries() {
        let key = match entry.key.as_str() {
            "allow" => Key::Allow(entry.key_position),
            "deny" => Key::Deny,
            _ => {
                problems.push(Problem::unknown_key(entry, &format!("in `[{TABLE}]`"), &KEYS));
                continue;
            }
        };
        let Value::List(elements) = &entry.value.value else {
            problems.push(wrong(
                &entry.value,
                &format!("`{}`", entry.key),
                "a list of names",
            ));
            continue;
        };
        let mut patterns = Vec::new();
        for element in elements {
            match &element.value {
                Value::String(name) if !name.trim().is_empty() => patterns.push(Pattern(name.clone())),
                _ => problems.push(wrong(
                    element,
                    &format!("an element of `{}`", entry.key),
                    "a name",
                )),
            }
        }
        found.push((key, patterns));
    }
    found
}

fn wrong(value: &Located, what: &str, expected: &str) -> Problem {
    let message = format!("{what} is {}, not {expected}", value.value.type_name());
    Problem::new(Code::WrongType, Some(value.position), message).with_help(format!("write {expected}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn home(text: &str) -> Result<Policy, Vec<Problem>> {
        let mut policy = Policy::default();
        let problems = policy.add_home(text.as_bytes());
        if problems.is_empty() {
            Ok(policy)
        } else {
            Err(problems)
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, fits) in [
            ("a__b", "a__b", true),
            ("a__b", "a__bc", false),
            ("a__*", "a__b", true),
            ("a__*", "a__", true),
            ("a__*", "b__a__b", false),
            ("*", "", true),
            ("*delete*", "git__delete_branch", true),
            ("*delete", "git__delete_branch", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "a__c__b__c", true),
            ("a*b*c", "a__c__b", false),
            ("ab*ba", "aba", false),
            ("a**b", "ab", true),
        ] {
            assert_eq!(Pattern(pattern.to_owned()).fits(name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn deny_wins_and_an_empty_allow_closes_all() {
        let open = Policy::default();
        assert!(open.allows("a__b"));
        let some = home("[gateway]\nallow = [\"a__*\"]\ndeny = [\"*__delete\"]\n").unwrap();
        assert!(some.allows("a__b"));
        assert!(!some.allows("b__b"));
        assert!(!some.allows("a__delete"));
        let none = home("[gateway]\nallow = []\n").unwrap();
        assert!(!none.allows("a__b"));
    }

    #[test]
    fn what_is_not_understood_is_told_where_it_stands() {
        for (text, line, column) in [
            ("[gateway]\nalow = []\n", 2, 1),
            ("[gateway]\nallow = \"a\"\n", 2, 9),
            ("[gateway]\ndeny = [\"a\", 1]\n", 2, 14),
            ("[gateway]\ndeny = [\"\"]\n", 2, 9),
            ("gateway = true\n", 1, 11),
            ("[gateway\n", 1, 9),
        ] {
            let problems = home(text).unwrap_err();
            let at = problems.first().map(|problem| (problem.line, problem.column));
            assert_eq!(at, Some((Some(line), Some(column))), "{text}");
        }
    }

    #[test]
    fn a_project_only_denies() {
        let mut policy = home("[gateway]\nallow = [\"a__*\"]\n").unwrap();
        let (problems, ignored) =
            policy.add_project(b"[gateway]\nallow = [\"*\"]\ndeny = [\"a__x\"]\n", Format::Toml);
        assert!(problems.is_empty());
        assert_eq!(ignored.len(), 1);
        assert!(policy.allows("a__b"));
        assert!(!policy.allows("a__x"));
        assert!(!policy.allows("b__b"));
        let (problems, _) = policy.add_project(b"[gateway]\ndenny = []\n", Format::Toml);
        assert_eq!(problems.len(), 1);
    }

    proptest! {
        /// The same as a search by trying everything.
        #[test]
        fn fits_is_what_it_says(pattern in "[ab*]{0,6}", name in "[ab]{0,8}") {
            fn slow(pattern: &[u8], name: &[u8]) -> bool {
                match pattern.split_first() {
                    None => name.is_empty(),
                    Some((b'*', rest)) => (0..=name.len()).any(|at| slow(rest, &name[at..])),
                    Some((one, rest)) => name.split_first().is_some_and(|(first, after)| first == one && slow(rest, after)),
                }
            }
            prop_assert_eq!(Pattern(pattern.clone()).fits(&name), slow(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
