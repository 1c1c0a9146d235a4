//! Disclosing writes nothing below the Aleph home, and nothing that stays (plugins.md 4); what cannot be read refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;
use crate::support::view::text;
use crate::support::zip::{Entry, archive};

const MARKET: &str = r#"
-- home/ --
-- project/scratch/ --
-- project/market/.claude-plugin/marketplace.json --
{"name": "market", "plugins": [{"name": "tongue", "source": "./tongue", "strict": false, "skills": ["./extra"]}]}
-- project/market/tongue/extra/more/SKILL.md --
more
"#;

fn zipped() -> Vec<u8> {
    archive(&[
        Entry::deflated(
            ".claude-plugin/plugin.json",
            br#"{"name": "zipped", "version": "1.2"}"#,
        ),
        Entry::stored("skills/one/SKILL.md", b"does one thing\n"),
    ])
}

/// An archive, and an entry that states components, are looked at beside the Aleph home: it may be closed.
#[test]
fn disclosing_does_not_write_into_the_aleph_home() {
    let name = "disclosing_does_not_write_into_the_aleph_home";
    let mut tree = Tree::in_git(MARKET);
    tree.write("project/z.zip", zipped());
    tree.aleph(["marketplace", "add", "./market"]).run().exits(0);
    let closed = fs::Permissions::from_mode(0o555);
    for dir in ["home/.aleph/data", "home/.aleph", "home"] {
        fs::set_permissions(tree.path(dir), closed.clone()).unwrap();
    }
    fs::set_permissions(tree.path("project/scratch"), fs::Permissions::from_mode(0o777)).unwrap();
    // Beside them lies the copy of the program that another user may run.
    let shown = || ["home", "project"].map(|dir| snapshot(&tree.path(dir)));
    let before = shown();
    for (source, id) in [("./z.zip", "zipped:one"), ("tongue@market", "tongue:more")] {
        let asked = tree
            .aleph(["plugins", "disclose", source, "--json"])
            .env("TMPDIR", tree.path("project/scratch"));
        let Some(asked) = asked.unprivileged(name) else {
            return;
        };
        let told = asked.run().exits(0).json();
        assert_eq!(text(&told["disclosure"]["instructs"][0], "id"), id);
        assert!(!told.to_string().contains("/scratch/"), "{told:#}");
        assert_eq!(shown(), before, "{source}");
    }
    for dir in ["home", "home/.aleph", "home/.aleph/data"] {
        fs::set_permissions(tree.path(dir), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Nobody else may look into what is unpacked, and an interruption leaves nothing of it.
#[test]
fn what_is_unpacked_to_be_looked_at_is_private_and_goes() {
    let mut tree = Tree::in_git(MARKET);
    let names: Vec<String> = (0..9_000)
        .map(|number| format!("skills/s{number}/SKILL.md"))
        .collect();
    let entries: Vec<Entry> = names.iter().map(|name| Entry::stored(name, b"x\n")).collect();
    tree.write("project/z.zip", archive(&entries));
    let scratch = tree.path("project/scratch");
    let before = snapshot(tree.root());
    let mut child = Command::new(env!("CARGO_BIN_EXE_aleph-discover"))
        .args(["plugins", "disclose", "./z.zip"])
        .current_dir(tree.path("project"))
        .env_clear()
        .env("HOME", tree.path("home"))
        .env("TMPDIR", &scratch)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    let made = loop {
        if let Some(Ok(made)) = fs::read_dir(&scratch).unwrap().next() {
            break made;
        }
        assert!(Instant::now() < end, "nothing was unpacked");
        sleep(Duration::from_millis(1));
    };
    let mode = made.metadata().unwrap().permissions().mode();
    let signalled = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    let ended = child.wait().unwrap();
    assert_eq!(mode & 0o777, 0o700);
    assert!(signalled.success());
    assert_eq!(ended.signal(), Some(15), "{ended:?}");
    assert!(snapshot(tree.root()) == before, "something stays");
}

/// A directory for temporary files that is none is told of by its name.
#[test]
fn no_place_to_unpack_is_told_of() {
    let mut tree = Tree::in_git(MARKET);
    tree.write("project/z.zip", zipped());
    let gone = tree.path("project/nowhere");
    let error = tree
        .aleph(["plugins", "disclose", "./z.zip", "--json"])
        .env("TMPDIR", &gone)
        .run()
        .exits(5)
        .json();
    assert_eq!(error["error"]["path"], "[ROOT]/project/nowhere", "{error}");
}

/// What cannot be read refuses as what may not be read does, and the answer names it.
#[test]
fn an_unreadable_tree_is_refused_by_its_path() {
    let name = "an_unreadable_tree_is_refused_by_its_path";
    let tree = Tree::in_git(
        "
-- project/file/skills/s/SKILL.md --
x
-- project/file/sec mode=000 --
x
-- project/dir/skills/s/SKILL.md --
x
-- project/dir/sec/ mode=000 --
-- project/manifest/.claude-plugin/plugin.json mode=000 --
{}
-- project/all/ mode=000 --
",
    );
    for (source, path) in [
        ("./file", "file/sec"),
        ("./dir", "dir/sec"),
        ("./manifest", "manifest/.claude-plugin/plugin.json"),
        ("./all", "all"),
    ] {
        for action in ["install", "disclose"] {
            let asked = tree.aleph(["plugins", action, source, "--json"]);
            let Some(asked) = asked.unprivileged(name) else {
                return;
            };
            let error = asked.run().exits(4).json();
            assert_eq!(error["error"]["code"], "refused", "{error}");
            assert_eq!(
                error["error"]["path"],
                format!("[ROOT]/project/{path}"),
                "{error}"
            );
        }
    }
}

/// Where an error is about a path of this machine, its answer says which.
#[test]
fn errors_about_a_path_name_it() {
    let tree = Tree::in_git(
        r#"
-- project/fifo/skills/s/SKILL.md --
x
-- project/fifo/ff fifo --
-- project/link/skills/s/SKILL.md --
x
-- project/link/out -> /etc --
-- project/none/x --
-- project/market/.claude-plugin/marketplace.json --
{"name": "market", "plugins": []}
-- project/broken/.claude-plugin/plugin.json --
{
"#,
    );
    let cases: [(&str, i32, &str); 5] = [
        ("./fifo", 4, "fifo/ff"),
        ("./link", 4, "link/out"),
        ("./none", 2, "none"),
        ("./market", 2, "market"),
        ("./broken", 4, "broken/.claude-plugin/plugin.json"),
    ];
    for (source, code, path) in cases {
        let run = tree.aleph(["plugins", "install", source, "--json"]).run();
        let error: Value = run.exits(code).json();
        let told = text(&error["error"], "path").replace("/./", "/");
        assert_eq!(told, format!("[ROOT]/project/{path}"), "{error}");
    }
}
