//! Ends the process at every step of every change, and at random moments: what is left is the old state or the new
//! one, and the next command works.
//!
//! Each step is a run of this very test program that ends itself there without unwinding, as a kill would.
#![cfg(all(unix, feature = "cli"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets what it does not expect fails, and says where"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use aleph_discover::HostProfile;
use aleph_discover::plugin::install::{self, Git, Observer, Prepared, Setting, Step};
use aleph_discover::plugin::source::Source;
use tempfile::TempDir;

#[path = "it/support/place.rs"]
mod place;

/// Ends the process at one step.
struct Ends {
    left: usize,
    may_exchange: bool,
}

impl Observer for Ends {
    fn at(&mut self, step: Step<'_>) {
        // How often a fetch is looked at depends on the clock.
        if matches!(step, Step::Fetching { .. }) {
            return;
        }
        if self.left == 0 {
            std::process::exit(99);
        }
        self.left -= 1;
    }

    fn may_exchange(&self) -> bool {
        self.may_exchange
    }
}

fn setting(home: &Path) -> Setting {
    Setting {
        show_secrets: false,
        home: home.to_path_buf(),
        profile: HostProfile::native(),
        git: Git::new(std::env::vars_os()),
    }
}

/// What the other tests run this program for.
#[test]
#[ignore = "runs only as a part of the other tests"]
fn child() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let root = PathBuf::from(variable("STEPS_ROOT"));
    let mut ends = Ends {
        left: variable("STEPS_LEFT").parse().unwrap(),
        may_exchange: variable("STEPS_EXCHANGE") == "yes",
    };
    let setting = setting(&root.join("home"));
    let install = |source: Source, ends: &mut Ends| {
        Prepared::new(&setting, &source, ends)
            .unwrap()
            .install(true, SystemTime::now())
            .unwrap();
    };
    match variable("STEPS_ACTION").as_str() {
        "path" => install(Source::Path(root.join("new/demo")), &mut ends),
        "zip" => install(Source::Zip(root.join("demo.zip")), &mut ends),
        "git" => install(
            Source::Git(format!("file://{}", root.join("repo").display())),
            &mut ends,
        ),
        "stated" => install(
            Source::Marketplace {
                name: "demo".to_owned(),
                marketplace: Some("states".to_owned()),
            },
            &mut ends,
        ),
        "remove" => {
            let there = install::find(&setting.home, "demo");
            install::remove(&setting.home, "demo", there.as_deref(), &mut ends).unwrap();
        }
        "market-update" => {
            install::update_marketplace(&setting, "m", &mut ends).unwrap();
        }
        "market-remove" => {
            install::remove_marketplace(&setting, "m", &mut ends).unwrap();
        }
        "disable" => {
            install::set_enabled(&setting.home, "demo", false, &mut ends).unwrap();
        }
        other => panic!("{other}"),
    }
}

/// What a host sees: visible plugins and clones of marketplaces, without records.
fn trees(home: &Path) -> BTreeMap<String, String> {
    let mut all = state(home);
    all.retain(|path, _| path.starts_with("plugins/") && !path.starts_with("plugins/.aleph-discover"));
    all
}

/// Everything below the home, but when something was installed.
fn state(home: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(home).min_depth(1) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
            let kept: Vec<&str> = text
                .lines()
                .filter(|line| !line.starts_with("installed = "))
                .collect();
            let relative = entry.path().strip_prefix(home).unwrap();
            found.insert(relative.to_str().unwrap().to_owned(), kept.join("\n"));
        }
    }
    found
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(dir: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .current_dir(dir)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments)
        // Whoever runs the tests may be a git itself, which says by its variables what to work on.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(run.status.success(), "git {arguments:?}");
}

