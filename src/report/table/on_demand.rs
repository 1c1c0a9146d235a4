//! What MCP servers answered, for people.

use std::io::{self, Write};

use serde_json::Value;

use super::Look;
use super::paint::Paint;
use super::prose::Prose;
use super::words::counted_things;
use crate::report::{
    AskedServer, AskedState, ContentType, ListedArgument, ListedPrompt, ListedResource, ListedTemplate,
    OnDemandReport, PromptReport, ReadReport, RefreshReport, escape,
};

/// How many characters of a description are shown.
const SHOWN: usize = 200;

/// An entry of a list, whatever it is.
struct Item<'a> {
    name: &'a str,
    facts: [Option<&'a str>; 2],
    description: Option<&'a str>,
    arguments: &'a [ListedArgument],
    is_stale: bool,
}

impl<'a> From<&'a ListedResource> for Item<'a> {
    fn from(entry: &'a ListedResource) -> Self {
        Self {
            name: &entry.uri,
            facts: [
                Some(entry.title.as_deref().unwrap_or(&entry.name)),
                entry.mime_type.as_deref(),
            ],
            description: entry.description.as_deref(),
            arguments: &[],
            is_stale: entry.stale,
        }
    }
}

impl<'a> From<&'a ListedTemplate> for Item<'a> {
    fn from(entry: &'a ListedTemplate) -> Self {
        Self {
            name: &entry.uri_template,
            facts: [
                Some(entry.title.as_deref().unwrap_or(&entry.name)),
                entry.mime_type.as_deref(),
            ],
            description: entry.description.as_deref(),
            arguments: &[],
            is_stale: entry.stale,
        }
    }
}

impl<'a> From<&'a ListedPrompt> for Item<'a> {
    fn from(entry: &'a ListedPrompt) -> Self {
        Self {
            name: &entry.name,
            facts: [entry.title.as_deref(), None],
            description: entry.description.as_deref(),
            arguments: &entry.arguments,
            is_stale: entry.stale,
        }
    }
}

/// Writes the answer of `mcp resources`.
///
/// # Errors
///
/// What the writer answers.
pub fn mcp_resources(
    report: &OnDemandReport<ListedResource>,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    list(report, "resource", look, writer)
}

/// Writes the answer of `mcp templates`.
///
/// # Errors
///
/// What the writer answers.
pub fn mcp_templates(
    report: &OnDemandReport<ListedTemplate>,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    list(report, "template", look, writer)
}

/// Writes the answer of `mcp prompts`.
///
/// # Errors
///
/// What the writer answers.
pub fn mcp_prompts(
    report: &OnDemandReport<ListedPrompt>,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    list(report, "prompt", look, writer)
}

fn list<'a, T>(
    report: &'a OnDemandReport<T>,
    word: &str,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()>
where
    Item<'a>: From<&'a T>,
{
    for entry in &report.entries {
        item(&Item::from(entry), look, writer)?;
    }
    summary(report, word, look, writer)
}

fn item(item: &Item<'_>, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let (paint, stale) = if item.is_stale {
        (Paint::Faint, "  stale")
    } else {
        (Paint::Winner, "")
    };
    write!(writer, "{}", look.paint(paint, &escape::visible(item.name)))?;
    for fact in item.facts.iter().flatten().filter(|fact| !fact.is_empty()) {
        write!(writer, "  {}", escape::visible(fact))?;
    }
    writeln!(writer, "{stale}")?;
    if let Some(text) = item.description.filter(|text| !text.trim().is_empty()) {
        Prose::new(look).say(&short(text)).write(writer, "    ", "    ")?;
    }
    for argument in item.arguments {
        let what = argument.description.as_deref().unwrap_or_default();
        let optional = if argument.required { "" } else { " (optional)" };
        let line = format!("{}{optional}  {}", argument.name, short(what));
        Prose::new(look)
            .say("--arg")
            .say(&line)
            .write(writer, "    ", "        ")?;
    }
    Ok(())
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('\u{2026}');
    }
    short
}

fn summary<T>(report: &OnDemandReport<T>, word: &str, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if look.quiet {
        return Ok(());
    }
    if !report.entries.is_empty() {
        writeln!(writer)?;
    }
    let entries = counted_things(report.entries.len(), word);
    writeln!(writer, "{entries}{}", whose(&report.servers))?;
    trouble(report.servers.iter(), report.note.as_deref(), look, writer)
}

