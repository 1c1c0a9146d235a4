//! `scan`: what is in effect, and beneath each what it beat.

use std::io::{self, Write};

use super::entries::{Entries, Entry, Measure};
use super::layout::Line;
use super::paint::Paint;
use super::prose::Prose;
use super::{Detail, Look, roots, words};
use crate::host::HostProfile;
use crate::model::{CandidateRef, Chain, Code, ComponentKind, Family, Form, Rule, State};
use crate::report::{Context, ScanReport, Selection, escape};

/// Writes the answer of `scan`.
///
/// # Errors
///
/// What the writer answers.
pub fn scan(report: &ScanReport, detail: Detail, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    if !look.quiet {
        headline(report, look, writer)?;
    }
    let listing = Listing { report, detail, look };
    let shown = listing.write(!look.quiet, writer)?;
    if shown == 0 {
        if !look.quiet {
            writeln!(writer)?;
        }
        nothing_found(report, detail, look, writer)?;
    }
    if detail == Detail::Everything {
        writeln!(
            writer,
            "\n{}",
            look.paint(Paint::Heading, "Roots, highest priority first")
        )?;
        roots::list(&report.context, &report.resolution.roots, look, writer)?;
    }
    if !look.quiet {
        writeln!(writer)?;
        summary(report, look, writer)?;
    }
    Ok(())
}

fn headline(report: &ScanReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let kinds: Vec<String> = report
        .kinds
        .iter()
        .map(|kind| words::group(*kind).to_owned())
        .collect();
    let prose = Prose::new(look).painted(Paint::Heading, &words::capital(&words::list(&kinds)));
    in_place(&report.context, prose, look).write(writer, "", "  ")?;
    place(&report.context, look, writer)
}

/// Adds `in /p, as aleph loads it`: the place, and whose rules the answer follows.
pub(super) fn in_place<'a>(context: &Context, prose: Prose<'a>, look: &Look) -> Prose<'a> {
    let prose = if look.relative_to.as_deref() == Some(&*context.directory) {
        prose.say("here")
    } else {
        prose.say("in").painted_path(Paint::Heading, &context.directory)
    };
    as_loaded(context, prose)
}

/// Adds `, as aleph loads it`, which is never broken apart.
pub(super) fn as_loaded<'a>(context: &Context, prose: Prose<'a>) -> Prose<'a> {
    prose
        .glue(",")
        .atom(&format!("as {} loads it", context.profile.id))
}

/// The git root, where it is another directory, and the checkout that a worktree belongs to.
pub(super) fn place(context: &Context, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let mut prose = Prose::new(look);
    match &context.git_root {
        Some(root) if *root != context.directory => prose = prose.say("Git root").path(root),
        Some(_) if context.worktree_of.is_some() => prose = prose.say("Git root here"),
        _ => {}
    }
    if let Some(main) = &context.worktree_of {
        prose = prose.glue(", a worktree of").path(main);
    }
    prose.write(writer, "", "  ")
}

/// The chains of a report as a list.
pub(super) struct Listing<'a> {
    pub(super) report: &'a ScanReport,
    pub(super) detail: Detail,
    pub(super) look: &'a Look,
}

/// What a listing consists of.
enum Item {
    /// The first entry of a kind follows.
    Kind(ComponentKind),
    /// The first entry of a kind follows that is not in effect, nor beaten by one that is.
    Idle,
    Entry(Entry),
}

