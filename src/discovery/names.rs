//! From a declared name and a path name to the id that the host keys on.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc_quick};

use super::MAX_NAME_BYTES;
use crate::model::IdOrigin;

/// What came of choosing an id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChosenId {
    pub(super) origin: IdOrigin,
    /// Why the declared name is not the id, where one is declared and is not usable.
    pub(super) declared_refusal: Option<&'static str>,
    /// Why the path name may not be the id, where it would be.
    pub(super) path_refusal: Option<&'static str>,
    /// Whether a usable declared name differs from the path name.
    pub(super) mismatch: bool,
}

/// The id of a native entry: the declared name if it is usable, else the path name; both in NFC.
pub(super) fn choose_id(declared: Option<&str>, path_name: &str) -> ChosenId {
    let path_id = in_nfc(path_name);
    let declared_refusal = declared.and_then(|name| refusal(name.trim()));
    if let (Some(name), None) = (declared, declared_refusal) {
        let id = in_nfc(name.trim());
        let mismatch = id != path_id;
        let origin = if id == path_name {
            IdOrigin::PathName
        } else if id == name {
            IdOrigin::Declared
        } else {
            IdOrigin::Derived(id.into())
        };
        return ChosenId {
            origin,
            declared_refusal: None,
            path_refusal: None,
            mismatch,
        };
    }
    ChosenId {
        path_refusal: path_refusal(path_name),
        origin: if path_id == path_name {
            IdOrigin::PathName
        } else {
            IdOrigin::Derived(path_id.into())
        },
        declared_refusal,
        mismatch: false,
    }
}

/// Why a declared name, trimmed, cannot be an id.
fn refusal(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("it is empty")
    } else if name == "." || name == ".." {
        Some("it is a way through directories")
    } else if name.len() > MAX_NAME_BYTES {
        Some("it has more than 255 bytes")
    } else if name.contains(['/', '\\']) {
        Some("it contains a path separator")
    } else {
        path_refusal(name)
    }
}

/// Why a path name cannot be an id; the file system has already seen to the rest.
pub(crate) fn path_refusal(name: &str) -> Option<&'static str> {
    if name.contains(':') {
        Some("it contains `:`, so it would pose as a plugin's component")
    } else if name.contains(char::is_control) {
        Some("it contains control characters")
    } else {
        None
    }
}

/// The text in Unicode normalisation form C, in which ids are compared.
pub(crate) fn in_nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == unicode_normalization::IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usable_declared_name_is_the_id() {
        let chosen = choose_id(Some(" release "), "deploy");
        assert_eq!(chosen.origin, IdOrigin::Derived("release".into()));
        assert!(chosen.mismatch);
        assert_eq!(choose_id(Some("release"), "deploy").origin, IdOrigin::Declared);
        let same = choose_id(Some("deploy"), "deploy");
        assert_eq!((same.origin, same.mismatch), (IdOrigin::PathName, false));
    }

    #[test]
    fn an_unusable_declared_name_leaves_the_path_name() {
        for name in [
            "",
            "  ",
            ".",
            "..",
            "a/b",
            "a\\b",
            "plug:deploy",
            "a\u{7}b",
            "a\nb",
            &"x".repeat(256),
        ] {
            let chosen = choose_id(Some(name), "deploy");
            assert_eq!(chosen.origin, IdOrigin::PathName, "{name:?}");
            assert!(chosen.declared_refusal.is_some(), "{name:?}");
            assert_eq!(chosen.path_refusal, None);
        }
    }

    #[test]
    fn a_path_name_that_poses_as_a_plugins_component_is_refused() {
        assert!(choose_id(None, "plug:deploy").path_refusal.is_some());
        assert!(choose_id(None, "a\u{1b}[2J").path_refusal.is_some());
        assert_eq!(choose_id(Some("deploy"), "plug:deploy").path_refusal, None);
    }

    #[test]
    fn ids_are_in_nfc() {
        assert_eq!(
            choose_id(None, "cafe\u{301}").origin,
            IdOrigin::Derived("caf\u{e9}".into())
        );
        let chosen = choose_id(Some("caf\u{e9}"), "cafe\u{301}");
        assert!(!chosen.mismatch);
    }
}
