//! Installing from repositories and marketplaces, and registering marketplaces (plugins.md 3 and 4). Repositories are
//! local and bare; nothing reaches the network.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::run::Aleph;
use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;
use crate::support::view::{list, text};

/// Runs git in a directory for the test itself.
fn git(dir: &Path, arguments: &[&str]) -> String {
    let run = Command::new("git")
        .current_dir(dir)
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        // Whoever runs the tests may be a git itself, which says by its variables what to work on.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").expect("there is a path"))
        .env("HOME", dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("these tests need git");
    assert!(
        run.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap().trim().to_owned()
}

/// Commits what is in `project/work` and gives the commit; `project/repo.git` is what is cloned.
pub(crate) fn commit(tree: &Tree) -> String {
    let work = tree.path("project/work");
    if !work.join(".git").exists() {
        git(&work, &["init", "--quiet", "-b", "main"]);
        git(
            tree.root(),
            &["init", "--quiet", "--bare", "-b", "main", "project/repo.git"],
        );
    }
    git(&work, &["add", "-A", "-f"]);
    git(&work, &["commit", "--quiet", "-m", "x"]);
    git(&work, &["push", "--quiet", "../repo.git", "main"]);
    git(&work, &["rev-parse", "HEAD"])
}

pub(crate) fn git_url(tree: &Tree) -> String {
    format!("file://{}", tree.text("project/repo.git"))
}

fn exit(tree: &Tree, arguments: &[&str], code: i32) -> Value {
    aleph(tree, arguments).run().exits(code).json()
}

fn aleph<'t>(tree: &'t Tree, arguments: &[&str]) -> Aleph<'t> {
    let path = std::env::var_os("PATH").unwrap();
    tree.aleph(arguments.iter().copied().chain(["--json"]))
        .env("PATH", path)
}

const WORK: &str = "
-- project/work/aleph.plugin.toml --
[plugin]
id = \"fetched\"
version = \"2.0\"
-- project/work/skills/s/SKILL.md --
s
-- project/work/sub/two/skills/t/SKILL.md --
t
";

#[test]
fn a_repository_goes_round() {
    let mut tree = Tree::in_git(WORK);
    let first = commit(&tree);
    let url = git_url(&tree);
    let before = snapshot(&tree.path("home"));
    let disclosed = exit(&tree, &["plugins", "disclose", &url], 0);
    assert_eq!(
        (text(&disclosed, "id"), text(&disclosed, "path")),
        ("fetched", "[ROOT]/home/.aleph/plugins/fetched")
    );
    assert_eq!(snapshot(&tree.path("home")), before, "disclosing leaves nothing");
    exit(&tree, &["plugins", "install", &url], 0);
    let record = fs::read_to_string(tree.path("home/.aleph/data/installed.toml")).unwrap();
    assert!(record.contains(&format!("commit = \"{first}\"")), "{record}");
    assert!(!tree.path("home/.aleph/plugins/fetched/.git").exists());
    exit(&tree, &["plugins", "verify"], 0);
    tree.write("project/work/skills/s/SKILL.md", "better\n");
    commit(&tree);
    exit(&tree, &["plugins", "install", &url, "--update"], 0);
    let skill = tree.path("home/.aleph/plugins/fetched/skills/s/SKILL.md");
    assert_eq!(fs::read_to_string(&skill).unwrap(), "better\n");
    exit(&tree, &["plugins", "verify"], 0);
    fs::write(&skill, "worse").unwrap();
    exit(&tree, &["plugins", "verify"], 1);
    exit(&tree, &["plugins", "remove", "fetched"], 0);
    // A local repository by its path, if told so.
    exit(&tree, &["plugins", "install", "./repo.git", "--as", "git"], 0);
}

#[test]
fn failing_git_leaves_nothing() {
    let tree = Tree::in_git(WORK);
    commit(&tree);
    let url = git_url(&tree);
    let before = snapshot(tree.root());
    let nowhere = format!("file://{}/nowhere.git", tree.text("project"));
    let error = exit(&tree, &["plugins", "install", &nowhere], 5);
    assert!(
        text(&error["error"], "message").contains("git could not get"),
        "{error}"
    );
    for command in [["plugins", "install", &url], ["marketplace", "add", &url]] {
        let error = aleph(&tree, &command)
            .env("PATH", "/nowhere")
            .run()
            .exits(5)
            .json();
        assert!(
            text(&error["error"], "message").contains("git is needed"),
            "{error}"
        );
    }
    let error = exit(&tree, &["marketplace", "add", &url], 2);
    assert!(
        text(&error["error"], "message").contains("is no marketplace"),
        "{error}"
    );
    assert_eq!(snapshot(tree.root()), before);
}

