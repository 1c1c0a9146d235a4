//! Plugins: which directories are plugins, what they say of themselves, what they bring, and what one would be
//! installing with them.
//!
//! [`Plugin::read`] reads one plugin, [`scan()`] adds what the plugins of a host's roots bring to everything else that
//! is there, [`Disclosure::of`] says what a plugin would run and ask for, [`validate()`] checks a plugin or a
//! marketplace, [`registry`] and [`installed`] read what is registered and recorded. But for `install`, nothing here
//! writes, runs or expands anything, follows a link out of a plugin, or reads a file
//! without a limit. (spec/plugins.md; the choices that it leaves open are in `docs/plugins.md`)

pub(crate) mod data;
pub mod disclosure;
pub mod entry;
pub mod expand;
mod files;
pub mod hidden_text;
pub(crate) mod inside;
#[cfg(feature = "install")]
pub mod install;
pub mod installed;
mod listed;
mod lsp;
pub mod marketplace;
mod parts;
mod read;
pub mod registry;
mod replaced;
mod rules;
mod scan;
pub mod shown;
pub mod source;
pub mod state;
pub mod steering;
pub mod tree;
mod validate;

pub use disclosure::{Disclosure, Provenance};
pub use parts::{Breadth, PART_KINDS, Parts};
pub use read::{ManifestFile, Plugin, plugin_id};
pub use scan::{FoundPlugin, PluginScan, list, roots, scan};
pub use validate::{Subject, Validation, validate};
