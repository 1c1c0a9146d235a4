//! A catalogue, or an index of one, as what the registry asks: which tools there are, their schemas and what they do.

use std::collections::BTreeMap;

use serde_json::Value;

use super::KnownTools;
use crate::model::nearest;
use crate::tools::{Catalogue, SearchIndex};

/// What is kept of one tool.
#[derive(Clone, Copy, Debug)]
struct Kept<'a> {
    schema: &'a str,
    description: &'a str,
}

/// The tools of a catalogue by qualified name.
#[derive(Clone, Debug, Default)]
pub struct CatalogueTools<'a> {
    tools: BTreeMap<&'a str, Kept<'a>>,
}

impl<'a> CatalogueTools<'a> {
    /// The tools of a catalogue that can be used.
    #[must_use]
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self {
            tools: catalogue
                .tools
                .iter()
                .map(|tool| {
                    let kept = Kept {
                        schema: tool.input_schema.get(),
                        description: &tool.description,
                    };
                    (tool.name.as_str(), kept)
                })
                .collect(),
        }
    }

    /// The tools that were indexed.
    #[must_use]
    pub fn of_index(index: &'a SearchIndex) -> Self {
        Self {
            tools: index
                .documents()
                .iter()
                .map(|tool| {
                    let kept = Kept {
                        schema: tool.parameters,
                        description: tool.description,
                    };
                    (tool.name, kept)
                })
                .collect(),
        }
    }
}

impl KnownTools for CatalogueTools<'_> {
    /// An empty catalogue knows nothing, so it denies nothing either.
    fn is_known(&self, name: &str) -> Option<bool> {
        if self.tools.is_empty() {
            None
        } else {
            Some(self.tools.contains_key(name))
        }
    }

    fn schema(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.tools.get(name)?.schema).ok()
    }

    fn description(&self, name: &str) -> Option<String> {
        let description = self.tools.get(name)?.description;
        (!description.is_empty()).then(|| description.to_owned())
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        nearest(name, self.tools.keys().copied())
    }
}
