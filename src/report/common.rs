//! What every answer has in common.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use base64::Engine;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::discovery::DiscoveryManager;
use crate::host::HostProfile;
use crate::model::{Code, Diagnostic, HostId, Severity, Subject};
use crate::parse::secrets;

/// What a question was about: the host and the place.
#[derive(Clone, Debug)]
pub struct Context {
    /// The host whose rules apply.
    pub profile: &'static HostProfile,
    /// The working directory.
    pub directory: PathBuf,
    /// The git root above it.
    pub git_root: Option<PathBuf>,
    /// The main checkout, where the git root is a linked worktree.
    pub worktree_of: Option<PathBuf>,
    /// The Aleph home, where one is known.
    pub aleph_home: Option<PathBuf>,
    /// Whether secrets are shown instead of `***`; no unless it is set.
    pub show_secrets: bool,
}

impl Context {
    /// The context of a manager's answers.
    #[must_use]
    pub fn of(manager: &DiscoveryManager) -> Self {
        Self {
            profile: manager.profile(),
            directory: manager.working_dir().to_path_buf(),
            git_root: manager.git_root().map(Path::to_path_buf),
            worktree_of: manager.walk().worktree_of.clone(),
            aleph_home: manager.aleph_home().ok(),
            show_secrets: false,
        }
    }

    /// A text as it is shown: its secrets as `***`, unless they were asked for.
    pub(super) fn shown<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.show_secrets {
            Cow::Borrowed(text)
        } else {
            secrets::mask_text(text)
        }
    }

    pub(super) fn envelope<'a>(
        &'a self,
        schema: &'static str,
        complete: bool,
        diagnostics: &'a [Diagnostic],
    ) -> Envelope<'a> {
        Envelope {
            schema,
            version: env!("CARGO_PKG_VERSION"),
            host: self.profile.id,
            host_observed: self.profile.observed,
            directory: text(&self.directory),
            directory_bytes: raw(&self.directory),
            git_root: self.git_root.as_deref().map(text),
            git_root_bytes: self.git_root.as_deref().and_then(raw),
            worktree_of: self.worktree_of.as_deref().map(text),
            worktree_of_bytes: self.worktree_of.as_deref().and_then(raw),
            complete,
            diagnostics: Findings(diagnostics),
        }
    }
}

/// The fields that every answer begins with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Envelope<'a> {
    /// Name and number of the shape, such as `aleph-discover/scan@1`.
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The host whose rules apply.
    pub host: HostId,
    /// Version of the real program on which the rules were observed; null for our own rules.
    pub host_observed: Option<&'static str>,
    /// The working directory.
    pub directory: Cow<'a, str>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory_bytes: Option<String>,
    /// The git root above it.
    pub git_root: Option<Cow<'a, str>>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_root_bytes: Option<String>,
    /// The main checkout, where the git root is a linked worktree.
    pub worktree_of: Option<Cow<'a, str>>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_of_bytes: Option<String>,
    /// False when something could not be read, whatever the exit code.
    pub complete: bool,
    /// The findings, by path and position.
    #[schemars(with = "Vec<DiagnosticView<'a>>")]
    pub diagnostics: Findings<'a>,
}

/// The findings of an answer, made one by one while they are written: every entry may have some.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a>(&'a [Diagnostic]);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(DiagnosticView::of))
    }
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiagnosticView<'a> {
    /// What it is about.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The file or directory to look at.
    pub path: Option<Cow<'a, str>>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// 1-based line of the whole file.
    pub line: Option<u32>,
    /// 1-based column, in Unicode scalar values.
    pub column: Option<u32>,
    /// The component that it is about.
    pub subject: Option<&'a Subject>,
    /// What is the matter.
    pub message: &'a str,
    /// What to do about it.
    pub help: Option<&'a str>,
}

impl<'a> DiagnosticView<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity,
            path: diagnostic.path.as_deref().map(text),
            path_bytes: diagnostic.path.as_deref().and_then(raw),
            line: diagnostic.line,
            column: diagnostic.column,
            subject: diagnostic.subject.as_ref(),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        }
    }
}

/// A path as text; lossy where it is not UTF-8.
pub(super) fn text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// A path as text of its own.
pub(super) fn owned_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// As [`owned_text`], of a path that nobody needs any more.
pub(super) fn into_text(path: PathBuf) -> String {
    path.into_os_string()
        .into_string()
        .unwrap_or_else(|name| name.to_string_lossy().into_owned())
}

/// A path's bytes in base64, where they are not UTF-8 and the text is therefore lossy.
pub(super) fn raw(path: &Path) -> Option<String> {
    match path.to_str() {
        Some(_) => None,
        None => Some(base64::engine::general_purpose::STANDARD.encode(path.as_os_str().as_encoded_bytes())),
    }
}
