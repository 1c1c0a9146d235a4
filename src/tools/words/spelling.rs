//! British spelling to American, by the ends of words.
//!
//! Both sides of a comparison are folded alike, so a word that is no variant at all (`promise`) only gets an odd
//! form, the same everywhere. Stemming then removes what differs in front of the end.

use std::borrow::Cow;

/// Ends of words and what they are in American spelling; the first that fits counts.
const ENDS: [(&str, &str); 22] = [
    ("isations", "izations"),
    ("isation", "ization"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("ises", "izes"),
    ("iser", "izer"),
    ("ise", "ize"),
    ("ysing", "yzing"),
    ("ysed", "yzed"),
    ("yses", "yzes"),
    ("yse", "yze"),
    ("ourite", "orite"),
    ("ouring", "oring"),
    ("oured", "ored"),
    ("ours", "ors"),
    ("our", "or"),
    ("tres", "ters"),
    ("tre", "ter"),
    ("logues", "logs"),
    ("logue", "log"),
    ("ogrammes", "ograms"),
    ("ogramme", "ogram"),
];

/// Words shorter than this are left alone: `four`, `tour`, `wise`, `rise`.
const SHORTEST: usize = 6;

/// The word in American spelling.
pub(super) fn american(word: &str) -> Cow<'_, str> {
    if word.len() < SHORTEST {
        return Cow::Borrowed(word);
    }
    for (british, american) in ENDS {
        if let Some(head) = word.strip_suffix(british) {
            return Cow::Owned(format!("{head}{american}"));
        }
    }
    Cow::Borrowed(word)
}
