//! A query asked: hits, in order, with the reasons for their scores.

use super::index::{Document, Evidence, Explanation, SearchIndex, SearchScope};
use super::plain::PlainRanker;
use super::query::{Form, Query, is_named, is_server, same_name};
use super::tool::bare_name;

/// How hits are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranker {
    /// Weighted fields, stems, synonyms: the best there is here.
    #[default]
    Fields,
    /// The plain form of the original; no query syntax, no exact names, no cap.
    Bm25,
}

impl Ranker {
    /// The name used in JSON and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fields => "fields",
            Self::Bm25 => "bm25",
        }
    }
}

/// How much of an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The most hits; 5 by default.
    pub limit: usize,
    /// The most hits of one server; all by default. Tools that were asked for by name do not count.
    pub cap: Option<usize>,
    /// How hits are scored.
    pub ranker: Ranker,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 5,
            cap: None,
            ranker: Ranker::Fields,
        }
    }
}

/// What scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A word in the name.
    Name,
    /// A word in the title.
    Title,
    /// A word in the server's name.
    Server,
    /// A word in the description.
    Description,
    /// A word in the name of a parameter.
    ParameterName,
    /// A word in what is said about a parameter.
    ParameterDescription,
    /// A word in name or description, which the plain ranking does not tell apart.
    NameOrDescription,
    /// The sentence of the query that fits the tool best.
    Sentence,
    /// The name, which is wholly in the query.
    WholeName,
    /// What the server's tools score: their mean and the best of them.
    Neighbours,
    /// The query is this tool's name.
    ExactName,
    /// A pattern matched the name.
    PatternInName,
    /// A pattern matched title or description.
    PatternInText,
}

impl Part {
    const FIELDS: [Self; 6] = [
        Self::Name,
        Self::Title,
        Self::Server,
        Self::Description,
        Self::ParameterName,
        Self::ParameterDescription,
    ];

    /// The name used in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Title => "title",
            Self::Server => "server",
            Self::Description => "description",
            Self::ParameterName => "parameter-name",
            Self::ParameterDescription => "parameter-description",
            Self::NameOrDescription => "name-or-description",
            Self::Sentence => "sentence",
            Self::WholeName => "whole-name",
            Self::Neighbours => "neighbours",
            Self::ExactName => "exact-name",
            Self::PatternInName => "pattern-in-name",
            Self::PatternInText => "pattern-in-text",
        }
    }
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The word of the query, as it is searched for: in lower case, stemmed. None where it is not one word.
    pub term: Option<String>,
    /// The word of the tool that stood for it, where it is another: a synonym, or the right spelling.
    pub matched: Option<String>,
    /// What scored.
    pub part: Part,
    /// How much.
    pub score: f64,
}

/// One tool that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<'a> {
    /// The tool.
    pub tool: Document<'a>,
    /// Its score; higher is better, comparable within one answer only.
    pub score: f64,
    /// What made the score, most first.
    pub why: Vec<Contribution>,
}

/// What a query found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<'a> {
    /// The hits, best first; ties by qualified name.
    pub hits: Vec<Hit<'a>>,
    /// How many tools matched, also those that the limit or the cap keeps out of the hits.
    pub matched: usize,
    /// Names that were asked for with `select:` and are not there.
    pub missing: Vec<String>,
    /// Servers that were asked for with `server:` and are not there.
    pub missing_servers: Vec<String>,
    /// Whether every word of the query says nothing.
    pub only_stop_words: bool,
}

/// A tool in the running: place, score, whether it was asked for by name.
#[derive(Clone, Copy)]
struct Candidate {
    at: usize,
    score: f64,
    is_named: bool,
}

/// Asks a query. The same index, query and options give the same answer.
///
/// For [`Ranker::Bm25`] the plain index has to be given; the query's commands are then plain words.
#[must_use]
pub fn search<'a>(
    index: &'a SearchIndex,
    plain: Option<&PlainRanker>,
    query: &Query,
    options: SearchOptions,
) -> Answer<'a> {
    search_within(index, &SearchScope::everything(), plain, query, options)
}

/// Asks a query of the tools of a scope alone: what is outside is no hit and not counted, and has no part in what is
/// said of what is inside.
///
/// For [`Ranker::Bm25`] the plain index has to be given; the query's commands are then plain words.
#[must_use]
pub fn search_within<'a>(
    index: &'a SearchIndex,
    scope: &SearchScope,
    plain: Option<&PlainRanker>,
    query: &Query,
    options: SearchOptions,
) -> Answer<'a> {
    if let (Ranker::Bm25, Some(plain)) = (options.ranker, plain) {
        return search_plain(index, scope, plain, query, options);
    }
    match &query.form {
        Form::Words(words) => search_words(index, scope, query, words, options),
        Form::Select(names) => select(index, scope, names, options),
        Form::Pattern(pattern) => search_pattern(index, scope, pattern, options),
    }
}

