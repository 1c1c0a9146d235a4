//! Names and ids (discovery.md 4): which name an entry goes by, and names that are trouble.

use std::os::unix::ffi::OsStrExt;

use base64::Engine;
use serde_json::{Value, json};

use crate::support::tree::Tree;
use crate::support::view::{
    at, candidates, chain, chains, diagnostics, fate, fate_at, list, story, text, told,
};

/// The declared name is the id; both names are kept, and that they differ is said.
#[test]
fn the_declared_name_is_the_id() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/folder/SKILL.md --
---
name: deploy
---
-- project/.aleph/commands/stem.md --
---
name: ship
---
-- project/.aleph/agents/same/agent.md --
---
name: same
---
",
    );
    let report = tree.scan();
    assert_eq!(chains(&report), ["skill deploy", "command ship", "agent same"]);
    let skill = at(&report, "project/.aleph/skills/folder");
    assert_eq!(skill["declared_name"], "deploy");
    assert_eq!(skill["path_name"], "folder");
    assert_eq!(skill["state"], "active");
    let command = at(&report, "project/.aleph/commands/stem.md");
    assert_eq!(command["declared_name"], "ship");
    assert_eq!(command["path_name"], "stem");
    let subjects: Vec<&Value> = diagnostics(&report, "name-mismatch")
        .into_iter()
        .map(|found| &found["subject"])
        .collect();
    assert_eq!(
        subjects,
        [
            &json!({ "kind": "command", "id": "ship" }),
            &json!({ "kind": "skill", "id": "deploy" }),
        ]
    );
}

/// A declared name that cannot serve is passed over for the path name, and that is said.
#[test]
fn an_unusable_declared_name_gives_way_to_the_path_name() {
    for yaml in [
        r#""""#,
        r#""   ""#,
        r#"".""#,
        r#""..""#,
        r#"" .. ""#,
        r#""a/b""#,
        r#""a\\b""#,
        r#""a:b""#,
        r#""a\tb""#,
        r#""a\nb""#,
        r#""a\u001bb""#,
        r#""a\u007fb""#,
        r#""a\u0085b""#,
    ] {
        let mut tree = Tree::in_git("");
        tree.write(
            "project/.aleph/skills/file.md",
            format!("---\nname: {yaml}\n---\n"),
        );
        let report = tree.scan();
        assert_eq!(
            story(&report, "skill", "file"),
            ["project/.aleph/skills/file.md active"],
            "{yaml}"
        );
        assert_eq!(
            told(&report, "unusable-name"),
            ["project/.aleph/skills/file.md"],
            "{yaml}"
        );
    }
}

/// A usable name is one after trimming; dots inside, blanks inside and 255 bytes are fine, 256 are not.
#[test]
fn usable_names_are_taken_as_they_are() {
    let longest = "n".repeat(255);
    // Three bytes each: the limit counts bytes.
    let wide = "\u{6f22}".repeat(85);
    for (yaml, id) in [
        ("'  spaced  '", "spaced"),
        ("two words", "two words"),
        ("a..b", "a..b"),
        (".hidden", ".hidden"),
        ("...", "..."),
        ("C++", "C++"),
        (&*longest, &*longest),
        (&*wide, &*wide),
    ] {
        let mut tree = Tree::in_git("");
        tree.write(
            "project/.aleph/skills/file.md",
            format!("---\nname: {yaml}\n---\n"),
        );
        let report = tree.scan();
        assert_eq!(
            story(&report, "skill", id),
            ["project/.aleph/skills/file.md active"]
        );
        assert_eq!(told(&report, "unusable-name"), [""; 0], "{yaml}");
    }
    for yaml in ["n".repeat(256), "\u{6f22}".repeat(86)] {
        let mut tree = Tree::in_git("");
        tree.write(
            "project/.aleph/skills/file.md",
            format!("---\nname: {yaml}\n---\n"),
        );
        let report = tree.scan();
        assert_eq!(
            story(&report, "skill", "file"),
            ["project/.aleph/skills/file.md active"]
        );
        assert_eq!(told(&report, "unusable-name"), ["project/.aleph/skills/file.md"]);
    }
}

