//! Files that are empty, broken, huge, deep or not text.

use serde_json::json;

use super::*;

#[test]
fn an_empty_file_is_a_table_only_in_toml() {
    for text in ["", "\u{feff}", "# only\n"] {
        assert_eq!(json_of(text, Format::Toml), json!({}));
    }
    for (text, line, message) in [
        ("", 1, "the file is empty"),
        ("\u{feff}", 1, "the file is empty"),
        ("\n\n", 3, "the file is empty but for blanks and comments"),
        ("// only\n", 2, "the file is empty but for blanks and comments"),
    ] {
        assert_eq!(refusal(text.as_bytes(), Format::Jsonc), bad(line, 1), "{text:?}");
        assert_eq!(
            parse(text.as_bytes(), Format::Jsonc).unwrap_err().message,
            message
        );
    }
    assert_eq!(refusal(b"", Format::Json), bad(1, 1));
}

#[test]
fn of_duplicate_keys_the_last_counts_and_is_reported() {
    let text = "{\"a\": 1, \"b\": {\"c\": 1, \"\\u0063\": 2},\n \"a\": 3, \"d\": 4, \"a\": 5}";
    let document = read(text, Format::Json);
    assert_eq!(
        document.root.value.to_json(),
        json!({"b": {"c": 2}, "d": 4, "a": 5})
    );
    let keys: Vec<_> = document
        .root
        .value
        .entries()
        .iter()
        .map(|entry| entry.key.as_str())
        .collect();
    assert_eq!(keys, ["b", "d", "a"]);
    let found: Vec<_> = document
        .problems
        .iter()
        .map(|p| (p.code, p.line, p.column))
        .collect();
    let at = |line, column| (Code::DuplicateKey, Some(line), Some(column));
    assert_eq!(found, [at(1, 24), at(2, 2), at(2, 18)]);
    assert!(
        document.problems[2]
            .message
            .contains("not the one in line 2, column 2")
    );
}

#[test]
fn a_flood_of_problems_is_counted() {
    let text = format!("{{{}\"a\": 1}}", "\"a\": 0,".repeat(1000));
    let document = read(&text, Format::Json);
    assert_eq!(document.root.value.to_json(), json!({"a": 1}));
    assert_eq!(document.problems.len(), MAX_PROBLEMS + 1);
    assert!(document.problems[MAX_PROBLEMS].message.contains("900 findings"));
}

#[test]
fn numbers_beyond_64_bits_keep_their_text_or_are_refused() {
    let text =
        "{\"a\": 18446744073709551616, \"b\": -9223372036854775809, \"c\": -0, \"d\": 9223372036854775808}";
    let document = read(text, Format::Json);
    let value = |key: &str| document.root.value.get(key).unwrap().value.clone();
    assert_eq!(value("a"), Value::BigInteger("18446744073709551616".to_owned()));
    assert_eq!(value("b"), Value::BigInteger("-9223372036854775809".to_owned()));
    assert!(matches!(value("c"), Value::Float(zero) if zero == 0.0 && zero.is_sign_negative()));
    assert_eq!(value("d"), Value::Integer(9_223_372_036_854_775_808));
    assert_eq!(value("a").to_json(), json!(18_446_744_073_709_551_616.0));
    let found: Vec<_> = document
        .problems
        .iter()
        .map(|p| (p.code, p.line, p.column))
        .collect();
    let at = |column| (Code::NumberPrecision, Some(1), Some(column));
    assert_eq!(found, [at(7), at(34)]);

    for text in [
        "{\"a\": 1e999}".to_owned(),
        format!("{{\"a\": {}}}", "9".repeat(5000)),
    ] {
        assert_eq!(refusal(text.as_bytes(), Format::Json), bad(1, 7));
    }
    for number in [
        "18446744073709551616",
        "-9223372036854775809",
        "0xffffffffffffffffff",
    ] {
        assert_eq!(
            refusal(format!("a = {number}").as_bytes(), Format::Toml),
            bad(1, 5)
        );
    }
}

