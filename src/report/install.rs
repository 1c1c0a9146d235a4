//! What a change did, what became of what was installed, and what marketplaces offer.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope, owned_text};
use crate::model::nearest;
use crate::model::{Diagnostic, TrustTier};
use crate::parse::manifest::marketplace::{EntrySource, MarketplaceEntry};
use crate::parse::secrets;
use crate::plugin::Disclosure;
use crate::plugin::installed::{Records, Standing, Verified};
use crate::plugin::registry::{self, Hit, Registered, Registry};

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
            envelope: self.context.envelope(
                "aleph-discover/plugins-verify@1",
                self.is_complete(),
                &self.diagnostics,
            ),
            plugins: self.plugins.iter().map(VerifiedView::of).collect(),
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
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The plugins, by id.
    pub plugins: Vec<VerifiedView<'a>>,
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
    /// How it compares.
    pub standing: Standing,
    /// Where it came from.
    pub source: Option<&'a str>,
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
    fn of(one: &'a Verified) -> Self {
        let record = one.record.as_ref();
        Self {
            id: &one.id,
            path: owned_text(&one.path),
            standing: one.standing,
            source: record.and_then(|record| record.source.as_deref()),
            version: record.and_then(|record| record.version.as_deref()),
            tier: record.and_then(|record| record.tier),
            installed: record.and_then(|record| record.installed.as_deref()),
            recorded_sha256: record.and_then(|record| record.sha256.as_deref()),
            found_sha256: one.found.as_deref(),
            message: one.message.as_deref(),
        }
    }
}

/// The answer of `marketplace list`, `marketplace show` and `marketplace search`.
#[derive(Clone, Debug)]
pub struct MarketplacesReport {
    /// What the question was about.
    pub context: Context,
    /// What is registered, of what was asked for.
    pub registry: Registry,
    /// What was searched for, if anything.
    pub query: Option<String>,
    /// What answers it.
    pub hits: Vec<Hit>,
    /// What was probably meant, where there is no marketplace of that name.
    pub suggestions: Vec<String>,
}

impl MarketplacesReport {
    /// Everything that is registered.
    #[must_use]
    pub fn list(context: Context, registry: Registry) -> Self {
        Self {
            context,
            registry,
            query: None,
            hits: Vec::new(),
            suggestions: Vec::new(),
        }
    }

    /// One marketplace.
    #[must_use]
    pub fn show(context: Context, mut registry: Registry, name: &str) -> Self {
        let names: Vec<String> = registry.marketplaces.iter().map(|one| one.name.clone()).collect();
        registry.marketplaces.retain(|one| one.name == name);
        let suggestions = if registry.marketplaces.is_empty() {
            nearest(name, names.iter().map(String::as_str))
        } else {
            Vec::new()
        };
        Self {
            suggestions,
            ..Self::list(context, registry)
        }
    }

    /// What answers a query.
    #[must_use]
    pub fn search(context: Context, registry: Registry, query: &str) -> Self {
        Self {
            hits: registry::search(&registry, query),
            query: Some(query.to_owned()),
            ..Self::list(context, registry)
        }
    }

    /// The marketplace and the entry of a hit.
    #[must_use]
    pub fn entry(&self, hit: &Hit) -> Option<(&Registered, &MarketplaceEntry)> {
        let marketplace = self.registry.marketplaces.get(hit.marketplace)?;
        Some((marketplace, marketplace.entries().get(hit.entry)?))
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> MarketplacesView<'_> {
        MarketplacesView {
            envelope: self.context.envelope(
                "aleph-discover/marketplaces@1",
                true,
                &self.registry.diagnostics,
            ),
            marketplaces: self
                .registry
                .marketplaces
                .iter()
                .enumerate()
                .map(|(index, one)| self.marketplace(index, one))
                .collect(),
            query: self.query.as_deref(),
            results: self
                .hits
                .iter()
                .filter_map(|hit| {
                    let (marketplace, entry) = self.entry(hit)?;
                    Some(ResultView {
                        marketplace: &marketplace.name,
                        name: &entry.name.value,
                        score: hit.score,
                    })
                })
                .collect(),
            suggestions: self.suggestions.iter().map(String::as_str).collect(),
        }
    }

