//! Reading a marker: one open, no more bytes than its front matter needs.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::platform;
use crate::host::Fences;
use crate::model::FileIdentity;
use crate::parse::front_matter::{self, Extent, FrontMatter, MAX_FRONT_MATTER};

/// How much is read at first; most files' front matter ends within it.
const FIRST_READ: usize = 4 * 1024;

/// What came of opening a marker.
#[derive(Debug)]
pub(super) enum Opened {
    /// It is a regular file.
    Read(Box<Reading>),
    /// It is none.
    NotRegular,
    /// A link stands where a file was a moment ago.
    BecameLink,
    /// The operating system refused.
    Refused(io::Error),
}

/// What a marker says.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) identity: Option<FileIdentity>,
    pub(super) size: u64,
    pub(super) front_matter: FrontMatter,
    /// The front matter is opened and does not end within the bytes that are read.
    pub(super) too_large: bool,
    /// Whether there is front matter, opened and closed.
    pub(super) has_front_matter: bool,
    /// Whether the file begins with a byte order mark.
    pub(super) has_mark: bool,
}

/// Reads markers, one after the other, into one buffer.
#[derive(Debug)]
pub(super) struct MarkerReader {
    buffer: Box<[u8]>,
    filled: usize,
    /// A device to which case means something.
    heeds_case: Option<u64>,
}

impl Default for MarkerReader {
    fn default() -> Self {
        Self {
            buffer: vec![0; MAX_FRONT_MATTER].into_boxed_slice(),
            filled: 0,
            heeds_case: None,
        }
    }
}

impl MarkerReader {
    /// Opens a marker and reads its front matter.
    pub(super) fn read(&mut self, path: &Path) -> Opened {
        self.read_with(path, &[], Fences::NATIVE)
    }

    /// Opens a marker and reads its front matter, and in it also these keys; the host tells it by these fences.
    pub(super) fn read_with(&mut self, path: &Path, wanted: &[&str], fences: Fences) -> Opened {
        let file = match platform::open_without_following(path) {
            Ok(file) => file,
            Err(error) if platform::is_link_refusal(&error) => return Opened::BecameLink,
            Err(error) => return Opened::Refused(error),
        };
        match self.read_open(file, wanted, fences) {
            Ok(Some(reading)) => Opened::Read(Box::new(reading)),
            Ok(None) => Opened::NotRegular,
            Err(error) => Opened::Refused(error),
        }
    }

    fn read_open(&mut self, mut file: File, wanted: &[&str], fences: Fences) -> io::Result<Option<Reading>> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        self.filled = 0;
        let mut limit = FIRST_READ;
        let (extent, at_end) = loop {
            let at_end = self.fill(&mut file, limit, metadata.len())?;
            let extent = front_matter::extent_between(self.bytes(), at_end, fences);
            if at_end || !matches!(extent, Extent::NeedMore) || limit >= MAX_FRONT_MATTER {
                break (extent, at_end);
            }
            limit = MAX_FRONT_MATTER;
        };
        Ok(Some(Reading {
            identity: platform::identity(&metadata),
            size: metadata.len(),
            front_matter: front_matter::parse(self.bytes(), &extent, wanted),
            too_large: matches!(extent, Extent::NeedMore) && !at_end,
            has_front_matter: matches!(extent, Extent::Closed { .. }),
            has_mark: self.bytes().starts_with(b"\xEF\xBB\xBF"),
        }))
    }

    /// The marker of this name in a directory, and what it is. None where only a listing of the directory can tell.
    ///
    /// Nearly every directory has its marker, and two questions for names cost less than a listing. On a file system
    /// to which case means nothing the name may belong to a marker that is spelt otherwise, so there must be none in
    /// the other case. Of a device where that was so once it is not asked again.
    pub(super) fn exactly_named(&mut self, dir: &Path, marker: &str) -> Option<(PathBuf, FileType)> {
        let path = dir.join(marker);
        let metadata = fs::symlink_metadata(&path).ok()?;
        let device = platform::identity(&metadata).map(|identity| identity.device);
        if device.is_none() || device != self.heeds_case {
            let other_case = |letter: char| {
                if letter.is_ascii_lowercase() {
                    letter.to_ascii_uppercase()
                } else {
                    letter.to_ascii_lowercase()
                }
            };
            let otherwise = dir.join(marker.chars().map(other_case).collect::<String>());
            match fs::symlink_metadata(otherwise) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.heeds_case = device,
                _ => return None,
            }
        }
        Some((path, metadata.file_type()))
    }

    /// What was read of the last file: all of it if it is short.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// Reads until the buffer has `limit` bytes or the file, of `size` bytes when it was opened, ends; says
    /// whether it ended. What a growing file gains meanwhile is left alone, which saves a read for the rest.
    fn fill(&mut self, file: &mut File, limit: usize, size: u64) -> io::Result<bool> {
        while let Some(free) = self
            .buffer
            .get_mut(self.filled..limit)
            .filter(|free| !free.is_empty())
        {
            match file.read(free) {
                Ok(0) => return Ok(true),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if self.filled as u64 >= size {
                return Ok(true);
            }
        }
        Ok(self.filled as u64 >= size)
    }
}

