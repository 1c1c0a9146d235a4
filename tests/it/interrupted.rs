//! What is staged goes when the process is interrupted, and when the next one looks (plugins.md 4).

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::run::LIMIT;
use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;

const TREE: &str = r#"
-- home/.aleph/plugins/mine/skills/x/SKILL.md --
x
-- project/p/skills/s/SKILL.md --
s
-- bin/git mode=755 --
#!/bin/sh
sleep 600 &
echo $! > "$0.number.new"
mv "$0.number.new" "$0.number"
wait
"#;

/// Starts what asks a git that never answers, and waits until that runs: all is staged then. Gives the number of what the
/// git has started as well, which outlives it.
fn staged(tree: &Tree, command: &str) -> (Child, String) {
    let started = Command::new(env!("CARGO_BIN_EXE_aleph-discover"))
        .args(["plugins", command, "https://example.invalid/x.git"])
        .current_dir(tree.path("project"))
        .env_clear()
        .env("HOME", tree.path("home"))
        .env("PATH", format!("{}:/usr/bin:/bin", tree.text("bin")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let number = tree.path("bin/git.number");
    let end = Instant::now() + LIMIT;
    let git = loop {
        if let Ok(number) = fs::read_to_string(&number) {
            break number.trim().to_owned();
        }
        assert!(Instant::now() < end, "git is not asked");
        sleep(Duration::from_millis(5));
    };
    fs::remove_file(&number).unwrap();
    let staging = tree.path("home/.aleph/plugins/.aleph-discover");
    assert_ne!(fs::read_dir(&staging).unwrap().count(), 0, "nothing is staged");
    (started, git)
}

fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), process]).status();
    assert!(sent.unwrap().success(), "{name} {process}");
}

#[test]
fn an_interrupted_run_leaves_nothing_and_ends_by_the_signal() {
    let tree = Tree::new(TREE);
    let before = snapshot(&tree.path("home"));
    for (command, name, number) in [
        ("disclose", "TERM", 15),
        ("disclose", "INT", 2),
        ("install", "TERM", 15),
    ] {
        let (mut child, git) = staged(&tree, command);
        signal(name, &child.id().to_string());
        let end = Instant::now() + LIMIT;
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            assert!(Instant::now() < end, "{command} goes on after {name}");
            sleep(Duration::from_millis(5));
        };
        signal("KILL", &git);
        assert_eq!(ended.signal(), Some(number), "{command} {name}: {ended:?}");
        assert_eq!(snapshot(&tree.path("home")), before, "{command} {name}");
    }
}

#[test]
fn what_a_killed_run_left_goes_with_the_next_that_looks() {
    let tree = Tree::new(TREE);
    let before = snapshot(&tree.path("home"));
    let (mut child, git) = staged(&tree, "disclose");
    // Nobody looks while somebody is at work.
    let busy = snapshot(&tree.path("home"));
    tree.aleph(["plugins", "disclose", "./p"]).run().exits(0);
    assert_eq!(snapshot(&tree.path("home")), busy);
    child.kill().unwrap();
    child.wait().unwrap();
    // Nor end what it has started.
    signal("KILL", &git);
    assert_ne!(
        snapshot(&tree.path("home")),
        before,
        "a killed run cannot clear away"
    );
    tree.aleph(["plugins", "disclose", "./p"]).run().exits(0);
    assert_eq!(snapshot(&tree.path("home")), before);
}
