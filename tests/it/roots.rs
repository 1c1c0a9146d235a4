//! Roots, their sources and priorities (discovery.md 1).

use std::fs;

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{chains, dir, fate_at, list, root, roots, short, story, text, told};

/// Every root of the table is there, in order, with its source and priority, found or missing.
#[test]
fn roots_stand_in_the_order_of_the_table() {
    let tree = Tree::in_git(
        "
-- home/.claude/ --
-- home/.aleph/ --
-- project/.claude/ --
-- project/sub/.aleph/ --
",
    );
    let report = tree.scan_in("project/sub");
    assert_eq!(
        roots(&report),
        [
            "0 home/.claude ClaudeGlobal scanned",
            "10 home/.aleph AlephGlobal scanned",
            "20 project/.claude Project scanned",
            "21 project/sub/.claude Project missing",
            "40 project/.aleph Project missing",
            "41 project/sub/.aleph Project scanned",
        ]
    );
    assert_eq!(report["directory"], "[ROOT]/project/sub");
    assert_eq!(report["git_root"], "[ROOT]/project");
    assert_eq!(report["worktree_of"], Value::Null);
    assert_eq!(report["host"], "aleph");
    assert_eq!(report["complete"], true);
}

/// Scope, read-only and kinds are those of the table.
#[test]
fn each_root_says_whom_it_is_for_and_what_is_read_in_it() {
    let tree = Tree::in_git("-- home/.claude/ --");
    let report = tree.scan();
    let facts = |path: &str| {
        let root = root(&report, path);
        let kinds: Vec<&str> = list(root, "kinds").iter().filter_map(Value::as_str).collect();
        format!(
            "{} {} {}",
            text(root, "scope"),
            root["read_only"],
            kinds.join(" ")
        )
    };
    assert_eq!(facts("home/.claude"), "user true skill command agent");
    assert_eq!(facts("home/.aleph"), "user false skill command agent plugin");
    assert_eq!(facts("project/.claude"), "project true skill command agent");
    assert_eq!(facts("project/.aleph"), "project true skill command agent plugin");
}

/// A component directory that is missing is said to be missing; one that is there has its count, hidden entries
/// included.
#[test]
fn component_directories_are_listed_with_their_counts() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a/SKILL.md --
-- project/.aleph/skills/.hidden/ --
-- project/.aleph/skills/notes.txt --
-- project/.aleph/agents/one.md --
",
    );
    let report = tree.scan();
    let facts = |kind: &str| {
        let dir = dir(&report, "project/.aleph", kind);
        format!(
            "{} {} {}",
            short(text(dir, "path")),
            text(dir, "status"),
            dir["entries"]
        )
    };
    assert_eq!(facts("skill"), "project/.aleph/skills scanned 3");
    assert_eq!(facts("command"), "project/.aleph/commands missing 0");
    assert_eq!(facts("agent"), "project/.aleph/agents scanned 1");
    assert_eq!(root(&report, "project/.aleph")["entries"], 4);
}

/// A file or a FIFO where a root or a component directory belongs is skipped and named, and nothing else is lost.
#[test]
fn what_is_not_a_directory_is_skipped() {
    let tree = Tree::in_git(
        "
-- home/.claude --
a file
-- home/.aleph fifo --
-- project/.claude/skills --
a file
-- project/.claude/commands fifo --
-- project/.claude/agents/helper.md --
",
    );
    let report = tree.scan();
    let listed = roots(&report);
    assert_eq!(listed[0], "0 home/.claude ClaudeGlobal skipped not-a-directory");
    assert_eq!(listed[1], "10 home/.aleph AlephGlobal skipped not-a-directory");
    assert_eq!(listed[2], "20 project/.claude Project scanned");
    for kind in ["skill", "command"] {
        let dir = dir(&report, "project/.claude", kind);
        assert_eq!(dir["status"], "skipped", "{kind}");
        assert_eq!(dir["reason"], "not-a-directory", "{kind}");
    }
    assert_eq!(chains(&report), ["agent helper"]);
    assert_eq!(report["complete"], true);
}

