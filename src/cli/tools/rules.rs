//! Reading a rules file for use, and the events of a session.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use aleph_discover::DiscoveryManager;
use aleph_discover::model::{Diagnostic, Severity};
use aleph_discover::parse::Problem;
use aleph_discover::parse::document::MAX_BYTES;
use aleph_discover::report::disclosure::finding;
use aleph_discover::tools::disclosure::{
    DEFAULT_HANDLE, Event, KnownTools, Rules, Simulation, lint, read_event, read_rules,
};

use crate::cli::failure::{Failure, are_errors};
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

/// Whether an Aleph home has rules. What stands in their place and is no file is refused: reading a FIFO would wait for
/// ever, and rules that are not known are not the same as none. A file that is named may be one, as shells make them.
pub(in crate::cli) fn has_own(path: &Path) -> Result<bool, Failure> {
    if path.symlink_metadata().is_err() {
        return Ok(false);
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(Failure::cannot_read(
            path,
            io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"),
        )),
        Err(error) => Err(Failure::cannot_read(path, error)),
    }
}

/// Reads rules that are to be used: any error in them is told, and refuses the run. What is only odd is told.
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
    output.talk(&findings, &[])?;
    if errors == 0 {
        return Ok(rules);
    }
    let message = format!("these rules cannot be used: {}", are_errors(errors));
    Err(Failure::usage(message, "`aleph-discover tools lint FILE` lists them").with_path(path))
}

/// Replays a session that the flags name: the rules of a file, or else of `disclosure.toml` in the Aleph home, and the
/// events of another. With it comes the handle of the session that is asked about: that of the last event.
pub(super) fn replayed<'a>(
    rules: Option<&Path>,
    session: Option<&Path>,
    manager: &DiscoveryManager,
    known: &'a dyn KnownTools,
    output: &mut Output,
) -> Result<(Simulation<'a>, String), Failure> {
    let rules = match rules {
        Some(path) => usable(path, known, output)?,
        None => {
            let path = manager.aleph_home()?.join("disclosure.toml");
            // Without a file there are no rules, and every tool is visible.
            if has_own(&path)? {
                usable(&path, known, output)?
            } else {
                Rules::default()
            }
        }
    };
    let mut simulation = Simulation::new(Arc::new(rules), known);
    let mut handle = None;
    if let Some(path) = session {
        let file = File::open(path).map_err(|error| Failure::cannot_read(path, error))?;
        let name = path.display().to_string();
        for event in events(&mut BufReader::new(file), &name) {
            let (of, event) = event?;
            simulation.apply(of.as_deref(), &event);
            handle = of;
        }
    }
    Ok((simulation, handle.unwrap_or_else(|| DEFAULT_HANDLE.to_owned())))
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
