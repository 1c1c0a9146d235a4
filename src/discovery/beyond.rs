//! What a host reads beside component directories: settings, plugins, servers, memory, hooks.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::free::{self, Origin};
use super::hook_files::HookFiles;
use super::host_plugins::{Brought, Plugins};
use super::listing::Listing;
use super::memory::Memory;
use super::scanner::{DirectoryScanner, Found};
use super::servers::Servers;
use super::settings::{Settings, as_text, strings};
use super::{DiscoveryConfig, Environment, Walk, settings};
use crate::host::{HostProfile, Layout, PluginSystem};
use crate::model::{ComponentKind, Family, Place, Root, RootStatus, RootTerms, Scope};

/// One question to a host that is not the native one.
pub(super) struct Beyond<'a> {
    pub(super) profile: &'static HostProfile,
    pub(super) environment: &'a Environment,
    pub(super) config: &'a DiscoveryConfig,
    pub(super) walk: &'a Walk,
    pub(super) kinds: &'a [ComponentKind],
}

impl Beyond<'_> {
    fn wants(&self, kind: ComponentKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether anything of these kinds depends on the settings.
    fn needs_settings(&self) -> bool {
        let profile = self.profile;
        let gated = profile
            .gates
            .iter()
            .any(|gate| gate.kinds.iter().any(|kind| self.wants(*kind)));
        let made = profile.made_in_settings.iter().any(|(kind, _)| self.wants(*kind));
        let further = [
            ComponentKind::Plugin,
            ComponentKind::Hook,
            ComponentKind::McpServer,
            ComponentKind::Memory,
            ComponentKind::Config,
        ];
        gated
            || made
            || profile.plugins != PluginSystem::Folders
            || profile.trust.is_some()
            || further.into_iter().any(|kind| self.wants(kind))
    }

    /// Adds what is there to `found`, and to `roots` the directories of plugins.
    pub(super) fn add(
        &self,
        roots: &mut Vec<Root>,
        found: &mut Found,
        scanner: &mut DirectoryScanner,
    ) -> Settings {
        if !self.needs_settings() {
            return Settings {
                trusted: true,
                ..Settings::default()
            };
        }
        let with_project = self.config.scan_project_dirs;
        let mut settings = Settings::load(
            self.profile,
            self.environment,
            self.walk,
            with_project,
            self.config.settings.as_deref(),
        );
        self.more_skills(&settings, roots, found, scanner);
        self.made_in_settings(&settings, roots, found);
        let brought = Plugins {
            profile: self.profile,
            environment: self.environment,
            config: self.config,
            walk: self.walk,
            kinds: self.kinds,
            settings: &mut settings,
            roots,
            found,
            scanner,
            brought: Brought::default(),
        }
        .find();
        if self.wants(ComponentKind::McpServer) {
            Servers {
                profile: self.profile,
                environment: self.environment,
                walk: self.walk,
                with_project,
                settings: &mut settings,
                found,
                endpoints: HashSet::new(),
                toggled: Vec::new(),
                is_exclusive: false,
                merged: HashMap::new(),
            }
            .find(&brought.servers);
        }
        if self.wants(ComponentKind::Memory)
            && let Some(spec) = self.profile.memory
        {
            let before = found.candidates.len();
            Memory {
                spec,
                environment: self.environment,
                walk: self.walk,
                settings: &settings,
                with_project,
                found,
                seen: HashSet::new(),
                visited: HashMap::new(),
                order: 0,
            }
            .find(&brought.memory);
            if !settings.trusted && self.profile.trust_gates_memory {
                let why = "this host does not run in a project that the user does not trust";
                settings.distrust(found.candidates.iter_mut().skip(before), why);
            }
        }
        self.hooks(&settings, found);
        if self.wants(ComponentKind::Hook)
            && let Some(spec) = self.profile.hooks
        {
            HookFiles {
                spec,
                profile: self.profile,
                environment: self.environment,
                walk: self.walk,
                with_project,
                settings: &mut settings,
                found,
            }
            .find();
        }
        self.layers(&settings, found);
        found.diagnostics.append(&mut settings.diagnostics);
        found.incomplete |= settings.incomplete;
        settings
    }

    /// Directories of skills that the settings name.
    fn more_skills(
        &self,
        settings: &Settings,
        roots: &mut Vec<Root>,
        found: &mut Found,
        scanner: &mut DirectoryScanner,
    ) {
        if self.profile.more_skills.is_empty() || !self.wants(ComponentKind::Skill) {
            return;
        }
        let Some(spec) = self.profile.kind(ComponentKind::Skill) else {
            return;
        };
        let Layout::Tree(tree) = &spec.layout else {
            return;
        };
        // A list in a higher layer takes the place of one below.
        let mut named = Vec::new();
        if let Some((layer, list)) = settings.highest(self.profile.more_skills) {
            named.extend(
                strings(&list.value).map(|path| (layer.spec.source, layer.spec.scope, path.to_owned())),
            );
        }
        for (source, scope, path) in named {
            let home = path.strip_prefix("~/").zip(self.environment.home.as_ref());
            let path = match home {
                Some((below, home)) => home.join(below),
                None => self.walk.start.join(path),
            };
            let index = u32::try_from(roots.len()).unwrap_or(u32::MAX);
            let priority = 40_000 + index;
            let listing = Listing {
                spec,
                tree,
                place: Place::Listed { root: index, dir: 0 },
                plugin: None,
            };
            let dir = scanner.list(&listing, &path, found);
            roots.push(Root {
                path,
                source,
                scope,
                family: Family::Opencode,
                priority,
                kinds: vec![ComponentKind::Skill],
                status: dir.status,
                reason: dir.reason.clone(),
                dirs: vec![dir],
                terms: RootTerms::default(),
            });
        }
    }

    /// Agents and commands that are made in the settings.
    fn made_in_settings(&self, settings: &Settings, roots: &[Root], found: &mut Found) {
        for (kind, key) in self.profile.made_in_settings {
            if !self.wants(*kind) {
                continue;
            }
            for (index, layer) in settings.layers.iter().enumerate() {
                let Some(table) = layer.root.value.get(key) else {
                    continue;
                };
                let priority = priority_beside(roots, &layer.path, index);
                for entry in table.value.entries() {
                    // Of the host's own a new description or text is seen in its lists, anything else is not.
                    let says = |key: &str| entry.value.value.get(key).is_some();
                    if self.profile.built_in.contains(&(*kind, entry.key.as_str()))
                        && !says("description")
                        && !says("template")
                    {
                        continue;
                    }
                    let origin = Origin {
                        source: layer.spec.source,
                        scope: layer.spec.scope,
                        family: Family::Opencode,
                        priority,
                    };
                    // An agent goes by the name that it is given, if no file of its key has one for it.
                    let has_file = found
                        .candidates
                        .iter()
                        .any(|other| other.kind == *kind && *other.id() == *entry.key);
                    let given = entry
                        .value
                        .value
                        .get("name")
                        .and_then(|name| as_text(&name.value))
                        .filter(|_| *kind == ComponentKind::Agent && !has_file);
                    let id = given.unwrap_or(&entry.key);
                    let mut candidate = free::candidate(*kind, &layer.path, id, origin);
                    let about = entry.value.value.get("description");
                    candidate.description = about.and_then(|about| as_text(&about.value)).map(Into::into);
                    candidate.stands_at(entry.key_position);
                    found.candidates.push(candidate);
                }
            }
        }
    }

    /// Hooks in the settings: every one of them runs.
    fn hooks(&self, settings: &Settings, found: &mut Found) {
        if !self.wants(ComponentKind::Hook) {
            return;
        }
        for (index, layer) in settings
            .layers
            .iter()
            .enumerate()
            .filter(|(_, layer)| layer.spec.hooks)
        {
            let Some(table) = layer.root.value.get("hooks") else {
                continue;
            };
            for event in table.value.entries() {
                let origin = self.origin(layer.spec.scope, layer, index);
                let mut candidate = free::candidate(ComponentKind::Hook, &layer.path, &event.key, origin);
                candidate.stands_at(event.key_position);
                found.candidates.push(candidate);
            }
        }
    }

    /// The settings files themselves.
    fn layers(&self, settings: &Settings, found: &mut Found) {
        if !self.wants(ComponentKind::Config) {
            return;
        }
        let id = self.profile.config.id;
        for (index, layer) in settings.layers.iter().enumerate() {
            let origin = self.origin(layer.spec.scope, layer, index);
            found
                .candidates
                .push(free::candidate(ComponentKind::Config, &layer.path, id, origin));
        }
        for (path, spec, state, code, message) in &settings.left_out {
            let origin = Origin {
                source: spec.source,
                scope: spec.scope,
                family: Family::Claude,
                priority: 0,
            };
            let mut candidate = free::candidate(ComponentKind::Config, path, id, origin);
            candidate.turn_off(*state, *code, message, None);
            found.candidates.push(candidate);
        }
    }

    fn origin(&self, scope: Scope, layer: &settings::Layer, index: usize) -> Origin {
        Origin {
            source: layer.spec.source,
            scope,
            family: Family::Claude,
            priority: u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1),
        }
    }
}

/// The precedence of what a settings file makes: just below the files of its own directory, or below all
/// directories if it lies in none.
fn priority_beside(roots: &[Root], path: &Path, index: usize) -> u32 {
    let parent: PathBuf = path.parent().unwrap_or(path).to_path_buf();
    let beside = roots
        .iter()
        .find(|root| root.path == parent && root.status != RootStatus::Skipped);
    match beside {
        Some(root) if root.scope == Scope::Project || root.priority > 10_000 => {
            root.priority.saturating_sub(1)
        }
        _ => u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1),
    }
}
