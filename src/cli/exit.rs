//! Exit codes: what a script learns without reading the output.

use std::process::ExitCode;

/// How a run ended. Where several apply, the order is usage, refused, failed, incomplete, no, done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and the answer is yes, clean or found.
    Done,
    /// Done, and the answer is no.
    No,
    /// Done, but the operating system refused to let something be read.
    Incomplete,
    /// The question could not be asked.
    Usage,
    /// Refused for lack of consent or trust, or by a safety rule.
    Refused,
    /// A server, git or the disk failed.
    Failed,
    /// A signal of this number ended it.
    #[cfg_attr(
        not(feature = "mcp"),
        expect(dead_code, reason = "only what asks servers is ended so")
    )]
    Stopped(u8),
}

impl Exit {
    /// Every way to end by itself, by number.
    pub(crate) const ALL: [Self; 6] = [
        Self::Done,
        Self::No,
        Self::Usage,
        Self::Incomplete,
        Self::Refused,
        Self::Failed,
    ];

    /// What it tells, for the reference.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Done => "done, and the answer is yes, or found",
            Self::No => {
                "done, and the answer is no: nothing of that name is in effect, there is no such file, there are findings"
            }
            Self::Usage => {
                "the question could not be asked: a bad flag or name, a working directory that is missing or closed"
            }
            Self::Incomplete => {
                "done, but the operating system refused to let something be read; what it was is in the output"
            }
            Self::Refused => "refused: consent, trust or a safety rule stood against it",
            Self::Failed => "a server, git, the disk or the output failed",
            Self::Stopped(_) => "a signal ended it; servers that were being asked are ended",
        }
    }

    /// The number that the process ends with.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Incomplete => 3,
            Self::Refused => 4,
            Self::Failed => 5,
            // As shells tell it.
            Self::Stopped(signal) => 128_u8.saturating_add(signal),
        }
    }

    /// The exit of an answer: incomplete before no before yes.
    pub(crate) const fn of_answer(complete: bool, yes: bool) -> Self {
        match (complete, yes) {
            (false, _) => Self::Incomplete,
            (true, false) => Self::No,
            (true, true) => Self::Done,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
