//! The digest of a definition: what an approval is of.
//!
//! It is the SHA-256, in lower-case hex, of a JSON object in the canonical form of RFC 8785: keys sorted, no blanks,
//! nothing escaped that need not be. The object has these keys, and every text is as written, unexpanded:
//!
//! - `args`: the arguments; of a `command` that is a list, all but its first.
//! - `command`, `cwd`, `url`: a text, or null.
//! - `env`, `headers`: a list of `[name, value]`, sorted by name and then by value.
//! - `env_names`: names of variables that are handed on as they are, sorted.
//! - `file`: the absolute path of the file that configures it; where that is not UTF-8 `{"base64": …}` of its bytes.
//! - `name`: its name in that file.
//! - `plugin`: the directory of the plugin that brings it, as `file`, or null.
//! - `transport`: `stdio`, `http`, `sse`, `ws`, or null.
//! - `version`: the text `1`.
//!
//! What a program does once it is started is not part of it: neither is the program's file, nor what it downloads.

use std::path::Path;

use base64::Engine;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::expand::is_reference;
use super::launch::Site;
use crate::model::{ServerDefinition, hex};
use crate::parse::secrets::MASK;
use crate::plugin::shown::{PluginDirs, server_view};

/// The digest of a definition that stands at a site.
#[must_use]
pub fn digest(server: &ServerDefinition, site: &Site) -> String {
    let pairs = |pairs: &[(String, String)]| -> Value {
        let mut pairs: Vec<_> = pairs.to_vec();
        pairs.sort();
        json!(pairs)
    };
    let mut env_names = server.env_names.clone();
    env_names.sort();
    // Maps are written in the order of their keys, and texts with the fewest escapes: that is the canonical form,
    // since there is no number in it.
    let object = json!({
        "args": server.args,
        "command": server.command,
        "cwd": server.cwd,
        "env": pairs(&server.env),
        "env_names": env_names,
        "file": path(&site.file),
        "headers": pairs(&server.headers),
        "name": server.name,
        "plugin": site.plugin.as_ref().map(|dirs| path(&dirs.root)),
        "transport": server.transport.map(|transport| transport.as_str()),
        "url": server.url,
        "version": "1",
    });
    hex(&Sha256::digest(object.to_string()))
}

fn path(path: &Path) -> Value {
    match path.to_str() {
        Some(text) => text.into(),
        None => {
            let bytes = path.as_os_str().as_encoded_bytes();
            json!({ "base64": base64::engine::general_purpose::STANDARD.encode(bytes) })
        }
    }
}

/// One part of a definition, as it is remembered so that a difference can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// `command`, `argument 1`, `variable API_KEY`, …
    pub(super) key: String,
    /// What may be shown of it.
    pub(super) shown: String,
    /// What tells two values apart without holding either.
    pub(super) mark: String,
}

