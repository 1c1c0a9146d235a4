//! Formats and what is shown in them (cli.md, json.md).

use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::cli::CLASH;
use crate::support::schema;
use crate::support::tree::Tree;
use crate::support::view::{candidates, chain, chains, list, story, text};

/// A table shows the winner first, then its losers with state, rule and who beat them.
#[test]
fn a_table_shows_winner_then_losers() {
    let tree = Tree::in_git(CLASH);
    let table = tree.aleph(["scan"]).run().exits(0);
    let table = table
        .shows("deploy")
        .shows("release")
        .shows("shadowed")
        .shows("project-over-global");
    let place = |text: &str| {
        table
            .stdout
            .find(text)
            .unwrap_or_else(|| panic!("{text}\n{table}"))
    };
    assert!(
        place("project/.aleph/skills/deploy") < place("home/.aleph/skills/deploy"),
        "{table}"
    );
    assert!(table.stdout.contains("as aleph loads it"), "{table}");
    // Where there are `.claude` entries and the flag is known, the hint says who answers for Claude Code.
    let known = tree.aleph(["scan", "--host", "claude-code"]).run().code == Some(0);
    let said = format!("{}{}", table.stdout, table.stderr);
    assert_eq!(said.contains("--host claude-code"), known, "{table}");
    // Without `.claude` entries there is nothing to hint at.
    let native = Tree::in_git("-- project/.aleph/skills/a.md --");
    let native = native.aleph(["scan"]).run().exits(0).hides("--host claude-code");
    assert!(!native.stderr.contains("--host claude-code"), "{native}");
}

/// JSON has everything; `--active` leaves the winners only and changes none of them.
#[test]
fn active_shows_winners_only() {
    let tree = Tree::in_git(CLASH);
    let active = tree.aleph(["scan", "--json", "--active"]).run().exits(0).json();
    assert_eq!(chains(&active), ["skill deploy", "command release"]);
    assert_eq!(
        story(&active, "skill", "deploy"),
        ["project/.aleph/skills/deploy active"]
    );
    assert_eq!(chain(&active, "skill", "deploy")["winner"], 0);
    let table = tree.aleph(["scan", "--active"]).run().exits(0);
    table
        .shows("deploy")
        .shows("release")
        .hides("project-over-global")
        .hides("home/.aleph/skills/deploy");
}

/// `--all` adds what is ignored and roots that are missing.
#[test]
fn all_shows_everything() {
    let tree = Tree::in_git(CLASH);
    let brief = tree
        .aleph(["scan"])
        .run()
        .exits(0)
        .hides(".hidden.md")
        .hides("home/.claude");
    let all = tree
        .aleph(["scan", "--all"])
        .run()
        .exits(0)
        .shows(".hidden")
        .shows("home/.claude");
    assert!(all.stdout.len() > brief.stdout.len());
    // JSON has everything anyway.
    let plain = tree.aleph(["scan", "--json"]).run().exits(0).json();
    let everything = tree.aleph(["scan", "--json", "--all"]).run().exits(0).json();
    assert_eq!(plain, everything);
}

/// JSON lines: a header with everything but the chains, then one chain a line.
#[test]
fn json_lines_are_the_json_in_pieces() {
    let tree = Tree::in_git(CLASH);
    for command in [&["scan"][..], &["why", "deploy"]] {
        let whole = tree
            .aleph(command.iter().chain(&["--json"]))
            .run()
            .exits(0)
            .json();
        let lines = tree
            .aleph(command.iter().chain(&["--format", "jsonl"]))
            .run()
            .exits(0)
            .json_lines();
        let (header, rest) = lines.split_first().expect("a header");
        assert!(header.get("chains").is_none(), "{header:#}");
        assert_eq!(rest, list(&whole, "chains"));
        let mut joined = header.clone();
        joined["chains"] = json!(rest);
        assert_eq!(joined, whole);
    }
}

