//! `tools schema`: the full definition of one tool, for whoever has only seen its name.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::model::Diagnostic;
use crate::report::common::{Context, Envelope};
use crate::report::nearest;
use crate::tools::{Catalogue, Tool, bare_name};

/// The most names that are offered.
const MOST: usize = 5;

/// The answer of `tools schema`.
#[derive(Debug)]
pub struct ToolsSchemaReport {
    /// What the question was about.
    pub context: Context,
    /// The name that was asked for.
    pub name: String,
    /// What there is.
    pub catalogue: Catalogue,
    /// False when a source could not be read.
    pub complete: bool,
    /// What was wrong with the sources.
    pub diagnostics: Vec<Diagnostic>,
}

impl ToolsSchemaReport {
    /// The one tool of this name: a qualified one, or a bare one that only one server has. Case does not count.
    #[must_use]
    pub fn tool(&self) -> Option<&Tool> {
        match self.catalogue.named(&self.name).as_slice() {
            [tool] => Some(tool),
            _ => None,
        }
    }

    /// Why there is no schema, and the names that were probably meant.
    #[must_use]
    pub fn missing(&self) -> Option<(String, Vec<String>)> {
        let named = self.catalogue.named(&self.name);
        match named.as_slice() {
            [_] => None,
            [] => {
                let is = |name: &str| name == self.name;
                let quarantined = self.catalogue.quarantined.iter().find(|tool| {
                    is(&tool.tool)
                        || is(bare_name(&tool.server, &tool.tool))
                        || is(&crate::tools::qualified_name(&tool.server, &tool.tool))
                });
                let error = match quarantined {
                    Some(tool) => format!("the tool `{}` cannot be used: {}", self.name, tool.reason),
                    None => format!("there is no tool `{}`", self.name),
                };
                let known = self.catalogue.tools.iter();
                let near: Vec<String> = nearest(
                    &self.name,
                    known.flat_map(|tool| [tool.name.as_str(), bare_name(&tool.server, &tool.tool)]),
                );
                Some((error, near))
            }
            owners => {
                let error = format!(
                    "{} servers have a tool `{}`: give its full name",
                    owners.len(),
                    self.name
                );
                Some((
                    error,
                    owners.iter().take(MOST).map(|tool| tool.name.clone()).collect(),
                ))
            }
        }
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ToolsSchemaView<'_> {
        let tool = self.tool();
        let (error, suggestions) = self
            .missing()
            .map_or((None, Vec::new()), |(error, near)| (Some(error), near));
        ToolsSchemaView {
            envelope: self.context.envelope(
                "aleph-discover/tools-schema@1",
                self.complete,
                &self.diagnostics,
            ),
            found: tool.is_some(),
            name: tool.map_or(self.name.as_str(), |tool| &tool.name),
            server: tool.map(|tool| tool.server.as_str()),
            tool: tool.map(|tool| tool.tool.as_str()),
            description: tool.map(|tool| tool.description.as_str()),
            parameters: tool.map(|tool| &*tool.input_schema),
            output: tool.and_then(|tool| tool.output_schema.as_deref()),
            annotations: tool.and_then(|tool| tool.annotations.as_deref()),
            error,
            suggestions,
        }
    }
}

/// The answer of `tools schema`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-schema@1")]
pub struct ToolsSchemaView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// Whether there is one tool of this name.
    pub found: bool,
    /// The name that it goes by here; the name that was asked for, if it was not found.
    pub name: &'a str,
    /// The server that offers it.
    pub server: Option<&'a str>,
    /// Its name on that server.
    pub tool: Option<&'a str>,
    /// What it does, in its server's words.
    pub description: Option<&'a str>,
    /// The full schema of its arguments.
    #[schemars(with = "Option<serde_json::Value>")]
    pub parameters: Option<&'a RawValue>,
    /// The schema of its result, if it has one.
    #[schemars(with = "Option<serde_json::Value>")]
    pub output: Option<&'a RawValue>,
    /// What its server says about its behaviour, if anything.
    #[schemars(with = "Option<serde_json::Value>")]
    pub annotations: Option<&'a RawValue>,
    /// Why it was not found.
    pub error: Option<String>,
    /// Names that were probably meant, at most 5.
    pub suggestions: Vec<String>,
}
