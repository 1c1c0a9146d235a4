//! What can follow on the command line, where that depends on more than the flags.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use aleph_discover::host::HostProfile;
use aleph_discover::model::{Code, ComponentKind, HostId};
use aleph_discover::plugin::registry::{self, Registered};
use aleph_discover::report::explain::explanations;
use aleph_discover::report::{SCHEMA_NAMES, escape};
use clap::{CommandFactory, FromArgMatches};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use super::args::{Args, Global, Host, Kind, kinds};
use super::completions::VARIABLE;
use super::session;
use super::tools::args::Sources;

/// Names of files that people ask `find-config` for, besides those of the host.
const CONFIG_NAMES: [&str; 3] = [".mcp.json", "AGENTS.md", "CLAUDE.md"];

/// The codes that `explain` knows.
pub(super) fn codes() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        explanations()
            .iter()
            .map(|known| CompletionCandidate::new(known.code).help(Some(known.page.title.into())))
            .collect()
    })
}

/// The names of schemas.
pub(super) fn schemas() -> ArgValueCandidates {
    ArgValueCandidates::new(|| SCHEMA_NAMES.iter().map(CompletionCandidate::new).collect())
}

/// The commands that have a manual page.
pub(super) fn commands() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let command = Args::command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        shown
            .map(|command| CompletionCandidate::new(command.get_name()).help(command.get_about().cloned()))
            .collect()
    })
}

/// The names of configuration files.
pub(super) fn config_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Some(asked) = Asked::read() else {
            return Vec::new();
        };
        let host = match asked.global.host {
            Host::One(host) => host,
            Host::All => HostId::Aleph,
        };
        let config = &HostProfile::known(host).config;
        let names = std::iter::once(config.id).chain(config.names.iter().copied());
        names.chain(CONFIG_NAMES).map(CompletionCandidate::new).collect()
    })
}

/// Directories.
pub(super) fn directories() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        harmless(PathCompleter::dir().complete(current))
    })
}

/// Files.
pub(super) fn files() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        harmless(PathCompleter::file().complete(current))
    })
}

/// The names found in the directory that is asked about; paths, where a path is begun.
pub(super) fn names() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        let Some(asked) = Asked::read() else {
            return Vec::new();
        };
        let is_path = current.to_string_lossy().contains(std::path::is_separator);
        let found = if is_path || current == "." || current == ".." {
            let paths = asked
                .global
                .directory
                .clone()
                .map_or_else(PathCompleter::any, |directory| {
                    PathCompleter::any().current_dir(directory)
                });
            paths.complete(current)
        } else {
            names_found(&asked, &current.to_string_lossy())
        };
        harmless(found)
    })
}

/// The full names of the tools that `--catalog`, `--kind` and the snapshots give, and the bare ones that only one server
/// has. What would take long to read is left out.
pub(super) fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| -> Vec<CompletionCandidate> {
        let Some(asked) = Asked::read() else {
            return Vec::new();
        };
        let Some(sources) = asked.tool_sources else {
            return Vec::new();
        };
        let Ok(manager) = session::open(&asked.global) else {
            return Vec::new();
        };
        let names = super::tools::names(&sources, &manager, &current.to_string_lossy());
        let candidate = |(name, server): (String, String)| {
            CompletionCandidate::new(name).help(Some(escape::visible(&server).into_owned().into()))
        };
        harmless(names.into_iter().map(candidate).collect())
    })
}

/// Files and directories.
pub(super) fn paths() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        harmless(PathCompleter::any().complete(current))
    })
}

/// The ids of plugins.
pub(super) fn plugins() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        let Some(mut asked) = Asked::read() else {
            return Vec::new();
        };
        asked.kinds = vec![Kind(ComponentKind::Plugin)];
        harmless(names_found(&asked, &current.to_string_lossy()))
    })
}

/// The names of MCP servers.
pub(super) fn servers() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        let Some(mut asked) = Asked::read() else {
            return Vec::new();
        };
        asked.kinds = vec![Kind(ComponentKind::McpServer)];
        harmless(names_found(&asked, &current.to_string_lossy()))
    })
}

/// The names of registered marketplaces.
pub(super) fn marketplaces() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        let beginning = current.to_string_lossy();
        let found = registered()
            .into_iter()
            .filter(|one| one.name.starts_with(&*beginning));
        let candidates = found.map(|one| {
            let help = format!("{}, {}", one.kind.as_str(), one.tier);
            CompletionCandidate::new(one.name).help(Some(help.into()))
        });
        harmless(candidates.collect())
    })
}

/// What can be installed: entries of registered marketplaces, as `name@marketplace`; paths, where one is begun.
///
/// Bash takes `@` for the end of a word, so there a name is completed as far as it is begun before that.
pub(super) fn sources() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| -> Vec<CompletionCandidate> {
        let beginning = current.to_string_lossy();
        let is_path = beginning.starts_with(['.', '~']) || beginning.contains(std::path::is_separator);
        let mut found = Vec::new();
        if !is_path {
            for market in registered() {
                for entry in market.entries() {
                    let name = format!("{}@{}", entry.name.value, market.name);
                    if name.starts_with(&*beginning) && market.fetch(entry).is_ok() {
                        let help = entry.manifest.description.as_ref().map(|text| text.value.clone());
                        let help = help.map(|text| escape::visible(&text).into_owned().into());
                        found.push(CompletionCandidate::new(name).help(help));
                    }
                }
            }
        }
        if found.is_empty() {
            found = PathCompleter::any().complete(current);
        }
        harmless(found)
    })
}

