//! `docs/hosts.md`: what other hosts load, kind by kind, made from their profiles.

mod beside;
mod kinds;
mod settings;

use aleph_discover::host::{Anchor, GitMark, HostProfile, WalkEnd, WalkSpec};
use aleph_discover::model::{ComponentKind, HostId};

use super::roots::place;
use super::{Markdown, quoted};

pub(super) fn document() -> String {
    let mut document = Markdown::new("Hosts");
    document.block(
        "What the real programs load in a directory, as `--host NAME` answers. Every rule was observed on the version \
         named, on Linux; `tests/hosts/` has the trees and what the programs did with them, and a test replays them. \
         What was seen counts where documentation says something else. Cursor was not observed: its rules are those of \
         its documentation, and where that does not say who wins, the rule is \
         [`host-order-undefined`](rules.md#host-order-undefined).",
    );
    for host in HostId::ALL.into_iter().filter(|host| *host != HostId::Aleph) {
        one(&mut document, HostProfile::known(host));
    }
    document.heading(2, "Where we do not agree, and why");
    document.block(EXCEPTIONS.trim_end());
    document.heading(2, "Three directories through several hosts' eyes");
    document.block(EXAMPLES.trim_end());
    document.text
}

const EXCEPTIONS: &str = include_str!("exceptions.md");
const EXAMPLES: &str = include_str!("examples.md");

fn one(document: &mut Markdown, profile: &HostProfile) {
    document.heading(2, profile.name);
    let observed = match profile.observed {
        Some(version) => format!("Observed on {version}."),
        None => "As documented; not observed.".to_owned(),
    };
    document.block(&format!(
        "{observed} `--host {}`. {}.",
        profile.id,
        walk(profile.walk)
    ));
    document.heading(3, &format!("{}: directories", profile.name));
    let rows: Vec<[String; 4]> = profile
        .roots
        .iter()
        .map(|spec| {
            let kinds: Vec<String> = spec
                .kinds
                .iter()
                .map(|kind| {
                    let rank = spec.ranks.iter().find(|(ranked, _)| ranked == kind);
                    let rank = rank.map(|(_, rank)| format!(" ({rank})")).unwrap_or_default();
                    let trust = if spec.trusted_only.contains(kind) {
                        ", if trusted"
                    } else {
                        ""
                    };
                    format!("{}{rank}{trust}", kind.plural())
                })
                .collect();
            let steps = match (spec.anchor, spec.outer_wins) {
                (Anchor::EachWalkDirectory(_), true) => " + further out",
                (Anchor::EachWalkDirectory(_), false) => " + nearer",
                _ => "",
            };
            [
                format!("{}{steps}", spec.priority),
                place(spec.anchor),
                spec.scope.to_string(),
                kinds.join(", "),
            ]
        })
        .collect();
    document.table(["priority", "directory", "scope", "kinds"], &rows);
    kinds::write(document, profile);
    document.heading(3, &format!("{}: which of two wins", profile.name));
    let mut rows: Vec<[String; 3]> = profile
        .clashes
        .iter()
        .map(|clash| {
            let side = |side: aleph_discover::host::Side| {
                let family = side.family.map(|family| quoted(family.dir_name()));
                let scope = side.scope.map(|scope| scope.to_string());
                let words: Vec<String> = scope.into_iter().chain(family).collect();
                if words.is_empty() {
                    "anything".to_owned()
                } else {
                    words.join(" in ")
                }
            };
            [
                format!("[`{0}`](rules.md#{0})", clash.rule),
                side(clash.winner),
                side(clash.loser),
            ]
        })
        .collect();
    if profile.skill_beats_command {
        let rule = "[`skill-over-command`](rules.md#skill-over-command)".to_owned();
        rows.push([rule, "a skill".to_owned(), "a command of its name".to_owned()]);
    }
    document.table(["rule", "wins", "loses"], &rows);
    settings::write(document, profile);
    beside::write(document, profile);
}

/// How far up it looks.
fn walk(spec: WalkSpec) -> String {
    let WalkSpec {
        git,
        without_git,
        capped,
        marker_setting,
    } = spec;
    let mark = match git {
        GitMark::NearestValid => "the nearest `.git`, which must be a repository's",
        GitMark::Strict => "a real `.git` directory, or a file that begins with `gitdir:`",
        GitMark::Anything => "anything called `.git`",
    };
    let without = match without_git {
        WalkEnd::Top => "without one to the top of the file system",
        WalkEnd::Start => "without one nowhere",
    };
    let capped = if capped {
        ", at most `--max-depth` directories"
    } else {
        ""
    };
    let marks = marker_setting.map_or_else(String::new, |key| {
        format!("; the setting `{key}` names other marks than `.git`")
    });
    format!(
        "It looks from the working directory upward to the root of the repository ({mark}), {without}{capped}{marks}"
    )
}

/// Words as code, with a word before the last.
fn listed(words: &[&str], last: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match words.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, front)) => format!("{} {last} {end}", front.join(", ")),
        None => String::new(),
    }
}

/// Several kinds in the plural.
fn kinds_of(kinds: &[ComponentKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.plural()).collect();
    match words.split_last() {
        Some((end, [])) => (*end).to_owned(),
        Some((end, front)) => format!("{} and {end}", front.join(", ")),
        None => String::new(),
    }
}
