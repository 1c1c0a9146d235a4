//! The search of tools beside two libraries that search text, in one process and in turn.
//!
//! ```text
//! search TOOLS QUERIES …          quality and time on labelled sets, as the evaluate example takes them
//! search --made-up N              time on so many made-up tools
//! search --memory ENGINE N        what an index of so many made-up tools keeps in memory: a process for each engine
//! ```
//!
//! Each engine gets the same texts: name, server, description, names and descriptions of parameters. Every engine
//! has its turn in every round, and of each build and each query the fastest round counts: what else the machine does falls
//! on all of them and is not what is compared.

mod engines;
#[path = "../../../../support/made_up.rs"]
mod made_up;
mod tools;

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, Instant};

use engines::{ENGINES, Engine, build};
use tools::{Labelled, Tool};

/// How often each index is built, and each query asked.
const ROUNDS: usize = 7;

/// How many hits are asked for.
const LIMIT: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--memory", engine, count] => memory(engine, count.parse()?),
        ["--made-up", count] => {
            let tools = tools::read(made_up::text(count.parse()?).as_bytes())?;
            let queries: Vec<Labelled> = made_up::queries(200)
                .iter()
                .map(|query| Labelled::without_labels(query))
                .collect();
            compare(&format!("{count} made-up tools"), &tools, &queries)
        }
        [_, _, ..] => {
            for pair in words.chunks(2) {
                let [tools, queries] = pair else {
                    return Err("TOOLS without QUERIES".into());
                };
                let read = tools::read(&std::fs::read(tools)?)?;
                let queries = tools::labelled(&std::fs::read_to_string(queries)?)?;
                compare(tools, &read, &queries)?;
            }
            Ok(())
        }
        _ => Err("usage: search TOOLS QUERIES … | --made-up N | --memory ENGINE N".into()),
    }
}

/// Builds and asks in turn, and prints a line for each engine.
fn compare(label: &str, tools: &[Tool], queries: &[Labelled]) -> Result<(), Box<dyn Error>> {
    let mut built = vec![Duration::MAX; ENGINES.len()];
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    for round in 0..ROUNDS {
        for (at, name) in ENGINES.iter().enumerate() {
            let begun = Instant::now();
            let engine = build(name, tools)?;
            built[at] = built[at].min(begun.elapsed());
            if round == 0 {
                engines.push(engine);
            }
        }
    }
    // Of each query the fastest of all rounds: the others met what else the machine does.
    let mut asked = vec![vec![Duration::MAX; queries.len()]; ENGINES.len()];
    let mut figures = vec![Figures::default(); ENGINES.len()];
    for round in 0..ROUNDS {
        for (place, labelled) in queries.iter().enumerate() {
            for (at, engine) in engines.iter().enumerate() {
                let begun = Instant::now();
                let hits = engine.search(&labelled.query, LIMIT)?;
                let took = begun.elapsed();
                asked[at][place] = asked[at][place].min(took);
                if round == 0 {
                    figures[at].add(tools, labelled, &hits);
                }
            }
        }
    }
    let built_by_us = built[0];
    let (p50, p99) = (percentile(&mut asked[0], 50), percentile(&mut asked[0], 99));
    println!("{label}: {} tools, {} queries", tools.len(), queries.len());
    println!(
        "  {:<10} {:>6} {:>8}  {:>10} {:>6}  {:>9} {:>6}  {:>9} {:>6}",
        "engine", "R@5", "nDCG@10", "build", "ratio", "p50", "ratio", "p99", "ratio"
    );
    for (at, name) in ENGINES.iter().enumerate() {
        let build = built[at];
        let (middle, late) = (percentile(&mut asked[at], 50), percentile(&mut asked[at], 99));
        let ratio = |time: Duration, ours: Duration| time.as_secs_f64() / ours.as_secs_f64();
        println!(
            "  {name:<10} {}  {:>8.1}ms {:>6.2}  {:>7.3}ms {:>6.2}  {:>7.3}ms {:>6.2}",
            figures[at].line(),
            build.as_secs_f64() * 1e3,
            ratio(build, built_by_us),
            middle.as_secs_f64() * 1e3,
            ratio(middle, p50),
            late.as_secs_f64() * 1e3,
            ratio(late, p99),
        );
    }
    Ok(())
}

fn percentile(times: &mut [Duration], part: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * part / 100).min(times.len() - 1)]
}

/// Recall and nDCG as the evaluate example counts them.
#[derive(Clone, Default)]
struct Figures {
    recall: f64,
    ndcg: f64,
    labelled: f64,
}

impl Figures {
    fn add(&mut self, tools: &[Tool], labelled: &Labelled, hits: &[usize]) {
        if labelled.relevant.is_empty() {
            return;
        }
        let wanted: HashMap<&str, ()> = labelled.relevant.iter().map(|name| (name.as_str(), ())).collect();
        let is_wanted = |at: &usize| wanted.contains_key(tools[*at].label().as_str());
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let ideal: f64 = (0..wanted.len().min(10)).map(gain).sum();
        let gained: f64 = (0..)
            .zip(hits.iter().take(10))
            .filter(|(_, at)| is_wanted(at))
            .map(|(rank, _)| gain(rank))
            .sum();
        self.recall += hits.iter().take(5).filter(|at| is_wanted(at)).count() as f64 / wanted.len() as f64;
        self.ndcg += gained / ideal;
        self.labelled += 1.0;
    }

    fn line(&self) -> String {
        if self.labelled == 0.0 {
            return format!("{:>6} {:>8}", "-", "-");
        }
        format!(
            "{:>6.3} {:>8.3}",
            self.recall / self.labelled,
            self.ndcg / self.labelled
        )
    }
}

/// Prints what this process keeps in memory with an index, and what it took at most: in a process of its own, since
/// memory that was once used does not go back. `none` builds nothing: what the texts themselves take.
fn memory(engine: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let tools = tools::read(made_up::text(count).as_bytes())?;
    let before = status("VmRSS")?;
    let built = (engine != "none").then(|| build(engine, &tools)).transpose()?;
    if let Some(built) = &built {
        built.search(made_up::QUERIES[0], LIMIT)?;
    }
    let (kept, most) = (status("VmRSS")?, status("VmHWM")?);
    println!(
        "{engine}: {} MB more than the texts ({before} KB), {} MB at the peak",
        kept.saturating_sub(before) / 1000,
        most / 1000
    );
    Ok(())
}

/// A line of `/proc/self/status`, in KB.
fn status(key: &str) -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text
        .lines()
        .find(|line| line.starts_with(key))
        .ok_or("no such line")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}
