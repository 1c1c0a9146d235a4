//! The command line (cli.md): exit codes, errors, formats and flags.

use serde_json::Value;

use crate::support::run::Run;
use crate::support::tree::Tree;
use crate::support::view::{chains, list, short, story, text, told};

/// One winner with a loser, one alone, one that is out of the running, one hidden.
pub(crate) const CLASH: &str = "
-- project/.aleph/skills/deploy/SKILL.md --
---
name: deploy
description: The project's own
---
-- home/.aleph/skills/deploy/SKILL.md --
---
name: deploy
description: The user's
---
-- project/.claude/commands/release.md --
-- project/.aleph/agents/broken.md --
---
name: broken
description: a: b
---
-- project/.aleph/skills/.hidden.md --
";

/// The error object on standard output, and the code 2.
fn usage_error(run: Run) -> Value {
    let run = run.exits(2).says("error:");
    let report = run.json();
    assert_eq!(report["schema"], "aleph-discover/error@1", "{run}");
    let error = report["error"].clone();
    for key in ["code", "message"] {
        assert!(!text(&error, key).is_empty(), "{run}");
    }
    for key in ["path", "help"] {
        assert!(error.get(key).is_some(), "{key} is there, if null\n{run}");
    }
    error
}

/// Without a subcommand it is `scan`, also with kinds and flags.
#[test]
fn scan_is_the_default() {
    let tree = Tree::in_git(CLASH);
    for args in [
        &["--json"][..],
        &["skill", "--json"],
        &["--all"],
        &["commands"],
        &[],
    ] {
        let bare = tree.aleph(args).run().exits(0);
        let full = tree.aleph([&["scan"], args].concat()).run().exits(0);
        assert_eq!(bare.stdout, full.stdout, "{args:?}");
        assert!(!bare.stdout.is_empty());
    }
}

/// `scan` answers what is there: invalid entries do not change its exit code, nor does finding nothing.
#[test]
fn scan_exits_0_whatever_the_entries_are() {
    Tree::in_git(CLASH).aleph(["scan"]).run().exits(0);
    let empty = Tree::in_git("");
    let table = empty.aleph(["scan"]).run().exits(0);
    // It says where it looked and what would be found there.
    for place in [".aleph", ".claude", "skills"] {
        assert!(table.stdout.contains(place), "{place}\n{table}");
    }
    let report = empty.scan();
    assert_eq!(chains(&report), [""; 0]);
    assert_eq!(report["summary"]["chains"], 0);
    assert_eq!(list(&report, "roots").len(), 4);
}

/// Unknown words are usage errors that name what was probably meant.
#[test]
fn unknown_words_get_a_suggestion() {
    let tree = Tree::in_git("");
    for (args, meant) in [
        (&["scann"][..], "scan"),
        (&["wy", "x"], "why"),
        (&["find-confg", "x"], "find-config"),
        (&["scan", "skil"], "skill"),
        (&["scan", "comands"], "command"),
        (&["scan", "--kind", "agnet"], "agent"),
        (&["scan", "--jsn"], "--json"),
        (&["scan", "--format", "jsn"], "json"),
        (&["schema", "scna"], "scan"),
    ] {
        let run = tree.aleph(args).run().exits(2);
        assert!(run.stderr.starts_with("error:"), "{run}");
        assert!(run.stderr.contains(meant), "{meant} is not suggested\n{run}");
        assert!(run.stdout.is_empty(), "{run}");
        assert!(!run.stderr.contains("RUST_BACKTRACE"), "{run}");
    }
}

/// Bad flags and values are usage errors.
#[test]
fn bad_flags_are_usage_errors() {
    let tree = Tree::in_git("");
    for args in [
        &["scan", "--max-depth", "x"][..],
        &["scan", "--max-depth", "-1"],
        &["scan", "--max-depth"],
        &["scan", "--color", "sometimes"],
        &["scan", "--format", "xml"],
        &["scan", "--host", "emacs"],
        &["why"],
        &["find-config"],
        &["schema", "nothing-like-it"],
        &["roots", "extra"],
    ] {
        let run = tree.aleph(args).run().exits(2);
        assert!(run.stderr.starts_with("error:"), "{run}");
        assert!(run.stdout.is_empty(), "{run}");
    }
}

