//! Tiers: what the first list shows in full, what it shows without schema, and what it leaves out until found.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema_text::NO_SCHEMA;
use super::tool::Tool;

/// What is appended to the description of a tool that is listed without its schema.
const SUFFIX: &str = " (call get_tool_schema with this name for its parameters)";

/// The schema that stands in for one that is left out.
const OPEN_SCHEMA: &str = r#"{"type":"object","additionalProperties":true}"#;

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 8] = ["e.g", "i.e", "etc", "vs", "cf", "al", "no", "fig"];

/// How a tool is listed before anything was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// In full.
    Core,
    /// With name and description; its schema on demand.
    Collapsed,
    /// Not at all, until a search finds it.
    Deferred,
}

impl Tier {
    /// The name used in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Collapsed => "collapsed",
            Self::Deferred => "deferred",
        }
    }
}

/// `[tools]` of `aleph.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiers {
    /// Names that are always listed in full. Empty, or with `*`: nothing is collapsed.
    pub core: Vec<String>,
    /// Whether tools of MCP servers are left out until found.
    pub defer_mcp_tools: bool,
    /// Whether descriptions are cut after the first sentence.
    pub truncate_tool_descriptions: bool,
}

impl Tiers {
    /// Reads the effective configuration; the messages tell what in it has the wrong type and does not count.
    #[must_use]
    pub fn from_config(config: &Value) -> (Self, Vec<String>) {
        let mut tiers = Self::default();
        let mut wrong = Vec::new();
        let Some(tools) = config.get("tools") else {
            return (tiers, wrong);
        };
        if !tools.is_object() {
            wrong.push("`tools` is not a table, so it does not count".to_owned());
        }
        match tools.get("core") {
            None => {}
            Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
                tiers.core = names
                    .iter()
                    .filter_map(Value::as_str)
                    .map(ToOwned::to_owned)
                    .collect();
            }
            Some(_) => wrong.push("`tools.core` is not a list of names, so it does not count".to_owned()),
        }
        let mut flag = |key: &str, flag: &mut bool| match tools.get(key) {
            None => {}
            Some(Value::Bool(value)) => *flag = *value,
            Some(_) => wrong.push(format!(
                "`tools.{key}` is neither true nor false, so it does not count"
            )),
        };
        flag("defer_mcp_tools", &mut tiers.defer_mcp_tools);
        flag("truncate_descriptions", &mut tiers.truncate_tool_descriptions);
        flag(
            "truncate_tool_descriptions",
            &mut tiers.truncate_tool_descriptions,
        );
        (tiers, wrong)
    }

    /// The tier of a tool. Tools of MCP servers are listed in full or deferred, never collapsed.
    #[must_use]
    pub fn of(&self, tool: &Tool) -> Tier {
        let is = |name: &String| *name == tool.name || tool.kind.is_some() && *name == tool.tool;
        let is_mcp = tool.kind.is_none();
        if self.core.iter().any(is) {
            Tier::Core
        } else if is_mcp && self.defer_mcp_tools {
            Tier::Deferred
        } else if is_mcp || self.core.is_empty() || self.core.iter().any(|name| name == "*") {
            Tier::Core
        } else {
            Tier::Collapsed
        }
    }

    /// What listing a tool costs in the first list.
    #[must_use]
    pub fn cost(&self, tool: &Tool) -> Cost {
        let description = if self.truncate_tool_descriptions {
            first_sentence(&tool.description)
        } else {
            &tool.description
        };
        match self.of(tool) {
            Tier::Core => Cost::of(tool, description, tool.input_schema.get()),
            Tier::Collapsed => Cost::of(tool, &format!("{description}{SUFFIX}"), OPEN_SCHEMA),
            Tier::Deferred => Cost::default(),
        }
    }
}

/// The description up to its first full stop, question or exclamation mark that ends a sentence; the whole where
/// there is none.
fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', '!', '?']).find(|(at, end)| {
        let after = text.get(at + end.len()..).unwrap_or_default();
        let before = text.get(..*at).unwrap_or_default();
        let word = before
            .rsplit([' ', '(', '\n', ','])
            .next()
            .unwrap_or_default()
            .to_lowercase();
        after.starts_with(char::is_whitespace) && !ABBREVIATIONS.contains(&word.as_str())
    });
    ends.and_then(|(at, end)| text.get(..at + end.len()))
        .unwrap_or(text)
}

/// The tools that were found in a session, and so are listed from then on. The set of deferred tools only shrinks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promotions {
    found: BTreeSet<String>,
    generation: u64,
}

