//! One tool, and the name that it goes by among the tools of other servers.

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::model::{ComponentKind, hex};

/// The longest qualified name, in characters: what model interfaces allow.
pub const MAX_NAME: usize = 64;

/// How much of a longer name is kept before the digest.
const KEPT: usize = 55;

/// A tool as its server describes it.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The server that offers it, as its source names it.
    pub server: String,
    /// Its name on that server, as the server gives it.
    pub tool: String,
    /// The name that it goes by here: [`qualified_name`] of the two.
    pub name: String,
    /// The title for people, if it has one; its own, or that of its annotations.
    pub title: Option<String>,
    /// What it does, in the server's words: data, never interpreted. Empty where there is none.
    pub description: String,
    /// The schema of its arguments, as the server wrote it but for white space; `{"type":"object"}` where there is none.
    pub input_schema: Box<RawValue>,
    /// The schema of its result, if it has one.
    pub output_schema: Option<Box<RawValue>>,
    /// What the server says about its behaviour, if anything.
    pub annotations: Option<Box<RawValue>>,
    /// What it is, where it is no tool of an MCP server: a skill, a command, an agent.
    pub kind: Option<ComponentKind>,
}

impl Tool {
    /// SHA-256 of the definition in lower-case hexadecimal: server, name, title, description, schemas and
    /// annotations as JSON with sorted keys, so that only a change of meaning changes it.
    #[must_use]
    pub fn digest(&self) -> String {
        let read = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
        let optional = |raw: &Option<Box<RawValue>>| raw.as_deref().map(read);
        let definition = serde_json::json!({
            "annotations": optional(&self.annotations),
            "description": self.description,
            "inputSchema": read(&self.input_schema),
            "name": self.tool,
            "outputSchema": optional(&self.output_schema),
            "server": self.server,
            "title": self.title,
        });
        hex(&Sha256::digest(definition.to_string()))
    }
}

/// The name that a tool goes by among those of other servers: `{server}__{tool}`.
///
/// A leading `{server}:` of the tool's name is dropped, what is outside `[A-Za-z0-9_-]` becomes `_`, and a name
/// longer than [`MAX_NAME`] becomes its first 55 characters, `_` and 8 hexadecimal digits of the SHA-256 of the
/// whole cleaned name. Rule: spec, tools 1.
#[must_use]
pub fn qualified_name(server: &str, tool: &str) -> String {
    let name = uncut_name(server, tool);
    if name.len() <= MAX_NAME {
        return name;
    }
    let digest = hex(&Sha256::digest(&name));
    let head: String = name.chars().take(KEPT).collect();
    let tail: String = digest.chars().take(MAX_NAME - KEPT - 1).collect();
    format!("{head}_{tail}")
}

/// The server that a qualified name speaks of, if it is none of these. A name without a server speaks of none.
#[must_use]
pub fn stray_server<'a>(name: &str, servers: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let (server, _) = name.split_once("__").filter(|(server, _)| !server.is_empty())?;
    let is_of = |known: &str| {
        let prefix = uncut_name(known, "");
        // Of one that is too long for a name only its beginning stands in it.
        name.starts_with(&prefix)
            || prefix.len() > KEPT && prefix.starts_with(name.get(..KEPT).unwrap_or(name))
    };
    (!servers.into_iter().any(is_of)).then(|| server.to_owned())
}

/// The qualified name before it is cut to what a name may have.
pub(crate) fn uncut_name(server: &str, tool: &str) -> String {
    let bare = bare_name(server, tool);
    clean(server.chars().chain("__".chars()).chain(bare.chars()))
}

/// The name of a tool among those of its server: a leading `{server}:` is dropped. Rule: spec, tools 1.
#[must_use]
pub fn bare_name<'a>(server: &str, tool: &'a str) -> &'a str {
    tool.strip_prefix(server)
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or(tool)
}

/// A server's name as it stands in qualified names.
pub(super) fn clean_server(server: &str) -> String {
    clean(server.chars())
}

/// What is outside `[A-Za-z0-9_-]` becomes `_`.
fn clean(characters: impl Iterator<Item = char>) -> String {
    let clean = |character: char| match character {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => character,
        _ => '_',
    };
    characters.map(clean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_cleaned_and_shortened() {
        for (server, tool, expected) in [
            ("git", "log", "git__log"),
            ("git", "git:log", "git__log"),
            ("git", "hub:log", "git__hub_log"),
            ("git", "git:", "git__"),
            ("my server", "do it!", "my_server__do_it_"),
            ("\u{e9}t\u{e9}", "\u{65e5}\u{672c}", "_t_____"),
        ] {
            assert_eq!(qualified_name(server, tool), expected, "{server} {tool}");
        }
        let exact = qualified_name("s", &"x".repeat(61));
        assert_eq!(exact.len(), 64);
        assert!(exact.ends_with('x'));
        let one = qualified_name("s", &"x".repeat(62));
        let other = qualified_name("s", &"x".repeat(63));
        assert_eq!((one.len(), other.len()), (64, 64));
        assert_ne!(one, other);
        assert!(one.starts_with(&format!("s__{}_", "x".repeat(52))));
    }
}