/// Nothing of a repository or of the user's settings for git is run: no hooks, filters, helpers or templates.
#[test]
fn nothing_is_run_but_git() {
    let mut tree = Tree::in_git(WORK);
    let mark = tree.text("project/ran");
    let script = format!("#!/bin/sh\ntouch {mark}\n");
    tree.write("project/work/.gitattributes", "* filter=evil\n");
    tree.write(
        "project/work/.gitconfig",
        format!("[core]\nfsmonitor = touch {mark}\n"),
    );
    tree.write(
        "home/.gitconfig",
        format!(
            "[filter \"evil\"]\nsmudge = touch {mark}; cat\n[core]\nfsmonitor = touch {mark}\n[init]\ntemplateDir = {}\n[credential]\nhelper = \"!touch {mark}\"\n",
            tree.text("project/template")
        ),
    );
    for hook in ["post-checkout", "post-merge", "reference-transaction"] {
        let path = format!("project/template/hooks/{hook}");
        tree.write(&path, &script);
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(tree.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    commit(&tree);
    let url = git_url(&tree);
    aleph(&tree, &["plugins", "install", &url])
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.hooksPath")
        .env("GIT_CONFIG_VALUE_0", tree.text("project/template/hooks"))
        .env("GIT_TEMPLATE_DIR", tree.text("project/template"))
        .env("GIT_SSH_COMMAND", format!("touch {mark}"))
        .run()
        .exits(0);
    assert!(!Path::new(&mark).exists(), "something was run");
}

#[test]
fn links_out_of_a_repository_are_refused() {
    let mut tree = Tree::in_git(WORK);
    tree.add("-- project/work/out -> ../../home --");
    commit(&tree);
    let url = git_url(&tree);
    let before = snapshot(tree.root());
    let error = exit(&tree, &["plugins", "install", &url], 4);
    assert!(
        text(&error["error"], "message").contains("leads out of the plugin"),
        "{error}"
    );
    assert_eq!(snapshot(tree.root()), before);
}

/// Everything that an entry can say of where it comes from.
#[test]
fn marketplaces_go_round() {
    let mut tree = Tree::in_git(WORK);
    let first = commit(&tree);
    tree.write("project/work/skills/s/SKILL.md", "second\n");
    commit(&tree);
    let url = git_url(&tree);
    let none = "0".repeat(40);
    tree.write(
        "project/market/.claude-plugin/marketplace.json",
        format!(
            r#"{{"name": "market", "plugins": [
                {{"name": "local", "source": "./plugins/local", "description": "reviews code", "version": "0.1"}},
                {{"name": "latest", "source": {{"source": "url", "url": "{url}"}}}},
                {{"name": "pinned", "source": {{"source": "url", "url": "{url}", "sha": "{first}"}}}},
                {{"name": "branch", "source": {{"source": "url", "url": "{url}", "ref": "main"}}}},
                {{"name": "folder", "source": {{"source": "git-subdir", "url": "{url}", "path": "sub/two"}}}},
                {{"name": "wrong", "source": {{"source": "url", "url": "{url}", "sha": "{none}"}}}},
                {{"name": "short", "source": {{"source": "url", "url": "{url}", "sha": "abc"}}}},
                {{"name": "flag", "source": {{"source": "url", "url": "{url}", "ref": "--upload-pack=id"}}}},
                {{"name": "up", "source": {{"source": "git-subdir", "url": "{url}", "path": "../.."}}}},
                {{"name": "helper", "source": {{"source": "url", "url": "ext::sh -c id"}}}},
                {{"name": "npm", "source": {{"source": "npm", "package": "x"}}}},
                {{"name": "outside", "source": "../work"}},
                {{"name": "odd"}},
                17
            ]}}"#
        ),
    );
    tree.add("-- project/market/plugins/local/skills/l/SKILL.md --\nl");
    let change = exit(&tree, &["marketplace", "add", "./market"], 0);
    assert_eq!(
        (text(&change, "action"), text(&change, "subject")),
        ("marketplace-add", "market")
    );
    let shown = exit(&tree, &["marketplace", "show", "market"], 0);
    let entries: Vec<(&str, bool)> = list(&shown["marketplaces"][0], "plugins")
        .iter()
        .map(|one| (text(one, "name"), one["installable"] == true))
        .collect();
    let able = ["local", "latest", "pinned", "branch", "folder", "wrong"];
    let wanted: Vec<(&str, bool)> = able
        .into_iter()
        .map(|name| (name, true))
        .chain(["short", "flag", "up", "helper", "npm", "outside", "odd"].map(|name| (name, false)))
        .collect();
    assert_eq!(entries, wanted);
    for (name, id, content) in [
        ("local@market", "local", ("l", "l\n")),
        ("latest", "fetched", ("s", "second\n")),
        ("pinned@market", "fetched", ("s", "s\n")),
        ("branch@market", "fetched", ("s", "second\n")),
        ("folder@market", "folder", ("t", "t\n")),
    ] {
        exit(&tree, &["plugins", "install", name], 0);
        let skill = format!("home/.aleph/plugins/{id}/skills/{}/SKILL.md", content.0);
        assert_eq!(
            fs::read_to_string(tree.path(&skill)).unwrap(),
            content.1,
            "{name}"
        );
        let verified = exit(&tree, &["plugins", "verify", id], 0);
        assert_eq!(verified["plugins"][0]["tier"], "community", "{name}");
        exit(&tree, &["plugins", "remove", id], 0);
    }
    let before = snapshot(tree.root());
    for (name, code, words) in [
        ("wrong@market", 5, "git could not get"),
        ("short@market", 4, "a whole commit id"),
        ("flag@market", 4, "no plain name"),
        ("up@market", 4, "goes up with"),
        ("helper@market", 4, "is not taken as the address"),
        ("npm@market", 4, "a package of npm"),
        ("outside@market", 4, "goes up with"),
        ("odd@market", 4, "does not say where"),
        ("lokal@market", 2, "did you mean `local`?"),
    ] {
        let error = exit(&tree, &["plugins", "install", name, "--yes"], code);
        let message = text(&error["error"], "message");
        assert!(message.contains(words), "{name}: {message}");
    }
    assert_eq!(snapshot(tree.root()), before);
    let found = exit(&tree, &["marketplace", "search", "review"], 0);
    assert_eq!(list(&found, "results").len(), 1, "{found}");
    assert_eq!(found["results"][0]["name"], "local");
    // Two marketplaces with one name in both.
    exit(&tree, &["marketplace", "add", "./market", "--name", "again"], 0);
    let error = exit(&tree, &["plugins", "install", "local"], 2);
    assert!(
        text(&error["error"], "message").contains("again, market"),
        "{error}"
    );
    exit(&tree, &["marketplace", "remove", "market"], 0);
    exit(&tree, &["plugins", "install", "local"], 0);
    let gone = exit(&tree, &["marketplace", "remove", "agan"], 1);
    assert_eq!(list(&gone, "suggestions"), ["again"]);
    exit(&tree, &["marketplace", "update", "nowhere"], 1);
}

