//! Archives: read strictly, and unpacked only where nothing in them is odd.
//!
//! The central directory is read by hand, so that every entry is met: also the second of one name, and two that
//! share bytes. Nothing is written before all of it was checked, and what is declared is checked again while bytes
//! flow: sizes, checksums and limits are those of what was really unpacked.

mod directory;
mod names;

use std::fs;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use self::directory::{Entry, Method};
use super::disk::{create, make_dir};
use super::error::InstallError;
use super::step::{Observer, Step};
use crate::discovery::platform;
use crate::plugin::tree::{MAX_BYTES, MAX_FILES};

/// How many times larger than in the archive an entry, and all of them, may become.
pub const MAX_RATIO: u64 = 200;
/// How many bytes an archive may have: what it holds is bounded, so what is far larger is something else.
pub const MAX_ARCHIVE: u64 = 2 * MAX_BYTES;

/// Why an archive is not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The operating system refused.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The archive.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Something in it is unsafe or damaged.
    #[error("{} is refused: {}{why}", path.display(), of(entry.as_deref()))]
    Refused {
        /// The archive.
        path: PathBuf,
        /// The entry, if it is one.
        entry: Option<String>,
        /// What is wrong.
        why: String,
    },
}

fn of(entry: Option<&str>) -> String {
    entry.map_or_else(String::new, |entry| {
        format!("its entry `{}` ", entry.escape_debug())
    })
}

impl ArchiveError {
    /// The archive.
    #[must_use]
    pub fn archive(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. } | Self::Refused { path, .. } => path,
        }
    }
}

/// An archive all of whose entries may be unpacked, as far as it declares them.
#[derive(Debug)]
pub struct Archive<R> {
    reader: R,
    path: PathBuf,
    entries: Vec<Entry>,
}

/// Why a reader's archive is refused, without its path.
pub(super) struct Refusal {
    entry: Option<String>,
    why: String,
}

impl Refusal {
    pub(super) fn whole(why: impl Into<String>) -> Self {
        Self {
            entry: None,
            why: why.into(),
        }
    }

    pub(super) fn entry(name: &[u8], why: impl Into<String>) -> Self {
        Self {
            entry: Some(String::from_utf8_lossy(name).into_owned()),
            why: why.into(),
        }
    }
}

/// What can go wrong while an archive's structure is read.
pub(super) enum Fault {
    Io(io::Error),
    Refused(Refusal),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::Refused(Refusal::whole("it is truncated"))
        } else {
            Self::Io(error)
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn told(path: &Path, fault: Fault) -> ArchiveError {
    let path = path.to_path_buf();
    match fault {
        Fault::Io(source) => ArchiveError::Unreadable { path, source },
        Fault::Refused(Refusal { entry, why }) => ArchiveError::Refused { path, entry, why },
    }
}

impl Archive<BufReader<fs::File>> {
    /// Opens an archive and checks everything that it declares. Nothing is written.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] naming the entry and what is wrong with it.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let open = || {
            // The archive itself may be named by a link; it is read and never written.
            let file = platform::open_without_following(&path.canonicalize()?)?;
            if file.metadata()?.is_file() {
                Ok(file)
            } else {
                Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
            }
        };
        let file = open().map_err(|error| told(path, Fault::Io(error)))?;
        Self::read(BufReader::new(file), path)
    }
}

impl<R: Read + Seek> Archive<R> {
    /// Reads an archive from anywhere; `path` is what it is called in messages.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] naming the entry and what is wrong with it.
    pub fn read(mut reader: R, path: &Path) -> Result<Self, ArchiveError> {
        let entries = directory::read(&mut reader).map_err(|fault| told(path, fault))?;
        Ok(Self {
            reader,
            path: path.to_path_buf(),
            entries,
        })
    }

    /// Unpacks everything but `.git` into an empty directory that is there.
    ///
    /// # Errors
    ///
    /// [`InstallError`]: the archive is not what it declares, or the disk failed.
    pub fn unpack(mut self, into: &Path, observer: &mut dyn Observer) -> Result<(), InstallError> {
        let mut budget = MAX_BYTES;
        for entry in std::mem::take(&mut self.entries) {
            if entry.name.split('/').any(|part| part == ".git") {
                continue;
            }
            InstallError::unless_interrupted(observer)?;
            let target = into.join(entry.name.trim_end_matches('/'));
            if entry.is_dir {
                make_dir(&target)?;
                continue;
            }
            if let Some(parent) = target.parent() {
                make_dir(parent)?;
            }
            let written = self.unpack_one(&entry, &target, budget)?;
            budget = budget.saturating_sub(written);
            observer.at(Step::File {
                path: Path::new(&entry.name),
                bytes: written,
            });
        }
        Ok(())
    }

    fn unpack_one(&mut self, entry: &Entry, target: &Path, budget: u64) -> Result<u64, InstallError> {
        let path = self.path.clone();
        let refuse = |why: String| told(&path, Fault::Refused(Refusal::entry(entry.name.as_bytes(), why)));
        self.reader
            .seek(SeekFrom::Start(entry.data))
            .map_err(|error| told(&path, error.into()))?;
        let mut file = create(target, entry.executable)?;
        let packed = self.reader.by_ref().take(entry.packed);
        let limit = entry.size.min(budget);
        let mut crc = Crc::new();
        let (written, used) = match entry.method {
            Method::Stored => {
                let mut packed = packed;
                let written = pour(&mut packed, &mut file, &mut crc, limit, target);
                (written, entry.packed - packed.limit())
            }
            Method::Deflated => {
                let mut inflated = DeflateDecoder::new(packed);
                let written = pour(&mut inflated, &mut file, &mut crc, limit, target);
                (written, inflated.total_in())
            }
        };
        let written = match written {
            Ok(written) => written,
            Err(Pour::Read(error)) => return Err(refuse(format!("is damaged: {error}")).into()),
            Err(Pour::TooLong) => {
                return Err(refuse(format!("holds more than the {} bytes it declares", entry.size)).into());
            }
            Err(Pour::Write(error)) => return Err(InstallError::io("write", target)(error)),
        };
        if written != entry.size || used != entry.packed {
            return Err(refuse(format!(
                "is damaged: {written} of {} bytes came of {used} of {}",
                entry.size, entry.packed
            ))
            .into());
        }
        if crc.sum() != entry.crc {
            return Err(refuse("is damaged: its checksum is another".to_owned()).into());
        }
        Ok(written)
    }
}

enum Pour {
    Read(io::Error),
    Write(io::Error),
    TooLong,
}

/// Copies to the end of the reader; never writes more than `limit` bytes.
fn pour(
    from: &mut dyn Read,
    file: &mut fs::File,
    crc: &mut Crc,
    limit: u64,
    _target: &Path,
) -> Result<u64, Pour> {
    let mut buffer = vec![0_u8; 64 * 1024];
    let mut written = 0_u64;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(written),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Pour::Read(error)),
        };
        let chunk = buffer.get(..count).unwrap_or_default();
        if written + count as u64 > limit {
            return Err(Pour::TooLong);
        }
        file.write_all(chunk).map_err(Pour::Write)?;
        crc.update(chunk);
        written += count as u64;
    }
}

const _: () = assert!(MAX_FILES <= u16::MAX as usize, "entries are counted in 16 bits");