/// The parts of a definition. `digest` goes into every mark, so that marks of two approvals cannot be compared: what
/// is marked the same in both is not for a reader of the file to know.
pub(super) fn parts(server: &ServerDefinition, site: &Site, digest: &str) -> Vec<Part> {
    let view = server_view(server, &PluginDirs::default(), None);
    let mut parts = Vec::new();
    let mut add = |key: String, value: &[u8], shown: String| {
        let mut marked = format!("{digest}\0{key}\0").into_bytes();
        marked.extend_from_slice(value);
        let mut mark = hex(&Sha256::digest(&marked));
        mark.truncate(16);
        parts.push(Part { key, shown, mark });
    };
    let mut text = |key: &str, value: &Option<String>, shown: Option<String>| {
        if let Some(value) = value {
            add(key.to_owned(), value.as_bytes(), shown.unwrap_or_default());
        }
    };
    let transport = server.transport.map(|transport| transport.as_str().to_owned());
    text("transport", &transport, transport.clone());
    text("command", &server.command, view.command);
    text("directory", &server.cwd, view.cwd);
    text("address", &server.url, view.url);
    for (index, (arg, shown)) in server.args.iter().zip(view.args).enumerate() {
        add(format!("argument {}", index + 1), arg.as_bytes(), shown);
    }
    for (what, pairs) in [("variable", &server.env), ("header", &server.headers)] {
        for (name, value) in pairs {
            // The name of another variable is no value.
            let shown = if is_reference(value) { value } else { MASK };
            add(format!("{what} {name}"), value.as_bytes(), shown.to_owned());
        }
    }
    for name in &server.env_names {
        add(format!("handed-on variable {name}"), b"", name.clone());
    }
    let file = site.file.as_os_str().as_encoded_bytes();
    add("file".to_owned(), file, site.file.to_string_lossy().into_owned());
    if let Some(dirs) = &site.plugin {
        let root = dirs.root.as_os_str().as_encoded_bytes();
        add(
            "plugin".to_owned(),
            root,
            dirs.root.to_string_lossy().into_owned(),
        );
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Transport;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn server() -> ServerDefinition {
        ServerDefinition {
            name: "github".to_owned(),
            transport: Some(Transport::Stdio),
            command: Some("npx".to_owned()),
            args: ["-y", "@modelcontextprotocol/server-github"]
                .map(str::to_owned)
                .to_vec(),
            env: vec![
                pair("GITHUB_TOKEN", "${GITHUB_TOKEN}"),
                pair("B", "caf\u{e9} \"1\"\n"),
            ],
            enabled: true,
            ..ServerDefinition::default()
        }
    }

    #[test]
    fn the_digest_has_known_values() {
        // Each is `printf '%s' TEXT | sha256sum` of the text that the module's documentation describes.
        let site = Site::of_file(Path::new("/src/shop/.mcp.json"));
        assert_eq!(
            digest(&server(), &site),
            "897bd058ca46a3b8ce24147f4b0018f0bd77d18071c4cd4fb5f04e10f8c2395e"
        );
        let documented = ServerDefinition {
            name: "a".to_owned(),
            transport: Some(Transport::Stdio),
            command: Some("run".to_owned()),
            ..ServerDefinition::default()
        };
        let known = digest(&documented, &site);
        assert_eq!(
            known,
            "19cd65e3486b258b8bd45000c6779ae25a6fb7538a818266263965b97bfa85d2"
        );
        assert!(include_str!("../../docs/mcp-servers.md").contains(&known));
        let http = ServerDefinition {
            name: "web".to_owned(),
            transport: Some(Transport::Http),
            url: Some("https://example.com/mcp".to_owned()),
            headers: vec![pair("Authorization", "Bearer ${TOKEN}")],
            env_names: vec!["TOKEN".to_owned()],
            enabled: true,
            ..ServerDefinition::default()
        };
        let dirs = PluginDirs {
            root: "/home/u/.aleph/plugins/ops".into(),
            data: None,
            show_secrets: false,
        };
        let site = Site::of_plugin(Path::new("/home/u/.aleph/plugins/ops/.mcp.json"), dirs);
        assert_eq!(
            digest(&http, &site),
            "d0ed27fb6ce6be6dd46e0754c002190d181235a3e045e80972b7512a3c2895f9"
        );
    }

    #[test]
    fn every_part_counts_and_no_order_of_names_does() {
        let site = Site::of_file(Path::new("/p/.mcp.json"));
        let own = digest(&server(), &site);
        let mut swapped = server();
        swapped.env.reverse();
        assert_eq!(digest(&swapped, &site), own);
        let changes: [fn(&mut ServerDefinition); 11] = [
            |server| server.name.push('x'),
            |server| server.transport = Some(Transport::Http),
            |server| server.command = Some("npx2".to_owned()),
            |server| server.args.push(String::new()),
            |server| server.args.swap(0, 1),
            |server| server.args = vec!["-y @modelcontextprotocol/server-github".to_owned()],
            |server| server.cwd = Some("/".to_owned()),
            |server| server.url = Some("https://example.com".to_owned()),
            |server| server.env.push(pair("NODE_OPTIONS", "")),
            |server| server.headers.push(pair("A", "b")),
            |server| server.env_names.push("A".to_owned()),
        ];
        let mut seen = vec![own];
        for change in changes {
            let mut changed = server();
            change(&mut changed);
            let digest = digest(&changed, &site);
            assert!(!seen.contains(&digest), "{changed:?}");
            seen.push(digest);
        }
        for site in [
            Site::of_file(Path::new("/q/.mcp.json")),
            Site::of_plugin(
                Path::new("/p/.mcp.json"),
                PluginDirs {
                    root: "/p".into(),
                    data: None,
                    show_secrets: false,
                },
            ),
        ] {
            let digest = digest(&server(), &site);
            assert!(!seen.contains(&digest));
            seen.push(digest);
        }
    }

    #[test]
    fn parts_hold_no_secret() {
        let mut server = server();
        server.args = ["--token", "hunter2hunter2"].map(str::to_owned).to_vec();
        server.env = vec![pair("A", "verysecretvalue"), pair("B", "${B}")];
        let site = Site::of_file(Path::new("/p/.mcp.json"));
        let parts = parts(&server, &site, "d");
        let text = format!("{parts:?}");
        assert!(
            !text.contains("hunter2") && !text.contains("verysecret"),
            "{text}"
        );
        let shown = |key: &str| {
            parts
                .iter()
                .find(|part| part.key == key)
                .map(|part| part.shown.as_str())
        };
        assert_eq!(shown("argument 2"), Some("***"));
        assert_eq!(shown("variable A"), Some("***"));
        assert_eq!(shown("variable B"), Some("${B}"));
        assert_eq!(shown("file"), Some("/p/.mcp.json"));
    }
}