#[test]
fn surrogates_are_characters_in_pairs_and_errors_alone() {
    assert_eq!(
        json_of(r#"{"a": "\ud834\udd1e"}"#, Format::Json),
        json!({"a": "𝄞"})
    );
    for text in [
        r#"{"a": "\ud800"}"#,
        r#"{"a": "\udc00"}"#,
        r#"{"a": "\ud800\ud800"}"#,
        r#"{"a": "\ud800x"}"#,
        r#"{"a": "\ud800\n"}"#,
    ] {
        assert_eq!(refusal(text.as_bytes(), Format::Json), bad(1, 8), "{text}");
        assert!(
            parse(text.as_bytes(), Format::Json)
                .unwrap_err()
                .message
                .contains("surrogate")
        );
    }
    assert_eq!(refusal(br#"a = "\ud800""#, Format::Toml).0, Code::BadConfig);
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_offset() {
    for format in FORMATS {
        let text = b"\xEF\xBB\xBF\n\"\xC3\xA9\xFF\"";
        assert_eq!(refusal(text, format), (Code::NotUtf8, Some((2, 3))));
        assert!(parse(text, format).unwrap_err().message.contains("offset 7 "));
        let utf16: Vec<u8> = std::iter::once(0xFEFF)
            .chain("{}".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(parse(&utf16, format).unwrap_err().message.contains("UTF-16"));
        assert_eq!(refusal(b"\xEF\xBB", format).0, Code::NotUtf8);
    }
}

#[test]
fn nul_is_refused_as_a_byte_and_legal_as_an_escape() {
    assert_eq!(refusal(b"{\"a\": \0}", Format::Json), bad(1, 7));
    assert_eq!(refusal(b"{\"a\0\": 1}", Format::Jsonc), bad(1, 4));
    assert_eq!(refusal(b"a = \"\0\"", Format::Toml), bad(1, 6));
    assert_eq!(json_of("{\"a\": \"\\u0000\"}", Format::Json), json!({"a": "\0"}));
    assert_eq!(json_of("a = \"\\u0000\"", Format::Toml), json!({"a": "\0"}));
}

/// Runs on a stack smaller than any that the program has.
pub(super) fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn nesting_ends_as_an_error_with_its_place() {
    on_a_small_stack(|| {
        const DEEP: usize = 100_000;
        let too_deep = |column: usize| (Code::TooDeep, Some((1, u32::try_from(column).unwrap())));
        for format in [Format::Json, Format::Jsonc] {
            assert_eq!(
                refusal("[".repeat(DEEP).as_bytes(), format),
                too_deep(MAX_DEPTH + 1)
            );
            let tables = "{\"a\":".repeat(DEEP);
            assert_eq!(refusal(tables.as_bytes(), format), too_deep(5 * MAX_DEPTH + 1));
            let mixed = format!("{{\"a\":{}", "[{\"a\":".repeat(DEEP));
            assert_eq!(refusal(mixed.as_bytes(), format).0, Code::TooDeep);
        }
        let lists = format!("a = {}", "[".repeat(DEEP));
        assert_eq!(refusal(lists.as_bytes(), Format::Toml), too_deep(4 + MAX_DEPTH));
        for text in [
            format!("a = {}", "{a=".repeat(DEEP)),
            format!("{}a = 1", "a.".repeat(DEEP)),
            format!("[{}a]", "a.".repeat(DEEP)),
            format!("[[{}a]]", "a . ".repeat(DEEP)),
            format!("a = {{{}a = 1}}", "'a'.".repeat(DEEP)),
            format!("a = {}", format!("{{{}a=", "b.".repeat(50)).repeat(50)),
            format!("a = {}", format!("[{{{}a=[}}]}}", "b.".repeat(50)).repeat(50)),
            format!(
                "{}\n",
                "[[a]]\n[a.b.c.d.e.f.g.h]\nx = [[[{y.z=[{}]}]]]\n".repeat(10)
            ) + &"[a".repeat(DEEP),
            format!("[{}a]\n{}b = 1", "a.".repeat(50), "b.".repeat(50)),
        ] {
            let problem = parse(text.as_bytes(), Format::Toml).unwrap_err();
            assert!(problem.line.is_some() && problem.column.is_some(), "{problem:?}");
        }
        let mut nested_arrays_of_tables = String::new();
        for depth in 1..60 {
            nested_arrays_of_tables += &format!("[[{}]]\n", vec!["a"; depth].join("."));
        }
        assert_eq!(
            refusal(nested_arrays_of_tables.as_bytes(), Format::Toml).0,
            Code::TooDeep
        );
    });
}

#[test]
fn the_deepest_that_is_read_is_the_same_in_all_formats() {
    on_a_small_stack(|| {
        for (levels, is_read) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let inner = levels - 1;
            let tables = format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
            let lists = format!("{{\"a\":{}{}}}", "[".repeat(inner), "]".repeat(inner));
            let dotted = vec!["a"; levels].join(".");
            let header = vec!["a"; inner].join(".");
            for (text, format) in [
                (tables.clone(), Format::Json),
                (tables, Format::Jsonc),
                (lists, Format::Json),
                (format!("{dotted} = 1"), Format::Toml),
                (format!("[{header}]\na = 1"), Format::Toml),
                (
                    format!("a = {}{}", "[".repeat(inner), "]".repeat(inner)),
                    Format::Toml,
                ),
                (
                    format!(
                        "a = {}b = 1{}",
                        "{a = ".repeat(inner - 1) + "{",
                        "}".repeat(inner)
                    ),
                    Format::Toml,
                ),
                (
                    format!("a.b = {}{}", "[".repeat(inner - 1), "]".repeat(inner - 1)),
                    Format::Toml,
                ),
            ] {
                let result = parse(text.as_bytes(), format);
                match &result {
                    Ok(document) => drop(document.clone()),
                    Err(problem) => assert_eq!(problem.code, Code::TooDeep, "{problem:?} {text}"),
                }
                assert_eq!(result.is_ok(), is_read, "{levels} levels: {text}");
            }
        }
    });
}

#[test]
fn dots_in_text_and_numbers_are_no_depth() {
    let text = format!(
        "a = \"{0}\" # {0}\nb = '''\n{0}'''\nc = [{1}]\n",
        ".".repeat(200),
        "1.5, ".repeat(200)
    );
    read(&text, Format::Toml);
    let text = format!("[a.b]\n{}", "c.d = 1.5\n[a.c]\n[[x.y]]\n");
    read(&text, Format::Toml);
    let many = (0..500)
        .map(|n| format!("[s{n}.a.b]\nx.y.z = {{ p.q = [1.5, 2.5] }}\n"))
        .collect::<String>();
    read(&many, Format::Toml);
}

#[test]
fn too_much_is_refused() {
    for format in FORMATS {
        assert_eq!(
            refusal(&vec![b' '; MAX_BYTES + 1], format),
            (Code::TooLarge, None)
        );
    }
    let many = "0,".repeat(MAX_VALUES);
    assert_eq!(
        refusal(format!("{{\"a\":[{many}0]}}").as_bytes(), Format::Json).0,
        Code::TooLarge
    );
    assert_eq!(
        refusal(format!("a=[{many}0]").as_bytes(), Format::Toml).0,
        Code::TooLarge
    );
}

/// These take hours where a position costs a pass over its line, or a key one over its table.
#[test]
fn long_lines_and_large_tables_are_no_trouble() {
    let one_line = format!(
        "{{{}\"z\":[]}}",
        (0..60_000)
            .map(|n| format!("\"é{n}\":[{n}],"))
            .collect::<String>()
    );
    assert_eq!(read(&one_line, Format::Json).root.value.entries().len(), 60_001);
    let one_line = format!("a=[{}]", "'é',".repeat(100_000));
    assert_eq!(
        places(&read(&one_line, Format::Toml).root).last().unwrap().1,
        (1, 4 + 4 * 99_999)
    );
    let sections: String = (0..20_000)
        .map(|n| format!("[mcp.s{n}]\nurl = \"é\"\n"))
        .collect();
    assert_eq!(
        places(&read(&sections, Format::Toml).root).last().unwrap().1,
        (40_000, 1)
    );
    let duplicates = format!("{{{}\"a\":0}}", "\"a\":0,".repeat(100_000));
    assert_eq!(read(&duplicates, Format::Json).problems.len(), MAX_PROBLEMS + 1);
}
