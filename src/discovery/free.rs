//! Candidates that are no entry of a component directory: a file with a place of its own, or a part of one.

use std::path::{Path, PathBuf};

use crate::model::{
    Candidate, Code, ComponentKind, DiscoverySource, Family, Form, FreePlace, IdOrigin, Place, Scope, State,
};
use crate::parse::Position;

/// The setting that switches a candidate off, or keeps it from being trusted.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    /// The file.
    pub(super) path: PathBuf,
    /// The key in it.
    pub(super) key: Option<String>,
}

/// Where such a candidate comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) source: DiscoverySource,
    pub(super) scope: Scope,
    pub(super) family: Family,
    pub(super) priority: u32,
}

/// A candidate that is in the file at `path` and goes by `id`.
pub(super) fn candidate(kind: ComponentKind, path: &Path, id: &str, origin: Origin) -> Candidate {
    let place = Place::Free(Box::new(FreePlace {
        parent: path.parent().unwrap_or(path).to_path_buf(),
        source: origin.source,
        scope: origin.scope,
        family: origin.family,
        priority: origin.priority,
        root: None,
    }));
    let name = path.file_name().unwrap_or_default();
    let mut candidate = Candidate::new(kind, Form::File, place, name, IdOrigin::Derived(id.into()));
    candidate.has_marker = true;
    if let Ok(real) = path.canonicalize()
        && real != path
    {
        let target = std::fs::read_link(path).ok();
        let detail = candidate.detail_mut();
        detail.symlink_target = target;
        detail.real_path = Some(real);
    }
    candidate
}

impl Candidate {
    /// Notes where in its file the candidate stands.
    pub(crate) fn stands_at(&mut self, at: Position) {
        let detail = self.detail_mut();
        (detail.line, detail.column) = (Some(at.line), Some(at.column));
    }

    /// Takes the candidate out of the running.
    pub(super) fn turn_off(&mut self, state: State, code: Code, message: &str, cause: Option<Cause>) {
        self.state = state;
        self.code = Some(code);
        let detail = self.detail_mut();
        detail.message = Some(message.into());
        detail.cause = cause.map(|cause| (cause.path, cause.key));
    }
}
