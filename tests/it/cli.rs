//! The command line (cli.md): exit codes, errors, formats and flags.

use std::fs;

use serde_json::{Value, json};

use crate::support::run::Run;
use crate::support::schema;
use crate::support::tree::Tree;
use crate::support::view::{candidates, chain, chains, list, short, story, text, told};

/// One winner with a loser, one alone, one that is out of the running, one hidden.
const CLASH: &str = "
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
    assert!(
        table.stdout.contains("--host claude-code"),
        ".claude entries have a hint\n{table}"
    );
    // Without `.claude` entries there is nothing to hint at.
    let native = Tree::in_git("-- project/.aleph/skills/a.md --");
    native.aleph(["scan"]).run().exits(0).hides("--host claude-code");
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

/// `why` exits with 0 when something of that name is in effect, and with 1 when not.
#[test]
fn why_answers_with_its_exit_code() {
    let tree = Tree::in_git(CLASH);
    for (name, code) in [
        ("deploy", 0),
        ("release", 0),
        ("broken", 1),
        (".hidden", 1),
        ("nothing", 1),
        ("", 1),
        ("../x", 1),
        ("a b\tc", 1),
    ] {
        let run = tree.aleph(["why", name]).run().exits(code);
        assert!(!run.stdout.is_empty(), "{run}");
        let json = tree.aleph(["why", name, "--json"]).run().exits(code).json();
        assert_eq!(json["schema"], "aleph-discover/why@1");
    }
    // Of other kinds nothing is in effect.
    tree.aleph(["why", "deploy", "--kind", "skill"]).run().exits(0);
    tree.aleph(["why", "deploy", "--kind", "agent"]).run().exits(1);
}

/// `why` tells the winner first, then each loser, with its rule and where it is.
#[test]
fn why_tells_winner_and_losers() {
    let tree = Tree::in_git(CLASH);
    let table = tree
        .aleph(["why", "deploy"])
        .run()
        .exits(0)
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
    let broken = tree.aleph(["why", "broken"]).run().exits(1);
    let broken = broken
        .shows("bad-front-matter")
        .shows("project/.aleph/agents/broken.md")
        .shows("quote");
    assert!(broken.stdout.contains('3'), "the line is named\n{broken}");
}

/// A name that nothing has gets suggestions; one that something has gets none.
#[test]
fn why_suggests_like_names() {
    let tree = Tree::in_git(CLASH);
    let suggested = |name: &str, code: i32| {
        let why = tree.aleph(["why", name, "--json"]).run().exits(code).json();
        list(&why, "suggestions")
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(suggested("deplyo", 1).contains("deploy"));
    assert!(suggested("Release", 1).contains("release"));
    assert_eq!(suggested("deploy", 0), "");
    assert_eq!(suggested("xyzzy-quux", 1), "");
    tree.aleph(["why", "deplyo"]).run().exits(1).shows("deploy");
}

/// `why` finds an entry by its id, and by its path name where another name is declared.
#[test]
fn why_finds_by_path_name_too() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/folder/SKILL.md --
---
name: declared
---
",
    );
    for name in ["declared", "folder"] {
        let why = tree.aleph(["why", name, "--json"]).run().exits(0).json();
        assert_eq!(chains(&why), ["skill declared"], "{name}");
    }
}

/// `why PATH` says what became of that file: an entry, its marker, or what no host reads.
#[test]
fn why_of_a_path_says_what_became_of_it() {
    let tree = Tree::in_git(CLASH);
    let story_of = |path: &str| {
        let why = tree.aleph(["why", path, "--json"]).run().exits(0).json();
        story(&why, "skill", "deploy")
    };
    let both = [
        "project/.aleph/skills/deploy active",
        "home/.aleph/skills/deploy shadowed project-over-global by 0",
    ];
    // The entry, its marker, relative or absolute: the chain that it stands in.
    assert_eq!(story_of(&tree.text("project/.aleph/skills/deploy")), both);
    assert_eq!(
        story_of(&tree.text("project/.aleph/skills/deploy/SKILL.md")),
        both
    );
    assert_eq!(story_of(".aleph/skills/deploy/SKILL.md"), both);
    assert_eq!(story_of("./.aleph/skills/../skills/deploy"), both);
    // A file that is not in effect, though another of its name is.
    let loser = tree.text("home/.aleph/skills/deploy/SKILL.md");
    let loser = tree.aleph(["why", &loser, "--json"]).run().json();
    assert_eq!(story(&loser, "skill", "deploy"), both);
    let broken = tree.aleph(["why", ".aleph/agents/broken.md"]).run().exits(1);
    broken.shows("bad-front-matter");
    let hidden = tree.aleph(["why", ".aleph/skills/.hidden.md"]).run().exits(1);
    hidden.shows("hidden");
    let nothing = tree.aleph(["why", "./no/such/file.md"]).run().exits(1);
    assert!(!nothing.stdout.is_empty(), "{nothing}");
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
        .hides("shadowed")
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
    use std::os::unix::ffi::OsStrExt;
    let mut expected = tree
        .path("project/.aleph/skills/two%0Alines%FF")
        .as_os_str()
        .as_bytes()
        .to_vec();
    expected.push(0);
    assert_eq!(raw.bytes, expected);
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

/// Help has examples, the version is that of the package, and neither is an error.
#[test]
fn help_and_version_are_no_errors() {
    let tree = Tree::in_git("");
    let version = tree.aleph(["--version"]).run().exits(0);
    assert_eq!(
        version.stdout,
        format!("aleph-discover {}\n", env!("CARGO_PKG_VERSION"))
    );
    for command in ["scan", "why", "find-config", "roots", "schema"] {
        let help = tree.aleph([command, "--help"]).run().exits(0);
        let examples = help.stdout.matches(&format!("aleph-discover {command}")).count();
        assert!(examples >= 2, "{examples} examples\n{help}");
    }
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
