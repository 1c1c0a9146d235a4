//! Front matter (discovery.md 4): where it begins and ends, and what happens when it is not as it should be.

use serde_json::{Value, json};

use crate::support::tree::Tree;
use crate::support::view::{at, diagnostics, fate_at, list, story, text, told};

const FILE: &str = "project/.aleph/skills/file.md";

/// A report over one skill with this content.
fn scan_of(content: impl AsRef<[u8]>) -> Value {
    let mut tree = Tree::in_git("");
    tree.write(FILE, content);
    tree.scan()
}

/// What is declared by a skill with this content, which must be in effect and without a finding.
fn declared(content: impl AsRef<[u8]>) -> (Value, Value) {
    let report = scan_of(content);
    assert_eq!(fate_at(&report, FILE), "active");
    let found: Vec<&str> = list(&report, "diagnostics")
        .iter()
        .map(|found| text(found, "code"))
        .collect();
    assert!(found.iter().all(|code| *code == "name-mismatch"), "{found:?}");
    let candidate = at(&report, FILE);
    (
        candidate["declared_name"].clone(),
        candidate["description"].clone(),
    )
}

/// Every legal way to write front matter gives the same two values.
#[test]
fn fences_may_have_bom_blanks_and_any_line_end() {
    let expected = (json!("deploy"), json!("Ships it"));
    for content in [
        "---\nname: deploy\ndescription: Ships it\n---\nbody\n",
        "---\nname: deploy\ndescription: Ships it\n...\nbody\n",
        "---\nname: deploy\ndescription: Ships it\n---",
        "\u{feff}---\nname: deploy\ndescription: Ships it\n---\n",
        "---\r\nname: deploy\r\ndescription: Ships it\r\n---\r\nbody\r\n",
        "---  \nname: deploy\ndescription: Ships it\n--- \t\nbody\n",
        "---\nname: deploy\ndescription: Ships it\n---\nbody\n---\nname: other\n---\n",
        "---\n# a comment\nname: 'deploy'\ndescription: \"Ships it\" # another\n---\n",
        "---\ndescription: >-\n  Ships\n  it\nname: deploy\n---\n",
    ] {
        assert_eq!(declared(content), expected, "{content:?}");
    }
}

/// A fence inside a block scalar is text.
#[test]
fn a_fence_in_a_block_scalar_ends_nothing() {
    let content = "---\nname: deploy\ndescription: |-\n  one\n  ---\n  two\n---\n";
    assert_eq!(declared(content), (json!("deploy"), json!("one\n---\ntwo")));
}

/// No front matter is legal: no name, no description, no finding.
#[test]
fn without_front_matter_the_path_names_it() {
    let none = (Value::Null, Value::Null);
    for content in [
        "",
        "just text\n",
        "\n---\nname: deploy\n---\n",
        "text\n---\nname: deploy\n---\n",
        "----\nname: deploy\n----\n",
        "--- name: deploy\n",
        "```\n---\nname: deploy\n---\n```\n",
        "---\n---\nbody\n",
    ] {
        assert_eq!(declared(content), none, "{content:?}");
    }
}

/// Front matter that never ends is no front matter; that is said.
#[test]
fn unclosed_front_matter_is_body_and_said() {
    for content in [
        "---\nname: deploy\ntext\n",
        "---\n",
        "---",
        "---\nname: deploy\n ---\n",
    ] {
        let report = scan_of(content);
        assert_eq!(
            story(&report, "skill", "file"),
            [format!("{FILE} active")],
            "{content:?}"
        );
        assert_eq!(at(&report, FILE)["declared_name"], Value::Null, "{content:?}");
        assert_eq!(told(&report, "unclosed-front-matter"), [FILE], "{content:?}");
    }
}

/// Front matter that is no mapping gives no names; that is said.
#[test]
fn front_matter_that_is_no_mapping_is_said() {
    for yaml in ["- name: deploy", "just words", "42"] {
        let report = scan_of(format!("---\n{yaml}\n---\n"));
        assert_eq!(
            story(&report, "skill", "file"),
            [format!("{FILE} active")],
            "{yaml:?}"
        );
        assert_eq!(told(&report, "front-matter-not-a-mapping"), [FILE], "{yaml:?}");
    }
}

/// An unquoted colon is told with line, column and remedy, the entry goes by the name its author gave it, and
/// its siblings go on.
#[test]
fn an_unquoted_colon_is_told_with_its_remedy() {
    let mut tree = Tree::in_git("-- project/.aleph/skills/sibling.md --");
    tree.write(
        FILE,
        "---\nname: deploy\ndescription: Ships it. Usage: deploy NOW\ntools: Read\n---\nbody\n",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "deploy"),
        [format!("{FILE} invalid bad-front-matter")]
    );
    let candidate = at(&report, FILE);
    assert_eq!(candidate["declared_name"], "deploy");
    assert_eq!(candidate["description"], "Ships it. Usage: deploy NOW");
    assert_eq!(candidate["line"], 3);
    let column = candidate["column"].as_u64().expect("a column");
    assert!((1..=43).contains(&column), "column {column} lies in the line");
    assert!(!text(candidate, "message").is_empty());
    let found = diagnostics(&report, "bad-front-matter");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["severity"], "error");
    assert_eq!(found[0]["line"], 3);
    assert_eq!(found[0]["subject"], json!({ "kind": "skill", "id": "deploy" }));
    assert!(text(found[0], "help").contains("quote"), "{:#}", found[0]);
    assert_eq!(fate_at(&report, "project/.aleph/skills/sibling.md"), "active");
}

