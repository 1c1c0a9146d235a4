//! Ids that people, or another file system, would take for one another.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

use crate::model::{Chain, Code, ComponentKind, Diagnostic, Resolution, Severity};

/// Tells of chains in effect whose ids differ only in case, or only in invisible or confusable characters.
pub(super) fn tell(resolution: &Resolution) -> Vec<Diagnostic> {
    let mut first_of: HashMap<(ComponentKind, String), Chain<'_>> = HashMap::new();
    let mut diagnostics = Vec::new();
    for chain in resolution.chains().filter(|chain| chain.winner().is_some()) {
        let id = chain.id();
        let key = (chain.kind(), look(&id));
        match first_of.get(&key) {
            None => {
                first_of.insert(key, chain);
            }
            Some(other) => {
                let other_id = other.id();
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
    }
    diagnostics
}

/// What is left of an id when case, invisible characters and look-alikes no longer count.
fn look(id: &str) -> String {
    let visible = |text: &str| -> String {
        text.chars()
            .filter(|character| !is_invisible(*character))
            .collect()
    };
    let folded: String = visible(id).nfkc().flat_map(char::to_lowercase).collect();
    skeleton(&folded).flat_map(char::to_lowercase).collect()
}

/// Characters that take no room: zero-width, joiners, bidirectional controls, tags, variation selectors.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::look;

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
