//! The catalogue: every tool of every source, each under a name of its own, and what had to be left out.
//!
//! A source is the text of a file in one of these shapes, told apart by what is in it:
//!
//! - the answer to MCP's `tools/list` (`{"tools": […]}`), also with the envelope of JSON-RPC around it;
//! - a list of tools;
//! - a map of servers to lists of tools or to such answers;
//! - a snapshot (`{"server": …, "tools": […]}`);
//! - JSON lines of any of these, or of tools.
//!
//! A tool's own `server` wins over the one that its source implies. What cannot be used is quarantined with a reason,
//! and the rest stays usable; only a text that is no JSON at all is an error.

mod read;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::tool::{Tool, qualified_name};
use crate::model::ComponentKind;

/// How many bytes one source may have: 256 MiB; a hundred thousand tools have about that many.
pub const MAX_CATALOGUE_BYTES: usize = 256 * 1024 * 1024;

/// The text of one source of tools.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// What it is called in messages: its path, or `standard input`.
    pub name: String,
    /// The server of tools that name none: for a file, its name without extension.
    pub server: String,
    /// What its entries are, where they are no tools of MCP servers.
    pub kind: Option<ComponentKind>,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A tool that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quarantined {
    /// The server that offers it.
    pub server: String,
    /// Its name there, or what stands in place of one.
    pub tool: String,
    /// The source that it is in.
    pub source: String,
    /// 1-based line of the source at which it begins.
    pub line: u32,
    /// Why it cannot be used: one sentence without a full stop.
    pub reason: String,
}

/// Why a source cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The text is not JSON, or ends too early.
    #[error("{source_name}, line {line}, column {column}: {message}")]
    Syntax {
        /// The source.
        source_name: String,
        /// 1-based line.
        line: u32,
        /// 1-based column, in characters (Unicode scalar values).
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// The bytes are not UTF-8.
    #[error("{source_name}: the byte at offset {offset} is not UTF-8")]
    NotUtf8 {
        /// The source.
        source_name: String,
        /// 0-based offset of the first byte that is not.
        offset: usize,
    },
    /// There is more than is read.
    #[error("{source_name} has {bytes} bytes; at most {MAX_CATALOGUE_BYTES} are read")]
    TooLarge {
        /// The source.
        source_name: String,
        /// How many bytes it has.
        bytes: usize,
    },
    /// The text is JSON, but holds no tools.
    #[error("{source_name} holds {found}, not tools")]
    NoTools {
        /// The source.
        source_name: String,
        /// What it holds.
        found: String,
    },
}

/// Every tool of every source.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The tools that can be used, by server and name; no two have one qualified name.
    pub tools: Vec<Tool>,
    /// The tools that cannot be used, by server and name.
    pub quarantined: Vec<Quarantined>,
}

impl Catalogue {
    /// Reads sources into one catalogue.
    ///
    /// # Errors
    ///
    /// The first source that is not JSON or holds no tools; see [`read_each`](Self::read_each) to go on without it.
    pub fn read(sources: &[Source<'_>]) -> Result<Self, CatalogueError> {
        let (catalogue, failed) = Self::read_each(sources);
        failed.into_iter().next().map_or(Ok(catalogue), Err)
    }

    /// Reads the sources that can be read, and tells what is wrong with the others.
    #[must_use]
    pub fn read_each(sources: &[Source<'_>]) -> (Self, Vec<CatalogueError>) {
        let mut catalogue = Self::default();
        let mut failed = Vec::new();
        for source in sources {
            if let Err(error) = read::source(source, &mut catalogue) {
                failed.push(error);
            }
        }
        catalogue.settle();
        (catalogue, failed)
    }

    /// Sorts, and lets the first of those with one name keep it.
    fn settle(&mut self) {
        // Stable: of two with one server and one name, the one that came first stays first.
        self.tools
            .sort_by(|one, other| (&one.server, &one.tool).cmp(&(&other.server, &other.tool)));
        let mut taken: HashSet<String> = HashSet::with_capacity(self.tools.len());
        let mut previous: Option<(String, String)> = None;
        let mut kept = Vec::with_capacity(self.tools.len());
        for tool in std::mem::take(&mut self.tools) {
            let is_twice = previous
                .as_ref()
                .is_some_and(|(server, name)| *server == tool.server && *name == tool.tool);
            if taken.insert(tool.name.clone()) {
                previous = Some((tool.server.clone(), tool.tool.clone()));
                kept.push(tool);
                continue;
            }
            let reason = if is_twice {
                "its server lists this name twice; the first counts".to_owned()
            } else {
                format!("the name `{}` is taken by a tool that sorts before it", tool.name)
            };
            self.quarantined.push(Quarantined {
                server: tool.server,
                tool: tool.tool,
                source: String::new(),
                line: 0,
                reason,
            });
        }
        self.tools = kept;
        self.quarantined.sort();
    }

    /// The tools that a name means: the one with this qualified name, or every one that has this name on its
    /// server. Case does not count.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<&Tool> {
        let is = |known: &str| super::query::same_name(known, name);
        let qualified: Vec<&Tool> = self.tools.iter().filter(|tool| is(&tool.name)).collect();
        if !qualified.is_empty() {
            return qualified;
        }
        let bare = |tool: &&Tool| super::query::is_named(&tool.server, &tool.tool, name);
        self.tools.iter().filter(bare).collect()
    }

    /// Adds a tool under its qualified name.
    pub(super) fn push(&mut self, mut tool: Tool) {
        tool.name = qualified_name(&tool.server, &tool.tool);
        self.tools.push(tool);
    }
}
