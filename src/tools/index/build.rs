//! From a catalogue to an index.

use std::collections::HashMap;

use super::{Documents, FIELDS, IN_NAME, Posting, SearchIndex, Weights, number, rarity, servers};
use crate::tools::catalogue::Catalogue;
use crate::tools::schema_text::SchemaText;
use crate::tools::tokenizer::{Token, tokens};
use crate::tools::tool::bare_name;
use crate::tools::words::Words;

/// How many bytes of one field are indexed: no real description has more, and a stuffed one gains nothing.
const MOST_INDEXED: usize = 16 * 1024;

/// How often one word in one tool is counted at most, in each field.
type Counts = [u8; FIELDS];

/// One word in one tool while the index grows.
struct Occurrence {
    term: u32,
    document: u32,
    counts: Counts,
    /// Whether it is one of the words that make up the tool's name.
    in_name: bool,
}

#[derive(Default)]
struct Building {
    /// The number of each word, by its index form, in the order in which they are met.
    ids: HashMap<String, u32>,
    /// The number of each token's index form; none for stop words. Most tokens come again and again.
    known: HashMap<String, Option<u32>>,
    occurrences: Vec<Occurrence>,
    /// The length of each field of each tool, in words.
    lengths: Vec<[u16; FIELDS]>,
}

impl SearchIndex {
    /// Builds the index of a catalogue. Takes time and memory in proportion to its text.
    #[must_use]
    pub fn build(catalogue: &Catalogue) -> Self {
        Self::build_with(catalogue, Weights::default())
    }

    /// As [`build`](Self::build), with other parameters than the chosen ones: for measuring.
    #[must_use]
    pub fn build_with(catalogue: &Catalogue, weights: Weights) -> Self {
        let mut documents = Documents::default();
        let mut building = Building::default();
        for tool in &catalogue.tools {
            if !documents.push(tool) {
                break;
            }
            let schema = SchemaText::of(tool.input_schema.get());
            building.add([
                bare_name(&tool.server, &tool.tool),
                tool.title.as_deref().unwrap_or_default(),
                &tool.server,
                &tool.description,
                &schema.names,
                &schema.descriptions,
            ]);
        }
        let mut index = building.finish(documents, weights);
        index.quarantined = catalogue.quarantined.len();
        index
    }
}

