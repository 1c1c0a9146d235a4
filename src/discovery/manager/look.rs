//! What a scan does in turn: roots, component directories, and whatever else the kinds asked about need.

use std::collections::BTreeSet;
use std::io;

use super::DiscoveryManager;
use crate::discovery::beyond::Beyond;
use crate::discovery::budget::Budget;
use crate::discovery::listing::Listing;
use crate::discovery::native_memory::NativeMemory;
use crate::discovery::native_servers::{NativeServers, native_priority};
use crate::discovery::{ConfigFiles, DirectoryScanner, Found, gates, host_plugins, resolve, roots};
use crate::host::{Layout, PluginSystem};
use crate::model::{
    Candidate, Code, ComponentKind, Diagnostic, Family, Form, FreePlace, IdOrigin, Place, Resolution, Root,
    RootDir, RootReason, RootStatus, Severity, State,
};

impl DiscoveryManager {
    /// Everything of these kinds that is there, not yet in chains.
    pub(crate) fn collect(&self, kinds: &[ComponentKind]) -> Resolution {
        let (roots, mut found, _) = self.look(kinds, DirectoryScanner::new());
        let wants_servers = kinds.contains(&ComponentKind::McpServer);
        let wants_memory = kinds.contains(&ComponentKind::Memory);
        if (wants_servers || wants_memory || kinds.contains(&ComponentKind::Config))
            && let Ok(files) = self.config_files(self.profile.config.id)
        {
            if wants_servers {
                let servers = NativeServers {
                    environment: &self.environment,
                    walk: &self.walk,
                    roots: &roots,
                    found: &mut found,
                };
                servers.find(&files);
            }
            if wants_memory {
                NativeMemory::new(&self.environment, &roots, &mut found).find(&files);
            }
            if kinds.contains(&ComponentKind::Config) {
                self.add_config_files(files, &roots, &mut found);
            } else {
                let told = files.diagnostics.into_iter();
                found
                    .diagnostics
                    .extend(told.filter(|one| one.code != Code::NoHome));
                found.incomplete |= !files.complete;
            }
        }
        not_in_chains(roots, found)
    }

    /// The roots with how many entries their component directories of these kinds have, and the plugins among them:
    /// everything is listed, no marker is opened.
    pub(crate) fn count(&self, kinds: &[ComponentKind]) -> Resolution {
        let (roots, found, _) = self.look(kinds, DirectoryScanner::counting());
        not_in_chains(roots, found)
    }

    /// Reads the component directories of these kinds in every root.
    fn look(
        &self,
        kinds: &[ComponentKind],
        mut scanner: DirectoryScanner,
    ) -> (Vec<Root>, Found, DirectoryScanner) {
        let plan = roots::plan(self.profile, &self.environment, &self.config, &self.walk);
        let mut roots = plan.roots;
        let mut found = Found {
            incomplete: !plan.complete,
            ..Found::default()
        };
        found.diagnostics = self.walk.diagnostics.clone();
        found.diagnostics.extend(plan.diagnostics);
        found.incomplete |= !self.walk.complete;

        for (index, root) in roots.iter_mut().enumerate() {
            if root.status == RootStatus::Unreadable {
                found.diagnostics.push(unreadable_root(root));
            }
            if root.status == RootStatus::Scanned {
                self.scan_root(&mut scanner, kinds, index, root, &mut found);
            }
        }
        (roots, found, scanner)
    }

    /// Everything of these kinds as a host does that is not the native one, with its settings, plugins and memory.
    pub(super) fn scan_as_host(&self, kinds: &[ComponentKind]) -> Resolution {
        // What keeps the host from starting may be of another kind than what is asked about.
        let that_stop = self
            .profile
            .kinds
            .iter()
            .filter(|spec| matches!(&spec.layout, Layout::Tree(tree) if tree.matter.wrong_type_stops))
            .map(|spec| spec.kind);
        let all: BTreeSet<ComponentKind> = kinds.iter().copied().chain(that_stop).collect();
        let all: Vec<ComponentKind> = all.into_iter().collect();
        let (mut roots, mut found, mut scanner) = self.look(&all, DirectoryScanner::new());
        if all.len() > kinds.len() {
            found
                .candidates
                .retain(|candidate| kinds.contains(&candidate.kind));
            found.diagnostics.retain(|told| {
                let subject = told.subject.as_ref();
                subject.is_none_or(|subject| kinds.contains(&subject.kind))
            });
            for root in &mut roots {
                root.dirs.retain(|dir| kinds.contains(&dir.kind));
            }
        }
        let beyond = Beyond {
            profile: self.profile,
            environment: &self.environment,
            config: &self.config,
            walk: &self.walk,
            kinds,
        };
        let mut settings = beyond.add(&mut roots, &mut found, &mut scanner);
        settings.stop = settings.stop.take().or(found.stop.take());
        let mut resolution = not_in_chains(roots, found);
        let here = gates::Here {
            environment: &self.environment,
            walk: &self.walk,
        };
        gates::close(self.profile, &mut settings, &mut resolution, &here);
        let named = [ComponentKind::Skill, ComponentKind::Command];
        if self.profile.plugins == PluginSystem::Marketplaces && named.iter().all(|kind| kinds.contains(kind))
        {
            host_plugins::short::list(&mut resolution);
        }
        let mut resolution = resolve::resolve(self.profile, resolution);
        resolution.diagnostics.append(&mut settings.diagnostics);
        let budget = Budget {
            profile: self.profile,
            environment: &self.environment,
            walk: &self.walk,
            settings: &settings,
        };
        let mut told = budget.cut(&resolution);
        if named.iter().all(|kind| kinds.contains(kind)) {
            told.extend(budget.left_out(&resolution));
        }
        resolution.diagnostics.append(&mut told);
        resolution
    }

