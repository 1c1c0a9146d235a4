//! The shape of the source: layers import only what stands to their left, files stay readable, the library is silent.

use std::fs;
use std::path::{Path, PathBuf};

/// A module of the library imports only from the modules before it.
const LAYERS: [&str; 8] = [
    "model",
    "host",
    "parse",
    "discovery",
    "plugin",
    "tools",
    "report",
    "mcp",
];

/// No file may be longer than this.
const LONGEST: usize = 800;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder of the package, with its path in that folder.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let base = package().join(folder);
    let mut files: Vec<(PathBuf, String)> = walkdir::WalkDir::new(&base)
        .into_iter()
        .map(|entry| entry.expect("the sources can be walked").into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source is text");
            let inner = path.strip_prefix(&base).expect("it lies below").to_path_buf();
            (inner, text)
        })
        .collect();
    files.sort();
    files
}

/// Source text without line comments, so that documentation may name what it likes.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let comment = line.trim_start().starts_with("//");
        if comment { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules of the crate that a text names: `crate::a::…`, `crate::{a, b::…}`.
fn modules_named(text: &str, root: &str) -> Vec<String> {
    let mut named = Vec::new();
    let code = code(text);
    for (at, _) in code.match_indices(root) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(group) => named.extend(heads_of_group(group)),
            None => named.push(word(rest)),
        }
    }
    named
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The first word of each part of `a, b::{c, d}, e}`.
fn heads_of_group(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut part = String::new();
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(std::mem::take(&mut part)),
            _ if depth == 0 => part.push(c),
            _ => {}
        }
    }
    heads.push(part);
    heads
        .iter()
        .map(|part| word(part.trim_start()))
        .filter(|head| !head.is_empty())
        .collect()
}

/// The layer that a file of `src` belongs to; None for the roots of library and binary and for the command line.
fn layer_of(file: &Path) -> Option<usize> {
    let first = file.components().next().expect("a path has a part").as_os_str();
    let name = Path::new(first)
        .file_stem()
        .expect("a name")
        .to_str()
        .expect("a name in UTF-8");
    let layer = LAYERS.iter().position(|layer| *layer == name);
    assert!(
        layer.is_some() || matches!(name, "lib" | "main" | "cli"),
        "src/{} is no layer: give it a place in the order",
        file.display()
    );
    layer
}

/// What is wrong with the imports of a file of a layer.
fn wrong_imports(layer: usize, text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = modules_named(text, "crate::")
        .into_iter()
        .filter(|name| {
            LAYERS
                .iter()
                .position(|other| other == name)
                .is_none_or(|other| other > layer)
        })
        .collect();
    wrong.extend(modules_named(text, "aleph_discover::"));
    wrong
}

/// No module of the library imports one that stands to its right, or anything at the crate's root.
#[test]
fn modules_import_only_what_stands_to_their_left() {
    let mut files = 0;
    for (file, text) in sources("src") {
        if let Some(layer) = layer_of(&file) {
            files += 1;
            let wrong = wrong_imports(layer, &text);
            assert!(wrong.is_empty(), "src/{} imports {wrong:?}", file.display());
        }
    }
    assert!(files > 20, "the library was looked at: {files} files");
}

/// The command line is a user of the library like any other.
#[test]
fn the_command_line_uses_the_library_from_outside() {
    let library = fs::read_to_string(package().join("src/lib.rs")).expect("src/lib.rs");
    assert!(
        !code(&library).contains("mod cli"),
        "the library has no command line"
    );
    for (file, text) in sources("src")
        .into_iter()
        .filter(|(file, _)| file.starts_with("cli"))
    {
        let inner = modules_named(&text, "crate::");
        assert!(
            inner.iter().all(|name| name == "cli"),
            "src/{} imports {inner:?}",
            file.display()
        );
    }
}

/// The check of imports finds what it is for.
#[test]
fn the_check_of_imports_finds_wrong_ones() {
    let parse = LAYERS
        .iter()
        .position(|layer| *layer == "parse")
        .expect("a layer");
    let wrong = |text: &str| wrong_imports(parse, text);
    assert_eq!(wrong("use crate::report::Scan;"), ["report"]);
    assert_eq!(
        wrong("use crate::{model::Kind, discovery::{Scanner, Root}, mcp};"),
        ["discovery", "mcp"]
    );
    assert_eq!(wrong("let x = crate::tools::index();"), ["tools"]);
    assert_eq!(wrong("use crate::cli::Args;"), ["cli"]);
    assert_eq!(wrong("use crate::Thing;"), ["Thing"]);
    assert_eq!(wrong("use aleph_discover::Thing;"), ["Thing"]);
    let right = "//! See [`crate::report`].\nuse crate::model::{Kind, State};\nuse crate::parse::yaml;\nmy_crate::mcp();";
    assert_eq!(wrong(right), [""; 0]);
}

/// Files stay short enough to be read in one sitting.
#[test]
fn no_file_is_too_long() {
    for folder in ["src", "tests", "benches", "examples"] {
        if !package().join(folder).exists() {
            continue;
        }
        for (file, text) in sources(folder) {
            let lines = text.lines().count();
            assert!(lines <= LONGEST, "{folder}/{} has {lines} lines", file.display());
        }
    }
}

/// The library never prints and never ends the process.
#[test]
fn the_library_is_silent() {
    let forbidden = [
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "dbg!",
        "process::exit",
        "unsafe ",
    ];
    for (file, text) in sources("src") {
        if layer_of(&file).is_none() && file != Path::new("lib.rs") {
            continue;
        }
        let code = code(&text);
        for word in forbidden {
            assert!(!code.contains(word), "src/{} has {word}", file.display());
        }
    }
}

/// The library starts programs in two places, git and MCP servers, and only what speaks to those servers or is one
/// opens connections. Words, since a module can be brought in under many paths.
#[test]
fn programs_and_connections_are_started_in_few_places() {
    let starts = ["Command::new(", "CommandWrap::", "process::Command::"];
    let connects = ["std::net", "tokio::net", "TcpListener", "TcpStream", "reqwest::"];
    let (mut starters, mut connecters) = (Vec::new(), Vec::new());
    for (file, text) in sources("src") {
        if layer_of(&file).is_none() && file != Path::new("lib.rs") {
            continue;
        }
        let code = code(&text);
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if has(&starts) && !file.starts_with("mcp/client") {
            starters.push(file.clone());
        }
        if has(&connects) && !file.starts_with("mcp") {
            connecters.push(file);
        }
    }
    assert_eq!(starters, [Path::new("plugin/install/git.rs")]);
    assert_eq!(connecters, [] as [&Path; 0]);
}
