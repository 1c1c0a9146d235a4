//! Every code that the program prints has a page, and the examples on the pages are true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use aleph_discover::model::{Code, Rule, State};
use aleph_discover::report::explain::{Example, Explanation, Topic, explanations};
use aleph_discover::{DiscoveryConfig, DiscoveryManager, Environment};
use serde_json::Value;

use super::support::tree::Tree;

/// Codes of what is as it should be: the good example shows them, the bad one does not.
const WANTED: [&str; 5] = ["active", "additive", "candidate", "git-root", "scanned"];

/// Codes that are somewhere in almost every answer, so that the good example shows them too.
const ALWAYS_THERE: [&str; 1] = ["missing"];

/// Codes whose example a run of the program cannot show; each has a test of its own.
/// What needs files below `/etc`, a path that is not known beforehand, or a worktree, is shown by the recorded cases of hosts.
const APART: [&str; 8] = [
    "approval-outdated",
    "description-cut",
    "failed",
    "local-over-project",
    "managed-over-all",
    "no-home",
    "start-only",
    "worktree-has-its-own",
];

/// Members of the JSON outputs that hold codes.
const MEMBERS: [&str; 7] = ["code", "fate", "reason", "rule", "state", "status", "stop"];

/// Adds every code that stands anywhere in an answer.
fn collect(answer: &Value, codes: &mut BTreeSet<String>) {
    match answer {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str() {
                    // The operating system's own words are no code.
                    Some(code) if MEMBERS.contains(&name.as_str()) && !code.contains(' ') => {
                        codes.insert(code.to_owned());
                    }
                    _ => collect(value, codes),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, codes)),
        _ => {}
    }
}

/// The tree of an example, and the commands in it.
struct Shown {
    tree: Tree,
    commands: Vec<Vec<String>>,
    is_closed: bool,
}

impl Shown {
    fn new(example: &Example) -> Self {
        let mut sections: Vec<String> = Vec::new();
        let mut commands = Vec::new();
        let mut raw: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut is_closed = false;
        for line in example.text.lines() {
            if let Some(content) = line
                .strip_prefix("    ")
                .or_else(|| line.is_empty().then_some(""))
            {
                let content = match content.trim() {
                    "(70 KiB of text)" => "  more of it\n".repeat(70 * 1024 / 13),
                    _ => content
                        .replace("(100 levels)", &format!("{}{}", "[".repeat(100), "]".repeat(100)))
                        .replace("(1 500 paths)", &["\"./skills\""; 1_500].join(", ")),
                };
                let content = content
                    .replace("<U+202E>", "\u{202e}")
                    .replace("<U+202C>", "\u{202c}");
                let section = sections.last_mut().expect("a file whose content it is");
                section.push('\n');
                section.push_str(&content);
                continue;
            }
            let (line, remark) = line.split_once("  #").unwrap_or((line, ""));
            let line = line.trim_end();
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push(command.split(' ').map(str::to_owned).collect());
                continue;
            }
            let path = line.trim_end_matches(':');
            let path = path
                .strip_prefix('~')
                .map_or(path.to_owned(), |rest| format!("home{rest}"));
            let mode = if remark.contains("mode 000") {
                " mode=000"
            } else {
                ""
            };
            is_closed |= !mode.is_empty();
            // A file without content says something of its own, so that no two are equal by chance.
            let content = if line.ends_with([':', '/']) || line.contains(" -> ") {
                String::new()
            } else {
                format!("\nThis is {path}.")
            };
            sections.push(format!("-- {path}{mode} --{content}"));
        }
        let text = sections.join("\n");
        let git = if text.contains("-- shop/.git") {
            ""
        } else {
            "-- shop/.git/ --\n"
        };
        let mut tree = Tree::new(&format!("-- shop/ --\n{git}{text}"));
        if let Some(section) = sections.iter().find(|section| section.contains("<E9>")) {
            let (path, content) = section.split_once('\n').unwrap();
            let bytes = content
                .split("<E9>")
                .map(str::as_bytes)
                .collect::<Vec<_>>()
                .join(&0xE9);
            raw.insert(path.trim_matches(['-', ' ']).to_owned(), bytes);
        }
        for (path, bytes) in raw {
            tree.write(&path, bytes);
        }
        Self {
            tree,
            commands,
            is_closed,
        }
    }

    /// Every code in the answers of the commands; of the usual ones where no subcommand is given.
    fn codes(&self, test: &str) -> Option<BTreeSet<String>> {
        Some(self.codes_of_each(test)?.into_iter().flatten().collect())
    }

    /// The codes in the answer of each command.
    fn codes_of_each(&self, test: &str) -> Option<Vec<BTreeSet<String>>> {
        let mut each = Vec::new();
        let usual: [&[&str]; 3] = [&["scan"], &["roots"], &["find-config", "aleph", "--merged"]];
        let mut flags: Vec<String> = Vec::new();
        let mut runs: Vec<Vec<String>> = Vec::new();
        for command in &self.commands {
            let words = command
                .iter()
                .skip_while(|word| *word != "aleph-discover")
                .skip(1);
            let words: Vec<String> = words
                .map(|word| {
                    if word == "~" {
                        self.tree.text("home")
                    } else {
                        word.clone()
                    }
                })
                .collect();
            if words.first().is_some_and(|word| word.starts_with('-')) {
                flags = words;
            } else {
                runs.push(words);
            }
        }
        if runs.is_empty() {
            let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
            runs = usual.map(|usual| [flags.clone(), words(usual)].concat()).into();
        }
        // Directories in flags are named from above the project, everything else from within.
        let cwd = self.tree.path(if flags.is_empty() { "shop" } else { "" });
        for mut run in runs {
            run.push("--json".to_owned());
            let mut prepared = self.tree.aleph(run).cwd(&cwd);
            if self.is_closed {
                prepared = prepared.unprivileged(test)?;
            }
            let mut codes = BTreeSet::new();
            collect(&prepared.run().json(), &mut codes);
            each.push(codes);
        }
        Some(each)
    }
}

