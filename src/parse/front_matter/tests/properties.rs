//! What holds of every input.

use proptest::collection::vec;
use proptest::prelude::*;

use super::broken::{BREAKAGES, VALID};
use super::*;

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
