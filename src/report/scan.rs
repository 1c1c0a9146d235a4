//! `scan`: what is in effect, with override chains.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::common::{Context, Envelope, into_text, owned_text, raw};
use crate::model::{
    CandidateRef, Chain, ChainState, Code, ComponentKind, DiscoverySource, Resolution, Root, RootDir,
    RootStatus, Rule, Scope, State, hex,
};
use crate::plugin::shown::{DefinitionViews, HookView, ServerView};

/// Which chains an answer shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every chain.
    All,
    /// The chains that have a winner, and of each the candidates in effect.
    Active,
    /// The chains at these places in [`Resolution::spans`].
    Some(Vec<usize>),
}

/// The answer of `scan`.
#[derive(Clone, Debug)]
pub struct ScanReport {
    /// What the question was about.
    pub context: Context,
    /// The kinds that were asked for, in reporting order.
    pub kinds: Vec<ComponentKind>,
    /// Everything that was found.
    pub resolution: Resolution,
    /// What of it is shown.
    pub selection: Selection,
}

impl ScanReport {
    /// The chains that are shown, by kind and id.
    pub fn chains(&self) -> Box<dyn Iterator<Item = Chain<'_>> + '_> {
        match &self.selection {
            Selection::All => Box::new(self.resolution.chains()),
            Selection::Active => Box::new(self.resolution.chains().filter(|chain| chain.winner().is_some())),
            Selection::Some(places) => Box::new(
                places
                    .iter()
                    .filter_map(|place| Some(self.resolution.chain(*self.resolution.spans.get(*place)?))),
            ),
        }
    }

    /// What is wrong with a candidate that is out of the running, in words.
    #[must_use]
    pub fn message<'a>(&'a self, candidate: CandidateRef<'a>) -> Option<&'a str> {
        let own = candidate
            .candidate()
            .detail
            .as_deref()
            .and_then(|detail| detail.message.as_deref());
        own.or_else(|| {
            self.context
                .profile
                .usual_message(candidate.kind, candidate.code?)
        })
    }

    /// How many candidates are in each state, and how many chains there are.
    #[must_use]
    pub fn summary(&self) -> SummaryView {
        SummaryView::of(self)
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ScanView<'_> {
        ScanView {
            head: self.head("aleph-discover/scan@1"),
            chains: Chains(self),
        }
    }

    /// The answer without its chains, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self, schema: &'static str) -> ScanHead<'_> {
        ScanHead {
            envelope: self
                .context
                .envelope(schema, self.resolution.complete, &self.resolution.diagnostics),
            roots: self.resolution.roots.iter().map(RootView::of).collect(),
            summary: self.summary(),
        }
    }

    /// One chain as JSON.
    #[must_use]
    pub fn chain_view<'a>(&'a self, chain: Chain<'a>) -> ChainView<'a> {
        ChainView::of(self, chain)
    }
}

/// An answer of `scan` but for its chains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScanHead<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// Every directory that was looked at, lowest priority first.
    pub roots: Vec<RootView>,
    /// How many of each.
    pub summary: SummaryView,
}

/// The answer of `scan`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "scan@1")]
pub struct ScanView<'a> {
    /// All but the chains.
    #[serde(flatten)]
    pub head: ScanHead<'a>,
    /// The chains, by kind and id.
    #[schemars(with = "Vec<ChainView<'a>>")]
    pub chains: Chains<'a>,
}

/// The chains of an answer, made one by one while they are written: there may be a hundred thousand.
#[derive(Debug)]
pub struct Chains<'a>(pub(super) &'a ScanReport);

impl Serialize for Chains<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for chain in self.0.chains() {
            sequence.serialize_element(&self.0.chain_view(chain))?;
        }
        sequence.end()
    }
}

/// A directory that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RootView {
    /// Absolute path as the host spells it.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Where it comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Later overrides earlier.
    pub priority: u32,
    /// Whether the host only reads here.
    pub read_only: bool,
    /// The kinds that the host reads here.
    pub kinds: Vec<ComponentKind>,
    /// What came of looking.
    pub status: RootStatus,
    /// Why it was skipped or could not be read.
    pub reason: Option<String>,
    /// How many directory entries were met.
    pub entries: u64,
    /// Its component directories; none where the root itself is not there or kinds were not asked for.
    pub dirs: Vec<RootDirView>,
}

impl RootView {
    pub(super) fn of(root: &Root) -> Self {
        Self {
            path: owned_text(&root.path),
            path_bytes: raw(&root.path),
            source: root.source,
            scope: root.scope,
            priority: root.priority,
            read_only: root.source.is_read_only(),
            kinds: root.kinds.clone(),
            status: root.status,
            reason: root.reason.clone(),
            entries: root.entries(),
            dirs: root.dirs.iter().map(RootDirView::of).collect(),
        }
    }
}

/// A component directory of a root.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RootDirView {
    /// The kind that is read here.
    pub kind: ComponentKind,
    /// Absolute path.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// What came of looking.
    pub status: RootStatus,
    /// Why it was skipped or could not be read.
    pub reason: Option<String>,
    /// How many directory entries were met.
    pub entries: u64,
}

