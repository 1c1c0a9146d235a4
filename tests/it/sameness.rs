//! Losers that are the same as the winner or as one another (discovery.md 5).

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::tree::Tree;
use crate::support::view::{at, chain, diagnostics, fate_at, list, story};

/// A loser with the winner's bytes is harmless, and both hashes are there to see it; sizes are compared first, so
/// a loser of another size has no hash.
#[test]
fn identical_bytes_are_harmless_and_hashed_only_where_compared() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/same.md --
one text
-- home/.aleph/skills/same.md --
one text
-- project/.aleph/skills/mixed/SKILL.md --
12345
-- project/.claude/skills/mixed/SKILL.md --
54321
-- home/.aleph/skills/mixed/SKILL.md --
longer than the winner
-- home/.claude/skills/mixed.md --
12345
-- project/.aleph/skills/sizes.md --
1
-- home/.aleph/skills/sizes.md --
22
-- project/.aleph/skills/shorter.md --
22
-- home/.aleph/skills/shorter.md --
1
-- project/.aleph/skills/alone.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "same"),
        [
            "project/.aleph/skills/same.md active",
            "home/.aleph/skills/same.md identical project-over-global by 0",
        ]
    );
    let hash = |text: &[u8]| {
        let digest = Sha256::digest(text);
        json!(
            digest
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        )
    };
    let hashes = |id: &str| {
        let candidates = list(chain(&report, "skill", id), "candidates");
        candidates
            .iter()
            .map(|one| one["sha256"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(hashes("same"), [hash(b"one text\n"), hash(b"one text\n")]);
    assert_eq!(
        story(&report, "skill", "mixed"),
        [
            "project/.aleph/skills/mixed active",
            "project/.claude/skills/mixed shadowed native-over-claude by 0",
            "home/.aleph/skills/mixed shadowed project-over-global by 0",
            "home/.claude/skills/mixed.md identical native-over-claude by 0",
        ]
    );
    assert_eq!(
        hashes("mixed"),
        [hash(b"12345\n"), hash(b"54321\n"), Value::Null, hash(b"12345\n")]
    );
    assert_eq!(hashes("sizes"), [Value::Null, Value::Null]);
    assert_eq!(hashes("shorter"), [Value::Null, Value::Null]);
    assert_eq!(hashes("alone"), [Value::Null]);
    assert_eq!(report["summary"]["identical"], 2);
}

/// Identity is that of the bytes, not of the front matter: only the marker counts, whatever lies beside it.
#[test]
fn only_markers_are_compared() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/a/SKILL.md --
---
name: a
---
body one
-- home/.aleph/skills/a/SKILL.md --
---
name: a
---
body two
-- project/.aleph/skills/b/SKILL.md --
same
-- project/.aleph/skills/b/script.sh --
one script
-- home/.aleph/skills/b/SKILL.md --
same
-- home/.aleph/skills/b/script.sh --
another script
",
    );
    let report = tree.scan();
    assert_eq!(
        fate_at(&report, "home/.aleph/skills/a"),
        "shadowed project-over-global by 0"
    );
    assert_eq!(
        fate_at(&report, "home/.aleph/skills/b"),
        "identical project-over-global by 0"
    );
}

/// One real file reached by two linked component directories is an alias, not a copy, with the index of its twin.
#[test]
fn one_file_by_two_paths_is_an_alias() {
    let tree = Tree::in_git(
        "
-- dotfiles/skills/shared/SKILL.md --
-- home/.aleph/skills -> ../../dotfiles/skills --
-- home/.claude/skills -> ../../dotfiles/skills --
-- project/.aleph/skills -> ../../dotfiles/skills --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "shared"),
        [
            "project/.aleph/skills/shared active",
            "home/.aleph/skills/shared alias project-over-global by 0",
            "home/.claude/skills/shared alias native-over-claude by 0",
        ]
    );
    for candidate in &list(chain(&report, "skill", "shared"), "candidates")[1..] {
        assert_eq!(candidate["alias_of"], 0);
        assert_eq!(candidate["sha256"], Value::Null, "nothing needed comparing");
        assert_eq!(candidate["real_path"], "[ROOT]/dotfiles/skills/shared/SKILL.md");
    }
    assert_eq!(report["summary"]["alias"], 2);
}

/// Hard links are one file too; an alias may be of a loser, while `by` is always the winner.
#[test]
fn hard_links_are_aliases_also_of_losers() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/deploy.md --
the winner
-- project/.claude/skills/deploy.md --
another text
-- home/.aleph/skills/deploy.md => project/.claude/skills/deploy.md --
-- home/.claude/skills/deploy/SKILL.md --
-- home/.claude/skills/deploy.md => project/.aleph/skills/deploy.md --
",
    );
    let report = tree.scan();
    assert_eq!(
        story(&report, "skill", "deploy"),
        [
            "project/.aleph/skills/deploy.md active",
            "project/.claude/skills/deploy.md shadowed native-over-claude by 0",
            "home/.aleph/skills/deploy.md alias project-over-global by 0",
            "home/.claude/skills/deploy shadowed native-over-claude by 0",
            "home/.claude/skills/deploy.md alias native-over-claude by 0",
        ]
    );
    let aliases: Vec<&Value> = list(chain(&report, "skill", "deploy"), "candidates")
        .iter()
        .map(|one| &one["alias_of"])
        .collect();
    assert_eq!(
        aliases,
        [&Value::Null, &Value::Null, &json!(1), &Value::Null, &json!(0)]
    );
}

/// Two ids that lead to one file both stand, with a diagnostic.
#[test]
fn two_ids_of_one_file_both_stand() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/one.md --
-- project/.aleph/skills/two.md => project/.aleph/skills/one.md --
-- project/.aleph/skills/own/SKILL.md --
-- project/.aleph/skills/linked/SKILL.md -> ../own/SKILL.md --
-- project/.aleph/skills/alone.md --
",
    );
    let report = tree.scan();
    for path in ["one.md", "two.md", "own", "linked", "alone.md"] {
        let path = format!("project/.aleph/skills/{path}");
        assert_eq!(fate_at(&report, &path), "active", "{path}");
        assert_eq!(at(&report, &path)["alias_of"], Value::Null, "{path}");
    }
    assert_eq!(diagnostics(&report, "same-file").len(), 2);
}
