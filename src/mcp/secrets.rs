//! What must not be shown of what a server or the network says.

use super::{Launch, LaunchPlan};

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