/// Of how many servers entries are, with those of snapshots, and how many servers gave none since they failed.
fn whose(servers: &[AskedServer]) -> String {
    let of = |outcome| servers.iter().filter(|server| server.outcome == outcome).count();
    let [live, stale, failed] = [AskedState::Live, AskedState::Stale, AskedState::Failed].map(of);
    let parts = [
        (live + stale > 0).then(|| format!(" of {}", counted_things(live + stale, "server"))),
        (stale > 0).then(|| format!(", {stale} of them stale")),
        (failed > 0).then(|| format!("; {} failed", counted_things(failed, "server"))),
    ];
    parts.into_iter().flatten().collect()
}

/// Servers that did not answer, with the end of what they wrote to standard error; then what else is worth knowing.
fn trouble<'a>(
    servers: impl Iterator<Item = &'a AskedServer>,
    note: Option<&str>,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    for server in servers.filter(|server| !server.stderr.is_empty()) {
        writeln!(
            writer,
            "{}",
            look.paint(
                Paint::Faint,
                &format!(
                    "the end of standard error of `{}`:",
                    escape::visible(&server.server)
                )
            )
        )?;
        for line in &server.stderr {
            writeln!(
                writer,
                "{}",
                look.paint(Paint::Faint, &format!("    {}", escape::visible(line)))
            )?;
        }
    }
    match note {
        Some(note) => Prose::new(look).say(note).write(writer, "", "  "),
        None => Ok(()),
    }
}

/// Writes the answer of `mcp read`: text as it is, but for what could steer a terminal.
///
/// # Errors
///
/// What the writer answers.
pub fn mcp_read(report: &ReadReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for part in &report.parts {
        if report.parts.len() > 1 {
            writeln!(
                writer,
                "{}",
                look.paint(Paint::Heading, &escape::visible(&part.uri))
            )?;
        }
        match part.content_type {
            ContentType::Text => text(&part.content, "", writer)?,
            ContentType::Binary => {
                let kind = part.mime_type.as_deref().unwrap_or("no type given");
                let digits = part.content.trim_end_matches('=').len();
                writeln!(
                    writer,
                    "binary, {} bytes, {}: `--json` has them in base64",
                    digits * 3 / 4,
                    escape::visible(kind)
                )?;
            }
        }
    }
    Ok(())
}

/// Writes the answer of `mcp prompt`.
///
/// # Errors
///
/// What the writer answers.
pub fn mcp_prompt(report: &PromptReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if let (Some(description), false) = (&report.description, look.quiet) {
        Prose::new(look).say(description).write(writer, "", "")?;
    }
    for message in &report.messages {
        writeln!(
            writer,
            "{}",
            look.paint(Paint::Heading, &format!("{}:", escape::visible(&message.role)))
        )?;
        let kind = message
            .content
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("content");
        match message.content.get("text").and_then(Value::as_str) {
            Some(words) => text(words, "    ", writer)?,
            None => writeln!(writer, "    {}: `--json` shows it", escape::visible(kind))?,
        }
    }
    Ok(())
}

fn text(content: &str, indent: &str, writer: &mut dyn Write) -> io::Result<()> {
    for line in content.split_inclusive('\n') {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        // Code has many tabs, and an escape in the place of each could not be read.
        let line = line.replace('\t', "    ");
        writeln!(writer, "{indent}{}", escape::visible(&line))?;
    }
    Ok(())
}

/// Writes the answer of `mcp refresh`.
///
/// # Errors
///
/// What the writer answers.
pub fn mcp_refresh(report: &RefreshReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for server in &report.servers {
        let (paint, state) = match server.asked.outcome {
            AskedState::Live => (Paint::Winner, ""),
            AskedState::Stale => (Paint::Faint, "  stale"),
            AskedState::Failed => (Paint::Bad, "  failed"),
        };
        write!(
            writer,
            "{}{state}",
            look.paint(paint, &escape::visible(&server.asked.server))
        )?;
        let counts = [
            (server.tools, "tool"),
            (server.resources, "resource"),
            (server.templates, "template"),
            (server.prompts, "prompt"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| counted_things(*count, word))
            .collect();
        let counts = if counts.is_empty() && server.asked.outcome != AskedState::Failed {
            "nothing".to_owned()
        } else {
            counts.join(", ")
        };
        writeln!(writer, "{}{counts}", if counts.is_empty() { "" } else { "  " })?;
        if let Some(reason) = &server.asked.reason {
            Prose::new(look).say(reason).write(writer, "    ", "    ")?;
        }
    }
    if look.quiet {
        return Ok(());
    }
    trouble(
        report.servers.iter().map(|server| &server.asked),
        report.note.as_deref(),
        look,
        writer,
    )
}
