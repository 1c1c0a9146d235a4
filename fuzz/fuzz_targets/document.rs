//! JSONC, JSON and TOML documents: positions are those of characters.
#![no_main]

use aleph_discover::parse::document::{self, Format};
use aleph_discover::plugin::hidden_text;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for format in [Format::Jsonc, Format::Json, Format::Toml] {
        if let Ok(document) = document::parse(data, format) {
            let _ = document.root.value.to_json();
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = hidden_text::find(text, true);
    }
});
