//! Names of strangers in command lines that a person may paste into a shell.
//!
//! A hint such as `aleph-discover mcp approve NAME` is an invitation to run it. The name comes from whoever wrote the
//! configuration: `x; curl …` must stay one word, and `--yes` must not become a flag.

use std::borrow::Cow;

/// A text as one word of a POSIX shell, quoted where it has to be.
#[must_use]
pub fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,~".contains(c);
    // A tilde that stands first would become somebody's home.
    if !text.is_empty() && !text.starts_with('~') && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
    }
}

/// A text as the last argument of a command: one that looks like a flag is told from flags.
#[must_use]
pub fn argument(text: &str) -> Cow<'_, str> {
    if text.starts_with('-') {
        Cow::Owned(format!("-- {}", word(text)))
    } else {
        word(text)
    }
}

/// A flag with its value.
#[must_use]
pub fn flag(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{between}{}", word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_word_and_no_flag() {
        for (name, as_word) in [
            ("github", "github"),
            ("ops:log", "ops:log"),
            ("caf\u{e9}", "caf\u{e9}"),
            ("", "''"),
            ("a b", "'a b'"),
            ("x; touch y", "'x; touch y'"),
            ("$(id)`id`", "'$(id)`id`'"),
            ("it's", r"'it'\''s'"),
            ("x --yes", "'x --yes'"),
            ("*", "'*'"),
            ("~root", "'~root'"),
        ] {
            assert_eq!(word(name), as_word);
            assert_eq!(argument(name), as_word);
            assert_eq!(flag("--server", name), format!("--server {as_word}"));
        }
        assert_eq!(argument("--yes"), "-- --yes");
        assert_eq!(flag("--server", "-y"), "--server=-y");
    }
}
