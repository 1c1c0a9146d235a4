//! A scan with what plugins bring.
//!
//! Discovery knows plugins only as directories; here they are read. First it is decided which plugins are in effect,
//! then what stands in the chains of qualified ids, then who is listed under a short name; what is decided stays,
//! and the host's own entries are decided last. Where there is no plugin, nothing but the `plugins` folders is looked
//! at, and the answer is that of [`DiscoveryManager::scan`].

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use super::listed::short_names;
use super::parts::{Breadth, PART_KINDS, Parts, Standing, path_of};
use super::read::Plugin;
use super::state::{self, PluginStates};
use crate::discovery::{DirectoryScanner, DiscoveryManager};
use crate::model::{
    Candidate, Code, ComponentKind, Diagnostic, DiscoverySource, IdOrigin, Place, Resolution, Root,
    RootStatus, Rule, Scope, State,
};

/// Everything that is there, and the plugins among it.
#[derive(Clone, Debug, Default)]
pub struct PluginScan {
    /// Roots, chains and findings, with what plugins bring.
    pub resolution: Resolution,
    /// The plugins, by id and precedence; empty where nothing asked for needs them.
    pub plugins: Vec<FoundPlugin>,
}

/// One entry of a folder of plugins.
#[derive(Clone, Debug)]
pub struct FoundPlugin {
    /// Its directory.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// Where its folder of plugins comes from.
    pub source: DiscoverySource,
    /// For whom that holds.
    pub scope: Scope,
    /// Its folder's priority; its components have the same.
    pub priority: u32,
    /// What became of it.
    pub state: State,
    /// Why it lost.
    pub rule: Option<Rule>,
    /// Index among the plugins of the one that it lost to.
    pub by: Option<usize>,
    /// What is wrong with it.
    pub code: Option<Code>,
    /// What is wrong, in words.
    pub message: Option<String>,
    /// The directory that it was found one level below, where that is no plugin itself.
    pub monorepo: Option<PathBuf>,
    /// Whether the state file leaves it switched on.
    pub enabled: bool,
    /// What its manifests say; none for an entry that is no plugin.
    pub plugin: Option<Plugin>,
    /// How many components of each kind it brings, of the kinds that were asked for.
    pub counts: Vec<(ComponentKind, u64)>,
}

/// Scans with what plugins bring. Only what these kinds need is read.
#[must_use]
pub fn scan(manager: &DiscoveryManager, kinds: &[ComponentKind]) -> PluginScan {
    let wanted: Vec<ComponentKind> = PART_KINDS
        .into_iter()
        .filter(|kind| kinds.contains(kind))
        .collect();
    run(manager, kinds, &wanted, Purpose::Everything)
}

/// The plugins and what each brings, without anything else that is there: short names, for which everything counts,
/// are left out.
#[must_use]
pub fn list(manager: &DiscoveryManager) -> PluginScan {
    run(manager, &[ComponentKind::Plugin], &PART_KINDS, Purpose::Plugins)
}

/// The roots, plugins among them, with how many entries their component directories of these kinds have. Manifests of
/// plugins are read, since they name directories; no marker of a component is opened. Without candidates.
#[must_use]
pub fn roots(manager: &DiscoveryManager, kinds: &[ComponentKind]) -> Resolution {
    let in_folders = [ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];
    let wanted: Vec<ComponentKind> = in_folders
        .into_iter()
        .filter(|kind| kinds.contains(kind))
        .collect();
    let mut resolution = run(manager, kinds, &wanted, Purpose::Roots).resolution;
    resolution.candidates.clear();
    resolution.spans.clear();
    resolution
}

/// What is asked of a scan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Everything that is there.
    Everything,
    /// The plugins, without short names.
    Plugins,
    /// The roots, without what they hold.
    Roots,
}

