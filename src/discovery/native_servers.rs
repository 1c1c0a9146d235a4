//! MCP servers of the native host that no plugin brings: `.mcp.json` files, and `mcp` of its configuration.
//!
//! A `.mcp.json` is Claude's format, so it ranks as the `.claude` of its place does: the one of the Aleph home as
//! `~/.claude`, the one of a directory as the `.claude` in that directory. The `mcp` of a configuration file ranks as
//! the `.aleph` of its place. So the table of roots decides here too, and the rule of each pair is one of that table:
//! the native configuration beats every `.mcp.json` but for a project's, which beats the user's configuration.

use std::io;
use std::path::Path;

use super::config_files::{self, ConfigFiles, read_regular, tell};
use super::free::{self, Cause, Origin};
use super::names::{in_nfc, path_refusal};
use super::scanner::Found;
use super::{Environment, Walk};
use crate::host::{Anchor, HostProfile};
use crate::model::{
    Candidate, Code, ComponentKind, Diagnostic, DiscoverySource, Family, IdOrigin, Root, Scope,
    ServerDefinition, Severity, State, Transport,
};
use crate::parse::Problem;
use crate::parse::document::{self, Format, Located};
use crate::parse::manifest::{Spot, mcp_servers};

/// The file of servers that several hosts share.
pub(super) const FILE: &str = ".mcp.json";

/// The table of a configuration file that servers stand in.
const TABLE: &str = "mcp";

/// Finds the servers of one question.
pub(super) struct NativeServers<'a> {
    pub(super) environment: &'a Environment,
    pub(super) walk: &'a Walk,
    pub(super) roots: &'a [Root],
    pub(super) found: &'a mut Found,
}

impl NativeServers<'_> {
    /// Finds them all; `files` are the host's configuration files.
    pub(super) fn find(mut self, files: &ConfigFiles) {
        self.shared_files();
        for file in &files.files {
            let Some(document) = &file.document else {
                continue;
            };
            let Some(table) = document.root.value.get(TABLE) else {
                continue;
            };
            let origin = Origin {
                source: file.source,
                scope: file.scope,
                family: Family::Aleph,
                priority: native_priority(self.roots, &file.path, file.source, file.scope),
            };
            let first = self.found.candidates.len();
            self.table(&file.path, table, origin);
            if !file.state.is_in_effect() {
                for candidate in self.found.candidates.iter_mut().skip(first) {
                    let why = "its file does not count: another format of it lies beside it and does";
                    candidate.turn_off(State::Ignored, Code::WrongKind, why, None);
                }
            }
        }
    }

    /// `.mcp.json` of the Aleph home and of each directory of the walk.
    fn shared_files(&mut self) {
        let (layers, _) = config_files::layers(self.environment, self.walk);
        for layer in layers {
            let priority = match layer.scope {
                Scope::Project => {
                    // Counted along the walk itself: the Aleph home may be a directory of it and has its number.
                    let mut outermost_first = self.walk.dirs.iter().rev();
                    let place = outermost_first.position(|dir| *dir == layer.dir);
                    band(Scope::Project)
                        .saturating_add(place.map_or(0, |at| u32::try_from(at).unwrap_or(u32::MAX)))
                }
                scope => band(scope),
            };
            let origin = Origin {
                source: layer.source,
                scope: layer.scope,
                family: Family::Claude,
                priority,
            };
            self.shared_file(&layer.dir.join(FILE), origin);
        }
    }

    fn shared_file(&mut self, path: &Path, origin: Origin) {
        let problem = match read_regular(path, true) {
            Ok(Some(bytes)) => match read(&bytes) {
                Ok((servers, problems)) => return self.add(path, servers, problems, origin),
                Err(problem) => problem,
            },
            Ok(None) => Problem::new(
                Code::NotRegular,
                None,
                "not a regular file, so no server of it counts",
            )
            .with_help("replace it by a regular file, or remove it"),
            Err(error) if is_absent(path, &error) => return,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Problem::new(
                Code::Symlink,
                None,
                "a symbolic link to something that is not there, so no server of it counts",
            )
            .with_help("point the link at a regular file, or remove it"),
            Err(error) => {
                self.found.incomplete = true;
                Problem::new(Code::Unreadable, None, format!("cannot read this file: {error}"))
                    .with_help("make it readable, or run as a user who may read it")
            }
        };
        let severity = match problem.code {
            Code::NotRegular | Code::Symlink => Severity::Warning,
            _ => Severity::Error,
        };
        self.found
            .diagnostics
            .push(tell(&problem, severity).with_path(path));
    }

    fn table(&mut self, path: &Path, table: &Located, origin: Origin) {
        let mut problems = Vec::new();
        let servers = mcp_servers::read(table, &mut problems);
        self.add(path, servers, problems, origin);
    }

    fn add(
        &mut self,
        path: &Path,
        servers: Vec<Spot<ServerDefinition>>,
        problems: Vec<Problem>,
        origin: Origin,
    ) {
        let told = problems
            .iter()
            .map(|problem| tell(problem, severity(problem)).with_path(path));
        self.found.diagnostics.extend(told);
        // What is true of the file is found out once: it may have thousands of servers.
        let template = free::candidate(ComponentKind::McpServer, path, "", origin);
        for Spot { value: server, at } in servers {
            let mut candidate = template.clone();
            let name = in_nfc(&server.name).into_owned();
            candidate.set_id(IdOrigin::Derived(name.as_str().into()));
            candidate.stands_at(at);
            let told = judge(&mut candidate, &name, &server, path);
            candidate.detail_mut().server = Some(Box::new(server));
            self.found.diagnostics.extend(told.map(|told| {
                told.with_path(path)
                    .with_position(Some(at.line), Some(at.column))
                    .with_subject(ComponentKind::McpServer, name)
            }));
            self.found.candidates.push(candidate);
        }
    }
}

