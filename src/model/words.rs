//! Sentences that many may have.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// What is said of something, in words: shared, since the candidate and the finding about it say the same, and
/// since ten thousand files of one generator are broken in one way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Words(Arc<str>);

impl Deref for Words {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Words {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Words {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Default for Words {
    fn default() -> Self {
        Self(Arc::from(""))
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq<str> for Words {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Words {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&String> for Words {
    fn from(text: &String) -> Self {
        Self(text.as_str().into())
    }
}

impl From<Cow<'_, str>> for Words {
    fn from(text: Cow<'_, str>) -> Self {
        Self(text.into())
    }
}

/// The sentences that one scan has said already, so that each is kept once.
#[derive(Clone, Debug, Default)]
pub struct WordPool(HashSet<Words>);

impl WordPool {
    /// How many sentences are remembered; where each entry is said something else of, remembering more gains nothing.
    const MOST: usize = 1024;

    /// The same sentence, from where it was said before if it was.
    pub fn share(&mut self, words: Words) -> Words {
        if let Some(known) = self.0.get(&words) {
            return known.clone();
        }
        if self.0.len() < Self::MOST {
            self.0.insert(words.clone());
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_kept_once_and_the_pool_stays_small() {
        let mut pool = WordPool::default();
        let one = pool.share("the same".into());
        let other = pool.share("the same".into());
        assert!(Arc::ptr_eq(&one.0, &other.0));
        for n in 0..5_000 {
            assert_eq!(
                pool.share(format!("number {n}").into()),
                *format!("number {n}").as_str()
            );
        }
        assert_eq!(pool.0.len(), WordPool::MOST);
    }
}