fn run(
    manager: &DiscoveryManager,
    kinds: &[ComponentKind],
    wanted: &[ComponentKind],
    purpose: Purpose,
) -> PluginScan {
    let wants_plugins = kinds.contains(&ComponentKind::Plugin);
    // Another host's plugins are its own affair, and are found with everything else.
    if !manager.profile().is_native() || (wanted.is_empty() && !wants_plugins) {
        let is_counted = purpose == Purpose::Roots && manager.profile().is_native();
        return PluginScan {
            resolution: if is_counted {
                manager.count(kinds)
            } else {
                manager.scan(kinds)
            },
            plugins: Vec::new(),
        };
    }
    let mut asked = kinds.to_vec();
    if !wants_plugins {
        asked.push(ComponentKind::Plugin);
    }
    let mut collected = match purpose {
        Purpose::Everything | Purpose::Plugins => manager.collect(&asked),
        Purpose::Roots => manager.count(&asked),
    };
    // The few plugins are taken out of all that is there: a second copy of the rest would be most of the memory.
    let mut own = std::mem::take(&mut collected.candidates);
    let mut plugins: Vec<Candidate> = own
        .extract_if(.., |candidate| candidate.kind == ComponentKind::Plugin)
        .collect();
    if plugins.is_empty() {
        if !wants_plugins {
            forget_plugin_folders(&mut collected.roots);
        }
        collected.candidates = own;
        return PluginScan {
            resolution: manager.resolve(collected),
            plugins: Vec::new(),
        };
    }
    let mut reading = Reading::default();
    if let Ok(home) = manager.aleph_home() {
        reading.states = state::read(&home);
    }
    for candidate in plugins
        .iter_mut()
        .filter(|candidate| candidate.state == State::Active)
    {
        reading.read(&collected, candidate);
    }
    let judged = manager.resolve(Resolution {
        roots: collected.roots.clone(),
        candidates: plugins,
        complete: true,
        ..Resolution::default()
    });
    let mut found = reading.found(&judged);
    let (roots, places) = with_plugin_roots(collected.roots, &found);
    let mut parts = Resolution {
        roots,
        complete: true,
        ..Resolution::default()
    };
    let scanner = match purpose {
        Purpose::Everything | Purpose::Plugins => DirectoryScanner::new(),
        Purpose::Roots => DirectoryScanner::counting(),
    };
    reading.collect_parts(manager, wanted, &mut found, &places, &mut parts, scanner);
    let parts = manager.resolve(parts);

    let mut all = Resolution {
        roots: parts.roots.clone(),
        candidates: own,
        spans: Vec::new(),
        diagnostics: collected.diagnostics,
        complete: collected.complete
            && judged.complete
            && parts.complete
            && !reading.incomplete
            && Diagnostic::is_all_read(&reading.states.diagnostics),
    };
    for candidate in &mut all.candidates {
        move_root(candidate, &places.moved);
    }
    let (listed, mut told) = if purpose == Purpose::Everything {
        short_names(&parts, &all.candidates)
    } else {
        Default::default()
    };
    if wants_plugins {
        all.candidates
            .extend(judged.candidates.into_iter().map(|mut candidate| {
                move_root(&mut candidate, &places.moved);
                candidate
            }));
    }
    all.candidates.extend(parts.candidates);
    all.candidates.extend(listed);
    all.diagnostics.append(&mut told);
    all.diagnostics.extend(judged.diagnostics);
    all.diagnostics.extend(parts.diagnostics);
    all.diagnostics.extend(reading.states.diagnostics);
    all.diagnostics.append(&mut reading.diagnostics);
    PluginScan {
        resolution: manager.resolve(all),
        plugins: found,
    }
}

/// Leaves folders of plugins out of the answer to a question that they turned out not to matter to.
fn forget_plugin_folders(roots: &mut [Root]) {
    for root in roots {
        let last = root.dirs.last();
        if last.is_some_and(|dir| dir.kind == ComponentKind::Plugin && dir.status != RootStatus::Unreadable) {
            root.dirs.pop();
        }
    }
}

/// What was read of plugins so far.
#[derive(Default)]
struct Reading {
    states: PluginStates,
    plugins: HashMap<PathBuf, Plugin>,
    diagnostics: Vec<Diagnostic>,
    incomplete: bool,
}

impl Reading {
    /// Reads one plugin and gives its candidate what its manifests say.
    fn read(&mut self, collected: &Resolution, candidate: &mut Candidate) {
        let path = path_of(collected, candidate);
        let plugin = Plugin::read(&path);
        candidate.set_id(IdOrigin::Derived(plugin.id.as_str().into()));
        candidate.set_declared_name(plugin.declared_name.as_deref().map(Into::into));
        candidate.description = plugin.description.as_deref().map(Into::into);
        let place = plugin.chosen.unwrap_or(0);
        if let Some(file) = plugin.manifests.get(place) {
            candidate.has_marker = true;
            candidate.identity = file.identity;
            candidate.size = file.size;
            candidate.detail_mut().marker_name = Some(OsStr::new(file.relative).into());
        }
        if let Some(invalid) = &plugin.invalid {
            let is_unreadable = invalid.code == Code::Unreadable;
            candidate.state = if is_unreadable {
                State::Unreadable
            } else {
                State::Invalid
            };
            candidate.code = Some(invalid.code);
            let detail = candidate.detail_mut();
            (detail.line, detail.column) = (invalid.line, invalid.column);
            detail.message = Some(invalid.message.clone());
            detail.help.clone_from(&invalid.help);
        } else if self.states.off.contains_key(&plugin.id) {
            candidate.state = State::Disabled;
            candidate.code = Some(Code::SwitchedOff);
            let detail = candidate.detail_mut();
            detail.message = Some(format!("switched off in {}", self.states.path.display()).into());
            detail.cause = Some((
                self.states.path.clone(),
                Some(format!("entries.{}.enabled", plugin.id)),
            ));
        }
        self.incomplete |= plugin.incomplete;
        let told = plugin.diagnostics.iter().cloned();
        self.diagnostics
            .extend(told.map(|one| one.with_subject(ComponentKind::Plugin, plugin.id.as_str())));
        self.plugins.insert(path, plugin);
    }

