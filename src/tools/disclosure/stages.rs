//! Stages: an order in which a session goes on, and what each of them enables.

use std::sync::Arc;

use super::{Rules, Stage, StageError, ToolRule};

/// The stage and domain of one session, and which tools they enable.
///
/// This is one clause of visibility of two; [`DiscoveryRegistry`](super::DiscoveryRegistry) holds one of these and
/// adds the rest.
#[derive(Clone, Debug)]
pub struct ToolRegistry {
    rules: Arc<Rules>,
    stage: Stage,
    domain: Option<String>,
}

impl ToolRegistry {
    /// A session at the first stage, without a domain.
    #[must_use]
    pub const fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            stage: Stage(0),
            domain: None,
        }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) const fn shared_rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Adds or replaces the rule of a tool; what is reached stays reached.
    pub fn register(&mut self, tool: ToolRule) {
        let rules = Arc::make_mut(&mut self.rules);
        match rules.tools.iter_mut().find(|known| known.name == tool.name) {
            Some(known) => *known = tool,
            None => rules.tools.push(tool),
        }
    }

    /// Goes on to a stage; stages may be left out, and the same stage again changes only the domain.
    ///
    /// # Errors
    ///
    /// An unknown stage, or one that comes before the one that is reached.
    pub fn advance_to_stage(&mut self, stage: &str, domain: Option<&str>) -> Result<(), StageError> {
        let wanted = self.rules.stage(stage).ok_or_else(|| StageError::Unknown {
            name: stage.to_owned(),
            known: self.rules.stages.clone(),
        })?;
        if wanted < self.stage {
            return Err(StageError::Backwards {
                requested: stage.to_owned(),
                current: self.get_current_stage().to_owned(),
            });
        }
        self.stage = wanted;
        if let Some(domain) = domain {
            self.domain = Some(domain.to_owned());
        }
        Ok(())
    }

    /// Name of the stage that is reached.
    #[must_use]
    pub fn get_current_stage(&self) -> &str {
        self.rules.stage_name(self.stage)
    }

    /// The stage that is reached.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// The domain that is active.
    #[must_use]
    pub fn get_active_domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// Makes a domain the active one, or none.
    pub fn set_active_domain(&mut self, domain: Option<&str>) {
        self.domain = domain.map(str::to_owned);
    }

    /// The tools with a rule that stage and domain enable, by name.
    #[must_use]
    pub fn get_enabled_tools(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .rules
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .filter(|name| self.is_tool_enabled(name))
            .collect();
        names.sort_unstable();
        names
    }

    /// Whether stage and domain enable a tool; one without a rule needs neither.
    #[must_use]
    pub fn is_tool_enabled(&self, name: &str) -> bool {
        self.rules
            .tool(name)
            .is_none_or(|tool| self.reaches(tool) && self.is_in_domain(tool))
    }

    pub(super) fn reaches(&self, tool: &ToolRule) -> bool {
        tool.stage <= self.stage
    }

    pub(super) fn is_in_domain(&self, tool: &ToolRule) -> bool {
        tool.domain.is_none() || tool.domain == self.domain
    }

    /// Back to the first stage, without a domain.
    pub fn reset(&mut self) {
        self.stage = Stage::default();
        self.domain = None;
    }
}
