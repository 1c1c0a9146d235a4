//! `tools search`: what a query finds, best first, and why.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{SnapshotFacts, raw};
use crate::model::Diagnostic;
use crate::report::common::{Context, Envelope};
use crate::report::nearest;
use crate::tools::{Answer, Contribution, Hit, QueryError, Ranker, SearchIndex, SearchScope, bare_name};

/// From this many characters on a name cannot be told from a sentence, so no names are offered for it.
const LONGEST_NAME: usize = 80;

/// The answer of `tools search`.
#[derive(Debug)]
pub struct ToolsSearchReport<'a> {
    /// What the question was about.
    pub context: Context,
    /// The query as it was given.
    pub query: &'a str,
    /// How hits were scored.
    pub ranker: Ranker,
    /// What was searched.
    pub index: &'a SearchIndex,
    /// What of it may be found.
    pub scope: &'a SearchScope,
    /// What was found, or why nothing could be asked.
    pub answer: Result<Answer<'a>, QueryError>,
    /// False when a source could not be read.
    pub complete: bool,
    /// What was wrong with the sources.
    pub diagnostics: Vec<Diagnostic>,
    /// What is to be said of servers.
    pub facts: SnapshotFacts,
}

impl ToolsSearchReport<'_> {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ToolsSearchView<'_> {
        ToolsSearchView {
            envelope: self.envelope(),
            not_refreshed: &self.facts.not_refreshed,
            answer: self.answer_view(),
        }
    }

    /// The answer without its hits, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self) -> ToolsSearchHead<'_> {
        ToolsSearchHead {
            envelope: self.envelope(),
            not_refreshed: &self.facts.not_refreshed,
            answer: self.answer_head(),
        }
    }

    fn envelope(&self) -> Envelope<'_> {
        self.context
            .envelope("aleph-discover/tools-search@1", self.complete, &self.diagnostics)
    }

    /// The answer alone.
    #[must_use]
    pub fn answer_view(&self) -> AnswerView<'_> {
        AnswerView {
            head: self.answer_head(),
            results: self.hits(),
        }
    }

    /// The hits.
    #[must_use]
    pub fn hits(&self) -> Vec<HitView<'_>> {
        self.found()
            .iter()
            .map(|hit| HitView::of(hit, &self.facts))
            .collect()
    }

    /// What was found.
    #[must_use]
    pub fn found(&self) -> &[Hit<'_>] {
        self.answer.as_ref().map_or(&[], |answer| answer.hits.as_slice())
    }

    fn answer_head(&self) -> AnswerHead<'_> {
        let matched = self.answer.as_ref().map_or(0, |answer| answer.matched);
        let count = self.found().len();
        AnswerHead {
            query: self.query,
            ranker: self.ranker.as_str(),
            count,
            matched,
            truncated: matched > count,
            indexed: self.scope.count(self.index),
            reason: self.reason(),
            suggestions: self.suggestions(),
        }
    }

    /// Why nothing, or not everything that was named, was found.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match &self.answer {
            Ok(answer) => {
                why_nothing(self.index, self.scope, answer).map(|reason| self.with_facts(answer, reason))
            }
            Err(error) => Some(error.to_string()),
        }
    }

    /// That servers were never asked is worth knowing where nothing was found.
    fn with_facts(&self, answer: &Answer<'_>, reason: String) -> String {
        match self.facts.never_refreshed() {
            Some(never) if answer.missing.is_empty() && answer.missing_servers.is_empty() => {
                format!("{reason}; {never}")
            }
            _ => reason,
        }
    }

    /// The names that were probably meant, where something named was not found or nothing was.
    #[must_use]
    pub fn suggestions(&self) -> Vec<String> {
        let found = |answer| meant(self.query, self.index, self.scope, answer);
        self.answer.as_ref().map(found).unwrap_or_default()
    }
}

/// Why an answer has nothing, or not everything that was named.
#[must_use]
pub fn why_nothing(index: &SearchIndex, scope: &SearchScope, answer: &Answer<'_>) -> Option<String> {
    if !answer.missing.is_empty() {
        return Some(format!("no tool is called {}", quoted(&answer.missing)));
    }
    if !answer.hits.is_empty() {
        return None;
    }
    let reason = if index.documents().is_empty() && index.quarantined() > 0 {
        "no tool can be used: `tools list` says why"
    } else if index.documents().is_empty() {
        "no tools are known: give a file with --catalog, or refresh the servers"
    } else if scope.count(index) == 0 {
        "no tool is visible in this session: `tools explain NAME` says why"
    } else if !answer.missing_servers.is_empty() {
        return Some(format!("no server is called {}", quoted(&answer.missing_servers)));
    } else if answer.only_stop_words {
        "every word of the query is too common to search for"
    } else {
        "no tool shares a word with the query"
    };
    Some(reason.to_owned())
}

