//! From candidates to chains: who wins, who loses, by which rule.
//!
//! The order of precedence is priority (high first), then path in byte order, so it never depends on the order
//! in which directories list their entries. One that is out of the running keeps its place but neither wins nor
//! shadows.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use super::clash::{digest, rule_between};
use super::{across, similar};
use crate::host::{HostProfile, Merge, Tie};
use crate::model::{
    Candidate, CandidateRef, ChainSpan, Code, ComponentKind, Diagnostic, FileIdentity, Form, Resolution,
    Rule, Severity, State, Subject,
};

/// Sorts the candidates of a resolution into chains and decides each. `resolution` comes with roots,
/// candidates and diagnostics; it goes with everything sorted.
pub(crate) fn resolve(profile: &HostProfile, mut resolution: Resolution) -> Resolution {
    across::prepare(profile, &mut resolution);
    sort_candidates(profile, &mut resolution);
    resolution.spans = spans(&resolution);
    for index in 0..resolution.spans.len() {
        let Some(span) = resolution.spans.get(index).copied() else {
            continue;
        };
        let winner = decide(profile, &mut resolution, span);
        if let Some(span) = resolution.spans.get_mut(index) {
            span.set_winner(winner);
        }
    }
    across::decide(profile, &mut resolution);
    let mut further = if profile.is_native() {
        same_files(&resolution)
    } else {
        Vec::new()
    };
    further.extend(similar::tell(&resolution));
    resolution.diagnostics.append(&mut further);
    // In place: room for a second copy of all findings would be felt where each entry has some.
    resolution
        .diagnostics
        .sort_unstable_by(|one, other| key(one).cmp(&key(other)));
    resolution.diagnostics.dedup();
    resolution
}

/// What findings are sorted by: all that one says, so that their order never depends on how they came.
#[expect(clippy::type_complexity, reason = "it is compared and nothing else")]
fn key(
    one: &Diagnostic,
) -> (
    Option<&Path>,
    Option<u32>,
    Option<u32>,
    Code,
    Option<&Subject>,
    &str,
    Severity,
    Option<&str>,
) {
    (
        one.path.as_deref(),
        one.line,
        one.column,
        one.code,
        one.subject.as_ref(),
        &one.message,
        one.severity,
        one.help.as_deref(),
    )
}

/// By kind, id, precedence; in place, since a second copy of all candidates would be most of the memory.
fn sort_candidates(profile: &HostProfile, resolution: &mut Resolution) {
    // Taken out, so that the candidates can move while their roots are asked.
    let mut candidates = std::mem::take(&mut resolution.candidates);
    candidates.shrink_to_fit();
    candidates.sort_unstable_by(|one, other| {
        (one.kind.cmp(&other.kind))
            .then_with(|| one.id().cmp(&other.id()))
            .then_with(|| {
                let one = CandidateRef::new(resolution, one);
                let other = CandidateRef::new(resolution, other);
                precedence(profile, one, other)
            })
    });
    resolution.candidates = candidates;
}

/// Which of two candidates of one id stands first: the higher priority, then the format that counts, then the
/// path in byte order, then the place in the file. What only its short name leads here stands behind all that
/// compete for it.
fn precedence(profile: &HostProfile, one: CandidateRef<'_>, other: CandidateRef<'_>) -> Ordering {
    let rank = |candidate: CandidateRef<'_>| match candidate.kind {
        ComponentKind::Config => format_rank(profile, &candidate),
        // A marker right in the component directory is met before, so it gives way to one in a folder.
        _ if !profile.is_native() && is_bare_marker(profile, &candidate) => 1,
        _ => 0,
    };
    let bytes = |candidate: CandidateRef<'_>| candidate.path().into_os_string().into_encoded_bytes();
    let place = |candidate: CandidateRef<'_>| {
        let detail = candidate.candidate().detail.as_deref();
        detail.map(|detail| (detail.line, detail.column))
    };
    let among_commands = |candidate: CandidateRef<'_>| {
        candidate.kind == ComponentKind::Skill
            && profile.skill_beats_command
            && candidate.parent().ends_with("commands")
    };
    // Of memory the host decides file by file: what is read stands before what it keeps from being read.
    let has_lost =
        |candidate: CandidateRef<'_>| candidate.kind == ComponentKind::Memory && candidate.state.is_loser();
    (one.is_short_name().cmp(&other.is_short_name()))
        .then_with(|| has_lost(one).cmp(&has_lost(other)))
        .then_with(|| among_commands(one).cmp(&among_commands(other)))
        .then_with(|| other.priority().cmp(&one.priority()))
        .then_with(|| rank(one).cmp(&rank(other)))
        .then_with(|| match profile.tie(one.kind) {
            Tie::FirstPath => bytes(one).cmp(&bytes(other)),
            Tie::LastPath | Tie::Undefined => bytes(other).cmp(&bytes(one)),
            Tie::DeepestElseUndefined => {
                let depth = |candidate: CandidateRef<'_>| candidate.path().components().count();
                (depth(other).cmp(&depth(one))).then_with(|| bytes(other).cmp(&bytes(one)))
            }
        })
        .then_with(|| place(one).cmp(&place(other)))
}

