//! The start-up that any program with this argument parser has: `hello --version`.

use clap::Parser;

/// Says hello.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Whom to greet.
    #[arg(default_value = "world")]
    whom: String,
}

fn main() {
    println!("hello {}", Args::parse().whom);
}
