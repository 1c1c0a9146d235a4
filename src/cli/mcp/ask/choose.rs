//! Which servers are asked, with whose consent, and what becomes of asking them.

use std::path::Path;

use aleph_discover::mcp::client::{Answer, Ask, FailureKind, ServerError, ask_all};
use aleph_discover::mcp::{
    Approvals, Configured, ConfiguredServer, LaunchPlan, Limits, Obstacle, Offer, Snapshot, Snapshots,
};
use aleph_discover::model::{Code, ComponentKind, Diagnostic, Severity};
use aleph_discover::report::{AskedServer, AskedState, shell};

use super::runtime;
use crate::cli::failure::Failure;
use crate::cli::mcp::user_environment;
use crate::cli::output::Output;
use crate::cli::progress::Progress;

/// The servers that are to be asked.
pub(in crate::cli) struct Chosen {
    /// By name.
    pub(in crate::cli) servers: Vec<ConfiguredServer>,
    /// Those that could be asked and are not, since nobody said yes to them.
    pub(in crate::cli) unapproved: Vec<String>,
}

/// What became of asking a server.
pub(in crate::cli) struct Outcome {
    pub(in crate::cli) server: ConfiguredServer,
    pub(in crate::cli) answer: Result<Answer, ServerError>,
}

/// What became of asking servers for lists.
pub(in crate::cli) struct Lists {
    /// By server: its name, what it has, and whether that is from a snapshot.
    pub(in crate::cli) offers: Vec<(String, Offer, bool)>,
    pub(in crate::cli) servers: Vec<AskedServer>,
    pub(in crate::cli) diagnostics: Vec<Diagnostic>,
    /// The lists of the servers that answered, as snapshots.
    pub(in crate::cli) snapshots: Vec<Snapshot>,
}

/// The server of a name.
pub(in crate::cli) fn find<'a>(
    configured: &'a Configured,
    name: &str,
) -> Result<&'a ConfiguredServer, Failure> {
    configured.find(name).ok_or_else(|| {
        if let Some(out) = configured.out_of_use(name) {
            return crate::cli::mcp::out_of_use(name, &out);
        }
        let near = configured.nearest(name);
        let help = match near.as_slice() {
            [] if configured.servers.is_empty() => "no MCP server is configured here".to_owned(),
            [] => format!("configured are {}", names(&configured.servers)),
            near => format!("did you mean `{}`?", near.join("`, `")),
        };
        Failure::usage(format!("no MCP server is called `{name}`"), help)
    })
}

fn names(servers: &[ConfiguredServer]) -> String {
    few(servers.iter().map(|server| server.name.as_str()))
}

/// The first of many names, and how many more there are: a stranger's file may configure thousands.
pub(in crate::cli) fn few<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 10;
    let more = names.len().saturating_sub(SHOWN);
    let shown: Vec<&str> = names.take(SHOWN).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// What to do so that a server may be asked.
pub(super) fn how_to_allow(server: &str) -> String {
    format!(
        "`aleph-discover mcp approve {}` shows what would run and asks; `{}` asks it this once",
        shell::argument(server),
        shell::flag("--server", server)
    )
}

/// All that are approved, for a command that cannot be told to ask another.
pub(in crate::cli) fn approved(configured: &Configured) -> Result<Chosen, Failure> {
    choose_or(configured, &[], |server| {
        let refresh = format!("aleph-discover mcp refresh {}", shell::flag("--server", server));
        format!(
            "`aleph-discover mcp approve {}` shows what would run and asks; `{refresh}` asks it this once, and what it \
             has is known without `--live`",
            shell::argument(server)
        )
    })
}

/// Those that were named, approved or not; without names all that are approved.
pub(in crate::cli) fn choose(configured: &Configured, named: &[String]) -> Result<Chosen, Failure> {
    choose_or(configured, named, how_to_allow)
}

/// `help` says what to do where none is approved, given the first of those that could be.
fn choose_or(
    configured: &Configured,
    named: &[String],
    help: impl Fn(&str) -> String,
) -> Result<Chosen, Failure> {
    let mut servers: Vec<ConfiguredServer> = Vec::new();
    let mut unapproved = Vec::new();
    for name in named {
        let server = find(configured, name)?;
        refuse_switched_off(server)?;
        if !servers.iter().any(|known| known.name == server.name) {
            servers.push(server.clone());
        }
    }
    if named.is_empty() {
        servers = configured.approved().cloned().collect();
        unapproved = configured.unapproved();
    }
    servers.sort_by(|one, other| one.name.cmp(&other.name));
    match (servers.is_empty(), unapproved.first()) {
        (false, _) => Ok(Chosen { servers, unapproved }),
        (true, Some(_)) if !configured.approvals.diagnostics.is_empty() => {
            Err(approvals_broken(&configured.approvals))
        }
        (true, Some(first)) => Err(Failure::refused(
            format!(
                "no MCP server is approved, so none was asked: {}",
                few(unapproved.iter().map(String::as_str))
            ),
            help(first),
        )),
        (true, None) if configured.servers.is_empty() => Err(Failure::refused(
            "no MCP server is configured here, so none is approved",
            "configure one in `.mcp.json` here or in the Aleph home, then approve it with `aleph-discover mcp approve NAME`",
        )),
        (true, None) => Err(Failure::refused(
            format!(
                "no MCP server that is configured here can be asked: {}",
                names(&configured.servers)
            ),
            "`aleph-discover mcp servers` says why",
        )),
    }
}

