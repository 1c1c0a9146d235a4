//! The least that any program must do that shows the same components: find the files and read, or also parse,
//! their front matter. No roots, no order of precedence, no diagnosis, nothing kept.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use serde_saphyr::granit_parser::{Event, Parser};
use walkdir::WalkDir;

/// How much is done with each file's front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// It is read to its closing fence.
    Read,
    /// It is parsed too, with the YAML parser that a scan uses.
    Parse,
}

/// What a walker counts, so that nothing it does can be optimised away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Files met.
    pub(crate) files: usize,
    /// Bytes of front matter.
    pub(crate) bytes: usize,
    /// Keys and values parsed.
    pub(crate) scalars: usize,
}

/// Walks component directories; what cannot be read is left out.
pub(crate) fn walk(dirs: &[PathBuf], depth: Depth) -> Sum {
    let mut sum = Sum::default();
    let mut buffer = Vec::with_capacity(64 * 1024);
    for dir in dirs {
        let entries = WalkDir::new(dir).min_depth(1).max_depth(2);
        for entry in entries.into_iter().filter_map(Result::ok) {
            let is_markdown = entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "md");
            if !is_markdown || !entry.file_type().is_file() {
                continue;
            }
            let Some(yaml) = File::open(entry.path())
                .ok()
                .and_then(|file| front_matter(file, &mut buffer))
            else {
                continue;
            };
            sum.files += 1;
            sum.bytes += yaml.len();
            if depth == Depth::Parse {
                let parser = Parser::new_from_str(yaml);
                sum.scalars += parser
                    .filter(|event| matches!(event, Ok((Event::Scalar(..), _))))
                    .count();
            }
        }
    }
    sum
}

/// Reads a file up to its closing fence.
fn front_matter(mut file: File, buffer: &mut Vec<u8>) -> Option<&str> {
    const PIECE: usize = 4 * 1024;
    const FENCE: &[u8] = b"\n---\n";
    buffer.clear();
    let end = loop {
        let filled = buffer.len();
        buffer.resize(filled + PIECE, 0);
        let read = file.read(buffer.get_mut(filled..)?).ok()?;
        buffer.truncate(filled + read);
        let found = buffer.windows(FENCE.len()).position(|window| window == FENCE);
        match found {
            Some(end) => break end + 1,
            None if read == 0 => return None,
            None => {}
        }
    };
    let text = std::str::from_utf8(buffer.get(..end)?).ok()?;
    text.strip_prefix("---\n")
}
