//! `verify`: our answer against what the installed program says of itself.

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{Context, Envelope};
use crate::model::{ComponentKind, Resolution};

/// The answer of `verify`.
#[derive(Clone, Debug)]
pub struct VerifyReport {
    /// What the question was about.
    pub context: Context,
    /// What is run, as a person would type it.
    pub command: String,
    /// What we say is in effect: kind, name, and whether the host's answer has it; none where it was not asked.
    pub checked: Vec<(ComponentKind, String, Option<bool>)>,
}

impl VerifyReport {
    /// Looks for each name in effect in the host's answer, if there is one.
    #[must_use]
    pub fn new(
        context: Context,
        command: String,
        resolution: &Resolution,
        kinds: &[ComponentKind],
        answer: Option<&str>,
    ) -> Self {
        let checked = resolution
            .chains()
            .filter(|chain| kinds.contains(&chain.kind()) && chain.winner().is_some())
            .map(|chain| {
                let id = chain.id().into_owned();
                let said = answer.map(|answer| names(answer, &id));
                (chain.kind(), id, said)
            })
            .collect();
        Self {
            context,
            command,
            checked,
        }
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
            agrees: self.was_asked().then(|| self.missing().next().is_none()),
            checked: self
                .checked
                .iter()
                .map(|(kind, id, said)| CheckedView {
                    kind: *kind,
                    id,
                    host_has_it: *said,
                })
                .collect(),
        }
    }
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
    /// Whether the host has everything that we say is in effect; null where it was not asked.
    pub agrees: Option<bool>,
    /// What we say is in effect.
    pub checked: Vec<CheckedView<'a>>,
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
    use super::names;

    #[test]
    fn a_name_is_found_as_a_word_only() {
        assert!(names("[\"deploy\",\"ship\"]", "deploy"));
        assert!(!names("[\"deploy-all\"]", "deploy"));
        assert!(names("plug:deploy [Enabled]", "plug:deploy"));
    }
}
