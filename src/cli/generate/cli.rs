//! `docs/cli.md`: every command and flag, from the one definition of the flags.

use clap::{Arg, Command};

use super::super::exit::Exit;
use super::super::reference::{self, Argument};
use super::{Markdown, anchor, quoted};

pub(super) fn document() -> String {
    let program = reference::program();
    let shown = || reference::commands(&program);
    let mut document = Markdown::new("Command line");
    if let Some(about) = program.get_long_about() {
        document.block(&about.to_string());
    }
    document.code("text", &reference::usage(&program));
    let rows: Vec<[String; 2]> = shown()
        .map(|command| {
            let name = command.get_name();
            [format!("[{}](#{})", quoted(name), anchor(name)), about(command)]
        })
        .collect();
    document.table(["command", "what it answers"], &rows);
    document.block("Each command has a manual page in [man/](man/), and `--help`.");

    document.heading(2, "Flags of every command");
    document.table(
        ["flag", "meaning", "values"],
        &cells(&reference::flags(&program, Arg::is_global_set)),
    );
    document.heading(2, "Without a command");
    document.block("The program does what `scan` does, with the same arguments.");
    examples(&mut document, &program);
    for command in shown() {
        document.heading(2, &quoted(command.get_name()));
        section(&mut document, command);
        for inner in reference::commands(command) {
            let name = format!("{} {}", command.get_name(), inner.get_name());
            document.heading(3, &quoted(&name));
            section(&mut document, inner);
        }
    }
    document.heading(2, "Exit codes");
    let rows = Exit::ALL.map(|exit| [exit.code().to_string(), exit.in_words().to_owned()]);
    document.table(["code", "meaning"], &rows);
    document.block("Where several apply, the first of 2, 4, 5, 3, 1, 0 counts. What is interrupted clears away, \
         ends the servers that it asked, and then ends by the signal, which shells show as 130 for Ctrl-C and 143 for SIGTERM.");
    document.heading(2, "Environment");
    let rows = reference::ENVIRONMENT.map(|(name, meaning)| [quoted(name), meaning.to_owned()]);
    document.table(["variable", "meaning"], &rows);
    document.text
}

/// Everything about a command but its name.
fn section(document: &mut Markdown, command: &Command) {
    document.block(&format!("{}.", about(command)));
    document.code("text", &reference::usage(command));
    document.table(
        ["argument", "meaning", "values"],
        &cells(&reference::positionals(command)),
    );
    document.table(
        ["flag", "meaning", "values"],
        &cells(&reference::flags(command, |arg| !arg.is_global_set())),
    );
    examples(document, command);
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn examples(document: &mut Markdown, command: &Command) {
    let examples = reference::examples(command);
    if !examples.is_empty() {
        document.code("text", &examples.join("\n"));
    }
}

/// The rows of a table: how it is spelled, what it means, which values there are.
fn cells(arguments: &[Argument]) -> Vec<[String; 3]> {
    arguments
        .iter()
        .map(|argument| {
            let mut spelled = argument.flags.clone();
            match (&argument.value, spelled.last_mut()) {
                (Some(value), Some(last)) => last.push_str(&format!(" {value}")),
                (Some(value), None) => spelled.push(value.clone()),
                (None, _) => {}
            }
            let spelled: Vec<String> = spelled.iter().map(|flag| quoted(flag)).collect();
            let possible: Vec<String> = argument.possible.iter().map(|(name, _)| quoted(name)).collect();
            let mut values = possible.join(", ");
            if let Some(default) = &argument.default {
                if !values.is_empty() {
                    values.push_str("; ");
                }
                values.push_str(&format!("default {}", quoted(default)));
            }
            [spelled.join(", "), argument.help.clone(), values]
        })
        .collect()
}
