//! What MCP servers answered when they were asked: lists, one resource, one prompt.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::common::{Context, Envelope};
use crate::model::Diagnostic;

/// The answer of `mcp resources`, `mcp templates` and `mcp prompts`.
#[derive(Debug)]
pub struct OnDemandReport<T> {
    /// What the question was about.
    pub context: Context,
    /// The entries, by server in the order of their names, and as each server lists them.
    pub entries: Vec<T>,
    /// The servers that were asked, by name.
    pub servers: Vec<AskedServer>,
    /// What is worth knowing about what is not there.
    pub note: Option<String>,
    /// What went wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> OnDemandReport<T> {
    /// Whether every server that was asked has answered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.servers
            .iter()
            .all(|server| server.outcome == AskedState::Live)
    }

    fn envelope(&self, schema: &'static str) -> Envelope<'_> {
        self.context
            .envelope(schema, self.is_complete(), &self.diagnostics)
    }

    fn list(&self) -> McpListView<'_> {
        McpListView {
            count: self.entries.len(),
            note: self.note.as_deref(),
            servers: &self.servers,
        }
    }
}

impl OnDemandReport<ListedResource> {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> McpResourcesView<'_> {
        McpResourcesView {
            envelope: self.envelope("aleph-discover/mcp-resources@1"),
            resources: &self.entries,
            list: self.list(),
        }
    }
}

impl OnDemandReport<ListedTemplate> {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> McpTemplatesView<'_> {
        McpTemplatesView {
            envelope: self.envelope("aleph-discover/mcp-templates@1"),
            templates: &self.entries,
            list: self.list(),
        }
    }
}

impl OnDemandReport<ListedPrompt> {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> McpPromptsView<'_> {
        McpPromptsView {
            envelope: self.envelope("aleph-discover/mcp-prompts@1"),
            prompts: &self.entries,
            list: self.list(),
        }
    }
}

/// What became of asking a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AskedState {
    /// It answered.
    Live,
    /// It did not answer; what its snapshot has is used.
    Stale,
    /// It did not answer, and there is no snapshot.
    Failed,
}

impl AskedState {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Stale => "stale",
            Self::Failed => "failed",
        }
    }
}

/// One server that was asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AskedServer {
    /// Its name.
    pub server: String,
    /// What became of asking it.
    pub outcome: AskedState,
    /// What kind of failure it was; null where it answered.
    pub failure: Option<&'static str>,
    /// Why it did not answer; null where it did.
    pub reason: Option<String>,
    /// The last lines of its standard error; empty where it answered, or is no process.
    pub stderr: Vec<String>,
    /// When the snapshot that is used was made, in UTC; null where none is.
    pub snapshot: Option<String>,
    /// The lists of which it has more than is kept.
    pub cut: Vec<&'static str>,
    /// What it lists and cannot be used.
    pub unusable: Vec<String>,
}

/// A resource as it is listed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedResource {
    /// The server that has it.
    pub server: String,
    /// `server:uri`, as `mcp read` takes it.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What kind of data it is.
    pub mime_type: Option<String>,
    /// Whether this is from a snapshot, since the server did not answer.
    pub stale: bool,
}

/// A template of resources as it is listed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedTemplate {
    /// The server that has it.
    pub server: String,
    /// `server:template`; with its variables filled in, `mcp read` takes it.
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What kind of data its resources are, where all are of one.
    pub mime_type: Option<String>,
    /// Whether this is from a snapshot, since the server did not answer.
    pub stale: bool,
}

/// A prompt as it is listed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedPrompt {
    /// The server that has it.
    pub server: String,
    /// `server:prompt`, as `mcp prompt` takes it.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What can be filled in.
    pub arguments: Vec<ListedArgument>,
    /// Whether this is from a snapshot, since the server did not answer.
    pub stale: bool,
}

/// What can be filled in of a prompt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it has to be there.
    pub required: bool,
}

/// What the answers of `mcp resources`, `mcp templates` and `mcp prompts` say beside their entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpListView<'a> {
    /// How many there are.
    pub count: usize,
    /// What is worth knowing about what is not there; null where there is nothing.
    pub note: Option<&'a str>,
    /// The servers that were asked.
    pub servers: &'a [AskedServer],
}

/// The answer of `mcp resources`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-resources@1")]
pub struct McpResourcesView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The resources, by server, as each lists them.
    pub resources: &'a [ListedResource],
    /// How many there are, and of which servers.
    #[serde(flatten)]
    pub list: McpListView<'a>,
}

/// The answer of `mcp templates`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-templates@1")]
pub struct McpTemplatesView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The templates, by server, as each lists them.
    pub templates: &'a [ListedTemplate],
    /// How many there are, and of which servers.
    #[serde(flatten)]
    pub list: McpListView<'a>,
}

/// The answer of `mcp prompts`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-prompts@1")]
pub struct McpPromptsView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The prompts, by server, as each lists them.
    pub prompts: &'a [ListedPrompt],
    /// How many there are, and of which servers.
    #[serde(flatten)]
    pub list: McpListView<'a>,
}

