//! Roots and priorities (discovery.md 1) and the upward walk (discovery.md 2).

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{chains, diagnostics, list, root, roots, short, story, text, told};

/// The cap counts directories, the start included; numbers count from the outermost directory looked at, and
/// ending before the git root is said.
#[test]
fn the_walk_ends_at_its_cap_and_says_so() {
    let tree = Tree::in_git("-- project/a/b/ --");
    let walked = |depth: &str| {
        let run = tree
            .aleph(["scan", "--json", "--max-depth", depth])
            .cwd(tree.path("project/a/b"));
        let report = run.run().exits(0).json();
        let project: Vec<String> = roots(&report)
            .into_iter()
            .filter(|line| line.contains("Project"))
            .map(|line| line.replace(" Project missing", ""))
            .collect();
        (project, diagnostics(&report, "depth-cap").len())
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(walked("0"), (none, 1));
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        walked("1"),
        (lines(&["20 project/a/b/.claude", "40 project/a/b/.aleph"]), 1)
    );
    assert_eq!(
        walked("2"),
        (
            lines(&[
                "20 project/a/.claude",
                "21 project/a/b/.claude",
                "40 project/a/.aleph",
                "41 project/a/b/.aleph",
            ]),
            1
        )
    );
    let whole = lines(&[
        "20 project/.claude",
        "21 project/a/.claude",
        "22 project/a/b/.claude",
        "40 project/.aleph",
        "41 project/a/.aleph",
        "42 project/a/b/.aleph",
    ]);
    assert_eq!(walked("3"), (whole.clone(), 0));
    assert_eq!(walked("4"), (whole, 0));
}

/// Without a flag the cap is ten directories.
#[test]
fn ten_directories_are_walked_by_default() {
    let tree = Tree::in_git("-- project/1/2/3/4/5/6/7/8/9/10/ --");
    let report = tree.scan_in("project/1/2/3/4/5/6/7/8/9/10");
    let listed = roots(&report);
    assert_eq!(listed.len(), 2 + 10 + 10);
    assert_eq!(listed[2], "20 project/1/.claude Project missing");
    assert_eq!(
        listed[11],
        "29 project/1/2/3/4/5/6/7/8/9/10/.claude Project missing"
    );
    assert_eq!(listed[12], "40 project/1/.aleph Project missing");
    assert_eq!(diagnostics(&report, "depth-cap").len(), 1);

    let report = tree.scan_in("project/1/2/3/4/5/6/7/8/9");
    assert_eq!(roots(&report)[2], "20 project/.claude Project missing");
    assert_eq!(told(&report, "depth-cap"), [""; 0]);
}

/// With more than twenty directories on the walk the native band begins at 20+n, so that the bands never meet.
#[test]
fn the_bands_of_a_long_walk_do_not_meet() {
    let nested =
        |count: usize| (1..count).fold("project".to_owned(), |path, level| format!("{path}/{level}"));
    for (count, native) in [(20, 40), (21, 41), (25, 45)] {
        let inner = nested(count);
        let tree = Tree::in_git(&format!(
            "
-- project/.aleph/skills/deploy.md --
outermost native
-- {inner}/.claude/skills/deploy.md --
innermost claude
"
        ));
        let report = tree
            .aleph(["scan", "--json", "--max-depth", "100"])
            .cwd(tree.path(&inner))
            .run()
            .exits(0)
            .json();
        assert_eq!(root(&report, "project/.claude")["priority"], 20, "{count}");
        assert_eq!(
            root(&report, &format!("{inner}/.claude"))["priority"],
            19 + count,
            "{count}"
        );
        assert_eq!(root(&report, "project/.aleph")["priority"], native, "{count}");
        assert_eq!(
            root(&report, &format!("{inner}/.aleph"))["priority"],
            native + count - 1,
            "{count}"
        );
        assert_eq!(
            story(&report, "skill", "deploy"),
            [
                "project/.aleph/skills/deploy.md active".to_owned(),
                format!("{inner}/.claude/skills/deploy.md shadowed native-over-claude by 0"),
            ]
        );
    }
}

/// A worktree's `.git` file makes a root, and the main checkout is named.
#[test]
fn a_worktree_is_recognised_and_its_main_checkout_named() {
    let tree = Tree::new(
        "
-- main/.git/worktrees/wt/commondir --
../..
-- main/.git/worktrees/wt/gitdir --
[ROOT]/project/.git
-- main/.git/worktrees/wt/HEAD --
ref: refs/heads/wt
-- project/.git --
gitdir: [ROOT]/main/.git/worktrees/wt
-- project/sub/ --
",
    );
    let report = tree.scan_in("project/sub");
    assert_eq!(report["git_root"], "[ROOT]/project");
    assert_eq!(report["worktree_of"], "[ROOT]/main");
    assert_eq!(told(&report, "git-link-broken"), [""; 0]);
    assert_eq!(roots(&report)[2], "20 project/.claude Project missing");
}

