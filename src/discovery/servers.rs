//! MCP servers that are configured in files: which definition of a name counts.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::free::{self, Origin};
use super::roots::place;
use super::scanner::Found;
use super::settings::{Settings, as_text, strings};
use super::value_types::check_server;
use super::{Environment, Walk};
use crate::discovery::free::Cause;
use crate::host::{Anchor, HostProfile, LayerSpec, ServerKeys, ServerSpec};
use crate::model::{
    Code, ComponentKind, Diagnostic, DiscoverySource, Family, Rule, Scope, ServerDefinition, Severity, State,
};
use crate::parse::document::{Located, Value};
use crate::parse::manifest::mcp_servers;

/// Servers that a plugin brings.
#[derive(Debug)]
pub(super) struct PluginServers {
    /// The plugin's name, and what stands before the server's name.
    pub(super) plugin: String,
    pub(super) prefix: String,
    /// The plugin's directory.
    pub(super) root: PathBuf,
    /// The file that configures them.
    pub(super) path: PathBuf,
    /// The table of servers.
    pub(super) table: Located,
    pub(super) priority: u32,
    /// Whether one that starts the same as a configured server is left out.
    pub(super) once: bool,
}

/// Finds the servers of one question.
pub(super) struct Servers<'a> {
    pub(super) profile: &'static HostProfile,
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
    pub(super) with_project: bool,
    pub(super) settings: &'a mut Settings,
    pub(super) found: &'a mut Found,
    /// What is started by the servers that are configured.
    pub(super) endpoints: HashSet<String>,
    /// Servers of the project that are listed and not started.
    pub(super) toggled: Vec<(PathBuf, String)>,
    pub(super) is_exclusive: bool,
    /// What the layers say together of each server, where they are merged.
    pub(super) merged: HashMap<String, Merged>,
}

/// What all layers together say of a server.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Whether the highest layer that says so switches it off, and which that is.
    switched: Option<(bool, PathBuf)>,
    /// Whether some layer has all that it needs.
    is_whole: bool,
}

