//! The files of a plugin as a whole: listing them within limits, and the two digests over them.
//!
//! How the digests are made is described in `docs/plugins.md` well enough to be made again.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::discovery::platform;
use crate::model::hex;

/// How many files a tree may have.
pub const MAX_FILES: usize = 10_000;
/// How many bytes the files of a tree may have together: 256 MiB.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// How deep directories may be nested; entries of the root itself are at depth 1.
pub const MAX_DEPTH: usize = 32;
/// How many directories a tree may have: empty ones cost time too.
pub const MAX_DIRECTORIES: usize = 20_000;

/// Why a tree may not be installed, or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// It has more files than are taken.
    #[error("more than {MAX_FILES} files")]
    TooManyFiles,
    /// It has more directories than are taken.
    #[error("more than {MAX_DIRECTORIES} directories")]
    TooManyDirectories,
    /// Its files are larger than is taken.
    #[error("more than {MAX_BYTES} bytes; {} is the file at which that was reached", path.display())]
    TooManyBytes {
        /// The file.
        path: PathBuf,
    },
    /// Its directories are nested deeper than is taken.
    #[error("{} is nested more than {MAX_DEPTH} levels deep", path.display())]
    TooDeep {
        /// The entry.
        path: PathBuf,
    },
    /// Something is in it that is neither file nor directory nor link.
    #[error("{} is a FIFO, socket or device", path.display())]
    Special {
        /// The entry.
        path: PathBuf,
    },
    /// A link leads out of it.
    #[error("{} is a symbolic link that leads out of the plugin, to {}", path.display(), target.display())]
    EscapingLink {
        /// The link.
        path: PathBuf,
        /// Where it points, as written in it.
        target: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The entry.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// A file changed while it was read.
    #[error("{} changed while it was being read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

impl TreeError {
    /// The entry that it is about, where it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::TooManyFiles | Self::TooManyDirectories => None,
            Self::TooManyBytes { path }
            | Self::TooDeep { path }
            | Self::Special { path }
            | Self::EscapingLink { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Changed { path } => Some(path),
        }
    }
}

/// What an entry of a tree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Whether its owner may execute it.
        executable: bool,
        /// Its size in bytes when it was listed.
        size: u64,
    },
    /// A symbolic link, with where it points as written in it.
    Link(PathBuf),
}

/// One file or link of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Path from the root, as bytes, with `/` between its parts.
    pub relative: Vec<u8>,
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
}

impl TreeEntry {
    /// Path from the root as text; lossy where it is not UTF-8.
    #[must_use]
    pub fn relative_text(&self) -> String {
        String::from_utf8_lossy(&self.relative).into_owned()
    }
}

/// Every file and link below a directory but what is in `.git`, in byte order of the paths from it.
///
/// Links are listed and never followed. Directories are not listed, so an empty one makes no difference.
///
/// # Errors
///
/// [`TreeError`] where the tree has what may not be installed, or cannot be read.
pub fn list(root: &Path) -> Result<Vec<TreeEntry>, TreeError> {
    Ok(list_all(root)?.0)
}

