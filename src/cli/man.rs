//! `man`: manual pages, made from the definition of the flags.
//!
//! They are written with the `roff` crate rather than with `clap_mangen`, whose pages have every flag in the
//! synopsis, examples under "EXTRA", and what `mandoc -T lint` warns of.

use std::io::{self, Write};

use aleph_discover::report::nearest;
use clap::Command;
use roff::{Inline, Roff, bold, italic, roman};

use super::args::Man;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::reference::{self, Argument};

/// The day of the last release, or of the version that is being worked on: pages must have one, and the day on
/// which they were made would differ each time.
const DATE: &str = "2026-11-30";

/// How long a line of the source may be.
const SOURCE_WIDTH: usize = 72;

pub(super) fn run(args: &Man, output: &mut Output) -> Result<Exit, Failure> {
    let program = reference::program();
    let Some(name) = &args.command else {
        write_page(&program, true, output.stdout())?;
        return Ok(Exit::Done);
    };
    match reference::commands(&program).find(|command| command.get_name() == name) {
        Some(command) => {
            write_page(command, false, output.stdout())?;
            Ok(Exit::Done)
        }
        None => {
            let names: Vec<&str> = reference::commands(&program).map(Command::get_name).collect();
            let help = match nearest(name, names.iter().copied()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("choose one of {}", names.join(", ")),
            };
            Err(Failure::usage(format!("there is no command `{name}`"), help))
        }
    }
}

fn write_page(command: &Command, is_program: bool, writer: &mut dyn Write) -> io::Result<()> {
    let mut page = Page(Roff::default());
    let name = page_name(command, is_program);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.0.control(
        "TH",
        [
            name.to_uppercase().as_str(),
            "1",
            DATE,
            concat!("aleph-discover ", env!("CARGO_PKG_VERSION")),
            "User Commands",
        ],
    );
    page.heading("NAME");
    page.words(&format!("{name} - {about}"), roman);
    page.heading("SYNOPSIS");
    page.synopsis(&reference::usage(command));
    page.heading("DESCRIPTION");
    let description = command.get_long_about().map(ToString::to_string);
    for (index, paragraph) in description
        .unwrap_or(format!("{about}."))
        .split("\n\n")
        .enumerate()
    {
        if index > 0 {
            page.0.control("PP", []);
        }
        page.words(paragraph, roman);
    }
    page.arguments("ARGUMENTS", &reference::positionals(command));
    page.arguments("OPTIONS", &reference::flags(command, |arg| !arg.is_global_set()));
    page.arguments(
        if is_program {
            "OPTIONS OF EVERY COMMAND"
        } else {
            "COMMON OPTIONS"
        },
        &reference::flags(command, clap::Arg::is_global_set),
    );
    if is_program {
        page.heading("COMMANDS");
        for command in reference::commands(command) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            page.item(vec![bold(format!("{}(1)", page_name(command, false)))], &about);
        }
    }
    page.examples(command);
    if is_program {
        page.heading("ENVIRONMENT");
        for (name, meaning) in reference::ENVIRONMENT {
            page.item(vec![bold(name)], meaning);
        }
    }
    page.heading("EXIT STATUS");
    for exit in Exit::ALL {
        page.item(vec![bold(exit.code().to_string())], exit.in_words());
    }
    page.see_also(command, is_program);
    page.0.to_writer(writer)
}

fn page_name(command: &Command, is_program: bool) -> String {
    if is_program {
        command.get_name().to_owned()
    } else {
        format!("aleph-discover-{}", command.get_name())
    }
}

/// A page being put together.
struct Page(Roff);

impl Page {
    fn heading(&mut self, text: &str) {
        self.0.control("SH", [text]);
    }

    /// Adds text in source lines that are not too long.
    fn words(&mut self, text: &str, style: fn(String) -> Inline) {
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.len() + 1 + word.len() > SOURCE_WIDTH {
                self.0.text([style(std::mem::take(&mut line))]);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.0.text([style(line)]);
    }

    /// Adds how the command is called, its name in bold.
    fn synopsis(&mut self, usage: &str) {
        for (index, line) in usage.lines().enumerate() {
            if index > 0 {
                self.0.control("br", []);
            }
            let (name, rest) = line.split_once(" [").unwrap_or((line, ""));
            let rest = if rest.is_empty() {
                String::new()
            } else {
                format!(" [{rest}")
            };
            self.0.text([bold(name), roman(rest)]);
        }
    }

    fn item(&mut self, term: Vec<Inline>, meaning: &str) {
        self.0.control("TP", []);
        self.0.text(term);
        self.words(meaning, roman);
    }

    fn arguments(&mut self, heading: &str, arguments: &[Argument]) {
        if arguments.is_empty() {
            return;
        }
        self.heading(heading);
        for argument in arguments {
            let mut term = Vec::new();
            for flag in &argument.flags {
                if !term.is_empty() {
                    term.push(roman(", "));
                }
                term.push(bold(flag.clone()));
            }
            if let Some(value) = &argument.value {
                if !term.is_empty() {
                    term.push(roman(" "));
                }
                term.push(italic(value.clone()));
            }
            let mut meaning = format!("{}.", argument.help);
            if !argument.possible.is_empty() {
                let possible: Vec<String> = argument
                    .possible
                    .iter()
                    .map(|(name, help)| match help {
                        Some(help) => format!("{name} ({help})"),
                        None => name.clone(),
                    })
                    .collect();
                meaning.push_str(&format!(" One of: {}.", possible.join(", ")));
            }
            if let Some(default) = &argument.default {
                meaning.push_str(&format!(" Default: {default}."));
            }
            self.item(term, &meaning);
        }
    }

    fn examples(&mut self, command: &Command) {
        let examples = reference::examples(command);
        if examples.is_empty() {
            return;
        }
        self.heading("EXAMPLES");
        self.0.control("nf", []);
        for example in examples {
            self.0.text([roman(example)]);
        }
        self.0.control("fi", []);
    }

    fn see_also(&mut self, command: &Command, is_program: bool) {
        self.heading("SEE ALSO");
        let pages: Vec<String> = if is_program {
            let commands = reference::commands(command);
            commands.map(|command| page_name(command, false)).collect()
        } else {
            vec!["aleph-discover".to_owned()]
        };
        let last = pages.len().saturating_sub(1);
        for (index, page) in pages.into_iter().enumerate() {
            let end = if index == last { "(1)" } else { "(1)," };
            self.0.text([bold(page), roman(end)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_flags_and_an_example() {
        let program = reference::program();
        for command in reference::commands(&program) {
            let mut page = Vec::new();
            write_page(command, false, &mut page).unwrap();
            let page = String::from_utf8(page).unwrap();
            for part in [
                ".SH NAME",
                ".SH SYNOPSIS",
                ".SH EXAMPLES",
                "\\-\\-json",
                ".SH \"EXIT STATUS\"",
            ] {
                assert!(page.contains(part), "{}: {part}", command.get_name());
            }
        }
    }
}
