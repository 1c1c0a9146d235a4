//! The arguments of the process as flags.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args as ClapArgs, Command as Definition, Error, FromArgMatches, Parser, Subcommand};

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
    let meant = named(arguments).try_get_matches_from(arguments);
    match meant.and_then(|mut matches| Args::from_arg_matches_mut(&mut matches)) {
        Err(error) if error.kind() != ErrorKind::DisplayVersion => Args::try_parse_from(arguments),
        answer => answer,
    }
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
    use clap::CommandFactory;

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
        (shown(parse(&line)), shown(Args::try_parse_from(&line)))
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
