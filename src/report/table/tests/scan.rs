use snapbox::{assert_data_eq, str};

use super::*;
use crate::report::table::scan_hints;

fn all_kinds(tree: &Tree) -> Vec<ComponentKind> {
    tree.manager().profile().listed_kinds().collect()
}

#[test]
fn winners_with_their_losers_beneath_in_a_pipe() {
    let tree = clashes();
    let shown = tree.scan(&all_kinds(&tree), Detail::InEffect, &tree.look());
    assert_data_eq!(
        shown,
        str![[r#"
Skills, commands, agents, plugins, hooks, MCP servers, memories and configuration in shop/api, as aleph loads it
Git root shop

Skills
deploy       shop/api/.aleph/skills/deploy        project .aleph
  shadowed   shop/.aleph/skills/deploy            nearest-directory, by project .aleph
  shadowed   shop/api/.claude/skills/deploy       native-over-claude, by project .aleph
  shadowed   shop/.claude/skills/deploy           native-over-claude, by project .aleph
  shadowed   home/.aleph/skills/deploy            project-over-global, by project .aleph
  shadowed   home/.claude/skills/deploy           native-over-claude, by project .aleph
half         shop/.claude/skills/half             project .claude
  invalid    shop/.aleph/skills/half              bad-front-matter at 3:20
lint         shop/.claude/skills/lint             project .claude
  identical  home/.claude/skills/lint             project-over-global, by project .claude
review       shop/.claude/skills/review           project .claude
  shadowed   home/.aleph/skills/review            claude-project-over-aleph-global, by project .claude

Commands
deploy       shop/api/.claude/commands/deploy.md  project .claude
  shadowed   shop/.claude/commands/deploy.md      nearest-directory, by project .claude

Agents
planner      home/.claude/agents/planner.md       global .claude

Configuration
aleph        shop/aleph.toml                      project, additive
  shadowed   shop/aleph.json                      config-format, by aleph.toml
  additive   home/.aleph/aleph.toml               config-layers

4 skills, 1 command, 1 agent, 0 plugins, 1 config in effect; 8 shadowed, 1 identical; 2 additive; 2 invalid; 2 ignored, 1 hidden

"#]]
    );
}

#[test]
fn at_80_columns_reasons_move_below_their_paths() {
    let tree = clashes();
    let shown = tree.scan(&all_kinds(&tree), Detail::InEffect, &tree.wide(80));
    assert_data_eq!(
        shown.clone(),
        str![[r#"
Skills, commands, agents, plugins, hooks, MCP servers, memories and
  configuration in shop/api, as aleph loads it
Git root shop

Skills
deploy       shop/api/.aleph/skills/deploy
  shadowed   shop/.aleph/skills/deploy
             nearest-directory, by project .aleph
  shadowed   shop/api/.claude/skills/deploy
             native-over-claude, by project .aleph
  shadowed   shop/.claude/skills/deploy
             native-over-claude, by project .aleph
  shadowed   home/.aleph/skills/deploy
             project-over-global, by project .aleph
  shadowed   home/.claude/skills/deploy
             native-over-claude, by project .aleph
half         shop/.claude/skills/half
  invalid    shop/.aleph/skills/half
             bad-front-matter at 3:20
lint         shop/.claude/skills/lint
  identical  home/.claude/skills/lint
             project-over-global, by project .claude
review       shop/.claude/skills/review
  shadowed   home/.aleph/skills/review
             claude-project-over-aleph-global, by project .claude

Commands
deploy       shop/api/.claude/commands/deploy.md
  shadowed   shop/.claude/commands/deploy.md
             nearest-directory, by project .claude

Agents
planner      home/.claude/agents/planner.md

Configuration
aleph        shop/aleph.toml
             project, additive
  shadowed   shop/aleph.json
             config-format, by aleph.toml
  additive   home/.aleph/aleph.toml
             config-layers

4 skills, 1 command, 1 agent, 0 plugins, 1 config in effect; 8 shadowed, 1
  identical; 2 additive; 2 invalid; 2 ignored, 1 hidden

"#]]
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn at_200_columns_there_is_one_line_for_each() {
    let tree = clashes();
    let shown = tree.scan(SKILLS, Detail::InEffect, &tree.wide(200));
    assert_data_eq!(
        shown,
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Skills
deploy       shop/api/.aleph/skills/deploy   project .aleph
  shadowed   shop/.aleph/skills/deploy       nearest-directory, by project .aleph
  shadowed   shop/api/.claude/skills/deploy  native-over-claude, by project .aleph
  shadowed   shop/.claude/skills/deploy      native-over-claude, by project .aleph
  shadowed   home/.aleph/skills/deploy       project-over-global, by project .aleph
  shadowed   home/.claude/skills/deploy      native-over-claude, by project .aleph
half         shop/.claude/skills/half        project .claude
  invalid    shop/.aleph/skills/half         bad-front-matter at 3:20
lint         shop/.claude/skills/lint        project .claude
  identical  home/.claude/skills/lint        project-over-global, by project .claude
review       shop/.claude/skills/review      project .claude
  shadowed   home/.aleph/skills/review       claude-project-over-aleph-global, by project .claude

4 skills in effect; 6 shadowed, 1 identical; 2 invalid; 2 ignored, 1 hidden

"#]]
    );
}

#[test]
fn all_also_lists_what_is_not_in_effect_and_the_roots() {
    let tree = clashes();
    let shown = tree.scan(SKILLS, Detail::Everything, &tree.look());
    assert_data_eq!(
        shown,
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Skills
deploy       shop/api/.aleph/skills/deploy   project .aleph
  shadowed   shop/.aleph/skills/deploy       nearest-directory, by project .aleph
  shadowed   shop/api/.claude/skills/deploy  native-over-claude, by project .aleph
  shadowed   shop/.claude/skills/deploy      native-over-claude, by project .aleph
  shadowed   home/.aleph/skills/deploy       project-over-global, by project .aleph
  shadowed   home/.claude/skills/deploy      native-over-claude, by project .aleph
half         shop/.claude/skills/half        project .claude
  invalid    shop/.aleph/skills/half         bad-front-matter at 3:20
lint         shop/.claude/skills/lint        project .claude
  identical  home/.claude/skills/lint        project-over-global, by project .claude
review       shop/.claude/skills/review      project .claude
  shadowed   home/.aleph/skills/review       claude-project-over-aleph-global, by project .claude
not in effect:
  ignored    shop/.aleph/skills/.cache       hidden
  invalid    shop/.aleph/skills/broken       bad-front-matter at 3:20
  ignored    shop/.claude/skills/lower       wrong-case
  ignored    shop/.claude/skills/notes.txt   wrong-kind

Roots, highest priority first
  41  scanned  shop/api/.aleph   project .aleph: 1 entry in skills
  40  scanned  shop/.aleph       project .aleph: 4 entries in skills
  21  scanned  shop/api/.claude  project .claude: 1 entry in skills
  20  scanned  shop/.claude      project .claude: 6 entries in skills
  10  scanned  home/.aleph       global .aleph: 2 entries in skills
   0  scanned  home/.claude      global .claude: 2 entries in skills

4 skills in effect; 6 shadowed, 1 identical; 2 invalid; 2 ignored, 1 hidden

"#]]
    );
}

#[test]
fn active_lists_winners_only() {
    let tree = clashes();
    let mut report = tree.report(SKILLS);
    report.selection = Selection::Active;
    let shown = text(|writer| crate::report::table::scan(&report, Detail::InEffect, &tree.look(), writer));
    assert_data_eq!(
        shown,
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Skills
deploy  shop/api/.aleph/skills/deploy  project .aleph
half    shop/.claude/skills/half       project .claude
lint    shop/.claude/skills/lint       project .claude
review  shop/.claude/skills/review     project .claude

4 skills in effect; 6 shadowed, 1 identical; 2 invalid; 2 ignored, 1 hidden

"#]]
    );
}

#[test]
fn nothing_found_says_where_was_looked_and_what_would_be_found() {
    let tree = Tree::new();
    tree.file("shop/.aleph/readme", "");
    let shown = tree.scan(&all_kinds(&tree), Detail::InEffect, &tree.wide(80));
    assert_data_eq!(
        shown,
        str![[r#"
Skills, commands, agents, plugins, hooks, MCP servers, memories and
  configuration in shop/api, as aleph loads it
Git root shop

Nothing is in effect here. 6 roots were looked at, highest priority first:
  41  missing  shop/api/.aleph   project .aleph
  40  scanned  shop/.aleph       project .aleph: no skills, commands, agents or
                                 plugins
  21  missing  shop/api/.claude  project .claude
  20  missing  shop/.claude      project .claude
  10  missing  home/.aleph       global .aleph
   0  missing  home/.claude      global .claude

In a root would be found:
  skills/<name>/SKILL.md or skills/<name>.md
  commands/<name>/SKILL.md or commands/<name>.md
  agents/<name>/agent.md or agents/<name>.md
  plugins/<name>/ with a manifest such as aleph.plugin.toml
  plugins/<name>/hooks/hooks.json
  plugins/<name>/.mcp.json
  plugins/<name>/.cursor/rules/<name>.mdc
Configuration would be aleph.toml, aleph.jsonc or aleph.json, in the global
  .aleph or in a directory of the project.

0 skills, 0 commands, 0 agents, 0 plugins, 0 configs in effect

"#]]
    );
    assert!(scan_hints(&tree.report(SKILLS), Detail::InEffect).is_empty());
}

#[test]
fn a_broken_entry_alone_is_not_passed_over_in_silence() {
    let tree = Tree::new();
    tree.file("shop/.aleph/skills/half/SKILL.md", BAD);
    let shown = tree.scan(SKILLS, Detail::InEffect, &tree.look());
    assert_data_eq!(
        shown,
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Nothing is in effect here. 6 roots were looked at, highest priority first:
  41  missing  shop/api/.aleph   project .aleph
  40  scanned  shop/.aleph       project .aleph: 1 entry in skills
  21  missing  shop/api/.claude  project .claude
  20  missing  shop/.claude      project .claude
  10  missing  home/.aleph       global .aleph
   0  missing  home/.claude      global .claude

In a root would be found:
  skills/<name>/SKILL.md or skills/<name>.md

0 skills in effect; 1 invalid

"#]]
    );
    assert_eq!(
        scan_hints(&tree.report(SKILLS), Detail::InEffect),
        ["`aleph-discover scan --all` also lists what is not in effect"]
    );
}

#[test]
fn quiet_leaves_headline_and_summary_out() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "deploy");
    let look = Look {
        quiet: true,
        ..tree.look()
    };
    let shown = tree.scan(SKILLS, Detail::InEffect, &look);
    assert_data_eq!(
        shown,
        str![[r#"
Skills
deploy  shop/.aleph/skills/deploy  project .aleph

"#]]
    );
}

#[test]
fn numbers_and_nouns_agree_in_the_summary() {
    let tree = Tree::new();
    tree.skill("shop/.aleph", "one")
        .file("home/.claude/commands/two.md", "")
        .file("home/.claude/commands/three.md", "");
    let kinds = [ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent];
    let shown = tree.scan(&kinds, Detail::InEffect, &tree.look());
    assert_eq!(
        shown.lines().last().unwrap(),
        "1 skill, 2 commands, 0 agents in effect"
    );
}

#[test]
fn a_worktree_names_its_main_checkout() {
    let tree = Tree::new();
    let git = tree.top().join("main/.git/worktrees/shop");
    fs::create_dir_all(&git).unwrap();
    fs::remove_dir(tree.top().join("shop/.git")).unwrap();
    tree.file("shop/.git", &format!("gitdir: {}\n", git.display()))
        .skill("shop/.aleph", "deploy");
    let shown = tree.scan(SKILLS, Detail::InEffect, &tree.look());
    assert_eq!(shown.lines().nth(1).unwrap(), "Git root shop, a worktree of main");
}

#[test]
fn what_could_not_be_read_is_never_shown_as_empty() {
    use crate::model::{Code, RootStatus, State};

    let tree = Tree::new();
    tree.skill("shop/.aleph", "deploy").skill("home/.aleph", "deploy");
    let mut report = tree.report(SKILLS);
    let candidate = &mut report.resolution.candidates[0];
    (candidate.state, candidate.code) = (State::Unreadable, Some(Code::Unreadable));
    candidate.detail_mut().message = Some("Permission denied (os error 13)".into());
    let loser = &mut report.resolution.candidates[1];
    (loser.state, loser.rule, loser.by) = (State::Active, None, None);
    report.resolution.spans[0].set_winner(Some(1));
    let root = report.resolution.roots.last_mut().unwrap();
    (root.status, root.reason) = (
        RootStatus::Unreadable,
        Some("Permission denied (os error 13)".into()),
    );
    report.resolution.complete = false;
    let shown = text(|writer| crate::report::table::scan(&report, Detail::Everything, &tree.look(), writer));
    assert_data_eq!(
        shown,
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Skills
deploy        home/.aleph/skills/deploy  global .aleph
  unreadable  shop/.aleph/skills/deploy  Permission denied (os error 13)

Roots, highest priority first
  41  unreadable  shop/api/.aleph   project .aleph: Permission denied (os error 13)
  40  scanned     shop/.aleph       project .aleph: 1 entry in skills
  21  missing     shop/api/.claude  project .claude
  20  missing     shop/.claude      project .claude
  10  scanned     home/.aleph       global .aleph: 1 entry in skills
   0  missing     home/.claude      global .claude

1 skill in effect; 1 unreadable
Incomplete: something could not be read, so there may be more than is listed

"#]]
    );
}
