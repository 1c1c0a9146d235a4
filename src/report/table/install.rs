//! What a change did, `plugins verify`, and `marketplace`.

use std::io::{self, Write};

use super::paint::Paint;
use super::prose::Prose;
use super::{Look, words};
use crate::parse::manifest::marketplace::MarketplaceEntry;
use crate::plugin::installed::Standing;
use crate::plugin::registry::Registered;
use crate::report::{ChangeReport, MarketplacesReport, PluginsVerifyReport, StatedView};

/// Writes what a change did.
///
/// # Errors
///
/// What the writer answers.
pub fn change(report: &ChangeReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let what = match (report.action, report.done, report.changed.is_empty()) {
        (_, false, _) => return not_there(report, look, writer),
        (_, _, true) => "is as asked for already: nothing was changed.",
        ("install", ..) => "is installed.",
        ("update", ..) => "is installed in the place of what was there.",
        ("remove", ..) => "is removed.",
        ("enable", ..) => "is switched on.",
        ("disable", ..) => "is switched off.",
        ("approve", ..) => {
            "is approved as it is now. When its definition changes, it has to be approved again."
        }
        ("revoke", ..) => "is no longer approved.",
        ("marketplace-add", ..) => "is registered.",
        ("marketplace-update", ..) => "is fetched again.",
        ("marketplace-remove", ..) => "is forgotten; plugins that came from it stay.",
        _ => "is changed.",
    };
    Prose::new(look)
        .painted(Paint::Heading, &report.subject)
        .say(what)
        .write(writer, "", "  ")?;
    if !look.quiet {
        for path in &report.changed {
            Prose::new(look)
                .say("changed")
                .path(path)
                .write(writer, "  ", "    ")?;
        }
    }
    Ok(())
}

fn not_there(report: &ChangeReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let what = match report.action {
        "approve" => "There is no MCP server",
        "revoke" => "Nothing is approved under the name",
        action if action.starts_with("marketplace") => "There is no marketplace",
        _ => "There is no plugin",
    };
    let prose = Prose::new(look).say(what).name(&report.subject).glue(".");
    suggest(prose, &report.suggestions).write(writer, "", "  ")
}

fn suggest<'a>(mut prose: Prose<'a>, suggestions: &[String]) -> Prose<'a> {
    if !suggestions.is_empty() {
        prose = prose.say("Did you mean");
        for (index, one) in suggestions.iter().enumerate() {
            if index > 0 {
                prose = prose.say("or");
            }
            prose = prose.name(one);
        }
        prose = prose.glue("?");
    }
    prose
}

/// Writes the answer of `plugins verify`.
///
/// # Errors
///
/// What the writer answers.
pub fn verified(report: &PluginsVerifyReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    for one in &report.plugins {
        let paint = match one.standing {
            Standing::Unchanged => Paint::Winner,
            Standing::Unrecorded => Paint::Plain,
            _ => Paint::Bad,
        };
        let record = one.record.as_ref();
        let from = record.and_then(|record| record.source.as_deref());
        let mut prose = Prose::new(look)
            .painted(paint, one.standing.as_str())
            .painted(Paint::Heading, &one.id)
            .say("at")
            .path(&one.path);
        if let Some(from) = from {
            prose = prose.glue(",").say("from").say(&report.context.shown(from));
        }
        prose.write(writer, "", "  ")?;
    }
    if report.plugins.is_empty() {
        let prose = Prose::new(look).say("There is no such plugin of yours.");
        suggest(prose, &report.suggestions).write(writer, "", "  ")?;
    }
    if !look.quiet && !report.plugins.is_empty() {
        let all = [
            Standing::Unchanged,
            Standing::Drifted,
            Standing::Missing,
            Standing::Unrecorded,
            Standing::Unreadable,
        ];
        let counts: Vec<String> = all
            .into_iter()
            .map(|standing| (standing, report.count(standing)))
            .filter(|(_, count)| *count > 0)
            .map(|(standing, count)| format!("{count} {}", standing.as_str()))
            .collect();
        Prose::new(look).say(&counts.join(", ")).write(writer, "", "")?;
    }
    Ok(())
}

/// Writes the answer of `marketplace list`; with the entries of each if `entries`.
///
/// # Errors
///
/// What the writer answers.
pub fn marketplaces(
    report: &MarketplacesReport,
    entries: bool,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    if report.query.is_some() {
        for hit in &report.hits {
            if let Some((marketplace, entry)) = report.entry(hit) {
                offered(marketplace, entry, "", look, writer)?;
            }
        }
        if report.hits.is_empty() {
            Prose::new(look)
                .say("No registered marketplace has a plugin with these words in its name or description.")
                .write(writer, "", "")?;
        }
        return Ok(());
    }
    for one in &report.registry.marketplaces {
        let count = u64::try_from(one.entries().len()).unwrap_or(u64::MAX);
        Prose::new(look)
            .painted(Paint::Heading, &one.name)
            .say(&format!(
                "{}, {}, {} from",
                words::count(count, "plugin", "plugins"),
                one.tier,
                one.kind.as_str()
            ))
            .say(&report.context.shown(&one.source))
            .write(writer, "", "  ")?;
        if entries {
            for entry in one.entries() {
                offered(one, entry, "  ", look, writer)?;
            }
        }
    }
    if report.registry.marketplaces.is_empty() {
        let prose = if entries {
            Prose::new(look).say("There is no marketplace of that name.")
        } else {
            Prose::new(look).say("No marketplace is registered. `marketplace add SOURCE` registers one.")
        };
        suggest(prose, &report.suggestions).write(writer, "", "  ")?;
    }
    Ok(())
}

fn offered(
    marketplace: &Registered,
    entry: &MarketplaceEntry,
    indent: &str,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let version = entry.manifest.version.as_ref().map(|text| text.value.as_str());
    let description = entry
        .manifest
        .description
        .as_ref()
        .map(|text| text.value.as_str());
    let mut prose = Prose::new(look)
        .painted(
            Paint::Heading,
            &format!("{}@{}", entry.name.value, marketplace.name),
        )
        .say(version.unwrap_or_default())
        .say(description.unwrap_or_default());
    let declared = declared(entry);
    if !declared.is_empty() {
        prose = prose.say(&format!("(states {declared})"));
    }
    if let Some(why) = marketplace.obstacle(entry) {
        prose = prose.say(&format!("(cannot be installed: {why})"));
    }
    prose.write(writer, indent, &format!("{indent}  "))
}

/// What an entry states of components, in few words.
fn declared(entry: &MarketplaceEntry) -> String {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for one in StatedView::of(entry) {
        match counts.iter_mut().find(|(what, _)| *what == one.what) {
            Some((_, count)) => *count += 1,
            None => counts.push((one.what, 1)),
        }
    }
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(what, count)| words::count(count, what, &format!("{what}s")))
        .collect();
    counts.join(", ")
}
