//! `<aleph home>/data/marketplaces.toml`: the marketplaces that are registered, and what they offer.
//!
//! `[marketplaces.<name>]` has `source`, `kind` (`directory` or `git`) and `tier`. A repository's marketplace is
//! cloned to `<aleph home>/plugins/.marketplaces/<name>`.

use std::path::{Path, PathBuf};

use super::data;
use super::marketplace::{self, MarketplaceFile};
use super::source;
use crate::model::{Code, Diagnostic, Severity, TrustTier};
use crate::parse::manifest::marketplace::{EntrySource, GitPick, MarketplaceEntry};

/// How a marketplace is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketplaceKind {
    /// A directory of this machine, read where it is.
    Directory,
    /// A repository, cloned.
    Git,
}

impl MarketplaceKind {
    /// The name used in JSON, tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::Git => "git",
        }
    }
}

/// One registered marketplace.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The name that it is registered under.
    pub name: String,
    /// A directory, or an address.
    pub source: String,
    /// How it is kept.
    pub kind: MarketplaceKind,
    /// How far it is trusted.
    pub tier: TrustTier,
    /// Its directory on this machine.
    pub path: PathBuf,
    /// What it says; none where there is no marketplace.
    pub file: Option<MarketplaceFile>,
}

/// Every registered marketplace.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// The file, whether it is there or not.
    pub path: PathBuf,
    /// By name.
    pub marketplaces: Vec<Registered>,
    /// What is wrong with the file, with its entries, and with the marketplaces.
    pub diagnostics: Vec<Diagnostic>,
}

/// How an entry of a marketplace is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// A directory of this machine.
    Directory(PathBuf),
    /// An archive of this machine.
    Archive(PathBuf),
    /// A repository.
    Git {
        /// Its address, which may be handed to git.
        url: String,
        /// What to take from it.
        pick: GitPick,
    },
}

/// Reads the registered marketplaces of an Aleph home, and what each says. One that is broken spoils no other.
#[must_use]
pub fn read(aleph_home: &Path) -> Registry {
    let file = data::read(
        aleph_home,
        "marketplaces.toml",
        "marketplaces",
        Code::RecordBroken,
    );
    let mut registry = Registry {
        path: file.path,
        marketplaces: Vec::new(),
        diagnostics: file.diagnostics,
    };
    for (name, entry) in file.entries {
        let kind = match data::text(&entry, "kind").as_deref() {
            Some("directory") => Some(MarketplaceKind::Directory),
            Some("git") => Some(MarketplaceKind::Git),
            _ => None,
        };
        let (Some(kind), Some(source)) = (kind, data::text(&entry, "source")) else {
            let message = format!(
                "the marketplace `{name}` does not count: it needs `source`, and `kind` `directory` or `git`"
            );
            let at = entry.position;
            registry.diagnostics.push(
                Diagnostic::new(Code::RecordBroken, Severity::Error, message)
                    .with_path(&registry.path)
                    .with_position(Some(at.line), Some(at.column))
                    .with_help("repair the entry, or register the marketplace anew"),
            );
            continue;
        };
        let tier = data::text(&entry, "tier").map_or(Some(TrustTier::Community), |tier| data::tier(&tier));
        let tier = tier.unwrap_or_else(|| {
            let message = format!("the tier of the marketplace `{name}` is none, so it is `unverified`");
            registry.diagnostics.push(
                Diagnostic::new(Code::RecordBroken, Severity::Warning, message)
                    .with_path(&registry.path)
                    .with_help("write official, verified, community or unverified"),
            );
            TrustTier::Unverified
        });
        let path = match kind {
            MarketplaceKind::Directory => PathBuf::from(&source),
            MarketplaceKind::Git => clone_of(aleph_home, &name),
        };
        let file = marketplace::read(&path);
        match &file {
            Some(file) => registry.diagnostics.extend(file.diagnostics.iter().cloned()),
            None => registry.diagnostics.push(
                Diagnostic::new(
                    Code::BrokenMarketplace,
                    Severity::Error,
                    format!("the marketplace `{name}` is registered, and its directory is none"),
                )
                .with_path(&path)
                .with_help("`marketplace update` fetches it again; `marketplace remove` forgets it"),
            ),
        }
        registry.marketplaces.push(Registered {
            name,
            source,
            kind,
            tier,
            path,
            file,
        });
    }
    registry
        .marketplaces
        .sort_by(|one, other| one.name.cmp(&other.name));
    registry
}

/// Where the clone of a marketplace lies.
#[must_use]
pub fn clone_of(aleph_home: &Path, name: &str) -> PathBuf {
    aleph_home.join("plugins").join(".marketplaces").join(name)
}

impl Registry {
    /// The marketplace that is registered under a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Registered> {
        self.marketplaces.iter().find(|one| one.name == name)
    }
}

impl Registered {
    /// Its entries; none where it cannot be read.
    #[must_use]
    pub fn entries(&self) -> &[MarketplaceEntry] {
        let marketplace = self.file.as_ref().and_then(|file| file.marketplace.as_ref());
        marketplace.map_or(&[], |marketplace| marketplace.entries.as_slice())
    }

