//! `find-config`: the chain of configuration files of one name, and what they come to when merged.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw, text};
use crate::discovery::merge::{Merged, MergedValue, Origin, OverriddenValue};
use crate::discovery::{ConfigFile, ConfigFiles, DiscoveryError, DiscoveryManager};
use crate::model::{Code, Diagnostic, DiscoverySource, Rule, Scope, State};

/// The answer of `find-config`.
#[derive(Clone, Debug)]
pub struct ConfigFilesReport {
    /// What the question was about.
    pub context: Context,
    /// What was found.
    pub found: ConfigFiles,
    /// The findings of the walk and of the files.
    pub diagnostics: Vec<Diagnostic>,
    /// False when something could not be read.
    pub complete: bool,
    /// The effective configuration, where it was asked for. Secrets are masked unless asked otherwise.
    pub merged: Option<Merged>,
}

/// By path and position, as `scan` has them.
fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|one, other| {
        (&one.path, one.line, one.column).cmp(&(&other.path, other.line, other.column))
    });
}

impl ConfigFilesReport {
    /// Looks for the files of one name.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::Name`] if the name could leave its directory.
    pub fn new(manager: &DiscoveryManager, name: &str) -> Result<Self, DiscoveryError> {
        let found = manager.config_files(name)?;
        let walk = manager.walk();
        let mut diagnostics = [walk.diagnostics.as_slice(), &found.diagnostics].concat();
        sort(&mut diagnostics);
        let complete = found.complete && walk.complete;
        Ok(Self {
            context: Context::of(manager),
            found,
            diagnostics,
            complete,
            merged: None,
        })
    }

    /// Adds the effective configuration: the files merged, and above them what the environment says.
    #[must_use]
    pub fn with_merged(mut self, manager: &DiscoveryManager, show_secrets: bool) -> Self {
        let (merged, told) = self.found.merge(manager.environment());
        self.diagnostics.extend(told);
        sort(&mut self.diagnostics);
        self.merged = Some(if show_secrets { merged } else { merged.masked() });
        self
    }

    /// Whether a name is that of the host's own configuration, which alone can be merged.
    #[must_use]
    pub fn can_merge(manager: &DiscoveryManager, name: &str) -> bool {
        let config = &manager.profile().config;
        name == config.id || config.names.contains(&name)
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ConfigFilesView<'_> {
        let head = self.head();
        ConfigFilesView {
            head,
            files: self.files(),
        }
    }

    /// The answer without its files, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self) -> ConfigFilesHead<'_> {
        let probed = |(path, found): &(std::path::PathBuf, bool)| ProbedView {
            path: owned_text(path),
            path_bytes: raw(path),
            found: *found,
        };
        ConfigFilesHead {
            envelope: self
                .context
                .envelope("aleph-discover/find-config@1", self.complete, &self.diagnostics),
            name: &self.found.name,
            probed: self.found.probed.iter().map(probed).collect(),
            merged: self.merged.as_ref().map(MergedView::of),
        }
    }

    /// The files as JSON, lowest precedence first.
    #[must_use]
    pub fn files(&self) -> Vec<ConfigFileView> {
        self.found.files.iter().map(ConfigFileView::of).collect()
    }
}

/// The answer of `find-config`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "find-config@1")]
pub struct ConfigFilesView<'a> {
    /// All but the files.
    #[serde(flatten)]
    pub head: ConfigFilesHead<'a>,
    /// What was found, lowest precedence first.
    pub files: Vec<ConfigFileView>,
}

/// An answer of `find-config` but for its files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigFilesHead<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The name that was asked for.
    pub name: &'a str,
    /// Every path that was looked at, lowest precedence first.
    pub probed: Vec<ProbedView>,
    /// The effective configuration; null unless it was asked for.
    pub merged: Option<MergedView<'a>>,
}

/// A path that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProbedView {
    /// The path.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Whether anything is there.
    pub found: bool,
}

/// One file of the name that was asked for, or what stands in its place.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigFileView {
    /// The file.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Where its directory comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Place of its directory in the order of precedence; higher overrides lower.
    pub order: u32,
    /// What became of it.
    pub state: State,
    /// Why it lost.
    pub rule: Option<Rule>,
    /// Index of the file that it lost to.
    pub by: Option<u32>,
    /// What is wrong with it.
    pub code: Option<Code>,
    /// Where a symbolic link points, as written in the link.
    pub symlink_target: Option<String>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symlink_target_bytes: Option<String>,
    /// 1-based line that `code` is about.
    pub line: Option<u32>,
    /// 1-based column that `code` is about.
    pub column: Option<u32>,
    /// What is wrong, in words.
    pub message: Option<String>,
}

impl ConfigFileView {
    fn of(file: &ConfigFile) -> Self {
        Self {
            path: owned_text(&file.path),
            path_bytes: raw(&file.path),
            source: file.source,
            scope: file.scope,
            order: file.order,
            state: file.state,
            rule: file.rule,
            by: file.by,
            code: file.code,
            symlink_target: file.symlink_target.as_deref().map(owned_text),
            symlink_target_bytes: file.symlink_target.as_deref().and_then(raw),
            line: file.line,
            column: file.column,
            message: file.message.clone(),
        }
    }
}

/// The effective configuration and where each part of it comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MergedView<'a> {
    /// The configuration: an object.
    pub config: &'a serde_json::Value,
    /// Its parts, sorted by key: what a layer can replace or add by itself.
    pub values: Vec<MergedValueView<'a>>,
}

/// What is in effect under one key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MergedValueView<'a> {
    /// The keys that lead to it, outermost first; for an element of a joined list the last is its index.
    pub key: &'a [String],
    /// What is in effect; secrets are `***`.
    pub value: &'a serde_json::Value,
    /// Where it comes from.
    pub origin: OriginView<'a>,
    /// What it replaced, lowest precedence first.
    pub overridden: Vec<OverriddenView<'a>>,
    /// For an element of a joined list: where the same stands again.
    pub repeated: Vec<OriginView<'a>>,
}

/// A value that a later layer replaced.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OverriddenView<'a> {
    /// What it was; secrets are `***`.
    pub value: &'a serde_json::Value,
    /// Where it stands.
    pub origin: OriginView<'a>,
}

/// Where a value stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OriginView<'a> {
    /// The file; null for the environment variable `ALEPH_CONFIG_CONTENT`.
    pub path: Option<Cow<'a, str>>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// 1-based line of its key.
    pub line: u32,
    /// 1-based column of its key, in Unicode scalar values.
    pub column: u32,
    /// Where its layer comes from.
    pub source: DiscoverySource,
}

impl<'a> MergedView<'a> {
    fn of(merged: &'a Merged) -> Self {
        Self {
            config: &merged.config,
            values: merged.values.iter().map(MergedValueView::of).collect(),
        }
    }
}

impl<'a> MergedValueView<'a> {
    fn of(merged: &'a MergedValue) -> Self {
        let overridden = |overridden: &'a OverriddenValue| OverriddenView {
            value: &overridden.value,
            origin: OriginView::of(&overridden.origin),
        };
        Self {
            key: &merged.key,
            value: &merged.value,
            origin: OriginView::of(&merged.origin),
            overridden: merged.overridden.iter().map(overridden).collect(),
            repeated: merged.repeated.iter().map(OriginView::of).collect(),
        }
    }
}

impl<'a> OriginView<'a> {
    fn of(origin: &'a Origin) -> Self {
        Self {
            path: origin.path.as_deref().map(text),
            path_bytes: origin.path.as_deref().and_then(raw),
            line: origin.position.line,
            column: origin.position.column,
            source: origin.source,
        }
    }
}
