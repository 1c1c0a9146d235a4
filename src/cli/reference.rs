//! What every reference needs: manual pages and documents are put together from the same parts.

use clap::Command;

/// The environment variables that are read, and what each does. An empty one counts as not set.
pub(super) const ENVIRONMENT: [(&str, &str); 9] = [
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
