//! `hosts` and `why --host all`: the same directory through every host's eyes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text};
use super::scan::{ChainView, RootView, ScanReport, Selection};
use super::{Question, WhyReport};
use crate::discovery::{DiscoveryManager, real_or_given};
use crate::model::{Chain, ComponentKind, Diagnostic, HostId, Resolution, RootStatus};

/// What one host has here.
#[derive(Clone, Debug)]
pub struct HostAnswer {
    /// The host's own answer.
    pub context: Context,
    /// Everything that it found.
    pub resolution: Resolution,
}

/// A name that several hosts have, and not all from the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The kind.
    pub kind: ComponentKind,
    /// The name.
    pub id: String,
    /// For each host that has it, the files that are in effect, the winner first.
    pub winners: BTreeMap<HostId, Vec<PathBuf>>,
}

/// The answer of `hosts`.
#[derive(Clone, Debug)]
pub struct HostsReport {
    /// What the question was about; the host is the native one.
    pub context: Context,
    /// The hosts, in the order in which they are listed to people.
    pub hosts: Vec<HostAnswer>,
    /// The names on which they disagree, by kind and name.
    pub disagreements: Vec<Disagreement>,
    /// The kinds that the hosts were asked about.
    pub kinds: Vec<ComponentKind>,
    /// What any of them could not read, each once.
    pub gaps: Vec<Diagnostic>,
}

impl HostsReport {
    /// Asks every host about these kinds; the first manager gives the place.
    #[must_use]
    pub fn new(managers: &[DiscoveryManager], kinds: &[ComponentKind]) -> Option<Self> {
        let hosts: Vec<HostAnswer> = managers
            .iter()
            .map(|manager| HostAnswer {
                context: Context::of(manager),
                resolution: manager.scan(kinds),
            })
            .collect();
        Some(Self {
            context: hosts.first()?.context.clone(),
            disagreements: disagreements(&hosts),
            gaps: gaps(hosts.iter().map(|host| &host.resolution)),
            hosts,
            kinds: kinds.to_vec(),
        })
    }

    /// Whether everything could be read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.hosts.iter().all(|host| host.resolution.complete)
    }

    /// Every directory that is there and in which any host looks for one of the kinds, with the hosts that do.
    #[must_use]
    pub fn matrix(&self) -> Vec<(PathBuf, BTreeSet<HostId>)> {
        let mut order: Vec<PathBuf> = Vec::new();
        let mut readers: BTreeMap<PathBuf, BTreeSet<HostId>> = BTreeMap::new();
        for host in &self.hosts {
            for root in host
                .resolution
                .roots
                .iter()
                .filter(|root| root.status == RootStatus::Scanned)
                .filter(|root| root.kinds.iter().any(|kind| self.kinds.contains(kind)))
            {
                let there =
                    root.dirs.is_empty() || root.dirs.iter().any(|dir| dir.status == RootStatus::Scanned);
                if there {
                    let hosts = readers.entry(root.path.clone()).or_insert_with(|| {
                        order.push(root.path.clone());
                        BTreeSet::new()
                    });
                    hosts.insert(host.context.profile.id);
                }
            }
        }
        order
            .into_iter()
            .filter_map(|path| readers.remove_entry(&path))
            .collect()
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> HostsView<'_> {
        HostsView {
            envelope: self
                .context
                .envelope("aleph-discover/hosts@1", self.is_complete(), &self.gaps),
            hosts: self
                .hosts
                .iter()
                .map(|host| HostView {
                    host: host.context.profile.id,
                    observed: host.context.profile.observed,
                    roots: host.resolution.roots.iter().map(RootView::of).collect(),
                })
                .collect(),
            disagreements: self.disagreements.iter().map(DisagreementView::of).collect(),
        }
    }
}

