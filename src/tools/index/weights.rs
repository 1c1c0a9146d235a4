//! The parameters of the default ranking.

/// The parameters of the default ranking. What each gains and how they were chosen: `docs/search.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// What a word counts in name, title, server, description, parameter names and parameter descriptions.
    pub fields: [f32; 6],
    /// How much long fields are held against a word in them, in the same order: 0 not at all, 1 in proportion.
    pub lengths: [f32; 6],
    /// How soon more occurrences stop counting; smaller is sooner (BM25's k1).
    pub saturation: f32,
    /// The power of a word's count in the query: 1 in proportion, 0 not at all.
    pub repetition: f32,
    /// What words of requests (`please`, `find`, `information`) count.
    pub request_words: f32,
    /// What a synonym counts, where the word itself counts 1; 0 for none.
    pub synonyms: f32,
    /// What a word at a small edit distance counts, for a word of the query that is in no tool; 0 for none.
    pub misspelt: f32,
    /// What the parts of a compound count, for a word of the query that is in no tool; 0 for none.
    pub compounds: f32,
    /// What the best sentence of a query counts beside the whole; 0 for nothing.
    pub sentence: f32,
    /// What the mean score of its server's tools adds to a tool; 0 for nothing.
    pub neighbours: f32,
    /// What the score of its server's best tool, with what its neighbours add, adds to a tool; 0 for nothing.
    pub best_neighbour: f32,
    /// What a name that is wholly in the query adds, as a part of the best score; 0 for nothing.
    pub whole_name: f32,
    /// With how many words more than three in the query `whole_name` counts in full: in a short query a short name
    /// says little.
    pub whole_name_words: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            fields: [4.0, 4.0, 2.0, 1.5, 1.0, 0.5],
            lengths: [0.75, 0.75, 0.0, 0.6, 0.3, 0.6],
            saturation: 2.0,
            repetition: 0.5,
            request_words: 0.5,
            synonyms: 0.5,
            misspelt: 0.6,
            compounds: 0.7,
            sentence: 0.4,
            neighbours: 0.4,
            best_neighbour: 0.4,
            whole_name: 0.2,
            whole_name_words: 8.0,
        }
    }
}
