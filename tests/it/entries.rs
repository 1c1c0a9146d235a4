//! Entries of marketplaces that state components themselves: shown, checked, disclosed, installed (plugins.md 3, 4).

use std::fs;

use serde_json::Value;

use crate::support::run::Run;
use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;
use crate::support::view::{list, text};

fn run(tree: &Tree, arguments: &[&str]) -> Run {
    let arguments = arguments.iter().copied().chain(["--json"]);
    tree.aleph(arguments).run()
}

fn exit(tree: &Tree, arguments: &[&str], code: i32) -> Value {
    run(tree, arguments).exits(code).json()
}

/// The ids of the components of an installed plugin, `kind id`.
fn components(tree: &Tree, id: &str) -> Vec<String> {
    let shown = exit(tree, &["plugins", "show", id], 0);
    let mut found: Vec<String> = list(&shown["plugins"][0], "components")
        .iter()
        .filter(|one| one["state"] == "active" || one["state"] == "additive")
        .map(|one| format!("{} {}", text(one, "kind"), text(one, "id")))
        .collect();
    found.sort();
    found
}

/// Some entries share the marketplace's own directory, as real ones do; one stands in a directory that has nothing of
/// a plugin; one adds to a manifest.
const MARKET: &str = r#"
-- home/.aleph/plugins/ --
-- project/market/.claude-plugin/marketplace.json --
{"name": "market", "plugins": [
  {"name": "documents", "source": "./", "strict": false, "version": "3.1", "description": "reads and writes",
   "skills": ["./skills/pdf", "./skills/docx", "./extra"]},
  {"name": "examples", "source": "./", "strict": false, "skills": ["./skills/art"]},
  {"name": "tongue", "source": "./tongue", "strict": false,
   "lspServers": {"rust": {"command": "rust-analyzer", "args": ["--quiet"]}}},
  {"name": "adds", "source": "./adds", "commands": ["./more/hi.md"],
   "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/two.sh"}]}]},
   "mcpServers": {"db": {"command": "db", "env": {"DB_TOKEN": "hidden-value"}}}},
  {"name": "fights", "source": "./adds", "strict": false, "commands": ["./more/hi.md"]},
  {"name": "native", "source": "./native", "skills": ["./one"]},
  {"name": "leaves", "source": "./tongue", "strict": false,
   "skills": ["../adds", "/etc", "./out", "./gone"], "commands": ["./ok.md"]},
  {"name": "empty", "source": "./tongue", "strict": false},
  {"name": "nested", "source": "./", "strict": false}
]}
-- project/market/skills/pdf/SKILL.md --
pdf
-- project/market/skills/docx/SKILL.md --
docx
-- project/market/skills/art/SKILL.md --
art
-- project/market/skills/README.md --
read me
-- project/market/extra/more/SKILL.md --
more
-- project/market/tongue/LICENSE --
free
-- project/market/tongue/ok.md --
ok
-- project/market/tongue/out -> ok.md --
-- project/market/adds/.claude-plugin/plugin.json --
{"name": "adds", "version": "2", "mcpServers": {"own": {"command": "own"}},
 "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "one.sh"}]}]}}
-- project/market/adds/more/hi.md --
hi
-- project/market/adds/skills/s/SKILL.md --
s
-- project/market/native/aleph.plugin.toml --
[plugin]
id = "native"
-- project/market/native/one/SKILL.md --
one
"#;

#[test]
fn what_an_entry_states_is_shown() {
    let tree = Tree::in_git(MARKET);
    exit(&tree, &["marketplace", "add", "./market"], 0);
    let shown = exit(&tree, &["marketplace", "show", "market"], 0);
    let entries = list(&shown["marketplaces"][0], "plugins");
    let one = |name: &str| entries.iter().find(|one| one["name"] == name).unwrap();
    let states = |name: &str| -> Vec<String> {
        let states = list(one(name), "states").iter();
        states
            .map(|one| {
                let said = one["path"].as_str().or(one["name"].as_str()).unwrap_or("-");
                format!("{} {said}", text(one, "what"))
            })
            .collect()
    };
    assert_eq!(
        states("documents"),
        ["skill ./skills/pdf", "skill ./skills/docx", "skill ./extra"]
    );
    assert_eq!(states("tongue"), ["lsp-server rust"]);
    assert_eq!(
        states("adds"),
        ["command ./more/hi.md", "hook Stop", "mcp-server db"]
    );
    assert_eq!(
        (&one("tongue")["strict"], &one("adds")["strict"]),
        (&false.into(), &true.into())
    );
    let able: Vec<&str> = entries
        .iter()
        .filter(|one| one["installable"] == true)
        .map(|one| text(one, "name"))
        .collect();
    assert_eq!(
        able,
        [
            "documents",
            "examples",
            "tongue",
            "adds",
            "native",
            "leaves",
            "nested"
        ]
    );
    assert!(text(one("fights"), "reason").contains("only one may"));
    assert!(text(one("empty"), "reason").contains("no plugin"));
    let table = tree.aleph(["marketplace", "show", "market"]).run().exits(0);
    assert!(table.stdout.contains("states 3 skills"), "{}", table.stdout);
    assert!(!table.stdout.contains("hidden-value"));
}

#[test]
fn what_an_entry_states_is_installed() {
    let tree = Tree::in_git(MARKET);
    exit(&tree, &["marketplace", "add", "./market"], 0);
    let market = snapshot(&tree.path("project"));
    let before = snapshot(&tree.path("home"));
    for (name, wanted) in [
        (
            "documents",
            &[
                "skill documents:docx",
                "skill documents:more",
                "skill documents:pdf",
            ][..],
        ),
        ("examples", &["skill examples:art"]),
        ("tongue", &[]),
        (
            "adds",
            &[
                "command adds:hi",
                "hook adds:Stop",
                "hook adds:Stop",
                "mcp-server adds:db",
                "mcp-server adds:own",
                "skill adds:s",
            ],
        ),
        ("native", &[]),
        ("leaves", &["command leaves:ok"]),
    ] {
        let source = format!("{name}@market");
        let disclosed = exit(&tree, &["plugins", "disclose", &source], 0);
        assert_eq!(
            snapshot(&tree.path("home")),
            before,
            "{name}: disclosing leaves nothing"
        );
        assert!(
            !disclosed.to_string().contains(".aleph-discover/"),
            "{name}: {disclosed:#}"
        );
        let change = exit(&tree, &["plugins", "install", &source, "--yes"], 0);
        assert_eq!(change["disclosure"], disclosed["disclosure"], "{name}");
        assert_eq!(components(&tree, name), wanted, "{name}");
        exit(&tree, &["plugins", "verify", name], 0);
        exit(&tree, &["plugins", "remove", name], 0);
        assert_eq!(
            snapshot(&tree.path("home")),
            before,
            "{name}: removing leaves nothing"
        );
    }
    assert_eq!(
        snapshot(&tree.path("project")),
        market,
        "the marketplace is as it was"
    );
}

#[test]
fn what_an_entry_states_is_disclosed() {
    let tree = Tree::in_git(MARKET);
    exit(&tree, &["marketplace", "add", "./market"], 0);
    let disclosed = run(&tree, &["plugins", "disclose", "tongue@market"]).exits(0);
    let run_ = &disclosed.json()["disclosure"]["runs"][0];
    assert_eq!(
        (text(run_, "what"), text(run_, "command")),
        ("lsp-server", "rust-analyzer")
    );
    // It runs something, and nobody vouches for it.
    let error = exit(&tree, &["plugins", "install", "tongue@market"], 4);
    assert!(
        text(&error["error"], "message").contains("needs your word"),
        "{error}"
    );
    let disclosed = run(&tree, &["plugins", "disclose", "adds@market"]).exits(0);
    assert!(!disclosed.stdout.contains("hidden-value"));
    let json = disclosed.json();
    let commands: Vec<&str> = list(&json["disclosure"], "runs")
        .iter()
        .map(|one| text(one, "command"))
        .collect();
    assert_eq!(
        commands,
        ["one.sh", "[ROOT]/home/.aleph/plugins/adds/two.sh", "db", "own"],
        "{json:#}"
    );
    assert_eq!(json["disclosure"]["secrets"][0]["name"], "DB_TOKEN");
    // Its own manifest has the word, and one is told.
    let native = exit(&tree, &["plugins", "disclose", "native@market"], 0);
    let codes: Vec<&str> = list(&native, "diagnostics")
        .iter()
        .map(|one| text(one, "code"))
        .collect();
    assert_eq!(codes, ["manifests-disagree"]);
}

#[test]
fn what_an_entry_states_is_checked() {
    let tree = Tree::in_git(MARKET);
    let checked = exit(&tree, &["plugins", "validate", "./market"], 1);
    let mut found: Vec<(u64, &str)> = list(&checked, "diagnostics")
        .iter()
        .map(|one| (one["line"].as_u64().unwrap(), text(one, "code")))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (10, "bad-marketplace-entry"),
            (11, "manifests-disagree"),
            (13, "path-escapes-plugin"),
            (13, "path-escapes-plugin"),
            (13, "path-missing"),
            (14, "bad-marketplace-entry"),
        ],
        "{:#}",
        checked["diagnostics"]
    );
}

