//! All candidates of one kind and id, and the whole of what was found.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Candidate, ComponentKind, Diagnostic, DiscoverySource, Family, Form, Place, Root, RootDir, Scope,
};

/// Whether anything of a chain is in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainState {
    /// One candidate, or several that add up, are in effect.
    Active,
    /// Nothing is in effect under this id.
    None,
}

impl ChainState {
    /// Every state of a chain.
    pub const ALL: [Self; 2] = [Self::Active, Self::None];

    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::None => "none",
        }
    }
}

/// Where a chain's candidates stand in [`Resolution::candidates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainSpan {
    /// Index of the first candidate.
    pub start: u32,
    /// Number of candidates, at least one.
    pub len: u32,
    /// One more than the index of the winner: so that there is none takes no room of its own.
    after_winner: Option<NonZeroU32>,
}

impl ChainSpan {
    /// A chain without a winner.
    #[must_use]
    pub const fn new(start: u32, len: u32) -> Self {
        Self {
            start,
            len,
            after_winner: None,
        }
    }

    /// Index of the winner within the chain.
    #[must_use]
    pub const fn winner(self) -> Option<u32> {
        match self.after_winner {
            Some(after) => Some(after.get() - 1),
            None => None,
        }
    }

    /// Says which candidate of the chain wins, if any does.
    pub fn set_winner(&mut self, index: Option<u32>) {
        self.after_winner = index.and_then(|index| NonZeroU32::MIN.checked_add(index));
    }
}

/// The answer to one question: every root, every candidate, every chain, every finding.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// Every directory that was looked at, lowest priority first.
    pub roots: Vec<Root>,
    /// The candidates, chain by chain, highest precedence first within each.
    pub candidates: Vec<Candidate>,
    /// The chains, by kind and id.
    pub spans: Vec<ChainSpan>,
    /// The findings, by path, line, column and code.
    pub diagnostics: Vec<Diagnostic>,
    /// False when something could not be read.
    pub complete: bool,
}

impl Resolution {
    /// The chains, by kind and id.
    pub fn chains(&self) -> impl ExactSizeIterator<Item = Chain<'_>> {
        self.spans.iter().map(|span| self.chain(*span))
    }

    /// The chain that a span stands for; an empty chain for a span that is not of this resolution.
    #[must_use]
    pub fn chain(&self, span: ChainSpan) -> Chain<'_> {
        let start = span.start as usize;
        let candidates = self
            .candidates
            .get(start..start + span.len as usize)
            .unwrap_or_default();
        Chain {
            resolution: self,
            candidates,
            winner: span.winner(),
        }
    }
}

/// All candidates of one kind and id, highest precedence first.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a> {
    resolution: &'a Resolution,
    candidates: &'a [Candidate],
    winner: Option<u32>,
}

impl<'a> Chain<'a> {
    /// The kind of all its candidates.
    #[must_use]
    pub fn kind(&self) -> ComponentKind {
        self.candidates
            .first()
            .map_or(ComponentKind::Skill, |first| first.kind)
    }

    /// The id of all its candidates.
    #[must_use]
    pub fn id(&self) -> Cow<'a, str> {
        self.candidates.first().map_or(Cow::Borrowed(""), Candidate::id)
    }

    /// Whether anything of it is in effect.
    #[must_use]
    pub const fn state(&self) -> ChainState {
        if self.winner.is_some() {
            ChainState::Active
        } else {
            ChainState::None
        }
    }

    /// Index of the winner: the first candidate that is in effect.
    #[must_use]
    pub const fn winner_index(&self) -> Option<u32> {
        self.winner
    }

    /// The winner: the first candidate that is in effect.
    #[must_use]
    pub fn winner(&self) -> Option<CandidateRef<'a>> {
        self.get(self.winner?)
    }

    /// The candidate at an index of this chain, as `by` and `alias_of` give it.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<CandidateRef<'a>> {
        let candidate = self.candidates.get(index as usize)?;
        Some(CandidateRef {
            resolution: self.resolution,
            candidate,
        })
    }

    /// How many candidates it has; at least one.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Never true for a chain of a resolution.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Its candidates, highest precedence first.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = CandidateRef<'a>> + use<'a> {
        let resolution = self.resolution;
        self.candidates.iter().map(move |candidate| CandidateRef {
            resolution,
            candidate,
        })
    }
}

/// A candidate together with the roots that its paths are made from.
#[derive(Clone, Copy, Debug)]
pub struct CandidateRef<'a> {
    resolution: &'a Resolution,
    candidate: &'a Candidate,
}

impl std::ops::Deref for CandidateRef<'_> {
    type Target = Candidate;

    fn deref(&self) -> &Candidate {
        self.candidate
    }
}

