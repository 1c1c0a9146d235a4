//! Why a tool has its score: which word scored in which field.

use super::build::{indexed_forms, shares};
use super::rank::Ranked;
use super::variants::Reading;
use super::{FIELDS, SearchIndex};
use crate::tools::schema_text::SchemaText;
use crate::tools::tool::bare_name;

/// Something that scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools) enum Evidence {
    /// A word in the field with this number.
    Field(usize),
    /// The sentence of the query that fits best.
    Sentence,
    /// The name, which is wholly in the query.
    WholeName,
    /// The other tools of the server.
    Neighbours,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::tools) struct Explanation {
    /// The word of the query, in its index form.
    pub(in crate::tools) term: Option<String>,
    /// The word of the tool that stood for it, where it is another.
    pub(in crate::tools) matched: Option<String>,
    /// What scored.
    pub(in crate::tools) evidence: Evidence,
    /// How much.
    pub(in crate::tools) score: f32,
}

impl SearchIndex {
    /// The parts of the score of the tool at a place; together they are the score.
    pub(in crate::tools) fn explain(
        &self,
        reading: &Reading,
        ranked: &Ranked,
        at: usize,
    ) -> Vec<Explanation> {
        let mut parts = Vec::new();
        let fields = self.fields_of(at);
        for (place, weight) in reading.texts.first().into_iter().flatten() {
            let Some(term) = reading.terms.get(*place) else {
                continue;
            };
            let worth = |(id, weight): &(super::TermId, f32)| {
                let postings = self.postings(*id);
                let found = postings.binary_search_by_key(&at, |posting| posting.at()).ok()?;
                Some((*id, weight * self.rarity(*id) * postings.get(found)?.worth))
            };
            let best = term
                .variants
                .iter()
                .filter_map(worth)
                .max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((id, worth)) = best else { continue };
            let matched = self.term(id);
            let shares = self.shares_of(&fields, matched);
            let sum: f32 = shares.iter().sum();
            for (field, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                parts.push(Explanation {
                    term: Some(term.text.clone()),
                    matched: (matched != term.text).then(|| matched.to_owned()),
                    evidence: Evidence::Field(field),
                    score: weight * worth * share / sum,
                });
            }
        }
        for (evidence, scores) in [
            (Evidence::Sentence, &ranked.sentences),
            (Evidence::WholeName, &ranked.names),
            (Evidence::Neighbours, &ranked.neighbours),
        ] {
            if let Some(score) = scores.get(at).copied().filter(|score| *score > 0.0) {
                parts.push(Explanation {
                    term: None,
                    matched: None,
                    evidence,
                    score,
                });
            }
        }
        // Stable: of equal scores, the order of the query and of the fields.
        parts.sort_by(|one, other| other.score.total_cmp(&one.score));
        parts
    }

    /// The indexed words of each field of a tool.
    pub(in crate::tools) fn fields_of(&self, at: usize) -> [Vec<(String, bool)>; FIELDS] {
        let Some(document) = self.documents.get(at) else {
            return Default::default();
        };
        let schema = SchemaText::of(document.parameters);
        [
            bare_name(document.server, document.tool),
            document.title,
            document.server,
            document.description,
            &schema.names,
            &schema.descriptions,
        ]
        .map(|text| indexed_forms(text).collect())
    }

    fn shares_of(&self, fields: &[Vec<(String, bool)>; FIELDS], word: &str) -> [f32; FIELDS] {
        let count = |words: &Vec<(String, bool)>| {
            let times = words.iter().filter(|(known, _)| known == word).count();
            u8::try_from(times).unwrap_or(u8::MAX)
        };
        let length = |words: &Vec<(String, bool)>| {
            let length = words.iter().filter(|(_, is_counted)| *is_counted).count();
            u16::try_from(length).unwrap_or(u16::MAX)
        };
        shares(
            &self.weights,
            &self.averages,
            &fields.each_ref().map(count),
            &fields.each_ref().map(length),
        )
    }
}