/// What could not be read, by path; several hosts look at one directory, and it is told once.
fn gaps<'a>(resolutions: impl Iterator<Item = &'a Resolution>) -> Vec<Diagnostic> {
    let told = resolutions.flat_map(|resolution| &resolution.diagnostics);
    let mut gaps: Vec<Diagnostic> = told.filter(|one| one.is_gap()).cloned().collect();
    // Hosts may call it differently, and it is the same file.
    for one in &mut gaps {
        one.subject = None;
    }
    let key = |one: &Diagnostic| {
        (
            one.path.clone(),
            one.line,
            one.column,
            one.code,
            one.message.clone(),
        )
    };
    gaps.sort_by_cached_key(|one| {
        let (path, line, column, code, message) = key(one);
        (path, line, column, code, message.to_string())
    });
    gaps.dedup_by(|one, other| key(one) == key(other));
    gaps
}

fn disagreements(hosts: &[HostAnswer]) -> Vec<Disagreement> {
    let mut names: BTreeMap<(ComponentKind, String), BTreeMap<HostId, Vec<PathBuf>>> = BTreeMap::new();
    for host in hosts {
        for chain in host.resolution.chains().filter(|chain| chain.winner().is_some()) {
            // Memory and settings go by their paths, hooks add up: no name of theirs is contested.
            if matches!(
                chain.kind(),
                ComponentKind::Memory | ComponentKind::Config | ComponentKind::Hook
            ) {
                continue;
            }
            let key = (chain.kind(), chain.id().into_owned());
            names
                .entry(key)
                .or_default()
                .insert(host.context.profile.id, in_effect(chain));
        }
    }
    names
        .into_iter()
        .filter(|(_, winners)| {
            let real = |paths: &Vec<PathBuf>| -> Vec<PathBuf> {
                let mut real: Vec<PathBuf> = paths.iter().map(|path| real_or_given(path)).collect();
                real.sort();
                real
            };
            let mut all = winners.values().map(real);
            let first = all.next();
            all.any(|other| Some(&other) != first.as_ref())
        })
        .map(|((kind, id), winners)| Disagreement { kind, id, winners })
        .collect()
}

fn in_effect(chain: Chain<'_>) -> Vec<PathBuf> {
    let candidates = chain
        .candidates()
        .filter(|candidate| candidate.state.is_in_effect());
    candidates.map(|candidate| candidate.path()).collect()
}

/// The answer of `hosts`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "hosts@1")]
pub struct HostsView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The hosts, each with the directories that it looks at.
    pub hosts: Vec<HostView>,
    /// The names on which they disagree, by kind and name.
    pub disagreements: Vec<DisagreementView>,
}

/// One host.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HostView {
    /// The host.
    pub host: HostId,
    /// Version of the real program on which its rules were observed; null where they were not.
    pub observed: Option<&'static str>,
    /// The directories that it looks at, lowest priority first.
    pub roots: Vec<RootView>,
}

/// A name on which hosts disagree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DisagreementView {
    /// The kind.
    pub kind: ComponentKind,
    /// The name.
    pub id: String,
    /// The path that wins, by host; hosts that do not have the name are left out.
    pub winners: BTreeMap<HostId, String>,
    /// The further paths that are in effect with it, by host.
    pub also: BTreeMap<HostId, Vec<String>>,
}

impl DisagreementView {
    fn of(disagreement: &Disagreement) -> Self {
        let text = |path: &PathBuf| owned_text(path);
        let rest = |paths: &Vec<PathBuf>| paths.iter().skip(1).map(text).collect::<Vec<_>>();
        Self {
            kind: disagreement.kind,
            id: disagreement.id.clone(),
            winners: disagreement
                .winners
                .iter()
                .filter_map(|(host, paths)| Some((*host, text(paths.first()?))))
                .collect(),
            also: disagreement
                .winners
                .iter()
                .filter(|(_, paths)| paths.len() > 1)
                .map(|(host, paths)| (*host, rest(paths)))
                .collect(),
        }
    }
}

