//! What the gateway works by: the policy, the rules, the servers and what is known of them. What is not understood stops
//! it: a gateway that starts with half of its rules shows what was to be hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use aleph_discover::DiscoveryManager;
use aleph_discover::discovery::ConfigFile;
use aleph_discover::mcp::gateway::{Keep, Policy, policy_in};
use aleph_discover::mcp::{
    Approvals, Configured, ConfiguredServer, LaunchPlan, Offer, Snapshot, Snapshots, catalogue, configured,
    home_config, home_config_path,
};
use aleph_discover::model::{Code, ComponentKind, Diagnostic, HostId, Scope, Severity};
use aleph_discover::parse::{Position, Problem};
use aleph_discover::report::shell;
use aleph_discover::tools::disclosure::{KnownTools, Rules};
use aleph_discover::tools::{qualified_name, stray_server};

use super::args::Serve;
use crate::cli::args::Global;
use crate::cli::failure::{Failure, are_errors};
use crate::cli::mcp::ask::choose;
use crate::cli::mcp::user_environment;
use crate::cli::output::Output;
use crate::cli::session;

/// The rules of disclosure of an Aleph home.
const RULES: &str = "disclosure.toml";

/// The servers behind the gateway.
pub(super) struct Servers {
    pub(super) plans: Vec<LaunchPlan>,
    pub(super) snapshots: BTreeMap<String, Offer>,
    /// Every server that is configured here, behind the gateway or not.
    configured: Vec<String>,
    /// Those that are configured and cannot be reached through it, and why.
    pub(super) absent: BTreeMap<String, String>,
    digests: BTreeMap<String, String>,
}

fn diagnostic(severity: Severity, path: &Path, problem: Problem) -> Diagnostic {
    problem.into_diagnostic(severity).with_path(path)
}

/// A policy in a file that does not count.
fn misplaced(at: Position, is_home: bool) -> Problem {
    let (message, help) = if is_home {
        (
            "what the gateway may call is read from aleph.toml alone, so this does not count",
            "move it to `[gateway]` of the aleph.toml beside it",
        )
    } else {
        (
            "the configuration in another format beside this file counts, so what this denies does not",
            "move it to the `gateway` of that file",
        )
    };
    Problem::new(Code::UnknownKey, Some(at), message).with_help(help)
}

/// A file of which nobody knows what it denies.
fn unread(file: &ConfigFile) -> Diagnostic {
    let code = file.code.unwrap_or(Code::Unreadable);
    let message = file
        .message
        .clone()
        .unwrap_or_else(|| "cannot be read".to_owned());
    let told = Diagnostic::new(code, Severity::Error, message)
        .with_path(&file.path)
        .with_position(file.line, file.column);
    match &file.help {
        Some(help) => told.with_help(help.clone()),
        None => told,
    }
}

/// `[gateway]` of the Aleph home and of the project.
pub(super) fn policy(global: &Global, home: &Path, output: &mut Output) -> Result<Policy, Failure> {
    let mut policy = Policy::default();
    let mut errors: Vec<Diagnostic> = Vec::new();
    let mut told: Vec<Diagnostic> = Vec::new();
    let own = home_config_path(home);
    if let Some(text) = home_config(home).map_err(|error| Failure::cannot_read(&own, error))? {
        let problems = policy.add_home(&text).into_iter();
        errors.extend(problems.map(|problem| diagnostic(Severity::Error, &own, problem)));
    }
    // Whatever host the servers are asked of: the policy is ours.
    let manager = session::as_host(global, HostId::Aleph)?;
    let files = manager.config_files(manager.profile().config.id)?;
    for file in &files.files {
        // Its aleph.toml was read above.
        if file.path == own {
            continue;
        }
        let is_own = file.scope == Scope::User;
        match &file.document {
            Some(document) if !is_own && file.state.is_in_effect() => {
                let (problems, ignored) = policy.add_project(document);
                let told_of = |severity| {
                    let path = file.path.clone();
                    move |problem| diagnostic(severity, &path, problem)
                };
                errors.extend(problems.into_iter().map(told_of(Severity::Error)));
                told.extend(ignored.into_iter().map(told_of(Severity::Warning)));
            }
            // It loses to another format, or is of the Aleph home and no aleph.toml: a policy in it would be followed by nobody.
            Some(document) => {
                let misplaced = policy_in(document).map(|at| misplaced(at, is_own));
                errors.extend(misplaced.map(|problem| diagnostic(Severity::Error, &file.path, problem)));
            }
            None if is_own => {}
            // What it denies cannot be told.
            None => errors.push(unread(file)),
        }
    }
    if let Some(path) = errors.first().and_then(|first| first.path.clone()) {
        output.talk(&errors, &[])?;
        let message = format!(
            "what the gateway may call cannot be told: {}",
            are_errors(errors.len())
        );
        return Err(Failure::usage(message, "mend the file; nothing is served meanwhile").with_path(&path));
    }
    output.talk(&told, &[])?;
    Ok(policy)
}

