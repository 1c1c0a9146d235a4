//! Front matter that is not valid: what is said of it, and what is still read.

use super::*;

#[test]
fn bytes_that_are_not_utf8_are_named_by_their_place() {
    let file = b"\xef\xbb\xbf---\r\nname: x\r\nd: \xc3\xa9\xff\r\n---\r\n\xfe";
    let found = parse(file, &extent(file, true), &[]);
    let problem = found.invalid.unwrap();
    assert_eq!(place(&problem), (Some(3), Some(5), Code::NotUtf8));
    assert_eq!(
        problem.message,
        "the front matter is not UTF-8: byte 0xFF at offset 22 of the file"
    );
    assert_eq!(file[22], 0xff);
    assert_eq!(found.name.as_deref(), Some("x"));
    let file = b"---\nname: \xff\n---\n";
    assert_eq!(parse(file, &extent(file, true), &[]).name, None);
    let file = b"---\nname: x\n---\n\xff";
    assert_eq!(parse(file, &extent(file, true), &[]).invalid, None);
}

#[test]
fn control_characters_are_named_by_their_place() {
    for (yaml, at, shown) in [
        ("name: a\nb: x\0y\n", (3, 5), "U+0000"),
        ("name: a\nb: \u{1b}[31m\n", (3, 4), "U+001B"),
        ("# \u{7}\nname: a\n", (2, 3), "U+0007"),
        ("name: a\nb: \u{fffe}\n", (3, 4), "U+FFFE"),
    ] {
        let problem = invalid(yaml);
        assert_eq!(
            (problem.line, problem.column),
            (Some(at.0), Some(at.1)),
            "{yaml:?}"
        );
        assert_eq!(
            problem.message,
            format!("the character {shown} is not allowed in YAML")
        );
        assert_eq!(front_matter(yaml).name.as_deref(), Some("a"));
    }
}

#[test]
fn columns_count_characters_and_lines_count_the_file() {
    let file = "\u{feff}---\r\nname: é\r\nb: 描述 😀 x: y\r\n---\r\n";
    let problem = parse(file.as_bytes(), &extent(file.as_bytes(), true), &[])
        .invalid
        .unwrap();
    assert_eq!(place(&problem), (Some(3), Some(10), Code::BadFrontMatter));
}

