//! States and chains (discovery.md 5): who wins, who loses, by which rule, and what was passed over.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::tree::Tree;
use crate::support::view::{candidates, chain, chains, diagnostics, fate, list, story, told};

/// The example: six roots hold `deploy`; the order, each rule, and who beat it.
#[test]
fn six_roots_with_one_skill_stand_in_the_documented_order() {
    let tree = Tree::new(
        "
-- outer/.git/ --
-- home/.claude/skills/deploy/SKILL.md --
home claude
-- home/.aleph/skills/deploy/SKILL.md --
home aleph
-- outer/.claude/skills/deploy/SKILL.md --
outer claude
-- outer/.aleph/skills/deploy/SKILL.md --
outer aleph
-- outer/inner/.claude/skills/deploy/SKILL.md --
inner claude
-- outer/inner/.aleph/skills/deploy/SKILL.md --
inner aleph
",
    );
    let run = tree
        .aleph(["why", "deploy", "--json"])
        .cwd(tree.path("outer/inner"));
    let why = run.run().exits(0).json();
    assert_eq!(why["schema"], "aleph-discover/why@1");
    assert_eq!(chains(&why), ["skill deploy"]);
    assert_eq!(
        story(&why, "skill", "deploy"),
        [
            "outer/inner/.aleph/skills/deploy active",
            "outer/.aleph/skills/deploy shadowed nearest-directory by 0",
            "outer/inner/.claude/skills/deploy shadowed native-over-claude by 0",
            "outer/.claude/skills/deploy shadowed native-over-claude by 0",
            "home/.aleph/skills/deploy shadowed project-over-global by 0",
            "home/.claude/skills/deploy shadowed native-over-claude by 0",
        ]
    );
    let deploy = chain(&why, "skill", "deploy");
    assert_eq!(deploy["state"], "active");
    assert_eq!(deploy["winner"], 0);
    let priorities: Vec<&Value> = list(deploy, "candidates")
        .iter()
        .map(|one| &one["priority"])
        .collect();
    assert_eq!(priorities, [41, 40, 21, 20, 10, 0]);
    let scan = tree.scan_in("outer/inner");
    assert_eq!(chain(&scan, "skill", "deploy"), deploy);
    assert_eq!(scan["summary"]["chains"], 1);
    assert_eq!(scan["summary"]["active"], 1);
    assert_eq!(scan["summary"]["shadowed"], 5);
    assert_eq!(scan["summary"]["by_kind"]["skill"], 1);
    assert_eq!(scan["summary"]["by_kind"]["command"], 0);
}

/// For every pair of roots: who wins, and by the first rule that is true of the pair.
#[test]
fn every_pair_of_roots_has_its_rule() {
    let roots = [
        "home/.claude",
        "home/.aleph",
        "project/.claude",
        "project/sub/.claude",
        "project/.aleph",
        "project/sub/.aleph",
    ];
    // Loser, winner: a higher place in the list wins.
    let rules: BTreeMap<(usize, usize), &str> = BTreeMap::from([
        ((0, 1), "native-over-claude"),
        ((0, 2), "project-over-global"),
        ((0, 3), "project-over-global"),
        ((0, 4), "native-over-claude"),
        ((0, 5), "native-over-claude"),
        ((1, 2), "claude-project-over-aleph-global"),
        ((1, 3), "claude-project-over-aleph-global"),
        ((1, 4), "project-over-global"),
        ((1, 5), "project-over-global"),
        ((2, 3), "nearest-directory"),
        ((2, 4), "native-over-claude"),
        ((2, 5), "native-over-claude"),
        ((3, 4), "native-over-claude"),
        ((3, 5), "native-over-claude"),
        ((4, 5), "nearest-directory"),
    ]);
    assert_eq!(rules.len(), 15);
    for ((loser, winner), rule) in rules {
        let (loser, winner) = (roots[loser], roots[winner]);
        for (dir, file) in [
            ("skills", "x/SKILL.md"),
            ("commands", "x.md"),
            ("agents", "x/agent.md"),
        ] {
            let mut tree = Tree::in_git("-- project/sub/ --");
            tree.write(&format!("{loser}/{dir}/{file}"), "loser");
            tree.write(&format!("{winner}/{dir}/{file}"), "the winner");
            let entry = file.split('/').next().expect("a first part");
            assert_eq!(
                story(&tree.scan_in("project/sub"), dir.trim_end_matches('s'), "x"),
                [
                    format!("{winner}/{dir}/{entry} active"),
                    format!("{loser}/{dir}/{entry} shadowed {rule} by 0"),
                ]
            );
        }
    }
}

