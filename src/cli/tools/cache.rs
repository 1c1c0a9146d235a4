//! The saved search index: one file for each set of sources, below the Aleph home.
//!
//! It is only ever an economy: whatever is wrong with it, or with the place, the index is built anew, and a home that
//! cannot be written to is as good as any other.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use aleph_discover::DiscoveryManager;
use aleph_discover::model::hex;
use aleph_discover::tools::SearchIndex;

use super::sources::Gathered;

/// Where indexes are, below the Aleph home.
const PLACE: [&str; 2] = ["cache", "tools"];

/// How many bytes of a saved index are read; a hundred thousand tools need fewer.
const MOST: u64 = 1 << 30;

/// Where the index of some sources is saved.
pub(super) struct Cache {
    home: PathBuf,
    name: String,
    digest: [u8; 32],
}

impl Cache {
    /// The place for the index of these sources; none where there is no Aleph home, or nothing to come back to.
    pub(super) fn of(sources: &Gathered, manager: &DiscoveryManager) -> Option<Self> {
        let home = manager.aleph_home().ok().filter(|home| home.is_dir())?;
        if sources.has_stdin {
            return None;
        }
        let names = sources.names();
        let name = hex(names.get(..8).unwrap_or(&names));
        Some(Self {
            home,
            name: format!("{name}.index"),
            digest: sources.digest(),
        })
    }

    fn directory(&self) -> PathBuf {
        PLACE.iter().fold(self.home.clone(), |path, part| path.join(part))
    }

    /// The saved index, if it is there and whole and was built from the same bytes.
    pub(super) fn load(&self) -> Option<SearchIndex> {
        let path = self.directory().join(&self.name);
        let metadata = fs::symlink_metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > MOST {
            return None;
        }
        SearchIndex::from_bytes(&fs::read(&path).ok()?, &self.digest).ok()
    }

    /// Saves an index, whole or not at all.
    pub(super) fn save(&self, index: &SearchIndex) {
        let directory = self.directory();
        // What fails here only costs time in the next run.
        if fs::create_dir_all(&directory).is_ok() {
            let _ = self.write(&directory, &index.to_bytes(&self.digest));
        }
    }

    fn write(&self, directory: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let temporary = directory.join(format!(".{}.{}", self.name, std::process::id()));
        // What a killed run left that had this number.
        let _ = fs::remove_file(&temporary);
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| fs::rename(&temporary, directory.join(&self.name)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}
