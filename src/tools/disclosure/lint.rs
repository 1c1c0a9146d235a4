//! What is wrong with rules that can be read: tools that nothing can ever show, triggers that can never fire.

use std::collections::{BTreeMap, BTreeSet};

use super::{KnownTools, Rules, Stage, TriggerRule};
use crate::model::{Code, Severity, nearest};
use crate::parse::{Position, Problem};

/// The answer of `tools lint`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lint {
    /// How many tools the rules speak of.
    pub tools: usize,
    /// How many of them some sequence of calls can make visible.
    pub reachable: usize,
    /// What is wrong, by line and column.
    pub findings: Vec<(Severity, Problem)>,
}

impl Lint {
    /// Whether the rules can be used: every tool is reachable and nothing is an error.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.reachable == self.tools
            && self
                .findings
                .iter()
                .all(|(severity, _)| *severity != Severity::Error)
    }
}

/// Judges rules. `unread` is what was wrong with reading them.
///
/// Every stage counts as reachable and every domain as one that can be made active, since whoever serves the rules may
/// advance by itself; what is judged is whether the calls that unlock a tool can be made at all. A stage that no trigger
/// leads to is told of as odd all the same: the gateway does not advance by itself.
#[must_use]
pub fn lint(rules: &Rules, unread: Vec<Problem>, known: &dyn KnownTools) -> Lint {
    let mut findings: Vec<(Severity, Problem)> = unread
        .into_iter()
        .map(|problem| (severity_of(problem.code), problem))
        .collect();
    let governed = rules.governed_tools();
    let reachable = reachable_tools(rules, known);
    let reached = reached_stage(rules, known, &reachable);
    findings.extend(strays(rules, known));
    let mut told = |severity, code, at: Position, message: String, help: String| {
        findings.push((severity, Problem::new(code, Some(at), message).with_help(help)));
    };
    for (index, trigger) in rules.triggers.iter().enumerate() {
        let earlier = rules
            .triggers
            .iter()
            .take(index)
            .find(|earlier| earlier.is_same_as(trigger));
        if let Some(earlier) = earlier {
            told(
                Severity::Error,
                Code::DuplicateTrigger,
                trigger.position,
                format!(
                    "does the same on the same calls as the trigger in line {}",
                    earlier.position.line
                ),
                "remove one of the two".to_owned(),
            );
        }
        if let Some((message, help)) = orphan(trigger, known) {
            told(
                Severity::Error,
                Code::OrphanTrigger,
                trigger.position,
                message,
                help,
            );
        } else if is_beyond(trigger.requires_stage, reached) {
            let stage = rules.stage_name(trigger.requires_stage);
            told(
                Severity::Warning,
                Code::OrphanTrigger,
                trigger.position,
                format!("requires the stage `{stage}`, which no trigger leads to"),
                NOBODY_ADVANCES.to_owned(),
            );
        }
        for (name, position) in &trigger.unlocks {
            match known.is_known(name) {
                Some(true) => {}
                Some(false) => {
                    let help = did_you_mean(&known.nearest(name));
                    told(
                        Severity::Error,
                        Code::UnknownTool,
                        *position,
                        format!("no server has a tool `{name}`"),
                        help,
                    );
                }
                None if rules.tool(name).is_some() => {}
                None => {
                    let names: Vec<&str> = rules.tools.iter().map(|tool| tool.name.as_str()).collect();
                    let near = nearest(name, names);
                    let help = match near.first() {
                        Some(near) => {
                            format!("did you mean `{near}`? or check against a catalogue with --catalog")
                        }
                        None => {
                            "add a [[tool]] for it, or check against a catalogue with --catalog".to_owned()
                        }
                    };
                    let message = format!("`{name}` is unlocked here and has no [[tool]] of its own");
                    told(Severity::Warning, Code::UnknownTool, *position, message, help);
                }
            }
        }
    }
    for tool in &rules.tools {
        if known.is_known(&tool.name) == Some(false) {
            let help = did_you_mean(&known.nearest(&tool.name));
            let message = format!("no server has a tool `{}`", tool.name);
            told(Severity::Error, Code::UnknownTool, tool.position, message, help);
        }
        if is_beyond(tool.stage, reached) {
            let stage = rules.stage_name(tool.stage);
            let message = format!(
                "`{}` needs the stage `{stage}`, which no trigger leads to",
                tool.name
            );
            told(
                Severity::Warning,
                Code::UnreachableTool,
                tool.position,
                message,
                NOBODY_ADVANCES.to_owned(),
            );
        }
        if tool.auto_hide_after.is_some() && rules.triggers_of(&tool.name).next().is_none() {
            let message = format!(
                "no trigger unlocks `{}`, so `auto_hide_after` does nothing",
                tool.name
            );
            told(
                Severity::Warning,
                Code::UselessLease,
                tool.position,
                message,
                "remove it, or add a trigger".to_owned(),
            );
        }
    }
    for name in governed.iter().filter(|name| !reachable.contains(**name)) {
        let position = position_of(rules, name);
        let (message, help) = match cycle(rules, name) {
            Some(cycle) => (
                format!(
                    "`{name}` can never be shown: to unlock it takes itself ({})",
                    cycle.join(" needs ")
                ),
                "let a tool that is visible from the start unlock one of them".to_owned(),
            ),
            None if rules.tool(name).is_some_and(|tool| tool.stage == Stage::NEVER) => (
                format!("`{name}` can never be shown: it needs a stage that there is not"),
                "name one of the stages".to_owned(),
            ),
            None => (
                format!("`{name}` can never be shown: no call that unlocks it can be made"),
                "mend the triggers that unlock it, or remove them".to_owned(),
            ),
        };
        told(Severity::Error, Code::UnreachableTool, position, message, help);
    }
    findings.sort_by(|(_, one), (_, other)| {
        (one.line, one.column, one.code).cmp(&(other.line, other.column, other.code))
    });
    Lint {
        tools: governed.len(),
        reachable: reachable.len(),
        findings,
    }
}

