//! `tools search`: one query, or many.

use std::num::NonZeroUsize;

use aleph_discover::DiscoveryManager;
use aleph_discover::model::Diagnostic;
use aleph_discover::parse::json_error;
use aleph_discover::report::{Context, QueryAnswerView, ToolsSearchReport, table};
use aleph_discover::tools::{
    PlainRanker, PlainTokens, Query, QueryError, Ranker, SearchIndex, SearchOptions, SearchScope,
    search_within,
};
use serde_json::Value;

use super::allowed::AllowedTools;
use super::args::{RankerArg, Search};
use super::cache::Cache;
use super::rules;
use super::sources::{self, Gathered};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn run(args: &Search, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let options = SearchOptions {
        limit: args.limit.get(),
        cap: args.cap.map(NonZeroUsize::get),
        ranker: match args.ranker {
            RankerArg::Fields => Ranker::Fields,
            RankerArg::Bm25 => Ranker::Bm25,
        },
    };
    if options.ranker == Ranker::Bm25 && options.cap.is_some() {
        return Err(Failure::usage(
            "the plain ranking has no cap on the tools of one server",
            "leave out --cap, or --ranker bm25",
        ));
    }
    // A query that cannot be asked costs no reading.
    let query = args
        .query
        .as_deref()
        .map(|text| parse(text, options.ranker))
        .transpose()
        .map_err(|error| {
            Failure::usage(
                error.to_string(),
                "say in words what the tool is to do, such as `send a message to a channel`",
            )
        })?;
    let manager = session::open(global)?;
    let sources = sources::gather(&args.sources, &manager, output)?;
    let cache = (!global.no_cache)
        .then(|| Cache::of(&sources, &manager))
        .flatten();
    let (index, diagnostics) = index(&sources, cache)?;
    let scope = scope(args, &index, global, &manager, output)?;
    let plain =
        (options.ranker == Ranker::Bm25).then(|| PlainRanker::new(index.documents(), PlainTokens::default()));
    let asked = Asked {
        index: &index,
        scope: &scope,
        plain: plain.as_ref(),
        options,
        manager: &manager,
        sources: &sources,
        diagnostics,
    };
    match (&query, &args.queries) {
        (Some(query), _) => asked.one(query, output),
        (None, Some(path)) => {
            if path.as_os_str() == "-" && sources.has_stdin {
                return Err(Failure::usage(
                    "standard input cannot be both tools and queries",
                    "read one of them from a file",
                ));
            }
            asked.many(&sources::read_input(path)?, output)
        }
        (None, None) => Err(Failure::usage(
            "there is no query",
            "give one, or a file with --queries",
        )),
    }
}

/// The plain ranking takes every query as words.
fn parse(text: &str, ranker: Ranker) -> Result<Query, QueryError> {
    match ranker {
        Ranker::Fields => Query::parse(text),
        Ranker::Bm25 => Query::words(text),
    }
}

/// The saved index, or one that is built now and saved.
fn index(sources: &Gathered, cache: Option<Cache>) -> Result<(SearchIndex, Vec<Diagnostic>), Failure> {
    if let Some(index) = cache.as_ref().and_then(Cache::load) {
        return Ok((index, sources.told()));
    }
    let (catalogue, diagnostics) = sources.read()?;
    let index = SearchIndex::build(&catalogue);
    // What was wrong with a snapshot has to be told again in the next run.
    if let Some(cache) = cache.filter(|_| diagnostics.len() == sources.told().len()) {
        cache.save(&index);
    }
    Ok((index, diagnostics))
}

/// What may be found: everything, or what a session sees.
fn scope(
    args: &Search,
    index: &SearchIndex,
    global: &Global,
    manager: &DiscoveryManager,
    output: &mut Output,
) -> Result<SearchScope, Failure> {
    let (rules, session) = (args.rules.as_deref(), args.session.as_deref());
    if rules.is_none() && session.is_none() {
        return Ok(SearchScope::everything());
    }
    let known = AllowedTools::of_index(index, global, manager, output)?;
    let (mut simulation, handle) = rules::replayed(rules, session, manager, &known, output)?;
    let now = simulation.now();
    Ok(simulation.sessions().session(&handle).scope(index, &known, now))
}

/// Everything that queries are asked of.
struct Asked<'a> {
    index: &'a SearchIndex,
    scope: &'a SearchScope,
    plain: Option<&'a PlainRanker>,
    options: SearchOptions,
    manager: &'a DiscoveryManager,
    sources: &'a Gathered,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Asked<'a> {
    fn report<'q>(&self, text: &'q str, query: Result<Query, QueryError>) -> ToolsSearchReport<'q>
    where
        'a: 'q,
    {
        ToolsSearchReport {
            context: Context::of(self.manager),
            query: text,
            ranker: self.options.ranker,
            index: self.index,
            scope: self.scope,
            answer: query
                .map(|query| search_within(self.index, self.scope, self.plain, &query, self.options)),
            complete: self.sources.complete,
            diagnostics: self.diagnostics.clone(),
            facts: self.sources.facts.clone(),
        }
    }

    fn one(&self, query: &Query, output: &mut Output) -> Result<Exit, Failure> {
        let report = self.report(&query.text, Ok(query.clone()));
        match output.format {
            Format::Table => {
                let look = output.look(&report.context.directory);
                table::tools_search(&report, &look, output.stdout())?;
                output.talk(&report.diagnostics, &report.facts.hints())?;
            }
            Format::Json => output.json(&report.view())?,
            Format::Jsonl => {
                output.json_line(&report.head())?;
                for hit in report.hits() {
                    output.json_line(&hit)?;
                }
            }
            Format::Paths => {
                for hit in report.found() {
                    output.path(std::path::Path::new(hit.tool.name))?;
                }
            }
        }
        Ok(super::exit(self.sources.failed, report.complete, true))
    }

    fn many(&self, bytes: &[u8], output: &mut Output) -> Result<Exit, Failure> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Failure::usage(
                format!(
                    "the byte at offset {} of the queries is not UTF-8",
                    error.valid_up_to()
                ),
                "save the file as UTF-8",
            )
        })?;
        for (number, line) in (1_u64..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let (id, query) = query_of(line, number)?;
            let report = self.report(&query, parse(&query, self.options.ranker));
            output.json_line(&QueryAnswerView {
                id,
                answer: report.answer_view(),
            })?;
        }
        Ok(super::exit(self.sources.failed, self.sources.complete, true))
    }
}

/// The query of a line and what it is called.
fn query_of(line: &str, number: u64) -> Result<(Value, String), Failure> {
    if !line.trim_start().starts_with('{') {
        return Ok((number.into(), line.to_owned()));
    }
    let bad = |reason: &str| {
        let message = format!("line {number} of the queries {reason}");
        Failure::usage(message, "write a query a line, or {\"id\": …, \"query\": \"…\"}")
    };
    let value: Value = serde_json::from_str(line).map_err(|error| {
        let (at, words) = json_error(line, &error);
        bad(&format!("is not JSON: {words}, column {}", at.column))
    })?;
    let query = value
        .get("query")
        .and_then(Value::as_str)
        .ok_or_else(|| bad("has no text `query`"))?;
    let id = value
        .get("id")
        .filter(|id| !id.is_null())
        .cloned()
        .unwrap_or_else(|| number.into());
    Ok((id, query.to_owned()))
}
