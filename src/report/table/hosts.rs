//! `hosts` and `why --host all`, for people.

use std::io::{self, Write};

use super::paint::Paint;
use super::prose::Prose;
use super::{Look, words};
use crate::model::HostId;
use crate::report::{HostsReport, WhyHostsReport, escape};

/// Writes the answer of `hosts`: which host reads which directory, and the names on which they disagree.
///
/// # Errors
///
/// What the writer answers.
pub fn hosts(report: &HostsReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let matrix = report.matrix();
    let paths: Vec<String> = matrix.iter().map(|(path, _)| look.path(path)).collect();
    if !look.quiet {
        Prose::new(look)
            .painted(Paint::Heading, "Directories")
            .say("that are here, and the hosts that read them")
            .write(writer, "", "  ")?;
    }
    for ((_, readers), path) in matrix.iter().zip(&paths) {
        let names: Vec<&str> = report
            .hosts
            .iter()
            .map(|host| host.context.profile.id)
            .filter(|host| readers.contains(host))
            .map(HostId::as_str)
            .collect();
        writeln!(writer, "  {path}")?;
        writeln!(writer, "    {}", names.join(", "))?;
    }
    if matrix.is_empty() {
        writeln!(writer, "  none")?;
    }
    writeln!(writer)?;
    if report.disagreements.is_empty() {
        let agreed = if report.is_complete() {
            "The hosts agree on every name that more than one of them has."
        } else {
            "The hosts agree on every name that more than one of them has, as far as it could be read."
        };
        return Prose::new(look).say(agreed).write(writer, "", "  ");
    }
    if !look.quiet {
        Prose::new(look)
            .painted(Paint::Heading, "Names")
            .say("that are not the same file for every host that has them")
            .write(writer, "", "  ")?;
    }
    for disagreement in &report.disagreements {
        writeln!(
            writer,
            "  {} {}",
            words::kind(disagreement.kind),
            look.paint(Paint::Heading, &escape::visible(&disagreement.id))
        )?;
        for (host, paths) in &disagreement.winners {
            for (number, path) in paths.iter().enumerate() {
                let name = if number == 0 { host.as_str() } else { "" };
                writeln!(writer, "    {name:<12} {}", look.path(path))?;
            }
        }
    }
    Ok(())
}

/// Writes the answer of `why --host all`: one host after the other, the winner and what it beat.
///
/// # Errors
///
/// What the writer answers.
pub fn why_hosts(report: &WhyHostsReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for answer in &report.answers {
        let profile = answer.scan.context.profile;
        let observed = match profile.observed {
            Some(version) => format!(" (observed on {version})"),
            None if profile.is_native() => String::new(),
            None => " (as documented, not observed)".to_owned(),
        };
        writeln!(
            writer,
            "{}{observed}",
            look.paint(Paint::Heading, profile.id.as_str())
        )?;
        let mut any = false;
        for chain in answer.scan.chains() {
            any = true;
            for candidate in chain.candidates() {
                let why = match (candidate.rule, candidate.code) {
                    (Some(rule), _) => format!(": {rule}"),
                    (None, Some(code)) => format!(": {code}"),
                    (None, None) => String::new(),
                };
                writeln!(
                    writer,
                    "  {} {} {}{why}  {}",
                    words::kind(chain.kind()),
                    escape::visible(&chain.id()),
                    candidate.state,
                    look.path(&candidate.path())
                )?;
            }
        }
        if !any {
            let nothing = if answer.scan.resolution.complete {
                "nothing of that name"
            } else {
                "nothing of that name, as far as it could be read"
            };
            writeln!(writer, "  {nothing}")?;
        }
    }
    Ok(())
}