/// A pin is of what the marketplace serves, not of what is written into it.
#[test]
fn a_pin_is_of_what_is_served() {
    let mut tree = Tree::in_git(MARKET);
    exit(&tree, &["marketplace", "add", "./market"], 0);
    let served = exit(&tree, &["plugins", "disclose", "nested@market"], 0);
    let unframed = text(&served["disclosure"], "sha256_unframed").to_owned();
    let digest = |tree: &Tree| {
        let plain = exit(tree, &["plugins", "disclose", "./pinned/p", "--as", "path"], 0);
        text(&plain["disclosure"], "sha256").to_owned()
    };
    tree.write("project/pinned/p/skills/a/SKILL.md", "a\n");
    let pin = digest(&tree);
    let entry = |pin: &str| {
        format!(
            r#"{{"name": "pinned", "plugins": [{{"name": "p", "source": "./p", "strict": false, "sha256": "{pin}", "commands": {{"hi": {{"content": "x"}}}}}}]}}"#
        )
    };
    tree.write("project/pinned/.claude-plugin/marketplace.json", entry(&pin));
    exit(&tree, &["marketplace", "add", "./pinned"], 0);
    let disclosed = exit(&tree, &["plugins", "disclose", "p@pinned"], 0);
    assert_eq!(disclosed["disclosure"]["pin_holds"], true);
    assert_ne!(text(&disclosed["disclosure"], "sha256"), pin);
    exit(&tree, &["plugins", "install", "p@pinned"], 0);
    assert_eq!(components(&tree, "p"), ["command p:hi", "skill p:a"]);
    exit(&tree, &["plugins", "verify"], 0);
    exit(&tree, &["plugins", "remove", "p"], 0);
    tree.write("project/pinned/.claude-plugin/marketplace.json", entry(&unframed));
    let before = snapshot(tree.root());
    let error = exit(&tree, &["plugins", "install", "p@pinned"], 4);
    assert!(
        text(&error["error"], "message").contains("is pinned to"),
        "{error}"
    );
    assert_eq!(snapshot(tree.root()), before);
}

