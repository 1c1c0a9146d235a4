//! What a change did, and what became of what was installed.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text, raw};
use crate::model::nearest;
use crate::model::{Diagnostic, TrustTier};
use crate::plugin::Disclosure;
use crate::plugin::installed::{Records, Standing, Verified};

/// The answer of everything that changes something.
#[derive(Clone, Debug)]
pub struct ChangeReport {
    /// What the question was about.
    pub context: Context,
    /// What was asked for: `install`, `remove`, …
    pub action: &'static str,
    /// The id of the plugin, or the name of the marketplace.
    pub subject: String,
    /// Whether it is now as asked for.
    pub done: bool,
    /// What is other than before, or gone.
    pub changed: Vec<PathBuf>,
    /// What was installed.
    pub disclosure: Option<Disclosure>,
    /// What is worth saying about it.
    pub diagnostics: Vec<Diagnostic>,
    /// What was probably meant, where there is nothing of that name.
    pub suggestions: Vec<String>,
}

impl ChangeReport {
    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ChangeView<'_> {
        ChangeView {
            envelope: self
                .context
                .envelope("aleph-discover/change@1", true, &self.diagnostics),
            action: self.action,
            subject: &self.subject,
            done: self.done,
            changed: self.changed.iter().map(|path| owned_text(path)).collect(),
            disclosure: self.disclosure.as_ref(),
            suggestions: self.suggestions.iter().map(String::as_str).collect(),
        }
    }
}

/// The answer of everything that changes something.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "change@1")]
pub struct ChangeView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// `install`, `update`, `remove`, `enable`, `disable`, or `marketplace-add` and so on.
    pub action: &'static str,
    /// The id of the plugin, or the name of the marketplace.
    pub subject: &'a str,
    /// Whether it is now as asked for; false where there is nothing of that name.
    pub done: bool,
    /// The files and directories that are other than before, or gone; all in the Aleph home.
    pub changed: Vec<String>,
    /// What was installed; null for what installs nothing.
    pub disclosure: Option<&'a Disclosure>,
    /// What was probably meant, where there is nothing of that name.
    pub suggestions: Vec<&'a str>,
}

/// The answer of `plugins verify`.
#[derive(Clone, Debug)]
pub struct PluginsVerifyReport {
    /// What the question was about.
    pub context: Context,
    /// The plugins, by id.
    pub plugins: Vec<Verified>,
    /// What drifted, and what is wrong with the records.
    pub diagnostics: Vec<Diagnostic>,
    /// What was probably meant, where there is no plugin of the id that was asked for.
    pub suggestions: Vec<String>,
    records_broken: bool,
}

impl PluginsVerifyReport {
    /// Joins what was found; `wanted` is the one id that was asked for, if it was one.
    #[must_use]
    pub fn new(context: Context, records: Records, plugins: Vec<Verified>, wanted: Option<&str>) -> Self {
        let mut diagnostics = records.diagnostics;
        let records_broken = !diagnostics.is_empty();
        diagnostics.extend(plugins.iter().filter_map(Verified::drift));
        let suggestions = match wanted {
            Some(wanted) if plugins.is_empty() => nearest(wanted, records.plugins.keys().map(String::as_str)),
            _ => Vec::new(),
        };
        Self {
            context,
            plugins,
            diagnostics,
            suggestions,
            records_broken,
        }
    }

    /// How many plugins compare so.
    #[must_use]
    pub fn count(&self, standing: Standing) -> usize {
        self.plugins.iter().filter(|one| one.standing == standing).count()
    }

    /// Whether everything could be read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.records_broken && self.count(Standing::Unreadable) == 0
    }

    /// Whether nothing is known to be other than what was installed.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.plugins.iter().any(|one| one.standing.is_drift())
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> PluginsVerifyView<'_> {
        PluginsVerifyView {
            head: self.head(),
            plugins: self.plugins(),
        }
    }

    /// The plugins as JSON, by id.
    #[must_use]
    pub fn plugins(&self) -> Vec<VerifiedView<'_>> {
        let view = |one| VerifiedView::of(&self.context, one);
        self.plugins.iter().map(view).collect()
    }

    /// The answer without its plugins, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self) -> PluginsVerifyHead<'_> {
        PluginsVerifyHead {
            envelope: self.context.envelope(
                "aleph-discover/plugins-verify@1",
                self.is_complete(),
                &self.diagnostics,
            ),
            unchanged: self.count(Standing::Unchanged),
            drifted: self.count(Standing::Drifted),
            missing: self.count(Standing::Missing),
            unrecorded: self.count(Standing::Unrecorded),
            unreadable: self.count(Standing::Unreadable),
            suggestions: self.suggestions.iter().map(String::as_str).collect(),
        }
    }
}

/// The answer of `plugins verify`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "plugins-verify@1")]
pub struct PluginsVerifyView<'a> {
    /// All but the plugins.
    #[serde(flatten)]
    pub head: PluginsVerifyHead<'a>,
    /// The plugins, by id.
    pub plugins: Vec<VerifiedView<'a>>,
}

/// An answer of `plugins verify` but for its plugins.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PluginsVerifyHead<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// How many are what was installed.
    pub unchanged: usize,
    /// How many are something else.
    pub drifted: usize,
    /// How many are recorded and not there.
    pub missing: usize,
    /// How many are there and not recorded.
    pub unrecorded: usize,
    /// How many cannot be read as a whole.
    pub unreadable: usize,
    /// What was probably meant, where there is no plugin of the id that was asked for.
    pub suggestions: Vec<&'a str>,
}

/// One plugin, compared with its record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifiedView<'a> {
    /// Its id, or the name of its directory where nothing is recorded.
    pub id: &'a str,
    /// Its directory.
    pub path: String,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// How it compares.
    pub standing: Standing,
    /// Where it came from.
    pub source: Option<Cow<'a, str>>,
    /// The version that was installed.
    pub version: Option<&'a str>,
    /// How far whoever served it was trusted.
    pub tier: Option<TrustTier>,
    /// When it was installed, in UTC.
    pub installed: Option<&'a str>,
    /// The digest that is recorded.
    pub recorded_sha256: Option<&'a str>,
    /// The digest of what is there.
    pub found_sha256: Option<&'a str>,
    /// Why it cannot be read.
    pub message: Option<&'a str>,
}

impl<'a> VerifiedView<'a> {
    fn of(context: &Context, one: &'a Verified) -> Self {
        let record = one.record.as_ref();
        Self {
            id: &one.id,
            path: owned_text(&one.path),
            path_bytes: raw(&one.path),
            standing: one.standing,
            source: record
                .and_then(|record| record.source.as_deref())
                .map(|source| context.shown(source)),
            version: record.and_then(|record| record.version.as_deref()),
            tier: record.and_then(|record| record.tier),
            installed: record.and_then(|record| record.installed.as_deref()),
            recorded_sha256: record.and_then(|record| record.sha256.as_deref()),
            found_sha256: one.found.as_deref(),
            message: one.message.as_deref(),
        }
    }
}
