//! The arguments of the process as flags.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args as ClapArgs, Command as Definition, CommandFactory, Error, FromArgMatches, Subcommand};

use super::{Args, Command, Global, Scan};

/// Reads the arguments, the program's own name first.
///
/// clap gives a copy of every flag of [`Global`] to every command that is defined, which was a third of what a start
/// costs. So first only the commands are defined that an argument names: no others can have been meant, and what is
/// understood so is what would be understood with all of them. What is not is read again with all, for whoever made a
/// mistake or asks for help is shown what there is.
///
/// # Errors
///
/// What clap says of the arguments, which may also be the help or the version that was asked for.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Args, Error> {
    match understand(named(arguments), arguments) {
        Err(error) if error.kind() != ErrorKind::DisplayVersion => whole(arguments),
        answer => answer,
    }
}

/// Reads the arguments with all commands defined.
fn whole(arguments: &[OsString]) -> Result<Args, Error> {
    understand(Args::command(), arguments)
}

fn understand(program: Definition, arguments: &[OsString]) -> Result<Args, Error> {
    // clap reads the variable of a flag at every level at which the flag is not given, and refuses what it cannot read,
    // even where the flag, given behind a command, holds in its place.
    let program = if gives_host(arguments) && !asks_for_help(arguments) {
        program.mut_arg("host", |host| host.env(None::<&str>))
    } else {
        program
    };
    let mut matches = program.try_get_matches_from(arguments)?;
    Args::from_arg_matches_mut(&mut matches)
}

/// Whether `--host` is given, so that its variable does not count.
pub(crate) fn gives_host(arguments: &[OsString]) -> bool {
    flags(arguments).any(|flag| flag == "--host" || flag.starts_with("--host="))
}

/// Whether the help is asked for, which names the variable.
fn asks_for_help(arguments: &[OsString]) -> bool {
    flags(arguments).any(|flag| matches!(flag, "--help" | "-h" | "help"))
}

/// The arguments up to the one that ends flags.
fn flags(arguments: &[OsString]) -> impl Iterator<Item = &str> {
    let flags = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    flags.filter_map(|argument| argument.to_str())
}

/// The program with the commands alone that an argument names.
fn named(arguments: &[OsString]) -> Definition {
    let names = |command: &&Definition| {
        let mut all = command
            .get_name_and_visible_aliases()
            .into_iter()
            .chain(command.get_all_aliases());
        all.any(|name| arguments.iter().any(|argument| argument == name))
    };
    let commands = Command::augment_subcommands(Definition::default());
    let program = Definition::new(env!("CARGO_PKG_NAME")).version(env!("CARGO_PKG_VERSION"));
    Scan::augment_args(Global::augment_args(program))
        .subcommands(commands.get_subcommands().filter(names).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(line: &[&str]) -> (String, String) {
        let line: Vec<OsString> = std::iter::once("aleph-discover")
            .chain(line.iter().copied())
            .map(OsString::from)
            .collect();
        let shown = |answer: Result<Args, Error>| match answer {
            Ok(args) => format!("{args:?}"),
            Err(error) => format!("{:?}: {error}", error.kind()),
        };
        (shown(parse(&line)), shown(whole(&line)))
    }

    #[test]
    fn what_is_understood_is_what_all_commands_together_understand() {
        let mut lines: Vec<Vec<&str>> = vec![
            vec![],
            vec!["skill", "--json"],
            vec!["skill", "scan"],
            vec!["scan", "skill", "--all"],
            vec!["--home", "why", "scan"],
            vec!["-C", "scan", "why", "scan", "--kind", "skill"],
            vec!["why", "help"],
            vec!["why", "--", "-x"],
            vec!["why", "--json", "scan", "hosts"],
            vec!["help"],
            vec!["help", "scan"],
            vec!["help", "plugins", "show"],
            vec!["--version"],
            vec!["scan", "--version"],
            vec!["-h"],
            vec!["scan", "--help"],
            vec!["scna"],
            vec!["scan", "why"],
            vec!["plugins", "list", "--all"],
            vec!["plugins", "--all", "list"],
            vec!["plugins", "lst"],
            vec!["mcp"],
            vec!["tools", "search", "scan"],
            vec!["--json", "--format", "table", "roots"],
            vec!["roots", "--host", "codex"],
            vec!["--host=codex", "roots"],
            vec!["roots", "--host", "codex", "--help"],
            vec!["roots", "--host"],
            vec!["--nosuch"],
            vec![""],
        ];
        let program = Args::command();
        let names: Vec<String> = program
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        for name in &names {
            lines.push(vec![name]);
            lines.push(vec!["--json", name, "x", "--no-claude"]);
            lines.push(vec![name, name]);
        }
        for line in lines {
            let (quick, whole) = both(&line);
            assert_eq!(quick, whole, "{line:?}");
        }
    }

    #[test]
    fn only_commands_that_are_named_are_defined() {
        let count = |line: &[&str]| {
            let line: Vec<OsString> = line.iter().map(OsString::from).collect();
            named(&line).get_subcommands().count()
        };
        assert_eq!(count(&["aleph-discover"]), 0);
        assert_eq!(count(&["aleph-discover", "scan", "skill"]), 1);
        assert_eq!(count(&["aleph-discover", "why", "scan"]), 2);
    }
}
