//! What servers offer, as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The four lists that a server may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// Its tools.
    Tools,
    /// Its resources.
    Resources,
    /// Its templates of resources.
    Templates,
    /// Its prompts.
    Prompts,
}

impl Wanted {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "templates",
            Self::Prompts => "prompts",
        }
    }
}

/// A resource of a server, under the server's own uri.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceEntry {
    /// Its uri.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What kind of data it is.
    pub mime_type: Option<String>,
}

/// A template of resources of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateEntry {
    /// The uri, with variables (RFC 6570).
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What kind of data its resources are, where all are of one.
    pub mime_type: Option<String>,
}

/// A prompt of a server, under the server's own name for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptEntry {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What can be filled in.
    pub arguments: Vec<PromptArgument>,
}

/// What can be filled in of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it has to be there.
    pub required: bool,
}

/// What a server listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// Its tools, as it describes them.
    pub tools: Vec<Value>,
    /// Its resources.
    pub resources: Vec<ResourceEntry>,
    /// Its templates of resources.
    pub templates: Vec<TemplateEntry>,
    /// Its prompts.
    pub prompts: Vec<PromptEntry>,
    /// The lists of which there is more than was kept.
    pub cut: Vec<Wanted>,
    /// What could not be used, one sentence each.
    pub unusable: Vec<String>,
}

/// The text or bytes of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The uri of this part, the server's own.
    pub uri: String,
    /// Text, or bytes in base64.
    pub content: String,
    /// Whether it is bytes.
    pub is_binary: bool,
    /// What kind of data it is.
    pub mime_type: Option<String>,
}

/// A prompt that is filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptText {
    /// What it is for.
    pub description: Option<String>,
    /// Its messages: the role, and the content block as the server gave it.
    pub messages: Vec<(String, Value)>,
}

impl Offer {
    /// Adds what a server listed, in the protocol's own shape, and says what cannot be used.
    pub fn add(&mut self, wanted: Wanted, mut value: Value) {
        // In a catalogue that word says whose tool it is, and no server says that of another.
        if let (Wanted::Tools, Value::Object(tool)) = (wanted, &mut value) {
            tool.remove("server");
        }
        let added = match (&wanted, &value) {
            (Wanted::Tools, _) => {
                self.tools.push(value);
                return;
            }
            (Wanted::Resources, Value::Object(object)) => {
                resource(object).map(|entry| self.resources.push(entry))
            }
            (Wanted::Templates, Value::Object(object)) => {
                template(object).map(|entry| self.templates.push(entry))
            }
            (Wanted::Prompts, Value::Object(object)) => prompt(object).map(|entry| self.prompts.push(entry)),
            _ => Err("it is no object"),
        };
        if let Err(why) = added {
            let named = value.get("name").and_then(Value::as_str);
            let named = named.map_or_else(String::new, |name| format!(" `{name}`"));
            let one = wanted.as_str().trim_end_matches('s');
            // A server with a thousand bad entries need not be told a thousand times.
            if self.unusable.len() < 20 {
                self.unusable
                    .push(format!("a {one}{named} cannot be used: {why}"));
            }
        }
    }

    /// How many entries of a list were kept.
    #[must_use]
    pub const fn count(&self, wanted: Wanted) -> usize {
        match wanted {
            Wanted::Tools => self.tools.len(),
            Wanted::Resources => self.resources.len(),
            Wanted::Templates => self.templates.len(),
            Wanted::Prompts => self.prompts.len(),
        }
    }
}

fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}

fn resource(object: &Map<String, Value>) -> Result<ResourceEntry, &'static str> {
    let uri = text(object, "uri").ok_or("it has no uri")?;
    Ok(ResourceEntry {
        name: text(object, "name").unwrap_or_else(|| uri.clone()),
        uri,
        title: text(object, "title"),
        description: text(object, "description"),
        mime_type: text(object, "mimeType"),
    })
}

fn template(object: &Map<String, Value>) -> Result<TemplateEntry, &'static str> {
    let uri_template = text(object, "uriTemplate").ok_or("it has no uriTemplate")?;
    Ok(TemplateEntry {
        name: text(object, "name").unwrap_or_else(|| uri_template.clone()),
        uri_template,
        title: text(object, "title"),
        description: text(object, "description"),
        mime_type: text(object, "mimeType"),
    })
}

fn prompt(object: &Map<String, Value>) -> Result<PromptEntry, &'static str> {
    let arguments = object.get("arguments").and_then(Value::as_array);
    let argument = |value: &Value| {
        let object = value.as_object()?;
        Some(PromptArgument {
            name: text(object, "name")?,
            description: text(object, "description"),
            required: object.get("required").and_then(Value::as_bool) == Some(true),
        })
    };
    Ok(PromptEntry {
        name: text(object, "name").ok_or("it has no name")?,
        title: text(object, "title"),
        description: text(object, "description"),
        arguments: arguments.into_iter().flatten().filter_map(argument).collect(),
    })
}
