//! `why NAME` and `why PATH` (cli.md).

use serde_json::Value;

use crate::cli::CLASH;
use crate::support::tree::Tree;
use crate::support::view::{chains, list, story};

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
        ("../x", 1),
        ("a b\tc", 1),
    ] {
        let run = tree.aleph(["why", name]).run().exits(code);
        assert!(!run.stdout.is_empty(), "{run}");
        let json = tree.aleph(["why", name, "--json"]).run().exits(code).json();
        assert_eq!(json["schema"], "aleph-discover/why@1");
    }
    // An empty one, as of a variable that is not set, asks nothing.
    tree.aleph(["why", ""])
        .run()
        .exits(2)
        .says("there is no name or path to explain");
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

/// What has no separator is a name, also where a directory of that name is at hand.
#[test]
fn a_name_is_a_name_also_beside_a_directory_of_that_name() {
    let mut tree = Tree::in_git(CLASH);
    tree.add("-- project/deploy/ --");
    let why = tree.aleph(["why", "deploy", "--json"]).run().exits(0).json();
    assert_eq!(chains(&why), ["skill deploy"]);
}

/// A path is taken from the directory that is asked about.
#[test]
fn a_relative_path_is_taken_from_the_directory_asked_about() {
    let tree = Tree::in_git(CLASH);
    let project = tree.text("project");
    let run = tree
        .aleph(["why", ".aleph/skills/deploy", "--json", "-C", &project])
        .cwd(tree.root());
    assert_eq!(chains(&run.run().exits(0).json()), ["skill deploy"]);
}

/// A link that is refused is what was asked about, and not what it leads to; so is a path that goes through it.
#[test]
fn a_refused_link_is_not_what_it_leads_to() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a/SKILL.md --
-- project/.aleph/commands/c.md --
-- project/.aleph/skills/in -> a --
-- project/.aleph/skills/.h -> a --
-- project/.aleph/skills/fl.md -> ../commands/c.md --
-- project/outside -> .aleph/skills/a --
",
    );
    let ask = |path: &str| {
        let json = tree.aleph(["why", path, "--json"]).run();
        let table = tree.aleph(["why", path, "-q"]).run();
        (json, table)
    };
    for (path, chain, fate) in [
        (".aleph/skills/in", "skill in", "candidate"),
        (".aleph/skills/fl.md", "skill fl", "candidate"),
        (".aleph/skills/.h", "skill .h", "candidate"),
        (".aleph/skills/in/SKILL.md", "skill in", "inside-candidate"),
        (".aleph/skills/.h/SKILL.md", "skill .h", "inside-candidate"),
    ] {
        let (json, table) = ask(path);
        let json = json.exits(1).json();
        assert_eq!(chains(&json), [chain], "{path}");
        assert_eq!(json["question"]["fate"], fate, "{path}");
        assert_eq!(json["question"]["path"], format!("[ROOT]/project/{path}"));
        let table = table.exits(1).hides("In effect");
        if fate == "candidate" {
            table.shows("is not in effect");
        }
    }
    // A link that is no entry of anything is but another way to one.
    for path in ["./outside", "./outside/SKILL.md", ".aleph/skills/a/SKILL.md"] {
        let (json, table) = ask(path);
        assert_eq!(chains(&json.exits(0).json()), ["skill a"], "{path}");
        table.exits(0).shows("is in effect");
    }
}

/// An entry that was asked about by its path is not in effect because another of its name is.
#[test]
fn a_file_here_is_not_another_of_its_name() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/x.md/SKILL.md --
-- project/.aleph/commands/x.md -> nowhere --
",
    );
    let run = tree
        .aleph(["why", "x.md", "--json"])
        .cwd(tree.path("project/.aleph/commands"));
    let json = run.run().exits(1).json();
    assert_eq!(chains(&json), ["command x"]);
}

/// That nothing has the name is the answer, so `-q` keeps it.
#[test]
fn quiet_says_that_there_is_nothing() {
    let tree = Tree::in_git(CLASH);
    let run = tree.aleph(["why", "zz", "-q"]).run().exits(1);
    let run = run.shows("Nothing is called `zz`");
    assert!(!run.stdout.starts_with('\n'), "{run}");
    assert_eq!(run.stderr, "");
}
