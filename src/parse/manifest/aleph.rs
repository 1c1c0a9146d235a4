//! `aleph.plugin.toml` and `aleph.plugin.json` (reference/aleph.md 3.4).

use super::fields::{Fields, Type, as_scalar};
use super::{DeclaredPath, InlinePart, Manifest, OtherRun, Permissions, Spot};
use crate::model::{ComponentKind, HookDefinition};
use crate::parse::Problem;
use crate::parse::document::Located;

/// Keys of `[plugin]` that are only checked.
const PLUGIN_KEYS: &[(&str, Type)] = &[
    ("author", Type::TextOrTable),
    ("config_schema", Type::Table),
    ("config_ui_hints", Type::Table),
    ("homepage", Type::Text),
    ("repository", Type::TextOrTable),
    ("license", Type::Text),
    ("keywords", Type::List),
    ("extensions", Type::ListOrTable),
];

/// Reads `aleph.plugin.toml`.
pub(super) fn toml(root: &Located) -> Manifest {
    let mut top = Fields::of(root);
    let mut manifest = Manifest::default();
    if let Some(table) = top.get("plugin", Type::Table) {
        plugin_table(table, &mut manifest);
    }
    if let Some(table) = top.get("permissions", Type::Table) {
        manifest.permissions = permissions(table, &mut manifest.problems);
    }
    if let Some(table) = top.get("prompt", Type::Table) {
        let mut prompt = Fields::of(table);
        if let Some(file) = prompt.words("file") {
            manifest.parts.push((ComponentKind::Memory, path(file, "file")));
        }
        prompt.check(&[("scope", Type::Text)]);
        manifest.problems.append(&mut prompt.problems);
    }
    for table in top.tables("hooks") {
        hook(table, &mut manifest);
    }
    for table in top.tables("commands") {
        let mut command = Fields::of(table);
        if let Some(name) = command.words("name") {
            manifest.inline_parts.push(InlinePart {
                kind: ComponentKind::Command,
                name: name.value,
                description: command.text("description").map(|text| text.value),
                at: table.position,
            });
        }
        manifest.problems.append(&mut command.problems);
    }
    for table in top.tables("services") {
        service(table, &mut manifest);
    }
    top.tables("tools");
    top.check(&[("capabilities", Type::Table)]);
    manifest.problems.append(&mut top.problems);
    manifest
}

/// Reads `aleph.plugin.json`, which is flat and in camel case.
pub(super) fn json(root: &Located) -> Manifest {
    let mut manifest = Manifest::default();
    plugin_table(root, &mut manifest);
    let mut top = Fields::of(root);
    top.check(&[
        ("configSchema", Type::Table),
        ("configUiHints", Type::Table),
        ("permissions", Type::ListOrTable),
    ]);
    match top.any("permissions") {
        Some(table) if super::fields::is_table(table) => {
            manifest.permissions = permissions(table, &mut manifest.problems);
        }
        Some(list) => {
            for value in super::fields::as_list(list).unwrap_or_default() {
                let text = as_scalar(value).unwrap_or_default();
                // `network`, `filesystem:read`
                let (what, how) = text.split_once(':').unwrap_or((&text, "yes"));
                match what {
                    "network" => manifest.permissions.network = Some(how.to_owned()),
                    "filesystem" => manifest.permissions.filesystem = Some(how.to_owned()),
                    "shell" => manifest.permissions.shell = Some(how.to_owned()),
                    _ => {}
                }
            }
        }
        None => {}
    }
    manifest.problems.append(&mut top.problems);
    manifest
}

fn plugin_table(table: &Located, manifest: &mut Manifest) {
    let mut plugin = Fields::of(table);
    manifest.id = plugin.words("id");
    manifest.name = plugin.words("name");
    manifest.version = plugin.words("version");
    manifest.description = plugin.words("description");
    plugin.check(PLUGIN_KEYS);
    let kind = plugin.words("kind").map(|kind| kind.value);
    let entry = plugin.words("entry");
    runtime(kind.as_deref(), entry, "entry", manifest);
    manifest.problems.append(&mut plugin.problems);
}

/// What a plugin with a runtime of its own starts.
pub(super) fn runtime(
    kind: Option<&str>,
    entry: Option<Spot<String>>,
    key: &'static str,
    manifest: &mut Manifest,
) {
    let Some(kind) = kind else { return };
    match kind {
        "static" => {}
        "mcp" => {
            if let Some(entry) = entry.filter(|entry| entry.value != ".mcp.json") {
                manifest.server_files.push(path(entry, key));
            }
        }
        _ => {
            let usual = if kind == "wasm" { "plugin.wasm" } else { "." };
            let args = vec![
                entry
                    .as_ref()
                    .map_or_else(|| usual.to_owned(), |entry| entry.value.clone()),
            ];
            manifest.runs.push(OtherRun {
                what: "runtime",
                name: None,
                command: kind.to_owned(),
                args,
                env: Vec::new(),
            });
            if let Some(entry) = entry.filter(|entry| entry.value != ".") {
                manifest.other_paths.push(path(entry, key));
            }
        }
    }
}

/// Reads a table of permissions.
pub(super) fn permissions(table: &Located, problems: &mut Vec<Problem>) -> Permissions {
    let mut fields = Fields::of(table);
    let mut say = |key: &str| {
        let value = fields.any(key)?;
        let said = as_scalar(value);
        if said.is_none() {
            super::fields::wrong_type(&mut fields.problems, key, value, "true, false or a word");
        }
        Some(match said?.as_str() {
            "true" => "yes".to_owned(),
            "false" => "no".to_owned(),
            word => word.to_owned(),
        })
    };
    let permissions = Permissions {
        network: say("network"),
        filesystem: say("filesystem"),
        shell: say("shell"),
    };
    say("background");
    problems.append(&mut fields.problems);
    permissions
}

fn hook(table: &Located, manifest: &mut Manifest) {
    let mut hook = Fields::of(table);
    let event = hook.words("event");
    let handler = hook.text("handler");
    let filter = hook.text("filter");
    hook.check(&[("kind", Type::Text)]);
    if let Some(event) = event {
        manifest.hooks.push(Spot {
            value: HookDefinition {
                event: event.value,
                matcher: filter.map(|filter| filter.value),
                action: "handler".to_owned(),
                command: handler.map(|handler| handler.value),
                fires: 1,
                ..HookDefinition::default()
            },
            at: table.position,
        });
    }
    manifest.problems.append(&mut hook.problems);
}

/// Reads a table of a service: something that runs in the background.
pub(super) fn service(table: &Located, manifest: &mut Manifest) {
    let mut service = Fields::of(table);
    let name = service.words("name").map(|name| name.value);
    let start = service
        .words("start_handler")
        .or_else(|| service.words("command"));
    service.check(&[
        ("stop_handler", Type::Text),
        ("description", Type::Text),
        ("auto_start", Type::Bool),
    ]);
    if let Some(start) = start {
        manifest.runs.push(OtherRun {
            what: "service",
            name,
            command: start.value,
            args: Vec::new(),
            env: Vec::new(),
        });
    }
    manifest.problems.append(&mut service.problems);
}

fn path(spot: Spot<String>, key: &'static str) -> DeclaredPath {
    DeclaredPath {
        text: spot.value,
        at: spot.at,
        key,
        name: None,
    }
}
