//! Marketplaces, and the addresses that they would have fetched.
#![no_main]

use aleph_discover::parse::manifest::marketplace::{self, EntrySource};
use aleph_discover::plugin::source;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for is_toml in [false, true] {
        let Ok(market) = marketplace::parse(data, is_toml) else { continue };
        for entry in market.entries {
            if let Some(EntrySource::Git { url, .. }) = entry.source.map(|source| source.value)
                && let Ok(address) = source::address(&url)
            {
                assert!(!address.starts_with('-') && !address.contains("ext::"));
            }
        }
    }
});
