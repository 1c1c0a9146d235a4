//! `find-config`: the chain of configuration files of one name.

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw};
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
        let diagnostics = walk
            .diagnostics
            .iter()
            .chain(&found.diagnostics)
            .cloned()
            .collect();
        let complete = found.complete && walk.complete;
        Ok(Self {
            context: Context::of(manager),
            found,
            diagnostics,
            complete,
        })
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
            found: *found,
        };
        ConfigFilesHead {
            envelope: self
                .context
                .envelope("aleph-discover/find-config@1", self.complete, &self.diagnostics),
            name: &self.found.name,
            probed: self.found.probed.iter().map(probed).collect(),
            merged: None,
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
    /// The effective configuration; always null in this version.
    pub merged: Option<()>,
}

/// A path that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProbedView {
    /// The path.
    pub path: String,
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
            line: None,
            column: None,
            message: file.message.clone(),
        }
    }
}
