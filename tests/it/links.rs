//! Symbolic links among the entries and as markers (discovery.md 3).

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::view::{at, fate_at, story, text};

/// A symbolic link in place of a child is refused, whether it leads inside, outside, nowhere or round in a circle,
/// and its target is shown as written.
#[test]
fn a_linked_child_is_rejected_with_its_target() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/real/SKILL.md --
-- project/.aleph/skills/flat.md --
-- project/outside/SKILL.md --
-- project/.aleph/skills/to-inside -> real --
-- project/.aleph/skills/to-outside -> ../../outside --
-- project/.aleph/skills/to-nothing -> ../../gone --
-- project/.aleph/skills/to-itself -> to-itself --
-- project/.aleph/skills/to-parent -> .. --
-- project/.aleph/skills/to-flat.md -> flat.md --
-- project/.aleph/skills/to-outside.md -> [ROOT]/project/outside/SKILL.md --
-- project/.aleph/skills/to-nothing.md -> gone.md --
-- project/.aleph/commands/c -> ../skills/real --
-- project/.aleph/agents/a.md -> ../skills/flat.md --
",
    );
    let report = tree.scan();
    for (path, target) in [
        ("skills/to-inside", "real"),
        ("skills/to-outside", "../../outside"),
        ("skills/to-nothing", "../../gone"),
        ("skills/to-itself", "to-itself"),
        ("skills/to-parent", ".."),
        ("skills/to-flat.md", "flat.md"),
        ("skills/to-outside.md", "[ROOT]/project/outside/SKILL.md"),
        ("skills/to-nothing.md", "gone.md"),
        ("commands/c", "../skills/real"),
        ("agents/a.md", "../skills/flat.md"),
    ] {
        let path = format!("project/.aleph/{path}");
        assert_eq!(fate_at(&report, &path), "rejected symlink", "{path}");
        let candidate = at(&report, &path);
        assert_eq!(candidate["symlink_target"], target, "{path}");
        assert!(!text(candidate, "message").is_empty(), "{path}");
    }
    assert_eq!(
        story(&report, "skill", "to-flat"),
        ["project/.aleph/skills/to-flat.md rejected symlink"]
    );
    let real_path = |path: &str| &at(&report, &format!("project/.aleph/skills/{path}"))["real_path"];
    assert_eq!(real_path("to-outside"), "[ROOT]/project/outside");
    assert_eq!(real_path("to-flat.md"), "[ROOT]/project/.aleph/skills/flat.md");
    assert_eq!(real_path("to-nothing"), &Value::Null);
    assert_eq!(real_path("to-itself"), &Value::Null);
    assert_eq!(fate_at(&report, "project/.aleph/skills/real"), "active");
    assert_eq!(fate_at(&report, "project/.aleph/skills/flat.md"), "active");
    assert_eq!(report["complete"], true);
    // Where it leads is said in words: inside, outside, nowhere, or round in a cycle.
    for (path, words) in [
        ("skills/to-inside", "to an entry of the same directory"),
        ("skills/to-flat.md", "to an entry of the same directory"),
        ("skills/to-outside", "leads out of its directory"),
        ("skills/to-outside.md", "leads out of its directory"),
        ("commands/c", "leads out of its directory"),
        ("skills/to-nothing", "to something that is not there"),
        ("skills/to-nothing.md", "to something that is not there"),
        ("skills/to-itself", "a cycle"),
        ("skills/to-parent", "a cycle"),
    ] {
        let message = text(at(&report, &format!("project/.aleph/{path}")), "message");
        assert!(message.contains(words), "{path}: {message}");
    }
}

