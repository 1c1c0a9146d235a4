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

/// Names of the environment whose values are no secrets: they are the user's surroundings, not the server's own.
const SURROUNDINGS: [&str; 14] = [
    "APPDATA",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PATHEXT",
    "SHELL",
    "SYSTEMROOT",
    "TERM",
    "TMPDIR",
    "USER",
];

impl LaunchPlan {
    /// What must not be shown of whatever the server or the network says: values of its own variables and headers,
    /// and what its address carries to log in with. Longest first, so that no part of one stays.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets: Vec<String> = match &self.launch {
            Launch::Process { environment, .. } => environment
                .iter()
                .filter(|(name, _)| {
                    let name = name.to_string_lossy().to_ascii_uppercase();
                    !SURROUNDINGS.contains(&name.as_str()) && !name.starts_with("LC_")
                })
                .map(|(_, value)| value.to_string_lossy().into_owned())
                .collect(),
            Launch::Http { url, headers } => {
                let values = headers.iter().flat_map(|(_, value)| {
                    let bare = value.split_once(' ').map(|(_, token)| token.trim().to_owned());
                    [Some(value.clone()), bare]
                });
                let after = url.split_once('?').map(|(_, query)| query.to_owned());
                let login = url
                    .split_once("://")
                    .and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'))
                    .map(|(login, _)| login.to_owned());
                values.chain([after, login]).flatten().collect()
            }
        };
        // A word such as `1` or `true` is no secret, and without it nothing could be read any more.
        secrets.retain(|secret| secret.len() >= 5);
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        secrets
    }
}
