//! `plugins` and `plugins show`: which plugins there are, and what each brings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw};
use super::scan::{CandidateView, CauseView, ScanReport, Selection};
use crate::discovery::DiscoveryManager;
use crate::model::nearest;
use crate::model::{
    CandidateRef, Code, ComponentKind, Diagnostic, DiscoverySource, PluginFormat, Rule, Scope, State,
    TrustTier,
};
use crate::plugin::installed::{self, Records};
use crate::plugin::{self, FoundPlugin, ManifestFile, PART_KINDS, state};

/// The answer of `plugins` and `plugins show`.
#[derive(Clone, Debug)]
pub struct PluginsReport {
    /// Roots, components and findings.
    pub scan: ScanReport,
    /// The plugins of the answer, by id and precedence.
    pub plugins: Vec<FoundPlugin>,
    /// What is recorded of installed plugins.
    pub records: Records,
    /// What was asked for, if it was one plugin.
    pub wanted: Option<String>,
    /// What was probably meant, where there is no such plugin.
    pub suggestions: Vec<String>,
}

impl PluginsReport {
    /// Every plugin.
    #[must_use]
    pub fn new(manager: &DiscoveryManager) -> Self {
        let mut found = plugin::list(manager);
        let records = manager.aleph_home().map(|home| installed::read(&home));
        let records = records.unwrap_or_default();
        found
            .resolution
            .diagnostics
            .extend(records.diagnostics.iter().cloned());
        let mut kinds = PART_KINDS.to_vec();
        kinds.push(ComponentKind::Plugin);
        kinds.sort_unstable();
        Self {
            scan: ScanReport {
                context: Context::of(manager),
                kinds,
                resolution: found.resolution,
                selection: Selection::All,
            },
            plugins: found.plugins,
            records,
            wanted: None,
            suggestions: Vec::new(),
        }
    }

    /// The plugins of one id, or of one name where no id is that.
    #[must_use]
    pub fn of_one(manager: &DiscoveryManager, wanted: &str) -> Self {
        let mut report = Self::new(manager);
        let is_id = report.plugins.iter().any(|one| one.id == wanted);
        let is_it = |one: &FoundPlugin| {
            let name = one
                .plugin
                .as_ref()
                .and_then(|plugin| plugin.declared_name.as_deref());
            one.id == wanted || (!is_id && name == Some(wanted))
        };
        if !report.plugins.iter().any(is_it) {
            let known: Vec<String> = report.plugins.iter().map(|one| one.id.clone()).collect();
            report.suggestions = nearest(wanted, known.iter().map(String::as_str));
        }
        // `by` counts among all plugins; the copies of one id stand together.
        let first = report.plugins.iter().position(is_it).unwrap_or_default();
        report.plugins.retain(is_it);
        for one in &mut report.plugins {
            one.by = one.by.and_then(|by| by.checked_sub(first)).filter(|_| is_id);
        }
        let ids: Vec<&str> = report.plugins.iter().map(|one| one.id.as_str()).collect();
        let is_about = |diagnostic: &Diagnostic| {
            let path = diagnostic.path.as_deref();
            let inside =
                path.is_some_and(|path| report.plugins.iter().any(|one| path.starts_with(&one.path)));
            let subject = diagnostic.subject.as_ref();
            inside
                || matches!(
                    diagnostic.code,
                    Code::StateFileBroken | Code::RecordBroken | Code::Unreadable
                )
                || subject.is_some_and(|subject| {
                    subject.kind == ComponentKind::Plugin && ids.contains(&subject.id.as_str())
                })
        };
        let mut diagnostics = std::mem::take(&mut report.scan.resolution.diagnostics);
        diagnostics.retain(is_about);
        report.scan.resolution.diagnostics = diagnostics;
        report.wanted = Some(wanted.to_owned());
        report
    }

    /// What one of the plugins brings, in chain order.
    pub fn components<'a>(&'a self, one: &'a FoundPlugin) -> impl Iterator<Item = CandidateRef<'a>> {
        let resolution = &self.scan.resolution;
        let root = resolution
            .roots
            .iter()
            .position(|root| root.source == DiscoverySource::Plugin && root.path == one.path)
            .and_then(|root| u32::try_from(root).ok());
        resolution
            .candidates
            .iter()
            .map(|candidate| CandidateRef::new(resolution, candidate))
            .filter(move |candidate| {
                let is_part = candidate.candidate().plugin.is_some() && !candidate.is_short_name();
                is_part && root.is_some() && candidate.root_index() == root
            })
    }

