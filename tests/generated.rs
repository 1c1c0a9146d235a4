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

/// A directory of generated files, and nothing else.
struct Folder {
    path: &'static str,
    /// Name of each file, and the arguments with which the program prints it.
    files: Vec<(String, Vec<String>)>,
}

/// Everything that is generated; a further folder is a further entry.
fn folders() -> Vec<Folder> {
    let schema = |name: &str| {
        (
            format!("{name}@1.json"),
            vec!["schema".to_owned(), name.to_owned()],
        )
    };
    vec![Folder {
        path: "docs/schema",
        files: SCHEMA_NAMES.iter().map(|name| schema(name)).collect(),
    }]
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
