//! `plugins` and `plugins show`: what there is, and what each brings.

use std::io::{self, Write};

use super::entries::Entry;
use super::layout::Line;
use super::paint::Paint;
use super::prose::Prose;
use super::{Look, roots, scan, words};
use crate::model::{CandidateRef, ComponentKind, State};
use crate::plugin::shown::DefinitionViews;
use crate::plugin::{FoundPlugin, PART_KINDS};
use crate::report::{PluginsReport, escape, shell};

/// Writes the answer of `plugins`; entries that are no plugin only if `everything`.
///
/// # Errors
///
/// What the writer answers.
pub fn plugins(
    report: &PluginsReport,
    everything: bool,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let context = &report.scan.context;
    if !look.quiet {
        let headline = Prose::new(look)
            .painted(Paint::Heading, "Plugins in")
            .painted_path(Paint::Heading, &context.directory);
        scan::as_loaded(context, headline).write(writer, "", "  ")?;
        writeln!(writer)?;
    }
    let is_shown = |one: &&FoundPlugin| everything || one.state != State::Ignored;
    let shown: Vec<&FoundPlugin> = report.plugins.iter().filter(is_shown).collect();
    let entries: Vec<Entry> = shown.iter().map(|one| entry(report, one, look)).collect();
    if entries.is_empty() {
        Prose::new(look)
            .say("There is no plugin here. One would be a directory in the folder plugins of a .aleph directory.")
            .write(writer, "", "")?;
    }
    roots::write_all(&entries, look, writer)?;
    if !look.quiet {
        writeln!(writer)?;
        let active = report
            .plugins
            .iter()
            .filter(|one| one.state == State::Active)
            .count();
        let mut groups = vec![format!(
            "{} in effect",
            words::count(number(active), "plugin", "plugins")
        )];
        for state in State::ALL.into_iter().filter(|state| *state != State::Active) {
            let count = report.plugins.iter().filter(|one| one.state == state).count();
            if count > 0 {
                groups.push(words::counted(number(count), state));
            }
        }
        Prose::new(look).say(&groups.join("; ")).write(writer, "", "  ")?;
    }
    Ok(())
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn entry(report: &PluginsReport, one: &FoundPlugin, look: &Look) -> Entry {
    let label = if one.by.is_some() {
        Line::new(words::paint(one.state), format!("  {}", one.state))
    } else {
        Line::new(words::paint(one.state), escape::visible(&one.id))
    };
    let mut parts = Vec::new();
    if one.state != State::Active {
        let why = one
            .rule
            .map(|rule| rule.to_string())
            .or_else(|| one.code.map(|code| code.to_string()));
        let state = if one.by.is_some() {
            String::new()
        } else {
            format!("{}: ", one.state)
        };
        parts.push(format!("{state}{}", why.unwrap_or_default()));
    }
    if let Some(plugin) = &one.plugin {
        if let Some(version) = &plugin.version {
            parts.push(escape::visible(version).into_owned());
        }
        let formats: Vec<&str> = plugin.formats.iter().map(|format| format.as_str()).collect();
        parts.push(formats.join("+"));
        parts.push(counts(one));
    }
    if let (Some(message), None) = (report.message(one), &one.plugin) {
        parts.push(escape::prose(&message));
    }
    parts.retain(|part| !part.is_empty());
    Entry {
        label,
        path: Line {
            text: look.path(&one.path),
            paint: Paint::Plain,
            url: look.target(&one.path),
        },
        note: Line::new(Paint::Faint, parts.join(", ")),
        note_is_optional: false,
    }
}

/// `3 skills, 1 agent`; `nothing` where it brings nothing.
fn counts(one: &FoundPlugin) -> String {
    let counted: Vec<String> = one
        .counts
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(kind, number)| words::count(*number, words::kind(*kind), words::kinds(*kind)))
        .collect();
    if counted.is_empty() {
        "nothing".to_owned()
    } else {
        counted.join(", ")
    }
}

/// Writes the answer of `plugins show`.
///
/// # Errors
///
/// What the writer answers.
pub fn plugin(report: &PluginsReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let wanted = report.wanted.as_deref().unwrap_or_default();
    if report.plugins.is_empty() {
        Prose::new(look)
            .say(&format!("There is no plugin `{wanted}` here."))
            .write(writer, "", "")?;
    }
    for (index, one) in report.plugins.iter().enumerate() {
        if index > 0 {
            writeln!(writer)?;
        }
        facts(report, one, look, writer)?;
        for kind in PART_KINDS {
            let entries: Vec<Entry> = report
                .components(one)
                .filter(|candidate| candidate.kind == kind)
                .map(|candidate| component(report, candidate, look))
                .collect();
            if !entries.is_empty() {
                let group = words::capital(words::group(kind));
                writeln!(writer, "\n{}", look.paint(Paint::Heading, &group))?;
                roots::write_all(&entries, look, writer)?;
            }
        }
    }
    Ok(())
}

