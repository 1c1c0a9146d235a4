//! What a coding agent loads in a directory, and why each thing won.

pub mod discovery;
pub mod model;
pub mod parse;
