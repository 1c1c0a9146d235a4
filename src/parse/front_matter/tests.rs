use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Front matter around YAML, parsed.
fn front_matter(yaml: &str) -> FrontMatter {
    wanting(yaml, &[])
}

fn wanting(yaml: &str, wanted: &[&str]) -> FrontMatter {
    let file = format!("---\n{yaml}---\nBody\n");
    parse(file.as_bytes(), &extent(file.as_bytes(), true), wanted)
}

/// Place and code of what is wrong.
fn place(problem: &Problem) -> (Option<u32>, Option<u32>, Code) {
    (problem.line, problem.column, problem.code)
}

fn invalid(yaml: &str) -> Problem {
    front_matter(yaml)
        .invalid
        .unwrap_or_else(|| panic!("{yaml:?} is taken for valid"))
}

fn closed(yaml: std::ops::Range<usize>) -> Extent {
    Extent::Closed { yaml, first_line: 2 }
}

#[test]
fn finds_the_fences() {
    for (text, expected) in [
        ("", Extent::Absent),
        ("-", Extent::Absent),
        ("--", Extent::Absent),
        ("----\na: b\n---\n", Extent::Absent),
        ("...\na: b\n---\n", Extent::Absent),
        (" ---\na: b\n---\n", Extent::Absent),
        ("\n---\na: b\n---\n", Extent::Absent),
        ("--- a\na: b\n---\n", Extent::Absent),
        ("---\ra: b\r---\r", Extent::Absent),
        ("---", Extent::Unclosed),
        ("---\r", Extent::Unclosed),
        ("---\n", Extent::Unclosed),
        ("---\na: b\n ---\n", Extent::Unclosed),
        ("---\na: b\n----\n", Extent::Unclosed),
        ("---\na: b\n--- c\n", Extent::Unclosed),
        ("---\n---", closed(4..4)),
        ("---\n---\n", closed(4..4)),
        ("---\na: b\n---", closed(4..9)),
        ("---\na: b\n...\n", closed(4..9)),
        ("--- \t\na: b\n---\t \n---\n", closed(6..11)),
        ("---\r\na: b\r\n---\r\n", closed(5..11)),
        ("---\r\na: b\r\n---", closed(5..11)),
        ("\u{feff}---\na: b\n---\n", closed(7..12)),
        ("---\na: |\n  ---\n---\n---\n", closed(4..15)),
    ] {
        assert_eq!(extent(text.as_bytes(), true), expected, "{text:?}");
    }
    assert_eq!(extent(b"\xff\xfe-\0-\0-\0\n\0", true), Extent::Absent);
}

#[test]
fn reads_on_only_while_it_is_undecided() {
    for text in [
        "",
        "-",
        "---",
        "--- ",
        "---\r",
        "---\na: b\n--",
        "---\na: b\n---",
        "\u{feff}",
        "\u{feff}--",
    ] {
        assert_eq!(extent(text.as_bytes(), false), Extent::NeedMore, "{text:?}");
    }
    assert_eq!(extent(b"\xef\xbb", false), Extent::NeedMore);
    for text in ["#", "--a", "---a", "--- a", "a", "\n", "\u{feff}a", "-\n"] {
        assert_eq!(extent(text.as_bytes(), false), Extent::Absent, "{text:?}");
    }
    assert_eq!(extent(b"---\na: b\n---\n", false), closed(4..9));
}

#[test]
fn reads_name_and_description_as_yaml_gives_them() {
    let found = front_matter("name: \" deploy \"\ndescription: >\n  Two\n  lines\nother: {a: [b]}\n");
    assert_eq!(found.name.as_deref(), Some(" deploy "));
    assert_eq!(found.name_at, Some(Position { line: 2, column: 7 }));
    assert_eq!(found.description.as_deref(), Some("Two lines\n"));
    assert_eq!((found.invalid, found.findings), (None, Vec::new()));
    assert!(found.fields.is_empty());
}

