//! The command line: flags to questions, answers to a terminal or a pipe, errors to exit codes.
//!
//! This is the only place that reads the process's environment, prints, and exits.

mod args;
mod complete;
mod completions;
mod exit;
mod explain;
mod failure;
mod find_config;
mod generate;
mod hosts;
mod install;
mod interrupt;
mod man;
mod marketplace;
mod mcp;
mod output;
mod plugins;
mod progress;
mod reference;
mod roots;
mod scan;
mod schema;
mod serve;
mod session;
mod tools;
mod verify;
mod why;

use std::process::ExitCode;

use args::Command;
use exit::Exit;
use failure::Failure;
use output::Output;

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let Some(exit) = completions::answer_shell(&arguments) {
        return exit;
    }
    let args = match args::parse(&arguments) {
        Ok(args) => args,
        Err(error) => return failure::report_usage(&error, &arguments),
    };
    let mut output = Output::new(&args.global);
    let answer = dispatch(&args, &mut output).and_then(|exit| {
        if exit == Exit::Incomplete {
            output.tell_withheld()?;
        }
        output.flush().map_err(Failure::from)?;
        Ok(exit)
    });
    // By now nothing is staged any more.
    interrupt::obey();
    match answer {
        Ok(exit) => exit.into(),
        // The reader has seen enough: `| head` is no error.
        Err(failure) if failure.is_closed_pipe() => Exit::Done.into(),
        Err(failure) => failure.report(&args.global),
    }
}

fn dispatch(args: &args::Args, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        None => scan::run(&args.scan, &args.global, output),
        Some(Command::Scan(scan)) => scan::run(scan, &args.global, output),
        Some(Command::Why(why)) => why::run(why, &args.global, output),
        Some(Command::FindConfig(find)) => find_config::run(find, &args.global, output),
        Some(Command::Verify(verify)) => verify::run(verify, &args.global, output),
        Some(Command::Hosts(hosts)) => hosts::run(hosts, &args.global, output),
        Some(Command::Roots(roots)) => roots::run(roots, &args.global, output),
        Some(Command::Plugins(plugins)) => plugins::run(plugins, &args.global, output),
        Some(Command::Tools(tools)) => tools::run(tools, &args.global, output),
        Some(Command::Mcp(mcp)) => mcp::run(mcp, &args.global, output),
        Some(Command::Serve(serve)) => serve::run(serve, &args.global, output),
        Some(Command::Marketplace(marketplace)) => marketplace::run(marketplace, &args.global, output),
        Some(Command::Explain(explain)) => explain::run(explain, output),
        Some(Command::Schema(schema)) => schema::run(schema, &args.global, output),
        Some(Command::Completions(completions)) => completions::run(completions, output),
        Some(Command::Man(man)) => man::run(man, output),
        Some(Command::Generate(generate)) => generate::run(generate, output),
    }
}