/// The servers of a file in Claude's format, and what is odd about it.
///
/// # Errors
///
/// Why it cannot be used at all.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<Spot<ServerDefinition>>, Vec<Problem>), Problem> {
    let mut document = document::parse_any(bytes, Format::Json)?;
    let servers = mcp_servers::read(&document.root, &mut document.problems);
    Ok((servers, document.problems))
}

/// How much it matters what is odd about a file that counts all the same.
pub(super) const fn severity(problem: &Problem) -> Severity {
    match problem.code {
        Code::BadServer => Severity::Error,
        _ => Severity::Warning,
    }
}

/// Takes a server out of the running that cannot be used; gives what is to be told that the parser did not.
fn judge(
    candidate: &mut Candidate,
    name: &str,
    server: &ServerDefinition,
    path: &Path,
) -> Option<Diagnostic> {
    let refusal = if name.trim().is_empty() {
        Some("it is empty")
    } else {
        path_refusal(name)
    };
    if let Some(why) = refusal {
        let message = format!("its name cannot be an id: {why}");
        candidate.turn_off(State::Invalid, Code::UnusableName, &message, None);
        return Some(
            Diagnostic::new(Code::UnusableName, Severity::Error, message)
                .with_help("choose a name without `:` and control characters"),
        );
    }
    if !server.enabled {
        let cause = Cause {
            path: path.to_path_buf(),
            key: Some(format!("{name}.enabled")),
        };
        candidate.turn_off(
            State::Disabled,
            Code::SwitchedOff,
            "its own definition switches it off",
            Some(cause),
        );
        return None;
    }
    unusable(candidate, server)
}

/// Takes a server out of the running that has no transport, or one that this program does not speak; gives what is to
/// be told that the parser did not.
pub(crate) fn unusable(candidate: &mut Candidate, server: &ServerDefinition) -> Option<Diagnostic> {
    match server.transport {
        None => {
            // Told of by the parser, with its reason.
            let message = "its definition says neither what to start nor what to call, or not how";
            candidate.turn_off(State::Invalid, Code::BadServer, message, None);
            None
        }
        Some(Transport::Stdio | Transport::Http) => None,
        Some(transport @ (Transport::Sse | Transport::Ws)) => {
            let message = format!("the transport `{transport}` is not spoken, so it cannot be asked");
            candidate.turn_off(State::Ignored, Code::UnsupportedTransport, &message, None);
            Some(
                Diagnostic::new(Code::UnsupportedTransport, Severity::Warning, message).with_help(
                    "most such servers have streamable HTTP too: give its address, with `type` `http`",
                ),
            )
        }
    }
}

/// The priority of the first `.claude` root of a scope.
fn band(scope: Scope) -> u32 {
    let spec = HostProfile::native().roots.iter().find(|spec| {
        spec.family == Family::Claude
            && spec.scope == scope
            && matches!(
                (scope, spec.anchor),
                (Scope::Project, Anchor::EachWalkDirectory(_)) | (Scope::User, _)
            )
    });
    spec.map_or(0, |spec| spec.priority)
}

/// The priority of the native root beside a configuration file, or of the one that it lies in.
pub(super) fn native_priority(roots: &[Root], file: &Path, source: DiscoverySource, scope: Scope) -> u32 {
    let Some(parent) = file.parent() else {
        return 0;
    };
    let beside = |root: &&Root| match scope {
        Scope::User => root.path == parent,
        _ => root.path.parent() == Some(parent),
    };
    roots
        .iter()
        .filter(|root| root.family == Family::Aleph && root.source == source)
        .find(beside)
        .map_or(0, |root| root.priority)
}

/// Whether nothing at all is there, not even a link to nothing.
fn is_absent(path: &Path, error: &io::Error) -> bool {
    super::platform::is_not_a_directory(error)
        || (error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err())
}
