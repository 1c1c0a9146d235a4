//! From the text of a source to tools, told apart by shape.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Catalogue, CatalogueError, MAX_CATALOGUE_BYTES, Quarantined, Source};
use crate::parse::json_error;
use crate::tools::schema_text::{NO_SCHEMA, cut, unusable};
use crate::tools::tiers::compact;
use crate::tools::tool::Tool;

/// The members of a JSON object in their order, their values unread.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The value under a key; the last, if there are several.
    fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == key)
            .map(|(_, value)| *value)
    }

    /// The text under a key.
    fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    members.push((key.0, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A string, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads a source into the catalogue.
pub(super) fn source(source: &Source<'_>, catalogue: &mut Catalogue) -> Result<(), CatalogueError> {
    let name = || source.name.clone();
    if source.bytes.len() > MAX_CATALOGUE_BYTES {
        return Err(CatalogueError::TooLarge {
            source_name: name(),
            bytes: source.bytes.len(),
        });
    }
    let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source.bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| CatalogueError::NotUtf8 {
        source_name: name(),
        offset: error.valid_up_to(),
    })?;
    let mut reading = Reading {
        source,
        text,
        catalogue,
        found: Vec::new(),
    };
    if is_json_lines(text) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str::<&RawValue>(line) {
                Ok(value) => reading.line(value),
                Err(error) => {
                    let (at, message) = json_error(line, &error);
                    let reason = format!("not JSON: {message}, column {}", at.column);
                    reading.quarantine(line, &source.server, "", reason);
                }
            }
        }
    } else {
        let value: &RawValue = serde_json::from_str(text).map_err(|error| {
            let (at, message) = json_error(text, &error);
            CatalogueError::Syntax {
                source_name: name(),
                line: at.line,
                column: at.column,
                message,
            }
        })?;
        if let Err(found) = reading.shape(value, &source.server, 0) {
            return Err(CatalogueError::NoTools {
                source_name: name(),
                found,
            });
        }
    }
    reading.finish();
    Ok(())
}

/// Whether each line is a value of its own: the first is a whole object or list, and something follows it.
fn is_json_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().map(str::trim_start);
    let is_value = first
        .is_some_and(|line| line.starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(line).is_ok());
    is_value && lines.next().is_some()
}

struct Reading<'a, 'c> {
    source: &'a Source<'a>,
    text: &'a str,
    catalogue: &'c mut Catalogue,
    /// What is quarantined and the offset at which it stands.
    found: Vec<(usize, Quarantined)>,
}

impl Reading<'_, '_> {
    /// A line of JSON lines.
    fn line(&mut self, value: &RawValue) {
        if let Err(found) = self.shape(value, &self.source.server, 0) {
            self.quarantine(
                value.get(),
                &self.source.server,
                "",
                format!("the line holds {found}, not tools"),
            );
        }
    }

