//! Reading text into values: bytes in, values and problems out, without touching the file system.
//!
//! A parser never fails a scan: what is wrong with a file is part of its answer.

pub mod document;
pub mod duration;
pub mod front_matter;
mod json_error;
pub mod manifest;
pub mod moment;
mod problem;
pub mod secrets;

pub use json_error::json_error;
pub use problem::{Position, Problem};
