//! What one session has reached: which tools are visible, and every way to change that.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::outcome::milliseconds;
use super::{
    Change, ClauseKind, HideOutcome, OperationEffect, Pending, Rules, ShowOutcome, Stage, StageError,
    ToolRegistry, ToolRule, TriggerRule, Unlocked,
};

/// What the registry asks of whoever knows the tools.
pub trait KnownTools {
    /// Whether there is a tool of this qualified name. None where nobody knows.
    fn is_known(&self, name: &str) -> Option<bool>;
    /// The whole input schema of a tool.
    fn schema(&self, name: &str) -> Option<Value>;
    /// What a tool does, in its server's words. None where nobody knows.
    fn description(&self, _name: &str) -> Option<String> {
        None
    }
    /// The known names nearest to one that is not known.
    fn nearest(&self, name: &str) -> Vec<String>;
    /// The server that a qualified name speaks of, where it is known that there is none of that name.
    fn stray_server(&self, _name: &str) -> Option<String> {
        None
    }
    /// Whether the operator allows a tool.
    fn is_allowed(&self, _name: &str) -> bool {
        true
    }
}

/// No catalogue: every name may be a tool's, and no schema is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCatalogue;

impl KnownTools for NoCatalogue {
    fn is_known(&self, _name: &str) -> Option<bool> {
        None
    }

    fn schema(&self, _name: &str) -> Option<Value> {
        None
    }