#[test]
fn a_marketplace_in_a_repository_goes_round() {
    let mut tree = Tree::in_git(
        r#"
-- project/work/.claude-plugin/marketplace.json --
{"name": "hosted", "plugins": [{"name": "local", "source": "./p"}]}
-- project/work/p/skills/l/SKILL.md --
l
"#,
    );
    commit(&tree);
    let url = git_url(&tree);
    for name in ["../x", "a/b", ".hidden", "a@b", "", ".."] {
        let before = snapshot(tree.root());
        let error = exit(&tree, &["marketplace", "add", &url, "--name", name], 2);
        assert!(
            text(&error["error"], "message").contains("cannot be a marketplace's name"),
            "{error}"
        );
        assert_eq!(snapshot(tree.root()), before);
    }
    exit(&tree, &["marketplace", "add", &url], 0);
    let error = exit(&tree, &["marketplace", "add", &url], 4);
    assert!(
        text(&error["error"], "message").contains("is registered already"),
        "{error}"
    );
    assert!(tree.path("home/.aleph/plugins/.marketplaces/hosted/p").is_dir());
    // It is no plugin.
    assert_eq!(
        list(&exit(&tree, &["plugins", "list"], 0), "plugins")
            .iter()
            .filter(|one| one["state"] == "active")
            .count(),
        0
    );
    exit(&tree, &["plugins", "install", "local@hosted"], 0);
    tree.write("project/work/p/skills/l/SKILL.md", "new\n");
    commit(&tree);
    exit(&tree, &["marketplace", "update"], 0);
    exit(&tree, &["plugins", "install", "local@hosted", "--update"], 0);
    let skill = tree.path("home/.aleph/plugins/local/skills/l/SKILL.md");
    assert_eq!(fs::read_to_string(skill).unwrap(), "new\n");
    // A repository that is gone does not take the clone with it.
    fs::rename(tree.path("project/repo.git"), tree.path("project/away.git")).unwrap();
    let before = snapshot(tree.root());
    exit(&tree, &["marketplace", "update", "hosted"], 5);
    assert_eq!(snapshot(tree.root()), before);
    let change = exit(&tree, &["marketplace", "remove", "hosted"], 0);
    assert_eq!(list(&change, "changed").len(), 2);
    assert!(!tree.path("home/.aleph/plugins/.marketplaces/hosted").exists());
    exit(&tree, &["plugins", "verify", "local"], 0);
}

