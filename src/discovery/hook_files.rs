//! Hooks that a host runs only once its user has approved them as they are.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::free::{self, Cause, Origin};
use super::scanner::Found;
use super::settings::{Settings, as_text, layer_files};
use super::{Environment, Walk};
use crate::host::{Comments, HookSpec, HostProfile, LayerSpec};
use crate::model::{Code, ComponentKind, Diagnostic, Family, Scope, Severity, State, hex};
use crate::parse::document::{Entry, Value};

/// What of a host's hooks is there.
pub(super) struct HookFiles<'a> {
    pub(super) spec: &'static HookSpec,
    pub(super) profile: &'static HostProfile,
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
    pub(super) with_project: bool,
    pub(super) settings: &'a mut Settings,
    pub(super) found: &'a mut Found,
}

/// What became of one command of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Given,
    SwitchedOff,
    Outdated,
    None,
}

impl HookFiles<'_> {
    pub(super) fn find(&mut self) {
        let mut rank = 0;
        for layer in self.profile.layers {
            if layer.scope == Scope::Project && !self.with_project {
                continue;
            }
            for path in layer_files(layer, self.environment, self.walk) {
                rank += 1;
                self.beside(layer, &path, rank);
                let of_settings = self.settings.layers.iter().find(|known| known.path == path);
                let table = of_settings
                    .and_then(|known| known.root.value.get("hooks"))
                    .cloned();
                if let Some(table) = table {
                    self.table(layer, &path, &table.value, rank);
                }
            }
        }
    }

    /// The file beside a settings file.
    fn beside(&mut self, layer: &LayerSpec, settings: &Path, rank: u32) {
        let path = settings.with_file_name(self.spec.file);
        let Some(Ok(root)) = self.settings.document(&path, Comments::None) else {
            return;
        };
        let stranger = root
            .value
            .entries()
            .iter()
            .find(|entry| !matches!(entry.key.as_str(), "hooks" | "description"));
        if let Some(stranger) = stranger {
            let message = format!(
                "this file is left out: it has `{}`, and may have `hooks` and `description`",
                stranger.key
            );
            self.found.diagnostics.push(
                Diagnostic::new(Code::BadConfig, Severity::Error, message)
                    .with_path(&path)
                    .with_position(
                        Some(stranger.key_position.line),
                        Some(stranger.key_position.column),
                    ),
            );
            return;
        }
        if let Some(table) = root.value.get("hooks") {
            self.table(layer, &path, &table.value, rank);
        }
    }

    fn table(&mut self, layer: &LayerSpec, path: &Path, table: &Value, rank: u32) {
        for event in table.entries() {
            let name = event.key.as_str();
            if self.spec.events.contains(&name) {
                self.event(layer, path, event, rank);
            }
        }
    }

    fn event(&mut self, layer: &LayerSpec, path: &Path, event: &Entry, rank: u32) {
        let origin = Origin {
            source: layer.source,
            scope: layer.scope,
            family: Family::Codex,
            priority: rank,
        };
        let mut candidate = free::candidate(ComponentKind::Hook, path, &event.key, origin);
        candidate.stands_at(event.key_position);
        let commands = self.commands(path, event);
        let all = |wanted: Approval| commands.iter().all(|(approval, _)| *approval == wanted);
        let any = |wanted: Approval| commands.iter().any(|(approval, _)| *approval == wanted);
        if commands.is_empty() {
            let why = "it has no command, and this host runs nothing else";
            candidate.turn_off(State::Ignored, Code::WrongKind, why, None);
        } else if layer.trusted_only && !self.settings.trusts(path.parent().unwrap_or(path)) {
            let cause = self.settings.trust_cause();
            let why = "it counts only in a project that the user trusts";
            candidate.turn_off(State::Untrusted, Code::NotTrusted, why, cause);
        } else if layer.scope == Scope::System || any(Approval::Given) {
            // One that is approved runs, whatever becomes of the others.
        } else if all(Approval::SwitchedOff) {
            let cause = commands.into_iter().find_map(|(_, cause)| cause);
            candidate.turn_off(
                State::Disabled,
                Code::SwitchedOff,
                "the user has switched it off",
                cause,
            );
        } else if any(Approval::Outdated) {
            let cause = commands.into_iter().find_map(|(_, cause)| cause);
            let why = "it is not what the user has approved any more";
            candidate.turn_off(State::Untrusted, Code::NotApproved, why, cause);
        } else {
            let why = "the user has not approved it";
            candidate.turn_off(State::Untrusted, Code::NotApproved, why, None);
        }
        self.found.candidates.push(candidate);
    }

    /// The commands of an event, each with what the user has said of it.
    fn commands(&self, path: &Path, event: &Entry) -> Vec<(Approval, Option<Cause>)> {
        let mut commands = Vec::new();
        for (outer, group) in items(&event.value.value).iter().enumerate() {
            let matcher = group.value.get("matcher").and_then(|value| as_text(&value.value));
            let hooks = group.value.get("hooks").map(|hooks| &hooks.value);
            for (inner, hook) in hooks.map(items).unwrap_or_default().iter().enumerate() {
                if let Some(digest) = self.digest(&event.key, matcher, &hook.value) {
                    let key = format!("{}:{}:{outer}:{inner}", path.display(), snake(&event.key));
                    commands.push(self.said(&key, &digest));
                }
            }
        }
        commands
    }

    fn said(&self, key: &str, digest: &str) -> (Approval, Option<Cause>) {
        let record = self
            .settings
            .all(&["hooks", self.spec.record])
            .filter(|(layer, _)| layer.spec.scope == Scope::User)
            .filter_map(|(layer, table)| Some((layer, table.value.get(key)?)))
            .last();
        let Some((layer, record)) = record else {
            return (Approval::None, None);
        };
        let cause = Some(Cause {
            path: PathBuf::from(&layer.path),
            key: Some(format!("hooks.{}", self.spec.record)),
        });
        let part = |name: &str| record.value.get(name).map(|value| &value.value);
        let approved = part("trusted_hash").and_then(as_text);
        let approval = match approved {
            _ if part("enabled") == Some(&Value::Bool(false)) => Approval::SwitchedOff,
            Some(approved) if approved == digest => Approval::Given,
            Some(_) => Approval::Outdated,
            None => Approval::None,
        };
        (approval, cause)
    }

    /// What stands for a command in the record: the digest of its event, its matcher and itself. None for what is no
    /// command.
    fn digest(&self, event: &str, matcher: Option<&str>, hook: &Value) -> Option<String> {
        let text = |key: &str| hook.get(key).and_then(|value| as_text(&value.value));
        let command = text("command").filter(|_| text("type") == Some("command"))?;
        let is_async = hook.get("async").map(|value| &value.value) == Some(&Value::Bool(true));
        let timeout = match hook.get("timeout").map(|value| &value.value) {
            Some(Value::Integer(seconds)) => *seconds,
            _ => i128::from(self.spec.timeout),
        };
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let status = text("statusMessage").map_or_else(String::new, |status| {
            format!(",\"statusMessage\":{}", json(status))
        });
        let matcher = matcher
            .filter(|_| !self.spec.without_matcher.contains(&event))
            .map_or_else(String::new, |matcher| format!(",\"matcher\":{}", json(matcher)));
        let told = format!(
            "{{\"event_name\":{},\"hooks\":[{{\"async\":{is_async},\"command\":{}{status},\"timeout\":{timeout},\
             \"type\":\"command\"}}]{matcher}}}",
            json(&snake(event)),
            json(command)
        );
        let digest = hex(&Sha256::digest(told.as_bytes()));
        Some(format!("sha256:{digest}"))
    }
}

fn items(value: &Value) -> &[crate::parse::document::Located] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut word = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.push(character.to_ascii_lowercase());
    }
    word
}
