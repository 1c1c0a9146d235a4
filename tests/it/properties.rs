//! What holds for every tree: random small ones, each with an answer worked out here from the specification alone.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{candidates, chain, chains, list, text};

/// The roots and their priorities for a start in `project/sub` of a repository `project`.
const ROOTS: [(&str, u64); 6] = [
    ("home/.claude", 0),
    ("home/.aleph", 10),
    ("project/.claude", 20),
    ("project/sub/.claude", 21),
    ("project/.aleph", 40),
    ("project/sub/.aleph", 41),
];

const KINDS: [(&str, &str); 3] = [
    ("skill", "SKILL.md"),
    ("command", "SKILL.md"),
    ("agent", "agent.md"),
];

const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

/// What is at one path of a random tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    /// A directory with a marker.
    Directory(Content),
    /// A flat file.
    Flat(Content),
    /// A directory without a marker.
    NoMarker,
    /// A link to nowhere.
    Link,
    /// A file that is not `.md`.
    WrongKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// Text without front matter, one of three.
    Plain(u8),
    /// Declares one of the names.
    Declares(usize),
    /// Declares one of the names and is broken.
    Broken(usize),
}

/// One entry of a random tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    root: usize,
    kind: usize,
    name: usize,
    thing: Thing,
}

impl Entry {
    /// The directory entry.
    fn path(&self) -> String {
        let (root, kind, name) = (ROOTS[self.root].0, KINDS[self.kind].0, NAMES[self.name]);
        let end = match self.thing {
            Thing::Flat(_) => ".md",
            Thing::WrongKind => ".txt",
            Thing::Directory(_) | Thing::NoMarker | Thing::Link => "",
        };
        format!("{root}/{kind}s/{name}{end}")
    }

    fn section(&self) -> String {
        let path = self.path();
        match self.thing {
            Thing::Directory(content) => format!("-- {path}/{} --\n{}\n", KINDS[self.kind].1, content.text()),
            Thing::Flat(content) => format!("-- {path} --\n{}\n", content.text()),
            Thing::NoMarker => format!("-- {path}/notes.txt --\n"),
            Thing::Link => format!("-- {path} -> nowhere --\n"),
            Thing::WrongKind => format!("-- {path} --\n"),
        }
    }

    /// The id that it goes by.
    fn id(&self) -> String {
        match self.thing {
            Thing::Directory(Content::Declares(name) | Content::Broken(name))
            | Thing::Flat(Content::Declares(name) | Content::Broken(name)) => NAMES[name].to_owned(),
            Thing::WrongKind => format!("{}.txt", NAMES[self.name]),
            _ => NAMES[self.name].to_owned(),
        }
    }

    /// The state of an entry that is out of the running.
    fn fault(&self) -> Option<&'static str> {
        match self.thing {
            Thing::Directory(Content::Broken(_)) | Thing::Flat(Content::Broken(_)) => Some("invalid"),
            Thing::NoMarker | Thing::WrongKind => Some("ignored"),
            Thing::Link => Some("rejected"),
            Thing::Directory(_) | Thing::Flat(_) => None,
        }
    }

    fn content(&self) -> Option<Content> {
        match self.thing {
            Thing::Directory(content) | Thing::Flat(content) => Some(content),
            _ => None,
        }
    }
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Plain(number) => format!("text {number}"),
            Self::Declares(name) => format!("---\nname: {}\n---", NAMES[name]),
            Self::Broken(name) => format!("---\nname: {}\ndescription: a: b\n---", NAMES[name]),
        }
    }
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        4 => (0..3_u8).prop_map(Content::Plain),
        2 => (0..NAMES.len()).prop_map(Content::Declares),
        1 => (0..NAMES.len()).prop_map(Content::Broken),
    ]
}

fn thing() -> impl Strategy<Value = Thing> {
    prop_oneof![
        4 => content().prop_map(Thing::Directory),
        4 => content().prop_map(Thing::Flat),
        1 => Just(Thing::NoMarker),
        1 => Just(Thing::Link),
        1 => Just(Thing::WrongKind),
    ]
}

/// Entries no two of which share a path, twice: in one order and in another.
fn entries() -> impl Strategy<Value = (Vec<Entry>, Vec<Entry>)> {
    let one =
        (0..ROOTS.len(), 0..KINDS.len(), 0..NAMES.len(), thing()).prop_map(|(root, kind, name, thing)| {
            Entry {
                root,
                kind,
                name,
                thing,
            }
        });
    prop::collection::vec(one, 0..16).prop_flat_map(|all| {
        let mut taken = BTreeSet::new();
        let all: Vec<Entry> = all
            .into_iter()
            .filter(|entry| taken.insert(entry.path()))
            .collect();
        (Just(all.clone()), Just(all).prop_shuffle())
    })
}

fn lay(entries: &[Entry]) -> Tree {
    let mut text = "-- project/sub/ --\n".to_owned();
    text.extend(entries.iter().map(Entry::section));
    Tree::in_git(&text)
}

