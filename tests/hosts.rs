//! What the real hosts loaded, against what we say: every recorded case is laid out and asked again.
//!
//! `tests/hosts/cases` are small trees, `tests/hosts/recorded` what each host did with them (its version is in the
//! file). Neither a host nor anything outside this folder is needed. A case whose file modes mean something is
//! skipped, and says so, when root runs the tests. The trees have links and file modes, so all of this is for Unix.

#![cfg(unix)]
// Recordings are looked into by key, and a skipped case must be heard of.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use aleph_discover::discovery::HOST_VARIABLES;
use aleph_discover::model::{HostId, State};
use aleph_discover::report::explain::explain;
use aleph_discover::{DiscoveryConfig, DiscoveryManager, Environment, HostProfile};
use base64::Engine;
use serde_json::Value;
use sha2::{Digest, Sha256};

#[path = "it/support/place.rs"]
mod place;

/// Cases on which we differ, with the reason; see `docs/hosts.md`.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// A case: a small tree, and how the host is started in it.
#[derive(Default)]
struct Case {
    cwd: String,
    home: String,
    git: Vec<String>,
    trusted: bool,
    plugin_dirs: Vec<String>,
    settings: Option<String>,
    variables: Vec<(String, String)>,
    sections: Vec<Section>,
}

#[derive(Default)]
struct Section {
    path: String,
    link: Option<String>,
    mode: Option<u32>,
    is_base64: bool,
    text: String,
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/hosts")
        .join(name)
}

fn parse(text: &str) -> Case {
    let mut case = Case {
        cwd: "project".to_owned(),
        home: "home".to_owned(),
        git: vec!["project".to_owned()],
        trusted: true,
        ..Case::default()
    };
    let mut section: Option<Section> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        if let Some(head) = bare.strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
            case.sections.extend(section.replace(head_of(head)));
        } else if let Some(open) = &mut section {
            open.text.push_str(line);
        } else if let Some((key, value)) = bare.split_once(':').filter(|_| !bare.starts_with('#')) {
            let value = value.trim();
            match key {
                "cwd" => case.cwd = value.to_owned(),
                "home" => case.home = value.to_owned(),
                "git" if value == "none" => case.git.clear(),
                "git" => case.git = value.split(' ').map(str::to_owned).collect(),
                "trust" => case.trusted = value == "yes",
                "args" => {
                    let mut words = value.split(' ');
                    while let (Some(flag), Some(given)) = (words.next(), words.next()) {
                        match flag {
                            "--settings" => case.settings = Some(given.to_owned()),
                            _ => case.plugin_dirs.push(given.to_owned()),
                        }
                    }
                }
                "env" => {
                    let (name, value) = value.split_once('=').expect("NAME=VALUE");
                    case.variables.push((name.to_owned(), value.to_owned()));
                }
                _ => {}
            }
        }
    }
    case.sections.extend(section);
    case
}

fn head_of(head: &str) -> Section {
    let mut section = Section::default();
    let mut rest = head;
    if let Some(path) = rest.strip_suffix(" base64") {
        section.is_base64 = true;
        rest = path;
    }
    if let Some((path, mode)) = rest.split_once(" mode=") {
        section.mode = Some(u32::from_str_radix(mode, 8).expect("an octal mode"));
        rest = path;
    }
    match rest.split_once(" -> ") {
        Some((path, target)) => {
            section.path = path.to_owned();
            section.link = Some(target.to_owned());
        }
        None => section.path = rest.to_owned(),
    }
    section
}

/// The spelling of `.HOST` and `MEMORY.md` for a host.
fn spelled(host: &str, path: &str) -> String {
    let (project, user, memory) = match host {
        "claude-code" => (".claude", ".claude", "CLAUDE.md"),
        "codex" => (".agents", ".agents", "AGENTS.md"),
        "gemini" => (".gemini", ".gemini", "GEMINI.md"),
        _ => (".opencode", ".config/opencode", "AGENTS.md"),
    };
    let path = if host == "codex" {
        path.replace("home/.HOST/MEMORY.md", "home/.codex/AGENTS.md")
    } else {
        path.to_owned()
    };
    path.replace("home/.HOST", &format!("home/{user}"))
        .replace(".HOST", project)
        .replace("MEMORY.md", memory)
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, bytes).expect("a file");
}