fn facts(report: &PluginsReport, one: &FoundPlugin, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let mut head = Prose::new(look).painted(Paint::Heading, &one.id);
    if let Some(plugin) = &one.plugin {
        if let Some(name) = plugin.declared_name.as_deref().filter(|name| *name != one.id) {
            head = head.say(&format!("\u{201c}{name}\u{201d}"));
        }
        if let Some(version) = &plugin.version {
            head = head.say(version);
        }
    }
    head.write(writer, "", "  ")?;
    let mut state = Prose::new(look).painted(words::paint(one.state), words::label(one.state));
    if let Some(rule) = one.rule {
        state = state.glue(&format!(": {}", words::rule(rule)));
    } else if let Some(message) = report.message(one) {
        state = state.glue(&format!(": {message}"));
    }
    state.write(writer, "  ", "    ")?;
    Prose::new(look).path(&one.path).write(writer, "  ", "    ")?;
    let Some(plugin) = &one.plugin else {
        return Ok(());
    };
    if let Some(description) = &plugin.description {
        Prose::new(look).say(description).write(writer, "  ", "  ")?;
    }
    for (index, file) in plugin.manifests.iter().enumerate() {
        let used = match (&file.manifest, plugin.chosen == Some(index)) {
            (_, true) => "gives the metadata",
            (Ok(_), false) => "is not used: an earlier one counts",
            (Err(_), false) => "cannot be used",
        };
        let line = Prose::new(look)
            .say(file.relative)
            .say(&format!("({}) {used}", file.format));
        line.write(writer, "  ", "    ")?;
    }
    let formats: Vec<String> = plugin
        .formats
        .iter()
        .map(|format| format.as_str().to_owned())
        .collect();
    Prose::new(look)
        .say(&format!(
            "Recognised by {}; brings {}",
            words::list(&formats),
            counts(one)
        ))
        .write(writer, "  ", "    ")
}

fn component(report: &PluginsReport, candidate: CandidateRef<'_>, look: &Look) -> Entry {
    let definition = DefinitionViews::of(
        candidate,
        report.scan.context.aleph_home.as_deref(),
        report.scan.context.show_secrets,
    );
    let mut note = Vec::new();
    if candidate.state != State::Active {
        note.push(candidate.state.to_string());
        note.extend(candidate.code.map(|code| code.to_string()));
    }
    if let Some(hook) = definition.hook {
        if let Some(matcher) = &hook.matcher {
            note.push(format!("on {matcher}"));
        }
        let runs = hook.command.or(hook.url).unwrap_or(hook.r#type);
        note.push([vec![runs], hook.args].concat().join(" "));
        if hook.fires > 1 {
            note.push(format!("{} times", hook.fires));
        }
    }
    if let Some(server) = definition.server {
        note.extend(server.transport.map(|transport| transport.to_string()));
        let runs = server.command.or(server.url);
        note.push([runs.into_iter().collect(), server.args].concat().join(" "));
    }
    if matches!(
        candidate.kind,
        ComponentKind::Skill | ComponentKind::Command | ComponentKind::Agent
    ) {
        note.extend(
            candidate
                .description
                .as_deref()
                .map(|text| text.chars().take(60).collect()),
        );
    }
    note.retain(|part| !part.is_empty());
    let path = candidate.marker().unwrap_or_else(|| candidate.path());
    Entry {
        label: Line::new(words::paint(candidate.state), escape::visible(&candidate.id())),
        path: Line {
            text: look.path(&path),
            paint: Paint::Plain,
            url: look.target(&path),
        },
        note: Line::new(Paint::Faint, escape::prose(&note.join(", "))),
        note_is_optional: false,
    }
}

/// What to do next after `plugins`.
#[must_use]
pub fn plugins_hints(report: &PluginsReport) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(wanted) = report.wanted.as_deref().filter(|_| report.plugins.is_empty()) {
        match report.suggestions.first() {
            Some(near) => hints.push(format!("did you mean `{near}`?")),
            None => hints.push(format!(
                "`aleph-discover plugins` lists what there is; `{wanted}` is none of it"
            )),
        }
    } else if let (None, Some(first)) = (
        &report.wanted,
        report.plugins.iter().find(|one| one.plugin.is_some()),
    ) {
        hints.push(format!(
            "`aleph-discover plugins show {}` lists what it brings",
            shell::argument(&first.id)
        ));
    }
    hints
}
