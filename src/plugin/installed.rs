//! `<aleph home>/data/installed.toml`: what was installed from where; and whether it is still that.
//!
//! `[plugins.<id>]` has `source`, `kind`, `name`, `version`, `commit`, `sha256`, `tier` and `installed`, all texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::data;
use super::tree;
use crate::model::{Code, ComponentKind, Diagnostic, Severity, TrustTier};
use crate::parse::document::Located;

/// What is recorded of one installed plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Where it came from: a path, an address, `name@marketplace`.
    pub source: Option<String>,
    /// `path`, `zip`, `marketplace` or `git`.
    pub kind: Option<String>,
    /// The version that its manifest stated.
    pub version: Option<String>,
    /// The commit, where it came from a repository.
    pub commit: Option<String>,
    /// Its digest, `tree1:` and hex.
    pub sha256: Option<String>,
    /// How far whoever served it was trusted.
    pub tier: Option<TrustTier>,
    /// When, in UTC.
    pub installed: Option<String>,
}

/// Everything that is recorded.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The file, whether it is there or not.
    pub path: PathBuf,
    /// By plugin id.
    pub plugins: BTreeMap<String, Record>,
    /// What is wrong with the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the records of an Aleph home. A file that cannot be used counts as absent, and is told of.
#[must_use]
pub fn read(aleph_home: &Path) -> Records {
    let file = data::read(aleph_home, "installed.toml", "plugins", Code::RecordBroken);
    let plugins = file.entries.into_iter().map(|(id, entry)| (id, record(&entry)));
    Records {
        plugins: plugins.collect(),
        path: file.path,
        diagnostics: file.diagnostics,
    }
}

fn record(entry: &Located) -> Record {
    let text = |key| data::text(entry, key);
    Record {
        source: text("source"),
        kind: text("kind"),
        version: text("version"),
        commit: text("commit"),
        sha256: text("sha256"),
        tier: text("tier").and_then(|tier| data::tier(&tier)),
        installed: text("installed"),
    }
}

/// What an installed plugin is compared with its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is what was installed.
    Unchanged,
    /// It is something else than what was installed.
    Drifted,
    /// It was installed, and is not there.
    Missing,
    /// It is there, and nothing says where it came from.
    Unrecorded,
    /// It cannot be read as a whole.
    Unreadable,
}

impl Standing {
    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Drifted => "drifted",
            Self::Missing => "missing",
            Self::Unrecorded => "unrecorded",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether it is known to be other than what was installed.
    #[must_use]
    pub const fn is_drift(self) -> bool {
        matches!(self, Self::Drifted | Self::Missing)
    }
}

/// One plugin, compared with its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its id, or the name of its directory where nothing is recorded.
    pub id: String,
    /// Its directory.
    pub path: PathBuf,
    /// How it compares.
    pub standing: Standing,
    /// What is recorded.
    pub record: Option<Record>,
    /// The digest of what is there.
    pub found: Option<String>,
    /// Why it cannot be read.
    pub message: Option<String>,
}

impl Verified {
    /// What to tell of it, where it is other than what was installed.
    #[must_use]
    pub fn drift(&self) -> Option<Diagnostic> {
        if !self.standing.is_drift() {
            return None;
        }
        let recorded = self.record.as_ref().and_then(|record| record.sha256.as_deref());
        let message = match (self.standing, &self.message) {
            (Standing::Missing, _) => "it was installed, and is not there".to_owned(),
            (_, Some(message)) => format!("it is other than what was installed: {message}"),
            _ => format!(
                "it is other than what was installed: its tree has {}, and {} is recorded",
                self.found.as_deref().unwrap_or("no digest"),
                recorded.unwrap_or("nothing")
            ),
        };
        let diagnostic = Diagnostic::new(Code::PluginDrift, Severity::Error, message)
            .with_path(&self.path)
            .with_subject(ComponentKind::Plugin, self.id.as_str())
            .with_help(
                "look at what changed; `plugins install SOURCE --update` puts back what is served now",
            );
        Some(diagnostic)
    }
}

/// Compares one plugin of the user's, or all, with what is recorded. `see` hears of each before it is read.
#[must_use]
pub fn verify(
    aleph_home: &Path,
    records: &Records,
    only: Option<&str>,
    mut see: impl FnMut(&str),
) -> Vec<Verified> {
    let plugins = aleph_home.join("plugins");
    let mut names: BTreeMap<String, bool> = records.plugins.keys().map(|id| (id.clone(), true)).collect();
    for entry in std::fs::read_dir(&plugins).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.entry(name).or_insert(false);
        }
    }
    names
        .into_iter()
        .filter(|(name, _)| only.is_none_or(|only| only == name))
        .map(|(name, _)| {
            see(&name);
            one(plugins.join(&name), records.plugins.get(&name).cloned(), name)
        })
        .collect()
}

fn one(path: PathBuf, record: Option<Record>, id: String) -> Verified {
    let mut verified = Verified {
        standing: Standing::Unrecorded,
        found: None,
        message: None,
        id,
        record,
        path,
    };
    let is_there = std::fs::symlink_metadata(&verified.path);
    if is_there.is_err() {
        verified.standing = Standing::Missing;
        return verified;
    }
    let digests = tree::list(&verified.path).and_then(|entries| tree::digest(&entries, |_, _| {}));
    match digests {
        Err(error) => {
            // A FIFO or a link out of it was not installed, so it is drift; what cannot be read may be either.
            let is_unreadable = matches!(
                error,
                tree::TreeError::Unreadable { .. } | tree::TreeError::Changed { .. }
            );
            verified.standing = if is_unreadable || verified.record.is_none() {
                Standing::Unreadable
            } else {
                Standing::Drifted
            };
            verified.message = Some(error.to_string());
        }
        Ok(digests) => {
            if let Some(record) = &verified.record {
                verified.standing = match &record.sha256 {
                    Some(recorded) if *recorded == digests.tree1 => Standing::Unchanged,
                    Some(_) => Standing::Drifted,
                    None => Standing::Unrecorded,
                };
            }
            verified.found = Some(digests.tree1);
        }
    }
    verified
}