    /// A value of any of the shapes; what it is instead, if it is none of them. Servers are mapped to tools at
    /// level 0 only, and an answer's envelope is opened once.
    fn shape(&mut self, value: &RawValue, server: &str, level: u8) -> Result<(), String> {
        match value.get().as_bytes().first() {
            Some(b'[') => self.list(value, server),
            Some(b'{') => {
                let members: Members<'_> = match serde_json::from_str(value.get()) {
                    Ok(members) => members,
                    Err(error) => {
                        return Err(format!(
                            "an object that cannot be read ({})",
                            json_error(value.get(), &error).1
                        ));
                    }
                };
                return self.object(value, &members, server, level);
            }
            _ => return Err(cut(value.get())),
        }
        Ok(())
    }

    fn object(
        &mut self,
        value: &RawValue,
        members: &Members<'_>,
        server: &str,
        level: u8,
    ) -> Result<(), String> {
        let starts = |key: &str, with: char| {
            members
                .get(key)
                .is_some_and(|value| value.get().starts_with(with))
        };
        if starts("tools", '[') {
            let server = members.text("server").unwrap_or_else(|| server.to_owned());
            if let Some(tools) = members.get("tools") {
                self.list(tools, &server);
            }
            return Ok(());
        }
        let is_answer = members.get("jsonrpc").is_some();
        if let Some(result) = members.get("result").filter(|_| is_answer && level < 2) {
            return self.shape(result, server, 2);
        }
        if is_answer {
            return Err("an answer without a result".to_owned());
        }
        if starts("name", '"') {
            self.tool(value, server);
            return Ok(());
        }
        if level > 0 {
            return Err("an object without `tools`".to_owned());
        }
        for (server, value) in &members.0 {
            let shape = self.shape(value, server, 1);
            if let Err(found) = shape {
                self.quarantine(
                    value.get(),
                    server,
                    "",
                    format!("the server has {found}, not tools"),
                );
            }
        }
        Ok(())
    }

    fn list(&mut self, tools: &RawValue, server: &str) {
        // It is known to begin with `[` and to be whole.
        let tools: Vec<&RawValue> = serde_json::from_str(tools.get()).unwrap_or_default();
        for tool in tools {
            self.tool(tool, server);
        }
    }

    fn tool(&mut self, value: &RawValue, server: &str) {
        let Ok(members) = serde_json::from_str::<Members<'_>>(value.get()) else {
            return self.quarantine(
                value.get(),
                server,
                "",
                format!("{} is not a tool", cut(value.get())),
            );
        };
        let given = members.text("server");
        let server = given.as_deref().unwrap_or(server);
        let name = match members.text("name") {
            Some(name) if !name.is_empty() => name,
            Some(_) => return self.quarantine(value.get(), server, "", "its name is empty".to_owned()),
            None => {
                return self.quarantine(value.get(), server, "", "it has no name that is text".to_owned());
            }
        };
        match read_tool(&members, server, &name) {
            Ok(tool) => self.catalogue.push(Tool {
                kind: self.source.kind,
                ..tool
            }),
            Err(reason) => self.quarantine(value.get(), server, &name, reason),
        }
    }

    fn quarantine(&mut self, at: &str, server: &str, tool: &str, reason: String) {
        // Both are slices of one text.
        let offset = (at.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let quarantined = Quarantined {
            server: server.to_owned(),
            tool: tool.to_owned(),
            source: self.source.name.clone(),
            line: 1,
            reason,
        };
        self.found.push((offset, quarantined));
    }

    /// Counts the lines up to what is quarantined, in one pass.
    fn finish(mut self) {
        self.found.sort_by_key(|(offset, _)| *offset);
        let mut line = 1_u32;
        let mut counted = 0;
        for (offset, mut quarantined) in self.found {
            let between = self.text.as_bytes().get(counted..offset).unwrap_or_default();
            let ends = between.iter().filter(|byte| **byte == b'\n').count();
            line = line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
            counted = offset.max(counted);
            quarantined.line = line;
            self.catalogue.quarantined.push(quarantined);
        }
    }
}

/// A tool from its members, or why it cannot be used.
fn read_tool(members: &Members<'_>, server: &str, name: &str) -> Result<Tool, String> {
    let given = |key: &str| members.get(key).filter(|value| value.get() != "null");
    let text = |key: &str| match given(key) {
        None => Ok(None),
        Some(value) => match serde_json::from_str::<String>(value.get()) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(format!("its {key} is {}, not text", cut(value.get()))),
        },
    };
    let schema = given("inputSchema").or_else(|| given("input_schema"));
    if let Some(reason) = schema.and_then(unusable) {
        return Err(reason);
    }
    let annotations = given("annotations");
    let own_title = || {
        let annotations: Members<'_> = serde_json::from_str(annotations?.get()).ok()?;
        annotations.text("title")
    };
    let input_schema =
        RawValue::from_string(schema.map_or_else(|| NO_SCHEMA.to_owned(), |schema| compact(schema.get())))
            .map_err(|error| error.to_string())?;
    Ok(Tool {
        server: server.to_owned(),
        tool: name.to_owned(),
        name: String::new(),
        title: text("title")?.or_else(own_title),
        description: text("description")?.unwrap_or_default(),
        input_schema,
        output_schema: given("outputSchema").map(ToOwned::to_owned),
        annotations: annotations.map(ToOwned::to_owned),
        kind: None,
    })
}