/// The answer of `mcp read`.
#[derive(Debug)]
pub struct ReadReport {
    /// What the question was about.
    pub context: Context,
    /// The server that was asked.
    pub server: String,
    /// `server:uri`.
    pub uri: String,
    /// The parts of the resource, mostly one.
    pub parts: Vec<PartView>,
    /// What was odd on the way.
    pub diagnostics: Vec<Diagnostic>,
}

impl ReadReport {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> McpReadView<'_> {
        let first = self.parts.first();
        McpReadView {
            envelope: self
                .context
                .envelope("aleph-discover/mcp-read@1", true, &self.diagnostics),
            server: &self.server,
            uri: &self.uri,
            content: first.map(|part| part.content.as_str()),
            content_type: first.map(|part| part.content_type),
            mime_type: first.and_then(|part| part.mime_type.as_deref()),
            more: self.parts.get(1..).unwrap_or_default(),
        }
    }
}

/// Whether a content is text or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContentType {
    /// Text, as it is.
    Text,
    /// Bytes, in base64.
    Binary,
}

/// A part of a resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartView {
    /// `server:uri` of this part.
    pub uri: String,
    /// Text, or bytes in base64.
    pub content: String,
    /// Which of the two.
    pub content_type: ContentType,
    /// What kind of data it is.
    pub mime_type: Option<String>,
}

/// The answer of `mcp read`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-read@1")]
pub struct McpReadView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The server that was asked.
    pub server: &'a str,
    /// `server:uri`.
    pub uri: &'a str,
    /// Text, or bytes in base64; null where the resource has no parts.
    pub content: Option<&'a str>,
    /// Which of the two.
    pub content_type: Option<ContentType>,
    /// What kind of data it is.
    pub mime_type: Option<&'a str>,
    /// The parts after the first, where there are several.
    pub more: &'a [PartView],
}

/// The answer of `mcp prompt`.
#[derive(Debug)]
pub struct PromptReport {
    /// What the question was about.
    pub context: Context,
    /// The server that was asked.
    pub server: String,
    /// `server:prompt`.
    pub name: String,
    /// What the prompt is for.
    pub description: Option<String>,
    /// Its messages.
    pub messages: Vec<MessageView>,
    /// What was odd on the way.
    pub diagnostics: Vec<Diagnostic>,
}

impl PromptReport {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> McpPromptView<'_> {
        McpPromptView {
            envelope: self
                .context
                .envelope("aleph-discover/mcp-prompt@1", true, &self.diagnostics),
            server: &self.server,
            name: &self.name,
            description: self.description.as_deref(),
            messages: &self.messages,
        }
    }
}

/// A message of a prompt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessageView {
    /// `user` or `assistant`.
    pub role: String,
    /// The content block, as the server gave it.
    pub content: Value,
}

/// The answer of `mcp prompt`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-prompt@1")]
pub struct McpPromptView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The server that was asked.
    pub server: &'a str,
    /// `server:prompt`.
    pub name: &'a str,
    /// What the prompt is for.
    pub description: Option<&'a str>,
    /// Its messages.
    pub messages: &'a [MessageView],
}

/// The answer of `mcp refresh`.
#[derive(Debug)]
pub struct RefreshReport {
    /// What the question was about.
    pub context: Context,
    /// The servers that were asked, by name, and how much each has.
    pub servers: Vec<RefreshedServer>,
    /// The snapshots that were written.
    pub changed: Vec<std::path::PathBuf>,
    /// What is worth knowing about what was not asked.
    pub note: Option<String>,
    /// What went wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether every snapshot was written that should have been.
    pub all_written: bool,
}

/// A server that was asked for everything.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefreshedServer {
    /// What became of it.
    #[serde(flatten)]
    pub asked: AskedServer,
    /// How many tools its snapshot has.
    pub tools: usize,
    /// How many resources.
    pub resources: usize,
    /// How many templates.
    pub templates: usize,
    /// How many prompts.
    pub prompts: usize,
}

impl RefreshReport {
    /// Whether every server has answered and was written down.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.all_written
            && self
                .servers
                .iter()
                .all(|server| server.asked.outcome == AskedState::Live)
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> McpRefreshView<'_> {
        let names: Vec<&str> = self
            .servers
            .iter()
            .map(|server| server.asked.server.as_str())
            .collect();
        McpRefreshView {
            envelope: self.context.envelope(
                "aleph-discover/mcp-refresh@1",
                self.is_done(),
                &self.diagnostics,
            ),
            action: "refresh",
            subject: names.join(", "),
            done: self.is_done(),
            changed: self
                .changed
                .iter()
                .map(|path| super::common::owned_text(path))
                .collect(),
            note: self.note.as_deref(),
            servers: &self.servers,
        }
    }
}

/// The answer of `mcp refresh`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-refresh@1")]
pub struct McpRefreshView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// `refresh`.
    pub action: &'static str,
    /// The servers that were asked, separated by commas.
    pub subject: String,
    /// Whether every one of them has answered and was written down.
    pub done: bool,
    /// The snapshots that were written, in the Aleph home.
    pub changed: Vec<String>,
    /// What is worth knowing about what was not asked; null where there is nothing.
    pub note: Option<&'a str>,
    /// The servers that were asked, one by one.
    pub servers: &'a [RefreshedServer],
}
