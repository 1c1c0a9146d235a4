//! The few colours, chosen to be legible on dark and on light backgrounds.
//!
//! Colour never says anything that a word beside it does not say too.

use anstyle::{AnsiColor, Style};

use super::Look;

/// What a piece of text is, and so how it is painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Paint {
    /// As the terminal has it.
    #[default]
    Plain,
    /// The title of a part.
    Heading,
    /// What is in effect.
    Winner,
    /// What stands back: losers, directories that are not there.
    Faint,
    /// What is malformed or could not be read.
    Bad,
    /// What is probably not as its author meant.
    Warning,
}

impl Paint {
    /// Every paint but plain, in the order of their markers in a table.
    pub(super) const ALL: [Self; 5] = [Self::Heading, Self::Winner, Self::Faint, Self::Bad, Self::Warning];

    pub(super) const fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Heading => Style::new().bold(),
            Self::Winner => AnsiColor::Green.on_default().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Warning => AnsiColor::Magenta.on_default().bold(),
        }
    }
}

impl Look {
    /// The text in its paint, if colours are wanted.
    pub(super) fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.color || paint == Paint::Plain || text.is_empty() {
            return text.to_owned();
        }
        let style = paint.style();
        format!("{style}{text}{style:#}")
    }
}