impl Listing<'_> {
    /// Writes the list, with a blank line above each kind, the first one only if `apart`; tells how many entries
    /// it has.
    pub(super) fn write(&self, apart: bool, writer: &mut dyn Write) -> io::Result<usize> {
        let mut measure = Measure::default();
        let mut shown = 0;
        self.visit(&mut |item| {
            if let Item::Entry(entry) = item {
                measure.add(&entry);
                shown += 1;
            }
            Ok(())
        })?;
        let mut entries = Entries::new(&measure, self.look);
        let mut is_first = !apart;
        self.visit(&mut |item| match item {
            Item::Kind(kind) => {
                if !std::mem::take(&mut is_first) {
                    entries.line(writer, "")?;
                }
                entries.line(
                    writer,
                    &self
                        .look
                        .paint(Paint::Heading, &words::capital(words::group(kind))),
                )
            }
            Item::Idle => entries.line(writer, &self.look.paint(Paint::Faint, "not in effect:")),
            Item::Entry(entry) => entries.entry(writer, &entry),
        })?;
        entries.finish(writer)?;
        Ok(shown)
    }

    /// Visits everything that is listed, in order; the same each time.
    fn visit(&self, tell: &mut dyn FnMut(Item) -> io::Result<()>) -> io::Result<()> {
        for kind in ComponentKind::ALL {
            let mut is_first = true;
            for chain in self.chains(kind).filter(|chain| chain.winner().is_some()) {
                if std::mem::take(&mut is_first) {
                    tell(Item::Kind(kind))?;
                }
                self.in_effect(chain, tell)?;
            }
            if self.detail != Detail::Everything {
                continue;
            }
            let mut is_first_idle = true;
            for chain in self.chains(kind).filter(|chain| chain.winner().is_none()) {
                if std::mem::take(&mut is_first) {
                    tell(Item::Kind(kind))?;
                }
                if std::mem::take(&mut is_first_idle) {
                    tell(Item::Idle)?;
                }
                for candidate in chain.candidates() {
                    tell(Item::Entry(self.beaten(chain, candidate)))?;
                }
            }
        }
        Ok(())
    }

    fn chains(&self, kind: ComponentKind) -> impl Iterator<Item = Chain<'_>> {
        // That a plugin's component can be called by its short name too would be said twice.
        let is_echo = |chain: &Chain<'_>| {
            chain.winner().is_some() && chain.candidates().all(|candidate| candidate.is_short_name())
        };
        let is_asked = matches!(self.report.selection, Selection::Some(_));
        self.report
            .chains()
            .filter(move |chain| chain.kind() == kind && (is_asked || !is_echo(chain)))
    }

    fn in_effect(&self, chain: Chain<'_>, tell: &mut dyn FnMut(Item) -> io::Result<()>) -> io::Result<()> {
        let Some((index, winner)) = chain.winner_index().zip(chain.winner()) else {
            return Ok(());
        };
        let mut note = words::origin(winner);
        if winner.state != State::Active {
            note = format!("{note}, {}", winner.state);
        }
        tell(Item::Entry(Entry {
            label: Line::new(Paint::Winner, escape::visible(&chain.id())),
            path: self.path(winner, Paint::Plain),
            note: Line::new(Paint::Faint, note),
            note_is_optional: winner.state == State::Active,
        }))?;
        let only_in_effect = self.report.selection == Selection::Active;
        for (other, candidate) in (0..).zip(chain.candidates()) {
            let is_hidden = candidate.code == Some(Code::Hidden) && self.detail != Detail::Everything;
            if other != index && !is_hidden && (candidate.state.is_in_effect() || !only_in_effect) {
                tell(Item::Entry(self.beaten(chain, candidate)))?;
            }
        }
        Ok(())
    }

    /// A candidate that is not the winner.
    fn beaten(&self, chain: Chain<'_>, candidate: CandidateRef<'_>) -> Entry {
        let paint = words::paint(candidate.state);
        let faint = if paint == Paint::Bad {
            Paint::Plain
        } else {
            Paint::Faint
        };
        Entry {
            label: Line::new(paint, format!("  {}", candidate.state)),
            path: self.path(candidate, faint),
            note: Line::new(faint, reason(self.report, chain, candidate)),
            note_is_optional: false,
        }
    }

    fn path(&self, candidate: CandidateRef<'_>, paint: Paint) -> Line {
        let path = candidate.path();
        Line {
            text: self.look.path(&path),
            paint,
            url: self.look.target(&path),
        }
    }
}

/// Why a candidate is not the winner, in ids and as few words as will do.
pub(super) fn reason(report: &ScanReport, chain: Chain<'_>, candidate: CandidateRef<'_>) -> String {
    if let Some(rule) = candidate.rule {
        return match lost_to(chain, candidate) {
            Some(by) => format!("{rule}, by {}", beater(rule, by)),
            None => rule.to_string(),
        };
    }
    let Some(code) = candidate.code else {
        return String::new();
    };
    if code == Code::Unreadable {
        // The state says that already; what the operating system said is news.
        return escape::prose(report.message(candidate).unwrap_or(words::code(code)));
    }
    let detail = candidate.candidate().detail.as_deref();
    let position = detail.and_then(|detail| detail.line).map(|line| {
        let column = detail.and_then(|detail| detail.column);
        column.map_or_else(|| format!(" at {line}"), |column| format!(" at {line}:{column}"))
    });
    let target = detail
        .and_then(|detail| detail.symlink_target.as_deref())
        .filter(|_| matches!(code, Code::Symlink | Code::EscapesRoot))
        .map(|target| format!(" to {}", escape::visible(&target.to_string_lossy())));
    format!(
        "{code}{}{}",
        position.unwrap_or_default(),
        target.unwrap_or_default()
    )
}

/// What a candidate lost to: the winner, but of configuration files the one that counts in its own directory.
pub(super) fn lost_to<'a>(chain: Chain<'a>, candidate: CandidateRef<'_>) -> Option<CandidateRef<'a>> {
    let by = chain.get(candidate.by?)?;
    if candidate.rule != Some(Rule::ConfigFormat) {
        return Some(by);
    }
    chain
        .candidates()
        .find(|other| other.state.is_in_effect() && other.parent() == candidate.parent())
}

