//! Marketplaces: lists of plugins and of where each comes from.
//!
//! One bad entry never sinks the file: what is wrong with it is told as `bad-marketplace-entry`, and the others count.
//! Every kind of source is read, also those that this program cannot install from.

use std::collections::HashMap;

use super::fields::{Fields, Type, as_list, as_text, is_table, push};
use super::{Manifest, Spot, harness};
use crate::model::{Code, TrustTier};
use crate::parse::document::{self, Entry, Format, Located};
use crate::parse::{Position, Problem};

/// The keys of a plugin's manifest with which an entry brings components of its own.
pub const COMPONENT_KEYS: [&str; 10] = [
    "skills",
    "commands",
    "agents",
    "outputStyles",
    "hooks",
    "mcpServers",
    "mcp-servers",
    "lspServers",
    "workflows",
    "aleph",
];

/// Further keys of a manifest that an entry may state.
const METADATA_KEYS: [&str; 11] = [
    "name",
    "version",
    "description",
    "displayName",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "userConfig",
    "dependencies",
];

/// How many entries of one file are read; the largest real one has 295.
pub const MAX_ENTRIES: usize = 100_000;

/// Where a plugin comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntrySource {
    /// A path from the marketplace's own root, as written: a string, or `{"source": "local", "path"}`.
    Path(String),
    /// A repository on GitHub.
    Github {
        /// `owner/name`.
        repo: String,
        /// What to take from it.
        pick: GitPick,
    },
    /// A git repository, whole or a folder of it: `url` and `git-subdir`.
    Git {
        /// `url` or `git-subdir`.
        kind: &'static str,
        /// Its address.
        url: String,
        /// What to take from it.
        pick: GitPick,
    },
    /// A package of a registry: `npm` or `pip`.
    Package {
        /// `npm` or `pip`.
        kind: &'static str,
        /// Its name.
        package: String,
        /// Its version.
        version: Option<String>,
        /// Another registry than the usual.
        registry: Option<String>,
    },
    /// A directory of this machine.
    Directory(String),
    /// A file of this machine.
    File(String),
    /// A kind that is not known.
    Unknown(String),
}

/// What to take from a git repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitPick {
    /// The folder in it.
    pub path: Option<String>,
    /// The branch or tag.
    pub reference: Option<String>,
    /// The commit, as a pin.
    pub sha: Option<String>,
}

impl EntrySource {
    /// The kind as it is written in marketplaces; `path` for a relative path.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Path(_) => "path",
            Self::Github { .. } => "github",
            Self::Git { kind, .. } | Self::Package { kind, .. } => kind,
            Self::Directory(_) => "directory",
            Self::File(_) => "file",
            Self::Unknown(kind) => kind,
        }
    }
}

/// One plugin of a marketplace.
#[derive(Clone, Debug, PartialEq)]
pub struct MarketplaceEntry {
    /// Its name.
    pub name: Spot<String>,
    /// Where it comes from; none where the entry does not say in a way that can be read.
    pub source: Option<Spot<EntrySource>>,
    /// The digest that it is pinned to, as written.
    pub sha256: Option<Spot<String>>,
    /// How far the marketplace itself trusts it; never above the marketplace's own tier.
    pub tier: Option<TrustTier>,
    /// Whether the plugin needs a manifest of its own; true unless it says `false`.
    pub strict: bool,
    /// Version, description and components that the entry states, as in a manifest of Claude Code.
    pub manifest: Manifest,
    /// The keys of a manifest that it states, as written; none where it brings no components by any of
    /// [`COMPONENT_KEYS`].
    pub stated: Vec<Entry>,
}

/// What a marketplace's file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marketplace {
    /// Its name.
    pub name: Option<Spot<String>>,
    /// What it is for.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The folder that relative paths start from, if it is not the root.
    pub plugin_root: Option<String>,
    /// Its plugins, in the order of the file.
    pub entries: Vec<MarketplaceEntry>,
    /// What is odd about it.
    pub problems: Vec<Problem>,
}