/// The tokens of a field.
fn indexed_tokens(text: &str) -> Vec<Token> {
    let end = (0..=MOST_INDEXED.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    tokens(text.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// The indexed forms of a text, and whether each counts for the length of the field.
pub(super) fn indexed_forms(text: &str) -> impl Iterator<Item = (String, bool)> {
    indexed_tokens(text).into_iter().filter_map(|token| {
        let form = Words::get().index_form(&token.text)?.into_owned();
        Some((form, counts_for_length(&token)))
    })
}

/// A word of two humps is told whole besides its parts: that makes the field no longer.
const fn counts_for_length(token: &Token) -> bool {
    token.parts == 0
}

impl Building {
    fn add(&mut self, fields: [&str; FIELDS]) {
        let document = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut lengths = [0_u16; FIELDS];
        let mut found: Vec<(u32, usize, bool)> = Vec::new();
        for (field, (text, length)) in fields.iter().zip(&mut lengths).enumerate() {
            for token in indexed_tokens(text) {
                let is_counted = counts_for_length(&token);
                let Some(term) = self.id(token.text) else { continue };
                *length = length.saturating_add(u16::from(is_counted));
                found.push((term, field, is_counted));
            }
        }
        self.lengths.push(lengths);
        found.sort_unstable();
        for same in found.chunk_by(|one, other| one.0 == other.0) {
            let Some((term, ..)) = same.first() else { continue };
            let mut occurrence = Occurrence {
                term: *term,
                document,
                counts: [0; FIELDS],
                in_name: false,
            };
            for (_, field, is_counted) in same {
                occurrence.in_name |= *field == 0 && *is_counted;
                if let Some(count) = occurrence.counts.get_mut(*field) {
                    *count = count.saturating_add(1);
                }
            }
            self.occurrences.push(occurrence);
        }
    }

    /// The number of the word that a token is indexed as.
    fn id(&mut self, token: String) -> Option<u32> {
        if let Some(known) = self.known.get(&token) {
            return *known;
        }
        let id = Words::get().index_form(&token).map(|form| {
            let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
            *self.ids.entry(form.into_owned()).or_insert(next)
        });
        self.known.insert(token, id);
        id
    }

    fn finish(self, documents: Documents, weights: Weights) -> SearchIndex {
        let averages = self.averages();
        let mut terms: Vec<(String, u32)> = self.ids.into_iter().collect();
        terms.sort_unstable();
        // The place of each word in the order of words.
        let mut places = vec![0_u32; terms.len()];
        let mut text = String::new();
        let mut term_ends = Vec::with_capacity(terms.len());
        for (place, (term, id)) in (0_u32..).zip(&terms) {
            if let Some(slot) = places.get_mut(*id as usize) {
                *slot = place;
            }
            text.push_str(term);
            term_ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        drop(terms);
        let place_of = |term: u32| places.get(term as usize).copied().unwrap_or_default() as usize;
        // Where the postings of each word begin; while they are put there, where the next one goes.
        let mut next = vec![0_u32; term_ends.len() + 1];
        for occurrence in &self.occurrences {
            if let Some(count) = next.get_mut(place_of(occurrence.term) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut next {
            sum += *count;
            *count = sum;
        }
        let mut postings = vec![
            Posting {
                document: 0,
                worth: 0.0
            };
            self.occurrences.len()
        ];
        for occurrence in &self.occurrences {
            let lengths = self
                .lengths
                .get(occurrence.document as usize)
                .copied()
                .unwrap_or_default();
            let in_name = if occurrence.in_name { IN_NAME } else { 0 };
            let worth = saturated(
                &weights,
                shares(&weights, &averages, &occurrence.counts, &lengths)
                    .iter()
                    .sum(),
            );
            let Some(at) = next.get_mut(place_of(occurrence.term)) else {
                continue;
            };
            if let Some(posting) = postings.get_mut(*at as usize) {
                *posting = Posting {
                    document: occurrence.document | in_name,
                    worth,
                };
            }
            *at += 1;
        }
        // Each word's next place is now the end of its postings.
        next.pop();
        let servers = servers(&documents);
        let mut index = SearchIndex {
            documents,
            weights,
            terms: text,
            term_ends,
            posting_ends: next,
            postings,
            name_mass: Vec::new(),
            averages,
            quarantined: 0,
            servers,
        };
        index.name_mass = index.name_masses();
        index
    }

    fn averages(&self) -> [f32; FIELDS] {
        let mut sums = [0_u64; FIELDS];
        for lengths in &self.lengths {
            for (sum, length) in sums.iter_mut().zip(lengths) {
                *sum += u64::from(*length);
            }
        }
        let all = self.lengths.len().max(1);
        sums.map(|sum| (number(usize::try_from(sum).unwrap_or(usize::MAX)) / number(all)).max(1.0))
    }
}

impl SearchIndex {
    /// For each tool the sum of the rarity of the words of its name.
    fn name_masses(&self) -> Vec<f32> {
        let mut masses = vec![0.0; self.documents.len()];
        let mut begin = 0_usize;
        for end in &self.posting_ends {
            let postings = self.postings.get(begin..*end as usize).unwrap_or_default();
            let rarity = rarity(self.documents.len(), postings.len());
            for posting in postings.iter().filter(|posting| posting.is_in_name()) {
                if let Some(mass) = masses.get_mut(posting.at()) {
                    *mass += rarity;
                }
            }
            begin = *end as usize;
        }
        masses
    }
}

/// What the occurrences of a word count in each field, before they are saturated together.
pub(super) fn shares(
    weights: &Weights,
    averages: &[f32; FIELDS],
    counts: &Counts,
    lengths: &[u16; FIELDS],
) -> [f32; FIELDS] {
    let mut shares = [0.0; FIELDS];
    let fields = weights
        .fields
        .iter()
        .zip(&weights.lengths)
        .zip(averages)
        .zip(counts.iter().zip(lengths));
    for (share, (((weight, by_length), average), (count, length))) in shares.iter_mut().zip(fields) {
        *share = weight * f32::from(*count) / (1.0 - by_length + by_length * f32::from(*length) / average);
    }
    shares
}

/// The worth of what a word counts.
pub(super) fn saturated(weights: &Weights, count: f32) -> f32 {
    count * (weights.saturation + 1.0) / (weights.saturation + count)
}
