//! `<aleph home>/data/marketplaces.toml`: the marketplaces that are registered, and what they offer.
//!
//! `[marketplaces.<name>]` has `source`, `kind` (`directory` or `git`) and `tier`. A repository's marketplace is
//! cloned to `<aleph home>/plugins/.marketplaces/<name>`.

use std::path::{Path, PathBuf};

use super::data;
use super::entry::{self, Role};
use super::marketplace::{self, MarketplaceFile};
use super::read::Plugin;
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
                .with_help(match kind {
                    MarketplaceKind::Directory => {
                        "bring the directory back to its place, or forget it with `marketplace remove`"
                    }
                    MarketplaceKind::Git => {
                        "`marketplace update` fetches it again; `marketplace remove` forgets it"
                    }
                }),
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
                Some(Err(diagnostic)) => Err(diagnostic.message.to_string()),
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

    /// Why an entry cannot be installed, in words, as far as that can be told from here: a repository or an archive is
    /// not looked into, and of a directory only what makes it a plugin. None where nothing is in the way.
    #[must_use]
    pub fn obstacle(&self, entry: &MarketplaceEntry) -> Option<String> {
        let dir = match self.fetch(entry) {
            Err(why) => return Some(why),
            Ok(Fetch::Git { pick, .. }) => {
                return source::check_pick(&pick).err().map(|error| error.to_string());
            }
            Ok(Fetch::Archive(path)) => {
                return (!path.is_file()).then(|| format!("there is no archive {}", path.display()));
            }
            Ok(Fetch::Directory(dir)) => dir,
        };
        if !dir.is_dir() {
            return Some(format!("there is no directory {}", dir.display()));
        }
        let plugin = Plugin::read(&dir);
        if let Some(invalid) = &plugin.invalid {
            return Some(format!("the plugin is invalid: {}", invalid.message));
        }
        let is_root = dir.canonicalize().ok() == self.path.canonicalize().ok();
        match entry::role(entry, &plugin, is_root) {
            Err(why) => Some(why),
            Ok(Role::Manifest(_)) => None,
            Ok(Role::Nothing | Role::Unheard(_)) if !plugin.formats.is_empty() => None,
            Ok(_) if marketplace::find(&dir).is_some() => {
                Some("it leads to a marketplace, not to a plugin".to_owned())
            }
            Ok(_) => Some("it leads to a directory that is no plugin, and states no components".to_owned()),
        }
    }
}
