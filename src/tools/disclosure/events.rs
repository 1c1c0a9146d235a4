//! Replaying what happened in a session, event by event: the registry without a server.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Change, Explanation, HideOutcome, KnownTools, OperationEffect, Reason, Rules, Sessions, ShowOutcome,
    explain,
};
use crate::parse::duration::{duration, words};
use crate::parse::json_error;

/// The handle of events that name none.
pub const DEFAULT_HANDLE: &str = "default";

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A tool is called.
    Call {
        /// Qualified name.
        tool: String,
        /// Its arguments.
        arguments: Option<Value>,
        /// Whether the call succeeded.
        ok: bool,
    },
    /// The session goes on to a stage.
    Advance {
        /// Name of the stage.
        stage: String,
        /// Domain that becomes active with it.
        domain: Option<String>,
    },
    /// A tool is used.
    Use(String),
    /// A tool is hidden.
    Hide(String),
    /// A tool is shown.
    Show(String),
    /// Everything begins anew.
    Reset,
    /// Time passes, for all sessions.
    Wait(Duration),
}

/// What an event came to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EventAnswer {
    /// 1-based number of the event.
    pub event: u64,
    /// The session.
    pub handle: String,
    /// What happened, as it was read.
    pub what: String,
    /// What the call of a hub changed.
    pub unlocked: Option<OperationEffect>,
    /// What hiding came to.
    pub hide: Option<HideOutcome>,
    /// What showing came to.
    pub show: Option<ShowOutcome>,
    /// Why nothing was done.
    pub error: Option<String>,
    /// Why a tool cannot be called or used, in a word; null where nothing was refused.
    pub refused: Option<Reason>,
    /// The nearest names, where there is no such tool.
    pub suggestions: Vec<String>,
    /// Which tools appeared and disappeared.
    pub changed: Change,
    /// Notifications that a client would get: one for a change, none without.
    pub list_changed: u32,
    /// The message that goes with newly discovered tools.
    pub notification: Option<Notification>,
    /// The stage that is reached.
    pub stage: String,
    /// The domain that is active.
    pub domain: Option<String>,
    /// The tools of the rules that are visible, by name.
    pub visible: Vec<String>,
}

impl EventAnswer {
    /// Notes that a tool that is not visible cannot be called or used.
    fn refuse(&mut self, explanation: Explanation, what: &str) {
        let name = &explanation.name;
        let error = match (&explanation.next, explanation.suggestions.as_slice()) {
            (Some(next), _) => format!("{name} is not visible, so it cannot be {what}; next: {next}"),
            (None, []) if explanation.reason == Some(Reason::Unknown) => {
                format!("there is no tool {name}, so it cannot be {what}")
            }
            (None, []) => format!("{name} is not visible, so it cannot be {what}"),
            (None, near) => format!(
                "there is no tool {name}, so it cannot be {what}; nearest names: {}",
                near.join(", ")
            ),
        };
        self.error = Some(error);
        self.refused = explanation.reason;
        self.suggestions = explanation.suggestions;
    }
}

/// What a client is told of newly discovered tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Notification {
    /// Their names.
    pub newly_discovered: Vec<String>,
    /// The same as a sentence.
    pub message: String,
}

/// A run of events over any number of sessions.
pub struct Simulation<'a> {
    sessions: Sessions,
    known: &'a dyn KnownTools,
    now: Duration,
    count: u64,
    /// What each session did not see when it was last told: time passes for all, and a session is told at its next
    /// event.
    hidden: HashMap<String, Vec<String>>,
}

impl std::fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("sessions", &self.sessions)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl<'a> Simulation<'a> {
    /// A run that begins at time zero.
    #[must_use]
    pub fn new(rules: Arc<Rules>, known: &'a dyn KnownTools) -> Self {
        Self {
            sessions: Sessions::new(rules),
            known,
            now: Duration::ZERO,
            count: 0,
            hidden: HashMap::new(),
        }
    }

    /// The sessions as they stand.
    pub const fn sessions(&mut self) -> &mut Sessions {
        &mut self.sessions
    }

    /// The time that has passed.
    #[must_use]
    pub const fn now(&self) -> Duration {
        self.now
    }

