//! From the words of a query to the words of the index that stand for them.

use std::collections::HashMap;

use super::{SearchIndex, SearchScope, TermId, number};
use crate::tools::tokenizer::{Token, tokens};
use crate::tools::words::Words;

/// How many different words of a query count; the rest is ignored.
const MOST_WORDS: usize = 256;

/// How many sentences of a query are looked at by themselves.
const MOST_SENTENCES: usize = 32;

/// How many words at the least edit distance stand for a misspelt one.
const MOST_NEIGHBOURS: usize = 3;

/// The shortest word that can be a misspelling.
const SHORTEST_MISSPELT: usize = 4;

/// From this length on a misspelling may be two edits away.
const LONG: usize = 8;

/// The shortest part of a compound.
const SHORTEST_PART: usize = 3;

/// One word of a query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::tools) struct QueryTerm {
    /// The word in its index form.
    pub(in crate::tools) text: String,
    /// What it counts when it comes once.
    weight: f32,
    /// How often it comes.
    times: usize,
    /// The words of the index that stand for it and what they count; the word itself comes first.
    pub(super) variants: Vec<(TermId, f32)>,
}

impl QueryTerm {
    /// What it counts in a text in which it comes `times` times.
    fn weight_of(&self, times: usize, repetition: f32) -> f32 {
        self.weight * libm::powf(number(times), repetition)
    }
}

/// A query, read against an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::tools) struct Reading {
    /// Its different words, in order.
    pub(in crate::tools) terms: Vec<QueryTerm>,
    /// For the whole, then for each sentence if there are several: places of terms, and what they count there.
    pub(super) texts: Vec<Vec<(usize, f32)>>,
    /// How many words were left out because they say nothing.
    pub(in crate::tools) stop_words: usize,
}

impl SearchIndex {
    /// Reads the words of a query. A word that no tool of the scope has is as good as unknown.
    pub(in crate::tools) fn read(&self, query: &str, scope: &SearchScope) -> Reading {
        let mut reading = Reading::default();
        let mut places: HashMap<String, Option<usize>> = HashMap::new();
        let mut sentences: Vec<Vec<(usize, usize)>> = Vec::new();
        for sentence in query.split(['.', '?', '!', ';', '\n']) {
            let mut counts: Vec<(usize, usize)> = Vec::new();
            for word in self.words(sentence, scope) {
                for (form, weight) in self.forms(&word, scope, &mut reading.stop_words) {
                    let place = *places.entry(form.clone()).or_insert_with(|| {
                        (reading.terms.len() < MOST_WORDS).then(|| {
                            reading.terms.push(self.query_term(form, weight, scope));
                            reading.terms.len() - 1
                        })
                    });
                    let Some(place) = place else { continue };
                    match counts.iter_mut().find(|(known, _)| *known == place) {
                        Some((_, times)) => *times += 1,
                        None => counts.push((place, 1)),
                    }
                }
            }
            if !counts.is_empty() {
                sentences.push(counts);
            }
        }
        for (place, times) in sentences.iter().flatten() {
            if let Some(term) = reading.terms.get_mut(*place) {
                term.times += times;
            }
        }
        reading.drop_doubled_synonyms();
        let repetition = self.weights.repetition;
        let weighted = |(place, times): &(usize, usize)| {
            (
                *place,
                reading
                    .terms
                    .get(*place)
                    .map_or(0.0, |term| term.weight_of(*times, repetition)),
            )
        };
        let whole = reading
            .terms
            .iter()
            .enumerate()
            .map(|(place, term)| (place, term.weight_of(term.times, repetition)));
        let mut texts = vec![whole.collect()];
        if sentences.len() > 1 && self.weights.sentence > 0.0 {
            texts.extend(
                sentences
                    .iter()
                    .take(MOST_SENTENCES)
                    .map(|counts| counts.iter().map(weighted).collect()),
            );
        }
        reading.texts = texts;
        reading
    }

    /// The tokens of a text; a word of two humps whole where the index knows it so, else in its parts.
    fn words(&self, text: &str, scope: &SearchScope) -> Vec<String> {
        let mut words = Vec::new();
        let mut found = tokens(text).into_iter();
        while let Some(Token { text, parts }) = found.next() {
            if parts == 0 {
                words.push(text);
            } else if Words::get()
                .index_form(&text)
                .is_some_and(|form| self.id_within(&form, scope).is_some())
            {
                words.push(text);
                found.by_ref().take(parts).for_each(drop);
            }
        }
        words
    }