/// What to do where a stage is out of reach.
const NOBODY_ADVANCES: &str = "let a trigger `advance` to it: the gateway goes on to a stage by triggers only, other programs may by themselves";

/// Whether a stage is one that triggers do not lead to. One that there is not is told of elsewhere.
fn is_beyond(stage: Stage, reached: Stage) -> bool {
    stage > reached && stage != Stage::NEVER
}

/// The last stage that triggers lead to.
fn reached_stage(rules: &Rules, known: &dyn KnownTools, reachable: &BTreeSet<String>) -> Stage {
    let governed: BTreeSet<&str> = rules.governed_tools().into_iter().collect();
    let advancing: Vec<(&TriggerRule, Stage)> = rules
        .triggers
        .iter()
        .filter(|trigger| orphan(trigger, known).is_none())
        .filter(|trigger| !governed.contains(trigger.hub.as_str()) || reachable.contains(&trigger.hub))
        .filter_map(|trigger| Some((trigger, trigger.advance.filter(|stage| *stage != Stage::NEVER)?)))
        .collect();
    let mut reached = Stage::default();
    loop {
        let next = advancing
            .iter()
            .filter(|(trigger, _)| trigger.requires_stage <= reached)
            .filter(|(trigger, _)| rules.tool(&trigger.hub).is_none_or(|hub| hub.stage <= reached))
            .map(|(_, stage)| *stage)
            .max();
        match next {
            Some(next) if next > reached => reached = next,
            _ => return reached,
        }
    }
}

/// Servers that the rules speak of and nobody knows, each once.
fn strays(rules: &Rules, known: &dyn KnownTools) -> Vec<(Severity, Problem)> {
    let of_tools = rules.tools.iter().map(|tool| (tool.name.as_str(), tool.position));
    let of_triggers = rules.triggers.iter().flat_map(|trigger| {
        let unlocked = trigger.unlocks.iter().map(|(name, at)| (name.as_str(), *at));
        std::iter::once((trigger.hub.as_str(), trigger.position)).chain(unlocked)
    });
    let mut servers: BTreeMap<String, Vec<(Position, &str)>> = BTreeMap::new();
    for (name, at) in of_tools.chain(of_triggers) {
        let stray = known
            .stray_server(name)
            .filter(|_| known.is_known(name).is_none());
        if let Some(server) = stray {
            servers.entry(server).or_default().push((at, name));
        }
    }
    let told = servers.into_iter().filter_map(|(server, mut named)| {
        named.sort_unstable_by_key(|(at, name)| (at.line, at.column, *name));
        let (at, first) = named.first().copied()?;
        let others: BTreeSet<&str> = named.iter().map(|(_, name)| *name).collect();
        let more = match others.len() {
            1 => format!("`{first}` is"),
            all => format!("`{first}` and {} more are", all - 1),
        };
        let message = format!("{more} of the server `{server}`, which is not configured here");
        let help = "check the name, or configure the server; where it is configured the rules hold";
        let problem = Problem::new(Code::UnknownTool, Some(at), message).with_help(help);
        Some((Severity::Warning, problem))
    });
    told.collect()
}

/// What reading finds is an error, but for what only says something twice in effect.
const fn severity_of(code: Code) -> Severity {
    match code {
        Code::NumberPrecision => Severity::Warning,
        _ => Severity::Error,
    }
}

