//! What must not be shown of what a server or the network says.

use super::{Launch, LaunchPlan};
use crate::parse::secrets::MASK;

/// Names of the environment whose values are no secrets: they are the user's surroundings, not the server's own.
const SURROUNDINGS: [&str; 18] = [
    "APPDATA",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "OLDPWD",
    "PATH",
    "PATHEXT",
    "PWD",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
];

/// A word such as `1` or `true` is no secret, and without it nothing could be read any more.
const SHORTEST: usize = 5;
/// The same for a line of a text: many lines are worth nothing by themselves.
const SHORTEST_LINE: usize = 8;

/// Whether a variable is one of the user's surroundings.
pub(super) fn is_surroundings(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SURROUNDINGS.contains(&name.as_str()) || name.starts_with("LC_")
}

/// What a text has where what is shown of it has the mask; from the first mask to the last, if there are several.
pub(super) fn what_is_masked<'a>(text: &'a str, shown: &str) -> Option<&'a str> {
    let (before, _) = shown.split_once(MASK)?;
    let (_, after) = shown.rsplit_once(MASK)?;
    let text = text.strip_prefix(before).unwrap_or(text);
    Some(text.strip_suffix(after).unwrap_or(text))
}

impl LaunchPlan {
    /// What must not be shown of whatever the server or the network says: values of its own variables and headers,
    /// of the variables that its definition names, what is masked of its arguments, and what its address carries to
    /// log in with. Of a text of several lines each line too: nobody prints a key as one. Longest first, so that no part
    /// of one stays.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets: Vec<String> = match &self.launch {
            Launch::Process { environment, .. } => environment
                .iter()
                .filter(|(name, _)| !is_surroundings(&name.to_string_lossy()))
                .map(|(_, value)| value.to_string_lossy().into_owned())
                .collect(),
            Launch::Http { url, headers } => {
                let values = headers.iter().flat_map(|(_, value)| {
                    let bare = value.split_once(' ').map(|(_, token)| token.trim().to_owned());
                    [Some(value.clone()), bare]
                });
                let after = url.split_once('?').map(|(_, query)| query.to_owned());
                let each = after.iter().flat_map(|query| query.split('&'));
                let each: Vec<String> = each
                    .filter_map(|pair| pair.split_once('=').map(|(_, value)| value.to_owned()))
                    .collect();
                let login = url
                    .split_once("://")
                    .and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'))
                    .map(|(login, _)| login.to_owned());
                let password = login
                    .as_deref()
                    .and_then(|login| login.split_once(':'))
                    .map(|(_, password)| password.to_owned());
                let all = values.chain([after, login, password]).flatten();
                all.chain(each).collect()
            }
        };
        secrets.extend(self.hidden.iter().cloned());
        let mut lines = Vec::new();
        for secret in secrets
            .iter()
            .filter(|secret| secret.contains(char::is_whitespace))
        {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            // What is told of a failure is put on one line.
            lines.push(words(secret));
            if secret.trim().contains(['\n', '\r']) {
                let of_it = secret
                    .lines()
                    .flat_map(|line| [line.trim().to_owned(), words(line)]);
                lines.extend(of_it.filter(|line| line.len() >= SHORTEST_LINE));
            }
        }
        secrets.extend(lines);
        secrets.retain(|secret| secret.trim().len() >= SHORTEST);
        secrets.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        secrets.dedup();
        secrets
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::mcp::{Site, UserEnvironment};
    use crate::model::{ServerDefinition, Transport};

    fn secrets(server: ServerDefinition) -> Vec<String> {
        let pairs = [
            ("HOME", "/home/someone"),
            ("KEY", "the-users-key"),
            ("PWD", "/src/work"),
        ];
        let user = UserEnvironment::new(pairs.map(|(name, value)| (name.into(), value.into())));
        let site = Site::of_file(Path::new("/p/.mcp.json"));
        LaunchPlan::new(&server, &site, &user).map_or_else(|error| panic!("{error}"), |plan| plan.secrets())
    }

    #[test]
    fn what_a_process_is_given_is_secret_wherever_it_stands() {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let secrets = secrets(ServerDefinition {
            transport: Some(Transport::Stdio),
            command: Some("run".to_owned()),
            args: own(&[
                "--token",
                "first-secret",
                "--api-key=second-secret",
                "${KEY}",
                "${HOME}/x",
                "${PWD}",
                "plain-word",
            ]),
            env: vec![("PEM".to_owned(), "-----BEGIN-----\nMIIabc0123\nxx\n".to_owned())],
            ..ServerDefinition::default()
        });
        for secret in [
            "first-secret",
            "second-secret",
            "the-users-key",
            "MIIabc0123",
            "-----BEGIN-----",
        ] {
            assert!(
                secrets.iter().any(|known| known == secret),
                "{secret} of {secrets:?}"
            );
        }
        for word in ["/home/someone", "/src/work", "plain-word", "--token", "xx", "run"] {
            assert!(
                !secrets.iter().any(|known| word.contains(known.as_str())),
                "{word} of {secrets:?}"
            );
        }
    }

    #[test]
    fn what_an_address_carries_is_secret_in_parts_too() {
        let secrets = secrets(ServerDefinition {
            transport: Some(Transport::Http),
            url: Some("https://me:pass-word@example.com/${KEY}/mcp?a=value-of-a&b=value-of-b".to_owned()),
            ..ServerDefinition::default()
        });
        for secret in ["pass-word", "the-users-key", "value-of-a", "value-of-b"] {
            assert!(
                secrets.iter().any(|known| known == secret),
                "{secret} of {secrets:?}"
            );
        }
        assert!(
            !secrets
                .iter()
                .any(|known| "https://example.com/mcp".contains(known.as_str())),
            "{secrets:?}"
        );
    }

    #[test]
    fn the_masked_part_is_found() {
        assert_eq!(what_is_masked("--a=b", "--a=***"), Some("b"));
        assert_eq!(what_is_masked("b", "***"), Some("b"));
        assert_eq!(what_is_masked("x1y2z", "x***y***z"), Some("1y2"));
        assert_eq!(what_is_masked("x", "x"), None);
    }
}
