//! `serve --print-config`: the snippet for an agent's configuration, and where it belongs.

use std::io::Write;
use std::path::Path;

use aleph_discover::Environment;
use aleph_discover::host::HostProfile;
use serde_json::{Value, json};

use super::args::{Agent, Serve};
use crate::cli::args::{Global, Host};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// The name that the gateway has in the agent's configuration, and the program's.
const NAME: &str = env!("CARGO_PKG_NAME");

/// A path as an agent can be given it: absolute, since an agent starts the gateway where it likes.
fn whole(path: &Path) -> Result<String, Failure> {
    let whole = std::path::absolute(path).map_err(Failure::no_working_directory)?;
    match whole.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => {
            let message = format!("{} is not UTF-8, as a configuration has to be", whole.display());
            Err(Failure::usage(message, "give it another name, or a link to it").with_path(&whole))
        }
    }
}

/// The arguments with which an agent starts the gateway: the flags that decide what is found are kept.
fn arguments(args: &Serve, global: &Global) -> Result<Vec<String>, Failure> {
    let mut arguments = Vec::new();
    let mut flag = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
    // Some agents hand on next to nothing of their environment.
    let aleph_home = global
        .aleph_home
        .clone()
        .or_else(|| Environment::from_process().aleph_home);
    for (name, value) in [
        ("-C", &global.directory),
        ("--home", &global.home),
        ("--aleph-home", &aleph_home),
    ] {
        if let Some(value) = value {
            flag(name, whole(value)?);
        }
    }
    match global.host {
        Host::One(host) if host == HostProfile::native().id => {}
        Host::One(host) => flag("--host", host.as_str().to_owned()),
        Host::All => return Err(Failure::one_host_at_a_time()),
    }
    for directory in &global.plugin_dir {
        flag("--plugin-dir", whole(directory)?);
    }
    if let Some(settings) = &global.settings {
        let text = settings.to_string_lossy();
        let is_json = text.trim_start().starts_with('{');
        flag(
            "--settings",
            if is_json {
                text.into_owned()
            } else {
                whole(Path::new(settings))?
            },
        );
    }
    if let Some(depth) = global.max_depth {
        flag("--max-depth", depth.to_string());
    }
    let given = [
        ("--no-claude", global.no_claude),
        ("--no-project", global.no_project),
        ("serve", true),
    ];
    arguments.extend(
        given
            .into_iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(name, _)| name.to_owned()),
    );
    let mut flag = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
    for server in &args.servers {
        flag("--server", server.clone());
    }
    if let Some(rules) = &args.rules {
        flag("--rules", whole(rules)?);
    }
    Ok(arguments)
}

/// Where the snippet belongs, one place a line.
const fn places(agent: Agent) -> &'static str {
    match agent {
        Agent::ClaudeCode => {
            "for one project: .mcp.json in its directory; for all: \"mcpServers\" of ~/.claude.json"
        }
        Agent::Codex => "~/.codex/config.toml",
        Agent::Gemini => {
            "for one project: .gemini/settings.json in its directory; for all: ~/.gemini/settings.json"
        }
        Agent::Opencode => {
            "for one project: opencode.json in its directory; for all: ~/.config/opencode/opencode.json"
        }
        Agent::Cursor => "for one project: .cursor/mcp.json in its directory; for all: ~/.cursor/mcp.json",
    }
}

/// The snippet.
fn snippet(agent: Agent, arguments: &[String]) -> String {
    let pretty = |value: &Value| format!("{value:#}");
    match agent {
        Agent::ClaudeCode => pretty(&json!({
            "mcpServers": {NAME: {"type": "stdio", "command": NAME, "args": arguments}},
        })),
        Agent::Gemini | Agent::Cursor => pretty(&json!({
            "mcpServers": {NAME: {"command": NAME, "args": arguments}},
        })),
        Agent::Opencode => {
            let command: Vec<&str> = std::iter::once(NAME)
                .chain(arguments.iter().map(String::as_str))
                .collect();
            pretty(&json!({
                "$schema": "https://opencode.ai/config.json",
                "mcp": {NAME: {"type": "local", "command": command, "enabled": true}},
            }))
        }
        // A list of JSON strings is a list of TOML strings too, but for DEL, which no path should have.
        Agent::Codex => format!(
            "[mcp_servers.{NAME}]\ncommand = \"{NAME}\"\nargs = {}",
            json!(arguments)
        ),
    }
}

pub(super) fn run(agent: Agent, args: &Serve, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let snippet = snippet(agent, &arguments(args, global)?);
    writeln!(output.stdout(), "{snippet}")?;
    output.talk(
        &[],
        &[
            format!("where it belongs: {}", places(agent)),
            "take out the servers that the agent is to reach through it, and approve them with `aleph-discover mcp approve NAME`"
                .to_owned(),
        ],
    )?;
    Ok(Exit::Done)
}