/// The servers that are approved, or those that were named.
pub(super) fn servers(
    args: &Serve,
    manager: &DiscoveryManager,
    home: &Path,
    output: &mut Output,
) -> Result<Servers, Failure> {
    let configured = configured(manager);
    let names = configured.servers.iter().map(|server| server.name.clone());
    let mut servers = Servers {
        plans: Vec::new(),
        snapshots: BTreeMap::new(),
        configured: names.collect(),
        absent: BTreeMap::new(),
        digests: BTreeMap::new(),
    };
    let mut hints = Vec::new();
    let mut told = Vec::new();
    let chosen: Vec<ConfiguredServer> = if args.servers.is_empty() {
        hints.extend(servers.leave_unapproved(&configured));
        told.extend(configured.approvals.diagnostics.iter().cloned());
        configured.approved().cloned().collect()
    } else {
        choose::choose(&configured, &args.servers)?.servers
    };
    for server in chosen {
        told.extend(servers.add(server, home));
    }
    if servers.plans.is_empty() && !configured.servers.is_empty() {
        hints.push("no server is behind the gateway, so nothing will be found".to_owned());
    }
    output.talk(&told, &hints)?;
    Ok(servers)
}

impl Servers {
    /// Notes which servers the user has not approved; what is to be said of it.
    fn leave_unapproved(&mut self, configured: &Configured) -> Vec<String> {
        let mut hints = Vec::new();
        let unapproved = configured.unapproved();
        if configured.servers.is_empty() {
            hints.push(
                "no MCP server is configured here: configure one in `.mcp.json` here or in the Aleph home, then approve \
                 it with `aleph-discover mcp approve NAME`"
                    .to_owned(),
            );
        }
        if let Some(first) = unapproved.first() {
            hints.push(format!(
                "not behind the gateway, since not approved: {} (`aleph-discover mcp approve {}` shows what would run)",
                choose::few(unapproved.iter().map(String::as_str)),
                shell::argument(first)
            ));
        }
        for name in unapproved {
            let why = format!(
                "the user has not approved it; `aleph-discover mcp approve {}` does, and then this gateway has to be \
                 started again",
                shell::argument(&name)
            );
            self.absent.insert(name, why);
        }
        hints
    }

    /// Puts a server behind the gateway; what is to be said if it cannot be.
    fn add(&mut self, server: ConfiguredServer, home: &Path) -> Option<Diagnostic> {
        let refused = |message: String| {
            Diagnostic::new(Code::ServerFailed, Severity::Warning, message)
                .with_path(&server.site.file)
                .with_position(server.line, None)
                .with_subject(ComponentKind::McpServer, server.name.as_str())
        };
        let name = &server.name;
        if server.obstacle.is_some() {
            let why = "its definition is broken; `aleph-discover mcp servers` says why".to_owned();
            self.absent.insert(name.clone(), why);
            return Some(refused(format!(
                "`{name}` cannot be put behind the gateway: `mcp servers` says why"
            )));
        }
        if server.is_gateway() {
            return Some(refused(format!(
                "`{name}` is this gateway itself, so it is left out: it would start itself for ever"
            )));
        }
        match server.plan(&user_environment()) {
            Ok(plan) => {
                if let Some(snapshot) = choose::snapshot(home, &server) {
                    self.snapshots.insert(name.clone(), snapshot.into_offer());
                }
                self.digests.insert(name.clone(), server.digest());
                self.plans.push(plan);
                None
            }
            Err(error) => {
                self.absent
                    .insert(name.clone(), format!("{error}; {}", error.help()));
                Some(refused(error.to_string()).with_help(error.help()))
            }
        }
    }
}

