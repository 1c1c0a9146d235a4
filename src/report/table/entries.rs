//! Lists of things on disk: a label, a path, and a few words on it.
//!
//! ```text
//! deploy      /p/sub/.aleph/skills/deploy  project .aleph
//!   shadowed  /p/.aleph/skills/deploy      nearest-directory, by project .aleph
//! ```
//!
//! Where that is too wide for the terminal, the words move below their path, and a path that is too wide even so
//! gets a line of its own. A path is never broken: one that is wider than the terminal is left to the terminal,
//! so that it can still be copied whole.

use std::io::{self, Write};

use super::Look;
use super::layout::{Columns, GAP, Line, width, wrapped};

/// One line of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// A name, or an indented state.
    pub(super) label: Line,
    pub(super) path: Line,
    /// A few words, which may be none.
    pub(super) note: Line,
    /// Whether the note may be left out where it would need a line of its own.
    pub(super) note_is_optional: bool,
}

/// Paths up to this width are told apart when a width is chosen for all.
const WIDEST_COUNTED: usize = 512;

/// Labels up to this width are usual; wider ones get a line of their own where there is little room.
const USUAL_LABEL: usize = 32;

/// How wide labels may be where paths need the room: enough for every state.
const NARROW_LABEL: usize = 12;

/// How much wider than usual a path may be and still be aligned with the others.
const STRETCH: usize = 24;

/// How wide the notes may be before they are broken, on a terminal.
const NOTE_LIMIT: usize = 40;

/// What is measured in the first pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    label: usize,
    /// Widest label of at most [`USUAL_LABEL`] columns.
    short_label: usize,
    path: usize,
    note: usize,
    /// How many paths have each width.
    paths: Vec<u32>,
    rows: u32,
}

impl Measure {
    pub(super) fn add(&mut self, entry: &Entry) {
        let (label, path) = (entry.label.width(), entry.path.width());
        self.rows += 1;
        self.label = self.label.max(label);
        if label <= USUAL_LABEL {
            self.short_label = self.short_label.max(label);
        }
        self.path = self.path.max(path);
        self.note = self.note.max(entry.note.width());
        self.paths.resize(WIDEST_COUNTED + 1, 0);
        if let Some(count) = self.paths.get_mut(path.min(WIDEST_COUNTED)) {
            *count += 1;
        }
    }

    /// The widest label if that is at most `limit` columns, else the widest usual one.
    fn usual_label(&self, limit: usize) -> usize {
        if self.label <= limit {
            self.label
        } else {
            self.short_label.min(limit)
        }
    }

    /// Whether all paths but rare ones are at most as wide as this.
    fn fits(&self, limit: usize) -> bool {
        let within: u32 = self.paths.iter().take(limit + 1).sum();
        within >= self.rows - self.rows / 32
    }

    /// How wide the column of paths should be: nearly all fit in, none needs more than `limit` columns, and the
    /// few that are much wider than the rest do not push everything else apart. None if that cannot be had.
    fn usual_path(&self, limit: usize) -> Option<usize> {
        // Few outliers shall not decide for the rest.
        let enough = self.rows - self.rows / 8;
        let mut within = 0;
        let usual = self.paths.iter().position(|count| {
            within += count;
            within >= enough
        })?;
        let widest = (usual + STRETCH).min(limit).min(WIDEST_COUNTED - 1);
        (usual <= widest).then(|| {
            let up_to_widest = self.paths.iter().take(widest + 1);
            up_to_widest
                .rev()
                .position(|count| *count > 0)
                .map_or(usual, |after| widest - after)
        })
    }
}

/// Where the parts of an entry stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrangement {
    /// Widest label that is followed by its path on one line.
    label: usize,
    /// Widest path that is followed by its note on one line; none where notes stand below.
    beside: Option<usize>,
    /// Widest path that stands beside its label.
    path: usize,
    /// Widest line of a note.
    note: usize,
}

