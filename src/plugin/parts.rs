//! What a plugin brings, as candidates: its default folders, and what its manifest names.
//!
//! Where a manifest names components of a kind, the default folder still counts (Claude Code's skills, hooks and
//! MCP servers) or no longer does (its commands and agents, and everything of Codex's and Cursor's formats); see
//! `docs/plugins.md` for the sources of that table.

use std::fs;
use std::path::{Path, PathBuf};

use super::inside::{Place as Located, Refusal, refused};
use super::read::{ManifestFile, Plugin};
use crate::discovery::names::{in_nfc, path_refusal};
use crate::discovery::{DirectoryScanner, Found};
use crate::host::{HostProfile, KindSpec};
use crate::model::{
    Candidate, CandidateRef, Code, ComponentKind, Definition, Diagnostic, DiscoverySource, Family, Form,
    FreePlace, IdOrigin, Place, PluginFormat, PluginPart, Resolution, Root, RootDir, RootStatus, RootTerms,
    Scope, Severity, State, Words,
};
use crate::parse::Position;
use crate::parse::manifest::{DeclaredPath, InlinePart, Manifest};

/// The kinds that plugins bring, in reporting order.
pub const PART_KINDS: [ComponentKind; 6] = [
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::Hook,
    ComponentKind::McpServer,
    ComponentKind::Memory,
];

/// Which of a plugin's manifests name components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// The one that the host goes by.
    InEffect,
    /// All of them, and every default folder: whatever any harness would load.
    Everything,
}

/// What a plugin brings.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The plugin as a root, with the folders that were looked at.
    pub root: Root,
    /// Every component, under its qualified id; valid ones are [`State::Active`].
    pub candidates: Vec<Candidate>,
    /// What is odd about them.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the operating system refused to let something be read.
    pub incomplete: bool,
}

impl Parts {
    /// How many components of each kind are valid, in the order of [`PART_KINDS`]: things of one id count once,
    /// but of hooks each counts that does something else.
    #[must_use]
    pub fn counts(&self) -> [(ComponentKind, u64); 6] {
        PART_KINDS.map(|kind| {
            let valid = self
                .candidates
                .iter()
                .filter(|one| one.kind == kind && one.state == State::Active);
            let count = if kind == ComponentKind::Hook {
                valid.count()
            } else {
                let ids: std::collections::BTreeSet<String> =
                    valid.map(|one| one.id().into_owned()).collect();
                ids.len()
            };
            (kind, u64::try_from(count).unwrap_or(u64::MAX))
        })
    }

    /// The components in chains of their own, for questions about this plugin alone.
    #[must_use]
    pub fn into_resolution(self) -> Resolution {
        Resolution {
            roots: vec![self.root],
            candidates: self.candidates,
            spans: Vec::new(),
            diagnostics: self.diagnostics,
            complete: !self.incomplete,
        }
    }
}

/// Where the plugin stands among the roots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) root: u32,
    pub(super) priority: u32,
}

impl Plugin {
    /// What the plugin brings, looked at by itself.
    #[must_use]
    pub fn parts(&self, profile: &HostProfile, kinds: &[ComponentKind], breadth: Breadth) -> Parts {
        let standing = Standing { root: 0, priority: 0 };
        self.parts_at(profile, kinds, breadth, standing, &mut DirectoryScanner::new())
    }

    pub(super) fn parts_at(
        &self,
        profile: &HostProfile,
        kinds: &[ComponentKind],
        breadth: Breadth,
        standing: Standing,
        scanner: &mut DirectoryScanner,
    ) -> Parts {
        let manifests = match breadth {
            Breadth::InEffect => self.manifest().into_iter().collect(),
            Breadth::Everything => self
                .manifests
                .iter()
                .filter_map(|file| Some((file, file.manifest.as_ref().ok()?)))
                .collect(),
        };
        let mut collector = Collector {
            plugin: self,
            manifests,
            breadth,
            standing,
            scanner,
            found: Found::default(),
            dirs: Vec::new(),
            seen: Vec::new(),
        };
        for kind in PART_KINDS.into_iter().filter(|kind| kinds.contains(kind)) {
            match kind {
                ComponentKind::Hook => collector.hooks(),
                ComponentKind::McpServer => collector.servers(),
                ComponentKind::Memory => collector.rules(),
                _ => {
                    if let Some(spec) = profile.kind(kind) {
                        collector.folders(spec);
                    }
                }
            }
        }
        if PART_KINDS.iter().all(|kind| kinds.contains(kind)) {
            collector.other_paths();
        }
        Parts {
            root: Root {
                path: self.path.clone(),
                source: DiscoverySource::Plugin,
                scope: Scope::Plugin,
                family: Family::Aleph,
                priority: standing.priority,
                kinds: PART_KINDS.to_vec(),
                status: RootStatus::Scanned,
                reason: None,
                dirs: collector.dirs,
                terms: RootTerms::default(),
            },
            candidates: collector.found.candidates,
            diagnostics: collector.found.diagnostics,
            incomplete: collector.found.incomplete,
        }
    }
}