/// So are the other answers with one of the lists that the contract names.
#[test]
fn answers_with_results_and_plugins_come_in_lines_too() {
    let tree = Tree::in_git(
        r#"
-- project/m/.claude-plugin/marketplace.json --
{"name": "m", "plugins": [
  {"name": "review", "source": "./review"},
  {"name": "review-tools", "source": "./review"}]}
-- project/m/review/.claude-plugin/plugin.json --
{"name": "review"}
-- project/m/review/skills/s/SKILL.md --
-- home/.aleph/plugins/other/skills/s/SKILL.md --
"#,
    );
    tree.aleph(["marketplace", "add", "./m"]).run().exits(0);
    tree.aleph(["plugins", "install", "review@m"]).run().exits(0);
    for (command, key, count, code) in [
        (&["marketplace", "search", "review"][..], "results", 2, 0),
        (&["marketplace", "search", "zebra"], "results", 0, 0),
        (&["marketplace", "show", "m"], "results", 0, 0),
        (&["plugins", "verify"], "plugins", 2, 0),
        (&["plugins", "list"], "plugins", 2, 0),
    ] {
        let run = |format: &str| tree.aleph(command.iter().chain(&["--format", format])).run();
        let whole = run("json").exits(code).json();
        let lines = run("jsonl").exits(code).json_lines();
        let (header, rest) = lines.split_first().expect("a header");
        assert!(header.get(key).is_none(), "{header:#}");
        assert_eq!(rest.len(), count, "{command:?}");
        let mut joined = header.clone();
        joined[key] = json!(rest);
        assert_eq!(joined, whole, "{command:?}");
    }
}

/// The last line says how many there are, also where there are none of a kind that only plugins bring.
#[test]
fn the_summary_counts_every_kind_that_was_asked_for() {
    let tree = Tree::in_git("");
    for (kinds, last) in [
        (&["hook"][..], "0 hooks in effect"),
        (&["mcp-server"], "0 MCP servers in effect"),
        (&["memory"], "0 memories in effect"),
        (&["skill", "hook"], "0 skills, 0 hooks in effect"),
    ] {
        let run = tree.aleph([&["scan"][..], kinds].concat()).run().exits(0);
        assert_eq!(run.lines().last().copied(), Some(last), "{run}");
    }
    let all = tree.aleph(["scan"]).run().exits(0);
    let last = all.lines().last().copied().unwrap_or_default();
    assert!(last.starts_with("0 skills,") && !last.contains("hook"), "{all}");
}

/// `paths` prints one path a line, `-0` the same with NUL, and both only what is in effect.
#[test]
fn paths_are_those_in_effect() {
    let tree = Tree::in_git(CLASH);
    let in_effect = [
        "[ROOT]/project/.aleph/skills/deploy",
        "[ROOT]/project/.claude/commands/release.md",
    ];
    let lines = tree.aleph(["scan", "--format", "paths"]).run().exits(0);
    assert_eq!(lines.lines(), in_effect);
    let raw = tree.aleph(["scan", "-0"]).raw().run().exits(0);
    assert_eq!(raw.stdout, format!("{}\0", in_effect.join("\0")));
    let one = tree.aleph(["scan", "command", "-0"]).raw().run().exits(0);
    assert_eq!(one.stdout, "[ROOT]/project/.claude/commands/release.md\0");
}

/// With `--all`, and of `why`, all paths are printed, in the order of the chains.
#[test]
fn all_paths_are_those_of_every_candidate() {
    let tree = Tree::in_git(CLASH);
    let all = tree.aleph(["scan", "--all", "--format", "paths"]).run().exits(0);
    let report = tree.scan();
    let every: Vec<&str> = candidates(&report).map(|one| text(one, "path")).collect();
    assert_eq!(every.len(), 5);
    assert_eq!(all.lines(), every);
    let why = tree.aleph(["why", "deploy", "--format", "paths"]).run().exits(0);
    assert_eq!(
        why.lines(),
        [
            "[ROOT]/project/.aleph/skills/deploy",
            "[ROOT]/home/.aleph/skills/deploy"
        ]
    );
}

/// Raw paths keep a line break that would make two of one path.
#[test]
fn raw_paths_keep_every_byte() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/two%0Alines%FF/SKILL.md --
---
name: fine
---
",
    );
    let raw = tree.aleph(["scan", "-0"]).raw().run().exits(0);
    let mut expected = tree
        .path("project/.aleph/skills/two%0Alines%FF")
        .as_os_str()
        .as_bytes()
        .to_vec();
    expected.push(0);
    assert_eq!(raw.bytes, expected);
}

/// A line of its own steers no terminal, also where the name is not UTF-8.
#[test]
fn a_path_that_is_not_utf8_steers_no_terminal() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a%FF%E2%80%AE%C2%9B31m/SKILL.md --
---
description: d
---
",
    );
    let lines = tree.aleph(["scan", "--all", "--format", "paths"]).run().exits(0);
    assert!(lines.stdout.contains("\\u{202e}\\u{9b}31m"), "{lines}");
}

