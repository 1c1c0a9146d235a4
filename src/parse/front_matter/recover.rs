//! Reading name and description line by line from YAML that is not valid.
//!
//! In real trees one command in ten has such front matter, mostly for a value of another key, and its author
//! still gave it a name. What is read here never makes an entry valid.

use super::lines::{Entry, after_brackets, entry, is_blank, is_comment_or_blank, is_indented, lines, quoted};
use super::scalar::{ScalarKind, plain_kind};

/// What could be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Recovered {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
}

/// Reads the first `name` and the first `description` that are not indented.
pub(super) fn recover(text: &str) -> Recovered {
    let mut recovered = Recovered::default();
    let (mut name_seen, mut description_seen) = (false, false);
    let mut rest = lines(text).peekable();
    while let Some(line) = rest.next() {
        if is_indented(line) {
            continue;
        }
        let Some(Entry { key, value, .. }) = entry(line) else {
            continue;
        };
        let (seen, slot) = match key {
            "name" => (&mut name_seen, &mut recovered.name),
            "description" => (&mut description_seen, &mut recovered.description),
            _ => continue,
        };
        if std::mem::replace(seen, true) {
            continue;
        }
        // A name is short: an indented `key: value` below it is a key that slipped, not more of the name.
        let plain_name = key == "name" && !value.is_empty() && block_header(value).is_none();
        let mut more = Vec::new();
        while let Some(line) =
            rest.next_if(|line| is_blank(line) || (is_indented(line) && !(plain_name && is_collection(line))))
        {
            more.push(line);
        }
        *slot = value_text(value, &more);
    }
    recovered
}

/// The text of a value that begins on its key's line and goes on in indented lines.
fn value_text(first: &str, more: &[&str]) -> Option<String> {
    if let Some(header) = block_header(first) {
        return Some(block_text(header, more));
    }
    if first.is_empty()
        && more
            .iter()
            .find(|line| !is_blank(line))
            .is_some_and(|line| is_collection(line))
    {
        return None;
    }
    let is_quoted = first.starts_with(['"', '\'']);
    let text = folded(first, more, !is_quoted);
    if let Some((quote, inner, after)) = quoted(&text)
        && is_comment_or_blank(after)
    {
        return Some(match quote {
            '"' => unescape(inner),
            _ => inner.replace("''", "'"),
        });
    }
    if after_brackets(&text).is_some_and(is_comment_or_blank) && text.starts_with(['[', '{']) {
        return None;
    }
    // A quote that is never closed: what follows it is still what the author meant.
    let unquoted = match quoted(&text) {
        None if is_quoted => text.get(1..).unwrap_or_default(),
        _ => &*text,
    };
    (is_quoted || plain_kind(unquoted) != ScalarKind::Null).then(|| unquoted.to_owned())
}

/// Whether a line begins a nested list or mapping rather than text.
fn is_collection(line: &str) -> bool {
    let body = line.trim_matches([' ', '\t']);
    let key_like = |key: &str| {
        !key.is_empty()
            && key
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    body == "-" || body.starts_with("- ") || entry(body).is_some_and(|entry| key_like(entry.key))
}

/// Joins the lines of a plain or quoted value: one line end becomes a blank, each further one stays.
fn folded(first: &str, more: &[&str], plain: bool) -> String {
    let mut text = String::new();
    let mut breaks = 0usize;
    for line in std::iter::once(&first).chain(more) {
        let mut line = line.trim_matches([' ', '\t']);
        let mut ends_here = false;
        if plain {
            // In plain text a comment ends the value.
            let comment = line.match_indices('#').map(|(at, _)| at).find(|at| {
                at.checked_sub(1)
                    .is_none_or(|before| matches!(line.as_bytes().get(before), Some(b' ' | b'\t')))
            });
            if let Some(at) = comment {
                line = line.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
                ends_here = true;
            }
        }
        if line.is_empty() {
            breaks += 1;
        } else {
            if !text.is_empty() {
                match breaks {
                    0 => text.push(' '),
                    more => text.extend(std::iter::repeat_n('\n', more)),
                }
            }
            breaks = 0;
            text.push_str(line);
        }
        if ends_here {
            break;
        }
    }
    text
}

/// How a block scalar is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockHeader {
    folded: bool,
    /// `-` strips all line ends at the end, `+` keeps all, neither keeps one.
    chomping: Option<char>,
    indent: Option<usize>,
}

/// Reads `|`, `>-`, `|2+` and the like; a value that is something else gives nothing.
fn block_header(value: &str) -> Option<BlockHeader> {
    let (folded, rest) = match value.strip_prefix('|') {
        Some(rest) => (false, rest),
        None => (true, value.strip_prefix('>')?),
    };
    let (indicators, comment) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    if !is_comment_or_blank(comment) || indicators.len() > 2 {
        return None;
    }
    let mut header = BlockHeader {
        folded,
        chomping: None,
        indent: None,
    };
    for indicator in indicators.chars() {
        match indicator {
            '-' | '+' if header.chomping.is_none() => header.chomping = Some(indicator),
            '1'..='9' if header.indent.is_none() => {
                header.indent = indicator.to_digit(10).map(|digit| digit as usize);
            }
            _ => return None,
        }
    }
    Some(header)
}

fn block_text(header: BlockHeader, more: &[&str]) -> String {
    let blanks_before = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let indent = header.indent.unwrap_or_else(|| {
        more.iter()
            .find(|line| !is_blank(line))
            .map_or(0, |line| blanks_before(line))
    });
    let mut text = String::new();
    // Line ends since the last line that is not empty, and whether that line was indented further.
    let mut breaks = 0usize;
    let mut was_deeper = false;
    let mut begun = false;
    for line in more {
        // Blanks are one byte each, so the cut is at a character.
        let body = line.get(indent.min(blanks_before(line))..).unwrap_or_default();
        if body.is_empty() {
            breaks += 1;
            continue;
        }
        let deeper = is_indented(body);
        if !begun {
            text.extend(std::iter::repeat_n('\n', breaks));
        } else if !header.folded || deeper || was_deeper {
            text.extend(std::iter::repeat_n('\n', breaks + 1));
        } else if breaks == 0 {
            text.push(' ');
        } else {
            text.extend(std::iter::repeat_n('\n', breaks));
        }
        text.push_str(body);
        begun = true;
        was_deeper = deeper;
        breaks = 0;
    }
    match header.chomping {
        Some('+') => text.extend(std::iter::repeat_n('\n', breaks + usize::from(begun))),
        None if begun => text.push('\n'),
        _ => {}
    }
    text
}

/// Replaces the escapes of double-quoted text; one that YAML does not know stays as it is.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut characters = after.chars();
        let Some(escape) = characters.next() else {
            plain.push('\\');
            return plain;
        };
        rest = characters.as_str();
        let digits = match escape {
            'n' => Err('\n'),
            't' => Err('\t'),
            'r' => Err('\r'),
            '"' | '\\' | '/' | ' ' => Err(escape),
            'x' => Ok(2),
            'u' => Ok(4),
            'U' => Ok(8),
            _ => Ok(0),
        };
        match digits {
            Err(character) => plain.push(character),
            Ok(count) => {
                let named = rest
                    .split_at_checked(count)
                    .and_then(|(code, after)| Some((u32::from_str_radix(code, 16).ok()?, after)))
                    .and_then(|(code, after)| Some((char::from_u32(code)?, after)));
                if let Some((character, after)) = named {
                    plain.push(character);
                    rest = after;
                } else {
                    plain.push('\\');
                    plain.push(escape);
                }
            }
        }
    }
    plain.push_str(rest);
    plain
}