#[test]
fn a_broken_entry_spoils_no_other_marketplace() {
    let mut tree = Tree::in_git(
        r#"
-- project/m/.claude-plugin/marketplace.json --
{"name": "m", "plugins": []}
-- project/bad/.claude-plugin/marketplace.json --
{"name": 
"#,
    );
    let (m, bad) = (tree.text("project/m"), tree.text("project/bad"));
    tree.write(
        "home/.aleph/data/marketplaces.toml",
        format!(
            "[marketplaces]\nodd = 1\n[marketplaces.good]\nsource = \"{m}\"\nkind = \"directory\"\n[marketplaces.bad]\nsource = \"{bad}\"\nkind = \"directory\"\n[marketplaces.\"../up\"]\nsource = \"x\"\nkind = \"git\"\n[marketplaces.none]\nkind = \"git\"\n[marketplaces.gone]\nsource = \"{m}/gone\"\nkind = \"directory\"\ntier = \"best\"\n"
        ),
    );
    let report = exit(&tree, &["marketplace"], 0);
    let names: Vec<&str> = list(&report, "marketplaces")
        .iter()
        .map(|one| text(one, "name"))
        .collect();
    assert_eq!(names, ["bad", "gone", "good"]);
    assert_eq!(report["marketplaces"][1]["tier"], "unverified");
    assert_eq!(
        list(&report, "diagnostics").len(),
        6,
        "{:#}",
        report["diagnostics"]
    );
    exit(&tree, &["marketplace", "remove", "none"], 0);
}

/// A search ranks as `tools search` does: what is asked for by name first, then by what it does, in any form of a word.
#[test]
fn offers_are_found_by_name_and_by_what_they_do() {
    let tree = Tree::in_git(
        r#"
-- project/m/.claude-plugin/marketplace.json --
{"name": "m", "plugins": [
  {"name": "review-tools", "source": "./a", "description": "review review review, a review for reviews"},
  {"name": "review", "source": "./a"},
  {"name": "tidy", "source": "./a", "description": "Formats source code and fixes imports"},
  {"name": "deployer", "source": "./a", "description": "Ships containers to a cluster"}]}
-- project/n/.claude-plugin/marketplace.json --
{"name": "n", "plugins": [{"name": "review", "source": "./a"}]}
"#,
    );
    for market in ["./m", "./n"] {
        exit(&tree, &["marketplace", "add", market], 0);
    }
    let found = |words: &[&str]| -> Vec<String> {
        let mut arguments = vec!["marketplace", "search"];
        arguments.extend(words);
        let found = exit(&tree, &arguments, 0);
        let names = list(&found, "results").iter();
        names
            .map(|one| format!("{}@{}", text(one, "name"), text(one, "marketplace")))
            .collect()
    };
    let mut reviews = found(&["review"]);
    reviews[..2].sort();
    assert_eq!(reviews, ["review@m", "review@n", "review-tools@m"]);
    assert_eq!(found(&["review@n"])[0], "review@n");
    assert_eq!(found(&["formatting", "code"])[0], "tidy@m");
    assert_eq!(found(&["deploy"])[0], "deployer@m");
    assert_eq!(found(&["zebra"]), [""; 0]);
    let error = exit(&tree, &["marketplace", "search", " "], 2);
    assert_eq!(text(&error["error"], "message"), "the query is blank");
}
