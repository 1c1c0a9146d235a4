//! Hostile content of files (quality.md): front matter that is too much, and text that a terminal would obey.

use serde_json::Value;

use crate::hostile::{FILE, SIBLING, in_every_format};
use crate::support::tree::Tree;
use crate::support::view::{at, candidates, fate_at, story, text, told};

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
    let utf16 = |text: &str, mark: &[u8]| {
        let mut bytes = mark.to_vec();
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    };
    for mark in [&b"\xff\xfe"[..], b""] {
        assert_eq!(fate_of(utf16("---\nname: a\n---\n", mark)), "invalid not-utf8");
    }
    // Without a fence there is no front matter, and the body is nobody's business.
    assert_eq!(fate_of(utf16("text\n", b"\xff\xfe")), "active");
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
