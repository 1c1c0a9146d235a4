//! Measures the rankers on tools and labelled queries.
//!
//! ```text
//! cargo run --release --example evaluate -- TOOLS QUERIES
//! cargo run --release --example evaluate -- --without TOOLS QUERIES     each part of the ranking left out in turn
//! cargo run --release --example evaluate -- --half 0 TOOLS QUERIES      half of the queries, by a hash of their text
//! cargo run --release --example evaluate -- --changed TOOLS QUERIES     queries with misspelt words and other forms
//! ```
//!
//! TOOLS is a catalogue in any of the shapes that `--catalog` takes; QUERIES has JSON lines
//! `{"id", "query", "relevant": ["server__tool", …]}` with the raw names of server and tool.
//!
//! R@k is found labels by labels, nDCG@10 has binary gains, MRR is cut at 10; each is the mean over the queries. A tool
//! that shares no word with the query is never counted as found.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::hash::Hasher;
use std::path::Path;

use aleph_discover::tools::catalogue::Source;
use aleph_discover::tools::{
    Catalogue, PlainRanker, PlainTokens, Query, Ranker, SearchIndex, SearchOptions, Weights, search,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    query: String,
    relevant: Vec<String>,
}

/// The figures of a ranker on a set.
#[derive(Clone, Copy, Default)]
struct Figures {
    recall_1: f64,
    recall_5: f64,
    recall_10: f64,
    ndcg_10: f64,
    mrr: f64,
    queries: f64,
}

impl Figures {
    fn add(&mut self, ranking: &[bool], labels: usize) {
        let labels_f = count(labels);
        let found = |k: usize| count(ranking.iter().take(k).filter(|hit| **hit).count()) / labels_f;
        let gain = |rank: usize| 1.0 / count(rank + 2).log2();
        let ideal: f64 = (0..labels.min(10)).map(gain).sum();
        let gained: f64 = ranking
            .iter()
            .enumerate()
            .filter(|(_, hit)| **hit)
            .map(|(rank, _)| gain(rank))
            .sum();
        self.recall_1 += found(1);
        self.recall_5 += found(5);
        self.recall_10 += found(10);
        self.ndcg_10 += gained / ideal;
        self.mrr += ranking
            .iter()
            .position(|hit| *hit)
            .map_or(0.0, |rank| 1.0 / count(rank + 1));
        self.queries += 1.0;
    }

    fn line(&self, label: &str) -> String {
        let mean = |sum: f64| sum / self.queries.max(1.0);
        format!(
            "{label:<24} {:>6.4} {:>6.4} {:>6.4} {:>7.4} {:>6.4}",
            mean(self.recall_1),
            mean(self.recall_5),
            mean(self.recall_10),
            mean(self.ndcg_10),
            mean(self.mrr)
        )
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut half = None;
    let is = |flag: &str| arguments.first().is_some_and(|first| first == flag);
    let (is_ablation, is_changed) = (is("--without"), is("--changed"));
    if is_ablation || is_changed {
        arguments.remove(0);
    } else if arguments.first().is_some_and(|first| first == "--half") {
        half = Some(arguments.get(1).ok_or("--half needs 0 or 1")?.parse::<u64>()?);
        arguments.drain(..2);
    }
    let [tools, queries] = arguments.as_slice() else {
        return Err("usage: evaluate [--without | --changed | --half 0|1] TOOLS QUERIES".into());
    };
    let bytes = fs::read(tools)?;
    let server = Path::new(tools)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let catalogue = Catalogue::read(&[Source {
        name: tools.clone(),
        server,
        kind: None,
        bytes: &bytes,
    }])?;
    let text = fs::read_to_string(queries)?;
    let labelled: Vec<Labelled> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let labelled: Vec<Labelled> = labelled
        .into_iter()
        .filter(|labelled| half.is_none_or(|half| half_of(&labelled.query) == half))
        .collect();
    eprintln!(
        "{} tools, {} quarantined, {} queries",
        catalogue.tools.len(),
        catalogue.quarantined.len(),
        labelled.len()
    );
    println!(
        "{:<24} {:>6} {:>6} {:>6} {:>7} {:>6}",
        "ranker", "R@1", "R@5", "R@10", "nDCG@10", "MRR"
    );
    let index = SearchIndex::build(&catalogue);
    if !is_ablation {
        let plain = PlainRanker::new(index.documents(), PlainTokens::Measured);
        println!("{}", evaluate(&index, Some(&plain), &labelled)?.line("bm25"));
    }
    println!("{}", evaluate(&index, None, &labelled)?.line("fields"));
    if is_ablation {
        for (label, weights) in ablations() {
            let index = SearchIndex::build_with(&catalogue, weights);
            println!("{}", evaluate(&index, None, &labelled)?.line(label));
        }
    }
    if is_changed {
        let plain = PlainRanker::new(index.documents(), PlainTokens::Measured);
        let without = SearchIndex::build_with(
            &catalogue,
            Weights {
                misspelt: 0.0,
                ..Weights::default()
            },
        );
        for change in Slip::ALL {
            let changed: Vec<Labelled> = labelled.iter().map(|labelled| labelled.with(change)).collect();
            println!("{change:?}");
            println!("{}", evaluate(&index, Some(&plain), &changed)?.line("  bm25"));
            println!(
                "{}",
                evaluate(&without, None, &changed)?.line("  fields - misspelt")
            );
            println!("{}", evaluate(&index, None, &changed)?.line("  fields"));
        }
    }
    Ok(())
}

/// What befalls the words of a query.
#[derive(Clone, Copy, Debug)]
enum Slip {
    /// A letter is missing from every third word of five letters and more.
    Dropped,
    /// One stands there twice.
    Doubled,
    /// Two stand the wrong way round.
    Swapped,
    /// Every word of four letters and more gets an `s`, or loses the one that it has.
    Number,
}

impl Slip {
    const ALL: [Self; 4] = [Self::Dropped, Self::Doubled, Self::Swapped, Self::Number];