/// `--no-claude` drops every `.claude` root, global and project; priorities of the rest stay.
#[test]
fn no_claude_drops_every_claude_root() {
    let tree = Tree::in_git(
        "
-- home/.claude/skills/a.md --
-- project/.claude/skills/b.md --
-- project/.aleph/skills/c.md --
",
    );
    let report = tree
        .aleph(["scan", "--json", "--no-claude"])
        .run()
        .exits(0)
        .json();
    assert_eq!(
        roots(&report),
        [
            "10 home/.aleph AlephGlobal missing",
            "40 project/.aleph Project scanned"
        ]
    );
    assert_eq!(chains(&report), ["skill c"]);
}

/// `--no-project` drops the walk and keeps the global roots.
#[test]
fn no_project_drops_the_walk() {
    let tree = Tree::in_git(
        "
-- home/.claude/skills/a.md --
-- project/.claude/skills/b.md --
-- project/.aleph/skills/c.md --
",
    );
    let report = tree
        .aleph(["scan", "--json", "--no-project"])
        .run()
        .exits(0)
        .json();
    assert_eq!(
        roots(&report),
        [
            "0 home/.claude ClaudeGlobal scanned",
            "10 home/.aleph AlephGlobal missing"
        ]
    );
    assert_eq!(chains(&report), ["skill a"]);
    assert_eq!(told(&report, "depth-cap"), [""; 0]);
}

/// The home's own directories met on the walk are the global roots, listed as skipped; their directory keeps its
/// number, and nothing is counted twice.
#[test]
fn home_on_the_walk_is_the_global_root() {
    let tree = Tree::new(
        "
-- .git/ --
-- home/.claude/skills/a.md --
-- home/.aleph/skills/b.md --
-- home/work/ --
",
    );
    let report = tree.scan_in("home/work");
    assert_eq!(
        roots(&report),
        [
            "0 home/.claude ClaudeGlobal scanned",
            "10 home/.aleph AlephGlobal scanned",
            "20 .claude Project missing",
            "21 home/.claude Project skipped is-global-root",
            "22 home/work/.claude Project missing",
            "40 .aleph Project missing",
            "41 home/.aleph Project skipped is-global-root",
            "42 home/work/.aleph Project missing",
        ]
    );
    assert_eq!(chains(&report), ["skill a", "skill b"]);
    assert_eq!(fate_at(&report, "home/.claude/skills/a.md"), "active");
    assert_eq!(fate_at(&report, "home/.aleph/skills/b.md"), "active");
}

/// The same where the home has neither of them: each is listed missing once, and a file in its place is skipped once.
#[test]
fn a_global_root_that_is_not_there_is_met_once() {
    let tree = Tree::new("-- home/.git/ --");
    assert_eq!(
        roots(&tree.scan_in("home")),
        [
            "0 home/.claude ClaudeGlobal missing",
            "10 home/.aleph AlephGlobal missing",
            "20 home/.claude Project skipped is-global-root",
            "40 home/.aleph Project skipped is-global-root",
        ]
    );
    let tree = Tree::new(
        "
-- home/.git/ --
-- home/.aleph --
a file
",
    );
    let report = tree.scan_in("home");
    let of_aleph: Vec<String> = roots(&report)
        .into_iter()
        .filter(|root| root.contains(".aleph"))
        .collect();
    assert_eq!(
        of_aleph,
        [
            "10 home/.aleph AlephGlobal skipped not-a-directory",
            "40 home/.aleph Project skipped is-global-root",
        ]
    );
}

/// The same by real path: a project's `.aleph` that is a link to the home's is the global root.
#[test]
fn a_link_to_the_global_root_is_the_global_root() {
    let tree = Tree::in_git(
        "
-- home/.aleph/skills/b.md --
-- project/.aleph -> ../home/.aleph --
",
    );
    let report = tree.scan();
    assert_eq!(root(&report, "project/.aleph")["status"], "skipped");
    assert_eq!(root(&report, "project/.aleph")["reason"], "is-global-root");
    assert_eq!(story(&report, "skill", "b"), ["home/.aleph/skills/b.md active"]);
}

