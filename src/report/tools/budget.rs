//! `tools budget`: what the first list of tools costs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Diagnostic;
use crate::report::common::{Context, Envelope};
use crate::tools::{Budget, Cost, Tier};

/// How tokens are estimated.
const METHOD: &str = "bytes of each entry (name, title, description, inputSchema) as compact JSON; tokens are a quarter of them";

/// The answer of `tools budget`.
#[derive(Debug)]
pub struct ToolsBudgetReport {
    /// What the question was about.
    pub context: Context,
    /// What it costs.
    pub budget: Budget,
    /// False when a source could not be read.
    pub complete: bool,
    /// What was wrong with the sources.
    pub diagnostics: Vec<Diagnostic>,
}

impl ToolsBudgetReport {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> BudgetView<'_> {
        BudgetView {
            envelope: self.context.envelope(
                "aleph-discover/tools-budget@1",
                self.complete,
                &self.diagnostics,
            ),
            method: METHOD,
            total: CostView::of(self.budget.full, self.budget.listed),
            servers: self.budget.servers.iter().map(server).collect(),
        }
    }
}

fn server(budget: &crate::tools::ServerBudget) -> ServerBudgetView<'_> {
    let tool = |tool: &'_ crate::tools::ToolBudget| ToolBudgetView {
        name: tool.name.clone(),
        tier: tool.tier,
        cost: CostView::of(tool.full, tool.listed),
    };
    ServerBudgetView {
        server: &budget.server,
        cost: CostView::of(budget.full, budget.listed),
        tools: budget.tools.iter().map(tool).collect(),
    }
}

/// The answer of `tools budget`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-budget@1")]
pub struct BudgetView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// How bytes are counted and tokens estimated.
    pub method: &'static str,
    /// What all tools cost.
    pub total: CostView,
    /// The servers, by name.
    pub servers: Vec<ServerBudgetView<'a>>,
}

/// What something costs, with and without tiers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CostView {
    /// Bytes in the first list, with tiers.
    pub bytes: usize,
    /// Tokens in the first list, with tiers, estimated.
    pub tokens_estimated: usize,
    /// Bytes where everything is listed in full.
    pub bytes_without_tiers: usize,
    /// Tokens where everything is listed in full, estimated.
    pub tokens_estimated_without_tiers: usize,
}

impl CostView {
    const fn of(full: Cost, listed: Cost) -> Self {
        Self {
            bytes: listed.bytes,
            tokens_estimated: listed.tokens_estimated,
            bytes_without_tiers: full.bytes,
            tokens_estimated_without_tiers: full.tokens_estimated,
        }
    }
}

/// What the tools of one server cost.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServerBudgetView<'a> {
    /// The server.
    pub server: &'a str,
    /// What its tools cost.
    #[serde(flatten)]
    pub cost: CostView,
    /// Its tools, by name.
    pub tools: Vec<ToolBudgetView>,
}

/// What one tool costs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolBudgetView {
    /// The name that it goes by here.
    pub name: String,
    /// How it is listed.
    pub tier: Tier,
    /// What it costs.
    #[serde(flatten)]
    pub cost: CostView,
}
