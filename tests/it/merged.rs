//! `find-config aleph --merged`: every value with the file, line and column that it comes from (discovery.md 6).

use serde_json::{Value, json};

use crate::support::tree::Tree;
use crate::support::view::{list, short, told};

/// Five layers in three formats: the user's TOML, then JSONC, JSON, TOML and JSONC from the outermost directory inward.
const FIVE: &str = r#"
-- home/.aleph/aleph.toml --
# the user's
model = "user"
small_model = "tiny"
instructions = ["style.md", "tests.md"]

[mcp.github]
command = ["gh-mcp"]
environment = { GITHUB_TOKEN = "s3cret-user" }

[mcp.files]
command = ["files"]

[compaction]
auto = true
-- aleph.jsonc --
{
  // outside the repository: not on the walk
  "model": "outside",
}
-- project/aleph.jsonc --
{
  // the project's
  "model": "project", /* a value */ "theme": null,
  "instructions": ["tests.md", "project.md",],
  "permission": { "bash": "ask", "edit": "allow" },
}
-- project/a/aleph.json --
{"compaction": {"prune": false},
 "mcp": {"github": {"url": "https://user:pass@mcp.example/?token=abc"}}}
-- project/a/b/aleph.toml --
permission.bash = "deny"
provider = { openai = { apiKey = "sk-1" } }
"dotted.name" = [1, 2]
-- project/a/b/c/aleph.jsonc --
{ "model": "near", "instructions": ["near.md"], "unknown": {"kept": [true, null]} }
-- project/a/b/c/aleph.json --
{"model": "shadowed by the JSONC beside it"}
"#;

fn merged(tree: &Tree) -> Value {
    let run = tree
        .aleph(["find-config", "aleph", "--merged", "--json"])
        .cwd(tree.path("project/a/b/c"));
    run.run().exits(0).json()
}

/// `PATH:LINE:COLUMN`, or the source where there is no file.
fn place(origin: &Value) -> String {
    let path = origin["path"].as_str().map_or("ALEPH_CONFIG_CONTENT", short);
    format!("{path}:{}:{}", origin["line"], origin["column"])
}

/// Each key as `KEY = VALUE @ PLACE`, and under it what it overrode and where it stands again.
fn values(report: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for value in list(&report["merged"], "values") {
        let key: Vec<&str> = list(value, "key").iter().filter_map(Value::as_str).collect();
        lines.push(format!(
            "{} = {} @ {}",
            key.join("/"),
            value["value"],
            place(&value["origin"])
        ));
        for overridden in list(value, "overridden") {
            lines.push(format!(
                "  over {} @ {}",
                overridden["value"],
                place(&overridden["origin"])
            ));
        }
        for repeated in list(value, "repeated") {
            lines.push(format!("  again @ {}", place(repeated)));
        }
    }
    lines
}

#[test]
fn five_layers_in_three_formats_give_every_key_its_place_and_all_it_overrode() {
    let tree = Tree::in_git(FIVE);
    let report = merged(&tree);
    assert_eq!(
        values(&report),
        [
            r#"compaction = {"prune":false} @ project/a/aleph.json:1:2"#,
            r#"  over {"auto":true} @ home/.aleph/aleph.toml:13:2"#,
            r#"dotted.name = [1,2] @ project/a/b/aleph.toml:3:1"#,
            r#"instructions/0 = "style.md" @ home/.aleph/aleph.toml:4:17"#,
            r#"instructions/1 = "tests.md" @ home/.aleph/aleph.toml:4:29"#,
            r"  again @ project/aleph.jsonc:4:20",
            r#"instructions/2 = "project.md" @ project/aleph.jsonc:4:32"#,
            r#"instructions/3 = "near.md" @ project/a/b/c/aleph.jsonc:1:37"#,
            r#"mcp/files = {"command":["files"]} @ home/.aleph/aleph.toml:10:6"#,
            r#"mcp/github = {"url":"https://***@mcp.example/?token=***"} @ project/a/aleph.json:2:10"#,
            r#"  over {"command":["gh-mcp"],"environment":{"GITHUB_TOKEN":"***"}} @ home/.aleph/aleph.toml:6:6"#,
            r#"model = "near" @ project/a/b/c/aleph.jsonc:1:3"#,
            r#"  over "user" @ home/.aleph/aleph.toml:2:1"#,
            r#"  over "project" @ project/aleph.jsonc:3:3"#,
            r#"permission/bash = "deny" @ project/a/b/aleph.toml:1:12"#,
            r#"  over "ask" @ project/aleph.jsonc:5:19"#,
            r#"permission/edit = "allow" @ project/aleph.jsonc:5:34"#,
            r#"provider/openai = {"apiKey":"***"} @ project/a/b/aleph.toml:2:14"#,
            r#"small_model = "tiny" @ home/.aleph/aleph.toml:3:1"#,
            r#"unknown = {"kept":[true,null]} @ project/a/b/c/aleph.jsonc:1:49"#,
        ]
    );
    assert_eq!(
        report["merged"]["config"],
        json!({
            "compaction": {"prune": false},
            "dotted.name": [1, 2],
            "instructions": ["style.md", "tests.md", "project.md", "near.md"],
            "mcp": {
                "files": {"command": ["files"]},
                "github": {"url": "https://***@mcp.example/?token=***"}
            },
            "model": "near",
            "permission": {"bash": "deny", "edit": "allow"},
            "provider": {"openai": {"apiKey": "***"}},
            "small_model": "tiny",
            "unknown": {"kept": [true, null]}
        })
    );
    assert_eq!(
        told(&report, "null-ignored").len(),
        1,
        "null neither sets nor overrides, and is told"
    );
}