    /// The word with the slip. The place in it is told by its letters, never the first: the same in each run.
    fn befalls(self, word: &str) -> String {
        let mut letters: Vec<char> = word.chars().collect();
        let sum: usize = word.bytes().map(usize::from).sum();
        let at = 1 + sum % (letters.len() - 2);
        match self {
            Self::Dropped => {
                letters.remove(at);
            }
            Self::Doubled => letters.insert(at, letters[at]),
            Self::Swapped => letters.swap(at, at + 1),
            Self::Number if word.ends_with("ss") => {}
            Self::Number if word.ends_with('s') => {
                letters.pop();
            }
            Self::Number => letters.push('s'),
        }
        letters.into_iter().collect()
    }
}

impl Labelled {
    /// The query with a slip in its words; white space between them becomes one blank.
    fn with(&self, slip: Slip) -> Self {
        let (least, each) = match slip {
            Slip::Number => (4, 1),
            Slip::Dropped | Slip::Doubled | Slip::Swapped => (5, 3),
        };
        let mut long_words = 0;
        let changed = self.query.split_whitespace().map(|word| {
            let is_long = word.len() >= least && word.bytes().all(|byte| byte.is_ascii_alphabetic());
            long_words += usize::from(is_long);
            if is_long && long_words % each == 0 {
                slip.befalls(word)
            } else {
                word.to_owned()
            }
        });
        Self {
            query: changed.collect::<Vec<_>>().join(" "),
            relevant: self.relevant.clone(),
        }
    }
}

fn evaluate(
    index: &SearchIndex,
    plain: Option<&PlainRanker>,
    labelled: &[Labelled],
) -> Result<Figures, Box<dyn Error>> {
    let places: HashMap<String, usize> = index
        .documents()
        .iter()
        .enumerate()
        .map(|(at, tool)| (format!("{}__{}", tool.server, tool.tool), at))
        .collect();
    let ranker = if plain.is_some() {
        Ranker::Bm25
    } else {
        Ranker::Fields
    };
    let options = SearchOptions {
        limit: 10,
        cap: None,
        ranker,
    };
    let mut figures = Figures::default();
    for labelled in labelled {
        let query = Query::parse(&labelled.query)?;
        let answer = search(index, plain, &query, options);
        let relevant: Vec<&String> = labelled.relevant.iter().collect();
        if let Some(unknown) = relevant.iter().find(|name| !places.contains_key(**name)) {
            eprintln!("no tool is called {unknown}");
        }
        let is_relevant = |hit: &aleph_discover::tools::Hit<'_>| {
            relevant.iter().any(|name| {
                name.strip_prefix(hit.tool.server)
                    .and_then(|rest| rest.strip_prefix("__"))
                    == Some(hit.tool.tool)
            })
        };
        let ranking: Vec<bool> = answer.hits.iter().map(is_relevant).collect();
        figures.add(&ranking, relevant.len());
    }
    Ok(figures)
}

/// The chosen parameters without one of the fields.
fn without_field(at: usize) -> Weights {
    let mut weights = Weights::default();
    if let Some(weight) = weights.fields.get_mut(at) {
        *weight = 0.0;
    }
    weights
}

/// Each part of the ranking left out in turn.
fn ablations() -> Vec<(&'static str, Weights)> {
    let all = Weights::default();
    vec![
        ("- name", without_field(0)),
        ("- title", without_field(1)),
        ("- server", without_field(2)),
        ("- description", without_field(3)),
        ("- parameter names", without_field(4)),
        ("- parameter descriptions", without_field(5)),
        (
            "- field lengths",
            Weights {
                lengths: [0.0; 6],
                ..all
            },
        ),
        (
            "- root of query counts",
            Weights {
                repetition: 1.0,
                ..all
            },
        ),
        (
            "- request words",
            Weights {
                request_words: 1.0,
                ..all
            },
        ),
        ("- synonyms", Weights { synonyms: 0.0, ..all }),
        ("- misspelt", Weights { misspelt: 0.0, ..all }),
        (
            "- compounds",
            Weights {
                compounds: 0.0,
                ..all
            },
        ),
        ("- sentence", Weights { sentence: 0.0, ..all }),
        (
            "- neighbours",
            Weights {
                neighbours: 0.0,
                ..all
            },
        ),
        (
            "- best neighbour",
            Weights {
                best_neighbour: 0.0,
                ..all
            },
        ),
        (
            "- whole name",
            Weights {
                whole_name: 0.0,
                ..all
            },
        ),
    ]
}

/// The half that a query belongs to, by a hash of its text (FNV-1a).
fn half_of(query: &str) -> u64 {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }

        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.write(query.as_bytes());
    (hash.finish() >> 7) % 2
}