    /// How far an entry is trusted: as far as the marketplace, or less if it says so itself.
    #[must_use]
    pub fn tier_of(&self, entry: &MarketplaceEntry) -> TrustTier {
        entry.tier.map_or(self.tier, |tier| tier.min(self.tier))
    }

    /// How an entry is fetched.
    ///
    /// # Errors
    ///
    /// Why it cannot be installed, in words.
    pub fn fetch(&self, entry: &MarketplaceEntry) -> Result<Fetch, String> {
        if let Err(error) = crate::discovery::validate_path_component(&entry.name.value) {
            return Err(error.to_string());
        }
        let (Some(file), Some(source)) = (&self.file, &entry.source) else {
            return Err("the marketplace does not say where it comes from".to_owned());
        };
        let local = |text: &str| {
            if self.kind == MarketplaceKind::Directory {
                Ok(self.path.join(text))
            } else {
                Err("it lies outside the marketplace, on the machine of whoever made it".to_owned())
            }
        };
        match &source.value {
            EntrySource::Path(_) => match file.local(entry) {
                Some(Ok(directory)) => Ok(Fetch::Directory(directory)),
                Some(Err(diagnostic)) => Err(diagnostic.message),
                None => Err("it has no path".to_owned()),
            },
            EntrySource::Github { repo, pick } => match source::github(repo) {
                Some(url) => Ok(Fetch::Git {
                    url,
                    pick: pick.clone(),
                }),
                None => Err(format!("`{repo}` is no owner/repo")),
            },
            EntrySource::Git { url, pick, .. } => {
                let url = source::github(url).unwrap_or_else(|| url.clone());
                let url = source::address(&url).map_err(|error| error.to_string())?;
                Ok(Fetch::Git {
                    url,
                    pick: pick.clone(),
                })
            }
            EntrySource::Directory(path) => local(path).map(Fetch::Directory),
            EntrySource::File(path) => local(path).map(Fetch::Archive),
            EntrySource::Package { kind, .. } => Err(format!(
                "it is a package of {kind}, which this program does not fetch"
            )),
            EntrySource::Unknown(kind) => Err(format!("its source is of a kind that is not known: `{kind}`")),
        }
    }
}

/// An entry that answers a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index of the marketplace in [`Registry::marketplaces`].
    pub marketplace: usize,
    /// Index of its entry.
    pub entry: usize,
    /// Higher is better.
    pub score: u32,
}

/// The entries whose name or description has words of a query, best first; equal ones by name, then marketplace.
#[must_use]
pub fn search(registry: &Registry, query: &str) -> Vec<Hit> {
    let terms = words(query);
    let mut hits = Vec::new();
    for (at, marketplace) in registry.marketplaces.iter().enumerate() {
        for (index, entry) in marketplace.entries().iter().enumerate() {
            let description = entry
                .manifest
                .description
                .as_ref()
                .map(|text| text.value.as_str());
            let score = score(&terms, query, &entry.name.value, description.unwrap_or_default());
            if score > 0 {
                hits.push(Hit {
                    marketplace: at,
                    entry: index,
                    score,
                });
            }
        }
    }
    let name = |hit: &Hit| {
        let marketplace = registry.marketplaces.get(hit.marketplace);
        let entry = marketplace.and_then(|one| one.entries().get(hit.entry));
        entry.map(|entry| entry.name.value.clone()).unwrap_or_default()
    };
    hits.sort_by_cached_key(|hit| (std::cmp::Reverse(hit.score), name(hit), hit.marketplace));
    hits
}

/// How well a name and a description answer a query; 0 for not at all. The one place that ranks.
fn score(terms: &[String], query: &str, name: &str, description: &str) -> u32 {
    let (in_name, in_description) = (words(name), words(description));
    let lower = name.to_lowercase();
    let exact = u32::from(lower == query.trim().to_lowercase()) * 16;
    let of_terms: u32 = terms
        .iter()
        .map(|term| {
            if in_name.contains(term) {
                8
            } else if lower.contains(term.as_str()) {
                4
            } else if in_description.contains(term) {
                2
            } else {
                u32::from(in_description.iter().any(|word| word.starts_with(term.as_str())))
            }
        })
        .sum();
    exact + of_terms
}

/// The words of a text, in lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_more_than_descriptions() {
        let of = |query: &str, name: &str, description: &str| score(&words(query), query, name, description);
        assert!(of("code-review", "code-review", "") > of("code-review", "code-review-tools", ""));
        assert!(of("review", "code-review", "") > of("review", "previewer", ""));
        assert!(of("review", "previewer", "") > of("review", "x", "does a review"));
        assert!(of("review", "x", "does a review") > of("review", "x", "does reviews"));
        assert_eq!(of("review", "x", "y"), 0);
        assert_eq!(of("", "x", "y"), 0);
    }
}
