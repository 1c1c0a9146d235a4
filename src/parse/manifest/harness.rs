//! The manifests of other harnesses: Claude Code, Codex and Cursor (reference/hosts.md 1.6 and 4, aleph.md 3.4).

use super::fields::{Fields, Type, as_list, as_text, is_table, paths_of, wrong_type};
use super::{DeclaredPath, InlinePart, Manifest, OtherRun, Setting, aleph, hooks, mcp_servers};
use crate::model::ComponentKind;
use crate::parse::document::{Located, Value};

/// Keys of every one of these formats that are only checked.
const COMMON: &[(&str, Type)] = &[
    ("$schema", Type::Text),
    ("author", Type::TextOrTable),
    ("homepage", Type::Text),
    ("repository", Type::TextOrTable),
    ("license", Type::Text),
    ("keywords", Type::List),
    ("displayName", Type::Text),
];

/// Further keys of Claude Code's.
const CLAUDE: &[(&str, Type)] = &[
    ("metadata", Type::Table),
    ("defaultEnabled", Type::Bool),
    ("channels", Type::List),
    ("dependencies", Type::ListOrTable),
    ("experimental", Type::Table),
];

/// Further keys of Codex's.
const CODEX: &[(&str, Type)] = &[("interface", Type::Table), ("instructions", Type::Text)];

/// Further keys of Cursor's.
const CURSOR: &[(&str, Type)] = &[
    ("category", Type::Text),
    ("tags", Type::List),
    ("logo", Type::Text),
    ("minClientVersions", Type::Table),
];

/// Reads `.claude-plugin/plugin.json`, or its TOML twin, in which `mcp-servers` stands for `mcpServers`.
pub(super) fn claude(root: &Located) -> Manifest {
    let (mut fields, mut manifest) = common(root);
    fields.check(CLAUDE);
    manifest.name = manifest.name.filter(|name| !name.value.trim().is_empty());
    part(&mut fields, &mut manifest, ComponentKind::Skill, "skills");
    part(&mut fields, &mut manifest, ComponentKind::Command, "commands");
    part(&mut fields, &mut manifest, ComponentKind::Agent, "agents");
    part(
        &mut fields,
        &mut manifest,
        ComponentKind::OutputStyle,
        "outputStyles",
    );
    hook_key(&mut fields, &mut manifest);
    server_key(&mut fields, &mut manifest, "mcpServers");
    server_key(&mut fields, &mut manifest, "mcp-servers");
    language_servers(&mut fields, &mut manifest);
    other_paths(&mut fields, &mut manifest, "workflows");
    if let Some(table) = fields.get("userConfig", Type::Table) {
        for entry in table.value.entries() {
            let required = entry.value.value.get("required").map(|value| &value.value);
            manifest.settings.push(Setting {
                name: entry.key.clone(),
                required: required == Some(&Value::Bool(true)),
            });
        }
    }
    if let Some(table) = fields.get("aleph", Type::Table) {
        aleph_table(table, &mut manifest);
    }
    finish(fields, manifest)
}

/// Reads `.codex-plugin/plugin.json`.
pub(super) fn codex(root: &Located) -> Manifest {
    let (mut fields, mut manifest) = common(root);
    fields.check(CODEX);
    part(&mut fields, &mut manifest, ComponentKind::Skill, "skills");
    hook_key(&mut fields, &mut manifest);
    server_key(&mut fields, &mut manifest, "mcpServers");
    other_paths(&mut fields, &mut manifest, "apps");
    finish(fields, manifest)
}

