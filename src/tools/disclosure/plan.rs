//! What would make a tool visible, step by step, so that each step can be done when its turn comes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use super::{ClauseKind, DiscoveryRegistry, KnownTools, Stage, ToolRule, TriggerRule, lint};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make a call that fires a trigger.
    Call {
        /// The call, in words.
        call: String,
        /// The stage that it is made for, if it is made for one.
        reaches: Option<String>,
    },
    /// Let the program that serves the rules advance, since no call does.
    Advance(String),
    /// Make a domain the active one.
    Domain(String),
    /// Show a tool that was hidden, or whose lease ran out.
    Show(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { call, reaches: None } => write!(f, "call {call}"),
            Self::Call {
                call,
                reaches: Some(stage),
            } => write!(f, "call {call} (to reach stage `{stage}`)"),
            Self::Advance(stage) => write!(f, "advance to stage `{stage}`"),
            Self::Domain(domain) => write!(f, "make `{domain}` the active domain"),
            Self::Show(name) => write!(f, "show {name}"),
        }
    }
}

/// The steps that make a tool visible; none if nothing does. Leases that run out meanwhile are not foreseen.
///
/// What can be done is done in rounds until the tool can be had, and then those rounds are gone back through for what
/// it really took. Takes time in proportion to the number of triggers and of rounds, of which there are at most as many.
pub(super) fn plan(
    registry: &DiscoveryRegistry,
    name: &str,
    known: &dyn KnownTools,
    now: Duration,
) -> Option<Vec<Step>> {
    let mut planning = Planning::new(registry, known, now);
    planning.explore(name)?;
    Some(planning.steps(name))
}

/// Something that brings the session further, and the round in which it can be done for the first time.
#[derive(Clone, Copy)]
enum Action<'a> {
    Fire(&'a TriggerRule, usize),
    Advance(Stage),
}

struct Planning<'a> {
    registry: &'a DiscoveryRegistry,
    known: &'a dyn KnownTools,
    now: Duration,
    rules: HashMap<&'a str, &'a ToolRule>,
    /// The tools that some trigger unlocks.
    locked: HashSet<&'a str>,
    actions: Vec<Action<'a>>,
    /// The stage after all actions.
    stage: Stage,
    /// Which action unlocks a tool first.
    unlocked_by: HashMap<&'a str, usize>,
    /// Which action reaches a stage, in rising order.
    reached_by: Vec<(Stage, usize)>,
}

impl<'a> Planning<'a> {
    fn new(registry: &'a DiscoveryRegistry, known: &'a dyn KnownTools, now: Duration) -> Self {
        let rules = registry.rules();
        let unlocks = rules.triggers.iter().flat_map(|trigger| &trigger.unlocks);
        Self {
            registry,
            known,
            now,
            rules: rules
                .tools
                .iter()
                .map(|tool| (tool.name.as_str(), tool))
                .collect(),
            locked: unlocks.map(|(name, _)| name.as_str()).collect(),
            actions: Vec::new(),
            stage: registry.stages().stage(),
            unlocked_by: HashMap::new(),
            reached_by: Vec::new(),
        }
    }

    fn is_locked(&self, name: &str) -> bool {
        self.locked.contains(name) && !self.registry.is_discovered(name)
    }

    /// Whether a tool can be had after the actions so far, but for its domain and for being shown.
    fn can_be_had(&self, name: &str) -> bool {
        self.known.is_known(name) != Some(false)
            && self.known.is_allowed(name)
            && self.rules.get(name).is_none_or(|rule| rule.stage <= self.stage)
            && (!self.is_locked(name) || self.unlocked_by.contains_key(name))
    }

