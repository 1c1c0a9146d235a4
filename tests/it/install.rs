//! Installing from a path, and what follows: consent, pins, drift, switching, removing (plugins.md 4).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::consent::only_yes_is_consent;
use crate::support::run::NOBODY;
use crate::support::skipped;
use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;
use crate::support::view::{list, story, text};

/// A plugin that runs something, one that does not, and a plugin of one's own that was never installed.
pub(crate) const SOURCES: &str = r#"
-- project/runs/.claude-plugin/plugin.json --
{"name": "runs", "version": "1.0"}
-- project/runs/hooks/hooks.json --
{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/stop.sh"}]}]}}
-- project/runs/stop.sh mode=755 --
#!/bin/sh
-- project/runs/skills/deploy/SKILL.md --
deploys
-- project/runs/.git/HEAD --
ref
-- project/says/skills/talk/SKILL.md --
talks
-- project/says/empty/ --
-- home/.aleph/plugins/mine/skills/x/SKILL.md --
x
"#;

fn exit(tree: &Tree, arguments: &[&str], code: i32) -> Value {
    let arguments = arguments.iter().copied().chain(["--json"]);
    tree.aleph(arguments).run().exits(code).json()
}

/// What must be refused: the exit code, words of the message, and the home as it was.
fn refused(tree: &Tree, arguments: &[&str], code: i32, words: &str) {
    let before = snapshot(tree.root());
    let error = exit(tree, arguments, code);
    let message = text(&error["error"], "message");
    assert!(message.contains(words), "{arguments:?}: {message}");
    assert_eq!(snapshot(tree.root()), before, "{arguments:?}");
}

#[test]
fn a_path_goes_round() {
    let mut tree = Tree::in_git(SOURCES);
    let before = snapshot(tree.root());
    let change = exit(&tree, &["plugins", "install", "./runs", "--yes"], 0);
    assert_eq!(
        (text(&change, "action"), text(&change, "subject")),
        ("install", "runs")
    );
    assert_eq!(
        list(&change, "changed"),
        [
            "[ROOT]/home/.aleph/plugins/runs",
            "[ROOT]/home/.aleph/data/installed.toml"
        ]
    );
    assert_eq!(change["disclosure"]["tier"], "unverified");
    assert_eq!(
        change["disclosure"]["runs"][0]["command"],
        "[ROOT]/project/runs/stop.sh"
    );
    let installed = snapshot(&tree.path("home/.aleph/plugins/runs"));
    assert!(!installed.contains_key(".git"), "history is not installed");
    assert_eq!(installed["stop.sh"], "file 100755 \"#!/bin/sh\\n\"");
    assert!(!tree.path("home/.aleph/plugins/.aleph-discover").exists());

    // It is there for the host, and nothing else of the machine changed.
    assert_eq!(
        story(&tree.scan(), "skill", "runs:deploy"),
        ["home/.aleph/plugins/runs/skills/deploy active"]
    );
    let plugins = exit(&tree, &["plugins", "list"], 0);
    let trust: Vec<&Value> = list(&plugins, "plugins")
        .iter()
        .map(|one| &one["trust"])
        .collect();
    assert_eq!(trust, [&Value::Null, &"unverified".into()]);
    let mut after = snapshot(tree.root());
    after.retain(|path, _| {
        !path.starts_with("home/.aleph/plugins/runs") && !path.starts_with("home/.aleph/data")
    });
    assert_eq!(after, before);

    // Verified; then a byte changes, then a permission, then a FIFO is there.
    let verified = exit(&tree, &["plugins", "verify"], 0);
    assert_eq!(
        (&verified["unchanged"], &verified["unrecorded"]),
        (&1.into(), &1.into())
    );
    let skill = "home/.aleph/plugins/runs/skills/deploy/SKILL.md";
    tree.write(skill, "deploys elsewhere\n");
    let drift = exit(&tree, &["plugins", "verify", "runs"], 1);
    assert_eq!(drift["plugins"][0]["standing"], "drifted");
    assert_eq!(drift["diagnostics"][0]["code"], "plugin-drift");
    assert_ne!(
        drift["plugins"][0]["found_sha256"],
        drift["plugins"][0]["recorded_sha256"]
    );
    tree.write(skill, "deploys\n");
    exit(&tree, &["plugins", "verify", "runs"], 0);
    fs::set_permissions(tree.path(skill), fs::Permissions::from_mode(0o755)).unwrap();
    exit(&tree, &["plugins", "verify", "runs"], 1);

    // Updated, it is as its source again.
    refused(
        &tree,
        &["plugins", "install", "./runs", "--yes"],
        4,
        "is already there",
    );
    tree.write("project/runs/skills/deploy/SKILL.md", "deploys better\n");
    let change = exit(&tree, &["plugins", "install", "./runs", "--yes", "--update"], 0);
    assert_eq!(text(&change, "action"), "update");
    exit(&tree, &["plugins", "verify", "runs"], 0);
    assert_eq!(fs::read_to_string(tree.path(skill)).unwrap(), "deploys better\n");

    // Removed, all is as before but for an empty record.
    let change = exit(&tree, &["plugins", "remove", "runs"], 0);
    assert_eq!(list(&change, "changed").len(), 2);
    let mut after = snapshot(tree.root());
    after.retain(|path, _| !path.starts_with("home/.aleph/data") && !path.starts_with("project"));
    let mut wanted = before;
    wanted.retain(|path, _| !path.starts_with("project"));
    assert_eq!(after, wanted);
    let gone = exit(&tree, &["plugins", "remove", "runs"], 1);
    assert_eq!(gone["done"], false);
    let like = exit(&tree, &["plugins", "remove", "mime"], 1);
    assert_eq!(list(&like, "suggestions"), ["mine"]);
}

#[test]
fn consent_is_asked_where_commands_meet_little_trust() {
    let tree = Tree::in_git(SOURCES);
    refused(&tree, &["plugins", "install", "./runs"], 4, "needs your word");
    // What runs nothing needs no word.
    exit(&tree, &["plugins", "install", "./says"], 0);
    exit(&tree, &["plugins", "install", "./runs", "-y"], 0);
    // In a table, what it would run is printed before the refusal.
    let tree = Tree::in_git(SOURCES);
    let run = tree.aleph(["plugins", "install", "./runs"]).run().exits(4);
    assert!(
        run.stdout.contains("hook Stop: [ROOT]/project/runs/stop.sh"),
        "{}",
        run.stdout
    );
    let run = tree.aleph(["plugins", "disclose", "./runs"]).run().exits(0);
    assert!(
        run.stdout.contains("installing it needs your word"),
        "{}",
        run.stdout
    );
}

/// Marketplaces of every tier with entries of every tier: who needs a word.
#[test]
fn trust_is_that_of_the_marketplace_and_never_raised_by_an_entry() {
    let tiers = ["official", "verified", "community", "unverified"];
    for (rank, tier) in tiers.iter().enumerate() {
        let mut tree = Tree::in_git(SOURCES);
        let entry = |own: &str| format!(r#"{{"name": "e-{own}", "source": "./runs", "tier": "{own}"}}"#);
        let entries: Vec<String> = tiers.iter().map(|own| entry(own)).collect();
        let market = format!(r#"{{"name": "m", "plugins": [{}]}}"#, entries.join(","));
        tree.write("project/.claude-plugin/marketplace.json", market);
        exit(&tree, &["marketplace", "add", "."], 0);
        let file = tree.path("home/.aleph/data/marketplaces.toml");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("tier = \"community\""), "{text}");
        fs::write(&file, text.replace("community", tier)).unwrap();
        for (own_rank, own) in tiers.iter().enumerate() {
            let name = format!("e-{own}@m");
            let effective = rank.max(own_rank);
            let disclosed = exit(&tree, &["plugins", "disclose", &name], 0);
            assert_eq!(
                disclosed["disclosure"]["tier"], tiers[effective],
                "{own} of {tier}"
            );
            if effective < 2 {
                exit(&tree, &["plugins", "install", &name], 0);
                exit(&tree, &["plugins", "remove", "runs"], 0);
            } else {
                refused(&tree, &["plugins", "install", &name], 4, "needs your word");
            }
        }
    }
}

#[test]
fn a_pin_that_differs_refuses() {
    let mut tree = Tree::in_git(SOURCES);
    let disclosed = exit(&tree, &["plugins", "disclose", "./says"], 0);
    let framed = text(&disclosed["disclosure"], "sha256").to_owned();
    let bare = text(&disclosed["disclosure"], "sha256_unframed").to_owned();
    assert!(framed.starts_with("tree1:"));
    let other = framed.replace(['1', '2', '3'], "4").replace("tree4:", "tree1:");
    let pins = [
        ("framed", framed.clone()),
        ("bare", bare.to_uppercase()),
        ("wrong", other),
        ("mixed", format!("tree1:{bare}")),
        ("none", "md5:1".to_owned()),
    ];
    let entries: Vec<String> = pins
        .iter()
        .map(|(name, pin)| format!(r#"{{"name": "{name}", "source": "./says", "sha256": "{pin}"}}"#))
        .collect();
    tree.write(
        "project/.claude-plugin/marketplace.json",
        format!(r#"{{"name": "m", "plugins": [{}]}}"#, entries.join(",")),
    );
    exit(&tree, &["marketplace", "add", "."], 0);
    for name in ["wrong", "mixed", "none"] {
        refused(
            &tree,
            &["plugins", "install", &format!("{name}@m"), "--yes"],
            4,
            "is pinned to",
        );
    }
    for name in ["framed", "bare"] {
        // It does not name itself, so it goes by the entry's name.
        exit(&tree, &["plugins", "install", &format!("{name}@m")], 0);
        exit(&tree, &["plugins", "remove", name], 0);
    }
}

#[test]
fn what_may_not_be_installed_is_refused_and_nothing_is_written() {
    let mut tree = Tree::in_git(SOURCES);
    tree.add(
        "
-- project/fifo/skills/x/SKILL.md --
x
-- project/fifo/pipe fifo --
-- project/socket/skills/x/SKILL.md --
x
-- project/socket/s socket --
-- project/link/skills/x/SKILL.md --
x
-- project/link/out -> ../runs/stop.sh --
-- project/up/skills/x/SKILL.md --
x
-- project/up/out -> [ROOT]/home --
-- project/broken/.claude-plugin/plugin.json --
{nonsense
-- project/nothing/README.md --
no plugin
-- project/market/.claude-plugin/marketplace.json --
{\"name\": \"m\", \"plugins\": []}
-- project/file --
x
-- project/taken/skills/x/SKILL.md --
x
-- home/.aleph/plugins/taken -> ../../elsewhere --
-- home/elsewhere/skills/x/SKILL.md --
x
-- home/.aleph/plugins/Other/.claude-plugin/plugin.json --
{\"name\": \"says\"}
",
    );
    let deep = format!("project/deep/{}x", "d/".repeat(33));
    tree.write(&deep, "x");
    tree.write("project/deep/skills/x/SKILL.md", "x");
    let install = |source: &str, code: i32, words: &str| {
        refused(
            &tree,
            &["plugins", "install", source, "--yes", "--update"],
            code,
            words,
        );
    };
    install("./fifo", 4, "is a FIFO, socket or device");
    install("./socket", 4, "is a FIFO, socket or device");
    install("./link", 4, "leads out of the plugin");
    install("./up", 4, "leads out of the plugin");
    install("./deep", 4, "32 levels deep");
    install("./broken", 4, "the plugin is invalid");
    install("./nothing", 2, "is no plugin");
    install("./market", 2, "is a marketplace");
    install("./file", 2, "is no plugin");
    install("./missing", 2, "cannot look at");
    install("./missing.zip", 2, "cannot look at");
    install("file", 2, "could be");
    install("nowhere", 2, "there is no entry");
    install("x@nowhere", 2, "there is no marketplace `nowhere`");
    install("ext::sh -c id", 4, "is not taken");
    install("./taken", 4, "is not a directory of its own");
    install("./says", 4, "is already there");
}

#[test]
fn a_home_that_leads_elsewhere_is_not_written_through() {
    for link in ["plugins", "data"] {
        let mut tree = Tree::in_git("-- project/says/skills/talk/SKILL.md --\ntalks\n-- home/elsewhere/ --");
        tree.add(&format!("-- home/.aleph/{link} -> ../elsewhere --"));
        refused(
            &tree,
            &["plugins", "install", "./says"],
            4,
            "leads out of the Aleph home",
        );
    }
    let mut tree = Tree::in_git("-- project/says/skills/talk/SKILL.md --\ntalks\n-- home/elsewhere/ --");
    tree.add("-- home/.aleph/data/installed.toml -> ../../elsewhere/installed.toml --");
    refused(
        &tree,
        &["plugins", "install", "./says"],
        4,
        "leads out of the Aleph home",
    );
}

#[test]
fn files_that_cannot_be_used_are_not_overwritten() {
    let mut tree = Tree::in_git(SOURCES);
    tree.write("home/.aleph/data/installed.toml", "[plugins\nnonsense");
    tree.write("home/.aleph/data/plugins.toml", "entries = 1\n");
    tree.write("home/.aleph/data/marketplaces.toml", "= 1");
    refused(
        &tree,
        &["plugins", "install", "./says"],
        4,
        "installed.toml cannot be used",
    );
    refused(
        &tree,
        &["plugins", "remove", "mine"],
        4,
        "installed.toml cannot be used",
    );
    refused(
        &tree,
        &["plugins", "disable", "mine"],
        4,
        "`entries` is not a table",
    );
    tree.write(
        "project/.claude-plugin/marketplace.json",
        r#"{"name": "m", "plugins": []}"#,
    );
    refused(
        &tree,
        &["marketplace", "add", "."],
        4,
        "marketplaces.toml cannot be used",
    );
    exit(&tree, &["plugins", "verify"], 3);
}

#[test]
fn switching_leaves_everything_else_in_the_file_as_it_is() {
    let mut tree = Tree::in_git(SOURCES);
    let before = "# mine\nschema = 3\n\n[entries.\"b\"] # b\nenabled = true   # on\nnote='x'\n\n[other]\nz = 1\na = [ 1,2 ]\n";
    tree.write("home/.aleph/data/plugins.toml", before);
    let read = || fs::read_to_string(tree.path("home/.aleph/data/plugins.toml")).unwrap();
    let same = exit(&tree, &["plugins", "enable", "mine"], 0);
    assert_eq!((list(&same, "changed").len(), &same["done"]), (0, &true.into()));
    assert_eq!(read(), before);
    exit(&tree, &["plugins", "disable", "mine"], 0);
    assert!(
        read().starts_with(before.split("\n[other]").next().unwrap()),
        "{}",
        read()
    );
    assert!(read().contains("[other]\nz = 1\na = [ 1,2 ]\n"), "{}", read());
    let off = exit(&tree, &["plugins", "list"], 0);
    assert_eq!(off["plugins"][0]["state"], "disabled");
    let change = exit(&tree, &["plugins", "enable", "mine"], 0);
    assert_eq!(list(&change, "changed"), ["[ROOT]/home/.aleph/data/plugins.toml"]);
    assert!(read().contains("[entries.mine]\nenabled = true\n"), "{}", read());
    let unknown = exit(&tree, &["plugins", "disable", "mime"], 1);
    assert_eq!(list(&unknown, "suggestions"), ["mine"]);
    // The comment behind a value that is changed stays.
    tree.add("-- home/.aleph/plugins/b/skills/y/SKILL.md --\ny");
    exit(&tree, &["plugins", "disable", "b"], 0);
    assert!(
        read2(&tree).contains("enabled = false   # on\nnote='x'\n"),
        "{}",
        read2(&tree)
    );
}

fn read2(tree: &Tree) -> String {
    fs::read_to_string(tree.path("home/.aleph/data/plugins.toml")).unwrap()
}

/// What is put aside and belongs to somebody else cannot be cleared away: the change is done, it is said so, and
/// nothing after that is in the way.
#[test]
fn what_cannot_be_cleared_away_is_in_nobodys_way() {
    let name = "what_cannot_be_cleared_away_is_in_nobodys_way";
    let tree = Tree::in_git(SOURCES);
    let aleph = |arguments: &[&str]| tree.aleph(arguments.iter().copied().chain(["--json"]));
    let Some(first) = aleph(&["plugins", "install", "./says"]).unprivileged(name) else {
        return;
    };
    let own = |path: &str, user: u32| {
        let status = Command::new("chown")
            .args(["-R", &user.to_string()])
            .arg(tree.path(path))
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    if !(own("home", 0) && own("home", NOBODY)) {
        return skipped(name, "this user cannot give files away");
    }
    first.run().exits(0);
    let run = |arguments: &[&str], code: i32| {
        let run = aleph(arguments).unprivileged(name).unwrap().run();
        run.exits(code).json()
    };
    for round in 0..3 {
        assert!(own("home/.aleph/plugins/says/skills", 0));
        let change = run(&["plugins", "install", "./says", "--update"], 0);
        assert_eq!(change["done"], true, "{round}");
        let told = &change["diagnostics"][0];
        assert!(text(told, "message").contains("cannot be cleared away"), "{told}");
        assert_eq!(told["path"], "[ROOT]/home/.aleph/plugins/.aleph-discover");
        assert_eq!(run(&["plugins", "verify", "says"], 0)["unchanged"], 1);
    }
    assert!(own("home/.aleph/plugins/says/skills", 0));
    run(&["plugins", "remove", "says"], 0);
    assert!(!tree.path("home/.aleph/plugins/says").exists());
    // Once it may be removed, it is.
    assert!(own("home/.aleph", NOBODY));
    let change = run(&["plugins", "install", "./says"], 0);
    assert_eq!(change["diagnostics"].as_array().map(Vec::len), Some(0));
    assert!(!tree.path("home/.aleph/plugins/.aleph-discover").exists());
}

#[test]
fn a_plugin_that_the_home_lies_in_is_not_installed_into_itself() {
    let mut tree = Tree::in_git(SOURCES);
    let words = "so it would be installed into itself";
    for home in ["./runs/.aleph", "./runs/a/b/.aleph", "./runs"] {
        let arguments = ["plugins", "install", "./runs", "--yes", "--aleph-home", home];
        refused(&tree, &arguments, 4, words);
    }
    // Nor where it would be copied for what a marketplace states of it.
    let market = tree.text("project");
    tree.add("-- project/runs/more.md --\nmore");
    tree.write(
        "project/.claude-plugin/marketplace.json",
        r#"{"name": "m", "plugins": [{"name": "runs", "source": "./runs", "commands": ["./more.md"]}]}"#,
    );
    tree.write(
        "project/runs/.aleph/data/marketplaces.toml",
        format!("[marketplaces.m]\nsource = \"{market}\"\nkind = \"directory\"\n"),
    );
    let arguments = [
        "plugins",
        "install",
        "runs@m",
        "--yes",
        "--aleph-home",
        "./runs/.aleph",
    ];
    refused(&tree, &arguments, 4, words);
}

/// A limit on the size of files is like a full disk: it ends the change, not the process.
#[test]
fn a_limit_on_the_size_of_files_leaves_everything_as_it_was() {
    let mut tree = Tree::in_git(SOURCES);
    tree.write("project/says/skills/talk/SKILL.md", "x".repeat(50_000));
    let before = snapshot(tree.root());
    let run = tree.aleph(["plugins", "install", "./says", "--json"]);
    let error = run.run_behind("ulimit -f 8; exec \"$@\"").exits(5).json();
    let message = text(&error["error"], "message");
    assert!(message.contains("cannot write"), "{message}");
    assert_eq!(snapshot(tree.root()), before);
}

/// Of many installs at once one wins; each of the others says that somebody is at work, or that it is there.
#[test]
fn of_installs_at_once_one_wins() {
    let mut tree = Tree::in_git(SOURCES);
    for n in 0..200 {
        tree.write(&format!("project/says/skills/s{n}/SKILL.md"), "x".repeat(20_000));
    }
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_aleph-discover"))
            .args(["plugins", "install", "./says", "--json"])
            .current_dir(tree.path("project"))
            .env_clear()
            .env("HOME", tree.path("home"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let runs: Vec<_> = (0..8).map(|_| start()).collect();
    let codes: Vec<(i32, String)> = runs
        .into_iter()
        .map(|run| run.wait_with_output().unwrap())
        .map(|run| (run.status.code().unwrap(), String::from_utf8(run.stderr).unwrap()))
        .collect();
    assert_eq!(
        codes.iter().filter(|(code, _)| *code == 0).count(),
        1,
        "{codes:?}"
    );
    for (code, words) in &codes {
        match code {
            0 => {}
            4 => assert!(words.contains("is already there"), "{words}"),
            5 => assert!(words.contains("another process is changing"), "{words}"),
            _ => panic!("{codes:?}"),
        }
    }
    exit(&tree, &["plugins", "verify", "says"], 0);
    assert!(!tree.path("home/.aleph/plugins/.aleph-discover").exists());
}

/// At a terminal one is asked, and only a yes is one.
#[test]
fn at_a_terminal_an_answer_is_consent() {
    let tree = Tree::in_git(SOURCES);
    if only_yes_is_consent(&tree, "plugins install ./runs", "Runs", "Install `runs`? [y/N]") {
        assert!(tree.path("home/.aleph/plugins/runs").is_dir());
    }
}
