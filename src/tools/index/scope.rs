//! Which of the indexed tools a search may know of.

use super::{Document, SearchIndex, TermId};

/// Which of the indexed tools a search may know of: what is visible in a session, say.
///
/// A tool outside the scope is as good as not there: it is no hit and not counted, its name is neither found nor
/// suggested, and neither its words nor its score have a part in what is said of other tools. Only how rare a word is
/// and how long fields are on average is told by the whole catalogue, so that a score does not change when a tool is
/// unlocked.
///
/// It is made for one index and is good until visibility changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchScope {
    /// None for everything.
    within: Option<Within>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Within {
    /// For each tool whether it is in.
    tools: Vec<bool>,
    /// At the place of each server's first tool, how many of its tools are in.
    server_sizes: Vec<u32>,
    /// How many tools are in.
    count: usize,
}

impl SearchScope {
    /// Every tool.
    #[must_use]
    pub const fn everything() -> Self {
        Self { within: None }
    }

    /// The tools that a predicate lets through. It is asked once for each tool of the index.
    #[must_use]
    pub fn of(index: &SearchIndex, visible: impl Fn(&Document<'_>) -> bool) -> Self {
        let tools: Vec<bool> = index.documents().iter().map(|tool| visible(&tool)).collect();
        let mut server_sizes = vec![0; tools.len()];
        for ((first, _), _) in index.servers.iter().zip(&tools).filter(|(_, is_in)| **is_in) {
            if let Some(size) = server_sizes.get_mut(*first as usize) {
                *size += 1;
            }
        }
        let count = tools.iter().filter(|is_in| **is_in).count();
        Self {
            within: Some(Within {
                tools,
                server_sizes,
                count,
            }),
        }
    }

    /// Whether the tool at a place is in. A place that the index of this scope does not have is not.
    #[must_use]
    pub fn has(&self, at: usize) -> bool {
        self.within
            .as_ref()
            .is_none_or(|within| within.tools.get(at).copied().unwrap_or_default())
    }

    /// How many tools of an index are in.
    #[must_use]
    pub fn count(&self, index: &SearchIndex) -> usize {
        self.within
            .as_ref()
            .map_or_else(|| index.documents().len(), |within| within.count)
    }

    /// The tools of an index that are in, in the order of the catalogue.
    pub fn tools<'a>(&self, index: &'a SearchIndex) -> impl Iterator<Item = Document<'a>> {
        let all = index.documents().iter().enumerate();
        all.filter(|(at, _)| self.has(*at)).map(|(_, tool)| tool)
    }

    /// How many tools of a server are in, of `all` that it has; the server is given by the place of its first tool.
    pub(super) fn server_size(&self, first: u32, all: u32) -> u32 {
        self.within.as_ref().map_or(all, |within| {
            within
                .server_sizes
                .get(first as usize)
                .copied()
                .unwrap_or_default()
        })
    }
}

impl SearchIndex {
    /// The id of a word that some tool of the scope has.
    pub(super) fn id_within(&self, term: &str, scope: &SearchScope) -> Option<TermId> {
        self.id(term).filter(|id| self.is_within(*id, scope))
    }

    /// Whether some tool of the scope has a word.
    pub(super) fn is_within(&self, id: TermId, scope: &SearchScope) -> bool {
        scope.within.is_none() || self.postings(id).iter().any(|posting| scope.has(posting.at()))
    }
}
