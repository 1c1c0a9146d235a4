//! Hostile input (quality.md): each run ends by itself, says what it met, goes on with the siblings, and exits as
//! documented. The runner kills what takes longer than twenty seconds and fails on raw control characters.

use std::process::Command;

use crate::support::run::Run;
use crate::support::skipped;
use crate::support::tree::Tree;
use crate::support::view::{chain, dir, fate_at, list, root, story, text, told};

/// The entry that is odd.
pub(crate) const FILE: &str = "project/.aleph/skills/file.md";

/// The entry beside it, which must be in effect whatever the first one is.
pub(crate) const SIBLING: &str = "project/.aleph/skills/sibling.md";

/// Runs `scan --all` in every format; each must end with 0.
pub(crate) fn in_every_format(tree: &Tree) -> Vec<Run> {
    ["table", "json", "jsonl", "paths"]
        .into_iter()
        .map(|format| tree.aleph(["scan", "--all", "--format", format]).run().exits(0))
        .collect()
}

/// Links in circles, to nowhere, to `/`, to a FIFO and to a device are refused wherever they stand, and not followed.
#[test]
fn links_to_anywhere_are_refused() {
    let tree = Tree::in_git(
        "
-- project/pipe fifo --
-- project/.aleph/skills/to-top -> / --
-- project/.aleph/skills/to-home -> ../../../home --
-- project/.aleph/skills/circle-a -> circle-b --
-- project/.aleph/skills/circle-b -> circle-a --
-- project/.aleph/skills/to-skills -> . --
-- project/.aleph/skills/to-pipe.md -> ../../pipe --
-- project/.aleph/skills/to-zero.md -> /dev/zero --
-- project/.aleph/skills/to-nothing.md -> /nonexistent/x --
-- project/.aleph/skills/zero/SKILL.md -> /dev/zero --
-- project/.aleph/skills/pipe/SKILL.md -> ../../../pipe --
-- project/.aleph/skills/top/SKILL.md -> / --
-- project/.aleph/skills/fine.md --
",
    );
    let report = tree.scan();
    for name in [
        "to-top",
        "to-home",
        "circle-a",
        "circle-b",
        "to-skills",
        "to-pipe.md",
        "to-zero.md",
        "to-nothing.md",
    ] {
        let path = format!("project/.aleph/skills/{name}");
        assert_eq!(fate_at(&report, &path), "rejected symlink", "{name}");
    }
    for name in ["zero", "pipe", "top"] {
        let path = format!("project/.aleph/skills/{name}");
        assert_eq!(fate_at(&report, &path), "rejected escapes-root", "{name}");
    }
    assert_eq!(fate_at(&report, "project/.aleph/skills/fine.md"), "active");
    in_every_format(&tree);
}

/// Roots and component directories that are links in a circle, to nowhere or to a FIFO do not stop the scan. What
/// the system refused, a circle, is not shown as empty or missing.
#[test]
fn roots_that_are_bad_links_do_not_stop_the_scan() {
    let tree = Tree::in_git(
        "
-- project/pipe fifo --
-- home/.claude -> .claude --
-- home/.aleph -> gone --
-- project/.claude/skills -> skills --
-- project/.claude/commands -> gone --
-- project/.claude/agents -> ../pipe --
-- project/.aleph/skills/sibling.md --
",
    );
    let report = tree.aleph(["scan", "--json"]).run().exits(3).json();
    assert_eq!(fate_at(&report, SIBLING), "active");
    assert_eq!(report["complete"], false);
    assert_eq!(root(&report, "home/.claude")["status"], "unreadable");
    assert_eq!(root(&report, "home/.aleph")["status"], "missing");
    let statuses =
        ["skill", "command", "agent"].map(|kind| text(dir(&report, "project/.claude", kind), "status"));
    assert_eq!(statuses, ["unreadable", "missing", "skipped"]);
    assert_eq!(
        dir(&report, "project/.claude", "agent")["reason"],
        "not-a-directory"
    );
}

/// A component directory that is the top of the file system is listed one level deep like any other.
#[test]
fn a_component_directory_may_be_the_top() {
    let tree = Tree::in_git("-- project/.aleph/commands -> / --");
    let count = || std::fs::read_dir("/").expect("the top can be read").count();
    // Others may be making something there just now.
    let (report, there) = loop {
        let before = count();
        let report = tree.aleph(["scan", "--json"]).run().json();
        if count() == before {
            break (report, before);
        }
    };
    assert_eq!(dir(&report, "project/.aleph", "command")["entries"], there);
}

