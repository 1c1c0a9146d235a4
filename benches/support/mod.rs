//! What the benches and the comparison programs share: the trees that are scanned, and the plain walkers that a
//! scan is measured beside.

pub(crate) mod tree;
pub(crate) mod walker;
