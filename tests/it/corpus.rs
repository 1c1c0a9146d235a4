//! The skeletons of real repositories, laid out as projects and homes: nothing that lies in a scanned directory is
//! missing from the answer, nothing is there twice, and nothing is without a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::run::Aleph;
use crate::support::tree::Tree;
use crate::support::view::{candidates, chains, list, text};
use crate::support::{corpus, skipped};

/// Kinds and the directories that they lie in.
const KINDS: [(&str, &str); 4] = [
    ("skill", "skills"),
    ("command", "commands"),
    ("agent", "agents"),
    ("plugin", "plugins"),
];

/// How many directories stand between the git root and the start of the built projects, both included.
const LEVELS: usize = 8;

/// A project and a home to scan.
struct Place {
    start: PathBuf,
    git_root: PathBuf,
    home: PathBuf,
}

/// Each skeleton as a project, the next one as the home.
#[test]
fn each_skeleton_as_project_and_home() {
    over_all_skeletons("each_skeleton_as_project_and_home", |tree, project, home| {
        let place = Place {
            start: project.to_owned(),
            git_root: project.to_owned(),
            home: home.to_owned(),
        };
        check(tree, &place)
    });
}

/// Every `skills`, `commands`, `agents` and `plugins` directory of a skeleton, wherever it lies, as one of the roots
/// of a project with many levels, and those of the next skeleton as the home's.
#[test]
fn each_skeletons_folders_as_component_directories() {
    let total = over_all_skeletons(
        "each_skeletons_folders_as_component_directories",
        |tree, project, home| {
            let name = project.file_name().expect("a name");
            let git_root = tree.path("built").join(name);
            let home_dir = tree.path("homes").join(name);
            let mut levels = vec![git_root.clone()];
            for level in 1..LEVELS {
                levels.push(levels[level - 1].join(format!("level{level}")));
            }
            fs::create_dir_all(git_root.join(".git")).expect("a git directory");
            fs::create_dir_all(&levels[LEVELS - 1]).expect("a place to start");
            fs::create_dir_all(&home_dir).expect("a home");
            // The largest are nearest.
            levels.reverse();
            link_folders(project, &levels);
            link_folders(home, std::slice::from_ref(&home_dir));
            let place = Place {
                start: levels[0].clone(),
                git_root,
                home: home_dir,
            };
            check(tree, &place)
        },
    );
    assert!(
        total.is_none_or(|total| total > 5000),
        "plenty to list: {total:?}"
    );
}

/// Runs a check over every skeleton beside the one that follows it; the sum of what they counted, or None where the
/// corpus is not at hand.
fn over_all_skeletons(test: &str, check: impl Fn(&Tree, &Path, &Path) -> usize + Sync) -> Option<usize> {
    let Some(folder) = corpus::folder() else {
        skipped(
            test,
            "no corpus: set ALEPH_DISCOVER_SHARED to the folder that holds it",
        );
        return None;
    };
    let names = corpus::names(&folder);
    assert!(names.len() >= 2, "{names:?}");
    let tree = Tree::large();
    let place = |name: &String| tree.path("skeletons").join(name);
    for name in &names {
        corpus::unpack(&folder, name, &place(name));
        fs::create_dir_all(place(name).join(".git")).expect("a git directory");
    }
    let next = |index: usize| &names[(index + 1) % names.len()];
    let (even, odd): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|index| index % 2 == 0);
    let counted = |indexes: Vec<usize>| -> usize {
        let one = |index: usize| check(&tree, &place(&names[index]), &place(next(index)));
        indexes.into_iter().map(one).sum()
    };
    let total = std::thread::scope(|scope| {
        let other = scope.spawn(|| counted(odd));
        counted(even) + other.join().expect("the checks of the other half hold")
    });
    Some(total)
}