/// The answer of `why --host all`: one answer for each host.
#[derive(Clone, Debug)]
pub struct WhyHostsReport {
    /// What was asked.
    pub question: String,
    /// The answers, in the order in which hosts are listed to people.
    pub answers: Vec<WhyReport>,
    /// What any of the hosts could not read, each once.
    pub gaps: Vec<Diagnostic>,
}

impl WhyHostsReport {
    /// Asks every host the same question.
    #[must_use]
    pub fn new(managers: &[DiscoveryManager], question: &Question, kinds: &[ComponentKind]) -> Self {
        let answers: Vec<WhyReport> = managers
            .iter()
            .map(|manager| {
                let listed = |kind: &&ComponentKind| manager.profile().reads(**kind);
                let kinds: Vec<ComponentKind> = kinds.iter().filter(listed).copied().collect();
                WhyReport::new(manager, question.clone(), &kinds)
            })
            .collect();
        Self {
            question: question.text().to_owned(),
            gaps: gaps(answers.iter().map(|answer| &answer.scan.resolution)),
            answers,
        }
    }

    /// Whether any host has what was asked about in effect.
    #[must_use]
    pub fn is_in_effect(&self) -> bool {
        self.answers.iter().any(WhyReport::is_in_effect)
    }

    /// Whether everything could be read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.answers.iter().all(|answer| answer.scan.resolution.complete)
    }

    /// The answer as JSON; none without a host.
    #[must_use]
    pub fn view(&self) -> Option<WhyHostsView<'_>> {
        let first = self.answers.first()?;
        Some(WhyHostsView {
            envelope: first.scan.context.envelope(
                "aleph-discover/why-hosts@1",
                self.is_complete(),
                &self.gaps,
            ),
            question: &self.question,
            answers: self
                .answers
                .iter()
                .map(|answer| WhyHostView {
                    host: answer.scan.context.profile.id,
                    observed: answer.scan.context.profile.observed,
                    in_effect: answer.is_in_effect(),
                    chains: chains(&answer.scan),
                })
                .collect(),
        })
    }
}

fn chains(scan: &ScanReport) -> Vec<ChainView<'_>> {
    debug_assert!(matches!(scan.selection, Selection::Some(_)));
    scan.chains().map(|chain| scan.chain_view(chain)).collect()
}

/// The answer of `why --host all`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "why-hosts@1")]
pub struct WhyHostsView<'a> {
    /// The fields that every answer begins with; the host is the first one asked.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// What was asked.
    pub question: &'a str,
    /// One answer for each host.
    pub answers: Vec<WhyHostView<'a>>,
}

/// What one host has under a name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WhyHostView<'a> {
    /// The host.
    pub host: HostId,
    /// Version of the real program on which its rules were observed; null where they were not.
    pub observed: Option<&'static str>,
    /// Whether what was asked about is in effect.
    pub in_effect: bool,
    /// The chains whose id, path name or path is the one that was asked about.
    pub chains: Vec<ChainView<'a>>,
}

/// What Claude Code would take for a name that Aleph shows, where that is another file: worked out from what is
/// known already, without a second look at the disk.
#[must_use]
pub fn claude_differs(resolution: &Resolution) -> Vec<(ComponentKind, String, PathBuf)> {
    use crate::model::{Family, Scope};
    let mut differs = Vec::new();
    for chain in resolution.chains() {
        let kind = chain.kind();
        let Some(winner) = chain.winner() else { continue };
        if !matches!(
            kind,
            ComponentKind::Skill | ComponentKind::Command | ComponentKind::Agent
        ) {
            continue;
        }
        let theirs = chain
            .candidates()
            .filter(|one| one.family() == Family::Claude && !one.state.is_out_of_the_running())
            .max_by_key(|one| {
                let is_user = one.scope() == Scope::User;
                (is_user != (kind == ComponentKind::Agent), one.priority())
            });
        if let Some(theirs) = theirs
            && theirs.path() != winner.path()
        {
            differs.push((kind, chain.id().into_owned(), theirs.path()));
        }
    }
    differs
}
