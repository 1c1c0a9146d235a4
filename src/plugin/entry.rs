//! What an entry of a marketplace makes of the plugin that it leads to.
//!
//! An entry may state components itself. Where the plugin has no manifest of its own, the entry is its manifest;
//! where it has one, the entry adds to it, unless it says `strict: false`: then it claims to be all there is, and two
//! that both name components contradict each other (reference/hosts.md 1.6). An installed plugin has to stand for
//! itself, so what the entry states is written into it as `.claude-plugin/plugin.json`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::inside::{self, Inside};
use super::read::Plugin;
use crate::model::{ComponentKind, PluginFormat};
use crate::parse::document::{self, Format};
use crate::parse::manifest::marketplace::{COMPONENT_KEYS, MarketplaceEntry};
use crate::parse::manifest::{self, Manifest};

/// The manifest that an entry becomes.
pub const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The part that an entry has in a plugin.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// None: it states no components, so the plugin stands for itself.
    Nothing,
    /// Its text is, or goes into, the plugin's manifest.
    Manifest(Stated),
    /// None, though it states components: the plugin's own manifest does not take them in, for this reason.
    Unheard(String),
}

/// What an entry's components come to as a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The manifest, as JSON.
    pub text: String,
    /// Whether the skills that it names are all that the plugin has: so it is where several entries share the
    /// marketplace's own directory.
    pub skills_are_exact: bool,
}

/// What part an entry has in the plugin that it leads to. `is_root` says that the plugin's directory is the
/// marketplace's own.
///
/// # Errors
///
/// Why the two cannot be one plugin, in words.
pub fn role(entry: &MarketplaceEntry, plugin: &Plugin, is_root: bool) -> Result<Role, String> {
    if entry.stated.is_empty() {
        return Ok(Role::Nothing);
    }
    let own = match plugin.manifest() {
        None if plugin.invalid.is_some() => return Ok(Role::Nothing),
        own => own,
    };
    let names_skills = |manifest: &Manifest| manifest.declares.contains(&ComponentKind::Skill);
    let manifest = match own {
        Some((file, manifest)) if ranks_above(file.format, file.relative) => {
            if !entry.strict && names_components(manifest) {
                return Err(contradicts(file.relative));
            }
            return Ok(Role::Unheard(format!(
                "what the entry states of components does not count: the plugin has a {}, which the entry cannot add to",
                file.relative
            )));
        }
        Some((file, manifest)) if file.relative == MANIFEST => {
            if !entry.strict && names_components(manifest) {
                return Err(contradicts(file.relative));
            }
            let bytes = inside::read(&file.path).map_err(|error| error.to_string())?;
            let own = document::parse(&bytes, Format::Json).map_err(|problem| problem.message)?;
            joined(own.root.value.to_json(), entry)?
        }
        _ => table(entry),
    };
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| error.to_string())? + "\n";
    let read = manifest::parse(text.as_bytes(), PluginFormat::Claude, false);
    let read =
        read.map_err(|problem| format!("what the entry states makes no manifest: {}", problem.message))?;
    Ok(Role::Manifest(Stated {
        skills_are_exact: is_root
            && names_skills(&read)
            && own.is_none_or(|(_, manifest)| !names_skills(manifest)),
        text,
    }))
}

fn contradicts(relative: &str) -> String {
    format!(
        "the entry says `strict: false` and names components, and so does the plugin's own {relative}; only one may"
    )
}

/// Whether a manifest counts before the one that an entry becomes.
fn ranks_above(format: PluginFormat, relative: &str) -> bool {
    match format {
        PluginFormat::AlephToml | PluginFormat::AlephJson => true,
        PluginFormat::Claude => relative != MANIFEST,
        _ => false,
    }
}

fn names_components(manifest: &Manifest) -> bool {
    !manifest.declares.is_empty() || !manifest.runs.is_empty() || !manifest.other_paths.is_empty()
}

/// What an entry states, as a manifest.
fn table(entry: &MarketplaceEntry) -> Value {
    let mut table: Map<String, Value> = Map::new();
    // An entry may have an `id` instead.
    table.insert("name".to_owned(), entry.name.value.trim().into());
    for stated in &entry.stated {
        if stated.key != "name" {
            table.insert(stated.key.clone(), stated.value.value.to_json());
        }
    }
    Value::Object(table)
}

/// A plugin's own manifest with what an entry adds to it. Where both state something else than components, the
/// plugin's own word counts.
fn joined(own: Value, entry: &MarketplaceEntry) -> Result<Value, String> {
    let (Value::Object(mut own), Value::Object(more)) = (own, table(entry)) else {
        return Err("the plugin's own manifest is no table".to_owned());
    };
    for (key, value) in more {
        match own.remove(&key).filter(|there| !there.is_null()) {
            None => {
                own.insert(key, value);
            }
            Some(there) if !COMPONENT_KEYS.contains(&key.as_str()) => {
                own.insert(key, there);
            }
            Some(there) => {
                let both = added(&key, there, value)
                    .ok_or_else(|| format!("the entry and the plugin's own manifest state `{key}` in ways that cannot be added up"))?;
                own.insert(key, both);
            }
        }
    }
    Ok(Value::Object(own))
}

/// Two values of a key that names components, as one.
fn added(key: &str, one: Value, other: Value) -> Option<Value> {
    match (one, other) {
        (Value::Object(mut one), Value::Object(other)) if key != "hooks" => {
            for (name, value) in other {
                one.entry(name).or_insert(value);
            }
            Some(Value::Object(one))
        }
        (one, other) => {
            let takes_tables = matches!(key, "hooks" | "mcpServers" | "mcp-servers");
            let mut all = many(one);
            for value in many(other) {
                if !all.contains(&value) {
                    all.push(value);
                }
            }
            let fits = takes_tables || all.iter().all(Value::is_string);
            fits.then_some(Value::Array(all))
        }
    }
}

fn many(value: Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values,
        value => vec![value],
    }
}

/// What is directly in a plugin's `skills` and would be a skill, or holds some, without being named by a manifest:
/// paths from the plugin. Only that directory is listed.
///
/// # Errors
///
/// What the system answers where `skills` is there and cannot be listed.
pub fn unnamed_skills(plugin: &Path, stated: &Manifest) -> std::io::Result<Vec<PathBuf>> {
    let inside = Inside::new(plugin);
    let mut named: Vec<PathBuf> = Vec::new();
    for (_, path) in stated
        .parts
        .iter()
        .filter(|(kind, _)| *kind == ComponentKind::Skill)
    {
        if let Ok(place) = inside.locate(&path.text) {
            named.extend([place.path, place.real]);
        }
    }
    let folder = plugin.join("skills");
    if !std::fs::symlink_metadata(&folder).is_ok_and(|folder| folder.is_dir()) {
        return Ok(Vec::new());
    }
    let mut unnamed = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        let path = entry.path();
        let real = inside.real.join("skills").join(entry.file_name());
        let is_named = named.iter().any(|named| {
            [&path, &real]
                .into_iter()
                .any(|path| named.starts_with(path) || path.starts_with(named))
        });
        // A flat `.md` there is a skill too; other files are what skills refer to.
        let is_other = entry.file_type()?.is_file()
            && !path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        if !is_other && !is_named {
            unnamed.push(Path::new("skills").join(entry.file_name()));
        }
    }
    unnamed.sort();
    Ok(unnamed)
}