    fn scan_root(
        &self,
        scanner: &mut DirectoryScanner,
        kinds: &[ComponentKind],
        index: usize,
        root: &mut Root,
        found: &mut Found,
    ) {
        for spec in self.profile.kinds {
            let is_here = spec.families.is_empty() || spec.families.contains(&root.family);
            if !kinds.contains(&spec.kind) || !root.kinds.contains(&spec.kind) || !is_here {
                continue;
            }
            let place = Place::listed(index, root.dirs.len());
            let path = root.path.join(spec.folder);
            if let Some(own) = &root.terms.stands_in_for
                && own.join(spec.folder).exists()
            {
                let mut dir = RootDir::new(spec.kind, path, None);
                dir.status = RootStatus::Skipped;
                dir.reason = Some(RootReason::WorktreeHasItsOwn.to_string());
                root.dirs.push(dir);
                continue;
            }
            root.dirs.push(match &spec.layout {
                Layout::Tree(tree) => {
                    let listing = Listing {
                        spec,
                        tree,
                        place,
                        plugin: root.terms.plugin.as_deref(),
                    };
                    scanner.list(&listing, &path, found)
                }
                _ => scanner.scan(spec, &path, &place, found),
            });
        }
        // A directory that is closed itself can still be looked at; below a closed root nothing can.
        let is_below_closed = |dir: &RootDir| {
            dir.status == RootStatus::Unreadable
                && dir
                    .path
                    .symlink_metadata()
                    .is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        };
        if !root.dirs.is_empty() && root.dirs.iter().all(is_below_closed) {
            // Nothing below it could be looked at: the root itself is closed, and must not look empty. One
            // finding says so instead of one for each of its directories.
            root.status = RootStatus::Unreadable;
            root.reason = root.dirs.first().and_then(|dir| dir.reason.clone());
            found
                .diagnostics
                .retain(|one| !root.dirs.iter().any(|dir| one.path.as_ref() == Some(&dir.path)));
            found.diagnostics.push(unreadable_root(root));
        }
    }

    fn add_config_files(&self, files: ConfigFiles, roots: &[Root], found: &mut Found) {
        found.incomplete |= !files.complete;
        for diagnostic in files.diagnostics {
            if diagnostic.code != Code::NoHome {
                found
                    .diagnostics
                    .push(diagnostic.with_subject(ComponentKind::Config, self.profile.config.id));
            }
        }
        for file in files.files {
            let (Some(parent), Some(name)) = (file.path.parent(), file.path.file_name()) else {
                continue;
            };
            // Project layers rank as the native roots of their directories do.
            let priority = native_priority(roots, &file.path, file.source, file.scope);
            let root = roots.iter().position(|root| root.path == parent);
            let place = FreePlace {
                parent: parent.to_path_buf(),
                source: file.source,
                scope: file.scope,
                family: Family::Aleph,
                priority,
                root: root.and_then(|index| u32::try_from(index).ok()),
            };
            let mut candidate = Candidate::new(
                ComponentKind::Config,
                Form::File,
                Place::Free(Box::new(place)),
                name,
                IdOrigin::Derived(self.profile.config.id.into()),
            );
            candidate.has_marker = true;
            candidate.code = file.code;
            // Which format counts is decided with the chain.
            if file.state != State::Shadowed {
                candidate.state = file.state;
            }
            if file.message.is_some() || file.symlink_target.is_some() {
                let real_path = file.path.canonicalize().ok();
                let detail = candidate.detail_mut();
                detail.message = file.message.map(Into::into);
                detail.help = file.help.map(Into::into);
                (detail.line, detail.column) = (file.line, file.column);
                detail.symlink_target = file.symlink_target;
                detail.real_path = real_path;
            }
            found.candidates.push(candidate);
        }
    }
}

/// What was found, before anybody has decided who wins.
fn not_in_chains(roots: Vec<Root>, found: Found) -> Resolution {
    Resolution {
        roots,
        candidates: found.candidates,
        spans: Vec::new(),
        diagnostics: found.diagnostics,
        complete: !found.incomplete,
    }
}

fn unreadable_root(root: &Root) -> Diagnostic {
    let reason = root.reason.as_deref().unwrap_or("unknown reason");
    Diagnostic::new(
        Code::Unreadable,
        Severity::Error,
        format!("cannot look into this root: {reason}"),
    )
    .with_path(&root.path)
    .with_help("what it holds is unknown; make it readable, or run as a user who may read it")
}
