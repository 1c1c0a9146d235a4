//! Archives: refused, or unpacked within limits, all inside the directory that is given.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use aleph_discover::plugin::install::zip::Archive;
use aleph_discover::plugin::tree;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(archive) = Archive::read(Cursor::new(data), Path::new("fuzz.zip")) else { return };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let inside = dir.path().join("inside");
    std::fs::create_dir(&inside).expect("a directory");
    let _ = archive.unpack(&inside, &mut ());
    let beside = std::fs::read_dir(dir.path()).expect("it is there").count();
    assert_eq!(beside, 1, "something was written outside");
    // What was unpacked may be installed.
    let entries = tree::list(&inside).expect("a tree within limits");
    assert!(entries.iter().all(|entry| matches!(entry.kind, tree::EntryKind::File { .. })));
});
