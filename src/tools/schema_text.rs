//! What the schema of a tool's arguments says in words.

use serde_json::Value;
use serde_json::value::RawValue;

/// How deep schemas are followed; deeper parameters say little about the tool.
const DEEPEST: usize = 6;

/// How many of the values that a parameter can have are read.
const MOST_VALUES: usize = 30;

/// What stands in for a schema that a tool does not have.
pub(super) const NO_SCHEMA: &str = r#"{"type":"object"}"#;

/// Why a schema cannot be used, or none if it can: it is not an object, or is for something else than an object.
pub(super) fn unusable(schema: &RawValue) -> Option<String> {
    let value: Value = match serde_json::from_str(schema.get()) {
        Ok(value) => value,
        Err(error) if error.to_string().starts_with("recursion limit") => {
            return Some("its input schema is nested too deep".to_owned());
        }
        Err(error) => return Some(format!("its input schema cannot be read: {error}")),
    };
    let Value::Object(members) = &value else {
        return Some(format!(
            "its input schema is {}, not an object",
            type_name(&value)
        ));
    };
    let is_object = |kind: &Value| kind.as_str() == Some("object");
    match members.get("type") {
        None => None,
        Some(Value::Array(kinds)) if kinds.iter().any(is_object) => None,
        Some(kind) if is_object(kind) => None,
        Some(kind) => Some(format!(
            "its input schema is for type {}, not for an object",
            cut(&kind.to_string())
        )),
    }
}

/// A value's type as it is called in a message.
pub(super) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The beginning of a text, for a message.
pub(super) fn cut(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('\u{2026}');
    }
    short
}

/// The words of a schema.
#[derive(Debug, Default)]
pub(super) struct SchemaText {
    /// Names of parameters, a line each.
    pub(super) names: String,
    /// Descriptions of parameters and the texts that they can be, a line each.
    pub(super) descriptions: String,
}

impl SchemaText {
    /// Reads a schema; what cannot be read says nothing.
    pub(super) fn of(schema: &str) -> Self {
        let mut text = Self::default();
        if schema != NO_SCHEMA
            && let Ok(value) = serde_json::from_str::<Value>(schema)
        {
            text.read(&value, 0);
        }
        text
    }

    fn read(&mut self, schema: &Value, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for (name, parameter) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            add(&mut self.names, name);
            if let Some(description) = parameter.get("description").and_then(Value::as_str) {
                add(&mut self.descriptions, description);
            }
            let values = parameter
                .get("enum")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            for value in values.filter_map(Value::as_str).take(MOST_VALUES) {
                add(&mut self.descriptions, value);
            }
            self.read(parameter, depth + 1);
        }
        if let Some(items) = schema.get("items") {
            self.read(items, depth + 1);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for choice in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.read(choice, depth + 1);
            }
        }
    }
}

fn add(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
