//! The upward walk, the git root that stops it, and the guard for names that are joined to paths.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ComponentNameError, DiscoveryConfig, DiscoveryError, platform, real_or_given};
use crate::host::{GitMark, HostProfile, WalkEnd, WalkSpec};
use crate::model::{Code, Diagnostic, Severity};

/// The most bytes that a name may have: the limit of the file systems in use.
pub const MAX_NAME_BYTES: usize = 255;

/// A `.git` file is one short line; no more of it is read.
const MAX_GIT_FILE: u64 = 16 * 1024;

/// Refuses a name that could leave the directory that it is joined to, before anything is touched.
///
/// ```
/// use aleph_discover::validate_path_component;
///
/// assert!(validate_path_component("aleph.jsonc").is_ok());
/// assert!(validate_path_component("a..b").is_ok());
/// assert!(validate_path_component("../secrets").is_err());
/// ```
///
/// # Errors
///
/// Says which: the empty name, NUL, `/`, `\`, `.`, `..`, or more than [`MAX_NAME_BYTES`].
pub fn validate_path_component(name: &str) -> Result<(), ComponentNameError> {
    if name.is_empty() {
        return Err(ComponentNameError::Empty);
    }
    if name.contains('\0') {
        return Err(ComponentNameError::Nul);
    }
    if let Some(separator) = name.chars().find(|character| matches!(character, '/' | '\\')) {
        return Err(ComponentNameError::Separator(separator));
    }
    match name {
        "." => return Err(ComponentNameError::Dots(".")),
        ".." => return Err(ComponentNameError::Dots("..")),
        _ => {}
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(ComponentNameError::TooLong(name.len()));
    }
    Ok(())
}

/// The directories from `start` upward to `stop`, both inclusive, nearest first; at most `max_depth` of them,
/// `start` counted. Without a stop, up to the filesystem root.
///
/// The start is canonicalized (taken as it is if that fails), and the stop is compared in its raw and in its
/// canonical form, since canonicalizing may succeed for one path and fail for the other.
#[must_use]
pub fn find_upward(start: &Path, stop: Option<&Path>, max_depth: usize) -> Vec<PathBuf> {
    let start = real_or_given(start);
    let canonical_stop = stop.and_then(|stop| stop.canonicalize().ok());
    upward(
        &start,
        |dir| stop == Some(dir) || canonical_stop.as_deref() == Some(dir),
        max_depth,
    )
}

fn upward(start: &Path, is_stop: impl Fn(&Path) -> bool, max_depth: usize) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for dir in start.ancestors().take(max_depth) {
        if dir.as_os_str().is_empty() {
            break;
        }
        dirs.push(dir.to_path_buf());
        if is_stop(dir) {
            break;
        }
    }
    dirs
}

/// Why the walk ended where it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WalkStop {
    /// The directory is the git root.
    GitRoot,
    /// There is nothing above it.
    FilesystemRoot,
    /// This host looks no further up without a repository.
    StartOnly,
    /// As many directories as asked for were looked at.
    DepthCap,
}

impl WalkStop {
    /// Every way to end.
    pub const ALL: [Self; 4] = [
        Self::GitRoot,
        Self::FilesystemRoot,
        Self::StartOnly,
        Self::DepthCap,
    ];

    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GitRoot => "git-root",
            Self::FilesystemRoot => "filesystem-root",
            Self::StartOnly => "start-only",
            Self::DepthCap => "depth-cap",
        }
    }
}

/// The upward walk of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The working directory: canonical, or raw where canonicalizing failed.
    pub start: PathBuf,
    /// The directories looked at, nearest first.
    pub dirs: Vec<PathBuf>,
    /// Why the last of them is the last; none where the walk is switched off or looks at none.
    pub stop: Option<WalkStop>,
    /// The nearest ancestor that git takes for a repository, the start included.
    pub git_root: Option<PathBuf>,
    /// Where the git root is a linked worktree: the main checkout.
    pub worktree_of: Option<PathBuf>,
    /// What was odd on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// False when a `.git` file could not be read.
    pub complete: bool,
}

impl Walk {
    /// Walks upward from the configured working directory.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::WorkingDirectory`] if that is missing, not a directory or closed to us.
    pub fn new(config: &DiscoveryConfig) -> Result<Self, DiscoveryError> {
        Self::of(&HostProfile::native().walk, config)
    }

