//! Plugins of other hosts: which are in effect, and the components that they bring.

mod cache;
mod components;
mod extensions;
mod marketplaces;
pub(super) mod short;

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use super::free::{self, Origin};
use super::roots::place;
use super::scanner::{DirectoryScanner, Found};
use super::servers::PluginServers;
use super::settings::Settings;
use super::{DiscoveryConfig, Environment, Walk};
use crate::host::{Anchor, Comments, HostProfile, PluginSystem};
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
        self.settings.document(path, Comments::None)?.ok()
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

/// The versions in a directory, highest first: `local` before all; two that are semantic versions are compared as
/// such, others as text.
fn versions(dir: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<(String, PathBuf)> = listing
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .map(|path| {
            (
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                path,
            )
        })
        .collect();
    // As text first, so that equal pairs never depend on the directory's order.
    found.sort();
    let mut sorted: Vec<(String, PathBuf)> = Vec::with_capacity(found.len());
    for one in found {
        // Not a total order: a number and a word may be compared as text, so each takes its place in turn.
        let at = sorted
            .iter()
            .position(|other| compare(&one.0, &other.0) == Ordering::Greater);
        sorted.insert(at.unwrap_or(sorted.len()), one);
    }
    sorted.into_iter().map(|(_, path)| path).collect()
}

fn compare(one: &str, other: &str) -> Ordering {
    let is_local = |name: &str| name == "local";
    is_local(one)
        .cmp(&is_local(other))
        .then_with(|| match (semantic(one), semantic(other)) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => one.cmp(other),
        })
}

/// The parts of a semantic version, in the order in which they count; a release counts more than what precedes it.
fn semantic(name: &str) -> Option<([u64; 3], bool, Vec<Part>, String)> {
    let (rest, build) = name.split_once('+').unwrap_or((name, ""));
    let (core, before) = match rest.split_once('-') {
        Some((core, before)) => (core, Some(before)),
        None => (rest, None),
    };
    let numbers: Option<Vec<u64>> = core.split('.').map(|part| part.parse().ok()).collect();
    let numbers: [u64; 3] = numbers?.try_into().ok()?;
    let parts = before
        .into_iter()
        .flat_map(|before| before.split('.'))
        .map(|part| match part.parse() {
            Ok(number) => Part::Number(number),
            Err(_) => Part::Word(part.to_owned()),
        })
        .collect();
    Some((numbers, before.is_none(), parts, build.to_owned()))
}

/// A part of what precedes a release: numbers are below words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantic_versions_are_compared_by_number_and_others_as_text() {
        let greater = |one, other| compare(one, other) == Ordering::Greater;
        assert!(greater("1.10.0", "1.9.0"));
        assert!(greater("1.0.0", "1.0.0-beta"));
        assert!(greater("1.0.0+7", "1.0.0"));
        assert!(greater("1.0.0-beta.11", "1.0.0-beta.2"));
        assert!(greater("2.0", "10.0"));
        assert!(greater("abc", "1.10.0"));
        assert!(greater("local", "99.0.0"));
    }
}
