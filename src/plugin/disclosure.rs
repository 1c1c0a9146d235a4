//! What one would be installing: everything a plugin runs, asks for, reaches and says, before anything is written.
//!
//! Everything that any of its manifests and any default file brings is disclosed, also what only another harness
//! would load: an installed plugin can be loaded by others. What this host would load is marked. No secret's value
//! is ever part of it.

mod reach;
mod run;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

pub use reach::{Filesystem, Network};
pub use run::{Run, Secret};

use super::hidden_text::{self, HiddenKind};
use super::parts::{Breadth, PART_KINDS};
use super::read::Plugin;
use super::shown::PluginDirs;
use super::tree::{self, TreeEntry, TreeError};
use crate::host::HostProfile;
use crate::model::{ComponentKind, Definition, State, TrustTier};

/// How many hidden texts are listed; beyond, only their number is.
pub const MAX_HIDDEN: usize = 1_000;
/// Larger files are no prose; they are not searched for hidden text.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// What is known of a plugin from where it comes.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// How far whoever serves it is trusted.
    pub tier: TrustTier,
    /// The digest that it is pinned to, as stated.
    pub pinned_sha256: Option<String>,
    /// The version that whoever serves it states, for a plugin that states none itself.
    pub version: Option<String>,
    /// The digests of the tree as it is served, where what would be installed is another.
    pub served: Option<tree::Digests>,
    /// Whether commands, arguments and addresses are shown with the secrets in them.
    pub show_secrets: bool,
    /// The directory that paths are shown in, where the plugin stands elsewhere for the moment.
    pub shown_at: Option<PathBuf>,
}

impl Default for Provenance {
    fn default() -> Self {
        Self {
            tier: TrustTier::Unverified,
            pinned_sha256: None,
            version: None,
            served: None,
            show_secrets: false,
            shown_at: None,
        }
    }
}

/// Something that tells the agent what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Instruction {
    /// What it is.
    pub kind: ComponentKind,
    /// Its qualified id.
    pub id: String,
}

/// Text that a reader does not see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HiddenText {
    /// The file.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in Unicode scalar values.
    pub column: u32,
    /// How it is hidden.
    pub kind: HiddenKind,
    /// What it says, as far as it can be told, at most 200 characters.
    pub text: Option<String>,
}

/// What one would be installing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Disclosure {
    /// How far whoever serves it is trusted.
    pub tier: TrustTier,
    /// Every command that it would run.
    pub runs: Vec<Run>,
    /// Names of variables, headers and settings that it asks for; never a value.
    pub secrets: Vec<Secret>,
    /// What it reaches over the network.
    pub network: Network,
    /// What it reaches in the file system.
    pub filesystem: Filesystem,
    /// What tells the agent what to do.
    pub instructs: Vec<Instruction>,
    /// Text that a reader does not see.
    pub hidden_text: Vec<HiddenText>,
    /// How many hidden texts there are; more than are listed where there are very many.
    pub hidden_text_total: u64,
    /// The version that its manifest states, else the one that the entry of a marketplace states.
    pub version: Option<String>,
    /// Digest over the tree, `tree1:` and hex.
    pub sha256: String,
    /// The original's unframed digest over the tree, hex.
    pub sha256_unframed: String,
    /// The digest that whoever serves it states, as stated.
    pub pinned_sha256: Option<String>,
    /// Whether the tree that is served has that digest; null where none is stated. What is served is another tree
    /// than `sha256` tells of where the entry of a marketplace states the manifest.
    pub pin_holds: Option<bool>,
    /// Whether it may only be installed with the user's word: it runs commands, and nobody trusted vouches for it.
    pub ack_required: bool,
}

impl Disclosure {
    /// Gathers what installing a plugin would mean. The whole tree is read.
    ///
    /// # Errors
    ///
    /// [`TreeError`] where the tree has what may not be installed, or cannot be read.
    pub fn of(plugin: &Plugin, profile: &HostProfile, provenance: &Provenance) -> Result<Self, TreeError> {
        let entries = tree::list(&plugin.path)?;
        let shown_at = provenance.shown_at.as_deref().unwrap_or(&plugin.path);
        let dirs = PluginDirs {
            root: shown_at.to_path_buf(),
            data: None,
            show_secrets: provenance.show_secrets,
        };
        let everything = plugin.parts(profile, &PART_KINDS, Breadth::Everything);
        let in_effect = plugin.parts(profile, &PART_KINDS, Breadth::InEffect);
        let mut gathering = run::Gathering::new(plugin, dirs, &in_effect);
        let mut instructs = Vec::new();
        let resolution = everything.into_resolution();
        for candidate in &resolution.candidates {
            let definition = candidate
                .plugin
                .as_ref()
                .and_then(|part| part.definition.as_ref());
            let path = super::parts::path_of(&resolution, candidate);
            let instruction = Instruction {
                kind: candidate.kind,
                id: candidate.id().into_owned(),
            };
            match definition {
                Some(Definition::Hook(hook)) => {
                    if hook.command.is_none() && hook.url.is_none() {
                        instructs.push(instruction);
                    }
                    gathering.hook(hook, candidate, &path);
                }
                Some(Definition::Server(server)) => gathering.server(server, candidate, &path),
                None if candidate.state == State::Active => instructs.push(instruction),
                None => {}
            }
        }
        gathering.others();
        instructs.sort_by(|one, other| (one.kind, &one.id).cmp(&(other.kind, &other.id)));
        instructs.dedup();

        let mut hidden = Vec::new();
        let mut total = 0_u64;
        let digests = tree::digest(&entries, |entry, content| {
            for one in hidden_in(entry, content) {
                total += 1;
                if hidden.len() < MAX_HIDDEN {
                    hidden.push(HiddenText {
                        path: shown_at
                            .join(entry.relative_text())
                            .to_string_lossy()
                            .into_owned(),
                        line: one.line,
                        column: one.column,
                        kind: one.kind,
                        text: one.text,
                    });
                }
            }
        })?;
        let gathered = gathering.finish();
        let served = provenance.served.as_ref().unwrap_or(&digests);
        let pin = provenance.pinned_sha256.as_deref();
        let pin_holds = pin.map(|pin| served.matches(pin));
        Ok(Self {
            tier: provenance.tier,
            ack_required: !gathered.runs.is_empty() && provenance.tier.needs_word(),
            runs: gathered.runs,
            secrets: gathered.secrets,
            network: gathered.network,
            filesystem: gathered.filesystem,
            instructs,
            hidden_text: hidden,
            hidden_text_total: total,
            version: plugin.version.clone().or_else(|| provenance.version.clone()),
            sha256: digests.tree1,
            sha256_unframed: digests.unframed,
            pinned_sha256: provenance.pinned_sha256.clone(),
            pin_holds,
        })
    }
}

/// The hidden text of one file, if it is a text.
pub(super) fn hidden_in(entry: &TreeEntry, content: &[u8]) -> Vec<hidden_text::Hidden> {
    if content.len() > MAX_TEXT || content.contains(&0) {
        return Vec::new();
    }
    let Ok(text) = std::str::from_utf8(content) else {
        return Vec::new();
    };
    let extension = Path::new(&entry.path)
        .extension()
        .and_then(|extension| extension.to_str());
    let is_rules = entry.path.file_name().is_some_and(|name| name == ".cursorrules");
    let is_markdown = is_rules || matches!(extension, Some("md" | "mdc" | "markdown" | "MD"));
    hidden_text::find(text, is_markdown)
}
