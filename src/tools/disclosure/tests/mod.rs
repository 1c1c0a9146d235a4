//! What the original registries got wrong, each remedy a test; the numbers are those of the list of 32 quirks that the
//! specification of disclosure names.

mod agreement;
mod properties;
mod quirks;
mod reading;
mod replay;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

/// Tools that are known, with their schemas.
#[derive(Default)]
struct Catalogue {
    schemas: BTreeMap<String, Value>,
    denied: Vec<String>,
}

impl Catalogue {
    fn of(names: &[&str]) -> Self {
        let schema = |name: &str| json!({"type": "object", "title": name});
        Self {
            schemas: names
                .iter()
                .map(|name| ((*name).to_owned(), schema(name)))
                .collect(),
            denied: Vec::new(),
        }
    }
}

impl KnownTools for Catalogue {
    fn is_known(&self, name: &str) -> Option<bool> {
        Some(self.schemas.contains_key(name))
    }

    fn schema(&self, name: &str) -> Option<Value> {
        self.schemas.get(name).cloned()
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        crate::model::nearest(name, self.schemas.keys().map(String::as_str))
    }

    fn is_allowed(&self, name: &str) -> bool {
        !self.denied.iter().any(|denied| denied == name)
    }
}

const HUB: &str = "hub__session";
const DEEP: &str = "hub__deep_analysis";

/// The one trigger that the original ever had, as a rules file.
const SESSION: &str = r#"
[[tool]]
name = "hub__deep_analysis"
auto_hide_after = "10m"
[tool.descriptions]
hidden = "unlocked by session analyze"
discovered = "Analyse the session that was just loaded"

[[trigger]]
hub = "hub__session"
operation = "analyze"
unlocks = ["hub__deep_analysis"]
requires_stage = "init_complete"
description = "a session was analysed"
"#;

fn rules(text: &str) -> Rules {
    let (rules, problems) = read_rules(text.as_bytes());
    assert_eq!(problems, []);
    rules
}

fn registry(text: &str) -> DiscoveryRegistry {
    DiscoveryRegistry::new(Arc::new(rules(text)))
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Calls an operation of the hub that succeeds.
fn call(registry: &mut DiscoveryRegistry, arguments: Value, now: Duration) -> OperationEffect {
    registry.on_operation_called(HUB, Some(&arguments), true, &NoCatalogue, now)
}

fn names(unlocked: &[Unlocked]) -> Vec<&str> {
    unlocked.iter().map(|unlocked| unlocked.tool.as_str()).collect()
}
