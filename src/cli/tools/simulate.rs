//! `tools simulate`: replays a session.

use std::io;
use std::sync::Arc;

use aleph_discover::report::disclosure::EventView;
use aleph_discover::tools::disclosure::{NoCatalogue, Simulation};

use super::args::Simulate;
use super::rules;
use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

pub(super) fn run(args: &Simulate, _global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let known = NoCatalogue;
    let rules = rules::usable(&args.file, &known, output)?;
    let mut simulation = Simulation::new(Arc::new(rules), &known);
    for event in rules::events(&mut io::stdin().lock(), "standard input") {
        let (handle, event) = event?;
        let answer = simulation.apply(handle.as_deref(), &event);
        // A line is out before the next event is read, so that a person, or a program, can answer to it.
        output.json_line(&EventView::new(&answer))?;
        output.flush()?;
    }
    Ok(Exit::Done)
}
