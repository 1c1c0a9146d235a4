//! Shapes that real files have, and shapes that none should.

use super::*;
use crate::model::Transport;

fn manifest(text: &str, format: PluginFormat) -> Manifest {
    parse(text.as_bytes(), format, format == PluginFormat::AlephToml).unwrap()
}

fn told(problems: &[Problem]) -> Vec<(&'static str, u32, u32)> {
    problems
        .iter()
        .map(|problem| {
            (
                problem.code.as_str(),
                problem.line.unwrap_or(0),
                problem.column.unwrap_or(0),
            )
        })
        .collect()
}

fn paths(paths: &[DeclaredPath]) -> Vec<&str> {
    paths.iter().map(|path| path.text.as_str()).collect()
}

#[test]
fn each_known_key_of_the_wrong_type_is_told_and_the_rest_counts() {
    let text = "{\n  \"name\": 3,\n  \"version\": \"1.0\",\n  \"skills\": 7,\n  \"agents\": [\"./a.md\", 5],\n  \"hooks\": true,\n  \"author\": [],\n  \"unknown\": 1\n}";
    let read = manifest(text, PluginFormat::Claude);
    assert_eq!(
        told(&read.problems),
        [
            ("manifest-wrong-type", 2, 11),
            ("manifest-wrong-type", 4, 13),
            ("manifest-wrong-type", 5, 24),
            ("manifest-wrong-type", 6, 12),
            ("manifest-wrong-type", 7, 13),
        ]
    );
    assert_eq!(read.version.unwrap().value, "1.0");
    assert_eq!(read.declares, [ComponentKind::Agent]);
    assert_eq!(read.parts[0].1.text, "./a.md");
}

#[test]
fn components_are_a_string_a_list_or_a_table() {
    let text = r#"{"name": "x", "skills": "./s", "commands": {"go": {"source": "./c/go.md"}, "say": {"content": "hi", "description": "d"}},
        "agents": ["./a/one.md"], "hooks": ["./h.json", {"Stop": [{"hooks": [{"type": "command", "command": "run"}]}]}],
        "mcpServers": {"s": {"command": "go"}}, "lspServers": {"l": {"command": "lsp", "args": ["--stdio"]}},
        "userConfig": {"token": {"required": true}}}"#;
    let read = manifest(text, PluginFormat::Claude);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    let named: Vec<(&str, Option<&str>)> = read
        .parts
        .iter()
        .map(|(_, path)| (path.text.as_str(), path.name.as_deref()))
        .collect();
    assert_eq!(
        named,
        [("./s", None), ("./c/go.md", Some("go")), ("./a/one.md", None)]
    );
    assert_eq!(read.inline_parts[0].name, "say");
    assert_eq!(paths(&read.hook_files), ["./h.json"]);
    assert_eq!(read.hooks[0].value.command.as_deref(), Some("run"));
    assert_eq!(read.servers[0].value.name, "s");
    assert_eq!(read.runs[0].command, "lsp");
    assert_eq!(
        read.settings,
        [Setting {
            name: "token".to_owned(),
            required: true
        }]
    );
}

#[test]
fn alephs_own_format_is_read() {
    let text = "[plugin]\nid = \"voice\"\nname = \"Voice\"\nkind = \"nodejs\"\nentry = \"src/index.js\"\n\n[permissions]\nnetwork = true\nfilesystem = \"read\"\n\n[prompt]\nfile = \"p.md\"\n\n[[hooks]]\nevent = \"SessionStart\"\nhandler = \"onStart\"\n\n[[commands]]\nname = \"call\"\n\n[[services]]\nname = \"s\"\nstart_handler = \"go\"\n";
    let read = manifest(text, PluginFormat::AlephToml);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    assert_eq!(read.id.unwrap().value, "voice");
    assert_eq!(read.permissions.network.as_deref(), Some("yes"));
    assert_eq!(read.permissions.filesystem.as_deref(), Some("read"));
    assert_eq!(read.hooks[0].value.action, "handler");
    assert_eq!(read.inline_parts[0].kind, ComponentKind::Command);
    let runs: Vec<(&str, &str)> = read
        .runs
        .iter()
        .map(|run| (run.what, run.command.as_str()))
        .collect();
    assert_eq!(runs, [("runtime", "nodejs"), ("service", "go")]);
    assert_eq!(paths(&read.other_paths), ["src/index.js"]);
}

