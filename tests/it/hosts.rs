//! What other hosts do, through the program: where they disagree in the skeletons of real repositories, what Claude Code
//! leaves out of a list that is too long, which hooks Codex runs, and `verify`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::tree::Tree;
use crate::support::view::{fate, fate_at, list, story, text};
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
            .map(|(host, path)| (host.as_str(), below(path, name)))
            .collect();
        assert_eq!(winners, expected.iter().copied().collect(), "{name}: {skill}");
    }
}

/// With `--kind`, a directory is listed for those hosts alone that look for that kind in it.
#[test]
fn hosts_are_listed_for_the_kind_that_is_asked_about() {
    let tree =
        Tree::in_git("-- project/.claude/skills/s/SKILL.md --\nS\n-- project/.claude/commands/c.md --\nC");
    let readers = |kind: &str| {
        let run = tree
            .aleph(["hosts", "-q", "--relative", "--kind", kind])
            .run()
            .exits(0);
        let mut lines = run.stdout.lines().skip_while(|line| line.trim() != ".claude");
        lines.nth(1).map(|line| line.trim().to_owned())
    };
    assert_eq!(
        readers("skill").as_deref(),
        Some("aleph, claude-code, opencode, cursor")
    );
    assert_eq!(readers("command").as_deref(), Some("aleph, claude-code"));
    assert_eq!(readers("mcp-server"), None);
}

/// A path of an answer, as it is below the skeleton.
fn below<'a>(path: &'a Value, name: &str) -> &'a str {
    let path = path.as_str().expect("a path");
    let prefix = format!("[ROOT]/{name}/");
    path.strip_prefix(&*prefix).expect("a path in the project")
}

/// Skills as they were given to Claude Code 2.1.332: where each lies, and the length of its description.
type Skills = &'static [(&'static str, &'static str, usize)];

/// The skills whose description Claude Code would leave out of `characters`.
fn left_out(characters: &str, skills: Skills, used: &[(&str, u32, u64)]) -> Vec<String> {
    let mut tree = Tree::in_git("");
    for (place, name, length) in skills {
        let text = format!(
            "---\nname: {name}\ndescription: {}\n---\nText.\n",
            "x".repeat(*length)
        );
        tree.write(&format!("{place}/.claude/skills/{name}/SKILL.md"), text);
    }
    let day = 86_400_000;
    let record: serde_json::Map<String, Value> = used
        .iter()
        .map(|(name, count, days_ago)| {
            let last = 1_796_000_000_000 - days_ago * day;
            (
                (*name).to_owned(),
                json!({"usageCount": count, "lastUsedAt": last}),
            )
        })
        .collect();
    tree.write("home/.claude.json", json!({ "skillUsage": record }).to_string());
    let answer = tree
        .aleph(["scan", "skill", "command", "--host", "claude-code", "--json"])
        .env("SLASH_COMMAND_TOOL_CHAR_BUDGET", characters)
        .run()
        .exits(0)
        .json();
    list(&answer, "diagnostics")
        .iter()
        .filter(|one| one["code"] == "description-left-out")
        .map(|one| text(&one["subject"], "id").to_owned())
        .collect()
}

#[test]
fn descriptions_that_do_not_fit_are_told_of_as_the_host_leaves_them_out() {
    const MIXED: Skills = &[
        ("home", "m00", 40),
        ("project", "m01", 100),
        ("home", "m02", 300),
        ("project", "m03", 700),
        ("home", "m04", 1400),
        ("project", "m05", 500),
        ("home", "m06", 40),
        ("project", "m07", 100),
        ("home", "m08", 300),
        ("project", "m09", 700),
        ("home", "m10", 1400),
        ("project", "m11", 500),
    ];
    assert_eq!(left_out("10000", MIXED, &[]), ["m03", "m05", "m09", "m11"]);
    assert!(left_out("20000", MIXED, &[]).is_empty());
    assert!(left_out("", MIXED, &[]).is_empty(), "30000 are enough for these");
}

#[test]
fn what_was_used_lately_keeps_its_description() {
    const SIX: Skills = &[
        ("project", "a1", 200),
        ("project", "a2", 200),
        ("project", "a3", 200),
        ("project", "a4", 200),
        ("project", "a5", 200),
        ("project", "a6", 200),
    ];
    let kept = |used: &[(&str, u32, u64)]| -> Vec<&str> {
        let out = left_out("6680", SIX, used);
        let names = SIX.iter().map(|(_, name, _)| *name);
        names.filter(|name| !out.iter().any(|one| one == name)).collect()
    };
    assert_eq!(kept(&[]), ["a1", "a2"]);
    assert_eq!(kept(&[("a3", 1, 0), ("a4", 5, 0), ("a5", 3, 0)]), ["a4", "a5"]);
    assert_eq!(kept(&[("a3", 1, 0), ("a4", 5, 60), ("a5", 3, 30)]), ["a3", "a4"]);
    assert_eq!(
        kept(&[("a3", 2, 8), ("a4", 5, 20), ("a5", 3, 0), ("a6", 1, 0)]),
        ["a5", "a6"]
    );
}