/// FIFOs and sockets, as markers, flat files, configuration files and `.git`, are never opened.
#[test]
fn pipes_and_sockets_are_never_opened() {
    let tree = Tree::new(
        "
-- .git/ --
-- project/.git fifo --
-- project/aleph.jsonc fifo --
-- project/.aleph/skills/pipe/SKILL.md fifo --
-- project/.aleph/skills/plug/SKILL.md socket --
-- project/.aleph/skills/flat.md fifo --
-- project/.aleph/skills/fine.md --
",
    );
    let report = tree.scan();
    for name in ["pipe", "plug", "flat.md"] {
        let path = format!("project/.aleph/skills/{name}");
        assert_eq!(fate_at(&report, &path), "rejected not-regular", "{name}");
    }
    assert_eq!(fate_at(&report, "project/.aleph/skills/fine.md"), "active");
    tree.aleph(["find-config", "aleph.jsonc"]).run().exits(1);
    tree.aleph(["why", "pipe"]).run().exits(1);
    tree.aleph(["why", &tree.text("project/.aleph/skills/flat.md")])
        .run()
        .exits(1);
}

/// A device as a marker or flat file is refused and not read.
#[test]
fn devices_are_never_opened() {
    let mut tree = Tree::in_git("-- project/.aleph/skills/fine.md --\n-- project/.aleph/skills/zero/ --");
    for path in ["zero/SKILL.md", "flat.md"] {
        let path = tree.path(&format!("project/.aleph/skills/{path}"));
        // /dev/zero: whoever reads it never comes to an end.
        let made = Command::new("mknod").arg(&path).args(["c", "1", "5"]).output();
        if !made.is_ok_and(|made| made.status.success()) {
            skipped("devices_are_never_opened", "mknod is not allowed here");
            return;
        }
    }
    tree.write(SIBLING, "fine");
    let report = tree.scan();
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/zero"),
        "rejected not-regular"
    );
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/flat.md"),
        "rejected not-regular"
    );
    assert_eq!(fate_at(&report, SIBLING), "active");
}

/// Mode 000 anywhere: what the system refused is in the output, the rest is there, exit 3.
#[test]
fn closed_files_and_directories_are_told_and_the_rest_goes_on() {
    let name = "closed_files_and_directories_are_told_and_the_rest_goes_on";
    let tree = Tree::in_git(
        "
-- home/.aleph/ mode=000 --
-- project/.aleph/agents/a.md --
-- project/.aleph/agents/ mode=000 --
-- project/.aleph/skills/dir/SKILL.md --
-- project/.aleph/skills/dir/ mode=000 --
-- project/.aleph/skills/file.md mode=000 --
-- project/.aleph/skills/sibling.md --
",
    );
    for format in ["table", "json", "jsonl", "paths"] {
        let Some(scan) = tree
            .aleph(["scan", "--all", "--format", format])
            .unprivileged(name)
        else {
            return;
        };
        let run = scan.run().exits(3);
        let seen = format!("{}{}", run.stdout, run.stderr);
        assert!(seen.contains("sibling"), "{run}");
        if format != "paths" {
            for path in [
                "home/.aleph",
                "project/.aleph/agents",
                "skills/dir",
                "skills/file.md",
            ] {
                assert!(seen.contains(path), "{path} is not named\n{run}");
            }
        }
    }
    // `why` of what was refused, and of what was not.
    let why = |what: &str| {
        tree.aleph(["why", what, "--json"])
            .unprivileged(name)
            .expect("as before")
            .run()
    };
    assert_eq!(
        fate_at(&why("file").exits(3).json(), FILE),
        "unreadable unreadable"
    );
    assert_eq!(fate_at(&why("sibling").exits(3).json(), SIBLING), "active");
}

/// A working directory that is closed to us is a usage error.
#[test]
fn a_closed_working_directory_is_a_usage_error() {
    let name = "a_closed_working_directory_is_a_usage_error";
    let tree = Tree::in_git("-- project/closed/inner/ --\n-- project/closed/ mode=000 --");
    for path in ["project/closed", "project/closed/inner"] {
        let path = tree.text(path);
        let Some(scan) = tree.aleph(["scan", "-C", &path]).unprivileged(name) else {
            return;
        };
        scan.run().exits(2).says("error:").says("closed");
    }
}

/// Names that are not UTF-8 go through every format; raw paths keep their bytes.
#[test]
fn names_that_are_not_utf8_go_through_every_format() {
    let tree =
        Tree::in_git("-- project/.aleph/skills/caf%E9.md --\n-- project/.aleph/skills/%FF%FE/SKILL.md --");
    for format in ["table", "json", "jsonl"] {
        tree.aleph(["scan", "--all", "--format", format]).run().exits(0);
    }
    tree.aleph(["scan", "--format", "paths"])
        .raw()
        .run()
        .exits(0)
        .shows("/skills/caf");
    let raw = tree.aleph(["scan", "-0"]).raw().run().exits(0);
    let has = |part: &[u8]| raw.bytes.windows(part.len()).any(|window| window == part);
    assert!(has(b"/skills/caf\xe9.md"), "{raw}");
    assert!(has(b"/skills/\xff\xfe"), "{raw}");
}

