//! What `why` says of a name that an installed plugin brings, beside those of the project and of the user
//! (plugins.md 4, discovery.md): for every kind of source alike.

use serde_json::Value;

use crate::install_sources::{commit, git_url};
use crate::support::tree::Tree;
use crate::support::view::{chains, story};
use crate::support::zip::{Entry, archive};

const TREE: &str = r#"
-- project/.git/HEAD --
ref: refs/heads/main
-- project/.aleph/skills/deploy/SKILL.md --
the project's
-- home/.aleph/skills/deploy/SKILL.md --
the user's
-- home/.aleph/skills/check/SKILL.md --
the user's
-- project/work/.claude-plugin/plugin.json --
{"name": "ops"}
-- project/work/skills/deploy/SKILL.md --
the plugin's
-- project/work/skills/check/SKILL.md --
the plugin's
-- project/work/skills/only/SKILL.md --
the plugin's
-- project/.claude-plugin/marketplace.json --
{"name": "market", "plugins": [{"name": "ops", "source": "./work"}]}
"#;

fn json(tree: &Tree, arguments: &[&str], code: i32) -> Value {
    let path = std::env::var_os("PATH").unwrap();
    let arguments = arguments.iter().copied().chain(["--json"]);
    tree.aleph(arguments).env("PATH", path).run().exits(code).json()
}

#[test]
fn what_a_plugin_brings_stands_beside_what_is_there_whatever_its_source() {
    for kind in ["path", "zip", "marketplace", "git"] {
        let mut tree = Tree::new(TREE);
        let source = match kind {
            "path" => "./work".to_owned(),
            "zip" => {
                let file = |name: &str, content: &[u8]| Entry::stored(name, content);
                let bytes = archive(&[
                    file(".claude-plugin/plugin.json", br#"{"name": "ops"}"#),
                    file("skills/deploy/SKILL.md", b"the plugin's\n"),
                    file("skills/check/SKILL.md", b"the plugin's\n"),
                    file("skills/only/SKILL.md", b"the plugin's\n"),
                ]);
                tree.write("project/ops.zip", bytes);
                "./ops.zip".to_owned()
            }
            "marketplace" => {
                json(&tree, &["marketplace", "add", "."], 0);
                "ops@market".to_owned()
            }
            _ => {
                commit(&tree);
                git_url(&tree)
            }
        };
        json(&tree, &["why", "only"], 1);
        json(&tree, &["plugins", "install", &source], 0);
        let record = std::fs::read_to_string(tree.path("home/.aleph/data/installed.toml")).unwrap();
        assert!(record.contains(&format!("kind = \"{kind}\"")), "{record}");
        let skills = "home/.aleph/plugins/ops/skills";
        let why = json(&tree, &["why", "deploy"], 0);
        assert_eq!(
            story(&why, "skill", "deploy"),
            [
                "project/.aleph/skills/deploy active".to_owned(),
                "home/.aleph/skills/deploy shadowed project-over-global by 0".to_owned(),
                format!("{skills}/deploy namespaced plugin-namespace"),
            ],
            "{kind}"
        );
        // Under its full name it is in effect all the same.
        assert_eq!(
            story(&why, "skill", "ops:deploy"),
            [format!("{skills}/deploy active")],
            "{kind}"
        );
        let why = json(&tree, &["why", "check"], 0);
        assert_eq!(
            story(&why, "skill", "check"),
            [
                "home/.aleph/skills/check active".to_owned(),
                format!("{skills}/check namespaced plugin-namespace"),
            ],
            "{kind}"
        );
        let why = json(&tree, &["why", "only"], 0);
        assert_eq!(chains(&why), ["skill only", "skill ops:only"], "{kind}");
        assert_eq!(story(&why, "skill", "only"), [format!("{skills}/only active")]);
        json(&tree, &["plugins", "disable", "ops"], 0);
        let why = json(&tree, &["why", "deploy"], 0);
        assert_eq!(
            story(&why, "skill", "deploy").last().map(String::as_str),
            Some(&*format!("{skills}/deploy disabled plugin-not-in-effect")),
            "{kind}"
        );
        json(&tree, &["why", "only"], 1);
        json(&tree, &["plugins", "remove", "ops"], 0);
        let why = json(&tree, &["why", "deploy"], 0);
        assert_eq!(story(&why, "skill", "deploy").len(), 2, "{kind}");
    }
}
