//! Looking at YAML line by line, for text that the YAML parser has refused.

/// The lines of YAML text, without their ends: LF, CRLF or a lone CR, as YAML counts them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        if current.is_empty() {
            rest = None;
            return None;
        }
        let Some((line, after)) = current.split_once(['\n', '\r']) else {
            rest = None;
            return Some(current);
        };
        // A CRLF is one line end, and only a CR leaves an LF behind.
        let ended_by_cr = current.as_bytes().get(line.len()) == Some(&b'\r');
        rest = Some(match after.strip_prefix('\n') {
            Some(after_crlf) if ended_by_cr => after_crlf,
            _ => after,
        });
        Some(line)
    })
}

/// How many line ends there are in text.
pub(super) fn line_ends(text: &str) -> usize {
    let carriage_returns = text.matches('\r').count();
    let line_feeds = text.matches('\n').count();
    carriage_returns + line_feeds - text.matches("\r\n").count()
}

/// Whether a line is empty or blanks only.
pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Whether a line begins with a blank or a tab.
pub(super) fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Whether text is a comment, or nothing.
pub(super) fn is_comment_or_blank(text: &str) -> bool {
    let trimmed = text.trim_start_matches([' ', '\t']);
    trimmed.is_empty() || trimmed.starts_with('#')
}

/// A `key: value` line taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// The key, without quotes.
    pub(super) key: &'a str,
    /// All after the colon, without the blanks around it.
    pub(super) value: &'a str,
    /// Byte offset of the value in the line.
    pub(super) value_at: usize,
}

/// Takes a `key: value` line apart; a line that is not one gives nothing.
pub(super) fn entry(line: &str) -> Option<Entry<'_>> {
    let body = line.trim_start_matches([' ', '\t']);
    let quote = body.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (key, after) = if let Some(quote) = quote {
        let (key, after) = body.get(1..)?.split_once(quote)?;
        (key, after.trim_start_matches([' ', '\t']).strip_prefix(':')?)
    } else {
        let colon = separator(body)?;
        let (key, after) = body.split_at_checked(colon)?;
        (key.trim_end_matches([' ', '\t']), after.strip_prefix(':')?)
    };
    if quote.is_none() && (key.is_empty() || key.starts_with(['#', '[', '{', '|', '>', '@', '`', '%'])) {
        return None;
    }
    if !after.is_empty() && !is_indented(after) {
        return None;
    }
    let value = after.trim_matches([' ', '\t']);
    let value_at = line.len() - after.trim_start_matches([' ', '\t']).len();
    Some(Entry { key, value, value_at })
}

/// Byte offset of the first colon that YAML takes for the end of a key: before a blank or the end.
pub(super) fn separator(text: &str) -> Option<usize> {
    text.match_indices(':').map(|(at, _)| at).find(|at| {
        text.as_bytes()
            .get(at + 1)
            .is_none_or(|next| matches!(next, b' ' | b'\t'))
    })
}

/// Takes apart what follows the bracket that text begins with: `[a] b` gives ` b`, an unclosed one nothing.
///
/// Brackets inside quotes do not count, and it does not matter which kind of bracket closes which.
pub(super) fn after_brackets(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character && previous != '\\' => quote = None,
            (Some(_), _) => {}
            // Only at the beginning of a word does a quote open quoted text; `don't` has none.
            (None, '"' | '\'') if matches!(previous, ' ' | '\t' | '[' | '{' | ',' | ':') => {
                quote = Some(character);
            }
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(at + 1..);
                }
            }
            (None, _) => {}
        }
        previous = character;
    }
    None
}

/// Takes quoted text apart: what is between the quotes, still escaped, and what follows the closing one.
///
/// Nothing, if the quote is not closed or the text does not begin with one.
pub(super) fn quoted(text: &str) -> Option<(char, &str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let body = text.get(1..)?;
    let mut characters = body.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            if quote == '\'' && characters.next_if(|(_, next)| *next == '\'').is_some() {
                continue;
            }
            return Some((quote, body.get(..at)?, body.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_crlf_and_cr() {
        let found: Vec<&str> = lines("a\nb\r\nc\rd\n\n\r\r\ne").collect();
        assert_eq!(found, ["a", "b", "c", "d", "", "", "", "e"]);
        assert_eq!(line_ends("a\nb\r\nc\rd\n\n\r\r\ne"), 7);
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("a\n").collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn takes_key_and_value_apart() {
        let parts = |line| entry(line).map(|entry| (entry.key, entry.value, entry.value_at));
        assert_eq!(parts("name: x"), Some(("name", "x", 6)));
        assert_eq!(parts("name:\t x \t"), Some(("name", "x", 7)));
        assert_eq!(parts("name:"), Some(("name", "", 5)));
        assert_eq!(parts("\"name\" : x"), Some(("name", "x", 9)));
        assert_eq!(parts("  a b: c: d"), Some(("a b", "c: d", 7)));
        assert_eq!(parts("a:b: c"), Some(("a:b", "c", 5)));
        for line in ["", "name", "a:b", "# a: b", "[a]: b", ": x", "'a: b", "'a' b: c"] {
            assert_eq!(parts(line), None, "{line:?}");
        }
    }

    #[test]
    fn finds_the_end_of_brackets_and_quotes() {
        assert_eq!(after_brackets("[a] | b"), Some(" | b"));
        assert_eq!(after_brackets("[a, {b: ']'}] [c]"), Some(" [c]"));
        assert_eq!(after_brackets("[don't]"), Some(""));
        assert_eq!(after_brackets("[a"), None);
        assert_eq!(quoted("\"a\\\"b\" c"), Some(('"', "a\\\"b", " c")));
        assert_eq!(quoted("'it''s'"), Some(('\'', "it''s", "")));
        assert_eq!(quoted("'a"), None);
        assert_eq!(quoted("a"), None);
        assert_eq!(quoted("\"a\\"), None);
    }
}
