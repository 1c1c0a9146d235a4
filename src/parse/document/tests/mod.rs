//! Tests of the three formats side by side.

mod hostile;
mod random;

use serde_json::json;

use super::*;

const FORMATS: [Format; 3] = [Format::Toml, Format::Jsonc, Format::Json];

fn read(text: &str, format: Format) -> Document {
    parse(text.as_bytes(), format).unwrap_or_else(|problem| panic!("{problem:?}"))
}

fn json_of(text: &str, format: Format) -> serde_json::Value {
    read(text, format).root.value.to_json()
}

/// Code, line and column of the problem for which a text cannot be used.
fn refusal(bytes: &[u8], format: Format) -> (Code, Option<Place>) {
    let problem = parse(bytes, format).unwrap_err();
    assert!(
        !problem.message.is_empty() && !problem.message.contains('\n'),
        "{problem:?}"
    );
    (problem.code, problem.line.zip(problem.column))
}

fn bad(line: u32, column: u32) -> (Code, Option<Place>) {
    (Code::BadConfig, Some((line, column)))
}

/// A line and a column.
type Place = (u32, u32);

/// Every key with its place and the place of its value, in the order of the file.
fn places(located: &Located) -> Vec<(String, Place, Place)> {
    let mut found = Vec::new();
    collect(located, "", &mut found);
    found
}

fn collect(located: &Located, path: &str, found: &mut Vec<(String, Place, Place)>) {
    let pair = |position: Position| (position.line, position.column);
    match &located.value {
        Value::Table(entries) => {
            for entry in entries {
                let path = format!("{path}/{}", entry.key);
                found.push((path.clone(), pair(entry.key_position), pair(entry.value.position)));
                collect(&entry.value, &path, found);
            }
        }
        Value::List(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let path = format!("{path}/{index}");
                found.push((path.clone(), pair(element.position), pair(element.position)));
                collect(element, &path, found);
            }
        }
        _ => {}
    }
}

fn expect_places(text: &str, format: Format, expected: &[(&str, Place, Place)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(path, key, value)| ((*path).to_owned(), *key, *value))
        .collect();
    assert_eq!(places(&read(text, format).root), expected);
}

#[test]
fn json_keys_and_values_know_their_places() {
    let text = "\u{feff}{\"é𝄞\": 1,\r\n  \"b\" : [true, {\"c\": null}], \"d\":{}\n}";
    let expected = [
        ("/é𝄞", (1, 2), (1, 8)),
        ("/b", (2, 3), (2, 9)),
        ("/b/0", (2, 10), (2, 10)),
        ("/b/1", (2, 16), (2, 16)),
        ("/b/1/c", (2, 17), (2, 22)),
        ("/d", (2, 30), (2, 34)),
    ];
    expect_places(text, Format::Json, &expected);
    expect_places(text, Format::Jsonc, &expected);
}