    fn nearest(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What a session has done with one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolState {
    /// When it was unlocked or last used; none if it never was unlocked.
    pub(super) used_at: Option<Duration>,
    /// How many calls of it are under way: its lease does not run out meanwhile.
    pub(super) in_flight: u32,
    /// Somebody hid it. Remembered until it is shown, also over a trigger.
    pub(super) hidden: bool,
}

/// What one session has reached under the rules.
///
/// Time is a duration on a clock of the caller's that never goes back, such as the time since the program started;
/// leases are judged whenever visibility is asked for, so nobody has to sweep.
#[derive(Clone, Debug)]
pub struct DiscoveryRegistry {
    pub(super) stages: ToolRegistry,
    pub(super) tools: BTreeMap<String, ToolState>,
}

impl DiscoveryRegistry {
    /// A session that has reached nothing yet.
    #[must_use]
    pub const fn new(rules: Arc<Rules>) -> Self {
        Self {
            stages: ToolRegistry::new(rules),
            tools: BTreeMap::new(),
        }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.stages.rules()
    }

    /// Stage and domain.
    #[must_use]
    pub const fn stages(&self) -> &ToolRegistry {
        &self.stages
    }

    /// Adds a trigger, unless there is one that does the same on the same calls. Says whether it was added.
    pub fn register_trigger(&mut self, trigger: TriggerRule) -> bool {
        if self
            .rules()
            .triggers
            .iter()
            .any(|known| known.is_same_as(&trigger))
        {
            return false;
        }
        let mut rules = Arc::clone(self.stages.shared_rules());
        Arc::make_mut(&mut rules).triggers.push(trigger);
        self.replace_rules(rules);
        true
    }

    /// Adds a tool that the given triggers unlock, or replaces its rule; what the session has done with the tool
    /// stays as it is. Each trigger unlocks the tool, whether it says so itself or not.
    pub fn register_discoverable_tool(&mut self, tool: ToolRule, discovered_by: Vec<TriggerRule>) {
        for mut trigger in discovered_by {
            if !trigger.unlocks.iter().any(|(name, _)| *name == tool.name) {
                trigger.unlocks.push((tool.name.clone(), trigger.position));
            }
            self.register_trigger(trigger);
        }
        self.stages.register(tool);
    }

    fn replace_rules(&mut self, rules: Arc<Rules>) {
        let mut stages = ToolRegistry::new(rules);
        let (stage, domain) = (
            self.stages.get_current_stage().to_owned(),
            self.stages.get_active_domain(),
        );
        // The stages are those of before, so this cannot be refused.
        let _ = stages.advance_to_stage(&stage, domain);
        self.stages = stages;
    }

    /// Goes on to a stage.
    ///
    /// # Errors
    ///
    /// An unknown stage, or one that comes before the one that is reached.
    pub fn advance_to_stage(&mut self, stage: &str, domain: Option<&str>) -> Result<(), StageError> {
        self.stages.advance_to_stage(stage, domain)
    }

    /// Makes a domain the active one, or none.
    pub fn set_active_domain(&mut self, domain: Option<&str>) {
        self.stages.set_active_domain(domain);
    }

    /// Tells the registry that an operation of a hub ended. Only one that succeeded unlocks anything.
    ///
    /// Every trigger is judged by the stage at which the call was made; the stage advances afterwards.
    pub fn on_operation_called(
        &mut self,
        hub: &str,
        arguments: Option<&Value>,
        succeeded: bool,
        known: &dyn KnownTools,
        now: Duration,
    ) -> OperationEffect {
        let mut effect = OperationEffect::default();
        if !succeeded {
            return effect;
        }
        let before = self.visible_governed_tools(known, now);
        let rules = Arc::clone(self.stages.shared_rules());
        let mut reasons: BTreeMap<&str, &TriggerRule> = BTreeMap::new();
        let mut advance: Option<Stage> = None;
        for trigger in rules
            .triggers
            .iter()
            .filter(|trigger| fires(trigger, hub, arguments))
        {
            if trigger.requires_stage > self.stages.stage() {
                self.note_pending(trigger, &rules, &mut effect);
                continue;
            }
            advance = advance.max(trigger.advance);
            for (name, _) in &trigger.unlocks {
                reasons.entry(name).or_insert(trigger);
                self.tools.entry(name.clone()).or_default().used_at = Some(now);
            }
        }
        if let Some(stage) = advance.filter(|stage| *stage > self.stages.stage()) {
            let name = rules.stage_name(stage);
            // Known, and not behind: both were just checked.
            let _ = self.stages.advance_to_stage(name, None);
            effect.advanced_to = Some(name.to_owned());
        }
        for (name, trigger) in reasons {
            if !self.is_visible(name, known, now) {
                let hidden = self.tools.get(name).is_some_and(|state| state.hidden);
                if hidden {
                    &mut effect.hidden
                } else {
                    &mut effect.withheld
                }
                .push(name.to_owned());
            } else if before
                .binary_search_by(|visible| visible.as_str().cmp(name))
                .is_ok()
            {
                effect.already_visible.push(name.to_owned());
            } else {
                effect.newly_discovered.push(self.unlocked(name, trigger, known));
            }
        }
        effect
            .pending
            .retain(|pending| !effect.newly_discovered.iter().any(|new| new.tool == pending.tool));
        effect.message = message(&effect.newly_discovered);
        effect
    }

    fn note_pending(&self, trigger: &TriggerRule, rules: &Rules, effect: &mut OperationEffect) {
        for (name, _) in &trigger.unlocks {
            if effect.pending.iter().any(|pending| pending.tool == *name) {
                continue;
            }
            let required_stage = rules.stage_name(trigger.requires_stage).to_owned();
            effect.pending.push(Pending {
                tool: name.clone(),
                current_stage: self.stages.get_current_stage().to_owned(),
                next: format!(
                    "reach stage `{required_stage}`, then call {} again",
                    trigger.call()
                ),
                required_stage,
            });
        }
    }

    fn unlocked(&self, name: &str, trigger: &TriggerRule, known: &dyn KnownTools) -> Unlocked {
        let rule = self.rules().tool(name);
        let description = rule.and_then(|rule| {
            rule.discovered_description
                .as_deref()
                .or_else(|| rule.description_at(self.stages.stage()))
        });
        Unlocked {
            tool: name.to_owned(),
            trigger: trigger.call(),
            why: trigger
                .description
                .clone()
                .unwrap_or_else(|| format!("{} succeeded", trigger.call())),
            expires_in_ms: rule.and_then(|rule| rule.auto_hide_after).map(milliseconds),
            description: description.map(str::to_owned).or_else(|| known.description(name)),
            schema: known.schema(name),
        }
    }

    /// A call of a tool begins: its lease is renewed, and held while the call is under way.
    pub fn begin_call(&mut self, name: &str, now: Duration) {
        if let Some(state) = self.tools.get_mut(name).filter(|state| state.used_at.is_some()) {
            state.used_at = Some(now);
            state.in_flight = state.in_flight.saturating_add(1);
        }
    }

    /// A call of a tool ended, however it ended: its lease is renewed and runs again.
    pub fn end_call(&mut self, name: &str, now: Duration) {
        if let Some(state) = self.tools.get_mut(name).filter(|state| state.in_flight > 0) {
            state.used_at = Some(now);
            state.in_flight -= 1;
        }
    }

    /// A tool was used in an instant: renews its lease if it is visible. Says whether it was.
    pub fn mark_tool_used(&mut self, name: &str, known: &dyn KnownTools, now: Duration) -> bool {
        let visible = self.is_visible(name, known, now);
        if visible && let Some(state) = self.tools.get_mut(name).filter(|state| state.used_at.is_some()) {
            state.used_at = Some(now);
        }
        visible
    }

    /// Hides a tool until it is shown, also if a trigger unlocks it meanwhile.
    pub fn hide_tool(&mut self, name: &str, known: &dyn KnownTools, now: Duration) -> HideOutcome {
        if self.is_unknown(name, known) {
            return HideOutcome::Unknown {
                suggestions: self.nearest(name, known),
            };
        }
        if !known.is_allowed(name) {
            return HideOutcome::Denied;
        }
        let was_visible = self.is_visible(name, known, now);
        self.tools.entry(name.to_owned()).or_default().hidden = true;
        if was_visible {
            HideOutcome::Hidden
        } else {
            HideOutcome::AlreadyHidden
        }
    }

    /// Shows a tool that was hidden, or whose lease ran out. It never shows what no trigger unlocked.
    pub fn show_tool(&mut self, name: &str, known: &dyn KnownTools, now: Duration) -> ShowOutcome {
        if self.is_unknown(name, known) {
            return ShowOutcome::Unknown {
                suggestions: self.nearest(name, known),
            };
        }
        if !known.is_allowed(name) {
            return ShowOutcome::Denied;
        }
        if self.is_visible(name, known, now) {
            return ShowOutcome::AlreadyVisible;
        }
        let rules = Arc::clone(self.stages.shared_rules());
        if self.is_discoverable(name) && !self.is_discovered(name) {
            let can_be_made = |trigger: &&TriggerRule| {
                trigger.requires_stage <= self.stages.stage() && self.is_visible(&trigger.hub, known, now)
            };
            let calls = rules.triggers_of(name).filter(can_be_made);
            let mut next: Vec<String> = calls.map(TriggerRule::call).collect();
            if next.is_empty() {
                let steps = super::plan::plan(self, name, known, now);
                next.extend(steps.iter().flatten().map(ToString::to_string));
            }
            return ShowOutcome::NeverUnlocked { next };
        }
        if let Some(rule) = rules.tool(name) {
            if !self.stages.reaches(rule) {
                return ShowOutcome::StageUnmet {
                    current_stage: self.stages.get_current_stage().to_owned(),
                    required_stage: rules.stage_name(rule.stage).to_owned(),
                };
            }
            if let Some(domain) = rule.domain.as_ref().filter(|_| !self.stages.is_in_domain(rule)) {
                return ShowOutcome::DomainUnmet {
                    required_domain: domain.clone(),
                };
            }
        }
        let state = self.tools.entry(name.to_owned()).or_default();
        state.hidden = false;
        if state.used_at.is_some() {
            state.used_at = Some(now);
        }
        ShowOutcome::Shown
    }

    /// The tools that were unlocked in this session, by name, visible or not.
    #[must_use]
    pub fn get_discovered_tools(&self) -> Vec<&str> {
        self.tools
            .iter()
            .filter(|(_, state)| state.used_at.is_some())
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// The tools that some trigger unlocks, by name.
    #[must_use]
    pub fn get_all_discoverable_tools(&self) -> Vec<&str> {
        self.rules()
            .governed_tools()
            .into_iter()
            .filter(|name| self.is_discoverable(name))
            .collect()
    }

    /// Whether a tool was unlocked in this session.
    #[must_use]
    pub fn is_discovered(&self, name: &str) -> bool {
        self.tools.get(name).is_some_and(|state| state.used_at.is_some())
    }

    /// Whether some trigger unlocks a tool, so that it is hidden until one does.
    #[must_use]
    pub fn is_discoverable(&self, name: &str) -> bool {
        self.rules().triggers_of(name).next().is_some()
    }

    /// The triggers on an operation of a hub, in the order of the rules.
    #[must_use]
    pub fn get_triggers_for(&self, hub: &str, operation: &str) -> Vec<TriggerRule> {
        let fits = |trigger: &&TriggerRule| trigger.hub == hub && trigger.operation == operation;
        self.rules().triggers.iter().filter(fits).cloned().collect()
    }

    /// The tools whose lease has run out by now, by name. Nothing has to be done about them: they are not visible.
    #[must_use]
    pub fn process_auto_hide(&self, known: &dyn KnownTools, now: Duration) -> Vec<String> {
        let ran_out = |name: &&String| {
            let clauses = self.clauses(name, known, now);
            clauses
                .iter()
                .any(|clause| clause.clause == ClauseKind::Lease && !clause.holds)
        };
        self.tools.keys().filter(ran_out).cloned().collect()
    }

    /// Back to the beginning: first stage, no domain, nothing unlocked, nothing hidden. Rules stay.
    pub fn reset(&mut self) {
        self.stages.reset();
        self.tools.clear();
    }

    /// What changed since these tools were hidden, by name.
    #[must_use]
    pub fn change_since(&self, hidden: &[String], known: &dyn KnownTools, now: Duration) -> Change {
        Change::between(&self.hidden_tools(known, now), hidden)
    }

    fn is_unknown(&self, name: &str, known: &dyn KnownTools) -> bool {
        let governed = self.rules().governed_tools();
        match known.is_known(name) {
            Some(is_known) => !is_known,
            None => governed.binary_search(&name).is_err(),
        }
    }

    pub(super) fn nearest(&self, name: &str, known: &dyn KnownTools) -> Vec<String> {
        let suggestions = known.nearest(name);
        if suggestions.is_empty() {
            return crate::model::nearest(name, self.rules().governed_tools());
        }
        suggestions
    }
}

/// Whether a trigger is about this call. The operation is the hub's argument of the name that the trigger gives.
fn fires(trigger: &TriggerRule, hub: &str, arguments: Option<&Value>) -> bool {
    trigger.hub == hub
        && arguments
            .and_then(|arguments| arguments.get(&trigger.operation_argument))
            .and_then(Value::as_str)
            .is_some_and(|operation| operation == trigger.operation)
        && trigger.arguments.hold(arguments)
}

fn message(unlocked: &[Unlocked]) -> Option<String> {
    let names: Vec<&str> = unlocked.iter().map(|unlocked| unlocked.tool.as_str()).collect();
    match names.as_slice() {
        [] => None,
        [name] => Some(format!("Tool unlocked: {name}")),
        names => Some(format!("Tools unlocked: {}", names.join(", "))),
    }
}
