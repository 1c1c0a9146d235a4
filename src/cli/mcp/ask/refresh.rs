//! `mcp refresh`: everything that servers have, kept.

use std::time::SystemTime;

use aleph_discover::mcp::client::Ask;
use aleph_discover::mcp::{Limits, Snapshot, Snapshots, Wanted, configured};
use aleph_discover::model::{Code, Diagnostic, Severity};
use aleph_discover::report::{AskedState, Context, RefreshReport, RefreshedServer, table};

use super::choose::{ask, choose, note, snapshot, sort_out};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::mcp::args::Asked;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn run(args: &Asked, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let home = manager.aleph_home()?;
    let configured = configured(&manager);
    let chosen = choose(&configured, &args.servers)?;
    let (limits, mut diagnostics) = Limits::of_home(&home);
    let asked = chosen.servers.clone();
    let outcomes = ask(chosen.servers, &Ask::Lists(Wanted::ALL.to_vec()), &limits, output)?;
    let lists = sort_out(outcomes, &home);
    diagnostics.extend(lists.diagnostics);
    let store = Snapshots::of(&home);
    let now = SystemTime::now();
    let mut write: Vec<Snapshot> = lists.snapshots;
    for server in &lists.servers {
        let configured = asked.iter().find(|known| known.name == server.server);
        let before = configured.and_then(|server| snapshot(&home, server));
        if let (AskedState::Stale, Some(before)) = (server.outcome, before) {
            write.push(before.gone_stale(server.reason.as_deref().unwrap_or_default(), now));
        }
    }
    let mut changed = Vec::new();
    let mut all_written = true;
    for snapshot in &write {
        match store.write(snapshot) {
            Ok(path) => changed.push(path),
            Err(error) => {
                all_written = false;
                let message = format!("the snapshot of `{}` cannot be written: {error}", snapshot.server);
                diagnostics.push(
                    Diagnostic::new(Code::Unreadable, Severity::Error, message)
                        .with_path(store.path(&snapshot.server, &snapshot.digest))
                        .with_help("make room, or make the directory writable"),
                );
            }
        }
    }
    changed.sort();
    let note = note(&chosen.unapproved, &lists.servers);
    let servers = lists.servers.into_iter().map(|asked| {
        let offer = lists.offers.iter().find(|(server, ..)| *server == asked.server);
        let count = |wanted| offer.map_or(0, |(_, offer, _)| offer.count(wanted));
        RefreshedServer {
            tools: count(Wanted::Tools),
            resources: count(Wanted::Resources),
            templates: count(Wanted::Templates),
            prompts: count(Wanted::Prompts),
            asked,
        }
    });
    let report = RefreshReport {
        context: Context::of(&manager),
        servers: servers.collect(),
        changed,
        note,
        diagnostics,
        all_written,
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::mcp_refresh(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            for path in &report.changed {
                output.path(path)?;
            }
            output.talk(&report.diagnostics, &[])?;
        }
    }
    Ok(if report.is_done() {
        Exit::Done
    } else {
        Exit::Failed
    })
}
