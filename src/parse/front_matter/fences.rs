//! Where front matter begins and ends in a file.

use std::ops::Range;

use crate::host::Fences;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How far the front matter of a file reaches in the bytes read so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The first line is not a fence: there is no front matter, and nothing more needs to be read.
    Absent,
    /// Not decided yet: read on. Given only while there is more of the file to come.
    NeedMore,
    /// Opened and closed.
    Closed {
        /// Byte range of the YAML between the fences, line end included.
        yaml: Range<usize>,
        /// 1-based line of the file on which that YAML begins.
        first_line: u32,
    },
    /// Opened, but the file ends without a closing fence.
    Unclosed,
}

/// What an earlier look at a shorter buffer has settled, so that no byte is looked at twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Offset of the first byte after the opening fence's line, once that line is known.
    yaml_start: Option<usize>,
    /// Offset at which the line begins that has not been seen whole.
    line_start: usize,
    /// Offset up to which that line is known to have no line end.
    searched: usize,
}

/// Finds the front matter in the first bytes of a file; `at_end` says that the bytes are the whole file.
///
/// A fence is a line `---` at its first column, blanks and tabs after it allowed; `...` closes too. Lines
/// end with LF or CRLF. A UTF-8 byte order mark may precede the opening fence. (discovery.md, section 4)
#[must_use]
pub fn extent(bytes: &[u8], at_end: bool) -> Extent {
    extent_from(bytes, at_end, &mut Cursor::default())
}

/// Like [`extent`], going on from where the same cursor stopped in a shorter beginning of the same file.
#[must_use]
pub fn extent_from(bytes: &[u8], at_end: bool, cursor: &mut Cursor) -> Extent {
    find(bytes, at_end, cursor, Fences::NATIVE)
}

/// Like [`extent`], for a host that tells fences in its own way.
#[must_use]
pub fn extent_between(bytes: &[u8], at_end: bool, fences: Fences) -> Extent {
    find(bytes, at_end, &mut Cursor::default(), fences)
}

fn find(bytes: &[u8], at_end: bool, cursor: &mut Cursor, fences: Fences) -> Extent {
    loop {
        let line_end = bytes
            .get(cursor.searched..)
            .and_then(|rest| rest.iter().position(|byte| *byte == b'\n'))
            .map(|found| cursor.searched + found);
        let line = bytes
            .get(cursor.line_start..line_end.unwrap_or(bytes.len()))
            .unwrap_or_default();
        let whole = line_end.is_some() || at_end;
        match cursor.yaml_start {
            None => match opening(line, whole, fences) {
                Opening::No => return Extent::Absent,
                Opening::Undecided => return Extent::NeedMore,
                Opening::Yes => {}
            },
            Some(start) if fences.anywhere => {
                if let Some(at) = line.windows(3).position(|three| three == b"---") {
                    return Extent::Closed {
                        yaml: start..cursor.line_start + at,
                        first_line: 2,
                    };
                }
            }
            Some(start) if whole && closes(line, fences) => {
                return Extent::Closed {
                    yaml: start..cursor.line_start,
                    // The opening fence is always the first line.
                    first_line: 2,
                };
            }
            Some(_) => {}
        }
        let Some(line_end) = line_end else {
            cursor.searched = bytes.len();
            return match cursor.yaml_start {
                _ if !at_end => Extent::NeedMore,
                Some(start) if fences.open_end => Extent::Closed {
                    yaml: start..bytes.len(),
                    first_line: 2,
                },
                _ => Extent::Unclosed,
            };
        };
        let next = line_end + 1;
        cursor.yaml_start.get_or_insert(next);
        cursor.line_start = next;
        cursor.searched = next;
    }
}

enum Opening {
    Yes,
    No,
    Undecided,
}

/// Judges the first line, which may not be there as a whole yet.
fn opening(line: &[u8], whole: bool, fences: Fences) -> Opening {
    let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if whole {
        return if opens(text, fences) {
            Opening::Yes
        } else {
            Opening::No
        };
    }
    let shown = if fences.indented {
        text.trim_ascii_start()
    } else {
        text
    };
    let fence_begun = b"---".starts_with(shown) || opens(text, fences);
    if fence_begun || BYTE_ORDER_MARK.starts_with(text) {
        Opening::Undecided
    } else {
        Opening::No
    }
}

/// Whether a line without its LF opens front matter.
fn opens(line: &[u8], fences: Fences) -> bool {
    match after_fence(line, b"---", fences) {
        Some(rest) if fences.padded => rest.iter().all(is_blank),
        Some(rest) => rest.is_empty(),
        None => false,
    }
}

/// Whether a line without its LF closes front matter.
fn closes(line: &[u8], fences: Fences) -> bool {
    match after_fence(line, b"---", fences) {
        Some(rest) => fences.longer || rest.iter().all(is_blank),
        None => {
            fences.dots && after_fence(line, b"...", fences).is_some_and(|rest| rest.iter().all(is_blank))
        }
    }
}

/// What follows a fence in its line, where there is one.
fn after_fence<'a>(line: &'a [u8], fence: &[u8], fences: Fences) -> Option<&'a [u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = if fences.indented {
        line.trim_ascii_start()
    } else {
        line
    };
    line.strip_prefix(fence)
}

const fn is_blank(byte: &u8) -> bool {
    matches!(*byte, b' ' | b'\t')
}
