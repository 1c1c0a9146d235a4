//! Stemming, behind a trait of our own so that the crate that does it can be exchanged.

use std::borrow::Cow;
use std::fmt;

/// Reduces the forms of a word to one.
pub trait Stem {
    /// The stem of a lower-case word; the word itself where the rules do not apply.
    fn stem<'a>(&self, word: &'a str) -> Cow<'a, str>;
}

/// The Snowball stemmer for English ("Porter 2").
pub struct EnglishStemmer(rust_stemmers::Stemmer);

impl Default for EnglishStemmer {
    fn default() -> Self {
        Self(rust_stemmers::Stemmer::create(rust_stemmers::Algorithm::English))
    }
}

impl fmt::Debug for EnglishStemmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnglishStemmer")
    }
}

impl Stem for EnglishStemmer {
    fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        self.0.stem(word)
    }
}