/// Sources of the old and the new state, and a home that is empty or has the old one.
fn world(has_old: bool, has_repository: bool) -> TempDir {
    let dir = TempDir::new_in(place::temporary()).unwrap();
    let root = dir.path();
    for (place, text) in [("old/demo", "old"), ("new/demo", "new"), ("repo", "new")] {
        write(&root.join(place).join("skills/one/SKILL.md"), text);
        write(&root.join(place).join("skills/two/SKILL.md"), text);
        write(
            &root.join(place).join("aleph.plugin.toml"),
            "[plugin]\nid = \"demo\"\n",
        );
    }
    write(
        &root.join("repo/.claude-plugin/marketplace.json"),
        r#"{"name": "m", "plugins": []}"#,
    );
    // A plugin that is one by the word of a marketplace only.
    write(&root.join("market/demo/skills/one/SKILL.md"), "new");
    write(
        &root.join("market/.claude-plugin/marketplace.json"),
        r#"{"name": "states", "plugins": [{"name": "demo", "source": "./demo", "strict": false,
            "skills": ["./skills/one"], "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "stop"}]}]}}]}"#,
    );
    if has_repository {
        git(&root.join("repo"), &["init", "--quiet"]);
        git(&root.join("repo"), &["add", "-A"]);
        git(&root.join("repo"), &["commit", "--quiet", "-m", "x"]);
    }
    fs::write(root.join("demo.zip"), stored_zip()).unwrap();
    let home = root.join("home");
    write(&home.join("plugins/mine/skills/x/SKILL.md"), "mine");
    write(
        &home.join("data/plugins.toml"),
        "# kept\n[entries.x]\nenabled = false\n",
    );
    write(
        &home.join("data/marketplaces.toml"),
        &format!(
            "[marketplaces.states]\nsource = \"{}\"\nkind = \"directory\"\ntier = \"community\"\n",
            root.join("market").display()
        ),
    );
    if has_old {
        let source = Source::Path(root.join("old/demo"));
        let setting = setting(&home);
        Prepared::new(&setting, &source, &mut ())
            .unwrap()
            .install(false, SystemTime::now())
            .unwrap();
        if has_repository {
            let url = format!("file://{}", root.join("repo").display());
            install::add_marketplace(&setting, &Source::Git(url), None, &mut ()).unwrap();
            write(&home.join("plugins/.marketplaces/m/old"), "old");
        }
    }
    dir
}

/// An archive of the new plugin: two stored files.
fn stored_zip() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    let files = [
        ("aleph.plugin.toml", "[plugin]\nid = \"demo\"\n"),
        ("skills/one/SKILL.md", "new"),
    ];
    for (name, text) in files {
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let offset = u32::try_from(bytes.len()).unwrap();
        let size = u32::try_from(text.len()).unwrap().to_le_bytes();
        let common = [[0; 8].as_slice(), &crc.sum().to_le_bytes(), &size, &size].concat();
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        for (out, head) in [
            (&mut bytes, b"PK\x03\x04\x14\0".as_slice()),
            (&mut directory, b"PK\x01\x02\x14\x03\x14\0"),
        ] {
            out.extend(head);
            out.extend(&common);
            out.extend(length);
            out.extend([0; 2]);
        }
        bytes.extend(name.as_bytes());
        bytes.extend(text.as_bytes());
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0\x02\0\x02\0");
    bytes.extend(size);
    bytes.extend(start);
    bytes.extend([0; 2]);
    bytes
}

fn run(root: &Path, action: &str, left: usize, may_exchange: bool) -> bool {
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("STEPS_ROOT", root)
        .env("STEPS_ACTION", action)
        .env("STEPS_LEFT", left.to_string())
        .env("STEPS_EXCHANGE", if may_exchange { "yes" } else { "no" })
        .output()
        .unwrap();
    match run.status.code() {
        Some(99) => false,
        Some(0) => true,
        _ => panic!("{action} at {left}: {}", String::from_utf8_lossy(&run.stderr)),
    }
}

/// Ends an action at each of its steps.
fn at_every_step(action: &str, has_old: bool, may_exchange: bool) {
    let what = format!("{action}, old {has_old}, exchange {may_exchange}");
    let world_of = || world(has_old, action == "git" || action.starts_with("market"));
    let done = world_of();
    let old = state(&done.path().join("home"));
    let old_trees = trees(&done.path().join("home"));
    assert!(run(done.path(), action, usize::MAX, may_exchange), "{what}");
    let normal = |state: BTreeMap<String, String>, root: &Path| -> BTreeMap<String, String> {
        // Records name the source, and every world has its own.
        let root = root.to_str().unwrap().to_owned();
        state
            .into_iter()
            .map(|(path, text)| (path, commitless(&text.replace(&root, "ROOT"))))
            .collect()
    };
    let new = normal(state(&done.path().join("home")), done.path());
    let new_trees = trees(&done.path().join("home"));
    let old = normal(old, done.path());
    assert_ne!(old, new, "{what}: it changes something");
    let (mut steps, mut kept, mut changed) = (0, 0, 0);
    loop {
        let world = world_of();
        let home = world.path().join("home");
        if run(world.path(), action, steps, may_exchange) {
            break;
        }
        let seen = trees(&home);
        let is_aside = !may_exchange && home.join("plugins/.aleph-discover/old").exists();
        assert!(
            seen == old_trees || seen == new_trees || is_aside,
            "{what}, step {steps}: {seen:#?}"
        );
        install::recover(&home, &mut ()).unwrap();
        let after = normal(state(&home), world.path());
        if after == old {
            kept += 1;
        } else if after == new {
            changed += 1;
        } else {
            panic!("{what}, step {steps}: neither old nor new: {after:#?}");
        }
        assert!(
            !home.join("plugins/.aleph-discover").exists(),
            "{what}, step {steps}"
        );
        // The next command works: the same again gives the new state.
        assert!(
            run_again(world.path(), action, may_exchange),
            "{what}, step {steps}"
        );
        assert_eq!(normal(state(&home), world.path()), new, "{what}, step {steps}");
        steps += 1;
    }
    assert!(steps >= 4, "{what}: {steps} steps");
    assert!(kept > 0, "{what}: an early end keeps the old state");
    if action != "disable" {
        assert!(changed > 0, "{what}: a late end has the new state");
    }
}