/// Why a trigger can never fire.
pub(super) fn orphan(trigger: &TriggerRule, known: &dyn KnownTools) -> Option<(String, String)> {
    let hub = &trigger.hub;
    if known.is_known(hub) == Some(false) {
        return Some((
            format!("waits for a call of `{hub}`, which no server has"),
            did_you_mean(&known.nearest(hub)),
        ));
    }
    if let Some(names) = operations_of(known, trigger).filter(|names| !names.contains(&trigger.operation)) {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let near = nearest(&trigger.operation, all);
        let help = if near.is_empty() {
            format!("it knows {}", names.join(", "))
        } else {
            did_you_mean(&near)
        };
        return Some((
            format!(
                "waits for operation `{}`, which `{hub}` does not know",
                trigger.operation
            ),
            help,
        ));
    }
    if let Some((name, _)) = trigger
        .arguments
        .0
        .iter()
        .find(|(_, condition)| condition.is_impossible())
    {
        return Some((
            format!("can never fire: no value of `{name}` meets its condition"),
            "list at least one value".to_owned(),
        ));
    }
    if trigger.unlocks.is_empty()
        && trigger
            .advance
            .is_none_or(|stage| stage <= trigger.requires_stage)
    {
        return Some((
            "unlocks nothing and advances to no later stage".to_owned(),
            "remove it".to_owned(),
        ));
    }
    None
}

/// The operations that a hub declares: the `enum` of its operation argument.
fn operations_of(known: &dyn KnownTools, trigger: &TriggerRule) -> Option<Vec<String>> {
    let schema = known.schema(&trigger.hub)?;
    let argument = schema.get("properties")?.get(&trigger.operation_argument)?;
    let values = argument.get("enum")?.as_array()?;
    Some(
        values
            .iter()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect(),
    )
}

/// The governed tools that some sequence of calls makes visible: the least fixed point.
fn reachable_tools(rules: &Rules, known: &dyn KnownTools) -> BTreeSet<String> {
    let governed = rules.governed_tools();
    let exists = |name: &str| {
        known.is_known(name) != Some(false) && rules.tool(name).is_none_or(|tool| tool.stage != Stage::NEVER)
    };
    let is_locked = |name: &str| rules.triggers_of(name).next().is_some();
    let mut reachable: BTreeSet<String> = governed
        .iter()
        .filter(|name| !is_locked(name) && exists(name))
        .map(|name| (*name).to_owned())
        .collect();
    let firing: Vec<&TriggerRule> = rules
        .triggers
        .iter()
        .filter(|trigger| trigger.requires_stage != Stage::NEVER && orphan(trigger, known).is_none())
        .collect();
    loop {
        let mut grew = false;
        for trigger in &firing {
            // A hub that the rules do not speak of is always visible.
            let can_be_called = !governed.contains(&trigger.hub.as_str()) || reachable.contains(&trigger.hub);
            if can_be_called {
                for (name, _) in trigger.unlocks.iter().filter(|(name, _)| exists(name)) {
                    grew |= reachable.insert(name.clone());
                }
            }
        }
        if !grew {
            return reachable;
        }
    }
}

/// The way from a tool through the hubs that unlock it back to itself, if there is one.
fn cycle(rules: &Rules, name: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = vec![name];
    while let Some(tool) = queue.pop() {
        for trigger in rules
            .triggers
            .iter()
            .filter(|trigger| trigger.unlocks.iter().any(|(unlocked, _)| unlocked == tool))
        {
            let hub = trigger.hub.as_str();
            if hub == name {
                let mut way = vec![name.to_owned()];
                let mut back = Vec::new();
                let mut at = tool;
                while at != name {
                    back.push(at.to_owned());
                    at = came_from.get(at).copied()?;
                }
                way.extend(back.into_iter().rev());
                way.push(name.to_owned());
                return Some(way);
            }
            if hub != name && !came_from.contains_key(hub) {
                came_from.insert(hub, tool);
                queue.push(hub);
            }
        }
    }
    None
}

fn position_of(rules: &Rules, name: &str) -> Position {
    let unlocked = || {
        let mut all = rules.triggers.iter().flat_map(|trigger| &trigger.unlocks);
        all.find(|(unlocked, _)| unlocked == name)
            .map(|(_, position)| *position)
    };
    let start = Position { line: 1, column: 1 };
    rules
        .tool(name)
        .map(|tool| tool.position)
        .or_else(unlocked)
        .unwrap_or(start)
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => "check the name".to_owned(),
        near => format!("did you mean `{}`?", near.join("`, `")),
    }
}
