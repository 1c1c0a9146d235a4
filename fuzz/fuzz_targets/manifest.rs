//! Manifests of every format, hooks and MCP servers.
#![no_main]

use aleph_discover::model::PluginFormat;
use aleph_discover::parse::manifest::{self, hooks, mcp_servers};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for (format, is_toml) in [
        (PluginFormat::AlephToml, true),
        (PluginFormat::AlephJson, false),
        (PluginFormat::Claude, false),
        (PluginFormat::Claude, true),
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