/// That nothing counts of what may have been approved.
fn approvals_broken(approvals: &Approvals) -> Failure {
    let told = approvals.diagnostics.first();
    let why = told.map_or("", |told| &*told.message);
    let help = told.and_then(|told| told.help.as_deref()).unwrap_or_default();
    Failure::refused(format!("no MCP server was asked: {why}"), help).with_path(&approvals.path)
}

/// A server that somebody switched off is not started by naming it.
pub(super) fn refuse_switched_off(server: &ConfiguredServer) -> Result<(), Failure> {
    match server.obstacle {
        Some(Obstacle::SwitchedOff) => Err(Failure::refused(
            format!("`{}` is switched off", server.name),
            "switch it on in the file that configures it",
        )
        .with_path(&server.site.file)),
        None | Some(Obstacle::Unsupported(_) | Obstacle::Unusable) => Ok(()),
    }
}

/// What it would take to reach a server, or why that cannot be said.
fn plan(server: &ConfiguredServer) -> Result<LaunchPlan, ServerError> {
    if let Some(Obstacle::Unsupported(transport)) = server.obstacle {
        let message = format!("its transport `{transport}` is not spoken (unsupported-transport)");
        return Err(ServerError::new(FailureKind::UnsupportedTransport, message));
    }
    server
        .plan(&user_environment())
        .map_err(|error| ServerError::new(FailureKind::Definition, format!("{error}; {}", error.help())))
}

/// Asks servers, all at once, and says on a terminal how far it is.
pub(in crate::cli) fn ask(
    servers: Vec<ConfiguredServer>,
    what: &Ask,
    limits: &Limits,
    output: &Output,
) -> Result<Vec<Outcome>, Failure> {
    let mut plans = Vec::new();
    let mut prepared = Vec::new();
    for server in servers {
        match plan(&server) {
            Ok(plan) => {
                prepared.push((server, Ok(plans.len())));
                plans.push(plan);
            }
            Err(error) => prepared.push((server, Err(error))),
        }
    }
    let mut answers: Vec<Option<Result<Answer, ServerError>>> = Vec::new();
    // Nobody to ask is no reason to start a runtime.
    if !plans.is_empty() {
        let mut progress = Progress::new(output.is_quiet());
        let all = plans.len();
        let mut waiting: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
        let asking = ask_all(plans, limits, what, |name| {
            waiting.retain(|known| Some(known.as_str()) != name);
            let done = all - waiting.len();
            progress.say(&format!(
                "{done} of {all} servers answered; waiting for {}",
                few(waiting.iter().map(String::as_str))
            ));
        });
        answers = runtime::run(asking)?.into_iter().map(Some).collect();
    }
    let mut outcomes = Vec::new();
    for (server, place) in prepared {
        let answer = match place {
            Err(error) => Err(error),
            Ok(nth) => answers.get_mut(nth).and_then(Option::take).unwrap_or_else(|| {
                Err(ServerError::new(
                    FailureKind::Protocol,
                    "asking it ended without an answer",
                ))
            }),
        };
        outcomes.push(Outcome { server, answer });
    }
    Ok(outcomes)
}

/// The snapshot of a server as it is configured now.
pub(in crate::cli) fn snapshot(home: &Path, server: &ConfiguredServer) -> Option<Snapshot> {
    Snapshots::of(home).read(&server.name, &server.digest())
}

