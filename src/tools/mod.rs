//! Tools on demand: which tools exist, which are shown, and what would show the rest.

pub mod disclosure;