    /// The list as JSON.
    #[must_use]
    pub fn view(&self) -> PluginsView<'_> {
        PluginsView {
            head: self.head(),
            plugins: self.plugins.iter().map(|one| self.plugin_view(one)).collect(),
        }
    }

    /// The list without its plugins, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self) -> PluginsHead<'_> {
        let name = if self.wanted.is_some() {
            "aleph-discover/plugins-show@1"
        } else {
            "aleph-discover/plugins@1"
        };
        let resolution = &self.scan.resolution;
        PluginsHead {
            envelope: self
                .scan
                .context
                .envelope(name, resolution.complete, &resolution.diagnostics),
            suggestions: self.suggestions.iter().map(String::as_str).collect(),
        }
    }

    /// One plugin of the list as JSON.
    #[must_use]
    pub fn plugin_view(&self, one: &FoundPlugin) -> PluginView {
        let plugin = one.plugin.as_ref();
        let manifest = plugin.and_then(|plugin| plugin.manifests.get(plugin.chosen.unwrap_or(0)));
        let states = self.scan.context.aleph_home.as_deref().map(state::path);
        PluginView {
            id: one.id.clone(),
            name: plugin
                .and_then(|plugin| plugin.declared_name.clone())
                .unwrap_or_else(|| {
                    let name = one.path.file_name().unwrap_or_default();
                    name.to_string_lossy().into_owned()
                }),
            version: plugin.and_then(|plugin| plugin.version.clone()),
            description: plugin.and_then(|plugin| plugin.description.clone()),
            path: owned_text(&one.path),
            path_bytes: raw(&one.path),
            formats: plugin.map(|plugin| plugin.formats.clone()).unwrap_or_default(),
            manifest: manifest.map(|file| owned_text(&file.path)),
            source: one.source,
            scope: one.scope,
            priority: one.priority,
            state: one.state,
            rule: one.rule,
            by: one.by,
            code: one.code,
            message: self.message(one),
            cause: states.filter(|_| !one.enabled).map(|path| CauseView {
                path: owned_text(&path),
                key: Some(format!("entries.{}.enabled", one.id)),
            }),
            monorepo: one.monorepo.as_deref().map(owned_text),
            enabled: one.enabled,
            trust: self.trust(one),
            counts: one.counts.iter().copied().collect(),
        }
    }

    /// How far whoever served a plugin was trusted, where that is recorded.
    fn trust(&self, one: &FoundPlugin) -> Option<TrustTier> {
        let plugins = self.scan.context.aleph_home.as_deref()?.join("plugins");
        // A project's plugin of the same name is another one.
        let name = one.path.strip_prefix(plugins).ok()?.to_str()?;
        self.records.plugins.get(name)?.tier
    }

    /// What is wrong with a plugin, in words.
    #[must_use]
    pub fn message(&self, one: &FoundPlugin) -> Option<String> {
        one.message.clone().or_else(|| {
            let words = self
                .scan
                .context
                .profile
                .usual_message(ComponentKind::Plugin, one.code?);
            words.map(str::to_owned)
        })
    }

    /// The plugins with everything about them, as JSON.
    #[must_use]
    pub fn details(&self) -> PluginsShowView<'_> {
        PluginsShowView {
            head: self.head(),
            plugins: self.plugins.iter().map(|one| self.detail(one)).collect(),
        }
    }

    /// Everything about one plugin, as JSON.
    #[must_use]
    pub fn detail<'a>(&'a self, one: &'a FoundPlugin) -> PluginDetailView<'a> {
        let plugin = one.plugin.as_ref();
        let manifests = plugin.map(|plugin| {
            let files = plugin.manifests.iter().enumerate();
            files
                .map(|(index, file)| ManifestView::of(file, plugin.chosen == Some(index)))
                .collect()
        });
        PluginDetailView {
            plugin: self.plugin_view(one),
            manifests: manifests.unwrap_or_default(),
            components: self
                .components(one)
                .map(|candidate| ComponentView {
                    kind: candidate.kind,
                    id: candidate.id().into_owned(),
                    candidate: CandidateView::of(&self.scan, candidate),
                })
                .collect(),
        }
    }
}

