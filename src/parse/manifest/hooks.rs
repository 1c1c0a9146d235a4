//! Hooks files, in every shape that real ones have (reference/corpus-facts.md, Settings and hooks).
//!
//! - `{"hooks": {EVENT: [{matcher?, hooks: [ACTION]}]}}`, with anything beside `hooks`; the same without `hooks`;
//! - `{"hooks": {EVENT: [ACTION]}}` and `{"hooks": {EVENT: "command"}}`, as Cursor, Copilot and others write it;
//! - `{"hooks": [{event, matcher?, command}]}`, the same with `{action: {type, command}}`, and a list alone.
//!
//! An action names what runs as `command`, `bash`, `powershell` or `script`, and its time as `timeout`,
//! `timeout_secs`, `timeoutSec` or `timeout_ms`.

use std::collections::HashMap;

use super::fields::{as_list, as_number, as_scalar, as_text, is_table, push, wrong_type};
use super::{Spot, mcp_servers};
use crate::model::HookDefinition;
use crate::parse::document::{Located, Value};
use crate::parse::{Position, Problem};

/// How many hooks of one file are read.
pub const MAX_HOOKS: usize = 10_000;

/// Keys beside the events of a hooks file that has no `hooks` key.
const NOT_EVENTS: [&str; 8] = [
    "$schema",
    "description",
    "name",
    "version",
    "author",
    "license",
    "disableAllHooks",
    "variables",
];

/// Reads hooks from a table or list; each fires once.
pub fn read(root: &Located, problems: &mut Vec<Problem>) -> Vec<Spot<HookDefinition>> {
    let mut reader = Reader {
        found: Vec::new(),
        problems,
    };
    let inner = root.value.get("hooks").or_else(|| root.value.get("events"));
    match inner {
        Some(value) => reader.events(value, true),
        None => reader.events(root, false),
    }
    reader.found
}

struct Reader<'a> {
    found: Vec<Spot<HookDefinition>>,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn events(&mut self, value: &Located, all_are_events: bool) {
        match &value.value {
            Value::Table(entries) => {
                for entry in entries {
                    let is_event = all_are_events
                        || !(NOT_EVENTS.contains(&entry.key.as_str()) || as_scalar(&entry.value).is_some());
                    if is_event {
                        self.event(&entry.key, &entry.value);
                    }
                }
            }
            Value::List(values) => {
                for value in values {
                    self.entry_with_event(value);
                }
            }
            _ => wrong_type(
                self.problems,
                "hooks",
                value,
                "a table of events or a list of hooks",
            ),
        }
    }

    /// What stands under the name of an event.
    fn event(&mut self, event: &str, value: &Located) {
        match &value.value {
            Value::List(values) => {
                for value in values {
                    self.group(event, value);
                }
            }
            Value::Null => {}
            Value::Table(_) | Value::String(_) => self.group(event, value),
            _ => wrong_type(self.problems, event, value, "a list of hooks"),
        }
    }

    /// One matcher with its actions, or an action alone.
    fn group(&mut self, event: &str, value: &Located) {
        let event = value.value.get("event").and_then(as_text).unwrap_or(event);
        let outer = Outer::of(event, value);
        match value.value.get("hooks") {
            Some(actions) => match as_list(actions) {
                Some(actions) => {
                    for action in actions {
                        self.action(&outer, action);
                    }
                }
                None if is_table(actions) => self.action(&outer, actions),
                None => wrong_type(self.problems, "hooks", actions, "a list of actions"),
            },
            None => self.action(&outer, value),
        }
    }

    /// One element of a list in which each names its event.
    fn entry_with_event(&mut self, value: &Located) {
        let Some(event) = value.value.get("event") else {
            wrong_type(
                self.problems,
                "hooks",
                value,
                "a table with `event` in each place",
            );
            return;
        };
        let events: Vec<&str> = match as_list(event) {
            Some(events) => events.iter().filter_map(as_text).collect(),
            None => as_text(event).into_iter().collect(),
        };
        if events.is_empty() {
            wrong_type(self.problems, "event", event, "the name of an event");
        }
        for event in events {
            match value.value.get("action") {
                Some(action) if is_table(action) => self.action(&Outer::of(event, value), action),
                _ => self.group(event, value),
            }
        }
    }

    fn action(&mut self, outer: &Outer<'_>, value: &Located) {
        if self.found.len() >= MAX_HOOKS {
            return;
        }
        if let Some(command) = as_text(value) {
            self.add(outer, value, Some(command.to_owned()), "command");
            return;
        }
        if !is_table(value) {
            wrong_type(self.problems, "hooks", value, "a table in each place");
            return;
        }
        let commands: Vec<&Located> = ["command", "bash", "powershell", "script"]
            .into_iter()
            .filter_map(|key| value.value.get(key))
            .collect();
        let mut any = false;
        for command in commands {
            match (as_text(command), as_list(command)) {
                (Some(text), _) => self.add(outer, value, Some(text.to_owned()), "command"),
                (None, Some(words)) => {
                    let mut words = words.iter().filter_map(as_scalar);
                    let program = words.next();
                    let args = words.collect();
                    self.add(outer, value, program, "command");
                    if let Some(last) = self.found.last_mut() {
                        last.value.args = args;
                    }
                }
                (None, None) => {
                    wrong_type(self.problems, "command", command, "a command line");
                    continue;
                }
            }
            any = true;
        }
        if !any {
            let usual = if value.value.get("url").is_some() {
                "http"
            } else {
                "prompt"
            };
            self.add(outer, value, None, usual);
        }
    }

    fn add(&mut self, outer: &Outer<'_>, value: &Located, command: Option<String>, usual: &str) {
        let get = |key: &str| value.value.get(key);
        let words = |key: &str| get(key).and_then(as_text).map(str::to_owned);
        let args = get("args").and_then(as_list).unwrap_or_default();
        let env = get("env").or_else(|| get("environment"));
        let condition = get("if").or_else(|| get("condition")).and_then(as_words);
        let is_on = outer.is_on && get("enabled").map(|value| &value.value) != Some(&Value::Bool(false));
        self.found.push(Spot {
            value: HookDefinition {
                event: outer.event.to_owned(),
                matcher: outer.matcher.clone(),
                condition: condition.or_else(|| outer.condition.clone()),
                action: words("type").unwrap_or_else(|| usual.to_owned()),
                command,
                args: args.iter().filter_map(as_scalar).collect(),
                url: words("url"),
                timeout_seconds: timeout(value).or(outer.timeout),
                env: env.map(mcp_servers::pairs).unwrap_or_default(),
                fires: u32::from(is_on),
            },
            at: value.position,
        });
    }
}

