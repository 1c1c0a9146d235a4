//! `mcp servers`, and what one is shown before saying yes to a server.

use std::io::{self, Write};

use super::paint::Paint;
use super::prose::Prose;
use super::scan::{in_place, reason};
use super::{Look, words};
use crate::model::{CandidateRef, Chain, State, Transport};
use crate::plugin::shown::ServerView;
use crate::report::{ServerFacts, ServersReport, escape, shell};

const INDENT: &str = "  ";
const DEEPER: &str = "    ";

/// Writes the answer of `mcp servers`.
///
/// # Errors
///
/// What the writer answers.
pub fn servers(report: &ServersReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if !look.quiet {
        let prose = Prose::new(look).painted(Paint::Heading, "MCP servers");
        in_place(&report.scan.context, prose, look).write(writer, "", INDENT)?;
        writeln!(writer)?;
    }
    let mut shown = 0_usize;
    for (chain, first) in report.chains() {
        // That a plugin's server can be called by its short name too would be said twice.
        if chain.winner().is_some() && chain.candidates().all(|candidate| candidate.is_short_name()) {
            continue;
        }
        shown += 1;
        one(report, chain, first, look, writer)?;
    }
    if shown == 0 {
        Prose::new(look)
            .say("No MCP server is configured here.")
            .write(writer, "", INDENT)?;
    }
    if !look.quiet && shown > 0 {
        writeln!(writer)?;
        Prose::new(look).say(&summary(report)).write(writer, "", INDENT)?;
    }
    Ok(())
}

/// All definitions of one name.
fn one(
    report: &ServersReport,
    chain: Chain<'_>,
    first: usize,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let winner = chain.winner_index().map(|index| index as usize);
    for (index, candidate) in chain.candidates().enumerate() {
        let facts = report.facts(first, index).cloned().unwrap_or_default();
        if Some(index) == winner {
            let prose = Prose::new(look).painted(Paint::Winner, &escape::visible(&chain.id()));
            standing(prose, &facts).write(writer, "", INDENT)?;
        } else {
            if index == 0 {
                let id = chain.id();
                Prose::new(look)
                    .painted(Paint::Bad, &escape::visible(&id))
                    .write(writer, "", INDENT)?;
            }
            let paint = words::paint(candidate.state);
            Prose::new(look)
                .painted(paint, candidate.state.as_str())
                .say(&reason(&report.scan, chain, candidate))
                .write(writer, INDENT, DEEPER)?;
        }
        let indent = if Some(index) == winner { INDENT } else { DEEPER };
        place(candidate, look, indent, writer)?;
        if let Some(server) = report.server(candidate) {
            reached(&server, look, indent, writer)?;
        }
        if Some(index) == winner {
            seen(&facts, look, indent, writer)?;
            let same = report.same_as(&chain.id());
            if !same.is_empty() {
                let names: Vec<String> = same.into_iter().map(str::to_owned).collect();
                Prose::new(look)
                    .painted(Paint::Bad, "the same server as")
                    .say(&words::list(&names))
                    .write(writer, indent, DEEPER)?;
            }
        }
    }
    Ok(())
}

/// `approved`, or why not.
fn standing<'a>(prose: Prose<'a>, facts: &ServerFacts) -> Prose<'a> {
    match facts.approved {
        Some(true) => prose.say("approved"),
        Some(false) if !facts.differences.is_empty() => {
            prose.painted(Paint::Bad, "changed since it was approved, so not approved")
        }
        Some(false) => prose.say("not approved"),
        None => prose.say("never started"),
    }
}

/// The file and line of a definition, and whose it is.
fn place(candidate: CandidateRef<'_>, look: &Look, indent: &str, writer: &mut dyn Write) -> io::Result<()> {
    let line = candidate
        .candidate()
        .detail
        .as_deref()
        .and_then(|detail| detail.line);
    let mut prose = Prose::new(look).path(&candidate.path());
    if let Some(line) = line {
        prose = prose.glue(&format!(":{line}"));
    }
    prose
        .glue(",")
        .say(&words::origin(candidate))
        .write(writer, indent, DEEPER)
}

