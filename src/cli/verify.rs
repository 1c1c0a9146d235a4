//! `verify`: asks the installed host, in its cheapest offline way, and compares.
//!
//! The only command that starts a host. It says first what it would run, and runs it only with `--yes`; hooks and
//! MCP servers are off where the host can do without them, and no request can leave for a model.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use aleph_discover::model::{ComponentKind, HostId};
use aleph_discover::report::{AnswerForm, Context, VerifyReport, escape};

use super::args::{Format, Global, Host, Verify};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::session;

/// How long a host may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much of its answer is read.
const MOST: u64 = 16 * 1024 * 1024;

/// How a host is asked.
struct Asking {
    program: &'static str,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    /// What it can be asked about.
    kinds: &'static [ComponentKind],
    /// The answer is the line that has this; none where it is everything.
    line_with: Option<&'static str>,
    /// How it lists names.
    form: AnswerForm,
}

const SKILL: &[ComponentKind] = &[ComponentKind::Skill];

fn asking(host: HostId) -> Option<Asking> {
    match host {
        // The start message names everything before a model is asked; the address answers nobody.
        HostId::ClaudeCode => Some(Asking {
            program: "claude",
            arguments: &[
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--strict-mcp-config",
                "--settings",
                "{\"disableAllHooks\":true}",
                "x",
            ],
            variables: &[
                ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
                ("ANTHROPIC_API_KEY", "none"),
            ],
            kinds: &[ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent],
            line_with: Some("\"subtype\":\"init\""),
            form: AnswerForm::Keys(&[
                (ComponentKind::Skill, "skills"),
                (ComponentKind::Agent, "agents"),
                (ComponentKind::Command, "slash_commands"),
            ]),
        }),
        HostId::Codex => Some(Asking {
            program: "codex",
            arguments: &["debug", "prompt-input", "x"],
            variables: &[],
            kinds: SKILL,
            line_with: None,
            form: AnswerForm::Items(ComponentKind::Skill, "Available skills\\n"),
        }),
        HostId::Gemini => Some(Asking {
            program: "gemini",
            arguments: &["skills", "list", "--all"],
            variables: &[],
            kinds: SKILL,
            line_with: None,
            form: AnswerForm::Bracketed(ComponentKind::Skill),
        }),
        HostId::Opencode => Some(Asking {
            program: "opencode",
            arguments: &["debug", "skill"],
            variables: &[],
            kinds: SKILL,
            line_with: None,
            form: AnswerForm::Objects(ComponentKind::Skill),
        }),
        HostId::Aleph | HostId::Cursor => None,
    }
}

pub(super) fn run(args: &Verify, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let asking = match global.host {
        Host::One(host) => asking(host),
        Host::All => None,
    };
    let Some(asking) = asking else {
        return Err(Failure::usage(
            "there is no way to ask this host",
            "give --host claude-code, codex, gemini or opencode",
        ));
    };
    let manager = session::open(global)?;
    let resolution = manager.scan(asking.kinds);
    let command = shown(&asking);
    let answer = if args.yes {
        Some(ask(&asking, manager.working_dir())?)
    } else {
        None
    };
    let report = VerifyReport::new(
        Context::of(&manager),
        command,
        &resolution,
        asking.kinds,
        answer.as_deref().map(|answer| (answer, asking.form)),
    );
    match output.format {
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Table | Format::Paths => write(&report, asking.program, args.yes, output)?,
    }
    Ok(Exit::of_answer(true, !args.yes || report.agrees()))
}

fn write(report: &VerifyReport, program: &str, asked: bool, output: &mut Output) -> std::io::Result<()> {
    use std::io::Write;
    let directory = report.context.directory.display();
    let writer = output.stdout();
    writeln!(writer, "In {directory}: {}", report.command)?;
    if !asked {
        return writeln!(
            writer,
            "Nothing was run: --yes runs it and compares {} names.",
            report.checked.len()
        );
    }
    for (kind, id) in report.missing() {
        writeln!(
            writer,
            "{kind} {}: we have it, {program} does not",
            escape::visible(id)
        )?;
    }
    for one in &report.host_only {
        let id = escape::visible(&one.id);
        match one.state {
            Some(state) => writeln!(
                writer,
                "{} {id}: {program} has it, we say it is {state}",
                one.kind
            )?,
            None => writeln!(
                writer,
                "{} {id}: only {program} has it; its own, or from where we do not look",
                one.kind
            )?,
        }
    }
    let missing = report.missing().count();
    let agreeing = report.checked.len() - missing;
    writeln!(writer, "{agreeing} of {} names agree.", report.checked.len())
}

/// The command as a person would type it.
fn shown(asking: &Asking) -> String {
    let mut words: Vec<String> = asking
        .variables
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    words.push(asking.program.to_owned());
    words.extend(asking.arguments.iter().map(|argument| {
        let plain = argument
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if plain {
            (*argument).to_owned()
        } else {
            format!("'{argument}'")
        }
    }));
    words.join(" ")
}

/// Runs the host, and returns what it says; it is stopped once it has said it.
fn ask(asking: &Asking, directory: &Path) -> Result<String, Failure> {
    let mut command = Command::new(asking.program);
    command
        .args(asking.arguments)
        .envs(asking.variables.iter().copied())
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        Failure::usage(
            format!("cannot run {}: {error}", asking.program),
            "install the host, or put it on the PATH",
        )
    })?;
    let Some(stdout) = child.stdout.take() else {
        return Ok(String::new());
    };
    let wanted = asking.line_with;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        for line in BufReader::new(stdout.take(MOST))
            .split(b'\n')
            .map_while(Result::ok)
        {
            let line = String::from_utf8_lossy(&line).into_owned();
            match wanted {
                Some(part) if line.contains(part) => {
                    text = line;
                    break;
                }
                Some(_) => {}
                None => {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
        }
        // Nobody listens any more once the time is up.
        let _ = sender.send(text);
    });
    let end = Instant::now() + PATIENCE;
    let answer = receiver.recv_timeout(end.saturating_duration_since(Instant::now()));
    let _ = child.kill();
    let _ = child.wait();
    answer.map_err(|_| {
        Failure::usage(
            format!(
                "{} did not answer within {} seconds",
                asking.program,
                PATIENCE.as_secs()
            ),
            "run the command by hand to see why",
        )
    })
}
