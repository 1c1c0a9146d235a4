//! Hooks and MCP servers as they are shown to people and in JSON: secrets masked, the plugin's own directories put in place of variables.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::expand;
use crate::model::{CandidateRef, Definition, DiscoverySource, HookDefinition, ServerDefinition, Transport};
use crate::parse::secrets;

/// The directories that variables of a plugin stand for.
#[derive(Clone, Debug, Default)]
pub struct PluginDirs {
    /// The plugin's own.
    pub root: PathBuf,
    /// Where it keeps data.
    pub data: Option<PathBuf>,
    /// Whether secrets are shown instead of `***`.
    pub show_secrets: bool,
}

impl PluginDirs {
    /// The directories of the plugin that brings a candidate.
    #[must_use]
    pub fn of(candidate: CandidateRef<'_>, aleph_home: Option<&Path>, show_secrets: bool) -> Option<Self> {
        let root = candidate
            .root()
            .filter(|root| root.source == DiscoverySource::Plugin)?;
        let plugin = &candidate.candidate().plugin.as_ref()?.plugin;
        Some(Self {
            root: root.path.clone(),
            data: aleph_home.map(|home| home.join("data").join(&**plugin)),
            show_secrets,
        })
    }

    /// A text as it is shown.
    #[must_use]
    pub fn show(&self, text: &str) -> String {
        if self.show_secrets {
            return self.expand(text);
        }
        self.expand(&secrets::mask_text(text))
    }

    fn show_args(&self, args: &[String], secret_values: &[&str]) -> Vec<String> {
        let args = if self.show_secrets {
            args.to_vec()
        } else {
            masked_args(args, secret_values)
        };
        args.iter().map(|arg| self.expand(arg)).collect()
    }

    /// A text with the variables for these directories replaced; as it is where no plugin brings it.
    fn expand(&self, text: &str) -> String {
        if self.root.as_os_str().is_empty() {
            return text.to_owned();
        }
        expand::expand(text, &self.root, self.data.as_deref()).into_owned()
    }
}

/// A hook.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HookView {
    /// The event, as written.
    pub event: String,
    /// What must match for it to run; null where it always runs.
    pub matcher: Option<String>,
    /// What else must hold for it to run.
    pub condition: Option<String>,
    /// `command`, `prompt`, `agent`, `http`, `handler` or what else is written.
    pub r#type: String,
    /// The command line.
    pub command: Option<String>,
    /// Arguments beside the command line.
    pub args: Vec<String>,
    /// The address that is called.
    pub url: Option<String>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<f64>,
    /// Names of variables that are set for it.
    pub env: Vec<String>,
    /// How many times it runs on one event: as often as it is defined. 0 where it is switched off.
    pub fires: u32,
    /// 1-based line at which it is defined.
    pub line: Option<u32>,
}

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ServerView {
    /// Its name.
    pub name: String,
    /// How one talks to it; null where its definition does not say.
    pub transport: Option<Transport>,
    /// The program that is started.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory that it is started in.
    pub cwd: Option<String>,
    /// The address that is called.
    pub url: Option<String>,
    /// Names of variables that are set for it.
    pub env: Vec<String>,
    /// Names of headers that are sent.
    pub headers: Vec<String>,
    /// 1-based line at which it is defined.
    pub line: Option<u32>,
}

/// What a candidate's definition says.
#[derive(Clone, Debug, Default)]
pub struct DefinitionViews {
    /// The hook, if it is one.
    pub hook: Option<HookView>,
    /// The server, if it is one.
    pub server: Option<ServerView>,
}

impl DefinitionViews {
    /// The views of what a candidate is.
    #[must_use]
    pub fn of(candidate: CandidateRef<'_>, aleph_home: Option<&Path>, show_secrets: bool) -> Self {
        let dirs = || {
            PluginDirs::of(candidate, aleph_home, show_secrets).unwrap_or_else(|| PluginDirs {
                show_secrets,
                ..PluginDirs::default()
            })
        };
        let line = candidate.detail.as_deref().and_then(|detail| detail.line);
        if let Some(server) = candidate.server() {
            return Self {
                hook: None,
                server: Some(server_view(server, &dirs(), line)),
            };
        }
        let part = candidate.candidate().plugin.as_ref();
        let Some(definition) = part.and_then(|part| part.definition.as_ref()) else {
            return Self::default();
        };
        let dirs = dirs();
        match definition {
            Definition::Hook(hook) => Self {
                hook: Some(hook_view(hook, &dirs, line)),
                server: None,
            },
            Definition::Server(server) => Self {
                hook: None,
                server: Some(server_view(server, &dirs, line)),
            },
        }
    }
}