/// What is started or called.
fn reached(server: &ServerView, look: &Look, indent: &str, writer: &mut dyn Write) -> io::Result<()> {
    let mut prose = Prose::new(look).painted(
        Paint::Faint,
        server.transport.map_or("no transport:", Transport::as_str),
    );
    if let Some(url) = server.url.as_deref().filter(|_| server.command.is_none()) {
        prose = prose.atom(url);
    }
    for word in server.command.iter().chain(&server.args) {
        prose = prose.atom(&quoted(word));
    }
    prose.write(writer, indent, DEEPER)?;
    let names = |what: &str, names: &[String]| -> Option<String> {
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    for text in [names("variables", &server.env), names("headers", &server.headers)]
        .into_iter()
        .flatten()
    {
        Prose::new(look).say(&text).write(writer, indent, DEEPER)?;
    }
    Ok(())
}

/// An argument in one piece, quoted where its end could be mistaken.
fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(|c: char| c.is_whitespace() || "\"'".contains(c)) {
        format!("{word:?}")
    } else {
        word.to_owned()
    }
}

/// What a server would see, where it would start, what it lacks, and what is different from what was approved.
fn seen(facts: &ServerFacts, look: &Look, indent: &str, writer: &mut dyn Write) -> io::Result<()> {
    if !facts.sees.is_empty() {
        Prose::new(look)
            .say("sees of your environment")
            .say(&facts.sees.join(", "))
            .write(writer, indent, DEEPER)?;
    }
    if let Some(directory) = &facts.directory {
        Prose::new(look)
            .say("starts in")
            .path(directory)
            .write(writer, indent, DEEPER)?;
    }
    if !facts.missing.is_empty() {
        Prose::new(look)
            .painted(Paint::Bad, "cannot start:")
            .say(&format!("{} not set", facts.missing.join(", ")))
            .write(writer, indent, DEEPER)?;
    }
    for one in &facts.steering {
        Prose::new(look)
            .painted(Paint::Bad, "changes what runs:")
            .say(&format!("it sets {}, and {}", one.variable, one.effect))
            .write(writer, indent, DEEPER)?;
    }
    for difference in &facts.differences {
        Prose::new(look)
            .painted(Paint::Bad, "changed:")
            .say(&difference.text)
            .write(writer, indent, DEEPER)?;
    }
    Ok(())
}

/// `3 in effect: 1 approved, 2 not approved; 1 shadowed`.
fn summary(report: &ServersReport) -> String {
    let (mut effective, mut approved) = (0_u64, 0_u64);
    for (chain, first) in report.chains() {
        if let (Some(index), Some(winner)) = (chain.winner_index(), chain.winner())
            && !winner.is_short_name()
        {
            effective += 1;
            let facts = report.facts(first, index as usize);
            approved += u64::from(facts.is_some_and(|facts| facts.approved == Some(true)));
        }
    }
    let counts = report.scan.summary();
    let mut groups = vec![format!(
        "{} in effect, {approved} approved",
        words::count(effective, "MCP server", "MCP servers")
    )];
    let others = [
        State::Shadowed,
        State::Alias,
        State::Disabled,
        State::Untrusted,
        State::Invalid,
        State::Ignored,
    ];
    let others: Vec<String> = others
        .into_iter()
        .map(|state| (counts.count(state), state))
        .filter(|(number, _)| *number > 0)
        .map(|(number, state)| words::counted(number, state))
        .collect();
    groups.push(others.join(", "));
    groups.retain(|group| !group.is_empty());
    groups.join("; ")
}

/// What to do next about servers.
#[must_use]
pub fn servers_hints(report: &ServersReport) -> Vec<String> {
    let waiting = report.chains().find(|(chain, first)| {
        let index = chain.winner_index().map(|index| index as usize);
        let facts = index.and_then(|index| report.facts(*first, index));
        let is_echo = chain.winner().is_some_and(|winner| winner.is_short_name());
        !is_echo && facts.is_some_and(|facts| facts.approved == Some(false) && !facts.is_gateway)
    });
    let Some((chain, _)) = waiting else {
        return Vec::new();
    };
    vec![format!(
        "`aleph-discover mcp approve {}` shows what would run, and asks",
        shell::argument(&chain.id())
    )]
}

/// Writes what one is shown before saying yes to a server.
///
/// # Errors
///
/// What the writer answers.
pub fn would_run(
    name: &str,
    server: &ServerView,
    facts: &ServerFacts,
    file: &std::path::Path,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let prose = Prose::new(look).painted(Paint::Heading, &escape::visible(name));
    let prose = prose.say("is configured in").path(file);
    let prose = match server.line {
        Some(line) => prose.glue(&format!(":{line}")),
        None => prose,
    };
    prose.write(writer, "", INDENT)?;
    Prose::new(look)
        .say(match server.transport {
            Some(Transport::Stdio) => "This would be started, with all that you may do:",
            _ => "This would be called, with the headers that it names:",
        })
        .write(writer, INDENT, DEEPER)?;
    reached(server, look, DEEPER, writer)?;
    seen(facts, look, INDENT, writer)
}