    /// The index forms of a word: one, or the parts of a compound that the index does not know, with what they
    /// count.
    fn forms(&self, word: &str, scope: &SearchScope, stop_words: &mut usize) -> Vec<(String, f32)> {
        let words = Words::get();
        let Some(form) = words.index_form(word) else {
            *stop_words += 1;
            return Vec::new();
        };
        if self.weights.compounds > 0.0
            && self.id_within(&form, scope).is_none()
            && let Some(parts) = self.parts_of(word, scope)
        {
            return parts
                .into_iter()
                .map(|part| (part, self.weights.compounds))
                .collect();
        }
        let weight = if words.is_of_requests(&form) {
            self.weights.request_words
        } else {
            1.0
        };
        vec![(form.into_owned(), weight)]
    }

    /// Two words of the index that make up a word (`pullrequest`), or the one behind a prefix of a letter or two
    /// (`gdrive`).
    fn parts_of(&self, word: &str, scope: &SearchScope) -> Option<Vec<String>> {
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let known = |part: &str| {
            let form = Words::get().index_form(part)?;
            self.id_within(&form, scope).map(|_| form.into_owned())
        };
        let split = |at: usize| Some((word.get(..at)?, word.get(at..)?));
        let last = word.len().checked_sub(SHORTEST_PART)?;
        (SHORTEST_PART..=last)
            .filter_map(split)
            .find_map(|(head, tail)| Some(vec![known(head)?, known(tail)?]))
            .or_else(|| {
                let behind = (1..SHORTEST_PART).filter_map(split);
                behind
                    .filter(|(_, tail)| tail.len() > SHORTEST_PART)
                    .find_map(|(_, tail)| Some(vec![known(tail)?]))
            })
    }

    /// A word with everything in the index that stands for it.
    fn query_term(&self, form: String, weight: f32, scope: &SearchScope) -> QueryTerm {
        let mut variants: Vec<(TermId, f32)> = Vec::new();
        variants.extend(self.id_within(&form, scope).map(|id| (id, 1.0)));
        if self.weights.synonyms > 0.0 {
            let others = Words::get()
                .synonyms(&form)
                .iter()
                .filter_map(|other| self.id_within(other, scope));
            variants.extend(others.map(|id| (id, self.weights.synonyms)));
        }
        if variants.is_empty() && self.weights.misspelt > 0.0 {
            variants.extend(
                self.neighbours_of(&form, scope)
                    .into_iter()
                    .map(|id| (id, self.weights.misspelt)),
            );
        }
        QueryTerm {
            text: form,
            weight,
            times: 0,
            variants,
        }
    }

    /// The words of the index at the least edit distance from a word that is not in it, if that is small: the
    /// first letter is taken to be right.
    fn neighbours_of(&self, form: &str, scope: &SearchScope) -> Vec<TermId> {
        let length = form.chars().count();
        let Some(first) = form.chars().next().filter(|_| length >= SHORTEST_MISSPELT) else {
            return Vec::new();
        };
        if !form.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Vec::new();
        }
        let mut least = if length >= LONG { 2 } else { 1 };
        let mut found: Vec<(TermId, usize)> = Vec::new();
        let begin = self.first_not_below(&first.to_string()).0;
        for id in (begin..).map(TermId) {
            let term = self.term(id);
            if !term.starts_with(first) {
                break;
            }
            if term.len().abs_diff(form.len()) > least || !term.is_ascii() {
                continue;
            }
            let distance = strsim::damerau_levenshtein(form, term);
            if distance > least || !self.is_within(id, scope) {
                continue;
            }
            if distance < least {
                found.clear();
                least = distance;
            }
            found.push((id, self.postings(id).len()));
        }
        // The word that more tools have is the likelier one.
        found.sort_by_key(|(id, having)| (std::cmp::Reverse(*having), *id));
        found
            .into_iter()
            .take(MOST_NEIGHBOURS)
            .map(|(id, _)| id)
            .collect()
    }
}

impl Reading {
    /// A synonym that is itself a word of the query counts as that word only.
    fn drop_doubled_synonyms(&mut self) {
        let own: Vec<TermId> = self
            .terms
            .iter()
            .filter_map(|term| term.variants.first())
            .filter(|(_, weight)| *weight >= 1.0)
            .map(|(id, _)| *id)
            .collect();
        for term in &mut self.terms {
            term.variants
                .retain(|(id, weight)| *weight >= 1.0 || !own.contains(id));
        }
    }
}
