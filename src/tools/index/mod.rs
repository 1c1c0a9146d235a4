//! The index that the default ranking searches: which word is in which field of which tool, and how much that says.
//!
//! The ranking is BM25 with weighted fields. What a word in a tool is worth does not depend on the query, so it is
//! computed when the index is built, and a query only adds up. `docs/search.md` says what each part gains.

mod build;
mod documents;
mod explain;
mod rank;
mod scope;
mod store;
#[cfg(test)]
mod tests;
mod variants;
mod weights;

pub use documents::{Document, Documents};
pub(super) use explain::{Evidence, Explanation};
pub use scope::SearchScope;
pub use store::Damage;
pub use weights::Weights;

/// The fields of a tool that are searched.
pub(super) const FIELDS: usize = 6;

/// The bit of a posting's document that says that the word is in the tool's name.
const IN_NAME: u32 = 1 << 31;

/// One word in one tool.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Posting {
    /// The tool's place, and [`IN_NAME`].
    document: u32,
    /// What the word is worth there, but for how rare it is: between 0 and `k1 + 1`.
    worth: f32,
}

impl Posting {
    const fn at(self) -> usize {
        (self.document & !IN_NAME) as usize
    }

    const fn is_in_name(self) -> bool {
        self.document & IN_NAME != 0
    }
}

/// A word of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TermId(u32);

/// What is searched: texts, words, and where the words are.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchIndex {
    documents: Documents,
    weights: Weights,
    /// The words in their order, one after another.
    terms: String,
    /// Where each word ends in `terms`.
    term_ends: Vec<u32>,
    /// Where the postings of each word end in `postings`.
    posting_ends: Vec<u32>,
    /// The postings of every word, by document.
    postings: Vec<Posting>,
    /// The sum of the rarity of the words of each tool's name.
    name_mass: Vec<f32>,
    /// The average length of each field, in words.
    averages: [f32; FIELDS],
    /// How many tools could not be used when it was built.
    quarantined: usize,
    /// The server of each tool, as the place of its first tool; and how many tools that server has.
    servers: Vec<(u32, u32)>,
}

impl SearchIndex {
    /// The tools, in the order of the catalogue.
    #[must_use]
    pub const fn documents(&self) -> &Documents {
        &self.documents
    }

    /// How many tools of the catalogue could not be used.
    #[must_use]
    pub const fn quarantined(&self) -> usize {
        self.quarantined
    }

    /// How many different words are indexed.
    #[must_use]
    pub const fn vocabulary(&self) -> usize {
        self.term_ends.len()
    }

    /// The word with an id.
    fn term(&self, id: TermId) -> &str {
        span(&self.term_ends, id.0)
            .and_then(|(begin, end)| self.terms.get(begin..end))
            .unwrap_or_default()
    }

    /// The id of a word.
    fn id(&self, term: &str) -> Option<TermId> {
        let at = self.first_not_below(term);
        (self.term(at) == term && (at.0 as usize) < self.vocabulary()).then_some(at)
    }

    /// The first word that is not below a text in the order of words.
    fn first_not_below(&self, text: &str) -> TermId {
        let (mut low, mut high) = (0_u32, u32::try_from(self.vocabulary()).unwrap_or(u32::MAX));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.term(TermId(middle)) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        TermId(low)
    }

    /// Where a word is.
    fn postings(&self, id: TermId) -> &[Posting] {
        span(&self.posting_ends, id.0)
            .and_then(|(begin, end)| self.postings.get(begin..end))
            .unwrap_or_default()
    }

    /// How much a word says: the rarer, the more.
    fn rarity(&self, id: TermId) -> f32 {
        rarity(self.documents.len(), self.postings(id).len())
    }
}

/// `ln(1 + (N - n + 0.5) / (n + 0.5))`: never negative.
fn rarity(all: usize, having: usize) -> f32 {
    let (all, having) = (number(all), number(having));
    libm::logf(1.0 + (all - having + 0.5) / (having + 0.5))
}

/// A count as a number to compute with; counts here are below 2³¹.
#[expect(
    clippy::cast_precision_loss,
    reason = "what is lost is below what a score shows"
)]
const fn number(count: usize) -> f32 {
    count as f32
}

/// Begin and end of the entry with this number.
fn span(ends: &[u32], at: u32) -> Option<(usize, usize)> {
    let at = at as usize;
    let begin = match at.checked_sub(1) {
        Some(before) => *ends.get(before)?,
        None => 0,
    };
    Some((begin as usize, *ends.get(at)? as usize))
}

/// For each tool the place of the first tool of its server, and how many that server has. The tools of a server
/// stand together.
fn servers(documents: &Documents) -> Vec<(u32, u32)> {
    let mut firsts: Vec<u32> = Vec::with_capacity(documents.len());
    let mut counts: Vec<u32> = vec![0; documents.len()];
    let mut current: Option<(&str, u32)> = None;
    for (at, document) in (0_u32..).zip(documents.iter()) {
        let first = match current {
            Some((server, first)) if server == document.server => first,
            _ => at,
        };
        current = Some((document.server, first));
        firsts.push(first);
        if let Some(count) = counts.get_mut(first as usize) {
            *count += 1;
        }
    }
    let count = |first: u32| counts.get(first as usize).copied().unwrap_or(1);
    firsts.into_iter().map(|first| (first, count(first))).collect()
}