/// Whether naming components of a kind in a manifest puts the default folder out of use.
fn replaces(format: PluginFormat, kind: ComponentKind) -> bool {
    match format {
        PluginFormat::Claude => matches!(kind, ComponentKind::Command | ComponentKind::Agent),
        PluginFormat::Codex | PluginFormat::Cursor => true,
        _ => false,
    }
}

pub(super) struct Collector<'a> {
    pub(super) plugin: &'a Plugin,
    pub(super) manifests: Vec<(&'a ManifestFile, &'a Manifest)>,
    breadth: Breadth,
    standing: Standing,
    pub(super) scanner: &'a mut DirectoryScanner,
    pub(super) found: Found,
    pub(super) dirs: Vec<RootDir>,
    /// Real paths that were read for a kind.
    seen: Vec<(ComponentKind, PathBuf)>,
}

impl<'a> Collector<'a> {
    /// Whether the default folders and files of a kind count.
    pub(super) fn has_defaults(&self, kind: ComponentKind) -> bool {
        self.breadth == Breadth::Everything
            || !self
                .manifests
                .iter()
                .any(|(file, manifest)| manifest.declares.contains(&kind) && replaces(file.format, kind))
    }

    pub(super) fn is_cursor(&self) -> bool {
        self.manifests
            .iter()
            .any(|(file, _)| file.format == PluginFormat::Cursor)
    }

    /// Marks a real path as read for a kind; false if it was already.
    pub(super) fn is_new(&mut self, kind: ComponentKind, real: &Path) -> bool {
        let is_known = self.has_seen(kind, real);
        if !is_known {
            self.seen.push((kind, real.to_path_buf()));
        }
        !is_known
    }

    /// The real paths that were read for a kind.
    pub(super) fn seen_of(&self, kind: ComponentKind) -> impl Iterator<Item = &Path> {
        self.seen
            .iter()
            .filter(move |(seen, _)| *seen == kind)
            .map(|(_, path)| path.as_path())
    }

    /// Whether a real path was read for a kind.
    pub(super) fn has_seen(&self, kind: ComponentKind, real: &Path) -> bool {
        self.seen_of(kind).any(|path| path == real)
    }

    /// Skills, commands and agents.
    fn folders(&mut self, spec: &KindSpec) {
        let kind = spec.kind;
        if self.has_defaults(kind) {
            self.default_folder(spec, spec.folder);
            if self.is_cursor() && kind != ComponentKind::Skill {
                self.default_folder(spec, &format!(".cursor/{}", spec.folder));
            }
        }
        for (file, path) in self.named(kind) {
            let start = (self.found.candidates.len(), self.found.diagnostics.len());
            if let Some(located) = self.locate(file, path) {
                self.named_part(spec, located, path);
            }
            self.qualify(start, path.name.as_deref());
        }
        if !self.has_defaults(kind) {
            let read = |this: &mut Self, located: &Located| this.folder(spec, located);
            self.replaced_folder(kind, spec.folder, read);
            if self.is_cursor() && kind != ComponentKind::Skill {
                self.replaced_folder(kind, &format!(".cursor/{}", spec.folder), read);
            }
        }
        let inline: Vec<(&ManifestFile, &InlinePart)> = self
            .manifests
            .iter()
            .flat_map(|(file, manifest)| manifest.inline_parts.iter().map(move |part| (*file, part)))
            .filter(|(_, part)| part.kind == kind)
            .collect();
        for (file, part) in inline {
            let mut candidate = self.defined_in(&file.path, kind, &part.name, None, part.at);
            candidate.description = part.description.as_deref().map(Into::into);
            self.found.candidates.push(candidate);
        }
    }

    /// The paths of a kind that the manifests name.
    pub(super) fn named(&self, kind: ComponentKind) -> Vec<(&'a ManifestFile, &'a DeclaredPath)> {
        let parts = self
            .manifests
            .iter()
            .flat_map(|(file, manifest)| manifest.parts.iter().map(move |part| (*file, part)));
        parts
            .filter(|(_, (of, _))| *of == kind)
            .map(|(file, (_, path))| (file, path))
            .collect()
    }

