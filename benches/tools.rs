//! What building, loading and asking a search index costs.
//!
//! `cargo bench --bench tools`; the tools are made up, see `support/made_up.rs`.

#[path = "support/made_up.rs"]
mod made_up;

use aleph_discover::tools::{Catalogue, Query, SearchIndex, SearchOptions, Source, search};
use divan::{Bencher, black_box};
use made_up::{QUERIES, text};

const SIZES: [usize; 2] = [3_000, 100_000];

fn main() {
    divan::main();
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
