//! `roots`: every directory that was probed, found or missing, and why.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw};
use super::scan::RootView;
use crate::discovery::{DiscoveryManager, Walk, WalkStop};
use crate::model::{ComponentKind, Resolution};
use crate::plugin;

/// The answer of `roots`.
#[derive(Clone, Debug)]
pub struct RootsReport {
    /// What the question was about.
    pub context: Context,
    /// The roots, lowest priority first, and what was odd about them.
    pub resolution: Resolution,
    /// The upward walk.
    pub walk: Walk,
}

impl RootsReport {
    /// Looks at every root for the kinds that are asked about.
    #[must_use]
    pub fn new(manager: &DiscoveryManager, kinds: &[ComponentKind]) -> Self {
        Self {
            context: Context::of(manager),
            resolution: plugin::roots(manager, kinds),
            walk: manager.walk().clone(),
        }
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> RootsView<'_> {
        let last = self.walk.dirs.len().saturating_sub(1);
        let step = |(index, dir): (usize, &std::path::PathBuf)| {
            WalkStepView::of(dir, self.walk.stop.filter(|_| index == last))
        };
        RootsView {
            envelope: self.context.envelope(
                "aleph-discover/roots@1",
                self.resolution.complete,
                &self.resolution.diagnostics,
            ),
            roots: self.resolution.roots.iter().map(RootView::of).collect(),
            walk: self.walk.dirs.iter().enumerate().map(step).collect(),
        }
    }
}

/// The answer of `roots`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "roots@1")]
pub struct RootsView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// Every directory that was looked at, lowest priority first.
    pub roots: Vec<RootView>,
    /// The directories of the walk, nearest first.
    pub walk: Vec<WalkStepView>,
}

/// One directory of the walk.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WalkStepView {
    /// The directory.
    pub dir: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir_bytes: Option<String>,
    /// Why the walk ended here; null where it went on.
    pub stop: Option<WalkStop>,
}

impl WalkStepView {
    fn of(dir: &Path, stop: Option<WalkStop>) -> Self {
        Self {
            dir: owned_text(dir),
            dir_bytes: raw(dir),
            stop,
        }
    }
}
