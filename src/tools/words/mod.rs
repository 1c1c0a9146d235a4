//! What words mean to the search: which say nothing, which say little, which stand for one another.

mod spelling;
mod stem;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

pub use stem::{EnglishStemmer, Stem};

/// Words that say nothing about what a tool does: they are neither indexed nor searched for.
const STOP: &str = "a about above after again all also am an and any are as at be because been before being below \
between both but by can could did do does doing down during each few for from further had has have having he her \
here hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of \
off on once only or other our ours ourselves out over own same she should so some such than that the their theirs \
them themselves then there these they this those through to too under until up very was we were what when where \
which while who whom why will with would you your yours yourself yourselves may might must shall let us via d ll m \
re s t ve don won isn aren didn doesn";

/// Words of requests, not of capabilities: they count less in a query.
const REQUEST: &str = "please help need want like get give provide provided tell show know looking look find \
information info details detail able assist use using used make sure recommend suggest suggestion suggestions \
recommendations offer interested thank thanks hello hi wondering wonder possible available specific particular \
currently additionally also furthermore moreover based regarding related including include various new good best \
great lot way things thing something someone anything";

/// The groups of words that stand for one another.
const SYNONYMS: &str = include_str!("synonyms.txt");

/// The tables with every word in its index form.
pub(super) struct Words {
    stemmer: EnglishStemmer,
    stop: BTreeSet<&'static str>,
    request: BTreeSet<String>,
    synonyms: BTreeMap<String, Vec<String>>,
}

impl Words {
    /// The one set of tables; made when first asked for.
    pub(super) fn get() -> &'static Self {
        static WORDS: OnceLock<Words> = OnceLock::new();
        WORDS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut words = Self {
            stemmer: EnglishStemmer::default(),
            stop: STOP.split_whitespace().collect(),
            request: BTreeSet::new(),
            synonyms: BTreeMap::new(),
        };
        words.request = REQUEST
            .split_whitespace()
            .filter_map(|word| words.index_form(word))
            .map(Cow::into_owned)
            .collect();
        for line in SYNONYMS.lines().filter(|line| !line.starts_with('#')) {
            let group: Vec<String> = line
                .split_whitespace()
                .filter_map(|word| words.index_form(word))
                .map(Cow::into_owned)
                .collect();
            for word in &group {
                let others = words.synonyms.entry(word.clone()).or_default();
                for other in &group {
                    if other != word && !others.contains(other) {
                        others.push(other.clone());
                    }
                }
            }
        }
        words
    }

    /// The form in which a token is indexed and searched for: American spelling, stemmed; none for a stop word.
    pub(super) fn index_form<'a>(&self, token: &'a str) -> Option<Cow<'a, str>> {
        if self.stop.contains(token) {
            return None;
        }
        if !token.is_ascii() || !token.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return Some(Cow::Borrowed(token));
        }
        Some(match spelling::american(token) {
            Cow::Borrowed(token) => self.stemmer.stem(token),
            Cow::Owned(token) => Cow::Owned(self.stemmer.stem(&token).into_owned()),
        })
    }

    /// Whether a word, in its index form, belongs to requests and not to capabilities.
    pub(super) fn is_of_requests(&self, form: &str) -> bool {
        self.request.contains(form)
    }

    /// The words that stand for a word; all in their index form.
    pub(super) fn synonyms(&self, form: &str) -> &[String] {
        self.synonyms.get(form).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(word: &str) -> String {
        Words::get().index_form(word).unwrap_or_default().into_owned()
    }

    #[test]
    fn spellings_and_endings_of_a_word_meet() {
        for (one, other) in [
            ("organise", "organize"),
            ("organisations", "organization"),
            ("analyse", "analyzing"),
            ("colours", "color"),
            ("behaviour", "behaviors"),
            ("centre", "center"),
            ("catalogue", "catalogs"),
            ("summarised", "summarize"),
            ("repositories", "repository"),
            ("cancelled", "canceled"),
        ] {
            assert_eq!(form(one), form(other), "{one} {other}");
        }
        for (one, other) in [("four", "for"), ("tour", "tor"), ("message", "channel")] {
            assert_ne!(form(one), form(other));
        }
    }

    #[test]
    fn stop_words_have_no_form_and_other_scripts_keep_theirs() {
        assert_eq!(Words::get().index_form("the"), None);
        assert_eq!(form("\u{65e5}\u{672c}"), "\u{65e5}\u{672c}");
        assert_eq!(form("2024"), "2024");
    }

    #[test]
    fn groups_of_synonyms_are_not_joined() {
        let words = Words::get();
        assert!(words.synonyms(&form("picture")).contains(&form("photo")));
        assert!(!words.synonyms(&form("picture")).contains(&form("icon")));
        assert!(words.synonyms("nothing-stands-for-this").is_empty());
        for line in SYNONYMS.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.split_whitespace().count() > 1, "a group of one: {line}");
            assert!(
                line.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == ' '),
                "{line}"
            );
        }
    }
}
