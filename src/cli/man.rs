//! `man`: manual pages, made from the definition of the flags.

use std::io::{self, Write};

use aleph_discover::report::nearest;
use clap::{Command, CommandFactory};
use clap_mangen::roff::{Roff, bold, roman};

use super::args::{Args, Man};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;
use super::reference;

pub(super) fn run(args: &Man, output: &mut Output) -> Result<Exit, Failure> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let Some(name) = &args.command else {
        write_page(&program, true, output.stdout())?;
        return Ok(Exit::Done);
    };
    let shown = || program.get_subcommands().filter(|command| !command.is_hide_set());
    match shown().find(|command| command.get_name() == name) {
        Some(command) => {
            write_page(command, false, output.stdout())?;
            Ok(Exit::Done)
        }
        None => {
            let names: Vec<&str> = shown().map(Command::get_name).collect();
            let help = match nearest(name, names.iter().copied()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("choose one of {}", names.join(", ")),
            };
            Err(Failure::usage(format!("there is no command `{name}`"), help))
        }
    }
}

fn write_page(command: &Command, is_program: bool, writer: &mut dyn Write) -> io::Result<()> {
    // The flags are listed below; all of them in the synopsis would hide the rest.
    let usage = reference::usage(command);
    let page = clap_mangen::Man::new(command.clone().override_usage(usage))
        .source(concat!("aleph-discover ", env!("CARGO_PKG_VERSION")))
        .manual("User Commands");
    page.render_title(writer)?;
    page.render_name_section(writer)?;
    page.render_synopsis_section(writer)?;
    page.render_description_section(writer)?;
    page.render_options_section(writer)?;
    if is_program {
        page.render_subcommands_section(writer)?;
    }
    let mut roff = Roff::default();
    examples(command, &mut roff);
    if is_program {
        environment(&mut roff);
    }
    exit_status(&mut roff);
    see_also(command, is_program, &mut roff);
    roff.to_writer(writer)
}

fn examples(command: &Command, roff: &mut Roff) {
    let examples = reference::examples(command);
    if examples.is_empty() {
        return;
    }
    roff.control("SH", ["EXAMPLES"]);
    roff.control("nf", []);
    for example in examples {
        roff.text([roman(example)]);
    }
    roff.control("fi", []);
}

fn environment(roff: &mut Roff) {
    roff.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in reference::ENVIRONMENT {
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(meaning)]);
    }
}

fn exit_status(roff: &mut Roff) {
    roff.control("SH", ["EXIT STATUS"]);
    for exit in Exit::ALL {
        roff.control("TP", []);
        roff.text([bold(exit.code().to_string())]);
        roff.text([roman(exit.in_words())]);
    }
}

fn see_also(command: &Command, is_program: bool, roff: &mut Roff) {
    roff.control("SH", ["SEE ALSO"]);
    let pages: Vec<String> = if is_program {
        command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| format!("aleph-discover-{}", command.get_name()))
            .collect()
    } else {
        vec!["aleph-discover".to_owned()]
    };
    let mut line = Vec::new();
    for page in pages {
        if !line.is_empty() {
            line.push(roman(", "));
        }
        line.extend([bold(page), roman("(1)")]);
    }
    roff.text(line);
}