/// With JSON asked for, a failure is an object on standard output as well.
#[test]
fn failures_are_json_where_json_is_asked_for() {
    let tree = Tree::in_git("");
    let missing = tree.text("project/missing");
    for args in [
        &["scan", "skil", "--json"][..],
        &["scan", "--json", "--no-such-flag"],
        &["scan", "--format", "json", "--max-depth", "x"],
        &["--json", "scann"],
        &["why", "--json"],
    ] {
        usage_error(tree.aleph(args).run());
    }
    let error = usage_error(tree.aleph(["scan", "--json", "-C", &missing]).run());
    assert_eq!(error["path"], "[ROOT]/project/missing");
    let error = usage_error(tree.aleph(["find-config", "--json", "../x"]).run());
    assert!(text(&error, "message").contains("../x"), "{error:#}");
}

/// With JSON lines asked for it is one line, for whoever reads line by line.
#[test]
fn failures_are_one_line_among_json_lines() {
    let tree = Tree::in_git("");
    for args in [
        &["bogus", "--format", "jsonl"][..],
        &["--format=jsonl", "scan", "--no-such-flag"],
        &["find-config", "--format", "jsonl", "../x"],
        &["scan", "--format", "jsonl", "-C", "missing"],
    ] {
        let run = tree.aleph(args).run();
        assert_eq!(run.lines().len(), 1, "{run}");
        usage_error(run);
    }
}

/// What is said of a word in the place of a kind is true: it may be a subcommand that stands too late.
#[test]
fn a_subcommand_in_the_place_of_a_kind_is_called_one() {
    let tree = Tree::in_git("");
    for (args, message, help) in [
        (
            &["scan", "mcp", "--json"][..],
            "`mcp` is a subcommand, not a kind",
            "ask `aleph-discover mcp`, or choose one of skill,",
        ),
        (
            &["skill", "roots", "--json"],
            "`roots` is a subcommand, not a kind",
            "ask `aleph-discover roots`, or choose one of skill,",
        ),
        (
            &["scan", "tool", "--json"],
            "`tool` is no kind of component",
            "choose one of skill,",
        ),
        (
            &["scann", "--json"],
            "`scann` is neither a subcommand nor a kind",
            "did you mean `scan`?",
        ),
        (
            &["scan", "skil", "--json"],
            "`skil` is no kind of component",
            "did you mean `skill`?",
        ),
    ] {
        let error = usage_error(tree.aleph(args).run());
        assert!(text(&error, "message").starts_with(message), "{error:#}");
        assert!(text(&error, "help").starts_with(help), "{error:#}");
    }
}

/// A flag beats its variable, wherever the flag stands, and whatever the variable is set to.
#[test]
fn the_host_on_the_line_beats_the_variable() {
    let tree = Tree::in_git(CLASH);
    let run = |args: &[&str], value: &str| tree.aleph(args).env("ALEPH_DISCOVER_HOST", value).run();
    for args in [
        &["scan", "--host", "aleph"][..],
        &["--host", "aleph", "scan"],
        &["scan", "--host=aleph", "skill"],
        &["plugins", "list", "--host", "aleph"],
    ] {
        let plain = tree.aleph(args).run().exits(0);
        for value in ["zz", "codex", "all"] {
            assert_eq!(run(args, value).exits(0).stdout, plain.stdout, "{value}");
        }
    }
    run(&["scan", "--host", "yy"], "aleph")
        .exits(2)
        .says("`yy` is not a value of --host");
    let run = run(&["scan"], "zz")
        .exits(2)
        .says("`zz`")
        .says("ALEPH_DISCOVER_HOST");
    assert!(run.stderr.contains("choose one of aleph"), "{run}");
}

/// Names of plugins and marketplaces are refused with the reason before anything is looked at.
#[test]
fn bad_names_of_plugins_and_marketplaces_are_refused() {
    let tree = Tree::in_git("-- project/x/skills/s/SKILL.md --");
    let long = "n".repeat(256);
    for command in [
        &["plugins", "show"][..],
        &["plugins", "remove"],
        &["plugins", "enable"],
        &["plugins", "disable"],
        &["plugins", "verify"],
        &["marketplace", "show"],
        &["marketplace", "update"],
        &["marketplace", "remove"],
    ] {
        for (name, reason) in [
            ("", "is empty"),
            ("..", "way through directories"),
            (".", "way through directories"),
            ("a/b", "separator `/`"),
            ("a\\b", "separator `\\`"),
            (&*long, "255"),
        ] {
            let run = tree.aleph(command.iter().chain(&[name])).run().exits(2);
            assert!(run.stderr.starts_with("error:"), "{run}");
            assert!(run.stderr.contains(reason), "{reason:?} is not given\n{run}");
        }
    }
    // A name that could be one, and is not there, is an answer.
    tree.aleph(["plugins", "show", "a..b"]).run().exits(1);
    tree.aleph(["marketplace", "show", "nothing"]).run().exits(1);
}

