//! What the tests stand on: trees described in text, a hermetic runner, schemas, views of the JSON.

pub(crate) mod consent;
pub(crate) mod corpus;
pub(crate) mod place;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod snapshot;
pub(crate) mod tree;
pub(crate) mod view;
pub(crate) mod zip;

use std::fs;
use std::io::Write;

/// Says on the real standard error that a test proved nothing here, and why.
///
/// `eprintln!` would be swallowed by the test harness of a passing test.
pub(crate) fn skipped(test: &str, why: &str) {
    let line = format!("\nSKIPPED: {test}: {why}\n");
    std::io::stderr()
        .write_all(line.as_bytes())
        .expect("standard error takes a line");
}

/// Whether whoever runs the tests ignores a signal, as `nohup` does a hang-up: what they start then ignores it too.
/// Known on Linux alone.
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
