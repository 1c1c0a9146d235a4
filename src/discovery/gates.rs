//! What takes entries out of the running: trust, approvals, settings and variables that switch them off.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::config_files::read_regular;
use super::settings::{Layer, Settings, as_text, strings};
use super::{Environment, Walk, roots};
use crate::discovery::free::Cause;
use crate::host::{Comments, Gate, GateSpec, HostProfile};
use crate::model::{
    Candidate, CandidateRef, Code, ComponentKind, Diagnostic, Resolution, Scope, Severity, State, hex,
};
use crate::parse::document::{Located, Value};

impl Settings {
    /// What switches an entry off, if anything does.
    pub(super) fn gate(
        &self,
        gates: &[GateSpec],
        candidate: CandidateRef<'_>,
    ) -> Option<(Code, Cause, String)> {
        let id = candidate.id();
        gates
            .iter()
            .filter(|gate| gate.kinds.contains(&candidate.kind))
            .find_map(|gate| self.closes(gate, &id, candidate))
    }

    fn closes(
        &self,
        spec: &GateSpec,
        id: &str,
        candidate: CandidateRef<'_>,
    ) -> Option<(Code, Cause, String)> {
        let key = spec.key.join(".");
        let cause = |layer: &Layer, key: String| Cause {
            path: layer.path.clone(),
            key: Some(key),
        };
        match spec.gate {
            // What a plugin brings is not switched off by name.
            Gate::Word(_)
                if candidate
                    .detail
                    .as_ref()
                    .is_some_and(|detail| detail.plugin.is_some()) =>
            {
                None
            }
            Gate::Word(off) => {
                let (layer, value) = self.named(spec.key, id)?;
                let is_off = value.value == Value::String(off.to_owned());
                let message = format!("`{key}` sets it to `{off}`");
                is_off.then(|| (Code::SwitchedOff, cause(layer, format!("{key}.{id}")), message))
            }
            Gate::Flag(flag, off) => {
                let (layer, value) = self
                    .all(spec.key)
                    .filter_map(|(layer, table)| Some((layer, table.value.get(id)?.value.get(flag)?)))
                    .last()?;
                let message = format!("`{key}.{id}.{flag}` is {off}");
                let is_off = value.value == Value::Bool(off);
                is_off.then(|| {
                    (
                        Code::SwitchedOff,
                        cause(layer, format!("{key}.{id}.{flag}")),
                        message,
                    )
                })
            }
            Gate::Denied(tools) => self.all(spec.key).find_map(|(layer, list)| {
                let rule = strings(&list.value).find(|rule| {
                    tools.iter().any(|tool| {
                        // The tool alone is about everything that it could start.
                        rule.strip_prefix(tool).is_some_and(|rest| {
                            let name = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                            rest.is_empty() || name.is_some_and(|name| name == id || name == "*")
                        })
                    })
                })?;
                let message = format!("the permission rule `{rule}` takes it away");
                Some((Code::DeniedByRule, cause(layer, key.clone()), message))
            }),
            Gate::Names => self.all(spec.key).find_map(|(layer, list)| {
                let wanted = id.to_lowercase();
                strings(&list.value).find(|name| name.to_lowercase() == wanted)?;
                let message = format!("`{key}` names it");
                Some((Code::SwitchedOff, cause(layer, key.clone()), message))
            }),
            Gate::PluginOnly(word) => {
                let of_plugin = candidate
                    .detail
                    .as_ref()
                    .is_some_and(|detail| detail.plugin.is_some());
                if of_plugin || matches!(candidate.scope(), Scope::Managed | Scope::Plugin) {
                    return None;
                }
                let (layer, _) = self
                    .all(spec.key)
                    .filter(|(layer, _)| spec.scopes.contains(&layer.spec.scope))
                    .find(|(_, value)| {
                        value.value == Value::Bool(true) || strings(&value.value).any(|one| one == word)
                    })?;
                let message = format!("`{key}` leaves only what plugins and the administrator bring");
                Some((Code::SwitchedOff, cause(layer, key), message))
            }
            Gate::All(off) => {
                let (layer, value) = self.highest(spec.key)?;
                let is_off = value.value == Value::Bool(off);
                let message = format!("`{key}` is {off}");
                is_off.then(|| (Code::SwitchedOff, cause(layer, key), message))
            }
            Gate::PathOrName => {
                let marker = candidate.marker().unwrap_or_else(|| candidate.path());
                let real = candidate.real_path();
                self.all(spec.key)
                    .filter(|(layer, _)| spec.scopes.is_empty() || spec.scopes.contains(&layer.spec.scope))
                    .filter_map(|(layer, list)| {
                        let Value::List(items) = &list.value else {
                            return None;
                        };
                        let mut about = items.iter().filter_map(|item| {
                            let text = |key: &str| as_text(&item.value.get(key)?.value);
                            let by_path = text("path").is_some_and(|path| {
                                let path = Path::new(path);
                                path == marker || Some(path) == real.as_deref()
                            });
                            let by_name = text("name").is_some_and(|name| name == id);
                            let enabled = item.value.get("enabled")?.value == Value::Bool(true);
                            (by_path || by_name).then_some(enabled)
                        });
                        about.next_back().map(|enabled| (layer, enabled))
                    })
                    .last()
                    .filter(|(_, enabled)| !enabled)
                    .map(|(layer, _)| {
                        let message = format!("`{key}` switches it off");
                        (Code::SwitchedOff, cause(layer, key), message)
                    })
            }
        }
    }