/// The variable is the last layer; it is plain JSON.
#[test]
fn the_environment_has_the_last_word() {
    let tree = Tree::in_git(FIVE);
    let run = |content: &str| {
        let run = tree.aleph(["find-config", "aleph", "--merged", "--json"]);
        run.cwd(tree.path("project/a"))
            .env("ALEPH_CONFIG_CONTENT", content)
            .run()
            .exits(0)
            .json()
    };
    let report = run(r#"{"model": "env", "mcp": {"files": null}}"#);
    let lines = values(&report);
    let at = lines.iter().position(|line| line.starts_with("model")).unwrap();
    assert_eq!(lines[at], r#"model = "env" @ ALEPH_CONFIG_CONTENT:1:2"#);
    assert_eq!(lines[at + 2], r#"  over "project" @ project/aleph.jsonc:3:3"#);
    let origin = list(&report["merged"], "values")
        .iter()
        .find(|value| value["key"] == json!(["model"]))
        .unwrap();
    assert_eq!(origin["origin"]["source"], "Env");
    let report = run("{\"model\": // no comments here\n1}");
    assert_eq!(told(&report, "bad-config").len(), 1);
    assert!(
        values(&report)
            .iter()
            .any(|line| line.starts_with(r#"model = "project""#)),
        "the rest still merges"
    );
}

/// A layer that does not parse is told with its place and left out; the next format of its directory counts.
#[test]
fn a_broken_layer_is_told_and_the_rest_merges() {
    let mut tree = Tree::in_git(FIVE);
    tree.add("-- project/a/b/c/aleph.toml --\nmodel = [\n");
    let report = merged(&tree);
    let files: Vec<String> = list(&report, "files")
        .iter()
        .map(|file| {
            let path = short(file["path"].as_str().unwrap());
            format!(
                "{path} {} {} {}:{}",
                file["state"], file["code"], file["line"], file["column"]
            )
        })
        .collect();
    assert_eq!(
        files.last_chunk::<3>().unwrap(),
        &[
            r#"project/a/b/c/aleph.json "shadowed" null null:null"#.to_owned(),
            r#"project/a/b/c/aleph.jsonc "active" null null:null"#.to_owned(),
            r#"project/a/b/c/aleph.toml "invalid" "bad-config" 1:10"#.to_owned(),
        ]
    );
    assert!(values(&report).contains(&r#"model = "near" @ project/a/b/c/aleph.jsonc:1:3"#.to_owned()));
}

/// Secrets are masked in every form of the answer unless asked for.
#[test]
fn secrets_are_masked_everywhere() {
    let tree = Tree::in_git(FIVE);
    for form in [
        &["--json"][..],
        &["--format", "jsonl"],
        &["--annotated"],
        &["--format", "table"],
    ] {
        let args: Vec<&str> = [&["find-config", "aleph", "--merged"][..], form].concat();
        let run = tree.aleph(args).cwd(tree.path("project/a/b/c"));
        let run = run.run().exits(0);
        for secret in ["s3cret-user", "user:pass", "sk-1", "token=abc"] {
            assert!(
                !run.stdout.contains(secret) && !run.stderr.contains(secret),
                "{secret} in {form:?}"
            );
        }
    }
    let args = ["find-config", "aleph", "--merged", "--show-secrets", "--json"];
    let shown = tree.aleph(args).cwd(tree.path("project/a/b/c")).run().exits(0);
    for secret in ["s3cret-user", "user:pass", "sk-1", "token=abc"] {
        assert!(shown.stdout.contains(secret), "{secret}");
    }
}

/// The annotated document is JSONC that says the same as the JSON answer.
#[test]
fn the_annotated_document_is_the_merged_configuration() {
    let tree = Tree::in_git(FIVE);
    let run = tree
        .aleph(["find-config", "aleph", "--merged", "--annotated"])
        .cwd(tree.path("project/a/b/c"));
    let run = run.run().exits(0);
    let document = aleph_discover::parse::document::parse(
        run.stdout.as_bytes(),
        aleph_discover::parse::document::Format::Jsonc,
    );
    assert_eq!(
        document.unwrap().root.value.to_json(),
        merged(&tree)["merged"]["config"]
    );
    run.shows("  // [ROOT]/project/a/b/c/aleph.jsonc:1:3\n")
        .shows("  // overrides \"user\" from [ROOT]/home/.aleph/aleph.toml:2:1\n")
        .shows("    // also in [ROOT]/project/aleph.jsonc:4:20\n");
}

/// Only the host's own configuration can be merged.
#[test]
fn other_names_cannot_be_merged() {
    let tree = Tree::in_git("-- project/.mcp.json --\n{}\n");
    for name in [".mcp.json", "aleph.yaml", "CLAUDE.md"] {
        tree.aleph(["find-config", name, "--merged"])
            .run()
            .exits(2)
            .says("cannot be merged");
    }
    tree.aleph(["find-config", "aleph.toml", "--merged", "--json"])
        .run()
        .exits(1)
        .json();
}

/// What stands where a file should be is told and never waited for.
#[test]
fn directories_and_fifos_of_that_name_do_not_count() {
    let tree = Tree::in_git(
        "
-- project/aleph.toml/ --
-- project/sub/aleph.toml fifo --
-- project/sub/aleph.json --
{\"model\": \"x\"}
",
    );
    let run = tree
        .aleph(["find-config", "aleph", "--merged", "--json"])
        .cwd(tree.path("project/sub"));
    let report = run.run().exits(0).json();
    assert_eq!(values(&report), [r#"model = "x" @ project/sub/aleph.json:1:2"#]);
    assert_eq!(told(&report, "not-regular").len(), 2);
}