/// The breakages of real trees are invalid, and still found under their names.
#[test]
fn broken_front_matter_of_real_trees_keeps_its_name() {
    for (yaml, line) in [
        ("name: deploy\nargument-hint: [a] | b | --flag", 3),
        ("name: deploy\nargument-hint: [a] [b]", 3),
        ("description: Triggers on: a, b\nname: deploy", 2),
        ("name: deploy\ndescription: *.rs files", 3),
        ("name: deploy\ndescription: @someone", 3),
        ("name: deploy\nname: deploy", 3),
    ] {
        let report = scan_of(format!("---\n{yaml}\n---\n"));
        assert_eq!(
            story(&report, "skill", "deploy"),
            [format!("{FILE} invalid bad-front-matter")],
            "{yaml:?}"
        );
        assert_eq!(at(&report, FILE)["line"], line, "{yaml:?}");
    }
}

/// Lines are those of the whole file, also behind a BOM and with CRLF; columns count characters.
#[test]
fn positions_are_of_the_whole_file() {
    let report = scan_of("\u{feff}---\r\nname: deploy\r\ndescription: \"\u{e9}\u{e9}\" x\r\n---\r\n");
    let candidate = at(&report, FILE);
    assert_eq!(candidate["code"], "bad-front-matter");
    assert_eq!(candidate["line"], 3);
    // Up to the stray x, which is the 19th character and the 21st byte.
    let column = candidate["column"].as_u64().expect("a column");
    assert!((14..=19).contains(&column), "column {column}");
}

/// A key twice is an error wherever it stands at the top.
#[test]
fn a_key_twice_is_an_error() {
    let report = scan_of("---\nname: deploy\ndescription: a\ndescription: b\n---\n");
    assert_eq!(
        story(&report, "skill", "deploy"),
        [format!("{FILE} invalid bad-front-matter")]
    );
    assert_eq!(at(&report, FILE)["line"], 4);
}

/// Values of another type than expected never make an entry invalid.
#[test]
fn values_of_other_types_are_accepted() {
    let content = "---\nname: deploy\ndescription: Ships it\nargument-hint: [a]\ntools: Read, Write\n\
                   allowed-tools:\n  - Bash\nmodel: [x, y]\nversion: 1.0\nmetadata: text\nextra: {a: {b: null}}\n---\n";
    assert_eq!(declared(content), (json!("deploy"), json!("Ships it")));
    assert_eq!(declared("---\ndescription:\n---\n"), (Value::Null, Value::Null));
}

/// A name that is not text is taken as its text, as written, and that is said.
#[test]
fn a_name_that_is_not_text_is_taken_as_its_text() {
    for name in ["1.0", "42", "true", "0x10"] {
        let report = scan_of(format!("---\nname: {name}\n---\n"));
        assert_eq!(story(&report, "skill", name), [format!("{FILE} active")]);
        assert_eq!(at(&report, FILE)["declared_name"], name);
        assert_eq!(told(&report, "name-not-text"), [FILE], "{name}");
    }
}

/// YAML 1.2: `no`, `on` and a date are text.
#[test]
fn words_of_older_yaml_are_text() {
    for name in ["no", "on", "y", "2024-01-01"] {
        let report = scan_of(format!("---\nname: {name}\n---\n"));
        assert_eq!(story(&report, "skill", name), [format!("{FILE} active")]);
        assert_eq!(told(&report, "name-not-text"), [""; 0], "{name}");
    }
}

/// Bytes that are not UTF-8 make the front matter invalid, with the offset; in the body they are nobody's business.
#[test]
fn only_the_front_matter_must_be_utf8() {
    let report = scan_of(b"---\nname: deploy\ndescription: caf\xe9\n---\n");
    assert_eq!(at(&report, FILE)["state"], "invalid");
    assert_eq!(at(&report, FILE)["code"], "not-utf8");
    assert!(
        text(at(&report, FILE), "message").contains("33"),
        "{:#}",
        at(&report, FILE)
    );

    let content: &[u8] = b"---\nname: deploy\n---\nbody \xff\xfe\xe9\n";
    assert_eq!(declared(content), (json!("deploy"), Value::Null));
    let content: &[u8] = b"no front matter \xff\n";
    assert_eq!(declared(content), (Value::Null, Value::Null));
}

/// The end must come within 64 KiB where there is more file to come; a large body is never a reason.
#[test]
fn front_matter_must_end_within_64_kib() {
    let filler = |bytes: usize| format!("# {}\n", "x".repeat(bytes - 3));
    // The closing fence is the last line of the first 64 KiB.
    let head = "---\nname: deploy\n";
    let fits = format!("{head}{}---\n", filler(65536 - head.len() - 4));
    assert_eq!(fits.len(), 65536);
    let body = "body\n".repeat(40_000);
    assert_eq!(declared(format!("{fits}{body}")), (json!("deploy"), Value::Null));

    for content in [
        format!("{head}{}---\n", filler(70_000)),
        format!("{head}{}", filler(70_000)),
    ] {
        let report = scan_of(content);
        assert_eq!(at(&report, FILE)["state"], "invalid");
        assert_eq!(at(&report, FILE)["code"], "too-large");
    }
    // Never closed, but the file ends first: all of it is body.
    let report = scan_of(format!("{head}{}", filler(60_000)));
    assert_eq!(fate_at(&report, FILE), "active");
    assert_eq!(told(&report, "unclosed-front-matter"), [FILE]);
    // No front matter at all, whatever the size.
    assert_eq!(declared("x".repeat(1_000_000)), (Value::Null, Value::Null));
}