    /// The value under a name in the highest layer whose table has it.
    fn named<'a>(&'a self, key: &[&str], name: &str) -> Option<(&'a Layer, &'a Located)> {
        let tables = self.all(key);
        tables
            .filter_map(|(layer, table)| Some((layer, table.value.get(name)?)))
            .last()
    }
}

/// Takes out of the running what is not trusted, not approved or switched off.
pub(super) fn close(
    profile: &HostProfile,
    settings: &mut Settings,
    resolution: &mut Resolution,
    place: &Here<'_>,
) {
    let mut closed = Vec::new();
    for (index, message) in taken_along(profile, resolution) {
        closed.push((index, State::Disabled, Code::SwitchedOff, message, None));
    }
    let approvals = profile
        .approvals
        .and_then(|spec| Some((spec, roots::place(spec.anchor, place.environment, place.walk)?)))
        .map(|(spec, dir)| {
            let file = dir.join(spec.file);
            let root = settings.document(&file, Comments::Allowed).and_then(Result::ok);
            (spec, file, root)
        });
    for (index, candidate) in resolution.candidates.iter().enumerate() {
        if candidate.state != State::Active {
            continue;
        }
        let reference = CandidateRef::new(resolution, candidate);
        let needs_trust = reference
            .root()
            .is_some_and(|root| root.terms.needs_trust.contains(&candidate.kind));
        let distrusted = needs_trust
            && !reference
                .root()
                .map_or(settings.trusted, |root| settings.trusts(&root.path));
        if let Some(stop) = &settings.stop
            && candidate.kind != ComponentKind::Config
        {
            let cause = Some(Cause {
                path: stop.path.clone(),
                key: stop.key.clone(),
            });
            let message = format!("{} does not start here: {}", profile.name, stop.why);
            closed.push((index, State::Disabled, Code::HostDoesNotStart, message, cause));
        } else if let Some(message) = switched(profile, place.environment, reference) {
            closed.push((index, State::Disabled, Code::SwitchedOff, message, None));
        } else if profile.approvals.is_some()
            && candidate.kind == ComponentKind::Agent
            && profile.built_in.contains(&(candidate.kind, &*candidate.id()))
        {
            let message = "the host has an agent of its own of this name, which is read first".to_owned();
            closed.push((index, State::Ignored, Code::NameOfTheHosts, message, None));
        } else if distrusted {
            let cause = settings.trust_cause();
            let message = "this host loads it only in a project that the user trusts".to_owned();
            closed.push((index, State::Untrusted, Code::NotTrusted, message, cause));
        } else if let Some((spec, file, root)) = &approvals
            && spec.kind == candidate.kind
            && reference.scope() == Scope::Project
            && !is_approved(root.as_ref(), &place.walk.start, reference)
        {
            let cause = Some(Cause {
                path: file.clone(),
                key: None,
            });
            let message = "this host loads it only once its text has been approved".to_owned();
            closed.push((index, State::Untrusted, Code::NotApproved, message, cause));
        } else if let Some((code, cause, message)) = settings.gate(profile.gates, reference) {
            closed.push((index, State::Disabled, code, message, Some(cause)));
        }
    }
    if let Some(stop) = &settings.stop {
        let message = format!("{} does not start here: {}", profile.name, stop.why);
        let told = Diagnostic::new(Code::HostDoesNotStart, Severity::Error, message)
            .with_path(&stop.path)
            .with_help("mend this file; until then nothing is in effect for this host");
        resolution.diagnostics.push(told);
    }
    for (index, state, code, message, cause) in closed {
        if let Some(candidate) = resolution.candidates.get_mut(index) {
            Candidate::turn_off(candidate, state, code, &message, cause);
        }
    }
}

