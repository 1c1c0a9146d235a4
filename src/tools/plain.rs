//! The plain ranking of the original, kept so that what the default ranking gains can be measured.
//!
//! BM25 over the bare name and the description; the tokens are neither stemmed nor are any words dropped. Source:
//! reference/aleph.md 6.
//!
//! What is written of the original's tokenizer and the figures that are known of its ranking do not agree: the figures
//! come out only if acronyms are split (`HTTPServer`: `http`, `server`) and ideographic text is not. Both are here, as
//! [`PlainTokens`]; the command line takes the tokens that are written of the original, and those of the figures are there
//! to measure with.

use std::collections::HashMap;

use super::index::Documents;
use super::tokenizer::is_ideographic;
use super::tool::bare_name;

const K1: f64 = 1.5;
const B: f64 = 0.75;

/// How the plain ranking takes text apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainTokens {
    /// As the known figures were taken: humps end in front of the last capital of several, and ideographic text is
    /// letters like any other.
    Measured,
    /// As it is written of the original: `HTTPServer` stays one word, and ideographic text gives its characters and
    /// adjacent pairs.
    #[default]
    Documented,
}

/// An index for the plain ranking.
#[derive(Debug)]
pub struct PlainRanker {
    tokens: PlainTokens,
    postings: HashMap<String, Vec<(u32, u32)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl PlainRanker {
    /// Indexes name and description of every tool.
    #[must_use]
    pub fn new(documents: &Documents, tokens: PlainTokens) -> Self {
        let mut postings: HashMap<String, Vec<(u32, u32)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, document) in (0_u32..).zip(documents.iter()) {
            let mut found = tokens.of(bare_name(document.server, document.tool));
            found.extend(tokens.of(document.description));
            lengths.push(count(found.len()));
            for token in found {
                let entries = postings.entry(token).or_default();
                match entries.last_mut() {
                    Some((last, times)) if *last == at => *times += 1,
                    _ => entries.push((at, 1)),
                }
            }
        }
        let average = (lengths.iter().sum::<f64>() / count(lengths.len().max(1))).max(1.0);
        Self {
            tokens,
            postings,
            lengths,
            average,
        }
    }

    /// The score of every tool, by its place among the documents; 0 where no term is shared.
    #[must_use]
    pub fn scores(&self, query: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        for term in self.tokens.of(query) {
            self.each_score(&term, |at, score| {
                if let Some(sum) = scores.get_mut(at) {
                    *sum += score;
                }
            });
        }
        scores
    }

    /// What the terms of a query add to the score of one tool; terms that come twice are added up.
    pub(super) fn explain(&self, query: &str, document: usize) -> Vec<(String, f64)> {
        let mut parts: Vec<(String, f64)> = Vec::new();
        for term in self.tokens.of(query) {
            self.each_score(&term, |at, score| {
                if at != document {
                    return;
                }
                match parts.iter_mut().find(|(known, _)| *known == term) {
                    Some((_, sum)) => *sum += score,
                    None => parts.push((term.clone(), score)),
                }
            });
        }
        parts
    }

    fn each_score(&self, term: &str, mut add: impl FnMut(usize, f64)) {
        let Some(entries) = self.postings.get(term) else {
            return;
        };
        let (all, having) = (count(self.lengths.len()), count(entries.len()));
        let idf = libm::log(1.0 + (all - having + 0.5) / (having + 0.5));
        for (at, times) in entries {
            let at = *at as usize;
            let length = self.lengths.get(at).copied().unwrap_or_default();
            let times = f64::from(*times);
            let saturated = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / self.average));
            add(at, idf * saturated);
        }
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

impl PlainTokens {
    /// The tokens of a text: runs of letters and digits, cut at humps, in lower case, without those of one byte.
    fn of(self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut word = String::new();
        let mut previous: Option<char> = None;
        let mut run: Option<char> = None;
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            if self == Self::Documented && is_ideographic(character) {
                end_word(&mut word, &mut found);
                found.extend(run.map(|before| String::from_iter([before, character])));
                found.push(character.to_string());
                run = Some(character);
                previous = None;
                continue;
            }
            run = None;
            if !character.is_alphanumeric() {
                end_word(&mut word, &mut found);
                previous = None;
                continue;
            }
            if previous.is_some_and(|previous| self.is_hump(previous, character, rest.as_str())) {
                end_word(&mut word, &mut found);
            }
            word.push(character);
            previous = Some(character);
        }
        end_word(&mut word, &mut found);
        found
    }

    /// Whether a character begins a hump.
    fn is_hump(self, previous: char, character: char, rest: &str) -> bool {
        let ends_acronym = || {
            previous.is_ascii_uppercase()
                && character.is_ascii_uppercase()
                && rest.starts_with(|next: char| next.is_ascii_lowercase())
        };
        character.is_uppercase() && (previous.is_lowercase() || previous.is_numeric())
            || self == Self::Measured && ends_acronym()
    }
}

fn end_word(word: &mut String, found: &mut Vec<String>) {
    let token = std::mem::take(word).to_lowercase();
    if token.len() >= 2 {
        found.push(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_original() {
        for (text, measured, documented) in [
            ("HTTPServer x", "http server", "httpserver"),
            ("getUser_byId", "get user by id", "get user by id"),
            ("v2Api base64", "v2 api base64", "v2 api base64"),
            ("\u{e9} \u{e9}t", "\u{e9} \u{e9}t", "\u{e9} \u{e9}t"),
            (
                "a\u{641c}\u{7d22} bc",
                "a\u{641c}\u{7d22} bc",
                "\u{641c} \u{641c}\u{7d22} \u{7d22} bc",
            ),
        ] {
            assert_eq!(PlainTokens::Measured.of(text).join(" "), measured);
            assert_eq!(PlainTokens::Documented.of(text).join(" "), documented);
        }
    }

    #[test]
    fn scores_are_those_computed_by_hand() {
        // Lengths 3, 4 and 2, 3 on average. `send` is in one of three: idf = ln(1 + 2.5/1.5) = 0.980829.
        // `message` is in two: idf = ln(1 + 1.5/2.5) = 0.470004.
        let documents = Documents::of([
            ("s", "send_message", "chat"),
            ("s", "list", "every message message"),
            ("s", "stop", "now"),
        ]);
        let ranker = PlainRanker::new(&documents, PlainTokens::default());
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        let scores = ranker.scores("send message");
        // Length 3 is average, so tf 1 gives 2.5/2.5 = 1.
        close(scores[0], 0.980_829 + 0.470_004);
        // tf 2, length 4: 2·2.5/(2 + 1.5·(0.25 + 0.75·4/3)) = 5/3.875 = 1.290323.
        close(scores[1], 0.470_004 * 1.290_323);
        close(scores[2], 0.0);
        // Terms count as often as they are in the query.
        close(ranker.scores("message message")[0], 2.0 * 0.470_004);
        assert_eq!(ranker.explain("send message", 1).len(), 1);
    }
}
