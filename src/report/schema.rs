//! The JSON Schemas of the JSON outputs, made from the types that are written.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;

use super::{
    ChangeView, ConfigFilesView, DiscloseView, MarketplacesView, PluginsShowView, PluginsView, RootsView,
    ScanView, ValidateView, VerifyView, WhyView,
};

/// The names of the shapes, in the order in which they are listed.
pub const SCHEMA_NAMES: [&str; 13] = [
    "scan",
    "why",
    "find-config",
    "roots",
    "plugins",
    "plugins-show",
    "plugins-validate",
    "plugins-disclose",
    "plugins-verify",
    "marketplaces",
    "change",
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
        "roots" => generator.into_root_schema_for::<RootsView<'_>>(),
        "plugins" => generator.into_root_schema_for::<PluginsView<'_>>(),
        "plugins-show" => generator.into_root_schema_for::<PluginsShowView<'_>>(),
        "plugins-validate" => generator.into_root_schema_for::<ValidateView<'_>>(),
        "plugins-verify" => generator.into_root_schema_for::<VerifyView<'_>>(),
        "marketplaces" => generator.into_root_schema_for::<MarketplacesView<'_>>(),
        "change" => generator.into_root_schema_for::<ChangeView<'_>>(),
        "plugins-disclose" => generator.into_root_schema_for::<DiscloseView<'_>>(),
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
    /// `usage`, `not-found`, `refused`, `failed` or `internal`: the exit code in words.
    pub code: &'static str,
    /// What failed and why.
    pub message: String,
    /// The path that it failed on.
    pub path: Option<String>,
    /// What to do.
    pub help: Option<String>,
}
