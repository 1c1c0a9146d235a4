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

use serde_json::value::RawValue;

/// A schema as it is written; an empty one where the text is no JSON, which it was when it was read.
fn raw(json: &str) -> Option<&RawValue> {
    serde_json::from_str(json).ok()
}