#[test]
fn settings_and_front_matter_change_what_has_to_fit() {
    let skill = |name: &str, more: &str| {
        format!(
            "-- project/.claude/skills/{name}/SKILL.md --\n---\nname: {name}\ndescription: {}\n{more}---\nText.\n",
            "x".repeat(300)
        )
    };
    let asked = |settings: &str| {
        let hidden = skill("b-hidden", "disable-model-invocation: true\n");
        let longer = skill("d-longer", &format!("when_to_use: {}\n", "y".repeat(300)));
        let text = format!(
            "{}{hidden}{}{longer}-- home/.claude/settings.json --\n{settings}\n",
            skill("a-first", ""),
            skill("c-third", "")
        );
        let answer = Tree::in_git(&text)
            .aleph(["scan", "--host", "claude-code", "--json"])
            .env("SLASH_COMMAND_TOOL_CHAR_BUDGET", "6900")
            .run()
            .exits(0)
            .json();
        let told = list(&answer, "diagnostics")
            .iter()
            .filter(|one| one["code"] == "description-left-out");
        told.map(|one| text_of(&one["subject"])).collect::<Vec<_>>()
    };
    assert_eq!(asked("{}"), ["d-longer"]);
    // What the model is not told of, or only by its name, makes room.
    assert!(
        asked(r#"{"skillOverrides": {"a-first": "name-only", "c-third": "user-invocable-only"}}"#).is_empty()
    );
    // So do shorter descriptions, the host's own among them.
    assert!(asked(r#"{"skillListingMaxDescChars": 200}"#).is_empty());
}

fn text_of(subject: &Value) -> String {
    text(subject, "id").to_owned()
}

/// The digests are those that Codex 0.171.0 told of these hooks.
#[test]
fn a_hook_of_codex_runs_once_it_is_approved_as_it_is() {
    let hook = |command: &str| {
        format!(
            r#"{{"hooks": {{"SessionStart": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        )
    };
    let matched = concat!(
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo M1", "timeout": 5},"#,
        r#"{"type": "command", "command": "echo M2", "statusMessage": "x"}]}], "#,
        r#""Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo S"}]}], "#,
        r#""PreCompact": [{"hooks": [{"type": "prompt", "prompt": "P"}]}], "NoSuchEvent": []}}"#
    );
    let tree = format!(
        "-- home/.codex/hooks.json --\n{}\n-- project/.codex/hooks.json --\n{matched}\n\
         -- project/sub/.codex/hooks.json --\n{}\n-- home/.codex/config.toml --\n\
         [projects.\"[ROOT]/project\"]\ntrust_level = \"trusted\"\n\
         [hooks.state.\"[ROOT]/home/.codex/hooks.json:session_start:0:0\"]\n\
         trusted_hash = \"sha256:4fd8193713a2cde4e3ace3c80c4266b1b9d8decc68e83c84321accda34dbeb73\"\n\
         [hooks.state.\"[ROOT]/project/.codex/hooks.json:pre_tool_use:0:1\"]\n\
         trusted_hash = \"sha256:711d050f106fd8ce412b4896693352ce1c699553db64bd67f126cc518d2db8a4\"\n\
         [hooks.state.\"[ROOT]/project/.codex/hooks.json:stop:0:0\"]\n\
         trusted_hash = \"sha256:b3da4ae39006a28424142ddc888ee372416d98be5db2cdca5f8e6f034a1d3b4a\"\n\
         [hooks.state.\"[ROOT]/project/sub/.codex/hooks.json:session_start:0:0\"]\nenabled = false\n",
        hook("echo USER-JSON"),
        hook("echo SUB-JSON"),
    );
    let tree = Tree::in_git(&tree);
    let asked = || {
        let answer = tree
            .aleph(["scan", "hook", "--host", "codex", "--json"])
            .cwd(tree.path("project/sub"))
            .run()
            .json();
        let mut told: Vec<String> = list(&answer, "chains")
            .iter()
            .flat_map(|chain| list(chain, "candidates").iter().map(move |one| (chain, one)))
            .map(|(chain, one)| {
                format!(
                    "{} {} {}",
                    text(chain, "id"),
                    text(one, "state"),
                    one["code"].as_str().unwrap_or("-")
                )
            })
            .collect();
        told.sort();
        told
    };
    assert_eq!(
        asked(),
        [
            "PreCompact ignored wrong-kind",
            "PreToolUse active -",
            "SessionStart active -",
            "SessionStart disabled switched-off",
            "Stop untrusted not-approved",
        ]
    );
}

#[test]
fn verify_compares_in_both_directions() {
    let script = "#!/bin/sh\necho '[{\"name\": \"both\"}, {\"name\": \"own\"}, {\"name\": \"dotted\"}]'\n";
    let tree = format!(
        "-- bin/opencode mode=755 --\n{script}\
         -- project/.opencode/skills/both/SKILL.md --\n---\nname: both\n---\n\
         -- project/.opencode/skills/ours/SKILL.md --\n---\nname: ours\n---\n\
         -- project/.opencode/skills/dotted/SKILL.md --\n---\nname: dotted\ndescription: [a]\n---\n"
    );
    let tree = Tree::in_git(&tree);
    let answer = tree
        .aleph(["verify", "--host", "opencode", "--yes", "--json"])
        .env("PATH", format!("{}:/usr/bin:/bin", tree.path("bin").display()))
        .run()
        .exits(1)
        .json();
    let host_has = |id: &str| {
        let checked = list(&answer, "checked").iter().find(|one| one["id"] == id);
        checked.and_then(|one| one["host_has_it"].as_bool())
    };
    assert_eq!(host_has("both"), Some(true));
    assert_eq!(host_has("ours"), Some(false));
    let host_only: Vec<(&str, Option<&str>)> = list(&answer, "host_only")
        .iter()
        .map(|one| (text(one, "id"), one["state"].as_str()))
        .collect();
    assert_eq!(host_only, [("dotted", Some("invalid")), ("own", None)]);
    assert_eq!(answer["agrees"], false);
}

/// A memory file that loses to another stands in its chain, so that `by` names the winner; one that is not read
/// because of a file without text has lost to nothing.
#[test]
fn memory_that_loses_says_to_what() {
    let lost = |agents: &str, loser: &str| {
        let tree = Tree::in_git(&format!(
            "-- project/AGENTS.md --\n{agents}-- project/CLAUDE.md --\nfour\n-- project/sub/CLAUDE.md --\nfive\n"
        ));
        let run = tree.aleph(["scan", "memory", "--json", "--host", "opencode"]);
        let report = run.cwd(tree.path("project/sub")).run().exits(0).json();
        let chain = list(&report, "chains")
            .iter()
            .find(|chain| {
                list(chain, "candidates")
                    .iter()
                    .any(|one| text(one, "path").ends_with(loser))
            })
            .expect("a chain");
        let fates: Vec<String> = list(chain, "candidates").iter().map(fate).collect();
        (text(chain, "id").to_owned(), fates)
    };
    let (id, fates) = lost("three\n", "project/CLAUDE.md");
    assert_eq!(id, "[ROOT]/project/AGENTS.md");
    assert_eq!(
        fates,
        [
            "project/AGENTS.md active",
            "project/sub/CLAUDE.md shadowed only-one-name-of-walk by 0",
            "project/CLAUDE.md shadowed only-one-name-of-walk by 0",
        ]
    );
    let (_, fates) = lost("", "project/sub/CLAUDE.md");
    assert_eq!(
        fates,
        [
            "project/AGENTS.md ignored empty-file",
            "project/sub/CLAUDE.md ignored wrong-kind",
            "project/CLAUDE.md ignored wrong-kind",
        ]
    );
}

/// In the chain of configuration files `by` is the winner, as in every chain, also of a format that loses in a
/// directory further out.
#[test]
fn a_format_that_loses_further_out_names_the_winner() {
    let tree = Tree::in_git(
        "
-- project/aleph.json --
{}
-- project/aleph.jsonc --
{}
-- project/sub/aleph.json --
{}
",
    );
    let run = tree
        .aleph(["scan", "config", "--json"])
        .cwd(tree.path("project/sub"));
    assert_eq!(
        story(&run.run().exits(0).json(), "config", "aleph"),
        [
            "project/sub/aleph.json additive",
            "project/aleph.jsonc additive config-layers",
            "project/aleph.json shadowed config-format by 0",
        ]
    );
    // People are told which file of its directory counts.
    let table = tree.aleph(["why", "aleph"]).cwd(tree.path("project/sub")).run();
    table
        .exits(0)
        .shows("move what it sets into")
        .shows("project/aleph.jsonc, or delete");
}

/// What Claude Code reads, where it does not read it, is in the wrong place; what it reads nowhere is of the wrong kind. To
/// Aleph the same files are entries.
#[test]
fn the_right_file_in_a_wrong_place_is_told_from_a_wrong_file() {
    let tree = Tree::in_git(
        "
-- project/.claude/skills/SKILL.md --
---
name: alone
description: In no folder of its own.
---
-- project/.claude/skills/notes.txt --
-- project/.claude/commands/tidy/SKILL.md --
---
name: tidy
description: Tidies.
---
-- project/.claude/commands/tidy/more.md --
-- project/.claude/commands/tidy/list.txt --
",
    );
    let report = tree
        .aleph(["scan", "--host", "claude-code", "--json"])
        .run()
        .exits(0)
        .json();
    for (path, fate) in [
        ("project/.claude/skills/SKILL.md", "ignored wrong-place"),
        ("project/.claude/skills/notes.txt", "ignored wrong-kind"),
        ("project/.claude/commands/tidy/more.md", "ignored wrong-place"),
        ("project/.claude/commands/tidy/list.txt", "ignored wrong-kind"),
    ] {
        assert_eq!(fate_at(&report, path), fate, "{path}");
    }
    let why = tree
        .aleph(["why", ".claude/skills/SKILL.md", "--host", "claude-code"])
        .run()
        .exits(1);
    why.shows("a folder of its own").shows("wrong-place");
    assert_eq!(fate_at(&tree.scan(), "project/.claude/skills/SKILL.md"), "active");
}