/// Whether a candidate is a marker that lies in the component directory itself.
fn is_bare_marker(profile: &HostProfile, candidate: &Candidate) -> bool {
    candidate.form == Form::File
        && profile
            .kind(candidate.kind)
            .and_then(|spec| spec.layout.marker())
            .is_some_and(|marker| *candidate.entry_name == *marker)
}

/// Place of a configuration file's name in the host's order of formats.
fn format_rank(profile: &HostProfile, candidate: &Candidate) -> usize {
    let name = candidate.entry_name.to_str().unwrap_or_default();
    let names = profile.config.names;
    names
        .iter()
        .position(|known| *known == name)
        .unwrap_or(names.len())
}

fn spans(resolution: &Resolution) -> Vec<ChainSpan> {
    let mut spans: Vec<ChainSpan> = Vec::new();
    let mut previous: Option<&Candidate> = None;
    for (index, candidate) in resolution.candidates.iter().enumerate() {
        let same = previous
            .is_some_and(|previous| previous.kind == candidate.kind && previous.id() == candidate.id());
        match spans.last_mut().filter(|_| same) {
            Some(span) => span.len += 1,
            None => spans.push(ChainSpan::new(u32::try_from(index).unwrap_or(u32::MAX), 1)),
        }
        previous = Some(candidate);
    }
    spans
}

/// What a candidate turned out to be.
struct Verdict {
    index: u32,
    state: State,
    rule: Option<Rule>,
    by: Option<u32>,
    alias_of: Option<u32>,
}

/// Decides one chain and returns the index of its winner.
fn decide(profile: &HostProfile, resolution: &mut Resolution, span: ChainSpan) -> Option<u32> {
    let chain = resolution.chain(span);
    let valid: Vec<u32> = (0..span.len)
        .filter(|index| chain.get(*index).is_some_and(|one| one.state == State::Active))
        .collect();
    let Some(winner) = valid.first().copied() else {
        without_winner(resolution, span);
        return None;
    };
    name_winner(resolution, span, winner);
    let chain = resolution.chain(span);
    if valid.len() == 1 {
        return Some(winner);
    }
    let mut compared = Compared::default();
    let merge = profile.merge(chain.kind());
    let of_host_layers = chain.kind() == ComponentKind::Config && profile.config.names.is_empty();
    let verdicts: Vec<Verdict> = if of_host_layers || merge == Merge::Additive {
        let rule = if of_host_layers {
            Rule::ConfigLayers
        } else {
            Rule::KeptSideBySide
        };
        side_by_side(&valid, rule)
    } else if chain.kind() == ComponentKind::Config {
        layer(&chain, &valid)
    } else if matches!(chain.kind(), ComponentKind::Hook | ComponentKind::Memory) {
        valid.iter().skip(1).map(|index| adds_up(*index)).collect()
    } else {
        valid
            .iter()
            .skip(1)
            .filter_map(|index| lose(profile, &chain, &valid, *index, &mut compared))
            .collect()
    };
    let mut told = ambiguities(profile, &chain, &verdicts, winner);
    let start = span.start;
    for verdict in verdicts {
        if let Some(candidate) = resolution.candidates.get_mut((start + verdict.index) as usize) {
            candidate.state = verdict.state;
            candidate.rule = verdict.rule;
            candidate.by = verdict.by;
            if verdict.alias_of.is_some() {
                candidate.detail_mut().alias_of = verdict.alias_of;
            }
        }
    }
    for (index, sha256) in compared.digests {
        if let Some(candidate) = resolution.candidates.get_mut((start + index) as usize) {
            candidate.detail_mut().sha256 = Some(sha256);
        }
    }
    resolution.complete &= compared.diagnostics.is_empty();
    resolution.diagnostics.append(&mut told);
    resolution.diagnostics.append(&mut compared.diagnostics);
    resolution.diagnostics.append(&mut compared.notes);
    Some(winner)
}

