//! Where the tests lay out what they work on.

use std::path::{Path, PathBuf};

/// The directory for temporary files, or another of the system's where there is a space in that: what a test expects speaks
/// of paths as they are, and a space is quoted in commands, encoded in links, and the end of a path in some files.
pub(crate) fn temporary() -> PathBuf {
    let usual = std::env::temp_dir();
    let is_plain = |place: &Path| {
        let real = place.canonicalize();
        real.is_ok_and(|real| !real.to_string_lossy().contains(char::is_whitespace))
    };
    let places = [usual.as_path(), Path::new("/tmp"), Path::new("/var/tmp")];
    let plain = places.into_iter().find(|place| is_plain(place));
    plain.unwrap_or(&usual).to_path_buf()
}
