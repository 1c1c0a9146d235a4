//! Every plugin that a marketplace of a real repository serves from itself, installed, verified and removed again. The
//! library does it in this process: a process a step for hundreds of plugins would take minutes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use aleph_discover::host::HostProfile;
use aleph_discover::model::State;
use aleph_discover::plugin::install::{self, Git, Prepared, Setting};
use aleph_discover::plugin::installed::{self, Standing};
use aleph_discover::plugin::marketplace::MARKETPLACE_FILES;
use aleph_discover::plugin::registry::{self, Fetch};
use aleph_discover::plugin::source::Source;
use aleph_discover::plugin::{Breadth, PART_KINDS, Plugin};
use serde_json::Value;

use crate::support::snapshot::snapshot;
use crate::support::{corpus, skipped};

/// Set, every plugin is tried, which takes about ten minutes; else the first and the last of each marketplace, and
/// every one whose entry states components.
const WHOLE: &str = "ALEPH_DISCOVER_WHOLE_CORPUS";

/// What a plugin brings, by kind and short name, with the state of each.
fn components(plugin: &Plugin) -> BTreeSet<String> {
    let parts = plugin.parts(HostProfile::native(), &PART_KINDS, Breadth::Everything);
    let line = |one: &aleph_discover::model::Candidate| {
        let id = one.id().into_owned();
        let name = id
            .split_once(':')
            .map_or(id.as_str(), |(_, name)| name)
            .to_owned();
        let state = if one.state == State::Active {
            ""
        } else {
            " passed over"
        };
        format!("{} {name}{state}", one.kind)
    };
    parts.candidates.iter().map(line).collect()
}

/// Every directory of a tree that is a marketplace.
fn markets(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_dir())
        .map(|entry| entry.into_path())
        .filter(|dir| MARKETPLACE_FILES.iter().any(|file| dir.join(file).is_file()))
        .collect();
    found.sort();
    found
}

/// What the marketplace's own file says of an entry, read by another parser.
fn said(market: &Path, name: &str) -> Value {
    let file = MARKETPLACE_FILES
        .iter()
        .map(|file| market.join(file))
        .find(|file| file.is_file())
        .unwrap();
    let read: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap_or_default();
    let entries = read["plugins"].as_array().cloned().unwrap_or_default();
    entries
        .into_iter()
        .find(|entry| entry["name"] == name)
        .unwrap_or_default()
}

#[derive(Debug, Default, PartialEq)]
struct Tally {
    markets: usize,
    installed: usize,
    /// Of these, whose entry states components itself.
    stated: usize,
    /// Not installable, and a reason is given.
    refused: usize,
    /// Fetched from elsewhere, so not tried here.
    elsewhere: usize,
    /// Not tried for want of time.
    left_out: usize,
}

