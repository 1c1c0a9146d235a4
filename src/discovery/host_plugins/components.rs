//! The components that a plugin brings, as its manifest and its folders have them.

use std::path::{Path, PathBuf};

use super::{Plugin, Plugins};
use crate::discovery::free::{self, Origin};
use crate::discovery::listing::Listing;
use crate::discovery::servers::PluginServers;
use crate::discovery::settings::strings;
use crate::host::{Entries, IdRule, KindSpec, Layout, Matter, TreeSpec};
use crate::model::{
    Code, ComponentKind, Diagnostic, DiscoverySource, Family, Place, PluginFormat, Root, Scope, Severity,
};
use crate::parse::document::{Located, Value};
use crate::parse::manifest::{self, Manifest};

/// Of agents and servers of one name in plugins of one name the last read counts, so that ranks are turned round.
const LAST: u32 = 100_000;

/// A place in a plugin where components are.
enum Spot {
    /// A folder that holds them.
    Folder(PathBuf),
    /// A single file, or a single folder with a marker.
    One(PathBuf),
}

impl Plugins<'_> {
    /// Reads everything that a plugin of a marketplace host brings.
    pub(super) fn bring(&mut self, plugin: &Plugin) {
        let mut root = self.root(plugin, Family::Claude);
        root.terms.ranks = vec![(ComponentKind::Agent, LAST - plugin.rank.min(LAST))];
        let index = self.roots.len();
        let read = |root: &Located| manifest::read(root, PluginFormat::Claude);
        let own = plugin.manifest.as_ref().map(|(_, root)| read(root));
        let entry = plugin.entry.as_ref().map(read);
        for kind in [
            ComponentKind::Skill,
            ComponentKind::Command,
            ComponentKind::Agent,
            ComponentKind::OutputStyle,
        ] {
            if !self.wants(kind) {
                continue;
            }
            for spot in spots(&plugin.path, own.as_ref(), entry.as_ref(), kind) {
                self.read(plugin, kind, &spot, index, &mut root);
            }
            if let Some(folder) = unused(&plugin.path, own.as_ref(), kind) {
                let message = format!(
                    "of this folder only what the plugin's manifest names is read: its `{}` takes the place of the usual",
                    key_of(kind)
                );
                self.found.diagnostics.push(
                    Diagnostic::new(Code::DefaultReplaced, Severity::Note, message)
                        .with_path(folder)
                        .with_subject(ComponentKind::Plugin, plugin.name.as_str())
                        .with_help("name the folder in the manifest too, if all of it is to count"),
                );
            }
        }
        self.roots.push(root);
        self.hooks(plugin);
        let prefix = format!("plugin:{}:", plugin.name);
        self.bring_servers(plugin, &prefix, LAST - plugin.rank.min(LAST), true);
    }

    /// Hands on the servers of a plugin; `prefix` stands before their names, and of those that are brought `once` one
    /// that a configured server starts too is left out.
    fn bring_servers(&mut self, plugin: &Plugin, prefix: &str, priority: u32, once: bool) {
        let servers = self.servers(plugin);
        self.hand_on(plugin, servers, prefix, priority, once);
    }

    /// Hands on tables of servers, each with the file that it is in.
    pub(super) fn hand_on(
        &mut self,
        plugin: &Plugin,
        servers: Vec<(PathBuf, Located)>,
        prefix: &str,
        priority: u32,
        once: bool,
    ) {
        self.brought
            .servers
            .extend(servers.into_iter().map(|(path, table)| PluginServers {
                plugin: plugin.name.clone(),
                prefix: prefix.to_owned(),
                root: plugin.path.clone(),
                path,
                table,
                priority,
                once,
            }));
    }

    fn read(&mut self, plugin: &Plugin, kind: ComponentKind, spot: &Spot, index: usize, root: &mut Root) {
        let profile = self.profile;
        let Some(spec) = profile.kind(kind) else {
            return;
        };
        let Layout::Tree(own) = &spec.layout else {
            return;
        };
        let tree = plugin_tree(own, kind, matches!(spot, Spot::One(_)));
        let spec = KindSpec {
            kind,
            folder: spec.folder,
            families: &[],
            layout: Layout::Tree(own),
        };
        let listing = Listing {
            spec: &spec,
            tree: &tree,
            place: Place::listed(index, root.dirs.len()),
            plugin: Some(&plugin.name),
        };
        let read = match spot {
            Spot::Folder(path) => self.scanner.list(&listing, path, self.found),
            Spot::One(path) => self.scanner.list_one(&listing, path, self.found),
        };
        root.dirs.push(read);
    }

    /// Lists the events of a plugin's hooks.
    ///
    /// Not by `parse::manifest::hooks`, which makes a hook of each action: here an event is one candidate, as it was
    /// observed, whatever runs at it.
    fn hooks(&mut self, plugin: &Plugin) {
        if !self.wants(ComponentKind::Hook) {
            return;
        }
        let mut files = vec![plugin.path.join("hooks/hooks.json")];
        let mut tables = Vec::new();
        if let Some((path, manifest)) = &plugin.manifest
            && let Some(hooks) = manifest.value.get("hooks")
        {
            match &hooks.value {
                Value::Table(_) => tables.push((path.clone(), hooks.clone())),
                value => files.extend(strings(value).map(|file| below(&plugin.path, file))),
            }
        }
        files.dedup();
        for file in files {
            if let Some(root) = self.document(&file) {
                let table = root.value.get("hooks").cloned().unwrap_or(root);
                tables.push((file, table));
            }
        }
        for (path, table) in tables {
            for event in table.value.entries() {
                let origin = Origin {
                    source: DiscoverySource::Plugin,
                    scope: Scope::Plugin,
                    family: Family::Claude,
                    priority: plugin.rank,
                };
                let id = format!("{}:{}", plugin.name, event.key);
                let mut candidate = free::candidate(ComponentKind::Hook, &path, &id, origin);
                candidate.detail_mut().plugin = Some(plugin.name.as_str().into());
                self.found.candidates.push(candidate);
            }
        }
    }

    /// The tables of servers of a plugin, with the file that each is in.
    ///
    /// As they are written, not as `parse::manifest` reads them: the rules of the settings and the check of a server are
    /// held against its table, of which that reader keeps less.
    fn servers(&mut self, plugin: &Plugin) -> Vec<(PathBuf, Located)> {
        if !self.wants(ComponentKind::McpServer) {
            return Vec::new();
        }
        let mut files = vec![plugin.path.join(".mcp.json")];
        let mut tables = Vec::new();
        let says = plugin
            .manifest
            .iter()
            .map(|(path, manifest)| (path.clone(), manifest));
        let also = plugin.entry.iter().map(|entry| (plugin.path.clone(), entry));
        for (path, source) in says.chain(also) {
            if let Some(servers) = source.value.get("mcpServers") {
                match &servers.value {
                    Value::Table(_) => tables.push((path, servers.clone())),
                    value => files.extend(strings(value).map(|file| below(&plugin.path, file))),
                }
            }
        }
        for file in files {
            if let Some(root) = self.document(&file) {
                let table = root.value.get("mcpServers").cloned().unwrap_or(root);
                tables.push((file, table));
            }
        }
        tables
    }
}

