//! What servers had when they were last asked: one file for each definition, in `cache/mcp` of the Aleph home. Servers of
//! one name in two projects are two servers, and what one had is not written over what the other had.
//!
//! A snapshot is whole or not there. One of a server that could not be asked again stays, marked stale with the reason.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::entry::{Offer, PromptEntry, ResourceEntry, TemplateEntry, Wanted};
use crate::discovery::platform;
use crate::model::hex;
use crate::parse::moment::utc;
use crate::tools::MAX_CATALOGUE_BYTES;

/// Where snapshots are, below the Aleph home.
const PLACE: [&str; 2] = ["cache", "mcp"];
/// How the names of snapshots end.
const ENDING: &str = ".json";
/// How much of a server's name stands in the name of its file.
const SHOWN: usize = 40;
/// How much of a definition's digest stands in the name of its file, in characters: with the name these tell any two
/// definitions of one machine apart, and [`Snapshots::read`] compares the whole digest.
const DIGEST_SHOWN: usize = 16;
/// How many definitions of one name keep what they had; beyond it the one that was written longest ago goes.
const KEPT: usize = 32;

/// What a server had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The server's name, as configured.
    pub server: String,
    /// The digest of its definition; with another definition it is another server.
    pub digest: String,
    /// When it was asked, in UTC: `2026-11-30T07:09:38Z`.
    pub refreshed: String,
    /// The revision of the protocol that it spoke.
    pub protocol: String,
    /// That it could not be asked since.
    #[serde(default)]
    pub stale: Option<Stale>,
    /// Its tools, as it describes them.
    pub tools: Vec<Value>,
    /// Its resources.
    pub resources: Vec<ResourceEntry>,
    /// Its templates of resources.
    pub templates: Vec<TemplateEntry>,
    /// Its prompts.
    pub prompts: Vec<PromptEntry>,
    /// The lists of which there was more than was kept.
    pub cut: Vec<Wanted>,
    /// What could not be used.
    pub unusable: Vec<String>,
}

/// What a snapshot says of itself before it says what the server has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SnapshotBeginning {
    /// The server's name, as configured.
    pub server: String,
    /// The digest of its definition.
    pub digest: String,
    /// When it was asked, in UTC.
    pub refreshed: String,
    /// That it could not be asked since.
    #[serde(default)]
    pub stale: Option<Stale>,
}

/// That a server could not be asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stale {
    /// When it was tried, in UTC.
    pub since: String,
    /// Why it failed.
    pub reason: String,
}

impl Snapshot {
    /// What a server was just found to have.
    #[must_use]
    pub fn new(server: &str, digest: String, protocol: String, offer: Offer, now: SystemTime) -> Self {
        let Offer {
            tools,
            resources,
            templates,
            prompts,
            cut,
            unusable,
        } = offer;
        Self {
            server: server.to_owned(),
            digest,
            refreshed: utc(now),
            protocol,
            stale: None,
            tools,
            resources,
            templates,
            prompts,
            cut,
            unusable,
        }
    }

    /// The same, for a server that could not be asked again.
    #[must_use]
    pub fn gone_stale(self, reason: &str, now: SystemTime) -> Self {
        let stale = Stale {
            since: utc(now),
            reason: reason.to_owned(),
        };
        Self {
            stale: Some(stale),
            ..self
        }
    }

    /// What a snapshot says of itself, from the beginning of its text: what comes before the tools is written first, and
    /// the tools of many servers need not be read for it.
    #[must_use]
    pub fn beginning(bytes: &[u8]) -> Option<SnapshotBeginning> {
        let tools = b",\"tools\":";
        let end = bytes.windows(tools.len()).position(|window| window == tools)?;
        let mut beginning = bytes.get(..end)?.to_vec();
        beginning.push(b'}');
        serde_json::from_slice(&beginning).ok()
    }

