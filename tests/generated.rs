//! Files that the program itself writes are in the repository as it writes them.
//!
//! After a change, `REGENERATE=1 cargo test --test generated` writes them anew.
#![allow(
    clippy::unwrap_used,
    reason = "a test that meets what it does not expect fails, and says where"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aleph_discover::report::SCHEMA_NAMES;

/// The command that writes the files, for whoever meets a difference.
const COMMAND: &str = "REGENERATE=1 cargo test --test generated";

/// A directory with generated files.
struct Folder {
    path: &'static str,
    /// Whether it has generated files only, so that any other is one that was forgotten.
    is_all_generated: bool,
    /// Name of each file, and the arguments with which the program prints it.
    files: Vec<(String, Vec<String>)>,
}

/// Everything that is generated; a further folder is a further entry.
fn folders() -> Vec<Folder> {
    let file = |name: String, arguments: &[&str]| {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned());
        (name, arguments.collect::<Vec<String>>())
    };
    let schema = |name: &&str| file(format!("{name}@1.json"), &["schema", name]);
    let document = |name: &str| file(format!("{name}.md"), &["generate", name]);
    let page = |name: &&str| file(format!("aleph-discover-{name}.1"), &["man", name]);
    let script = |(name, shell): (&str, &str)| file(name.to_owned(), &["completions", shell]);
    vec![
        Folder {
            path: "docs/schema",
            is_all_generated: true,
            files: SCHEMA_NAMES.iter().map(schema).collect(),
        },
        Folder {
            path: "docs",
            is_all_generated: false,
            files: DOCUMENTS.map(document).into(),
        },
        Folder {
            path: "docs/man",
            is_all_generated: true,
            files: std::iter::once(file("aleph-discover.1".to_owned(), &["man"]))
                .chain(COMMANDS.iter().map(page))
                .collect(),
        },
        Folder {
            path: "completions",
            is_all_generated: true,
            files: SCRIPTS.map(script).into(),
        },
    ]
}

/// The documents that `generate` prints.
const DOCUMENTS: [&str; 5] = ["cli", "hosts", "json", "roots", "rules"];

/// The commands that have a manual page.
const COMMANDS: [&str; 15] = [
    "scan",
    "why",
    "find-config",
    "hosts",
    "verify",
    "roots",
    "plugins",
    "tools",
    "mcp",
    "serve",
    "marketplace",
    "explain",
    "schema",
    "completions",
    "man",
];

/// The completion scripts, each under the name that its shell looks for.
const SCRIPTS: [(&str, &str); 5] = [
    ("aleph-discover.bash", "bash"),
    ("_aleph-discover", "zsh"),
    ("aleph-discover.fish", "fish"),
    ("_aleph-discover.ps1", "powershell"),
    ("aleph-discover.elv", "elvish"),
];

/// The lists above are whole: what the program offers more of would not be compared.
#[test]
fn everything_that_can_be_generated_is_compared() {
    let offered = |arguments: &[&str]| -> Vec<String> {
        let help = Command::new(env!("CARGO_BIN_EXE_aleph-discover"))
            .args(arguments)
            .env_remove("ALEPH_DISCOVER_HOST")
            .env("ALEPH_DISCOVER_COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", (arguments.len() - 2).to_string())
            .output()
            .unwrap();
        let text = String::from_utf8(help.stdout).unwrap();
        let words = text.lines().filter(|word| !word.starts_with('-'));
        words.map(str::to_owned).collect()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let wanted = |names: &[&str]| sorted(names.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(
        sorted(offered(&["--", "aleph-discover", "man", ""])),
        wanted(&COMMANDS)
    );
    assert_eq!(
        sorted(offered(&["--", "aleph-discover", "generate", ""])),
        wanted(&DOCUMENTS)
    );
    assert_eq!(
        sorted(offered(&["--", "aleph-discover", "completions", ""])),
        wanted(&SCRIPTS.map(|(_, shell)| shell))
    );
}

#[test]
fn generated_files_are_as_the_program_writes_them() {
    let write = std::env::var_os("REGENERATE").is_some_and(|value| !value.is_empty());
    let mut differences = Vec::new();
    for folder in folders() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder.path);
        if write {
            fs::create_dir_all(&directory).unwrap();
        }
        for (name, arguments) in &folder.files {
            let path = directory.join(name);
            let wanted = printed(arguments);
            if fs::read(&path).ok().as_ref() == Some(&wanted) {
                continue;
            }
            if write {
                fs::write(&path, wanted).unwrap();
            } else {
                differences.push(format!("{}/{name} differs", folder.path));
            }
        }
        if !folder.is_all_generated {
            continue;
        }
        for stray in strays(&directory, &folder.files) {
            if write {
                fs::remove_file(stray).unwrap();
            } else {
                differences.push(format!("{} is not generated any more", stray.display()));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{}\n`{COMMAND}` writes the files anew",
        differences.join("\n")
    );
}

/// What the program prints.
fn printed(arguments: &[String]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_aleph-discover"))
        .args(arguments)
        .env_remove("ALEPH_DISCOVER_HOST")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    assert!(!output.stdout.is_empty(), "{arguments:?} printed nothing");
    output.stdout
}

/// The files in a directory that the program does not write.
fn strays(directory: &Path, files: &[(String, Vec<String>)]) -> Vec<PathBuf> {
    let is_known = |name: &OsString| files.iter().any(|(known, _)| *name == **known);
    fs::read_dir(directory)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap())
        .filter(|entry| !is_known(&entry.file_name()))
        .map(|entry| entry.path())
        .collect()
}
