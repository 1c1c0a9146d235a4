//! What a plugin runs, and what it asks for.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::reach::{Filesystem, Network, Reach};
use crate::model::{Candidate, HookDefinition, ServerDefinition};
use crate::parse::manifest::{Manifest, OtherRun};
use crate::parse::secrets;
use crate::plugin::parts::{Parts, path_of};
use crate::plugin::read::Plugin;
use crate::plugin::shown::{PluginDirs, hook_view, server_view};
use crate::plugin::steering::{Steering, steering};
use crate::plugin::{inside, lsp};

/// One command.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Run {
    /// `hook`, `mcp-server`, `lsp-server`, `runtime` or `service`.
    pub what: &'static str,
    /// The server's or service's name.
    pub name: Option<String>,
    /// The event that a hook runs on.
    pub event: Option<String>,
    /// What must match for a hook to run.
    pub matcher: Option<String>,
    /// What else must hold for a hook to run.
    pub condition: Option<String>,
    /// The command line, or the program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The file that defines it.
    pub path: String,
    /// 1-based line at which it is defined.
    pub line: Option<u32>,
    /// How many times a hook runs on one event.
    pub fires: Option<u32>,
    /// Variables that are set for it and change what it loads or starts.
    pub changes_what_runs: Vec<Steering>,
    /// Whether this host would load it; if not, another harness would.
    pub in_effect: bool,
}

/// One name that the plugin asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Secret {
    /// Its name.
    pub name: String,
    /// Whether the plugin has no value for it.
    pub required: bool,
    /// What asks for it: `mcp-server github: env`, `hook Stop: env`, `setting`.
    pub r#where: String,
}

/// What was gathered.
pub(super) struct Gathered {
    pub(super) runs: Vec<Run>,
    pub(super) secrets: Vec<Secret>,
    pub(super) network: Network,
    pub(super) filesystem: Filesystem,
}

