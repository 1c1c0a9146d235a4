//! Short names: a skill that one plugin alone brings answers to its name without the plugin's, where that is free.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Candidate, CandidateRef, ComponentKind, IdOrigin, PluginPart, Resolution, State};

/// Lists the skills of plugins under their short names too. A skill goes by the name that it declares, else by its
/// folder's; an entry of the host's own folders keeps the name also where it is switched off, and where several plugins
/// bring a name none has it.
pub(in crate::discovery) fn list(resolution: &mut Resolution) {
    let called =
        |candidate: &Candidate| matches!(candidate.kind, ComponentKind::Skill | ComponentKind::Command);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut brought: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for (index, candidate) in resolution
        .candidates
        .iter()
        .enumerate()
        .filter(|(_, one)| called(one))
    {
        let id = candidate.id().into_owned();
        let plugin = candidate
            .detail
            .as_ref()
            .and_then(|detail| detail.plugin.as_deref());
        let Some(plugin) = plugin else {
            if !matches!(
                candidate.state,
                State::Ignored | State::Rejected | State::Unreadable
            ) {
                taken.extend(candidate.declared_name().map(std::borrow::Cow::into_owned));
                taken.insert(id);
            }
            continue;
        };
        if candidate.state != State::Active {
            continue;
        }
        let Some(rest) = id.strip_prefix(plugin).and_then(|rest| rest.strip_prefix(':')) else {
            continue;
        };
        let short = match candidate.declared_name() {
            Some(name) if candidate.kind == ComponentKind::Skill => name.into_owned(),
            _ => rest.to_owned(),
        };
        let of_name = brought.entry(short).or_default();
        let priority = |index: usize| {
            let candidate = resolution.candidates.get(index);
            candidate.map(|candidate| CandidateRef::new(resolution, candidate).priority())
        };
        let known = of_name.entry(id).or_insert(index);
        if priority(index) > priority(*known) {
            *known = index;
        }
    }
    let mut listed = Vec::new();
    for (short, skills) in brought {
        let mut members = skills.values();
        let (Some(index), None) = (members.next(), members.next()) else {
            continue;
        };
        let Some(candidate) = resolution.candidates.get(*index) else {
            continue;
        };
        if candidate.kind != ComponentKind::Skill || taken.contains(&short) {
            continue;
        }
        let mut under_short = candidate.clone();
        let plugin = under_short
            .detail
            .as_ref()
            .and_then(|detail| detail.plugin.clone());
        under_short.plugin = Some(Box::new(PluginPart {
            plugin: plugin.unwrap_or_default(),
            qualified_id: under_short.id().into(),
            name: None,
            definition: None,
            is_short_name: true,
        }));
        under_short.set_id(IdOrigin::Derived(short.into()));
        listed.push(under_short);
    }
    resolution.candidates.append(&mut listed);
}
