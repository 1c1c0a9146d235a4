//! What marketplaces offer: all of it, one marketplace's, or what answers a query.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::common::{Context, Envelope, owned_text};
use crate::model::{ComponentKind, Diagnostic, TrustTier, nearest};
use crate::parse::manifest::DeclaredPath;
use crate::parse::manifest::marketplace::{EntrySource, MarketplaceEntry};
use crate::plugin::registry::{Registered, Registry};
use crate::tools::{Catalogue, Query, SearchIndex, SearchOptions, Tool, search};

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
    pub hits: Vec<OfferHit>,
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
            hits: hits(&registry, query),
            query: Some(query.to_owned()),
            ..Self::list(context, registry)
        }
    }

    /// The marketplace and the entry of a hit.
    #[must_use]
    pub fn entry(&self, hit: &OfferHit) -> Option<(&Registered, &MarketplaceEntry)> {
        let marketplace = self.registry.marketplaces.get(hit.marketplace)?;
        Some((marketplace, marketplace.entries().get(hit.entry)?))
    }

    /// Whether everything could be read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        Diagnostic::is_all_read(&self.registry.diagnostics)
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> MarketplacesView<'_> {
        MarketplacesView {
            envelope: self.context.envelope(
                "aleph-discover/marketplaces@1",
                self.is_complete(),
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
            source: self.context.shown(&one.source).into_owned(),
            kind: one.kind.as_str(),
            tier: one.tier,
            path: owned_text(&one.path),
            plugins: entries
                .filter(|(index, _)| is_hit(*index))
                .map(|(_, entry)| EntryView::of(&self.context, one, entry))
                .collect(),
        }
    }
}

/// An entry that answers a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfferHit {
    /// Index of the marketplace in [`Registry::marketplaces`].
    pub marketplace: usize,
    /// Index of its entry.
    pub entry: usize,
    /// Higher is better; comparable within one answer only.
    pub score: f64,
}

/// The entries that answer a query, best first, ranked as tools are: a marketplace stands for a server. What is asked
/// for by its name comes first.
fn hits(registry: &Registry, query: &str) -> Vec<OfferHit> {
    let Ok(query) = Query::words(query) else {
        return Vec::new();
    };
    let mut catalogue = Catalogue::default();
    let mut places = Vec::new();
    for (marketplace, one) in registry.marketplaces.iter().enumerate() {
        for (entry, offered) in one.entries().iter().enumerate() {
            let Ok(no_schema) = RawValue::from_string("{}".to_owned()) else {
                continue;
            };
            let description = offered.manifest.description.as_ref();
            catalogue.tools.push(Tool {
                server: one.name.clone(),
                tool: offered.name.value.clone(),
                name: format!("{}@{}", offered.name.value, one.name),
                title: None,
                description: description.map(|text| text.value.clone()).unwrap_or_default(),
                input_schema: no_schema,
                output_schema: None,
                annotations: None,
                kind: Some(ComponentKind::Plugin),
            });
            places.push((marketplace, entry));
        }
    }
    let index = SearchIndex::build(&catalogue);
    let options = SearchOptions {
        limit: catalogue.tools.len(),
        ..SearchOptions::default()
    };
    let by_name: std::collections::HashMap<&str, (usize, usize)> = catalogue
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .zip(places)
        .collect();
    let answer = search(&index, None, &query, options);
    let places = answer.hits.iter().filter_map(|hit| {
        let (marketplace, entry) = *by_name.get(hit.tool.name)?;
        Some(OfferHit {
            marketplace,
            entry,
            score: hit.score,
        })
    });
    places.collect()
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
    /// Whether the plugin has a manifest of its own that counts; false where the entry claims to be all there is.
    pub strict: bool,
    /// The components that the entry itself states, in the order of its keys.
    pub states: Vec<StatedView>,
    /// Whether this program can install it.
    pub installable: bool,
    /// Why not.
    pub reason: Option<String>,
}

impl EntryView {
    fn of(context: &Context, marketplace: &Registered, entry: &MarketplaceEntry) -> Self {
        let obstacle = marketplace.obstacle(entry);
        let source = entry.source.as_ref().map(|source| &source.value);
        Self {
            name: entry.name.value.clone(),
            version: entry.manifest.version.as_ref().map(|text| text.value.clone()),
            description: entry.manifest.description.as_ref().map(|text| text.value.clone()),
            source: source.map(|source| context.shown(source_text(source)).into_owned()),
            kind: source.map(|source| source.kind().to_owned()),
            tier: marketplace.tier_of(entry),
            pinned_sha256: entry.sha256.as_ref().map(|pin| pin.value.clone()),
            strict: entry.strict,
            states: StatedView::of(entry),
            installable: obstacle.is_none(),
            reason: obstacle,
        }
    }
}

/// A component that an entry of a marketplace states itself, or where it says that some are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatedView {
    /// Its kind, or `lsp-server`, `workflow`, `runtime`, `service`.
    pub what: &'static str,
    /// Its name, where the entry gives it: of a hook its event.
    pub name: Option<String>,
    /// The file or folder in the plugin, as written; null for what the entry defines itself.
    pub path: Option<String>,
}

impl StatedView {
    /// What an entry states.
    #[must_use]
    pub fn of(entry: &MarketplaceEntry) -> Vec<Self> {
        let manifest = &entry.manifest;
        let path = |what, path: &DeclaredPath| Self {
            what,
            name: path.name.clone(),
            path: Some(path.text.clone()),
        };
        let named = |what, name: &str| Self {
            what,
            name: Some(name.to_owned()),
            path: None,
        };
        let (hook, server) = (ComponentKind::Hook.as_str(), ComponentKind::McpServer.as_str());
        let parts = manifest
            .parts
            .iter()
            .map(|(kind, part)| path(kind.as_str(), part));
        let inline = manifest.inline_parts.iter();
        let others = manifest.other_paths.iter();
        parts
            .chain(inline.map(|part| named(part.kind.as_str(), &part.name)))
            .chain(manifest.hook_files.iter().map(|file| path(hook, file)))
            .chain(manifest.hooks.iter().map(|one| named(hook, &one.value.event)))
            .chain(manifest.server_files.iter().map(|file| path(server, file)))
            .chain(manifest.servers.iter().map(|one| named(server, &one.value.name)))
            .chain(others.map(|other| {
                let what = if other.key == "lspServers" {
                    "lsp-server"
                } else {
                    "workflow"
                };
                path(what, other)
            }))
            .chain(manifest.runs.iter().map(|run| Self {
                what: run.what,
                name: run.name.clone(),
                path: None,
            }))
            .collect()
    }
}

/// Where an entry comes from, in one text.
fn source_text(source: &EntrySource) -> &str {
    match source {
        EntrySource::Path(text) | EntrySource::Directory(text) | EntrySource::File(text) => text,
        EntrySource::Github { repo, .. } => repo,
        EntrySource::Git { url, .. } => url,
        EntrySource::Package { package, .. } => package,
        EntrySource::Unknown(kind) => kind,
    }
}

/// One answer to a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultView<'a> {
    /// The marketplace.
    pub marketplace: &'a str,
    /// The entry.
    pub name: &'a str,
    /// Higher is better; comparable within one answer only.
    pub score: f64,
}
