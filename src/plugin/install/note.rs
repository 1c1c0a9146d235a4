//! The note of what is about to happen, by which whoever comes next finishes or forgets what a killed run had begun.

use std::fs;
use std::path::Path;

use toml_edit::{DocumentMut, Table, value};

use super::bench::Place;
use super::error::InstallError;
use crate::discovery::{platform, validate_path_component};

/// Its name in the staging directory.
pub(super) const NOTE: &str = "note.toml";

/// The text of a note. `staged` is the tree that is to be put in place; none where one is to be taken away.
pub(super) fn text(
    place: Place,
    name: &str,
    record: Option<Table>,
    staged: Option<&Path>,
    staging: &Path,
) -> Result<String, InstallError> {
    let mut note = DocumentMut::new();
    note.insert("place", value(place.as_str()));
    note.insert("name", value(name));
    if let Some(staged) = staged {
        let metadata = fs::symlink_metadata(staged).map_err(InstallError::io("look at", staged))?;
        if let Some(identity) = platform::identity(&metadata) {
            note.insert("tree", value(format!("{}:{}", identity.device, identity.inode)));
        }
        let relative = staged.strip_prefix(staging).unwrap_or(staged);
        note.insert("staged", value(relative.to_string_lossy().into_owned()));
    }
    if let Some(record) = record {
        note.insert("record", record.into());
    }
    Ok(note.to_string())
}

/// What a run was about to do.
pub(super) struct Note {
    pub(super) place: Place,
    pub(super) name: String,
    /// Device and inode of the tree that was to be put in place.
    tree: Option<String>,
    /// Where that tree stood, from the staging directory; none where a tree was to be taken away.
    pub(super) staged: Option<String>,
    pub(super) record: Option<Table>,
}

impl Note {
    /// A note is written whole, so one that cannot be read was never finished and says nothing.
    pub(super) fn read(staging: &Path) -> Option<Self> {
        let text = fs::read_to_string(staging.join(NOTE)).ok()?;
        let mut document: DocumentMut = text.parse().ok()?;
        let text = |key: &str| Some(document.get(key)?.as_str()?.to_owned());
        let place = match text("place")?.as_str() {
            "plugins" => Place::Plugin,
            "marketplaces" => Place::Marketplace,
            _ => return None,
        };
        let (name, tree, staged) = (text("name")?, text("tree"), text("staged"));
        validate_path_component(&name).ok()?;
        let record = document
            .remove("record")
            .and_then(|record| record.into_table().ok());
        Some(Self {
            place,
            name,
            tree,
            staged,
            record,
        })
    }

    /// Whether the tree was put in its place, or taken away, before the run ended.
    pub(super) fn happened(&self, target: &Path, staging: &Path) -> bool {
        let there = fs::symlink_metadata(target).ok();
        let Some(staged) = &self.staged else {
            return there.is_none();
        };
        let identity = there.as_ref().and_then(platform::identity);
        match (&self.tree, identity) {
            (Some(tree), Some(is)) => *tree == format!("{}:{}", is.device, is.inode),
            (Some(_), None) => false,
            (None, _) => there.is_some() && !staging.join(staged).exists(),
        }
    }
}
