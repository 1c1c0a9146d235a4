//! What the fuzz targets in `fuzz/` begin with, and what they found, replayed: each file, and the handwritten ones also
//! with bytes changed and cut off.
#![cfg(feature = "install")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets what it does not expect fails, and says where"
)]

#[path = "../fuzz/checks.rs"]
mod checks;

use std::fs;
use std::path::Path;

/// Gives every file of a corpus, and what becomes of the handwritten ones when a byte changes or their end is missing:
/// at every `step`th place.
fn replay(target: &str, step: usize, run: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut handwritten = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        run(&bytes);
        // A fuzzer names what it keeps by its SHA-1.
        let name = entry.file_name();
        if name.len() == 40
            && name
                .to_string_lossy()
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit())
        {
            continue;
        }
        handwritten += 1;
        for at in (0..bytes.len()).step_by(step) {
            run(&bytes[..at]);
            for change in [0x01, 0x20, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                run(&bytes);
            }
        }
    }
    assert!(handwritten > 0, "{target} has a corpus");
}

#[test]
fn front_matter_ends() {
    replay("front_matter", 1, checks::front_matter);
}

#[test]
fn manifests_end() {
    replay("manifest", 1, checks::manifest);
}

#[test]
fn marketplaces_end() {
    replay("marketplace", 1, checks::marketplace);
}

#[test]
fn documents_end() {
    replay("document", 1, checks::document);
}

#[test]
fn archives_stay_inside() {
    replay("zip_install", 1, checks::zip_install);
}

#[test]
fn catalogues_are_searched() {
    replay("tool_catalogue", 11, checks::tool_catalogue);
}

#[test]
fn every_question_about_visibility_has_one_answer() {
    replay("disclosure_rules", 1, checks::disclosure_rules);
}

#[test]
fn words_are_bounded() {
    replay("tokenizer", 1, checks::tokenizer);
}
