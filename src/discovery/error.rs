//! What can go wrong with a question itself; what is wrong on disk is data, not an error.

use std::path::PathBuf;

/// Why a question could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// The directory to ask about is missing, deleted, not a directory or closed to us.
    #[error("cannot use {} as the working directory", path.display())]
    WorkingDirectory {
        /// The directory as it was given.
        path: PathBuf,
        /// The operating system's words.
        source: std::io::Error,
    },
    /// A name that is to be joined to a path could leave its directory.
    #[error("`{}` cannot be looked for", name.escape_debug())]
    Name {
        /// The name as it was given.
        name: String,
        /// Which of the rules it breaks.
        source: ComponentNameError,
    },
    /// Neither a home directory nor an Aleph home is known.
    #[error("the home directory is not known: set HOME, or ALEPH_HOME")]
    NoHome,
}

/// Why a name is refused by [`validate_path_component`](super::validate_path_component).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComponentNameError {
    /// There is no text.
    #[error("the name is empty")]
    Empty,
    /// It contains a NUL character.
    #[error("the name contains a NUL character")]
    Nul,
    /// It contains `/` or `\`.
    #[error("the name contains the path separator `{0}`")]
    Separator(char),
    /// It is `.` or `..`.
    #[error("the name is `{0}`, which is a way through directories")]
    Dots(&'static str),
    /// It is longer than [`MAX_NAME_BYTES`](super::MAX_NAME_BYTES).
    #[error("the name has {0} bytes; {max} are the most that file systems allow", max = super::MAX_NAME_BYTES)]
    TooLong(usize),
}
