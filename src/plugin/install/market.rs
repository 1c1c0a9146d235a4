//! Registering marketplaces, fetching them again, and forgetting them.

use std::fs;
use std::path::{Path, PathBuf};

use super::Setting;
use super::bench::{Bench, Place};
use super::change::Change;
use super::disk::make_dir;
use super::error::InstallError;
use super::records::{DataFile, texts};
use super::step::Observer;
use crate::discovery::validate_path_component;
use crate::model::TrustTier;
use crate::parse::manifest::marketplace::GitPick;
use crate::plugin::marketplace;
use crate::plugin::registry::{self, MarketplaceKind};
use crate::plugin::source::Source;

/// Registers a marketplace: a directory where it is, or a repository, which is cloned.
///
/// It is trusted as `community`: who wants more writes so into `marketplaces.toml`.
///
/// # Errors
///
/// [`InstallError`]; nothing is registered then.
pub fn add_marketplace(
    setting: &Setting,
    source: &Source,
    name: Option<&str>,
    observer: &mut dyn Observer,
) -> Result<Change, InstallError> {
    if let Some(name) = name {
        check_name(name)?;
    }
    match source {
        Source::Path(path) => add_directory(setting, path, name, observer),
        Source::Git(url) => {
            let mut bench = Bench::open(&setting.home, observer)?;
            let clone = fetch(setting, &mut bench, url)?;
            let name = match name {
                Some(name) => name.to_owned(),
                None => name_of(&clone, url)?,
            };
            let record = record(url, MarketplaceKind::Git);
            is_free(setting, &name)?;
            let changed = bench.put(Place::Marketplace, &name, &clone, record)?;
            Ok(Change {
                subject: name,
                changed,
            })
        }
        Source::Zip(path) => Err(InstallError::NotAMarketplace {
            what: format!("`{}`", source.text()),
            path: Some(path.clone()),
            why: "it is neither a directory, nor owner/repo, nor the address of a repository".to_owned(),
        }),
        Source::Marketplace { .. } => Err(InstallError::NotAMarketplace {
            what: format!("`{}`", source.text()),
            path: None,
            why: "it is neither a directory, nor owner/repo, nor the address of a repository".to_owned(),
        }),
    }
}

fn add_directory(
    setting: &Setting,
    path: &Path,
    name: Option<&str>,
    observer: &mut dyn Observer,
) -> Result<Change, InstallError> {
    let path = path.canonicalize().map_err(|source| InstallError::Missing {
        path: path.to_path_buf(),
        source,
    })?;
    let shown = path.display().to_string();
    usable(&path, &shown, true)?;
    let text = path.to_str().ok_or_else(|| InstallError::NotAMarketplace {
        what: shown.clone(),
        path: Some(path.clone()),
        why: "its path is not UTF-8, so it cannot be recorded".to_owned(),
    })?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => name_of(&path, &shown)?,
    };
    is_free(setting, &name)?;
    let mut bench = Bench::open(&setting.home, observer)?;
    is_free(setting, &name)?;
    let mut file = DataFile::read(&setting.home, Place::Marketplace.file())?;
    let record = record(text, MarketplaceKind::Directory);
    file.set(Place::Marketplace.as_str(), &name, Some(record))?;
    let changed = vec![bench.write(&file)?];
    bench.finish();
    Ok(Change {
        subject: name,
        changed,
    })
}

/// Fetches a registered repository again, or looks whether a directory still is a marketplace.
///
/// # Errors
///
/// [`InstallError`]; what was there stays then.
pub fn update_marketplace(
    setting: &Setting,
    name: &str,
    observer: &mut dyn Observer,
) -> Result<Change, InstallError> {
    let registry = registry::read(&setting.home);
    let Some(one) = registry.get(name) else {
        let known = registry.marketplaces.iter().map(|one| one.name.as_str());
        return Err(unknown("marketplace", name, known, true));
    };
    let mut change = Change {
        subject: name.to_owned(),
        changed: Vec::new(),
    };
    match one.kind {
        MarketplaceKind::Directory => usable(&one.path, &one.source, true)?,
        MarketplaceKind::Git => {
            let url = crate::plugin::source::address(&one.source)?;
            check_name(name)?;
            let mut bench = Bench::open(&setting.home, observer)?;
            let clone = fetch(setting, &mut bench, &url)?;
            let mut record = record(&url, MarketplaceKind::Git);
            record.insert("tier", toml_edit::value(one.tier.as_str()));
            change.changed = bench.put(Place::Marketplace, name, &clone, record)?;
        }
    }
    Ok(change)
}