    /// Everything that it lists.
    #[must_use]
    pub fn into_offer(self) -> Offer {
        Offer {
            tools: self.tools,
            resources: self.resources,
            templates: self.templates,
            prompts: self.prompts,
            cut: self.cut,
            unusable: self.unusable,
        }
    }
}

/// The snapshots of an Aleph home.
#[derive(Clone, Debug)]
pub struct Snapshots {
    home: PathBuf,
}

impl Snapshots {
    /// Those of this Aleph home, which need not be there.
    #[must_use]
    pub fn of(aleph_home: &Path) -> Self {
        Self {
            home: aleph_home.to_path_buf(),
        }
    }

    /// The directory that they are in.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        PLACE.iter().fold(self.home.clone(), |path, part| path.join(part))
    }

    /// The file of a server with a definition of this digest: as much of its name as any file system takes, a mark that
    /// tells servers apart whose names differ only in the rest, or in case, and the beginning of the digest.
    #[must_use]
    pub fn path(&self, server: &str, digest: &str) -> PathBuf {
        // A digest is lower-case hex; nothing else may become a part of a path.
        let shown: String = digest
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(DIGEST_SHOWN)
            .collect();
        self.directory().join(format!("{}{shown}{ENDING}", stem(server)))
    }

    /// The files of a server, whatever its definition was, in order.
    #[must_use]
    pub fn paths(&self, server: &str) -> Vec<PathBuf> {
        let stem = stem(server);
        let is_its = |path: &PathBuf| {
            path.file_name()
                .and_then(|name| name.to_str()?.strip_prefix(&stem)?.strip_suffix(ENDING))
                .is_some_and(|digest| digest.chars().all(|c| c.is_ascii_alphanumeric()))
        };
        let mut paths: Vec<PathBuf> = fs::read_dir(self.directory())
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(is_its)
            .collect();
        paths.sort();
        paths
    }

    /// The snapshot of a server with a definition of this digest, if there is one that can be read.
    #[must_use]
    pub fn read(&self, server: &str, digest: &str) -> Option<Snapshot> {
        let path = self.path(server, digest);
        // Neither a link nor a FIFO: nobody but this program writes here.
        if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return None;
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(&path).ok()?;
        file.take(MAX_CATALOGUE_BYTES as u64)
            .read_to_end(&mut bytes)
            .ok()?;
        let snapshot: Snapshot = serde_json::from_slice(&bytes).ok()?;
        (snapshot.server == server && snapshot.digest == digest).then_some(snapshot)
    }

    /// Whether there is a snapshot of a server with a definition of this digest, without reading it.
    #[must_use]
    pub fn has(&self, server: &str, digest: &str) -> bool {
        fs::symlink_metadata(self.path(server, digest)).is_ok_and(|metadata| metadata.is_file())
    }

    /// Writes a snapshot in the place of the one that this definition had before, whole or not at all; where it is. Of
    /// the other definitions of its name the ones that were written last are kept.
    ///
    /// # Errors
    ///
    /// What the disk answered, or that the directory leads out of the Aleph home.
    pub fn write(&self, snapshot: &Snapshot) -> io::Result<PathBuf> {
        let directory = self.make_directory()?;
        let path = self.path(&snapshot.server, &snapshot.digest);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = directory.join(format!(".{name}.{}", std::process::id()));
        let bytes = serde_json::to_vec(snapshot)?;
        let _ = fs::remove_file(&temporary);
        let written = write_new(&temporary, &bytes).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map(|()| {
            self.forget_oldest(&snapshot.server, &path);
            path
        })
    }

    /// Takes away what is more than is kept of a name, but never what was just written. What cannot be taken away
    /// stays: it is in nobody's way.
    fn forget_oldest(&self, server: &str, newest: &Path) {
        let mut others: Vec<(SystemTime, PathBuf)> = self
            .paths(server)
            .into_iter()
            .filter(|path| path != newest)
            .filter_map(|path| Some((fs::symlink_metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        others.sort();
        let more = (others.len() + 1).saturating_sub(KEPT);
        for (_, path) in others.into_iter().take(more) {
            let _ = fs::remove_file(path);
        }
    }
}

/// How the names of a server's files begin.
fn stem(server: &str) -> String {
    let shown: String = server
        .chars()
        .take(SHOWN)
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let mut mark = hex(&Sha256::digest(server));
    mark.truncate(12);
    format!("{shown}.{mark}.")
}

impl Snapshots {
    /// Makes the directory, step by step: none of them may be a link out of the home.
    fn make_directory(&self) -> io::Result<PathBuf> {
        platform::directories().recursive(true).create(&self.home)?;
        let home = self.home.canonicalize()?;
        let mut directory = self.home.clone();
        for part in PLACE {
            directory.push(part);
            match platform::directories().create(&directory) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            if !directory.canonicalize()?.starts_with(&home) {
                let message = format!("{} leads out of the Aleph home", directory.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
            }
        }
        Ok(directory)
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Catalogue, Source};

    fn offer() -> Offer {
        let mut offer = Offer::default();
        offer.add(
            Wanted::Tools,
            serde_json::json!({"name": "log", "inputSchema": {"type": "object"}}),
        );
        offer.add(
            Wanted::Resources,
            serde_json::json!({"uri": "a://b", "name": "b", "mimeType": "text/plain"}),
        );
        offer.add(
            Wanted::Templates,
            serde_json::json!({"uriTemplate": "a://{x}", "name": "x"}),
        );
        offer.add(
            Wanted::Prompts,
            serde_json::json!({"name": "p", "arguments": [{"name": "q", "required": true}]}),
        );
        offer
    }

    fn snapshot(server: &str) -> Snapshot {
        Snapshot::new(
            server,
            "d".to_owned(),
            "2025-11-25".to_owned(),
            offer(),
            SystemTime::UNIX_EPOCH,
        )
    }

    #[test]
    fn what_is_written_is_read() {
        let home = tempfile::tempdir().expect("a directory");
        let snapshots = Snapshots::of(home.path());
        assert_eq!(snapshots.read("git", "d"), None);
        let path = snapshots.write(&snapshot("git")).expect("it is written");
        assert_eq!(path, snapshots.path("git", "d"));
        assert!(snapshots.has("git", "d"));
        let bytes = fs::read(&path).expect("it is there");
        assert_eq!(
            Snapshot::beginning(&bytes).map(|beginning| beginning.stale),
            Some(None)
        );
        assert_eq!(snapshots.read("git", "d"), Some(snapshot("git")));
        let stale = snapshot("git").gone_stale("it ended", SystemTime::UNIX_EPOCH);
        let path = snapshots.write(&stale).expect("it is written again");
        let bytes = fs::read(path).expect("it is there");
        let beginning = Snapshot::beginning(&bytes).unwrap();
        assert_eq!(
            (beginning.server.as_str(), beginning.stale.is_some()),
            ("git", true)
        );
        assert_eq!(snapshots.read("git", "d").and_then(|one| one.stale), stale.stale);
        let names: Vec<_> = fs::read_dir(snapshots.directory())
            .expect("it is there")
            .collect();
        assert_eq!(names.len(), 1, "nothing is left beside it");
    }

    #[test]
    fn any_name_has_a_file_of_its_own_in_the_directory() {
        let snapshots = Snapshots::of(Path::new("/home/u/.aleph"));
        let long = "x".repeat(5_000);
        let names = [
            "a", "A", "a/b", "a-b", "..", "../../x", "", "é", "e\u{301}", "con", "a\0b", &long, "x",
        ];
        let mut seen = std::collections::HashSet::new();
        for name in names {
            let path = snapshots.path(name, &"d".repeat(64));
            assert_eq!(path.parent(), Some(snapshots.directory().as_path()), "{name}");
            let file = path
                .file_name()
                .expect("a name")
                .to_str()
                .expect("text")
                .to_owned();
            assert!(file.len() < 80 && file.is_ascii(), "{file}");
            assert!(seen.insert(file.to_lowercase()), "{name}");
        }
    }

    #[test]
    fn definitions_of_one_name_do_not_write_over_each_other() {
        let home = tempfile::tempdir().expect("a directory");
        let snapshots = Snapshots::of(home.path());
        let of = |digest: &str| Snapshot {
            digest: digest.to_owned(),
            ..snapshot("git")
        };
        let one = snapshots.write(&of("one")).expect("it is written");
        let two = snapshots.write(&of("two")).expect("it is written");
        assert_eq!(snapshots.paths("git"), [one, two]);
        assert_eq!(snapshots.read("git", "one"), Some(of("one")));
        assert_eq!(snapshots.read("git", "two"), Some(of("two")));
        assert_eq!(snapshots.read("git", "three"), None);
        // Two digests that begin alike would have one file: the whole digest decides.
        let long = "a".repeat(64);
        snapshots.write(&of(&long)).expect("it is written");
        assert_eq!(snapshots.read("git", &format!("{}b", "a".repeat(63))), None);
        assert_eq!(snapshots.read("git", &long), Some(of(&long)));
    }

    #[test]
    fn what_piles_up_is_bounded_and_nothing_else_goes() {
        let home = tempfile::tempdir().expect("a directory");
        let snapshots = Snapshots::of(home.path());
        let other = snapshots.write(&snapshot("Git")).expect("it is written");
        let foreign = snapshots.directory().join("git.json");
        fs::write(&foreign, "{}").expect("it is written");
        let start = SystemTime::now() - std::time::Duration::from_secs(3_600);
        let mut written = Vec::new();
        for number in 0..KEPT as u64 + 3 {
            let path = snapshots
                .write(&Snapshot {
                    digest: format!("{number:064x}").chars().rev().collect(),
                    ..snapshot("git")
                })
                .expect("it is written");
            let file = fs::File::options().write(true).open(&path).expect("it opens");
            file.set_modified(start + std::time::Duration::from_secs(number))
                .expect("it has another time");
            written.push(path);
        }
        let mut kept = written.split_off(3);
        kept.sort();
        assert_eq!(snapshots.paths("git"), kept);
        assert!(other.is_file() && foreign.is_file());
    }

    #[test]
    fn it_is_a_source_of_tools() {
        let bytes = serde_json::to_vec(&snapshot("git")).expect("it is JSON");
        let source = Source {
            name: "snapshot".to_owned(),
            server: "file-name".to_owned(),
            kind: None,
            bytes: &bytes,
        };
        let catalogue = Catalogue::read(&[source]).expect("it is a catalogue");
        let names: Vec<_> = catalogue.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["git__log"]);
    }

    #[test]
    fn a_tool_cannot_say_that_it_is_of_another_server() {
        let mut offer = Offer::default();
        offer.add(
            Wanted::Tools,
            serde_json::json!({"name": "log", "server": "bank"}),
        );
        assert_eq!(offer.tools, [serde_json::json!({"name": "log"})]);
    }

    #[test]
    fn one_that_is_damaged_does_not_count() {
        let home = tempfile::tempdir().expect("a directory");
        let snapshots = Snapshots::of(home.path());
        let path = snapshots.write(&snapshot("git")).expect("it is written");
        fs::write(&path, "{\"server\": \"git\"").expect("it is cut");
        assert_eq!(snapshots.read("git", "d"), None);
        fs::rename(&path, snapshots.path("other", "d")).expect("it is moved");
        assert_eq!(snapshots.read("other", "d"), None);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_out_of_the_home() {
        let home = tempfile::tempdir().expect("a directory");
        let outside = tempfile::tempdir().expect("a directory");
        std::os::unix::fs::symlink(outside.path(), home.path().join("cache")).expect("a link");
        let error = Snapshots::of(home.path())
            .write(&snapshot("git"))
            .expect_err("it leads out");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read_dir(outside.path()).expect("it is there").count(), 0);
    }
}