/// Commits of two repositories that were made a second apart differ.
fn commitless(text: &str) -> String {
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("commit = "))
        .collect();
    kept.join("\n")
}

/// What was removed already cannot be removed again.
fn run_again(root: &Path, action: &str, may_exchange: bool) -> bool {
    if action == "market-remove" {
        let setting = setting(&root.join("home"));
        return match install::remove_marketplace(&setting, "m", &mut ()) {
            Ok(_) => true,
            Err(error) => error.verdict() == install::Verdict::No,
        };
    }
    run(root, action, usize::MAX, may_exchange)
}

#[test]
fn a_first_install_is_whole_or_not_at_all() {
    for action in ["path", "zip", "git", "stated"] {
        at_every_step(action, false, true);
    }
}

#[test]
fn an_update_is_whole_or_not_at_all() {
    for action in ["path", "zip", "stated"] {
        at_every_step(action, true, true);
    }
}

#[test]
fn an_update_is_whole_where_directories_cannot_be_exchanged() {
    at_every_step("path", true, false);
}

#[test]
fn removing_is_whole_or_not_at_all() {
    at_every_step("remove", true, true);
}

#[test]
fn switching_is_whole_or_not_at_all() {
    at_every_step("disable", true, true);
}

#[test]
fn changes_of_marketplaces_are_whole_or_not_at_all() {
    at_every_step("market-update", true, true);
    at_every_step("market-remove", true, true);
}

/// The program itself, killed at random moments of updates back and forth.
#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new() {
    let world = world(true, false);
    let root = world.path();
    for n in 0..60 {
        for place in ["old", "new"] {
            write(
                &root.join(place).join(format!("demo/skills/s{n}/SKILL.md")),
                place,
            );
        }
    }
    let home = root.join("home");
    let binary = env!("CARGO_BIN_EXE_aleph-discover");
    let aleph = |arguments: &[&str]| {
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .args(
                ["--yes", "--update"]
                    .iter()
                    .take(if arguments.contains(&"install") { 2 } else { 0 }),
            )
            .current_dir(root)
            .env_clear()
            .env("HOME", root)
            .env("ALEPH_HOME", &home)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    let contents = |place: &Path| {
        let mut found = BTreeMap::new();
        for entry in walkdir::WalkDir::new(place) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let relative = entry.path().strip_prefix(place).unwrap().to_path_buf();
                found.insert(relative, fs::read(entry.path()).unwrap());
            }
        }
        found
    };
    let (old, new) = (contents(&root.join("old/demo")), contents(&root.join("new/demo")));
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut killed = 0;
    for round in 0.. {
        if killed == 30 {
            break;
        }
        // Far more than it takes, if only how busy the machine is changes.
        assert!(round < 1000, "{killed} of {round} were killed");
        let (from, to) = if round % 2 == 0 {
            ("./old/demo", "./new/demo")
        } else {
            ("./new/demo", "./old/demo")
        };
        // How long one takes here and now, so that the moments cover all of it.
        let start = std::time::Instant::now();
        assert!(aleph(&["plugins", "install", from]).status().unwrap().success());
        let whole = start.elapsed();
        let mut run = aleph(&["plugins", "install", to]).spawn().unwrap();
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let part = f64::from(u32::try_from(seed >> 33).unwrap()) / f64::from(1_u32 << 31);
        std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * part * 1.1));
        run.kill().unwrap();
        killed += u32::from(run.wait().unwrap().code().is_none());
        let there = contents(&home.join("plugins/demo"));
        assert!(there == old || there == new, "round {round}");
        assert!(
            aleph(&["plugins", "verify", "demo"]).status().unwrap().success(),
            "round {round}"
        );
        assert!(!home.join("plugins/.aleph-discover").exists(), "round {round}");
    }
}
