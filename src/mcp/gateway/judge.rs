//! The one predicate of what a client may see: listing, searching, describing and calling all ask it.

use serde_json::{Value, json};

use super::Gateway;
use super::view::View;
use crate::tools::disclosure::{ClauseKind, Explanation, explain};
use crate::tools::{Tool, qualified_name};

/// What became of a name.
pub(super) enum Verdict<'a> {
    /// It may be seen and called.
    Open(&'a Tool),
    /// Several servers have a tool of this name.
    Ambiguous(Vec<String>),
    /// The rules of disclosure do not show it now.
    Hidden(Box<Explanation>),
    /// The operator denies it.
    Denied(String),
    /// It cannot be used, and why.
    Unusable(String),
    /// Nothing is known of the server that it speaks of, and why.
    Away(String),
    /// There is none; the nearest names.
    Unknown(Vec<String>),
}

impl Verdict<'_> {
    /// Why a tool of this name cannot be called or described; none if it can.
    pub(super) fn refusal(&self, name: &str) -> Option<Refusal> {
        let (reason, message, suggestions, next) = match self {
            Verdict::Open(_) => return None,
            Verdict::Ambiguous(owners) => (
                "ambiguous",
                format!(
                    "{} servers have a tool `{name}`: give its full name",
                    owners.len()
                ),
                owners.clone(),
                None,
            ),
            Verdict::Hidden(explanation) => {
                let failing = explanation.clauses.iter().find(|clause| !clause.holds);
                let detail = failing.map_or("", |clause| clause.detail.as_str());
                let reason = match failing.map(|clause| clause.clause) {
                    Some(ClauseKind::Policy) => "denied",
                    Some(ClauseKind::Stage) => "stage-unmet",
                    Some(ClauseKind::Domain) => "domain-unmet",
                    Some(ClauseKind::Unlocked) => "never-unlocked",
                    Some(ClauseKind::Lease) => "expired",
                    Some(ClauseKind::NotHidden) | None => "hidden",
                };
                let message = format!("`{}` is not visible now: it {detail}", explanation.name);
                (reason, message, Vec::new(), next_for_agent(explanation))
            }
            Verdict::Denied(name) => (
                "denied",
                format!("the operator denies `{name}`"),
                Vec::new(),
                None,
            ),
            Verdict::Unusable(why) => (
                "unusable",
                format!("the tool `{name}` cannot be used: {why}"),
                Vec::new(),
                None,
            ),
            Verdict::Away(why) => (
                "server-away",
                format!("whether there is a tool `{name}` is not known: {why}"),
                Vec::new(),
                None,
            ),
            Verdict::Unknown(near) => (
                "unknown",
                format!("there is no tool `{name}`"),
                near.clone(),
                near.is_empty()
                    .then(|| "look for it with tool_search, by what it should do".to_owned()),
            ),
        };
        Some(Refusal {
            reason,
            message,
            suggestions,
            next,
        })
    }
}

/// What would make a tool visible, in terms of what an agent can call.
fn next_for_agent(explanation: &Explanation) -> Option<String> {
    let next = explanation.next.as_deref()?;
    Some(match next.strip_suffix(&format!("show {}", explanation.name)) {
        Some(before) => format!("{before}show it with tool_visibility"),
        None => next.to_owned(),
    })
}

/// Why a tool cannot be called or described.
pub(super) struct Refusal {
    /// A word for it.
    pub(super) reason: &'static str,
    /// A sentence.
    pub(super) message: String,
    /// Names that were probably meant.
    pub(super) suggestions: Vec<String>,
    /// What would change it.
    pub(super) next: Option<String>,
}

impl Refusal {
    /// The refusal as JSON, with what it is an answer to.
    pub(super) fn view(&self, name: &str) -> Value {
        json!({
            "found": false,
            "name": name,
            "reason": self.reason,
            "error": self.message,
            "next": self.next,
            "suggestions": self.suggestions,
        })
    }

    /// The refusal as a sentence.
    pub(super) fn sentence(&self) -> String {
        let mut sentence = self.message.clone();
        if let Some(next) = &self.next {
            sentence.push_str("; next: ");
            sentence.push_str(next);
        }
        if !self.suggestions.is_empty() {
            sentence.push_str("; did you mean ");
            sentence.push_str(&self.suggestions.join(", "));
            sentence.push('?');
        }
        sentence
    }
}

impl Gateway {
    /// Whether a tool is visible under a handle.
    pub(super) fn is_visible(&self, view: &View, handle: &str, name: &str) -> bool {
        // Most tools are in no rule; asking the sessions costs a lock.
        if !self.governs(name) {
            return view.tool(name).is_some();
        }
        let now = self.now();
        self.handles(|handles| handles.session(handle).is_visible(name, view, now))
    }

    /// Whether the rules of disclosure speak of a tool.
    pub(super) fn governs(&self, name: &str) -> bool {
        self.0.governed.contains(name)
    }

    /// What becomes of a name: a qualified one, or a bare one that only one server has.
    pub(super) fn judge<'a>(&self, view: &'a View, handle: &str, name: &str) -> Verdict<'a> {
        if let Some(tool) = view.tool(name) {
            return self.judge_tool(view, handle, tool);
        }
        if view.is_denied(name) {
            return Verdict::Denied(name.to_owned());
        }
        let named = view.catalogue.named(name);
        let visible: Vec<&Tool> = named
            .iter()
            .filter(|tool| self.is_visible(view, handle, &tool.name))
            .copied()
            .collect();
        match (visible.as_slice(), named.as_slice()) {
            ([tool], _) => Verdict::Open(tool),
            ([], [hidden, ..]) => self.judge_tool(view, handle, hidden),
            ([], []) => self.judge_missing(view, handle, name),
            (several, _) => {
                Verdict::Ambiguous(several.iter().take(5).map(|tool| tool.name.clone()).collect())
            }
        }
    }

    fn judge_tool<'a>(&self, view: &View, handle: &str, tool: &'a Tool) -> Verdict<'a> {
        if self.is_visible(view, handle, &tool.name) {
            return Verdict::Open(tool);
        }
        let now = self.now();
        let explanation = self.handles(|handles| explain(handles.session(handle), &tool.name, view, now));
        Verdict::Hidden(Box::new(explanation))
    }

    fn judge_missing<'a>(&self, view: &View, handle: &str, name: &str) -> Verdict<'a> {
        let is = |tool: &&crate::tools::Quarantined| {
            tool.tool == name || qualified_name(&tool.server, &tool.tool) == name
        };
        if let Some(tool) = view.catalogue.quarantined.iter().find(is) {
            return Verdict::Unusable(tool.reason.clone());
        }
        if let Some(why) = self.why_away(name) {
            return Verdict::Away(why);
        }
        let names = view
            .catalogue
            .tools
            .iter()
            .flat_map(|tool| [tool.name.as_str(), tool.tool.as_str()]);
        let near = crate::model::nearest(name, names);
        // A name must not be offered for one that is then refused.
        let is_open = |near: &String| {
            let owners = view.catalogue.named(near);
            owners
                .iter()
                .any(|tool| self.is_visible(view, handle, &tool.name))
        };
        Verdict::Unknown(near.into_iter().filter(is_open).collect())
    }
}
