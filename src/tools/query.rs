//! The words of a query that are commands: `select:`, `server:`, `+word`, `/regex/`.

use regex::{Regex, RegexBuilder};

use super::tokenizer::tokens;
use super::tool::{bare_name, clean_server};

/// How long a pattern between slashes may be, in bytes.
pub const MAX_PATTERN_BYTES: usize = 200;

/// How much memory a compiled pattern may take, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// How many bytes of a query are read; people and models write far fewer.
const MAX_QUERY_BYTES: usize = 16 * 1024;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The query as it was given.
    pub text: String,
    /// What hits must be like.
    pub(super) form: Form,
    /// Only tools of these servers, if any are named.
    pub(super) servers: Vec<String>,
    /// Words that a hit must have, in lower case.
    pub(super) required: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Ranked by these words.
    Words(String),
    /// Exactly these names.
    Select(Vec<String>),
    /// What matches.
    Pattern(Regex),
}

/// Why a query cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There is nothing in it.
    #[error("requires a non-empty `query`")]
    Blank,
    /// The pattern is longer than is allowed.
    #[error("the pattern has {0} bytes; at most {MAX_PATTERN_BYTES} are allowed")]
    PatternTooLong(usize),
    /// The pattern is no regular expression, or a huge one.
    #[error("`/{pattern}/` cannot be used as a pattern: {reason}")]
    BadPattern {
        /// What stands between the slashes.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Query {
    /// Reads a query.
    ///
    /// - `select:NAME[,NAME…]`: these names and nothing else.
    /// - `/regex/`, as the whole query: tools whose name, title or description matches, case ignored.
    /// - `server:NAME`: only tools of that server; several: of any of them. A name with blanks stands in quotes
    ///   (`server:"my server"`), or is written as in qualified names (`server:my_server`).
    /// - `+word`: only tools that have this word. It begins with a letter, so that `+49 30 1234` is no command.
    /// - Everything else is words to rank by.
    ///
    /// # Errors
    ///
    /// If there is nothing in it, or the pattern is too long or no regular expression.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(QueryError::Blank);
        }
        let mut query = Self {
            text: text.to_owned(),
            form: Form::Words(String::new()),
            servers: Vec::new(),
            required: Vec::new(),
        };
        if let Some(names) = trimmed.strip_prefix("select:") {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            let names: Vec<String> = names.map(ToOwned::to_owned).collect();
            if names.is_empty() {
                return Err(QueryError::Blank);
            }
            query.form = Form::Select(names);
            return Ok(query);
        }
        if let Some(pattern) = trimmed.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'))
            && !pattern.is_empty()
        {
            query.form = Form::Pattern(compile(pattern)?);
            return Ok(query);
        }
        query.form = Form::Words(query.take_commands(trimmed));
        Ok(query)
    }

    /// A query of which every word is only a word.
    ///
    /// # Errors
    ///
    /// If there is nothing in it.
    pub fn words(text: &str) -> Result<Self, QueryError> {
        if text.trim().is_empty() {
            return Err(QueryError::Blank);
        }
        Ok(Self {
            text: text.to_owned(),
            form: Form::Words(text.to_owned()),
            servers: Vec::new(),
            required: Vec::new(),
        })
    }

    /// The words of a text that are no commands; the commands are remembered.
    fn take_commands(&mut self, text: &str) -> String {
        let end = (0..=MAX_QUERY_BYTES.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at));
        let text = text.get(..end.unwrap_or(0)).unwrap_or_default();
        let is_command = |word: &str| {
            server_of(word).is_some()
                || word
                    .strip_prefix('+')
                    .is_some_and(|word| word.starts_with(char::is_alphabetic))
        };
        if !words_of(text).any(is_command) {
            return text.to_owned();
        }
        let mut words = Vec::new();
        for word in words_of(text) {
            if !is_command(word) {
                words.push(word);
            } else if let Some(server) = server_of(word) {
                self.servers.push(server.to_owned());
            } else if let Some(required) = word.strip_prefix('+') {
                self.required.extend(
                    tokens(required)
                        .into_iter()
                        .filter(|token| token.parts == 0)
                        .map(|token| token.text),
                );
                words.push(required);
            }
        }
        words.join(" ")
    }
}

/// What a word that names a server begins with.
const SERVER: &str = "server:";

/// The words of a text: what stands between blanks, and `server:"…"` whole.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let quoted = rest
            .strip_prefix(SERVER)
            .and_then(|value| value.strip_prefix('"'))
            .and_then(|value| value.find('"'))
            // The quotes themselves are a byte each.
            .map(|length| SERVER.len() + length + 2);
        let end = quoted
            .or_else(|| rest.find(char::is_whitespace))
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(word)
    })
}

/// The server that a word names; in quotes or bare.
fn server_of(word: &str) -> Option<&str> {
    let name = word.strip_prefix(SERVER)?;
    let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    Some(quoted.unwrap_or(name)).filter(|name| !name.trim().is_empty())
}