/// Where the manifest would be written something else lies: nothing is written through it, nothing outside staging.
#[test]
fn what_lies_in_the_place_of_the_manifest_is_not_written_through() {
    let entry = r#"{"name": "m", "plugins": [
        {"name": "link", "source": "./link", "strict": false, "skills": ["./s"]},
        {"name": "linked-folder", "source": "./linked", "strict": false, "skills": ["./s"]},
        {"name": "folder", "source": "./folder", "strict": false, "skills": ["./s"]},
        {"name": "file", "source": "./file", "strict": false, "skills": ["./s"]},
        {"name": "out", "source": "./out", "strict": false, "skills": ["./s"]}]}"#;
    let mut tree = Tree::in_git(
        "-- project/m/link/.claude-plugin/plugin.json -> ../victim --
-- project/m/link/victim --
untouched
-- project/m/link/s/SKILL.md --
s
-- project/m/linked/.claude-plugin -> real --
-- project/m/linked/real/x --
x
-- project/m/linked/s/SKILL.md --
s
-- project/m/folder/.claude-plugin/plugin.json/x --
x
-- project/m/folder/s/SKILL.md --
s
-- project/m/file/.claude-plugin --
x
-- project/m/file/s/SKILL.md --
s
-- project/m/out/.claude-plugin/plugin.json -> ../../../../victim --
-- project/m/out/s/SKILL.md --
s
-- victim --
untouched
",
    );
    tree.write("project/m/.claude-plugin/marketplace.json", entry);
    exit(&tree, &["marketplace", "add", "./m"], 0);
    let before = snapshot(tree.root());
    for name in ["linked-folder", "folder", "file", "out"] {
        let error = exit(&tree, &["plugins", "install", &format!("{name}@m"), "--yes"], 4);
        assert!(error["error"]["message"].is_string(), "{error}");
        assert_eq!(snapshot(tree.root()), before, "{name}");
    }
    exit(&tree, &["plugins", "install", "link@m"], 0);
    assert_eq!(components(&tree, "link"), ["skill link:s"]);
    let installed = tree.path("home/.aleph/plugins/link");
    assert_eq!(
        fs::read_to_string(installed.join("victim")).unwrap(),
        "untouched\n"
    );
    assert_eq!(
        fs::read_to_string(tree.path("project/m/link/victim")).unwrap(),
        "untouched\n"
    );
    exit(&tree, &["plugins", "verify"], 0);
}