/// Names the winner to what had lost to it before there were chains.
fn name_winner(resolution: &mut Resolution, span: ChainSpan, winner: u32) {
    let (start, len) = (span.start as usize, span.len as usize);
    for candidate in resolution.candidates.iter_mut().skip(start).take(len) {
        if candidate.state.is_loser() && candidate.by.is_none() {
            candidate.by = Some(winner);
        }
    }
}

/// A memory file that the host does not read because of another that has nothing to say, or is switched off, has lost
/// to nothing: the host just does not read it.
fn without_winner(resolution: &mut Resolution, span: ChainSpan) {
    let (start, len) = (span.start as usize, span.len as usize);
    for candidate in resolution.candidates.iter_mut().skip(start).take(len) {
        if candidate.kind == ComponentKind::Memory && candidate.state.is_loser() {
            candidate.state = State::Ignored;
            candidate.code = Some(Code::WrongKind);
            candidate.rule = None;
        }
    }
}

/// The largest file whose bytes are compared, in bytes: 64 MiB. Git stores a file of zeros in next to no room, so two
/// that take minutes to read are easily sent.
const MAX_COMPARED: u64 = 64 * 1024 * 1024;

/// Digests of one chain's markers, each made at most once.
#[derive(Default)]
struct Compared {
    digests: HashMap<u32, [u8; 32]>,
    diagnostics: Vec<Diagnostic>,
    /// What was not compared, and why.
    notes: Vec<Diagnostic>,
}

impl Compared {
    fn digest(&mut self, candidate: CandidateRef<'_>, index: u32) -> Option<[u8; 32]> {
        if let Some(known) = self.digests.get(&index) {
            return Some(*known);
        }
        let path = candidate.real_path()?;
        if candidate.size > MAX_COMPARED {
            let message = "as large as the other of its name, and too large to be compared byte by byte";
            self.notes.push(
                Diagnostic::new(Code::TooLarge, Severity::Note, message)
                    .with_path(path)
                    .with_subject(candidate.kind, candidate.id())
                    .with_help("they count as different; a marker is text of a few thousand bytes"),
            );
            return None;
        }
        match digest(&path) {
            Ok(sha256) => {
                self.digests.insert(index, sha256);
                Some(sha256)
            }
            Err(error) => {
                let message = format!("cannot compare this file with the other of its name: {error}");
                self.diagnostics.push(
                    Diagnostic::new(Code::Unreadable, Severity::Error, message)
                        .with_path(path)
                        .with_subject(candidate.kind, candidate.id())
                        .with_help("make it readable, and run again"),
                );
                None
            }
        }
    }
}

/// What became of a valid candidate that is not the first: alias, else identical, else shadowed.
fn lose(
    profile: &HostProfile,
    chain: &crate::model::Chain<'_>,
    valid: &[u32],
    index: u32,
    compared: &mut Compared,
) -> Option<Verdict> {
    let by = *valid.first()?;
    let (winner, loser) = (chain.get(by)?, chain.get(index)?);
    let rule = Some(rule_between(profile, winner, loser));
    let earlier = valid.iter().copied().take_while(|earlier| *earlier < index);
    let alias_of = earlier.into_iter().find(|earlier| {
        chain
            .get(*earlier)
            .is_some_and(|earlier| is_same_file(&earlier, &loser))
    });
    if alias_of.is_some() {
        return Some(Verdict {
            index,
            state: State::Alias,
            rule,
            by: Some(by),
            alias_of,
        });
    }
    let identical = winner.has_marker
        && loser.has_marker
        && winner.identity.is_some()
        && winner.size == loser.size
        && compared
            .digest(winner, by)
            .is_some_and(|sha256| compared.digest(loser, index) == Some(sha256));
    let state = if identical {
        State::Identical
    } else {
        State::Shadowed
    };
    Some(Verdict {
        index,
        state,
        rule,
        by: Some(by),
        alias_of: None,
    })
}

/// Whether two candidates are one real file: by device and inode, hard links too, else by real path.
fn is_same_file(one: &CandidateRef<'_>, other: &CandidateRef<'_>) -> bool {
    match (one.identity, other.identity) {
        (Some(identity), Some(other)) => identity == other,
        _ => one
            .real_path()
            .is_some_and(|real| Some(real) == other.real_path()),
    }
}

/// Hooks and memory: all of one id are in effect.
const fn adds_up(index: u32) -> Verdict {
    Verdict {
        index,
        state: State::Additive,
        rule: Some(Rule::AddsUp),
        by: None,
        alias_of: None,
    }
}

