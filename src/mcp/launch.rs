//! What it would take to reach a server: everything expanded, nothing done.

use std::ffi::OsString;
use std::path::PathBuf;

/// What it would take to reach one server.
///
/// Its values are secrets: they are for starting the server and never for printing.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The server's name, as configured.
    pub name: String,
    /// How it is reached.
    pub launch: Launch,
}

/// How a server is reached, with all variables expanded.
#[derive(Clone, PartialEq, Eq)]
pub enum Launch {
    /// A process that is started, spoken to by its standard streams.
    Process {
        /// The program, as it is looked up in `PATH`.
        program: OsString,
        /// Its arguments.
        args: Vec<OsString>,
        /// The directory it is started in.
        directory: PathBuf,
        /// Its whole environment: it gets nothing that is not named here.
        environment: Vec<(OsString, OsString)>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// The headers that are sent along.
        headers: Vec<(String, String)>,
    },
}