fn scan(tree: &Tree, args: &[&str]) -> Value {
    let args = [&["scan", "--json"], args].concat();
    tree.aleph(args)
        .cwd(tree.path("project/sub"))
        .run()
        .exits(0)
        .json()
}

/// The answer by the specification: kind and id to its candidates in order, each as path and state.
fn expected(entries: &[Entry]) -> BTreeMap<(usize, String), Vec<(String, &'static str)>> {
    let mut groups: BTreeMap<(usize, String), Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        groups.entry((entry.kind, entry.id())).or_default().push(*entry);
    }
    let resolve = |mut group: Vec<Entry>| {
        group.sort_by_key(|entry| (std::cmp::Reverse(ROOTS[entry.root].1), entry.path()));
        let winner = group.iter().copied().find(|entry| entry.fault().is_none());
        group
            .into_iter()
            .map(|entry| {
                let state = match (entry.fault(), winner) {
                    (Some(fault), _) => fault,
                    (None, Some(winner)) if winner == entry => "active",
                    (None, Some(winner)) if winner.content() == entry.content() => "identical",
                    (None, _) => "shadowed",
                };
                (entry.path(), state)
            })
            .collect()
    };
    groups
        .into_iter()
        .map(|(key, group)| (key, resolve(group)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// The answer is the one that the specification gives, each time, whatever order the files were made in.
    #[test]
    fn the_answer_is_the_specified_one((entries, shuffled) in entries()) {
        let tree = lay(&entries);
        let report = scan(&tree, &[]);
        let mut told = BTreeMap::new();
        for chain in list(&report, "chains") {
            let kind = KINDS.iter().position(|(kind, _)| chain["kind"] == *kind).expect("one of the kinds");
            let story: Vec<(String, &str)> = list(chain, "candidates")
                .iter()
                .map(|one| (text(one, "path").replace("[ROOT]/", ""), text(one, "state")))
                .collect();
            told.insert((kind, text(chain, "id").to_owned()), story);
        }
        prop_assert_eq!(told, expected(&entries));
        prop_assert_eq!(&scan(&tree, &[]), &report, "the same again");
        prop_assert_eq!(&scan(&lay(&shuffled), &[]), &report, "made in another order");
    }

    /// One state each, winners that are no losers, reasons that fit, priorities that never rise within a chain.
    #[test]
    fn every_chain_is_sound((entries, _) in entries()) {
        let report = scan(&lay(&entries), &[]);
        let mut paths = BTreeSet::new();
        for chain in list(&report, "chains") {
            let all = list(chain, "candidates");
            let winners: Vec<usize> = (0..all.len()).filter(|index| all[*index]["state"] == "active").collect();
            prop_assert_eq!(winners.first().map(|index| *index as u64), chain["winner"].as_u64());
            prop_assert!(winners.len() <= 1);
            for candidate in all {
                prop_assert!(paths.insert(text(candidate, "path").to_owned()), "twice: {:#}", candidate);
                let loses = matches!(text(candidate, "state"), "shadowed" | "identical" | "alias");
                prop_assert_eq!(loses, candidate["rule"].is_string());
                prop_assert_eq!(loses, candidate["by"].is_u64());
                if loses {
                    prop_assert_eq!(&candidate["by"], &chain["winner"]);
                }
                let out = !loses && candidate["state"] != "active";
                prop_assert_eq!(out, candidate["code"].is_string());
            }
            let priorities: Vec<u64> = all.iter().filter_map(|one| one["priority"].as_u64()).collect();
            prop_assert_eq!(priorities.len(), all.len());
            prop_assert!(priorities.is_sorted_by(|one, next| one >= next), "{:?}", priorities);
        }
        prop_assert_eq!(paths.len(), entries.len());
    }

    /// A filter leaves out, and never changes who won.
    #[test]
    fn filters_never_change_a_winner((entries, _) in entries()) {
        let tree = lay(&entries);
        let report = scan(&tree, &[]);
        for (kind, _) in KINDS {
            let filtered = scan(&tree, &[kind]);
            let same: Vec<&Value> = list(&report, "chains").iter().filter(|chain| chain["kind"] == kind).collect();
            prop_assert!(list(&filtered, "chains").iter().eq(same), "{}", kind);
        }
        let active = scan(&tree, &["--active"]);
        let winners = |report: &Value| -> Vec<String> {
            candidates(report)
                .filter(|one| one["state"] == "active")
                .map(|one| text(one, "path").to_owned())
                .collect()
        };
        prop_assert_eq!(winners(&active), winners(&report));
        prop_assert_eq!(candidates(&active).count(), winners(&report).len());
        for name in chains(&active) {
            let (kind, id) = name.split_once(' ').expect("kind and id");
            prop_assert_eq!(&chain(&active, kind, id)["winner"], &Value::from(0));
        }
    }
}