/// Every command takes `--no-cache`, and answers as without it.
#[test]
fn no_cache_changes_no_answer() {
    let tree = Tree::in_git(CLASH);
    for args in [
        &["scan"][..],
        &[],
        &["skill"],
        &["why", "deploy"],
        &["roots"],
        &["hosts"],
        &["find-config", "aleph"],
        &["plugins"],
        &["plugins", "list"],
        &["marketplace"],
        &["mcp", "servers"],
        &["tools", "list", "--kind", "skill"],
        &["tools", "budget", "--kind", "skill"],
        &["explain", "hidden"],
        &["schema", "scan"],
    ] {
        let plain = tree.aleph(args).run();
        let without = tree.aleph(args.iter().chain(&["--no-cache"])).run();
        assert_eq!(
            (plain.code, &plain.stdout),
            (without.code, &without.stdout),
            "{without}"
        );
        let before = tree.aleph(["--no-cache"].iter().chain(args)).run();
        assert_eq!(
            (plain.code, &plain.stdout),
            (before.code, &before.stdout),
            "{before}"
        );
    }
}

/// A working directory that is missing, a file, or was deleted is a usage error that names it.
#[test]
fn a_bad_working_directory_is_a_usage_error() {
    let tree = Tree::in_git("-- project/file --\n-- project/link -> gone --\n-- project/doomed/ --");
    for path in [
        "project/missing",
        "project/file",
        "project/link",
        "project/file/below",
    ] {
        let path = tree.text(path);
        for command in [&["scan"][..], &["why", "x"], &["roots"], &["find-config", "x"]] {
            let run = tree.aleph(command.iter().chain(&["-C", &path])).run().exits(2);
            let named = path.replace(tree.root().to_str().expect("UTF-8"), "[ROOT]");
            run.says("error:").says(&named);
        }
    }
    let empty = tree.aleph(["scan", "-C", ""]).run().exits(2);
    empty.says("error:");

    let doomed = tree.path("project/doomed");
    let run = tree
        .aleph(["scan"])
        .cwd(&doomed)
        .run_behind(r#"rmdir "$PWD" && exec "$@""#)
        .exits(2);
    assert!(run.stderr.starts_with("error:"), "{run}");
    assert!(!doomed.exists());
}

/// Names for `find-config` are refused with the reason before anything is touched.
#[test]
fn bad_configuration_names_are_refused() {
    let tree = Tree::in_git("-- project/x --\n-- home/.aleph/x --");
    let long = "n".repeat(300);
    let just_too_long = "n".repeat(256);
    for (name, reason) in [
        ("", "empty"),
        ("../x", "/"),
        ("a/b", "/"),
        ("/etc/passwd", "/"),
        ("a\\b", "\\"),
        (".", "."),
        ("..", ".."),
        (&*long, "255"),
        (&*just_too_long, "255"),
    ] {
        for flags in [&[][..], &["--no-project"], &["--max-depth", "0"]] {
            let run = tree
                .aleph(["find-config", name].iter().chain(flags))
                .run()
                .exits(2);
            assert!(run.stderr.starts_with("error:"), "{run}");
            assert!(run.stderr.contains(reason), "{reason:?} is not given\n{run}");
            assert!(run.stdout.is_empty(), "{run}");
        }
    }
    // Legal, if unusual: looked for and not there.
    for name in ["a..b", "...", "..x", "x..", "nothing here", &"n".repeat(255)] {
        tree.aleph(["find-config", name]).run().exits(1);
    }
    tree.aleph(["find-config", "x"]).run().exits(0);
}

/// A pipe that is closed ends the program without a word.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut tree = Tree::in_git(CLASH);
    for number in 0..500 {
        tree.write(&format!("project/.aleph/commands/c{number}.md"), "x");
    }
    for args in [
        &["scan"][..],
        &["scan", "--json"],
        &["scan", "--format", "jsonl"],
        &["scan", "-0"],
        &["why", "deploy"],
        &["roots"],
        &["schema", "scan"],
        &["--help"],
    ] {
        let run = tree.aleph(args).run_into_closed_pipe();
        assert_eq!(run.stderr, "", "{run}");
        assert_ne!(run.code, Some(101), "{run}");
    }
}

