//! A disk that is full while something is installed: exit 5, and all is as before.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::skipped;
use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;

/// A small file system in memory, for as long as it is held.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path, kibibytes: u32) -> Option<Self> {
        let mounted = Command::new("mount")
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={kibibytes}k,mode=755"),
                "tmpfs",
            ])
            .arg(at)
            .output();
        let mounted = mounted.is_ok_and(|run| run.status.success());
        mounted.then(|| Self(at.to_path_buf()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Plugins of growing size are installed, and put in the place of a smaller one, until nothing more fits: wherever
/// the disk is full, the old state is there or the new one.
#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let (mut done, mut full) = (0, 0);
    for kibibytes in (4..140).step_by(4) {
        let mut tree =
            Tree::in_git("-- home/.aleph/ --\n-- project/p/aleph.plugin.toml --\n[plugin]\nid = \"p\"");
        tree.add("-- project/q/skills/x/SKILL.md --\nx");
        let Some(small) = Small::mount(&tree.path("home/.aleph"), 128) else {
            return skipped(
                "a_full_disk_leaves_everything_as_it_was",
                "nothing can be mounted here",
            );
        };
        let install = |source: &str| {
            tree.aleph(["plugins", "install", source, "--update", "--json"])
                .run()
        };
        install("./q").exits(0);
        if kibibytes % 8 == 0 {
            install("./p").exits(0);
        }
        tree_write(&tree, kibibytes);
        let before = snapshot(&tree.path("home/.aleph"));
        let run = install("./p");
        match run.code {
            Some(0) => {
                done += 1;
                assert!(tree.path("home/.aleph/plugins/p/skills/s/SKILL.md").exists());
            }
            Some(5) => {
                full += 1;
                let after = snapshot(&tree.path("home/.aleph"));
                assert_eq!(after, before, "{kibibytes} KiB: {}", run.stderr);
            }
            other => panic!("{other:?}: {}", run.stderr),
        }
        assert!(
            !tree.path("home/.aleph/plugins/.aleph-discover").exists(),
            "{kibibytes} KiB"
        );
        tree.aleph(["plugins", "verify", "--json"]).run().exits(0);
        drop(small);
    }
    assert!(done > 5 && full > 5, "{done} fit, {full} did not");
}

fn tree_write(tree: &Tree, kibibytes: usize) {
    let path = tree.path("project/p/skills/s/SKILL.md");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "x".repeat(kibibytes * 1024)).unwrap();
}