impl Promotions {
    /// Takes hits out of the deferred set; true if that changed the next list.
    pub fn promote<'a>(&mut self, tiers: &Tiers, hits: impl IntoIterator<Item = &'a Tool>) -> bool {
        let before = self.found.len();
        let deferred = hits.into_iter().filter(|tool| tiers.of(tool) == Tier::Deferred);
        self.found.extend(deferred.map(|tool| tool.name.clone()));
        let is_changed = self.found.len() > before;
        self.generation += u64::from(is_changed);
        is_changed
    }

    /// The tier of a tool in this session: in full once it was found.
    #[must_use]
    pub fn tier(&self, tiers: &Tiers, tool: &Tool) -> Tier {
        match tiers.of(tool) {
            Tier::Deferred if self.found.contains(&tool.name) => Tier::Core,
            tier => tier,
        }
    }

    /// How often the list has changed.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }
}

/// What an entry of a list costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cost {
    /// Bytes of the entry as compact JSON: name, title, description and schema.
    pub bytes: usize,
    /// Tokens, estimated: see [`estimated_tokens`].
    pub tokens_estimated: usize,
}

impl Cost {
    fn of(tool: &Tool, description: &str, schema: &str) -> Self {
        // {"name":…,"description":…,"inputSchema":…} and the comma behind it.
        let mut bytes = r#"{"name":,"description":,"inputSchema":},"#.len();
        bytes += json_length(&tool.name) + json_length(description) + schema.len();
        if let Some(title) = &tool.title {
            bytes += r#""title":,"#.len() + json_length(title);
        }
        Self {
            bytes,
            tokens_estimated: estimated_tokens(bytes),
        }
    }

    /// What a tool costs where everything is listed in full.
    #[must_use]
    pub fn in_full(tool: &Tool) -> Self {
        Self::of(tool, &tool.description, tool.input_schema.get())
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        let bytes = costs.map(|cost| cost.bytes).sum();
        Self {
            bytes,
            tokens_estimated: estimated_tokens(bytes),
        }
    }
}

/// Tokens for so many bytes of JSON: a quarter, rounded up. Models differ by about a third either way.
#[must_use]
pub const fn estimated_tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

/// The length of a text as a JSON string.
fn json_length(text: &str) -> usize {
    serde_json::to_string(text).map_or(text.len() + 2, |text| text.len())
}

/// What one tool costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolBudget {
    /// Its qualified name.
    pub name: String,
    /// Its tier.
    pub tier: Tier,
    /// What it costs in full.
    pub full: Cost,
    /// What it costs in the first list.
    pub listed: Cost,
}

/// What the tools of one server cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerBudget {
    /// The server.
    pub server: String,
    /// What its tools cost in full.
    pub full: Cost,
    /// What they cost in the first list.
    pub listed: Cost,
    /// Its tools, by name.
    pub tools: Vec<ToolBudget>,
}

/// What the first list costs, with and without tiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// What everything costs in full.
    pub full: Cost,
    /// What the first list costs.
    pub listed: Cost,
    /// The servers, by name.
    pub servers: Vec<ServerBudget>,
}

impl Budget {
    /// Adds up the tools of a catalogue, which stand by server and name.
    #[must_use]
    pub fn new(tools: &[Tool], tiers: &Tiers) -> Self {
        let servers: Vec<ServerBudget> = tools
            .chunk_by(|one, other| one.server == other.server)
            .map(|tools| {
                let budget = |tool: &Tool| ToolBudget {
                    name: tool.name.clone(),
                    tier: tiers.of(tool),
                    full: Cost::in_full(tool),
                    listed: tiers.cost(tool),
                };
                let listed: Vec<ToolBudget> = tools.iter().map(budget).collect();
                ServerBudget {
                    server: tools.first().map(|tool| tool.server.clone()).unwrap_or_default(),
                    full: listed.iter().map(|tool| tool.full).sum(),
                    listed: listed.iter().map(|tool| tool.listed).sum(),
                    tools: listed,
                }
            })
            .collect();
        Self {
            full: servers.iter().map(|server| server.full).sum(),
            listed: servers.iter().map(|server| server.listed).sum(),
            servers,
        }
    }
}