    fn marketplace<'a>(&'a self, index: usize, one: &'a Registered) -> MarketplaceView<'a> {
        let is_hit = |entry: usize| {
            self.query.is_none()
                || self
                    .hits
                    .iter()
                    .any(|hit| hit.marketplace == index && hit.entry == entry)
        };
        let entries = one.entries().iter().enumerate();
        MarketplaceView {
            name: &one.name,
            source: secrets::mask_text(&one.source).into_owned(),
            kind: one.kind.as_str(),
            tier: one.tier,
            path: owned_text(&one.path),
            plugins: entries
                .filter(|(index, _)| is_hit(*index))
                .map(|(_, entry)| EntryView::of(one, entry))
                .collect(),
        }
    }
}

/// The answer of `marketplace list`, `marketplace show` and `marketplace search`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "marketplaces@1")]
pub struct MarketplacesView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// The registered marketplaces by name; of a search, each with the entries that answer it.
    pub marketplaces: Vec<MarketplaceView<'a>>,
    /// What was searched for.
    pub query: Option<&'a str>,
    /// The entries that answer a search, best first; empty where nothing was searched for.
    pub results: Vec<ResultView<'a>>,
    /// What was probably meant, where there is no marketplace of that name.
    pub suggestions: Vec<&'a str>,
}

/// One registered marketplace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MarketplaceView<'a> {
    /// The name that it is registered under.
    pub name: &'a str,
    /// A directory, or an address.
    pub source: String,
    /// `directory` or `git`.
    pub kind: &'static str,
    /// How far it is trusted.
    pub tier: TrustTier,
    /// Its directory on this machine.
    pub path: String,
    /// Its entries, in the order of its file.
    pub plugins: Vec<EntryView>,
}

/// One entry of a marketplace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntryView {
    /// Its name.
    pub name: String,
    /// The version that it states.
    pub version: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Where it comes from, as far as the marketplace says.
    pub source: Option<String>,
    /// `path`, `github`, `url`, `git-subdir`, `npm`, `pip`, `directory`, `file` or what else is written.
    pub kind: Option<String>,
    /// How far it is trusted: as far as its marketplace, or less.
    pub tier: TrustTier,
    /// The digest that it is pinned to, as written.
    pub pinned_sha256: Option<String>,
    /// Whether this program can install it.
    pub installable: bool,
    /// Why not.
    pub reason: Option<String>,
}

impl EntryView {
    fn of(marketplace: &Registered, entry: &MarketplaceEntry) -> Self {
        let fetch = marketplace.fetch(entry);
        let source = entry.source.as_ref().map(|source| &source.value);
        Self {
            name: entry.name.value.clone(),
            version: entry.manifest.version.as_ref().map(|text| text.value.clone()),
            description: entry.manifest.description.as_ref().map(|text| text.value.clone()),
            source: source.map(source_text),
            kind: source.map(|source| source.kind().to_owned()),
            tier: marketplace.tier_of(entry),
            pinned_sha256: entry.sha256.as_ref().map(|pin| pin.value.clone()),
            installable: fetch.is_ok(),
            reason: fetch.err(),
        }
    }
}

/// Where an entry comes from, in one text.
fn source_text(source: &EntrySource) -> String {
    let text = match source {
        EntrySource::Path(text) | EntrySource::Directory(text) | EntrySource::File(text) => text,
        EntrySource::Github { repo, .. } => repo,
        EntrySource::Git { url, .. } => url,
        EntrySource::Package { package, .. } => package,
        EntrySource::Unknown(kind) => kind,
    };
    secrets::mask_text(text).into_owned()
}

/// One answer to a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultView<'a> {
    /// The marketplace.
    pub marketplace: &'a str,
    /// The entry.
    pub name: &'a str,
    /// Higher is better; comparable within one answer only.
    pub score: u32,
}
