//! What may be called at all: `[gateway]` of `aleph.toml`.
//!
//! Names are qualified: `server__tool` for tools, `server:uri` and `server:prompt` for resources and prompts. `*` stands
//! for any characters, `deny` wins over `allow`, and an empty `allow` closes everything. Only the Aleph home allows; a
//! project adds to what is denied. What is not understood closes: the caller does not serve with a problem.

use super::uris::{pattern_of_template, resolved, spellings};
use crate::mcp::qualified::qualify;
use crate::model::{Code, nearest};
use crate::parse::document::{Document, Format, Located, Value, parse};
use crate::parse::{Position, Problem};
use crate::tools::{Tool, qualified_name, uncut_name};

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

    /// Whether it is meant for a resource of a server, in one of the ways of writing its uri. Case does not count: to
    /// many servers `Key` and `key` are one file.
    fn fits_resource(&self, server: &str, spellings: &[String]) -> bool {
        let own = |prefix: &str| {
            self.0
                .strip_prefix(prefix)
                .and_then(|rest| rest.strip_prefix(':'))
        };
        // The operator's way of writing a uri need not be the usual one either.
        let of = |prefix: &str| {
            let [whole, _] = resolved(own(prefix)?);
            Some(qualify(prefix, &whole))
        };
        let patterns = [Some(self.0.clone()), of(server), of("*")].into_iter().flatten();
        let patterns: Vec<Self> = patterns.map(|pattern| Self(pattern.to_lowercase())).collect();
        spellings.iter().any(|spelling| {
            let name = qualify(server, spelling).to_lowercase();
            patterns.iter().any(|pattern| pattern.fits(&name))
        })
    }
}

/// The resources that a denied template stands for.
#[derive(Clone, Debug)]
pub(super) struct DeniedTemplate(Pattern);

