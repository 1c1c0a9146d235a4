//! What a parser finds wrong, and where.

use crate::model::Code;

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
}
