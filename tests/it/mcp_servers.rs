//! Which MCP servers are configured, from which file, and what is shown of them (mcp.md 1).

use serde_json::{Value, json};

use crate::support::tree::Tree;
use crate::support::view::{chain, chains, diagnostics, list, story, text, told};

fn servers(tree: &Tree) -> Value {
    tree.aleph(["mcp", "servers", "--json"]).run().exits(0).json()
}

const EVERYWHERE: &str = r#"
-- home/.aleph/.mcp.json --
{"mcpServers": {"a": {"command": "home-shared"}, "b": {"command": "home-shared"}, "c": {"command": "home-shared"}, "d": {"command": "home-shared"}}}
-- home/.aleph/aleph.toml --
[mcp.a]
command = "home-native"
[mcp.b]
command = ["home-native", "x"]
[mcp.c]
command = "home-native"
-- project/.mcp.json --
{"a": {"command": "outer-shared"}, "b": {"command": "outer-shared"}}
-- project/aleph.jsonc --
{"mcp": {"a": {"type": "local", "command": ["outer-native"], "environment": {"K": "v"}}, /* */ }}
-- project/sub/.mcp.json --
{"mcpServers": {"a": {"command": "inner-shared"}, "b": {"command": "inner-shared"}}}
-- home/.aleph/plugins/ops/.mcp.json --
{"mcpServers": {"a": {"command": "plugin"}, "own": {"type": "http", "url": "https://example.com/mcp"}}}
"#;

#[test]
fn every_file_of_the_native_host_counts_in_the_order_of_the_roots() {
    let tree = Tree::in_git(EVERYWHERE);
    let in_sub = |arguments: &[&str]| {
        let run = tree
            .aleph(arguments.iter().copied())
            .cwd(tree.path("project/sub"));
        run.run().exits(0).json()
    };
    for arguments in [
        &["mcp", "servers", "--json"][..],
        &["scan", "mcp-server", "--json"],
        &["why", "a", "--kind", "mcp-server", "--json"],
    ] {
        let report = in_sub(arguments);
        assert_eq!(
            story(&report, "mcp-server", "a"),
            [
                "project/aleph.jsonc active",
                "project/sub/.mcp.json shadowed native-over-claude by 0",
                "project/.mcp.json shadowed native-over-claude by 0",
                "home/.aleph/aleph.toml shadowed project-over-global by 0",
                "home/.aleph/.mcp.json shadowed native-over-claude by 0",
                "home/.aleph/plugins/ops/.mcp.json namespaced plugin-namespace",
            ],
            "{arguments:?}"
        );
    }
    let report = in_sub(&["mcp", "servers", "--json"]);
    assert_eq!(
        story(&report, "mcp-server", "b"),
        [
            "project/sub/.mcp.json active",
            "project/.mcp.json shadowed nearest-directory by 0",
            "home/.aleph/aleph.toml shadowed claude-project-over-aleph-global by 0",
            "home/.aleph/.mcp.json shadowed project-over-global by 0",
        ]
    );
    assert_eq!(
        story(&report, "mcp-server", "c"),
        [
            "home/.aleph/aleph.toml active",
            "home/.aleph/.mcp.json shadowed native-over-claude by 0",
        ]
    );
    assert_eq!(
        story(&report, "mcp-server", "own"),
        ["home/.aleph/plugins/ops/.mcp.json active"]
    );
    let native = &chain(&report, "mcp-server", "a")["candidates"][0];
    assert_eq!(
        (
            &native["transport"],
            &native["command"],
            &native["args"],
            &native["env"],
            &native["approved"]
        ),
        (
            &json!("stdio"),
            &json!("outer-native"),
            &json!([]),
            &json!(["K"]),
            &json!(false)
        )
    );
    assert_eq!(native["line"], 1);
    let flags = ["mcp", "servers", "--json", "--no-project"];
    let report = tree.aleph(flags).run().exits(0).json();
    assert_eq!(
        story(&report, "mcp-server", "a")[0],
        "home/.aleph/aleph.toml active"
    );
}