    /// Follows a path of a manifest, or tells why not.
    pub(super) fn locate(&mut self, file: &ManifestFile, path: &DeclaredPath) -> Option<Located> {
        match self.plugin.inside.locate(&path.text) {
            Ok(located) => Some(located),
            Err(refusal) => {
                self.found.incomplete |= matches!(refusal, Refusal::Unreadable(_));
                self.found.diagnostics.push(refused(path, &file.path, &refusal));
                None
            }
        }
    }

    /// A file that the plugin has by default; that it is not there is no finding.
    pub(super) fn default_file(&mut self, relative: &str) -> Option<Located> {
        let located = self.locate_default(relative)?;
        if located.is_file {
            return Some(located);
        }
        self.found.diagnostics.push(
            Diagnostic::new(
                Code::NotRegular,
                Severity::Warning,
                format!("`{relative}` is not a regular file, so nothing of it is read"),
            )
            .with_path(&located.path)
            .with_help("replace it by a regular file, or remove it"),
        );
        None
    }

    /// A directory that the plugin has by default; that it is not there is no finding.
    pub(super) fn default_dir(&mut self, relative: &str) -> Option<Located> {
        let located = self.locate_default(relative)?;
        if located.is_dir {
            return Some(located);
        }
        self.found.diagnostics.push(
            Diagnostic::new(
                Code::WrongKind,
                Severity::Warning,
                format!("`{relative}` is not a directory, so nothing of it is read"),
            )
            .with_path(&located.path)
            .with_help("make it a directory, or give it another name"),
        );
        None
    }

    /// Follows a path that the plugin has by default.
    fn locate_default(&mut self, relative: &str) -> Option<Located> {
        let message = match self.plugin.inside.locate(relative) {
            Ok(located) => return Some(located),
            Err(Refusal::Missing) => return None,
            Err(Refusal::Escapes(_)) => {
                let message =
                    format!("`{relative}` is a symbolic link that leads out of the plugin; it is not read");
                Diagnostic::new(Code::PathEscapesPlugin, Severity::Error, message)
                    .with_help("replace the link by what it points at")
            }
            Err(Refusal::Unreadable(error)) => {
                self.found.incomplete = true;
                Diagnostic::new(
                    Code::Unreadable,
                    Severity::Error,
                    format!("cannot read this: {error}"),
                )
                .with_help("make it readable, or run as a user who may read it")
            }
        };
        let path = self.plugin.path.join(relative);
        self.found.diagnostics.push(message.with_path(path));
        None
    }

    fn default_folder(&mut self, spec: &KindSpec, relative: &str) {
        if let Some(located) = self.default_dir(relative) {
            let start = (self.found.candidates.len(), self.found.diagnostics.len());
            self.folder(spec, &located);
            self.qualify(start, None);
        }
    }

    fn folder(&mut self, spec: &KindSpec, located: &Located) {
        if !self.is_new(spec.kind, &located.real) {
            return;
        }
        let dir = u32::try_from(self.dirs.len()).unwrap_or(u32::MAX);
        let place = Place::Listed {
            root: self.standing.root,
            dir,
        };
        let dir = self.scanner.scan(spec, &located.path, &place, &mut self.found);
        self.dirs.push(dir);
    }

    /// What a manifest names: a file, a directory that is a component, or a folder of components.
    fn named_part(&mut self, spec: &KindSpec, located: Located, named: &DeclaredPath) {
        let marker = spec.layout.marker().unwrap_or_default();
        let is_component = located.is_dir && fs::symlink_metadata(located.path.join(marker)).is_ok();
        if located.is_dir && !is_component {
            return self.folder(spec, &located);
        }
        let in_folder_that_was_read = located.real.parent().is_some_and(|parent| {
            self.seen
                .iter()
                .any(|(kind, seen)| *kind == spec.kind && seen == parent)
        });
        if (in_folder_that_was_read && named.name.is_none()) || !self.is_new(spec.kind, &located.real) {
            return;
        }
        let place = self.free_place(&located.path);
        let start = self.found.candidates.len();
        let real_root = self.plugin.inside.real.clone();
        self.scanner
            .scan_one(spec, &located.path, &real_root, &place, &mut self.found);
        for candidate in self.found.candidates.iter_mut().skip(start) {
            let is_usual = candidate
                .detail
                .as_ref()
                .is_none_or(|detail| detail.real_path.is_none());
            if is_usual && located.real != located.path {
                let real = if is_component {
                    located.real.join(marker)
                } else {
                    located.real.clone()
                };
                candidate.detail_mut().real_path = Some(real);
            }
        }
    }