/// With the Aleph home elsewhere, `~/.aleph` met on the walk is a project root like any other.
#[test]
fn an_aleph_home_elsewhere_makes_the_usual_one_a_project_root() {
    let tree = Tree::new(
        "
-- .git/ --
-- home/.aleph/skills/b.md --
-- elsewhere/aleph/skills/b.md --
other text
-- home/work/ --
",
    );
    let elsewhere = tree.text("elsewhere/aleph");
    let by_variable = tree
        .aleph(["scan", "--json"])
        .env("ALEPH_HOME", &elsewhere)
        .cwd(tree.path("home/work"))
        .run()
        .exits(0)
        .json();
    // A flag is nearer than the environment.
    let by_flag = tree
        .aleph(["scan", "--json", "--aleph-home", &elsewhere])
        .env("ALEPH_HOME", tree.path("project"))
        .cwd(tree.path("home/work"))
        .run()
        .exits(0)
        .json();
    for report in [by_variable, by_flag] {
        let listed = roots(&report);
        assert_eq!(listed[1], "10 elsewhere/aleph AlephGlobal scanned");
        assert_eq!(listed[6], "41 home/.aleph Project scanned");
        assert_eq!(
            story(&report, "skill", "b"),
            [
                "home/.aleph/skills/b.md active",
                "elsewhere/aleph/skills/b.md shadowed project-over-global by 0",
            ]
        );
    }
}

/// `CLAUDE_CONFIG_DIR` is the Claude home itself.
#[test]
fn the_claude_home_can_be_elsewhere() {
    let tree = Tree::in_git(
        "
-- home/.claude/skills/usual.md --
-- elsewhere/claude/skills/moved.md --
",
    );
    let report = tree
        .aleph(["scan", "--json"])
        .env("CLAUDE_CONFIG_DIR", tree.path("elsewhere/claude"))
        .run()
        .exits(0)
        .json();
    assert_eq!(roots(&report)[0], "0 elsewhere/claude ClaudeGlobal scanned");
    assert_eq!(chains(&report), ["skill moved"]);
}

/// `--home` stands in for the home directory, also where `HOME` says something else or nothing.
#[test]
fn the_home_can_be_given() {
    let tree = Tree::in_git(
        "
-- home/.aleph/skills/usual.md --
-- other/.aleph/skills/other.md --
-- other/.claude/ --
",
    );
    let other = tree.text("other");
    let given = || tree.aleph(["scan", "--json", "--home", &other]);
    for run in [given(), given().without_env("HOME")] {
        let report = run.run().exits(0).json();
        assert_eq!(
            roots(&report)[..2],
            [
                "0 other/.claude ClaudeGlobal scanned",
                "10 other/.aleph AlephGlobal scanned"
            ]
        );
        assert_eq!(chains(&report), ["skill other"]);
    }
}

/// The more exact word counts: a variable for the Aleph or Claude home over `--home`; an empty one is none.
#[test]
fn an_exact_home_counts_over_a_general_one() {
    let tree = Tree::in_git("-- other/ --\n-- exact/ --");
    let other = tree.text("other");
    let homes = |aleph: &str, claude: &str| {
        let run = tree
            .aleph(["scan", "--json", "--home", &other])
            .env("ALEPH_HOME", aleph)
            .env("CLAUDE_CONFIG_DIR", claude);
        roots(&run.run().exits(0).json())[..2].to_vec()
    };
    let exact = tree.text("exact");
    assert_eq!(
        homes(&exact, ""),
        [
            "0 other/.claude ClaudeGlobal missing",
            "10 exact AlephGlobal scanned"
        ]
    );
    assert_eq!(
        homes("", &exact),
        [
            "0 exact ClaudeGlobal scanned",
            "10 other/.aleph AlephGlobal missing"
        ]
    );
}

/// A root that is a link to nothing is missing, with a reason; one that is a link to a file is no directory.
#[test]
fn roots_that_are_links_to_no_directory_have_a_reason() {
    let tree = Tree::in_git(
        "
-- file --
-- home/.claude -> gone --
-- home/.aleph -> ../file --
",
    );
    assert_eq!(
        roots(&tree.scan())[..2],
        [
            "0 home/.claude ClaudeGlobal missing dangling-symlink",
            "10 home/.aleph AlephGlobal skipped not-a-directory",
        ]
    );
}