    /// Does what can be done until a tool can be had. Only where no call leads on, the program has to.
    fn explore(&mut self, name: &str) -> Option<()> {
        let rules = self.registry.rules();
        let last = u32::try_from(rules.stages.len())
            .ok()?
            .checked_sub(1)
            .map(Stage)?;
        let mut waiting: Vec<&TriggerRule> = rules
            .triggers
            .iter()
            .filter(|trigger| lint::orphan(trigger, self.known).is_none())
            .collect();
        let mut round = 0;
        while !self.can_be_had(name) {
            let (firing, rest): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|trigger| trigger.requires_stage <= self.stage && self.can_be_had(&trigger.hub));
            waiting = rest;
            if firing.is_empty() {
                if self.stage >= last {
                    return None;
                }
                self.reach(Stage(self.stage.0 + 1));
                self.actions.push(Action::Advance(self.stage));
            }
            for trigger in firing {
                let place = self.actions.len();
                for (unlocked, _) in &trigger.unlocks {
                    self.unlocked_by.entry(unlocked).or_insert(place);
                }
                if let Some(stage) = trigger.advance.filter(|stage| *stage <= last) {
                    self.reach(stage);
                }
                self.actions.push(Action::Fire(trigger, round));
            }
            round += 1;
        }
        Some(())
    }

    /// Notes that the next action reaches a stage.
    fn reach(&mut self, stage: Stage) {
        if stage > self.stage {
            self.stage = stage;
            self.reached_by.push((stage, self.actions.len()));
        }
    }

    /// The action that reaches a stage; none if it is reached already.
    fn action_for(&self, stage: Stage) -> Option<usize> {
        if stage <= self.registry.stages().stage() {
            return None;
        }
        let reaches = self.reached_by.iter().find(|(reached, _)| *reached >= stage);
        reaches.map(|(_, place)| *place)
    }

    /// The actions that a tool takes, in order, and those that are there for a stage.
    fn needed(&self, name: &'a str) -> (BTreeSet<usize>, HashSet<usize>) {
        let (mut needed, mut for_stages) = (BTreeSet::new(), HashSet::new());
        let mut tools = vec![name];
        let mut stages: Vec<Stage> = Vec::new();
        loop {
            let mut added: Vec<usize> = Vec::new();
            if let Some(stage) = stages.pop() {
                let place = self.action_for(stage);
                for_stages.extend(place);
                added.extend(place);
            } else if let Some(tool) = tools.pop() {
                stages.extend(self.rules.get(tool).map(|rule| rule.stage));
                if self.is_locked(tool) {
                    added.extend(self.unlocked_by.get(tool));
                }
            } else {
                return (needed, for_stages);
            }
            for place in added.into_iter().filter(|place| needed.insert(*place)) {
                if let Some(Action::Fire(trigger, _)) = self.actions.get(place) {
                    tools.push(&trigger.hub);
                    stages.push(trigger.requires_stage);
                }
            }
        }
    }

    fn steps(&self, name: &'a str) -> Vec<Step> {
        let rules = self.registry.rules();
        let (needed, for_stages) = self.needed(name);
        let mut steps: Vec<Step> = Vec::new();
        let mut domain = self.registry.stages().get_active_domain();
        let mut shown: HashSet<&str> = HashSet::new();
        // The calls of one round: one that is made for two things is made once.
        let mut calls: HashMap<(usize, String), usize> = HashMap::new();
        for place in needed {
            match self.actions.get(place) {
                None => {}
                Some(Action::Advance(stage)) => {
                    steps.push(Step::Advance(rules.stage_name(*stage).to_owned()))
                }
                Some(Action::Fire(trigger, round)) => {
                    let advance = trigger.advance.filter(|_| for_stages.contains(&place));
                    let reaches = advance.map(|stage| rules.stage_name(stage).to_owned());
                    let call = trigger.call();
                    let made = calls.get(&(*round, call.clone())).copied();
                    if let Some(Step::Call { reaches: known, .. }) = made.and_then(|at| steps.get_mut(at)) {
                        *known = known.take().or(reaches);
                        continue;
                    }
                    self.make_ready(&trigger.hub, &mut domain, &mut shown, &mut steps);
                    calls.insert((*round, call.clone()), steps.len());
                    steps.push(Step::Call { call, reaches });
                }
            }
        }
        self.make_ready(name, &mut domain, &mut shown, &mut steps);
        steps
    }

    /// What is left to do for a tool that stage and triggers let through: its domain, and showing it.
    fn make_ready(
        &self,
        name: &'a str,
        domain: &mut Option<&'a str>,
        shown: &mut HashSet<&'a str>,
        steps: &mut Vec<Step>,
    ) {
        let own = self.rules.get(name).and_then(|rule| rule.domain.as_deref());
        if own.is_some() && own != *domain {
            *domain = own;
            steps.extend(own.map(|own| Step::Domain(own.to_owned())));
        }
        let is_away = self
            .registry
            .clauses(name, self.known, self.now)
            .iter()
            .any(|clause| {
                !clause.holds && matches!(clause.clause, ClauseKind::Lease | ClauseKind::NotHidden)
            });
        if is_away && shown.insert(name) {
            steps.push(Step::Show(name.to_owned()));
        }
    }
}
