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
