//! The answers of `explain` as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Example, Explanation, PageKind, Said, explanations};

impl Explanation {
    /// The answer of `explain CODE`.
    #[must_use]
    pub fn view(&self) -> ExplainView {
        ExplainView {
            schema: "aleph-discover/explain@1",
            version: env!("CARGO_PKG_VERSION"),
            page: self.page_view(),
        }
    }

    fn page_view(&self) -> PageView {
        let example = |verdict, example: Example| ExampleView {
            verdict,
            title: example.title,
            text: example.text,
        };
        PageView {
            code: self.code,
            kind: self.page.kind,
            said_of: self.said_of.clone(),
            title: self.page.title,
            text: self.page.paragraphs().join("\n\n"),
            examples: vec![
                example(Verdict::Bad, self.page.bad),
                example(Verdict::Good, self.page.good),
            ],
            source: self.page.source(),
            in_use: self.page.in_use,
        }
    }
}

/// The answer of `explain CODE`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "explain@1")]
pub struct ExplainView {
    /// `aleph-discover/explain@1`.
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The page.
    #[serde(flatten)]
    pub page: PageView,
}

/// The answer of `explain` without a code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "explain-list@1")]
pub struct ExplainListView {
    /// `aleph-discover/explain-list@1`.
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Every page, by kind: rules, states, diagnostics.
    pub codes: Vec<PageView>,
}

impl Default for ExplainListView {
    fn default() -> Self {
        Self {
            schema: "aleph-discover/explain-list@1",
            version: env!("CARGO_PKG_VERSION"),
            codes: explanations().iter().map(Explanation::page_view).collect(),
        }
    }
}

/// What is to be said of a code.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageView {
    /// The code as it is printed elsewhere.
    pub code: &'static str,
    /// What kind of word it is.
    pub kind: PageKind,
    /// What it is said of.
    pub said_of: Vec<Said>,
    /// One line.
    pub title: &'static str,
    /// What it means, why it is so and what to do, in paragraphs.
    pub text: String,
    /// A bad example and a good one.
    pub examples: Vec<ExampleView>,
    /// Where the rule is laid down.
    pub source: &'static str,
    /// False for a word that this version says of nothing.
    pub in_use: bool,
}

/// A small tree of files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExampleView {
    /// Whether it is a bad example or a good one.
    pub verdict: Verdict,
    /// What it shows.
    pub title: &'static str,
    /// The tree: a path a line, what a file holds indented below it.
    pub text: &'static str,
}

/// Whether an example is a bad one or a good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// How people come to meet the code, or what they hoped for.
    Bad,
    /// How it is meant to be.
    Good,
}
