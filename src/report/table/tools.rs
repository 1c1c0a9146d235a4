//! `tools`: what a query found, what there is, one schema, and what it all costs.

use std::io::{self, Write};

use super::Look;
use super::paint::Paint;
use super::prose::Prose;
use super::words::counted_things;
use crate::report::{ToolsBudgetReport, ToolsListReport, ToolsSchemaReport, ToolsSearchReport, escape};
use crate::tools::{Contribution, Cost, Tier};

/// How many characters of a description are shown.
const SHOWN: usize = 200;

/// How many words of the reasons for a score are shown.
const REASONS: usize = 6;

/// Writes the answer of `tools search`.
///
/// # Errors
///
/// What the writer answers.
pub fn tools_search(report: &ToolsSearchReport<'_>, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for hit in report.found() {
        writeln!(
            writer,
            "{}  {:.3}",
            look.paint(Paint::Winner, &escape::visible(hit.tool.name)),
            hit.score
        )?;
        description(hit.tool.description, look, writer)?;
        let reasons: Vec<String> = hit.why.iter().take(REASONS).map(reason).collect();
        Prose::new(look)
            .painted(Paint::Faint, &reasons.join(", "))
            .write(writer, "    ", "    ")?;
    }
    if look.quiet {
        return Ok(());
    }
    let head = report.view().answer.head;
    if head.count > 0 {
        writeln!(writer)?;
    }
    if let Some(reason) = &head.reason {
        Prose::new(look).say(reason).write(writer, "", "  ")?;
    }
    if !head.suggestions.is_empty() {
        let near = head.suggestions.join(", ");
        Prose::new(look)
            .say("nearest names:")
            .say(&near)
            .write(writer, "", "  ")?;
    }
    if head.count > 0 {
        let text = format!(
            "{} of {} that matched, of {} tools",
            head.count, head.matched, head.indexed
        );
        Prose::new(look).say(&text).write(writer, "", "  ")?;
    }
    Ok(())
}

fn reason(part: &Contribution) -> String {
    match (&part.term, &part.matched) {
        (Some(term), Some(matched)) => format!("{term} (as {matched}) in {}", part.part.as_str()),
        (Some(term), None) => format!("{term} in {}", part.part.as_str()),
        (None, _) => part.part.as_str().to_owned(),
    }
}

fn description(text: &str, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('\u{2026}');
    }
    Prose::new(look).say(&short).write(writer, "    ", "    ")
}

/// Writes the answer of `tools list`.
///
/// # Errors
///
/// What the writer answers.
pub fn tools_list(report: &ToolsListReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for tool in report.tools() {
        let paint = match (tool.quarantined, tool.visible) {
            (Some(_), _) => Paint::Bad,
            (None, true) => Paint::Winner,
            (None, false) => Paint::Faint,
        };
        let state = tool.tier.map_or("quarantined", Tier::as_str);
        writeln!(
            writer,
            "{}  {state}",
            look.paint(paint, &escape::visible(&tool.name))
        )?;
        description(
            tool.quarantined.or(tool.description).unwrap_or_default(),
            look,
            writer,
        )?;
    }
    if look.quiet {
        return Ok(());
    }
    let head = report.head();
    if head.count + head.quarantined > 0 {
        writeln!(writer)?;
    }
    let quarantined = match head.quarantined {
        0 => String::new(),
        count => format!("; {count} quarantined"),
    };
    writeln!(writer, "{}{quarantined}", counted_things(head.count, "tool"))
}

/// Writes the answer of `tools schema`: the schema itself, as JSON.
///
/// # Errors
///
/// What the writer answers.
pub fn tools_schema(report: &ToolsSchemaReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let Some(tool) = report.tool() else {
        let (error, near) = report.missing().unwrap_or_default();
        Prose::new(look).say(&error).write(writer, "", "  ")?;
        if !near.is_empty() {
            Prose::new(look)
                .say("nearest names:")
                .say(&near.join(", "))
                .write(writer, "", "  ")?;
        }
        return Ok(());
    };
    if !look.quiet {
        writeln!(
            writer,
            "{}",
            look.paint(Paint::Heading, &escape::visible(&tool.name))
        )?;
        description(&tool.description, look, writer)?;
    }
    writeln!(writer, "{}", indented(tool.input_schema.get()))
}

/// Compact JSON on lines of its own, with what could steer a terminal escaped.
fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    let mut characters = json.chars().peekable();
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(character) = characters.next() {
        if is_string {
            text.push_str(&escape::visible(character.encode_utf8(&mut [0; 4])));
            (is_string, is_escaped) = (is_escaped || character != '"', !is_escaped && character == '\\');
            continue;
        }
        match character {
            '{' | '[' => {
                text.push(character);
                if characters.peek().is_some_and(|next| !matches!(next, '}' | ']')) {
                    depth += 1;
                    line(&mut text, depth);
                } else {
                    text.extend(characters.next());
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(',');
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            '"' => {
                text.push('"');
                is_string = true;
            }
            _ => text.push(character),
        }
    }
    text
}

/// Writes the answer of `tools budget`.
///
/// # Errors
///
/// What the writer answers.
pub fn tools_budget(
    report: &ToolsBudgetReport,
    each: bool,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let rows = report.budget.servers.iter();
    let width = rows
        .clone()
        .map(|server| server.server.chars().count())
        .max()
        .unwrap_or(0)
        .max("all".len());
    for server in rows {
        let name = escape::visible(&server.server);
        writeln!(writer, "{name:<width$}  {}", costs(server.listed, server.full))?;
        for tool in server.tools.iter().filter(|_| each) {
            let name = escape::visible(&tool.name);
            writeln!(
                writer,
                "  {name}  {}  {}",
                tool.tier.as_str(),
                costs(tool.listed, tool.full)
            )?;
        }
    }
    let all = costs(report.budget.listed, report.budget.full);
    writeln!(
        writer,
        "{}  {all}",
        look.paint(Paint::Heading, &format!("{:<width$}", "all"))
    )?;
    if !look.quiet {
        writeln!(writer)?;
        Prose::new(look)
            .say("Counted:")
            .say(report.view().method)
            .write(writer, "", "  ")?;
    }
    Ok(())
}

fn costs(listed: Cost, full: Cost) -> String {
    let listed_text = format!(
        "{} bytes, about {}",
        listed.bytes,
        counted_things(listed.tokens_estimated, "token")
    );
    if listed == full {
        listed_text
    } else {
        format!(
            "{listed_text} (in full {} bytes, about {})",
            full.bytes,
            counted_things(full.tokens_estimated, "token")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn json_is_indented_and_made_safe() {
        let json = "{\"a\":[1,{}],\"b\":\"x\\\"{,\u{202e}\"}";
        let shown = indented(json);
        assert_eq!(
            shown,
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\\\"{,\\u{202e}\"\n}"
        );
    }
}
