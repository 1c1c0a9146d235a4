//! The plugins and marketplaces of real repositories, found and read here by another route: walking the skeletons'
//! own files and reading their JSON with another parser.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aleph_discover::host::HostProfile;
use aleph_discover::model::{CandidateRef, ComponentKind, State};
use aleph_discover::plugin::{Breadth, Disclosure, PART_KINDS, Plugin, Provenance, marketplace, validate};
use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{list, text};
use crate::support::{corpus, skipped};

/// The repositories that are laid out as plugins of a home.
const TEN: [&str; 10] = [
    "EveryInc+compound-engineering-plugin",
    "VoltAgent+awesome-claude-code-subagents",
    "affaan-m+everything-claude-code",
    "anthropics+claude-code",
    "anthropics+knowledge-work-plugins",
    "anthropics+skills",
    "cursor+plugins",
    "obra+superpowers",
    "pbakaus+impeccable",
    "wshobson+agents",
];

const MANIFESTS: [&str; 3] = [
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
];

fn json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

fn is_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Every directory of a tree that a manifest makes a plugin.
fn plugin_dirs(root: &Path) -> Vec<PathBuf> {
    let is_plugin = |dir: &Path| {
        MANIFESTS
            .iter()
            .any(|manifest| is_file(&dir.join(manifest)) && is_dir(dir.join(manifest).parent().unwrap()))
            || is_file(&dir.join("aleph.plugin.toml"))
    };
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_dir() && is_plugin(entry.path()))
        .map(walkdir::DirEntry::into_path)
        .collect()
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    if !is_dir(dir) {
        return Vec::new();
    }
    let mut found: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.retain(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'));
    found
}

/// The markers that lie in a folder of components.
fn markers(folder: &Path, marker: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for path in entries(folder) {
        if is_dir(&path) && is_file(&path.join(marker)) {
            found.insert(path.join(marker));
        } else if is_file(&path) && path.extension().is_some_and(|extension| extension == "md") {
            found.insert(path);
        }
    }
    found
}

/// The ids that markers have: the name in their front matter if it may be one, else the path's; those whose front
/// matter is no YAML have none.
fn ids(markers: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for path in markers {
        let text = fs::read_to_string(path).unwrap();
        let text = text.replace("\r\n", "\n");
        let front = text
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---").map(|(front, _)| front));
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let own = if stem == "SKILL" || stem == "agent" {
            path.parent().unwrap().file_name().unwrap().to_str().unwrap()
        } else {
            stem
        };
        let read: Result<Option<Value>, _> = front.map(serde_saphyr::from_str).transpose();
        let Ok(read) = read else { continue };
        let name = read
            .as_ref()
            .and_then(|value| value["name"].as_str())
            .map(str::trim);
        let usable = |name: &&str| !name.is_empty() && !name.contains(['/', '\\', ':']);
        ids.insert(name.filter(usable).unwrap_or(own).to_owned());
    }
    ids
}

#[test]
fn every_plugin_and_marketplace_of_the_skeletons_is_recognised_with_its_components() {
    let Some(folder) = corpus::folder() else {
        return skipped(
            "every_plugin…",
            "no corpus: set ALEPH_DISCOVER_SHARED to the folder that holds it",
        );
    };
    let (mut plugins, mut components, mut marketplaces, mut entries_of_all) = (0, 0, 0, 0);
    let mut shown = Shown::default();
    for name in corpus::names(&folder) {
        let tree = Tree::large();
        let root = tree.path("skeleton");
        corpus::unpack(&folder, &name, &root);
        for dir in plugin_dirs(&root) {
            plugins += 1;
            components += check_plugin(&dir);
            shown.check(&dir);
        }
        for entry in walkdir::WalkDir::new(&root)
            .into_iter()
            .map(|entry| entry.unwrap())
        {
            let dir = entry.path();
            for sign in marketplace::MARKETPLACE_FILES {
                let path = dir.join(sign);
                if !entry.file_type().is_dir() || !is_file(&path) {
                    continue;
                }
                assert!(marketplace::find(dir).is_some(), "{}", dir.display());
                let file = marketplace::read_file(dir, path.clone());
                let read = file
                    .marketplace
                    .as_ref()
                    .unwrap_or_else(|| panic!("{}: {:?}", path.display(), file.diagnostics));
                let theirs = json(&path).unwrap();
                let named = theirs["plugins"].as_array().map_or(0, |plugins| {
                    plugins
                        .iter()
                        .filter(|one| one["name"].is_string() || one["id"].is_string())
                        .count()
                });
                assert_eq!(read.entries.len(), named, "{}", path.display());
                assert!(
                    read.entries.iter().all(|entry| entry.source.is_some()),
                    "{}",
                    path.display()
                );
                let validation = validate(&path, HostProfile::native());
                assert!(!validation.subjects.is_empty(), "{}", path.display());
                marketplaces += 1;
                entries_of_all += named;
            }
        }
    }
    assert!(
        plugins > 1500 && components > 5000,
        "{plugins} plugins with {components} components"
    );
    let Shown {
        commands,
        names,
        urls,
    } = shown;
    assert!(
        commands > 100 && urls > 100 && names > 5,
        "{commands} commands, {urls} addresses, {names} names"
    );
    // Those of other harnesses, in folders of their own, are none of ours.
    assert!(
        marketplaces >= 26 && entries_of_all > 1300,
        "{marketplaces} marketplaces, {entries_of_all} entries"
    );
}

