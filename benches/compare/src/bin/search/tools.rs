//! Tools and queries as every engine gets them.

use std::error::Error;

use serde_json::Value;

/// One tool in texts.
pub(crate) struct Tool {
    pub(crate) server: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: String,
    pub(crate) parameter_descriptions: String,
    /// The tool as JSON.
    pub(crate) line: String,
}

impl Tool {
    /// What labels call it.
    pub(crate) fn label(&self) -> String {
        format!("{}__{}", self.server, self.name)
    }
}

/// A query and what it should find.
pub(crate) struct Labelled {
    pub(crate) query: String,
    pub(crate) relevant: Vec<String>,
}

impl Labelled {
    pub(crate) fn without_labels(query: &str) -> Self {
        Self {
            query: query.to_owned(),
            relevant: Vec::new(),
        }
    }
}

/// Reads tools, one a line.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Tool>, Box<dyn Error>> {
    let mut tools = Vec::new();
    for line in std::str::from_utf8(bytes)?.lines() {
        let value: Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let (mut parameters, mut descriptions) = (String::new(), String::new());
        describe(&value["inputSchema"], &mut parameters, &mut descriptions);
        tools.push(Tool {
            server: text("server"),
            name: text("name"),
            description: text("description"),
            parameters,
            parameter_descriptions: descriptions,
            line: line.to_owned(),
        });
    }
    Ok(tools)
}

/// Reads labelled queries, one a line.
pub(crate) fn labelled(text: &str) -> Result<Vec<Labelled>, Box<dyn Error>> {
    let mut queries = Vec::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line)?;
        let relevant = value["relevant"].as_array().into_iter().flatten();
        queries.push(Labelled {
            query: value["query"].as_str().ok_or("no query")?.to_owned(),
            relevant: relevant.filter_map(Value::as_str).map(str::to_owned).collect(),
        });
    }
    Ok(queries)
}

/// The names of parameters at any depth, and what is said about them.
fn describe(schema: &Value, names: &mut String, descriptions: &mut String) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("properties", Value::Object(properties)) => {
                        for (name, property) in properties {
                            names.push_str(name);
                            names.push(' ');
                            describe(property, names, descriptions);
                        }
                    }
                    ("description", Value::String(text)) => {
                        descriptions.push_str(text);
                        descriptions.push(' ');
                    }
                    (_, value) => describe(value, names, descriptions),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| describe(item, names, descriptions)),
        _ => {}
    }
}
