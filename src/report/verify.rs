//! `verify`: our answer against what the installed program says of itself.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope};
use crate::model::{ComponentKind, Resolution, State};

/// How a host's answer lists names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// A JSON object with a list of names under a key for each kind; a name counts for the first kind that has it.
    Keys(&'static [(ComponentKind, &'static str)]),
    /// A JSON list of objects with a `name`.
    Objects(ComponentKind),
    /// Lines that begin with a name, a blank and a bracket.
    Bracketed(ComponentKind),
    /// Items `- NAME: TEXT` after this heading, in a JSON text whose line ends are written `\\n`.
    Items(ComponentKind, &'static str),
}

/// A name that the host has and that we do not say is in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOnly {
    /// The kind.
    pub kind: ComponentKind,
    /// The name.
    pub id: String,
    /// What we say became of the first entry of this name; none where we know of none, so that it is the host's own or
    /// comes from where we do not look.
    pub state: Option<State>,
}

/// The answer of `verify`.
#[derive(Clone, Debug)]
pub struct VerifyReport {
    /// What the question was about.
    pub context: Context,
    /// What is run, as a person would type it.
    pub command: String,
    /// What we say is in effect: kind, name, and whether the host's answer has it; none where it was not asked.
    pub checked: Vec<(ComponentKind, String, Option<bool>)>,
    /// What the host lists beside that.
    pub host_only: Vec<HostOnly>,
}

impl VerifyReport {
    /// Looks for each name in effect in the host's answer, if there is one.
    #[must_use]
    pub fn new(
        context: Context,
        command: String,
        resolution: &Resolution,
        kinds: &[ComponentKind],
        answer: Option<(&str, AnswerForm)>,
    ) -> Self {
        let checked: Vec<(ComponentKind, String, Option<bool>)> = resolution
            .chains()
            .filter(|chain| kinds.contains(&chain.kind()) && chain.winner().is_some())
            .map(|chain| {
                let id = chain.id().into_owned();
                let said = answer.map(|(answer, _)| names(answer, &id));
                (chain.kind(), id, said)
            })
            .collect();
        let ours: BTreeSet<&str> = checked.iter().map(|(_, id, _)| id.as_str()).collect();
        let listed = answer
            .map(|(answer, form)| listed(answer, form))
            .unwrap_or_default();
        let host_only = listed
            .into_iter()
            .filter(|(id, _)| !ours.contains(id.as_str()))
            .map(|(id, kind)| {
                let chain = resolution
                    .chains()
                    .find(|chain| kinds.contains(&chain.kind()) && chain.id() == id.as_str());
                let state = chain
                    .and_then(|chain| chain.get(0))
                    .map(|candidate| candidate.state);
                HostOnly { kind, id, state }
            })
            .collect();
        Self {
            context,
            command,
            checked,
            host_only,
        }
    }

    /// Whether the host has all that we say is in effect, and nothing that we say is not.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.missing().next().is_none() && self.host_only.iter().all(|one| one.state.is_none())
    }

    /// Whether the host was asked.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        self.checked.iter().any(|(_, _, said)| said.is_some())
    }

    /// What the host does not have.
    pub fn missing(&self) -> impl Iterator<Item = (ComponentKind, &str)> {
        let missing = self.checked.iter().filter(|(_, _, said)| *said == Some(false));
        missing.map(|(kind, id, _)| (*kind, id.as_str()))
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> VerifyView<'_> {
        VerifyView {
            envelope: self.context.envelope("aleph-discover/verify@1", true, &[]),
            command: &self.command,
            asked: self.was_asked(),
            agrees: self.was_asked().then(|| self.agrees()),
            checked: self
                .checked
                .iter()
                .map(|(kind, id, said)| CheckedView {
                    kind: *kind,
                    id,
                    host_has_it: *said,
                })
                .collect(),
            host_only: self
                .host_only
                .iter()
                .map(|one| HostOnlyView {
                    kind: one.kind,
                    id: &one.id,
                    state: one.state,
                })
                .collect(),
        }
    }
}