/// Where a link that stands for a marker leads.
#[derive(Debug)]
pub(super) enum LinkedMarker {
    /// To a regular file inside the component directory, at this real path.
    Inside(PathBuf),
    /// Out of the component directory.
    Outside(PathBuf),
    /// To something that is no regular file.
    NotRegular(PathBuf),
    /// Nowhere: it dangles, or goes round in circles.
    Broken(io::Error),
    /// Nobody knows: the operating system refuses to follow it.
    Refused(io::Error),
}

impl LinkedMarker {
    fn not_followed(error: io::Error) -> Self {
        if platform::leads_nowhere(&error) {
            Self::Broken(error)
        } else {
            Self::Refused(error)
        }
    }
}

/// Follows a link that stands for a marker. `component_dir` is the real path of the directory that it may not
/// leave, such as `…/skills`.
pub(super) fn follow(link: &Path, component_dir: &Path) -> LinkedMarker {
    let real = match link.canonicalize() {
        Ok(real) => real,
        Err(error) => return LinkedMarker::not_followed(error),
    };
    if !real.starts_with(component_dir) {
        return LinkedMarker::Outside(real);
    }
    match fs::symlink_metadata(&real) {
        Ok(metadata) if metadata.is_file() => LinkedMarker::Inside(real),
        Ok(_) => LinkedMarker::NotRegular(real),
        Err(error) => LinkedMarker::not_followed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_taken_by_name_only_where_no_other_could_be_meant() {
        let tree = tempfile::tempdir().unwrap();
        let dir = tree.path();
        let mut reader = MarkerReader::default();
        let mut exactly_named = |dir, marker| reader.exactly_named(dir, marker);
        assert!(exactly_named(dir, "SKILL.md").is_none());
        fs::write(dir.join("skill.MD"), "").unwrap();
        assert!(exactly_named(dir, "SKILL.md").is_none());
        fs::write(dir.join("SKILL.md"), "").unwrap();
        assert!(exactly_named(dir, "SKILL.md").is_none());
        fs::remove_file(dir.join("skill.MD")).unwrap();
        fs::write(dir.join("agent.md"), "").unwrap();
        if !dir.join("AGENT.MD").exists() {
            let (path, file_type) = exactly_named(dir, "agent.md").unwrap();
            assert_eq!((path, file_type.is_file()), (dir.join("agent.md"), true));
        }
    }

    #[test]
    #[cfg(unix)]
    fn whether_case_matters_is_asked_once_of_a_device() {
        let tree = tempfile::tempdir().unwrap();
        let (one, other) = (tree.path().join("one"), tree.path().join("other"));
        for dir in [&one, &other] {
            fs::create_dir(dir).unwrap();
            fs::write(dir.join("SKILL.md"), "").unwrap();
        }
        if one.join("skill.MD").exists() {
            return;
        }
        let mut reader = MarkerReader::default();
        assert!(reader.exactly_named(&one, "SKILL.md").is_some());
        // Both are there, so a listing would take the right one too.
        fs::write(other.join("skill.MD"), "").unwrap();
        assert!(reader.exactly_named(&other, "SKILL.md").is_some());
        assert!(
            MarkerReader::default()
                .exactly_named(&other, "SKILL.md")
                .is_none()
        );
        assert!(reader.exactly_named(&other, "Skill.md").is_none());
    }
}
