//! Random and mutated files.

use proptest::prelude::*;
use serde_json::json;

use super::hostile::on_a_small_stack;
use super::*;

/// Any JSON value of moderate size.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e9..1e9).prop_map(serde_json::Value::from),
        "\\PC{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map("\\PC{0,4}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A JSON value as TOML writes it in one line.
fn inline_toml(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(inline_toml).collect();
            format!("[{}]", elements.join(", "))
        }
        serde_json::Value::Object(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{} = {}", inline_toml(&key.as_str().into()), inline_toml(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        scalar => scalar.to_string().replace('\u{7f}', "\\u007f"),
    }
}

proptest! {
    #[test]
    fn toml_and_json_of_one_value_are_one_model(value in any_json()) {
        let toml = format!("root = {}", inline_toml(&value));
        let json = json!({"root": value});
        prop_assert_eq!(&read(&toml, Format::Toml).root.value.to_json(), &json, "{}", toml);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            let _ = parse(&bytes, format);
        }
    }

    #[test]
    fn arbitrary_words_never_panic(text in r#"(\[|\]|\{|\}|"|'|,|:|=|\.|a|1|-|\\u?|#|//|/\*|\*/|\n|\r|é|true|null| ){0,40}"#) {
        for format in FORMATS {
            if let Err(problem) = parse(text.as_bytes(), format) {
                let lines = u32::try_from(text.lines().count() + 1).unwrap();
                prop_assert!(problem.line.is_some_and(|line| (1..=lines).contains(&line)), "{:?}", problem);
            }
        }
    }

    #[test]
    fn mutated_documents_never_panic(
        place in any::<prop::sample::Index>(),
        length in 0_usize..4,
        replacement in prop::collection::vec(any::<u8>(), 0..4),
        format in prop::sample::select(&FORMATS[..]),
    ) {
        let text = match format {
            Format::Toml => "a.b = [1, 2.5, {c = 'é'}]\n[[x.y]]\nd = 1979-05-27 # c\n[mcp.\"q\"]\ne = \"\"\"\n\\u00e9\"\"\"\n",
            Format::Jsonc | Format::Json => "{\"a\": [1, -2.5e3, {\"é\": \"\\ud834\\udd1e\"}], \"b\": null, \"t\": {\"c\": true}}",
        };
        let mut bytes = text.as_bytes().to_vec();
        let start = place.index(bytes.len());
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, replacement);
        let _ = parse(&bytes, format);
    }

    #[test]
    fn json_is_what_serde_json_says_it_is(value in any_json(), is_pretty in any::<bool>()) {
        let value = json!({"root": value});
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        for format in [Format::Json, Format::Jsonc] {
            prop_assert_eq!(&read(&text, format).root.value.to_json(), &value);
        }
    }

    #[test]
    fn json_is_accepted_where_serde_json_accepts_it(text in r#"\{"a":(\[|\]|\{|\}|"|,|:|[01]|\.|-|e|true|null| |\\u|d8|//|[ \n\t]|é){0,8}\}"#) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        let ours = parse(text.as_bytes(), Format::Json).map(|document| document.root.value.to_json());
        prop_assert_eq!(ours.as_ref().ok(), theirs.as_ref().ok(), "{:?} {:?}", ours, theirs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// An overflow of the stack would end the test process.
    #[test]
    fn no_repetition_overflows_the_stack(
        parts in prop::collection::vec(
            (
                prop::sample::select(
                    &["a.", "a", "'b'.", "[", "[[", "[a.", "{", "{a=", "{a.b.c=[", "]", "}", "]]", "=", ",", "\n", "[[a.b]]\n", "1.5"][..],
                ),
                prop_oneof![1_usize..4, 40_usize..70, 1000_usize..3000],
            ),
            1..12,
        )
    ) {
        let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
        on_a_small_stack(move || {
            for format in FORMATS {
                drop(parse(text.as_bytes(), format));
            }
        });
    }
}
