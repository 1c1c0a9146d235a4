//! `serve --print-config`: what is printed to paste into an agent's configuration.

use serde_json::{Value, json};

use super::support::tree::Tree;

#[test]
fn a_snippet_keeps_all_that_decides_what_is_found_with_whole_paths() {
    let tree = Tree::new("-- project/.git/ --\n-- project/sub/ --\n");
    const ASKING: [&str; 3] = ["serve", "--print-config", "gemini"];
    let run = |args: &[&str]| {
        let json = tree
            .aleph(args.iter().chain(if args.contains(&"serve") {
                &ASKING[1..]
            } else {
                &ASKING[..]
            }))
            .run()
            .exits(0)
            .stdout;
        let snippet: Value = serde_json::from_str(&json).expect("it is JSON");
        snippet["mcpServers"]["aleph-discover"]["args"].clone()
    };
    let sub = "[ROOT]/project/sub";
    assert_eq!(run(&["-C", "sub"]), json!(["-C", sub, "serve"]));
    assert_eq!(
        run(&["--home", "sub", "--aleph-home", "sub"]),
        json!(["--home", sub, "--aleph-home", sub, "serve"])
    );
    assert_eq!(
        run(&[
            "--host",
            "claude-code",
            "--plugin-dir",
            "sub",
            "--settings",
            "{}",
            "--max-depth",
            "3",
            "--no-claude"
        ]),
        json!([
            "--host",
            "claude-code",
            "--plugin-dir",
            sub,
            "--settings",
            "{}",
            "--max-depth",
            "3",
            "--no-claude",
            "serve"
        ])
    );
    assert_eq!(
        run(&["serve", "--server", "a", "--rules", "r.toml"]),
        json!(["serve", "--server", "a", "--rules", "[ROOT]/project/r.toml"])
    );
    let from_variable = tree
        .aleph(["serve", "--print-config", "codex"])
        .env("ALEPH_HOME", tree.path("project/sub"))
        .run()
        .exits(0);
    assert!(
        from_variable
            .stdout
            .contains(&format!("args = [\"--aleph-home\",\"{sub}\",\"serve\"]")),
        "{}",
        from_variable.stdout
    );
    tree.aleph(["--host", "all", "serve", "--print-config", "codex"])
        .run()
        .exits(2)
        .says("one host at a time");
}

#[test]
fn every_agent_has_its_snippet_and_is_told_where_it_belongs() {
    let tree = Tree::new("-- project/.git/ --\n");
    let run = |agent: &str| {
        let args = ["-C", "/work", "serve", "--print-config", agent];
        tree.aleph(args).run().exits(0).says("where it belongs")
    };
    let args = json!(["-C", "/work", "serve"]);
    for agent in ["claude-code", "gemini", "cursor"] {
        let snippet: Value = serde_json::from_str(&run(agent).stdout).unwrap();
        let server = &snippet["mcpServers"]["aleph-discover"];
        assert_eq!(
            (&server["command"], &server["args"]),
            (&json!("aleph-discover"), &args),
            "{agent}"
        );
    }
    let snippet: Value = serde_json::from_str(&run("opencode").stdout).unwrap();
    let server = &snippet["mcp"]["aleph-discover"];
    assert_eq!(
        server["command"],
        json!(["aleph-discover", "-C", "/work", "serve"])
    );
    assert_eq!(server["type"], "local");
    let snippet = run("codex").stdout;
    assert_eq!(
        snippet.lines().collect::<Vec<_>>(),
        [
            "[mcp_servers.aleph-discover]",
            "command = \"aleph-discover\"",
            "args = [\"-C\",\"/work\",\"serve\"]"
        ]
    );
    tree.aleph(["serve", "--print-config", "emacs"]).run().exits(2);
}

#[test]
fn what_is_printed_to_paste_is_what_the_agent_then_starts() {
    for (agent, file) in [
        ("claude-code", "project/.mcp.json"),
        ("gemini", "project/.gemini/settings.json"),
        ("cursor", "project/.cursor/mcp.json"),
        ("opencode", "project/opencode.json"),
        ("codex", "home/.codex/config.toml"),
    ] {
        let mut tree = Tree::new("-- project/.git/ --\n");
        let snippet = tree
            .aleph(["serve", "--print-config", agent])
            .run()
            .exits(0)
            .bytes;
        tree.write(file, snippet);
        let listed = tree
            .aleph(["mcp", "servers", "--json", "--host", agent])
            .run()
            .exits(0)
            .json();
        assert!(
            listed.to_string().contains("\"aleph-discover\""),
            "{agent}: {listed}"
        );
    }
}
