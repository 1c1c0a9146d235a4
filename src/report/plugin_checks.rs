//! `plugins validate` and `plugins disclose`: one plugin or marketplace that need not be installed.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw};
use crate::model::{Code, ComponentKind, Diagnostic, PluginFormat, Severity};
use crate::plugin::{Disclosure, Plugin, Subject, Validation};

/// The answer of `plugins validate`.
#[derive(Clone, Debug)]
pub struct ValidateReport {
    /// What the question was about.
    pub context: Context,
    /// What was asked about.
    pub path: PathBuf,
    /// What was found.
    pub validation: Validation,
}

impl ValidateReport {
    /// The findings about what is at a path; that it is neither plugin nor marketplace is one.
    #[must_use]
    pub fn new(context: Context, path: PathBuf, mut validation: Validation) -> Self {
        if validation.subjects.is_empty() && validation.complete {
            let message = "this is neither a plugin nor a marketplace";
            validation.diagnostics.push(
                Diagnostic::new(Code::NoManifest, Severity::Error, message)
                    .with_path(&path)
                    .with_help("name the directory that holds a manifest, or a folder skills, commands, agents or hooks"),
            );
        }
        Self {
            context,
            path,
            validation,
        }
    }

    /// Whether a finding matters at least this much.
    #[must_use]
    pub fn has(&self, at_least: Severity) -> bool {
        self.validation
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity <= at_least)
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ValidateView<'_> {
        let validation = &self.validation;
        ValidateView {
            envelope: self.context.envelope(
                "aleph-discover/plugins-validate@1",
                validation.complete,
                &validation.diagnostics,
            ),
            path: owned_text(&self.path),
            path_bytes: raw(&self.path),
            subjects: validation.subjects.iter().map(SubjectView::of).collect(),
            errors: validation.count(Severity::Error),
            warnings: validation.count(Severity::Warning),
            notes: validation.count(Severity::Note),
        }
    }
}

/// The answer of `plugins validate`; the findings are its `diagnostics`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "plugins-validate@1")]
pub struct ValidateView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// What was asked about.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// What is there; nothing where it is neither plugin nor marketplace.
    pub subjects: Vec<SubjectView>,
    /// How many findings are errors.
    pub errors: usize,
    /// How many findings are warnings.
    pub warnings: usize,
    /// How many findings are notes.
    pub notes: usize,
}

/// What was checked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubjectView {
    /// `plugin` or `marketplace`.
    pub what: &'static str,
    /// The plugin's id, or the marketplace's name.
    pub id: String,
    /// Its directory.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The signs by which it is a plugin.
    pub formats: Vec<PluginFormat>,
    /// How many entries the marketplace has that can be used; null for a plugin.
    pub entries: Option<usize>,
}

impl SubjectView {
    fn of(subject: &Subject) -> Self {
        match subject {
            Subject::Plugin(plugin) => Self {
                what: "plugin",
                id: plugin.id.clone(),
                path: owned_text(&plugin.path),
                path_bytes: raw(&plugin.path),
                formats: plugin.formats.clone(),
                entries: None,
            },
            Subject::Marketplace(file) => Self {
                what: "marketplace",
                id: file.name(),
                path: owned_text(&file.root),
                path_bytes: raw(&file.root),
                formats: Vec::new(),
                entries: Some(file.marketplace.as_ref().map_or(0, |one| one.entries.len())),
            },
        }
    }
}

/// The answer of `plugins disclose`.
#[derive(Clone, Debug)]
pub struct DiscloseReport {
    /// What the question was about.
    pub context: Context,
    /// The plugin.
    pub plugin: Plugin,
    /// What installing it would mean.
    pub disclosure: Disclosure,
    /// What is odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

impl DiscloseReport {
    /// Joins a plugin and what it discloses.
    #[must_use]
    pub fn new(context: Context, plugin: Plugin, disclosure: Disclosure) -> Self {
        let subject = |one: &Diagnostic| {
            one.clone()
                .with_subject(ComponentKind::Plugin, plugin.id.as_str())
        };
        let diagnostics = plugin.diagnostics.iter().map(subject).collect();
        Self {
            context,
            plugin,
            disclosure,
            diagnostics,
        }
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> DiscloseView<'_> {
        DiscloseView {
            envelope: self.context.envelope(
                "aleph-discover/plugins-disclose@1",
                !self.plugin.incomplete,
                &self.diagnostics,
            ),
            id: &self.plugin.id,
            path: owned_text(&self.plugin.path),
            path_bytes: raw(&self.plugin.path),
            formats: &self.plugin.formats,
            disclosure: &self.disclosure,
        }
    }
}

/// The answer of `plugins disclose`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "plugins-disclose@1")]
pub struct DiscloseView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The id under which it would be installed.
    pub id: &'a str,
    /// Its directory.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The signs by which it is a plugin.
    pub formats: &'a [PluginFormat],
    /// What installing it would mean.
    pub disclosure: &'a Disclosure,
}
