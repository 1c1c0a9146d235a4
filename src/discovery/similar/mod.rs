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
            looks.push((hasher.hash_one((chain.kind(), look(&chain.id()))), index));
        }
    }
    looks.sort_unstable();
    let mut diagnostics = Vec::new();
    for group in looks.chunk_by(|one, other| one.0 == other.0) {
        if group.len() > 1 {
            let chains = group.iter().filter_map(|(_, index)| {
                let span = resolution.spans.get(*index as usize)?;
                Some(resolution.chain(*span))
            });
            tell_group(chains, &mut diagnostics);
        }
    }
    diagnostics
}

/// Compares the chains whose kinds and looks have one hash, in their order.
fn tell_group<'a>(chains: impl Iterator<Item = Chain<'a>>, diagnostics: &mut Vec<Diagnostic>) {
    let mut first_of: HashMap<(ComponentKind, String), Chain<'_>> = HashMap::new();
    for chain in chains {
        let id = chain.id();
        let other_id = match first_of.entry((chain.kind(), look(&id))) {
            Entry::Vacant(free) => {
                free.insert(chain);
                continue;
            }
            Entry::Occupied(first) => first.get().id(),
        };
        let how = if id.to_lowercase() == other_id.to_lowercase() {
            "differ only in case"
        } else {
            "look alike: they differ only in invisible or confusable characters"
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

/// What is left of an id when case, invisible characters and look-alikes no longer count.
fn look(id: &str) -> String {
    if id.bytes().all(is_plain) {
        plain_look(id)
    } else {
        look_by_tables(id)
    }
}

fn look_by_tables(id: &str) -> String {
    let visible = |text: &str| -> String {
        text.chars()
            .filter(|character| !is_invisible(*character))
            .collect()
    };
    let folded: String = visible(id).nfkc().flat_map(char::to_lowercase).collect();
    skeleton(&folded).chars().flat_map(char::to_lowercase).collect()
}

/// Whether a character is one of those that nearly all ids are made of.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// [`look`] of an id of plain characters, without the tables.
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
    use super::{is_plain, look, look_by_tables};

    #[test]
    fn plain_characters_look_as_the_tables_say() {
        for byte in (0..=127).filter(|byte| is_plain(*byte)) {
            let id = format!("a{}b", char::from(byte));
            assert_eq!(look(&id), look_by_tables(&id));
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
        ] {
            assert_eq!(look(one), look(other), "{one:?} {other:?}");
        }
        for (one, other) in [("deploy", "deploys"), ("build-1", "build-2"), ("a-b", "a_b")] {
            assert_ne!(look(one), look(other));
        }
    }
}