#[test]
fn what_the_marketplaces_of_the_skeletons_serve_is_installed_whole_and_removed_without_a_trace() {
    let Some(folder) = corpus::folder() else {
        return skipped(
            "what_the_marketplaces_of_the_skeletons_serve_is_installed_whole_and_removed_without_a_trace",
            "the corpus is not beside this package",
        );
    };
    let mut tally = Tally::default();
    for name in corpus::names(&folder) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(&name);
        corpus::unpack(&folder, &name, &root);
        for market in markets(&root) {
            round(&market, &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.markets >= 20 && tally.installed >= 35, "{tally:?}");
    assert!(tally.stated >= 15, "{tally:?}");
    if tally.left_out > 0 {
        println!(
            "A SAMPLE: {} plugins were left out; {WHOLE}=1 tries every one",
            tally.left_out
        );
    } else {
        assert!(tally.installed >= 700, "{tally:?}");
    }
}

/// Adds one marketplace to a fresh home, and lets each of its plugins come and go.
fn round(market: &Path, tally: &mut Tally) {
    let home = tempfile::tempdir().unwrap();
    let setting = Setting {
        show_secrets: false,
        home: home.path().join(".aleph"),
        profile: HostProfile::native(),
        git: Git::new([]),
    };
    fs::create_dir_all(setting.home.join("plugins")).unwrap();
    let shown = market.display();
    let source = Source::Path(market.to_path_buf());
    let change = install::add_marketplace(&setting, &source, Some("market"), &mut ())
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert_eq!(change.subject, "market");
    tally.markets += 1;
    let before = snapshot(&setting.home);
    let registry = registry::read(&setting.home);
    let registered = registry.get("market").unwrap();
    let entries = registered.entries();
    for (index, entry) in entries.iter().enumerate() {
        let name = &entry.name.value;
        let is_end = index == 0 || index + 1 == entries.len();
        let is_tried = is_end || !entry.stated.is_empty() || std::env::var_os(WHOLE).is_some();
        if let Some(why) = registered.obstacle(entry) {
            assert!(!why.trim().is_empty(), "{shown}: {name}");
            tally.refused += 1;
            continue;
        }
        let Ok(Fetch::Directory(dir)) = registered.fetch(entry) else {
            tally.elsewhere += 1;
            continue;
        };
        if !is_tried {
            tally.left_out += 1;
            continue;
        }
        let source = Source::Marketplace {
            name: name.clone(),
            marketplace: Some("market".to_owned()),
        };
        let mut steps = ();
        let change = Prepared::new(&setting, &source, &mut steps)
            .and_then(|prepared| prepared.install(false, SystemTime::UNIX_EPOCH));
        let change = match change {
            Ok(change) => change,
            Err(error) => {
                // Only what needs the whole tree to be seen: links out of it, for instance.
                assert!(
                    error.to_string().contains("symbolic link"),
                    "{shown}: {name}: {error}"
                );
                assert_eq!(snapshot(&setting.home), before, "{shown}: {name}");
                tally.refused += 1;
                continue;
            }
        };
        let there = Plugin::read(&setting.home.join("plugins").join(&change.subject));
        assert_eq!(there.id, change.subject, "{shown}: {name}");
        if entry.stated.is_empty() {
            assert_eq!(
                components(&there),
                components(&Plugin::read(&dir)),
                "{shown}: {name}"
            );
        } else {
            stated(market, name, &dir, &there);
            tally.stated += 1;
        }
        let records = installed::read(&setting.home);
        let verified = installed::verify(&setting.home, &records, None, |_| {});
        let standing: Vec<Standing> = verified.iter().map(|one| one.standing).collect();
        assert_eq!(standing, [Standing::Unchanged], "{shown}: {name}");
        install::remove(&setting.home, &change.subject, Some(&there.path), &mut ()).unwrap();
        assert_eq!(snapshot(&setting.home), before, "{shown}: {name}");
        tally.installed += 1;
    }
}

/// A plugin whose entry states what it brings, against what the marketplace's file says.
fn stated(market: &Path, name: &str, dir: &Path, there: &Plugin) {
    let entry = said(market, name);
    let (_, manifest) = there.manifest().unwrap();
    assert_eq!(there.declared_name.as_deref(), Some(name));
    assert_eq!(there.version.as_deref(), entry["version"].as_str());
    let servers = entry["lspServers"].as_object().map_or(0, serde_json::Map::len);
    assert_eq!(manifest.runs.len(), servers, "{name}");
    let found = components(there);
    if let Some(skills) = entry["skills"].as_array() {
        assert!(
            dir.canonicalize().unwrap() == market.canonicalize().unwrap(),
            "{name}"
        );
        let wanted: BTreeSet<String> = skills
            .iter()
            .map(|skill| dir.join(skill.as_str().unwrap()))
            .filter(|skill| skill.join("SKILL.md").is_file())
            .map(|skill| format!("skill {}", skill.file_name().unwrap().to_str().unwrap()))
            .collect();
        let of_skills = |line: &&String| line.starts_with("skill ") && !line.ends_with(" passed over");
        let found: BTreeSet<String> = found.iter().filter(of_skills).cloned().collect();
        assert!(!wanted.is_empty(), "{name}");
        assert_eq!(found, wanted, "{name}");
    } else {
        assert!(servers > 0 && found.is_empty(), "{name}: {found:?}");
    }
}
