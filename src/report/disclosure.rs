//! `tools lint`, `tools explain` and `tools simulate`: staged and triggered disclosure, answered.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw};
use crate::model::{Diagnostic, Severity};
use crate::parse::Problem;
use crate::tools::disclosure::{Clause, EventAnswer, Explanation, Lint};

/// The answer of `tools lint`.
#[derive(Clone, Debug)]
pub struct LintReport {
    /// What the question was about.
    pub context: Context,
    /// The file that was judged.
    pub file: PathBuf,
    /// How many tools the rules speak of.
    pub tools: usize,
    /// How many of them some sequence of calls can make visible.
    pub reachable: usize,
    /// Whether the rules can be used.
    pub clean: bool,
    /// What is wrong, by line and column.
    pub diagnostics: Vec<Diagnostic>,
}

impl LintReport {
    /// The judgement on a file.
    #[must_use]
    pub fn new(context: Context, file: &Path, lint: Lint) -> Self {
        Self {
            clean: lint.is_clean(),
            diagnostics: lint
                .findings
                .iter()
                .map(|(severity, problem)| finding(file, *severity, problem))
                .collect(),
            file: file.to_path_buf(),
            tools: lint.tools,
            reachable: lint.reachable,
            context,
        }
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> LintView<'_> {
        let count = |severity| {
            self.diagnostics
                .iter()
                .filter(|one| one.severity == severity)
                .count()
        };
        LintView {
            envelope: self
                .context
                .envelope("aleph-discover/tools-lint@1", true, &self.diagnostics),
            file: owned_text(&self.file),
            file_bytes: raw(&self.file),
            tools: self.tools,
            reachable: self.reachable,
            clean: self.clean,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
        }
    }
}

/// A problem of a rules file as a finding.
#[must_use]
pub fn finding(file: &Path, severity: Severity, problem: &Problem) -> Diagnostic {
    problem.clone().into_diagnostic(severity).with_path(file)
}

/// The answer of `tools lint`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-lint@1")]
pub struct LintView<'a> {
    /// The fields that every answer begins with; `diagnostics` is what is wrong with the file.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The file that was judged.
    pub file: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<String>,
    /// How many tools the rules speak of.
    pub tools: usize,
    /// How many of them some sequence of calls can make visible.
    pub reachable: usize,
    /// Whether the rules can be used: every tool is reachable and nothing is an error.
    pub clean: bool,
    /// How many findings are errors.
    pub errors: usize,
    /// How many findings are warnings.
    pub warnings: usize,
}

/// The answer of `tools explain`.
#[derive(Clone, Debug)]
pub struct ToolReport {
    /// What the question was about.
    pub context: Context,
    /// Why the tool is or is not visible.
    pub explanation: Explanation,
    /// What was odd on the way.
    pub diagnostics: Vec<Diagnostic>,
}

impl ToolReport {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ToolView<'_> {
        ToolView {
            envelope: self.context.envelope(
                "aleph-discover/tools-explain@1",
                Diagnostic::is_all_read(&self.diagnostics),
                &self.diagnostics,
            ),
            name: &self.explanation.name,
            visible: self.explanation.visible,
            clauses: &self.explanation.clauses,
            next: self.explanation.next.as_deref(),
        }
    }
}

/// The answer of `tools explain`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-explain@1")]
pub struct ToolView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// Qualified name.
    pub name: &'a str,
    /// Whether it is visible: every clause holds.
    pub visible: bool,
    /// The clauses that concern it.
    pub clauses: &'a [Clause],
    /// What would make it visible; null if it is, or if nothing would.
    pub next: Option<&'a str>,
}

/// One line of the answer of `tools simulate`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-simulate@1")]
pub struct EventView<'a> {
    /// `aleph-discover/tools-simulate@1`.
    pub schema: &'static str,
    /// What the event came to.
    #[serde(flatten)]
    pub answer: &'a EventAnswer,
}

impl<'a> EventView<'a> {
    /// One line.
    #[must_use]
    pub const fn new(answer: &'a EventAnswer) -> Self {
        Self {
            schema: "aleph-discover/tools-simulate@1",
            answer,
        }
    }
}