#[test]
fn only_front_matter_that_is_closed_is_read() {
    for extent in [Extent::Absent, Extent::NeedMore] {
        assert_eq!(
            parse(b"---\nname: a\n---\n", &extent, &[]),
            FrontMatter::default()
        );
    }
    let unclosed = parse(b"---\nname: a\n", &Extent::Unclosed, &[]);
    assert_eq!(unclosed.name, None);
    assert_eq!(unclosed.invalid, None);
    let [finding] = &*unclosed.findings else { panic!() };
    assert_eq!(place(finding), (Some(1), Some(1), Code::UnclosedFrontMatter));
    // An extent of other bytes is a mistake of the caller, but no reason to panic.
    assert_eq!(parse(b"---\n", &closed(4..900), &[]), FrontMatter::default());
}

#[test]
fn an_empty_mapping_is_no_finding() {
    for yaml in ["", "\n", "# comment\n", " \n\t\n", "{}\n", "# a\n\n  # b\n"] {
        assert_eq!(front_matter(yaml), FrontMatter::default(), "{yaml:?}");
    }
}

#[test]
fn what_is_not_a_mapping_is_a_finding() {
    assert!(
        front_matter("- [b\n").invalid.is_some(),
        "it is checked all the same"
    );
    for yaml in ["- a\n- name: b\n", "text\n", "[a]\n", "~\n", "1\n", "\"\"\n"] {
        let found = front_matter(yaml);
        assert_eq!(found.name, None);
        assert_eq!(found.invalid, None, "{yaml:?}");
        let [finding] = &*found.findings else {
            panic!("{yaml:?}")
        };
        assert_eq!(
            place(finding),
            (Some(2), Some(1), Code::FrontMatterNotAMapping),
            "{yaml:?}"
        );
    }
}

#[test]
fn a_scalar_name_is_taken_as_it_is_written() {
    for (written, is_text) in [
        ("yes", true),
        ("1_000", true),
        ("2024-01-01", true),
        ("1.0", false),
        ("007", false),
        ("1e3", false),
        (".nan", false),
        ("true", false),
        ("False", false),
    ] {
        let found = front_matter(&format!("name: {written}\ndescription: {written}\n"));
        assert_eq!(found.name.as_deref(), Some(written));
        assert_eq!(found.description.as_deref(), Some(written));
        assert_eq!(found.invalid, None);
        assert_eq!(found.findings.is_empty(), is_text, "{written}");
        if let [finding] = &*found.findings {
            assert_eq!(place(finding), (Some(2), Some(7), Code::NameNotText));
            let help = format!("put it in quotes: `name: \"{written}\"`");
            assert_eq!(finding.help.as_deref(), Some(&*help));
        }
    }
    for yaml in [
        "name: \"1.0\"\n",
        "name: '1.0'\n",
        "name: !!str 1.0\n",
        "name: ! 1.0\n",
        "name: |-\n  1.0\n",
    ] {
        let found = front_matter(yaml);
        assert_eq!(found.name.as_deref(), Some("1.0"), "{yaml:?}");
        assert!(found.findings.is_empty(), "{yaml:?}");
    }
}

#[test]
fn a_name_without_text_declares_none() {
    for yaml in [
        "name:\n",
        "name: ~\n",
        "name: null\n",
        "name: !!null x\n",
        "description: a\n",
    ] {
        let found = front_matter(yaml);
        assert_eq!(found.name, None, "{yaml:?}");
        assert!(found.findings.is_empty(), "{yaml:?}");
    }
    for yaml in [
        "name: [a]\n",
        "name:\n- a\n",
        "name: {a: b}\n",
        "x: &x [a]\nname: *x\n",
    ] {
        let found = front_matter(yaml);
        assert_eq!(found.name, None, "{yaml:?}");
        assert_eq!(found.invalid, None, "{yaml:?}");
        assert_eq!(found.findings.len(), 1, "{yaml:?}");
        assert_eq!(found.findings[0].code, Code::NameNotText);
    }
    assert_eq!(front_matter("name: ''\n").name.as_deref(), Some(""));
    for yaml in ["description: [a]\n", "description: {a: b}\n", "description: ~\n"] {
        assert_eq!(front_matter(yaml).description, None);
        assert_eq!(
            (front_matter(yaml).invalid, front_matter(yaml).findings),
            (None, Vec::new())
        );
    }
}

#[test]
fn only_outermost_keys_count() {
    let found = front_matter("a:\n  name: inner\n? [name]\n: name\nname: outer\nb: [{name: x}]\n");
    assert_eq!(found.name.as_deref(), Some("outer"));
    assert_eq!(front_matter("Name: x\n").name, None);
    let merged = front_matter("a: &a {name: x}\n<<: *a\n");
    assert_eq!(
        (merged.name, merged.invalid),
        (None, None),
        "YAML 1.2 has no merge keys"
    );
}

