//! Plugins of other hosts: which are in effect, and the components that they bring.

mod cache;
mod components;
mod extensions;
mod marketplaces;

use std::path::{Path, PathBuf};

use super::free::{self, Origin};
use super::roots::place;
use super::scanner::{DirectoryScanner, Found};
use super::servers::PluginServers;
use super::settings::Settings;
use super::{DiscoveryConfig, Environment, Walk};
use crate::host::{Anchor, HostProfile, PluginSystem};
use crate::model::{
    Candidate, ComponentKind, DiscoverySource, Family, Form, Root, RootStatus, RootTerms, Scope,
};
use crate::parse::document::Located;

/// What plugins bring that others still have to take in.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// MCP servers, in the order in which they count.
    pub(super) servers: Vec<PluginServers>,
    /// Memory files.
    pub(super) memory: Vec<PathBuf>,
}

/// Finds the plugins of one question.
pub(super) struct Plugins<'a> {
    pub(super) profile: &'static HostProfile,
    pub(super) environment: &'a Environment,
    pub(super) config: &'a DiscoveryConfig,
    pub(super) walk: &'a Walk,
    pub(super) kinds: &'a [ComponentKind],
    pub(super) settings: &'a mut Settings,
    pub(super) roots: &'a mut Vec<Root>,
    pub(super) found: &'a mut Found,
    pub(super) scanner: &'a mut DirectoryScanner,
    pub(super) brought: Brought,
}

/// A plugin that is in effect.
#[derive(Debug)]
struct Plugin {
    name: String,
    path: PathBuf,
    /// The file that says what it is, and what it says.
    manifest: Option<(PathBuf, Located)>,
    /// What a marketplace says of it beyond that.
    entry: Option<Located>,
    /// Precedence of its skills, and of everything else.
    rank: u32,
}

impl Plugins<'_> {
    pub(super) fn find(mut self) -> Brought {
        match self.profile.plugins {
            PluginSystem::Folders => {}
            PluginSystem::Marketplaces => self.find_marketed(),
            PluginSystem::VersionCache => self.find_cached(),
            PluginSystem::Extensions => self.find_extensions(),
        }
        self.brought
    }

    fn wants(&self, kind: ComponentKind) -> bool {
        self.kinds.contains(&kind)
    }

    fn place(&self, anchor: Anchor) -> Option<PathBuf> {
        place(anchor, self.environment, self.walk)
    }

    fn document(&mut self, path: &Path) -> Option<Located> {
        self.settings.document(path, false)?.ok()
    }

    /// A candidate for the plugin itself.
    fn candidate(&self, path: &Path, name: &str, scope: Scope, priority: u32) -> Candidate {
        let origin = Origin {
            source: DiscoverySource::Plugin,
            scope,
            family: Family::Claude,
            priority,
        };
        let mut candidate = free::candidate(ComponentKind::Plugin, path, name, origin);
        candidate.form = Form::Directory;
        candidate.has_marker = false;
        candidate
    }

    fn list(&mut self, candidate: Candidate) {
        if self.wants(ComponentKind::Plugin) {
            self.found.candidates.push(candidate);
        }
    }

    /// A root for what a plugin brings; the number is its place in the report.
    fn root(&self, plugin: &Plugin, family: Family) -> Root {
        let kinds = [ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];
        Root {
            path: plugin.path.clone(),
            source: DiscoverySource::Plugin,
            scope: Scope::Plugin,
            family,
            priority: plugin.rank,
            kinds: kinds.to_vec(),
            status: if plugin.path.is_dir() {
                RootStatus::Scanned
            } else {
                RootStatus::Missing
            },
            reason: None,
            dirs: Vec::new(),
            terms: RootTerms {
                plugin: Some(plugin.name.as_str().into()),
                ..RootTerms::default()
            },
        }
    }
}

/// The text under a key of a table.
fn text<'a>(table: &'a Located, key: &str) -> Option<&'a str> {
    super::settings::as_text(&table.value.get(key)?.value)
}

/// The versions in a directory, highest first: `local` before all, then by their numbers.
fn versions(dir: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = listing
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    let key = |path: &PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let (core, suffix) = match name.split_once(['-', '+']) {
            Some((core, suffix)) => (core.to_owned(), Some(suffix.to_owned())),
            None => (name.clone(), None),
        };
        let numbers: Vec<u64> = core.split('.').map_while(|part| part.parse().ok()).collect();
        (name == "local", numbers, suffix.is_none(), suffix, name)
    };
    found.sort_by_key(key);
    found.reverse();
    found
}
