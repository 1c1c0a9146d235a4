//! What can be found, described and called at one moment: the registry, under the operator's policy.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::policy::{DeniedTemplate, Policy};
use crate::mcp::{Gates, Offer, Wanted, catalogue, qualified};
use crate::model::nearest;
use crate::tools::disclosure::KnownTools;
use crate::tools::{Catalogue, SearchIndex, Tool};

/// What can be found, described and called at one moment. It is made anew after each change, and never changed.
#[derive(Debug)]
pub(in crate::mcp) struct View {
    /// The change of the registry that it is of.
    pub(super) version: u64,
    /// The tools that the policy allows, and those that cannot be used.
    pub(super) catalogue: Catalogue,
    /// The same tools, to be searched.
    pub(super) index: SearchIndex,
    /// What every server offers, without what the policy denies.
    pub(super) offers: BTreeMap<String, Offer>,
    /// The gates, by what is left.
    pub(super) gates: Gates,
    policy: Arc<Policy>,
    /// All servers, also those of which nothing is known yet.
    servers: Arc<[String]>,
    /// The templates that the policy denies, by server.
    denied_templates: BTreeMap<String, Vec<DeniedTemplate>>,
    places: HashMap<String, usize>,
    /// The tools that there are and that the policy denies.
    denied: BTreeSet<String>,
    /// Each tool as its server describes it.
    originals: HashMap<String, Value>,
}

impl View {
    /// What these offers come to under a policy. Takes as long as building an index does.
    pub(super) fn build(
        version: u64,
        offers: &BTreeMap<String, Arc<Offer>>,
        policy: &Arc<Policy>,
        servers: &Arc<[String]>,
    ) -> Self {
        let denied_templates = offers
            .iter()
            .map(|(server, offer)| {
                let templates = offer.templates.iter();
                let denied =
                    templates.filter_map(|entry| policy.denied_template(server, &entry.uri_template));
                (server.clone(), denied.collect())
            })
            .collect();
        let offers: BTreeMap<String, Offer> = offers
            .iter()
            .map(|(server, offer)| (server.clone(), without_denied(server, offer, policy)))
            .collect();
        let mut catalogue = catalogue(&offers);
        let (allowed, denied): (Vec<Tool>, Vec<Tool>) = std::mem::take(&mut catalogue.tools)
            .into_iter()
            .partition(|tool| policy.allows_tool(tool));
        catalogue.tools = allowed;
        let mut places = HashMap::with_capacity(catalogue.tools.len());
        let mut originals = HashMap::with_capacity(catalogue.tools.len());
        let by_own_name = own_names(&offers);
        for (place, tool) in catalogue.tools.iter().enumerate() {
            places.insert(tool.name.clone(), place);
            if let Some(original) = by_own_name.get(&(tool.server.as_str(), tool.tool.as_str())) {
                originals.insert(tool.name.clone(), (*original).clone());
            }
        }
        Self {
            version,
            index: SearchIndex::build(&catalogue),
            gates: Gates::of(offers.values()),
            offers,
            catalogue,
            policy: Arc::clone(policy),
            servers: Arc::clone(servers),
            denied_templates,
            places,
            denied: denied.into_iter().map(|tool| tool.name).collect(),
            originals,
        }
    }