/// An answer of `plugins` but for its plugins.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PluginsHead<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// What was probably meant, where there is no plugin of that id; empty in a list.
    pub suggestions: Vec<&'a str>,
}

/// The answer of `plugins`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "plugins@1")]
pub struct PluginsView<'a> {
    /// All but the plugins.
    #[serde(flatten)]
    pub head: PluginsHead<'a>,
    /// The plugins, by id and precedence.
    pub plugins: Vec<PluginView>,
}

/// One plugin, or another entry of a folder of plugins.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PluginView {
    /// Its id.
    pub id: String,
    /// Its name as its manifest gives it, else its directory's.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Its directory.
    pub path: String,
    /// The directory's bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The signs by which it is a plugin; none for another entry.
    pub formats: Vec<PluginFormat>,
    /// The manifest that gives the metadata, or the first where none can be parsed.
    pub manifest: Option<String>,
    /// Where its folder of plugins comes from.
    pub source: DiscoverySource,
    /// For whom that holds.
    pub scope: Scope,
    /// Later overrides earlier; its components have the same.
    pub priority: u32,
    /// What became of it.
    pub state: State,
    /// Why it lost.
    pub rule: Option<Rule>,
    /// Index into `plugins` of the one that it lost to.
    pub by: Option<usize>,
    /// What is wrong with it.
    pub code: Option<Code>,
    /// What is wrong, in words.
    pub message: Option<String>,
    /// What switches it off.
    pub cause: Option<CauseView>,
    /// The directory that it was found one level below, where that is no plugin itself.
    pub monorepo: Option<String>,
    /// Whether the state file leaves it switched on.
    pub enabled: bool,
    /// How far whoever served it is trusted; null where that is not recorded.
    pub trust: Option<TrustTier>,
    /// How many valid components of each kind it brings, whether it is in effect or not.
    pub counts: BTreeMap<ComponentKind, u64>,
}

/// The answer of `plugins show`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "plugins-show@1")]
pub struct PluginsShowView<'a> {
    /// All but the plugins.
    #[serde(flatten)]
    pub head: PluginsHead<'a>,
    /// The plugins of the id that was asked for, highest precedence first.
    pub plugins: Vec<PluginDetailView<'a>>,
}

/// Everything about one plugin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PluginDetailView<'a> {
    /// As in the list.
    #[serde(flatten)]
    pub plugin: PluginView,
    /// Its manifests, in the order in which they would give metadata.
    pub manifests: Vec<ManifestView>,
    /// What it brings, and what of it is not read, by kind and id.
    pub components: Vec<ComponentView<'a>>,
}

/// One manifest of a plugin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ManifestView {
    /// The file.
    pub path: String,
    /// Its format.
    pub format: PluginFormat,
    /// Whether it gives the metadata and names components.
    pub used: bool,
    /// The name that it states.
    pub name: Option<String>,
    /// The version that it states.
    pub version: Option<String>,
    /// What is wrong with it.
    pub code: Option<Code>,
    /// 1-based line that `code` is about.
    pub line: Option<u32>,
    /// 1-based column that `code` is about.
    pub column: Option<u32>,
    /// What is wrong, in words.
    pub message: Option<String>,
}

impl ManifestView {
    fn of(file: &ManifestFile, used: bool) -> Self {
        let manifest = file.manifest.as_ref().ok();
        let broken = file.manifest.as_ref().err();
        Self {
            path: owned_text(&file.path),
            format: file.format,
            used,
            name: manifest.and_then(|manifest| {
                let name = manifest.name.as_ref().or(manifest.id.as_ref());
                name.map(|name| name.value.clone())
            }),
            version: manifest
                .and_then(|manifest| manifest.version.as_ref())
                .map(|version| version.value.clone()),
            code: broken.map(|broken| broken.code),
            line: broken.and_then(|broken| broken.line),
            column: broken.and_then(|broken| broken.column),
            message: broken.map(|broken| broken.message.to_string()),
        }
    }
}

/// One component of a plugin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComponentView<'a> {
    /// What it is.
    pub kind: ComponentKind,
    /// Its qualified id.
    pub id: String,
    /// As in a chain of `scan`.
    #[serde(flatten)]
    pub candidate: CandidateView<'a>,
}
