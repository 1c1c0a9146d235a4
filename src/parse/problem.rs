//! What a parser finds wrong.

use crate::model::Code;

/// One thing wrong with the text of a file; whoever read the file adds its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is about.
    pub code: Code,
    /// 1-based line of the whole file.
    pub line: Option<u32>,
    /// 1-based column, in Unicode scalar values.
    pub column: Option<u32>,
    /// One sentence, without a full stop, that may quote the file as it is.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}