fn is_known(code: &str) -> bool {
    explanations().iter().any(|known| known.code == code)
}

#[test]
fn examples_show_what_their_pages_say() {
    let mut shown = 0;
    for Explanation { code, page, .. } in explanations() {
        if !page.in_use || APART.contains(&code) {
            continue;
        }
        let codes = |example| Shown::new(example).codes(&format!("the example of {code}"));
        let (Some(bad), Some(good)) = (codes(&page.bad), codes(&page.good)) else {
            continue;
        };
        shown += 1;
        let (shows, does_not) = if WANTED.contains(&code) {
            (&good, &bad)
        } else {
            (&bad, &good)
        };
        assert!(shows.contains(code), "{code} is not in {shows:?}");
        if !ALWAYS_THERE.contains(&code) {
            assert!(!does_not.contains(code), "{code} is in {does_not:?}");
        }
        for met in bad.union(&good) {
            assert!(is_known(met), "{met}, met in an example of {code}, has no page");
        }
    }
    assert!(shown > 50, "{shown} pages were looked at");
}

/// Codes that are said of several kinds of files, each of which has a command in the example.
#[test]
fn an_example_shows_every_kind_of_file_that_its_code_is_said_of() {
    for code in [Code::DuplicateKey, Code::WrongType, Code::TooLarge] {
        let page = Topic::Code(code).page();
        let each = Shown::new(&page.bad).codes_of_each(code.as_str()).unwrap();
        assert!(each.len() > 1, "{} has one command", code.as_str());
        for (number, codes) in each.iter().enumerate() {
            assert!(
                codes.contains(code.as_str()),
                "command {number} shows {codes:?}, not {}",
                code.as_str()
            );
        }
    }
}

#[test]
fn the_example_without_a_home_directory_is_true() {
    let page = Topic::Code(Code::NoHome).page();
    let shown = Shown::new(&page.bad);
    // Where the environment has none, the system's list of users may: only the library can be without.
    let config = DiscoveryConfig::default().with_working_dir(shown.tree.path("shop"));
    let manager = DiscoveryManager::new(config, Environment::default()).unwrap();
    let told = manager
        .scan(&[aleph_discover::model::ComponentKind::Skill])
        .diagnostics;
    assert!(told.iter().any(|diagnostic| diagnostic.code == Code::NoHome));
    let codes = Shown::new(&page.good).codes("the example of no-home").unwrap();
    assert!(!codes.contains("no-home"));
}

#[test]
fn the_example_of_a_full_disk_is_true() {
    if !Path::new("/dev/full").exists() {
        return super::support::skipped("the_example_of_a_full_disk_is_true", "there is no /dev/full");
    }
    let tree = Tree::in_git("");
    let run = tree
        .aleph(["scan", "--json"])
        .run_behind("exec \"$@\" > /dev/full");
    assert_eq!(run.code, Some(5));
}

