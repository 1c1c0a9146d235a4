//! Text to tokens, for text in which identifiers are words.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::discovery::similar::is_invisible;

/// Words with more characters than this are no words (keys, encoded data) and give no token.
const LONGEST: usize = 64;

/// A piece of text that can be searched for, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The piece.
    pub text: String,
    /// How many of the tokens that follow are its parts; 0 for a token that is not made of others.
    ///
    /// A word of two humps is told whole before its parts (`GitHub`: `github`, `git`, `hub`), since people write
    /// such words both ways.
    pub parts: usize,
}

/// The tokens of a text, in order.
///
/// - Text is normalised (NFKC) and lower-cased; invisible characters are taken out.
/// - Words end at what is not a letter or digit, and at camel humps: `HTTPServer` gives `http`, `server`. A word
///   of exactly two humps is also told whole.
/// - A word with digits is told whole and in its parts: `base64` gives `base64`, `base`, `64`.
/// - An apostrophe and up to two letters behind it are dropped: `user's` gives `user`.
/// - Chinese, Japanese and Korean text gives its single characters and adjacent pairs.
/// - Single ASCII letters and words of more than 64 characters are dropped.
///
/// Rule: spec, tools 2. Time is linear in the length of the text.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let text: Cow<'_, str> = if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(
            text.nfkc()
                .filter(|character| !is_invisible(*character))
                .collect(),
        )
    };
    let mut found = Vec::with_capacity(text.len() / 6);
    let mut word = String::new();
    let mut run = String::new();
    for character in text.chars() {
        if is_ideographic(character) {
            split_word(&mut word, &mut found);
            run.push(character);
        } else {
            split_run(&mut run, &mut found);
            if character.is_alphanumeric() {
                word.push(character);
            } else if matches!(character, '\'' | '\u{2019}') && !word.is_empty() {
                word.push('\'');
            } else {
                split_word(&mut word, &mut found);
            }
        }
    }
    split_word(&mut word, &mut found);
    split_run(&mut run, &mut found);
    found
}

/// Whether text in this script is written without spaces between words: kana, Chinese characters, Hangul.
pub(super) const fn is_ideographic(character: char) -> bool {
    matches!(character,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}')
}

/// Single characters and adjacent pairs.
fn split_run(run: &mut String, found: &mut Vec<Token>) {
    let mut previous = None;
    for character in run.chars() {
        if let Some(previous) = previous {
            push(found, String::from_iter([previous, character]));
        }
        push(found, character.to_string());
        previous = Some(character);
    }
    run.clear();
}

/// A run of letters, digits and apostrophes.
fn split_word(word: &mut String, found: &mut Vec<Token>) {
    for (index, part) in word.split('\'').enumerate() {
        // `'s`, `'t`, `'ll` are endings; what is longer is a word that was quoted.
        if index == 0 || part.chars().count() > 2 {
            split_humps(part, found);
        }
    }
    word.clear();
}

/// A run of letters and digits.
fn split_humps(word: &str, found: &mut Vec<Token>) {
    if word.is_empty() || word.chars().count() > LONGEST {
        return;
    }
    let mut humps: Vec<String> = vec![String::new()];
    let mut previous: Option<char> = None;
    let mut rest = word.chars();
    while let Some(character) = rest.next() {
        let begins = previous.is_some_and(|previous| begins_hump(previous, character, rest.as_str()));
        if begins {
            humps.push(String::new());
        }
        if let Some(hump) = humps.last_mut() {
            hump.extend(character.to_lowercase());
        }
        previous = Some(character);
    }
    let whole_at = found.len();
    let whole = (humps.len() == 2).then(|| humps.concat());
    for hump in humps {
        split_digits(hump, found);
    }
    if let Some(whole) = whole {
        let parts = found.len() - whole_at;
        found.insert(whole_at, Token { text: whole, parts });
    }
}

/// Whether a character begins a new hump: a capital after a small letter or digit, or the last of several
/// capitals in front of small letters (but `URLs` is one word).
fn begins_hump(previous: char, character: char, rest: &str) -> bool {
    if !character.is_uppercase() {
        return false;
    }
    if previous.is_lowercase() || previous.is_numeric() {
        return true;
    }
    let mut rest = rest.chars();
    let next = rest.next();
    let is_plural = next == Some('s') && !rest.next().is_some_and(char::is_lowercase);
    previous.is_uppercase() && next.is_some_and(char::is_lowercase) && !is_plural
}

/// A lower-case word: as it is, and where it has letters and digits also in runs of either.
fn split_digits(word: String, found: &mut Vec<Token>) {
    let has_digit = word.contains(|character: char| character.is_ascii_digit());
    if has_digit && word.contains(|character: char| !character.is_ascii_digit()) {
        let mut runs: Vec<String> = Vec::new();
        let mut is_number = None;
        for character in word.chars() {
            let is_digit = character.is_ascii_digit();
            match runs.last_mut() {
                Some(run) if is_number == Some(is_digit) => run.push(character),
                _ => runs.push(character.to_string()),
            }
            is_number = Some(is_digit);
        }
        push(found, word);
        for run in runs {
            push(found, run);
        }
    } else {
        push(found, word);
    }
}

fn push(found: &mut Vec<Token>, text: String) {
    let is_letter = text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !text.is_empty() && !is_letter {
        found.push(Token { text, parts: 0 });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn identifiers_are_split_into_their_words() {
        for (text, expected) in [
            ("get_user-by.id", "get user by id"),
            ("HTTPServer", "httpserver http server"),
            ("getUserProfile", "get user profile"),
            ("parseHTTPResponse", "parse http response"),
            ("GitHub issues", "github git hub issues"),
            ("list URLs and PRs", "list urls and prs"),
            ("base64", "base64 base 64"),
            ("s3 bucket", "s3 3 bucket"),
            ("x", ""),
            ("a b c 7", "7"),
            ("user's don't", "user don"),
            ("'quoted'text", "quoted text"),
            ("OAuth2Token", "auth2 auth 2 token"),
            ("\u{ff27}\u{ff29}\u{ff34}", "git"),
            ("de\u{200b}ploy", "deploy"),
            ("\u{c9}t\u{e9}", "\u{e9}t\u{e9}"),
        ] {
            assert_eq!(texts(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn text_without_spaces_gives_characters_and_pairs() {
        assert_eq!(
            texts("\u{641c}\u{7d22}web"),
            ["\u{641c}", "\u{641c}\u{7d22}", "\u{7d22}", "web"]
        );
        assert_eq!(texts("\u{65e5}"), ["\u{65e5}"]);
    }

    #[test]
    fn data_is_no_word() {
        assert!(texts(&"x1".repeat(100)).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_gives_lower_case_tokens_of_bounded_number(text in "\\PC{0,200}") {
            let found = tokens(&text);
            prop_assert!(found.len() <= 20 * text.chars().count() + 1);
            for (index, token) in found.iter().enumerate() {
                prop_assert!(!token.text.is_empty());
                prop_assert!(index + token.parts < found.len());
            }
        }
    }
}
