//! The same checks for one plugin or one marketplace, for those who make them.

use std::path::{Path, PathBuf};

use super::disclosure::hidden_in;
use super::hidden_text::HiddenKind;
use super::inside::{Refusal, refused};
use super::marketplace::{self, MARKETPLACE_FILES, MarketplaceFile};
use super::parts::{Breadth, PART_KINDS};
use super::read::Plugin;
use super::tree::{self, TreeError};
use crate::discovery::resolve;
use crate::host::HostProfile;
use crate::model::{Code, ComponentKind, Diagnostic, Severity};

/// What was checked.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A plugin.
    Plugin(Box<Plugin>),
    /// A marketplace.
    Marketplace(Box<MarketplaceFile>),
}

/// The findings about a plugin or a marketplace, or a directory that is both.
#[derive(Clone, Debug, Default)]
pub struct Validation {
    /// What was checked; nothing where the path is neither.
    pub subjects: Vec<Subject>,
    /// What was found, by path and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether everything could be read.
    pub complete: bool,
}

impl Validation {
    /// How many findings matter this much.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let of_it = |diagnostic: &&Diagnostic| diagnostic.severity == severity;
        self.diagnostics.iter().filter(of_it).count()
    }
}

/// Checks the plugin or marketplace at a path: its directory, or one of its manifests. Nothing is written.
#[must_use]
pub fn validate(path: &Path, profile: &HostProfile) -> Validation {
    let root = directory_of(path);
    let mut validation = Validation {
        complete: true,
        ..Validation::default()
    };
    let wants_marketplace = root == path || path.file_stem().is_some_and(|stem| stem == "marketplace");
    let wants_plugin = root == path || !wants_marketplace;
    if wants_marketplace && let Some(mut file) = marketplace::read(&root) {
        file.check();
        validation.complete &= !file.incomplete;
        validation.diagnostics.append(&mut file.diagnostics);
        validation.subjects.push(Subject::Marketplace(Box::new(file)));
    }
    let plugin = Plugin::read(&root);
    // A marketplace's own directory is a plugin as well only if a manifest says so.
    let is_plugin =
        !plugin.formats.is_empty() && (validation.subjects.is_empty() || !plugin.manifests.is_empty());
    if wants_plugin && is_plugin {
        validation.plugin(plugin, profile);
    } else if wants_plugin && plugin.incomplete {
        // What could not be looked at may be what makes it a plugin.
        validation.complete = false;
        validation.diagnostics.extend(plugin.diagnostics);
    }
    let found = &mut validation.diagnostics;
    found.sort_by(|one, other| {
        let key = |one: &Diagnostic| {
            (
                one.path.clone(),
                one.line,
                one.column,
                one.code,
                one.message.clone(),
            )
        };
        key(one).cmp(&key(other))
    });
    found.dedup();
    validation
}

/// The directory that a manifest belongs to; a directory itself.
fn directory_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        return path.to_path_buf();
    }
    let manifests = [
        "aleph.plugin.toml",
        "aleph.plugin.json",
        ".claude-plugin/plugin.toml",
        ".claude-plugin/plugin.json",
        ".codex-plugin/plugin.json",
        ".cursor-plugin/plugin.json",
        ".mcp.json",
        ".cursorrules",
    ];
    for relative in manifests.into_iter().chain(MARKETPLACE_FILES) {
        if path.ends_with(relative) {
            let steps = Path::new(relative).components().count();
            if let Some(root) = path.ancestors().nth(steps) {
                return if root.as_os_str().is_empty() {
                    PathBuf::from(".")
                } else {
                    root.to_path_buf()
                };
            }
        }
    }
    path.to_path_buf()
}

impl Validation {
    fn plugin(&mut self, plugin: Plugin, profile: &HostProfile) {
        self.complete &= !plugin.incomplete;
        let subject = |one: Diagnostic| one.with_subject(ComponentKind::Plugin, plugin.id.as_str());
        self.diagnostics
            .extend(plugin.diagnostics.iter().cloned().map(subject));
        let broken = plugin.invalid.iter().cloned();
        self.diagnostics.extend(broken.map(subject));
        // Two components of one id are found when chains are made.
        let parts = plugin.parts(profile, &PART_KINDS, Breadth::InEffect);
        self.complete &= !parts.incomplete;
        let resolution = resolve::resolve(profile, parts.into_resolution());
        self.diagnostics.extend(resolution.diagnostics);
        for (index, file) in plugin.manifests.iter().enumerate() {
            if let (Ok(manifest), true) = (&file.manifest, plugin.chosen != Some(index)) {
                for path in manifest.paths() {
                    if let Err(refusal) = plugin.inside.locate(&path.text) {
                        self.complete &= !matches!(refusal, Refusal::Unreadable(_));
                        self.diagnostics
                            .push(subject(refused(path, &file.path, &refusal)));
                    }
                }
            }
        }
        self.tree(&plugin);
        self.subjects.push(Subject::Plugin(Box::new(plugin)));
    }

    /// What of the tree could not be installed, and what of it is hidden.
    fn tree(&mut self, plugin: &Plugin) {
        let entries = match tree::list(&plugin.path) {
            Ok(entries) => entries,
            Err(error) => return self.unsafe_tree(plugin, &error),
        };
        let mut hidden = Vec::new();
        let digests = tree::digest(&entries, |entry, content| {
            for one in hidden_in(entry, content) {
                // Comments are everyday; `disclose` lists them.
                if one.kind != HiddenKind::HtmlComment && hidden.len() < 1_000 {
                    let what = format!("hidden characters ({}) stand here", one.kind);
                    hidden.push(
                        Diagnostic::new(Code::HiddenText, Severity::Warning, what)
                            .with_path(&entry.path)
                            .with_position(Some(one.line), Some(one.column))
                            .with_help("remove them, or write them so that they can be seen"),
                    );
                }
            }
        });
        self.diagnostics.append(&mut hidden);
        if let Err(error) = digests {
            self.unsafe_tree(plugin, &error);
        }
    }

    fn unsafe_tree(&mut self, plugin: &Plugin, error: &TreeError) {
        self.complete &= !matches!(error, TreeError::Unreadable { .. });
        let message = format!("the plugin cannot be installed: {error}");
        self.diagnostics.push(
            Diagnostic::new(Code::UnsafeTree, Severity::Error, message)
                .with_path(&plugin.path)
                .with_subject(ComponentKind::Plugin, plugin.id.as_str())
                .with_help("remove it from the plugin's directory"),
        );
    }
}