#[test]
fn a_broken_manifest_says_where() {
    let error = parse(b"{\n  \"name\": \"x\",\n", PluginFormat::Claude, false).unwrap_err();
    assert_eq!((error.code, error.line), (Code::BrokenManifest, Some(3)));
    assert!(error.help.is_some());
    for bytes in [&b"\xff\xfe{"[..], b"", b"[]", b"{\"name\":\"a\0b\"", b"nul\0"] {
        assert!(parse(bytes, PluginFormat::Codex, false).is_err());
    }
    let deep = "{\"a\":".repeat(100_000);
    assert!(parse(deep.as_bytes(), PluginFormat::Cursor, false).is_err());
    let marked = parse(b"\xEF\xBB\xBF{\"name\": \"x\"}", PluginFormat::Claude, false).unwrap();
    assert_eq!(marked.name.unwrap().value, "x");
    let twice = manifest("{\"name\": \"a\", \"name\": \"b\"}", PluginFormat::Claude);
    assert_eq!(twice.name.unwrap().value, "b");
    assert_eq!(twice.problems[0].code, Code::DuplicateKey);
}

fn hook_lines(text: &str) -> Vec<String> {
    let (hooks, problems) = hooks::parse(text.as_bytes()).unwrap();
    assert!(problems.is_empty(), "{problems:?}");
    hooks
        .into_iter()
        .map(|hook| {
            let hook = hook.value;
            format!(
                "{} {} {} {} {}",
                hook.event,
                hook.matcher.unwrap_or_default(),
                hook.action,
                hook.command.unwrap_or_default(),
                hook.timeout_seconds.unwrap_or(0.0)
            )
        })
        .collect()
}

#[test]
fn hooks_are_read_in_every_shape() {
    let grouped = r#"{"description": "d", "hooks": {"Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 5}, {"type": "prompt", "prompt": "p"}]}]}}"#;
    assert_eq!(
        hook_lines(grouped),
        ["Stop Bash command a 5", "Stop Bash prompt  0"]
    );
    let flat = r#"{"description": "d", "Stop": [{"hooks": [{"command": "a"}]}]}"#;
    assert_eq!(hook_lines(flat), ["Stop  command a 0"]);
    let cursor = r#"{"version": 1, "hooks": {"stop": [{"command": "./x.sh"}], "onSave": "y.sh"}}"#;
    assert_eq!(
        hook_lines(cursor),
        ["stop  command ./x.sh 0", "onSave  command y.sh 0"]
    );
    let copilot =
        r#"{"hooks": {"end": [{"type": "command", "bash": "b", "powershell": "p", "timeoutSec": 9}]}}"#;
    assert_eq!(hook_lines(copilot), ["end  command b 9", "end  command p 9"]);
    let list = r#"{"hooks": [{"event": "E", "matcher": "m", "command": "c"}, {"event": ["F", "G"], "action": {"type": "command", "command": "d"}, "filter": {"tool": ["X"]}}]}"#;
    assert_eq!(
        hook_lines(list),
        [
            "E m command c 0",
            "F {\"tool\":[\"X\"]} command d 0",
            "G {\"tool\":[\"X\"]} command d 0"
        ]
    );
    assert_eq!(
        hook_lines(r#"[{"event": "E", "command": ["c", "x"]}]"#),
        ["E  command c 0"]
    );
}

#[test]
fn a_hook_that_is_defined_twice_fires_twice() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "b", "enabled": false}]}]}}"#;
    let (read, _) = hooks::parse(text.as_bytes()).unwrap();
    let all = read
        .iter()
        .cloned()
        .map(|hook| (0, hook))
        .chain(read.iter().cloned().map(|hook| (1, hook)));
    let merged = hooks::merge(all.collect());
    let fires: Vec<u32> = merged.iter().map(|one| one.hook.value.fires).collect();
    assert_eq!(fires, [2, 0]);
    assert_eq!(merged[0].again.len(), 1);
}