/// Lays a case out below `root`, with trust and approvals as the host keeps them.
fn lay_out(case: &Case, host: &str, root: &Path) {
    let filled = |text: &str| text.replace("{{ROOT}}", &root.to_string_lossy());
    for dir in &case.git {
        let git = root.join(dir).join(".git");
        fs::create_dir_all(git.join("objects")).expect("a repository");
        fs::create_dir_all(git.join("refs")).expect("a repository");
        write(&git.join("HEAD"), b"ref: refs/heads/main\n");
    }
    for dir in [&case.cwd, &case.home] {
        fs::create_dir_all(root.join(dir)).expect("a folder");
    }
    let mut links = Vec::new();
    for section in &case.sections {
        let path = root.join(spelled(host, &section.path));
        if let Some(target) = &section.link {
            let target = target.replace("home/.HOST", &spelled(host, "home/.HOST"));
            links.push((filled(&spelled(host, &target)), path));
        } else if section.path.ends_with('/') {
            fs::create_dir_all(&path).expect("a folder");
        } else if section.is_base64 {
            let text = section.text.split_whitespace().collect::<String>();
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(text)
                .expect("base64");
            write(&path, &bytes);
        } else {
            write(&path, filled(&section.text).as_bytes());
        }
    }
    for (target, path) in links {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let _ = fs::remove_dir(&path);
        std::os::unix::fs::symlink(target, path).expect("a link");
    }
    trust(case, host, root);
    for section in case.sections.iter().filter(|section| section.mode.is_some()) {
        use std::os::unix::fs::PermissionsExt;
        let path = root.join(spelled(host, &section.path));
        let mode = fs::Permissions::from_mode(section.mode.expect("a mode"));
        fs::set_permissions(path, mode).expect("permissions");
    }
}

fn trust(case: &Case, host: &str, root: &Path) {
    let home = root.join(&case.home);
    let project = root.join("project");
    match host {
        "codex" if case.trusted => {
            let moved = case.variables.iter().find(|(name, _)| name == "CODEX_HOME");
            let file = match moved {
                Some((_, value)) => PathBuf::from(value.replace("{{ROOT}}", &root.to_string_lossy())),
                None => home.join(".codex"),
            }
            .join("config.toml");
            let text = fs::read_to_string(&file).unwrap_or_default();
            let trusted = format!(
                "{text}\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                project.display()
            );
            write(&file, trusted.as_bytes());
        }
        "gemini" if case.trusted => {
            let folders = serde_json::json!({ project.to_string_lossy(): "TRUST_FOLDER" });
            write(
                &home.join(".gemini/trustedFolders.json"),
                folders.to_string().as_bytes(),
            );
            let mut known = serde_json::Map::new();
            for dir in BTreeSet::from([project, root.join(&case.cwd)]) {
                let mut names = serde_json::Map::new();
                for file in walkdir::WalkDir::new(dir.join(".gemini/agents")).sort_by_file_name() {
                    let Ok(file) = file else { continue };
                    if !file.file_type().is_file() {
                        continue;
                    }
                    let bytes = fs::read(file.path()).expect("an agent");
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    if let Some(name) = text.lines().find_map(|line| line.strip_prefix("name: ")) {
                        let digest = Sha256::digest(&bytes);
                        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                        let name = name.split_whitespace().next().unwrap_or_default();
                        names.insert(name.to_owned(), hex.into());
                    }
                }
                known.insert(dir.to_string_lossy().into_owned(), names.into());
            }
            let file = home.join(".gemini/acknowledgments/agents.json");
            write(&file, Value::Object(known).to_string().as_bytes());
        }
        _ => {}
    }
}

