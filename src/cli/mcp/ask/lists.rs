//! `mcp resources|templates|prompts`: one list of every server.

use std::io::{self, Write};
use std::path::Path;

use aleph_discover::DiscoveryManager;
use aleph_discover::mcp::client::Ask;
use aleph_discover::mcp::qualified::qualify;
use aleph_discover::mcp::{
    Limits, Offer, PromptArgument, PromptEntry, ResourceEntry, TemplateEntry, Wanted, configured,
};
use aleph_discover::report::{
    Context, ListedArgument, ListedPrompt, ListedResource, ListedTemplate, OnDemandReport, table,
};
use serde::Serialize;

use super::choose::{ask, choose, note, sort_out};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::mcp::args::Asked;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn resources(args: &Asked, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let report = gather(args, global, output, Wanted::Resources, |server, offer, stale| {
        let listed = |entry: ResourceEntry| ListedResource {
            server: server.to_owned(),
            uri: qualify(server, &entry.uri),
            name: entry.name,
            title: entry.title,
            description: entry.description,
            mime_type: entry.mime_type,
            stale,
        };
        offer.resources.into_iter().map(listed).collect()
    })?;
    answer(
        &report,
        &report.view(),
        table::mcp_resources,
        |entry| &entry.uri,
        output,
    )
}

pub(super) fn templates(args: &Asked, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let report = gather(args, global, output, Wanted::Templates, |server, offer, stale| {
        let listed = |entry: TemplateEntry| ListedTemplate {
            server: server.to_owned(),
            uri_template: qualify(server, &entry.uri_template),
            name: entry.name,
            title: entry.title,
            description: entry.description,
            mime_type: entry.mime_type,
            stale,
        };
        offer.templates.into_iter().map(listed).collect()
    })?;
    answer(
        &report,
        &report.view(),
        table::mcp_templates,
        |entry| &entry.uri_template,
        output,
    )
}

pub(super) fn prompts(args: &Asked, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let report = gather(args, global, output, Wanted::Prompts, |server, offer, stale| {
        let argument = |argument: PromptArgument| ListedArgument {
            name: argument.name,
            description: argument.description,
            required: argument.required,
        };
        let listed = |entry: PromptEntry| ListedPrompt {
            server: server.to_owned(),
            name: qualify(server, &entry.name),
            title: entry.title,
            description: entry.description,
            arguments: entry.arguments.into_iter().map(argument).collect(),
            stale,
        };
        offer.prompts.into_iter().map(listed).collect()
    })?;
    answer(
        &report,
        &report.view(),
        table::mcp_prompts,
        |entry| &entry.name,
        output,
    )
}

/// Asks for one list and joins what was answered.
fn gather<T>(
    args: &Asked,
    global: &Global,
    output: &Output,
    wanted: Wanted,
    listed: impl Fn(&str, Offer, bool) -> Vec<T>,
) -> Result<OnDemandReport<T>, Failure> {
    let manager: DiscoveryManager = session::open(global)?;
    let home = manager.aleph_home()?;
    let configured = configured(&manager);
    let chosen = choose(&configured, &args.servers)?;
    let (limits, mut diagnostics) = Limits::of_home(&home);
    let outcomes = ask(chosen.servers, &Ask::Lists(vec![wanted]), &limits, output)?;
    let lists = sort_out(outcomes, &home);
    diagnostics.extend(lists.diagnostics);
    let offers = lists.offers.into_iter();
    Ok(OnDemandReport {
        context: Context::of(&manager),
        entries: offers
            .flat_map(|(server, offer, stale)| listed(&server, offer, stale))
            .collect(),
        note: note(&chosen.unapproved, &lists.servers),
        servers: lists.servers,
        diagnostics,
    })
}

/// Says what was answered in the form that was asked for.
fn answer<T>(
    report: &OnDemandReport<T>,
    view: &impl Serialize,
    table: impl Fn(&OnDemandReport<T>, &table::Look, &mut dyn Write) -> io::Result<()>,
    name: impl Fn(&T) -> &str,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table(report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(view)?,
        Format::Jsonl => output.json_line(view)?,
        Format::Paths => {
            for entry in &report.entries {
                output.path(Path::new(name(entry)))?;
            }
            output.talk(&report.diagnostics, &[])?;
        }
    }
    Ok(if report.is_complete() {
        Exit::Done
    } else {
        Exit::Failed
    })
}
