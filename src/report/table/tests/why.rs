use snapbox::{assert_data_eq, str};

use super::*;
use crate::model::Code;
use crate::report::table::{why_diagnostics, why_hints};

#[test]
fn six_candidates_and_what_each_would_need() {
    let tree = clashes();
    fs::remove_file(tree.top().join("shop/.claude/commands/deploy.md")).unwrap();
    fs::remove_file(tree.top().join("shop/api/.claude/commands/deploy.md")).unwrap();
    assert_data_eq!(
        tree.why("deploy", &tree.look()),
        str![[r#"
Skill `deploy` in shop/api, as aleph loads it

In effect: shop/api/.aleph/skills/deploy/SKILL.md
  From the project's .aleph, priority 41. It wins over 5 others: a .aleph entry beats a .claude entry, wherever each of them is; the project's entry beats the global one; the nearer directory beats the one further out.
  “From shop/api/.aleph.”

Shadowed: shop/.aleph/skills/deploy/SKILL.md
  The nearer directory beats the one further out (nearest-directory).
  To make it win: delete shop/api/.aleph/skills/deploy or give that one another name.

Shadowed: shop/api/.claude/skills/deploy/SKILL.md
  A .aleph entry beats a .claude entry, wherever each of them is (native-over-claude).
  To make it win: delete shop/api/.aleph/skills/deploy and shop/.aleph/skills/deploy or give both another name.

Shadowed: shop/.claude/skills/deploy/SKILL.md
  A .aleph entry beats a .claude entry, wherever each of them is (native-over-claude).
  To make it win: put a copy of it in the place of shop/api/.aleph/skills/deploy, or delete all 3 that come before it or give them other names.

Shadowed: home/.aleph/skills/deploy/SKILL.md
  The project's entry beats the global one (project-over-global).
  To make it win: put a copy of it in the place of shop/api/.aleph/skills/deploy, or delete all 4 that come before it or give them other names.

Shadowed: home/.claude/skills/deploy/SKILL.md
  A .aleph entry beats a .claude entry, wherever each of them is (native-over-claude).
  To make it win: put a copy of it in the place of shop/api/.aleph/skills/deploy, or delete all 5 that come before it or give them other names.

To use several of them side by side, give each a name of its own: the `name` in its front matter decides.

"#]]
    );
}

#[test]
fn several_kinds_of_one_name_have_a_part_each() {
    let tree = clashes();
    tree.file("shop/.aleph/commands/deploy.md", "ship it all");
    for root in [
        "home/.claude",
        "home/.aleph",
        "shop/.aleph",
        "shop/api/.claude",
        "shop/api/.aleph",
    ] {
        fs::remove_dir_all(tree.top().join(root).join("skills/deploy")).unwrap();
    }
    assert_data_eq!(
        tree.why("deploy", &tree.wide(80)),
        str![[r#"
`deploy`: a skill and a command in shop/api, as aleph loads it

Skill `deploy`
In effect: shop/.claude/skills/deploy/SKILL.md
  From the project's .claude, priority 20. It is the only one of this name.
  “From shop/.claude.”

Command `deploy`
In effect: shop/.aleph/commands/deploy.md
  From the project's .aleph, priority 40. It wins over 2 others: a .aleph entry
  beats a .claude entry, wherever each of them is.

Shadowed: shop/api/.claude/commands/deploy.md
  A .aleph entry beats a .claude entry, wherever each of them is
  (native-over-claude).
  To make it win: copy it to shop/api/.aleph/commands/deploy.md, or delete
  shop/.aleph/commands/deploy.md or give that one another name. (A copy, since
  Claude Code itself reads only .claude.)

Shadowed: shop/.claude/commands/deploy.md
  A .aleph entry beats a .claude entry, wherever each of them is
  (native-over-claude).
  To make it win: copy it to shop/api/.aleph/commands/deploy.md, or delete
  shop/.aleph/commands/deploy.md and shop/api/.claude/commands/deploy.md or give
  both another name. (A copy, since Claude Code itself reads only .claude.)

To use several of them side by side, give each a name of its own: the name of
  its folder or file decides.

"#]]
    );
}

#[test]
fn identical_entries_are_harmless() {
    let tree = clashes();
    assert_data_eq!(
        tree.why("lint", &tree.look()),
        str![[r#"
Skill `lint` in shop/api, as aleph loads it

In effect: shop/.claude/skills/lint/SKILL.md
  From the project's .claude, priority 20. It wins over 1 other: the project's entry beats the global one.
  “Lints.”

Identical: home/.claude/skills/lint/SKILL.md
  Its bytes equal the winner's, so it makes no difference which of them is read. The other one wins since the project's entry beats the global one (project-over-global). Nothing to do; delete one of them to have one less to look after.

"#]]
    );
}

#[test]
fn a_claude_entry_of_the_project_beats_the_global_aleph() {
    let tree = clashes();
    assert_data_eq!(
        tree.why("review", &tree.look()),
        str![[r#"
Skill `review` in shop/api, as aleph loads it

In effect: shop/.claude/skills/review/SKILL.md
  From the project's .claude, priority 20. It wins over 1 other: the project's .claude entry beats the one in the global .aleph.
  “From shop/.claude.”

Shadowed: home/.aleph/skills/review/SKILL.md
  The project's .claude entry beats the one in the global .aleph (claude-project-over-aleph-global).
  To make it win: copy it to shop/.aleph/skills/review, or delete shop/.claude/skills/review or give that one another name.

To use several of them side by side, give each a name of its own: the `name` in its front matter decides.

"#]]
    );
}

#[test]
fn an_entry_that_would_win_were_it_valid() {
    let tree = clashes();
    assert_data_eq!(
        tree.why("half", &tree.look()),
        str![[r#"
Skill `half` in shop/api, as aleph loads it

In effect: shop/.claude/skills/half/SKILL.md
  From the project's .claude, priority 20. It is the only valid one of this name.
  “From shop/.claude.”

Invalid: shop/.aleph/skills/half/SKILL.md
  Line 3, column 20: A second colon with a blank after it in a value that is not in quotes (bad-front-matter).
  To mend it: put the value of `description` in quotes, or write it as a block after `|`. Once that is mended, it wins: its place is above the winner's.

"#]]
    );
    assert!(why_diagnostics(&tree.question("half")).is_empty());
}

#[test]
fn nothing_in_effect_but_something_there() {
    let tree = clashes();
    assert_data_eq!(
        tree.why("broken", &tree.look()),
        str![[r#"
Skill `broken` in shop/api, as aleph loads it

Nothing of this name is in effect.

Invalid: shop/.aleph/skills/broken/SKILL.md
  Line 3, column 20: A second colon with a blank after it in a value that is not in quotes (bad-front-matter).
  To mend it: put the value of `description` in quotes, or write it as a block after `|`. Once that is mended, it is in effect.

"#]]
    );
    assert_data_eq!(
        tree.why("lower", &tree.look()),
        str![[r#"
Skill `lower` in shop/api, as aleph loads it

Nothing of this name is in effect.

Ignored: shop/.claude/skills/lower/skill.md
  The marker is called skill.md; it must be SKILL.md exactly (wrong-case).
  To mend it: rename it to SKILL.md. Once that is mended, it is in effect.

"#]]
    );
    assert_data_eq!(
        tree.why("notes.txt", &tree.look()),
        str![[r#"
Skill `notes.txt` in shop/api, as aleph loads it

Nothing of this name is in effect.

Ignored: shop/.claude/skills/notes.txt
  Only folders and files that end in .md are read here (wrong-kind).
  If it is meant to be a skill, let its name end in .md, or put it as SKILL.md into a folder of its own.

"#]]
    );
    assert_data_eq!(
        tree.why(".cache", &tree.look()),
        str![[r#"
Skill `.cache` in shop/api, as aleph loads it

Nothing of this name is in effect.

Ignored: shop/.aleph/skills/.cache
  Its name begins with a dot; hidden entries are not read (hidden).
  To have it read, rename it so that it does not begin with a dot.

"#]]
    );
}

#[test]
fn two_entries_of_one_place() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "twin")
        .file("shop/.aleph/skills/twin.md", "other");
    assert_data_eq!(
        tree.why("twin", &tree.look()),
        str![[r#"
Skill `twin` in shop/api, as aleph loads it

In effect: shop/.aleph/skills/twin/SKILL.md
  From the project's .aleph, priority 40. It wins over 1 other: of two in one place the one whose path sorts first wins.
  “From shop/.aleph.”

Shadowed: shop/.aleph/skills/twin.md
  Of two in one place the one whose path sorts first wins (tie-path-order).
  To make it win: copy it to shop/api/.aleph/skills/twin.md, or delete shop/.aleph/skills/twin or give that one another name.

To use several of them side by side, give each a name of its own: the `name` in its front matter decides, else the name of its folder or file.

"#]]
    );
    let codes: Vec<Code> = why_diagnostics(&tree.question("twin"))
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, [Code::Ambiguous]);
}

#[test]
fn where_no_root_is_higher_the_winner_has_to_go() {
    let tree = Tree::new();
    tree.file("shop/api/.aleph/skills/a/SKILL.md", "---\nname: x\n---\na")
        .file("shop/api/.aleph/skills/b/SKILL.md", "---\nname: x\n---\nb");
    assert_data_eq!(
        tree.why("x", &tree.look()),
        str![[r#"
Skill `x` in shop/api, as aleph loads it

In effect: shop/api/.aleph/skills/a/SKILL.md
  From the project's .aleph, priority 41. It wins over 1 other: of two in one place the one whose path sorts first wins.
  It goes by the name that it declares, `x`, not by its path's, `a`.

Shadowed: shop/api/.aleph/skills/b/SKILL.md
  Of two in one place the one whose path sorts first wins (tie-path-order).
  It goes by the name that it declares, `x`, not by its path's, `b`.
  To make it win: delete shop/api/.aleph/skills/a or give that one another name.

To use several of them side by side, give each a name of its own: the `name` in its front matter decides.

"#]]
    );
}

#[test]
fn what_is_in_the_way_of_a_copy_is_not_overwritten() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "half")
        .skill("shop/.claude", "half")
        .file("shop/api/.aleph/skills/half/SKILL.md", BAD);
    let shown = tree.why("half", &tree.look());
    assert!(!shown.contains("copy it to"), "{shown}");
}

#[cfg(unix)]
#[test]
fn one_real_file_by_two_paths() {
    let tree = Tree::new();
    tree.file("shop/.aleph/commands/ship.md", "ship it");
    let command = |root: &str| tree.top().join(root).join("commands/ship.md");
    fs::create_dir_all(command("shop/.claude").parent().unwrap()).unwrap();
    fs::hard_link(command("shop/.aleph"), command("shop/.claude")).unwrap();
    tree.link("nowhere", "shop/api/.aleph/commands/ship.md");
    assert_data_eq!(
        tree.why("ship", &tree.look()),
        str![[r#"
Command `ship` in shop/api, as aleph loads it

In effect: shop/.aleph/commands/ship.md
  From the project's .aleph, priority 40. It wins over 1 other: a .aleph entry beats a .claude entry, wherever each of them is.

Rejected: shop/api/.aleph/commands/ship.md
  A symbolic link to something that is not there (symlink); it points at nowhere.
  To mend it: copy what it points at to this place, or link the folder that holds it instead. Once that is mended, it wins: its place is above the winner's.

Alias: shop/.claude/commands/ship.md
  It is the same real file as shop/.aleph/commands/ship.md, reached by another path: an edit of one is an edit of both. Nothing to do. That path wins since a .aleph entry beats a .claude entry, wherever each of them is (native-over-claude).

"#]]
    );
}

#[test]
fn configuration_adds_up() {
    let tree = clashes();
    assert_data_eq!(
        tree.why("aleph", &tree.look()),
        str![[r#"
Config `aleph` in shop/api, as aleph loads it

Additive: shop/aleph.toml
  From the project, priority 40. It has the last word: what it sets overrides what the others set. It wins over 1 other: in one directory aleph.toml beats aleph.jsonc, which beats aleph.json.

Shadowed: shop/aleph.json
  In one directory aleph.toml beats aleph.jsonc, which beats aleph.json (config-format).
  To make it count: move what it sets into shop/aleph.toml, or delete that file.

Additive: home/.aleph/aleph.toml
  It is in effect, too: it is merged with the files of the other directories, and the nearest one has the last word (config-layers).

"#]]
    );
}

#[test]
fn a_declared_name_is_told_apart_from_the_path() {
    let tree = Tree::new();
    tree.file("shop/.aleph/skills/publish/SKILL.md", "---\nname: release\n---\n");
    assert_data_eq!(
        tree.why("publish", &tree.look()),
        str![[r#"
Skill `release` in shop/api, as aleph loads it

In effect: shop/.aleph/skills/publish/SKILL.md
  From the project's .aleph, priority 40. It is the only one of this name.
  It goes by the name that it declares, `release`, not by its path's, `publish`.

"#]]
    );
}

#[test]
fn names_that_were_probably_meant() {
    let tree = clashes();
    assert_data_eq!(
        tree.why("depoly", &tree.look()),
        str![[r#"
Nothing is called `depoly` in shop/api, as aleph loads it

There is, under a like name:
  deploy  shop/api/.aleph/skills/deploy        skill, in effect
  deploy  shop/api/.claude/commands/deploy.md  command, in effect

"#]]
    );
    assert_eq!(
        why_hints(&tree.question("depoly")),
        ["`aleph-discover why deploy` explains that one"]
    );
    let shown = tree.why("quux\u{1b}", &tree.look());
    assert!(
        shown.starts_with("Nothing is called `quux\\u{1b}` in shop/api, as aleph loads it\n"),
        "{shown}"
    );
    assert!(
        shown.contains("skills/<name>/SKILL.md or skills/<name>.md"),
        "{shown}"
    );
}

#[test]
fn what_became_of_a_path() {
    let tree = clashes();
    tree.file("shop/web/.claude/skills/x/SKILL.md", "")
        .file("shop/.claude/skills/deploy/notes/a.txt", "");
    let first = |given: &str| {
        let shown = tree.why(given, &tree.look());
        without_place(shown.lines().next().unwrap(), &tree.top())
    };
    assert_data_eq!(
        tree.why("../.claude/skills/review/SKILL.md", &tree.wide(80)),
        str![[r#"
shop/.claude/skills/review/SKILL.md is in effect, as aleph loads it: it is the
  skill `review`.

Skill `review`
In effect: shop/.claude/skills/review/SKILL.md
  From the project's .claude, priority 20. It wins over 1 other: the project's
  .claude entry beats the one in the global .aleph.
  “From shop/.claude.”

Shadowed: home/.aleph/skills/review/SKILL.md
  The project's .claude entry beats the one in the global .aleph
  (claude-project-over-aleph-global).
  To make it win: copy it to shop/.aleph/skills/review, or delete
  shop/.claude/skills/review or give that one another name.

To use several of them side by side, give each a name of its own: the `name` in
  its front matter decides.

"#]]
    );
    for (given, told) in [
        (
            "../.claude/skills/deploy",
            "shop/.claude/skills/deploy is not in effect, as aleph loads it: it is the skill `deploy`, shadowed.",
        ),
        (
            "../.claude/skills/deploy/notes/a.txt",
            "shop/.claude/skills/deploy/notes/a.txt defines nothing itself: it lies inside the skill entry /shop/.claude/skills/deploy; only SKILL.md of that folder is read.",
        ),
        (
            "./nothing",
            "shop/api/nothing is not there: there is no such file or directory.",
        ),
        (
            "../web/.claude/skills/x",
            "shop/web/.claude/skills/x is not read: /shop/web is not on the walk upward from /shop/api.",
        ),
        (
            "../.claude/commands",
            "shop/.claude/commands: the commands of the Project root /shop/.claude (scanned, 1 entry).",
        ),
    ] {
        assert_eq!(first(given), told);
    }
}

#[test]
fn a_long_description_does_not_drown_the_answer() {
    let tree = Tree::new();
    let long = "A stranger's description that goes on. ".repeat(30);
    tree.file(
        "shop/.aleph/skills/x/SKILL.md",
        &format!("---\ndescription: |\n  {long}\n---\n"),
    );
    let shown = tree.why("x", &tree.wide(80));
    assert_data_eq!(
        shown,
        str![[r#"
Skill `x` in shop/api, as aleph loads it

In effect: shop/.aleph/skills/x/SKILL.md
  From the project's .aleph, priority 40. It is the only one of this name.
  “A stranger's description that goes on. A stranger's description that goes on.
  A stranger's description that goes on. A stranger's…”

"#]]
    );
}
