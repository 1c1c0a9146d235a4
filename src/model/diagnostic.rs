//! Findings: what a person should know, as data.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Code, ComponentKind, Words};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something is not in effect, or could not be read.
    Error,
    /// Something is in effect, but probably not as its author meant.
    Warning,
    /// Worth knowing; nothing is wrong.
    Note,
}

impl Severity {
    /// The name used in JSON and on the terminal.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The component that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The component's kind.
    pub kind: ComponentKind,
    /// The component's id.
    pub id: String,
}

/// One finding: what, where, why it matters and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What the finding is about; each code has a page in `explain`.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The file or directory to look at.
    pub path: Option<PathBuf>,
    /// 1-based line of the whole file.
    pub line: Option<u32>,
    /// 1-based column, in Unicode scalar values.
    pub column: Option<u32>,
    /// The component that it is about.
    pub subject: Option<Subject>,
    /// One sentence, without a full stop, that may quote names from the scanned tree as they are.
    pub message: Words,
    /// What to do about it.
    pub help: Option<Words>,
}

impl Diagnostic {
    /// A finding without a place; the other fields are set with the `with_…` methods.
    #[must_use]
    pub fn new(code: Code, severity: Severity, message: impl Into<Words>) -> Self {
        Self {
            code,
            severity,
            path: None,
            line: None,
            column: None,
            subject: None,
            message: message.into(),
            help: None,
        }
    }

    /// Whether nothing of what these findings are about was refused by the operating system, so that an answer that
    /// rests on it is complete.
    #[must_use]
    pub fn is_all_read(findings: &[Self]) -> bool {
        findings.iter().all(|finding| finding.code != Code::Unreadable)
    }

    /// Names the file or directory to look at.
    #[must_use]
    pub fn with_path(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(path.as_ref().to_path_buf());
        self
    }

    /// Names the line and column, both 1-based.
    #[must_use]
    pub const fn with_position(mut self, line: Option<u32>, column: Option<u32>) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// Names the component that it is about.
    #[must_use]
    pub fn with_subject(mut self, kind: ComponentKind, id: impl Into<String>) -> Self {
        self.subject = Some(Subject { kind, id: id.into() });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Words>) -> Self {
        self.help = Some(help.into());
        self
    }
}
