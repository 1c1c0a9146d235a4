//! Sentences that are broken between words to fit the terminal; names and paths in them stay whole.

use std::io::{self, Write};
use std::path::Path;

use super::Look;
use super::layout::width;
use super::paint::Paint;
use super::path::hyperlink;
use crate::report::escape;

/// A paragraph being put together.
pub(super) struct Prose<'a> {
    look: &'a Look,
    words: Vec<Word>,
}

struct Word {
    painted: String,
    width: usize,
    /// No blank, and no line end, between this word and the one before.
    glued: bool,
}

impl<'a> Prose<'a> {
    pub(super) const fn new(look: &'a Look) -> Self {
        Self {
            look,
            words: Vec::new(),
        }
    }

    /// Whether nothing was added yet.
    pub(super) const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds words. Whoever's they are: what could steer a terminal is escaped.
    pub(super) fn say(mut self, text: &str) -> Self {
        for word in escape::prose(text).split(' ').filter(|word| !word.is_empty()) {
            self.word(Paint::Plain, word, false);
        }
        self
    }

    /// Adds words of which the first follows without a blank, such as a comma.
    pub(super) fn glue(mut self, text: &str) -> Self {
        let safe = escape::prose(text);
        for (index, word) in safe.split(' ').filter(|word| !word.is_empty()).enumerate() {
            self.word(Paint::Plain, word, index == 0);
        }
        self
    }

    /// Adds words that are not broken apart.
    pub(super) fn atom(mut self, text: &str) -> Self {
        self.word(Paint::Plain, &escape::prose(text), false);
        self
    }

    /// Adds words in a paint.
    pub(super) fn painted(mut self, paint: Paint, text: &str) -> Self {
        for word in escape::prose(text).split(' ').filter(|word| !word.is_empty()) {
            self.word(paint, word, false);
        }
        self
    }

    /// Adds a name in backticks, in one piece.
    pub(super) fn name(mut self, name: &str) -> Self {
        let name = format!("`{}`", escape::visible(name));
        self.word(Paint::Plain, &name, false);
        self
    }

    /// Adds a path, in one piece.
    pub(super) fn path(self, path: &Path) -> Self {
        self.painted_path(Paint::Plain, path)
    }

    /// Adds a path in a paint, in one piece.
    pub(super) fn painted_path(mut self, paint: Paint, path: &Path) -> Self {
        let text = self.look.path(path);
        self.word(paint, &text, false);
        if let (Some(url), Some(word)) = (self.look.target(path), self.words.last_mut()) {
            word.painted = hyperlink(&url, &word.painted);
        }
        self
    }

    fn word(&mut self, paint: Paint, text: &str, glued: bool) {
        self.words.push(Word {
            painted: self.look.paint(paint, text),
            width: width(text),
            glued: glued && !self.words.is_empty(),
        });
    }

    /// Writes the paragraph, the first line behind `first` and the others behind `rest`; nothing if it is empty.
    pub(super) fn write(self, writer: &mut dyn Write, first: &str, rest: &str) -> io::Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        let limit = self.look.width.unwrap_or(usize::MAX);
        let mut line = first.to_owned();
        let mut column = width(first);
        let mut is_blank = true;
        let mut words = self.words.into_iter().peekable();
        while let Some(mut word) = words.next() {
            while let Some(next) = words.next_if(|next| next.glued) {
                word.painted.push_str(&next.painted);
                word.width += next.width;
            }
            if !is_blank && column + 1 + word.width > limit {
                writeln!(writer, "{line}")?;
                rest.clone_into(&mut line);
                column = width(rest);
                is_blank = true;
            }
            if !is_blank {
                line.push(' ');
                column += 1;
            }
            line.push_str(&word.painted);
            column += word.width;
            is_blank = false;
        }
        writeln!(writer, "{line}")
    }
}
