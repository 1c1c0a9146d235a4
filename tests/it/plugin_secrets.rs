//! Secrets in what plugins run, masked and shown (cli.md).

use crate::support::tree::Tree;

/// Nothing is shown of a secret in a command, an argument or an address, unless one asks for it.
#[test]
fn secrets_are_shown_only_to_who_asks() {
    let tree = Tree::in_git(
        r#"
-- home/.aleph/plugins/p/.mcp.json --
{"mcpServers": {"db": {"command": "db", "args": ["--api-key", "argument-secret", "--to", "https://u:address-secret@example.com/"],
  "env": {"DB_TOKEN": "variable-secret"}}}}
-- home/.aleph/plugins/p/hooks/hooks.json --
{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "curl https://u:hook-secret@example.com/"}]}]}}
"#,
    );
    let path = tree.text("home/.aleph/plugins/p");
    for command in [
        &["plugins", "show", "p"][..],
        &["plugins", "disclose", &path],
        &["scan"],
        &["why", "p:db"],
    ] {
        for format in ["table", "json"] {
            // The tables of `scan` and `why` show no definitions.
            let has_definitions = format == "json" || command[0] == "plugins";
            let words = command.iter().copied().chain(["--format", format]);
            let masked = tree.aleph(words.clone()).run().exits(0);
            let shown = tree.aleph(words.chain(["--show-secrets"])).run().exits(0);
            assert!(
                !masked.stdout.contains("-secret"),
                "{command:?}: {}",
                masked.stdout
            );
            assert_eq!(
                shown.stdout.contains("argument-secret"),
                has_definitions,
                "{command:?} {format}: {}",
                shown.stdout
            );
            if has_definitions {
                assert!(masked.stdout.contains("***"), "{command:?}: {}", masked.stdout);
                assert!(
                    shown.stdout.contains("address-secret"),
                    "{command:?}: {}",
                    shown.stdout
                );
            }
            // Of variables there are only names, in any case.
            assert!(
                !shown.stdout.contains("variable-secret"),
                "{command:?}: {}",
                shown.stdout
            );
        }
    }
}