/// Every candidate that is neither the winner nor in effect beside it says why, in a word that has a page with a
/// source.
fn every_loser_is_explained(host: &str, name: &str, resolution: &aleph_discover::model::Resolution) -> usize {
    let mut losers = 0;
    for chain in resolution.chains() {
        for candidate in chain.candidates() {
            let place = || format!("{host} {name}: {} {}", chain.kind(), candidate.path().display());
            let word = match candidate.state {
                State::Active | State::Additive | State::Namespaced => continue,
                State::Shadowed | State::Identical | State::Alias => {
                    candidate.rule.map(aleph_discover::model::Rule::as_str)
                }
                State::Disabled
                | State::Untrusted
                | State::Invalid
                | State::Rejected
                | State::Ignored
                | State::Unreadable => candidate.code.map(aleph_discover::model::Code::as_str),
            };
            assert!(word.is_some(), "it says no rule and no code: {}", place());
            let word = word.unwrap_or_default();
            let page = explain(word);
            assert!(page.is_some(), "`{word}` has no page: {}", place());
            let page = page.expect("a page");
            let view = page.view().page;
            assert!(!view.source.is_empty(), "`{word}` has no source: {}", place());
            assert!(view.text.len() > 40, "`{word}` says next to nothing: {}", place());
            losers += 1;
        }
    }
    losers
}

type Names = BTreeMap<(String, String), Vec<BTreeSet<String>>>;

/// What we say of a case that is laid out at `root`.
fn asked(case: &Case, host: &str, root: &Path) -> aleph_discover::model::Resolution {
    let id = HostId::ALL
        .into_iter()
        .find(|id| id.as_str() == host)
        .expect("a host");
    let profile = HostProfile::known(id);
    let filled = |text: &str| text.replace("{{ROOT}}", &root.to_string_lossy());
    let mut environment = Environment::with_home(root.join(&case.home));
    environment.system_root = Some(root.to_path_buf());
    for (name, value) in &case.variables {
        if name == "CLAUDE_CONFIG_DIR" {
            environment.claude_home = Some(PathBuf::from(filled(value)));
        } else if let Some(name) = HOST_VARIABLES.into_iter().find(|known| known == name) {
            environment.variables.insert(name, OsString::from(filled(value)));
        }
    }
    let mut config = DiscoveryConfig::default().with_working_dir(root.join(&case.cwd));
    config.max_upward_depth = usize::MAX;
    if host == "claude-code" {
        config.settings = case
            .settings
            .as_deref()
            .map(|given| OsString::from(filled(given)));
        config.plugin_dirs = case
            .plugin_dirs
            .iter()
            .map(|dir| PathBuf::from(filled(dir)))
            .collect();
    }
    let manager = DiscoveryManager::for_host(profile, config, environment).expect("the folder is there");
    let kinds: Vec<_> = profile.listed_kinds().collect();
    manager.scan(&kinds)
}

/// What is in effect: by kind and name, each with the ways to its file.
fn in_effect(host: &str, root: &Path, resolution: &aleph_discover::model::Resolution) -> Names {
    let mut names = Names::new();
    for chain in resolution.chains() {
        for candidate in chain.candidates() {
            let is_loser = matches!(candidate.state, State::Shadowed | State::Identical | State::Alias);
            assert!(
                !is_loser || candidate.rule.is_some(),
                "{host}: a loser has a rule: {} {}",
                chain.kind(),
                candidate.path().display()
            );
            if !candidate.state.is_in_effect() {
                continue;
            }
            let paths = [candidate.marker(), Some(candidate.path()), candidate.real_path()];
            let ways = paths.into_iter().flatten().flat_map(|path| {
                let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                [path, real]
            });
            let below = |path: PathBuf| {
                path.strip_prefix(root)
                    .map(|path| path.to_string_lossy().into_owned())
            };
            let ways: BTreeSet<String> = ways.filter_map(|path| below(path).ok()).collect();
            let name = match chain.kind().as_str() {
                "memory" => String::new(),
                _ => chain.id().into_owned(),
            };
            names
                .entry((chain.kind().as_str().to_owned(), name))
                .or_default()
                .push(ways);
        }
    }
    names
}

