//! Plugins that a configuration enables and that lie in a cache of versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Plugin, Plugins, text, versions};
use crate::discovery::free::Cause;
use crate::discovery::listing::Listing;
use crate::discovery::settings::{as_text, strings};
use crate::discovery::validate_path_component;
use crate::host::{Anchor, Layout};
use crate::model::{Code, ComponentKind, Family, Place, Rule, Scope, State};
use crate::parse::document::{Located, Value};

/// Where a plugin's manifest may be; the first that is there counts.
const MANIFESTS: [&str; 3] = [
    ".codex-plugin/plugin.json",
    ".claude-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
];

impl Plugins<'_> {
    pub(super) fn find_cached(&mut self) {
        let home = Anchor::Variable {
            name: "CODEX_HOME",
            below: "",
            or_home: Some(".codex"),
        };
        let Some(cache) = self.place(home).map(|home| home.join("plugins/cache")) else {
            return;
        };
        let mut enabled: BTreeMap<String, (bool, PathBuf)> = BTreeMap::new();
        for (layer, table) in self.settings.all(&["plugins"]) {
            for entry in table.value.entries() {
                let on = entry.value.value.get("enabled").map(|on| &on.value) != Some(&Value::Bool(false));
                enabled.insert(entry.key.clone(), (on, layer.path.clone()));
            }
        }
        let mut rank = 9_000;
        for (id, (on, layer)) in enabled {
            let Some((name, market)) = id.rsplit_once('@') else {
                continue;
            };
            if validate_path_component(name).is_err() || validate_path_component(market).is_err() {
                continue;
            }
            rank -= 1;
            let mut found = versions(&cache.join(market).join(name)).into_iter();
            let cause = Cause {
                path: layer.clone(),
                key: Some(format!("plugins.\"{id}\"")),
            };
            let Some(path) = found.next() else {
                let mut candidate = self.candidate(&layer, name, Scope::Plugin, rank);
                let why = format!("{id} is configured, and not in the cache");
                candidate.turn_off(State::Disabled, Code::NotInstalled, &why, Some(cause));
                self.list(candidate);
                continue;
            };
            let file = MANIFESTS
                .iter()
                .map(|file| path.join(file))
                .find(|file| file.is_file());
            let manifest = file.and_then(|file| {
                let root = self.document(&file)?;
                Some((file, root))
            });
            let named = manifest.as_ref().and_then(|(_, manifest)| text(manifest, "name"));
            let plugin = Plugin {
                name: named.unwrap_or(name).to_owned(),
                path,
                manifest,
                entry: None,
                rank,
            };
            let mut candidate = self.candidate(&plugin.path, &plugin.name, Scope::Plugin, rank);
            if plugin.manifest.is_none() {
                let why = "it has no manifest, without which the host takes nothing from it";
                candidate.turn_off(State::Invalid, Code::NoManifest, why, Some(cause));
                self.list(candidate);
                continue;
            }
            if !on {
                let why = format!("the configuration switches {id} off");
                candidate.turn_off(State::Disabled, Code::SwitchedOff, &why, Some(cause));
                self.list(candidate);
                continue;
            }
            self.list(candidate);
            for older in found {
                let mut candidate = self.candidate(&older, &plugin.name, Scope::Plugin, rank);
                candidate.state = State::Shadowed;
                candidate.rule = Some(Rule::HigherVersion);
                candidate.detail_mut().message = Some("a higher version is in the cache".into());
                self.list(candidate);
            }
            self.bring_cached(&plugin);
        }
    }

    fn bring_cached(&mut self, plugin: &Plugin) {
        let mut root = self.root(plugin, Family::Codex);
        let index = self.roots.len();
        let profile = self.profile;
        if self.wants(ComponentKind::Skill)
            && let Some(spec) = profile.kind(ComponentKind::Skill)
            && let Layout::Tree(tree) = &spec.layout
        {
            let said = plugin
                .manifest
                .as_ref()
                .and_then(|(_, root)| root.value.get("skills"));
            let named: Vec<PathBuf> = said
                .iter()
                .flat_map(|said| strings(&said.value))
                .filter_map(|path| within(&plugin.path, path))
                .collect();
            let paths = if named.is_empty() {
                vec![plugin.path.join("skills")]
            } else {
                named
            };
            for path in paths {
                let listing = Listing {
                    spec,
                    tree,
                    place: Place::listed(index, root.dirs.len()),
                    plugin: Some(&plugin.name),
                };
                root.dirs.push(self.scanner.list(&listing, &path, self.found));
            }
        }
        self.roots.push(root);
        let servers = self.cached_servers(plugin);
        self.hand_on(plugin, servers, "", 50, false);
    }

    /// The table of servers of a plugin: what the manifest says takes the place of `.mcp.json`.
    fn cached_servers(&mut self, plugin: &Plugin) -> Vec<(PathBuf, Located)> {
        if !self.wants(ComponentKind::McpServer) {
            return Vec::new();
        }
        let said = plugin
            .manifest
            .as_ref()
            .and_then(|(path, root)| Some((path, root.value.get("mcpServers")?)));
        let file = match said {
            Some((path, table)) if matches!(table.value, Value::Table(_)) => {
                return vec![(path.clone(), table.clone())];
            }
            Some((_, file)) => as_text(&file.value).and_then(|file| within(&plugin.path, file)),
            None => None,
        };
        let file = file.unwrap_or_else(|| plugin.path.join(".mcp.json"));
        let root = self.document(&file);
        root.map(|root| {
            let table = root.value.get("mcpServers").cloned().unwrap_or(root);
            (file, table)
        })
        .into_iter()
        .collect()
    }
}

/// The place that a manifest names: it must begin with `./`, name something and not lead upward.
fn within(plugin: &Path, path: &str) -> Option<PathBuf> {
    let rest = path.strip_prefix("./")?;
    let goes_up = Path::new(rest)
        .components()
        .any(|part| !matches!(part, std::path::Component::Normal(_)));
    (!rest.is_empty() && !goes_up).then(|| plugin.join(rest))
}