/// Two entries of one root that have one id: the smaller path in byte order wins, and that it is a tie is said.
#[test]
fn a_tie_goes_to_the_smaller_path() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/zebra/SKILL.md --
---
name: deploy
---
zebra
-- project/.aleph/skills/Apple/SKILL.md --
---
name: deploy
---
upper case comes first in byte order
-- project/.aleph/skills/apple/SKILL.md --
---
name: deploy
---
apple
-- home/.aleph/skills/deploy.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "deploy"),
        [
            "project/.aleph/skills/Apple active",
            "project/.aleph/skills/apple shadowed tie-path-order by 0",
            "project/.aleph/skills/zebra shadowed tie-path-order by 0",
            "home/.aleph/skills/deploy.md shadowed project-over-global by 0",
        ]
    );
    let ambiguous = diagnostics(&report, "ambiguous");
    assert!(!ambiguous.is_empty());
    for found in ambiguous {
        assert_eq!(found["subject"], json!({ "kind": "skill", "id": "deploy" }));
    }
}

/// Two that declare one name are ambiguous, also where they are one file: only the order of their paths says which of
/// the two is used, and to keep both is hardly meant.
#[test]
fn a_tie_of_one_file_is_ambiguous_too() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a.md --
---
name: x
---
-- project/.aleph/skills/b.md => project/.aleph/skills/a.md --
-- home/.aleph/skills/x.md => project/.aleph/skills/a.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "x"),
        [
            "project/.aleph/skills/a.md active",
            "project/.aleph/skills/b.md alias tie-path-order by 0",
            "home/.aleph/skills/x.md alias project-over-global by 0",
        ]
    );
    let ambiguous = diagnostics(&report, "ambiguous");
    assert_eq!(ambiguous.len(), 1, "{ambiguous:#?}");
    assert_eq!(ambiguous[0]["path"], "[ROOT]/project/.aleph/skills/b.md");
    assert_eq!(ambiguous[0]["subject"], json!({ "kind": "skill", "id": "x" }));
}

/// A tie that decides nothing, among losers, has the rule of each loser and the winner.
#[test]
fn the_rule_is_that_of_loser_and_winner() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/deploy.md --
-- home/.claude/skills/deploy/SKILL.md --
one
-- home/.claude/skills/deploy.md --
two
",
    );
    assert_eq!(
        story(&tree.scan(), "skill", "deploy"),
        [
            "project/.aleph/skills/deploy.md active",
            "home/.claude/skills/deploy shadowed native-over-claude by 0",
            "home/.claude/skills/deploy.md shadowed native-over-claude by 0",
        ]
    );
}

/// What is out of the running keeps its place and shadows nothing; the next one wins, and losers name it.
#[test]
fn what_is_out_of_the_running_never_shadows() {
    let tree = Tree::in_git(
        "
-- project/sub/.aleph/skills/deploy/SKILL.md --
---
name: deploy
description: Bad: value
---
-- project/.aleph/skills/deploy -> gone --
-- project/sub/.claude/skills/deploy.md --
---
name: deploy
---
-- project/.claude/skills/deploy/SKILL.md/ --
-- home/.aleph/skills/deploy/notes.txt --
-- home/.claude/skills/deploy.md --
loser
",
    );
    let report = tree.scan_in("project/sub");
    assert_eq!(
        story(&report, "skill", "deploy"),
        [
            "project/sub/.aleph/skills/deploy invalid bad-front-matter",
            "project/.aleph/skills/deploy rejected symlink",
            "project/sub/.claude/skills/deploy.md active",
            "project/.claude/skills/deploy rejected not-regular",
            "home/.aleph/skills/deploy ignored no-marker",
            "home/.claude/skills/deploy.md shadowed project-over-global by 2",
        ]
    );
    let deploy = chain(&report, "skill", "deploy");
    assert_eq!(deploy["winner"], 2);
    assert_eq!(deploy["state"], "active");
    for candidate in list(deploy, "candidates") {
        let out = candidate["code"] != Value::Null;
        assert_eq!(out, candidate["message"] != Value::Null, "{candidate:#}");
        assert!(!out || candidate["by"] == Value::Null, "{candidate:#}");
        assert!(!out || candidate["rule"] == Value::Null, "{candidate:#}");
    }
}