    /// Walks upward from the configured working directory as a host does.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn of(spec: &WalkSpec, config: &DiscoveryConfig) -> Result<Self, DiscoveryError> {
        Self::with_marks(spec, &[".git"], config)
    }

    /// Walks upward as a host does that takes a directory with one of `marks` for the root of a repository.
    pub(super) fn with_marks(
        spec: &WalkSpec,
        marks: &[&str],
        config: &DiscoveryConfig,
    ) -> Result<Self, DiscoveryError> {
        let given = &config.working_dir;
        let refused = |source| DiscoveryError::WorkingDirectory {
            path: given.clone(),
            source,
        };
        let absolute = std::path::absolute(given).map_err(refused)?;
        if !fs::metadata(&absolute).map_err(refused)?.is_dir() {
            return Err(refused(std::io::ErrorKind::NotADirectory.into()));
        }
        // What may not be entered cannot be asked about: every path below it would be refused one by one.
        fs::symlink_metadata(absolute.join(".")).map_err(refused)?;
        let start = absolute.canonicalize().unwrap_or(absolute);

        let mut walk = Self {
            git_root: None,
            worktree_of: None,
            dirs: Vec::new(),
            stop: None,
            diagnostics: Vec::new(),
            complete: true,
            start,
        };
        match spec.git {
            GitMark::Strict => walk.find_git_root(),
            GitMark::Anything => walk.find_marked_root(marks),
            GitMark::NearestValid => {
                walk.find_marked_root(marks);
                walk.git_root = walk.git_root.take().filter(|root| is_repository(root));
            }
        }
        if config.scan_project_dirs {
            let ends_here = spec.without_git == WalkEnd::Start && walk.git_root.is_none();
            let start = walk.start.clone();
            let stop = if ends_here {
                Some(start)
            } else {
                walk.git_root.clone()
            };
            walk.climb(stop.as_deref(), config.max_upward_depth);
        }
        Ok(walk)
    }

    fn climb(&mut self, end: Option<&Path>, max_depth: usize) {
        // The start is as canonical as can be, and the end is one of its ancestors.
        self.dirs = upward(&self.start, |dir| end == Some(dir), max_depth);
        let last = self.dirs.last().unwrap_or(&self.start);
        let stop = if self.dirs.is_empty() {
            WalkStop::DepthCap
        } else if self.git_root.as_deref() == Some(last) {
            WalkStop::GitRoot
        } else if end == Some(last) {
            WalkStop::StartOnly
        } else if last.parent().is_none() {
            WalkStop::FilesystemRoot
        } else {
            WalkStop::DepthCap
        };
        if stop == WalkStop::DepthCap {
            let goal = match &self.git_root {
                Some(root) => format!("the git root {}", root.display()),
                None => "the top of the file system".to_owned(),
            };
            self.diagnostics.push(
                Diagnostic::new(
                    Code::DepthCap,
                    Severity::Warning,
                    format!("the walk stopped after {max_depth} directories, before {goal}; nothing above was looked at"),
                )
                .with_path(last)
                .with_help("raise --max-depth to look further up"),
            );
        }
        self.stop = Some(stop);
    }

    /// The nearest directory that has one of the marks, whatever the mark is.
    fn find_marked_root(&mut self, marks: &[&str]) {
        let start = self.start.clone();
        let is_marked = |dir: &&Path| marks.iter().any(|mark| fs::metadata(dir.join(mark)).is_ok());
        let Some(root) = start.ancestors().find(is_marked) else {
            return;
        };
        self.git_root = Some(root.to_path_buf());
        let git = root.join(".git");
        if fs::symlink_metadata(&git).is_ok_and(|metadata| metadata.is_file()) {
            self.is_git_link(root, &git);
        }
    }

    fn find_git_root(&mut self) {
        let start = self.start.clone();
        for dir in start.ancestors() {
            let git = dir.join(".git");
            let Ok(metadata) = fs::symlink_metadata(&git) else {
                continue;
            };
            // A link never makes a directory the root: it could point at any repository.
            if metadata.is_dir() || (metadata.is_file() && self.is_git_link(dir, &git)) {
                self.git_root = Some(dir.to_path_buf());
                return;
            }
        }
    }

    /// Whether a `.git` file is that of a worktree or submodule; notes the main checkout of a worktree.
    fn is_git_link(&mut self, dir: &Path, git: &Path) -> bool {
        let text = match read_git_file(git) {
            Ok(text) => text,
            Err(error) => {
                self.complete = false;
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::Unreadable,
                        Severity::Error,
                        format!("cannot read this .git file: {error}"),
                    )
                    .with_path(git)
                    .with_help("the directory is taken for the git root; make the file readable to be sure"),
                );
                return true;
            }
        };
        let Some(target) = text
            .strip_prefix("gitdir:")
            .map(str::trim)
            .filter(|target| !target.is_empty())
        else {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::GitFileMalformed,
                    Severity::Warning,
                    "this .git file does not begin with `gitdir:`, so its directory is not taken for a git root",
                )
                .with_path(git)
                .with_help("repair or remove the file"),
            );
            return false;
        };
        let target = dir.join(target);
        if !target.is_dir() {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::GitLinkBroken,
                    Severity::Warning,
                    format!(
                        "this .git file points at {}, which is not a directory",
                        target.display()
                    ),
                )
                .with_path(git)
                .with_help(
                    "the directory still counts as the git root; `git worktree repair` mends the link",
                ),
            );
        }
        self.worktree_of = main_checkout(&target);
        true
    }
}

