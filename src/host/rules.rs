//! What a host has beside folders: settings and what they switch off, servers, memory, plugins that lie elsewhere.

use super::Anchor;
use crate::model::{ComponentKind, DiscoverySource, Scope};

/// A settings file of a host.
#[derive(Debug)]
pub struct LayerSpec {
    /// The directory.
    pub anchor: Anchor,
    /// The file in it; with `/*` at its end every `.json` file of that directory, in the order of their names.
    pub file: &'static str,
    /// Where it comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// What beyond JSON is allowed in it.
    pub comments: Comments,
    /// Whether it counts only in a project that the user trusts.
    pub trusted_only: bool,
    /// Variables of which any leaves it out.
    pub unless: &'static [&'static str],
    /// Whether hooks are read from its `hooks`.
    pub hooks: bool,
}

/// Something in the settings that switches entries off.
#[derive(Debug)]
pub struct GateSpec {
    /// The kinds that it is about.
    pub kinds: &'static [ComponentKind],
    /// Where in the settings it stands.
    pub key: &'static [&'static str],
    /// How it is to be read.
    pub gate: Gate,
    /// The scopes whose layers count; none where all do.
    pub scopes: &'static [Scope],
}

/// How a setting names what it switches off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// A table from name to a word; this word switches off, and the highest layer that names the entry decides.
    Word(&'static str),
    /// A list of permission rules; `TOOL(name)` in any layer takes the entry away.
    Denied(&'static [&'static str]),
    /// A list of names; those of all layers count, whatever their case.
    Names,
    /// A table from name to a table with this boolean key; this value switches off, the highest layer decides.
    Flag(&'static str, bool),
    /// A list of tables with `path` or `name` and `enabled`.
    PathOrName,
    /// `true`, or a list that has this word, leaves only what plugins and the administrator bring.
    PluginOnly(&'static str),
    /// A boolean that switches all entries of the kinds off; the highest layer decides.
    All(bool),
}

/// Where MCP servers are configured.
#[derive(Debug)]
pub struct ServerSpec {
    /// The directory; none takes the host's settings layers instead.
    pub anchor: Option<Anchor>,
    /// The file in it.
    pub file: &'static str,
    /// Where in it the servers stand.
    pub keys: ServerKeys,
    /// Where it comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Precedence; on the walk that of the outermost directory.
    pub priority: u32,
    /// Whether nothing else counts where this file is.
    pub exclusive: bool,
    /// What beyond JSON is allowed in it.
    pub comments: Comments,
}

/// What a host allows in JSON that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// Nothing.
    None,
    /// Comments, and no comma before a closing bracket.
    NoTrailingComma,
    /// Comments and trailing commas.
    Allowed,
}

/// What the value of a setting must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A table.
    Table,
    /// A list.
    List,
    /// A list of texts.
    Texts,
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A table of names to one of these words.
    TableOf(&'static [&'static str]),
    /// A table of names to `true`, `false`, or something with parts.
    TableOfFlags,
    /// A table of names to tables whose `description`, if any, is text.
    Described,
    /// Text that is not blank.
    FilledText,
    /// Text that is not empty.
    SomeText,
    /// A whole number above zero.
    Positive,
    /// A text or a list of texts.
    TextOrTexts,
    /// A list of texts, at least one, of which none is blank and no two are the same.
    DistinctTexts,
    /// A list of texts and tables.
    TextsOrTables,
    /// A table of names to texts.
    TableOfTexts,
    /// A table of names to tables.
    TableOfTables,
    /// A whole number.
    Integer,
    /// A whole number that is not negative.
    Whole,
    /// A number that is not negative.
    NotNegative,
    /// One of these words, or a table.
    WordOrTable(&'static [&'static str]),
    /// A table of names to servers with either a `command` or a `url`, and what may stand beside it.
    Servers(&'static ServerTypes),
    /// A table of names to servers with a `type` that fits, or with `enabled` alone.
    TypedServers,
}

/// What the tables of servers may have. A key that is in none of the lists is passed over.
#[derive(Debug, PartialEq, Eq)]
pub struct ServerTypes {
    /// Keys of any server.
    pub any: &'static [(&'static str, ValueType)],
    /// Keys of a server that is started; `command` is one of them.
    pub started: &'static [(&'static str, ValueType)],
    /// Keys of a server that is reached; `url` is one of them.
    pub reached: &'static [(&'static str, ValueType)],
    /// Keys that no server may have.
    pub never: &'static [&'static str],
    /// What `type` may be for a server that is reached. Where there are any, `type` alone says which kind a server is,
    /// it is started without one and with `stdio`, and keys of the other kind are passed over; where there are none,
    /// `type` says nothing and keys of the other kind are refused.
    pub words: &'static [&'static str],
}

/// An environment variable that switches kinds off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchSpec {
    /// The variable.
    pub variable: &'static str,
    /// The kinds that it switches off.
    pub kinds: &'static [ComponentKind],
    /// The scopes that it is about; none where it is about all.
    pub scopes: &'static [Scope],
    /// The kinds of which it leaves alone what plugins bring.
    pub not_of_plugins: &'static [ComponentKind],
    /// File names that it is about; none where it is about all.
    pub files: &'static [&'static str],
}

/// Where in a file the servers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKeys {
    /// In this table.
    Table(&'static str),
    /// In this table of the entry for the working directory in `projects`.
    OfProject(&'static str),
}

/// How far memory is looked for upward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkScope {
    /// To the top of the file system.
    Top,
    /// As the walk for everything else.
    Walk,
}

/// Which of several files of one directory, or of the walk, are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryChoice {
    /// All of them.
    All,
    /// In each directory the first that is there.
    FirstOfFolder,
    /// The first name that any directory of the walk has, wherever it is there.
    FirstNameOfWalk,
}