/// JSON without the white space between its tokens.
#[must_use]
pub(super) fn compact(json: &str) -> String {
    if json == NO_SCHEMA {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for character in json.chars() {
        if is_string || !character.is_ascii_whitespace() {
            text.push(character);
        }
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::ComponentKind;
    use crate::tools::catalogue::{Catalogue, Source};

    fn tools() -> Vec<Tool> {
        let text = r#"{"git":[{"name":"log","description":"Shows commits. And more.","inputSchema":{"type":"object"}},{"name":"add"}]}"#;
        let mcp = Source {
            name: "c".into(),
            server: "c".into(),
            kind: None,
            bytes: text.as_bytes(),
        };
        let text = r#"[{"server":"skill","name":"deploy","description":"Deploys, e.g. to staging. Carefully.","inputSchema":{"type":"object","properties":{"where":{"type":"string","description":"the place"}}}}]"#;
        let kind = Some(ComponentKind::Skill);
        let skills = Source {
            name: "s".into(),
            server: "s".into(),
            kind,
            bytes: text.as_bytes(),
        };
        Catalogue::read(&[mcp, skills]).unwrap().tools
    }

    fn tiers(config: &Value) -> Vec<Tier> {
        let (tiers, wrong) = Tiers::from_config(config);
        assert!(wrong.is_empty(), "{wrong:?}");
        tools().iter().map(|tool| tiers.of(tool)).collect()
    }

    #[test]
    fn only_what_is_no_mcp_tool_is_collapsed() {
        use Tier::{Collapsed, Core, Deferred};
        // git__add, git__log, skill__deploy
        assert_eq!(tiers(&json!({})), [Core, Core, Core]);
        assert_eq!(tiers(&json!({"tools": {"core": []}})), [Core, Core, Core]);
        assert_eq!(tiers(&json!({"tools": {"core": ["x", "*"]}})), [Core, Core, Core]);
        assert_eq!(tiers(&json!({"tools": {"core": ["x"]}})), [Core, Core, Collapsed]);
        assert_eq!(tiers(&json!({"tools": {"core": ["deploy"]}})), [Core, Core, Core]);
        assert_eq!(
            tiers(&json!({"tools": {"core": ["git__log"], "defer_mcp_tools": true}})),
            [Deferred, Core, Collapsed]
        );
    }

    #[test]
    fn values_of_the_wrong_type_do_not_count() {
        let config = json!({"tools": {"core": "x", "defer_mcp_tools": 1, "truncate_descriptions": true}});
        let (tiers, wrong) = Tiers::from_config(&config);
        assert_eq!(
            tiers,
            Tiers {
                truncate_tool_descriptions: true,
                ..Tiers::default()
            }
        );
        assert_eq!(wrong.len(), 2);
        assert_eq!(Tiers::from_config(&json!({"tools": []})).1.len(), 1);
    }

    #[test]
    fn what_was_found_is_listed_from_then_on() {
        let tools = tools();
        let tiers = Tiers {
            defer_mcp_tools: true,
            ..Tiers::default()
        };
        let mut session = Promotions::default();
        assert!(!session.promote(&tiers, &tools[2..]));
        assert_eq!(session.generation(), 0);
        assert!(session.promote(&tiers, &tools[..1]));
        assert!(!session.promote(&tiers, &tools[..1]));
        assert_eq!(session.generation(), 1);
        assert_eq!(session.tier(&tiers, &tools[0]), Tier::Core);
        assert_eq!(session.tier(&tiers, &tools[1]), Tier::Deferred);
    }

    #[test]
    fn a_budget_adds_up_what_is_listed() {
        let tools = tools();
        let everything = Budget::new(&tools, &Tiers::default());
        assert_eq!(everything.full, everything.listed);
        let entry = r#"{"name":"git__log","description":"Shows commits. And more.","inputSchema":{"type":"object"}},"#;
        assert_eq!(everything.servers[0].tools[1].full.bytes, entry.len());
        let tiers = Tiers {
            core: vec!["x".into()],
            defer_mcp_tools: true,
            truncate_tool_descriptions: true,
        };
        let budget = Budget::new(&tools, &tiers);
        assert_eq!(budget.servers[0].listed.bytes, 0);
        assert_eq!(budget.servers[1].tools[0].tier, Tier::Collapsed);
        assert!(budget.listed.bytes < budget.full.bytes);
        assert_eq!(budget.full, everything.full);
    }

    #[test]
    fn a_first_sentence_ends_where_a_reader_would_say() {
        for (text, expected) in [
            (
                "Deploys, e.g. to staging. Carefully.",
                "Deploys, e.g. to staging.",
            ),
            ("Reads v1.2 files", "Reads v1.2 files"),
            ("Why? Because.", "Why?"),
            ("One.", "One."),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected);
        }
    }

    #[test]
    fn only_white_space_between_tokens_goes() {
        assert_eq!(compact("{ \"a b\\\" \" : [ 1,\n\t2 ] }"), "{\"a b\\\" \":[1,2]}");
    }
}