/// Help has examples, the version is that of the package, and neither is an error.
#[test]
fn help_and_version_are_no_errors() {
    let tree = Tree::in_git("");
    let version = tree.aleph(["--version"]).run().exits(0);
    assert_eq!(
        version.stdout,
        format!("aleph-discover {}\n", env!("CARGO_PKG_VERSION"))
    );
    // Every command, found in the help of the one above it.
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = open.pop() {
        let help = tree
            .aleph(command.iter().map(String::as_str).chain(["--help"]))
            .run()
            .exits(0);
        let (above, examples) = help.stdout.split_once("Examples:\n").expect("examples");
        let examples: Vec<&str> = examples
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        assert!(
            matches!(examples.len(), 2 | 3),
            "{} examples\n{help}",
            examples.len()
        );
        let start = ["aleph-discover".to_owned()]
            .into_iter()
            .chain(command.iter().cloned());
        let start: Vec<String> = start.collect();
        let fitting = examples.iter().filter(|line| line.contains(&start.join(" ")));
        assert!(fitting.count() >= 2, "examples of something else\n{help}");
        seen += 1;
        let commands = above.split_once("Commands:\n").map_or("", |(_, rest)| rest);
        for line in commands.lines().take_while(|line| !line.is_empty()) {
            let name = line.strip_prefix("  ").filter(|line| !line.starts_with(' '));
            let name = name.and_then(|line| line.split(' ').next());
            open.extend(
                name.filter(|name| *name != "help")
                    .map(|name| [command.clone(), vec![name.to_owned()]].concat()),
            );
        }
    }
    assert!(seen > 40, "{seen} commands");
    assert_eq!(tree.scan()["version"], env!("CARGO_PKG_VERSION"));
}

/// A run without a home directory says so and reads the project all the same.
#[test]
fn without_a_home_the_project_is_read() {
    let tree = Tree::in_git(CLASH);
    // Where neither HOME nor the user database knows one, there are no global roots; where the database knows one,
    // it is used. Either way the project is there.
    let report = tree
        .aleph(["scan", "--json", "--home", &tree.text("nowhere")])
        .run()
        .exits(0)
        .json();
    assert_eq!(
        story(&report, "skill", "deploy"),
        ["project/.aleph/skills/deploy active"]
    );
    assert_eq!(told(&report, "no-home"), [""; 0]);
    assert_eq!(short(text(&list(&report, "roots")[0], "path")), "nowhere/.claude");
}

/// Nothing is written, anywhere.
#[test]
fn nothing_is_written() {
    let tree = Tree::in_git(CLASH);
    let listing = || {
        let mut all: Vec<_> = walkdir::WalkDir::new(tree.root())
            .into_iter()
            .map(|entry| entry.expect("an entry"))
            .map(|entry| (entry.path().to_owned(), entry.metadata().expect("metadata").len()))
            .collect();
        all.sort();
        all
    };
    let before = listing();
    tree.aleph(["scan"]).run().exits(0);
    tree.aleph(["why", "deploy", "--json"]).run().exits(0);
    tree.aleph(["roots"]).run().exits(0);
    tree.aleph(["find-config", "aleph"]).run().exits(1);
    assert_eq!(listing(), before);
}

/// A kind that nobody looks for is refused: an answer would claim that there is none.
#[test]
fn a_kind_that_is_not_looked_for_is_refused() {
    let tree = Tree::in_git(CLASH);
    for args in [
        &["scan", "output-style", "--json"][..],
        &["output-styles", "--json"],
        &["why", "deploy", "--kind", "output-style", "--json"],
        &["roots", "--kind", "output-style", "--json"],
    ] {
        let error = usage_error(tree.aleph(args).run());
        assert!(text(&error, "message").contains("does not look for"), "{error}");
        assert!(text(&error, "help").contains("skill, command, agent"), "{error}");
    }
}

/// A flag that needs a value says so, and no empty list of choices.
#[test]
fn a_missing_value_is_told_with_what_to_do() {
    let tree = Tree::in_git(CLASH);
    for args in [
        &["-C", "", "--json"][..],
        &["--home", "", "--json"],
        &["--json", "--home"],
    ] {
        let error = usage_error(tree.aleph(args).run());
        assert_eq!(error["help"], "`--help` shows what it is for");
    }
}

/// A variable that is set and empty counts as not set.
#[test]
fn an_empty_host_variable_is_no_host() {
    let tree = Tree::in_git(CLASH);
    let run = |value: &str| tree.aleph(["scan"]).env("ALEPH_DISCOVER_HOST", value).run();
    assert_eq!(run("").exits(0).stdout, run("aleph").exits(0).stdout);
    run("nobody").exits(2);
}