/// A memory file with a place of its own.
#[derive(Debug)]
pub struct MemoryFile {
    /// The directory.
    pub anchor: Anchor,
    /// Names of which the first that is there is read.
    pub names: &'static [&'static str],
    /// For whom it holds.
    pub scope: Scope,
    /// Environment variables of which none may be set.
    pub unless: &'static [&'static str],
}

/// A directory of rules.
#[derive(Debug)]
pub struct RulesDir {
    /// The directory it lies in: an anchor, or none for each directory of the walk.
    pub anchor: Option<Anchor>,
    /// Its path there.
    pub folder: &'static str,
    /// Extension of the files that are read.
    pub extension: &'static str,
    /// Front matter key by which a rule waits for the work to come to a file that it is about.
    pub waits_for: &'static str,
    /// For whom it holds.
    pub scope: Scope,
}

/// How a memory file brings in others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportSpec {
    /// How many files long a chain may be, the first file not counted.
    pub depth: usize,
    /// Whether only what begins like a path counts, and not every word after `@`.
    pub strict: bool,
    /// Whether a file is brought in once, wherever it is named again.
    pub once: bool,
    /// Whether files beyond the git root may be imported by the user's own memory.
    pub user_anywhere: bool,
    /// Whether the directory that may not be left is the working directory rather than the git root.
    pub within_start: bool,
}

/// Which text a host always gives to the model.
#[derive(Debug)]
pub struct MemorySpec {
    /// Files with a place of their own, in the order in which they are given; of one scope the first that is there.
    pub fixed: &'static [MemoryFile],
    /// Whether of the fixed files only the first counts that is there.
    pub first_fixed_only: bool,
    /// Names that are looked for in each directory of the walk.
    pub names: &'static [&'static str],
    /// A setting that replaces the names.
    pub names_setting: &'static [&'static str],
    /// A setting that adds names after them.
    pub more_names_setting: &'static [&'static str],
    /// A setting that lists further files.
    pub further_setting: &'static [&'static str],
    /// Which of them are read.
    pub choice: MemoryChoice,
    /// How far up.
    pub walk: WalkScope,
    /// Directories of rules.
    pub rules: &'static [RulesDir],
    /// How files bring in others.
    pub imports: Option<ImportSpec>,
    /// Whether files without text are left out.
    pub skips_empty: bool,
    /// A setting that lists patterns of files to leave out.
    pub excludes_setting: &'static [&'static str],
    /// A setting that lists what marks the topmost directory, where it is not the git root.
    pub marks_setting: &'static [&'static str],
    /// A setting that lists further directories in which the names are looked for.
    pub more_dirs_setting: &'static [&'static str],
    /// A setting with the number of bytes that the project's files may have together, and that number without it.
    pub limit: Option<(&'static [&'static str], u64)>,
    /// Whether the checkout that a worktree lies inside of has no say in the worktree, but for `.local.` files.
    pub not_of_outer_checkout: bool,
    /// Variables of which any leaves out the project's files.
    pub project_unless: &'static [&'static str],
    /// Whether a real file that is met again under another path counts again.
    pub each_path: bool,
}

/// How much all skills and commands together may take of what the model is given.
///
/// Each is a line `- NAME: DESCRIPTION`. Names are always there; a description that does not fit is left out, and a
/// shorter one after it may still fit.
#[derive(Debug)]
pub struct ListingSpec {
    /// Characters, with the model that the host starts with and nothing set.
    pub characters: u32,
    /// A variable that says how many instead.
    pub variable: &'static str,
    /// A setting with the share of the model's window.
    pub share_setting: &'static [&'static str],
    /// The share that gives that many characters.
    pub usual_share: f64,
    /// A setting with the most characters of one description.
    pub longest_setting: &'static [&'static str],
    /// A table of names to how the model is told of them, which does not hold for plugins.
    pub overrides_setting: &'static [&'static str],
    /// The words in it that keep an entry from the model.
    pub hidden_words: &'static [&'static str],
    /// The word in it that keeps the description from the model.
    pub name_only_word: &'static str,
    /// The host's own entries, which come first and keep their descriptions: name and characters of the description.
    pub own: &'static [(&'static str, usize)],
    /// The record of how often each entry was used, by which those after them are ordered.
    pub usage: UsageSpec,
}

/// A record of use: a table of names to `usageCount` and `lastUsedAt`, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct UsageSpec {
    /// The directory.
    pub anchor: Anchor,
    /// The file in it.
    pub file: &'static str,
    /// The table.
    pub key: &'static str,
    /// After so many days without use a use counts half.
    pub half_life_days: f64,
    /// And never less than this.
    pub least: f64,
}

/// Hooks that a host runs only once its user has approved them as they are.
#[derive(Debug)]
pub struct HookSpec {
    /// The file beside each settings file; hooks stand in the settings too.
    pub file: &'static str,
    /// The events that there are; others are passed over.
    pub events: &'static [&'static str],
    /// The events at which a matcher means nothing.
    pub without_matcher: &'static [&'static str],
    /// Where in the settings' `hooks` it is recorded what is approved and what is switched off.
    pub record: &'static str,
    /// Seconds after which a hook is stopped, where it does not say so itself.
    pub timeout: u32,
}

/// How a host finds plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginSystem {
    /// In folders of its roots, or not at all.
    Folders,
    /// By the settings that enable them, through marketplaces and records of what is installed.
    Marketplaces,
    /// By its configuration, in a cache of versions.
    VersionCache,
    /// As extensions in a folder of the user's.
    Extensions,
}