/// Whether a server is meant by a name: its own, or as it stands in qualified names. Case does not count.
pub(super) fn is_server(server: &str, given: &str) -> bool {
    same_name(server, given) || same_name(&clean_server(server), given)
}

/// Whether a tool is meant by a name that is not its qualified one: by its bare name, that of its server's list, or
/// either behind the server's. Case does not count.
pub(super) fn is_named(server: &str, tool: &str, given: &str) -> bool {
    let bare = bare_name(server, tool);
    let is = |tool: &str| same_name(tool, given) || server_and_name(server, tool, given);
    is(tool) || bare.len() < tool.len() && is(bare)
}

fn compile(pattern: &str) -> Result<Regex, QueryError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(QueryError::PatternTooLong(pattern.len()));
    }
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .build()
        .map_err(|error| QueryError::BadPattern {
            pattern: pattern.to_owned(),
            reason: error
                .to_string()
                .lines()
                .last()
                .unwrap_or_default()
                .trim()
                .to_owned(),
        })
}

/// Whether two names are the same but for case.
pub(super) fn same_name(known: &str, given: &str) -> bool {
    known.eq_ignore_ascii_case(given)
        || !known.is_ascii() && !given.is_ascii() && known.to_lowercase() == given.to_lowercase()
}

/// Whether a name is that of a server and a tool of it, in one of the ways in which people and hosts join them.
fn server_and_name(server: &str, tool: &str, given: &str) -> bool {
    let given = given.strip_prefix("mcp__").unwrap_or(given);
    given
        .get(..server.len())
        .is_some_and(|head| same_name(server, head))
        && given.get(server.len()..).is_some_and(|rest| {
            ["__", ":", ".", "/"]
                .iter()
                .any(|joint| rest.strip_prefix(joint).is_some_and(|name| same_name(tool, name)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_words() {
        let query = Query::parse("+send message server:slack server: to C++ +49 +1x").unwrap();
        assert_eq!(query.servers, ["slack"]);
        assert_eq!(query.required, ["send"]);
        assert!(matches!(query.form, Form::Words(words) if words == "send message server: to C++ +49 +1x"));
        let query = Query::parse(" select:a, b ,,").unwrap();
        assert!(matches!(query.form, Form::Select(names) if names == ["a", "b"]));
        assert!(matches!(Query::parse("/^git_/").unwrap().form, Form::Pattern(_)));
        assert!(matches!(
            Query::parse("/root/pdf and more").unwrap().form,
            Form::Words(_)
        ));
        assert!(matches!(Query::parse("//").unwrap().form, Form::Words(_)));
    }

    #[test]
    fn a_server_is_named_with_blanks_in_quotes() {
        for (text, server, rest) in [
            ("server:\"my server\" send it", "my server", "send it"),
            ("send server:\"my server\"it", "my server", "send it"),
            ("server:\"slack\"", "slack", ""),
            ("server:\"open ended", "\"open", "ended"),
            ("server:my_server x", "my_server", "x"),
        ] {
            let query = Query::parse(text).unwrap();
            assert_eq!(query.servers, [server], "{text}");
            assert!(
                matches!(query.form, Form::Words(words) if words == rest),
                "{text}"
            );
        }
        assert!(Query::parse("server:\"\" x").unwrap().servers.is_empty());
        assert!(is_server("my server", "my server") && is_server("my server", "My_Server"));
        assert!(!is_server("my server", "my"));
    }

    #[test]
    fn a_prefix_of_the_server_is_no_part_of_a_name() {
        for given in [
            "list",
            "LIST",
            "slack:list",
            "slack__list",
            "mcp__slack__list",
            "slack.list",
        ] {
            assert!(is_named("slack", "slack:list", given), "{given}");
        }
        assert!(is_named("slack", "hub:list", "hub:list"));
        assert!(!is_named("slack", "hub:list", "list"));
        assert!(!is_named("slack", "slack:", "slack"));
    }

    #[test]
    fn what_cannot_be_asked_is_an_error() {
        for blank in ["", " \n\t", "select:", "select: ,"] {
            assert_eq!(Query::parse(blank).unwrap_err(), QueryError::Blank);
        }
        assert!(matches!(
            Query::parse("/(/").unwrap_err(),
            QueryError::BadPattern { .. }
        ));
        assert!(matches!(
            Query::parse("/(a{1000}){1000}/").unwrap_err(),
            QueryError::BadPattern { .. }
        ));
        let long = format!("/{}/", "a".repeat(201));
        assert_eq!(Query::parse(&long).unwrap_err(), QueryError::PatternTooLong(201));
    }

    #[test]
    fn names_are_known_in_every_way_of_joining_them() {
        for given in ["git__log", "GIT:Log", "git.log", "git/log", "mcp__git__log"] {
            assert!(server_and_name("git", "log", given), "{given}");
        }
        for given in ["gitlog", "git_log", "hub__log", "git__logs", "gi", ""] {
            assert!(!server_and_name("git", "log", given), "{given}");
        }
    }
}
