//! Extensions: folders with a manifest in one directory of the user's.

use std::path::{Path, PathBuf};

use super::{Plugin, Plugins, text};
use crate::discovery::free::Cause;
use crate::discovery::listing::Listing;
use crate::discovery::real_or_given;
use crate::discovery::servers::PluginServers;
use crate::discovery::settings::strings;
use crate::host::{Anchor, Comments, Layout};
use crate::model::{Code, ComponentKind, Family, Place, Scope, State};
use crate::parse::document::Located;

impl Plugins<'_> {
    pub(super) fn find_extensions(&mut self) {
        let home = Anchor::Variable {
            name: "GEMINI_CLI_HOME",
            below: ".gemini/extensions",
            or_home: Some(".gemini/extensions"),
        };
        let Some(dir) = self.place(home) else {
            return;
        };
        let switches = dir.join("extension-enablement.json");
        let rules = if switches.is_file() {
            self.document(&switches)
        } else {
            None
        };
        let listing = std::fs::read_dir(&dir).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = listing
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect();
        folders.sort();
        let mut names: Vec<String> = Vec::new();
        for (index, path) in folders.into_iter().enumerate() {
            // An extension that is developed elsewhere is read there.
            let record = path.join(".gemini-extension-install.json");
            let linked = if record.is_file() {
                self.document(&record)
            } else {
                None
            };
            let path = linked
                .filter(|record| text(record, "type") == Some("link"))
                .and_then(|record| text(&record, "source").map(PathBuf::from))
                .unwrap_or(path);
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let folder = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let file = path.join("gemini-extension.json");
            // A format of its own, which `parse::manifest` does not have: `name` and `version` are needed, and it names
            // no folders.
            let manifest = match self.settings.document(&file, Comments::None) {
                None => {
                    let mut candidate = self.candidate(&path, &folder, Scope::Plugin, index);
                    let why = "it has no gemini-extension.json";
                    candidate.turn_off(State::Ignored, Code::NoManifest, why, None);
                    self.list(candidate);
                    continue;
                }
                Some(Err((code, message))) => {
                    let mut candidate = self.candidate(&path, &folder, Scope::Plugin, index);
                    candidate.turn_off(State::Invalid, code, &message, None);
                    self.list(candidate);
                    continue;
                }
                Some(Ok(root)) => root,
            };
            let name = text(&manifest, "name").unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let why = if name.is_empty() || text(&manifest, "version").is_none() {
                Some("its manifest needs a `name` and a `version` that are text")
            } else if !name.chars().all(is_name) {
                Some("its name may only have letters, digits and hyphens")
            } else {
                None
            };
            if let Some(why) = why {
                let mut candidate = self.candidate(&path, &folder, Scope::Plugin, index);
                candidate.turn_off(State::Invalid, Code::MissingName, why, None);
                self.list(candidate);
                continue;
            }
            if names.iter().any(|known| known == name) {
                let why = format!("two extensions are called `{name}`");
                self.settings.stop(&file, Some("name"), why);
            }
            names.push(name.to_owned());
            let plugin = Plugin {
                name: text(&manifest, "name").unwrap_or(&folder).to_owned(),
                path,
                manifest: Some((file, manifest)),
                entry: None,
                rank: index,
            };
            let mut candidate = self.candidate(&plugin.path, &plugin.name, Scope::Plugin, index);
            if !is_enabled(rules.as_ref(), &plugin.name, &self.walk.start) {
                let why = "it is switched off for this directory";
                let cause = Cause {
                    path: switches.clone(),
                    key: Some(plugin.name.clone()),
                };
                candidate.turn_off(State::Disabled, Code::SwitchedOff, why, Some(cause));
                self.list(candidate);
                continue;
            }
            self.list(candidate);
            self.bring_extension(&plugin, index);
        }
    }

    fn bring_extension(&mut self, plugin: &Plugin, index: u32) {
        let mut root = self.root(plugin, Family::Gemini);
        // The last extension has a skill, the first one an agent or a server.
        root.terms.ranks = vec![
            (ComponentKind::Skill, 100 + index),
            (ComponentKind::Command, 100),
            (ComponentKind::Agent, 500_u32.saturating_sub(index)),
        ];
        root.terms.needs_trust = vec![ComponentKind::Command, ComponentKind::Agent];
        let place = self.roots.len();
        let profile = self.profile;
        for kind in [ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent] {
            let Some(spec) = profile.kind(kind).filter(|_| self.wants(kind)) else {
                continue;
            };
            let Layout::Tree(tree) = &spec.layout else {
                continue;
            };
            let listing = Listing {
                spec,
                tree,
                place: Place::listed(place, root.dirs.len()),
                plugin: None,
            };
            let before = self.found.candidates.len();
            let path = plugin.path.join(spec.folder);
            root.dirs.push(self.scanner.list(&listing, &path, self.found));
            for candidate in self.found.candidates.iter_mut().skip(before) {
                candidate.detail_mut().plugin = Some(plugin.name.as_str().into());
            }
        }
        self.roots.push(root);
        let Some((file, manifest)) = &plugin.manifest else {
            return;
        };
        if let Some(table) = manifest
            .value
            .get("mcpServers")
            .filter(|_| self.wants(ComponentKind::McpServer))
        {
            self.brought.servers.push(PluginServers {
                plugin: plugin.name.clone(),
                prefix: String::new(),
                root: plugin.path.clone(),
                path: file.clone(),
                table: table.clone(),
                priority: 50_u32.saturating_sub(index),
                once: false,
            });
        }
        let named: Vec<String> = manifest
            .value
            .get("contextFileName")
            .map(|names| strings(&names.value).map(str::to_owned).collect())
            .unwrap_or_default();
        let names = if named.is_empty() {
            vec!["GEMINI.md".to_owned()]
        } else {
            named.into_iter().filter(|name| !name.contains("..")).collect()
        };
        for name in names {
            let path = plugin.path.join(name);
            if path.is_file() {
                self.brought.memory.push(path);
            }
        }
    }
}

/// Whether an extension is on in a directory: of its rules the last that fits decides.
fn is_enabled(rules: Option<&Located>, name: &str, dir: &Path) -> bool {
    let rules = rules.and_then(|rules| rules.value.get(name)?.value.get("overrides"));
    let Some(rules) = rules else {
        return true;
    };
    let mut enabled = true;
    for rule in strings(&rules.value) {
        let (rule, on) = match rule.strip_prefix('!') {
            Some(rest) => (rest, false),
            None => (rule, true),
        };
        let (path, below) = match rule.strip_suffix('*') {
            Some(path) => (path, true),
            None => (rule, false),
        };
        let path = real_or_given(Path::new(path.trim_end_matches('/')));
        if dir == path || (below && dir.starts_with(&path)) {
            enabled = on;
        }
    }
    enabled
}