/// Who beat a candidate: by where it is, or by its file name where both are in one place.
fn beater(rule: Rule, by: CandidateRef<'_>) -> String {
    match rule {
        Rule::TiePathOrder
        | Rule::LastPathWins
        | Rule::ConfigFormat
        | Rule::FirstFileOfFolder
        | Rule::OnlyOneNameOfWalk => {
            let name = by.entry_name.to_string_lossy();
            let slash = if by.form == Form::Directory { "/" } else { "" };
            format!("{}{slash}", escape::visible(&name))
        }
        Rule::NativeOverClaude
        | Rule::ProjectOverGlobal
        | Rule::NearestDirectory
        | Rule::ClaudeProjectOverAlephGlobal
        | Rule::ConfigLayers
        | Rule::PluginNamespace
        | Rule::AddsUp
        | Rule::UserOverProject
        | Rule::ManagedOverAll
        | Rule::SkillOverCommand
        | Rule::KeptSideBySide
        | Rule::RenamedOnClash
        | Rule::HostOrderUndefined
        | Rule::OneFileOnce
        | Rule::AgentsOverOwn
        | Rule::OuterDirectory
        | Rule::OwnHomeOverAll
        | Rule::ExtensionLast
        | Rule::LocalOverProject
        | Rule::SameEndpoint
        | Rule::PluginFirstGiven
        | Rule::HigherVersion
        | Rule::CommandOverSkill => words::origin(by),
    }
}

/// `3 skills, 1 command in effect; 2 shadowed, 1 identical; 1 invalid; 4 hidden`.
fn summary(report: &ScanReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let summary = report.summary();
    let profile = report.context.profile;
    // That there is none of a kind which only plugins bring is worth saying to those who asked for the kind.
    let is_asked = !profile.listed_kinds().all(|kind| report.kinds.contains(&kind));
    let kinds: Vec<String> = summary
        .by_kind
        .iter()
        .filter(|(kind, number)| is_asked || **number > 0 || !profile.plugin_kinds.contains(kind))
        .map(|(kind, number)| words::count(*number, words::kind(*kind), words::kinds(*kind)))
        .collect();
    let mut groups = vec![format!("{} in effect", kinds.join(", "))];
    let hidden = hidden(report);
    let ignored = summary.ignored - hidden;
    for states in [
        &[State::Shadowed, State::Identical, State::Alias][..],
        &[State::Additive, State::Namespaced],
        &[
            State::Invalid,
            State::Unreadable,
            State::Rejected,
            State::Disabled,
            State::Untrusted,
        ],
    ] {
        let counted: Vec<String> = states
            .iter()
            .map(|state| (summary.count(*state), *state))
            .filter(|(number, _)| *number > 0)
            .map(|(number, state)| words::counted(number, state))
            .collect();
        groups.push(counted.join(", "));
    }
    let mut left: Vec<String> = Vec::new();
    if ignored > 0 {
        left.push(words::counted(ignored, State::Ignored));
    }
    if hidden > 0 {
        left.push(format!("{hidden} hidden"));
    }
    groups.push(left.join(", "));
    groups.retain(|group| !group.is_empty());
    let prose = Prose::new(look).say(&groups.join("; "));
    prose.write(writer, "", "  ")?;
    if !report.resolution.complete {
        Prose::new(look)
            .painted(Paint::Bad, "Incomplete:")
            .say("something could not be read, so there may be more than is listed")
            .write(writer, "", "  ")?;
    }
    Ok(())
}

fn hidden(report: &ScanReport) -> u64 {
    let hidden = report
        .resolution
        .candidates
        .iter()
        .filter(|candidate| candidate.code == Some(Code::Hidden))
        .count();
    u64::try_from(hidden).unwrap_or(u64::MAX)
}

/// Where was looked, and what would be found there: an answer, where an empty screen would be a riddle.
fn nothing_found(report: &ScanReport, detail: Detail, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let profile = report.context.profile;
    let roots = &report.resolution.roots;
    let mut prose = Prose::new(look).say("Nothing is in effect here.");
    if roots.is_empty() {
        prose = prose.say("No root is left to look at: the flags switch all of them off.");
    } else if detail != Detail::Everything {
        let number = u64::try_from(roots.len()).unwrap_or(u64::MAX);
        prose = prose.say(&format!(
            "{} looked at, highest priority first:",
            words::count(number, "root was", "roots were")
        ));
    }
    prose.write(writer, "", "")?;
    if detail != Detail::Everything {
        roots::list(&report.context, roots, look, writer)?;
        writeln!(writer)?;
    }
    expected(profile, &report.kinds, look, writer)
}

/// What would be found in a root.
pub(super) fn expected(
    profile: &HostProfile,
    kinds: &[ComponentKind],
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let places: Vec<String> = kinds
        .iter()
        .filter_map(|kind| words::expected(profile, *kind))
        .collect();
    if !places.is_empty() {
        Prose::new(look)
            .say("In a root would be found:")
            .write(writer, "", "")?;
        for place in places {
            Prose::new(look).say(&place).write(writer, "  ", "    ")?;
        }
    }
    if kinds.contains(&ComponentKind::Config) && !profile.config.names.is_empty() {
        let config = &profile.config;
        let names: Vec<String> = config.names.iter().map(|name| (*name).to_owned()).collect();
        let home = Family::Aleph.dir_name();
        Prose::new(look)
            .say(&format!(
                "Configuration would be {}, in the global {home} or in a directory of the project.",
                words::list(&names).replace(" and ", " or ")
            ))
            .write(writer, "", "  ")?;
    }
    Ok(())
}
