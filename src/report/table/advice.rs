//! What to change to make a candidate win: concrete, and true of the chain at hand.

use std::path::PathBuf;

use super::Look;
use super::prose::Prose;
use crate::model::{
    CandidateRef, Chain, Code, ComponentKind, Family, Place, Resolution, Root, RootStatus, Rule, State,
};
use crate::report::ScanReport;

/// What a candidate that lost to a valid one would need; an empty paragraph if nothing need be done.
pub(super) fn to_win<'a>(
    report: &ScanReport,
    chain: Chain<'_>,
    index: u32,
    candidate: CandidateRef<'_>,
    look: &'a Look,
) -> Prose<'a> {
    let prose = Prose::new(look);
    match candidate.rule {
        Some(Rule::ConfigFormat) => return to_count(chain, candidate, prose),
        // Nothing need be done, or only renaming helps, which the rule itself says.
        Some(
            Rule::ConfigLayers
            | Rule::PluginNamespace
            | Rule::AddsUp
            | Rule::KeptSideBySide
            | Rule::RenamedOnClash
            | Rule::OneFileOnce
            | Rule::SameEndpoint
            | Rule::FirstFileOfFolder
            | Rule::OnlyOneNameOfWalk
            | Rule::PluginFirstGiven
            | Rule::HigherVersion
            | Rule::CommandOverSkill
            | Rule::SkillOverCommand
            | Rule::HostOrderUndefined,
        )
        | None => return prose,
        Some(
            Rule::NativeOverClaude
            | Rule::ProjectOverGlobal
            | Rule::NearestDirectory
            | Rule::ClaudeProjectOverAlephGlobal
            | Rule::TiePathOrder
            | Rule::UserOverProject
            | Rule::ManagedOverAll
            | Rule::LastPathWins
            | Rule::AgentsOverOwn
            | Rule::OuterDirectory
            | Rule::OwnHomeOverAll
            | Rule::ExtensionLast
            | Rule::LocalOverProject,
        ) => {}
    }
    let Some(winner) = chain.winner() else {
        return prose;
    };
    let before: Vec<CandidateRef<'_>> = (0..)
        .zip(chain.candidates())
        .filter(|(other, one)| *other < index && !one.state.is_out_of_the_running())
        .map(|(_, one)| one)
        .collect();
    let mut prose = prose.say("To make it win:");
    if candidate.kind == ComponentKind::McpServer {
        return out_of_files(chain, &before, prose);
    }
    let copy = destination(report, winner, candidate);
    if let Some(copy) = &copy {
        prose = prose.say("copy it to").path(copy).glue(", or");
    }
    prose = match before.as_slice() {
        [one] => prose
            .say("delete")
            .path(&one.path())
            .say("or give that one another name"),
        [one, other] => prose
            .say("delete")
            .path(&one.path())
            .say("and")
            .path(&other.path())
            .say("or give both another name"),
        _ => {
            if copy.is_none() {
                prose = prose
                    .say("put a copy of it in the place of")
                    .path(&winner.path())
                    .glue(", or");
            }
            prose.say(&format!(
                "delete all {} that come before it or give them other names",
                before.len()
            ))
        }
    };
    prose = prose.glue(".");
    if candidate.rule == Some(Rule::NativeOverClaude) && copy.is_some() {
        prose = prose.say("(A copy, since Claude Code itself reads only .claude.)");
    }
    prose
}

/// Servers share files with others, so it is their entries that are taken away.
fn out_of_files<'a>(chain: Chain<'_>, before: &[CandidateRef<'_>], prose: Prose<'a>) -> Prose<'a> {
    let mut prose = prose.say("take").name(&chain.id()).say("out of");
    for (index, one) in before.iter().enumerate() {
        if index > 0 {
            prose = prose.say("and out of");
        }
        prose = prose.path(&one.path());
    }
    prose.glue(", or give it another name there.")
}

/// How to have several entries of one name in effect: what decides the name of each.
pub(super) fn to_keep_all<'a>(chain: Chain<'_>, look: &'a Look) -> Prose<'a> {
    let prose = Prose::new(look);
    let valid = || {
        chain
            .candidates()
            .filter(|candidate| !candidate.state.is_out_of_the_running())
    };
    if chain.kind() == ComponentKind::Config || !valid().any(|candidate| candidate.state == State::Shadowed) {
        return prose;
    }
    let declares = |candidate: CandidateRef<'_>| {
        candidate
            .declared_name()
            .is_some_and(|name| name.trim() == candidate.id())
    };
    if chain.kind() == ComponentKind::McpServer {
        return prose.say(
            "To use several of them side by side, give each a name of its own: its key in the file decides.",
        );
    }
    let what_decides = match (valid().any(declares), valid().all(declares)) {
        (_, true) => "the `name` in its front matter decides.",
        (true, false) => "the `name` in its front matter decides, else the name of its folder or file.",
        (false, false) => "the name of its folder or file decides.",
    };
    prose
        .say("To use several of them side by side, give each a name of its own:")
        .say(what_decides)
}

