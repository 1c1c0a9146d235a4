//! Columns: cells laid out by comfy-table, a few hundred rows at a time.
//!
//! A table of a hundred thousand rows is never held in memory: widths are measured in a first pass over the
//! report, and then rows go to the writer in chunks that all have these widths.
//!
//! comfy-table counts columns of plain text. Styles and hyperlinks are therefore not in the cells yet while it
//! works: their places are held by invisible characters of width zero, which no foreign text contains because
//! [`escape`](crate::report::escape) escapes every one of them, and which are replaced in the finished lines.

use std::collections::VecDeque;
use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{Cell as TableCell, ColumnConstraint, Table, Width};
use unicode_width::UnicodeWidthStr;

use super::Look;
use super::paint::Paint;
use super::path::hyperlink;

/// How many rows are laid out at once.
const CHUNK: usize = 500;

/// Blanks between two columns.
pub(super) const GAP: usize = 2;

/// Ends a style.
const STYLE_END: char = '\u{2061}';
/// Begins a hyperlink.
const LINK_START: char = '\u{2062}';
/// Ends a hyperlink.
const LINK_END: char = '\u{2063}';
/// Begins the first style of [`Paint::ALL`]; the others follow.
const FIRST_STYLE: u32 = 0x206a;

/// How many columns of a terminal a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// One line of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Safe to show.
    pub(super) text: String,
    pub(super) paint: Paint,
    /// Target of a hyperlink.
    pub(super) url: Option<String>,
}

impl Line {
    pub(super) fn new(paint: Paint, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            paint,
            url: None,
        }
    }

    pub(super) fn width(&self) -> usize {
        width(&self.text)
    }

    /// The line outside a table.
    pub(super) fn painted(&self, look: &Look) -> String {
        let text = look.paint(self.paint, &self.text);
        match &self.url {
            Some(url) => hyperlink(url, &text),
            None => text,
        }
    }
}

/// Rows on their way to the writer.
pub(super) struct Columns<'a> {
    look: &'a Look,
    widths: Vec<usize>,
    table: Table,
    urls: VecDeque<String>,
}

impl<'a> Columns<'a> {
    /// Columns of fixed widths; a cell must not be wider than its column.
    pub(super) fn new(look: &'a Look, widths: Vec<usize>) -> Self {
        Self {
            look,
            widths,
            table: Table::new(),
            urls: VecDeque::new(),
        }
    }

    /// Adds a row of cells, each of one or more lines.
    pub(super) fn row(&mut self, writer: &mut dyn Write, cells: &[&[Line]]) -> io::Result<()> {
        // Line by line over all cells, as they will come out.
        let height = cells.iter().map(|lines| lines.len()).max().unwrap_or_default();
        for index in 0..height {
            for line in cells.iter().filter_map(|lines| lines.get(index)) {
                self.urls.extend(line.url.clone());
            }
        }
        let cells: Vec<TableCell> = cells
            .iter()
            .map(|lines| {
                let text: Vec<String> = lines.iter().map(|line| self.marked(line)).collect();
                TableCell::new_owned(text.join("\n"))
            })
            .collect();
        self.table.add_row(cells);
        if self.table.row_count() >= CHUNK {
            self.flush(writer)?;
        }
        Ok(())
    }

    /// The text of a line with places held for its style and link.
    fn marked(&self, line: &Line) -> String {
        let style = Paint::ALL
            .iter()
            .position(|paint| self.look.color && *paint == line.paint)
            .and_then(|index| char::from_u32(FIRST_STYLE + u32::try_from(index).ok()?));
        let mut text = String::with_capacity(line.text.len() + 12);
        if line.url.is_some() {
            text.push(LINK_START);
        }
        text.extend(style);
        text.push_str(&line.text);
        if style.is_some() {
            text.push(STYLE_END);
        }
        if line.url.is_some() {
            text.push(LINK_END);
        }
        text
    }

    /// Writes what was added so far.
    pub(super) fn flush(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        let mut table = std::mem::take(&mut self.table);
        if table.is_empty() {
            return Ok(());
        }
        table.load_style(NOTHING);
        for (column, width) in table.column_iter_mut().zip(&self.widths) {
            column.set_padding((0, 0));
            let gap = if column.index + 1 == self.widths.len() {
                0
            } else {
                GAP
            };
            let padding = u16::try_from(gap).unwrap_or_default();
            column.set_padding((0, padding));
            let width = u16::try_from(width + gap).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        for line in table.lines() {
            let line = self.finished(line.trim_end());
            writer.write_all(line.as_bytes())?;
            writer.write_all(b"\n")?;
        }
        Ok(())
    }

    /// The line with styles and links in their places.
    fn finished(&mut self, line: &str) -> String {
        let mut finished = String::with_capacity(line.len() + 32);
        let mut style = anstyle::Style::new();
        for character in line.chars() {
            let index = u32::from(character)
                .checked_sub(FIRST_STYLE)
                .and_then(|index| usize::try_from(index).ok());
            let begun = index.and_then(|index| Paint::ALL.get(index));
            if let Some(paint) = begun {
                style = paint.style();
                finished.push_str(&style.render().to_string());
            } else if character == STYLE_END {
                finished.push_str(&style.render_reset().to_string());
            } else if character == LINK_START {
                let url = self.urls.pop_front().unwrap_or_default();
                finished.push_str(&format!("\u{1b}]8;;{url}\u{1b}\\"));
            } else if character == LINK_END {
                finished.push_str("\u{1b}]8;;\u{1b}\\");
            } else {
                finished.push(character);
            }
        }
        finished
    }
}

/// Breaks a plain text at blanks into lines of at most `limit` columns; a word that is longer stays whole.
pub(super) fn wrapped(text: &str, limit: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + 1 + width(word) > limit {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}
