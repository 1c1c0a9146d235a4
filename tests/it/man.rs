//! Manual pages render without a warning, where something is installed that renders them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::skipped;

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man");
    let entries = fs::read_dir(folder).expect("docs/man");
    let pages: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    assert!(pages.len() > 5, "{pages:?}");
    pages
}

/// Fails if a program has anything to say of a page, on either stream.
fn nothing_is_said_of_any_page(test: &str, program: &str, arguments: &[&str]) {
    for page in pages() {
        let ran = match Command::new(program).args(arguments).arg(&page).output() {
            Ok(ran) => ran,
            Err(error) => return skipped(test, &format!("{program}: {error}")),
        };
        for said in [&ran.stdout, &ran.stderr] {
            assert_eq!(String::from_utf8_lossy(said), "", "{}", page.display());
        }
        assert!(ran.status.success(), "{}: {:?}", page.display(), ran.status);
    }
}

#[test]
fn groff_has_no_warning() {
    // Everything is formatted, and only warnings are printed.
    nothing_is_said_of_any_page("groff_has_no_warning", "groff", &["-man", "-Tutf8", "-ww", "-z"]);
}

#[test]
fn mandoc_has_no_remark() {
    nothing_is_said_of_any_page("mandoc_has_no_remark", "mandoc", &["-T", "lint", "-W", "style"]);
}
