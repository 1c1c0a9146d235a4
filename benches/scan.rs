//! What a scan costs in the library, beside what reading and parsing the same front matter costs at least.
//!
//! `cargo bench --bench scan`; the trees are made below the temporary directory and removed afterwards.

#[expect(unreachable_pub, reason = "another package uses these files as well")]
mod support;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use aleph_discover::model::ComponentKind;
use aleph_discover::report::{Context, ScanReport, Selection, write_json};
use aleph_discover::{DiscoveryConfig, DiscoveryManager, Environment};
use divan::{Bencher, black_box};
use support::tree::{self, Tree};
use support::walker::{self, Depth};
use tempfile::TempDir;

const KINDS: [ComponentKind; 3] = [ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];

/// The sizes that are measured; the first stands for the typical tree.
const SIZES: [Size; 3] = [Size::Typical, Size::Flat(20_000), Size::Flat(100_000)];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Size {
    Typical,
    Flat(usize),
}

impl std::fmt::Display for Size {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Typical => formatter.write_str("typical (60)"),
            Self::Flat(skills) => write!(formatter, "{skills} skills"),
        }
    }
}

/// A directory, and the trees in it.
type Trees = (TempDir, HashMap<Size, Tree>);

/// The directory in which all trees of this run are made, each once.
static TREES: OnceLock<Mutex<Option<Trees>>> = OnceLock::new();

fn main() {
    divan::main();
    if let Some(trees) = TREES.get()
        && let Ok(mut trees) = trees.lock()
    {
        drop(trees.take());
    }
}

fn tree(size: Size) -> Tree {
    let trees = TREES.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a temporary directory");
        Mutex::new(Some((dir, HashMap::new())))
    });
    let mut trees = trees.lock().expect("no bench has panicked");
    let (dir, made) = trees.as_mut().expect("the run is not over");
    made.entry(size)
        .or_insert_with(|| {
            let at: PathBuf = dir.path().join(size.to_string());
            let tree = match size {
                Size::Typical => tree::typical(&at),
                Size::Flat(skills) => tree::flat(&at, skills),
            };
            tree.expect("room for the tree")
        })
        .clone()
}

fn manager(tree: &Tree) -> DiscoveryManager {
    let config = DiscoveryConfig::default().with_working_dir(&tree.project);
    DiscoveryManager::new(config, Environment::with_home(&tree.home)).expect("the tree's project")
}

#[divan::bench(args = SIZES)]
fn read_only_walker(bencher: Bencher<'_, '_>, size: Size) {
    let dirs = tree(size).component_dirs();
    bencher.bench(|| walker::walk(black_box(&dirs), Depth::Read));
}

#[divan::bench(args = SIZES)]
fn reading_and_parsing_walker(bencher: Bencher<'_, '_>, size: Size) {
    let dirs = tree(size).component_dirs();
    bencher.bench(|| walker::walk(black_box(&dirs), Depth::Parse));
}

#[divan::bench(args = SIZES)]
fn scan(bencher: Bencher<'_, '_>, size: Size) {
    let tree = tree(size);
    bencher.bench(|| manager(&tree).scan(black_box(&KINDS)));
}

#[divan::bench(args = SIZES)]
fn scan_and_write_json(bencher: Bencher<'_, '_>, size: Size) {
    let tree = tree(size);
    bencher.bench(|| {
        let manager = manager(&tree);
        let report = ScanReport {
            context: Context::of(&manager),
            kinds: KINDS.to_vec(),
            resolution: manager.scan(&KINDS),
            selection: Selection::All,
        };
        write_json(&mut std::io::sink(), &report.view())
    });
}
