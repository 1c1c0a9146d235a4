//! Plain words for what the project calls by an id. Every match is exhaustive, so that a new rule, state or code
//! cannot come without its words.

use super::paint::Paint;
use crate::discovery::WalkStop;
use crate::host::{Entries, HostProfile, Layout};
use crate::model::{
    CandidateRef, Code, ComponentKind, DiscoverySource, Family, Root, RootReason, RootStatus, Rule, State,
};
use crate::report::explain::Topic;

/// `1 skill`, `2 skills`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The same of a word that takes an `s`: `1 tool`, `2 tools`.
pub(super) fn counted_things(number: usize, one: &str) -> String {
    count(u64::try_from(number).unwrap_or(u64::MAX), one, &format!("{one}s"))
}

/// `a, b and c`.
pub(super) fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The kind as people call one.
pub(super) const fn kind(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Skill => "skill",
        ComponentKind::Command => "command",
        ComponentKind::Agent => "agent",
        ComponentKind::Plugin => "plugin",
        ComponentKind::Hook => "hook",
        ComponentKind::McpServer => "MCP server",
        ComponentKind::Memory => "memory",
        ComponentKind::Config => "config",
        ComponentKind::OutputStyle => "output style",
    }
}

/// The kind as people call several.
pub(super) const fn kinds(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Skill => "skills",
        ComponentKind::Command => "commands",
        ComponentKind::Agent => "agents",
        ComponentKind::Plugin => "plugins",
        ComponentKind::Hook => "hooks",
        ComponentKind::McpServer => "MCP servers",
        ComponentKind::Memory => "memories",
        ComponentKind::Config => "configs",
        ComponentKind::OutputStyle => "output styles",
    }
}

/// All that there is of a kind.
pub(super) const fn group(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Config => "configuration",
        ComponentKind::Skill
        | ComponentKind::Command
        | ComponentKind::Agent
        | ComponentKind::Plugin
        | ComponentKind::Hook
        | ComponentKind::McpServer
        | ComponentKind::Memory
        | ComponentKind::OutputStyle => kinds(kind),
    }
}

/// `a skill`, `an agent`.
pub(super) fn a_kind(of: ComponentKind) -> String {
    let article = match of {
        ComponentKind::Agent | ComponentKind::McpServer | ComponentKind::OutputStyle => "an",
        ComponentKind::Skill
        | ComponentKind::Command
        | ComponentKind::Plugin
        | ComponentKind::Hook
        | ComponentKind::Memory
        | ComponentKind::Config => "a",
    };
    format!("{article} {}", kind(of))
}

/// The first letter as a capital.
pub(super) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// A state as the label of a paragraph.
pub(super) const fn label(state: State) -> &'static str {
    match state {
        State::Active => "In effect",
        State::Shadowed => "Shadowed",
        State::Identical => "Identical",
        State::Alias => "Alias",
        State::Namespaced => "Namespaced",
        State::Additive => "Additive",
        State::Disabled => "Disabled",
        State::Untrusted => "Untrusted",
        State::Invalid => "Invalid",
        State::Rejected => "Rejected",
        State::Ignored => "Ignored",
        State::Unreadable => "Unreadable",
    }
}

/// How a state is painted.
pub(super) const fn paint(state: State) -> Paint {
    match state {
        State::Active => Paint::Winner,
        State::Additive | State::Namespaced => Paint::Plain,
        State::Shadowed | State::Identical | State::Alias | State::Ignored | State::Disabled => Paint::Faint,
        State::Untrusted | State::Rejected => Paint::Warning,
        State::Invalid | State::Unreadable => Paint::Bad,
    }
}

/// Several candidates in one state: `2 shadowed`, `2 aliases`.
pub(super) fn counted(number: u64, state: State) -> String {
    match state {
        State::Alias => count(number, "alias", "aliases"),
        State::Active
        | State::Shadowed
        | State::Identical
        | State::Namespaced
        | State::Additive
        | State::Disabled
        | State::Untrusted
        | State::Invalid
        | State::Rejected
        | State::Ignored
        | State::Unreadable => format!("{number} {state}"),
    }
}

/// Where a candidate comes from: `project .claude`, `global .aleph`.
pub(super) fn origin(candidate: CandidateRef<'_>) -> String {
    if candidate.kind == ComponentKind::Config && candidate.source() == DiscoverySource::Project {
        return "project".to_owned();
    }
    if let Some(part) = &candidate.candidate().plugin {
        return format!("plugin {}", crate::report::escape::visible(&part.plugin));
    }
    if let Some(file) = server_file(candidate) {
        return format!("{} {file}", whose(candidate.source()));
    }
    place(candidate.source(), candidate.family())
}

/// The name of the file that configures an MCP server: it lies in no root, so the root's name says nothing of it.
fn server_file(candidate: CandidateRef<'_>) -> Option<String> {
    let is_plain =
        candidate.kind == ComponentKind::McpServer && candidate.source() != DiscoverySource::Plugin;
    is_plain.then(|| crate::report::escape::visible(&candidate.entry_name.to_string_lossy()).into_owned())
}