/// The same, and every directory by its path from the root, each after the one that it is in.
///
/// # Errors
///
/// As [`list`].
pub fn list_all(root: &Path) -> Result<(Vec<TreeEntry>, Vec<PathBuf>), TreeError> {
    let real_root = root.canonicalize().map_err(|source| unreadable(root, source))?;
    let mut entries = Vec::new();
    let mut bytes = 0_u64;
    let mut directories = Vec::new();
    let mut open: Vec<(PathBuf, Vec<u8>, usize)> = vec![(root.to_path_buf(), Vec::new(), 1)];
    while let Some((dir, prefix, depth)) = open.pop() {
        if directories.len() >= MAX_DIRECTORIES {
            return Err(TreeError::TooManyDirectories);
        }
        directories.push(dir.strip_prefix(root).unwrap_or(&dir).to_path_buf());
        let listing = fs::read_dir(&dir).map_err(|source| unreadable(&dir, source))?;
        for entry in listing {
            let entry = entry.map_err(|source| unreadable(&dir, source))?;
            let (name, path) = (entry.file_name(), entry.path());
            if name == ".git" {
                continue;
            }
            if depth > MAX_DEPTH {
                return Err(TreeError::TooDeep { path });
            }
            let mut relative = prefix.clone();
            relative.extend_from_slice(name.as_encoded_bytes());
            let metadata = fs::symlink_metadata(&path).map_err(|source| unreadable(&path, source))?;
            if metadata.is_dir() {
                relative.push(b'/');
                open.push((path, relative, depth + 1));
                continue;
            }
            let kind = if metadata.is_file() {
                bytes = bytes.saturating_add(metadata.len());
                if bytes > MAX_BYTES {
                    return Err(TreeError::TooManyBytes { path });
                }
                EntryKind::File {
                    executable: is_executable(&metadata),
                    size: metadata.len(),
                }
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).map_err(|source| unreadable(&path, source))?;
                if !stays(&path, &target, root, &real_root) {
                    return Err(TreeError::EscapingLink { path, target });
                }
                EntryKind::Link(target)
            } else {
                return Err(TreeError::Special { path });
            };
            if entries.len() >= MAX_FILES {
                return Err(TreeError::TooManyFiles);
            }
            entries.push(TreeEntry { relative, path, kind });
        }
    }
    entries.sort_by(|one, other| one.relative.cmp(&other.relative));
    Ok((entries, directories))
}

fn unreadable(path: &Path, source: io::Error) -> TreeError {
    TreeError::Unreadable {
        path: path.to_path_buf(),
        source,
    }
}

/// Whether a link stays in the tree: as it is written, wherever the tree is moved, and as it is resolved here. One
/// that dangles inside the tree stays.
fn stays(link: &Path, target: &Path, root: &Path, real_root: &Path) -> bool {
    use std::path::Component;
    if target.is_absolute() {
        return false;
    }
    let inside = link.parent().and_then(|parent| parent.strip_prefix(root).ok());
    let mut depth = inside.map_or(0, |inside| inside.components().count());
    for component in target.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    link.canonicalize()
        .map_or(true, |real| real.starts_with(real_root))
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}

/// Both digests of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// `tree1:` and 64 hex digits: framed, with links and executable bits.
    pub tree1: String,
    /// 64 hex digits: the original's digest, unframed and of regular files only.
    pub unframed: String,
}

impl Digests {
    /// Whether a pin, as stated, is that of this tree: `tree1:` and hex, or the bare hex of the original's digest.
    #[must_use]
    pub fn matches(&self, pin: &str) -> bool {
        let pin = pin.trim();
        match pin.strip_prefix("tree1:") {
            Some(_) => pin.eq_ignore_ascii_case(&self.tree1),
            None => pin.eq_ignore_ascii_case(&self.unframed),
        }
    }
}

/// Makes both digests of listed entries in one pass, and shows each file's bytes to `see`.
///
/// # Errors
///
/// [`TreeError`] where a file cannot be read, or has another size than when it was listed.
pub fn digest(entries: &[TreeEntry], mut see: impl FnMut(&TreeEntry, &[u8])) -> Result<Digests, TreeError> {
    let mut framed = Sha256::new();
    let mut unframed = Sha256::new();
    for entry in entries {
        match &entry.kind {
            EntryKind::File { executable, size } => {
                let content = read(&entry.path, *size)?;
                frame(
                    &mut framed,
                    &entry.relative,
                    if *executable { b'x' } else { b'f' },
                    &content,
                );
                unframed.update(&entry.relative);
                unframed.update(&content);
                see(entry, &content);
            }
            EntryKind::Link(target) => {
                frame(
                    &mut framed,
                    &entry.relative,
                    b'l',
                    target.as_os_str().as_encoded_bytes(),
                );
            }
        }
    }
    Ok(Digests {
        tree1: format!("tree1:{}", hex(&framed.finalize())),
        unframed: hex(&unframed.finalize()),
    })
}

