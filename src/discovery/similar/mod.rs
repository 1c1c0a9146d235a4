//! Ids that people, or another file system, would take for one another.

mod confusables;

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

use unicode_normalization::UnicodeNormalization;

use self::confusables::skeleton;
use crate::model::{Chain, Code, ComponentKind, Diagnostic, Resolution, Severity};

/// Tells of chains in effect whose ids differ only in case, or only in invisible or confusable characters.
pub(super) fn tell(resolution: &Resolution) -> Vec<Diagnostic> {
    // Of each id only a hash of its look is kept: there may be a hundred thousand, and hardly any two are alike.
    let hasher = RandomState::new();
    let mut looks: Vec<(u64, u32)> = Vec::new();
    for (index, chain) in (0..).zip(resolution.chains()) {
        if chain.winner().is_some() {
            let hashes = looks_of(&chain.id()).map(|look| hasher.hash_one((chain.kind(), look)));
            looks.extend(hashes.map(|hash| (hash, index)));
        }
    }
    looks.sort_unstable();
    let mut diagnostics = Vec::new();
    for group in looks.chunk_by(|one, other| one.0 == other.0) {
        if let [(hash, _), _, ..] = group {
            let chains = group.iter().filter_map(|(_, index)| {
                let span = resolution.spans.get(*index as usize)?;
                let chain = resolution.chain(*span);
                let kind = chain.kind();
                let look = looks_of(&chain.id()).find(|look| hasher.hash_one((kind, look)) == *hash)?;
                Some((look, chain))
            });
            tell_group(chains, &mut diagnostics);
        }
    }
    diagnostics
}

/// Compares the chains whose kinds and looks have one hash, in their order. A pair that has two looks in common is told
/// of twice, in the same words; [`resolve`](super::resolve) keeps one of equal findings.
fn tell_group<'a>(chains: impl Iterator<Item = (String, Chain<'a>)>, diagnostics: &mut Vec<Diagnostic>) {
    let mut first_of: HashMap<(ComponentKind, String), Chain<'_>> = HashMap::new();
    for (look, chain) in chains {
        let id = chain.id();
        let other_id = match first_of.entry((chain.kind(), look)) {
            Entry::Vacant(free) => {
                free.insert(chain);
                continue;
            }
            Entry::Occupied(first) => first.get().id(),
        };
        let how = if folded(&id) == folded(&other_id) {
            "differ only in case"
        } else if skeleton(&visible(&id)) == skeleton(&visible(&other_id)) {
            "look alike: they differ only in invisible or confusable characters"
        } else {
            "look alike: they differ only in case and in invisible or confusable characters"
        };
        let mut diagnostic = Diagnostic::new(
            Code::SimilarIds,
            Severity::Warning,
            format!("the {} ids `{other_id}` and `{id}` {how}", chain.kind()),
        )
        .with_subject(chain.kind(), id)
        .with_help("rename one: a host on another file system may take them for one");
        diagnostic.path = chain.winner().map(|winner| winner.path());
        diagnostics.push(diagnostic);
    }
}

/// What is left of an id when case, invisible characters and look-alikes no longer count: one text, or two where it
/// matters which of the two ways comes first.
///
/// A capital `I` is a small `i` in another case, and it looks like a small `l`. If both counted in one text, `i` and `l`
/// would be one letter, and `flat` would be said to look like `fiat`. So ids are alike if one text of each is the same.
fn looks_of(id: &str) -> impl Iterator<Item = String> + use<> {
    let (as_cased, as_seen) = if id.bytes().all(is_plain) {
        let as_seen = id.contains('I').then(|| plain_look(&id.replace('I', "l")));
        (plain_look(id), as_seen)
    } else {
        let (as_cased, as_seen) = looks_by_tables(id);
        (as_cased, Some(as_seen))
    };
    let as_seen = as_seen.filter(|as_seen| *as_seen != as_cased);
    std::iter::once(as_cased).chain(as_seen)
}

/// The id with its case folded before look-alikes are, and the other way round.
fn looks_by_tables(id: &str) -> (String, String) {
    let id = visible(id);
    let without_case = |text: &str| folded(&skeleton(&folded(text)));
    (without_case(&id), without_case(&skeleton(&id)))
}

/// An id without what is not seen and without what is only another form of a character.
fn visible(id: &str) -> String {
    let seen = id.chars().filter(|character| !is_invisible(*character));
    seen.nfkc().collect()
}

/// An id whose case no longer counts: what Unicode calls full case folding, but for a dotless `ı`, which counts as `i`.
///
/// The standard library has no folding, and no need of one: capitals have each letter as many as it takes (`ß` has two),
/// and small letters before and after them make `ẞ` and `ß`, and the two forms of `σ`, one.
fn folded(id: &str) -> String {
    let small = id.chars().flat_map(char::to_lowercase);
    let capital = small.flat_map(char::to_uppercase);
    capital.flat_map(char::to_lowercase).collect()
}

/// Whether a character is one of those that nearly all ids are made of.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// The first of [`looks_of`] an id of plain characters, without the tables.
fn plain_look(id: &str) -> String {
    let mut look = String::with_capacity(id.len() + 8);
    for character in id.chars() {
        match character.to_ascii_lowercase() {
            '0' => look.push('o'),
            '1' => look.push('l'),
            'm' => look.push_str("rn"),
            plain => look.push(plain),
        }
    }
    look
}

/// Characters that take no room: zero-width, joiners, bidirectional controls, tags, variation selectors.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{folded, is_plain, looks_by_tables, looks_of};

    fn are_alike(one: &str, other: &str) -> bool {
        looks_of(one).any(|look| looks_of(other).any(|other| other == look))
    }

    #[test]
    fn plain_characters_look_as_the_tables_say() {
        for byte in (0..=127).filter(|byte| is_plain(*byte)) {
            let id = format!("a{}b", char::from(byte));
            let (as_cased, as_seen) = looks_by_tables(&id);
            let mut by_tables = vec![as_cased, as_seen];
            by_tables.dedup();
            assert_eq!(looks_of(&id).collect::<Vec<_>>(), by_tables, "{id}");
        }
    }

    #[test]
    fn letters_of_two_letters_and_several_forms_fold() {
        for (one, other) in [
            ("STRASSE", "stra\u{df}e"),
            ("STRA\u{1e9e}E", "strasse"),
            ("\u{3a3}", "\u{3c2}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn case_invisible_and_confusable_characters_do_not_count() {
        for (one, other) in [
            ("deploy", "Deploy"),
            ("deploy", "de\u{200b}ploy"),
            ("deploy", "d\u{435}ploy"),
            ("DEPLOY", "d\u{435}ploy"),
            ("\u{ff44}eploy", "deploy"),
            ("tooI", "tool"),
            ("tooI", "too1"),
            ("TooI", "tool"),
            ("tooI", "TOOI"),
            ("tooI", "t\u{43e}ol"),
            ("STRASSE", "stra\u{df}e"),
            ("\u{df}eta", "\u{3b2}eta"),
        ] {
            assert!(are_alike(one, other), "{one:?} {other:?}");
        }
        for (one, other) in [
            ("deploy", "deploys"),
            ("build-1", "build-2"),
            ("a-b", "a_b"),
            ("flat", "fiat"),
            ("phase-I", "phase-II"),
            ("Info", "inf0s"),
            ("a1", "ai"),
        ] {
            assert!(!are_alike(one, other), "{one:?} {other:?}");
        }
    }
}