/// One of two formats in a directory.
fn to_count<'a>(chain: Chain<'_>, candidate: CandidateRef<'_>, prose: Prose<'a>) -> Prose<'a> {
    match super::scan::lost_to(chain, candidate) {
        Some(by) => prose
            .say("To make it count: move what it sets into")
            .path(&by.path())
            .glue(", or delete that file."),
        None => prose,
    }
}

/// Where a copy of a loser would beat the winner: at its own place, at the winner's, or in the highest root
/// there is, in this order; never where something is already.
fn destination(report: &ScanReport, winner: CandidateRef<'_>, loser: CandidateRef<'_>) -> Option<PathBuf> {
    let roots = &report.resolution.roots;
    let native_at = |candidate: CandidateRef<'_>| {
        let own = candidate.root()?;
        roots.iter().find(|root| {
            root.family == Family::Aleph
                && root.scope == own.scope
                && (root.source == own.source && root.path.parent() == own.path.parent()
                    || own.family == Family::Claude && root.source.is_user() && own.source.is_user())
        })
    };
    let highest = roots.iter().rev().find(|root| takes(root, loser.kind));
    let folder = report.context.profile.kind(loser.kind)?.folder;
    [native_at(loser), native_at(winner), highest]
        .into_iter()
        .flatten()
        .filter(|root| takes(root, loser.kind) && root.priority > winner.priority())
        .find(|root| !is_taken(&report.resolution, root, loser))
        .map(|root| root.path.join(folder).join(&*loser.entry_name))
}

/// Whether a root would be read for a kind, were something put there.
fn takes(root: &Root, kind: ComponentKind) -> bool {
    let is_open = match root.status {
        RootStatus::Scanned | RootStatus::Missing => root.reason.is_none(),
        RootStatus::Unreadable | RootStatus::Skipped => false,
    };
    let is_closed_for = root
        .dirs
        .iter()
        .any(|dir| dir.kind == kind && (dir.reason.is_some() || dir.status == RootStatus::Unreadable));
    is_open && root.kinds.contains(&kind) && !is_closed_for
}

/// Whether an entry of this name is there already.
fn is_taken(resolution: &Resolution, root: &Root, loser: CandidateRef<'_>) -> bool {
    resolution.candidates.iter().any(|other| {
        let in_root = match other.place {
            Place::Listed { root: index, .. } => resolution
                .roots
                .get(index as usize)
                .is_some_and(|other| std::ptr::eq(other, root)),
            Place::Free(_) => false,
        };
        in_root && other.kind == loser.kind && other.entry_name == loser.entry_name
    })
}

/// What would become of a candidate that is out of the running, were it mended.
pub(super) fn once_mended(chain: Chain<'_>, index: u32, candidate: CandidateRef<'_>) -> Option<&'static str> {
    let could_compete = match candidate.state {
        State::Invalid | State::Rejected | State::Unreadable | State::Disabled | State::Untrusted => true,
        State::Ignored => matches!(candidate.code, Some(Code::NoMarker | Code::WrongCase)),
        State::Active
        | State::Shadowed
        | State::Identical
        | State::Alias
        | State::Namespaced
        | State::Additive => false,
    };
    if !could_compete || candidate.kind == ComponentKind::Config {
        return None;
    }
    Some(match chain.winner_index() {
        None => "Once that is mended, it is in effect.",
        Some(winner) if index < winner => "Once that is mended, it wins: its place is above the winner's.",
        Some(_) => "Even then it would not win: its place is below the winner's.",
    })
}

/// What to do about a candidate that is out of the running, where it has no words of its own.
pub(super) fn to_mend(report: &ScanReport, candidate: CandidateRef<'_>) -> Option<String> {
    let detail = candidate.candidate().detail.as_deref();
    if let Some(help) = detail.and_then(|detail| detail.help.as_deref()) {
        return Some(format!("To mend it: {help}."));
    }
    let kind = super::words::kind(candidate.kind);
    let marker = report
        .context
        .profile
        .kind(candidate.kind)
        .and_then(|spec| spec.layout.marker());
    match (candidate.code?, marker) {
        (Code::Hidden, _) => Some("To have it read, rename it so that it does not begin with a dot.".to_owned()),
        (Code::NoMarker, Some(marker)) => {
            Some(format!("If it is meant to be a {kind}, put a {marker} into it."))
        }
        (Code::WrongKind, Some(marker)) => Some(format!(
            "If it is meant to be a {kind}, let its name end in .md, or put it as {marker} into a folder of its own."
        )),
        (Code::NoManifest, _) => Some(
            "If it is meant to be a plugin, give it an aleph.plugin.toml, or a folder skills, commands, agents or hooks."
                .to_owned(),
        ),
        (Code::Unreadable, _) => Some("Make it readable, and run again.".to_owned()),
        _ => None,
    }
}
