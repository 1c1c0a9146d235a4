//! `mcp read` and `mcp prompt`: one thing of one server.

use std::path::Path;

use aleph_discover::mcp::client::{Answer, Ask, FailureKind, ServerError};
use aleph_discover::mcp::qualified::{qualify, split};
use aleph_discover::mcp::{Configured, ConfiguredServer, Content};
use aleph_discover::model::Diagnostic;
use aleph_discover::report::{ContentType, Context, MessageView, PartView, PromptReport, ReadReport, table};
use serde_json::Map;

use super::choose::{Outcome, ask, find, known, limits, refuse_switched_off};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::mcp::args::{Prompt, Read};
use crate::cli::output::Output;
use crate::cli::session;

/// The codes with which a server says that it has no such thing, or cannot make it of these arguments: that of older
/// revisions for resources, and the general one for bad parameters.
const NOT_THERE: [i32; 2] = [-32002, -32602];

/// What was asked, answered.
struct Answered {
    context: Context,
    server: String,
    answer: Answer,
    diagnostics: Vec<Diagnostic>,
}

pub(super) fn read(args: &Read, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let lister = "mcp resources";
    let answered = answer(&args.uri, &args.asked.servers, lister, Ask::Read, global, output)?;
    let Answer::Read(parts) = answered.answer else {
        return Ok(Exit::Failed);
    };
    let part = |part: Content| PartView {
        uri: qualify(&answered.server, &part.uri),
        content: part.content,
        content_type: if part.is_binary {
            ContentType::Binary
        } else {
            ContentType::Text
        },
        mime_type: part.mime_type,
    };
    let report = ReadReport {
        parts: parts.into_iter().map(part).collect(),
        context: answered.context,
        uri: args.uri.clone(),
        server: answered.server,
        diagnostics: answered.diagnostics,
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::mcp_read(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            for part in &report.parts {
                output.path(Path::new(&part.uri))?;
            }
        }
    }
    Ok(Exit::Done)
}

pub(super) fn prompt(args: &Prompt, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let mut arguments = Map::new();
    for argument in &args.arguments {
        let Some((key, value)) = argument.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(Failure::usage(
                format!("`{argument}` is no argument of a prompt"),
                "write `--arg NAME=VALUE`",
            ));
        };
        if arguments.insert(key.to_owned(), value.into()).is_some() {
            return Err(Failure::usage(
                format!("the argument `{key}` is given twice"),
                "give it once",
            ));
        }
    }
    let what = |name: String| Ask::Prompt(name, arguments);
    let answered = answer(
        &args.name,
        &args.asked.servers,
        "mcp prompts",
        what,
        global,
        output,
    )?;
    let Answer::Prompt(prompt) = answered.answer else {
        return Ok(Exit::Failed);
    };
    let messages = prompt.messages.into_iter();
    let report = PromptReport {
        context: answered.context,
        server: answered.server,
        name: args.name.clone(),
        description: prompt.description,
        messages: messages
            .map(|(role, content)| MessageView { role, content })
            .collect(),
        diagnostics: answered.diagnostics,
    };
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::mcp_prompt(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => output.path(Path::new(&report.name))?,
    }
    Ok(Exit::Done)
}

/// Asks the server that a name begins with for the rest of it.
fn answer(
    name: &str,
    named: &[String],
    lister: &str,
    what: impl FnOnce(String) -> Ask,
    global: &Global,
    output: &Output,
) -> Result<Answered, Failure> {
    let manager = session::open(global)?;
    let home = manager.aleph_home()?;
    let configured = known(&manager);
    let (server, own) = meant(&configured, name, named, lister)?;
    refuse_switched_off(server)?;
    // Whoever wrote the uri may be the one who wants something started.
    if named.is_empty() && !server.consent.is_approved() && server.obstacle.is_none() {
        let server = &server.name;
        return Err(Failure::refused(
            format!("`{server}` is not approved, and naming it inside `{name}` does not start it"),
            format!(
                "`aleph-discover mcp approve {server}` shows what would run and asks; `--server {server}` asks it this once"
            ),
        ));
    }
    let (limits, diagnostics) = limits(&home);
    let asked = ask(vec![server.clone()], &what(own.to_owned()), &limits, output)?;
    let Some(Outcome { server, answer }) = asked.into_iter().next() else {
        return Err(failed(
            name,
            &ServerError::new(FailureKind::Protocol, "it was not asked"),
        ));
    };
    Ok(Answered {
        context: Context::of(&manager),
        answer: answer.map_err(|error| failed(&server.name, &error).with_path(&server.site.file))?,
        server: server.name,
        diagnostics,
    })
}

/// The server that is meant, and its own name for the thing.
fn meant<'a, 'n>(
    configured: &'a Configured,
    name: &'n str,
    named: &[String],
    lister: &str,
) -> Result<(&'a ConfiguredServer, &'n str), Failure> {
    let mut known: Vec<&str> = Vec::new();
    for server in named {
        let server = find(configured, server)?;
        known.push(&server.name);
        known.extend(server.short_name.as_deref());
    }
    if named.is_empty() {
        for server in &configured.servers {
            known.push(&server.name);
            known.extend(server.short_name.as_deref());
        }
    }
    if let Some((server, own)) = split(name, known) {
        return Ok((find(configured, server)?, own));
    }
    // With one server named there is no doubt.
    if let [server] = named {
        return Ok((find(configured, server)?, name));
    }
    Err(Failure::usage(
        format!("`{name}` does not begin with the name of a configured MCP server and a colon"),
        format!("give it as `aleph-discover {lister}` lists it"),
    ))
}

/// That a server did not give what it was asked for.
fn failed(server: &str, error: &ServerError) -> Failure {
    let exit = match (error.kind, error.rpc_code) {
        (FailureKind::Rejected, Some(code)) if NOT_THERE.contains(&code) => Exit::No,
        _ => Exit::Failed,
    };
    let message = match exit {
        Exit::No => format!("the MCP server `{server}` has no such thing: {error}"),
        _ => format!("the MCP server `{server}` did not answer: {error}"),
    };
    let help = if error.stderr.is_empty() {
        "`aleph-discover mcp servers` shows what would be started".to_owned()
    } else {
        format!("the end of its standard error: {}", error.stderr.join(" | "))
    };
    Failure::new(exit, Said(message), help)
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Said(String);
