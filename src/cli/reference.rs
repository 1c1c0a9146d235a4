//! What every reference needs: manual pages and documents are put together from the same parts.

use clap::{Arg, Command, CommandFactory};

use super::args::Args;

/// The environment variables that are read, and what each does. An empty one counts as not set, but for the
/// token, which is refused then: a door that was to be locked must not get another lock.
pub(super) const ENVIRONMENT: [(&str, &str); 12] = [
    (
        "HOME",
        "The user's home directory; on Windows the system is asked instead. `--home` overrides it.",
    ),
    (
        "ALEPH_HOME",
        "The Aleph home, the `.aleph` directory itself. `--aleph-home` overrides it.",
    ),
    (
        "CLAUDE_CONFIG_DIR",
        "The Claude home, in place of `.claude` in the home directory.",
    ),
    (
        "ALEPH_CONFIG_CONTENT",
        "Configuration as JSON: the last layer of `find-config aleph --merged`.",
    ),
    (
        "ALEPH_DISCOVER_HOST",
        "The host to answer for. `--host` overrides it.",
    ),
    (
        "ALEPH_DISCOVER_TOKEN",
        "The token that clients of `serve --http` have to bring, in place of a new one.",
    ),
    (
        "PATH, LANG, LANGUAGE, LC_*",
        "Handed on to MCP servers that are started, as HOME is and what their definitions name.",
    ),
    (
        "http_proxy, https_proxy, all_proxy, no_proxy",
        "The proxy to MCP servers that are addresses, but for those of this machine; `git` is given them too.",
    ),
    ("NO_COLOR", "Without colours, unless `--color` asks for them."),
    (
        "CLICOLOR_FORCE",
        "With colours in a pipe too, unless `--color` forbids them.",
    ),
    ("CLICOLOR", "0: without colours, as NO_COLOR."),
    (
        super::completions::VARIABLE,
        "Set by the completion scripts; not for use by hand.",
    ),
];

/// How a command is called: `aleph-discover why [OPTIONS] <NAME|PATH>`.
pub(super) fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let lines: Vec<&str> = usage
        .trim_start_matches("Usage:")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("\n")
}

/// The examples in a command's help, a line each.
pub(super) fn examples(command: &Command) -> Vec<String> {
    let Some(help) = command.get_after_help() else {
        return Vec::new();
    };
    let help = help.to_string();
    help.lines()
        .skip_while(|line| *line != "Examples:")
        .skip(1)
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// The definition of the flags, with what clap adds to it.
pub(super) fn program() -> Command {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    program
}

/// The commands that people are told of.
pub(super) fn commands(program: &Command) -> impl Iterator<Item = &Command> {
    program.get_subcommands().filter(|command| !command.is_hide_set())
}

/// A flag or a positional argument.
pub(super) struct Argument {
    /// How the flag is spelled: `-C`, `--directory`; nothing for a positional argument.
    pub(super) flags: Vec<String>,
    /// The name of its value.
    pub(super) value: Option<String>,
    /// What it means, without a full stop.
    pub(super) help: String,
    /// The values that there are, and what each means.
    pub(super) possible: Vec<(String, Option<String>)>,
    /// The value that holds when none is given.
    pub(super) default: Option<String>,
}

impl Argument {
    fn of(arg: &Arg) -> Self {
        let takes_value = arg.get_action().takes_values();
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        let text = |text: &clap::builder::StyledStr| text.to_string();
        let possible = arg.get_possible_values();
        let defaults: Vec<String> = arg
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        Self {
            flags: short.into_iter().chain(long).collect(),
            value: arg
                .get_value_names()
                .filter(|_| takes_value)
                .map(|names| names.join(" ")),
            help: arg.get_help().map(text).unwrap_or_default(),
            possible: possible
                .iter()
                .filter(|value| takes_value && !value.is_hide_set())
                .map(|value| (value.get_name().to_owned(), value.get_help().map(text)))
                .collect(),
            default: (takes_value && !defaults.is_empty()).then(|| defaults.join(", ")),
        }
    }
}

/// The positional arguments of a command.
pub(super) fn positionals(command: &Command) -> Vec<Argument> {
    let shown = command.get_positionals().filter(|arg| !arg.is_hide_set());
    shown.map(Argument::of).collect()
}

/// The flags of a command that are wanted; those for help and version are not, every program has them.
pub(super) fn flags(command: &Command, wanted: impl Fn(&Arg) -> bool) -> Vec<Argument> {
    let is_usual = |arg: &Arg| matches!(arg.get_id().as_str(), "help" | "version");
    command
        .get_arguments()
        .filter(|arg| !arg.is_positional() && !arg.is_hide_set() && !is_usual(arg) && wanted(arg))
        .map(Argument::of)
        .collect()
}
