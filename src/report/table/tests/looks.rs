use snapbox::{IntoData, assert_data_eq, str};

use super::*;

#[test]
fn colours_stand_out_without_carrying_meaning() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "deploy")
        .skill("home/.claude", "deploy")
        .skill("shop/.claude", "half")
        .file("shop/.aleph/skills/half/SKILL.md", BAD);
    let look = Look {
        color: true,
        ..tree.look()
    };
    assert_data_eq!(
        tree.scan(SKILLS, Detail::InEffect, &look),
        str![[r#"
␛[1mSkills␛[0m in ␛[1mshop/api␛[0m, as aleph loads it
Git root shop

␛[1mSkills␛[0m
␛[1m␛[32mdeploy␛[0m      shop/.aleph/skills/deploy   ␛[2mproject .aleph␛[0m
␛[2m  shadowed␛[0m  ␛[2mhome/.claude/skills/deploy␛[0m  ␛[2mnative-over-claude, by project .aleph␛[0m
␛[1m␛[32mhalf␛[0m        shop/.claude/skills/half    ␛[2mproject .claude␛[0m
␛[1m␛[31m  invalid␛[0m   shop/.aleph/skills/half     bad-front-matter at 3:20

2 skills in effect; 1 shadowed; 1 invalid

"#]]
        .raw()
    );
}

#[test]
fn paths_are_hyperlinks_where_that_works() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "a b")
        .skill("home/.claude", "a b")
        .skill("shop/.aleph", "deploy");
    let look = Look {
        hyperlinks: true,
        color: true,
        ..tree.wide(80)
    };
    let shown = tree.scan(SKILLS, Detail::InEffect, &look);
    assert_data_eq!(without_place(&shown, &tree.top()), str![[r#"
␛[1mSkills␛[0m in ␛]8;;file:///shop/api␛\␛[1mshop/api␛[0m␛]8;;␛\, as aleph loads it
Git root ␛]8;;file:///shop␛\shop␛]8;;␛\

␛[1mSkills␛[0m
␛[1m␛[32ma b␛[0m         ␛]8;;file:///shop/.aleph/skills/a%20b␛\shop/.aleph/skills/a b␛]8;;␛\     ␛[2mproject .aleph␛[0m
␛[2m  shadowed␛[0m  ␛]8;;file:///home/.claude/skills/a%20b␛\␛[2mhome/.claude/skills/a b␛[0m␛]8;;␛\    ␛[2mnative-over-claude, by project .aleph␛[0m
␛[1m␛[32mdeploy␛[0m      ␛]8;;file:///shop/.aleph/skills/deploy␛\shop/.aleph/skills/deploy␛]8;;␛\  ␛[2mproject .aleph␛[0m

2 skills in effect; 1 shadowed

"#]].raw());
}

#[cfg(unix)]
#[test]
fn foreign_text_cannot_steer_the_terminal_and_keeps_columns_aligned() {
    let tree = Tree::new();
    tree.file(
        "shop/.aleph/skills/esc\u{1b}[31mred/SKILL.md",
        "---\nname: red\n---\n",
    )
    .file("shop/.aleph/skills/two\nlines/SKILL.md", "---\nname: two\n---\n")
    .skill("shop/.aleph", "\u{65e5}\u{672c}\u{8a9e}")
    .skill("shop/.aleph", "party\u{1f389}")
    .file(
        "shop/.aleph/skills/cafe/SKILL.md",
        "---\nname: \"cafe\\u0301\"\n---\n",
    )
    .skill("shop/.aleph", "turn\u{202e}ed")
    .link("../../nowhere\u{7}", "shop/.aleph/skills/linked")
    .skill("shop/.claude", "linked");
    let shown = tree.scan(SKILLS, Detail::InEffect, &tree.look());
    assert_data_eq!(
        shown.clone(),
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Skills
café            shop/.aleph/skills/cafe              project .aleph
linked          shop/.claude/skills/linked           project .claude
  rejected      shop/.aleph/skills/linked            symlink to ../../nowhere\u{7}
party🎉         shop/.aleph/skills/party🎉           project .aleph
red             shop/.aleph/skills/esc\u{1b}[31mred  project .aleph
turn\u{202e}ed  shop/.aleph/skills/turn\u{202e}ed    project .aleph
two             shop/.aleph/skills/two\nlines        project .aleph
日本語          shop/.aleph/skills/日本語            project .aleph

7 skills in effect; 1 rejected

"#]]
        .raw()
    );
    assert!(!shown.contains(|character| character != '\n' && crate::report::escape::is_unsafe(character)));
}

#[test]
fn what_is_relative_to_the_place_itself_is_here() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "deploy");
    let look = Look {
        relative_to: Some(tree.top().join("shop/api")),
        ..Look::default()
    };
    let first = |shown: String| shown.lines().next().unwrap().to_owned();
    assert_eq!(
        first(tree.scan(SKILLS, Detail::InEffect, &look)),
        "Skills here, as aleph loads it"
    );
    assert_eq!(
        first(tree.why("deploy", &look)),
        "Skill `deploy` here, as aleph loads it"
    );
}
