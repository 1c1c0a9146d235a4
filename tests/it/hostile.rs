//! Hostile input (quality.md): each run ends by itself, says what it met, goes on with the siblings, and exits as
//! documented. The runner kills what takes longer than twenty seconds and fails on raw control characters.

use std::process::Command;

use serde_json::Value;

use crate::support::run::Run;
use crate::support::skipped;
use crate::support::tree::Tree;
use crate::support::view::{at, candidates, chain, dir, fate_at, list, story, text, told};

const FILE: &str = "project/.aleph/skills/file.md";
const SIBLING: &str = "project/.aleph/skills/sibling.md";

/// A tree with one skill of this content and a sibling that must be in effect whatever the first one is.
fn with_sibling(content: impl AsRef<[u8]>) -> Tree {
    let mut tree = Tree::in_git("");
    tree.write(FILE, content);
    tree.write(SIBLING, "fine");
    tree
}

/// What became of a skill with this content; its sibling must be in effect and every format must end.
fn fate_of(content: impl AsRef<[u8]>) -> String {
    let tree = with_sibling(content);
    let report = tree.scan();
    assert_eq!(fate_at(&report, SIBLING), "active");
    assert_eq!(report["complete"], true);
    in_every_format(&tree);
    fate_at(&report, FILE)
}

fn in_every_format(tree: &Tree) -> Vec<Run> {
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

/// Roots and component directories that are links in a circle, to nowhere or to a FIFO do not stop the scan.
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
-- project/.aleph/skills/fine.md --
-- project/.aleph/commands -> / --
",
    );
    let report = tree.scan();
    assert_eq!(fate_at(&report, "project/.aleph/skills/fine.md"), "active");
    assert_eq!(dir(&report, "project/.claude", "agent")["status"], "skipped");
    assert_eq!(
        dir(&report, "project/.claude", "agent")["reason"],
        "not-a-directory"
    );
    for kind in ["skill", "command"] {
        let dir = dir(&report, "project/.claude", kind);
        assert_ne!(dir["status"], "scanned", "{dir:#}");
    }
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

/// Escape sequences, line breaks and bidi controls in names and descriptions are shown, escaped, and never obeyed.
#[test]
fn control_and_bidi_characters_never_reach_a_terminal() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/red%1B[31m/SKILL.md --
-- project/.aleph/skills/title%1B]0;owned%07.md --
-- project/.aleph/skills/two%0Alines/SKILL.md --
-- project/.aleph/skills/return%0Dover.md --
-- project/.aleph/skills/del%7F.md --
-- project/.aleph/skills/c1%C2%9B31m.md --
-- project/.aleph/skills/rtl%E2%80%AEdm.exe.md --
---
name: \"rtl\u{202e}gpj\"
description: \"isolates \u{2066}\u{2067}\u{2068}\u{2069} marks \u{200e}\u{200f}\u{61c}\"
---
-- project/.aleph/skills/zero.md --
---
name: \"ze\u{200b}ro\"
description: \"joined \u{200d}\u{200c}\u{2060}\u{feff}\"
---
-- project/.aleph/skills/tags.md --
---
name: tags
description: \"hidden \u{e0041}\u{e0042}\u{e007f}\"
---
-- project/.aleph/skills/escapes.md --
---
name: escapes
description: \"\\e[2J\\e]8;;http://example.com\\a click \\u009b31m \\0 \\x7f \\u202e\"
---
-- project/.aleph/skills/link -> target%1B[31m --
-- project/.aleph/skills/bad%1B[32m.md --
---
name: x
description: a: b\u{1b}[31m
---
",
    );
    // The runner itself fails on any raw character of these classes, in every format and on both streams.
    let report = tree.scan();
    in_every_format(&tree);
    assert_eq!(at(&report, "project/.aleph/skills/escapes.md")["state"], "active");
    let description = text(at(&report, "project/.aleph/skills/escapes.md"), "description");
    assert_eq!(
        description, "\u{1b}[2J\u{1b}]8;;http://example.com\u{7} click \u{9b}31m \0 \u{7f} \u{202e}",
        "JSON escapes, it does not drop"
    );
    let json = tree.aleph(["scan", "--json"]).run().exits(0);
    for escape in [
        "\\u001b",
        "\\u202e",
        "\\u200b",
        "\\u009b",
        "\\u007f",
        "\\ufeff",
        "\\udb40\\udc41",
    ] {
        assert!(json.stdout.to_lowercase().contains(escape), "{escape} in\n{json}");
    }
    // And for `why`, of each by its path, in tables.
    for candidate in candidates(&report) {
        let path = text(candidate, "path").replace("[ROOT]", tree.root().to_str().expect("UTF-8"));
        let active = candidate["state"] == "active";
        tree.aleph(["why", &path]).run().exits(if active { 0 } else { 1 });
    }
    // A message about an argument carries it escaped too.
    tree.aleph(["why", "no\u{1b}[31m\u{202e}such"]).run().exits(1);
    tree.aleph(["scan", "no\u{1b}[31m\u{202e}such"]).run().exits(2);
    tree.aleph(["find-config", "no\u{1b}[31m\u{202e}such"])
        .run()
        .exits(1);
}

/// Names that are not UTF-8 go through every format; raw paths keep their bytes.
#[test]
fn names_that_are_not_utf8_go_through_every_format() {
    let tree =
        Tree::in_git("-- project/.aleph/skills/caf%E9.md --\n-- project/.aleph/skills/%FF%FE/SKILL.md --");
    in_every_format(&tree);
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

/// Ten megabytes of front matter are not read to the end.
#[test]
fn front_matter_of_ten_megabytes_is_too_large() {
    let line = format!("key: {}\n", "x".repeat(90));
    let content = format!("---\nname: big\n{}---\n", line.repeat(10_000_000 / line.len()));
    assert_eq!(fate_of(&content), "invalid too-large");
    // The same without an end, and as one line.
    assert_eq!(fate_of(content.trim_end_matches("---\n")), "invalid too-large");
    assert_eq!(
        fate_of(format!("---\nname: {}", "x".repeat(10_000_000))),
        "invalid too-large"
    );
}

/// Front matter that is never closed is body when the file ends.
#[test]
fn front_matter_that_is_never_closed_is_body() {
    let tree = with_sibling("---\nname: open\n");
    let report = tree.scan();
    assert_eq!(fate_at(&report, FILE), "active");
    assert_eq!(told(&report, "unclosed-front-matter"), [FILE]);
}

/// A bomb of aliases is refused without being unfolded.
#[test]
fn an_alias_bomb_is_refused() {
    let mut yaml = "---\nname: bomb\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..30 {
        let below = level - 1;
        let aliases = vec![format!("*a{below}"); 10].join(",");
        yaml.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    yaml.push_str("---\n");
    let tree = with_sibling(&yaml);
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "bomb"),
        [format!("{FILE} invalid bad-front-matter")]
    );
    assert_eq!(fate_at(&report, SIBLING), "active");
    in_every_format(&tree);
}