    /// The tool of this qualified name, if it is allowed.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.catalogue.tools.get(*self.places.get(name)?)
    }

    /// Whether there is such a tool and the policy denies it.
    pub(super) fn is_denied(&self, name: &str) -> bool {
        self.denied.contains(name)
    }

    /// A tool as its server describes it, under its qualified name; none if that is no definition, since clients refuse a
    /// whole list for one.
    pub(super) fn definition(&self, tool: &Tool, description: Option<&str>) -> Option<Value> {
        let mut original = self.originals.get(&tool.name)?.clone();
        let object = original.as_object_mut()?;
        object.insert("name".to_owned(), Value::String(tool.name.clone()));
        if let Some(description) = description {
            object.insert("description".to_owned(), Value::String(description.to_owned()));
        }
        // One that is absent, null or without `type` counts as this.
        if object
            .get("inputSchema")
            .and_then(|schema| schema.get("type"))
            .is_none()
        {
            let mut schema = match object.remove("inputSchema") {
                Some(Value::Object(schema)) => schema,
                _ => Map::new(),
            };
            schema.insert("type".to_owned(), Value::String("object".to_owned()));
            object.insert("inputSchema".to_owned(), Value::Object(schema));
        }
        serde_json::from_value::<rmcp::model::Tool>(original.clone()).ok()?;
        Some(original)
    }

    /// What the server's definition of a tool has beside what every definition is described by.
    pub(super) fn more(&self, tool: &Tool) -> Map<String, Value> {
        const DESCRIBED: [&str; 5] = [
            "annotations",
            "description",
            "inputSchema",
            "name",
            "outputSchema",
        ];
        let original = self.originals.get(&tool.name).and_then(Value::as_object);
        let fields = original.into_iter().flatten();
        fields
            .filter(|(key, _)| !DESCRIBED.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// The server that a qualified uri or prompt means, and the server's own name for it.
    pub(super) fn meant<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a str)> {
        qualified::split(name, self.servers.iter().map(String::as_str))
    }

    /// The server of a resource and its own uri, where the policy allows to read it. One that is not listed may be one
    /// that a template stands for, so it is one of the server's all the same; not one of a template that is denied.
    pub(super) fn resource<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a str)> {
        let (server, own) = self.meant(name)?;
        (self.offers.contains_key(server) && !self.denies_resource(name)).then_some((server, own))
    }

    /// Whether the policy denies a resource of this qualified name, however its uri is written.
    pub(super) fn denies_resource(&self, name: &str) -> bool {
        let Some((server, own)) = self.meant(name) else {
            return !self.policy.allows(name);
        };
        if !self.policy.allows_resource(server, own) {
            return true;
        }
        let resources = self.offers.get(server).map(|offer| &offer.resources);
        let is_listed = resources.is_some_and(|listed| listed.iter().any(|entry| entry.uri == own));
        let mut denied = self.denied_templates.get(server).into_iter().flatten();
        !is_listed && denied.any(|template| template.covers(server, own))
    }

    /// Whether the policy denies a prompt of this qualified name.
    pub(super) fn denies_prompt(&self, name: &str) -> bool {
        !self.policy.allows(name)
    }

    /// The server of a prompt and its own name, where the policy allows it. Unlike resources, prompts are all listed;
    /// one that is not is none, unless the list was cut.
    pub(super) fn prompt<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a str)> {
        let (server, own) = self.meant(name)?;
        let offer = self.offers.get(server)?;
        let is_listed = offer.prompts.iter().any(|entry| entry.name == own);
        let is_there = is_listed || offer.cut.contains(&Wanted::Prompts);
        (is_there && !self.denies_prompt(name)).then_some((server, own))
    }
}

/// What a server offers, without the resources, templates and prompts that the policy denies. Tools are looked at
/// under their qualified names, later.
fn without_denied(server: &str, offer: &Offer, policy: &Policy) -> Offer {
    let mut offer = offer.clone();
    offer
        .resources
        .retain(|resource| policy.allows_resource(server, &resource.uri));
    offer
        .templates
        .retain(|template| policy.allows_resource(server, &template.uri_template));
    offer
        .prompts
        .retain(|prompt| policy.allows(&qualified::qualify(server, &prompt.name)));
    offer
}

/// Every tool under its server and its own name; of two the first.
fn own_names(offers: &BTreeMap<String, Offer>) -> HashMap<(&str, &str), &Value> {
    let mut names = HashMap::new();
    for (server, offer) in offers {
        for tool in &offer.tools {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                names.entry((server.as_str(), name)).or_insert(tool);
            }
        }
    }
    names
}

impl KnownTools for View {
    fn is_known(&self, name: &str) -> Option<bool> {
        Some(self.places.contains_key(name) || self.denied.contains(name))
    }

    fn schema(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.tool(name)?.input_schema.get()).ok()
    }

    fn description(&self, name: &str) -> Option<String> {
        Some(self.tool(name)?.description.clone()).filter(|description| !description.is_empty())
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        nearest(name, self.catalogue.tools.iter().map(|tool| tool.name.as_str()))
    }

    fn is_allowed(&self, name: &str) -> bool {
        !self.denied.contains(name) && self.policy.allows(name)
    }
}
