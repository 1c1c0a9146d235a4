//! What of the descriptions the model is given: each up to a length, and all together up to another.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::config_files::read_regular;
use super::settings::Settings;
use super::{Environment, Walk, roots};
use crate::host::{HostProfile, ListingSpec, UsageSpec};
use crate::model::{CandidateRef, Code, ComponentKind, Diagnostic, Resolution, Severity, WordPool, Words};
use crate::parse::document::{Format, Value, parse};

const DAY: f64 = 24.0 * 60.0 * 60.0 * 1000.0;

/// The limits of a host here.
pub(super) struct Budget<'a> {
    pub(super) profile: &'static HostProfile,
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
    pub(super) settings: &'a Settings,
}

/// A line of the list that the model is given.
struct Line<'a> {
    candidate: CandidateRef<'a>,
    kind: ComponentKind,
    id: Cow<'a, str>,
    /// Characters of the description, as far as it is given.
    description: usize,
    used: f64,
}

/// Characters of a line beside its name and description: `- `, `: ` before a description, and the line's end.
const BARE: usize = 3;
const BEFORE_DESCRIPTION: usize = 2;

impl Budget<'_> {
    /// The most characters of one description, 0 where any number.
    fn longest(&self) -> usize {
        let set = self
            .profile
            .listing
            .and_then(|listing| self.settings.highest(listing.longest_setting));
        match set.map(|(_, value)| &value.value) {
            Some(Value::Integer(most)) => usize::try_from(*most).unwrap_or(self.profile.longest_description),
            _ => self.profile.longest_description,
        }
    }

    /// Tells of skills of whose description the model is given only the beginning.
    pub(super) fn cut(&self, resolution: &Resolution) -> Vec<Diagnostic> {
        let limit = self.longest();
        let mut words = WordPool::default();
        let mut told = Vec::new();
        for chain in resolution
            .chains()
            .filter(|chain| limit > 0 && chain.kind() == ComponentKind::Skill)
        {
            for candidate in chain
                .candidates()
                .filter(|candidate| candidate.state.is_in_effect())
            {
                let length = candidate
                    .description
                    .as_deref()
                    .map_or(0, |text| text.chars().count());
                if length > limit {
                    let message = format!(
                        "the description has {length} characters; {} gives the model the first {limit}",
                        self.profile.name
                    );
                    told.push(
                        Diagnostic::new(Code::DescriptionCut, Severity::Note, words.share(message.into()))
                            .with_path(candidate.marker().unwrap_or_else(|| candidate.path()))
                            .with_subject(chain.kind(), chain.id())
                            .with_help(words.share("say first what it is for".into())),
                    );
                }
            }
        }
        told
    }

    /// Tells of skills and commands whose description does not fit beside those of all others.
    pub(super) fn left_out(&self, resolution: &Resolution) -> Vec<Diagnostic> {
        let Some(listing) = self.profile.listing else {
            return Vec::new();
        };
        let longest = self.longest();
        let given = |length: usize| if longest > 0 { length.min(longest) } else { length };
        let budget = self.characters(listing);
        let mut lines = self.lines(listing, resolution, &given);
        let own: usize = listing
            .own
            .iter()
            .map(|(name, length)| name.len() + given(*length) + BARE + BEFORE_DESCRIPTION)
            .sum();
        let names: usize = lines.iter().map(|line| line.id.chars().count() + BARE).sum();
        let cost = |line: &Line<'_>| match line.description {
            0 => 0,
            length => length + BEFORE_DESCRIPTION,
        };
        let mut taken = own + names;
        let wanted = taken + lines.iter().map(cost).sum::<usize>();
        if wanted <= budget {
            return Vec::new();
        }
        let used = self.used(listing.usage);
        for line in &mut lines {
            line.used = used.get(&*line.id).copied().unwrap_or(0.0);
        }
        // What was not used stays in the order of the list.
        lines.sort_by(|a, b| b.used.total_cmp(&a.used));
        let help = Words::from(format!(
            "shorten descriptions, switch off what is not used, or set {} or {}",
            listing.share_setting.join("."),
            listing.variable
        ));
        let mut words = WordPool::default();
        let mut told = Vec::new();
        for line in lines {
            if taken + cost(&line) <= budget {
                taken += cost(&line);
                continue;
            }
            let message = format!(
                "{} gives the model the name alone: its {} characters do not fit into the {budget} that all \
                 descriptions may have, of which about {own} are the host's own",
                self.profile.name, line.description
            );
            let path = line.candidate.marker().unwrap_or_else(|| line.candidate.path());
            told.push(
                Diagnostic::new(
                    Code::DescriptionLeftOut,
                    Severity::Note,
                    words.share(message.into()),
                )
                .with_path(path)
                .with_subject(line.kind, line.id)
                .with_help(help.clone()),
            );
        }
        told
    }

    /// How many characters there are for all.
    fn characters(&self, listing: &ListingSpec) -> usize {
        let variable = self.environment.variables.get(listing.variable);
        let set = variable.and_then(|value| value.to_str()?.trim().parse::<usize>().ok());
        if let Some(set) = set.filter(|set| *set > 0) {
            return set;
        }
        let share = match self.settings.highest(listing.share_setting) {
            Some((_, value)) => number(&value.value).unwrap_or(listing.usual_share),
            None => listing.usual_share,
        };
        let characters = f64::from(listing.characters) * (share / listing.usual_share);
        // Between nothing and what a window can hold, so that nothing is lost.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let characters = characters.round().clamp(0.0, 1e9) as usize;
        characters
    }

    /// What the model is told of, in the order of the host's list.
    fn lines<'a>(
        &self,
        listing: &ListingSpec,
        resolution: &'a Resolution,
        given: &dyn Fn(usize) -> usize,
    ) -> Vec<Line<'a>> {
        let mut lines = Vec::new();
        for chain in resolution
            .chains()
            .filter(|chain| matches!(chain.kind(), ComponentKind::Skill | ComponentKind::Command))
        {
            let Some(candidate) = chain.winner() else { continue };
            let id = chain.id();
            let detail = candidate.detail.as_deref();
            let plugin = detail.and_then(|detail| detail.plugin.as_deref());
            let is_short_name = plugin.is_some_and(|plugin| !id.starts_with(&format!("{plugin}:")));
            let word = self.word(listing, &id).filter(|_| plugin.is_none());
            let hidden = detail.is_some_and(|detail| detail.hidden_from_model)
                || word.is_some_and(|word| listing.hidden_words.contains(&word));
            if is_short_name || hidden {
                continue;
            }
            let declared = candidate
                .description
                .as_deref()
                .map_or(0, |text| text.chars().count());
            let is_name_only = word.is_some_and(|word| word == listing.name_only_word);
            let description = if is_name_only {
                0
            } else {
                given(declared + detail.map_or(0, |detail| detail.further_description))
            };
            lines.push(Line {
                candidate,
                kind: chain.kind(),
                id,
                description,
                used: 0.0,
            });
        }
        // Skills by precedence, then all commands by name, then plugins, commands before skills.
        let rank = |line: &Line<'_>| {
            let detail = line.candidate.detail.as_deref();
            let of_plugin = detail.is_some_and(|detail| detail.plugin.is_some());
            let is_command = line.kind == ComponentKind::Command;
            let first = Reverse(line.candidate.priority());
            match (of_plugin, is_command) {
                (false, false) => (0, Some(first), false),
                (false, true) => (1, None, false),
                (true, _) => (2, Some(first), !is_command),
            }
        };
        lines.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.id.cmp(&b.id)));
        lines
    }

    /// The word that the settings have for an entry.
    fn word(&self, listing: &ListingSpec, id: &str) -> Option<&str> {
        self.settings
            .all(listing.overrides_setting)
            .filter_map(|(_, table)| table.value.get(id))
            .last()
            .and_then(|value| match &value.value {
                Value::String(word) => Some(word.as_str()),
                _ => None,
            })
    }

    /// How much each entry counts as used, as the host weighs it; the latest use in the record stands for now.
    fn used(&self, spec: UsageSpec) -> HashMap<String, f64> {
        let bytes = roots::place(spec.anchor, self.environment, self.walk)
            .and_then(|dir| read_regular(&dir.join(spec.file), true).ok().flatten());
        let Some(document) = bytes.and_then(|bytes| parse(&bytes, Format::Json).ok()) else {
            return HashMap::new();
        };
        let Some(table) = document.root.value.get(spec.key) else {
            return HashMap::new();
        };
        let record: Vec<(&str, f64, f64)> = table
            .value
            .entries()
            .iter()
            .filter_map(|entry| {
                let part = |key| number(&entry.value.value.get(key)?.value);
                Some((entry.key.as_str(), part("usageCount")?, part("lastUsedAt")?))
            })
            .collect();
        let now = record.iter().map(|(_, _, last)| *last).fold(0.0, f64::max);
        record
            .into_iter()
            .map(|(name, count, last)| {
                let days = (now - last) / DAY;
                let weight = libm::exp2(-days / spec.half_life_days).max(spec.least);
                (name.to_owned(), count * weight)
            })
            .collect()
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        // Counts and times are far below where a whole number is no longer exact.
        #[allow(clippy::cast_precision_loss)]
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}