/// The names in a host's answer, each with its kind.
fn listed(answer: &str, form: AnswerForm) -> BTreeMap<String, ComponentKind> {
    let json = || serde_json::from_str::<serde_json::Value>(answer).unwrap_or_default();
    let mut names = BTreeMap::new();
    let mut add = |name: &str, kind: ComponentKind| {
        names.entry(name.to_owned()).or_insert(kind);
    };
    match form {
        AnswerForm::Keys(keys) => {
            let answer = json();
            for (kind, key) in keys {
                let list = answer.get(key).and_then(serde_json::Value::as_array);
                for name in list.into_iter().flatten().filter_map(serde_json::Value::as_str) {
                    add(name, *kind);
                }
            }
        }
        AnswerForm::Objects(kind) => {
            let answer = json();
            for one in answer.as_array().into_iter().flatten() {
                if let Some(name) = one.get("name").and_then(serde_json::Value::as_str) {
                    add(name, kind);
                }
            }
        }
        AnswerForm::Bracketed(kind) => {
            for line in answer.lines().filter(|line| !line.starts_with(' ')) {
                if let Some((name, _)) = line.split_once(" [") {
                    add(name, kind);
                }
            }
        }
        AnswerForm::Items(kind, heading) => {
            let rest = answer.split_once(heading).map_or("", |(_, rest)| rest);
            let lines = rest.split("\\n").take_while(|line| !line.starts_with(['#', '<']));
            for item in lines.filter_map(|line| line.strip_prefix("- ")) {
                if let Some((name, _)) = item.split_once(": ") {
                    add(name, kind);
                }
            }
        }
    }
    names
}

/// Whether a text has a name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(name).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + found.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The answer of `verify`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "verify@1")]
pub struct VerifyView<'a> {
    /// The fields that every answer begins with.
    #[serde(flatten)]
    pub envelope: Envelope<'a>,
    /// What is run, as a person would type it.
    pub command: &'a str,
    /// Whether it was run.
    pub asked: bool,
    /// Whether the host has everything that we say is in effect, and nothing that we say is not; null where it was not
    /// asked.
    pub agrees: Option<bool>,
    /// What we say is in effect.
    pub checked: Vec<CheckedView<'a>>,
    /// What the host lists beside that.
    pub host_only: Vec<HostOnlyView<'a>>,
}

/// One name that only the host has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HostOnlyView<'a> {
    /// The kind.
    pub kind: ComponentKind,
    /// The name.
    pub id: &'a str,
    /// What we say became of it; null where we know of no such name: the host's own, or from where we do not look.
    pub state: Option<State>,
}

/// One name that we say is in effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedView<'a> {
    /// The kind.
    pub kind: ComponentKind,
    /// The name.
    pub id: &'a str,
    /// Whether the host's answer has it; null where it was not asked.
    pub host_has_it: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::{AnswerForm, listed, names};
    use crate::model::ComponentKind;

    fn of(answer: &str, form: AnswerForm) -> Vec<String> {
        listed(answer, form).into_keys().collect()
    }

    #[test]
    fn names_are_read_from_each_form_of_answer() {
        let keys = AnswerForm::Keys(&[
            (ComponentKind::Skill, "skills"),
            (ComponentKind::Command, "slash_commands"),
        ]);
        let answer = r#"{"skills":["a"],"slash_commands":["a","b"],"tools":["Bash"]}"#;
        assert_eq!(of(answer, keys), ["a", "b"]);
        assert_eq!(listed(answer, keys).get("a"), Some(&ComponentKind::Skill));
        let objects = AnswerForm::Objects(ComponentKind::Skill);
        assert_eq!(of(r#"[{"name":"a","description":"D"},{}]"#, objects), ["a"]);
        let lines = "Discovered:\n\na-b [Enabled] [Built-in]\n  Description: see [x]\n";
        assert_eq!(of(lines, AnswerForm::Bracketed(ComponentKind::Skill)), ["a-b"]);
        let items = AnswerForm::Items(ComponentKind::Skill, "### Available skills\\n");
        let text =
            r"- no: x\n### Available skills\n- p:a: D (file: r0/a)\nmore of it\n- b: D\n### How\n- c: D";
        assert_eq!(of(text, items), ["b", "p:a"]);
        assert!(of("not JSON", keys).is_empty());
    }

    #[test]
    fn a_name_is_found_as_a_word_only() {
        assert!(names("[\"deploy\",\"ship\"]", "deploy"));
        assert!(!names("[\"deploy-all\"]", "deploy"));
        assert!(names("plug:deploy [Enabled]", "plug:deploy"));
    }
}