#[test]
fn what_cannot_run_says_so_and_lets_the_next_have_the_name() {
    let tree = Tree::in_git(
        r#"
-- project/.mcp.json --
{"mcpServers": {
  "old": {"type": "sse", "url": "https://example.com/sse"},
  "socket": {"type": "ws", "url": "wss://example.com"},
  "off": {"command": "x", "disabled": true},
  "nothing": {"args": []},
  "strange": {"type": "pigeon", "command": "x"},
  "plugin:x": {"command": "x"},
  "": {"command": "x"},
  "a\u001b[31mb": {"command": "x"},
  "..": {"command": "x"},
  "good": {"command": "x"}}}
-- home/.aleph/.mcp.json --
{"old": {"command": "newer"}}
-- home/.aleph/plugins/ops/.mcp.json --
{"mcpServers": {"older": {"type": "sse", "url": "https://example.com/sse"}}}
"#,
    );
    let report = servers(&tree);
    assert_eq!(
        story(&report, "mcp-server", "old"),
        [
            "project/.mcp.json ignored unsupported-transport",
            "home/.aleph/.mcp.json active",
        ]
    );
    for (name, fate) in [
        ("socket", "ignored unsupported-transport"),
        ("off", "disabled switched-off"),
        ("nothing", "invalid bad-server"),
        ("strange", "invalid bad-server"),
        ("plugin:x", "invalid unusable-name"),
        ("", "invalid unusable-name"),
        ("a\u{1b}[31mb", "invalid unusable-name"),
        ("..", "active"),
        ("good", "active"),
    ] {
        assert_eq!(
            story(&report, "mcp-server", name),
            [format!("project/.mcp.json {fate}")],
            "{name:?}"
        );
    }
    let older = story(&report, "mcp-server", "ops:older");
    assert_eq!(
        older,
        ["home/.aleph/plugins/ops/.mcp.json ignored unsupported-transport"]
    );
    let old = &chain(&report, "mcp-server", "socket")["candidates"][0];
    assert_eq!(
        (&old["approved"], &old["transport"]),
        (&Value::Null, &json!("ws"))
    );
    assert_eq!(diagnostics(&report, "unsupported-transport").len(), 3);
    assert_eq!(diagnostics(&report, "bad-server").len(), 2);
    let off = &chain(&report, "mcp-server", "off")["candidates"][0];
    assert_eq!(
        (&off["enabled"], &off["cause"]["key"]),
        (&json!(false), &json!("off.enabled"))
    );
    // Nothing of a name steers a terminal.
    tree.aleph(["mcp", "servers"]).run().exits(0).hides("\u{1b}");
}

#[test]
fn secrets_are_masked_unless_asked_for() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let mut tree = Tree::in_git("");
    let file = json!({"mcpServers": {
        "run": {"command": "x", "args": ["--token", "hunter2hunter2", &token, "--url=https://u:pw123456@h/?key=hunter2hunter2",
            "${X:-hunter2hunter2}", "plain"], "env": {"A": "hunter2hunter2"}},
        "call": {"url": "https://user:hunter2hunter2@example.com/mcp?api_key=hunter2hunter2",
            "headers": {"Authorization": "Bearer hunter2hunter2"}},
    }});
    tree.write("project/.mcp.json", file.to_string());
    for arguments in [
        &["mcp", "servers"][..],
        &["mcp", "servers", "--json"],
        &["mcp", "servers", "--format", "jsonl"],
        &["scan", "mcp-server", "--json"],
        &["scan", "mcp-server"],
        &["why", "run", "--json"],
        &["why", "call"],
        &["mcp", "approve", "run", "--yes"],
        &["mcp", "servers", "--json"],
    ] {
        let run = tree.aleph(arguments.iter().copied()).run();
        let run = run.exits(0).hides("hunter2").hides("pw123456").hides(&token);
        assert!(!run.stderr.contains("hunter2"), "{arguments:?}");
    }
    let report = servers(&tree);
    let run = &chain(&report, "mcp-server", "run")["candidates"][0];
    assert_eq!(
        run["args"],
        json!([
            "--token",
            "***",
            "***",
            "--url=https://***@h/?key=***",
            "${X:-***}",
            "plain"
        ])
    );
    let call = &chain(&report, "mcp-server", "call")["candidates"][0];
    assert_eq!(call["url"], "https://***@example.com/mcp?api_key=***");
    assert_eq!(
        (&call["headers"], &run["env"]),
        (&json!(["Authorization"]), &json!(["A"]))
    );
    let shown = tree
        .aleph(["mcp", "servers", "--json", "--show-secrets"])
        .run()
        .exits(0)
        .json();
    let run = &chain(&shown, "mcp-server", "run")["candidates"][0];
    assert_eq!(
        (&run["args"][1], &run["env"]),
        (&json!("hunter2hunter2"), &json!(["A"]))
    );
    let approvals = std::fs::read_to_string(tree.path("home/.aleph/data/mcp-approvals.toml")).unwrap();
    assert!(
        !approvals.contains("hunter2") && !approvals.contains(&token),
        "{approvals}"
    );
}