impl RootDirView {
    fn of(dir: &RootDir) -> Self {
        Self {
            kind: dir.kind,
            path: owned_text(&dir.path),
            path_bytes: raw(&dir.path),
            status: dir.status,
            reason: dir.reason.clone(),
            entries: dir.entries,
        }
    }
}

/// All candidates of one kind and id.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainView<'a> {
    /// The kind of all its candidates.
    pub kind: ComponentKind,
    /// The name that the host keys on.
    pub id: Cow<'a, str>,
    /// Whether anything of it is in effect.
    pub state: ChainState,
    /// Index of the winner: the first candidate that is in effect.
    pub winner: Option<u32>,
    /// Its candidates, highest precedence first.
    #[schemars(with = "Vec<CandidateView<'a>>")]
    pub candidates: Candidates<'a>,
}

/// The candidates of a chain, made one by one while they are written: a hundred thousand may have one name.
#[derive(Debug)]
pub struct Candidates<'a> {
    report: &'a ScanReport,
    chain: Chain<'a>,
}

impl Serialize for Candidates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let active_only = self.report.selection == Selection::Active;
        let shown = |candidate: &CandidateRef<'_>| !active_only || candidate.state.is_in_effect();
        let candidates = self.chain.candidates().filter(shown);
        serializer.collect_seq(candidates.map(|candidate| CandidateView::of(self.report, candidate)))
    }
}

impl<'a> ChainView<'a> {
    fn of(report: &'a ScanReport, chain: Chain<'a>) -> Self {
        let active_only = report.selection == Selection::Active;
        Self {
            kind: chain.kind(),
            id: chain.id(),
            state: chain.state(),
            winner: if active_only {
                chain.winner_index().map(|_| 0)
            } else {
                chain.winner_index()
            },
            candidates: Candidates { report, chain },
        }
    }
}

/// What switches a candidate off, or keeps it from being trusted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CauseView {
    /// The file.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The key in it.
    pub key: Option<String>,
}

impl CauseView {
    pub(super) fn of(path: &Path, key: Option<String>) -> Self {
        Self {
            path: owned_text(path),
            path_bytes: raw(path),
            key,
        }
    }
}

/// One thing on disk that could define a component.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CandidateView<'a> {
    /// What a person would edit: the directory entry's own path.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The file that defines it; null where there is none.
    pub marker: Option<String>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker_bytes: Option<String>,
    /// Where the defining file really is, with symbolic links resolved; null where that is not known.
    pub real_path: Option<String>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real_path_bytes: Option<String>,
    /// Where its root comes from.
    pub source: DiscoverySource,
    /// For whom its root holds.
    pub scope: Scope,
    /// Its root's priority; higher overrides lower.
    pub priority: u32,
    /// Index into `roots`; null for a file that is in none, such as a project's `aleph.toml`.
    pub root: Option<u32>,
    /// The plugin that brings it.
    pub plugin: Option<&'a str>,
    /// Name declared in its front matter.
    pub declared_name: Option<Cow<'a, str>>,
    /// Name of its directory, or its file's stem.
    pub path_name: Cow<'a, str>,
    /// `plugin:name`, for what a plugin brings.
    pub qualified_id: Option<Cow<'a, str>>,
    /// Description declared in its front matter.
    pub description: Option<&'a str>,
    /// What became of it.
    pub state: State,
    /// Why it lost or coexists.
    pub rule: Option<Rule>,
    /// Index of the winner, to which it lost; null where that stands in another chain, which `message` then says.
    pub by: Option<u32>,
    /// Index of the candidate that is the same real file.
    pub alias_of: Option<u32>,
    /// What switches it off, or keeps it from being trusted.
    pub cause: Option<CauseView>,
    /// What is wrong with it.
    pub code: Option<Code>,
    /// 1-based line that `code` is about, or at which one of several things in a file is defined.
    pub line: Option<u32>,
    /// 1-based column that `code` is about.
    pub column: Option<u32>,
    /// What is wrong, in words.
    pub message: Option<&'a str>,
    /// SHA-256 of the defining file in hex, where bytes were compared.
    pub sha256: Option<String>,
    /// Where a symbolic link points, as written in the link.
    pub symlink_target: Option<String>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symlink_target_bytes: Option<String>,
    /// What a hook does; only hooks have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookView>,
    /// What an MCP server is; only MCP servers have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerView>,
}

