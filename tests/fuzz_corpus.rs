//! What the fuzz targets in `fuzz/` begin with, and what they found, replayed: each file, and each with bytes changed
//! and cut off.
#![cfg(feature = "install")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets what it does not expect fails, and says where"
)]

use std::fs;
use std::io::Cursor;
use std::path::Path;

use aleph_discover::model::PluginFormat;
use aleph_discover::parse::document::{self, Format};
use aleph_discover::parse::front_matter;
use aleph_discover::parse::manifest::{self, hooks, marketplace, mcp_servers};
use aleph_discover::plugin::install::zip::Archive;
use aleph_discover::plugin::{hidden_text, tree};

/// Gives every file of a corpus, and what becomes of it when single bytes change or its end is missing.
fn replay(target: &str, run: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        files += 1;
        run(&bytes);
        for at in 0..bytes.len() {
            run(&bytes[..at]);
            for change in [0x01, 0x20, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                run(&bytes);
            }
        }
    }
    assert!(files > 0, "{target} has a corpus");
}

#[test]
fn front_matter_ends() {
    replay("front_matter", |data| {
        let extent = front_matter::extent(data, true);
        let _ = front_matter::parse(data, &extent, &["license", "allowed-tools", "model"]);
    });
}

#[test]
fn manifests_end() {
    replay("manifest", |data| {
        for (format, is_toml) in [
            (PluginFormat::AlephToml, true),
            (PluginFormat::Claude, false),
            (PluginFormat::Codex, false),
            (PluginFormat::Cursor, false),
        ] {
            let _ = manifest::parse(data, format, is_toml);
        }
        if let Ok((hooks, _)) = hooks::parse(data) {
            let _ = hooks::merge(hooks.into_iter().map(|hook| (0, hook)).collect());
        }
        let _ = mcp_servers::parse(data);
        let _ = manifest::lsp_servers(data);
    });
}

#[test]
fn marketplaces_end() {
    replay("marketplace", |data| {
        let _ = marketplace::parse(data, false);
        let _ = marketplace::parse(data, true);
    });
}

#[test]
fn documents_end() {
    replay("document", |data| {
        for format in [Format::Jsonc, Format::Json, Format::Toml] {
            let _ = document::parse(data, format);
        }
        if let Ok(text) = std::str::from_utf8(data) {
            let _ = hidden_text::find(text, true);
        }
    });
}

#[test]
fn archives_stay_inside() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("inside");
    replay("zip_install", |data| {
        let Ok(archive) = Archive::read(Cursor::new(data), Path::new("a.zip")) else {
            return;
        };
        fs::create_dir(&inside).unwrap();
        let _ = archive.unpack(&inside, &mut ());
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            1,
            "something was written outside"
        );
        let entries = tree::list(&inside).unwrap();
        assert!(
            entries
                .iter()
                .all(|entry| matches!(entry.kind, tree::EntryKind::File { .. }))
        );
        fs::remove_dir_all(&inside).unwrap();
    });
}