#[test]
fn one_server_under_two_names_is_told() {
    let tree = Tree::in_git(
        r#"
-- project/.mcp.json --
{"a": {"command": "npx", "args": ["-y", "s"]}, "c": {"url": "https://Example.com/mcp/"}, "e": {"command": "npx", "args": ["-y s"]}}
-- home/.aleph/.mcp.json --
{"b": {"command": ["npx", "-y", "s"]}, "d": {"type": "http", "url": "HTTPS://example.com/mcp"}, "f": {"command": "npx", "args": ["-y", "s"], "env": {"ACCOUNT": "2"}}}
"#,
    );
    let report = servers(&tree);
    assert_eq!(chain(&report, "mcp-server", "a")["same_as"], json!(["b"]));
    assert_eq!(chain(&report, "mcp-server", "d")["same_as"], json!(["c"]));
    assert_eq!(chain(&report, "mcp-server", "f")["same_as"], json!([]));
    assert_eq!(diagnostics(&report, "same-server-twice").len(), 2);
    tree.aleph(["mcp", "servers"])
        .run()
        .exits(0)
        .shows("the same server as b");
}

#[test]
fn files_that_are_no_files_cost_their_own_servers_only() {
    for (what, section, codes) in [
        ("FIFO", "-- project/.mcp.json fifo --", &["not-regular"][..]),
        ("directory", "-- project/.mcp.json/ --", &["not-regular"]),
        (
            "dangling link",
            "-- project/.mcp.json -> nowhere --",
            &["symlink"],
        ),
        ("no JSON", "-- project/.mcp.json --\n{", &["bad-config"]),
        ("a number", "-- project/.mcp.json --\n3", &["manifest-wrong-type"]),
        ("empty", "-- project/.mcp.json --\n", &["bad-config"]),
        (
            "duplicate keys",
            "-- project/.mcp.json --\n{\"mcpServers\": {\"x\": {\"command\": \"a\"}, \"x\": {\"command\": \"b\"}}}",
            &["duplicate-key"],
        ),
        ("absent", "", &[]),
    ] {
        let tree = Tree::in_git(&format!(
            "{section}\n-- home/.aleph/.mcp.json --\n{{\"good\": {{\"command\": \"x\"}}}}\n"
        ));
        let report = servers(&tree);
        assert_eq!(
            story(&report, "mcp-server", "good"),
            ["home/.aleph/.mcp.json active"],
            "{what}"
        );
        let met: Vec<&str> = list(&report, "diagnostics")
            .iter()
            .map(|one| text(one, "code"))
            .collect();
        assert_eq!(met, codes, "{what}");
    }
    let mut tree = Tree::in_git("");
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    tree.write("project/.mcp.json", deep);
    let report = servers(&tree);
    assert_eq!((chains(&report).len(), told(&report, "too-deep").len()), (0, 1));
}

#[test]
fn ten_thousand_servers_are_listed_and_no_more() {
    let mut tree = Tree::in_git("");
    let servers_in = |count: usize| {
        let all: serde_json::Map<String, Value> = (0..count)
            .map(|number| {
                (
                    format!("s{number}"),
                    json!({"command": "run", "args": [number.to_string()]}),
                )
            })
            .collect();
        json!({ "mcpServers": all }).to_string()
    };
    tree.write("project/.mcp.json", servers_in(10_001));
    let report = servers(&tree);
    assert_eq!(list(&report, "chains").len(), 10_000);
    assert_eq!(diagnostics(&report, "too-large").len(), 1);
}

#[test]
fn an_unreadable_file_is_incomplete() {
    let tree = Tree::in_git(
        "-- project/.mcp.json mode=000 --\n{}\n-- home/.aleph/.mcp.json --\n{\"good\": {\"command\": \"x\"}}",
    );
    let Some(run) = tree
        .aleph(["mcp", "servers", "--json"])
        .unprivileged("an_unreadable_file_is_incomplete")
    else {
        return;
    };
    let report = run.run().exits(3).json();
    assert_eq!(report["complete"], false);
    assert_eq!(
        story(&report, "mcp-server", "good"),
        ["home/.aleph/.mcp.json active"]
    );
}