/// Reads a marketplace.
///
/// # Errors
///
/// The problem for which nothing of it can be used: `broken-marketplace`.
pub fn parse(bytes: &[u8], is_toml: bool) -> Result<Marketplace, Problem> {
    let format = if is_toml { Format::Toml } else { Format::Json };
    let document = document::parse(bytes, format).map_err(|problem| Problem {
        code: Code::BrokenMarketplace,
        ..problem
    })?;
    let start = document.root.position;
    let mut fields = Fields::of(&document.root);
    fields.problems = document.problems;
    fields.check(&[
        ("$schema", Type::Text),
        ("owner", Type::TextOrTable),
        ("interface", Type::Table),
        ("homepage", Type::Text),
        ("renames", Type::Table),
    ]);
    let mut marketplace = Marketplace {
        name: fields.words("name"),
        description: fields.text("description").map(|text| text.value),
        version: fields.text("version").map(|text| text.value),
        ..Marketplace::default()
    };
    if let Some(metadata) = fields.get("metadata", Type::Table) {
        let mut inner = Fields::of(metadata);
        let description = inner.text("description").map(|text| text.value);
        marketplace.description = marketplace.description.or(description);
        marketplace.version = marketplace
            .version
            .or(inner.text("version").map(|text| text.value));
        let root = inner.words("pluginRoot").or_else(|| inner.words("plugin-root"));
        marketplace.plugin_root = root.map(|text| text.value);
        fields.problems.append(&mut inner.problems);
    }
    if marketplace.name.is_none() {
        let message = "the marketplace has no name";
        let problem = Problem::new(Code::BrokenMarketplace, Some(start), message);
        push(
            &mut fields.problems,
            problem.with_help("give it a `name`; without one it goes by its folder's"),
        );
    }
    match fields.get("plugins", Type::List).and_then(as_list) {
        Some(values) => {
            let mut lines: HashMap<String, u32> = HashMap::new();
            for value in values.iter().take(MAX_ENTRIES) {
                if let Some(entry) = entry(value, &mut fields.problems) {
                    let name = &entry.name;
                    if let Some(line) = lines.get(&name.value) {
                        let message = format!(
                            "the marketplace has two entries of the name `{}`; the one in line {line} counts",
                            name.value
                        );
                        let help = "rename or remove one of them";
                        bad_entry(&mut fields.problems, name.at, message, help);
                        continue;
                    }
                    lines.insert(name.value.clone(), name.at.line);
                    marketplace.entries.push(entry);
                }
            }
        }
        None if fields.any("plugins").is_none() => {
            let message = "the file has no list `plugins`";
            let problem = Problem::new(Code::BrokenMarketplace, Some(start), message);
            push(
                &mut fields.problems,
                problem.with_help("give it `plugins`, empty if there are none"),
            );
        }
        None => {}
    }
    marketplace.problems = fields.problems;
    Ok(marketplace)
}

fn bad_entry(problems: &mut Vec<Problem>, at: Position, message: impl Into<String>, help: &str) {
    let problem = Problem::new(Code::BadMarketplaceEntry, Some(at), message);
    push(problems, problem.with_help(help));
}

/// How far an entry says that it is trusted. Whoever writes something that is no tier means to say so, and it can only
/// lower the trust: it counts as none at all.
fn tier(fields: &mut Fields<'_>, name: &str) -> Option<TrustTier> {
    let key = ["trust_tier", "tier"]
        .into_iter()
        .find(|key| fields.any(key).is_some())?;
    let stated = fields
        .text(key)
        .map(|stated| (stated.value.trim().to_owned(), stated.at));
    let (stated, at) = match stated {
        Some((stated, at)) => (stated, at),
        // Its type was told of.
        None => return Some(TrustTier::Unverified),
    };
    let known = TrustTier::ALL.into_iter().find(|known| known.as_str() == stated);
    if known.is_none() {
        let message = format!("the `{key}` of the entry `{name}` is none, so it is `unverified`: `{stated}`");
        let help = "write official, verified, community or unverified";
        bad_entry(&mut fields.problems, at, message, help);
    }
    Some(known.unwrap_or(TrustTier::Unverified))
}