/// Colour only where it is asked for: piped output has none, flag and environment decide.
#[test]
fn colour_is_asked_for() {
    let tree = Tree::in_git(CLASH);
    let colour = |args: &[&str], env: &[(&str, &str)]| {
        let mut run = tree.aleph(args).raw();
        for (name, value) in env {
            run = run.env(name, *value);
        }
        run.run().exits(0).stdout.contains('\u{1b}')
    };
    assert!(!colour(&["scan"], &[]));
    assert!(!colour(&["scan", "--color", "auto"], &[]));
    assert!(!colour(&["scan", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colour(&["scan"], &[("NO_COLOR", "1")]));
    assert!(colour(&["scan", "--color", "always"], &[]));
    assert!(
        colour(&["scan", "--color", "always"], &[("NO_COLOR", "1")]),
        "a flag is nearer"
    );
    assert!(colour(&["scan"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colour(&["why", "deploy", "--color=always"], &[]));
    // Never in data.
    assert!(!colour(&["scan", "--json", "--color", "always"], &[]));
    assert!(!colour(&["scan", "--format", "paths", "--color", "always"], &[]));
    // The words are the same.
    let plain = tree.aleph(["scan"]).run().stdout;
    let styled = tree.aleph(["scan", "--color", "always"]).raw().run().stdout;
    assert_eq!(without_escapes(&styled), plain);
}

/// Text without escape sequences: `ESC [ … letter` and `ESC ] … ESC \`.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => drop(chars.by_ref().find(char::is_ascii_alphabetic)),
            Some(']') => drop(chars.by_ref().find(|c| matches!(c, '\\' | '\u{7}'))),
            other => panic!("an escape that is not known: {other:?} in {text:?}"),
        }
    }
    plain
}

/// `-q` keeps talk away and leaves the data.
#[test]
fn quiet_leaves_the_data() {
    let tree = Tree::in_git(CLASH);
    let loud = tree.aleph(["scan"]).run().exits(0);
    let quiet = tree
        .aleph(["scan", "-q"])
        .run()
        .exits(0)
        .shows("deploy")
        .shows("shadowed");
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.len() + quiet.stderr.len() <= loud.stdout.len() + loud.stderr.len());
    let json = tree.aleph(["scan", "--json", "-q"]).run().exits(0);
    assert_eq!(json.json(), tree.scan());
    // An error is said all the same.
    tree.aleph(["scan", "-q", "nonsense"])
        .run()
        .exits(2)
        .says("error:");
}

/// `--relative` shortens paths in tables and leaves JSON absolute.
#[test]
fn relative_paths_are_for_tables() {
    let tree = Tree::in_git(CLASH);
    let table = tree.aleph(["scan", "--relative"]).run().exits(0);
    table
        .shows(".aleph/skills/deploy")
        .hides("[ROOT]/project/.aleph/skills/deploy");
    let json = tree.aleph(["scan", "--relative", "--json"]).run().exits(0).json();
    assert_eq!(json, tree.scan());
}

/// Every path in JSON is absolute.
#[test]
fn paths_in_json_are_absolute() {
    let tree = Tree::in_git(CLASH);
    let report = tree.aleph(["scan", "--json", "-C", "."]).run().exits(0).json();
    assert!(
        list(&report, "roots")
            .iter()
            .all(|root| text(root, "path").starts_with("[ROOT]/"))
    );
    assert!(candidates(&report).all(|one| text(one, "path").starts_with("[ROOT]/")));
    assert_eq!(report["directory"], "[ROOT]/project");
}

/// `schema` prints what is published, and says what there is.
#[test]
fn schema_prints_what_is_published() {
    let tree = Tree::in_git("");
    let all = tree.aleph(["schema"]).run().exits(0);
    for name in ["scan", "why", "find-config", "roots", "error"] {
        assert!(all.stdout.contains(name), "{name}\n{all}");
        let printed = tree.aleph(["schema", name]).run().exits(0);
        let published =
            fs::read_to_string(schema::folder().join(format!("{name}@1.json"))).expect("published");
        assert_eq!(printed.stdout, published, "{name}");
    }
}

/// What could be there is told by the host's own rules, and not by ours.
#[test]
fn an_empty_answer_names_only_places_that_the_host_looks_at() {
    let tree = Tree::in_git("");
    let said = |host: &str| tree.aleph(["scan", "--host", host]).run().exits(0).stdout;
    assert!(said("aleph").contains("Configuration would be aleph.toml, aleph.jsonc or aleph.json, in"));
    assert!(said("aleph").contains("plugins/<name>/hooks/hooks.json"));
    for host in ["claude-code", "codex", "gemini", "opencode", "cursor"] {
        let said = said(host);
        assert!(said.contains("skills/<name>/SKILL.md"), "{said}");
        assert!(
            !said.contains("hooks.json") && !said.contains("Configuration would be"),
            "{said}"
        );
    }
}