/// The marketplaces that are registered in the Aleph home asked about.
fn registered() -> Vec<Registered> {
    let home = Asked::read().and_then(|asked| session::open(&asked.global).ok()?.aleph_home().ok());
    home.map(|home| registry::read(&home).marketplaces)
        .unwrap_or_default()
}

/// The ids of all that is there, hidden entries left out, with the kinds that have each.
fn names_found(asked: &Asked, beginning: &str) -> Vec<CompletionCandidate> {
    let Ok(manager) = session::open(&asked.global) else {
        return Vec::new();
    };
    let Ok(kinds) = kinds(manager.profile(), &[], &asked.kinds) else {
        return Vec::new();
    };
    let mut found: BTreeMap<String, Vec<ComponentKind>> = BTreeMap::new();
    for chain in aleph_discover::plugin::scan(&manager, &kinds).resolution.chains() {
        let id = chain.id();
        let is_hidden = |code| code == Some(Code::Hidden);
        if id.starts_with(beginning) && !chain.candidates().all(|candidate| is_hidden(candidate.code)) {
            found.entry(id.into_owned()).or_default().push(chain.kind());
        }
    }
    found
        .into_iter()
        .map(|(id, kinds)| {
            let kinds: Vec<&str> = kinds.into_iter().map(ComponentKind::as_str).collect();
            CompletionCandidate::new(id).help(Some(kinds.join(", ").into()))
        })
        .collect()
}

/// What the words on the line ask so far.
struct Asked {
    global: Global,
    kinds: Vec<Kind>,
    /// Where tools come from, for a question about tools.
    tool_sources: Option<Sources>,
}

impl Asked {
    /// Reads the words on the line. What is not understood counts as not said; none if nothing can be made of them.
    fn read() -> Option<Self> {
        let words: Vec<OsString> = std::env::args_os()
            .skip_while(|word| word != "--")
            .skip(1)
            .collect();
        let parsed = Args::command()
            .ignore_errors(true)
            .try_get_matches_from(words)
            .ok()?;
        let mut global = Global::from_arg_matches(&parsed).ok()?;
        for path in [&mut global.directory, &mut global.home, &mut global.aleph_home]
            .into_iter()
            .flatten()
        {
            *path = without_tilde(path);
        }
        let kinds = parsed
            .subcommand_matches("why")
            .and_then(|matches| matches.try_get_many::<Kind>("kind").ok().flatten())
            .map(|kinds| kinds.copied().collect())
            .unwrap_or_default();
        let tool_sources = parsed
            .subcommand_matches("tools")
            .and_then(|matches| Sources::from_arg_matches(matches.subcommand()?.1).ok())
            .map(|mut sources| {
                for path in &mut sources.catalog {
                    *path = without_tilde(path);
                }
                sources
            });
        Some(Self {
            global,
            kinds,
            tool_sources,
        })
    }
}

/// The path as the shell will hand it over: it completes words before it expands them.
fn without_tilde(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), dirs::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// Without the candidates that could do something when they stand on a command line.
///
/// Names come from strangers' trees. Bash and PowerShell put a candidate on the line as it is, so there only names
/// are offered that need no quotes: a skill called `$(…)` must not wait there for Enter. The other shells quote,
/// but a control character is in the way everywhere.
fn harmless(mut candidates: Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    let shell = std::env::var(VARIABLE).unwrap_or_default();
    let quotes = matches!(shell.as_str(), "zsh" | "fish" | "elvish");
    candidates.retain(|candidate| {
        candidate.get_value().to_str().is_some_and(|value| {
            let is_safe = !value.starts_with(['-', '@']) && !value.contains(escape::is_unsafe);
            is_safe && (quotes || value.chars().all(needs_no_quotes))
        })
    });
    candidates
}

/// Whether a character stands for itself in every shell in the middle of a word. A tilde does at most
/// what whoever typed it meant.
fn needs_no_quotes(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character, '-' | '_' | '.' | '+' | '/' | '~' | '@')
        || is_separator(character)
}

/// A path separator of this system; on Windows that is the backslash too.
fn is_separator(character: char) -> bool {
    std::path::is_separator(character) || (cfg!(windows) && character == ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_shell_would_run_are_not_offered() {
        let offered = |names: &[&str]| -> Vec<String> {
            let candidates = names.iter().map(CompletionCandidate::new).collect();
            harmless(candidates)
                .iter()
                .map(|candidate| candidate.get_value().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(
            offered(&["deploy", "a.b-c_d", "caf\u{e9}"]),
            ["deploy", "a.b-c_d", "caf\u{e9}"]
        );
        for name in [
            "$(id)",
            "`id`",
            "a;b",
            "a b",
            "a\nb",
            "a'b",
            "*",
            "-rf",
            "a\u{202e}b",
            "!x",
            "<x",
            "a&b",
            "#x",
        ] {
            assert!(offered(&[name]).is_empty(), "{name:?}");
        }
    }

    #[test]
    fn a_tilde_is_the_home_directory() {
        let home = dirs::home_dir().unwrap();
        assert_eq!(without_tilde(Path::new("~/shop")), home.join("shop"));
        assert_eq!(without_tilde(Path::new("~")), home);
        assert_eq!(without_tilde(Path::new("/~/x")), Path::new("/~/x"));
    }
}
