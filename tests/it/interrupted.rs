//! What is staged goes when the process is interrupted, and when the next one looks (plugins.md 4).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;

const TREE: &str = "
-- home/.aleph/plugins/mine/skills/x/SKILL.md --
x
-- project/p/skills/s/SKILL.md --
s
-- bin/git mode=755 --
#!/bin/sh
exec sleep 60
";

/// Starts what asks a git that never answers, and waits until something is staged.
fn staged(tree: &Tree, command: &str) -> Child {
    let git = tree.path("bin/git");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
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
    let staging = tree.path("home/.aleph/plugins/.aleph-discover");
    let end = Instant::now() + Duration::from_secs(20);
    while fs::read_dir(&staging).map_or(0, Iterator::count) == 0 {
        assert!(Instant::now() < end, "nothing was staged");
        sleep(Duration::from_millis(5));
    }
    started
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
        let mut child = staged(&tree, command);
        let signalled = Command::new("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .status()
            .unwrap();
        assert!(signalled.success());
        let ended = child.wait().unwrap();
        assert_eq!(ended.signal(), Some(number), "{command} {name}: {ended:?}");
        assert_eq!(snapshot(&tree.path("home")), before, "{command} {name}");
    }
}

#[test]
fn what_a_killed_run_left_goes_with_the_next_that_looks() {
    let tree = Tree::new(TREE);
    let before = snapshot(&tree.path("home"));
    let mut child = staged(&tree, "disclose");
    // Nobody looks while somebody is at work.
    let busy = snapshot(&tree.path("home"));
    tree.aleph(["plugins", "disclose", "./p"]).run().exits(0);
    assert_eq!(snapshot(&tree.path("home")), busy);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_ne!(
        snapshot(&tree.path("home")),
        before,
        "a killed run cannot clear away"
    );
    tree.aleph(["plugins", "disclose", "./p"]).run().exits(0);
    assert_eq!(snapshot(&tree.path("home")), before);
}
