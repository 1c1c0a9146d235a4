//! Language servers: not components of this host, but commands that a plugin runs elsewhere.

use std::path::PathBuf;

use super::inside;
use super::read::Plugin;
use crate::parse::manifest::{OtherRun, lsp_servers};

/// The file of language servers that a plugin has by default.
const LSP_FILE: &str = ".lsp.json";

/// The language servers of the plugin's files, by file. What cannot be read has none.
pub(super) fn files(plugin: &Plugin) -> Vec<(PathBuf, Vec<OtherRun>)> {
    let manifests = plugin
        .manifests
        .iter()
        .filter_map(|file| file.manifest.as_ref().ok());
    let named = manifests
        .flat_map(|manifest| &manifest.other_paths)
        .filter(|path| path.key == "lspServers")
        .map(|path| path.text.as_str());
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for text in std::iter::once(LSP_FILE).chain(named) {
        let Ok(place) = plugin.inside.locate(text) else {
            continue;
        };
        if !place.is_file || seen.contains(&place.real) {
            continue;
        }
        if let Ok(bytes) = inside::read(&place.real) {
            found.push((place.path, lsp_servers(&bytes)));
        }
        seen.push(place.real);
    }
    found
}
