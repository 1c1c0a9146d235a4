//! The JSON Schemas of the JSON outputs, made from the types that are written.

use std::path::Path;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;

use super::common::{owned_text, raw};
use super::disclosure::{EventView, LintView, ToolView};
use super::{
    BudgetView, ChangeView, ConfigFilesView, DiscloseView, ExplainListView, ExplainView, HostsView,
    MarketplacesView, McpPromptView, McpPromptsView, McpReadView, McpRefreshView, McpResourcesView,
    McpTemplatesView, PluginsShowView, PluginsVerifyView, PluginsView, QueryAnswerView, RootsView, ScanView,
    ServersView, ToolsListView, ToolsSchemaView, ToolsSearchView, ValidateView, VerifyView, WhyHostsView,
    WhyView,
};

/// The names of the shapes, in the order in which they are listed.
pub const SCHEMA_NAMES: [&str; 33] = [
    "scan",
    "why",
    "find-config",
    "roots",
    "plugins",
    "plugins-show",
    "plugins-validate",
    "plugins-disclose",
    "tools-search",
    "tools-query",
    "tools-list",
    "tools-schema",
    "tools-budget",
    "tools-lint",
    "tools-explain",
    "tools-simulate",
    "mcp-servers",
    "mcp-resources",
    "mcp-templates",
    "mcp-read",
    "mcp-prompts",
    "mcp-prompt",
    "mcp-refresh",
    "plugins-verify",
    "marketplaces",
    "change",
    "explain",
    "explain-list",
    "hosts",
    "why-hosts",
    "verify",
    "schema",
    "error",
];

/// The JSON Schema of the shape of this name, as a JSON value.
#[must_use]
pub fn schema(name: &str) -> Option<serde_json::Value> {
    // What is written is described, so a field that may be null is listed as required and nullable.
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = match name {
        "scan" => generator.into_root_schema_for::<ScanView<'_>>(),
        "why" => generator.into_root_schema_for::<WhyView<'_>>(),
        "find-config" => generator.into_root_schema_for::<ConfigFilesView<'_>>(),
        "hosts" => generator.into_root_schema_for::<HostsView<'_>>(),
        "why-hosts" => generator.into_root_schema_for::<WhyHostsView<'_>>(),
        "verify" => generator.into_root_schema_for::<VerifyView<'_>>(),
        "roots" => generator.into_root_schema_for::<RootsView<'_>>(),
        "plugins" => generator.into_root_schema_for::<PluginsView<'_>>(),
        "plugins-show" => generator.into_root_schema_for::<PluginsShowView<'_>>(),
        "plugins-validate" => generator.into_root_schema_for::<ValidateView<'_>>(),
        "plugins-verify" => generator.into_root_schema_for::<PluginsVerifyView<'_>>(),
        "marketplaces" => generator.into_root_schema_for::<MarketplacesView<'_>>(),
        "change" => generator.into_root_schema_for::<ChangeView<'_>>(),
        "plugins-disclose" => generator.into_root_schema_for::<DiscloseView<'_>>(),
        "tools-search" => generator.into_root_schema_for::<ToolsSearchView<'_>>(),
        "tools-query" => generator.into_root_schema_for::<QueryAnswerView<'_>>(),
        "tools-list" => generator.into_root_schema_for::<ToolsListView<'_>>(),
        "tools-schema" => generator.into_root_schema_for::<ToolsSchemaView<'_>>(),
        "tools-budget" => generator.into_root_schema_for::<BudgetView<'_>>(),
        "tools-lint" => generator.into_root_schema_for::<LintView<'_>>(),
        "tools-explain" => generator.into_root_schema_for::<ToolView<'_>>(),
        "tools-simulate" => generator.into_root_schema_for::<EventView<'_>>(),
        "mcp-servers" => generator.into_root_schema_for::<ServersView<'_>>(),
        "mcp-resources" => generator.into_root_schema_for::<McpResourcesView<'_>>(),
        "mcp-templates" => generator.into_root_schema_for::<McpTemplatesView<'_>>(),
        "mcp-read" => generator.into_root_schema_for::<McpReadView<'_>>(),
        "mcp-prompts" => generator.into_root_schema_for::<McpPromptsView<'_>>(),
        "mcp-prompt" => generator.into_root_schema_for::<McpPromptView<'_>>(),
        "mcp-refresh" => generator.into_root_schema_for::<McpRefreshView<'_>>(),
        "explain" => generator.into_root_schema_for::<ExplainView>(),
        "explain-list" => generator.into_root_schema_for::<ExplainListView>(),
        "schema" => generator.into_root_schema_for::<SchemaListView>(),
        "error" => generator.into_root_schema_for::<ErrorView>(),
        _ => return None,
    };
    Some(schema.to_value())
}

/// The answer of `schema` without a name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "schema@1")]
pub struct SchemaListView {
    /// `aleph-discover/schema@1`.
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The names that have a schema.
    pub schemas: Vec<&'static str>,
}

impl Default for SchemaListView {
    fn default() -> Self {
        Self {
            schema: "aleph-discover/schema@1",
            version: env!("CARGO_PKG_VERSION"),
            schemas: SCHEMA_NAMES.to_vec(),
        }
    }
}

/// What is printed when a question could not be answered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "error@1")]
pub struct ErrorView {
    /// `aleph-discover/error@1`.
    pub schema: &'static str,
    /// What failed.
    pub error: ErrorDetail,
}

/// What failed, on which path, why, and what to do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorDetail {
    /// The exit code in words.
    pub code: ErrorCode,
    /// What failed and why.
    pub message: String,
    /// The path that it failed on.
    pub path: Option<String>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

impl ErrorDetail {
    /// What failed, with the path as text and, where that is lossy, its bytes.
    #[must_use]
    pub fn new(code: ErrorCode, message: &str, path: Option<&Path>, help: Option<&str>) -> Self {
        Self {
            code,
            message: message.to_owned(),
            path: path.map(owned_text),
            path_bytes: path.and_then(raw),
            help: help.map(str::to_owned),
        }
    }
}

/// Why a question could not be answered: the exit code in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The question could not be asked; exit code 2.
    Usage,
    /// Lack of consent or trust, or a safety rule, stood against it; exit code 4.
    Refused,
    /// The disk failed, or the output could not be written; exit code 5.
    Failed,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 3] = [Self::Usage, Self::Refused, Self::Failed];

    /// The name used in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}
