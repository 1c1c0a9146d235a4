//! Real paths: of directories that stand side by side, and of what may not be there.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::platform;

/// Where a path really is; as it is given where that cannot be known.
pub(crate) fn real_or_given(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A path without `.` and `..`, by its text alone: links on the way are not followed.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Finds out real paths, and remembers that of the last parent: it takes the system a look at every component of
/// a path, and the component directories of a root share all but the last.
#[derive(Debug, Default)]
pub(super) struct RealPaths {
    /// A directory, and its real path.
    parent: Option<(PathBuf, PathBuf)>,
}

impl RealPaths {
    /// The real path of a directory.
    pub(super) fn of(&mut self, dir: &Path) -> Option<PathBuf> {
        self.by_parent(dir).or_else(|| dir.canonicalize().ok())
    }

    fn by_parent(&mut self, dir: &Path) -> Option<PathBuf> {
        let (parent, name) = (dir.parent()?, dir.file_name()?);
        if !platform::REAL_NAMES_ARE_GIVEN_NAMES
            || !dir.is_absolute()
            || !fs::symlink_metadata(dir).ok()?.is_dir()
        {
            return None;
        }
        if self.parent.as_ref().is_none_or(|(known, _)| known != parent) {
            self.parent = Some((parent.to_path_buf(), parent.canonicalize().ok()?));
        }
        let (_, real) = self.parent.as_ref()?;
        Some(real.join(name))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn are_what_the_system_says() {
        let tree = tempfile::tempdir().unwrap();
        let top = tree.path();
        fs::create_dir_all(top.join("real/skills")).unwrap();
        fs::create_dir_all(top.join("real/agents")).unwrap();
        std::os::unix::fs::symlink("real", top.join("link")).unwrap();
        std::os::unix::fs::symlink("agents", top.join("real/commands")).unwrap();
        let mut real_paths = RealPaths::default();
        for dir in [
            "real/skills",
            "real/agents",
            "link/skills",
            "link/commands",
            "link/./agents",
            "real/../link",
            "real/..",
            "real/skills/.",
            "nowhere/skills",
        ] {
            let dir = top.join(dir);
            assert_eq!(real_paths.of(&dir), dir.canonicalize().ok(), "{}", dir.display());
        }
        let relative = Path::new("src");
        assert_eq!(real_paths.of(relative), relative.canonicalize().ok());
    }
}