/// A hook as it is shown.
#[must_use]
pub fn hook_view(hook: &HookDefinition, dirs: &PluginDirs, line: Option<u32>) -> HookView {
    let values = if dirs.show_secrets {
        Vec::new()
    } else {
        literal_values(&hook.env)
    };
    HookView {
        event: hook.event.clone(),
        matcher: hook.matcher.clone(),
        condition: hook.condition.clone(),
        r#type: hook.action.clone(),
        command: hook
            .command
            .as_deref()
            .map(|text| dirs.show(&without(text, &values))),
        args: dirs.show_args(&hook.args, &values),
        url: hook.url.as_deref().map(|text| dirs.show(text)),
        timeout_seconds: hook.timeout_seconds,
        env: names(&hook.env),
        fires: hook.fires,
        line,
    }
}

/// An MCP server as it is shown.
#[must_use]
pub fn server_view(server: &ServerDefinition, dirs: &PluginDirs, line: Option<u32>) -> ServerView {
    let mut values = literal_values(&server.env);
    values.extend(literal_values(&server.headers));
    if dirs.show_secrets {
        values.clear();
    }
    let mut env = names(&server.env);
    env.extend(server.env_names.iter().cloned());
    ServerView {
        name: server.name.clone(),
        transport: server.transport,
        command: server
            .command
            .as_deref()
            .map(|text| dirs.show(&without(text, &values))),
        args: dirs.show_args(&server.args, &values),
        cwd: server.cwd.as_deref().map(|text| dirs.show(text)),
        url: server
            .url
            .as_deref()
            .map(|text| dirs.show(&without(text, &values))),
        env,
        headers: names(&server.headers),
        line,
    }
}

fn names(pairs: &[(String, String)]) -> Vec<String> {
    pairs.iter().map(|(name, _)| name.clone()).collect()
}

/// Fewest bytes of a value that is looked for in other texts: shorter ones (`1`, `true`, `info`) are no secrets.
const SHORTEST_SECRET: usize = 8;

/// The values of variables and headers that could be secrets and would be ones elsewhere too.
fn literal_values(pairs: &[(String, String)]) -> Vec<&str> {
    pairs
        .iter()
        .map(|(_, value)| value.as_str())
        .filter(|value| value.len() >= SHORTEST_SECRET && !value.contains("${"))
        .collect()
}

/// A text without the values of variables that are given beside it.
fn without<'a>(text: &'a str, values: &[&str]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for value in values {
        if text.contains(value) {
            text = Cow::Owned(text.replace(value, secrets::MASK));
        }
    }
    text
}

/// Arguments without secrets: what follows a flag that says it is one, what its name says is one, what is given as
/// the value of a variable too, and words that have the form of well-known tokens.
fn masked_args(args: &[String], values: &[&str]) -> Vec<String> {
    let list = args
        .iter()
        .map(|arg| serde_json::Value::from(without(arg, values).as_ref()))
        .collect();
    match secrets::mask(&serde_json::Value::Array(list), &["args"]) {
        serde_json::Value::Array(masked) => masked
            .iter()
            .map(|arg| arg.as_str().unwrap_or_default().to_owned())
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_of_a_definition_is_shown() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let server = ServerDefinition {
            name: "s".to_owned(),
            command: Some("${CLAUDE_PLUGIN_ROOT}/run --token=hunter2hunter2".to_owned()),
            args: [
                "--api-key",
                "hunter2",
                "x=verysecretvalue",
                "-p",
                "ghp_abcdefghijklmnop1234",
                "plain",
            ]
            .map(str::to_owned)
            .to_vec(),
            url: Some("https://user:pw@example.com/?key=abc".to_owned()),
            env: vec![pair("KEY", "verysecretvalue")],
            headers: vec![pair("Authorization", "Bearer abcdef")],
            enabled: true,
            ..ServerDefinition::default()
        };
        let dirs = PluginDirs {
            root: PathBuf::from("/p"),
            data: None,
            show_secrets: false,
        };
        let view = server_view(&server, &dirs, None);
        assert_eq!(view.command.as_deref(), Some("/p/run --token=***"));
        assert_eq!(view.args, ["--api-key", "***", "x=***", "-p", "***", "plain"]);
        assert_eq!(view.url.as_deref(), Some("https://***@example.com/?key=***"));
        assert_eq!(
            (view.env, view.headers),
            (vec!["KEY".to_owned()], vec!["Authorization".to_owned()])
        );
    }
}
