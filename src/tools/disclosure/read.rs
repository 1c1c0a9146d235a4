//! From `disclosure.toml` to rules. What is not understood is an error, since a rule that is silently left out shows
//! what was to be hidden.

use std::time::Duration;

use super::{ArgumentConditions, Condition, Rules, Stage, ToolRule, TriggerRule};
use crate::model::Code;
use crate::parse::document::{Entry, Format, Located, Value, parse};
use crate::parse::duration::duration;
use crate::parse::{Position, Problem};

/// The most stages, tools and triggers of one file together.
const MAX_RULES: usize = 100_000;

/// Reads the rules of a file in TOML. With problems the rules are what could be read all the same, for `lint` to go on
/// with; they are not to be used.
#[must_use]
pub fn read_rules(bytes: &[u8]) -> (Rules, Vec<Problem>) {
    let document = match parse(bytes, Format::Toml) {
        Ok(document) => document,
        Err(problem) => return (Rules::default(), vec![problem]),
    };
    let mut reader = Reader {
        rules: Rules::default(),
        problems: document.problems,
    };
    reader.root(&document.root);
    (reader.rules, reader.problems)
}

struct Reader {
    rules: Rules,
    problems: Vec<Problem>,
}

impl Reader {
    fn wrong(&mut self, code: Code, at: Position, message: impl Into<String>, help: impl Into<String>) {
        self.problems
            .push(Problem::new(code, Some(at), message).with_help(help));
    }

    fn wrong_type(&mut self, key: &str, value: &Located, expected: &str) {
        let message = format!("`{key}` is {}, not {expected}", value.value.type_name());
        self.wrong(
            Code::WrongType,
            value.position,
            message,
            format!("write {expected}"),
        );
    }

    fn unknown_key(&mut self, entry: &Entry, known: &[&str]) {
        self.problems.push(Problem::unknown_key(entry, "here", known));
    }

    fn text(&mut self, key: &str, value: &Located) -> Option<String> {
        match &value.value {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::String(_) => {
                self.wrong(
                    Code::WrongType,
                    value.position,
                    format!("`{key}` is empty"),
                    "write text, or remove the key",
                );
                None
            }
            _ => {
                self.wrong_type(key, value, "text");
                None
            }
        }
    }

    fn texts(&mut self, key: &str, value: &Located) -> Vec<(String, Position)> {
        let Value::List(elements) = &value.value else {
            self.wrong_type(key, value, "a list of text");
            return Vec::new();
        };
        elements
            .iter()
            .filter_map(|element| Some((self.text(key, element)?, element.position)))
            .collect()
    }

    fn stage(&mut self, key: &str, value: &Located) -> Option<Stage> {
        let name = self.text(key, value)?;
        let stage = self.rules.stage(&name);
        if stage.is_none() {
            let help = format!("the stages are {}", self.rules.stages.join(", "));
            self.wrong(
                Code::UnknownStage,
                value.position,
                format!("there is no stage `{name}`"),
                help,
            );
        }
        stage
    }

    fn root(&mut self, root: &Located) {
        let entries = root.value.entries();
        // The stages first, wherever they stand: everything else speaks of them.
        if let Some(entry) = entries.iter().find(|entry| entry.key == "stages") {
            self.stages(&entry.value);
        }
        for entry in entries {
            match entry.key.as_str() {
                "stages" => {}
                "tool" => self.each_table(entry, Self::tool),
                "trigger" => self.each_table(entry, Self::trigger),
                _ => self.unknown_key(entry, &["stages", "tool", "trigger"]),
            }
        }
    }

    fn stages(&mut self, value: &Located) {
        let mut stages: Vec<String> = Vec::new();
        for (name, position) in self.texts("stages", value) {
            if stages.contains(&name) {
                self.wrong(
                    Code::DuplicateKey,
                    position,
                    format!("the stage `{name}` is named twice"),
                    "name each once",
                );
            } else {
                stages.push(name);
            }
        }
        if stages.is_empty() {
            self.wrong(
                Code::UnknownStage,
                value.position,
                "there are no stages",
                "name at least one, or remove the key",
            );
        } else {
            self.rules.stages = stages;
        }
    }

    fn each_table(&mut self, entry: &Entry, read: fn(&mut Self, &Located)) {
        let Value::List(tables) = &entry.value.value else {
            return self.wrong_type(
                &entry.key,
                &entry.value,
                &format!("a list of tables, each under [[{}]]", entry.key),
            );
        };
        for table in tables {
            if !matches!(table.value, Value::Table(_)) {
                self.wrong_type(&entry.key, table, "a table");
            } else if self.rules.tools.len() + self.rules.triggers.len() >= MAX_RULES {
                let message = format!("more than {MAX_RULES} rules");
                return self.wrong(Code::TooLarge, table.position, message, "split the file");
            } else {
                read(self, table);
            }
        }
    }