#[test]
fn keeps_the_further_keys_that_are_asked_for() {
    let yaml = "tools: [Read, 1, true, ~, [x], {a: b}, \"\"]\nmodel: opus\nhidden: true\nnone:\nmeta: {a: b}\n\
                block:\n- a\n- b\nother: skipped\nshared: &s [p, q]\nagain: *s\nempty: []\n";
    let wanted = [
        "none", "model", "tools", "hidden", "meta", "block", "again", "empty", "missing",
    ];
    let found = wanting(yaml, &wanted);
    let list = |items: &[&str]| FieldValue::List(items.iter().map(|item| (*item).into()).collect());
    let fields: Vec<_> = found
        .fields
        .iter()
        .map(|field| (&*field.key, field.value.clone()))
        .collect();
    assert_eq!(
        fields,
        [
            ("tools", list(&["Read", "1", "true", ""])),
            ("model", FieldValue::Text("opus".into())),
            ("hidden", FieldValue::NotText("true".into())),
            ("none", FieldValue::Null),
            ("meta", FieldValue::Mapping),
            ("block", list(&["a", "b"])),
            ("again", list(&["p", "q"])),
            ("empty", list(&[])),
        ]
    );
    assert_eq!(found.fields[1].at, Position { line: 3, column: 8 });
    assert_eq!(found.fields[2].value.as_str(), Some("true"));
    assert_eq!(found.fields[0].value.as_str(), None);
}

#[test]
fn tags_neither_run_nor_invalidate() {
    let found = wanting(
        "name: !!python/object:os.system x\ndescription: !foo kept\na: !!int nine\nb: !!binary '*'\n\
         c: !!timestamp soon\nd: !!seq text\ne: !!map [a]\n",
        &["a", "d"],
    );
    assert_eq!(found.invalid, None);
    assert_eq!(found.name.as_deref(), Some("x"));
    assert_eq!(found.description.as_deref(), Some("kept"));
    assert_eq!(found.fields[0].value, FieldValue::NotText("nine".into()));
    assert_eq!(found.fields[1].value, FieldValue::Text("text".into()));
}

#[test]
fn a_key_given_twice_is_invalid_where_it_is_repeated() {
    let problem = invalid("name: a\nb: c\nname: d\n");
    assert_eq!(place(&problem), (Some(4), Some(1), Code::BadFrontMatter));
    assert_eq!(
        problem.message,
        "the key `name` is given twice; it is also in line 2"
    );
    assert_eq!(
        place(&invalid("a: {b: 1, b: 2}\n")),
        (Some(2), Some(11), Code::BadFrontMatter)
    );
    assert_eq!(
        place(&invalid("a: b\n'a': c\n")),
        (Some(3), Some(1), Code::BadFrontMatter)
    );
    assert_eq!(
        place(&invalid("- a: b\n  a: c\n")),
        (Some(3), Some(3), Code::BadFrontMatter)
    );
    assert_eq!(
        front_matter("1: a\n\"1\": b\na: {x: 1}\nb: {x: 2}\n").invalid,
        None
    );
    assert_eq!(front_matter("name: a\nname: b\n").name.as_deref(), Some("a"));
}

#[test]
fn aliases_stand_for_scalars_and_bombs_end_early() {
    assert_eq!(front_matter("a: &a x\nname: *a\n").name.as_deref(), Some("x"));
    assert_eq!(front_matter("a: &a name\n*a : x\n").name.as_deref(), Some("x"));
    assert_eq!(
        invalid("a: &a [*a]\n").message,
        "an alias stands for the value that it is inside of"
    );
    let mut bomb = "name: bomb\na0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let aliases = vec![format!("*a{}", level - 1); 8].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let problem = invalid(&bomb);
    assert_eq!(
        problem.message,
        "the aliases stand for far more than the front matter could hold"
    );
    assert_eq!(front_matter(&bomb).name.as_deref(), Some("bomb"));
    let long = format!(
        "a: &a {}\ntools: [{}]\n",
        "x".repeat(30_000),
        "*a, ".repeat(8_000)
    );
    let found = wanting(&long, &["tools"]);
    assert!(found.invalid.is_some() && found.fields.is_empty());
}

