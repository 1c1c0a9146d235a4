//! MCP servers, in every shape that real files have (spec/mcp.md 1, reference/corpus-facts.md, MCP files).
//!
//! `{"mcpServers": {NAME: SERVER}}`, the same under `servers`, `mcp` or `mcp_servers`, a bare table of servers, and a
//! list of servers that name themselves. A server says what to start as `command`, a string or a list, with `args`;
//! or what to call as `url`.

use super::Spot;
use super::fields::{as_list, as_scalar, as_text, is_table, push, wrong_type};
use crate::model::{Code, ServerDefinition, Transport};
use crate::parse::Problem;
use crate::parse::document::{Located, Value};

/// How many servers of one file are read.
pub const MAX_SERVERS: usize = 10_000;

/// Keys that a table of servers stands under.
const WRAPPERS: [&str; 4] = ["mcpServers", "servers", "mcp", "mcp_servers"];

/// Reads the servers of a table or list. One that says neither what to start nor what to call, or names a way to
/// talk that is unknown, is among them without a transport, and told of as `bad-server`.
pub fn read(root: &Located, problems: &mut Vec<Problem>) -> Vec<Spot<ServerDefinition>> {
    let wrapped = WRAPPERS.into_iter().find_map(|key| {
        // A server may be called `mcp` itself.
        let value = root.value.get(key)?;
        let is_server = value.value.get("command").is_some_and(|value| !is_table(value))
            || value.value.get("url").is_some_and(|value| !is_table(value));
        (!is_server).then_some(value)
    });
    let mut found = Vec::new();
    let table = wrapped.unwrap_or(root);
    match &table.value {
        Value::Table(entries) => {
            too_many(entries.len(), table, problems);
            for entry in entries.iter().take(MAX_SERVERS) {
                if is_table(&entry.value) {
                    found.push(server(&entry.key, &entry.value, problems));
                } else if wrapped.is_some() || !is_remark(&entry.key) {
                    found.push(no_table(&entry.key, &entry.value, problems));
                }
            }
        }
        Value::List(values) => {
            too_many(values.len(), table, problems);
            for value in values.iter().take(MAX_SERVERS) {
                match value.value.get("name").and_then(as_text) {
                    Some(name) => found.push(server(name, value, problems)),
                    None => wrong_type(problems, "mcpServers", value, "a table with `name` in each place"),
                }
            }
        }
        _ => wrong_type(problems, "mcpServers", table, "a table of servers"),
    }
    found
}

/// Whether a key that stands among servers by itself says something of the file.
fn is_remark(key: &str) -> bool {
    key.starts_with(['$', '_', '/']) || matches!(key, "name" | "version" | "description" | "inputs")
}

/// What has the place of a server and is no table: it keeps its name and place, so that `why` has an answer.
fn no_table(name: &str, value: &Located, problems: &mut Vec<Problem>) -> Spot<ServerDefinition> {
    let message = format!(
        "the server `{name}` is {}, not a table with `command` or `url`",
        value.value.type_name()
    );
    push(
        problems,
        Problem::new(Code::BadServer, Some(value.position), message)
            .with_help("give it a table with `command` or `url`, or remove it"),
    );
    let nothing = Located {
        position: value.position,
        value: Value::Table(Vec::new()),
    };
    // Nothing is wrong with that table but what was told.
    server(name, &nothing, &mut Vec::new())
}

/// Says so where there are more servers than are read.
fn too_many(count: usize, table: &Located, problems: &mut Vec<Problem>) {
    if count > MAX_SERVERS {
        let message = format!("it has {count} MCP servers; the first {MAX_SERVERS} are read");
        problems.push(Problem::new(Code::TooLarge, Some(table.position), message));
    }
}

