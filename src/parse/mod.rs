//! From bytes to values: every parser takes bytes and yields a value and problems, and none does I/O.

pub mod document;
mod problem;
pub mod secrets;

pub use problem::Problem;