/// What is gathered from a plugin's definitions.
pub(super) struct Gathering<'a> {
    plugin: &'a Plugin,
    dirs: PluginDirs,
    /// File, line and column of what this host would load.
    in_effect: BTreeSet<(std::path::PathBuf, Option<u32>, Option<u32>)>,
    runs: Vec<Run>,
    secrets: BTreeSet<Secret>,
    reach: Reach,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(plugin: &'a Plugin, dirs: PluginDirs, in_effect: &Parts) -> Self {
        let resolution = in_effect.clone().into_resolution();
        let place = |candidate: &Candidate| {
            let detail = candidate.detail.as_deref();
            (
                path_of(&resolution, candidate),
                detail.and_then(|detail| detail.line),
                detail.and_then(|detail| detail.column),
            )
        };
        Self {
            plugin,
            dirs,
            in_effect: resolution.candidates.iter().map(place).collect(),
            runs: Vec::new(),
            secrets: BTreeSet::new(),
            reach: Reach::default(),
        }
    }

    fn is_in_effect(&self, candidate: &Candidate, path: &Path) -> bool {
        let detail = candidate.detail.as_deref();
        let line = detail.and_then(|detail| detail.line);
        let column = detail.and_then(|detail| detail.column);
        self.in_effect.contains(&(path.to_path_buf(), line, column))
    }

    /// A file of the plugin as it is shown.
    fn shown(&self, path: &Path) -> String {
        let shown = match path.strip_prefix(&self.plugin.path) {
            Ok(relative) => self.dirs.root.join(relative),
            Err(_) => path.to_path_buf(),
        };
        shown.to_string_lossy().into_owned()
    }

    pub(super) fn hook(&mut self, hook: &HookDefinition, candidate: &Candidate, path: &Path) {
        let line = candidate.detail.as_deref().and_then(|detail| detail.line);
        let view = hook_view(hook, &self.dirs, line);
        let place = format!("hook {}", hook.event);
        self.pairs(&hook.env, &format!("{place}: env"));
        for text in hook.command.iter().chain(&hook.args) {
            for variable in variables(text)
                .into_iter()
                .filter(|one| secrets::says_secret(one.name))
            {
                self.ask(variable.name, !variable.has_default, &format!("{place}: command"));
            }
        }
        let texts = view.command.iter().chain(&view.args).chain(&view.url);
        self.reach.texts(texts.map(String::as_str), &self.dirs.root);
        if let Some(url) = &view.url {
            self.reach.url(url);
        }
        if let Some(command) = view.command {
            self.runs.push(Run {
                what: "hook",
                name: None,
                event: Some(view.event),
                matcher: view.matcher,
                condition: view.condition,
                command,
                args: view.args,
                path: self.shown(path),
                line,
                fires: Some(view.fires),
                changes_what_runs: steering(&hook.env),
                in_effect: self.is_in_effect(candidate, path),
            });
        }
    }

    pub(super) fn server(&mut self, server: &ServerDefinition, candidate: &Candidate, path: &Path) {
        let line = candidate.detail.as_deref().and_then(|detail| detail.line);
        let view = server_view(server, &self.dirs, line);
        let place = format!("mcp-server {}", server.name);
        self.pairs(&server.env, &format!("{place}: env"));
        self.pairs(&server.headers, &format!("{place}: header"));
        for name in &server.env_names {
            self.ask(name, true, &format!("{place}: env"));
        }
        let texts = [
            ("command", server.command.as_slice()),
            ("args", &server.args),
            ("url", server.url.as_slice()),
        ];
        for (what, texts) in texts {
            for variable in texts.iter().flat_map(|text| variables(text)) {
                if !is_surroundings(variable.name) {
                    self.ask(variable.name, !variable.has_default, &format!("{place}: {what}"));
                }
            }
        }
        let texts = view.command.iter().chain(&view.args).chain(&view.cwd);
        self.reach.texts(texts.map(String::as_str), &self.dirs.root);
        if let Some(url) = &view.url {
            self.reach.url(url);
        }
        if let Some(command) = view.command {
            self.runs.push(Run {
                what: "mcp-server",
                name: Some(view.name),
                event: None,
                matcher: None,
                condition: None,
                command,
                args: view.args,
                path: self.shown(path),
                line,
                fires: None,
                changes_what_runs: steering(&server.env),
                in_effect: self.is_in_effect(candidate, path),
            });
        }
    }

    /// What else manifests run and ask for.
    pub(super) fn others(&mut self) {
        let plugin = self.plugin;
        for (index, file) in plugin.manifests.iter().enumerate() {
            let Ok(manifest) = &file.manifest else { continue };
            let is_chosen = plugin.chosen == Some(index);
            for run in &manifest.runs {
                self.other(run, &file.path, is_chosen);
            }
            for setting in &manifest.settings {
                self.ask(&setting.name, setting.required, "setting");
            }
            self.permissions(manifest);
            self.escapes(manifest);
        }
        for (path, runs) in lsp::files(plugin) {
            for run in runs {
                self.other(&run, &path, true);
            }
        }
    }

    fn other(&mut self, run: &OtherRun, path: &Path, in_effect: bool) {
        let server = ServerDefinition {
            command: Some(run.command.clone()),
            args: run.args.clone(),
            env: run.env.clone(),
            ..ServerDefinition::default()
        };
        let view = server_view(&server, &self.dirs, None);
        let place = match &run.name {
            Some(name) => format!("{} {name}: env", run.what),
            None => format!("{}: env", run.what),
        };
        self.pairs(&run.env, &place);
        let texts = view.command.iter().chain(&view.args);
        self.reach.texts(texts.map(String::as_str), &self.dirs.root);
        self.runs.push(Run {
            what: run.what,
            name: run.name.clone(),
            event: None,
            matcher: None,
            condition: None,
            command: view.command.unwrap_or_default(),
            args: view.args,
            path: self.shown(path),
            line: None,
            fires: None,
            changes_what_runs: steering(&run.env),
            in_effect,
        });
    }

    fn permissions(&mut self, manifest: &Manifest) {
        let permissions = &manifest.permissions;
        let (network, filesystem) = (&permissions.network, &permissions.filesystem);
        self.reach.network.declared = self.reach.network.declared.take().or_else(|| network.clone());
        let declared = self.reach.filesystem.declared.take();
        self.reach.filesystem.declared = declared.or_else(|| filesystem.clone());
    }

    /// Paths of a manifest that leave the plugin.
    fn escapes(&mut self, manifest: &Manifest) {
        let parts = manifest.parts.iter().map(|(_, path)| path);
        let paths = parts
            .chain(&manifest.hook_files)
            .chain(&manifest.server_files)
            .chain(&manifest.other_paths);
        for path in paths {
            if let Err(inside::Refusal::Escapes(_)) = self.plugin.inside.locate(&path.text) {
                self.reach.outside(&path.text);
            }
        }
    }

    /// Names with values, as variables and headers are given.
    fn pairs(&mut self, pairs: &[(String, String)], place: &str) {
        for (name, value) in pairs {
            let used = variables(value);
            let required = value.is_empty() || used.iter().any(|variable| !variable.has_default);
            self.ask(name, required, place);
            for variable in used {
                if variable.name != name && !is_surroundings(variable.name) {
                    self.ask(variable.name, !variable.has_default, place);
                }
            }
        }
    }

    fn ask(&mut self, name: &str, required: bool, place: &str) {
        self.secrets.insert(Secret {
            name: name.to_owned(),
            required,
            r#where: place.to_owned(),
        });
    }

    pub(super) fn finish(mut self) -> Gathered {
        self.runs.sort_by(|one, other| {
            (one.what, &one.path, one.line, &one.command).cmp(&(
                other.what,
                &other.path,
                other.line,
                &other.command,
            ))
        });
        self.reach.finish();
        Gathered {
            runs: self.runs,
            secrets: self.secrets.into_iter().collect(),
            network: self.reach.network,
            filesystem: self.reach.filesystem,
        }
    }
}

