//! What a plugin's files say of it: manifests, hooks files, MCP files, and marketplaces.
//!
//! Bytes in, values out; nothing here looks at the file system, so whether a path is there, or leaves the plugin, is
//! for whoever knows where the file lies. Files are read leniently: a key of the wrong type is a [`Problem`]
//! (`manifest-wrong-type`) with its line and column, and everything else still counts. Keys that nobody knows are
//! left alone. What is read of each format is listed in `docs/plugins.md`; sources are
//! `reference/aleph.md` 3.4 and `reference/hosts.md` 1.6 and 4.
//!
//! Nothing is expanded, and nothing is masked: values are as written.

mod aleph;
mod fields;
mod harness;
pub mod hooks;
pub mod marketplace;
pub mod mcp_servers;
#[cfg(test)]
mod tests;

use super::document::{self, Format, Located};
use super::{Position, Problem};
use crate::model::{Code, ComponentKind, HookDefinition, PluginFormat, ServerDefinition};

/// How many bytes a manifest, a hooks file or an MCP file may have: 1 MiB; real ones have at most a few thousand.
pub const MAX_MANIFEST_BYTES: usize = 1024 * 1024;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot<T> {
    /// The value.
    pub value: T,
    /// Where it begins.
    pub at: Position,
}

/// A path that a manifest names, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPath {
    /// The path, as written.
    pub text: String,
    /// Where it stands.
    pub at: Position,
    /// The key that it stands under, for messages.
    pub key: &'static str,
    /// The name that the manifest gives to what is there, where it does.
    pub name: Option<String>,
}

/// Something that the manifest itself defines, such as a command without a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinePart {
    /// What it is.
    pub kind: ComponentKind,
    /// Its name.
    pub name: String,
    /// What it says it is for.
    pub description: Option<String>,
    /// Where it stands.
    pub at: Position,
}

/// Something else that the plugin would run.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherRun {
    /// `runtime`, `service` or `lsp-server`.
    pub what: &'static str,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The program, as written.
    pub command: String,
    /// Its arguments, as written.
    pub args: Vec<String>,
    /// Variables that are set for it: names and values as written. Values are secrets.
    pub env: Vec<(String, String)>,
}

/// What the plugin says it needs; none where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// `yes` or `no`, or what is written.
    pub network: Option<String>,
    /// `yes`, `no`, `read`, `write` or `full`, or what is written.
    pub filesystem: Option<String>,
    /// Whether it runs commands of the shell.
    pub shell: Option<String>,
}

/// A value that the user is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Whether the plugin cannot do without it.
    pub required: bool,
}

/// What one manifest says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The id, in the formats that have one.
    pub id: Option<Spot<String>>,
    /// The name.
    pub name: Option<Spot<String>>,
    /// The version.
    pub version: Option<Spot<String>>,
    /// The description.
    pub description: Option<Spot<String>>,
    /// Where the outermost table begins: the place of what is missing.
    pub start: Option<Position>,
    /// Kinds whose key is there with a usable value, whether it names anything or not.
    pub declares: Vec<ComponentKind>,
    /// Folders and files with components of these kinds.
    pub parts: Vec<(ComponentKind, DeclaredPath)>,
    /// Components without a file of their own.
    pub inline_parts: Vec<InlinePart>,
    /// Further files with hooks.
    pub hook_files: Vec<DeclaredPath>,
    /// Hooks in the manifest itself.
    pub hooks: Vec<Spot<HookDefinition>>,
    /// Further files with MCP servers.
    pub server_files: Vec<DeclaredPath>,
    /// MCP servers in the manifest itself.
    pub servers: Vec<Spot<ServerDefinition>>,
    /// Other paths, which are only looked for.
    pub other_paths: Vec<DeclaredPath>,
    /// What else it would run.
    pub runs: Vec<OtherRun>,
    /// What it says it needs.
    pub permissions: Permissions,
    /// Values that the user is asked for.
    pub settings: Vec<Setting>,
    /// What is odd about it.
    pub problems: Vec<Problem>,
}

impl Manifest {
    /// Every path that it names.
    pub fn paths(&self) -> impl Iterator<Item = &DeclaredPath> {
        let parts = self.parts.iter().map(|(_, path)| path);
        parts
            .chain(&self.hook_files)
            .chain(&self.server_files)
            .chain(&self.other_paths)
    }
}

/// Reads a manifest of this format.
///
/// # Errors
///
/// The problem for which nothing of it can be used: `broken-manifest`, with line and column where there is one.
pub fn parse(bytes: &[u8], format: PluginFormat, is_toml: bool) -> Result<Manifest, Problem> {
    check_size(bytes)?;
    let text_format = if is_toml { Format::Toml } else { Format::Json };
    let document = document::parse(bytes, text_format).map_err(broken)?;
    let mut manifest = read(&document.root, format);
    let problems = std::mem::replace(&mut manifest.problems, document.problems);
    manifest.problems.extend(problems);
    Ok(manifest)
}

/// Reads a manifest of this format from a document that is parsed already.
pub(crate) fn read(root: &Located, format: PluginFormat) -> Manifest {
    let manifest = match format {
        PluginFormat::AlephToml => aleph::toml(root),
        PluginFormat::AlephJson => aleph::json(root),
        PluginFormat::Codex => harness::codex(root),
        PluginFormat::Cursor => harness::cursor(root),
        PluginFormat::Claude | PluginFormat::CursorRules | PluginFormat::Mcp | PluginFormat::Layout => {
            harness::claude(root)
        }
    };
    Manifest {
        start: Some(root.position),
        ..manifest
    }
}

/// Reads a JSON file that holds hooks or MCP servers.
///
/// # Errors
///
/// The problem for which nothing of it can be used: `broken-manifest`.
pub(crate) fn parse_json(bytes: &[u8]) -> Result<document::Document, Problem> {
    check_size(bytes)?;
    // A list is a shape that hooks files have, and that no configuration has.
    document::parse_any(bytes, Format::Json).map_err(broken)
}

/// The language servers of a file; none where it cannot be parsed.
#[must_use]
pub fn lsp_servers(bytes: &[u8]) -> Vec<OtherRun> {
    parse_json(bytes).map_or_else(|_| Vec::new(), |document| harness::lsp_servers(&document.root))
}

fn check_size(bytes: &[u8]) -> Result<(), Problem> {
    if bytes.len() <= MAX_MANIFEST_BYTES {
        return Ok(());
    }
    let message = format!("the file has more than {MAX_MANIFEST_BYTES} bytes, so it is not read");
    Err(broken(Problem::new(Code::TooLarge, None, message)))
}

fn broken(problem: Problem) -> Problem {
    let help = problem
        .help
        .unwrap_or_else(|| "repair the file; until then nothing of it counts".to_owned());
    Problem {
        code: Code::BrokenManifest,
        help: Some(help),
        ..problem
    }
}

/// The strings of a list, each with its place.
fn strings<'a>(values: &'a [Located], key: &str, problems: &mut Vec<Problem>) -> Vec<(&'a str, Position)> {
    values
        .iter()
        .filter_map(|value| match fields::as_text(value) {
            Some(text) => Some((text, value.position)),
            None => {
                fields::wrong_type(problems, key, value, "a string in each place");
                None
            }
        })
        .collect()
}
