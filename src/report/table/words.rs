//! Plain words for what the project calls by an id. Every match is exhaustive, so that a new rule, state or code
//! cannot come without its words.

use super::paint::Paint;
use crate::discovery::WalkStop;
use crate::host::{HostProfile, Layout};
use crate::model::{
    CandidateRef, Code, ComponentKind, DiscoverySource, Family, Root, RootStatus, Rule, State,
};

/// `1 skill`, `2 skills`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
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
    place(candidate.source(), candidate.family())
}

/// Where a root comes from.
pub(super) fn root_origin(root: &Root) -> String {
    place(root.source, root.family)
}

fn place(source: DiscoverySource, family: Family) -> String {
    let whose = match source {
        DiscoverySource::ClaudeGlobal | DiscoverySource::AlephGlobal => "global",
        DiscoverySource::Project => "project",
        DiscoverySource::Plugin => "plugin",
        DiscoverySource::Host => "host",
        DiscoverySource::Env => return "environment".to_owned(),
    };
    format!("{whose} {}", family.dir_name())
}

/// What a rule says, as a clause.
pub(super) const fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::NativeOverClaude => "a .aleph entry beats a .claude entry, wherever each of them is",
        Rule::ProjectOverGlobal => "the project's entry beats the global one",
        Rule::NearestDirectory => "the nearer directory beats the one further out",
        Rule::ClaudeProjectOverAlephGlobal => {
            "the project's .claude entry beats the one in the global .aleph"
        }
        Rule::TiePathOrder => "of two in one place the one whose path sorts first wins",
        Rule::ConfigFormat => "in one directory aleph.toml beats aleph.jsonc, which beats aleph.json",
        Rule::ConfigLayers => {
            "it is merged with the files of the other directories, and the nearest one has the last word"
        }
        Rule::PluginNamespace => {
            "it is in effect under its qualified id, and leaves the short name to others"
        }
        Rule::AddsUp => "all of one id are in effect together",
    }
}

/// What a code means for a candidate, where nothing more exact is known.
pub(super) const fn code(code: Code) -> &'static str {
    match code {
        Code::Symlink => "it is a symbolic link",
        Code::EscapesRoot => "it is a symbolic link that leads out of its directory",
        Code::NotRegular => "it is not a regular file",
        Code::Hidden => "its name begins with a dot",
        Code::NoMarker => "the file that would make it a component is missing",
        Code::WrongCase => "its marker's name is written in another case",
        Code::WrongKind => "files of this kind are not read here",
        Code::NoManifest => "nothing in it makes it a plugin",
        Code::BadFrontMatter => "its front matter is not valid YAML",
        Code::TooLarge => "its front matter does not end soon enough",
        Code::NotUtf8 => "its front matter is not UTF-8",
        Code::UnusableName => "its name cannot be an id",
        Code::Unreadable => "the operating system refused to let it be read",
        Code::NameMismatch => "its declared name is not its path's name",
        Code::NameNotText => "its declared name is not text",
        Code::UnclosedFrontMatter => "its front matter is never closed",
        Code::FrontMatterNotAMapping => "its front matter is not a mapping",
        Code::Ambiguous => "another entry of the same place has its id",
        Code::SameFile => "another id leads to the same file",
        Code::SimilarIds => "another id looks like its own",
        Code::DepthCap => "the walk ended at its cap",
        Code::GitLinkBroken => "the git directory that it names is not there",
        Code::GitFileMalformed => "it names no git directory",
        Code::NoHome => "the home directory is not known",
        Code::BadConfig => "it cannot be parsed",
        Code::TooDeep => "it is nested too deep",
        Code::DuplicateKey => "a key stands in it twice",
        Code::NumberPrecision => "a number in it has more digits than are kept",
        Code::WrongType => "a value in it is of another type than is read",
        Code::NullIgnored => "a null in it sets nothing",
        Code::BrokenManifest => "its manifest cannot be parsed",
        Code::ManifestWithoutName => "its manifest gives it no name",
        Code::ManifestWrongType => "a key of it is of another type than is read",
        Code::ManifestsDisagree => "its manifests state a field differently",
        Code::PathEscapesPlugin => "a path in it leads out of the plugin",
        Code::PathMissing => "a path in it leads to nothing",
        Code::HookFiresTwice => "it runs more than once on one event",
        Code::BadServer => "its definition cannot be used",
        Code::SwitchedOff => "it is switched off",
        Code::PluginNotInEffect => "its plugin is not in effect",
        Code::AmbiguousShortName => "several plugins bring its name",
        Code::StateFileBroken => "it does not say which plugins are on",
        Code::BrokenMarketplace => "it cannot be used as a marketplace",
        Code::BadMarketplaceEntry => "an entry of it cannot be used",
        Code::HiddenText => "it holds text that a reader does not see",
        Code::UnsafeTree => "its tree may not be installed",
        Code::PluginDrift => "it is other than what was installed",
        Code::RecordBroken => "it does not say what was installed or registered",
    }
}

/// Why a root or component directory was not read.
pub(super) fn reason(status: RootStatus, reason: Option<&str>) -> String {
    let known = match reason {
        Some("is-global-root") => Some("it is the global root, met again on the way up"),
        Some("same-directory") => Some("it is the same directory as another root"),
        Some("not-a-directory") => Some("it is not a directory"),
        Some("dangling-symlink") => Some("it is a symbolic link to nothing"),
        _ => None,
    };
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
        return Some(format!("plugins/<name>/{file}"));
    }
    let spec = profile.kind(kind)?;
    let folder = spec.folder;
    Some(match &spec.layout {
        Layout::Marked {
            marker, extension, ..
        } => format!("{folder}/<name>/{marker} or {folder}/<name>.{extension}"),
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