/// YAML that breaks, with the place, a part of the message and the help it gives.
pub(super) const BREAKAGES: [(&str, (u32, u32), &str, &str); 27] = [
    (
        "d: Usage: x\n",
        (2, 9),
        "a second colon",
        "put the value of `d` in quotes",
    ),
    (
        "d: a\n  Usage: x\n",
        (3, 8),
        "an indented line",
        "put the value above in quotes",
    ),
    (
        "d:\n  - a: b: c\n",
        (3, 9),
        "a second colon",
        "put the value of `a` in quotes",
    ),
    (
        "argument-hint: [a] | b\n",
        (2, 20),
        "text follows after the closing bracket",
        "value of `argument-hint` in quotes",
    ),
    (
        "h: [a] [b]\n",
        (2, 8),
        "text follows after the closing bracket",
        "put the value of `h` in quotes",
    ),
    (
        "h: [a] b\nc: d\n",
        (2, 8),
        "text follows after the closing bracket",
        "put the value of `h` in quotes",
    ),
    (
        "h: {a} b\n",
        (2, 8),
        "neither a mapping nor text",
        "put the value of `h` in quotes",
    ),
    (
        "d: @x\n",
        (2, 4),
        "begins with `@`",
        "put the value of `d` in quotes",
    ),
    (
        "d: `x`\n",
        (2, 4),
        "begins with a backtick",
        "put the value of `d` in quotes",
    ),
    (
        "d: %x\n",
        (2, 4),
        "begins with `%`",
        "put the value of `d` in quotes",
    ),
    (
        "d: *x\n",
        (2, 4),
        "begins with `*`",
        "put the value of `d` in quotes",
    ),
    (
        "d: **x** y\n",
        (2, 4),
        "begins with `*`",
        "put the value of `d` in quotes",
    ),
    (
        "d: & x\n",
        (2, 4),
        "begins with `&`",
        "put the value of `d` in quotes",
    ),
    (
        "d: !x,y z\n",
        (2, 4),
        "begins with `!`",
        "put the value of `d` in quotes",
    ),
    (
        "a:\n\t- b\n",
        (3, 2),
        "a tab where only blanks may indent",
        "indent with spaces",
    ),
    (
        "a:\n  b: c\n\td: e\n",
        (3, 6),
        "a tab where only blanks may indent",
        "indent with spaces",
    ),
    (
        "a: \"b\nc: d\n",
        (2, 4),
        "a quote is opened and never closed",
        "close the quote",
    ),
    (
        "a: 'it's'\n",
        (2, 8),
        "after the closing quote",
        "in one pair of quotes",
    ),
    (
        "a: \"C:\\dir\"\n",
        (2, 4),
        "a backslash in double quotes",
        "single quotes",
    ),
    (
        "a: [b\nc: d\n",
        (2, 4),
        "a `[` is opened and never closed",
        "close the bracket, or put the value of `a`",
    ),
    (
        "a: {b: c\nd: e\n",
        (2, 4),
        "a `{` is opened and never closed",
        "close the bracket, or put the value of `a`",
    ),
    (
        "a: b]\nc: ]\n",
        (3, 4),
        "a closing bracket",
        "put the value of `c` in quotes",
    ),
    (
        "a: b\nc d\ne: f\n",
        (3, 1),
        "neither `key: value` nor indented",
        "indent it",
    ),
    (
        "name:x\nb: c\n",
        (2, 1),
        "no blank after the colon",
        "write a blank",
    ),
    (
        "a:\n  - b\n - c\n",
        (4, 2),
        "a list item that is indented differently",
        "alike",
    ),
    (
        "a: - b\n",
        (2, 4),
        "a list begins on the line of its key",
        "on a line of its own",
    ),
    (
        "a: > b\n  c\n",
        (2, 4),
        "text follows after `>`",
        "begin the text on the next line",
    ),
];

#[test]
fn says_where_yaml_breaks_and_what_to_do() {
    for (yaml, at, message, help) in BREAKAGES {
        let problem = invalid(yaml);
        assert_eq!(problem.code, Code::BadFrontMatter);
        assert_eq!(
            (problem.line, problem.column),
            (Some(at.0), Some(at.1)),
            "{yaml:?}: {problem:?}"
        );
        assert!(problem.message.contains(message), "{yaml:?}: {problem:?}");
        assert!(
            problem.help.as_deref().unwrap().contains(help),
            "{yaml:?}: {problem:?}"
        );
    }
}

#[test]
fn messages_carry_nothing_harmful_from_the_file() {
    let key = format!("\u{202e}{}", "k".repeat(100));
    let problem = invalid(&format!("{key}: a: b\n"));
    let help = problem.help.unwrap();
    assert_eq!(
        help,
        format!(
            "put the value of `\u{fffd}{}…` in quotes, or write it as a block after `|`",
            "k".repeat(39)
        )
    );
}

#[test]
fn a_second_document_is_invalid() {
    assert_eq!(
        place(&invalid("a: b\n--- c\nd: e\n")),
        (Some(3), Some(1), Code::BadFrontMatter)
    );
}