/// What a group says for all its actions.
struct Outer<'a> {
    event: &'a str,
    matcher: Option<String>,
    condition: Option<String>,
    timeout: Option<f64>,
    is_on: bool,
}

impl<'a> Outer<'a> {
    fn of(event: &'a str, value: &Located) -> Self {
        let matcher = value.value.get("matcher").or_else(|| value.value.get("filter"));
        Self {
            event,
            matcher: matcher.and_then(as_words),
            condition: value.value.get("condition").and_then(as_words),
            timeout: timeout(value),
            is_on: value.value.get("enabled").map(|value| &value.value) != Some(&Value::Bool(false)),
        }
    }
}

/// A text as it is, anything else as JSON.
fn as_words(value: &Located) -> Option<String> {
    match &value.value {
        Value::Null => None,
        _ => as_scalar(value).or_else(|| Some(value.value.to_json().to_string())),
    }
}

fn timeout(value: &Located) -> Option<f64> {
    let seconds = ["timeout", "timeout_secs", "timeoutSec", "timeout_seconds"]
        .into_iter()
        .find_map(|key| value.value.get(key).and_then(as_number));
    seconds.or_else(|| Some(value.value.get("timeout_ms").and_then(as_number)? / 1000.0))
}

/// A hook and how often it is defined.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Index of the source that defines it first.
    pub source: usize,
    /// The hook as it is first defined; it fires as often as all its definitions together.
    pub hook: Spot<HookDefinition>,
    /// Where it is defined again: sources and places.
    pub again: Vec<(usize, Position)>,
}

/// Counts hooks that are defined more than once, in one source or several.
///
/// Two hooks are one if event, matcher, condition, action, command, arguments and address are the same, whatever their
/// timeouts. One that runs nothing, such as a prompt, is never the same as another.
#[must_use]
pub fn merge(hooks: Vec<(usize, Spot<HookDefinition>)>) -> Vec<Merged> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<Merged> = Vec::new();
    for (source, hook) in hooks {
        let one = &hook.value;
        let runs = one.command.is_some() || one.url.is_some();
        let key = format!(
            "{:?}",
            (
                &one.event,
                &one.matcher,
                &one.condition,
                &one.action,
                &one.command,
                &one.args,
                &one.url
            )
        );
        let same = places
            .get(&key)
            .filter(|_| runs)
            .and_then(|place| merged.get_mut(*place));
        match same {
            Some(first) => {
                first.hook.value.fires += one.fires;
                first.again.push((source, hook.at));
            }
            None => {
                places.insert(key, merged.len());
                merged.push(Merged {
                    source,
                    hook,
                    again: Vec::new(),
                });
            }
        }
    }
    merged
}

/// Reads a hooks file.
///
/// # Errors
///
/// The problem for which nothing of it can be used: `broken-manifest`.
pub fn parse(bytes: &[u8]) -> Result<(Vec<Spot<HookDefinition>>, Vec<Problem>), Problem> {
    let document = super::parse_json(bytes)?;
    let mut problems = document.problems;
    let hooks = read(&document.root, &mut problems);
    if hooks.len() >= MAX_HOOKS {
        let message = format!("the file has more than {MAX_HOOKS} hooks; the others are not read");
        push(
            &mut problems,
            Problem::new(crate::model::Code::TooLarge, None, message),
        );
    }
    Ok((hooks, problems))
}
