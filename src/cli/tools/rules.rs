//! Reading a rules file for use, and the events of a session.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use aleph_discover::model::{Diagnostic, Severity};
use aleph_discover::parse::Problem;
use aleph_discover::parse::document::MAX_BYTES;
use aleph_discover::report::disclosure::finding;
use aleph_discover::tools::disclosure::{Event, KnownTools, Rules, lint, read_event, read_rules};

use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// The longest line of an events file, in bytes.
const MAX_EVENT: u64 = 16 * 1024 * 1024;

/// The bytes of a file; of one that is too large no more than shows it.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?
            .take(MAX_BYTES as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error: io::Error| Failure::cannot_read(path, error))
}

/// Reads rules that are to be used: any error in them is told, and refuses the run.
pub(in crate::cli) fn usable(
    path: &Path,
    known: &dyn KnownTools,
    output: &mut Output,
) -> Result<Rules, Failure> {
    let (rules, problems): (Rules, Vec<Problem>) = read_rules(&bytes(path)?);
    let lint = lint(&rules, problems, known);
    let findings: Vec<Diagnostic> = lint
        .findings
        .iter()
        .map(|(severity, problem)| finding(path, *severity, problem))
        .collect();
    let errors = findings
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    if errors == 0 {
        return Ok(rules);
    }
    output.talk(&findings, &[])?;
    let message = format!("these rules cannot be used: {errors} of the findings are errors");
    Err(Failure::usage(message, "`aleph-discover tools lint FILE` lists them").with_path(path))
}

/// The events of a session, one by one; blank lines are passed over.
pub(super) fn events<'a>(
    reader: &'a mut dyn BufRead,
    name: &'a str,
) -> impl Iterator<Item = Result<(Option<String>, Event), Failure>> + use<'a> {
    let mut number: u64 = 0;
    std::iter::from_fn(move || {
        loop {
            number += 1;
            let mut line = Vec::new();
            let read = reader.take(MAX_EVENT + 1).read_until(b'\n', &mut line);
            let refused = |why: &str| {
                Failure::usage(
                    format!("line {number} of {name}: {why}"),
                    "`tools simulate --help` shows an event",
                )
            };
            match read {
                Err(error) => return Some(Err(refused(&error.to_string()))),
                Ok(0) => return None,
                Ok(read) if read as u64 > MAX_EVENT => return Some(Err(refused("longer than 16 MiB"))),
                Ok(_) => {}
            }
            let text = match std::str::from_utf8(&line) {
                Ok(text) => text.trim(),
                Err(_) => return Some(Err(refused("not UTF-8"))),
            };
            if !text.is_empty() {
                return Some(read_event(text).map_err(|why| refused(&why)));
            }
        }
    })
}