    /// The plugins as they were judged, by id and precedence.
    fn found(&mut self, judged: &Resolution) -> Vec<FoundPlugin> {
        let mut found = Vec::new();
        for chain in judged.chains() {
            let first = found.len();
            for candidate in chain.candidates() {
                let path = candidate.path();
                let detail = candidate.candidate().detail.as_deref();
                let is_nested = std::path::Path::new(&*candidate.entry_name).components().count() > 1;
                let id = candidate.id().into_owned();
                found.push(FoundPlugin {
                    monorepo: path.parent().filter(|_| is_nested).map(Into::into),
                    enabled: !self.states.off.contains_key(&id),
                    plugin: self.plugins.remove(&path),
                    path,
                    id,
                    source: candidate.source(),
                    scope: candidate.scope(),
                    priority: candidate.priority(),
                    state: candidate.state,
                    rule: candidate.rule,
                    by: candidate.by.map(|by| first + by as usize),
                    code: candidate.code,
                    message: detail.and_then(|detail| Some(detail.message.as_ref()?.to_string())),
                    counts: Vec::new(),
                });
            }
        }
        found
    }

    fn collect_parts(
        &mut self,
        manager: &DiscoveryManager,
        wanted: &[ComponentKind],
        found: &mut [FoundPlugin],
        places: &Places,
        into: &mut Resolution,
        mut scanner: DirectoryScanner,
    ) {
        for (index, one) in found.iter_mut().enumerate() {
            let (Some(plugin), Some(root)) = (&one.plugin, places.plugins.get(&index)) else {
                continue;
            };
            let standing = Standing {
                root: *root,
                priority: one.priority,
            };
            let parts = plugin.parts_at(
                manager.profile(),
                wanted,
                Breadth::InEffect,
                standing,
                &mut scanner,
            );
            one.counts = parts
                .counts()
                .into_iter()
                .filter(|(kind, _)| wanted.contains(kind))
                .collect();
            let Parts {
                root: looked_at,
                mut candidates,
                diagnostics,
                incomplete,
            } = parts;
            if one.state != State::Active {
                for candidate in candidates.iter_mut().filter(|one| one.state == State::Active) {
                    not_in_effect(candidate, one, &self.states);
                }
            }
            if let Some(slot) = into.roots.get_mut(*root as usize) {
                slot.dirs = looked_at.dirs;
            }
            into.candidates.append(&mut candidates);
            into.diagnostics.extend(diagnostics);
            into.complete &= !incomplete;
        }
    }
}

/// Takes a component out of the running whose plugin is not in effect.
fn not_in_effect(candidate: &mut Candidate, plugin: &FoundPlugin, states: &PluginStates) {
    candidate.state = State::Disabled;
    candidate.code = Some(Code::PluginNotInEffect);
    let is_off = plugin.state == State::Disabled;
    let detail = candidate.detail_mut();
    let path = plugin.path.display();
    detail.message = Some(format!("its plugin `{}` at {path} is {}", plugin.id, plugin.state).into());
    detail.cause = is_off.then(|| {
        let key = format!("entries.{}.enabled", plugin.id);
        (states.path.clone(), Some(key))
    });
}

/// Where roots stand once plugins are among them.
struct Places {
    /// New index of each of the host's own roots.
    moved: Vec<u32>,
    /// Index of each plugin's root, by its place among the found plugins.
    plugins: HashMap<usize, u32>,
}

/// The host's own roots with each plugin behind the root that it was found in, so that priorities still ascend.
fn with_plugin_roots(own: Vec<Root>, found: &[FoundPlugin]) -> (Vec<Root>, Places) {
    let mut roots = Vec::new();
    let mut places = Places {
        moved: Vec::new(),
        plugins: HashMap::new(),
    };
    let index = |roots: &Vec<Root>| u32::try_from(roots.len()).unwrap_or(u32::MAX);
    for root in own {
        places.moved.push(index(&roots));
        let (priority, path) = (root.priority, root.path.clone());
        roots.push(root);
        for (place, one) in found.iter().enumerate() {
            let is_here = one.plugin.is_some() && one.priority == priority && one.path.starts_with(&path);
            if is_here && !places.plugins.contains_key(&place) {
                places.plugins.insert(place, index(&roots));
                roots.push(Root {
                    path: one.path.clone(),
                    source: DiscoverySource::Plugin,
                    scope: Scope::Plugin,
                    family: crate::model::Family::Aleph,
                    priority,
                    kinds: PART_KINDS.to_vec(),
                    status: RootStatus::Scanned,
                    reason: None,
                    dirs: Vec::new(),
                    terms: crate::model::RootTerms::default(),
                });
            }
        }
    }
    (roots, places)
}

fn move_root(candidate: &mut Candidate, moved: &[u32]) {
    let new = |old: u32| moved.get(old as usize).copied().unwrap_or(old);
    match &mut candidate.place {
        Place::Listed { root, .. } => *root = new(*root),
        Place::Free(place) => place.root = place.root.map(new),
    }
}