/// The approvals of an Aleph home, read again when their file is another one than it was.
pub(super) struct Consents {
    home: PathBuf,
    /// The servers that were approved, by name; those that were named on the command line need no approval.
    digests: BTreeMap<String, String>,
    last: Mutex<Option<(Stamp, Approvals)>>,
}

/// What tells one state of a file from another: when it was changed and how long it is; none where it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// How old a file has to be to be told from what it is later: two changes within one tick of a file system's clock, which
/// may be as long as this, can leave the same time.
const TICK: Duration = Duration::from_secs(2);

/// Whether a file that was in this state is another one if that is another.
fn is_telling(stamp: Stamp, now: SystemTime) -> bool {
    // Where the clocks do not agree, it is not.
    stamp.is_none_or(|(changed, _)| now.duration_since(changed).is_ok_and(|age| age > TICK))
}

impl Consents {
    pub(super) fn new(args: &Serve, home: &Path, servers: &Servers) -> Self {
        let digests = if args.servers.is_empty() {
            servers.digests.clone()
        } else {
            BTreeMap::new()
        };
        Self {
            home: home.to_owned(),
            digests,
            last: Mutex::new(None),
        }
    }

    /// Whether the user still agrees to a server.
    pub(super) fn hold(&self, server: &str) -> bool {
        let Some(digest) = self.digests.get(server) else {
            return true;
        };
        let now = SystemTime::now();
        let stamp = std::fs::metadata(Approvals::path_in(&self.home))
            .ok()
            .and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, approvals)) if *known == stamp => approvals.has(digest),
            _ => {
                let approvals = Approvals::read(&self.home);
                let has = approvals.has(digest);
                *last = is_telling(stamp, now).then_some((stamp, approvals));
                has
            }
        }
    }
}

/// The tools of servers that are known by a snapshot. Of others nobody knows, so a rule that speaks of them is no error:
/// the rules of an Aleph home hold in directories in which other servers are configured. That is told.
struct Snapshotted {
    names: BTreeSet<String>,
    prefixes: Vec<String>,
    configured: Vec<String>,
}

impl Snapshotted {
    fn of(servers: &Servers) -> Self {
        let catalogue = catalogue(&servers.snapshots);
        Self {
            names: catalogue.tools.into_iter().map(|tool| tool.name).collect(),
            prefixes: servers
                .snapshots
                .keys()
                .map(|server| qualified_name(server, ""))
                .collect(),
            configured: servers.configured.clone(),
        }
    }
}

impl KnownTools for Snapshotted {
    fn is_known(&self, name: &str) -> Option<bool> {
        let is_of_known = self
            .prefixes
            .iter()
            .any(|prefix| name.starts_with(prefix.as_str()));
        is_of_known.then(|| self.names.contains(name))
    }

    fn schema(&self, _name: &str) -> Option<serde_json::Value> {
        None
    }

    fn stray_server(&self, name: &str) -> Option<String> {
        stray_server(name, self.configured.iter().map(String::as_str))
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        aleph_discover::report::nearest(name, self.names.iter().map(String::as_str))
    }
}

/// The rules of disclosure: those of a file that is named, else those of the Aleph home, if there are any.
pub(super) fn rules(
    args: &Serve,
    home: &Path,
    servers: &Servers,
    output: &mut Output,
) -> Result<Arc<Rules>, Failure> {
    let own = home.join(RULES);
    let path: PathBuf = match &args.rules {
        Some(path) => path.clone(),
        None if crate::cli::tools::has_own_rules(&own)? => own,
        None => return Ok(Arc::default()),
    };
    let known = Snapshotted::of(servers);
    crate::cli::tools::usable_rules(&path, &known, output).map(Arc::new)
}

/// Writes what servers list, for when they do not run.
pub(super) struct Keeper {
    digests: BTreeMap<String, String>,
    writer: Arc<Writer>,
}

impl Keeper {
    pub(super) fn new(home: &Path, servers: &Servers) -> Self {
        Self {
            digests: servers.digests.clone(),
            writer: Arc::new(Writer {
                snapshots: Snapshots::of(home),
                latest: Mutex::default(),
                writing: Mutex::default(),
            }),
        }
    }
}