#[test]
fn the_files_of_other_hosts_are_listed_by_their_rules() {
    let tree = Tree::in_git(
        r#"
-- home/.claude.json --
{"mcpServers": {"mine": {"command": "x", "args": ["--api-key", "hunter2hunter2"]}, "old": {"type": "sse", "url": "https://example.com/sse"}}}
-- home/.codex/config.toml --
[mcp_servers.web]
url = "https://example.com/mcp"
bearer_token_env_var = "WEB_TOKEN"
"#,
    );
    let ask = |host| {
        let run = tree.aleph(["mcp", "servers", "--json", "--host", host]).run();
        run.exits(0).json()
    };
    let claude = ask("claude-code");
    let mine = &chain(&claude, "mcp-server", "mine")["candidates"][0];
    assert_eq!(
        (&mine["args"], &mine["approved"]),
        (&json!(["--api-key", "***"]), &json!(false))
    );
    // That host speaks the older transport; asking the server is another matter.
    let old = &chain(&claude, "mcp-server", "old")["candidates"][0];
    assert_eq!(
        (&old["state"], &old["approved"]),
        (&json!("active"), &Value::Null)
    );
    let codex = ask("codex");
    let web = &chain(&codex, "mcp-server", "web")["candidates"][0];
    assert_eq!(
        (&web["headers"], &web["missing"]),
        (&json!(["Authorization"]), &json!(["WEB_TOKEN"]))
    );
}

#[test]
fn what_a_server_would_see_is_named() {
    let tree = Tree::in_git(
        r#"
-- project/.mcp.json --
{"s": {"command": "${BIN:-run}", "args": ["${ACCOUNT}"], "env": {"TOKEN": "${MY_TOKEN}", "LANG": "C"}, "cwd": "sub"}}
-- home/.aleph/plugins/ops/.mcp.json --
{"mcpServers": {"p": {"command": "${CLAUDE_PLUGIN_ROOT}/run"}}}
"#,
    );
    let run = tree.aleph(["mcp", "servers", "--json"]);
    let run = run
        .env("MY_TOKEN", "hunter2hunter2")
        .env("LANG", "de")
        .env("UNRELATED", "x")
        .env("BIN", "");
    let report = run.run().exits(0).hides("hunter2").json();
    let server = &chain(&report, "mcp-server", "s")["candidates"][0];
    let sees: Vec<&str> = list(server, "sees").iter().filter_map(Value::as_str).collect();
    assert!(
        sees.contains(&"MY_TOKEN") && sees.contains(&"HOME") && sees.contains(&"PATH"),
        "{sees:?}"
    );
    for name in ["UNRELATED", "LANG", "BIN"] {
        assert!(!sees.contains(&name), "{name}");
    }
    assert_eq!(server["missing"], json!(["ACCOUNT"]));
    assert_eq!(server["directory"], "[ROOT]/project/sub");
    let plugin = &chain(&report, "mcp-server", "ops:p")["candidates"][0];
    assert_eq!(plugin["directory"], "[ROOT]/home/.aleph/plugins/ops");
    assert_eq!(plugin["missing"], json!([]));
}

#[test]
fn what_is_no_server_keeps_its_place_and_its_reason() {
    let tree = Tree::in_git(
        r#"
-- project/.mcp.json --
{"$schema": "https://example.com/s.json", "s": 5, "ok": {"command": "x"}}
-- home/.aleph/.mcp.json --
{"mcpServers": {"s": {"command": "g"}, "t": "x", "bad": {"type": "weird", "command": "x"}}}
"#,
    );
    let report = servers(&tree);
    assert_eq!(
        story(&report, "mcp-server", "s"),
        [
            "project/.mcp.json invalid bad-server",
            "home/.aleph/.mcp.json active"
        ]
    );
    assert_eq!(
        story(&report, "mcp-server", "t"),
        ["home/.aleph/.mcp.json invalid bad-server"]
    );
    assert_eq!(chains(&report).len(), 4, "{:?}", chains(&report));
    // The winner is told first, whatever was passed over.
    let table = tree.aleph(["mcp", "servers"]).run().exits(0).stdout;
    let of_s = table.split("\ns ").nth(1).expect("it is listed");
    let place = |word: &str| of_s.find(word).unwrap_or_else(|| panic!("no {word} in {table}"));
    assert!(place("home/.aleph/.mcp.json") < place("invalid"), "{table}");
    // And whoever asks for one that is not in effect learns why.
    for arguments in [
        &["mcp", "approve", "bad", "--yes"][..],
        &["mcp", "resources", "--server", "bad"],
    ] {
        let run = tree.aleph(arguments.iter().copied()).run().exits(4);
        run.says("the server `bad` is invalid");
    }
}
