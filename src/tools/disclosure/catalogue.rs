//! A catalogue as what the registry asks: which tools there are, and their schemas.

use std::collections::BTreeMap;

use serde_json::Value;

use super::KnownTools;
use crate::model::nearest;
use crate::tools::{Catalogue, Tool};

/// The tools of a catalogue by qualified name.
#[derive(Clone, Debug, Default)]
pub struct CatalogueTools<'a> {
    by_name: BTreeMap<&'a str, &'a Tool>,
}

impl<'a> CatalogueTools<'a> {
    /// The tools of a catalogue that can be used.
    #[must_use]
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self {
            by_name: catalogue
                .tools
                .iter()
                .map(|tool| (tool.name.as_str(), tool))
                .collect(),
        }
    }
}

impl KnownTools for CatalogueTools<'_> {
    /// An empty catalogue knows nothing, so it denies nothing either.
    fn is_known(&self, name: &str) -> Option<bool> {
        if self.by_name.is_empty() {
            None
        } else {
            Some(self.by_name.contains_key(name))
        }
    }

    fn schema(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.by_name.get(name)?.input_schema.get()).ok()
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        nearest(name, self.by_name.keys().copied())
    }
}