impl Servers<'_> {
    pub(super) fn find(mut self, plugins: &[PluginServers]) {
        for spec in self.profile.servers.iter().filter(|spec| spec.exclusive) {
            self.file_spec(spec);
        }
        for spec in self.profile.servers.iter().filter(|spec| !spec.exclusive) {
            match spec.anchor {
                None => self.layers(spec),
                Some(_) => self.file_spec(spec),
            }
        }
        for brought in plugins {
            self.plugin(brought);
        }
    }

    /// Servers in the host's settings layers.
    fn layers(&mut self, spec: &'static ServerSpec) {
        let ServerKeys::Table(key) = spec.keys else {
            return;
        };
        let mut tables = Vec::new();
        for (index, layer) in self.settings.layers.iter().enumerate() {
            if let Some(table) = layer.root.value.get(key) {
                let origin = Origin {
                    source: layer.spec.source,
                    scope: layer.spec.scope,
                    family: Family::Claude,
                    priority: spec.priority + u32::try_from(index).unwrap_or(u32::MAX),
                };
                tables.push((layer.path.clone(), table.clone(), origin));
            }
        }
        self.merge_switches(&tables);
        for (path, table, origin) in tables {
            self.table(&path, &table, origin);
        }
    }

    /// The tables of one server are merged key by key: the highest `enabled` counts, and what one layer leaves out
    /// another may have.
    fn merge_switches(&mut self, tables: &[(PathBuf, Located, Origin)]) {
        for (path, table, _) in tables {
            for entry in table.value.entries() {
                let merged = self.merged.entry(entry.key.clone()).or_default();
                if let Some(on) = entry.value.value.get("enabled") {
                    let off = on.value == Value::Bool(false);
                    merged.switched = Some((off, path.clone()));
                }
                merged.is_whole |= check(&entry.value.value).is_ok();
            }
        }
    }

    /// Servers in files of their own.
    fn file_spec(&mut self, spec: &'static ServerSpec) {
        let Some(anchor) = spec.anchor else {
            return;
        };
        let of_project = matches!(
            anchor,
            Anchor::Start(_) | Anchor::GitRoot(_) | Anchor::EachWalkDirectory(_)
        );
        if of_project && !self.with_project {
            return;
        }
        // A server file is looked for above the repository too.
        let dirs: Vec<PathBuf> = match anchor {
            Anchor::EachWalkDirectory(_) => self.walk.start.ancestors().map(Path::to_path_buf).collect(),
            anchor => place(anchor, self.environment, self.walk).into_iter().collect(),
        };
        for (index, dir) in dirs.into_iter().rev().enumerate() {
            let path = dir.join(spec.file);
            let Some(Ok(root)) = self.settings.document(&path, spec.comments) else {
                continue;
            };
            if spec.exclusive {
                self.is_exclusive = true;
            }
            let origin = Origin {
                source: spec.source,
                scope: spec.scope,
                family: Family::Claude,
                priority: spec.priority + u32::try_from(index).unwrap_or(u32::MAX),
            };
            match spec.keys {
                ServerKeys::Table(key) => match root.value.get(key) {
                    Some(table) => self.table(&path, table, origin),
                    None if spec.scope == Scope::Project && spec.file == ".mcp.json" => {
                        self.found.diagnostics.push(
                            Diagnostic::new(
                                Code::BadConfig,
                                Severity::Warning,
                                format!("there is no `{key}` in it, so this host takes nothing from it"),
                            )
                            .with_path(&path)
                            .with_help(format!("put the servers in a table `{key}`")),
                        );
                    }
                    None => {}
                },
                ServerKeys::OfProject(key) => {
                    if let Some(project) = self.project_entry(&root).cloned() {
                        for name in project.value.get("disabledMcpServers").into_iter() {
                            let names = strings(&name.value).map(|name| (path.clone(), name.to_owned()));
                            self.toggled.extend(names);
                        }
                        if let Some(table) = project.value.get(key) {
                            self.table(&path, table, origin);
                        }
                    }
                }
            }
        }
        self.mark_toggled();
    }

    /// The entry for this project: it is kept under the repository's root, or the directory where there is none.
    fn project_entry<'b>(&self, root: &'b Located) -> Option<&'b Located> {
        let projects = root.value.get("projects")?;
        let root = self.walk.worktree_of.as_deref().or(self.walk.git_root.as_deref());
        let place = root.unwrap_or(&self.walk.start);
        let entry = projects.value.entries().iter().find(|entry| {
            // The host compares texts, to which a slash at the end is another place.
            let known = Path::new(&entry.key);
            !entry.key.ends_with('/')
                && (known == place || known.canonicalize().is_ok_and(|known| known == place))
        })?;
        Some(&entry.value)
    }

    fn mark_toggled(&mut self) {
        for candidate in &mut self.found.candidates {
            if candidate.kind != ComponentKind::McpServer || candidate.state != State::Active {
                continue;
            }
            let id = candidate.id().into_owned();
            if let Some((path, _)) = self.toggled.iter().find(|(_, name)| *name == id) {
                let path = path.clone();
                let detail = candidate.detail_mut();
                detail.message = Some("listed, and switched off for this project: it is not started".into());
                detail.cause = Some((path, Some("disabledMcpServers".to_owned())));
            }
        }
    }

    /// Whether the layers' tables are merged key by key, and a server that is off is not counted.
    fn is_merged(&self) -> bool {
        let is_toml = |layer: &LayerSpec| layer.file.ends_with(".toml");
        self.profile.layers.iter().any(is_toml)
    }

    fn table(&mut self, path: &Path, table: &Located, origin: Origin) {
        for entry in table.value.entries() {
            let name = entry.key.clone();
            let mut candidate = free::candidate(ComponentKind::McpServer, path, &name, origin);
            candidate.stands_at(entry.key_position);
            candidate.detail_mut().server = definition(&entry.key, &entry.value);
            if origin.scope != Scope::Managed && self.is_exclusive {
                candidate.state = State::Shadowed;
                candidate.rule = Some(Rule::ManagedOverAll);
                candidate.detail_mut().message =
                    Some("the administrator's file of servers lets no other count".into());
            } else if let Err(why) = self.check(&entry.value)
                && !self.merged.get(&name).is_some_and(|merged| merged.is_whole)
            {
                candidate.turn_off(State::Invalid, Code::BadConfig, &why, None);
                let has = |key: &str| entry.value.value.get(key).is_some();
                if self.is_merged() && self.profile.broken_settings_stop && !has("command") && !has("url") {
                    self.settings.stop(path, Some(&name), why);
                }
            } else if let Some((state, code, why, cause)) = self.policy(&name, &entry.value.value, origin) {
                candidate.turn_off(state, code, &why, cause);
            } else if self.is_merged()
                && let Some((true, by)) = self.merged.get(&name).and_then(|merged| merged.switched.clone())
            {
                let why = "listed, and switched off in the highest layer that says so: it is not started";
                let cause = Some(Cause {
                    path: by,
                    key: Some(format!("{name}.enabled")),
                });
                candidate.turn_off(State::Disabled, Code::SwitchedOff, why, cause);
            } else {
                self.endpoints.extend(endpoint(&entry.value.value));
                if entry
                    .value
                    .value
                    .get("enabled")
                    .is_some_and(|on| on.value == Value::Bool(false))
                {
                    let why = "listed, and switched off where it is defined: it is not started";
                    candidate.detail_mut().message = Some(why.into());
                }
            }
            self.found.candidates.push(candidate);
        }
    }

    /// Whether a definition in a file can be used. Where layers are merged one may have only a part of it.
    fn check(&self, definition: &Located) -> Result<(), String> {
        match self.profile.server_types {
            Some(types) if !self.is_merged() => check_server(definition, types),
            _ => check(&definition.value).map_err(str::to_owned),
        }
    }

    /// What the settings have against a server.
    fn policy(
        &self,
        name: &str,
        definition: &Value,
        origin: Origin,
    ) -> Option<(State, Code, String, Option<Cause>)> {
        if self.profile.skill_beats_command {
            return self.lists(name, definition, origin);
        }
        None
    }

    /// Lists of server names that switch off: the project's by name, any by an administrator's or the user's rule.
    fn lists(
        &self,
        name: &str,
        definition: &Value,
        origin: Origin,
    ) -> Option<(State, Code, String, Option<Cause>)> {
        let cause = |path: PathBuf, key: &str| {
            Some(Cause {
                path,
                key: Some(key.to_owned()),
            })
        };
        if origin.scope == Scope::Project {
            let off = self.settings.texts(&["disabledMcpjsonServers"]);
            if let Some((path, _)) = off.into_iter().find(|(_, off)| off == name) {
                let why = "`disabledMcpjsonServers` names it".to_owned();
                let cause = cause(path, "disabledMcpjsonServers");
                return Some((State::Disabled, Code::SwitchedOff, why, cause));
            }
        }
        let listed = |list: &Value| {
            let Value::List(rules) = list else {
                return false;
            };
            rules.iter().any(|rule| rule_fits(&rule.value, name, definition))
        };
        for (layer, list) in self.settings.all(&["deniedMcpServers"]) {
            if listed(&list.value) {
                let why = "`deniedMcpServers` takes it away".to_owned();
                let cause = cause(layer.path.clone(), "deniedMcpServers");
                return Some((State::Disabled, Code::DeniedByRule, why, cause));
            }
        }
        let managed_only = self
            .settings
            .all(&["allowManagedMcpServersOnly"])
            .any(|(layer, on)| layer.spec.scope == Scope::Managed && on.value == Value::Bool(true));
        let allowed: Vec<_> = self
            .settings
            .all(&["allowedMcpServers"])
            .filter(|(layer, _)| !managed_only || layer.spec.scope == Scope::Managed)
            .collect();
        let (layer, _) = allowed.last()?;
        // A rule about commands asks for one from every server that is started, and one about urls likewise.
        let key = match definition.get("command") {
            Some(_) => "serverCommand",
            None => "serverUrl",
        };
        let rules: Vec<&Located> = allowed
            .iter()
            .filter_map(|(_, list)| match &list.value {
                Value::List(rules) => Some(rules),
                _ => None,
            })
            .flatten()
            .collect();
        let strict = rules.iter().any(|rule| rule.value.get(key).is_some());
        let fits = |rule: &&Located| {
            (!strict || rule.value.get(key).is_some()) && rule_fits(&rule.value, name, definition)
        };
        if rules.iter().any(fits) {
            return None;
        }
        let why = "`allowedMcpServers` does not list it".to_owned();
        let cause = cause(layer.path.clone(), "allowedMcpServers");
        Some((State::Disabled, Code::DeniedByRule, why, cause))
    }

    fn plugin(&mut self, brought: &PluginServers) {
        let origin = Origin {
            source: DiscoverySource::Plugin,
            scope: Scope::Plugin,
            family: Family::Claude,
            priority: brought.priority,
        };
        let mut own = HashSet::new();
        for entry in brought.table.value.entries() {
            let name = format!("{}{}", brought.prefix, entry.key);
            let mut candidate = free::candidate(ComponentKind::McpServer, &brought.path, &name, origin);
            let detail = candidate.detail_mut();
            detail.plugin = Some(brought.plugin.as_str().into());
            detail.plugin_root = Some(brought.root.clone());
            detail.server = definition(&entry.key, &entry.value);
            candidate.stands_at(entry.key_position);
            let endpoint = endpoint(&entry.value.value);
            if self.is_exclusive {
                candidate.state = State::Shadowed;
                candidate.rule = Some(Rule::ManagedOverAll);
                candidate.detail_mut().message =
                    Some("the administrator's file of servers lets no other count".into());
            } else if let Err(why) = match self.profile.server_types {
                Some(types) => check_server(&entry.value, types),
                None => check(&entry.value.value).map_err(str::to_owned),
            } {
                candidate.turn_off(State::Invalid, Code::BadConfig, &why, None);
            } else if self.is_merged()
                && entry.value.value.get("enabled").map(|on| &on.value) == Some(&Value::Bool(false))
            {
                let why = "listed, and switched off where it is defined: it is not started";
                candidate.turn_off(State::Disabled, Code::SwitchedOff, why, None);
            } else if brought.once && endpoint.as_ref().is_some_and(|one| self.endpoints.contains(one)) {
                candidate.state = State::Shadowed;
                candidate.rule = Some(Rule::SameEndpoint);
                candidate.detail_mut().message =
                    Some("a configured server starts the same thing, so this one is left out".into());
            } else if let Some((state, code, why, cause)) = self.policy(&name, &entry.value.value, origin) {
                candidate.turn_off(state, code, &why, cause);
            } else {
                own.extend(endpoint);
            }
            self.found.candidates.push(candidate);
        }
        self.endpoints.extend(own);
    }
}