impl Arrangement {
    fn of(measure: &Measure, look: &Look) -> Self {
        let Some(total) = look.width else {
            let path = measure.usual_path(WIDEST_COUNTED).unwrap_or(measure.path);
            return Self {
                label: measure.usual_label(USUAL_LABEL),
                beside: Some(path),
                path,
                note: measure.note,
            };
        };
        let mut label = measure.usual_label((total / 3).max(NARROW_LABEL));
        if !measure.fits(total.saturating_sub(label + GAP)) {
            // Room for states; names that are longer get a line of their own.
            label = label.min(NARROW_LABEL);
        }
        let left = total.saturating_sub(label + GAP);
        let beside = measure.usual_path(left.saturating_sub(GAP + measure.note.min(NOTE_LIMIT)));
        let note = match beside {
            Some(path) => left.saturating_sub(path + GAP),
            None => left,
        };
        Self {
            label,
            beside,
            path: left,
            note,
        }
    }
}

/// A list on its way to the writer.
pub(super) struct Entries<'a> {
    look: &'a Look,
    arrangement: Arrangement,
    columns: Columns<'a>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(measure: &Measure, look: &'a Look) -> Self {
        let arrangement = Arrangement::of(measure, look);
        let widths = match arrangement.beside {
            Some(path) => vec![arrangement.label, path, arrangement.note],
            None => vec![arrangement.label, arrangement.path],
        };
        Self {
            look,
            arrangement,
            columns: Columns::new(look, widths),
        }
    }

    pub(super) fn entry(&mut self, writer: &mut dyn Write, entry: &Entry) -> io::Result<()> {
        let Arrangement {
            label, beside, path, ..
        } = self.arrangement;
        let notes = self.notes(entry);
        let is_regular =
            entry.label.width() <= label && notes.iter().all(|line| line.width() <= self.arrangement.note);
        let one = std::slice::from_ref;
        match beside {
            Some(beside) if is_regular && entry.path.width() <= beside => self
                .columns
                .row(writer, &[one(&entry.label), one(&entry.path), &notes]),
            None if is_regular && entry.path.width() <= path => {
                let mut lines = vec![entry.path.clone()];
                if !entry.note_is_optional {
                    lines.extend(notes);
                }
                self.columns.row(writer, &[one(&entry.label), &lines])
            }
            _ => self.irregular(writer, entry, notes),
        }
    }

    /// An entry with a part that is wider than its column.
    fn irregular(&mut self, writer: &mut dyn Write, entry: &Entry, notes: Vec<Line>) -> io::Result<()> {
        self.columns.flush(writer)?;
        let Arrangement { label, path, .. } = self.arrangement;
        let column = " ".repeat(label + GAP);
        let label_text = entry.label.painted(self.look);
        let path_text = entry.path.painted(self.look);
        if self.look.width.is_none() {
            // One line for each, whatever it is: the reader may be a program.
            let blanks = |used: usize, column: usize| " ".repeat(column.saturating_sub(used) + GAP);
            let note = notes
                .first()
                .map(|note| note.painted(self.look))
                .unwrap_or_default();
            let line = format!(
                "{label_text}{}{path_text}{}{note}",
                blanks(entry.label.width(), label),
                blanks(entry.path.width(), path)
            );
            return writeln!(writer, "{}", line.trim_end());
        }
        let wide_label = entry.label.width() > label;
        let wide_path = entry.path.width() > path;
        let indent = if wide_path { "    " } else { &column };
        if wide_label || wide_path {
            writeln!(writer, "{label_text}\n{indent}{path_text}")?;
        } else {
            let blanks = " ".repeat((label - entry.label.width()) + GAP);
            writeln!(writer, "{label_text}{blanks}{path_text}")?;
        }
        if entry.note_is_optional {
            return Ok(());
        }
        for note in notes.iter().filter(|note| !note.text.is_empty()) {
            writeln!(writer, "{indent}{}", note.painted(self.look))?;
        }
        Ok(())
    }

    fn notes(&self, entry: &Entry) -> Vec<Line> {
        if entry.note.text.is_empty() {
            return Vec::new();
        }
        if width(&entry.note.text) <= self.arrangement.note {
            return vec![entry.note.clone()];
        }
        wrapped(&entry.note.text, self.arrangement.note)
            .into_iter()
            .map(|text| Line {
                text,
                ..entry.note.clone()
            })
            .collect()
    }

    /// Writes a line of its own.
    pub(super) fn line(&mut self, writer: &mut dyn Write, line: &str) -> io::Result<()> {
        self.columns.flush(writer)?;
        writeln!(writer, "{line}")
    }

    /// Writes what was added so far.
    pub(super) fn finish(mut self, writer: &mut dyn Write) -> io::Result<()> {
        self.columns.flush(writer)
    }
}
