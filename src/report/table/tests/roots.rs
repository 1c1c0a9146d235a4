use snapbox::{assert_data_eq, str};

use super::*;
use crate::report::table::roots_diagnostics;

#[test]
fn highest_first_with_what_is_in_each() {
    let tree = clashes();
    fs::remove_dir_all(tree.top().join("shop/api/.aleph")).unwrap();
    tree.file("shop/api/.aleph", "not a directory");
    fs::remove_dir_all(tree.top().join("shop/.claude/commands")).unwrap();
    tree.file("shop/.claude/commands", "not a directory");
    assert_data_eq!(
        tree.roots(&tree.look()),
        str![[r#"
Roots in shop/api, as aleph loads it; highest priority first
Git root shop

  41  skipped  shop/api/.aleph   project .aleph: it is not a directory (not-a-directory)
  40  scanned  shop/.aleph       project .aleph: 4 entries in skills
  21  scanned  shop/api/.claude  project .claude: 1 entry in skills, 1 entry in commands
  20  scanned  shop/.claude      project .claude: 6 entries in skills, commands skipped: it is not a directory (not-a-directory)
  10  scanned  home/.aleph       global .aleph: 2 entries in skills
   0  scanned  home/.claude      global .claude: 2 entries in skills, 1 entry in agents

The walk upward, nearest first
  shop/api
  shop (stops here: the git root)

"#]]
    );
    assert_data_eq!(
        tree.roots(&tree.wide(80)),
        str![[r#"
Roots in shop/api, as aleph loads it; highest priority first
Git root shop

  41  skipped  shop/api/.aleph   project .aleph: it is not a directory
                                 (not-a-directory)
  40  scanned  shop/.aleph       project .aleph: 4 entries in skills
  21  scanned  shop/api/.claude  project .claude: 1 entry in skills, 1 entry in
                                 commands
  20  scanned  shop/.claude      project .claude: 6 entries in skills, commands
                                 skipped: it is not a directory
                                 (not-a-directory)
  10  scanned  home/.aleph       global .aleph: 2 entries in skills
   0  scanned  home/.claude      global .claude: 2 entries in skills, 1 entry in
                                 agents

The walk upward, nearest first
  shop/api
  shop (stops here: the git root)

"#]]
    );
}

#[test]
fn findings_about_entries_are_left_to_scan() {
    let tree = clashes();
    let scanned = crate::plugin::scan(&tree.manager(), SKILLS);
    assert!(!scanned.resolution.diagnostics.is_empty());
    // What is only counted is not found fault with.
    let report = RootsReport::new(&tree.manager(), SKILLS);
    assert!(report.resolution.diagnostics.is_empty());
    assert!(roots_diagnostics(&report).is_empty());
}

#[test]
fn without_a_walk_the_answer_says_so() {
    let tree = Tree::new();
    let config = DiscoveryConfig::default()
        .with_working_dir(tree.top().join("shop"))
        .without_project_dirs();
    let manager = DiscoveryManager::new(config, Environment::with_home(tree.top().join("home"))).unwrap();
    let report = RootsReport::new(&manager, SKILLS);
    let shown = text(|writer| crate::report::table::roots(&report, &tree.look(), writer));
    assert_data_eq!(
        shown,
        str![[r#"
Roots in shop, as aleph loads it; highest priority first

  10  missing  home/.aleph   global .aleph
   0  missing  home/.claude  global .claude

No directory of the project was looked at: --no-project or --max-depth 0 switches the walk off.

"#]]
    );
}
