//! Plugins that settings enable, by marketplaces and by the record of what is installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Plugin, Plugins, text};
use crate::discovery::free::Cause;
use crate::discovery::real_path::{real_or_given, without_dots};
use crate::host::{Anchor, Comments};
use crate::model::{Code, Rule, Scope, State};
use crate::parse::document::{Located, Value};

/// Precedence of what is given when the host is started, before anything that settings enable.
const GIVEN: u32 = 90_000;
const ENABLED: u32 = 80_000;
const IN_SKILLS: u32 = 70_000;

/// Where a marketplace's plugins are.
enum Market {
    /// In a directory of the user's, which is read in place.
    Directory(PathBuf),
    /// In a copy that the host made; plugins count as they were installed.
    Copied,
}

/// What became of a plugin that settings enable.
enum Fate {
    At(PathBuf, Option<Located>),
    NotInstalled(String),
}

impl Plugins<'_> {
    pub(super) fn find_marketed(&mut self) {
        let enabled = self.enabled();
        let mut names: Vec<String> = Vec::new();
        for (index, dir) in self.config.plugin_dirs.clone().into_iter().enumerate() {
            let dir = std::path::absolute(&dir).unwrap_or(dir);
            let rank = GIVEN.saturating_sub(u32::try_from(index).unwrap_or(u32::MAX));
            if let Some(plugin) = self.open(&dir, None, None, rank) {
                names.push(plugin.name.clone());
                let candidate = self.candidate(&plugin.path, &plugin.name, Scope::Plugin, rank);
                self.list(candidate);
                self.bring(&plugin);
            }
        }
        let given = names.clone();
        let markets = self.markets();
        let mut rank = ENABLED;
        for (id, on, layer) in &enabled {
            let Some((name, market)) = id.rsplit_once('@').filter(|(_, market)| *market != "skills-dir")
            else {
                continue;
            };
            rank = rank.saturating_sub(1);
            let cause = Cause {
                path: layer.clone(),
                key: Some(format!("enabledPlugins.{id}")),
            };
            let fate = self.locate(id, name, market, &markets);
            let place = match &fate {
                Fate::At(path, _) => path.clone(),
                Fate::NotInstalled(_) => layer.clone(),
            };
            if !on {
                let mut candidate = self.candidate(&place, name, Scope::Plugin, rank);
                let why = format!("the settings switch {id} off");
                candidate.turn_off(State::Disabled, Code::SwitchedOff, &why, Some(cause));
                self.list(candidate);
                continue;
            }
            match fate {
                Fate::NotInstalled(why) => {
                    let mut candidate = self.candidate(&place, name, Scope::Plugin, rank);
                    candidate.turn_off(State::Disabled, Code::NotInstalled, &why, Some(cause));
                    self.list(candidate);
                }
                Fate::At(path, entry) => {
                    let Some(plugin) = self.open(&path, Some(name), entry, rank) else {
                        continue;
                    };
                    let mut candidate = self.candidate(&path, &plugin.name, Scope::Plugin, rank);
                    if given.contains(&plugin.name) {
                        candidate.state = State::Shadowed;
                        candidate.rule = Some(Rule::PluginFirstGiven);
                        candidate.detail_mut().message =
                            Some("a plugin of this name was given when the host was started".into());
                        self.list(candidate);
                        continue;
                    }
                    names.push(plugin.name.clone());
                    self.list(candidate);
                    self.bring(&plugin);
                }
            }
        }
        self.find_in_skills(&enabled, names);
    }

    /// What the settings say of each plugin, in the order in which they name them: the highest layer that names it
    /// decides.
    fn enabled(&self) -> Vec<(String, bool, PathBuf)> {
        let mut enabled: Vec<(String, bool, PathBuf)> = Vec::new();
        for (layer, table) in self.settings.all(&["enabledPlugins"]) {
            for entry in table.value.entries() {
                // Only `true` enables: a list of versions does not.
                let on = entry.value.value == Value::Bool(true);
                match enabled.iter_mut().find(|(id, ..)| *id == entry.key) {
                    Some(known) => (known.1, known.2) = (on, layer.path.clone()),
                    None => enabled.push((entry.key.clone(), on, layer.path.clone())),
                }
            }
        }
        enabled
    }

    fn plugins_dir(&self) -> Option<PathBuf> {
        self.place(Anchor::Variable {
            name: "CLAUDE_CODE_PLUGIN_CACHE_DIR",
            below: "",
            or_home: None,
        })
        .or_else(|| Some(self.place(Anchor::ClaudeHome)?.join("plugins")))
    }

    /// The marketplaces that are known, by name.
    fn markets(&mut self) -> BTreeMap<String, Market> {
        let mut markets = BTreeMap::new();
        let file = self.plugins_dir().map(|dir| dir.join("known_marketplaces.json"));
        if let Some(known) = file.and_then(|file| self.document(&file)) {
            for entry in known.value.entries() {
                let source = entry.value.value.get("source");
                let directory = source.and_then(|source| directory_of(source, &self.walk.start));
                let market = directory.map_or(Market::Copied, Market::Directory);
                markets.insert(entry.key.clone(), market);
            }
        }
        // A worktree's relative directories are those of its main checkout's root, else of the project.
        let base = self.walk.start.clone();
        for key in ["extraKnownMarketplaces", "additionalMarketplaces"] {
            for (_, table) in self.settings.all(&[key]) {
                for entry in table.value.entries() {
                    let source = entry.value.value.get("source");
                    match source.and_then(|source| directory_of(source, &base)) {
                        Some(directory) => {
                            markets.insert(entry.key.clone(), Market::Directory(directory));
                        }
                        None => {
                            markets.entry(entry.key.clone()).or_insert(Market::Copied);
                        }
                    }
                }
            }
        }
        markets
    }

    fn locate(&mut self, id: &str, name: &str, market: &str, markets: &BTreeMap<String, Market>) -> Fate {
        match markets.get(market) {
            Some(Market::Directory(directory)) => {
                let catalogue = directory.join(".claude-plugin/marketplace.json");
                let Some(catalogue) = self.document(&catalogue) else {
                    return Fate::NotInstalled(format!("the marketplace `{market}` has no catalogue"));
                };
                // Not by `parse::manifest::marketplace`, which takes more for a path than a text: of an entry without one
                // the record of what is installed decides here.
                let entry = catalogue
                    .value
                    .get("plugins")
                    .and_then(|plugins| match &plugins.value {
                        Value::List(plugins) => {
                            plugins.iter().find(|plugin| text(plugin, "name") == Some(name))
                        }
                        _ => None,
                    });
                let Some(entry) = entry else {
                    return Fate::NotInstalled(format!("the marketplace `{market}` has no plugin `{name}`"));
                };
                let base = catalogue
                    .value
                    .get("metadata")
                    .and_then(|metadata| text(metadata, "pluginRoot"))
                    .map_or_else(|| directory.clone(), |base| directory.join(base));
                match text(entry, "source") {
                    Some(source) => Fate::At(without_dots(&base.join(source)), Some(entry.clone())),
                    None => self.installed(id, Some(entry.clone())),
                }
            }
            _ => self.installed(id, None),
        }
    }

    /// The copy of a plugin that the record of installed plugins names for this project.
    fn installed(&mut self, id: &str, entry: Option<Located>) -> Fate {
        let file = self.plugins_dir().map(|dir| dir.join("installed_plugins.json"));
        let missing = || Fate::NotInstalled(format!("{id} is enabled, and not installed"));
        let Some(record) = file.and_then(|file| self.document(&file)) else {
            return missing();
        };
        let table = record.value.get("plugins").unwrap_or(&record);
        let Some(plugin) = table.value.get(id) else {
            return missing();
        };
        let records: Vec<&Located> = match &plugin.value {
            Value::List(records) => records.iter().collect(),
            _ => vec![plugin],
        };
        let here = |record: &&&Located| match text(record, "projectPath") {
            None => true,
            Some(path) => {
                let path = real_or_given(Path::new(path));
                path == self.walk.start || Some(&path) == self.walk.git_root.as_ref()
            }
        };
        let own = records
            .iter()
            .find(|record| text(record, "projectPath").is_some() && here(record));
        let Some(record) = own.or_else(|| records.iter().find(here)) else {
            return Fate::NotInstalled(format!("{id} is installed for another project only"));
        };
        match text(record, "installPath") {
            Some(path) if Path::new(path).is_dir() => Fate::At(PathBuf::from(path), entry),
            Some(path) => Fate::NotInstalled(format!("{id} is recorded at {path}, where nothing is")),
            None => missing(),
        }
    }

    /// Folders with a manifest among the skills of the user and of the working directory.
    ///
    /// One whose name another plugin has already is left out, unlike one that settings enable.
    fn find_in_skills(&mut self, enabled: &[(String, bool, PathBuf)], mut names: Vec<String>) {
        let user = self.place(Anchor::ClaudeHome);
        let project = self
            .config
            .scan_project_dirs
            .then(|| self.walk.start.join(".claude"));
        let same = user.as_ref().and_then(|user| user.canonicalize().ok())
            == project.as_ref().and_then(|project| project.canonicalize().ok());
        let mut rank = IN_SKILLS;
        for home in user.into_iter().chain(project.filter(|_| !same)) {
            let listing = std::fs::read_dir(home.join("skills"))
                .into_iter()
                .flatten()
                .flatten();
            let mut dirs: Vec<PathBuf> = listing
                .map(|entry| entry.path())
                .filter(|path| path.join(".claude-plugin/plugin.json").is_file())
                .collect();
            dirs.sort();
            for dir in dirs {
                rank = rank.saturating_sub(1);
                let Some(plugin) = self.open(&dir, None, None, rank) else {
                    continue;
                };
                let id = format!("{}@skills-dir", plugin.name);
                let mut candidate = self.candidate(&dir, &plugin.name, Scope::Plugin, rank);
                if let Some((_, false, layer)) = enabled.iter().find(|(known, ..)| *known == id) {
                    let cause = Cause {
                        path: layer.clone(),
                        key: Some(format!("enabledPlugins.{id}")),
                    };
                    let why = format!("the settings switch {id} off");
                    candidate.turn_off(State::Disabled, Code::SwitchedOff, &why, Some(cause));
                    self.list(candidate);
                    continue;
                }
                if names.contains(&plugin.name) {
                    candidate.state = State::Shadowed;
                    candidate.rule = Some(Rule::PluginFirstGiven);
                    candidate.detail_mut().message =
                        Some("another plugin has this name, and is read before it".into());
                    self.list(candidate);
                    continue;
                }
                names.push(plugin.name.clone());
                self.list(candidate);
                self.bring(&plugin);
            }
        }
    }

    /// Opens a plugin's directory: its name is the manifest's, else the one it is known by, else the folder's.
    fn open(
        &mut self,
        path: &Path,
        known: Option<&str>,
        entry: Option<Located>,
        rank: u32,
    ) -> Option<Plugin> {
        let file = path.join(".claude-plugin/plugin.json");
        let folder = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let manifest = match self.settings.document(&file, Comments::None) {
            None => None,
            Some(Ok(root)) => Some((file, root)),
            Some(Err((code, message))) => {
                let name = known.map_or(folder, str::to_owned);
                let mut candidate = self.candidate(path, &name, Scope::Plugin, rank);
                candidate.turn_off(State::Invalid, code, &message, None);
                self.list(candidate);
                return None;
            }
        };
        if !path.is_dir() {
            let name = known.map_or(folder, str::to_owned);
            let mut candidate = self.candidate(path, &name, Scope::Plugin, rank);
            let why = "there is no such directory";
            candidate.turn_off(State::Disabled, Code::NotInstalled, why, None);
            self.list(candidate);
            return None;
        }
        let named = manifest.as_ref().and_then(|(_, manifest)| text(manifest, "name"));
        let name = named.or(known).map_or(folder, str::to_owned);
        Some(Plugin {
            name,
            path: path.to_path_buf(),
            manifest,
            entry,
            rank,
        })
    }
}

/// The directory that a marketplace's source is; none for one that is fetched.
fn directory_of(source: &Located, base: &Path) -> Option<PathBuf> {
    let kind = text(source, "source")?;
    if kind != "directory" && kind != "file" {
        return None;
    }
    let path = without_dots(&base.join(text(source, "path")?));
    if kind == "file" {
        return Some(path.parent()?.parent()?.to_path_buf());
    }
    Some(path)
}