/// Reads one server.
pub(crate) fn server(name: &str, table: &Located, problems: &mut Vec<Problem>) -> Spot<ServerDefinition> {
    let get = |keys: &[&str]| keys.iter().find_map(|key| table.value.get(key));
    let mut text = |keys: &'static [&'static str]| {
        let value = get(keys)?;
        if as_text(value).is_none() && value.value != Value::Null {
            wrong_type(
                problems,
                keys.first().copied().unwrap_or_default(),
                value,
                "a string",
            );
        }
        as_text(value).map(str::to_owned)
    };
    let url = text(&["url", "httpUrl", "serverUrl"]);
    let cwd = text(&["cwd"]);
    let kind = text(&["type", "transport"]);
    let token = text(&["bearer_token_env_var", "bearerTokenEnvVar"]);
    let (command, mut args) = match get(&["command"]).map(|value| (value, as_text(value), as_list(value))) {
        Some((_, Some(command), _)) => (Some(command.to_owned()), Vec::new()),
        Some((_, None, Some(words))) => {
            let mut words = words.iter().filter_map(as_scalar);
            (words.next(), words.collect())
        }
        Some((value, None, None)) => {
            wrong_type(problems, "command", value, "a string or a list of strings");
            (None, Vec::new())
        }
        None => (None, Vec::new()),
    };
    match get(&["args"]).map(|value| (value, as_list(value))) {
        Some((_, Some(values))) => {
            for value in values {
                match as_scalar(value) {
                    Some(arg) => args.push(arg),
                    None => wrong_type(problems, "args", value, "a string in each place"),
                }
            }
        }
        Some((value, None)) => match as_text(value) {
            Some(arg) => args.push(arg.to_owned()),
            None => wrong_type(problems, "args", value, "a list of strings"),
        },
        None => {}
    }
    let mut table_of = |keys: &'static [&'static str]| match get(keys) {
        Some(value) if is_table(value) || value.value == Value::Null => pairs(value),
        Some(value) => {
            wrong_type(
                problems,
                keys.first().copied().unwrap_or_default(),
                value,
                "a table of strings",
            );
            Vec::new()
        }
        None => Vec::new(),
    };
    let env = table_of(&["env", "environment"]);
    let mut headers = table_of(&["headers", "http_headers"]);
    let header_names = table_of(&["env_http_headers"]);
    let mut env_names = Vec::new();
    for (header, variable) in header_names {
        headers.push((header, format!("${{{variable}}}")));
        env_names.push(variable);
    }
    if let Some(variable) = token {
        headers.push(("Authorization".to_owned(), format!("Bearer ${{{variable}}}")));
        env_names.push(variable);
    }
    if let Some(values) = get(&["env_vars"]).and_then(as_list) {
        env_names.extend(values.iter().filter_map(as_scalar));
    }
    let is = |key: &str, wanted: bool| {
        table.value.get(key).map(|value| &value.value) == Some(&Value::Bool(wanted))
    };
    let definition = ServerDefinition {
        name: name.to_owned(),
        transport: None,
        command,
        args,
        cwd,
        url,
        env,
        headers,
        env_names,
        enabled: !is("enabled", false) && !is("disabled", true),
    };
    let transport = match transport(kind.as_deref(), &definition) {
        Ok(transport) => Some(transport),
        Err(why) => {
            let problem = Problem::new(
                Code::BadServer,
                Some(table.position),
                format!("the MCP server `{name}` cannot be used: {why}"),
            );
            let help = "give it a `command` to start, or a `url` to call";
            push(problems, problem.with_help(help));
            None
        }
    };
    Spot {
        value: ServerDefinition {
            transport,
            ..definition
        },
        at: table.position,
    }
}

/// How one talks to a server, or why one cannot.
fn transport(kind: Option<&str>, server: &ServerDefinition) -> Result<Transport, String> {
    let transport = match kind {
        Some("stdio" | "local") => Transport::Stdio,
        Some("http" | "remote" | "streamable-http" | "streamableHttp" | "streamable_http") => Transport::Http,
        Some("sse") => Transport::Sse,
        Some("ws") => Transport::Ws,
        Some(other) => return Err(format!("`type` is `{other}`, which is not known")),
        None if server.command.is_some() => Transport::Stdio,
        None if server.url.is_some() => Transport::Http,
        None => return Err("it has neither `command` nor `url`".to_owned()),
    };
    match transport {
        Transport::Stdio if server.command.is_none() => Err("it has no `command`".to_owned()),
        Transport::Http | Transport::Sse | Transport::Ws if server.url.is_none() => {
            Err("it has no `url`".to_owned())
        }
        transport => Ok(transport),
    }
}

/// The names and values of a table of texts; what is no simple value is an empty text.
pub(super) fn pairs(value: &Located) -> Vec<(String, String)> {
    let entries = value.value.entries();
    entries
        .iter()
        .map(|entry| (entry.key.clone(), as_scalar(&entry.value).unwrap_or_default()))
        .collect()
}

/// Reads a file of MCP servers.
///
/// # Errors
///
/// The problem for which nothing of it can be used: `broken-manifest`.
pub fn parse(bytes: &[u8]) -> Result<(Vec<Spot<ServerDefinition>>, Vec<Problem>), Problem> {
    let document = super::parse_json(bytes)?;
    let mut problems = document.problems;
    let servers = read(&document.root, &mut problems);
    Ok((servers, problems))
}