    fn tool(&mut self, table: &Located) {
        let mut tool = ToolRule {
            position: table.position,
            ..ToolRule::new("")
        };
        for entry in table.value.entries() {
            let (key, value) = (entry.key.as_str(), &entry.value);
            match key {
                "name" => tool.name = self.text(key, value).unwrap_or_default(),
                "stage" => tool.stage = self.stage(key, value).unwrap_or(Stage::NEVER),
                "domain" => tool.domain = self.text(key, value),
                "auto_hide_after" => tool.auto_hide_after = self.lease(key, value),
                "descriptions" => self.descriptions(&mut tool, value),
                _ => self.unknown_key(
                    entry,
                    &["name", "stage", "domain", "auto_hide_after", "descriptions"],
                ),
            }
        }
        if table.value.get("name").is_none() {
            self.wrong(
                Code::MissingKey,
                table.position,
                "a tool without a `name`",
                "name the tool, qualified",
            );
        }
        if tool.name.is_empty() {
            return;
        }
        if let Some(first) = self.rules.tool(&tool.name) {
            let message = format!(
                "`{}` has a rule already, in line {}",
                tool.name, first.position.line
            );
            return self.wrong(Code::DuplicateKey, table.position, message, "keep one of the two");
        }
        self.rules.tools.push(tool);
    }

    fn lease(&mut self, key: &str, value: &Located) -> Option<Duration> {
        let text = self.text(key, value)?;
        let read = duration(&text).and_then(|length| {
            if length.is_zero() {
                Err("a lease of no time would hide the tool at once".to_owned())
            } else {
                Ok(length)
            }
        });
        match read {
            Ok(length) => Some(length),
            Err(message) => {
                self.wrong(
                    Code::WrongType,
                    value.position,
                    format!("`{key}`: {message}"),
                    "write a duration such as \"10m\"",
                );
                None
            }
        }
    }

    fn descriptions(&mut self, tool: &mut ToolRule, value: &Located) {
        if !matches!(value.value, Value::Table(_)) {
            return self.wrong_type("descriptions", value, "a table");
        }
        for entry in value.value.entries() {
            let text = self.text(&entry.key, &entry.value);
            match (entry.key.as_str(), self.rules.stage(&entry.key)) {
                ("hidden", _) => tool.hidden_description = text,
                ("discovered", _) => tool.discovered_description = text,
                (_, Some(stage)) => tool.stage_descriptions.extend(text.map(|text| (stage, text))),
                (name, None) => {
                    let help = format!(
                        "a description is `hidden`, `discovered` or a stage's: {}",
                        self.rules.stages.join(", ")
                    );
                    self.wrong(
                        Code::UnknownStage,
                        entry.key_position,
                        format!("there is no stage `{name}`"),
                        help,
                    );
                }
            }
        }
    }

    fn trigger(&mut self, table: &Located) {
        const KEYS: [&str; 8] = [
            "hub",
            "operation",
            "operation_argument",
            "unlocks",
            "requires_stage",
            "advance",
            "description",
            "arguments",
        ];
        let mut trigger = TriggerRule {
            position: table.position,
            ..TriggerRule::new("", "", &[])
        };
        for entry in table.value.entries() {
            let (key, value) = (entry.key.as_str(), &entry.value);
            match key {
                "hub" => trigger.hub = self.text(key, value).unwrap_or_default(),
                "operation" => trigger.operation = self.text(key, value).unwrap_or_default(),
                "operation_argument" => {
                    trigger.operation_argument = self.text(key, value).unwrap_or(trigger.operation_argument);
                }
                "unlocks" => trigger.unlocks = self.texts(key, value),
                "requires_stage" => {
                    trigger.requires_stage = self.stage(key, value).unwrap_or(Stage::NEVER);
                }
                "advance" => trigger.advance = self.stage(key, value),
                "description" => trigger.description = self.text(key, value),
                "arguments" => trigger.arguments = self.conditions(value),
                _ => self.unknown_key(entry, &KEYS),
            }
        }
        for key in ["hub", "operation"] {
            if table.value.get(key).is_none() {
                self.wrong(
                    Code::MissingKey,
                    table.position,
                    format!("a trigger without `{key}`"),
                    "say which call it waits for",
                );
            }
        }
        if !trigger.hub.is_empty() && !trigger.operation.is_empty() {
            self.rules.triggers.push(trigger);
        }
    }

    fn conditions(&mut self, value: &Located) -> ArgumentConditions {
        if !matches!(value.value, Value::Table(_)) {
            self.wrong_type("arguments", value, "a table");
        }
        let entries = value.value.entries();
        ArgumentConditions(
            entries
                .iter()
                .filter_map(|entry| Some((entry.key.clone(), self.condition(&entry.value)?)))
                .collect(),
        )
    }

    /// A table of exactly one known word is a condition; any other value is what the argument must equal.
    fn condition(&mut self, value: &Located) -> Option<Condition> {
        let entries = value.value.entries();
        let words = ["present", "one_of", "prefix"];
        if !entries.iter().any(|entry| words.contains(&entry.key.as_str())) {
            return Some(Condition::Equals(value.value.to_json()));
        }
        let [entry] = entries else {
            let message = format!("a condition is exactly one of {}", words.join(", "));
            self.wrong(
                Code::WrongType,
                value.position,
                message,
                "write one condition for each argument",
            );
            return None;
        };
        match (entry.key.as_str(), &entry.value.value) {
            ("present", Value::Bool(present)) => Some(Condition::Present(*present)),
            ("one_of", Value::List(values)) => Some(Condition::OneOf(
                values.iter().map(|value| value.value.to_json()).collect(),
            )),
            ("prefix", Value::String(prefix)) => Some(Condition::Prefix(prefix.clone())),
            (word, _) => {
                let expected = match word {
                    "present" => "true or false",
                    "one_of" => "a list",
                    _ => "text",
                };
                self.wrong_type(word, &entry.value, expected);
                None
            }
        }
    }
}
