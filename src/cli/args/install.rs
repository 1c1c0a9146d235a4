//! Flags of what installs and registers.

use std::ffi::OsString;

use aleph_discover::plugin::source::SourceKind;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use crate::cli::complete;

/// Flags of `plugins disclose`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Disclose {
    /// A path, a .zip file, name@marketplace, owner/repo or the address of a git repository
    #[arg(value_name = "SOURCE", allow_hyphen_values = true, add = complete::sources())]
    pub(crate) source: OsString,
    /// Read SOURCE as this, whatever it looks like
    #[arg(long = "as", value_name = "KIND", value_enum)]
    pub(crate) kind: Option<As>,
}

/// Flags of `plugins install`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Install {
    /// A path, a .zip file, name@marketplace, owner/repo or the address of a git repository
    #[arg(value_name = "SOURCE", allow_hyphen_values = true, add = complete::sources())]
    pub(crate) source: OsString,
    /// Read SOURCE as this, whatever it looks like
    #[arg(long = "as", value_name = "KIND", value_enum)]
    pub(crate) kind: Option<As>,
    /// Replace a plugin of that id if there is one
    #[arg(long)]
    pub(crate) update: bool,
    /// Install also what runs commands and nobody trusted vouches for, without being asked
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// A kind of source as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum As {
    /// A directory
    Path,
    /// An archive
    Zip,
    /// An entry of a marketplace
    Marketplace,
    /// A git repository
    Git,
}

impl From<As> for SourceKind {
    fn from(kind: As) -> Self {
        match kind {
            As::Path => Self::Path,
            As::Zip => Self::Zip,
            As::Marketplace => Self::Marketplace,
            As::Git => Self::Git,
        }
    }
}

/// A kind of source that a marketplace can have, as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarketAs {
    /// A directory
    Path,
    /// A git repository
    Git,
}

impl From<MarketAs> for As {
    fn from(kind: MarketAs) -> Self {
        match kind {
            MarketAs::Path => Self::Path,
            MarketAs::Git => Self::Git,
        }
    }
}

/// One plugin.
#[derive(Debug, ClapArgs)]
pub(crate) struct Id {
    /// The plugin's id
    #[arg(value_name = "ID", allow_hyphen_values = true, add = complete::plugins())]
    pub(crate) id: String,
}

/// One plugin, or all.
#[derive(Debug, ClapArgs)]
pub(crate) struct MaybeId {
    /// The plugin's id; all without it
    #[arg(value_name = "ID", allow_hyphen_values = true, add = complete::plugins())]
    pub(crate) id: Option<String>,
}

/// What `marketplace` is asked.
#[derive(Debug, ClapArgs)]
pub(crate) struct Marketplace {
    #[command(subcommand)]
    pub(crate) command: Option<MarketplaceCommand>,
}

/// The questions about marketplaces.
#[derive(Debug, Subcommand)]
pub(crate) enum MarketplaceCommand {
    /// The registered marketplaces (also without a subcommand)
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace list\n  aleph-discover marketplace list --json"
    )]
    List,
    /// One marketplace with every plugin that it offers
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace show my-market\n  aleph-discover marketplace show my-market --json"
    )]
    Show(Name),
    /// The offered plugins with words of a query in their name or description
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace search code review\n  aleph-discover marketplace search lint --json"
    )]
    Search(Query),
    /// Register a marketplace: a directory, owner/repo, or the address of a git repository
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace add owner/repo\n  aleph-discover marketplace add ./our-plugins --name ours"
    )]
    Add(Add),
    /// Fetch one marketplace again, or all
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace update\n  aleph-discover marketplace update my-market"
    )]
    Update(MaybeName),
    /// Forget a marketplace; plugins that came from it stay
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace remove my-market\n  aleph-discover marketplace remove my-market --json"
    )]
    Remove(Name),
}

/// One marketplace.
#[derive(Debug, ClapArgs)]
pub(crate) struct Name {
    /// The name that it is registered under
    #[arg(value_name = "NAME", allow_hyphen_values = true, add = complete::marketplaces())]
    pub(crate) name: String,
}

/// One marketplace, or all.
#[derive(Debug, ClapArgs)]
pub(crate) struct MaybeName {
    /// The name that it is registered under; all without it
    #[arg(value_name = "NAME", allow_hyphen_values = true, add = complete::marketplaces())]
    pub(crate) name: Option<String>,
}

/// What is searched for.
#[derive(Debug, ClapArgs)]
pub(crate) struct Query {
    /// Words
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) words: Vec<String>,
}

/// Flags of `marketplace add`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    /// A directory, owner/repo, or the address of a git repository
    #[arg(value_name = "SOURCE", allow_hyphen_values = true, add = complete::paths())]
    pub(crate) source: OsString,
    /// Register it under this name instead of its own
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Read SOURCE as this, whatever it looks like
    #[arg(long = "as", value_name = "KIND", value_enum)]
    pub(crate) kind: Option<MarketAs>,
}