impl Keep for Keeper {
    fn keep(&self, server: &str, protocol: &str, offer: &Offer) {
        let Some(digest) = self.digests.get(server).cloned() else {
            return;
        };
        let now = SystemTime::now();
        let snapshot = Snapshot::new(server, digest, protocol.to_owned(), offer.clone(), now);
        if !self.writer.is_new(&snapshot) {
            return;
        }
        let writer = Arc::clone(&self.writer);
        // Writing waits for the disk, which nobody who calls a tool should. Where it cannot be written the next start
        // asks the server again.
        tokio::task::spawn_blocking(move || writer.write(&snapshot).map(drop));
    }
}

/// Writes snapshots one after the other: those of one server may be written by several threads, which begin in no order.
struct Writer {
    snapshots: Snapshots,
    /// What each server listed last, to leave alone what is as it was, and not to write what is out of date.
    latest: Mutex<BTreeMap<String, Snapshot>>,
    writing: Mutex<()>,
}

impl Writer {
    /// Whether a server listed something else before.
    fn is_new(&self, snapshot: &Snapshot) -> bool {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        // But for the time, at which nobody looks here.
        let is_known = latest.get(&snapshot.server).is_some_and(|known| {
            let refreshed = known.refreshed.clone();
            *known
                == Snapshot {
                    refreshed,
                    ..snapshot.clone()
                }
        });
        if !is_known {
            latest.insert(snapshot.server.clone(), snapshot.clone());
        }
        !is_known
    }

    /// Writes what a server listed, unless it has listed something else since.
    fn write(&self, snapshot: &Snapshot) -> std::io::Result<bool> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let is_latest = {
            let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            latest.get(&snapshot.server) == Some(snapshot)
        };
        if is_latest {
            self.snapshots.write(snapshot)?;
        }
        Ok(is_latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(protocol: &str) -> Snapshot {
        let now = SystemTime::UNIX_EPOCH;
        Snapshot::new("s", "d".to_owned(), protocol.to_owned(), Offer::default(), now)
    }

    #[test]
    fn what_is_written_late_does_not_replace_what_was_listed_since() {
        let home = tempfile::tempdir().unwrap();
        let writer = Writer {
            snapshots: Snapshots::of(home.path()),
            latest: Mutex::default(),
            writing: Mutex::default(),
        };
        let (old, new) = (snapshot("2024-11-05"), snapshot("2025-11-25"));
        assert!(writer.is_new(&old) && !writer.is_new(&old) && writer.is_new(&new));
        assert!(writer.write(&new).unwrap());
        assert!(!writer.write(&old).unwrap());
        assert_eq!(writer.snapshots.read("s", "d"), Some(new));
    }

    /// Two changes may leave a file of the same length and time.
    #[test]
    fn an_approval_that_was_just_taken_back_is_not_remembered() {
        let home = tempfile::tempdir().unwrap();
        let path = Approvals::path_in(home.path());
        let data = path.parent().unwrap();
        std::fs::create_dir_all(data).unwrap();
        let digest = |digit: &str| digit.repeat(64);
        let consents = Consents {
            home: home.path().to_owned(),
            digests: BTreeMap::from([("s".to_owned(), digest("a"))]),
            last: Mutex::default(),
        };
        // Not before the clock has gone on; the second is as old as it has to be to be believed.
        let ahead = SystemTime::now() + Duration::from_secs(3600);
        let ago = SystemTime::now() - Duration::from_secs(3600);
        for (time, is_remembered) in [(ahead, false), (ago, true)] {
            for (approved, holds) in [("a", true), ("b", is_remembered)] {
                let text = format!("[approvals.{}]\nname = \"s\"\nfile = \"f\"\n", digest(approved));
                std::fs::write(&path, text).unwrap();
                // Where others may write nothing is approved, and what is made here has what the user's mask leaves.
                #[cfg(unix)]
                for made in [home.path(), data, &path] {
                    use std::os::unix::fs::PermissionsExt;
                    std::fs::set_permissions(made, PermissionsExt::from_mode(0o700)).unwrap();
                }
                let file = std::fs::File::options().write(true).open(&path).unwrap();
                file.set_modified(time).unwrap();
                assert_eq!(consents.hold("s"), holds, "{time:?} {approved}");
            }
        }
    }
}
