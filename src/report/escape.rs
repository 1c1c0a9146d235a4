//! Foreign text made safe to show.
//!
//! Names, descriptions and paths come from strangers' trees. Characters that steer a terminal, hide text or turn
//! its direction are never printed as they are: tables show them escaped, JSON as `\uXXXX`.

use std::borrow::Cow;
use std::fmt::Write;

use crate::plugin::hidden_text;

/// Whether a character could steer a terminal, hide something, or turn the direction of text: C0, DEL, C1, line
/// and paragraph separators, bidirectional controls, zero-width and invisible characters, tag characters,
/// variation selectors beyond emoji's own, and noncharacters that some terminals choke on.
#[must_use]
pub const fn is_unsafe(character: char) -> bool {
    let is_control = matches!(character, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}'..='\u{2029}');
    is_control || hidden_text::kind(character).is_some()
}

/// The text on one line with unsafe characters escaped visibly: `\n`, `\t`, `\r`, else `\u{…}`.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            character if is_unsafe(character) => {
                // Writing to a String cannot fail.
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
            }
            character => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// As [`visible`], but with runs of white space as one space: for descriptions, which are prose.
#[must_use]
pub fn prose(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible(&joined).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        assert_eq!(visible("plain \u{e9} \u{65e5}"), "plain \u{e9} \u{65e5}");
        assert_eq!(visible("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(visible("two\nlines\r\n\tx"), "two\\nlines\\r\\n\\tx");
        assert_eq!(
            visible("\u{202e}abc\u{9b}\u{200b}\u{e0041}"),
            "\\u{202e}abc\\u{9b}\\u{200b}\\u{e0041}"
        );
        for character in (0..=0x10_ffff)
            .filter_map(char::from_u32)
            .filter(|character| is_unsafe(*character))
        {
            assert!(!visible(&character.to_string()).contains(is_unsafe));
        }
    }

    #[test]
    fn prose_is_one_line() {
        assert_eq!(prose("  a\n  b\t c "), "a b c");
    }
}