/// Forgets a marketplace, and removes its clone. Plugins that came from it stay.
///
/// # Errors
///
/// [`InstallError`]; nothing is changed then.
pub fn remove_marketplace(
    setting: &Setting,
    name: &str,
    observer: &mut dyn Observer,
) -> Result<Change, InstallError> {
    let registry = registry::read(&setting.home);
    // One whose entry is broken can be removed too.
    let file = DataFile::read(&setting.home, Place::Marketplace.file());
    let is_listed =
        file.is_ok_and(|mut file| file.set(Place::Marketplace.as_str(), name, None).unwrap_or(false));
    if !is_listed || check_name(name).is_err() {
        let known = registry.marketplaces.iter().map(|one| one.name.as_str());
        return Err(unknown("marketplace", name, known, true));
    }
    let bench = Bench::open(&setting.home, observer)?;
    let changed = bench.take_away(Place::Marketplace, name)?;
    Ok(Change {
        subject: name.to_owned(),
        changed,
    })
}

/// The failure that there is nothing of a name.
pub(super) fn unknown<'a>(
    what: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    is_answer: bool,
) -> InstallError {
    InstallError::Unknown {
        what,
        name: name.to_owned(),
        suggestions: near(name, known),
        is_answer,
    }
}

/// The known names that are most like one, at most three.
fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|one| {
            (
                strsim::jaro_winkler(&name.to_lowercase(), &one.to_lowercase()),
                one,
            )
        })
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    scored.dedup();
    scored
        .into_iter()
        .take(3)
        .map(|(_, one)| one.to_owned())
        .collect()
}

fn record(source: &str, kind: MarketplaceKind) -> toml_edit::Table {
    texts(&[
        ("source", Some(source)),
        ("kind", Some(kind.as_str())),
        ("tier", Some(TrustTier::Community.as_str())),
    ])
}

/// Clones a repository into the staging directory, without its history, and checks that it is a marketplace.
fn fetch(setting: &Setting, bench: &mut Bench<'_>, url: &str) -> Result<PathBuf, InstallError> {
    let clone = bench.stage(&super::git::directory())?.join("marketplace");
    make_dir(&clone)?;
    setting
        .git
        .fetch(url, &GitPick::default(), &clone, &mut *bench.observer)?;
    let history = clone.join(".git");
    fs::remove_dir_all(&history).map_err(InstallError::io("remove", &history))?;
    usable(&clone, url, false)?;
    Ok(clone)
}

/// Refuses what is no marketplace, or one of which nothing can be used. `kept` says that it stays where it is.
fn usable(path: &Path, shown: &str, kept: bool) -> Result<(), InstallError> {
    let why = match marketplace::read(path) {
        Some(file) if file.marketplace.is_some() => return Ok(()),
        Some(file) => {
            let first = file.diagnostics.first();
            first.map_or_else(|| "it cannot be read".to_owned(), |one| one.message.to_string())
        }
        None => "it has no marketplace.json or marketplace.toml".to_owned(),
    };
    Err(InstallError::NotAMarketplace {
        what: shown.to_owned(),
        path: kept.then(|| path.to_path_buf()),
        why,
    })
}

/// The name that a marketplace gives itself; the last part of where it comes from if it gives none.
fn name_of(path: &Path, shown: &str) -> Result<String, InstallError> {
    let own = marketplace::read(path).and_then(|file| file.marketplace?.name);
    let name = own.map_or_else(
        || {
            let last = shown.trim_end_matches('/').trim_end_matches(".git");
            last.rsplit(['/', ':']).next().unwrap_or_default().to_owned()
        },
        |name| name.value.trim().to_owned(),
    );
    check_name(&name)?;
    Ok(name)
}

fn check_name(name: &str) -> Result<(), InstallError> {
    let refuse = |why: String| {
        Err(InstallError::Name {
            name: name.escape_debug().to_string(),
            why,
        })
    };
    if let Err(error) = validate_path_component(name) {
        return refuse(error.to_string());
    }
    if name.starts_with('.') {
        return refuse("it begins with a dot".to_owned());
    }
    if name.contains('@') || name.chars().any(char::is_control) {
        return refuse("it contains `@` or a control character".to_owned());
    }
    Ok(())
}

fn is_free(setting: &Setting, name: &str) -> Result<(), InstallError> {
    let mut file = if setting.home.is_dir() {
        DataFile::read(&setting.home, Place::Marketplace.file())?
    } else {
        return Ok(());
    };
    if file.set(Place::Marketplace.as_str(), name, None)? {
        return Err(InstallError::Registered {
            name: name.to_owned(),
            path: setting.home.join("data").join(Place::Marketplace.file()),
        });
    }
    Ok(())
}