/// The host keeps all of one name: the first is listed first, and the others are in effect with it.
fn side_by_side(valid: &[u32], rule: Rule) -> Vec<Verdict> {
    valid
        .iter()
        .skip(1)
        .map(|index| Verdict {
            index: *index,
            state: State::Additive,
            rule: Some(rule),
            by: None,
            alias_of: None,
        })
        .collect()
}

/// Configuration files: in one directory the first format counts; the directories' files are merged.
fn layer(chain: &crate::model::Chain<'_>, valid: &[u32]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut counting: Option<u32> = None;
    for index in valid.iter().copied() {
        let parent = |index| {
            chain
                .get(index)
                .map(|one: CandidateRef<'_>| one.parent().to_path_buf())
        };
        if counting.is_some_and(|counting| parent(counting) == parent(index)) {
            let (state, rule) = (State::Shadowed, Some(Rule::ConfigFormat));
            // Which file of its own directory counts instead can be seen; `by` is the winner, as everywhere.
            verdicts.push(Verdict {
                index,
                state,
                rule,
                by: valid.first().copied(),
                alias_of: None,
            });
            continue;
        }
        // The winner keeps no rule: it is what the others are merged beneath.
        let is_only_layer = valid.iter().all(|other| parent(*other) == parent(index));
        let state = if is_only_layer {
            State::Active
        } else {
            State::Additive
        };
        let rule = counting.map(|_| Rule::ConfigLayers);
        verdicts.push(Verdict {
            index,
            state,
            rule,
            by: None,
            alias_of: None,
        });
        counting = Some(index);
    }
    verdicts
}

/// Tells of pairs between which only the order of their paths decides.
fn ambiguities(
    profile: &HostProfile,
    chain: &crate::model::Chain<'_>,
    verdicts: &[Verdict],
    winner: u32,
) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    if verdicts
        .iter()
        .any(|verdict| verdict.rule == Some(Rule::HostOrderUndefined))
    {
        let message = format!(
            "{} loads everything called `{}` at once, so which {} has the name can change from start to start",
            profile.name,
            chain.id(),
            chain.kind()
        );
        told.push(
            Diagnostic::new(Code::HostOrderUndefined, Severity::Warning, message)
                .with_subject(chain.kind(), chain.id())
                .with_help("rename all but one of them"),
        );
        return told;
    }
    let mut previous = winner;
    for verdict in verdicts {
        let pair = chain.get(previous).zip(chain.get(verdict.index));
        previous = verdict.index;
        let Some((one, other)) = pair.filter(|(one, other)| one.priority() == other.priority()) else {
            continue;
        };
        if verdict.state == State::Additive || other.kind == ComponentKind::Config {
            continue;
        }
        told.push(
            Diagnostic::new(
                Code::Ambiguous,
                Severity::Warning,
                format!(
                    "{} and {} both define the {} `{}`; only the order of their paths decides",
                    one.path().display(),
                    other.path().display(),
                    other.kind,
                    other.id()
                ),
            )
            .with_path(other.path())
            .with_subject(other.kind, other.id())
            .with_help("rename or remove one of them"),
        );
    }
    told
}

/// Tells of ids that lead to one real file: each stands, but an edit of one changes the other.
fn same_files(resolution: &Resolution) -> Vec<Diagnostic> {
    let file = |index: &u32| -> Option<(ComponentKind, FileIdentity)> {
        let candidate = resolution.candidates.get(*index as usize)?;
        let counts = !candidate.state.is_out_of_the_running() && !candidate.is_short_name();
        Some((candidate.kind, candidate.identity.filter(|_| counts)?))
    };
    let count = u32::try_from(resolution.candidates.len()).unwrap_or(u32::MAX);
    let mut files: Vec<u32> = (0..count).filter(|index| file(index).is_some()).collect();
    files.sort_unstable_by_key(|index| (file(index), *index));
    let mut told = Vec::new();
    for pair in files.windows(2) {
        let [one, other] = pair else { continue };
        if file(one) != file(other) {
            continue;
        }
        let find = |index: u32| resolution.candidates.get(index as usize);
        let (Some(one), Some(other)) = (find(*one), find(*other)) else {
            continue;
        };
        if one.id() == other.id() {
            continue;
        }
        let (one, other) = (
            CandidateRef::new(resolution, one),
            CandidateRef::new(resolution, other),
        );
        told.push(
            Diagnostic::new(
                Code::SameFile,
                Severity::Warning,
                format!(
                    "the {}s `{}` and `{}` are one real file; {} is the other path",
                    one.kind,
                    one.id(),
                    other.id(),
                    one.path().display()
                ),
            )
            .with_path(other.path())
            .with_subject(other.kind, other.id())
            .with_help("keep one of them, or copy the file"),
        );
    }
    told
}
