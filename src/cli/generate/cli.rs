//! `docs/cli.md`: every command and flag, from the one definition of the flags.

use clap::{Arg, Command, CommandFactory};

use super::super::args::Args;
use super::super::exit::Exit;
use super::super::reference;
use super::{Markdown, anchor, quoted};

pub(super) fn document() -> String {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let shown = || program.get_subcommands().filter(|command| !command.is_hide_set());
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
        &flags(&program, |arg| arg.is_global_set()),
    );
    document.heading(2, "Without a command");
    document.block("The program does what `scan` does, with the same arguments.");
    examples(&mut document, &program);
    for command in shown() {
        document.heading(2, &quoted(command.get_name()));
        document.block(&format!("{}.", about(command)));
        document.code("text", &reference::usage(command));
        document.table(["argument", "meaning", "values"], &arguments(command));
        document.table(
            ["flag", "meaning", "values"],
            &flags(command, |arg| !arg.is_global_set()),
        );
        examples(&mut document, command);
    }
    document.heading(2, "Exit codes");
    let rows = Exit::ALL.map(|exit| [exit.code().to_string(), exit.in_words().to_owned()]);
    document.table(["code", "meaning"], &rows);
    document.block("Where several apply, the first of 2, 5, 3, 1, 0 counts.");
    document.heading(2, "Environment");
    let rows = reference::ENVIRONMENT.map(|(name, meaning)| [quoted(name), meaning.to_owned()]);
    document.table(["variable", "meaning"], &rows);
    document.text
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn examples(document: &mut Markdown, command: &Command) {
    let examples = reference::examples(command);
    if !examples.is_empty() {
        document.code("sh", &examples.join("\n"));
    }
}

fn arguments(command: &Command) -> Vec<[String; 3]> {
    let shown = command.get_positionals().filter(|arg| !arg.is_hide_set());
    shown
        .map(|arg| [quoted(&value_name(arg)), help(arg), values(arg)])
        .collect()
}

fn flags(command: &Command, wanted: impl Fn(&Arg) -> bool) -> Vec<[String; 3]> {
    let is_help = |arg: &Arg| matches!(arg.get_id().as_str(), "help" | "version");
    command
        .get_arguments()
        .filter(|arg| !arg.is_positional() && !arg.is_hide_set() && !is_help(arg) && wanted(arg))
        .map(|arg| {
            let short = arg.get_short().map(|short| format!("-{short}"));
            let long = arg.get_long().map(|long| format!("--{long}"));
            let mut spelled: Vec<String> = short.into_iter().chain(long).collect();
            if let (true, Some(last)) = (takes_value(arg), spelled.last_mut()) {
                last.push_str(&format!(" {}", value_name(arg)));
            }
            let spelled: Vec<String> = spelled.iter().map(|flag| quoted(flag)).collect();
            [spelled.join(", "), help(arg), values(arg)]
        })
        .collect()
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn value_name(arg: &Arg) -> String {
    let names: Vec<String> = arg
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect();
    names.join(" ")
}

fn help(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

/// The values that there are, the one that holds by default first named.
fn values(arg: &Arg) -> String {
    if !takes_value(arg) {
        return String::new();
    }
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| quoted(value.get_name()))
        .collect();
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| quoted(&value.to_string_lossy()))
        .collect();
    let mut parts = Vec::new();
    if !possible.is_empty() {
        parts.push(possible.join(", "));
    }
    if !defaults.is_empty() {
        parts.push(format!("default {}", defaults.join(", ")));
    }
    parts.join("; ")
}
