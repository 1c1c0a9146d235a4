//! `hosts` over the skeletons of real repositories: the disagreements that `docs/hosts.md` is about are there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::tree::Tree;
use crate::support::{corpus, skipped};

/// A skeleton, and for a skill the file that each host uses; a host that is not named has no such skill.
type Seen = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const SEEN: [Seen; 5] = [
    (
        "pbakaus+impeccable",
        "impeccable",
        &[
            ("aleph", ".claude/skills/impeccable"),
            ("claude-code", ".claude/skills/impeccable"),
            ("codex", ".agents/skills/impeccable"),
            ("opencode", ".opencode/skills/impeccable"),
            ("cursor", ".cursor/skills/impeccable"),
        ],
    ),
    (
        "affaan-m+everything-claude-code",
        "article-writing",
        &[
            ("codex", ".agents/skills/article-writing"),
            ("opencode", ".agents/skills/article-writing"),
            ("cursor", ".cursor/skills/article-writing"),
        ],
    ),
    (
        "affaan-m+everything-claude-code",
        "everything-claude-code",
        &[
            ("claude-code", ".claude/skills/everything-claude-code"),
            ("codex", ".agents/skills/everything-claude-code"),
            ("opencode", ".agents/skills/everything-claude-code"),
            ("cursor", ".agents/skills/everything-claude-code"),
        ],
    ),
    (
        "Kastalien-Research+thoughtbox",
        "mcp-code-mode",
        &[
            ("aleph", ".claude/skills/code-mode"),
            ("codex", ".agents/skills/code-mode"),
            ("opencode", ".agents/skills/code-mode"),
        ],
    ),
    (
        "Kastalien-Research+thoughtbox",
        "code-mode",
        &[
            ("claude-code", ".claude/skills/code-mode"),
            ("cursor", ".agents/skills/code-mode"),
        ],
    ),
];

#[test]
fn hosts_disagree_over_the_skeletons_as_the_documents_say() {
    let Some(folder) = corpus::folder() else {
        return skipped(
            "hosts_disagree_over_the_skeletons_as_the_documents_say",
            "no ../shared/corpus",
        );
    };
    let tree = Tree::large();
    for (name, skill, expected) in SEEN {
        let project = tree.path(name);
        if !project.exists() {
            corpus::unpack(&folder, name, &project);
            fs::create_dir(project.join(".git")).expect("a git directory");
        }
        let answer = tree
            .aleph(["hosts", "--json"])
            .cwd(&project)
            .run()
            .exits(0)
            .json();
        let disagreements = answer["disagreements"].as_array().expect("a list");
        let found = disagreements
            .iter()
            .find(|one| one["kind"] == "skill" && one["id"] == skill)
            .unwrap_or_else(|| panic!("{name}: no disagreement on {skill}"));
        let winners: BTreeMap<&str, &str> = found["winners"]
            .as_object()
            .expect("an object")
            .iter()
            .map(|(host, path)| (host.as_str(), below(path, &project)))
            .collect();
        assert_eq!(winners, expected.iter().copied().collect(), "{name}: {skill}");
    }
}

fn below<'a>(path: &'a Value, project: &Path) -> &'a str {
    let path = Path::new(path.as_str().expect("a path"));
    let below = path.strip_prefix(project).expect("a path in the project");
    below.to_str().expect("a path in UTF-8")
}
