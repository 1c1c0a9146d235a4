//! The plain ranking of the original, kept so that what the default ranking gains can be measured.
//!
//! BM25 over the bare name and the description, with the original's own tokenizer, which splits camel humps only
//! behind a small letter or digit and neither stems nor drops words. Source: reference/aleph.md 6.
//!
//! One thing is different: for the length of a text an ideographic run counts as one word, while its characters and
//! pairs are what is matched. Counted each, they make every text with Chinese in it look three times as long, and the
//! figures that are known for this ranking were taken without that.

use std::collections::HashMap;

use super::index::Documents;
use super::tokenizer::is_ideographic;

const K1: f64 = 1.5;
const B: f64 = 0.75;

/// An index for the plain ranking.
#[derive(Debug)]
pub struct PlainRanker {
    postings: HashMap<String, Vec<(u32, u32)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl PlainRanker {
    /// Indexes name and description of every tool.
    #[must_use]
    pub fn new(documents: &Documents) -> Self {
        let mut postings: HashMap<String, Vec<(u32, u32)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, document) in (0_u32..).zip(documents.iter()) {
            let name = original_tokens(document.tool);
            let description = original_tokens(document.description);
            lengths.push(count(name.length + description.length));
            for token in name.tokens.into_iter().chain(description.tokens) {
                let entries = postings.entry(token).or_default();
                match entries.last_mut() {
                    Some((last, times)) if *last == at => *times += 1,
                    _ => entries.push((at, 1)),
                }
            }
        }
        let average = (lengths.iter().sum::<f64>() / count(lengths.len().max(1))).max(1.0);
        Self {
            postings,
            lengths,
            average,
        }
    }

    /// The score of every tool, by its place among the documents; 0 where no term is shared.
    #[must_use]
    pub fn scores(&self, query: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        for term in original_tokens(query).tokens {
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
        for term in original_tokens(query).tokens {
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
        let idf = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
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

/// The tokens of a text.
#[derive(Debug, Default)]
struct Tokens {
    tokens: Vec<String>,
    /// How many words the text has.
    length: usize,
}

impl Tokens {
    fn end_word(&mut self, word: &mut String) {
        let token = std::mem::take(word).to_lowercase();
        if token.len() >= 2 {
            self.tokens.push(token);
            self.length += 1;
        }
    }
}

/// The original's tokens: runs of letters and digits, cut at a capital behind a small letter or digit, in lower
/// case, without those of a single byte; ideographic runs as characters and pairs.
fn original_tokens(text: &str) -> Tokens {
    let mut found = Tokens::default();
    let mut word = String::new();
    let mut previous: Option<char> = None;
    let mut run: Option<char> = None;
    for character in text.chars() {
        if is_ideographic(character) {
            found.end_word(&mut word);
            match run {
                Some(before) => found.tokens.push(String::from_iter([before, character])),
                None => found.length += 1,
            }
            found.tokens.push(character.to_string());
            run = Some(character);
            previous = None;
            continue;
        }
        run = None;
        if !character.is_alphanumeric() {
            found.end_word(&mut word);
            previous = None;
            continue;
        }
        if character.is_uppercase()
            && previous.is_some_and(|before| before.is_lowercase() || before.is_numeric())
        {
            found.end_word(&mut word);
        }
        word.push(character);
        previous = Some(character);
    }
    found.end_word(&mut word);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_original() {
        for (text, expected) in [
            ("HTTPServer getUser_byId x", "httpserver get user by id"),
            ("v2Api base64", "v2 api base64"),
            ("\u{e9} \u{e9}t", "\u{e9} \u{e9}t"),
        ] {
            assert_eq!(original_tokens(text).tokens.join(" "), expected);
        }
        let mut found = original_tokens("a\u{641c}\u{7d22}bc");
        assert_eq!(found.length, 2);
        found.tokens.sort();
        assert_eq!(found.tokens, ["bc", "\u{641c}", "\u{641c}\u{7d22}", "\u{7d22}"]);
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
        let ranker = PlainRanker::new(&documents);
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