/// A path name with a colon or a control character that would become the id is invalid: it could pose as a plugin's
/// component. With a usable declared name it is in effect.
#[test]
fn a_path_name_that_cannot_serve_is_invalid_unless_a_name_is_declared() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/plugin:deploy/SKILL.md --
-- project/.aleph/skills/plugin:flat.md --
-- project/.aleph/skills/line%0Abreak/SKILL.md --
-- project/.aleph/skills/escape%1B[31mred.md --
-- project/.aleph/skills/c1%C2%85.md --
-- project/.aleph/skills/plugin:declared/SKILL.md --
---
name: declared
---
-- project/.aleph/skills/plugin:unusable/SKILL.md --
---
name: other:unusable
---
-- project/.aleph/skills/fine.md --
",
    );
    let report = tree.scan();
    let invalid: Vec<String> = candidates(&report)
        .filter(|candidate| candidate["code"] == "unusable-name")
        .map(fate)
        .collect();
    let mut expected = [
        "project/.aleph/skills/c1\u{85}.md invalid unusable-name",
        "project/.aleph/skills/escape\u{1b}[31mred.md invalid unusable-name",
        "project/.aleph/skills/line\nbreak invalid unusable-name",
        "project/.aleph/skills/plugin:deploy invalid unusable-name",
        "project/.aleph/skills/plugin:flat.md invalid unusable-name",
        "project/.aleph/skills/plugin:unusable invalid unusable-name",
    ];
    expected.sort_unstable();
    let mut found = invalid;
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(
        story(&report, "skill", "declared"),
        ["project/.aleph/skills/plugin:declared active"]
    );
    assert_eq!(fate_at(&report, "project/.aleph/skills/fine.md"), "active");
    assert_eq!(report["complete"], true);
}

/// Composed and decomposed letters are one id, declared or from the path, whatever the path's bytes are.
#[test]
fn ids_are_compared_in_nfc() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/caf%C3%A9.md --
composed
-- home/.aleph/skills/cafe%CC%81.md --
decomposed
-- home/.claude/skills/plain.md --
---
name: \"cafe\u{301}\"
---
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "caf\u{e9}"),
        [
            "project/.aleph/skills/caf\u{e9}.md active",
            "home/.aleph/skills/cafe\u{301}.md shadowed project-over-global by 0",
            "home/.claude/skills/plain.md shadowed native-over-claude by 0",
        ]
    );
    assert_eq!(list(&report, "chains").len(), 1);
}

/// What is out of the running stands in the chain of its best-known id, and that is compared in NFC too.
#[test]
fn ids_out_of_the_running_are_compared_in_nfc() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/cafe%CC%81/notes.txt --
-- project/.claude/skills/cafe%CC%81.md -> gone --
-- home/.aleph/skills/cafe%CC%81/SKILL.md/ --
-- home/.claude/skills/caf%C3%A9.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "caf\u{e9}"),
        [
            "project/.aleph/skills/cafe\u{301} ignored no-marker",
            "project/.claude/skills/cafe\u{301}.md rejected symlink",
            "home/.aleph/skills/cafe\u{301} rejected not-regular",
            "home/.claude/skills/caf\u{e9}.md active",
        ]
    );
}

/// A file name that is not UTF-8 goes by its lossy text, is in effect, and its bytes are given.
#[test]
fn a_name_that_is_not_utf8_is_in_effect_with_its_bytes() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/caf%E9/SKILL.md --
-- project/.aleph/commands/%FF.md --
-- project/.aleph/agents/fine.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        chains(&report),
        ["skill caf\u{fffd}", "command \u{fffd}", "agent fine"]
    );
    for (kind, id, path) in [
        ("skill", "caf\u{fffd}", "project/.aleph/skills/caf%E9"),
        ("command", "\u{fffd}", "project/.aleph/commands/%FF.md"),
    ] {
        let candidate = &list(chain(&report, kind, id), "candidates")[0];
        assert_eq!(candidate["state"], "active");
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text(candidate, "path_bytes"))
            .expect("path_bytes is base64");
        assert_eq!(bytes, tree.path(path).as_os_str().as_bytes());
    }
    let fine = at(&report, "project/.aleph/agents/fine.md");
    assert_eq!(fine.get("path_bytes").unwrap_or(&Value::Null), &Value::Null);
}

