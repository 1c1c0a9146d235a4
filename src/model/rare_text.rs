//! Text that hardly anything has.

use std::borrow::Cow;
use std::ops::Deref;

/// Text in as little room as can be where it is mostly absent: one word, where a `Box<str>` takes two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RareText(Box<Box<str>>);

impl Deref for RareText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<Box<str>> for RareText {
    fn from(text: Box<str>) -> Self {
        Self(Box::new(text))
    }
}

impl From<&str> for RareText {
    fn from(text: &str) -> Self {
        Self(Box::new(text.into()))
    }
}

impl From<String> for RareText {
    fn from(text: String) -> Self {
        Self(Box::new(text.into()))
    }
}

impl From<Cow<'_, str>> for RareText {
    fn from(text: Cow<'_, str>) -> Self {
        Self(Box::new(text.into()))
    }
}
