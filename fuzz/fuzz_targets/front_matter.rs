//! Front matter: ends, and says positions that are in the text.
#![no_main]

use aleph_discover::parse::front_matter;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let extent = front_matter::extent(data, true);
    let _ = front_matter::parse(data, &extent, &["license", "allowed-tools", "model"]);
});
