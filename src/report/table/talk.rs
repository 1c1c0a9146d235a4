//! What belongs on standard error after an answer: which of the findings, and what to do next.
//!
//! There are at most two hints, each names a command, and none is given where there is nothing to do.

use super::Detail;
use crate::host::HostProfile;
use crate::model::{CandidateRef, Code, Diagnostic, Family, HostId, Resolution, Scope, State};
use crate::report::{
    ConfigFilesReport, Context, PathFate, RootsReport, ScanReport, WhyReport, claude_differs, escape,
};

/// What to do next after `scan`: at most two hints.
#[must_use]
pub fn scan_hints(report: &ScanReport, detail: Detail) -> Vec<String> {
    let chains = || report.resolution.chains();
    let summary = report.summary();
    let mut hints = Vec::new();
    let unseen = summary.ignored + summary.rejected + summary.invalid + summary.unreadable;
    let all_hint = (detail == Detail::InEffect && unseen > 0)
        .then(|| "`aleph-discover scan --all` also lists what is not in effect".to_owned());
    let idle = chains().any(|chain| {
        let is_broken = |candidate: CandidateRef<'_>| {
            matches!(
                candidate.state,
                State::Invalid | State::Rejected | State::Unreadable | State::Untrusted
            )
        };
        chain.winner().is_none() && chain.candidates().any(is_broken)
    });
    hints.extend(claude_hint(
        &report.context,
        Some(&report.resolution),
        chains().flat_map(|chain| chain.candidates()),
    ));
    if idle {
        hints.extend(all_hint.clone());
    }
    let contested = chains().find(|chain| {
        chain
            .candidates()
            .any(|candidate| candidate.state == State::Shadowed)
    });
    if contested.is_some() {
        let plain = chains().find(|chain| {
            is_plain(&chain.id())
                && chain
                    .candidates()
                    .any(|candidate| candidate.state == State::Shadowed)
        });
        let name = plain.map_or_else(|| "NAME".to_owned(), |chain| chain.id().into_owned());
        hints.push(format!(
            "`aleph-discover why {name}` says why each of them lost, and what would make it win"
        ));
    }
    if !idle {
        hints.extend(all_hint);
    }
    hints.truncate(2);
    hints
}

/// Whether a name can be given on a command line as it is.
fn is_plain(name: &str) -> bool {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(is_safe)
}

/// Who asks as the native host about `.claude` entries may want Claude Code's own answer, where there is one.
fn claude_hint<'a>(
    context: &Context,
    resolution: Option<&Resolution>,
    mut candidates: impl Iterator<Item = CandidateRef<'a>>,
) -> Option<String> {
    let host = HostId::ClaudeCode;
    if context.profile.id == host || HostProfile::of(host).is_none() {
        return None;
    }
    let is_involved = candidates.any(|candidate| {
        candidate.family() == Family::Claude && matches!(candidate.scope(), Scope::User | Scope::Project)
    });
    if context.profile.is_native()
        && let Some(resolution) = resolution
        && let Some((_, name, path)) = claude_differs(resolution)
            .into_iter()
            .find(|(_, name, _)| is_plain(name))
    {
        return Some(format!(
            "for Claude Code `{}` is {}: `aleph-discover why {name} --host all` has every host's answer",
            name,
            escape::visible(&path.to_string_lossy())
        ));
    }
    is_involved.then(|| format!("`--host {host}` answers for Claude Code itself"))
}

/// The findings that are about what was asked, but for those that the answer itself tells.
#[must_use]
pub fn why_diagnostics(report: &WhyReport) -> Vec<Diagnostic> {
    let scan = &report.scan;
    let is_told = |diagnostic: &Diagnostic| {
        scan.chains()
            .flat_map(|chain| chain.candidates())
            .any(|candidate| {
                candidate.code == Some(diagnostic.code)
                    && diagnostic
                        .path
                        .as_deref()
                        .is_some_and(|path| path.starts_with(candidate.path()))
            })
    };
    // What could not be looked into may hold the name.
    let is_about = |diagnostic: &Diagnostic| match &diagnostic.subject {
        _ if diagnostic.is_gap() => true,
        Some(subject) => scan
            .chains()
            .any(|chain| chain.kind() == subject.kind && chain.id() == subject.id),
        None => diagnostic.code == Code::DepthCap && !report.is_in_effect(),
    };
    scan.resolution
        .diagnostics
        .iter()
        .filter(|diagnostic| is_about(diagnostic) && !is_told(diagnostic))
        .cloned()
        .collect()
}

/// What to do next after `why`: at most two hints.
#[must_use]
pub fn why_hints(report: &WhyReport) -> Vec<String> {
    let scan = &report.scan;
    let mut hints = Vec::new();
    hints.extend(claude_hint(
        &scan.context,
        None,
        scan.chains().flat_map(|chain| chain.candidates()),
    ));
    if report.meant.is_empty() {
        let like = report.suggestions.iter().find(|name| is_plain(name));
        match (like, report.fate) {
            (Some(name), _) => hints.push(format!("`aleph-discover why {name}` explains that one")),
            (None, Some(PathFate::NotRead)) => {
                hints.push("`aleph-discover roots` lists the directories that are looked at".to_owned());
            }
            (None, _) => hints.push("`aleph-discover scan --all` lists everything that is there".to_owned()),
        }
    }
    hints.truncate(2);
    hints
}

/// The findings that are about roots and the walk, and what could not be read; those about what is in the roots are
/// for `scan`.
#[must_use]
pub fn roots_diagnostics(report: &RootsReport) -> Vec<Diagnostic> {
    report
        .resolution
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.subject.is_none() || diagnostic.is_gap())
        .cloned()
        .collect()
}

/// What to do next after `find-config`.
#[must_use]
pub fn config_hints(report: &ConfigFilesReport) -> Vec<String> {
    let config = &report.context.profile.config;
    if report.merged.is_some() {
        return Vec::new();
    }
    if report.found.name == config.id && report.found.active().next().is_some() {
        return vec![format!(
            "`aleph-discover find-config {} --merged` says which file each value comes from",
            config.id
        )];
    }
    let is_one_format = config.names.contains(&report.found.name.as_str());
    if is_one_format {
        return vec![format!(
            "`aleph-discover find-config {}` looks at all formats, and says which one counts",
            config.id
        )];
    }
    Vec::new()
}