/// Checks one plugin; how many components it has.
fn check_plugin(dir: &Path) -> usize {
    let plugin = Plugin::read(dir);
    let shown = dir.display();
    assert!(plugin.invalid.is_none(), "{shown}: {:?}", plugin.invalid);
    let there = MANIFESTS.iter().filter(|manifest| is_file(&dir.join(manifest)));
    let there: Vec<&str> = there.copied().collect();
    let read: Vec<&str> = plugin
        .manifests
        .iter()
        .map(|file| file.relative)
        .filter(|path| path.ends_with(".json"))
        .collect();
    assert_eq!(read, there, "{shown}");
    if let Some(first) = there.first().filter(|_| !is_file(&dir.join("aleph.plugin.toml"))) {
        let manifest = json(&dir.join(first)).unwrap();
        assert_eq!(
            plugin.declared_name.as_deref(),
            manifest["name"].as_str(),
            "{shown}"
        );
        assert_eq!(plugin.version.as_deref(), manifest["version"].as_str(), "{shown}");
    }
    // Whatever any harness would load: every default folder, in full.
    let parts = plugin.parts(HostProfile::native(), &PART_KINDS, Breadth::Everything);
    let resolution = parts.into_resolution();
    let mut count = 0;
    for (kind, folder, marker) in [
        (ComponentKind::Skill, "skills", "SKILL.md"),
        (ComponentKind::Command, "commands", "SKILL.md"),
        (ComponentKind::Agent, "agents", "agent.md"),
    ] {
        let wanted = markers(&dir.join(folder), marker);
        let found: BTreeSet<PathBuf> = resolution
            .candidates
            .iter()
            .filter(|one| one.kind == kind && matches!(one.state, State::Active | State::Invalid))
            .filter_map(|one| CandidateRef::new(&resolution, one).marker())
            .filter(|marker| marker.starts_with(dir.join(folder)))
            .collect();
        let missing: Vec<&PathBuf> = wanted.difference(&found).collect();
        assert!(missing.is_empty(), "{shown}: {missing:?}");
        count += found.len();
    }
    count
}

#[test]
fn a_home_with_ten_of_the_repositories_has_the_right_counts() {
    let test = "a_home_with_ten_of_the_repositories_has_the_right_counts";
    let Some(folder) = corpus::folder() else {
        return skipped(
            test,
            "no corpus: set ALEPH_DISCOVER_SHARED to the folder that holds it",
        );
    };
    let tree = Tree::in_git("");
    for name in TEN {
        corpus::unpack(&folder, name, &tree.path("home/.aleph/plugins").join(name));
    }
    let report = tree.aleph(["plugins", "--json"]).run().exits(0).json();
    let plugins = list(&report, "plugins");
    let listed: BTreeSet<PathBuf> = plugins
        .iter()
        .map(|one| PathBuf::from(text(one, "path").replace("[ROOT]", tree.root().to_str().unwrap())))
        .collect();
    let mut checked = 0;
    for name in TEN {
        let root = tree.path("home/.aleph/plugins").join(name);
        let signs = ["skills", "commands", "agents", "hooks"];
        let is_plugin = |dir: &Path| {
            MANIFESTS
                .iter()
                .chain(&[".mcp.json", ".cursorrules"])
                .any(|sign| is_file(&dir.join(sign)))
                || signs
                    .iter()
                    .chain(&[".cursor/rules"])
                    .any(|sign| is_dir(&dir.join(sign)))
        };
        let wanted: Vec<PathBuf> = if is_plugin(&root) {
            vec![root.clone()]
        } else {
            // Of a monorepo whatever is in it is listed, also what is no plugin.
            let inner: Vec<PathBuf> = std::fs::read_dir(&root)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            if inner.iter().any(|dir| is_dir(dir) && is_plugin(dir)) {
                inner
            } else {
                vec![root.clone()]
            }
        };
        for dir in wanted {
            assert!(listed.contains(&dir), "{} is not listed", dir.display());
            checked += 1;
        }
    }
    assert_eq!(checked, plugins.len());
    let mut total = 0;
    for one in plugins.iter().filter(|one| one["state"] != "ignored") {
        let dir = PathBuf::from(text(one, "path").replace("[ROOT]", tree.root().to_str().unwrap()));
        let manifest = one["manifest"]
            .as_str()
            .and_then(|path| json(Path::new(&path.replace("[ROOT]", tree.root().to_str().unwrap()))));
        for (kind, folder, marker) in [
            ("skill", "skills", "SKILL.md"),
            ("command", "commands", "SKILL.md"),
            ("agent", "agents", "agent.md"),
        ] {
            let mut all = markers(&dir.join(folder), marker);
            // Those that a manifest names lie beside the folder, or are the folder.
            let named = manifest
                .as_ref()
                .map(|manifest| manifest[folder].clone())
                .unwrap_or_default();
            let named: Vec<&str> = match &named {
                Value::String(path) => vec![path],
                Value::Array(paths) => paths.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            };
            let replaces =
                !named.is_empty() && (kind != "skill" || !text(one, "manifest").contains(".claude-plugin"));
            if replaces {
                all.clear();
            }
            for path in named {
                let path = dir.join(path.trim_start_matches("./"));
                if is_file(&path) {
                    all.insert(path);
                } else {
                    all.extend(markers(&path, marker));
                }
            }
            let count = one["counts"][kind].as_u64().unwrap();
            assert_eq!(count, ids(&all).len() as u64, "{kind} of {}", dir.display());
            total += count;
        }
    }
    assert!(total > 600, "{total} components were counted");
}

