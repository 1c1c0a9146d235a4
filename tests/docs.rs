//! Runs every `console` block of the documentation and compares what it prints; follows its links.
//!
//! The blocks run in a copy of `examples/shadowed`: in `shop/api`, with `home` as the home directory and `shop` as
//! the git root. So they read as in a project of one's own, and neither this repository nor the directories above
//! it nor the user's own files can show in them. `[HOME]` and `[SHOP]` stand for the two directories, `[HOSTS]` for a
//! copy of `examples/hosts`, each of whose trees is a repository.
//!
//! After a change of what the program prints, `TRYCMD=overwrite cargo test --test docs` writes the blocks anew.

// The example has symbolic links, which not every Windows system can make; and there the home directory is not
// taken from a variable.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that meets what it does not expect fails, and says where"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The links of the example, and where they point.
const LINKS: [(&str, &str); 2] = [
    ("home/.claude/skills/standup", "../../dotfiles/skills/standup"),
    ("shop/.claude/agents", "../.aleph/agents"),
];

#[test]
fn console_blocks_print_what_they_say() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = tempfile::tempdir().unwrap();
    let top = sandbox.path().canonicalize().unwrap();
    copy(&package.join("examples/shadowed"), &top);
    for (link, target) in LINKS {
        restore(&top.join(link), Path::new(target));
    }
    let (home, shop) = (top.join("home"), top.join("shop"));
    fs::create_dir(shop.join(".git")).unwrap();
    let hosts = top.join("hosts");
    copy(&package.join("examples/hosts"), &hosts);
    for tree in entries(&hosts).into_iter().filter(|path| path.is_dir()) {
        fs::create_dir(tree.join(".git")).unwrap();
    }
    std::env::set_current_dir(shop.join("api")).unwrap();

    let readme = fs::read_to_string(package.join("README.md")).unwrap();
    assert!(
        readme.contains("```console\n"),
        "README.md has no console block to run"
    );

    let cases = trycmd::TestCases::new();
    for document in documents(package) {
        cases.case(document);
    }
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    cases
        .register_bin("aleph-discover", Path::new(env!("CARGO_BIN_EXE_aleph-discover")))
        .insert_var("[HOME]", text(&home))
        .unwrap()
        .insert_var("[SHOP]", text(&shop))
        .unwrap()
        .insert_var("[HOSTS]", text(&hosts))
        .unwrap()
        .env("HOME", text(&home));
    // Empty counts as not set, for each of them.
    for (name, value) in [
        ("ALEPH_HOME", ""),
        ("ALEPH_CONFIG_CONTENT", ""),
        ("CLAUDE_CONFIG_DIR", ""),
        ("ALEPH_DISCOVER_HOST", "aleph"),
        ("CLICOLOR_FORCE", "0"),
        ("NO_COLOR", "1"),
    ] {
        cases.env(name, value);
    }
    cases.run();
}

#[test]
fn links_lead_to_files_and_headings_that_are_there() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut followed = 0;
    let mut dead = Vec::new();
    for document in documents(package) {
        let text = fs::read_to_string(&document).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            followed += 1;
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() {
                document.clone()
            } else {
                document.parent().unwrap().join(path)
            };
            let is_there = target.exists()
                && (heading.is_empty()
                    || headings(&fs::read_to_string(&target).unwrap()).any(|known| known == heading));
            if !is_there {
                dead.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(followed > 0, "no link was found");
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

/// The documents: those at the top, those in `docs`, those of the examples, and those beside what they are about.
fn documents(package: &Path) -> Vec<PathBuf> {
    let is_document = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut folders = ["", "docs", "fuzz", "tests/peers"]
        .map(|folder| package.join(folder))
        .to_vec();
    folders.extend(
        entries(&package.join("examples"))
            .into_iter()
            .filter(|path| path.is_dir()),
    );
    folders
        .iter()
        .flat_map(|folder| entries(folder))
        .filter(is_document)
        .collect()
}

/// The paths in a directory, by name.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// The names by which a page links to its headings.
fn headings(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines()
        .filter_map(|line| {
            line.trim_start_matches('#')
                .strip_prefix(' ')
                .filter(|_| line.starts_with('#'))
        })
        .map(|heading| {
            let kept = heading
                .chars()
                .filter(|character| character.is_alphanumeric() || " -_".contains(*character));
            kept.flat_map(char::to_lowercase)
                .map(|character| if character == ' ' { '-' } else { character })
                .collect()
        })
}

/// Puts a link back where packing the source has put a copy of what it points at.
fn restore(link: &Path, target: &Path) {
    if !link.is_symlink() {
        fs::remove_dir_all(link).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
    }
    assert_eq!(fs::read_link(link).unwrap(), target);
}

/// Copies a tree, links as links.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (file_type, path, target) = (
            entry.file_type().unwrap(),
            entry.path(),
            to.join(entry.file_name()),
        );
        if file_type.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(path).unwrap(), target).unwrap();
        } else if file_type.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(path, target).unwrap();
        }
    }
}