/// What a definition says, as far as it can be read.
fn definition(name: &str, table: &Located) -> Option<Box<ServerDefinition>> {
    matches!(table.value, Value::Table(_))
        .then(|| Box::new(mcp_servers::server(name, table, &mut Vec::new()).value))
}

/// Whether a definition can be used at all.
fn check(definition: &Value) -> Result<(), &'static str> {
    let text = |key: &str| definition.get(key).and_then(|found| as_text(&found.value));
    let has_command = match definition.get("command").map(|found| &found.value) {
        Some(Value::String(command)) => !command.is_empty(),
        Some(Value::List(words)) => !words.is_empty(),
        _ => false,
    };
    let has_url = ["url", "httpUrl"]
        .iter()
        .any(|key| text(key).is_some_and(|url| !url.is_empty()));
    if has_command || has_url {
        return Ok(());
    }
    Err(match text("type") {
        Some("http" | "sse" | "remote") => "a server of its type needs a `url`",
        _ => "it has neither a `command` nor a `url`",
    })
}

/// What a server starts or connects to, for telling two of them apart.
fn endpoint(definition: &Value) -> Option<String> {
    if let Some(command) = definition.get("command") {
        let mut words: Vec<&str> = strings(&command.value).collect();
        if let Some(arguments) = definition.get("args") {
            words.extend(strings(&arguments.value));
        }
        return Some(format!("command {words:?}"));
    }
    let url = definition.get("url").and_then(|url| as_text(&url.value))?;
    Some(format!("url {url}"))
}

/// Whether a rule of an allow or deny list is about a server: by its name, command or url.
fn rule_fits(rule: &Value, name: &str, definition: &Value) -> bool {
    if let Some(wanted) = rule.get("serverName") {
        return as_text(&wanted.value) == Some(name);
    }
    if let Some(wanted) = rule.get("serverCommand") {
        let mut words: Vec<&str> = Vec::new();
        for key in ["command", "args"] {
            if let Some(found) = definition.get(key) {
                words.extend(strings(&found.value));
            }
        }
        return strings(&wanted.value).eq(words);
    }
    let url = definition.get("url").and_then(|url| as_text(&url.value));
    let wanted = rule.get("serverUrl").and_then(|wanted| as_text(&wanted.value));
    url.zip(wanted).is_some_and(|(url, wanted)| {
        super::glob::matches(&wanted.replace("//", "/"), &url.replace("//", "/"))
    })
}
