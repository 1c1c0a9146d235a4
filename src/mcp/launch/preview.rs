//! What a person is shown of a server before saying yes to it, beside its definition.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{Expander, Site};
use crate::mcp::environment::UserEnvironment;
use crate::mcp::expand;
use crate::model::{ServerDefinition, Transport};

/// What a server would see of the user's environment, in names: what a person is shown before saying yes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Variables of the user's that it would see: what every server is given, and what its definition names.
    pub sees: BTreeSet<String>,
    /// Variables that its definition needs and that are not set: it cannot be started until they are.
    pub missing: BTreeSet<String>,
    /// The directory that it would be started in; none where a variable of it is not set, or nothing is started.
    pub directory: Option<PathBuf>,
}

impl Preview {
    /// What a server would see.
    #[must_use]
    pub fn of(server: &ServerDefinition, site: &Site, user: &UserEnvironment) -> Self {
        let mut preview = Self::default();
        let is_process = server.transport == Some(Transport::Stdio);
        if is_process {
            let given = user.given().map(|(name, _)| name.to_string_lossy().into_owned());
            preview.sees.extend(given);
            let by_name = server.env_names.iter().filter(|name| user.get(name).is_some());
            preview.sees.extend(by_name.cloned());
            // Set by the definition itself: then nothing of the user's is seen under that name.
            for (name, _) in &server.env {
                preview.sees.remove(name);
            }
        }
        let pairs = |pairs: &[(String, String)]| -> Vec<String> {
            pairs.iter().map(|(_, value)| value.clone()).collect()
        };
        let mut texts: Vec<String> = Vec::new();
        if is_process {
            texts.extend(server.command.clone());
            texts.extend(server.args.iter().cloned());
            texts.extend(server.cwd.clone());
            texts.extend(pairs(&server.env));
        } else {
            texts.extend(server.url.clone());
            texts.extend(pairs(&server.headers));
        }
        let expander = Expander { server, site, user };
        let lookup = |name: &str| expander.lookup(name);
        for (name, is_set) in texts.iter().flat_map(|text| expand::used(text, &lookup)) {
            if site.own_variable(&name).is_some() {
                continue;
            }
            if is_set {
                preview.sees.insert(name);
            } else {
                preview.missing.insert(name);
            }
        }
        if is_process {
            preview.directory = match &server.cwd {
                Some(cwd) => expander.expand(cwd, "cwd").ok().map(|cwd| site.base.join(cwd)),
                None => Some(site.base.clone()),
            };
        }
        preview
    }
}