    /// Lets one thing happen.
    pub fn apply(&mut self, handle: Option<&str>, event: &Event) -> EventAnswer {
        self.count += 1;
        let handle = handle.unwrap_or(DEFAULT_HANDLE);
        let before = match self.hidden.remove(handle) {
            Some(hidden) => hidden,
            None => self.sessions.session(handle).hidden_tools(self.known, self.now),
        };
        if let Event::Wait(duration) = event {
            self.now = self.now.saturating_add(*duration);
        }
        let (known, now) = (self.known, self.now);
        let registry = self.sessions.session(handle);
        let mut answer = EventAnswer {
            event: self.count,
            handle: handle.to_owned(),
            what: describe(event),
            unlocked: None,
            hide: None,
            show: None,
            error: None,
            refused: None,
            suggestions: Vec::new(),
            changed: Change::default(),
            list_changed: 0,
            notification: None,
            stage: String::new(),
            domain: None,
            visible: Vec::new(),
        };
        match event {
            Event::Call { tool, arguments, ok } => {
                if registry.is_visible(tool, known, now) {
                    registry.begin_call(tool, now);
                    let effect = registry.on_operation_called(tool, arguments.as_ref(), *ok, known, now);
                    registry.end_call(tool, now);
                    answer.notification = effect.message.clone().map(|message| Notification {
                        newly_discovered: effect
                            .newly_discovered
                            .iter()
                            .map(|new| new.tool.clone())
                            .collect(),
                        message,
                    });
                    answer.unlocked = Some(effect);
                } else {
                    answer.refuse(explain(registry, tool, known, now), "called");
                }
            }
            Event::Advance { stage, domain } => {
                answer.error = registry
                    .advance_to_stage(stage, domain.as_deref())
                    .err()
                    .map(|error| error.to_string());
            }
            Event::Use(tool) => {
                if !registry.mark_tool_used(tool, known, now) {
                    answer.refuse(explain(registry, tool, known, now), "used");
                }
            }
            Event::Hide(tool) => answer.hide = Some(registry.hide_tool(tool, known, now)),
            Event::Show(tool) => answer.show = Some(registry.show_tool(tool, known, now)),
            Event::Reset => registry.reset(),
            Event::Wait(_) => {}
        }
        answer.visible = registry.visible_governed_tools(known, now);
        let hidden = registry.hidden_tools(known, now);
        answer.changed = Change::between(&hidden, &before);
        answer.list_changed = u32::from(!answer.changed.is_empty());
        answer.stage = registry.stages().get_current_stage().to_owned();
        answer.domain = registry.stages().get_active_domain().map(str::to_owned);
        self.hidden.insert(handle.to_owned(), hidden);
        answer
    }
}

fn describe(event: &Event) -> String {
    match event {
        Event::Call { tool, ok: true, .. } => format!("call {tool}"),
        Event::Call { tool, ok: false, .. } => format!("call {tool}, which failed"),
        Event::Advance { stage, domain: None } => format!("advance to {stage}"),
        Event::Advance {
            stage,
            domain: Some(domain),
        } => format!("advance to {stage}, domain {domain}"),
        Event::Use(tool) => format!("use {tool}"),
        Event::Hide(tool) => format!("hide {tool}"),
        Event::Show(tool) => format!("show {tool}"),
        Event::Reset => "reset".to_owned(),
        Event::Wait(duration) => format!("wait {}", words(*duration)),
    }
}

/// Reads one line of an events file: an object with exactly one of `call`, `advance`, `use`, `hide`, `show`, `reset`,
/// `wait`, and optionally `handle`.
///
/// # Errors
///
/// What is wrong with the line, in words.
pub fn read_event(line: &str) -> Result<(Option<String>, Event), String> {
    let value: Value = serde_json::from_str(line).map_err(|error| {
        let (at, words) = json_error(line, &error);
        format!("not JSON: {words}, column {}", at.column)
    })?;
    let Value::Object(object) = value else {
        return Err("an event is an object".to_owned());
    };
    let kinds = ["call", "advance", "use", "hide", "show", "reset", "wait"];
    let mut found = kinds.into_iter().filter(|kind| object.contains_key(*kind));
    let Some(kind) = found.next() else {
        return Err(format!("an event has one of the keys {}", kinds.join(", ")));
    };
    if let Some(second) = found.next() {
        return Err(format!("an event is one thing: `{kind}` and `{second}` are two"));
    }
    let allowed: &[&str] = match kind {
        "call" => &["call", "arguments", "ok", "handle"],
        "advance" => &["advance", "domain", "handle"],
        _ => &[kind, "handle"],
    };
    if let Some(unknown) = object.keys().find(|key| !allowed.contains(&key.as_str())) {
        return Err(format!(
            "`{unknown}` is no key of `{kind}`; its keys are {}",
            allowed.join(", ")
        ));
    }
    let handle = optional_text(&object, "handle")?;
    let event = match kind {
        "call" => Event::Call {
            tool: text(&object, "call")?,
            arguments: object.get("arguments").cloned(),
            ok: match object.get("ok") {
                None => true,
                Some(Value::Bool(ok)) => *ok,
                Some(_) => return Err("`ok` is true or false".to_owned()),
            },
        },
        "advance" => Event::Advance {
            stage: text(&object, "advance")?,
            domain: optional_text(&object, "domain")?,
        },
        "use" => Event::Use(text(&object, "use")?),
        "hide" => Event::Hide(text(&object, "hide")?),
        "show" => Event::Show(text(&object, "show")?),
        "wait" => Event::Wait(duration(&text(&object, "wait")?)?),
        _ if object.get("reset") == Some(&Value::Bool(true)) => Event::Reset,
        _ => return Err("`reset` is true".to_owned()),
    };
    Ok((handle, event))
}

fn text(object: &Map<String, Value>, key: &str) -> Result<String, String> {
    optional_text(object, key)?.ok_or_else(|| format!("`{key}` is missing"))
}

fn optional_text(object: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match object.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is text that is not empty")),
    }
}
