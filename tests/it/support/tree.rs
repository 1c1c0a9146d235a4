//! Small trees of files, described in text.
//!
//! ```text
//! -- project/.aleph/skills/deploy/SKILL.md --      a file, its content on the lines below
//! -- project/.git/ --                              a directory
//! -- project/link -> ../elsewhere --               a symbolic link
//! -- project/b.md => project/a.md --               a hard link
//! -- project/x.md mode=000 --                      permissions, also of a directory; set last
//! -- project/x.md fifo --                          a named pipe
//! -- project/x.md socket --                        a socket
//! -- project/x.md base64 --                        content in base64
//! -- project/x.md raw --                           content without the last line end
//! ```
//!
//! `%0A` in a path is the byte 0x0A. `[ROOT]` in contents and link targets is the tree's own root.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;

use base64::Engine;
use rustix::fs::Mode;
use rustix::process::umask;
use tempfile::TempDir;

use super::place::temporary;

/// A tree on disk that is removed when dropped; it always has a `home` and a `project`.
pub(crate) struct Tree {
    root: PathBuf,
    closed: Vec<PathBuf>,
    _dir: TempDir,
}

/// One section of a description.
#[derive(Debug, Default)]
struct Section {
    path: String,
    words: Vec<String>,
    lines: Vec<String>,
}

impl Tree {
    /// Lays out what `text` describes.
    pub(crate) fn new(text: &str) -> Self {
        let mut tree = Self::below(&temporary());
        tree.add(text);
        tree
    }

    /// An empty tree for tens of thousands of files: in memory where there is room.
    pub(crate) fn large() -> Self {
        let memory = Path::new("/dev/shm");
        // Kibibytes available are in the fourth column of the second line.
        let df = Command::new("df").arg("-Pk").arg(memory).output();
        let room = df.ok().and_then(|df| {
            let text = String::from_utf8(df.stdout).ok()?;
            text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
        });
        match room {
            Some(1_000_000_u64..) => Self::below(memory),
            _ => Self::below(&temporary()),
        }
    }

    fn below(place: &Path) -> Self {
        // What is written has the permissions that it usually has, whoever runs the tests.
        static MASK: Once = Once::new();
        MASK.call_once(|| {
            umask(Mode::from_raw_mode(0o022));
        });
        let dir = TempDir::new_in(place).expect("a temporary directory");
        // Users without rights must be able to come in.
        set_mode(dir.path(), 0o755);
        let root = dir
            .path()
            .canonicalize()
            .expect("the temporary directory is there");
        let mut tree = Self {
            root,
            closed: Vec::new(),
            _dir: dir,
        };
        tree.add("-- home/ --\n-- project/ --");
        tree
    }

    /// The same, with `project` being a git repository, so that the walk ends there.
    pub(crate) fn in_git(text: &str) -> Self {
        let mut tree = Self::new("-- project/.git/ --");
        tree.add(text);
        tree
    }

    /// Adds what `text` describes to the tree.
    pub(crate) fn add(&mut self, text: &str) {
        let sections = parse(text);
        for section in &sections {
            self.lay(section);
        }
        // Links are last, so that nothing is written through one; then permissions, children first.
        for section in &sections {
            self.link(section);
        }
        let mut modes: Vec<(PathBuf, u32)> = sections
            .iter()
            .filter_map(|section| Some((self.path(&section.path), section.mode()?)))
            .collect();
        modes.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
        for (path, mode) in modes {
            set_mode(&path, mode);
            self.closed.push(path);
        }
    }

    /// Writes a file with any bytes.
    pub(crate) fn write(&mut self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        self.make_parent(&path);
        fs::write(&path, bytes).expect("the file can be written");
        set_mode(&path, 0o644);
    }

    /// The tree's root, with symbolic links resolved.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The path of something in the tree; `%XX` stands for a byte.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let bytes = unescape(path.trim_end_matches('/'));
        self.root.join(OsString::from_vec(bytes))
    }

    /// The same as text, for arguments.
    pub(crate) fn text(&self, path: &str) -> String {
        let path = self.path(path);
        path.to_str().expect("a path that is UTF-8").to_owned()
    }

    fn lay(&self, section: &Section) {
        if section.is_link() {
            return;
        }
        let path = self.path(&section.path);
        if section.path.ends_with('/') {
            self.make_dir(&path);
            return;
        }
        self.make_parent(&path);
        if section.has("fifo") {
            let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
            assert!(made.success(), "mkfifo {}", path.display());
        } else if section.has("socket") {
            drop(UnixListener::bind(&path).expect("a socket can be bound"));
        } else if section.mode().is_some_and(|mode| mode & 0o111 != 0) {
            write_program(&path, &section.content(&self.root));
        } else {
            fs::write(&path, section.content(&self.root)).expect("the file can be written");
            set_mode(&path, 0o644);
        }
    }

    fn link(&self, section: &Section) {
        let Some((how, target)) = section.target() else {
            return;
        };
        let path = self.path(&section.path);
        self.make_parent(&path);
        if how == "=>" {
            fs::hard_link(self.path(target), &path).expect("a hard link can be made");
        } else {
            let target = target.replace("[ROOT]", self.root.to_str().expect("the root is UTF-8"));
            std::os::unix::fs::symlink(target, &path).expect("a symbolic link can be made");
        }
    }

    fn make_parent(&self, path: &Path) {
        self.make_dir(path.parent().expect("everything lies in the tree"));
    }

    fn make_dir(&self, path: &Path) {
        fs::create_dir_all(path).expect("the directory can be made");
        // Users without rights must be able to come in.
        for dir in path.ancestors().take_while(|dir| *dir != self.root) {
            set_mode(dir, 0o755);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Outer directories first: what lies inside cannot be reached before.
        self.closed.sort();
        for path in &self.closed {
            if path.is_dir() {
                set_mode(path, 0o755);
            }
        }
    }
}

