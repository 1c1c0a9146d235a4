//! Marketplaces on disk: which file makes a directory one, and whether its entries lead anywhere.

use std::fs;
use std::path::{Path, PathBuf};

use super::entry::{self, Role};
use super::inside::{self, Inside, Refusal, refused};
use super::read::{Plugin, told};
use super::source;
use crate::discovery::plugins::has;
use crate::discovery::validate_path_component;
use crate::model::{Code, Diagnostic, Severity};
use crate::parse::Position;
use crate::parse::manifest::DeclaredPath;
use crate::parse::manifest::marketplace::{self, EntrySource, Marketplace, MarketplaceEntry};

/// The files that make a directory a marketplace; the first that is there counts.
pub const MARKETPLACE_FILES: [&str; 4] = [
    ".claude-plugin/marketplace.toml",
    ".claude-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
    ".cursor-plugin/marketplace.json",
];

/// A marketplace's file and what it says.
#[derive(Clone, Debug)]
pub struct MarketplaceFile {
    /// The directory that relative paths start from.
    pub root: PathBuf,
    /// The file.
    pub path: PathBuf,
    /// What it says; none where it cannot be used.
    pub marketplace: Option<Marketplace>,
    /// What is odd about it, and about where its entries lead.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the operating system refused to let something be read.
    pub incomplete: bool,
    inside: Inside,
}

/// The file that makes a directory a marketplace, if it is one. A linked file makes none.
#[must_use]
pub fn find(root: &Path) -> Option<PathBuf> {
    MARKETPLACE_FILES
        .into_iter()
        .find(|sign| has(root, sign, fs::FileType::is_file).unwrap_or(false))
        .map(|sign| root.join(sign))
}

/// Reads the marketplace of a directory; none where the directory is none.
#[must_use]
pub fn read(root: &Path) -> Option<MarketplaceFile> {
    Some(read_file(root, find(root)?))
}

/// Reads a marketplace's file; `root` is the directory that its relative paths start from.
#[must_use]
pub fn read_file(root: &Path, path: PathBuf) -> MarketplaceFile {
    let mut file = MarketplaceFile {
        root: root.to_path_buf(),
        marketplace: None,
        diagnostics: Vec::new(),
        incomplete: false,
        inside: Inside::new(root),
        path,
    };
    let is_toml = file.path.extension().is_some_and(|extension| extension == "toml");
    match inside::read(&file.path) {
        Ok(bytes) => match marketplace::parse(&bytes, is_toml) {
            Ok(marketplace) => {
                let problems = marketplace.problems.iter().cloned();
                file.diagnostics
                    .extend(problems.map(|problem| told(problem, &file.path)));
                file.marketplace = Some(marketplace);
            }
            Err(problem) => file.diagnostics.push(told(problem, &file.path)),
        },
        Err(error) => {
            file.incomplete = true;
            let message = format!("cannot read this marketplace: {error}");
            file.diagnostics.push(
                Diagnostic::new(Code::Unreadable, Severity::Error, message)
                    .with_path(&file.path)
                    .with_help("make it a readable regular file"),
            );
        }
    }
    file
}

/// Why a repository cannot be fetched, as far as that can be told from what is written; none for other sources.
fn unusable_repository(source: &EntrySource) -> Option<String> {
    let pick = match source {
        EntrySource::Github { repo, pick } => {
            if source::github(repo).is_none() {
                return Some(format!("`{repo}` is no owner/repo"));
            }
            pick
        }
        EntrySource::Git { url, pick, .. } => {
            let url = source::github(url).unwrap_or_else(|| url.clone());
            if let Err(error) = source::address(&url) {
                return Some(error.to_string());
            }
            pick
        }
        EntrySource::Path(_)
        | EntrySource::Package { .. }
        | EntrySource::Directory(_)
        | EntrySource::File(_)
        | EntrySource::Unknown(_) => return None,
    };
    source::check_pick(pick).err().map(|error| error.to_string())
}

impl MarketplaceFile {
    /// The name that the marketplace goes by: its own, else its directory's.
    #[must_use]
    pub fn name(&self) -> String {
        let own = self
            .marketplace
            .as_ref()
            .and_then(|marketplace| marketplace.name.as_ref());
        own.map_or_else(
            || {
                let name = self.inside.real.file_name().unwrap_or_default();
                name.to_string_lossy().into_owned()
            },
            |name| name.value.trim().to_owned(),
        )
    }