/// Entries that attack: each is installable without harm, or refused with a reason; nothing is written but the plugin.
#[test]
fn hostile_entries_do_no_harm() {
    let mut tree = Tree::in_git(
        r#"
-- outside/skills/stolen/SKILL.md --
stolen
-- outside/SKILL.md --
stolen
-- project/m/p/in/SKILL.md --
in
-- project/m/p/out -> ../../../outside --
-- project/m/q/in/SKILL.md --
in
-- project/m/away -> ../../outside --
-- project/m/skills -> q --
-- home/.aleph/plugins/ --
"#,
    );
    let outside = tree.text("outside");
    let many: Vec<String> = (0..2_000).map(|at| format!("./in{at}")).collect();
    let deep = "[".repeat(40) + &"]".repeat(40);
    let entries = [
        // What it names: out of the plugin, absolute, through a link, and one that is fine.
        r#"{"name": "up", "source": "./q", "strict": false, "skills": ["../../../outside", "./in"]}"#.to_owned(),
        format!(r#"{{"name": "absolute", "source": "./q", "strict": false, "skills": ["{outside}", "./in"]}}"#),
        r#"{"name": "linked", "source": "./p", "strict": false, "skills": ["./out", "./in"]}"#.to_owned(),
        r#"{"name": "root-linked", "source": "./", "strict": false, "skills": ["./away"]}"#.to_owned(),
        // Where it comes from.
        r#"{"name": "source-up", "source": "../../outside", "strict": false, "skills": ["./"]}"#.to_owned(),
        format!(r#"{{"name": "source-absolute", "source": "{outside}", "strict": false, "skills": ["./"]}}"#),
        r#"{"name": "source-linked", "source": "./away", "strict": false, "skills": ["./"]}"#.to_owned(),
        // What it is called, and twice.
        r#"{"name": "..", "source": "./q", "strict": false, "skills": ["./in"]}"#.to_owned(),
        r#"{"name": "../../../evil", "source": "./q", "strict": false, "skills": ["./in"]}"#.to_owned(),
        r#"{"name": "a\u001b[31mb", "source": "./q", "strict": false, "skills": ["./in"]}"#.to_owned(),
        r#"{"name": "twice", "source": "./q", "strict": false, "skills": ["./in"]}"#.to_owned(),
        r#"{"name": "twice", "source": "./q", "strict": false, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "evil"}]}]}}"#.to_owned(),
        // How much there is of it.
        format!(
            r#"{{"name": "many", "source": "./q", "strict": false, "skills": {}}}"#,
            serde_json::to_string(&many).unwrap()
        ),
        format!(
            r#"{{"name": "huge", "source": "./q", "strict": false, "commands": {{"x": {{"content": "{}"}}}}}}"#,
            "x".repeat(1024 * 1024)
        ),
        format!(r#"{{"name": "deep", "source": "./q", "strict": false, "skills": {deep}, "commands": {{"x": {{"content": "x"}}}}}}"#),
        r#"{"name": "typed", "source": "./q", "strict": "no", "skills": 5, "hooks": 7, "mcpServers": true, "lspServers": null}"#.to_owned(),
        r#"{"name": "signs\u202e", "source": "./q", "strict": false, "skills": ["./in\u001b]0;x\u0007"]}"#.to_owned(),
    ];
    tree.write(
        "project/m/.claude-plugin/marketplace.json",
        format!(r#"{{"name": "m", "plugins": [{}]}}"#, entries.join(",")),
    );
    run(&tree, &["plugins", "validate", "./m"]).exits(1);
    exit(&tree, &["marketplace", "add", "./m"], 0);
    let shown = exit(&tree, &["marketplace", "show", "m"], 0);
    let before = snapshot(tree.root());
    let mut installed = Vec::new();
    for one in list(&shown["marketplaces"][0], "plugins") {
        let name = text(one, "name");
        let change = run(&tree, &["plugins", "install", &format!("{name}@m"), "--yes"]);
        if change.code != Some(0) {
            let error = change.json();
            assert!(error["error"]["message"].is_string(), "{name}: {error}");
            assert_eq!(snapshot(tree.root()), before, "{name}");
            continue;
        }
        assert_eq!(one["installable"], true, "{name}");
        let change = change.json();
        let id = text(&change, "subject").to_owned();
        installed.push(id.clone());
        let found = components(&tree, &id);
        assert!(!format!("{found:?}").contains("stolen"), "{name}: {found:?}");
        assert!(list(&change["disclosure"], "runs").is_empty(), "{name}");
        exit(&tree, &["plugins", "verify", &id], 0);
        exit(&tree, &["plugins", "remove", &id], 0);
        assert_eq!(snapshot(tree.root()), before, "{name}");
    }
    assert_eq!(
        installed,
        [
            "up", "absolute", "a-31mb", "twice", "many", "deep", "typed", "signs"
        ],
        "{:#}",
        shown["marketplaces"][0]["plugins"]
    );
}
