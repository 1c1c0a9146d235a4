//! A catalogue, or an index of one, as what the registry asks: which tools there are, and their schemas.

use std::collections::BTreeMap;

use serde_json::Value;

use super::KnownTools;
use crate::model::nearest;
use crate::tools::{Catalogue, SearchIndex};

/// The schemas of the tools of a catalogue by qualified name.
#[derive(Clone, Debug, Default)]
pub struct CatalogueTools<'a> {
    schemas: BTreeMap<&'a str, &'a str>,
}

impl<'a> CatalogueTools<'a> {
    /// The tools of a catalogue that can be used.
    #[must_use]
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self {
            schemas: catalogue
                .tools
                .iter()
                .map(|tool| (tool.name.as_str(), tool.input_schema.get()))
                .collect(),
        }
    }

    /// The tools that were indexed.
    #[must_use]
    pub fn of_index(index: &'a SearchIndex) -> Self {
        Self {
            schemas: index
                .documents()
                .iter()
                .map(|tool| (tool.name, tool.parameters))
                .collect(),
        }
    }
}

impl KnownTools for CatalogueTools<'_> {
    /// An empty catalogue knows nothing, so it denies nothing either.
    fn is_known(&self, name: &str) -> Option<bool> {
        if self.schemas.is_empty() {
            None
        } else {
            Some(self.schemas.contains_key(name))
        }
    }

    fn schema(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.schemas.get(name)?).ok()
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        nearest(name, self.schemas.keys().copied())
    }
}
