//! What a parser finds wrong, and where.

use super::document::Entry;
use crate::model::{Code, Diagnostic, Severity, nearest};

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// 1-based line of the whole file.
    pub line: u32,
    /// 1-based column, in Unicode scalar values; a byte order mark takes no column.
    pub column: u32,
}

/// One thing wrong with the text of a file, or worth saying about it; whoever read the file adds its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is about.
    pub code: Code,
    /// 1-based line of the whole file.
    pub line: Option<u32>,
    /// 1-based column, in Unicode scalar values.
    pub column: Option<u32>,
    /// One short sentence without a full stop, that may quote the file.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A problem without a remedy.
    #[must_use]
    pub fn new(code: Code, at: Option<Position>, message: impl Into<String>) -> Self {
        Self {
            code,
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
            message: message.into(),
            help: None,
        }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A key that a table does not have. `place` ends the sentence, such as "in `[gateway]`"; the key that was probably
    /// meant is the help, else all that there are.
    #[must_use]
    pub fn unknown_key(entry: &Entry, place: &str, known: &[&str]) -> Self {
        let help = match nearest(&entry.key, known.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys here are {}", known.join(", ")),
        };
        let message = format!("there is no key `{}` {place}", entry.key);
        Self::new(Code::UnknownKey, Some(entry.key_position), message).with_help(help)
    }

    /// The problem as a finding, which has no path yet.
    #[must_use]
    pub fn into_diagnostic(self, severity: Severity) -> Diagnostic {
        Diagnostic {
            help: self.help.map(Into::into),
            ..Diagnostic::new(self.code, severity, self.message).with_position(self.line, self.column)
        }
    }
}