/// The names that were probably meant, where something named was not found or nothing was.
#[must_use]
pub fn meant(query: &str, index: &SearchIndex, scope: &SearchScope, answer: &Answer<'_>) -> Vec<String> {
    let tools = || scope.tools(index);
    let names = || tools().flat_map(|tool| [tool.name, bare_name(tool.server, tool.tool)]);
    if let [missing, ..] = answer.missing.as_slice() {
        return nearest(missing, names());
    }
    if !answer.hits.is_empty() {
        return Vec::new();
    }
    if let [missing, ..] = answer.missing_servers.as_slice() {
        return nearest(missing, tools().map(|tool| tool.server));
    }
    if query.chars().count() > LONGEST_NAME {
        return Vec::new();
    }
    nearest(query, names())
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The answer of `tools search`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-search@1")]
pub struct ToolsSearchView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The MCP servers that could be asked and never were.
    pub not_refreshed: &'a [String],
    /// What was found.
    #[serde(flatten)]
    pub answer: AnswerView<'a>,
}

/// An answer of `tools search` but for its hits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolsSearchHead<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The MCP servers that could be asked and never were.
    pub not_refreshed: &'a [String],
    /// What was found, in numbers.
    #[serde(flatten)]
    pub answer: AnswerHead<'a>,
}

/// The answer to one of many queries (`--queries`), which has no header.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "tools-query@1")]
pub struct QueryAnswerView<'a> {
    /// What the query is called: its `id`, or the number of its line.
    pub id: serde_json::Value,
    /// What was found.
    #[serde(flatten)]
    pub answer: AnswerView<'a>,
}

/// What a query found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerView<'a> {
    /// All but the hits.
    #[serde(flatten)]
    pub head: AnswerHead<'a>,
    /// The hits, best first.
    pub results: Vec<HitView<'a>>,
}

/// What a query found, in numbers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerHead<'a> {
    /// The query as it was given.
    pub query: &'a str,
    /// How hits were scored: `fields`, or `bm25` for the plain form.
    pub ranker: &'static str,
    /// How many hits there are here.
    pub count: usize,
    /// How many tools matched.
    pub matched: usize,
    /// Whether more matched than there are here.
    pub truncated: bool,
    /// How many tools were searched.
    pub indexed: usize,
    /// Why nothing, or not everything that was named, was found; null where there is nothing to say.
    pub reason: Option<String>,
    /// Names that were probably meant.
    pub suggestions: Vec<String>,
}

/// One tool that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitView<'a> {
    /// The name that it goes by here.
    pub name: &'a str,
    /// The server that offers it.
    pub server: &'a str,
    /// Its name on that server.
    pub tool: &'a str,
    /// What it does, in its server's words.
    pub description: &'a str,
    /// The full schema of its arguments.
    #[schemars(with = "serde_json::Value")]
    pub parameters: Option<&'a RawValue>,
    /// Its score, to 3 decimals; higher is better, comparable within one answer only.
    pub score: f64,
    /// Whether its server did not answer when it was last asked.
    pub stale: bool,
    /// What made the score, most first.
    pub why: Vec<ContributionView<'a>>,
}

impl<'a> HitView<'a> {
    /// A hit as JSON.
    #[must_use]
    pub fn of(hit: &'a Hit<'_>, facts: &SnapshotFacts) -> Self {
        Self {
            name: hit.tool.name,
            server: hit.tool.server,
            tool: hit.tool.tool,
            description: hit.tool.description,
            parameters: raw(hit.tool.parameters),
            score: rounded(hit.score),
            stale: facts.stale.contains(hit.tool.server),
            why: hit.why.iter().map(ContributionView::of).collect(),
        }
    }
}

/// One part of a score.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContributionView<'a> {
    /// The word of the query, stemmed; null where it is not one word.
    pub term: Option<&'a str>,
    /// The word of the tool that stood for it, where it is another: a synonym, or the right spelling.
    pub matched: Option<&'a str>,
    /// What scored: a field of the tool, or `sentence` (the sentence of the query that fits best), `whole-name` (a name
    /// wholly in the query), `neighbours` (what the server's tools score), `exact-name`, `pattern-in-name`,
    /// `pattern-in-text`.
    pub field: &'static str,
    /// How much, to 3 decimals.
    pub score: f64,
}

impl<'a> ContributionView<'a> {
    fn of(part: &'a Contribution) -> Self {
        Self {
            term: part.term.as_deref(),
            matched: part.matched.as_deref(),
            field: part.part.as_str(),
            score: rounded(part.score),
        }
    }
}

fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