/// Two names that are the same only as lossy text are two entries, and neither is lost.
#[test]
fn two_names_with_one_lossy_text_are_both_listed() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/%FE.md --
first
-- project/.aleph/skills/%FF.md --
second
",
    );
    let report = tree.scan();
    let states: Vec<&Value> = list(chain(&report, "skill", "\u{fffd}"), "candidates")
        .iter()
        .map(|candidate| &candidate["state"])
        .collect();
    assert_eq!(states, ["active", "shadowed"]);
    let winner = &list(chain(&report, "skill", "\u{fffd}"), "candidates")[0];
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(text(winner, "path_bytes"))
        .expect("path_bytes is base64");
    assert_eq!(
        bytes,
        tree.path("project/.aleph/skills/%FE.md").as_os_str().as_bytes()
    );
}

/// Ids that another file system or a hasty reader would take for one are two chains and a diagnostic.
#[test]
fn ids_that_look_alike_are_said() {
    for (one, other) in [
        ("Deploy", "deploy"),
        ("STRASSE", "strasse"),
        ("deploy", "dep\u{200b}loy"),
        ("deploy", "d\u{435}ploy"),
        ("deploy", "deploy\u{2060}"),
        ("tooI", "tool"),
        ("tooI", "too1"),
        ("TooI", "tool"),
        ("STRASSE", "stra\u{df}e"),
        ("STRA\u{1e9e}E", "strasse"),
    ] {
        let mut tree = Tree::in_git("");
        tree.write(
            "project/.aleph/skills/one.md",
            format!("---\nname: \"{one}\"\n---\none"),
        );
        tree.write(
            "home/.aleph/skills/two.md",
            format!("---\nname: \"{other}\"\n---\ntwo"),
        );
        let report = tree.scan();
        assert_eq!(
            story(&report, "skill", one),
            ["project/.aleph/skills/one.md active"]
        );
        assert_eq!(
            story(&report, "skill", other),
            ["home/.aleph/skills/two.md active"]
        );
        assert!(
            !diagnostics(&report, "similar-ids").is_empty(),
            "{one:?} and {other:?}"
        );
    }
    // Different names, and one name in two kinds, are no matter.
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/deploy.md --
-- project/.aleph/skills/destroy.md --
-- project/.aleph/commands/Deploy.md --
-- project/.aleph/skills/flat.md --
-- project/.aleph/skills/fiat.md --
-- project/.aleph/skills/phase-I.md --
-- project/.aleph/skills/phase-II.md --
-- project/.aleph/skills/build-1.md --
-- project/.aleph/skills/build-2.md --
",
    );
    assert_eq!(told(&tree.scan(), "similar-ids"), [""; 0]);
    // Each of three is told of once for each that it is like, in words that are true of the pair.
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/TooI.md --
-- project/.aleph/skills/tooI.md --
-- project/.aleph/skills/tool.md --
",
    );
    let report = tree.scan();
    let mut messages: Vec<&str> = diagnostics(&report, "similar-ids")
        .into_iter()
        .map(|one| text(one, "message"))
        .collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "the skill ids `TooI` and `tooI` differ only in case",
            "the skill ids `TooI` and `tool` look alike: they differ only in case and in invisible or confusable \
             characters",
        ]
    );
}

/// The longest names that a file system takes are read.
#[test]
fn names_of_255_bytes_are_read() {
    let dir = "d".repeat(255);
    let stem = "f".repeat(252);
    let tree = Tree::in_git(&format!(
        "
-- project/.aleph/skills/{dir}/SKILL.md --
-- project/.aleph/skills/{stem}.md --
"
    ));
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", &dir),
        [format!("project/.aleph/skills/{dir} active")]
    );
    assert_eq!(
        story(&report, "skill", &stem),
        [format!("project/.aleph/skills/{stem}.md active")]
    );
    tree.aleph(["scan"]).run().exits(0).shows(&dir).shows(&stem);
}

