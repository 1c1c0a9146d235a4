//! `tools`: what there is, what a query finds, one schema, and what it all costs.

mod budget;
mod list;
mod schema;
mod search;

pub use budget::{BudgetView, CostView, ServerBudgetView, ToolBudgetView, ToolsBudgetReport};
pub use list::{ToolView, ToolsListHead, ToolsListReport, ToolsListView};
pub use schema::{ToolsSchemaReport, ToolsSchemaView};
pub use search::{
    AnswerHead, AnswerView, ContributionView, HitView, QueryAnswerView, ToolsSearchHead, ToolsSearchReport,
    ToolsSearchView, meant, why_nothing,
};

use std::collections::BTreeSet;

use serde_json::value::RawValue;

/// What is to be said of servers beside their tools.
#[derive(Clone, Debug, Default)]
pub struct SnapshotFacts {
    /// The servers that could be asked and never were, so nothing of them is known.
    pub not_refreshed: Vec<String>,
    /// The servers that did not answer when they were last asked, so what is known of them may be outdated.
    pub stale: BTreeSet<String>,
}

impl SnapshotFacts {
    /// What to do about servers that were never asked.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let never = self.never_refreshed();
        never
            .map(|never| format!("{never}; `aleph-discover mcp refresh` asks those that are approved"))
            .into_iter()
            .collect()
    }

    /// That servers were never asked, in words.
    fn never_refreshed(&self) -> Option<String> {
        const SHOWN: usize = 10;
        if self.not_refreshed.is_empty() {
            return None;
        }
        let mut names: Vec<&str> = self
            .not_refreshed
            .iter()
            .take(SHOWN)
            .map(String::as_str)
            .collect();
        if self.not_refreshed.len() > SHOWN {
            names.push("\u{2026}");
        }
        Some(format!("never refreshed: {}", names.join(", ")))
    }
}

/// A schema as it is written; an empty one where the text is no JSON, which it was when it was read.
fn raw(json: &str) -> Option<&RawValue> {
    serde_json::from_str(json).ok()
}