/// Where the components of a kind are: the manifest's paths take the place of the usual folder, but for skills,
/// which are added to it. What the marketplace's entry names comes on top.
fn spots(plugin: &Path, own: Option<&Manifest>, entry: Option<&Manifest>, kind: ComponentKind) -> Vec<Spot> {
    let own = own.and_then(|manifest| named(manifest, kind));
    let entry = entry.and_then(|manifest| named(manifest, kind));
    let usual = plugin.join(folder_of(kind));
    let replaced = kind != ComponentKind::Skill && own.is_some();
    let mut spots = Vec::new();
    let has_usual = usual.is_dir();
    if !replaced {
        spots.push(Spot::Folder(usual.clone()));
    }
    let root_marker = plugin.join("SKILL.md");
    if kind == ComponentKind::Skill && !has_usual && own.is_none() && entry.is_none() && root_marker.is_file()
    {
        spots.push(Spot::One(root_marker));
    }
    for path in own.into_iter().chain(entry).flatten() {
        let path = below(plugin, path);
        if path == usual && !replaced {
            continue;
        }
        let is_one = path.is_file() || (kind == ComponentKind::Skill && path.join("SKILL.md").is_file());
        spots.push(if is_one {
            Spot::One(path)
        } else {
            Spot::Folder(path)
        });
    }
    spots
}

/// The usual folder of a kind, where it is there and the manifest's paths take its place.
fn unused(plugin: &Path, own: Option<&Manifest>, kind: ComponentKind) -> Option<PathBuf> {
    let paths = named(own?, kind).filter(|_| kind != ComponentKind::Skill)?;
    let usual = plugin.join(folder_of(kind));
    let is_named = paths.into_iter().any(|path| below(plugin, path) == usual);
    (!is_named && usual.is_dir()).then_some(usual)
}

const fn folder_of(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Skill => "skills",
        ComponentKind::Command => "commands",
        ComponentKind::Agent => "agents",
        _ => "output-styles",
    }
}

/// The key of a manifest that names paths of a kind.
const fn key_of(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::OutputStyle => "outputStyles",
        kind => folder_of(kind),
    }
}

/// The paths of a kind that a manifest names; none where it has no usable key for the kind.
fn named(manifest: &Manifest, kind: ComponentKind) -> Option<Vec<&str>> {
    let paths = manifest.parts.iter().filter(|(of, _)| *of == kind);
    manifest
        .declares
        .contains(&kind)
        .then(|| paths.map(|(_, path)| path.text.as_str()).collect())
}

/// A path that a manifest gives, which always lies in the plugin.
fn below(plugin: &Path, path: &str) -> PathBuf {
    let mut below = plugin.to_path_buf();
    for part in Path::new(path).components() {
        if let std::path::Component::Normal(part) = part {
            below.push(part);
        }
    }
    below
}

/// How a kind is read in a plugin: agents need no front matter there, and their folders are part of the name; a
/// single skill goes by its declared name.
fn plugin_tree(own: &TreeSpec, kind: ComponentKind, one: bool) -> TreeSpec {
    let mut tree = TreeSpec {
        entries: own.entries,
        depth: own.depth,
        hidden: own.hidden,
        passed_over: own.passed_over,
        links: own.links,
        matter: own.matter,
        id: own.id,
        cleaned: own.cleaned,
        one_file_once: own.one_file_once,
        not_beside: own.not_beside,
        without_marker: own.without_marker,
        wrong_kind: own.wrong_kind,
    };
    // Nothing of a plugin waits.
    tree.matter.waits_for = "";
    match kind {
        ComponentKind::Agent if own.entries == Entries::Files("md") => {
            tree.matter = Matter {
                bad_yaml: own.matter.bad_yaml,
                fences: own.matter.fences,
                ..crate::host::MATTER
            };
            tree.id = IdRule::FoldersThenDeclared(":");
        }
        ComponentKind::Skill if one => tree.id = IdRule::Declared,
        // A dot in a folder's name becomes a hyphen there.
        ComponentKind::Skill => tree.cleaned = &['.'],
        _ => {}
    }
    tree
}
