//! What is printed when a question could not be answered: what failed, on which path, why, what to do.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aleph_discover::DiscoveryError;
use aleph_discover::host::HostProfile;
use aleph_discover::model::ComponentKind;
use aleph_discover::report::{
    ErrorCode, ErrorDetail, ErrorView, escape, nearest, shell, write_json, write_json_line,
};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, ValueEnum};

use super::args::{Args, Format, Global, Kind, gives_host};
use super::exit::Exit;
use super::output::same_place;

/// How many of the findings that were just told are errors, as the end of a sentence.
pub(super) fn are_errors(errors: usize) -> String {
    match errors {
        1 => "one finding is an error".to_owned(),
        _ => format!("{errors} of the findings are errors"),
    }
}

/// Why a run failed.
#[derive(Debug)]
pub(super) struct Failure {
    exit: Exit,
    error: anyhow::Error,
    path: Option<PathBuf>,
    help: Option<String>,
}

impl Failure {
    /// The question could not be asked.
    pub(super) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        let error = anyhow::Error::msg(message.into());
        Self {
            exit: Exit::Usage,
            error,
            path: None,
            help: Some(help.into()),
        }
    }

    /// `--host all` was said where one host is asked about.
    pub(super) fn one_host_at_a_time() -> Self {
        Self::usage(
            "this question is about one host at a time",
            "name one with --host; `why NAME --host all` and `hosts` ask all of them",
        )
    }

    /// A rule forbids what was asked for.
    pub(super) fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            exit: Exit::Refused,
            ..Self::usage(message, help)
        }
    }

    /// What was asked for failed, or was refused.
    pub(super) fn new(
        exit: Exit,
        error: impl std::error::Error + Send + Sync + 'static,
        help: impl Into<String>,
    ) -> Self {
        Self {
            exit,
            error: anyhow::Error::new(error),
            path: None,
            help: Some(help.into()),
        }
    }

    /// A signal came; whoever sent it need not be told.
    #[cfg(feature = "mcp")]
    pub(super) fn stopped(signal: u8) -> Self {
        Self {
            exit: Exit::Stopped(signal),
            error: anyhow::Error::msg("stopped by a signal"),
            path: None,
            help: None,
        }
    }

    /// Says which path it failed on.
    pub(super) fn with_path(mut self, path: &Path) -> Self {
        self.path = Some(path.to_path_buf());
        self
    }

    /// The process has no working directory, as when it was deleted.
    pub(super) fn no_working_directory(error: io::Error) -> Self {
        let error = anyhow::Error::new(error).context("cannot tell the working directory");
        let help =
            "it may have been deleted: change to a directory that exists, or give one with -C".to_owned();
        Self {
            exit: Exit::Usage,
            error,
            path: None,
            help: Some(help),
        }
    }

    /// A file that was named cannot be read.
    pub(super) fn cannot_read(path: &Path, error: io::Error) -> Self {
        let error = anyhow::Error::new(error).context(format!("cannot read {}", path.display()));
        let help = Some("give a file that exists and that you may read".to_owned());
        Self {
            exit: Exit::Usage,
            error,
            path: Some(path.to_path_buf()),
            help,
        }
    }

    /// Whether what failed is that nobody reads the output any more.
    pub(super) fn is_closed_pipe(&self) -> bool {
        let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.error
            .chain()
            .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_closed))
    }

    /// Prints the failure and gives the code to exit with.
    pub(super) fn report(&self, global: &Global) -> ExitCode {
        if let Exit::Stopped(signal) = self.exit {
            super::interrupt::end_by(signal.into());
            return self.exit.into();
        }
        let message = format!("{:#}", self.error);
        print(
            self.exit,
            &message,
            self.path.as_deref(),
            // What to do is to be done in the same place.
            self.help
                .as_deref()
                .map(|help| same_place(global, help))
                .as_deref(),
            global.output_format(),
        )
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let help = "is the disk full, or the output closed?".to_owned();
        let error = anyhow::Error::new(error).context("cannot write the answer");
        Self {
            exit: Exit::Failed,
            error,
            path: None,
            help: Some(help),
        }
    }
}

impl From<DiscoveryError> for Failure {
    fn from(error: DiscoveryError) -> Self {
        let (path, help) = match &error {
            DiscoveryError::WorkingDirectory { path, .. } => (
                Some(path.clone()),
                "give an existing directory that you may read with -C",
            ),
            DiscoveryError::Name { .. } => (
                None,
                "give the plain name of a file, such as `aleph` or `.mcp.json`",
            ),
            DiscoveryError::NoHome => (None, "set HOME, or give --home"),
        };
        Self {
            exit: Exit::Usage,
            error: error.into(),
            path,
            help: Some(help.to_owned()),
        }
    }
}

/// Prints what clap has to say: help and version as they are, mistakes in our own words.
pub(super) fn report_usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe ends quietly here too.
            let _ = error.print();
            return Exit::Done.into();
        }
        _ => {}
    }
    let (message, help) = in_our_words(error, arguments);
    print(
        Exit::Usage,
        &message,
        None,
        help.as_deref(),
        asked_format(arguments),
    )
}

/// The format that the arguments ask for, as far as that can be told when they cannot be parsed: the first form of
/// JSON that they name, else a table.
fn asked_format(arguments: &[OsString]) -> Format {
    let mut previous_is_format = false;
    for argument in arguments.iter().skip(1).take_while(|argument| *argument != "--") {
        let text = argument.to_str().unwrap_or_default();
        let value = if previous_is_format {
            Some(text)
        } else {
            text.strip_prefix("--format=")
        };
        match value {
            Some("json") => return Format::Json,
            Some("jsonl") => return Format::Jsonl,
            _ if text == "--json" => return Format::Json,
            _ => {}
        }
        previous_is_format = text == "--format";
    }
    Format::Table
}

