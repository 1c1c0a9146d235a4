//! From places and files to what is in effect.

pub mod merge;