impl DeniedTemplate {
    /// Whether a resource of the server is one of them.
    pub(super) fn covers(&self, server: &str, uri: &str) -> bool {
        self.0.fits_resource(server, &spellings(uri))
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

    /// Whether a tool may be seen and called. What is denied is denied under its qualified name, and also under the name
    /// that it would have if it were not cut to 64 characters and if its odd characters were left: a server must not
    /// escape by giving its tool a long name.
    #[must_use]
    pub fn allows_tool(&self, tool: &Tool) -> bool {
        let raw = format!("{}__{}", tool.server, tool.tool);
        let uncut = uncut_name(&tool.server, &tool.tool);
        let is_denied = |name: &str| self.deny.iter().any(|pattern| pattern.fits(name));
        self.allows(&tool.name) && !is_denied(&raw) && !is_denied(&uncut)
    }

    /// Whether a tool of this qualified name could be one of a server that may be called, before it is known how the server
    /// itself writes it. What is denied by the server's own name is denied, however that is written in the name of the tool.
    #[must_use]
    pub(super) fn allows_tool_named(&self, name: &str, server: &str) -> bool {
        let own = name.strip_prefix(&*qualified_name(server, ""));
        let raw = own.map(|own| format!("{server}__{own}"));
        let is_denied = |name: &String| self.deny.iter().any(|pattern| pattern.fits(name));
        self.allows(name) && !raw.as_ref().is_some_and(is_denied)
    }

    /// Whether a resource, or a template of resources, may be seen and read, under the server's own uri. It has to be
    /// allowed as it is written and as it is resolved; it is denied if any way of writing it is.
    #[must_use]
    pub fn allows_resource(&self, server: &str, uri: &str) -> bool {
        let is_allowed = self.allow.as_ref().is_none_or(|patterns| {
            let written = qualify(server, uri);
            let fits = |uri: String| {
                let uri = std::slice::from_ref(&uri);
                patterns.iter().any(|pattern| pattern.fits_resource(server, uri))
            };
            patterns.iter().any(|pattern| pattern.fits(&written)) && resolved(uri).into_iter().all(fits)
        });
        is_allowed && !self.denies_resource(server, uri)
    }

    fn denies_resource(&self, server: &str, uri: &str) -> bool {
        let spellings = spellings(uri);
        let mut patterns = self.deny.iter();
        patterns.any(|pattern| pattern.fits_resource(server, &spellings))
    }

    /// What a template stands for, if it is denied by name: then that is denied too.
    pub(super) fn denied_template(&self, server: &str, template: &str) -> Option<DeniedTemplate> {
        let pattern = || qualify(server, &pattern_of_template(template));
        self.denies_resource(server, template)
            .then(|| DeniedTemplate(Pattern(pattern())))
    }

    /// Adds what the Aleph home's `aleph.toml` says. With a problem nothing may be served.
    #[must_use]
    pub fn add_home(&mut self, text: &[u8]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let document = match parse(text, Format::Toml) {
            Ok(document) => document,
            Err(problem) => return vec![problem],
        };
        for (key, patterns) in read(&document, &mut problems) {
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
    pub fn add_project(&mut self, document: &Document) -> (Vec<Problem>, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut ignored = Vec::new();
        for (key, patterns) in read(document, &mut problems) {
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

/// Where a configuration that does not count speaks of what may be called, if it does: nobody would follow it.
#[must_use]
pub fn policy_in(document: &Document) -> Option<Position> {
    let mut entries = document.root.value.entries().iter();
    entries
        .find(|entry| entry.key == TABLE)
        .map(|entry| entry.key_position)
}

enum Key {
    Allow(Position),
    Deny,
}

fn read(document: &Document, problems: &mut Vec<Problem>) -> Vec<(Key, Vec<Pattern>)> {
    // A table of a name that is nearly ours would close nothing.
    for entry in document.root.value.entries() {
        let is_as_long = entry.key.len().abs_diff(TABLE.len()) <= 1;
        if entry.key != TABLE && is_as_long && !nearest(&entry.key, [TABLE]).is_empty() {
            problems.push(Problem::unknown_key(
                entry,
                "that says what may be called",
                &[TABLE],
            ));
        }
    }
    let Some(table) = document.root.value.get(TABLE) else {
        return Vec::new();
    };
    if !matches!(table.value, Value::Table(_)) {
        problems.push(wrong(table, "`gateway`", "a table"));
        return Vec::new();
    }
    // In JSON the last of two counts, and nobody can tell which was meant.
    let twice = document.problems.iter();
    problems.extend(
        twice
            .filter(|problem| problem.code == Code::DuplicateKey)
            .cloned(),
    );
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
                Value::String(name) if !name.trim().is_empty() && name.trim() != name => {
                    let message = format!(
                        "`{name}` in `{}` has blanks around it, so it would fit nothing",
                        entry.key
                    );
                    let help = format!("write \"{}\"", name.trim());
                    let problem = Problem::new(Code::WrongType, Some(element.position), message);
                    problems.push(problem.with_help(help));
                }
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
    use serde_json::json;

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

    fn toml(text: &str) -> Document {
        parse(text.as_bytes(), Format::Toml).unwrap()
    }

    #[test]
    fn a_resource_is_denied_however_it_is_written() {
        let policy = Policy::new(None, &["a:file:///secret/*", "*:file://localhost/Hidden"]);
        for uri in [
            "file:///secret/key",
            "FILE:///secret/key",
            "file:///%73ecret/key",
            "file:///pub/../secret/key",
            "file:///secret%2Fkey",
            "file:/secret/key",
            " file:///secret/key",
            "file:///hidden",
            "file:///hidden?x",
        ] {
            assert!(!policy.allows_resource("a", uri), "{uri}");
        }
        assert!(policy.allows_resource("a", "file:///public/secret"));
        let anywhere = Policy::new(None, &["*/Secret/*"]);
        assert!(!anywhere.allows_resource("a", "file:///secret/key"));
        assert!(policy.allows_resource("b", "file:///secret/key"));
    }

    #[test]
    fn what_is_allowed_does_not_lead_out_of_it() {
        let policy = Policy::new(Some(&["a:file:///Pub/*"]), &[]);
        assert!(policy.allows_resource("a", "file:///Pub/x"));
        assert!(policy.allows_resource("a", "file:///Pub/x%20y"));
        let exact = Policy::new(Some(&["a:db://x/y?q=1"]), &[]);
        assert!(exact.allows_resource("a", "db://x/y?q=1"));
        assert!(!exact.allows_resource("a", "db://x/y"));
        for uri in [
            "file:///Pub/../secret?/../Pub/x",
            "file:///Pub/x%3F/../../secret",
            "file:///Pub/../secret",
            "file:///Pub/%2e%2e/secret",
            "file:///Pub/..%2Fsecret",
        ] {
            assert!(!policy.allows_resource("a", uri), "{uri}");
        }
    }

    #[test]
    fn what_a_denied_template_stands_for_is_denied() {
        let policy = Policy::new(None, &["a:file:///secret/{name}"]);
        let denied = policy.denied_template("a", "file:///secret/{name}").unwrap();
        assert!(denied.covers("a", "file:///pub/../Secret/key"));
        assert!(!denied.covers("a", "file:///pub/key"));
        assert!(policy.denied_template("a", "file:///pub/{name}").is_none());
    }

    #[test]
    fn a_tool_that_nobody_has_seen_is_denied_by_the_servers_own_name_too() {
        let policy = Policy::new(None, &["my server__*", "b__x"]);
        for (name, server, is_allowed) in [
            ("my_server__x", "my server", false),
            ("my_server__x", "my_server", true),
            ("b__x", "b", false),
            ("b__y", "b", true),
        ] {
            assert_eq!(
                policy.allows_tool_named(name, server),
                is_allowed,
                "{name} {server}"
            );
        }
    }

    #[test]
    fn a_long_or_odd_name_does_not_escape() {
        let long = format!("{}__delete_all", "x".repeat(60));
        let both = format!("{}.wipe.all", "x".repeat(60));
        let tools =
            json!({"tools": [{"name": long}, {"name": both}, {"name": "delete.file"}, {"name": "read"}]});
        let catalogue = crate::mcp::catalogue(&std::collections::BTreeMap::from([(
            "a".to_owned(),
            crate::mcp::Offer {
                tools: tools["tools"].as_array().unwrap().clone(),
                ..Default::default()
            },
        )]));
        let policy = Policy::new(None, &["*__delete_*", "a__delete.file", "*_wipe_all"]);
        let allowed: Vec<&str> = catalogue
            .tools
            .iter()
            .filter(|tool| policy.allows_tool(tool))
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(allowed, ["a__read"]);
    }

    #[test]
    fn a_table_of_nearly_this_name_and_one_that_is_there_twice_close() {
        for text in ["[Gateway]\ndeny = []\n", "[gatway]\n", "gateways = 1\n"] {
            let problems = home(text).unwrap_err();
            let help = problems.first().and_then(|problem| problem.help.clone());
            assert_eq!(help.as_deref(), Some("did you mean `gateway`?"), "{text}");
        }
        assert!(home("[mcp_gateway]\n[agents]\n").is_ok());
        let twice = br#"{"gateway": {"deny": ["a"]}, "gateway": {"deny": []}}"#;
        let (problems, _) = Policy::default().add_project(&parse(twice, Format::Json).unwrap());
        assert_eq!(problems.len(), 1);
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
            ("[gateway]\ndeny = [\"a__b \"]\n", 2, 9),
            ("[gateway]\nallow = [\"a__*\", \"\\ta__b\"]\n", 2, 18),
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
            policy.add_project(&toml("[gateway]\nallow = [\"*\"]\ndeny = [\"a__x\"]\n"));
        assert!(problems.is_empty());
        assert_eq!(ignored.len(), 1);
        assert!(policy.allows("a__b"));
        assert!(!policy.allows("a__x"));
        assert!(!policy.allows("b__b"));
        let (problems, _) = policy.add_project(&toml("[gateway]\ndenny = []\n"));
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
