//! Black-box tests of the binary, written from the specification: one topic a file.
//!
//! Every run has a home of its own, nothing of this machine's environment, and twenty seconds to end in.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test that meets what it does not expect fails, and says where"
)]

mod architecture;
mod archives;
mod chains;
mod cli;
mod corpus;
mod find_config;
mod formats;
mod front_matter;
mod hostile;
mod hostile_text;
mod install;
mod install_sources;
mod links;
mod names;
mod permissions;
mod plugins;
mod properties;
mod roots;
mod sameness;
mod scanner;
mod support;
mod walk;
mod why;
