//! Holds every JSON output against the published schema that it names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

/// Fails unless `document` is valid under the schema that its `schema` member names:
/// `aleph-discover/scan@1` is `docs/schema/scan@1.json`.
pub(crate) fn validate(document: &Value) {
    let name = document
        .get("schema")
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("a JSON answer names its schema: {document}"));
    let short = name
        .strip_prefix("aleph-discover/")
        .unwrap_or_else(|| panic!("{name} is not one of the project's schemas"));
    let errors: Vec<String> = validator(short)
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "not valid under {name}:\n{}",
        errors.join("\n")
    );
}

/// Where the schemas are published.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema")
}

fn validator(short: &str) -> Arc<Validator> {
    static KNOWN: OnceLock<Mutex<HashMap<String, Arc<Validator>>>> = OnceLock::new();
    let mut known = KNOWN
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    Arc::clone(known.entry(short.to_owned()).or_insert_with(|| {
        let path = folder().join(format!("{short}.json"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("the schema {}: {error}", path.display()));
        let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
        Arc::new(jsonschema::validator_for(&schema).expect("a schema is a JSON Schema"))
    }))
}

/// Each published schema refuses an object that has nothing but its name, so none of them lets all pass.
#[test]
fn no_published_schema_accepts_everything() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("docs/schema is there")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    for needed in ["error@1", "find-config@1", "roots@1", "scan@1", "why@1"] {
        assert!(names.iter().any(|name| name == needed), "{needed} is published");
    }
    for name in names {
        let bare = serde_json::json!({ "schema": format!("aleph-discover/{name}") });
        assert!(!validator(&name).is_valid(&bare), "{name} accepts {bare}");
    }
}
