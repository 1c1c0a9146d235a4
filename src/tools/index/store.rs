//! An index as bytes, and back.
//!
//! Little-endian throughout: a head of numbers, the sections in the order of [`Head`], and a CRC-32 of everything in
//! front of it. What is loaded is checked for length, for the checksum and for every bound before it is used, so a
//! damaged file is told apart from a good one and can never make a search fail later.

use super::{Documents, FIELDS, IN_NAME, Posting, SearchIndex, Weights, documents, servers};

/// What a saved index begins with; the digit is the number of the format.
const MAGIC: &[u8; 8] = b"ALDXIDX2";

/// Bytes of the digest that tells what the index was built from.
pub(super) const DIGEST: usize = 32;

/// Why bytes are not the index that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It was built from something else, or by another version of this program.
    #[error("it was built from something else")]
    Stale,
    /// It is no index, or its bytes were changed or cut.
    #[error("it is damaged")]
    Damaged,
}

/// How many of each there are.
#[derive(Clone, Copy, Debug)]
struct Head {
    text: usize,
    documents: usize,
    terms: usize,
    vocabulary: usize,
    postings: usize,
    quarantined: usize,
}

impl SearchIndex {
    /// The index as bytes, marked with the digest of what it was built from.
    #[must_use]
    pub fn to_bytes(&self, digest: &[u8; DIGEST]) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(self.documents.text.len() + self.postings.len() * 8 + self.terms.len() + 4096);
        bytes.extend(MAGIC);
        bytes.extend(digest);
        for count in [
            self.documents.text.len(),
            self.documents.len(),
            self.terms.len(),
            self.vocabulary(),
            self.postings.len(),
            self.quarantined,
        ] {
            bytes.extend((count as u64).to_le_bytes());
        }
        for average in self.averages {
            bytes.extend(average.to_le_bytes());
        }
        bytes.extend(self.documents.text.as_bytes());
        bytes.extend(self.terms.as_bytes());
        let numbers = [&self.documents.ends, &self.term_ends, &self.posting_ends];
        bytes.extend(
            numbers
                .into_iter()
                .flatten()
                .flat_map(|number| number.to_le_bytes()),
        );
        bytes.extend(self.name_mass.iter().flat_map(|mass| mass.to_le_bytes()));
        bytes.extend(
            self.postings
                .iter()
                .flat_map(|posting| posting.document.to_le_bytes()),
        );
        bytes.extend(
            self.postings
                .iter()
                .flat_map(|posting| posting.worth.to_le_bytes()),
        );
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The index that bytes hold, if it was built from what has this digest.
    ///
    /// # Errors
    ///
    /// [`Damage::Stale`] for another digest or format, [`Damage::Damaged`] for bytes that were changed or cut.
    pub fn from_bytes(bytes: &[u8], digest: &[u8; DIGEST]) -> Result<Self, Damage> {
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or(Damage::Damaged)?;
        let mut rest = Rest(body);
        let magic = rest.take(MAGIC.len()).ok_or(Damage::Damaged)?;
        let (family, _) = MAGIC.split_at(MAGIC.len() - 1);
        if !magic.starts_with(family) {
            return Err(Damage::Damaged);
        }
        if magic != MAGIC || rest.take(DIGEST).ok_or(Damage::Damaged)? != digest {
            return Err(Damage::Stale);
        }
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return Err(Damage::Damaged);
        }
        Self::from_body(rest).ok_or(Damage::Damaged)
    }

    fn from_body(mut rest: Rest<'_>) -> Option<Self> {
        let head = Head {
            text: rest.count()?,
            documents: rest.count()?,
            terms: rest.count()?,
            vocabulary: rest.count()?,
            postings: rest.count()?,
            quarantined: rest.count()?,
        };
        let mut averages = [0.0; FIELDS];
        for average in &mut averages {
            *average = rest
                .floats(1)?
                .first()
                .copied()
                .filter(|average| *average >= 1.0)?;
        }
        let documents = Documents {
            text: rest.text(head.text)?,
            ends: Vec::new(),
        };
        let terms = rest.text(head.terms)?;
        let documents = Documents {
            ends: rest.numbers(head.documents.checked_mul(documents::TEXTS)?)?,
            ..documents
        };
        let term_ends = rest.numbers(head.vocabulary)?;
        let posting_ends = rest.numbers(head.vocabulary)?;
        let name_mass = rest.floats(head.documents)?;
        let at = rest.numbers(head.postings)?;
        let worth = rest.floats(head.postings)?;
        let is_whole = rest.0.is_empty()
            && are_ends(&documents.ends, &documents.text)
            && are_ends(&term_ends, &terms)
            && are_ends_of(&posting_ends, head.postings)
            && at.iter().all(|at| ((at & !IN_NAME) as usize) < head.documents);
        if !is_whole {
            return None;
        }
        let postings = at
            .into_iter()
            .zip(worth)
            .map(|(document, worth)| Posting { document, worth })
            .collect();
        let servers = servers(&documents);
        Some(Self {
            documents,
            weights: Weights::default(),
            terms,
            term_ends,
            posting_ends,
            postings,
            name_mass,
            averages,
            quarantined: head.quarantined,
            servers,
        })
    }
}

/// Whether these are ends of texts that together are the whole.
fn are_ends(ends: &[u32], text: &str) -> bool {
    are_ends_of(ends, text.len()) && ends.iter().all(|end| text.is_char_boundary(*end as usize))
}

fn are_ends_of(ends: &[u32], all: usize) -> bool {
    ends.is_sorted() && ends.last().map_or(0, |end| *end as usize) == all
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        let (bytes, _) = self.take(8)?.as_chunks::<8>();
        usize::try_from(u64::from_le_bytes(*bytes.first()?)).ok()
    }

    fn text(&mut self, length: usize) -> Option<String> {
        std::str::from_utf8(self.take(length)?)
            .ok()
            .map(ToOwned::to_owned)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        let (chunks, _) = self.take(count.checked_mul(4)?)?.as_chunks::<4>();
        Some(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }

    fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        let (chunks, _) = self.take(count.checked_mul(4)?)?.as_chunks::<4>();
        let floats: Vec<f32> = chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        floats
            .iter()
            .all(|float| float.is_finite() && *float >= 0.0)
            .then_some(floats)
    }
}