impl<'a> CandidateView<'a> {
    pub(super) fn of(report: &'a ScanReport, reference: CandidateRef<'a>) -> Self {
        let candidate = reference.candidate();
        let path = reference.path();
        let (marker, real_path) = (reference.marker(), reference.real_path());
        let detail = candidate.detail.as_deref();
        let target = detail.and_then(|detail| detail.symlink_target.as_deref());
        let part = candidate.plugin.as_deref();
        let definitions = DefinitionViews::of(
            reference,
            report.context.aleph_home.as_deref(),
            report.context.show_secrets,
        );
        Self {
            path_bytes: raw(&path),
            path: into_text(path),
            marker_bytes: marker.as_deref().and_then(raw),
            marker: marker.map(into_text),
            real_path_bytes: real_path.as_deref().and_then(raw),
            real_path: real_path.map(into_text),
            source: reference.source(),
            scope: reference.scope(),
            priority: reference.priority(),
            root: reference.root_index(),
            plugin: part
                .map(|part| &*part.plugin)
                .or_else(|| detail.and_then(|detail| detail.plugin.as_deref())),
            declared_name: candidate.declared_name(),
            path_name: candidate.path_name(),
            qualified_id: part.map(|part| Cow::Borrowed(&*part.qualified_id)).or_else(|| {
                detail
                    .and_then(|detail| detail.plugin.as_deref())
                    .map(|_| candidate.id())
            }),
            description: candidate.description.as_deref(),
            state: candidate.state,
            rule: candidate.rule,
            by: candidate.by,
            alias_of: detail.and_then(|detail| detail.alias_of),
            cause: detail
                .and_then(|detail| detail.cause.as_ref())
                .map(|(path, key)| CauseView::of(path, key.clone())),
            code: candidate.code,
            line: detail.and_then(|detail| detail.line),
            column: detail.and_then(|detail| detail.column),
            message: report.message(reference),
            sha256: detail.and_then(|detail| detail.sha256).map(|digest| hex(&digest)),
            symlink_target: target.map(owned_text),
            symlink_target_bytes: target.and_then(raw),
            hook: definitions.hook,
            server: definitions.server,
        }
    }
}

/// How many of each; `--active` does not change the numbers, since it only hides. Chains of short names that only
/// plugins bring are not counted: their candidates stand in the chains of their qualified ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SummaryView {
    /// Number of chains.
    pub chains: u64,
    /// Candidates that won.
    pub active: u64,
    /// Candidates that lost to one of other content.
    pub shadowed: u64,
    /// Candidates that lost to one of equal content.
    pub identical: u64,
    /// Candidates that are the same real file as another of their chain.
    pub alias: u64,
    /// Candidates in effect under their qualified id only.
    pub namespaced: u64,
    /// Candidates in effect together with others.
    pub additive: u64,
    /// Candidates that are switched off.
    pub disabled: u64,
    /// Candidates that are not trusted yet.
    pub untrusted: u64,
    /// Candidates that are malformed.
    pub invalid: u64,
    /// Candidates refused by a safety rule.
    pub rejected: u64,
    /// Candidates that the host does not read.
    pub ignored: u64,
    /// Candidates that the operating system refused to let us read.
    pub unreadable: u64,
    /// Chains in which something is in effect, by kind.
    pub by_kind: BTreeMap<ComponentKind, u64>,
}

impl SummaryView {
    fn of(report: &ScanReport) -> Self {
        let mut summary = Self {
            by_kind: report.kinds.iter().map(|kind| (*kind, 0)).collect(),
            ..Self::default()
        };
        let chains: Box<dyn Iterator<Item = Chain<'_>>> = match &report.selection {
            Selection::Some(_) => report.chains(),
            Selection::All | Selection::Active => Box::new(report.resolution.chains()),
        };
        // What a plugin brings counts where it stands under its qualified id, not again under its short name.
        let counts = |candidate: &CandidateRef<'_>| !candidate.is_short_name();
        for chain in chains {
            if !chain.candidates().any(|candidate| counts(&candidate)) {
                continue;
            }
            summary.chains += 1;
            if chain.winner().is_some_and(|winner| counts(&winner)) {
                *summary.by_kind.entry(chain.kind()).or_default() += 1;
            }
            for candidate in chain.candidates().filter(counts) {
                *summary.count_mut(candidate.state) += 1;
            }
        }
        summary
    }

    const fn count_mut(&mut self, state: State) -> &mut u64 {
        match state {
            State::Active => &mut self.active,
            State::Shadowed => &mut self.shadowed,
            State::Identical => &mut self.identical,
            State::Alias => &mut self.alias,
            State::Namespaced => &mut self.namespaced,
            State::Additive => &mut self.additive,
            State::Disabled => &mut self.disabled,
            State::Untrusted => &mut self.untrusted,
            State::Invalid => &mut self.invalid,
            State::Rejected => &mut self.rejected,
            State::Ignored => &mut self.ignored,
            State::Unreadable => &mut self.unreadable,
        }
    }

    /// How many candidates are in a state.
    #[must_use]
    pub const fn count(&self, state: State) -> u64 {
        match state {
            State::Active => self.active,
            State::Shadowed => self.shadowed,
            State::Identical => self.identical,
            State::Alias => self.alias,
            State::Namespaced => self.namespaced,
            State::Additive => self.additive,
            State::Disabled => self.disabled,
            State::Untrusted => self.untrusted,
            State::Invalid => self.invalid,
            State::Rejected => self.rejected,
            State::Ignored => self.ignored,
            State::Unreadable => self.unreadable,
        }
    }
}