/// One entry of the framed digest: length of the path as 8 bytes, big end first; the path; one byte for what it is;
/// length of the content likewise; the content.
fn frame(hasher: &mut Sha256, path: &[u8], kind: u8, content: &[u8]) {
    let length = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes();
    hasher.update(length(path));
    hasher.update(path);
    hasher.update([kind]);
    hasher.update(length(content));
    hasher.update(content);
}

fn read(path: &Path, size: u64) -> Result<Vec<u8>, TreeError> {
    let open = |path| -> io::Result<(File, bool)> {
        let file = platform::open_without_following(path)?;
        let is_same = file.metadata()?.is_file();
        Ok((file, is_same))
    };
    let changed = || TreeError::Changed {
        path: path.to_path_buf(),
    };
    let (file, is_file) = open(path).map_err(|source| unreadable(path, source))?;
    let mut content = Vec::new();
    file.take(size.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(|source| unreadable(path, source))?;
    if !is_file || content.len() as u64 != size {
        return Err(changed());
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        dir
    }

    fn digests(dir: &Path) -> Digests {
        digest(&list(dir).unwrap(), |_, _| {}).unwrap()
    }

    /// Values made with another program: `printf` and `sha256sum`, as `docs/plugins.md` shows.
    #[test]
    fn digests_have_known_values() {
        let empty = tree(&[]);
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digests(empty.path()).tree1, format!("tree1:{nothing}"));
        assert_eq!(digests(empty.path()).unframed, nothing);
        let two = tree(&[("a/b.md", "one\n"), ("a-b", "two"), (".git/HEAD", "ref")]);
        assert_eq!(
            digests(two.path()).tree1,
            "tree1:21cec7e9cdc1b3eb9e591d594634c284b0a592454c0a8462e5da58590fdaf89c"
        );
        assert_eq!(
            digests(two.path()).unframed,
            "a16ce07d4de49d7eba6a490dbac4700340ff1f674e488ef1e6859f8a31c36c67"
        );
    }

    #[test]
    fn only_the_framed_digest_tells_where_a_name_ends() {
        let (one, other) = (tree(&[("ab", "c")]), tree(&[("a", "bc")]));
        assert_eq!(digests(one.path()).unframed, digests(other.path()).unframed);
        assert_ne!(digests(one.path()).tree1, digests(other.path()).tree1);
    }

    #[cfg(unix)]
    #[test]
    fn executable_bits_and_links_count() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tree(&[("run.sh", "x")]);
        let plain = digests(dir.path());
        fs::set_permissions(dir.path().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let executable = digests(dir.path());
        assert_ne!(plain.tree1, executable.tree1);
        assert_eq!(plain.unframed, executable.unframed);
        symlink("run.sh", dir.path().join("link")).unwrap();
        assert_ne!(digests(dir.path()).tree1, executable.tree1);
        symlink("../outside", dir.path().join("out")).unwrap();
        assert!(matches!(list(dir.path()), Err(TreeError::EscapingLink { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_are_refused_however_they_are_written() {
        use std::os::unix::fs::symlink;
        for target in ["/etc/passwd", "..", "../x", "d/../../x", "x/../../../y"] {
            let dir = tree(&[("d/f", "")]);
            symlink(target, dir.path().join("link")).unwrap();
            assert!(
                matches!(list(dir.path()), Err(TreeError::EscapingLink { .. })),
                "{target}"
            );
        }
        let dir = tree(&[("d/f", "")]);
        symlink("../d/f", dir.path().join("d/link")).unwrap();
        symlink("nothing", dir.path().join("dangling")).unwrap();
        assert_eq!(list(dir.path()).unwrap().len(), 3);
    }
}
