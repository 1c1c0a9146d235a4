//! Where a text is no JSON, as everything here tells positions.

use super::Position;

/// The position of an error of `serde_json`, and its words without it.
///
/// `serde_json` counts columns in bytes, and has none (0) where nothing was read of a line; here a column is 1-based and
/// counts characters (Unicode scalar values). `text` is what was read. Takes time in proportion to the text.
#[must_use]
pub fn json_error(text: &str, error: &serde_json::Error) -> (Position, String) {
    let line = text
        .split('\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let read = line
        .as_bytes()
        .get(..error.column().min(line.len()))
        .unwrap_or_default();
    // A character counts where it begins, so one of which a part was read counts whole.
    let characters = read.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default().to_owned();
    let number = |count: usize| u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    let at = Position {
        line: number(error.line()),
        column: number(characters),
    };
    (at, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters_and_begin_with_one() {
        for (text, line, column) in [
            ("", 1, 1),
            ("\n", 2, 1),
            ("{\"\u{e9}\":\u{e9}", 1, 6),
            ("{\"\u{1f600}\": x}", 1, 7),
            ("{\n  \"a\": }", 2, 8),
            ("{\"\u{e9}\":", 1, 5),
        ] {
            let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            let (at, words) = json_error(text, &error);
            assert_eq!((at.line, at.column), (line, column), "{text:?}: {error}");
            assert!(!words.contains("line") && !words.is_empty(), "{words}");
        }
    }
}