/// Names with blanks, quotes, wildcards and letters of any script are read as they are.
#[test]
fn odd_but_legal_names_are_read() {
    let names = [
        "two words",
        " leading",
        "-dash",
        "--flag",
        "it's",
        "a\"b",
        "*",
        "$HOME",
        "\u{6f22}\u{5b57}",
        "\u{1f680}",
        "a.b.c",
    ];
    let mut tree = Tree::in_git("");
    for name in names {
        tree.write(&format!("project/.aleph/skills/{name}.md"), name);
    }
    let report = tree.scan();
    for name in names {
        assert_eq!(
            story(&report, "skill", name),
            [format!("project/.aleph/skills/{name}.md active")]
        );
    }
    assert_eq!(list(&report, "chains").len(), names.len());
    for name in names.into_iter().filter(|name| !name.starts_with('-')) {
        let why = tree.aleph(["why", name, "--json"]).run().exits(0).json();
        assert_eq!(chains(&why), [format!("skill {name}")]);
    }
    let why = tree
        .aleph(["why", "--json", "--", "--flag"])
        .run()
        .exits(0)
        .json();
    assert_eq!(chains(&why), ["skill --flag"]);
}

/// Beside every path of an answer that is not UTF-8 its bytes stand, whichever command is asked.
#[test]
fn paths_that_are_not_utf8_come_with_their_bytes() {
    let tree = Tree::new("-- home/ --");
    // The bytes of a name are no text of a description.
    let project = tree.root().join(std::ffi::OsStr::from_bytes(b"p\xff"));
    let write = |path: &str, content: &str| {
        let path = project.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, content).expect("a file");
    };
    write(".git/HEAD", "");
    write("aleph.json", r#"{"a": 1, "mcp": {"s": {"command": "x"}}}"#);
    write(".aleph/skills/s/SKILL.md", "---\nname: s\n---\n");
    write(".aleph/skills/t/real.md", "");
    write(
        ".aleph/plugins/one/.claude-plugin/plugin.json",
        r#"{"name": "one"}"#,
    );
    write(".aleph/plugins/one/skills/u/SKILL.md", "");
    write(
        "m/.claude-plugin/marketplace.json",
        r#"{"name": "m", "plugins": []}"#,
    );
    std::os::unix::fs::symlink(
        project.join(".aleph/skills/t/real.md"),
        project.join(".aleph/skills/t/SKILL.md"),
    )
    .expect("a link");
    let mut seen = std::collections::BTreeSet::new();
    for (args, code) in [
        (&["scan"][..], 0),
        (&["why", "s"], 0),
        (&["roots"], 0),
        (&["find-config", "aleph", "--merged"], 0),
        (&["plugins", "list"], 0),
        (&["plugins", "show", "one"], 0),
        (&["plugins", "validate", ".aleph/plugins/one"], 0),
        (&["plugins", "validate", "m"], 0),
        (&["plugins", "disclose", ".aleph/plugins/one"], 0),
        (&["plugins", "verify", "--aleph-home", ".aleph"], 0),
        (&["mcp", "servers"], 0),
        (&["mcp", "servers", "--aleph-home", ".aleph"], 0),
        (&["scan", "--aleph-home", ".aleph"], 0),
        (&["plugins", "validate", "missing"], 2),
    ] {
        let run = tree.aleph(args.iter().chain(&["--json"])).cwd(&project).run();
        bytes_beside(&run.exits(code).json(), args, &mut seen);
    }
    let expected = [
        "directory",
        "git_root",
        "manifest",
        "marker",
        "path",
        "real_path",
        "symlink_target",
    ];
    for key in expected {
        assert!(seen.contains(key), "no {key} among {seen:?}");
    }
}

/// Fails where a text that is a lossy path has no bytes beside it; notes the keys of those that have.
fn bytes_beside(value: &Value, args: &[&str], seen: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if member
                    .as_str()
                    .is_some_and(|text| text.starts_with("[ROOT]/p\u{fffd}"))
                {
                    let bytes = members.get(&format!("{key}_bytes")).and_then(Value::as_str);
                    let bytes = bytes.unwrap_or_else(|| panic!("{args:?}: no bytes of {key} in {value:#}"));
                    let bytes = base64::engine::general_purpose::STANDARD
                        .decode(bytes)
                        .expect("base64");
                    assert!(bytes.windows(3).any(|part| part == b"/p\xff"), "{args:?}: {key}");
                    seen.insert(key.clone());
                }
                bytes_beside(member, args, seen);
            }
        }
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| bytes_beside(element, args, seen)),
        _ => {}
    }
}
