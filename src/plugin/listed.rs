//! Short names: where a plugin's component stands beside what competes for its name.

use std::collections::{BTreeMap, HashMap};

use super::parts::path_of;
use crate::model::{Candidate, Code, ComponentKind, Diagnostic, IdOrigin, Resolution, Rule, Severity, State};

/// Kinds whose components are called by name, so that a short name means something.
const NAMED: [ComponentKind; 4] = [
    ComponentKind::Skill,
    ComponentKind::Command,
    ComponentKind::Agent,
    ComponentKind::McpServer,
];

type Key = (ComponentKind, String);

/// What competes for a short name in the host's own roots.
#[derive(Clone, Copy, Default)]
struct Own {
    any: bool,
    valid: bool,
}

/// The components that are listed under their short names too, and what is to be told of them.
///
/// `parts` are the plugins' components, decided under their qualified ids; `own` are the entries of the host's own
/// roots, not yet decided.
pub(super) fn short_names(parts: &Resolution, own: &[Candidate]) -> (Vec<Candidate>, Vec<Diagnostic>) {
    let mut brought: BTreeMap<Key, Vec<&Candidate>> = BTreeMap::new();
    for chain in parts.chains().filter(|chain| NAMED.contains(&chain.kind())) {
        let off = |one: &Candidate| one.code == Some(Code::PluginNotInEffect);
        let stands = chain
            .winner()
            .or_else(|| chain.candidates().find(|one| off(one.candidate())));
        if let Some(stands) = stands
            && let Some(part) = &stands.candidate().plugin
            && let Some(short) = part.qualified_id.get(part.plugin.len() + 1..)
        {
            let key = (chain.kind(), short.to_owned());
            brought.entry(key).or_default().push(stands.candidate());
        }
    }
    let mut owned: HashMap<Key, Own> = HashMap::new();
    for candidate in own.iter().filter(|candidate| NAMED.contains(&candidate.kind)) {
        let key = (candidate.kind, candidate.id().into_owned());
        if brought.contains_key(&key) {
            let own = owned.entry(key).or_default();
            own.any = true;
            own.valid |= candidate.state == State::Active;
        }
    }
    let mut listed = Vec::new();
    let mut diagnostics = Vec::new();
    for (key, candidates) in brought {
        let own = owned.get(&key).copied().unwrap_or_default();
        let in_effect: Vec<&Candidate> = candidates
            .iter()
            .copied()
            .filter(|candidate| candidate.state == State::Active)
            .collect();
        if in_effect.is_empty() && !own.any {
            continue;
        }
        let is_free = in_effect.len() == 1 && !own.valid;
        if in_effect.len() > 1 && !own.valid {
            diagnostics.push(ambiguous(parts, &key, &in_effect));
        }
        for candidate in candidates {
            listed.push(under_short_name(candidate, &key.1, is_free));
        }
    }
    (listed, diagnostics)
}

fn under_short_name(candidate: &Candidate, short: &str, is_free: bool) -> Candidate {
    let mut listed = candidate.clone();
    listed.set_id(IdOrigin::Derived(short.into()));
    listed.by = None;
    listed.rule = None;
    if listed.state == State::Active && !is_free {
        listed.state = State::Namespaced;
        listed.rule = Some(Rule::PluginNamespace);
    }
    if let Some(part) = &mut listed.plugin {
        part.is_short_name = true;
    }
    if let Some(detail) = &mut listed.detail {
        detail.alias_of = None;
    }
    listed
}

fn ambiguous(parts: &Resolution, key: &Key, candidates: &[&Candidate]) -> Diagnostic {
    let ids: Vec<String> = candidates
        .iter()
        .map(|candidate| format!("`{}`", candidate.id()))
        .collect();
    let message = format!(
        "several plugins bring the {} `{}`, so the short name leads to none of them: {}",
        key.0,
        key.1,
        ids.join(", ")
    );
    let diagnostic = Diagnostic::new(Code::AmbiguousShortName, Severity::Warning, message)
        .with_subject(key.0, key.1.as_str())
        .with_help("use the qualified id, or switch one of the plugins off");
    match candidates.first() {
        Some(first) => diagnostic.with_path(path_of(parts, first)),
        None => diagnostic,
    }
}
