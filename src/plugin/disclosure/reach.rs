//! What a plugin reaches: addresses, and paths outside of it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

/// What it reaches over the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Network {
    /// What its manifest says: `yes`, `no` or another word; null where it says nothing.
    pub declared: Option<String>,
    /// The addresses in its definitions, without credentials.
    pub urls: Vec<String>,
}

/// What it reaches in the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Filesystem {
    /// What its manifest says: `yes`, `no`, `read`, `write`, `full` or another word; null where it says nothing.
    pub declared: Option<String>,
    /// Paths outside the plugin in its definitions, as written.
    pub outside: Vec<String>,
}

#[derive(Default)]
pub(super) struct Reach {
    pub(super) network: Network,
    pub(super) filesystem: Filesystem,
}

impl Reach {
    pub(super) fn url(&mut self, url: &str) {
        self.network.urls.push(url.to_owned());
    }

    pub(super) fn outside(&mut self, path: &str) {
        self.filesystem.outside.push(path.to_owned());
    }

    /// Looks for addresses and paths in command lines, arguments and directories.
    pub(super) fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>, root: &Path) {
        let root = root.to_string_lossy();
        for text in texts {
            for word in text.split(|c: char| c.is_whitespace() || "\"'`()<>|;&,".contains(c)) {
                self.word(word, &root);
            }
        }
    }

    fn word(&mut self, word: &str, root: &str) {
        let address = ["https://", "http://", "wss://", "ws://"]
            .into_iter()
            .filter_map(|scheme| word.find(scheme))
            .min();
        if let Some(start) = address {
            let url = word.get(start..).unwrap_or_default();
            self.url(url.trim_end_matches(['.', ']', '}', ':']));
            return;
        }
        // `--root=/etc` and `PATH=/opt/x:/opt/y`.
        for path in word.split(['=', ':']) {
            let is_own = !root.is_empty() && path.starts_with(root);
            if !is_own && leaves(path) {
                self.outside(path);
            }
        }
        let drive = word.as_bytes();
        if drive.get(1) == Some(&b':') && matches!(drive.get(2), Some(b'\\' | b'/')) {
            self.outside(word);
        }
    }

    pub(super) fn finish(&mut self) {
        for list in [&mut self.network.urls, &mut self.filesystem.outside] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Whether a word looks like a path out of the plugin.
fn leaves(word: &str) -> bool {
    let is_absolute = word.starts_with('/') && word.len() > 2 && !word.starts_with("//");
    // `/c` is a switch of another system's shell, and what goes to `/dev/null` goes nowhere.
    (is_absolute && word != "/dev/null")
        || word == ".."
        || word.starts_with("../")
        || word.contains("/../")
        || word == "~"
        || word.starts_with("~/")
        || word.starts_with("$HOME")
        || word.starts_with("${HOME}")
        || word.starts_with("%USERPROFILE%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_found_in_command_lines() {
        let mut reach = Reach::default();
        let texts = [
            "curl -s \"https://example.com/x\" > /tmp/out 2>/dev/null; cat ~/.ssh/id_rsa",
            "node /p/run.js --root=/etc/x ../../up",
            "cmd /c npx",
            "$HOME/.config",
        ];
        reach.texts(texts.into_iter(), Path::new("/p"));
        reach.finish();
        assert_eq!(reach.network.urls, ["https://example.com/x"]);
        assert_eq!(
            reach.filesystem.outside,
            ["$HOME/.config", "../../up", "/etc/x", "/tmp/out", "~/.ssh/id_rsa"]
        );
    }
}