/// Of `.claude` and `.aleph` that are one directory the `.aleph` stays, in the project and at home.
#[test]
fn claude_and_aleph_that_are_one_directory_count_once() {
    let tree = Tree::in_git(
        "
-- home/.aleph/skills/global.md --
-- home/.claude -> .aleph --
-- project/.claude/skills/local.md --
-- project/.aleph -> .claude --
",
    );
    let report = tree.scan();
    assert_eq!(
        roots(&report),
        [
            "0 home/.claude ClaudeGlobal skipped same-directory",
            "10 home/.aleph AlephGlobal scanned",
            "20 project/.claude Project skipped same-directory",
            "40 project/.aleph Project scanned",
        ]
    );
    assert_eq!(
        story(&report, "skill", "local"),
        ["project/.aleph/skills/local.md active"]
    );
    assert_eq!(
        story(&report, "skill", "global"),
        ["home/.aleph/skills/global.md active"]
    );
}

/// Of two project roots that are one directory the nearer stays.
#[test]
fn of_two_project_roots_that_are_one_the_nearer_stays() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/shared.md --
-- project/sub/.aleph -> ../.aleph --
",
    );
    let report = tree.scan_in("project/sub");
    assert_eq!(
        roots(&report)[4..],
        [
            "40 project/.aleph Project skipped same-directory",
            "41 project/sub/.aleph Project scanned",
        ]
    );
    assert_eq!(
        story(&report, "skill", "shared"),
        ["project/sub/.aleph/skills/shared.md active"]
    );
}

/// A root and its component directories may be links: people keep them in dotfiles.
#[test]
fn roots_and_component_directories_may_be_links() {
    let tree = Tree::in_git(
        "
-- dotfiles/aleph/skills/one/SKILL.md --
-- dotfiles/commands/two.md --
-- home/.aleph -> ../dotfiles/aleph --
-- project/.aleph/commands -> [ROOT]/dotfiles/commands --
",
    );
    let report = tree.scan();
    assert_eq!(fate_at(&report, "home/.aleph/skills/one"), "active");
    assert_eq!(fate_at(&report, "project/.aleph/commands/two.md"), "active");
    let real = fs::canonicalize(tree.path("project/.aleph/commands/two.md")).expect("it is there");
    assert_eq!(real, tree.path("dotfiles/commands/two.md"));
    let candidate = crate::support::view::at(&report, "project/.aleph/commands/two.md");
    assert_eq!(candidate["real_path"], "[ROOT]/dotfiles/commands/two.md");
}

/// Counting needs no more than listing: no marker is opened, so one that cannot be is no finding.
#[test]
fn roots_open_no_marker() {
    let mut tree = Tree::in_git(
        r#"
-- project/.aleph/skills/closed/SKILL.md mode=000 --
closed
-- project/.aleph/skills/.hidden/SKILL.md --
hidden
-- project/.claude/agents/broken.md --
---
name: [
---
-- project/.claude/commands/deploy.md --
deploy
-- home/.aleph/plugins/p/.claude-plugin/plugin.json --
{"name": "p", "skills": ["./more", "./one"]}
-- home/.aleph/plugins/p/skills/closed/SKILL.md mode=000 --
closed
-- home/.aleph/plugins/p/more/a/SKILL.md --
a
-- home/.aleph/plugins/p/more/b/SKILL.md --
b
-- home/.aleph/plugins/p/one/SKILL.md mode=000 --
one
-- home/.aleph/plugins/p/hooks/hooks.json mode=000 --
{}
-- home/.aleph/plugins/mono/q/agents/x.md --
x
"#,
    );
    tree.write("project/aleph.toml", "");
    let run = |command: &str| {
        let run = tree
            .aleph([command, "--json"])
            .unprivileged("roots_open_no_marker");
        run.map(|run| run.run())
    };
    let (Some(roots), Some(scan)) = (run("roots"), run("scan")) else {
        return;
    };
    // The scan meets them all.
    let scan = scan.exits(3).json();
    assert!(told(&scan, "unreadable").len() >= 3, "{:#}", scan["diagnostics"]);
    let roots = roots.exits(0).json();
    assert_eq!(roots["complete"], true);
    assert_eq!(
        list(&roots, "diagnostics"),
        &[] as &[Value],
        "{:#}",
        roots["diagnostics"]
    );
    assert_eq!(
        roots["roots"], scan["roots"],
        "the same directories, with the same counts"
    );
    assert_eq!(dir(&roots, "home/.aleph/plugins/p", "skill")["entries"], 1);
}
