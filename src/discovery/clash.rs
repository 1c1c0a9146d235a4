//! What a valid candidate that does not win has to do with the winner: which rule, and are the bytes the same.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::platform;
use crate::host::{HostProfile, Merge, Tie};
use crate::model::{CandidateRef, Rule};

/// The rule by which `winner` beats `loser`: the first in the profile's table that is true of the pair; within
/// one root only the order of paths is left.
pub(super) fn rule_between(profile: &HostProfile, winner: CandidateRef<'_>, loser: CandidateRef<'_>) -> Rule {
    if profile.merge(winner.kind) == Merge::Race {
        return Rule::HostOrderUndefined;
    }
    if winner.priority() == loser.priority() {
        return match profile.tie(winner.kind) {
            Tie::FirstPath => Rule::TiePathOrder,
            Tie::LastPath => Rule::LastPathWins,
            Tie::Undefined | Tie::DeepestElseUndefined => Rule::HostOrderUndefined,
        };
    }
    let same_family = winner.family() == loser.family();
    profile
        .clashes
        .iter()
        .find(|clash| {
            (clash.kinds.is_empty() || clash.kinds.contains(&winner.kind))
                && clash.winner.fits(winner.family(), winner.scope())
                && clash.loser.fits(loser.family(), loser.scope())
                && (same_family || !clash.same_family)
        })
        .map_or(Rule::TiePathOrder, |clash| clash.rule)
}

/// SHA-256 of a regular file's bytes, read in pieces.
pub(super) fn digest(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = platform::open_without_following(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "is no regular file any more",
        ));
    }
    hash(&mut file)
}

fn hash(file: &mut File) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    // Markers are small: a large buffer would cost more to clear than they cost to read.
    let mut buffer = [0; 8 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().into()),
            Ok(read) => hasher.update(buffer.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