impl Section {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    fn is_link(&self) -> bool {
        self.target().is_some()
    }

    fn target(&self) -> Option<(&str, &str)> {
        match self.words.as_slice() {
            [how, target] if how == "->" || how == "=>" => Some((how, target)),
            _ => None,
        }
    }

    fn mode(&self) -> Option<u32> {
        let digits = self.words.iter().find_map(|word| word.strip_prefix("mode="))?;
        Some(u32::from_str_radix(digits, 8).expect("mode= takes octal digits"))
    }

    fn content(&self, root: &Path) -> Vec<u8> {
        let mut text = self.lines.join("\n");
        if self.has("base64") {
            return base64::engine::general_purpose::STANDARD
                .decode(text.trim())
                .expect("base64 content");
        }
        if !self.lines.is_empty() && !self.has("raw") {
            text.push('\n');
        }
        text.replace("[ROOT]", root.to_str().expect("the root is UTF-8"))
            .into_bytes()
    }
}

fn parse(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
    {
        if let Some(head) = line.strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
            sections.push(header(head));
        } else if let Some(section) = sections.last_mut() {
            section.lines.push(line.to_owned());
        } else {
            assert!(line.trim().is_empty(), "text before the first section: {line:?}");
        }
    }
    // The line end before a closing quote is not a line of its own.
    if let Some(last) = sections.last_mut()
        && last.lines.last().is_some_and(String::is_empty)
    {
        last.lines.pop();
    }
    sections
}

fn header(head: &str) -> Section {
    for how in ["->", "=>"] {
        if let Some((path, target)) = head.split_once(&format!(" {how} ")) {
            return Section {
                path: path.to_owned(),
                words: vec![how.to_owned(), target.to_owned()],
                lines: Vec::new(),
            };
        }
    }
    let mut path = head;
    let mut words = Vec::new();
    while let Some((rest, word)) = path.rsplit_once(' ') {
        if !matches!(word, "fifo" | "socket" | "base64" | "raw") && !word.starts_with("mode=") {
            break;
        }
        words.push(word.to_owned());
        path = rest;
    }
    Section {
        path: path.to_owned(),
        words,
        lines: Vec::new(),
    }
}

fn unescape(path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first == b'%' {
            let (digits, tail) = tail.split_at(2);
            let digits = std::str::from_utf8(digits).expect("two hexadecimal digits after %");
            bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits after %"));
            rest = tail;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    bytes
}

/// Writes a file that can be started at once. Were it written by this process, every program that a test beside this one
/// is about to start would have a copy of the open file until it runs, and the system starts none that is open for
/// writing.
fn write_program(path: &Path, bytes: &[u8]) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("there is sh");
    let mut input = writer.stdin.take().expect("it is piped");
    input.write_all(bytes).expect("it is read");
    drop(input);
    assert!(writer.wait().expect("it ends").success(), "{}", path.display());
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .unwrap_or_else(|error| panic!("permissions of {}: {error}", path.display()));
}

/// The description language does what its table says.
#[test]
fn a_description_becomes_the_tree_it_describes() {
    let mut tree = Tree::new(
        "
-- project/a.md --
one

two
-- project/b.md raw --
no end
-- project/empty.md --
-- project/c%0Ad.md base64 --
AAEC
-- project/hard.md => project/a.md --
-- project/soft -> ../home --
-- project/abs.md -> [ROOT]/project/a.md --
-- project/pipe fifo --
-- project/closed/x.md mode=640 --
in
-- project/closed/ mode=500 --
",
    );
    let read = |path: &str| fs::read(tree.path(path)).expect("the file is there");
    assert_eq!(read("project/a.md"), b"one\n\ntwo\n");
    assert_eq!(read("project/b.md"), b"no end");
    assert_eq!(read("project/empty.md"), b"");
    assert_eq!(read("project/c%0Ad.md"), [0, 1, 2]);
    assert_eq!(read("project/hard.md"), b"one\n\ntwo\n");
    assert_eq!(read("project/abs.md"), b"one\n\ntwo\n");
    assert_eq!(
        fs::read_link(tree.path("project/soft")).expect("a link"),
        Path::new("../home")
    );
    let mode = |path: &str| {
        let found = fs::symlink_metadata(tree.path(path)).expect("it is there");
        found.permissions().mode() & 0o7777
    };
    assert_eq!(mode("project/closed"), 0o500);
    assert_eq!(mode("project/closed/x.md"), 0o640);
    assert!(tree.path("home").is_dir());
    let root = tree.root().to_path_buf();
    tree.write("project/new/file", "text");
    assert_eq!(fs::read(root.join("project/new/file")).expect("written"), b"text");
    drop(tree);
    assert!(!root.exists(), "the tree is removed, closed directories too");
}