fn search_plain<'a>(
    index: &'a SearchIndex,
    scope: &SearchScope,
    plain: &PlainRanker,
    query: &Query,
    options: SearchOptions,
) -> Answer<'a> {
    let scores = plain.scores(&query.text);
    let scored = scores
        .into_iter()
        .enumerate()
        .filter(|(at, score)| *score > 0.0 && scope.has(*at));
    let candidates = scored
        .map(|(at, score)| Candidate {
            at,
            score,
            is_named: false,
        })
        .collect();
    let options = SearchOptions { cap: None, ..options };
    answer(index, candidates, options, |candidate| {
        let parts = plain.explain(&query.text, candidate.at).into_iter();
        let part = |(term, score)| Contribution {
            term: Some(term),
            matched: None,
            part: Part::NameOrDescription,
            score,
        };
        parts.map(part).collect()
    })
}

fn search_words<'a>(
    index: &'a SearchIndex,
    scope: &SearchScope,
    query: &Query,
    words: &str,
    options: SearchOptions,
) -> Answer<'a> {
    let reading = index.read(words, scope);
    let ranked = index.rank(&reading, scope);
    let named = named(index, scope, words);
    // Above everything that only shares words.
    let above = f64::from(ranked.scores.iter().copied().fold(0.0, f32::max)) + 1.0;
    let is_missing = |server: &&String| !scope.tools(index).any(|tool| is_server(tool.server, server));
    let missing_servers: Vec<String> = query.servers.iter().filter(is_missing).cloned().collect();
    let only_server = words.trim().is_empty() && !query.servers.is_empty();
    let mut candidates = Vec::new();
    for (at, score) in ranked.scores.iter().enumerate() {
        let is_named = named.contains(&at);
        if *score <= 0.0 && !is_named && !(only_server && scope.has(at)) {
            continue;
        }
        if !query.servers.is_empty() || !query.required.is_empty() {
            let Some(tool) = index.documents().get(at) else {
                continue;
            };
            let is_of_server =
                query.servers.is_empty() || query.servers.iter().any(|server| is_server(tool.server, server));
            if !is_of_server || !has_words(index, at, &query.required) {
                continue;
            }
        }
        let score = f64::from(*score) + if is_named { above } else { 0.0 };
        candidates.push(Candidate { at, score, is_named });
    }
    let mut answer = answer(index, candidates, options, |candidate| {
        let parts = index
            .explain(&reading, &ranked, candidate.at)
            .into_iter()
            .map(contribution);
        let exact = Contribution {
            term: Some(words.trim().to_owned()),
            matched: None,
            part: Part::ExactName,
            score: above,
        };
        candidate
            .is_named
            .then_some(exact)
            .into_iter()
            .chain(parts)
            .collect()
    });
    answer.missing_servers = missing_servers;
    answer.only_stop_words = reading.terms.is_empty() && reading.stop_words > 0;
    answer
}

fn contribution(part: Explanation) -> Contribution {
    Contribution {
        term: part.term,
        matched: part.matched,
        part: match part.evidence {
            Evidence::Field(field) => Part::FIELDS.get(field).copied().unwrap_or(Part::Description),
            Evidence::Sentence => Part::Sentence,
            Evidence::WholeName => Part::WholeName,
            Evidence::Neighbours => Part::Neighbours,
        },
        score: f64::from(part.score),
    }
}

/// The places of the tools of the scope whose name a text is: the qualified one, or else every owner of the bare one.
fn named(index: &SearchIndex, scope: &SearchScope, text: &str) -> Vec<usize> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let documents = index.documents();
    // Letters outside ASCII can have more bytes in one case than in the other.
    let places: Vec<usize> = if text.is_ascii() {
        let bare = text.strip_prefix("mcp__").map(str::len);
        let mut places: Vec<usize> = documents.with_names_of(text.len()).collect();
        places.extend(
            bare.into_iter()
                .flat_map(|length| documents.with_names_of(length)),
        );
        places.sort_unstable();
        places.dedup();
        places
    } else {
        (0..documents.len()).collect()
    };
    let among = |is: &dyn Fn(&Document<'_>) -> bool| -> Vec<usize> {
        let is = |at: &usize| scope.has(*at) && documents.get(*at).is_some_and(|tool| is(&tool));
        places.iter().copied().filter(is).collect()
    };
    let qualified = among(&|tool| same_name(tool.name, text));
    if !qualified.is_empty() {
        return qualified;
    }
    among(&|tool| is_named(tool.server, tool.tool, text))
}

