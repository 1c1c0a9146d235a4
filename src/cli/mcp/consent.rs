//! `mcp approve|revoke`: saying yes to a server, and taking it back.

use std::io::{self, IsTerminal, Write};
use std::time::SystemTime;

use aleph_discover::DiscoveryManager;
use aleph_discover::mcp::{
    self, Configured, ConfiguredServer, Consent, Obstacle, configured, difference_view,
};
use aleph_discover::plugin::install::Change;
use aleph_discover::plugin::shown::server_view;
use aleph_discover::report::{ServerFacts, table};

use super::args::{Approve, Server};
use super::user_environment;
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::install;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn approve(args: &Approve, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let home = manager.aleph_home()?;
    let configured = configured(&manager);
    let Some(server) = configured.find(&args.server.name) else {
        return not_there(&manager, "approve", &args.server.name, &configured, output);
    };
    refuse_obstacle(server)?;
    if server.consent == Consent::Approved {
        let change = Change {
            subject: server.name.clone(),
            changed: Vec::new(),
        };
        return install::answer(&install::report(&manager, "approve", change), output);
    }
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    // What one says yes to is shown before anything is written.
    if output.format == Format::Table {
        let look = output.look(manager.working_dir());
        show(server, &look, output.stdout())?;
        writeln!(output.stdout())?;
        output.stdout().flush()?;
    } else if !args.yes && can_ask {
        let look = output.look(manager.working_dir());
        show(server, &look, &mut io::stderr().lock())?;
    }
    let is_yes = args.yes || (can_ask && says_yes(&server.name)?);
    if !is_yes {
        let why = if can_ask {
            format!("`{}` was not approved: you did not say yes", server.name)
        } else {
            format!(
                "approving `{}` needs your word, and there is no terminal to ask at",
                server.name
            )
        };
        return Err(Failure::refused(why, "read what would run, then add `--yes`"));
    }
    let change = mcp::approve(&home, server, SystemTime::now())?;
    let mut report = install::report(&manager, "approve", change);
    // The table above has said it.
    if output.format != Format::Table {
        report.diagnostics.extend(server.changes_what_runs());
    }
    install::answer(&report, output)
}

pub(super) fn revoke(args: &Server, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let home = manager.aleph_home()?;
    let configured = configured(&manager);
    // One that is configured here is meant as it is configured here; any other by its name alone, so that approvals of
    // what is gone can be taken back too.
    let server = configured.find(&args.name);
    let change = match server {
        Some(server) => mcp::revoke(&home, &server.definition.name, Some(&server.site.file))?,
        None => mcp::revoke(&home, &args.name, None)?,
    };
    let change = Change {
        subject: server.map_or_else(|| args.name.clone(), |server| server.name.clone()),
        ..change
    };
    if server.is_none() && change.changed.is_empty() {
        return not_there(&manager, "revoke", &args.name, &configured, output);
    }
    install::answer(&install::report(&manager, "revoke", change), output)
}

/// A server that is never started need not be approved, and must not look as if it could be.
fn refuse_obstacle(server: &ConfiguredServer) -> Result<(), Failure> {
    let (why, help) = match server.obstacle {
        // It may be switched on later: the yes is to its definition.
        None | Some(Obstacle::SwitchedOff) => return Ok(()),
        Some(Obstacle::Unsupported(transport)) => (
            format!(
                "`{}` has the transport `{transport}`, which is not spoken",
                server.name
            ),
            "most such servers have streamable HTTP too: give its address, with `type` `http`",
        ),
        Some(Obstacle::Unusable) => (
            format!("`{}` says neither what to start nor what to call", server.name),
            "give it a `command` or a `url`",
        ),
    };
    Err(Failure::refused(why, help).with_path(&server.site.file))
}

fn show(server: &ConfiguredServer, look: &table::Look, writer: &mut dyn Write) -> io::Result<()> {
    let dirs = server.site.plugin.clone().unwrap_or_default();
    let view = server_view(&server.definition, &dirs, server.line);
    let preview = server.preview(&user_environment());
    let facts = ServerFacts {
        approved: Some(false),
        differences: match &server.consent {
            Consent::Changed(differences) => differences.iter().map(difference_view).collect(),
            Consent::Approved | Consent::Unapproved => Vec::new(),
        },
        sees: preview.sees.into_iter().collect(),
        missing: preview.missing.into_iter().collect(),
        directory: preview.directory,
        steering: server.steering(),
        is_gateway: server.is_gateway(),
    };
    table::would_run(&server.name, &view, &facts, &server.site.file, look, writer)
}

/// Asks at the terminal; anything but a yes is a no.
fn says_yes(name: &str) -> io::Result<bool> {
    install::ask(&format!(
        "May `{}` run whenever it is asked for?",
        aleph_discover::report::escape::visible(name)
    ))
}

/// Answers that there is no server of a name.
fn not_there(
    manager: &DiscoveryManager,
    action: &'static str,
    name: &str,
    configured: &Configured,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let known: Vec<&str> = configured
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .chain(configured.approvals.names())
        .collect();
    install::not_there(manager, action, name, &known, output)
}
