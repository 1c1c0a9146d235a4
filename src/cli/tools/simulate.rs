//! `tools simulate`: replays a session.

use std::io;
use std::sync::Arc;

use aleph_discover::report::disclosure::EventView;
use aleph_discover::tools::disclosure::Simulation;

use super::allowed::AllowedTools;
use super::args::Simulate;
use super::rules;
use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::session;

pub(super) fn run(args: &Simulate, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let (catalogue, told, failed) = super::catalogue(&args.sources, &manager, output)?;
    output.talk(&told, &[])?;
    let known = AllowedTools::of_catalogue(&catalogue, global, &manager, output)?;
    let rules = rules::usable(&args.file, &known, output)?;
    let mut simulation = Simulation::new(Arc::new(rules), &known);
    for event in rules::events(&mut io::stdin().lock(), "standard input") {
        let (handle, event) = event?;
        let answer = simulation.apply(handle.as_deref(), &event);
        // A line is out before the next event is read, so that a person, or a program, can answer to it.
        output.json_line(&EventView::new(&answer))?;
        output.flush()?;
    }
    Ok(super::exit(failed, true, true))
}
