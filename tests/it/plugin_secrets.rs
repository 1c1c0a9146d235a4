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
        &["why", "p:db", "--host", "all"],
        &["plugins", "list"],
    ] {
        for format in ["table", "json"] {
            // The tables of `scan` and `why` show no definitions.
            let has_definitions =
                command != ["plugins", "list"] && (format == "json" || command[0] == "plugins");
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

/// The addresses of marketplaces, of what they offer and of what was installed may have a password in them.
#[test]
fn addresses_are_shown_whole_only_to_who_asks() {
    let tree = Tree::in_git(
        r#"
-- home/.aleph/data/marketplaces.toml --
[marketplaces.m]
source = "https://u:register-secret@example.com/m.git"
kind = "git"
-- home/.aleph/plugins/.marketplaces/m/.claude-plugin/marketplace.json --
{"name": "m", "plugins": [{"name": "x", "source": {"source": "url", "url": "https://u:offer-secret@example.com/x.git"}}]}
-- home/.aleph/data/installed.toml --
[plugins.p]
source = "https://u:record-secret@example.com/p.git"
kind = "git"
-- home/.aleph/plugins/p/skills/s/SKILL.md --
s
"#,
    );
    for (command, secret, formats) in [
        (
            &["marketplace", "list"][..],
            "register-secret",
            &["table", "json"][..],
        ),
        (
            &["marketplace", "show", "m"],
            "register-secret",
            &["table", "json"],
        ),
        (&["marketplace", "show", "m"], "offer-secret", &["json"]),
        (&["plugins", "verify"], "record-secret", &["table", "json"]),
    ] {
        for format in formats {
            let words = command.iter().copied().chain(["--format", format]);
            let masked = tree.aleph(words.clone()).run();
            let shown = tree.aleph(words.chain(["--show-secrets"])).run();
            assert_eq!(masked.code, shown.code, "{command:?}");
            assert!(
                !masked.stdout.contains("-secret"),
                "{command:?}: {}",
                masked.stdout
            );
            assert!(masked.stdout.contains("***"), "{command:?}: {}", masked.stdout);
            assert!(shown.stdout.contains(secret), "{command:?}: {}", shown.stdout);
        }
    }
}