impl<'a> CandidateRef<'a> {
    /// Joins a candidate to the resolution whose roots it refers to.
    #[must_use]
    pub const fn new(resolution: &'a Resolution, candidate: &'a Candidate) -> Self {
        Self {
            resolution,
            candidate,
        }
    }

    /// The candidate itself, for as long as the resolution lives.
    #[must_use]
    pub const fn candidate(&self) -> &'a Candidate {
        self.candidate
    }

    /// Index of its root in the report.
    #[must_use]
    pub const fn root_index(&self) -> Option<u32> {
        match &self.candidate.place {
            Place::Listed { root, .. } => Some(*root),
            Place::Free(place) => place.root,
        }
    }

    /// The root that it was found in, if it was found in one.
    #[must_use]
    pub fn root(&self) -> Option<&'a Root> {
        self.resolution.roots.get(self.root_index()? as usize)
    }

    /// The component directory that it was found in.
    #[must_use]
    pub fn dir(&self) -> Option<&'a RootDir> {
        match &self.candidate.place {
            Place::Listed { root, dir } => self.resolution.roots.get(*root as usize)?.dirs.get(*dir as usize),
            Place::Free(_) => None,
        }
    }

    /// Where its root comes from.
    #[must_use]
    pub fn source(&self) -> DiscoverySource {
        match &self.candidate.place {
            Place::Free(place) => place.source,
            Place::Listed { .. } => self.root().map_or(DiscoverySource::Host, |root| root.source),
        }
    }

    /// For whom its root holds.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match &self.candidate.place {
            Place::Free(place) => place.scope,
            Place::Listed { .. } => self.root().map_or(Scope::User, |root| root.scope),
        }
    }

    /// Whose layout its root has.
    #[must_use]
    pub fn family(&self) -> Family {
        match &self.candidate.place {
            Place::Free(place) => place.family,
            Place::Listed { .. } => self.root().map_or(Family::Aleph, |root| root.family),
        }
    }

    /// Its root's priority; higher overrides lower.
    #[must_use]
    pub fn priority(&self) -> u32 {
        match &self.candidate.place {
            Place::Free(place) => place.priority,
            Place::Listed { .. } => self.root().map_or(0, |root| root.rank(self.candidate.kind)),
        }
    }

    /// The directory that it is an entry of.
    #[must_use]
    pub fn parent(&self) -> &'a Path {
        match &self.candidate.place {
            Place::Free(place) => &place.parent,
            Place::Listed { .. } => self.dir().map_or(Path::new(""), |dir| &dir.path),
        }
    }

    /// The directory entry's own path: what a person would edit, `…/skills/deploy`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.parent().join(&*self.candidate.entry_name)
    }

    /// The file that defines it, `…/skills/deploy/SKILL.md`; for a file of its own the same as
    /// [`path`](Self::path). None where there is no such file.
    #[must_use]
    pub fn marker(&self) -> Option<PathBuf> {
        match self.candidate.form {
            Form::File => Some(self.path()),
            Form::Directory => self.marker_name().map(|name| self.path().join(name)),
        }
    }

    /// Where the defining file really is, with symbolic links resolved; for one without a marker where the
    /// entry really is. None where that is not known, as for a dangling link.
    #[must_use]
    pub fn real_path(&self) -> Option<PathBuf> {
        let detail = self.candidate.detail.as_deref();
        if let Some(real) = detail.and_then(|detail| detail.real_path.clone()) {
            return Some(real);
        }
        if detail.is_some_and(|detail| detail.symlink_target.is_some()) {
            return None;
        }
        let parent = match &self.candidate.place {
            Place::Free(place) => place.parent.as_path(),
            Place::Listed { .. } => self.dir()?.real_path.as_deref()?,
        };
        let entry = parent.join(&*self.candidate.entry_name);
        Some(match self.marker_name() {
            Some(marker) if self.candidate.form == Form::Directory => entry.join(marker),
            _ => entry,
        })
    }

    /// Name of the file inside a directory that defines it.
    fn marker_name(&self) -> Option<&'a OsStr> {
        if !self.candidate.has_marker {
            return None;
        }
        let unusual = self
            .candidate
            .detail
            .as_ref()
            .and_then(|detail| detail.marker_name.as_deref());
        unusual.or_else(|| self.dir()?.marker.map(OsStr::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_stays_small_and_keeps_its_winner() {
        assert_eq!(size_of::<ChainSpan>(), 12);
        let mut span = ChainSpan::new(3, 2);
        for winner in [None, Some(0), Some(1), Some(u32::MAX - 1), None] {
            span.set_winner(winner);
            assert_eq!(span.winner(), winner);
        }
    }
}