/// A start very deep in the file system is walked up to the cap.
#[test]
fn very_deep_nesting_is_walked_to_the_cap() {
    // Nearly as deep as one path may be: 4096 bytes.
    let deep = format!("project{}", "/deeper-and".repeat(350));
    let tree = Tree::in_git(&format!("-- {deep}/.aleph/skills/a.md --"));
    let report = tree.scan_in(&deep);
    assert_eq!(fate_at(&report, &format!("{deep}/.aleph/skills/a.md")), "active");
    assert_eq!(told(&report, "depth-cap").len(), 1);
    // With a cap above that, all of it is walked.
    let run = tree
        .aleph(["scan", "--json", "--max-depth", "100000"])
        .cwd(tree.path(&deep));
    let report = run.run().exits(0).json();
    assert_eq!(list(&report, "roots").len(), 2 + 2 * 351);
}

/// A working directory whose path is longer than any call of the system takes ends in an answer.
#[test]
fn a_path_of_64_kib_ends_in_an_answer() {
    let tree = Tree::in_git("-- home/.aleph/skills/a.md --");
    let name = "d".repeat(200);
    let down =
        format!("i=0; while [ $i -lt 330 ]; do mkdir {name} && cd -P {name} || exit 99; i=$((i+1)); done");
    let run = tree
        .aleph(["scan", "--json"])
        .run_behind(&format!("{down} 2>/dev/null; exec \"$@\""));
    // Removed by a program that never names the whole path.
    let removed = Command::new("rm")
        .arg("-rf")
        .arg(tree.path(&format!("project/{name}")))
        .status();
    assert!(removed.expect("rm runs").success());
    // Too long to be read is either no working directory or one that could not be read, but never an empty one.
    match run.code {
        Some(2) => assert!(run.stderr.starts_with("error:"), "{run}"),
        Some(3) => assert_eq!(run.json()["complete"], false, "{run}"),
        _ => panic!("neither 2 nor 3\n{run}"),
    }
}

/// A directory that is very deep is beneath the scanner: it looks one level down.
#[test]
fn nesting_beneath_an_entry_is_not_looked_at() {
    let deep = format!("project/.aleph/skills/deep{}", "/deeper-and".repeat(350));
    let tree = Tree::in_git(&format!(
        "-- {deep}/SKILL.md --\n-- project/.aleph/skills/deep/SKILL.md --"
    ));
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "deep"),
        ["project/.aleph/skills/deep active"]
    );
    assert_eq!(list(&report, "chains").len(), 1);
}

/// Many entries of one id are one chain with one winner.
#[test]
fn a_thousand_entries_of_one_name_are_one_chain() {
    let mut tree = Tree::in_git("");
    for number in 0..1000 {
        tree.write(
            &format!("project/.aleph/skills/s{number:04}/SKILL.md"),
            format!("---\nname: same\n---\n{number:04}\n"),
        );
    }
    let report = tree.scan();
    assert_eq!(list(&report, "chains").len(), 1);
    let same = chain(&report, "skill", "same");
    assert_eq!(same["winner"], 0);
    let candidates = list(same, "candidates");
    assert_eq!(candidates.len(), 1000);
    assert_eq!(candidates[0]["path"], "[ROOT]/project/.aleph/skills/s0000");
    assert_eq!(candidates[999]["path"], "[ROOT]/project/.aleph/skills/s0999");
    assert!(
        candidates[1..]
            .iter()
            .all(|one| one["rule"] == "tie-path-order" && one["by"] == 0)
    );
}

/// A wide directory is listed whole.
#[test]
fn a_wide_directory_is_listed_whole() {
    let mut tree = Tree::in_git("");
    for number in 0..3000 {
        tree.write(&format!("project/.aleph/commands/c{number:04}.md"), "x");
    }
    let report = tree.scan();
    assert_eq!(list(&report, "chains").len(), 3000);
    assert_eq!(dir(&report, "project/.aleph", "command")["entries"], 3000);
    assert_eq!(report["summary"]["active"], 3000);
}

/// The program ends though a directory changes under it.
#[test]
fn files_that_vanish_while_being_read_do_no_harm() {
    let mut tree = Tree::in_git("-- project/.aleph/skills/sibling.md --");
    for number in 0..300 {
        tree.write(
            &format!("project/.aleph/skills/v{number}/SKILL.md"),
            "---\nname: x\n---\n",
        );
    }
    let skills = tree.path("project/.aleph/skills");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..300 {
                std::fs::remove_dir_all(skills.join(format!("v{number}"))).expect("it can be removed");
            }
        });
        for _ in 0..5 {
            let run = tree.aleph(["scan", "--json"]).run();
            assert!(matches!(run.code, Some(0 | 3)), "{run}");
            assert_eq!(fate_at(&run.json(), SIBLING), "active");
        }
    });
    assert_eq!(tree.scan()["complete"], true);
}