/// A hint names a command that asks about the same place.
#[test]
fn hints_repeat_what_was_asked_about() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/deploy/SKILL.md --
a
-- project/.claude/skills/deploy/SKILL.md --
b
",
    );
    let run = tree
        .aleph(["-C", "project", "--max-depth", "3", "scan"])
        .cwd(tree.root());
    run.run()
        .exits(0)
        .says("`aleph-discover -C project --max-depth 3 why deploy`");
}

/// A flag that would change nothing, and what it names that is not there, is a usage error and not an answer without it.
#[test]
fn flags_that_would_say_nothing_are_refused() {
    let tree = Tree::in_git("-- project/plugin/skills/s/SKILL.md --\nS\n-- project/set.json --\n{}\n");
    for (arguments, words) in [
        (["--plugin-dir", "plugin"], "says nothing to the host aleph"),
        (["--settings", "{}"], "says nothing to the host aleph"),
        (
            ["--settings=set.json", "--host=codex"],
            "says nothing to the host codex",
        ),
        (["--plugin-dir=nowhere", "--host=claude-code"], "nowhere"),
        (
            ["--plugin-dir=set.json", "--host=claude-code"],
            "is not a directory",
        ),
        (["--settings=nowhere", "--host=claude-code"], "nowhere"),
        (["--settings={\"a\":", "--host=claude-code"], "no JSON object"),
    ] {
        let run = tree.aleph(["scan", "--json"].iter().chain(&arguments)).run();
        let error = usage_error(run);
        assert!(
            error["message"].to_string().contains(words),
            "{arguments:?}: {error}"
        );
    }
    for arguments in [
        [
            "scan",
            "--host=claude-code",
            "--plugin-dir=plugin",
            "--settings={}",
        ],
        [
            "hosts",
            "--host=all",
            "--plugin-dir=plugin",
            "--settings=set.json",
        ],
    ] {
        tree.aleph(arguments).run().exits(0);
    }
}

/// A hint about a host that was started with settings is about the same settings.
#[test]
fn hints_keep_settings() {
    let tree =
        Tree::in_git("-- home/.claude/skills/.drafts/SKILL.md --\nS\n-- home/.claude/skills/x.md --\nx");
    tree.aleph(["scan", "--host=claude-code", "--settings={}"])
        .run()
        .exits(0)
        .says("`aleph-discover --host claude-code --settings '{}' scan --all`");
}

/// What is called nothing is a slip, as of a variable that is not set, and no question with the answer no.
#[test]
fn an_empty_name_is_a_usage_error() {
    let tree = Tree::in_git("");
    for command in ["why", "find-config"] {
        let error = usage_error(tree.aleph([command, "", "--json"]).run());
        assert!(
            error["message"].to_string().contains("empty"),
            "{command}: {error}"
        );
    }
    let error = usage_error(tree.aleph(["plugins", "disclose", "./none.zip", "--json"]).run());
    assert!(error["message"].to_string().contains("none.zip"), "{error}");
}

/// Where a subcommand is missing it is said so; what a command is about is no error.
#[test]
fn a_missing_subcommand_is_named_as_missing() {
    let tree = Tree::in_git("");
    for command in ["mcp", "tools"] {
        let error = usage_error(tree.aleph([command, "--json"]).run());
        assert_eq!(error["message"], "a subcommand is missing", "{command}");
        tree.aleph([command])
            .run()
            .exits(2)
            .says("error: a subcommand is missing");
    }
}

/// `-0` ends every line with NUL where lines are names, too.
#[test]
fn names_end_with_nul_if_asked_to() {
    let tree = Tree::in_git("");
    for arguments in [["explain", "-0"], ["schema", "-0"]] {
        let run = tree.aleph(arguments).raw().run().exits(0);
        assert!(run.stdout.ends_with('\0') && !run.stdout.contains('\n'), "{run}");
    }
}

/// Two huge files of one name and size are not read to the end: a repository of a few kilobytes can hold them.
#[test]
fn huge_files_of_one_size_are_not_compared() {
    let mut tree = Tree::in_git("");
    for family in [".aleph", ".claude"] {
        tree.write(&format!("project/{family}/skills/a.md"), "");
        let path = tree.path(&format!("project/{family}/skills/a.md"));
        std::fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_len(20 << 30)
            .unwrap();
    }
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "a"),
        [
            "project/.aleph/skills/a.md active",
            "project/.claude/skills/a.md shadowed native-over-claude by 0"
        ]
    );
    assert_eq!(told(&report, "too-large").len(), 1);
}
