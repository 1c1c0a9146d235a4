//! The command line of `aleph-discover`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