/// The same in a sentence: `the project's .claude`.
pub(super) fn origin_in_words(candidate: CandidateRef<'_>) -> String {
    let family = server_file(candidate).unwrap_or_else(|| candidate.family().dir_name().to_owned());
    match candidate.source() {
        DiscoverySource::ClaudeGlobal | DiscoverySource::AlephGlobal => format!("the global {family}"),
        DiscoverySource::Project if candidate.kind == ComponentKind::Config => "the project".to_owned(),
        DiscoverySource::Project => format!("the project's {family}"),
        DiscoverySource::Plugin => "a plugin".to_owned(),
        DiscoverySource::Host => "a directory of the host".to_owned(),
        DiscoverySource::Env => "the environment".to_owned(),
    }
}

/// Where a root comes from.
pub(super) fn root_origin(root: &Root) -> String {
    place(root.source, root.family)
}

fn place(source: DiscoverySource, family: Family) -> String {
    if source == DiscoverySource::Env {
        return whose(source).to_owned();
    }
    format!("{} {}", whose(source), family.dir_name())
}

const fn whose(source: DiscoverySource) -> &'static str {
    match source {
        DiscoverySource::ClaudeGlobal | DiscoverySource::AlephGlobal => "global",
        DiscoverySource::Project => "project",
        DiscoverySource::Plugin => "plugin",
        DiscoverySource::Host => "host",
        DiscoverySource::Env => "environment",
    }
}

/// What a rule says, as a clause.
pub(super) const fn rule(rule: Rule) -> &'static str {
    Topic::Rule(rule).page().clause
}

/// What a code means for a candidate, where nothing more exact is known.
pub(super) const fn code(code: Code) -> &'static str {
    Topic::Code(code).page().clause
}

/// Why a root or component directory was not read.
pub(super) fn reason(status: RootStatus, reason: Option<&str>) -> String {
    let known = RootReason::ALL
        .into_iter()
        .find(|known| Some(known.as_str()) == reason)
        .map(|known| Topic::RootReason(known).page().clause);
    match (known, reason, status) {
        (Some(words), Some(id), _) => format!("{words} ({id})"),
        (_, Some(words), _) => words.to_owned(),
        (_, None, RootStatus::Scanned | RootStatus::Missing) => String::new(),
        (_, None, RootStatus::Unreadable) => "the operating system refused".to_owned(),
        (_, None, RootStatus::Skipped) => "it was not read".to_owned(),
    }
}

/// Why the walk ended.
pub(super) const fn stop(stop: WalkStop) -> &'static str {
    match stop {
        WalkStop::GitRoot => "stops here: the git root",
        WalkStop::StartOnly => "stops here: without a repository this host looks no further up",
        WalkStop::FilesystemRoot => "stops here: the top of the file system",
        WalkStop::DepthCap => "stops here: --max-depth allows no more directories",
    }
}

/// Where an entry of a kind would be found, below a root: `skills/<name>/SKILL.md or skills/<name>.md`.
pub(super) fn expected(profile: &HostProfile, kind: ComponentKind) -> Option<String> {
    let in_plugins = match kind {
        ComponentKind::Config => return None,
        ComponentKind::Hook => Some("hooks/hooks.json"),
        ComponentKind::McpServer => Some(".mcp.json"),
        ComponentKind::Memory => Some(".cursor/rules/<name>.mdc"),
        _ => None,
    };
    if let Some(file) = in_plugins {
        // Where other hosts keep these is no folder of their roots.
        return profile.is_native().then(|| format!("plugins/<name>/{file}"));
    }
    let spec = profile.kind(kind)?;
    let folder = spec.folder;
    Some(match &spec.layout {
        Layout::Marked {
            marker, extension, ..
        } => format!("{folder}/<name>/{marker} or {folder}/<name>.{extension}"),
        Layout::Tree(tree) => match tree.entries {
            Entries::Marker(marker) => format!("{folder}/<name>/{marker}"),
            Entries::Files(extension) => format!("{folder}/<name>.{extension}"),
        },
        Layout::Plugins => format!("{folder}/<name>/ with a manifest such as aleph.plugin.toml"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!(count(0, "skill", "skills"), "0 skills");
        assert_eq!(count(1, "skill", "skills"), "1 skill");
        assert_eq!(count(2, "skill", "skills"), "2 skills");
        assert_eq!(counted_things(1, "skill"), "1 skill");
        assert_eq!(counted_things(2, "skill"), "2 skills");
        assert_eq!(counted(1, State::Alias), "1 alias");
        assert_eq!(counted(2, State::Alias), "2 aliases");
        assert_eq!(counted(2, State::Shadowed), "2 shadowed");
        assert_eq!(a_kind(ComponentKind::Agent), "an agent");
        assert_eq!(a_kind(ComponentKind::Skill), "a skill");
    }

    #[test]
    fn lists_read_as_people_write_them() {
        let parts = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        assert_eq!(list(&parts), "a, b and c");
        assert_eq!(list(&parts[..2]), "a and b");
        assert_eq!(list(&parts[..1]), "a");
        assert_eq!(list(&[]), "");
    }

    #[test]
    fn every_kind_that_is_read_from_folders_says_where() {
        let profile = HostProfile::native();
        assert_eq!(
            expected(profile, ComponentKind::Skill).unwrap(),
            "skills/<name>/SKILL.md or skills/<name>.md"
        );
        assert_eq!(
            expected(profile, ComponentKind::Agent).unwrap(),
            "agents/<name>/agent.md or agents/<name>.md"
        );
        for kind in profile
            .listed_kinds()
            .filter(|kind| *kind != ComponentKind::Config)
        {
            assert!(expected(profile, kind).is_some(), "{kind}");
        }
    }
}
