//! What building, loading and asking a search index costs.
//!
//! `cargo bench --bench tools`; the tools are made up: 20 a server, with descriptions of about 20 words and four
//! parameters, from a vocabulary of 20 000 words of which few are common, as in text.

use std::fmt::Write;

use aleph_discover::tools::{Catalogue, Query, SearchIndex, SearchOptions, Source, search};
use divan::{Bencher, black_box};

const SIZES: [usize; 2] = [3_000, 100_000];

const QUERIES: [&str; 4] = [
    "send a message to a channel",
    "create word17 word230",
    "I have to look up word12 for a customer and then update the order. Can you list every word99 of last month, and send \
     me a summary of word1500 and word3 with the word42?",
    "wrod17 gdrive",
];

fn main() {
    divan::main();
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// The lower a word's number, the commoner it is.
    fn word(&mut self) -> String {
        const COMMON: [&str; 12] = [
            "get", "create", "list", "send", "message", "order", "update", "search", "user", "file", "the",
            "of",
        ];
        match self.next() % 3 {
            0 => COMMON
                .get(usize::try_from(self.next() % 12).unwrap_or(0))
                .copied()
                .unwrap_or("get")
                .to_owned(),
            1 => format!("word{}", self.next() % 200),
            _ => format!("word{}", self.next() % 20_000),
        }
    }

    fn words(&mut self, count: usize, joint: &str) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(joint)
    }
}

fn text(tools: usize) -> String {
    let mut numbers = Numbers(7);
    let mut text = String::new();
    for tool in 0..tools {
        let name = numbers.words(3, "_");
        let description = numbers.words(20, " ");
        let mut parameters = Vec::new();
        for _ in 0..4 {
            let (name, description) = (numbers.words(2, "_"), numbers.words(6, " "));
            parameters.push(format!(
                r#""{name}":{{"type":"string","description":"{description}"}}"#
            ));
        }
        let parameters = parameters.join(",");
        let server = tool / 20;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            r#"{{"server":"server{server}","name":"{name}_{tool}","description":"{description}","inputSchema":{{"type":"object","properties":{{{parameters}}}}}}}"#
        );
    }
    text
}

fn catalogue(text: &str) -> Catalogue {
    let source = Source {
        name: "made up".into(),
        server: "x".into(),
        kind: None,
        bytes: text.as_bytes(),
    };
    Catalogue::read(&[source]).unwrap_or_default()
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn read_and_build(bencher: Bencher<'_, '_>, tools: usize) {
    let text = text(tools);
    bencher.bench_local(|| SearchIndex::build(&catalogue(black_box(&text))));
}

#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn load(bencher: Bencher<'_, '_>, tools: usize) {
    let bytes = SearchIndex::build(&catalogue(&text(tools))).to_bytes(&[0; 32]);
    bencher.bench_local(|| SearchIndex::from_bytes(black_box(&bytes), &[0; 32]));
}

fn ask(bencher: Bencher<'_, '_>, tools: usize, query: usize) {
    let index = SearchIndex::build(&catalogue(&text(tools)));
    let Some(Ok(query)) = QUERIES.get(query).map(|text| Query::parse(text)) else {
        return;
    };
    bencher.bench_local(|| {
        search(&index, None, black_box(&query), SearchOptions::default())
            .hits
            .len()
    });
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 50, sample_size = 1)]
fn ask_3000(bencher: Bencher<'_, '_>, query: usize) {
    ask(bencher, 3_000, query);
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 50, sample_size = 1)]
fn ask_100000(bencher: Bencher<'_, '_>, query: usize) {
    ask(bencher, 100_000, query);
}