#[test]
fn the_deepest_nesting_ends_on_a_small_stack() {
    let shapes = ["- ", "[", "{a: ", "? ", ": ", "[{", "? - ", "a: [\n", "- ["];
    let thread = std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || {
            for shape in shapes {
                let deep = shape.repeat(60_000 / shape.len());
                let problem = invalid(&format!("name: x\nd:\n  {deep}\n"));
                assert_eq!(problem.code, Code::BadFrontMatter, "{shape:?}");
                // A block list inside brackets breaks another rule before it is deep.
                let is_too_deep = problem.message == "lists or mappings are nested more than 64 levels deep";
                assert_eq!(is_too_deep, shape != "- [", "{shape:?}");
            }
        });
    thread.unwrap().join().unwrap();
    assert_eq!(
        front_matter(&format!("a: {}{}\n", "[".repeat(60), "]".repeat(60))).invalid,
        None
    );
}

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
const BREAKAGES: [(&str, (u32, u32), &str, &str); 27] = [
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
const VALID: [&str; 24] = [
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

/// What must hold of any answer to any bytes.
fn check(bytes: &[u8]) {
    let extent = extent(bytes, true);
    assert_ne!(extent, Extent::NeedMore);
    let found = parse(bytes, &extent, &["tools"]);
    let lines = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    for problem in found.invalid.iter().chain(&found.findings) {
        let said = problem.help.iter().chain([&problem.message]);
        assert!(
            said.clone()
                .all(|text| !text.is_empty() && !text.contains(char::is_control)),
            "{problem:?}"
        );
        assert!(
            problem
                .line
                .is_some_and(|line| (1..=lines).contains(&(line as usize))),
            "{problem:?}"
        );
        assert!(problem.column.is_some_and(|column| column >= 1), "{problem:?}");
    }
    assert!(found.invalid.is_none() || found.fields.is_empty() && found.findings.is_empty());
}

/// Cuts bytes at one place and puts others in.
fn mutated(text: &str, at: prop::sample::Index, remove: usize, insert: &[u8]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let start = at.index(bytes.len() + 1);
    let end = (start + remove).min(bytes.len());
    bytes.splice(start..end, insert.iter().copied());
    bytes
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in vec(any::<u8>(), 0..300)) {
        check(&bytes);
        check(&[b"---\n", &*bytes, b"\n---\n"].concat());
    }

    #[test]
    fn any_yaml_like_text_is_answered(text in "([a-z]{0,4}|[-\\[\\]{}:,#&*!|>'\"%@`?~ \t\n\r\\\\.]|name: |description: |- |: |é|😀|\u{feff}){0,60}") {
        check(format!("---\n{text}\n---\n").as_bytes());
    }

    #[test]
    fn mutated_front_matter_is_answered(
        which in 0..VALID.len() + BREAKAGES.len(),
        at in any::<prop::sample::Index>(),
        remove in 0usize..6,
        insert in prop_oneof![vec(any::<u8>(), 0..4), "[-\\[\\]{}:#&*!|>'\"% \t\n]{0,4}".prop_map(String::into_bytes)],
    ) {
        let yaml = VALID.get(which).copied().unwrap_or_else(|| BREAKAGES[which - VALID.len()].0);
        check(&mutated(&format!("---\n{yaml}---\n"), at, remove, &insert));
    }

    #[test]
    fn growing_prefixes_agree_with_a_single_look(
        text in "(\u{feff}|-|--|---|\\.\\.\\.|a|é| |\t|\r|\n|\n---|---\n){0,12}",
        step in 1usize..5,
    ) {
        let bytes = text.as_bytes();
        let whole = extent(bytes, true);
        let mut cursor = Cursor::default();
        let mut decided = None;
        for end in (0..bytes.len()).step_by(step) {
            let found = extent_from(&bytes[..end], false, &mut cursor);
            prop_assert_eq!(&found, &extent(&bytes[..end], false));
            if found != Extent::NeedMore {
                decided = Some(found);
                break;
            }
        }
        prop_assert_eq!(decided.unwrap_or_else(|| extent_from(bytes, true, &mut cursor)), whole);
    }
}
