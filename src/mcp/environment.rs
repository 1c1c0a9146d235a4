//! The user's environment, as data, and how little of it a server is given.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What every server is given of the user's environment, where it is set: enough to find programs, to find the home
/// directory and to speak the user's language. Besides these, every variable that begins with `LC_`.
const GIVEN: [&str; 4] = ["PATH", "HOME", "LANG", "LANGUAGE"];

/// What a process on Windows cannot do without: most programs do not even start without the first.
const GIVEN_ON_WINDOWS: [&str; 17] = [
    "SYSTEMROOT",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
];

/// The variables of the user's environment.
///
/// The library never looks at the process: whoever starts servers hands them over.
#[derive(Clone, Default)]
pub struct UserEnvironment {
    variables: BTreeMap<OsString, OsString>,
}

impl UserEnvironment {
    /// An environment with these variables; of one that comes twice the last counts.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self {
            variables: variables.into_iter().collect(),
        }
    }

    /// The value of a variable. On Windows the case of its name does not matter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let exact = self.variables.get(OsStr::new(name));
        let found = exact.or_else(|| {
            let mut all = self.variables.iter();
            cfg!(windows)
                .then(|| all.find(|(known, _)| known.eq_ignore_ascii_case(name)))
                .flatten()
                .map(|(_, value)| value)
        });
        found.map(OsString::as_os_str)
    }

    /// What every server is given of it.
    pub(super) fn given(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .filter(|(name, _)| is_given(name))
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// Names only: values of an environment are no one's business.
impl std::fmt::Debug for UserEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

fn is_given(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    if cfg!(windows) {
        let is = |given: &&str| given.eq_ignore_ascii_case(name);
        return GIVEN.iter().chain(&GIVEN_ON_WINDOWS).any(is);
    }
    GIVEN.contains(&name) || name.starts_with("LC_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_given_little() {
        let names = [
            "PATH",
            "HOME",
            "LC_ALL",
            "LANG",
            "AWS_SECRET_ACCESS_KEY",
            "LD_PRELOAD",
            "NODE_OPTIONS",
        ];
        let user = UserEnvironment::new(names.map(|name| (name.into(), "value-of-it".into())));
        let given: Vec<_> = user.given().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(given, ["HOME", "LANG", "LC_ALL", "PATH"]);
        assert!(!format!("{user:?}").contains("value-of-it"));
    }
}
