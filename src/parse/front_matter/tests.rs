use super::*;

mod broken;
mod properties;

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
    let whole = b"---\nname: a\n---\n";
    assert_eq!(parse(whole, &Extent::Absent, &[]), FrontMatter::default());
    // Its end is not known: too large, but its name is what its author would look for.
    let cut = parse(b"---\nname: a\ndescription: b\nlong: ", &Extent::NeedMore, &[]);
    assert_eq!(
        (cut.name.as_deref(), cut.description.as_deref()),
        (Some("a"), Some("b"))
    );
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