/// Makes component directories of `levels` links to the folders of that name in a tree, the largest first.
fn link_folders(tree: &Path, levels: &[PathBuf]) {
    for (_, folder) in KINDS {
        let mut found: Vec<PathBuf> = walkdir::WalkDir::new(tree)
            .into_iter()
            .map(|entry| entry.expect("a skeleton can be walked"))
            .filter(|entry| entry.file_type().is_dir() && entry.file_name() == folder)
            .map(walkdir::DirEntry::into_path)
            .collect();
        found.sort_by_cached_key(|dir| (std::cmp::Reverse(names_in(dir).len()), dir.clone()));
        let families = if folder == "plugins" {
            &[".aleph"][..]
        } else {
            &[".aleph", ".claude"]
        };
        let places = levels
            .iter()
            .flat_map(|level| families.iter().map(move |family| level.join(family)));
        for (place, found) in places.zip(found) {
            fs::create_dir_all(&place).expect("a root");
            std::os::unix::fs::symlink(found, place.join(folder)).expect("a link");
        }
    }
}

fn names_in(dir: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

fn aleph<'t>(tree: &'t Tree, place: &Place, args: &[&str]) -> Aleph<'t> {
    tree.aleph(args).cwd(&place.start).env("HOME", &place.home)
}

/// Checks every format and command over one place; the number of entries met.
fn check(tree: &Tree, place: &Place) -> usize {
    let whole = aleph(tree, place, &["scan", "--all", "--json"]).run().exits(0);
    let report = whole.json();
    let listed = everything_is_listed_once(tree, place, &report);
    everything_is_explained(&report);

    let skills = aleph(tree, place, &["scan", "skill", "--json"])
        .run()
        .exits(0)
        .json();
    let of_skills: Vec<&Value> = list(&report, "chains")
        .iter()
        .filter(|chain| chain["kind"] == "skill")
        .collect();
    assert!(
        list(&skills, "chains").iter().eq(of_skills),
        "`scan skill` tells of skills what `scan` does"
    );

    every_format_tells_the_same(tree, place, &report);
    for (kind, id) in worth_asking(&report) {
        why_tells_what_scan_does(tree, place, &report, &kind, &id);
    }
    listed
}

/// What the answer lists is what is there: found by reading the directories here, with nothing of the program.
fn everything_is_listed_once(tree: &Tree, place: &Place, report: &Value) -> usize {
    let mut told: BTreeMap<(String, PathBuf), usize> = BTreeMap::new();
    let root = tree.root().to_str().expect("UTF-8");
    let of_kinds = |kind: &str| KINDS.iter().any(|(known, _)| *known == kind);
    for chain in list(report, "chains")
        .iter()
        .filter(|chain| of_kinds(text(chain, "kind")))
    {
        // What plugins bring lies in the plugins; `plugin_corpus.rs` looks there.
        let own = |candidate: &&Value| candidate["plugin"].is_null();
        for candidate in list(chain, "candidates").iter().filter(own) {
            let path = PathBuf::from(text(candidate, "path").replace("[ROOT]", root));
            *told.entry((text(chain, "kind").to_owned(), path)).or_default() += 1;
        }
    }
    let mut there = BTreeMap::new();
    let walk = place
        .start
        .ancestors()
        .take_while(|dir| dir.starts_with(&place.git_root));
    for dir in walk.chain([place.home.as_path()]) {
        for family in [".claude", ".aleph"] {
            let mut kinds = KINDS
                .iter()
                .filter(|(kind, _)| family == ".aleph" || *kind != "plugin");
            let root = dir.join(family);
            assert_eq!(
                status_of(tree, report, &root),
                if root.is_dir() { "scanned" } else { "missing" }
            );
            let scanned = kinds.by_ref().filter(|(_, folder)| root.join(folder).is_dir());
            for (kind, folder) in scanned {
                let names = names_in(&root.join(folder));
                assert_eq!(
                    counted_in(tree, report, &root, kind),
                    names.len(),
                    "{kind} of {}",
                    root.display()
                );
                for path in names {
                    let inner = inner_plugins(&told, kind, &path);
                    let paths = if inner.is_empty() { vec![path] } else { inner };
                    there.extend(paths.into_iter().map(|path| (((*kind).to_owned(), path), 1)));
                }
            }
        }
    }
    let missing: Vec<_> = there.keys().filter(|key| !told.contains_key(*key)).collect();
    assert!(missing.is_empty(), "there, but not told: {missing:#?}");
    let extra: Vec<_> = told
        .iter()
        .filter(|(key, count)| there.get(*key) != Some(*count))
        .collect();
    assert!(
        extra.is_empty(),
        "told, but not there, or more than once: {extra:#?}"
    );
    there.len()
}