/// What is different, one line for each.
fn differences(host: &str, items: &[Value], got: &Names) -> Vec<String> {
    let text = |item: &Value, key: &str| item[key].as_str().map(str::to_owned);
    let is = |item: &Value, key: &str| item[key].as_bool() == Some(true);
    let mut told = Vec::new();
    let mut want: BTreeMap<(String, String), Option<BTreeSet<String>>> = BTreeMap::new();
    let mut also: BTreeSet<(String, String)> = BTreeSet::new();
    let mut memory = BTreeSet::new();
    let there: Vec<&Value> = items.iter().filter(|item| !is(item, "disabled")).collect();
    for item in &there {
        let (kind, name) = (
            text(item, "kind").expect("kind"),
            text(item, "name").expect("name"),
        );
        if kind == "memory" {
            memory.insert(name);
            continue;
        }
        for name in item["also"].as_array().into_iter().flatten() {
            also.insert((kind.clone(), name.as_str().expect("a name").to_owned()));
        }
        let same: Vec<&&Value> = there
            .iter()
            .filter(|other| {
                text(other, "kind").as_ref() == Some(&kind) && text(other, "name").as_ref() == Some(&name)
            })
            .collect();
        let by_name = matches!(kind.as_str(), "plugin" | "mcp-server");
        let paths: Option<BTreeSet<String>> = if by_name || same.iter().any(|item| is(item, "race")) {
            None
        } else if host == "claude-code" && same.len() > 1 {
            Some(
                same.iter()
                    .filter(|item| is(item, "runs"))
                    .filter_map(|item| text(item, "path"))
                    .collect(),
            )
        } else {
            same.iter().map(|item| text(item, "path")).collect()
        };
        want.insert((kind, name), paths.filter(|paths| !paths.is_empty()));
    }
    for (key, paths) in &want {
        match got.get(key) {
            None => told.push(format!("{} {}: the host has it, we do not", key.0, key.1)),
            Some(ways) => {
                let Some(paths) = paths else { continue };
                let missing = paths
                    .iter()
                    .any(|path| !ways.iter().any(|ways| ways.contains(path)));
                let surplus = ways.iter().any(|ways| ways.is_disjoint(paths));
                if missing || surplus {
                    told.push(format!(
                        "{} {}: the host uses {paths:?}, we say {ways:?}",
                        key.0, key.1
                    ));
                }
            }
        }
    }
    // Hooks, output styles and settings files are not in the recordings.
    let compared = ["skill", "command", "agent", "mcp-server", "plugin"];
    for key in got.keys().filter(|key| compared.contains(&key.0.as_str())) {
        if !want.contains_key(key) && !also.contains(key) {
            told.push(format!("{} {}: we have it, the host does not", key.0, key.1));
        }
    }
    let ours = got
        .get(&("memory".to_owned(), String::new()))
        .cloned()
        .unwrap_or_default();
    for path in &memory {
        if !ours.iter().any(|ways| ways.contains(path)) {
            told.push(format!("memory {path}: the host has it, we do not"));
        }
    }
    for ways in ours.iter().filter(|ways| ways.is_disjoint(&memory)) {
        told.push(format!("memory {ways:?}: we have it, the host does not"));
    }
    told
}

fn scratch_directory() -> tempfile::TempDir {
    tempfile::tempdir_in(place::temporary()).expect("a scratch directory")
}

fn runs_as_root(scratch: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let locked = scratch.join("locked");
    fs::write(&locked, "x").expect("a file");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("permissions");
    fs::read(&locked).is_ok()
}