/// YAML that is valid: line by line it must give what the parser gives.
pub(super) const VALID: [&str; 24] = [
    "name: a\ndescription: b\n",
    "name: a # comment\ndescription: b#c\n",
    "name: 'it''s'\ndescription: \"q \\\"x\\\" \\u00e9\\n\"\n",
    "name:   a  \ndescription:\tb\n",
    "\"name\": a\n'description' : b\n",
    "name: a\ndescription: |\n  one\n    two\n\n  three\n\n\nlicense: x\n",
    "name: a\ndescription: |-\n  one\n  two\n",
    "name: a\ndescription: |+\n  one\n\n\nx: y\n",
    "name: a\ndescription: |2\n    one\n  two\n",
    "name: a\ndescription: >\n  one\n  two\n\n  three\n    four\n  five\n",
    "name: a\ndescription: >- # comment\n\n  one\n\n\n  two\n",
    "name: a\ndescription: one\n  two\n\n  three\n",
    "name: a\ndescription:\n  next line\n  and more\n",
    "name: a\ndescription: \"one\n  two\"\n",
    "name: a\ndescription: [x, y]\n",
    "name: ~\ndescription:\n",
    "name: null\ndescription: ''\n",
    "name: 1.0\ndescription: true\n",
    "name:\n  - a\ndescription:\n  b: c\n",
    "other: |\n  name: inner\nname: outer\n",
    "name: a\r\ndescription: |\r\n  one\r\n  two\r\n",
    "name: a\ndescription: see http://example.com:80/x\n",
    "name: a\ndescription: |\n  # no comment\n",
    "name: {a: b}\ndescription: {}\n",
];

#[test]
fn recovery_reads_valid_yaml_as_the_parser_does() {
    for yaml in VALID {
        let parsed = front_matter(yaml);
        assert_eq!(parsed.invalid, None, "{yaml:?}");
        let recovered = recover::recover(yaml);
        assert_eq!(recovered.name.as_deref(), parsed.name.as_deref(), "{yaml:?}");
        assert_eq!(
            recovered.description.as_deref(),
            parsed.description.as_deref(),
            "{yaml:?}"
        );
    }
}

#[test]
fn name_and_description_survive_what_breaks() {
    for (yaml, name, description) in [
        (
            "name: a\ndescription: Use. Usage: x\n",
            Some("a"),
            Some("Use. Usage: x"),
        ),
        (
            "argument-hint: [a] | b\nname: a\ndescription: d\n",
            Some("a"),
            Some("d"),
        ),
        ("name: a\ndescription: [a] | b\n", Some("a"), Some("[a] | b")),
        ("name: @a\ndescription: **d** e\n", Some("@a"), Some("**d** e")),
        ("name: \"a\ndescription: d\n", Some("a"), Some("d")),
        ("name: a\n  description: b\n", Some("a"), None),
        (
            "name: a\ndescription: one: two\n  Three: four\n",
            Some("a"),
            Some("one: two Three: four"),
        ),
        (
            "description: \"x\" and y\nname: 'a'\n",
            Some("a"),
            Some("\"x\" and y"),
        ),
        ("name: a\nname: b\ndescription: c\n", Some("a"), Some("c")),
        ("name:\nname: b\n", None, None),
        ("name: a # b: c\nx: y: z\n", Some("a"), None),
        ("x: [a\nname: a\n", Some("a"), None),
        (" name: a\nb: c: d\n", None, None),
    ] {
        let found = front_matter(yaml);
        assert!(found.invalid.is_some(), "{yaml:?}");
        assert_eq!(found.name.as_deref(), name, "{yaml:?}");
        assert_eq!(found.description.as_deref(), description, "{yaml:?}");
        assert!(found.fields.is_empty() && found.findings.is_empty());
    }
}

#[test]
fn front_matter_in_utf16_is_invalid_and_its_name_is_found() {
    let text = "---\r\nname: deploy\u{1F680}\r\ndescription: d\r\n---\r\nname: other\r\n";
    let with = |mark: u16, text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(mark)
            .chain(text.encode_utf16())
            .flat_map(bytes)
            .collect()
    };
    for file in [
        with(0xFEFF, text, u16::to_le_bytes),
        with(0xFEFF, text, u16::to_be_bytes),
    ] {
        let found = of_utf16(&file).unwrap();
        assert_eq!(found.name.as_deref(), Some("deploy\u{1F680}"));
        assert_eq!(found.description.as_deref(), Some("d"));
        assert_eq!(place(&found.invalid.unwrap()), (Some(1), Some(1), Code::NotUtf8));
    }
    assert_eq!(of_utf16(&with(0xFEFF, "only text\n", u16::to_le_bytes)), None);
    assert_eq!(of_utf16(text.as_bytes()), None);
    assert_eq!(of_utf16(b"\xff\xfe"), None);
    assert_eq!(of_utf16(b"\xff\xfe-"), None);
}