/// Whether a tool has each of these words, in any form, in any field.
fn has_words(index: &SearchIndex, at: usize, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let fields = index.fields_of(at);
    let has = |word: &String| {
        let form = super::words::Words::get().index_form(word);
        form.is_none_or(|form| fields.iter().flatten().any(|(known, _)| *known == form))
    };
    words.iter().all(has)
}

fn select<'a>(
    index: &'a SearchIndex,
    scope: &SearchScope,
    names: &[String],
    options: SearchOptions,
) -> Answer<'a> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        let places = named(index, scope, name);
        if places.is_empty() {
            missing.push(name.clone());
        }
        for at in places {
            if !candidates.iter().any(|known| known.at == at) {
                candidates.push(Candidate {
                    at,
                    score: 1.0,
                    is_named: true,
                });
            }
        }
    }
    let mut answer = answer(index, candidates, options, |candidate| {
        let name = index
            .documents()
            .get(candidate.at)
            .map(|tool| tool.name.to_owned());
        vec![Contribution {
            term: name,
            matched: None,
            part: Part::ExactName,
            score: 1.0,
        }]
    });
    answer.missing = missing;
    answer
}

fn search_pattern<'a>(
    index: &'a SearchIndex,
    scope: &SearchScope,
    pattern: &regex::Regex,
    options: SearchOptions,
) -> Answer<'a> {
    let mut candidates = Vec::new();
    let all = index.documents().iter().enumerate();
    for (at, tool) in all.filter(|(at, _)| scope.has(*at)) {
        let bare = bare_name(tool.server, tool.tool);
        if [bare, tool.tool, tool.name]
            .iter()
            .any(|name| pattern.is_match(name))
        {
            candidates.push(Candidate {
                at,
                score: 2.0,
                is_named: false,
            });
        } else if pattern.is_match(tool.title) || pattern.is_match(tool.description) {
            candidates.push(Candidate {
                at,
                score: 1.0,
                is_named: false,
            });
        }
    }
    answer(index, candidates, options, |candidate| {
        let part = if candidate.score > 1.0 {
            Part::PatternInName
        } else {
            Part::PatternInText
        };
        vec![Contribution {
            term: None,
            matched: None,
            part,
            score: candidate.score,
        }]
    })
}

/// Orders candidates, lets the cap and the limit through, and explains what is left.
fn answer<'a>(
    index: &'a SearchIndex,
    mut candidates: Vec<Candidate>,
    options: SearchOptions,
    why: impl Fn(Candidate) -> Vec<Contribution>,
) -> Answer<'a> {
    let documents = index.documents();
    let name = |candidate: &Candidate| documents.get(candidate.at).map_or("", |tool| tool.name);
    let order = |one: &Candidate, other: &Candidate| {
        other
            .score
            .total_cmp(&one.score)
            .then_with(|| name(one).cmp(name(other)))
    };
    if options.cap.is_none() && options.limit < candidates.len() {
        // Only the first are shown, so only they need an order.
        let matched = candidates.len();
        if options.limit > 0 {
            candidates.select_nth_unstable_by(options.limit - 1, order);
        }
        candidates.truncate(options.limit);
        let mut answer = answer(index, candidates, options, why);
        answer.matched = matched;
        return answer;
    }
    let matched = candidates.len();
    candidates.sort_unstable_by(order);
    if let Some(cap) = options.cap {
        let mut taken: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
        candidates.retain(|candidate| {
            let server = documents.get(candidate.at).map_or("", |tool| tool.server);
            let taken = taken.entry(server).or_default();
            let is_let_through = candidate.is_named || *taken < cap;
            *taken += usize::from(is_let_through && !candidate.is_named);
            is_let_through
        });
    }
    candidates.truncate(options.limit);
    let hit = |candidate: &Candidate| {
        Some(Hit {
            tool: documents.get(candidate.at)?,
            score: candidate.score,
            why: why(*candidate),
        })
    };
    Answer {
        hits: candidates.iter().filter_map(hit).collect(),
        matched,
        missing: Vec::new(),
        missing_servers: Vec::new(),
        only_stop_words: false,
    }
}