/// The plugins told of a directory that is none itself: a monorepo, of which one more level is read (plugins.md 1).
fn inner_plugins(told: &BTreeMap<(String, PathBuf), usize>, kind: &str, path: &Path) -> Vec<PathBuf> {
    if kind != "plugin" || told.contains_key(&(kind.to_owned(), path.to_owned())) {
        return Vec::new();
    }
    let all = names_in_if_directory(path);
    let inner = told
        .keys()
        .filter(|(other, inner)| other == kind && all.contains(inner));
    inner.map(|(_, path)| path.clone()).collect()
}

fn names_in_if_directory(path: &Path) -> BTreeSet<PathBuf> {
    let real = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if real { names_in(path) } else { BTreeSet::new() }
}

fn root_of<'v>(tree: &Tree, report: &'v Value, path: &Path) -> &'v Value {
    let path = path
        .to_str()
        .expect("UTF-8")
        .replace(tree.root().to_str().expect("UTF-8"), "[ROOT]");
    list(report, "roots")
        .iter()
        .find(|root| root["path"] == path.as_str())
        .unwrap_or_else(|| panic!("{path} is not among the roots"))
}

fn status_of<'v>(tree: &Tree, report: &'v Value, root: &Path) -> &'v str {
    text(root_of(tree, report, root), "status")
}

fn counted_in(tree: &Tree, report: &Value, root: &Path, kind: &str) -> usize {
    let dirs = list(root_of(tree, report, root), "dirs");
    let dir = dirs
        .iter()
        .find(|dir| dir["kind"] == kind)
        .expect("the directory of the kind");
    assert_eq!(dir["status"], "scanned");
    usize::try_from(dir["entries"].as_u64().expect("a count")).expect("a count")
}

/// Whoever is not in effect has a rule and a winner, or a code and a message; whoever is has neither.
fn everything_is_explained(report: &Value) {
    let mut by_state: BTreeMap<String, u64> = BTreeMap::new();
    for chain in list(report, "chains") {
        let all = list(chain, "candidates");
        for (index, candidate) in all.iter().enumerate() {
            let state = text(candidate, "state");
            if !is_echo(chain, candidate) {
                *by_state.entry(state.to_owned()).or_default() += 1;
            }
            let has = |key: &str| candidate[key].as_str().is_some_and(|text| !text.is_empty());
            let by = candidate["by"].as_u64();
            match state {
                "active" => {
                    assert_eq!(chain["winner"], index, "{candidate:#}");
                    assert!(!has("rule") && !has("code") && by.is_none(), "{candidate:#}");
                }
                "shadowed" | "identical" | "alias" => {
                    assert!(has("rule") && !has("code"), "{candidate:#}");
                    assert_eq!(candidate["by"], chain["winner"], "{candidate:#}");
                    assert_eq!(state == "alias", candidate["alias_of"].is_u64(), "{candidate:#}");
                }
                "invalid" | "rejected" | "ignored" | "unreadable" | "disabled" | "untrusted" => {
                    assert!(
                        has("code") && has("message") && !has("rule") && by.is_none(),
                        "{candidate:#}"
                    );
                }
                "namespaced" | "additive" => {
                    assert!(has("rule") && !has("code") && by.is_none(), "{candidate:#}");
                }
                other => panic!("no such state for files that are only listed: {other}"),
            }
        }
        let winner = chain["winner"].as_u64();
        assert_eq!(
            text(chain, "state"),
            if winner.is_some() { "active" } else { "none" },
            "{chain:#}"
        );
    }
    for (state, count) in by_state {
        assert_eq!(report["summary"][&state], count, "{state} in the summary");
    }
    let counted = list(report, "chains").iter().filter(|chain| {
        let all = list(chain, "candidates");
        all.iter().any(|candidate| !is_echo(chain, candidate))
    });
    assert_eq!(report["summary"]["chains"], counted.count());
}

