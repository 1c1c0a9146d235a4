//! What a host decides across names and kinds: one file once, commands that are renamed, a skill before a command.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::host::{HostProfile, Layout, Merge};
use crate::model::{
    Candidate, CandidateRef, ComponentKind, FileIdentity, IdOrigin, Resolution, Rule, Scope, State,
};

/// Before names are looked at: one real file counts once, and commands of one name are renamed.
pub(super) fn prepare(profile: &HostProfile, resolution: &mut Resolution) {
    for kind in ComponentKind::ALL {
        let once = profile.kinds.iter().any(|spec| {
            spec.kind == kind && matches!(&spec.layout, Layout::Tree(tree) if tree.one_file_once)
        });
        if once {
            one_file_once(resolution, kind);
        }
        if profile.merge(kind) == Merge::RenameAll {
            rename_all(profile, resolution, kind);
        }
    }
}

/// Of several paths to one real file the one with the highest priority stays, in one place the first by path.
fn one_file_once(resolution: &mut Resolution, kind: ComponentKind) {
    let mut order: Vec<(std::cmp::Reverse<u32>, std::path::PathBuf, usize)> = Vec::new();
    for (index, candidate) in resolution.candidates.iter().enumerate() {
        if candidate.kind == kind && candidate.state == State::Active {
            let reference = CandidateRef::new(resolution, candidate);
            order.push((std::cmp::Reverse(reference.priority()), reference.path(), index));
        }
    }
    order.sort();
    let mut first_of: HashMap<FileIdentity, usize> = HashMap::new();
    let mut again = Vec::new();
    for (_, _, index) in order {
        let identity = resolution
            .candidates
            .get(index)
            .and_then(|candidate| candidate.identity);
        let Some(identity) = identity else {
            continue;
        };
        match first_of.entry(identity) {
            Entry::Occupied(first) => again.push((index, *first.get())),
            Entry::Vacant(free) => {
                free.insert(index);
            }
        }
    }
    for (index, first) in again {
        let Some(kept) = resolution.candidates.get(first) else {
            continue;
        };
        let message = format!(
            "the same real file as {}, under which this host lists it",
            CandidateRef::new(resolution, kept).path().display()
        );
        if let Some(candidate) = resolution.candidates.get_mut(index) {
            candidate.state = State::Alias;
            candidate.rule = Some(Rule::OneFileOnce);
            candidate.detail_mut().message = Some(message.into());
        }
    }
}

/// Gives every command of a name that several have a name that says where it is from.
fn rename_all(profile: &HostProfile, resolution: &mut Resolution, kind: ComponentKind) {
    let mut groups: BTreeMap<String, Vec<(u32, usize)>> = BTreeMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    for (index, candidate) in resolution.candidates.iter().enumerate() {
        if candidate.kind == kind && candidate.state == State::Active {
            let reference = CandidateRef::new(resolution, candidate);
            let id = candidate.id().into_owned();
            taken.insert(id.clone());
            groups.entry(id).or_default().push((reference.priority(), index));
        }
    }
    for (id, mut members) in groups {
        let is_the_hosts = profile.built_in.contains(&(kind, id.as_str()));
        if members.len() < 2 && !is_the_hosts {
            continue;
        }
        members.sort_unstable();
        for (_, index) in members {
            let Some(candidate) = resolution.candidates.get(index) else {
                continue;
            };
            let plugin = candidate.detail.as_ref().and_then(|detail| detail.plugin.clone());
            let base = match (CandidateRef::new(resolution, candidate).scope(), plugin) {
                (_, Some(plugin)) => format!("{plugin}:{id}"),
                (Scope::Project, None) => format!("workspace.{id}"),
                (_, None) => format!("user.{id}"),
            };
            let mut name = base.clone();
            let mut number = 1;
            while !taken.insert(name.clone()) {
                name = format!("{base}{number}");
                number += 1;
            }
            if let Some(candidate) = resolution.candidates.get_mut(index) {
                candidate.set_id(IdOrigin::Derived(name.into()));
                candidate.rule = Some(Rule::RenamedOnClash);
                candidate.detail_mut().message =
                    Some(format!("something else is called `{id}` too, so it goes by this name").into());
            }
        }
    }
}

/// After names are decided: a skill takes the name from a command.
pub(super) fn decide(profile: &HostProfile, resolution: &mut Resolution) {
    if !profile.skill_beats_command {
        return;
    }
    let mut skills: HashMap<String, Named> = HashMap::new();
    let mut beaten = Vec::new();
    for (place, chain) in resolution.chains().enumerate() {
        let Some(winner) = chain.winner() else {
            continue;
        };
        let path = winner.path().display().to_string();
        let is_brought = winner
            .detail
            .as_ref()
            .is_some_and(|detail| detail.plugin.is_some());
        let priority = winner.priority();
        match chain.kind() {
            ComponentKind::Skill => {
                let named = Named {
                    place,
                    path,
                    is_brought,
                    among_commands: (winner.parent().ends_with("commands")).then_some(priority),
                };
                skills.insert(chain.id().into_owned(), named);
            }
            ComponentKind::Command => {
                if let Some(skill) = skills.get(&*chain.id()) {
                    // Of what a plugin brings the command is read first, and of what lies among commands too.
                    let keeps = is_brought && skill.is_brought
                        || skill.among_commands.is_some_and(|of_skill| priority >= of_skill);
                    if keeps {
                        beaten.push((skill.place, path, Rule::CommandOverSkill));
                    } else {
                        beaten.push((place, skill.path.clone(), Rule::SkillOverCommand));
                    }
                }
            }
            _ => {}
        }
    }
    for (place, path, rule) in beaten {
        let Some(span) = resolution.spans.get_mut(place) else {
            continue;
        };
        span.set_winner(None);
        let (start, len) = (span.start as usize, span.len as usize);
        for candidate in resolution.candidates.iter_mut().skip(start).take(len) {
            if candidate.state.is_in_effect() || candidate.state.is_loser() {
                lose_across(candidate, rule, &path);
            }
        }
    }
}

/// A skill that has its name.
struct Named {
    /// Which chain it wins.
    place: usize,
    path: String,
    is_brought: bool,
    /// Its priority, where it is a folder among commands.
    among_commands: Option<u32>,
}

fn lose_across(candidate: &mut Candidate, rule: Rule, path: &str) {
    candidate.state = State::Shadowed;
    candidate.rule = Some(rule);
    candidate.by = None;
    candidate.detail_mut().message = Some(format!("{path} has the name").into());
}