/// Whether git itself would take a directory for the root of a repository or worktree.
fn is_repository(root: &Path) -> bool {
    let git = root.join(".git");
    let git_dir = if git.is_file() {
        let text = read_git_file(&git).unwrap_or_default();
        match text.strip_prefix("gitdir:") {
            Some(target) => root.join(target.trim()),
            None => return false,
        }
    } else {
        git
    };
    git_dir.join("HEAD").is_file()
        && (git_dir.join("objects").is_dir() || git_dir.join("commondir").is_file())
}

fn read_git_file(path: &Path) -> std::io::Result<String> {
    let file = platform::open_without_following(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_GIT_FILE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The main checkout of a worktree whose administrative directory is `<main>/.git/worktrees/<name>`. None for
/// a submodule, whose directory is below `.git/modules`, and for a bare main repository.
fn main_checkout(git_dir: &Path) -> Option<PathBuf> {
    let git_dir = real_or_given(git_dir);
    let worktrees = git_dir.parent().filter(|parent| parent.ends_with("worktrees"))?;
    let common = worktrees.parent()?;
    let name = common.file_name()?;
    if name == ".git" {
        Some(common.parent()?.to_path_buf())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_their_directory_are_refused_with_the_reason() {
        for (name, error) in [
            ("", ComponentNameError::Empty),
            ("a\0b", ComponentNameError::Nul),
            ("a/b", ComponentNameError::Separator('/')),
            ("/etc", ComponentNameError::Separator('/')),
            ("a\\b", ComponentNameError::Separator('\\')),
            (".", ComponentNameError::Dots(".")),
            ("..", ComponentNameError::Dots("..")),
            (&"x".repeat(256), ComponentNameError::TooLong(256)),
        ] {
            assert_eq!(validate_path_component(name), Err(error), "{name:?}");
        }
        for name in ["a..b", "..a", "a..", ".mcp.json", " ", "x y", &"x".repeat(255)] {
            assert_eq!(validate_path_component(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn the_walk_counts_the_start_and_includes_the_stop() {
        let tree = tempfile::tempdir().unwrap();
        let top = tree.path().canonicalize().unwrap();
        let deep = top.join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(
            find_upward(&deep, Some(&top.join("a")), 10),
            [deep.clone(), top.join("a/b"), top.join("a")]
        );
        assert_eq!(find_upward(&deep, Some(&top), 2), [deep.clone(), top.join("a/b")]);
        assert_eq!(find_upward(&deep, Some(&top), 0), Vec::<PathBuf>::new());
        assert_eq!(find_upward(&deep, None, 100).last().unwrap(), Path::new("/"));
    }

    #[cfg(unix)]
    #[test]
    fn a_stop_given_through_a_link_still_stops() {
        let tree = tempfile::tempdir().unwrap();
        let top = tree.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("real/sub")).unwrap();
        std::os::unix::fs::symlink(top.join("real"), top.join("link")).unwrap();
        assert_eq!(
            find_upward(&top.join("link/sub"), Some(&top.join("link")), 10).len(),
            2
        );
    }
}