/// Texts of a definition: what stands under these keys, wherever.
fn collect(value: &Value, keys: &[&str], found: &mut Vec<String>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                match value {
                    Value::String(text) if keys.contains(&key.as_str()) => found.push(text.clone()),
                    Value::Array(values) if keys.contains(&key.as_str()) => {
                        found.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    _ => {}
                }
                collect(value, keys, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, keys, found)),
        _ => {}
    }
}

/// Names and values under these keys, wherever.
fn pairs(value: &Value, keys: &[&str], found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                if let (true, Value::Object(inner)) = (keys.contains(&key.as_str()), value) {
                    found.extend(
                        inner.iter().map(|(name, value)| {
                            (name.clone(), value.as_str().unwrap_or_default().to_owned())
                        }),
                    );
                }
                pairs(value, keys, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| pairs(value, keys, found)),
        _ => {}
    }
}

/// How much was found in the definitions of plugins, and shown by their disclosure.
#[derive(Default)]
struct Shown {
    commands: usize,
    names: usize,
    urls: usize,
}

impl Shown {
    /// Checks that disclosure shows every command, name and address of a plugin's standard files, and no secret.
    fn check(&mut self, dir: &Path) {
        let files = ["hooks/hooks.json", ".mcp.json"];
        let files: Vec<Value> = files.iter().filter_map(|file| json(&dir.join(file))).collect();
        if files.is_empty() {
            return;
        }
        let plugin = Plugin::read(dir);
        let provenance = Provenance::default();
        let Ok(disclosure) = Disclosure::of(&plugin, HostProfile::native(), &provenance) else {
            // A whole repository with more files, or with links out of it, may not be installed.
            return;
        };
        let shown = serde_json::to_value(&disclosure).unwrap();
        let told =
            serde_json::to_string(&(&disclosure.runs, &disclosure.secrets, &disclosure.network)).unwrap();
        let mut runs = Vec::new();
        collect(&shown["runs"], &["command", "args"], &mut runs);
        let secrets = list(&shown, "secrets");
        let asked: BTreeSet<&str> = secrets.iter().map(|secret| text(secret, "name")).collect();
        let reached: Vec<&str> = list(&shown["network"], "urls")
            .iter()
            .map(|url| url.as_str().unwrap())
            .collect();
        for file in &files {
            // What stands beside the hooks is prose about them.
            let file = file.get("hooks").unwrap_or(file);
            let mut wanted = Vec::new();
            collect(file, &["command", "args", "bash", "powershell"], &mut wanted);
            for mut text in wanted {
                for variable in ["CLAUDE_PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT", "PLUGIN_ROOT"] {
                    text = text.replace(&format!("${{{variable}}}"), dir.to_str().unwrap());
                }
                // What is masked is not the same, but what stands before it is.
                let is_shown = runs.iter().any(|run| match run.split_once("***") {
                    Some((before, _)) => text.starts_with(before),
                    None => *run == text,
                });
                assert!(is_shown, "{}: {text}\n{runs:#?}", dir.display());
                self.commands += 1;
            }
            let mut named = Vec::new();
            pairs(file, &["env", "environment", "headers"], &mut named);
            for (name, value) in named {
                assert!(asked.contains(name.as_str()), "{}: {name}", dir.display());
                let is_secret = value.len() >= 8 && !value.contains("${");
                assert!(
                    !is_secret || !told.contains(&value),
                    "{}: the value of {name}",
                    dir.display()
                );
                self.names += 1;
            }
            let mut addresses = Vec::new();
            collect(file, &["url"], &mut addresses);
            for url in addresses {
                let is_shown = |known: &&str| *known == url || known.contains("***");
                assert!(reached.iter().any(is_shown), "{}: {url}", dir.display());
                self.urls += 1;
            }
        }
    }
}