/// Variables that tell where one is, not who one is.
fn is_surroundings(name: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "HOME",
        "PATH",
        "PWD",
        "TMPDIR",
        "TEMP",
        "USER",
        "USERPROFILE",
        "SHELL",
        "workspaceFolder",
        "userHome",
        "pathSeparator",
        "cwd",
    ];
    KNOWN.contains(&name) || name.ends_with("PLUGIN_ROOT") || name.ends_with("PLUGIN_DATA")
}

struct Variable<'a> {
    name: &'a str,
    has_default: bool,
}

/// The variables `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `${input:NAME}` of a text.
fn variables(text: &str) -> Vec<Variable<'_>> {
    let mut found = Vec::new();
    for part in text.split("${").skip(1) {
        let input = part.strip_prefix("input:");
        let part = input.or_else(|| part.strip_prefix("env:")).unwrap_or(part);
        // A hyphen is part of an input's name; behind a variable's begins its default.
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || (input.is_some() && c == '-');
        let end = part.find(|c| !is_part(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at_checked(end).unwrap_or((part, ""));
        if !name.is_empty() && !is_surroundings(name) && !name.starts_with(|c: char| c.is_ascii_digit()) {
            let has_default = rest.starts_with([':', '-', '=']);
            found.push(Variable { name, has_default });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_with_and_without_defaults() {
        let text =
            "a ${KEY} ${OTHER:-x} ${env:THIRD} ${input:api-key} ${CLAUDE_PLUGIN_ROOT} ${HOME} $PLAIN ${";
        let found: Vec<(&str, bool)> = variables(text)
            .iter()
            .map(|one| (one.name, one.has_default))
            .collect();
        assert_eq!(
            found,
            [
                ("KEY", false),
                ("OTHER", true),
                ("THIRD", false),
                ("api-key", false)
            ]
        );
    }
}
