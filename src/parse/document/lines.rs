//! From byte offsets to lines and columns.

use super::Position;

/// Bytes between two counts of characters: small enough that counting within one costs next to nothing.
const BLOCK: usize = 64;

/// Finds the line and column of a byte offset.
///
/// Made once in time linear in the text; a look-up then costs the same wherever it is, so that a file of one
/// long line (minified JSON) is no slower than any other.
pub(super) struct LineIndex<'a> {
    bytes: &'a [u8],
    /// Offset at which each line starts.
    line_starts: Vec<usize>,
    /// How many characters begin before each block.
    characters_before: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let line_breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(line_breaks.map(|(offset, _)| offset + 1))
            .collect();
        let mut total = 0;
        let mut characters_before = Vec::with_capacity(bytes.len() / BLOCK + 1);
        for block in bytes.chunks(BLOCK) {
            characters_before.push(total);
            total += count_characters(block);
        }
        // An offset at the very end may lie at the start of a block that has no bytes.
        characters_before.push(total);
        Self {
            bytes,
            line_starts,
            characters_before,
        }
    }

    /// The position of the character at a byte offset; the end of the text for an offset beyond it.
    ///
    /// Only a line feed ends a line; the carriage return before it belongs to the line that it ends.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.bytes.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let line_start = self.line_starts.get(line.saturating_sub(1)).copied();
        let before_line = self.characters_before(line_start.unwrap_or(0));
        let column = self.characters_before(offset).saturating_sub(before_line) + 1;
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// The position just behind the last character.
    pub(super) fn end(&self) -> Position {
        self.position(self.bytes.len())
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let before = self.characters_before.get(block).copied().unwrap_or(0);
        let within = self.bytes.get(block * BLOCK..offset).unwrap_or_default();
        before + count_characters(within)
    }
}

/// How many characters begin in a part of a UTF-8 text.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_has_the_position_that_counting_from_the_start_gives() {
        let text = "ä€𝄞b\r\n\n".repeat(40) + &"é".repeat(200) + "\nend";
        let index = LineIndex::new(&text);
        let (mut line, mut column) = (1, 1);
        for (offset, character) in text.char_indices() {
            assert_eq!(
                index.position(offset),
                Position { line, column },
                "offset {offset}"
            );
            if character == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        assert_eq!(index.end(), Position { line, column });
        assert_eq!(index.position(usize::MAX), index.end());
    }

    #[test]
    fn an_empty_text_has_one_position() {
        let index = LineIndex::new("");
        assert_eq!(index.end(), Position { line: 1, column: 1 });
    }

    #[test]
    fn a_text_that_fills_its_blocks_has_an_end() {
        let text = "x".repeat(2 * BLOCK);
        let column = u32::try_from(2 * BLOCK + 1).unwrap();
        assert_eq!(LineIndex::new(&text).end(), Position { line: 1, column });
    }
}