fn replay(host: &str) {
    let scratch = scratch_directory();
    let top = scratch.path().canonicalize().expect("a real path");
    let is_root = runs_as_root(&top);
    let recorded = fs::read_to_string(data("recorded").join(format!("{host}.json"))).expect("recordings");
    let recorded: Value = serde_json::from_str(&recorded).expect("recordings are JSON");
    let id = HostId::ALL
        .into_iter()
        .find(|id| id.as_str() == host)
        .expect("a host");
    assert_eq!(
        recorded["version"].as_str(),
        HostProfile::known(id).observed,
        "the profile says on which version its rules were observed"
    );
    let cases = recorded["cases"].as_object().expect("cases");
    assert!(cases.len() > 40, "there are recordings: {}", cases.len());
    let mut wrong = Vec::new();
    let mut losers = 0;
    for (number, (name, items)) in cases.iter().enumerate() {
        let text = fs::read_to_string(data("cases").join(format!("{name}.txt"))).expect("a case");
        let case = parse(&text);
        if is_root && case.sections.iter().any(|section| section.mode.is_some()) {
            eprintln!("SKIPPED {host} {name}: root may read whatever the file mode says");
            continue;
        }
        let root = top.join(number.to_string());
        fs::create_dir_all(&root).expect("a folder");
        lay_out(&case, host, &root);
        let resolution = asked(&case, host, &root);
        losers += every_loser_is_explained(host, name, &resolution);
        let got = in_effect(host, &root, &resolution);
        let told = differences(host, items.as_array().expect("items"), &got);
        let exception = EXCEPTIONS
            .iter()
            .find(|(of, case, _)| *of == host && case == name);
        match exception {
            Some(_) => assert!(!told.is_empty(), "{host} {name} agrees and needs no exception"),
            None => wrong.extend(told.into_iter().map(|line| format!("{name}: {line}"))),
        }
    }
    assert!(wrong.is_empty(), "{host} differs:\n{}", wrong.join("\n"));
    assert!(losers > 30, "the cases have losers: {losers}");
}

/// The cases that others keep: what loses in them is explained too.
#[test]
fn what_loses_in_shared_cases_is_explained() {
    let shared = std::env::var_os("ALEPH_DISCOVER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let Ok(cases) = fs::read_dir(shared.join("hosts/cases")) else {
        eprintln!("SKIPPED: no cases; set ALEPH_DISCOVER_SHARED to the folder that holds hosts/cases");
        return;
    };
    let scratch = scratch_directory();
    let top = scratch.path().canonicalize().expect("a real path");
    let is_root = runs_as_root(&top);
    let mut losers = 0;
    for (number, entry) in cases.enumerate() {
        let path = entry.expect("a case").path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let case = parse(&fs::read_to_string(&path).expect("a case"));
        if is_root && case.sections.iter().any(|section| section.mode.is_some()) {
            continue;
        }
        for host in ["claude-code", "codex", "gemini", "opencode"] {
            let root = top.join(format!("{number}-{host}"));
            fs::create_dir_all(&root).expect("a folder");
            lay_out(&case, host, &root);
            losers += every_loser_is_explained(host, &name, &asked(&case, host, &root));
        }
    }
    assert!(losers > 100, "the cases have losers: {losers}");
}

#[test]
fn claude_code_loads_what_we_say() {
    replay("claude-code");
}

/// A description is cut for the model, and that is told.
#[test]
fn a_long_description_is_told_of() {
    let scratch = scratch_directory();
    let root = scratch.path().canonicalize().expect("a real path");
    let text = fs::read_to_string(data("cases/skill-very-long-description.txt")).expect("a case");
    lay_out(&parse(&text), "codex", &root);
    let config = DiscoveryConfig::default().with_working_dir(root.join("project"));
    let environment = Environment::with_home(root.join("home"));
    let profile = HostProfile::known(HostId::Codex);
    let manager = DiscoveryManager::for_host(profile, config, environment).expect("the folder is there");
    let told = manager
        .scan(&[aleph_discover::model::ComponentKind::Skill])
        .diagnostics;
    let cut: Vec<&str> = told
        .iter()
        .filter(|diagnostic| diagnostic.code.as_str() == "description-cut")
        .filter_map(|diagnostic| Some(diagnostic.subject.as_ref()?.id.as_str()))
        .collect();
    assert_eq!(cut, ["long"]);
}

#[test]
fn codex_loads_what_we_say() {
    replay("codex");
}

#[test]
fn gemini_loads_what_we_say() {
    replay("gemini");
}

#[test]
fn opencode_loads_what_we_say() {
    replay("opencode");
}