/// A submodule's `.git` file makes a root too; it is no worktree.
#[test]
fn a_submodule_is_a_root_of_its_own() {
    let tree = Tree::in_git(
        "
-- project/.git/modules/sub/HEAD --
ref: refs/heads/main
-- project/sub/.git --
gitdir: ../.git/modules/sub
-- project/sub/inner/ --
",
    );
    let report = tree.scan_in("project/sub/inner");
    assert_eq!(report["git_root"], "[ROOT]/project/sub");
    assert_eq!(report["worktree_of"], Value::Null);
    assert_eq!(told(&report, "git-link-broken"), [""; 0]);
    assert_eq!(roots(&report).len(), 2 + 4);
}

/// A `.git` file whose target is gone is a root all the same; that it is broken is a diagnostic.
#[test]
fn a_broken_git_file_is_a_root_with_a_diagnostic() {
    let tree = Tree::new(
        "
-- project/.git --
gitdir: [ROOT]/gone/.git/worktrees/wt
-- project/sub/ --
",
    );
    let report = tree.scan_in("project/sub");
    assert_eq!(report["git_root"], "[ROOT]/project");
    assert_eq!(told(&report, "git-link-broken"), ["project/.git"]);
    assert_eq!(roots(&report).len(), 2 + 4);
}

/// A `.git` file that names no directory makes no root.
#[test]
fn a_git_file_without_gitdir_is_no_root() {
    let tree = Tree::in_git(
        "
-- project/sub/.git --
not what git writes
",
    );
    let report = tree.scan_in("project/sub");
    assert_eq!(report["git_root"], "[ROOT]/project");
    assert_eq!(told(&report, "git-file-malformed"), ["project/sub/.git"]);
}

/// A `.git` that is a symbolic link never makes a root, wherever it leads; nor does a FIFO.
#[test]
fn a_git_symlink_or_fifo_is_no_root() {
    for entry in ["-- project/sub/.git -> ../.git --", "-- project/sub/.git fifo --"] {
        let mut tree = Tree::in_git(entry);
        tree.add("-- project/sub/inner/ --");
        let report = tree.scan_in("project/sub/inner");
        assert_eq!(report["git_root"], "[ROOT]/project", "{entry}");
        assert_eq!(roots(&report).len(), 2 + 6, "{entry}");
    }
    // Also where it leads to a file that would make one.
    let tree = Tree::in_git(
        "
-- project/.git/modules/sub/HEAD --
-- project/gitfile --
gitdir: [ROOT]/project/.git/modules/sub
-- project/sub/.git -> ../gitfile --
",
    );
    assert_eq!(tree.scan_in("project/sub")["git_root"], "[ROOT]/project");
}

/// Without a git root the walk goes up to the top of the file system.
#[test]
fn without_a_git_root_the_walk_goes_to_the_top() {
    let tree = Tree::new("-- project/sub/ --");
    let inside_a_repository = tree.root().ancestors().any(|dir| dir.join(".git").exists());
    assert!(!inside_a_repository, "temporary directories lie in no repository");
    let report = tree
        .aleph(["scan", "--json", "--max-depth", "1000"])
        .cwd(tree.path("project/sub"))
        .run()
        .json();
    assert_eq!(report["git_root"], Value::Null);
    let depth = tree.path("project/sub").ancestors().count();
    assert_eq!(root(&report, "/.claude")["priority"], 20);
    assert_eq!(root(&report, "project/sub/.claude")["priority"], 20 + depth - 1);
    assert_eq!(roots(&report).len(), 2 + 2 * depth);
    assert_eq!(told(&report, "depth-cap"), [""; 0]);
}

/// A working directory reached through a link is walked from where it really is.
#[test]
fn the_walk_starts_at_the_real_directory() {
    let tree = Tree::in_git(
        "
-- project/sub/.aleph/skills/a.md --
-- elsewhere/.aleph/skills/wrong.md --
-- elsewhere/link -> ../project/sub --
",
    );
    let linked = tree.text("elsewhere/link");
    let by_flag = tree.aleph(["scan", "--json", "-C", &linked]).run().exits(0);
    let by_cwd = tree
        .aleph(["scan", "--json"])
        .cwd(&linked)
        .env("PWD", &linked)
        .run()
        .exits(0);
    let relative = tree
        .aleph(["scan", "--json", "-C", "../elsewhere/link"])
        .run()
        .exits(0);
    let direct = tree.scan_in("project/sub");
    assert_eq!(chains(&direct), ["skill a"]);
    for run in [by_flag, by_cwd, relative] {
        assert_eq!(run.json(), direct);
    }
}

/// `roots` tells every directory probed and the walk that led there.
#[test]
fn roots_tells_the_walk() {
    let tree = Tree::in_git("-- project/sub/.aleph/ --");
    let run = tree.aleph(["roots", "--json"]).cwd(tree.path("project/sub"));
    let report = run.run().exits(0).json();
    assert_eq!(report["schema"], "aleph-discover/roots@1");
    assert_eq!(roots(&report), roots(&tree.scan_in("project/sub")));
    let mut walk: Vec<&str> = list(&report, "walk")
        .iter()
        .map(|step| short(text(step, "dir")))
        .collect();
    walk.sort_unstable();
    assert_eq!(walk, ["project", "project/sub"]);

    let table = tree.aleph(["roots"]).cwd(tree.path("project/sub")).run().exits(0);
    for path in [
        "home/.claude",
        "home/.aleph",
        "project/.claude",
        "project/sub/.aleph",
    ] {
        assert!(table.stdout.contains(path), "{path} in\n{table}");
    }
}