#[test]
fn mcp_servers_are_read_in_every_shape() {
    let read = |text: &str| -> Vec<(String, Option<Transport>)> {
        let (servers, _) = mcp_servers::parse(text.as_bytes()).unwrap();
        servers
            .into_iter()
            .map(|server| (server.value.name, server.value.transport))
            .collect()
    };
    let one = |name: &str, transport| vec![(name.to_owned(), transport)];
    for text in [
        r#"{"mcpServers": {"a": {"command": "x"}}}"#,
        r#"{"servers": {"a": {"type": "stdio", "command": ["x", "y"]}}}"#,
        r#"{"mcp": {"a": {"type": "local", "command": "x"}}}"#,
        r#"{"a": {"command": "x"}}"#,
        r#"[{"name": "a", "command": "x"}]"#,
    ] {
        assert_eq!(read(text), one("a", Some(Transport::Stdio)), "{text}");
    }
    assert_eq!(
        read(r#"{"a": {"url": "https://x"}}"#),
        one("a", Some(Transport::Http))
    );
    assert_eq!(
        read(r#"{"a": {"type": "sse", "url": "https://x"}}"#),
        one("a", Some(Transport::Sse))
    );
    assert_eq!(
        read(r#"{"mcp": {"command": "x"}}"#),
        one("mcp", Some(Transport::Stdio))
    );
    let (servers, problems) =
        mcp_servers::parse(br#"{"mcpServers": {"a": {}, "b": {"type": "x", "url": "u"}, "c": 1}}"#).unwrap();
    assert_eq!(servers.len(), 3);
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["bad-server"; 3]);
    // Beside servers without a key of their own the file may say something of itself.
    let (servers, problems) =
        mcp_servers::parse(br#"{"$schema": "s", "_": 1, "version": "1", "a": {"command": "x"}, "b": 1}"#)
            .unwrap();
    let names: Vec<&str> = servers.iter().map(|server| server.value.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(problems.len(), 1);
}

#[test]
fn one_bad_entry_never_sinks_a_marketplace() {
    let text = r#"{"name": "m", "metadata": {"pluginRoot": "./p"}, "plugins": [
        {"name": "path", "source": "./plugins/x", "version": "1.2", "trust_tier": "unverified", "sha256": "ab"},
        {"name": "local", "source": {"source": "local", "path": "./y"}, "strict": false},
        {"name": "hub", "source": {"source": "github", "repo": "o/r", "ref": "v1", "sha": "c"}},
        {"name": "url", "source": {"source": "url", "url": "https://x/y.git"}},
        {"name": "sub", "source": {"source": "git-subdir", "url": "https://x/y.git", "path": "p"}},
        {"name": "npm", "source": {"source": "npm", "package": "@a/b", "version": "^1"}},
        {"name": "pip", "source": {"source": "pip", "package": "b"}},
        {"name": "dir", "source": {"source": "directory", "path": "/x"}},
        {"name": "file", "source": {"source": "file", "path": "/x.json"}},
        {"name": "new", "source": {"source": "carrier-pigeon"}},
        {"name": "https", "source": "https://x/y"},
        7,
        {"source": "./nameless"},
        {"name": "nowhere"},
        {"name": "half", "source": {"source": "github"}},
        {"name": "path", "source": "./again"}
    ]}"#;
    let read = marketplace::parse(text.as_bytes(), false).unwrap();
    let kinds: Vec<(&str, &str)> = read
        .entries
        .iter()
        .map(|entry| {
            let source = entry.source.as_ref();
            (
                entry.name.value.as_str(),
                source.map_or("none", |source| source.value.kind()),
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("path", "path"),
            ("local", "path"),
            ("hub", "github"),
            ("url", "url"),
            ("sub", "git-subdir"),
            ("npm", "npm"),
            ("pip", "pip"),
            ("dir", "directory"),
            ("file", "file"),
            ("new", "carrier-pigeon"),
            ("https", "url"),
            ("nowhere", "none"),
            ("half", "none"),
        ]
    );
    assert_eq!(read.problems.len(), 5, "{:?}", read.problems);
    assert!(
        read.problems
            .iter()
            .all(|problem| problem.code == Code::BadMarketplaceEntry)
    );
    assert!(!read.entries[1].strict && read.entries[0].strict);
    assert_eq!(read.entries[0].tier, Some(crate::model::TrustTier::Unverified));
    let broken = marketplace::parse(b"{", false).unwrap_err();
    assert_eq!(broken.code, Code::BrokenMarketplace);
}

/// Whatever a valid file is made of, a reader ends and never panics.
#[test]
fn wrong_types_everywhere_are_only_told() {
    let values = [
        "null",
        "true",
        "3",
        "1.5",
        "\"\"",
        "\"./x\"",
        "[]",
        "[1, null, {}]",
        "{}",
        "{\"a\": {\"b\": []}}",
    ];
    let keys = [
        "name",
        "id",
        "version",
        "skills",
        "commands",
        "agents",
        "hooks",
        "mcpServers",
        "lspServers",
        "userConfig",
        "aleph",
        "plugins",
        "metadata",
        "source",
        "plugin",
        "permissions",
        "variables",
        "rules",
        "apps",
    ];
    for key in keys {
        for value in values {
            let text =
                format!("{{\"{key}\": {value}, \"plugins\": [{{\"name\": \"x\", \"{key}\": {value}}}]}}");
            for format in [
                PluginFormat::AlephJson,
                PluginFormat::Claude,
                PluginFormat::Codex,
                PluginFormat::Cursor,
            ] {
                parse(text.as_bytes(), format, false).unwrap();
            }
            let hook = format!(
                "{{\"hooks\": {{\"E\": {value}, \"F\": [{value}, {{\"hooks\": {value}, \"{key}\": {value}}}]}}}}"
            );
            hooks::parse(hook.as_bytes()).unwrap();
            mcp_servers::parse(format!("{{\"s\": {{\"command\": {value}, \"args\": {value}, \"env\": {value}, \"url\": {value}, \"type\": {value}}}}}").as_bytes()).unwrap();
            marketplace::parse(text.as_bytes(), false).unwrap();
        }
    }
}