    /// The place of an entry that stands in no folder that is read as a whole.
    pub(super) fn free_place(&self, path: &Path) -> Place {
        Place::Free(Box::new(FreePlace {
            parent: path.parent().unwrap_or(path).to_path_buf(),
            source: DiscoverySource::Plugin,
            scope: Scope::Plugin,
            family: Family::Aleph,
            priority: self.standing.priority,
            root: Some(self.standing.root),
        }))
    }

    /// Gives what was found since `start` its qualified id; `name` replaces the id that it has.
    pub(super) fn qualify(&mut self, start: (usize, usize), name: Option<&str>) {
        let plugin = &self.plugin.id;
        for candidate in self.found.candidates.iter_mut().skip(start.0) {
            let id = name.map_or_else(|| candidate.id().into_owned(), |name| in_nfc(name).into_owned());
            if candidate.plugin.is_none() {
                candidate.plugin = Some(Box::new(part(plugin, &id, None, None)));
                candidate.set_id(IdOrigin::Derived(format!("{plugin}:{id}").into()));
            }
        }
        for diagnostic in self.found.diagnostics.iter_mut().skip(start.1) {
            if let Some(subject) = &mut diagnostic.subject {
                let id = name.unwrap_or(&subject.id);
                subject.id = format!("{plugin}:{id}");
            }
        }
    }

    /// One of several things that a file defines.
    pub(super) fn defined_in(
        &mut self,
        file: &Path,
        kind: ComponentKind,
        name: &str,
        definition: Option<Definition>,
        at: Position,
    ) -> Candidate {
        let plugin = &self.plugin.id;
        let name = in_nfc(name);
        let mut candidate = Candidate::new(
            kind,
            Form::File,
            self.free_place(file),
            file.file_name().unwrap_or_default(),
            IdOrigin::Derived(format!("{plugin}:{name}").into()),
        );
        candidate.has_marker = true;
        candidate.plugin = Some(Box::new(part(plugin, &name, Some(&name), definition)));
        let refusal = if name.trim().is_empty() {
            Some("it is empty")
        } else {
            path_refusal(&name)
        };
        candidate.stands_at(at);
        if let Some(why) = refusal {
            let message = format!("its name cannot be an id: {why}");
            let help = "choose a name without `:` and control characters";
            self.invalid(&mut candidate, file, Code::UnusableName, message, help);
        }
        candidate
    }

    /// Puts a candidate out of the running, and tells of it.
    pub(super) fn invalid(
        &mut self,
        candidate: &mut Candidate,
        file: &Path,
        code: Code,
        message: String,
        help: &str,
    ) {
        candidate.state = State::Invalid;
        candidate.code = Some(code);
        let detail = candidate.detail_mut();
        let message = Words::from(message);
        detail.message = Some(message.clone());
        detail.help = Some(help.into());
        let (line, column) = (detail.line, detail.column);
        self.found.diagnostics.push(
            Diagnostic::new(code, Severity::Error, message)
                .with_path(file)
                .with_position(line, column)
                .with_subject(candidate.kind, candidate.id())
                .with_help(help),
        );
    }

    /// Paths that are only looked for.
    fn other_paths(&mut self) {
        let paths: Vec<(&ManifestFile, &DeclaredPath)> = self
            .manifests
            .iter()
            .flat_map(|(file, manifest)| {
                let styles = manifest
                    .parts
                    .iter()
                    .filter(|(kind, _)| *kind == ComponentKind::OutputStyle);
                let styles = styles.map(|(_, path)| path);
                manifest
                    .other_paths
                    .iter()
                    .chain(styles)
                    .map(move |path| (*file, path))
            })
            .collect();
        for (file, path) in paths {
            self.locate(file, path);
        }
    }
}

fn part(plugin: &str, id: &str, name: Option<&str>, definition: Option<Definition>) -> PluginPart {
    PluginPart {
        plugin: plugin.into(),
        qualified_id: format!("{plugin}:{id}").into(),
        name: name.map(Into::into),
        is_short_name: false,
        definition,
    }
}

/// A candidate's path, for messages.
pub(super) fn path_of(resolution: &Resolution, candidate: &Candidate) -> PathBuf {
    CandidateRef::new(resolution, candidate).path()
}