/// Whether a candidate stands in a chain only by its short name.
fn is_echo(chain: &Value, candidate: &Value) -> bool {
    candidate["qualified_id"].is_string() && candidate["qualified_id"] != chain["id"]
}

/// Tables, lines and paths are other forms of the same answer.
fn every_format_tells_the_same(tree: &Tree, place: &Place, report: &Value) {
    let lines = aleph(tree, place, &["scan", "--all", "--format", "jsonl"])
        .run()
        .exits(0)
        .json_lines();
    assert_eq!(&lines[1..], list(report, "chains"));

    let paths = aleph(tree, place, &["scan", "--format", "paths"]).run().exits(0);
    let in_effect = |one: &&Value| matches!(text(one, "state"), "active" | "additive" | "namespaced");
    let active = list(report, "chains").iter().flat_map(|chain| {
        let own = list(chain, "candidates")
            .iter()
            .filter(|one| !is_echo(chain, one));
        own.filter(in_effect).map(|one| text(one, "path"))
    });
    assert!(active.eq(paths.lines()), "paths are those in effect\n{paths}");

    let table = aleph(tree, place, &["scan", "--all"]).run().exits(0);
    for candidate in some_of(report) {
        let path = text(candidate, "path");
        assert!(table.stdout.contains(path), "{path} is not in the table\n{table}");
    }
    let brief = aleph(tree, place, &["scan"]).run().exits(0);
    for candidate in some_of(report).filter(|one| one["code"].is_null()) {
        let path = text(candidate, "path");
        assert!(brief.stdout.contains(path), "{path} is in the running\n{brief}");
    }
}

/// Everything of the host's own roots, and every fiftieth of what plugins bring: looking for all of it takes long.
fn some_of(report: &Value) -> impl Iterator<Item = &Value> {
    let all = candidates(report).enumerate();
    all.filter(|(index, one)| one["plugin"].is_null() || index % 50 == 0)
        .map(|(_, one)| one)
}

/// The chains to ask `why` of: the longest, the first and last, one of each state that there is.
fn worth_asking(report: &Value) -> BTreeSet<(String, String)> {
    let all = list(report, "chains");
    let mut chosen: Vec<&Value> = Vec::new();
    chosen.extend(all.iter().max_by_key(|chain| list(chain, "candidates").len()));
    chosen.extend(all.first().into_iter().chain(all.last()));
    for state in ["identical", "alias", "invalid", "rejected", "ignored"] {
        let has = |chain: &&Value| list(chain, "candidates").iter().any(|one| one["state"] == state);
        chosen.extend(all.iter().find(has));
    }
    let key = |chain: &Value| (text(chain, "kind").to_owned(), text(chain, "id").to_owned());
    chosen.into_iter().map(key).collect()
}

/// `why NAME` shows the very chain of `scan`, in every format, and exits by whether it has a winner.
fn why_tells_what_scan_does(tree: &Tree, place: &Place, report: &Value, kind: &str, id: &str) {
    let chain = list(report, "chains")
        .iter()
        .find(|chain| chain["kind"] == kind && chain["id"] == id);
    let chain = chain.expect("a chain of the report");
    let why = |format: &str| {
        let args = ["why", "--kind", kind, "--format", format, "--", id];
        aleph(tree, place, &args).run()
    };
    let told = why("json");
    let json = told.json();
    assert!(
        list(&json, "chains").contains(chain),
        "{:?} lacks {kind} {id}\n{told}",
        chains(&json)
    );
    let in_effect = list(&json, "chains")
        .iter()
        .any(|chain| chain["state"] == "active");
    let told = told.exits(i32::from(!in_effect));
    for format in ["table", "jsonl", "paths"] {
        let other = why(format);
        assert_eq!(other.code, told.code, "{other}");
    }
    let table = why("table");
    for candidate in list(chain, "candidates") {
        let path = text(candidate, "path");
        assert!(table.stdout.contains(path), "{path} is not told\n{table}");
    }
}
