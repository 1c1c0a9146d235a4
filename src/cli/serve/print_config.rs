//! `serve --print-config`: the snippet for an agent's configuration, and where it belongs.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::args::Agent;
use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// The name that the gateway has in the agent's configuration, and the program's.
const NAME: &str = env!("CARGO_PKG_NAME");

/// The arguments with which an agent starts the gateway: the flags that decide what is found are kept.
fn arguments(global: &Global) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut path = |flag: &str, value: Option<&Path>| {
        if let Some(value) = value {
            arguments.extend([flag.to_owned(), value.to_string_lossy().into_owned()]);
        }
    };
    path("-C", global.directory.as_deref());
    path("--home", global.home.as_deref());
    path("--aleph-home", global.aleph_home.as_deref());
    if global.no_claude {
        arguments.push("--no-claude".to_owned());
    }
    if global.no_project {
        arguments.push("--no-project".to_owned());
    }
    arguments.push("serve".to_owned());
    arguments
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

pub(super) fn run(agent: Agent, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let snippet = snippet(agent, &arguments(global));
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
