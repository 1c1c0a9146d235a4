//! Tools on demand: a catalogue of thousands of tools, the search that finds one by what it does, and the tiers
//! that say what is listed before anything is searched (spec, tools 1 to 4).
//!
//! [`Catalogue`] gathers tools from files; [`SearchIndex`] is built from it, or loaded from where it was saved;
//! [`search`] answers a query. Nothing here reads a file or prints: the command line brings the bytes and the paths.

mod answer;
pub mod catalogue;
pub mod disclosure;
pub mod index;
mod plain;
mod query;
mod schema_text;
mod tiers;
mod tokenizer;
mod tool;
mod words;

pub use answer::{Answer, Contribution, Hit, Part, Ranker, SearchOptions, search, search_within};
pub use catalogue::{Catalogue, CatalogueError, MAX_CATALOGUE_BYTES, Quarantined, Source};
pub use index::{Damage, Document, Documents, SearchIndex, SearchScope, Weights};
pub use plain::{PlainRanker, PlainTokens};
pub use query::{MAX_PATTERN_BYTES, Query, QueryError};
pub use tiers::{Budget, Cost, Promotions, ServerBudget, Tier, Tiers, ToolBudget, estimated_tokens};
pub use tokenizer::{Token, tokens};
#[cfg(feature = "mcp")]
pub(crate) use tool::uncut_name;
pub use tool::{MAX_NAME, Tool, bare_name, qualified_name, stray_server};
pub use words::{EnglishStemmer, Stem};
