//! Plugins that a configuration enables and that lie in a cache of versions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::components::{below, named};
use super::{Plugin, Plugins, text, versions};
use crate::discovery::free::Cause;
use crate::discovery::listing::Listing;
use crate::discovery::validate_path_component;
use crate::host::{Anchor, Layout};
use crate::model::{Code, ComponentKind, Family, Place, PluginFormat, Rule, Scope, State};
use crate::parse::document::{Located, Value};
use crate::parse::manifest;

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
            // A path in the manifest takes the place of the usual folder.
            let read = |root: &Located| manifest::read(root, PluginFormat::Codex);
            let manifest = plugin.manifest.as_ref().map(|(_, root)| read(root));
            let said = manifest
                .as_ref()
                .and_then(|manifest| named(manifest, ComponentKind::Skill));
            let paths: Vec<PathBuf> = match said {
                Some(paths) => paths.into_iter().map(|path| below(&plugin.path, path)).collect(),
                None => vec![plugin.path.join("skills")],
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
        self.bring_servers(plugin, "", 50, false);
    }
}