/// Deep YAML, in each of its ways of nesting, ends in a finding and not in an overflow.
#[test]
fn deep_yaml_is_refused() {
    let depth = 20_000;
    for yaml in [
        format!("x: {}{}", "[".repeat(depth), "]".repeat(depth)),
        format!("x: {}", "{a: ".repeat(depth / 2)),
        format!("x:\n  {}1", "- ".repeat(depth)),
        format!("x: {}", "[".repeat(depth)),
        format!("? {}", "? ".repeat(depth)),
    ] {
        let fate = fate_of(format!("---\nname: deep\n{yaml}\n---\n"));
        assert_eq!(fate, "invalid bad-front-matter", "{}", &yaml[..12]);
    }
}

/// Keys twice, NUL bytes, UTF-16, broken UTF-8 and lone tabs are findings of that one entry.
#[test]
fn odd_bytes_are_findings_of_one_entry() {
    assert_eq!(
        fate_of("---\nname: a\nname: b\n---\n"),
        "invalid bad-front-matter"
    );
    assert_eq!(fate_of("---\nname: a\n\0: x\n---\n"), "invalid bad-front-matter");
    assert_eq!(
        fate_of("---\nname: a\nkey:\n\t- x\n---\n"),
        "invalid bad-front-matter"
    );
    assert_eq!(fate_of(b"---\nname: \xff\xfe\n---\n"), "invalid not-utf8");
    assert_eq!(
        fate_of(b"---\nname: a\nx: \xed\xa0\x80\n---\n"),
        "invalid not-utf8"
    );
    // UTF-16 has no line that is a fence: no front matter, and the body is nobody's business.
    let utf16 = |text: &str, mark: &[u8]| {
        let mut bytes = mark.to_vec();
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    };
    assert_eq!(fate_of(utf16("---\nname: a\n---\n", b"\xff\xfe")), "active");
    assert_eq!(fate_of(utf16("---\nname: a\n---\n", b"")), "active");
    // NUL bytes in the body are nobody's business either, nor are any others.
    assert_eq!(fate_of(b"---\nname: file\n---\n\0\0\0\xff"), "active");
    assert_eq!(fate_of([0_u8; 100_000]), "active");
}

/// A BOM and CRLF are no trouble at all.
#[test]
fn bom_and_crlf_are_read() {
    let tree = with_sibling("\u{feff}---\r\nname: windows\r\ndescription: x\r\n---\r\n");
    let report = tree.scan();
    assert_eq!(story(&report, "skill", "windows"), [format!("{FILE} active")]);
    assert_eq!(at(&report, FILE)["description"], "x");
}

/// Very long values are kept whole in JSON and do not break a table.
#[test]
fn a_long_description_is_kept_whole() {
    let long = "\u{6f22}\u{1f680}".repeat(5000);
    let tree = with_sibling(format!("---\nname: long\ndescription: {long}\n---\n"));
    assert_eq!(at(&tree.scan(), FILE)["description"], Value::from(long));
    in_every_format(&tree);
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
    let mut tree = Tree::in_git(SIBLING_ONLY);
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

const SIBLING_ONLY: &str = "-- project/.aleph/skills/sibling.md --";