/// Reads `.cursor-plugin/plugin.json`.
pub(super) fn cursor(root: &Located) -> Manifest {
    let (mut fields, mut manifest) = common(root);
    fields.check(CURSOR);
    part(&mut fields, &mut manifest, ComponentKind::Skill, "skills");
    part(&mut fields, &mut manifest, ComponentKind::Command, "commands");
    let agents = if fields.any("agents").is_some() {
        "agents"
    } else {
        "subagents"
    };
    part(&mut fields, &mut manifest, ComponentKind::Agent, agents);
    part(&mut fields, &mut manifest, ComponentKind::Memory, "rules");
    hook_key(&mut fields, &mut manifest);
    server_key(&mut fields, &mut manifest, "mcpServers");
    if let Some(table) = fields.get("variables", Type::Table) {
        let required: Vec<&str> = table
            .value
            .get("required")
            .and_then(as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(as_text)
            .collect();
        let properties = table.value.get("properties").map(|value| value.value.entries());
        for entry in properties.unwrap_or_default() {
            manifest.settings.push(Setting {
                name: entry.key.clone(),
                required: required.contains(&entry.key.as_str()),
            });
        }
    }
    finish(fields, manifest)
}

fn common(root: &Located) -> (Fields<'_>, Manifest) {
    let mut fields = Fields::of(root);
    fields.check(COMMON);
    let manifest = Manifest {
        name: fields.words("name"),
        version: fields.words("version"),
        description: fields.words("description"),
        ..Manifest::default()
    };
    (fields, manifest)
}

fn finish(fields: Fields<'_>, mut manifest: Manifest) -> Manifest {
    manifest.problems.splice(0..0, fields.problems);
    manifest
        .problems
        .sort_by_key(|problem| (problem.line, problem.column));
    manifest
}

/// Reads a key that names folders or files of components: a string, a list, or a table of names.
fn part(fields: &mut Fields<'_>, manifest: &mut Manifest, kind: ComponentKind, key: &'static str) {
    let Some(value) = fields.get(key, Type::TextListOrTable) else {
        return;
    };
    manifest.declares.push(kind);
    if !is_table(value) {
        let paths = paths_of(value, key, &mut manifest.problems);
        manifest.parts.extend(paths.into_iter().map(|path| (kind, path)));
        return;
    }
    for entry in value.value.entries() {
        let inner = &entry.value;
        let source = as_text(inner).map(|text| (text, inner.position)).or_else(|| {
            ["source", "path"].into_iter().find_map(|key| {
                let value = inner.value.get(key)?;
                Some((as_text(value)?, value.position))
            })
        });
        if let Some((text, at)) = source {
            let path = DeclaredPath {
                text: text.to_owned(),
                at,
                key,
                name: Some(entry.key.clone()),
            };
            manifest.parts.push((kind, path));
        } else if inner.value.get("content").is_some() {
            manifest.inline_parts.push(InlinePart {
                kind,
                name: entry.key.clone(),
                description: inner
                    .value
                    .get("description")
                    .and_then(as_text)
                    .map(str::to_owned),
                at: entry.key_position,
            });
        } else {
            let wanted = "a path, or a table with `source` or `content`, in each place";
            wrong_type(&mut manifest.problems, key, inner, wanted);
        }
    }
}

/// Reads `hooks`: a path, a list of paths, or hooks themselves.
fn hook_key(fields: &mut Fields<'_>, manifest: &mut Manifest) {
    let Some(value) = fields.get("hooks", Type::TextListOrTable) else {
        return;
    };
    manifest.declares.push(ComponentKind::Hook);
    if is_table(value) {
        manifest.hooks.extend(hooks::read(value, &mut manifest.problems));
        return;
    }
    let (inline, paths): (Vec<&Located>, Vec<&Located>) =
        one_or_many(value).partition(|value| is_table(value));
    for value in inline {
        manifest.hooks.extend(hooks::read(value, &mut manifest.problems));
    }
    for value in paths {
        match as_text(value) {
            Some(_) => manifest
                .hook_files
                .extend(paths_of(value, "hooks", &mut manifest.problems)),
            None => wrong_type(
                &mut manifest.problems,
                "hooks",
                value,
                "a path or a table in each place",
            ),
        }
    }
}

/// Reads `mcpServers`: a path, a list of paths, or servers themselves.
fn server_key(fields: &mut Fields<'_>, manifest: &mut Manifest, key: &'static str) {
    let Some(value) = fields.get(key, Type::TextListOrTable) else {
        return;
    };
    manifest.declares.push(ComponentKind::McpServer);
    for value in one_or_many(value) {
        match (as_text(value), is_table(value)) {
            (Some(_), _) => manifest
                .server_files
                .extend(paths_of(value, key, &mut manifest.problems)),
            (None, true) => manifest
                .servers
                .extend(mcp_servers::read(value, &mut manifest.problems)),
            (None, false) => wrong_type(
                &mut manifest.problems,
                key,
                value,
                "a path or a table in each place",
            ),
        }
    }
}

fn one_or_many(value: &Located) -> impl Iterator<Item = &Located> {
    let many = as_list(value);
    let one = if many.is_some() { None } else { Some(value) };
    one.into_iter().chain(many.unwrap_or_default())
}

/// Language servers are started like MCP servers.
fn language_servers(fields: &mut Fields<'_>, manifest: &mut Manifest) {
    let Some(value) = fields.get("lspServers", Type::TextListOrTable) else {
        return;
    };
    if is_table(value) {
        manifest.runs.extend(lsp_servers(value));
    } else {
        let paths = paths_of(value, "lspServers", &mut manifest.problems);
        manifest.other_paths.extend(paths);
    }
}

/// The language servers of a table.
pub(super) fn lsp_servers(table: &Located) -> Vec<OtherRun> {
    let servers = mcp_servers::read(table, &mut Vec::new());
    servers
        .into_iter()
        .filter_map(|server| {
            let server = server.value;
            Some(OtherRun {
                what: "lsp-server",
                name: Some(server.name),
                command: server.command?,
                args: server.args,
                env: server.env,
            })
        })
        .collect()
}

fn other_paths(fields: &mut Fields<'_>, manifest: &mut Manifest, key: &'static str) {
    if let Some(paths) = fields.paths(key) {
        manifest.other_paths.extend(paths);
    }
}

/// Reads the `aleph` table of a Claude Code manifest.
fn aleph_table(table: &Located, manifest: &mut Manifest) {
    let mut fields = Fields::of(table);
    let kind = fields.words("runtime").map(|kind| kind.value);
    let entry = fields.words("entry");
    aleph::runtime(kind.as_deref(), entry, "entry", manifest);
    if let Some(table) = fields.get("permissions", Type::Table) {
        manifest.permissions = aleph::permissions(table, &mut manifest.problems);
    }
    for table in fields.tables("services") {
        aleph::service(table, manifest);
    }
    fields.check(&[("capabilities", Type::ListOrTable)]);
    manifest.problems.append(&mut fields.problems);
}