    /// The entry of a name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&MarketplaceEntry> {
        let entries = &self.marketplace.as_ref()?.entries;
        entries.iter().find(|entry| entry.name.value == name)
    }

    /// The directory of an entry that comes from the marketplace itself, as it is spelled. None for other sources.
    ///
    /// # Errors
    ///
    /// The finding that says why the path is not followed: it leaves the marketplace, or nothing is there.
    pub fn local(&self, entry: &MarketplaceEntry) -> Option<Result<PathBuf, Diagnostic>> {
        let source = entry.source.as_ref()?;
        let EntrySource::Path(text) = &source.value else {
            return None;
        };
        let base = self
            .marketplace
            .as_ref()
            .and_then(|marketplace| marketplace.plugin_root.as_deref());
        let path = |text: String| DeclaredPath {
            text,
            at: source.at,
            key: "source",
            name: None,
        };
        let located = self.inside.locate(text).or_else(|refusal| match (refusal, base) {
            (Refusal::Missing, Some(base)) => self
                .inside
                .locate(&format!("{}/{text}", base.trim_end_matches('/'))),
            (refusal, _) => Err(refusal),
        });
        Some(match located {
            Ok(located) if located.is_dir => Ok(located.path),
            Ok(_) => Err(refused(&path(text.clone()), &self.path, &Refusal::Missing)),
            Err(refusal) => Err(refused(&path(text.clone()), &self.path, &refusal)),
        })
    }

    /// Checks the names of the entries and where those that come from the marketplace itself lead.
    pub fn check(&mut self) {
        let entries = self
            .marketplace
            .as_ref()
            .map(|marketplace| marketplace.entries.clone());
        for entry in entries.unwrap_or_default() {
            let name = &entry.name;
            if let Err(error) = validate_path_component(&name.value) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::UnusableName,
                        Severity::Error,
                        format!("the entry `{}` cannot be installed: {error}", name.value),
                    )
                    .with_path(&self.path)
                    .with_position(Some(name.at.line), Some(name.at.column))
                    .with_help("choose a name without path separators"),
                );
            }
            let Some(source) = &entry.source else {
                continue;
            };
            if let Some(why) = unusable_repository(&source.value) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::BadMarketplaceEntry,
                        Severity::Error,
                        format!("the entry `{}` cannot be installed: {why}", name.value),
                    )
                    .with_path(&self.path)
                    .with_position(Some(source.at.line), Some(source.at.column))
                    .with_help("name a repository, and what to take from it, in a form that git takes"),
                );
            }
            let Some(local) = self.local(&entry) else {
                continue;
            };
            match local {
                Err(diagnostic) => self.diagnostics.push(diagnostic),
                Ok(dir) => {
                    let found = self.check_plugin(&entry, source.at, &dir);
                    self.diagnostics.extend(found);
                }
            }
        }
    }

    /// Checks what an entry and the directory that it leads to are together.
    fn check_plugin(&self, entry: &MarketplaceEntry, at: Position, dir: &Path) -> Vec<Diagnostic> {
        let name = &entry.name.value;
        let told = |code, severity, message: String, help: &str| {
            Diagnostic::new(code, severity, message)
                .with_path(&self.path)
                .with_position(Some(at.line), Some(at.column))
                .with_help(help)
        };
        let plugin = Plugin::read(dir);
        let is_root = dir.canonicalize().is_ok_and(|dir| dir == self.inside.real);
        match entry::role(entry, &plugin, is_root) {
            Err(why) => vec![told(
                Code::BadMarketplaceEntry,
                Severity::Error,
                format!("the entry `{name}` cannot be installed: {why}"),
                "name the components in one of the two only",
            )],
            Ok(Role::Unheard(why)) => vec![told(
                Code::ManifestsDisagree,
                Severity::Warning,
                format!("of the entry `{name}`: {why}"),
                "name the components in the plugin's own manifest",
            )],
            Ok(Role::Nothing) if plugin.formats.is_empty() => vec![told(
                Code::BadMarketplaceEntry,
                Severity::Warning,
                format!("the entry `{name}` leads to a directory that is no plugin"),
                "give it a manifest, or one of the folders skills, commands, agents, hooks",
            )],
            Ok(Role::Nothing) => Vec::new(),
            // Paths that the entry states are the plugin's.
            Ok(Role::Manifest(_)) => entry
                .manifest
                .paths()
                .filter_map(|path| {
                    let refusal = plugin.inside.locate(&path.text).err()?;
                    Some(refused(path, &self.path, &refusal))
                })
                .collect(),
        }
    }
}