#[test]
fn jsonc_comments_and_commas_move_nothing() {
    let text = "// ä\n{ /* \" */ \"a\": \"// no /* comment\", // x\n\t\"b\": [1, 2,],\n}\n/* end */";
    let expected = [
        ("/a", (2, 11), (2, 16)),
        ("/b", (3, 2), (3, 7)),
        ("/b/0", (3, 8), (3, 8)),
        ("/b/1", (3, 11), (3, 11)),
    ];
    expect_places(text, Format::Jsonc, &expected);
    assert_eq!(
        json_of(text, Format::Jsonc),
        json!({"a": "// no /* comment", "b": [1, 2]})
    );
    assert_eq!(
        json_of(r#"{"a": ",]", "b": ",}",}"#, Format::Jsonc),
        json!({"a": ",]", "b": ",}"})
    );
}

#[test]
fn toml_keys_and_values_know_their_places() {
    let text = "\u{feff}z = 'é' # c\r\n\"é\" = [1, {x = 2}]\n\n[mcp.git]\nurl = \"u\"\na.b.c = 1\na.b.d = 2\n[[p]]\n  q = 1\n[[p]]\n[mcp]\nlast = 0";
    expect_places(
        text,
        Format::Toml,
        &[
            ("/z", (1, 1), (1, 5)),
            ("/é", (2, 1), (2, 7)),
            ("/é/0", (2, 8), (2, 8)),
            ("/é/1", (2, 11), (2, 11)),
            ("/é/1/x", (2, 12), (2, 16)),
            ("/p", (8, 3), (8, 1)),
            ("/p/0", (8, 1), (8, 1)),
            ("/p/0/q", (9, 3), (9, 7)),
            ("/p/1", (10, 1), (10, 1)),
            ("/mcp", (11, 2), (11, 1)),
            ("/mcp/git", (4, 6), (4, 1)),
            ("/mcp/git/url", (5, 1), (5, 7)),
            ("/mcp/git/a", (6, 1), (6, 1)),
            ("/mcp/git/a/b", (6, 3), (6, 3)),
            ("/mcp/git/a/b/c", (6, 5), (6, 9)),
            ("/mcp/git/a/b/d", (7, 5), (7, 9)),
            ("/mcp/last", (12, 1), (12, 8)),
        ],
    );
}

#[test]
fn the_same_data_is_the_same_model_in_all_formats() {
    let toml = "s = \"a\\n\\u00e9\"\ni = -5\nu = 18446744073709551615\nf = 1.5\ne = 1e3\nb = true\nl = [1, [2.0], {}]\n[t]\n\"x y\" = 'z'\n";
    let json = "{\"s\": \"a\\n\\u00e9\", \"i\": -5, \"u\": 18446744073709551615, \"f\": 1.5, \"e\": 1e3, \"b\": true, \"l\": [1, [2.0], {}], \"t\": {\"x y\": \"z\"}}";
    let expected = json!({
        "s": "a\né", "i": -5, "u": u64::MAX, "f": 1.5, "e": 1000.0, "b": true, "l": [1, [2.0], {}], "t": {"x y": "z"}
    });
    for (text, format) in [(toml, Format::Toml), (json, Format::Jsonc), (json, Format::Json)] {
        let document = read(text, format);
        assert_eq!(document.root.value.to_json(), expected, "{format:?}");
        assert_eq!(
            document.root.value.get("i").map(|i| &i.value),
            Some(&Value::Integer(-5))
        );
        assert_eq!(document.problems, [], "{format:?}");
    }
}

#[test]
fn what_json_has_no_word_for_becomes_text() {
    let text = "d = 1979-05-27T07:32:00Z\nt = 07:32:00\ni = inf\nm = -inf\nn = nan\nh = 0xff\no = 1_000";
    assert_eq!(
        json_of(text, Format::Toml),
        json!({"d": "1979-05-27T07:32:00Z", "t": "07:32:00", "i": "inf", "m": "-inf", "n": "nan", "h": 255, "o": 1000})
    );
}

#[test]
fn json_is_strict_and_says_where_and_what_to_do() {
    for (text, expected, help) in [
        ("{\n  // no\n}", bad(2, 3), "remove the comment; only a `.jsonc`"),
        (
            "{\"a\": 1 /* no */}",
            bad(1, 9),
            "remove the comment; only a `.jsonc`",
        ),
        ("{\"a\": 1,\n}", bad(1, 8), "remove the comma; only a `.jsonc`"),
        ("{\"a\": [1 , ]}", bad(1, 10), "remove the comma; only a `.jsonc`"),
    ] {
        assert_eq!(refusal(text.as_bytes(), Format::Json), expected, "{text}");
        let problem = parse(text.as_bytes(), Format::Json).unwrap_err();
        assert!(problem.help.unwrap().starts_with(help), "{text}");
        read(text, Format::Jsonc);
    }
}

#[test]
fn nothing_of_json5_is_let_through() {
    for (text, expected) in [
        ("{'a': 1}", bad(1, 2)),
        ("{a: 1}", bad(1, 2)),
        ("{true: 1}", bad(1, 2)),
        ("{1: 1}", bad(1, 2)),
        ("{\"a\": 'b'}", bad(1, 7)),
        ("{\"a\": 0x1F}", bad(1, 7)),
        ("{\"a\": +1}", bad(1, 7)),
        ("{\"a\": .5}", bad(1, 7)),
        ("{\"a\": 5.}", bad(1, 7)),
        ("{\"a\": 01}", bad(1, 7)),
        ("{\"a\": 1a}", bad(1, 7)),
        ("{\"a\": -}", bad(1, 8)),
        ("{\"a\": 1e}", bad(1, 9)),
        ("{\"a\": Infinity}", bad(1, 7)),
        ("{\"a\": -Infinity}", bad(1, 7)),
        ("{\"a\": NaN}", bad(1, 7)),
        ("{\"a\": True}", bad(1, 7)),
        ("{\"a\": \"\\x41\"}", bad(1, 8)),
        ("{\"a\": \"\\'\"}", bad(1, 8)),
        ("{\"a\":\u{a0}1}", bad(1, 6)),
        ("{\"a\":\u{b}1}", bad(1, 6)),
        ("{\"a\": 1}\u{2028}", bad(1, 9)),
    ] {
        for format in [Format::Json, Format::Jsonc] {
            assert_eq!(
                refusal(text.as_bytes(), format),
                expected,
                "{text:?} as {format:?}"
            );
        }
    }
}

#[test]
fn broken_json_is_refused_where_it_breaks() {
    for (text, expected) in [
        ("{", bad(1, 2)),
        ("{\"a\"", bad(1, 5)),
        ("{\"a\":", bad(1, 6)),
        ("{\"a\": 1", bad(1, 8)),
        ("{\"a\": 1,", bad(1, 9)),
        ("{\"a\": [1\n", bad(2, 1)),
        ("{\"a\": }", bad(1, 7)),
        ("{\"a\" 1}", bad(1, 6)),
        ("{\"a\": 1\n \"b\": 2}", bad(2, 2)),
        ("{\"a\": [1 2]}", bad(1, 10)),
        ("{\"a\": [1}", bad(1, 9)),
        ("{\"a\": 1]", bad(1, 8)),
        ("{,}", bad(1, 2)),
        ("{\"a\": [,]}", bad(1, 8)),
        ("{\"a\": [1,,2]}", bad(1, 10)),
        ("{\"a\": \"b", bad(1, 7)),
        ("{\"a\": \"b\n\"c\": 1}", bad(1, 9)),
        ("{\"a\": \"\t\"}", bad(1, 8)),
        ("{\"a\": \"\\q\"}", bad(1, 8)),
        ("{\"a\": \"\\u12\"}", bad(1, 8)),
        ("{} {}", bad(1, 4)),
        ("}", bad(1, 1)),
        ("{\"é\": §}", bad(1, 7)),
    ] {
        for format in [Format::Json, Format::Jsonc] {
            assert_eq!(
                refusal(text.as_bytes(), format),
                expected,
                "{text:?} as {format:?}"
            );
        }
    }
    assert_eq!(refusal(b"{} /* never", Format::Jsonc), bad(1, 4));
    assert_eq!(refusal(b"{} /", Format::Jsonc), bad(1, 4));
}

#[test]
fn broken_toml_is_refused_where_it_breaks() {
    for (text, expected) in [
        ("a = ", bad(1, 5)),
        ("a = 1\nb = [1\n", bad(2, 7)),
        ("\"é\" = 1\nb = \"é\" x", bad(2, 9)),
        ("é = 1", bad(1, 1)),
        ("a = 1\na = 2", bad(2, 1)),
        ("[a]\n[b]\n[a]", bad(3, 2)),
        ("a = 'x", bad(1, 7)),
        ("a = nope", bad(1, 5)),
    ] {
        assert_eq!(refusal(text.as_bytes(), Format::Toml), expected, "{text:?}");
    }
}

#[test]
fn a_top_level_that_is_no_table_is_refused() {
    for text in ["[]", " 1", "\"a\"", "null", "true"] {
        for format in [Format::Json, Format::Jsonc] {
            let (code, place) = refusal(text.as_bytes(), format);
            let column = if text.starts_with(' ') { 2 } else { 1 };
            assert_eq!((code, place), bad(1, column), "{text}");
        }
    }
}

#[test]
fn formats_are_told_by_their_extension() {
    for (name, expected) in [
        ("aleph.toml", Some(Format::Toml)),
        ("aleph.jsonc", Some(Format::Jsonc)),
        (".mcp.json", Some(Format::Json)),
        ("aleph.TOML", None),
        ("aleph", None),
        (".json", None),
        ("CLAUDE.md", None),
    ] {
        assert_eq!(Format::from_file_name(OsStr::new(name)), expected, "{name}");
    }
}
