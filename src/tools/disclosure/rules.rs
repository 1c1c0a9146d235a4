//! The rules of disclosure as data.

use std::time::Duration;

use super::ArgumentConditions;
use crate::parse::Position;

/// The stages of a file that names none, first to last.
pub const DEFAULT_STAGES: [&str; 4] = ["entry", "init_complete", "cipher_loaded", "domain_active"];

/// A stage by its place in the order: comparing stages is comparing places, so an unknown name can never pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage(pub u32);

impl Stage {
    /// What a name that is no stage's is read as: a stage that is never reached, so that nothing passes by a slip of
    /// the pen.
    pub const NEVER: Self = Self(u32::MAX);
}

/// What a tool needs to be visible.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRule {
    /// Qualified name.
    pub name: String,
    /// Least stage.
    pub stage: Stage,
    /// Domain that must be active.
    pub domain: Option<String>,
    /// How long an unlocked tool stays visible without being used.
    pub auto_hide_after: Option<Duration>,
    /// Description while it is hidden, for a person who asks.
    pub hidden_description: Option<String>,
    /// Description once it was unlocked.
    pub discovered_description: Option<String>,
    /// Description from a stage on; later stages fall back to earlier ones.
    pub stage_descriptions: Vec<(Stage, String)>,
    /// Where the rule stands in its file.
    pub position: Position,
}

impl ToolRule {
    /// A rule that asks for nothing.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            stage: Stage::default(),
            domain: None,
            auto_hide_after: None,
            hidden_description: None,
            discovered_description: None,
            stage_descriptions: Vec::new(),
            position: Position { line: 1, column: 1 },
        }
    }

    /// The description at a stage: that of the stage, or of the nearest one before it.
    #[must_use]
    pub fn description_at(&self, stage: Stage) -> Option<&str> {
        self.stage_descriptions
            .iter()
            .filter(|(from, _)| *from <= stage)
            .max_by_key(|(from, _)| *from)
            .map(|(_, text)| text.as_str())
    }
}

/// Which operation unlocks which tools.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerRule {
    /// Qualified name of the tool that is called.
    pub hub: String,
    /// The operation, compared with the hub's argument named by `operation_argument`.
    pub operation: String,
    /// Name of the argument that says which operation is meant.
    pub operation_argument: String,
    /// What the other arguments must be; all must hold.
    pub arguments: ArgumentConditions,
    /// Qualified names of the tools that it unlocks.
    pub unlocks: Vec<(String, Position)>,
    /// Why, for people and agents.
    pub description: Option<String>,
    /// Least stage.
    pub requires_stage: Stage,
    /// Stage that success advances to.
    pub advance: Option<Stage>,
    /// Where the trigger stands in its file.
    pub position: Position,
}

impl TriggerRule {
    /// The usual name of the argument that says which operation is meant.
    pub const OPERATION_ARGUMENT: &'static str = "operation";

    /// A trigger without conditions that unlocks these tools.
    #[must_use]
    pub fn new(hub: impl Into<String>, operation: impl Into<String>, unlocks: &[&str]) -> Self {
        let position = Position { line: 1, column: 1 };
        Self {
            hub: hub.into(),
            operation: operation.into(),
            operation_argument: Self::OPERATION_ARGUMENT.to_owned(),
            arguments: ArgumentConditions::default(),
            unlocks: unlocks
                .iter()
                .map(|name| ((*name).to_owned(), position))
                .collect(),
            description: None,
            requires_stage: Stage::default(),
            advance: None,
            position,
        }
    }

    /// Whether two triggers fire on the same calls and do the same: then one of them is one too many.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let names = |trigger: &Self| {
            let mut names: Vec<String> = trigger.unlocks.iter().map(|(name, _)| name.clone()).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        (
            &self.hub,
            &self.operation,
            &self.operation_argument,
            self.requires_stage,
            self.advance,
        ) == (
            &other.hub,
            &other.operation,
            &other.operation_argument,
            other.requires_stage,
            other.advance,
        ) && names(self) == names(other)
            && self.arguments.are_same_as(&other.arguments)
    }

    /// The call that fires it, in words.
    #[must_use]
    pub fn call(&self) -> String {
        let call = format!(
            "{} with {} = \"{}\"",
            self.hub, self.operation_argument, self.operation
        );
        match self.arguments.describe() {
            conditions if conditions.is_empty() => call,
            conditions => format!("{call} and {conditions}"),
        }
    }
}

/// The rules of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Names of the stages, first to last; never empty.
    pub stages: Vec<String>,
    /// What tools need; a tool without an entry here that no trigger unlocks is always visible.
    pub tools: Vec<ToolRule>,
    /// What unlocks tools, in the order of the file.
    pub triggers: Vec<TriggerRule>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            stages: DEFAULT_STAGES.map(str::to_owned).to_vec(),
            tools: Vec::new(),
            triggers: Vec::new(),
        }
    }
}

impl Rules {
    /// The stage of this name.
    #[must_use]
    pub fn stage(&self, name: &str) -> Option<Stage> {
        let place = self.stages.iter().position(|stage| stage == name)?;
        u32::try_from(place).ok().map(Stage)
    }

    /// The name of a stage.
    #[must_use]
    pub fn stage_name(&self, stage: Stage) -> &str {
        self.stages.get(stage.0 as usize).map_or("", String::as_str)
    }

    /// The rule of a tool, where it has one.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolRule> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Every tool that the rules speak of as one that may be hidden, by name: with an entry, or unlocked by a trigger.
    #[must_use]
    pub fn governed_tools(&self) -> Vec<&str> {
        let unlocked = self
            .triggers
            .iter()
            .flat_map(|trigger| trigger.unlocks.iter().map(|(name, _)| name.as_str()));
        let mut names: Vec<&str> = self
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .chain(unlocked)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The triggers that unlock a tool.
    pub fn triggers_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a TriggerRule> + use<'a> {
        self.triggers
            .iter()
            .filter(move |trigger| trigger.unlocks.iter().any(|(unlocked, _)| unlocked == name))
    }
}