/// Definitions of one agent are merged: one that switches it off does so for all that are below it, and for those
/// above that do not say otherwise.
fn taken_along(profile: &HostProfile, resolution: &Resolution) -> Vec<(usize, String)> {
    let by_itself = |candidate: &&Candidate| {
        candidate.state == State::Disabled && candidate.code == Some(Code::SwitchedOff)
    };
    let kinds: Vec<ComponentKind> = profile.made_in_settings.iter().map(|(kind, _)| *kind).collect();
    let off: std::collections::HashMap<(ComponentKind, String), String> = resolution
        .candidates
        .iter()
        .filter(|candidate| kinds.contains(&candidate.kind))
        .filter(by_itself)
        .map(|candidate| {
            let path = CandidateRef::new(resolution, candidate).path();
            (
                (candidate.kind, candidate.id().into_owned()),
                path.display().to_string(),
            )
        })
        .collect();
    if off.is_empty() {
        return Vec::new();
    }
    let active = resolution.candidates.iter().enumerate();
    active
        .filter(|(_, candidate)| candidate.state == State::Active)
        .filter_map(|(index, candidate)| {
            let by = off.get(&(candidate.kind, candidate.id().into_owned()))?;
            Some((index, format!("{by} switches off what has this name")))
        })
        .collect()
}

/// The variable that switches an entry off, in words.
fn switched(profile: &HostProfile, environment: &Environment, candidate: CandidateRef<'_>) -> Option<String> {
    let of_plugin = candidate
        .detail
        .as_ref()
        .is_some_and(|detail| detail.plugin.is_some());
    let file = candidate.path();
    let file = file.file_name().unwrap_or_default();
    let switch = profile.switches.iter().find(|switch| {
        environment.is_on(switch.variable)
            && switch.kinds.contains(&candidate.kind)
            && !(of_plugin && switch.not_of_plugins.contains(&candidate.kind))
            && (switch.scopes.is_empty() || switch.scopes.contains(&candidate.scope()))
            && (switch.files.is_empty() || switch.files.iter().any(|name| file == *name))
    })?;
    Some(format!("the variable `{}` switches it off", switch.variable))
}

/// Where a question is asked.
pub(super) struct Here<'a> {
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
}

/// Whether the user has approved a file as it is: its digest stands under the project and its name.
fn is_approved(approvals: Option<&Located>, project: &Path, candidate: CandidateRef<'_>) -> bool {
    let known = approvals.and_then(|root| {
        let project = root.value.entries().iter().find(|entry| {
            let known = Path::new(&entry.key);
            known == project || known.canonicalize().is_ok_and(|known| known == project)
        })?;
        as_text(&project.value.value.get(&candidate.id())?.value)
    });
    let Some(known) = known else {
        return false;
    };
    let bytes = candidate
        .real_path()
        .and_then(|path| read_regular(&path, true).ok().flatten());
    bytes.is_some_and(|bytes| {
        // The host hashes the text that it reads, in which wrong bytes are replaced.
        let digest = Sha256::digest(String::from_utf8_lossy(&bytes).as_bytes());
        hex(&digest) == known
    })
}
