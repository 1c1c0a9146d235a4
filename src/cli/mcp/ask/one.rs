//! `mcp read` and `mcp prompt`: one thing of one server.

use std::path::Path;

use aleph_discover::mcp::client::{Answer, Ask, FailureKind, ServerError};
use aleph_discover::mcp::qualified::{qualify, split};
use aleph_discover::mcp::{Configured, ConfiguredServer, Content, Limits, configured};
use aleph_discover::model::Diagnostic;
use aleph_discover::report::{
    ContentType, Context, MessageView, PartView, PromptReport, ReadReport, shell, table,
};
use serde_json::Map;

use super::choose::{Outcome, ask, find, happened, how_to_allow, refuse_switched_off, remedy};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::mcp::args::{Prompt, Read};
use crate::cli::output::Output;
use crate::cli::session;

/// The codes with which a server says that it has no such thing, or cannot make it of these arguments: that of older
/// revisions for resources, and the general one for bad parameters.
const NOT_THERE: [i32; 2] = [-32002, -32602];

/// What one thing is asked for.
#[derive(Clone, Copy)]
enum Sought {
    Resource,
    Prompt,
}

impl Sought {
    /// The command that lists such things.
    const fn lister(self) -> &'static str {
        match self {
            Self::Resource => "mcp resources",
            Self::Prompt => "mcp prompts",
        }
    }
}

/// What was asked, answered.
struct Answered {
    context: Context,
    server: String,
    answer: Answer,
    diagnostics: Vec<Diagnostic>,
}

pub(super) fn read(args: &Read, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let sought = Sought::Resource;
    let answered = answer(&args.uri, &args.asked.servers, sought, Ask::Read, global, output)?;
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
        Sought::Prompt,
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
    sought: Sought,
    what: impl FnOnce(String) -> Ask,
    global: &Global,
    output: &Output,
) -> Result<Answered, Failure> {
    let manager = session::open(global)?;
    let home = manager.aleph_home()?;
    let configured = configured(&manager);
    let (server, own) = meant(&configured, name, named, sought)?;
    refuse_switched_off(server)?;
    // Whoever wrote the uri may be the one who wants something started.
    if named.is_empty() && server.needs_approval() {
        let server = &server.name;
        return Err(Failure::refused(
            format!("`{server}` is not approved, and naming it inside `{name}` does not start it"),
            how_to_allow(server),
        ));
    }
    let (limits, diagnostics) = Limits::of_home(&home);
    let asked = ask(vec![server.clone()], &what(own.to_owned()), &limits, output)?;
    let Some(Outcome { server, answer }) = asked.into_iter().next() else {
        return Err(failed(
            name,
            name,
            sought,
            &ServerError::new(FailureKind::Protocol, "it was not asked"),
        ));
    };
    Ok(Answered {
        context: Context::of(&manager),
        answer: answer
            .map_err(|error| failed(&server.name, own, sought, &error).with_path(&server.site.file))?,
        server: server.name,
        diagnostics,
    })
}

/// The server that is meant, and its own name for the thing.
fn meant<'a, 'n>(
    configured: &'a Configured,
    name: &'n str,
    named: &[String],
    sought: Sought,
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
    let lister = sought.lister();
    let near = name.split(':').next().map(|server| configured.nearest(server));
    let near = near
        .and_then(|near| near.into_iter().next())
        .filter(|_| name.contains(':'));
    Err(Failure::usage(
        format!("`{name}` does not begin with the name of a configured MCP server and a colon"),
        match near {
            Some(near) => {
                format!("did you mean the server `{near}`? `aleph-discover {lister}` lists what can be given")
            }
            None => format!("give it as `aleph-discover {lister}` lists it"),
        },
    ))
}

/// That a server did not give what it was asked for.
fn failed(server: &str, own: &str, sought: Sought, error: &ServerError) -> Failure {
    let is_rejected = error.kind == FailureKind::Rejected;
    let lister = format!(
        "`aleph-discover {} {}`",
        sought.lister(),
        shell::flag("--server", server)
    );
    let rejected = error.rpc_code.filter(|_| is_rejected);
    let (exit, message, help) = match (rejected, sought) {
        // It has no such method: it has none of those things.
        (Some(_), Sought::Resource) if error.is_method_not_found() => (
            Exit::No,
            format!("the MCP server `{server}` has no resources that can be read: {error}"),
            "`aleph-discover mcp resources` lists those of all approved servers".to_owned(),
        ),
        (Some(_), Sought::Prompt) if error.is_method_not_found() => (
            Exit::No,
            format!("the MCP server `{server}` has no prompts: {error}"),
            "`aleph-discover mcp prompts` lists those of all approved servers".to_owned(),
        ),
        (Some(code), Sought::Resource) if NOT_THERE.contains(&code) => (
            Exit::No,
            format!("the MCP server `{server}` has no resource `{own}`: {error}"),
            format!("{lister} lists what it has, `mcp templates` what else can be asked for"),
        ),
        (Some(code), Sought::Prompt) if NOT_THERE.contains(&code) => (
            Exit::No,
            format!(
                "the MCP server `{server}` does not give the prompt `{own}` with these arguments: {error}"
            ),
            format!("{lister} lists its prompts, and which `--arg` each takes"),
        ),
        (Some(_), _) => (
            Exit::Failed,
            happened(server, error),
            format!("{lister} lists what it has"),
        ),
        (None, _) => (
            Exit::Failed,
            happened(server, error),
            remedy(error.kind)
                .unwrap_or("`aleph-discover mcp servers` shows what would be started")
                .to_owned(),
        ),
    };
    let help = if error.stderr.is_empty() {
        help
    } else {
        format!(
            "{help}; the end of its standard error: {}",
            error.stderr.join(" | ")
        )
    };
    Failure::new(exit, Said(message), help)
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Said(String);