/// clap's error as one line, and what to do.
fn in_our_words(error: &clap::Error, arguments: &[OsString]) -> (String, Option<String>) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg);
    let value = text(ContextKind::InvalidValue);
    let suggested = text(ContextKind::SuggestedValue)
        .or_else(|| text(ContextKind::SuggestedArg))
        .or_else(|| text(ContextKind::SuggestedSubcommand));
    match error.kind() {
        ErrorKind::InvalidValue
            if argument
                .as_deref()
                .is_some_and(|argument| argument.contains("[KIND]")) =>
        {
            let (message, help) = no_kind(&value.unwrap_or_default(), arguments);
            (message, Some(help))
        }
        ErrorKind::InvalidValue => {
            let message = match (value.filter(|value| !value.is_empty()), argument) {
                // clap says the same of a variable as of the flag that it stands for.
                (Some(value), Some(argument))
                    if argument.starts_with("--host ") && !gives_host(arguments) =>
                {
                    format!("`{value}`, which ALEPH_DISCOVER_HOST is set to, is not a value of {argument}")
                }
                (Some(value), Some(argument)) => format!("`{value}` is not a value of {argument}"),
                (_, Some(argument)) => format!("{argument} needs a value"),
                _ => first_line(error),
            };
            let valid = text(ContextKind::ValidValue)
                .filter(|valid| !valid.is_empty())
                .map_or_else(
                    || "`--help` shows what it is for".to_owned(),
                    |valid| format!("choose one of {valid}"),
                );
            (
                message,
                Some(suggested.map_or(valid, |suggested| format!("did you mean `{suggested}`?"))),
            )
        }
        ErrorKind::UnknownArgument => {
            let argument = argument.unwrap_or_default();
            let help = suggested.map_or_else(
                || "`--help` lists what there is".to_owned(),
                |suggested| format!("did you mean `{suggested}`?"),
            );
            (format!("there is no argument `{argument}` here"), Some(help))
        }
        ErrorKind::InvalidSubcommand => {
            let given = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            // There may be several, the most alike last.
            let like = match error.get(ContextKind::SuggestedSubcommand) {
                Some(ContextValue::Strings(all)) => all.last(),
                Some(ContextValue::String(one)) => Some(one),
                _ => None,
            };
            let help = like.map_or_else(
                || "`--help` lists what there is".to_owned(),
                |like| format!("did you mean `{like}`?"),
            );
            (format!("there is no subcommand `{given}` here"), Some(help))
        }
        ErrorKind::MissingRequiredArgument => {
            let message = format!(
                "{} is missing",
                argument.unwrap_or_else(|| "an argument".to_owned())
            );
            (message, Some("`--help` shows examples".to_owned()))
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => (
            "a subcommand is missing".to_owned(),
            Some("`--help` lists what there is".to_owned()),
        ),
        ErrorKind::ArgumentConflict => (first_line(error), Some("leave out one of them".to_owned())),
        _ => (first_line(error), Some("`--help` lists what there is".to_owned())),
    }
}

/// What is wrong with a word in the place of a kind, and what to do. Where no command and no kind stands before it, it
/// may have been meant as a command, too.
fn no_kind(given: &str, arguments: &[OsString]) -> (String, String) {
    let command = Args::command();
    let commands: Vec<&str> = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    let kinds: Vec<&str> = HostProfile::native()
        .listed_kinds()
        .map(ComponentKind::as_str)
        .collect();
    let is_kind = |argument: &str| <Kind as ValueEnum>::from_str(argument, false).is_ok();
    let mut before = arguments.iter().skip(1).take_while(|argument| *argument != given);
    let may_be_command = !before.any(|argument| argument == "scan" || argument.to_str().is_some_and(is_kind));
    if !may_be_command && commands.contains(&given) {
        return (
            format!("`{given}` is a subcommand, not a kind of component, so it cannot stand here"),
            format!(
                "ask `aleph-discover {given}`, or choose one of {}",
                kinds.join(", ")
            ),
        );
    }
    let (what, known) = if may_be_command {
        (
            "neither a subcommand nor a kind of component",
            [commands, kinds].concat(),
        )
    } else {
        ("no kind of component", kinds)
    };
    let help = match nearest(given, known.iter().copied()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "choose one of {}; or ask `aleph-discover why {}`",
            known.join(", "),
            shell::argument(given)
        ),
    };
    (format!("`{given}` is {what}"), help)
}

fn first_line(error: &clap::Error) -> String {
    let rendered = error.to_string();
    let line = rendered.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn print(exit: Exit, message: &str, path: Option<&Path>, help: Option<&str>, format: Format) -> ExitCode {
    if matches!(format, Format::Json | Format::Jsonl) {
        let code = match exit {
            Exit::Usage => ErrorCode::Usage,
            Exit::Refused => ErrorCode::Refused,
            _ => ErrorCode::Failed,
        };
        let view = ErrorView {
            schema: "aleph-discover/error@1",
            error: ErrorDetail::new(code, message, path, help),
        };
        // Whoever reads neither stream cannot be told anything.
        let mut stdout = io::stdout().lock();
        let _ = if format == Format::Json {
            write_json(&mut stdout, &view)
        } else {
            write_json_line(&mut stdout, &view)
        };
    }
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "error: {}", escape::visible(message));
    if let Some(help) = help {
        let _ = writeln!(stderr, "  help: {}", escape::visible(help));
    }
    exit.into()
}
