//! `docs/json.md`: the JSON outputs field by field, from the schemas of the types that are written.

use std::collections::BTreeMap;

use aleph_discover::report::{SCHEMA_NAMES, schema};
use serde_json::Value;

use super::{Markdown, anchor, quoted};

pub(super) fn document() -> String {
    let mut document = Markdown::new("JSON");
    document.block(
        "What `--json` prints is one object. Fields are only added within a schema's number; a change that could break \
         a reader takes the next number. What is not known is `null`, not missing. Paths are absolute; beside one \
         that is not UTF-8, whose text is therefore lossy, the same field with `_bytes` has its bytes in base64. \
         Lines and columns are 1-based, of the whole file, columns in Unicode scalar values. Lists are sorted, so \
         that the same tree gives the same bytes.",
    );
    document.block(
        "`--format jsonl` prints the answers with `chains`, `files`, `plugins`, `tools` or `results` as a header line with \
         everything but that list, then one line for each item of it; of other answers, also of `mcp resources`, \
         `templates` and `prompts`, the one object in one line. Characters of a \
         stranger's text that could disturb a terminal are escaped as `\\uXXXX`.",
    );
    document.block(
        "The same as JSON Schemas is in [schema/](schema/), and printed by `aleph-discover schema NAME`.",
    );

    let mut shapes: BTreeMap<String, Value> = BTreeMap::new();
    for name in SCHEMA_NAMES {
        let Some(schema) = schema(name) else { continue };
        document.heading(2, &quoted(&format!("{name}@1")));
        describe(&mut document, &schema);
        if let Some(further) = schema.get("$defs").and_then(Value::as_object) {
            shapes.extend(further.iter().map(|(name, shape)| (name.clone(), shape.clone())));
        }
    }
    document.heading(2, "Shapes");
    document.block("What the fields above hold, by name.");
    for (name, shape) in &shapes {
        document.heading(3, name);
        describe(&mut document, shape);
    }
    document.text
}

/// What a shape is, and its fields or values.
fn describe(document: &mut Markdown, shape: &Value) {
    if let Some(text) = text(shape, "description") {
        document.block(text);
    }
    if let Some(fields) = shape.get("properties").and_then(Value::as_object) {
        let rows: Vec<[String; 3]> = in_order(shape, fields.keys())
            .into_iter()
            .filter_map(|name| {
                let field = fields.get(name)?;
                let meaning = text(field, "description").unwrap_or_default().to_owned();
                let mut kind = kind(field);
                if !is_required(shape, name) {
                    kind.push_str(", may be missing");
                }
                Some([quoted(name), kind, meaning])
            })
            .collect();
        document.table(["field", "type", "meaning"], &rows);
    }
    if let Some(of) = shape.get("additionalProperties").filter(|of| of.is_object()) {
        document.block(&format!("Any other key: {}.", kind(of)));
    }
    if let Some(values) = shape.get("oneOf").and_then(Value::as_array) {
        let rows: Vec<[String; 2]> = values
            .iter()
            .filter_map(|value| {
                let meaning = text(value, "description").unwrap_or_default().to_owned();
                Some([quoted(text(value, "const")?), meaning])
            })
            .collect();
        document.table(["value", "meaning"], &rows);
    }
}

/// Fields as they are written: those that are always there in the order of the schema, each followed by its bytes.
fn in_order<'a>(shape: &'a Value, names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let required = shape.get("required").and_then(Value::as_array);
    let mut ordered: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    for name in names {
        if ordered.contains(&name.as_str()) {
            continue;
        }
        let before = name.strip_suffix("_bytes");
        let place = ordered.iter().position(|known| Some(*known) == before);
        ordered.insert(place.map_or(ordered.len(), |place| place + 1), name);
    }
    ordered
}

fn is_required(shape: &Value, name: &str) -> bool {
    let required = shape.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|known| known == name))
}

/// The type of a value in words, with links to shapes.
fn kind(value: &Value) -> String {
    if let Some(name) = text(value, "$ref").and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", anchor(name));
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(options) = value.get(several).and_then(Value::as_array) {
            let options: Vec<String> = options.iter().map(kind).collect();
            return options.join(" or ");
        }
    }
    if let Some(constant) = text(value, "const") {
        return quoted(constant);
    }
    let types: Vec<&str> = match value.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => return "any value".to_owned(),
    };
    let words: Vec<String> = types.iter().map(|one| type_in_words(one, value)).collect();
    words.join(" or ")
}

fn type_in_words(name: &str, value: &Value) -> String {
    match name {
        "array" => match value.get("items") {
            Some(items) => format!("list of {}", kind(items)),
            None => "list".to_owned(),
        },
        "object" => match value.get("additionalProperties").filter(|of| of.is_object()) {
            Some(of) => format!("object of {}", kind(of)),
            None => "object".to_owned(),
        },
        other => other.to_owned(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}
