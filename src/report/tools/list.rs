//! `tools list`: every tool of the catalogue, and what became of those that cannot be used.

use schemars::JsonSchema;
use serde::Serialize;

use super::SnapshotFacts;
use crate::model::Diagnostic;
use crate::report::common::{Context, Envelope};
use crate::tools::{Catalogue, Tier, Tiers, qualified_name};

/// The answer of `tools list`.
#[derive(Debug)]
pub struct ToolsListReport {
    /// What the question was about.
    pub context: Context,
    /// What there is.
    pub catalogue: Catalogue,
    /// How it is listed.
    pub tiers: Tiers,
    /// False when a source could not be read.
    pub complete: bool,
    /// What was wrong with the sources.
    pub diagnostics: Vec<Diagnostic>,
    /// What is to be said of servers.
    pub facts: SnapshotFacts,
}

impl ToolsListReport {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ToolsListView<'_> {
        ToolsListView {
            head: self.head(),
            tools: self.tools(),
        }
    }

    /// The answer without its tools, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self) -> ToolsListHead<'_> {
        ToolsListHead {
            envelope: self
                .context
                .envelope("aleph-discover/tools-list@1", self.complete, &self.diagnostics),
            count: self.catalogue.tools.len(),
            quarantined: self.catalogue.quarantined.len(),
            not_refreshed: &self.facts.not_refreshed,
        }
    }

    /// The tools, by server and name; those that cannot be used come last.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolView<'_>> {
        let usable = self.catalogue.tools.iter().map(|tool| {
            let tier = self.tiers.of(tool);
            ToolView {
                name: tool.name.clone(),
                server: &tool.server,
                tool: &tool.tool,
                description: Some(&tool.description),
                tier: Some(tier),
                visible: tier != Tier::Deferred,
                digest: Some(tool.digest()),
                quarantined: None,
                stale: self.facts.stale.contains(&tool.server),
            }
        });
        let unusable = self.catalogue.quarantined.iter().map(|tool| ToolView {
            name: qualified_name(&tool.server, &tool.tool),
            server: &tool.server,
            tool: &tool.tool,
            description: None,
            tier: None,
            visible: false,
            digest: None,
            quarantined: Some(&tool.reason),
            stale: self.facts.stale.contains(&tool.server),
        });
        usable.chain(unusable).collect()
    }
}

/// The answer of `tools list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-list@1")]
pub struct ToolsListView<'a> {
    /// All but the tools.
    #[serde(flatten)]
    pub head: ToolsListHead<'a>,
    /// The tools, by server and name; those that cannot be used come last.
    pub tools: Vec<ToolView<'a>>,
}

/// An answer of `tools list` but for its tools.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolsListHead<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// How many tools can be used.
    pub count: usize,
    /// How many cannot.
    pub quarantined: usize,
    /// The MCP servers that could be asked and never were.
    pub not_refreshed: &'a [String],
}

/// One tool.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolView<'a> {
    /// The name that it goes by here, or would.
    pub name: String,
    /// The server that offers it.
    pub server: &'a str,
    /// Its name on that server; empty where it has none.
    pub tool: &'a str,
    /// What it does, in its server's words; null for one that cannot be used.
    pub description: Option<&'a str>,
    /// How it is listed before anything was searched; null for one that cannot be used.
    pub tier: Option<Tier>,
    /// Whether the first list shows it.
    pub visible: bool,
    /// SHA-256 of its definition; null for one that cannot be used.
    pub digest: Option<String>,
    /// Why it cannot be used; null for one that can.
    pub quarantined: Option<&'a str>,
    /// Whether its server did not answer when it was last asked.
    pub stale: bool,
}
