//! What a tree is, byte for byte, so that it can be compared with what it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Every entry below a directory: path, what it is, permissions, content.
pub(crate) fn snapshot(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root).min_depth(1) {
        let entry = entry.unwrap();
        let path = entry.path();
        let metadata = fs::symlink_metadata(path).unwrap();
        let what = if metadata.is_symlink() {
            format!("-> {}", fs::read_link(path).unwrap().display())
        } else if metadata.is_dir() {
            format!("dir {:o}", metadata.permissions().mode())
        } else if metadata.is_file() {
            let content = fs::read(path).unwrap();
            format!(
                "file {:o} {:?}",
                metadata.permissions().mode(),
                String::from_utf8_lossy(&content)
            )
        } else {
            "special".to_owned()
        };
        let relative = path.strip_prefix(root).unwrap();
        found.insert(relative.to_string_lossy().into_owned(), what);
    }
    found
}
