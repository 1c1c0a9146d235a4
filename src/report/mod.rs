//! Report values: what a command answers, apart from how it is shown.
//!
//! Each command makes one report; tables, JSON, JSON lines and lists of paths are renderings of that same value,
//! so they cannot disagree. Selecting what to show happens here, after everything is resolved, so a filter never
//! changes who wins.

mod annotated;
mod common;
mod config_files;
pub mod disclosure;
pub mod escape;
pub mod explain;
mod hosts;
mod install;
mod json;
mod marketplaces;
mod on_demand;
mod plugin_checks;
mod plugins;
mod roots;
mod scan;
mod schema;
mod servers;
pub mod shell;
#[cfg(feature = "tables")]
pub mod table;
mod tools;
mod verify;
mod why;

pub use crate::model::nearest;
pub use annotated::annotated;
pub use common::{Context, DiagnosticView, Envelope, Findings};
pub use config_files::{
    ConfigFileView, ConfigFilesHead, ConfigFilesReport, ConfigFilesView, MergedValueView, MergedView,
    OriginView, OverriddenView, ProbedView,
};
pub use explain::{ExplainListView, ExplainView};
pub use hosts::{
    Disagreement, DisagreementView, HostAnswer, HostView, HostsReport, HostsView, WhyHostView,
    WhyHostsReport, WhyHostsView, claude_differs,
};
pub use install::{
    ChangeReport, ChangeView, PluginsVerifyHead, PluginsVerifyReport, PluginsVerifyView, VerifiedView,
};
pub use json::{write_json, write_json_line};
pub use marketplaces::{
    EntryView, MarketplaceView, MarketplacesHead, MarketplacesReport, MarketplacesView, OfferHit, ResultView,
    StatedView,
};
pub use on_demand::{
    AskedServer, AskedState, ContentType, ListedArgument, ListedPrompt, ListedResource, ListedTemplate,
    McpListView, McpPromptView, McpPromptsView, McpReadView, McpRefreshView, McpResourcesView,
    McpTemplatesView, MessageView, OnDemandReport, PartView, PromptReport, ReadReport, RefreshReport,
    RefreshedServer,
};
pub use plugin_checks::{DiscloseReport, DiscloseView, SubjectView, ValidateReport, ValidateView};
pub use plugins::{
    ComponentView, ManifestView, PluginDetailView, PluginView, PluginsHead, PluginsReport, PluginsShowView,
    PluginsView,
};
pub use roots::{RootsReport, RootsView, WalkStepView};
pub use scan::{
    CandidateView, Candidates, CauseView, ChainView, Chains, RootDirView, RootView, ScanHead, ScanReport,
    ScanView, Selection, SummaryView,
};
pub use schema::{ErrorCode, ErrorDetail, ErrorView, SCHEMA_NAMES, SchemaListView, schema};
pub use servers::{
    DifferenceView, ServerCandidateView, ServerChainView, ServerChains, ServerFacts, ServersHead,
    ServersReport, ServersView,
};
pub use tools::{
    AnswerHead, AnswerView, BudgetView, ContributionView, CostView, HitView, QueryAnswerView,
    ServerBudgetView, SnapshotFacts, ToolBudgetView, ToolView, ToolsBudgetReport, ToolsListHead,
    ToolsListReport, ToolsListView, ToolsSchemaReport, ToolsSchemaView, ToolsSearchHead, ToolsSearchReport,
    ToolsSearchView, meant, why_nothing,
};
pub use verify::{AnswerForm, CheckedView, HostOnly, HostOnlyView, VerifyReport, VerifyView};
pub use why::{PathFate, Question, QuestionView, WhyHead, WhyReport, WhyView};
