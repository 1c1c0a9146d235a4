//! Scores of every tool for a query.

use super::variants::Reading;
use super::{SearchIndex, SearchScope, TermId, Weights, number};

/// What the parts of the ranking say about every tool, by its place.
#[derive(Clone, Debug, Default)]
pub(in crate::tools) struct Ranked {
    /// The score; 0 where no word is shared.
    pub(in crate::tools) scores: Vec<f32>,
    /// The part of the score that the best sentence adds.
    pub(super) sentences: Vec<f32>,
    /// The part that a name adds that is wholly in the query.
    pub(super) names: Vec<f32>,
    /// The part that the server's other tools add.
    pub(super) neighbours: Vec<f32>,
}

/// What one word of a query is worth in each tool that has it or one that stands for it.
type Column = Vec<(usize, f32)>;

impl SearchIndex {
    /// Scores every tool of the scope.
    pub(in crate::tools) fn rank(&self, reading: &Reading, scope: &SearchScope) -> Ranked {
        let all = self.documents.len();
        let mut scratch = vec![0.0_f32; all];
        let columns: Vec<Column> = reading
            .terms
            .iter()
            .map(|term| self.column(&term.variants, scope, &mut scratch))
            .collect();
        let mut texts = reading.texts.iter();
        let mut scores = vec![0.0_f32; all];
        if let Some(whole) = texts.next() {
            add_up(&columns, whole, &mut scores);
        }
        let sentences = self.best_sentences(&columns, texts.as_slice(), &mut scores);
        let names = self.whole_names(reading, &mut scores);
        let neighbours = self.neighbours(scope, &mut scores);
        Ranked {
            scores,
            sentences,
            names,
            neighbours,
        }
    }

    /// The worth of one word and those that stand for it: in each tool that of the best of them. `scratch` has a 0
    /// for each tool, before and after.
    fn column(&self, variants: &[(TermId, f32)], scope: &SearchScope, scratch: &mut [f32]) -> Column {
        let rated = || {
            variants
                .iter()
                .map(|(id, weight)| (self.postings(*id), weight * self.rarity(*id)))
        };
        if let [_] = variants {
            let worth = rated().flat_map(|(postings, rarity)| {
                let within = postings.iter().filter(|posting| scope.has(posting.at()));
                within.map(move |posting| (posting.at(), rarity * posting.worth))
            });
            return worth.collect();
        }
        let mut column = Column::new();
        for (postings, rarity) in rated() {
            for posting in postings.iter().filter(|posting| scope.has(posting.at())) {
                let Some(best) = scratch.get_mut(posting.at()) else {
                    continue;
                };
                let worth = rarity * posting.worth;
                if *best <= 0.0 {
                    column.push((posting.at(), 0.0));
                }
                *best = best.max(worth);
            }
        }
        for (at, worth) in &mut column {
            if let Some(best) = scratch.get_mut(*at) {
                *worth = std::mem::take(best);
            }
        }
        column
    }

    /// Adds to each tool what the sentence that fits it best says by itself: in a long query the rest is about
    /// something else.
    fn best_sentences(
        &self,
        columns: &[Column],
        texts: &[Vec<(usize, f32)>],
        scores: &mut [f32],
    ) -> Vec<f32> {
        if texts.is_empty() {
            return Vec::new();
        }
        let mut best = vec![0.0_f32; scores.len()];
        let mut one = vec![0.0_f32; scores.len()];
        for text in texts {
            add_up(columns, text, &mut one);
            for (place, _) in text {
                for (at, _) in columns.get(*place).into_iter().flatten() {
                    if let (Some(best), Some(one)) = (best.get_mut(*at), one.get_mut(*at)) {
                        *best = best.max(*one);
                        *one = 0.0;
                    }
                }
            }
        }
        for (score, best) in scores.iter_mut().zip(&mut best) {
            *best *= self.weights.sentence;
            *score += *best;
        }
        best
    }

    /// Adds to each tool for the part of its name that is in the query, squared: half a name says little.
    fn whole_names(&self, reading: &Reading, scores: &mut [f32]) -> Vec<f32> {
        let beyond = number(reading.terms.len().saturating_sub(3));
        let strength = self.weights.whole_name * (beyond / self.weights.whole_name_words).clamp(0.0, 1.0);
        if strength <= 0.0 {
            return Vec::new();
        }
        let mut covered = vec![0.0_f32; scores.len()];
        for term in &reading.terms {
            let Some((id, _)) = term.variants.first().filter(|(_, weight)| *weight >= 1.0) else {
                continue;
            };
            let rarity = self.rarity(*id);
            for posting in self.postings(*id).iter().filter(|posting| posting.is_in_name()) {
                if let Some(covered) = covered.get_mut(posting.at()) {
                    *covered += rarity;
                }
            }
        }
        let best = scores.iter().copied().fold(0.0, f32::max);
        for ((score, covered), mass) in scores.iter_mut().zip(&mut covered).zip(&self.name_mass) {
            // A tool without a score shares no word, or is out of scope.
            let part = if *mass > 0.0 && *score > 0.0 {
                (*covered / mass).min(1.0)
            } else {
                0.0
            };
            *covered = strength * best * part * part;
            *score += *covered;
        }
        covered
    }

    /// Adds to each tool that shares a word a part of the mean score of its server's tools, and of the best of them:
    /// what a server is about is said by all of them, and a task that needs one tool of a server often needs another.
    /// The order within a server stays as it is, and so does the first of all.
    fn neighbours(&self, scope: &SearchScope, scores: &mut [f32]) -> Vec<f32> {
        let several = self
            .servers
            .first()
            .is_some_and(|(_, count)| (*count as usize) < self.servers.len());
        let Weights {
            neighbours,
            best_neighbour,
            ..
        } = self.weights;
        if neighbours <= 0.0 && best_neighbour <= 0.0 || !several {
            return Vec::new();
        }
        // At the place of each server's first tool: the sum and the best.
        let mut servers = vec![(0.0_f32, 0.0_f32); scores.len()];
        for (score, (first, _)) in scores.iter().zip(&self.servers) {
            if *score > 0.0
                && let Some((sum, best)) = servers.get_mut(*first as usize)
            {
                *sum += score;
                *best = best.max(*score);
            }
        }
        let mut added = vec![0.0_f32; scores.len()];
        for ((score, (first, count)), added) in scores.iter_mut().zip(&self.servers).zip(&mut added) {
            if *score > 0.0 {
                let (sum, best) = servers.get(*first as usize).copied().unwrap_or_default();
                let size = scope.server_size(*first, *count);
                let mean = neighbours * sum / number(size.max(1) as usize);
                *added = mean + best_neighbour * (best + mean);
                *score += *added;
            }
        }
        added
    }
}

/// Adds what the words of a text are worth.
fn add_up(columns: &[Column], text: &[(usize, f32)], scores: &mut [f32]) {
    for (place, weight) in text {
        for (at, worth) in columns.get(*place).into_iter().flatten() {
            if let Some(score) = scores.get_mut(*at) {
                *score += weight * worth;
            }
        }
    }
}