/// A linked marker counts if it really lies in the component directory; one that leads out is refused.
#[test]
fn a_linked_marker_must_stay_in_the_component_directory() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/own/real.md --
own
-- project/.aleph/skills/own/SKILL.md -> real.md --
-- project/.aleph/skills/other/body.md --
other
-- project/.aleph/skills/sibling/SKILL.md -> ../other/body.md --
-- project/.aleph/skills/absolute/SKILL.md -> [ROOT]/project/.aleph/skills/other/body.md --
-- project/.aleph/elsewhere.md --
outside of skills, inside of the root
-- project/.aleph/skills/near/SKILL.md -> ../../elsewhere.md --
-- outside.md --
outside of the project
-- project/.aleph/skills/far/SKILL.md -> ../../../../outside.md --
-- project/.aleph/skills-too/x.md --
a directory whose name only begins alike
-- project/.aleph/skills/alike/SKILL.md -> ../../skills-too/x.md --
-- project/.aleph/agents/helper/agent.md -> ../../elsewhere.md --
",
    );
    let report = tree.scan();
    for path in ["own", "sibling", "absolute"] {
        assert_eq!(
            fate_at(&report, &format!("project/.aleph/skills/{path}")),
            "active",
            "{path}"
        );
    }
    for path in ["skills/near", "skills/far", "skills/alike", "agents/helper"] {
        let path = format!("project/.aleph/{path}");
        assert_eq!(fate_at(&report, &path), "rejected escapes-root", "{path}");
        assert!(!text(at(&report, &path), "message").is_empty(), "{path}");
    }
    let own = at(&report, "project/.aleph/skills/own");
    assert_eq!(own["marker"], "[ROOT]/project/.aleph/skills/own/SKILL.md");
    assert_eq!(own["real_path"], "[ROOT]/project/.aleph/skills/own/real.md");
    let far = at(&report, "project/.aleph/skills/far");
    assert_eq!(far["symlink_target"], "../../../../outside.md");
}

/// A marker link is measured against the component directory's real path, so that linked `skills` work.
#[test]
fn a_linked_component_directory_is_measured_by_its_real_path() {
    let tree = Tree::in_git(
        "
-- dotfiles/skills/one/real.md --
-- dotfiles/skills/one/SKILL.md -> real.md --
-- dotfiles/skills/two/SKILL.md -> ../../../project/.aleph/two.md --
-- project/.aleph/two.md --
-- project/.aleph/skills -> ../../dotfiles/skills --
",
    );
    let report = tree.scan();
    assert_eq!(fate_at(&report, "project/.aleph/skills/one"), "active");
    assert_eq!(
        fate_at(&report, "project/.aleph/skills/two"),
        "rejected escapes-root"
    );
}

/// A marker link that leads nowhere, or round in a circle, is a refused link.
#[test]
fn a_broken_marker_link_is_rejected() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/gone/SKILL.md -> missing.md --
-- project/.aleph/skills/circle/SKILL.md -> SKILL.md --
-- project/.aleph/skills/pair/SKILL.md -> other.md --
-- project/.aleph/skills/pair/other.md -> SKILL.md --
-- project/.aleph/skills/fine.md --
",
    );
    let report = tree.scan();
    for path in ["gone", "circle", "pair"] {
        let path = format!("project/.aleph/skills/{path}");
        assert_eq!(fate_at(&report, &path), "rejected symlink", "{path}");
    }
    assert_eq!(
        at(&report, "project/.aleph/skills/gone")["symlink_target"],
        "missing.md"
    );
    assert_eq!(fate_at(&report, "project/.aleph/skills/fine.md"), "active");
}

/// A marker link inside the component directory must lead to a regular file.
#[test]
fn a_marker_link_to_no_regular_file_is_rejected() {
    let tree = Tree::in_git(
        "
-- project/.aleph/skills/dir/inner/ --
-- project/.aleph/skills/dir/SKILL.md -> inner --
-- project/.aleph/skills/pipe/inner fifo --
-- project/.aleph/skills/pipe/SKILL.md -> inner --
",
    );
    let report = tree.scan();
    for path in ["dir", "pipe"] {
        let path = format!("project/.aleph/skills/{path}");
        assert_eq!(fate_at(&report, &path), "rejected not-regular", "{path}");
    }
}
