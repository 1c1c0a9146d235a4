//! The gateway's own tools, as they are listed.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::mcp::Gates;

/// One of the gateway's own tools; a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// Calls a tool.
    CallTool,
    /// Describes a tool.
    GetToolSchema,
    /// Finds tools.
    ToolSearch,
    /// Hides a tool, and shows it again.
    ToolVisibility,
    /// Lists resources.
    ListResources,
    /// Lists templates of resources.
    ListResourceTemplates,
    /// Reads a resource.
    ReadResource,
    /// Lists prompts.
    ListPrompts,
    /// Fills in a prompt.
    GetPrompt,
}

impl Own {
    /// All of them, by name.
    pub(super) const ALL: [Self; 9] = [
        Self::CallTool,
        Self::GetToolSchema,
        Self::GetPrompt,
        Self::ListPrompts,
        Self::ListResourceTemplates,
        Self::ListResources,
        Self::ReadResource,
        Self::ToolSearch,
        Self::ToolVisibility,
    ];

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::CallTool => "call_tool",
            Self::GetToolSchema => "get_tool_schema",
            Self::ToolSearch => "tool_search",
            Self::ToolVisibility => "tool_visibility",
            Self::ListResources => "mcp_list_resources",
            Self::ListResourceTemplates => "mcp_list_resource_templates",
            Self::ReadResource => "mcp_read_resource",
            Self::ListPrompts => "mcp_list_prompts",
            Self::GetPrompt => "mcp_get_prompt",
        }
    }

    /// The tool of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    const fn description(self) -> &'static str {
        match self {
            Self::CallTool => {
                "Call a tool that tool_search found, by its full name (server__tool), with its arguments as its schema has \
                 them. The answer is the tool's own."
            }
            Self::GetToolSchema => {
                "Get the full definition of one tool by name: what it does, the schema of its arguments and of its answer. \
                 Where it cannot be called now, it says why and what would change that."
            }
            Self::ToolSearch => {
                "Find tools by what they do, best first, each with its name and the schema of its arguments; call one with \
                 call_tool. Search before you conclude that there is no tool for something. Also: `select:NAME,NAME` for exact names, \
                 `server:NAME` for one server, `+word` to require a word, `/regex/`."
            }
            Self::ToolVisibility => {
                "Hide a tool that is in the way, until it is shown again; or show one that was hidden or whose time ran \
                 out. It cannot show what was never unlocked."
            }
            Self::ListResources => "List the resources of the servers. Read one with mcp_read_resource.",
            Self::ListResourceTemplates => {
                "List the templates of resources of the servers. Fill one in and read it with mcp_read_resource."
            }
            Self::ReadResource => {
                "Read a resource by its uri, as mcp_list_resources lists it (server:uri) or filled in from a template. Binary \
                 content comes as base64."
            }
            Self::ListPrompts => "List the prompts of the servers. Fill one in with mcp_get_prompt.",
            Self::GetPrompt => {
                "Fill in a prompt by its name, as mcp_list_prompts lists it (server:prompt), with the arguments listed \
                 there. The answer is its messages."
            }
        }
    }

    /// Whether it only looks.
    const fn reads_only(self) -> bool {
        !matches!(self, Self::CallTool | Self::ToolVisibility)
    }

    fn properties(self) -> (Value, &'static [&'static str]) {
        let text = |description: &str| json!({"type": "string", "description": description});
        let server = || text("Only of this server");
        match self {
            Self::CallTool => (
                json!({
                    "name": text("Full name of the tool, server__tool"),
                    "arguments": {"type": "object", "description": "Its arguments, by its schema", "additionalProperties": true},
                }),
                &["name"],
            ),
            Self::GetToolSchema => (
                json!({"name": text("Full name of the tool, server__tool")}),
                &["name"],
            ),
            Self::ToolSearch => (
                json!({
                    "query": text("What the tool should do"),
                    "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5, "description": "The most hits"},
                }),
                &["query"],
            ),
            Self::ToolVisibility => (
                json!({
                    "action": {"type": "string", "enum": ["hide", "show"]},
                    "name": text("Full name of the tool, server__tool"),
                }),
                &["action", "name"],
            ),
            Self::ListResources | Self::ListResourceTemplates | Self::ListPrompts => {
                (json!({"server": server()}), &[])
            }
            Self::ReadResource => (json!({"uri": text("The uri, qualified: server:uri")}), &["uri"]),
            Self::GetPrompt => (
                json!({
                    "name": text("The name, qualified: server:prompt"),
                    "arguments": {"type": "object", "description": "Its arguments, each a text", "additionalProperties": {"type": "string"}},
                }),
                &["name"],
            ),
        }
    }

    /// Whether it takes a handle, where handles are of use.
    pub(super) const fn takes_handle(self) -> bool {
        matches!(
            self,
            Self::CallTool | Self::GetToolSchema | Self::ToolSearch | Self::ToolVisibility
        )
    }

    /// The names of its arguments.
    pub(super) fn keys(self, handles: bool) -> Vec<String> {
        let (properties, _) = self.properties();
        let mut keys: Vec<String> = properties
            .as_object()
            .map(|properties| properties.keys().cloned().collect())
            .unwrap_or_default();
        if handles && self.takes_handle() {
            keys.push("handle".to_owned());
        }
        keys
    }

    /// Its definition; with `handles`, it takes the name of a session.
    fn tool(self, handles: bool) -> Tool {
        let (mut properties, required) = self.properties();
        if handles
            && self.takes_handle()
            && let Some(properties) = properties.as_object_mut()
        {
            let description = "The handle that an earlier answer gave you: what was unlocked under it is visible. \
                               Leave it out the first time.";
            properties.insert(
                "handle".to_owned(),
                json!({"type": "string", "description": description}),
            );
        }
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties);
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema.insert("additionalProperties".to_owned(), json!(false));
        let tool = Tool::new(self.name(), self.description(), Arc::new(schema));
        if self.reads_only() {
            // Hosts ask people before a tool that may change something; these look things up.
            tool.with_annotations(ToolAnnotations::new().read_only(true))
        } else {
            tool
        }
    }
}

