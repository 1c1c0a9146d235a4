//! Reading text into values: bytes in, values and problems out, without touching the file system.

pub mod front_matter;