/// Sorts out what became of asking for lists; where a server did not answer, its snapshot does.
pub(in crate::cli) fn sort_out(outcomes: Vec<Outcome>, home: &Path) -> Lists {
    let mut lists = Lists {
        offers: Vec::new(),
        servers: Vec::new(),
        diagnostics: Vec::new(),
        snapshots: Vec::new(),
    };
    let now = std::time::SystemTime::now();
    for Outcome { server, answer } in outcomes {
        match answer {
            Ok(Answer::Lists(offer, protocol)) => {
                let snapshot = Snapshot::new(&server.name, server.digest(), protocol, offer.clone(), now);
                lists.servers.push(AskedServer {
                    server: server.name.clone(),
                    outcome: AskedState::Live,
                    failure: None,
                    reason: None,
                    stderr: Vec::new(),
                    snapshot: None,
                    cut: offer.cut.iter().map(|cut| cut.as_str()).collect(),
                    unusable: offer.unusable.clone(),
                });
                lists.snapshots.push(snapshot);
                lists.offers.push((server.name, offer, false));
            }
            Ok(Answer::Read(_) | Answer::Prompt(_)) => {}
            Err(error) => {
                let snapshot = snapshot(home, &server);
                lists.diagnostics.push(failed(&server, &error, snapshot.as_ref()));
                lists.servers.push(AskedServer {
                    server: server.name.clone(),
                    outcome: if snapshot.is_some() {
                        AskedState::Stale
                    } else {
                        AskedState::Failed
                    },
                    failure: Some(error.kind.as_str()),
                    reason: Some(error.message),
                    stderr: error.stderr,
                    snapshot: snapshot.as_ref().map(|snapshot| snapshot.refreshed.clone()),
                    cut: Vec::new(),
                    unusable: Vec::new(),
                });
                if let Some(snapshot) = snapshot {
                    lists.offers.push((server.name, snapshot.into_offer(), true));
                }
            }
        }
    }
    lists
}

/// What went wrong with a server, as a sentence.
pub(super) fn happened(server: &str, error: &ServerError) -> String {
    let what = match error.kind {
        FailureKind::Rejected => "refused",
        FailureKind::TooMuch
        | FailureKind::Protocol
        | FailureKind::Unauthorized
        | FailureKind::HttpStatus => "gave no answer that can be used",
        FailureKind::NotFound
        | FailureKind::CannotStart
        | FailureKind::Exited
        | FailureKind::Timeout
        | FailureKind::BadAddress
        | FailureKind::Refused
        | FailureKind::Dns
        | FailureKind::Tls
        | FailureKind::Network
        | FailureKind::UnsupportedTransport
        | FailureKind::Definition
        | FailureKind::Unapproved => "did not answer",
    };
    format!("the MCP server `{server}` {what}: {}", error.message)
}

/// What to do about it, where more is to be done than to look at the server.
pub(super) const fn remedy(kind: FailureKind) -> Option<&'static str> {
    match kind {
        FailureKind::TooMuch => {
            Some("`max_message_bytes` under `[mcp_client]` of the Aleph home's `aleph.toml` limits a message")
        }
        FailureKind::Timeout => Some(
            "`start_timeout` and `request_timeout` under `[mcp_client]` of the Aleph home's `aleph.toml` limit the time",
        ),
        FailureKind::NotFound
        | FailureKind::CannotStart
        | FailureKind::Exited
        | FailureKind::Protocol
        | FailureKind::Rejected
        | FailureKind::BadAddress
        | FailureKind::Refused
        | FailureKind::Dns
        | FailureKind::Tls
        | FailureKind::Unauthorized
        | FailureKind::HttpStatus
        | FailureKind::Network
        | FailureKind::UnsupportedTransport
        | FailureKind::Definition
        | FailureKind::Unapproved => None,
    }
}

/// That a server did not answer.
fn failed(server: &ConfiguredServer, error: &ServerError, snapshot: Option<&Snapshot>) -> Diagnostic {
    let last = error.stderr.last();
    let last = last.map_or_else(String::new, |line| {
        format!("; the last line of its standard error: {line}")
    });
    let message = format!("{}{last}", happened(&server.name, error));
    let mut help = match snapshot {
        Some(snapshot) => format!("what it had on {} is listed instead", snapshot.refreshed),
        None => "nothing of it is listed; `mcp servers` shows what would be started".to_owned(),
    };
    if let Some(remedy) = remedy(error.kind) {
        help = format!("{help}; {remedy}");
    }
    Diagnostic::new(Code::ServerFailed, Severity::Error, message)
        .with_path(&server.site.file)
        .with_position(server.line, None)
        .with_subject(ComponentKind::McpServer, server.name.as_str())
        .with_help(help)
}

/// What is worth knowing about what is not listed.
pub(in crate::cli) fn note(unapproved: &[String], servers: &[AskedServer]) -> Option<String> {
    let mut notes = Vec::new();
    if let Some(first) = unapproved.first() {
        notes.push(format!(
            "not asked, since not approved: {} (`mcp approve {}` shows what would run)",
            few(unapproved.iter().map(String::as_str)),
            shell::argument(first)
        ));
    }
    for server in servers {
        for cut in &server.cut {
            let most = Limits::MAX_ENTRIES;
            notes.push(format!(
                "`{}` has more {cut}: its first {most} are kept",
                server.server
            ));
        }
        notes.extend(
            server
                .unusable
                .iter()
                .map(|why| format!("`{}`: {why}", server.server)),
        );
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}