/// The lists in the types are whole: what a schema allows is what they have.
#[test]
fn every_word_that_a_schema_allows_is_listed() {
    let schema = aleph_discover::report::schema("scan").unwrap();
    let allowed = |name: &str| -> BTreeSet<String> {
        let shape = &schema["$defs"][name];
        let values = shape["oneOf"]
            .as_array()
            .unwrap_or_else(|| panic!("{name}: {shape}"));
        values
            .iter()
            .map(|value| value["const"].as_str().unwrap().to_owned())
            .collect()
    };
    let listed =
        |codes: &[&str]| -> BTreeSet<String> { codes.iter().map(|code| (*code).to_owned()).collect() };
    assert_eq!(allowed("Code"), listed(&Code::ALL.map(Code::as_str)));
    assert_eq!(allowed("Rule"), listed(&Rule::ALL.map(Rule::as_str)));
    assert_eq!(allowed("State"), listed(&State::ALL.map(State::as_str)));
    for name in ["ChainState", "RootStatus"] {
        for word in allowed(name) {
            assert!(is_known(&word), "{word} of {name} has no page");
        }
    }
}

/// What the sources say of something is in use, and what they say of nothing is marked as such.
#[test]
fn pages_know_what_this_version_says() {
    let sources = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let mut text = String::new();
    for entry in walkdir::WalkDir::new(&sources) {
        let path = entry.unwrap().into_path();
        let inner = path.strip_prefix(&sources).unwrap();
        let speaks = [
            "discovery",
            "parse",
            "plugin",
            "host",
            "tools",
            "mcp",
            "cli/mcp",
            "cli/tools",
        ]
        .iter()
        .any(|layer| inner.starts_with(layer));
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if speaks && is_source && !inner.components().any(|part| part.as_os_str() == "tests") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
    let said = |word: String| {
        text.match_indices(&word)
            .any(|(at, _)| !text[at + word.len()..].starts_with(char::is_alphanumeric))
    };
    for topic in Topic::all() {
        let word = match topic {
            Topic::Rule(rule) => format!("Rule::{rule:?}"),
            Topic::State(state) => format!("State::{state:?}"),
            Topic::Code(code) => format!("Code::{code:?}"),
            Topic::RootStatus(status) => format!("RootStatus::{status:?}"),
            Topic::RootReason(reason) => format!("RootReason::{reason:?}"),
            Topic::WalkStop(stop) => format!("WalkStop::{stop:?}"),
            Topic::Chain(_) | Topic::Fate(_) | Topic::Error(_) => continue,
        };
        assert_eq!(said(word), topic.page().in_use, "{}", topic.code());
    }
}

#[test]
fn a_code_is_explained_as_text_and_as_json() {
    let tree = Tree::in_git("");
    let text = tree.aleph(["explain", "no-marker"]).run().exits(0);
    assert!(
        text.stdout
            .starts_with("no-marker: a diagnostic, said of a finding\n"),
        "{}",
        text.stdout
    );
    for part in [
        "\nWhy: ",
        "\nWhat to do: ",
        "\nBad: ",
        "\nGood: ",
        "    shop/.claude/commands/git/commit.md",
    ] {
        assert!(text.stdout.contains(part), "{part:?} in\n{}", text.stdout);
    }
    let json = tree
        .aleph(["explain", "unreadable", "--json"])
        .run()
        .exits(0)
        .json();
    assert_eq!(json["schema"], "aleph-discover/explain@1");
    assert_eq!(json["kind"], "state");
    assert_eq!(
        json["said_of"],
        serde_json::json!(["entry", "finding", "root", "path"])
    );
    assert_eq!(json["examples"][0]["verdict"], "bad");
}

#[test]
fn without_a_code_all_are_listed() {
    let tree = Tree::in_git("");
    let list = tree.aleph(["explain", "--json"]).run().exits(0).json();
    let codes: Vec<&str> = list["codes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes,
        explanations().iter().map(|known| known.code).collect::<Vec<_>>()
    );
    let text = tree.aleph(["explain"]).run().exits(0);
    for code in codes {
        assert!(
            text.lines()
                .iter()
                .any(|line| line.trim_start().starts_with(code)),
            "{code}"
        );
    }
    let paths = tree.aleph(["explain", "--format", "paths"]).run().exits(0);
    assert!(paths.lines().iter().all(|line| is_known(line)));
}

#[test]
fn a_slip_in_a_code_is_a_usage_error_with_the_nearest_codes() {
    let tree = Tree::in_git("");
    let slip = tree.aleph(["explain", "no-marke"]).run().exits(2);
    assert!(
        slip.stderr.contains("did you mean `no-marker`"),
        "{}",
        slip.stderr
    );
    let part = tree.aleph(["explain", "front-matter"]).run().exits(2);
    assert!(part.stderr.contains("`bad-front-matter`"), "{}", part.stderr);
    let word = tree.aleph(["explain", "natve"]).run().exits(2);
    assert!(
        word.stderr.contains("did you mean `native-over-claude`?"),
        "{}",
        word.stderr
    );
    let strange = tree.aleph(["explain", "quux", "--json"]).run().exits(2);
    assert_eq!(strange.json()["error"]["code"], "usage");
    assert!(strange.stderr.contains("lists all codes"), "{}", strange.stderr);
}
