//! The skeletons of real repositories that lie beside the package, and their unpacking.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// Where the skeletons lie; None where they are not at hand.
pub(crate) fn folder() -> Option<PathBuf> {
    let shared = match std::env::var_os("ALEPH_DISCOVER_SHARED") {
        Some(shared) => PathBuf::from(shared),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let corpus = shared.join("corpus");
    corpus.is_dir().then_some(corpus)
}

/// The names of all skeletons, `OWNER+NAME`.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the corpus can be listed")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter_map(|name| name.strip_suffix(".txt.gz").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Lays a skeleton out under a directory that is made for it.
pub(crate) fn unpack(folder: &Path, name: &str, to: &Path) {
    let file = fs::File::open(folder.join(format!("{name}.txt.gz"))).expect("the skeleton is there");
    let mut text = Vec::new();
    GzDecoder::new(file)
        .read_to_end(&mut text)
        .unwrap_or_else(|error| panic!("{name} cannot be unpacked: {error}"));
    lay_out(&text, to);
}

/// Sections: `-- path --` a file, `-- path/ --` an empty directory, `-- path -> target --` a link. A content
/// line that begins with a backslash has one too many; `\ no newline` ends a file without a line end.
fn lay_out(text: &[u8], to: &Path) {
    fs::create_dir_all(to).expect("the directory can be made");
    let mut links: Vec<(&[u8], &[u8])> = Vec::new();
    let mut file: Option<(&[u8], Vec<&[u8]>)> = None;
    for line in text
        .strip_suffix(b"\n")
        .unwrap_or(text)
        .split(|byte| *byte == b'\n')
    {
        let head = line
            .strip_prefix(b"-- ")
            .and_then(|rest| rest.strip_suffix(b" --"));
        let Some(head) = head.filter(|head| !head.is_empty()) else {
            if let Some((_, lines)) = &mut file {
                lines.push(line);
            }
            continue;
        };
        write_file(to, file.take());
        if let Some(at) = head.windows(4).position(|part| part == b" -> ") {
            links.push((&head[..at], &head[at + 4..]));
        } else if let Some(dir) = head.strip_suffix(b"/") {
            fs::create_dir_all(inside(to, dir)).expect("the directory can be made");
        } else {
            file = Some((head, Vec::new()));
        }
    }
    write_file(to, file);
    // Links are last, so that no file is written through one.
    for (path, target) in links {
        let path = inside(to, path);
        make_parent(&path);
        std::os::unix::fs::symlink(OsStr::from_bytes(target), path).expect("the link can be made");
    }
}

fn write_file(to: &Path, file: Option<(&[u8], Vec<&[u8]>)>) {
    let Some((path, mut lines)) = file else {
        return;
    };
    let ends = lines.pop_if(|last| *last == b"\\ no newline").is_none();
    let lines: Vec<&[u8]> = lines
        .into_iter()
        .map(|line| line.strip_prefix(b"\\").unwrap_or(line))
        .collect();
    let mut content = lines.join(&b'\n');
    if ends && !lines.is_empty() {
        content.push(b'\n');
    }
    let path = inside(to, path);
    make_parent(&path);
    fs::write(path, content).expect("the file can be written");
}

fn inside(to: &Path, path: &[u8]) -> PathBuf {
    let safe = path
        .split(|byte| *byte == b'/')
        .all(|part| !part.is_empty() && part != b"..");
    assert!(
        safe,
        "a path that leaves the skeleton: {}",
        String::from_utf8_lossy(path)
    );
    to.join(OsStr::from_bytes(path))
}

fn make_parent(path: &Path) {
    let parent = path.parent().expect("everything lies in the skeleton");
    fs::create_dir_all(parent).expect("the directory can be made");
}

/// Every form of section is laid out as the format says.
#[test]
fn sections_become_files_directories_and_links() {
    let dir = tempfile::TempDir::new().expect("a temporary directory");
    let to = dir.path().join("out");
    lay_out(
        b"-- a/b.md --\none\n\\-- not a header --\n\\\\x\n-- a/c.md --\nno end\n\\ no newline\n\
          -- empty --\n-- d/ --\n-- l -> a/b.md --\n-- last --\n\n",
        &to,
    );
    let read = |path: &str| fs::read(to.join(path)).expect("the file is there");
    assert_eq!(read("a/b.md"), b"one\n-- not a header --\n\\x\n");
    assert_eq!(read("a/c.md"), b"no end");
    assert_eq!(read("empty"), b"");
    assert_eq!(read("last"), b"\n");
    assert!(to.join("d").is_dir());
    assert_eq!(fs::read_link(to.join("l")).expect("a link"), Path::new("a/b.md"));
}