/// Where nothing is valid, nothing wins.
#[test]
fn a_chain_without_a_valid_candidate_has_no_winner() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/deploy/SKILL.md --
---
name: deploy
name: again
---
-- home/.aleph/skills/deploy -> gone --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "deploy"),
        [
            "project/.aleph/skills/deploy invalid bad-front-matter",
            "home/.aleph/skills/deploy rejected symlink",
        ]
    );
    let deploy = chain(&report, "skill", "deploy");
    assert_eq!(deploy["winner"], Value::Null);
    assert_eq!(deploy["state"], "none");
    assert_eq!(report["summary"]["active"], 0);
    tree.aleph(["why", "deploy"]).run().exits(1);
}

/// Skills, commands and agents of one name do not compete.
#[test]
fn kinds_do_not_compete() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/deploy.md --
-- home/.aleph/commands/deploy.md --
-- home/.claude/agents/deploy.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        chains(&report),
        ["skill deploy", "command deploy", "agent deploy"]
    );
    assert!(candidates(&report).all(|one| one["state"] == "active"));
    assert_eq!(told(&report, "similar-ids"), [""; 0]);
}

/// The id decides, not the path: a declared name joins the chain of its name.
#[test]
fn a_declared_name_joins_its_chain() {
    let tree = Tree::in_git(
        "
-- project/.claude/skills/other-folder/SKILL.md --
---
name: deploy
---
-- home/.aleph/skills/deploy/SKILL.md --
---
name: something-else
---
-- home/.claude/skills/deploy/SKILL.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "deploy"),
        [
            "project/.claude/skills/other-folder active",
            "home/.claude/skills/deploy shadowed project-over-global by 0",
        ]
    );
    assert_eq!(
        story(&report, "skill", "something-else"),
        ["home/.aleph/skills/deploy active"]
    );
}

/// Chains are in the order of kinds and then ids in byte order, candidates by priority and then path.
#[test]
fn everything_is_sorted() {
    let tree = Tree::in_git(
        "
-- project/.aleph/agents/b.md --
-- project/.aleph/agents/a.md --
-- project/.aleph/commands/z.md --
-- project/.aleph/skills/b.md --
-- project/.aleph/skills/B.md --
-- home/.claude/skills/a.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        chains(&report),
        ["skill B", "skill a", "skill b", "command z", "agent a", "agent b"]
    );
    let paths: Vec<String> = candidates(&report).map(fate).collect();
    assert_eq!(paths.len(), 6);
}

/// The summary counts candidates by state, and chains in effect by kind.
#[test]
fn the_summary_adds_up() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a.md --
winner
-- home/.aleph/skills/a.md --
loser
-- home/.claude/skills/a.md --
winner
-- project/.aleph/skills/.hidden --
-- project/.aleph/skills/notes.txt --
-- project/.aleph/skills/link -> gone --
-- project/.aleph/commands/c.md --
---
name: [
---
-- project/.aleph/agents/d.md --
",
    );
    let summary = &tree.scan()["summary"];
    assert_eq!(summary["active"], 2);
    assert_eq!(summary["shadowed"], 1);
    assert_eq!(summary["identical"], 1);
    assert_eq!(summary["alias"], 0);
    assert_eq!(summary["ignored"], 2);
    assert_eq!(summary["rejected"], 1);
    assert_eq!(summary["invalid"], 1);
    assert_eq!(summary["unreadable"], 0);
    assert_eq!(summary["chains"], 6);
    // Of each kind those in which something is in effect.
    let by_kind = ["skill", "command", "agent", "plugin"].map(|kind| summary["by_kind"][kind].as_u64());
    assert_eq!(by_kind, [Some(1), Some(0), Some(1), Some(0)]);
}