/// The gateway's own tools that there are: those behind gates while these are open, and that of hiding and showing
/// where there are rules to hide by.
pub(super) fn own_tools(gates: Gates, has_rules: bool, handles: bool) -> Vec<Tool> {
    Own::ALL
        .into_iter()
        .filter(|own| *own != Own::ToolVisibility || has_rules)
        .filter(|own| gates.opens(own.name()).unwrap_or(true))
        .map(|own| own.tool(handles))
        .collect()
}

/// What the gateway tells an agent about itself: the names of the servers say what is worth searching for.
pub(super) fn instructions(servers: &[String]) -> String {
    const SHOWN: usize = 30;
    let mut text = "Many tools of many servers are behind this one server and are not listed. Find them with tool_search by \
                    what they should do, look at one with get_tool_schema, call it with call_tool."
        .to_owned();
    if !servers.is_empty() {
        let shown: Vec<&str> = servers.iter().take(SHOWN).map(String::as_str).collect();
        text.push_str(" The servers: ");
        text.push_str(&shown.join(", "));
        if servers.len() > SHOWN {
            text.push_str(&format!(" and {} more", servers.len() - SHOWN));
        }
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_stand_by_name_and_every_one_is_found_by_it() {
        let open = Gates {
            resources: true,
            prompts: true,
        };
        let names: Vec<String> = own_tools(open, true, true)
            .iter()
            .map(|tool| tool.name.to_string())
            .collect();
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(names, sorted);
        assert_eq!(names.len(), Own::ALL.len());
        assert!(Own::ALL.iter().all(|own| Own::named(own.name()) == Some(*own)));
        assert_eq!(own_tools(Gates::default(), false, false).len(), 3);
    }

    #[test]
    fn an_agent_is_told_which_servers_there_are() {
        let servers = |count: usize| -> Vec<String> { (0..count).map(|nth| format!("s{nth}")).collect() };
        assert!(instructions(&[]).ends_with("with call_tool."));
        assert!(instructions(&servers(2)).ends_with(" The servers: s0, s1."));
        assert!(instructions(&servers(32)).ends_with(", s29 and 2 more."));
    }

    #[test]
    fn a_handle_is_asked_for_where_it_is_of_use() {
        let has_handle = |handles: bool| {
            own_tools(Gates::default(), true, handles)
                .iter()
                .filter(|tool| tool.input_schema["properties"].get("handle").is_some())
                .count()
        };
        assert_eq!((has_handle(false), has_handle(true)), (0, 4));
    }
}