fn entry(value: &Located, problems: &mut Vec<Problem>) -> Option<MarketplaceEntry> {
    if !is_table(value) {
        let message = format!("an entry is {}, not a table", value.value.type_name());
        bad_entry(
            problems,
            value.position,
            message,
            "make it a table with `name` and `source`",
        );
        return None;
    }
    let mut fields = Fields::of(value);
    let name = fields.words("name").or_else(|| fields.words("id"));
    let Some(name) = name else {
        bad_entry(
            problems,
            value.position,
            "an entry has no name",
            "give it a `name`",
        );
        problems.append(&mut fields.problems);
        return None;
    };
    let source = match fields.any("source") {
        Some(source) => match read_source(source) {
            Ok(read) => Some(Spot {
                value: read,
                at: source.position,
            }),
            Err(why) => {
                let message = format!(
                    "the entry `{}` has a source that cannot be read: {why}",
                    name.value
                );
                let help = "give it a relative path, or a table with `source` and what that kind needs";
                bad_entry(problems, source.position, message, help);
                None
            }
        },
        None => {
            let message = format!("the entry `{}` does not say where it comes from", name.value);
            bad_entry(problems, name.at, message, "give it a `source`");
            None
        }
    };
    let tier = tier(&mut fields, &name.value);
    let sha256 = fields.words("sha256");
    let strict = fields.get("strict", Type::Bool);
    let strict = strict.is_none_or(|value| value.value != document::Value::Bool(false));
    let mut manifest = harness::claude(value);
    problems.append(&mut fields.problems);
    problems.append(&mut manifest.problems);
    let brings = COMPONENT_KEYS.iter().any(|key| fields.any(key).is_some());
    let is_stated = |entry: &&Entry| {
        let keys = COMPONENT_KEYS.iter().chain(&METADATA_KEYS);
        entry.value.value != document::Value::Null && keys.into_iter().any(|key| entry.key == *key)
    };
    let stated = value.value.entries().iter().filter(|_| brings).filter(is_stated);
    let stated = stated.cloned().collect();
    Some(MarketplaceEntry {
        name,
        source,
        sha256,
        tier,
        strict,
        manifest,
        stated,
    })
}

/// Whether a text is the address of a git repository.
fn is_address(text: &str) -> bool {
    text.contains("://") || text.starts_with("git@")
}

fn read_source(source: &Located) -> Result<EntrySource, String> {
    if let Some(text) = as_text(source) {
        return Ok(if is_address(text) {
            EntrySource::Git {
                kind: "url",
                url: text.to_owned(),
                pick: GitPick::default(),
            }
        } else {
            EntrySource::Path(text.to_owned())
        });
    }
    if !is_table(source) {
        return Err(format!("it is {}", source.value.type_name()));
    }
    let words = |key: &str| {
        let text = source.value.get(key).and_then(as_text);
        text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let needs = |key: &str| words(key).ok_or_else(|| format!("it has no `{key}`"));
    let pick = || GitPick {
        path: words("path"),
        reference: words("ref"),
        sha: words("sha"),
    };
    let kind = needs("source")?;
    Ok(match kind.as_str() {
        "local" | "path" | "relative" => EntrySource::Path(needs("path")?),
        "github" => EntrySource::Github {
            repo: needs("repo")?,
            pick: pick(),
        },
        "url" | "git" => {
            let url = needs("url")?;
            if url.starts_with('.') && !is_address(&url) {
                EntrySource::Path(url)
            } else {
                EntrySource::Git {
                    kind: "url",
                    url,
                    pick: pick(),
                }
            }
        }
        "git-subdir" => {
            needs("path")?;
            EntrySource::Git {
                kind: "git-subdir",
                url: needs("url")?,
                pick: pick(),
            }
        }
        "npm" | "pip" => EntrySource::Package {
            kind: if kind == "npm" { "npm" } else { "pip" },
            package: needs("package")?,
            version: words("version"),
            registry: words("registry").or_else(|| words("index_url")),
        },
        "directory" => EntrySource::Directory(needs("path")?),
        "file" => EntrySource::File(needs("path")?),
        _ => EntrySource::Unknown(kind),
    })
}
