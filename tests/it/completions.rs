//! Completions in the shells themselves, where they are installed; said loudly where they are not.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

use super::support::run::LIMIT;
use super::support::skipped;
use super::support::tree::Tree;

/// Names on disk of which one would run a command if it stood on a line without quotes.
const TREE: &str = "
-- project/.claude/skills/deploy/SKILL.md --
-- project/.claude/skills/deploy-api/SKILL.md --
-- project/.claude/skills/$(touch ran)/SKILL.md --
-- project/.claude/skills/.deploy-hidden/SKILL.md --
-- project/.aleph/commands/deploy.md --
-- home/.claude/skills/review/SKILL.md --
-- home/.aleph/plugins/ops/skills/publish/SKILL.md --
-- elsewhere/.claude/skills/deploy-elsewhere/SKILL.md --
-- home/.aleph/data/marketplaces.toml --
[marketplaces.ours]
source = \"[ROOT]/market\"
kind = \"directory\"
[marketplaces.others]
source = \"[ROOT]/gone\"
kind = \"directory\"
[marketplaces.\"$(touch ran)\"]
source = \"[ROOT]/gone\"
kind = \"directory\"
-- market/.claude-plugin/marketplace.json --
{\"name\": \"ours\", \"plugins\": [
  {\"name\": \"lint\", \"source\": \"./lint\"}, {\"name\": \"lint-all\", \"source\": {\"source\": \"github\", \"repo\": \"a/b\"}},
  {\"name\": \"lint-npm\", \"source\": {\"source\": \"npm\", \"package\": \"x\"}},
  {\"name\": \"lint-up\", \"source\": \"../up\"}, {\"name\": \"li;touch ran\", \"source\": \"./lint\"}]}
-- market/lint/skills/s/SKILL.md --
s
-- home/.aleph/cache/mcp/git.json --
{\"server\": \"git\", \"tools\": [{\"name\": \"log\"}, {\"name\": \"open\"}, {\"name\": \"$(touch ran)\"}]}
-- project/more.json --
{\"hub\": [{\"name\": \"lock\"}, {\"name\": \"open\"}]}
-- project/broken.json --
[{\"name\":
";

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("completions")
        .join(name)
}

/// The search path with the program on it.
fn search_path() -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_aleph-discover"));
    let folder = program.parent().expect("the program lies in a folder");
    format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display())
}

fn is_installed(shell: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", "command -v \"$1\"", "sh", shell])
        .output();
    found.is_ok_and(|found| found.status.success())
}

fn hermetic(tree: &Tree, shell: &str) -> Command {
    let mut command = Command::new(shell);
    command
        .current_dir(tree.path("project"))
        .env_clear()
        .env("PATH", search_path())
        .env("HOME", tree.path("home"))
        .env("LANG", "C.UTF-8")
        .env("TERM", "dumb");
    command
}

fn output(mut command: Command) -> String {
    let output = command.output().expect("the shell runs");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("candidates are text")
}

/// What can follow these words, as the program answers a shell.
fn offered(tree: &Tree, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = hermetic(tree, env!("CARGO_BIN_EXE_aleph-discover"));
    command
        .env("ALEPH_DISCOVER_COMPLETE", shell)
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .args(["--", "aleph-discover"])
        .args(words);
    let candidates = output(command);
    candidates.lines().map(str::to_owned).collect()
}

#[test]
fn subcommands_flags_hosts_kinds_names_and_codes_are_completed() {
    let tree = Tree::in_git(TREE);
    let elsewhere = tree.text("elsewhere");
    for (words, wanted) in [
        (vec!["expl"], vec!["explain"]),
        (vec!["find"], vec!["find-config"]),
        (vec!["ski"], vec!["skill"]),
        (vec!["--alep"], vec!["--aleph-home"]),
        (vec!["scan", "--act"], vec!["--active"]),
        (
            vec!["--host", ""],
            vec![
                "aleph",
                "claude-code",
                "codex",
                "gemini",
                "opencode",
                "cursor",
                "all",
            ],
        ),
        (vec!["--host=ale"], vec!["--host=aleph"]),
        (vec!["roots", "--kind", "mc"], vec!["mcp-server"]),
        (vec!["--format", "json"], vec!["json", "jsonl"]),
        (vec!["why", "dep"], vec!["deploy", "deploy-api"]),
        (vec!["why", "--kind", "command", "dep"], vec!["deploy"]),
        (vec!["why", "rev"], vec!["review"]),
        (vec!["why", "publ"], vec!["publish"]),
        (vec!["--no-project", "why", "dep"], vec![]),
        (vec!["plugins", "sh"], vec!["show"]),
        (vec!["plugins", "show", "o"], vec!["ops"]),
        (vec!["plugins", "remove", "o"], vec!["ops"]),
        (vec!["plugins", "enable", "op"], vec!["ops"]),
        (vec!["plugins", "disable", "o"], vec!["ops"]),
        (vec!["plugins", "verify", "op"], vec!["ops"]),
        (vec!["plugins", "verify", "x"], vec![]),
        (
            vec!["plugins", "install", "li"],
            vec!["lint@ours", "lint-all@ours"],
        ),
        (vec!["plugins", "disclose", "lint@"], vec!["lint@ours"]),
        (vec!["plugins", "install", ".claude/sk"], vec![".claude/skills/"]),
        (vec!["marketplace", "show", "o"], vec!["others", "ours"]),
        (vec!["marketplace", "update", "ou"], vec!["ours"]),
        (vec!["marketplace", "remove", "o"], vec!["others", "ours"]),
        (vec!["marketplace", "remove", "$"], vec![]),
        (vec!["--home", &elsewhere, "marketplace", "remove", "o"], vec![]),
        (vec!["plugins", "validate", ".claude/sk"], vec![".claude/skills/"]),
        (vec!["tools", "sim"], vec!["simulate"]),
        (vec!["tools", "lint", "--cat"], vec!["--catalog"]),
        (
            vec!["tools", "list", "--kind", ""],
            vec!["skill", "command", "agent"],
        ),
        (
            vec!["tools", "schema", "git"],
            vec!["git____touch_ran_", "git__log", "git__open"],
        ),
        (vec!["tools", "schema", "lo"], vec!["log"]),
        (vec!["tools", "explain", "lo"], vec![]),
        (vec!["tools", "explain", "git__l"], vec!["git__log"]),
        (
            vec!["tools", "schema", "--catalog", "more.json", "lo"],
            vec!["lock", "log"],
        ),
        (vec!["tools", "schema", "--catalog=more.json", "o"], vec![]),
        (
            vec!["tools", "schema", "--catalog", "more.json", "hub"],
            vec!["hub__lock", "hub__open"],
        ),
        (
            vec!["tools", "schema", "--catalog", "broken.json", "git__l"],
            vec!["git__log"],
        ),
        (
            vec!["tools", "schema", "--catalog", "-", "git__l"],
            vec!["git__log"],
        ),
        (
            vec!["tools", "explain", "--kind", "command", "com"],
            vec!["command__deploy"],
        ),
        (
            vec!["-C", &elsewhere, "why", "deploy-e"],
            vec!["deploy-elsewhere"],
        ),
        (vec!["why", "-C", &elsewhere, "deploy-a"], vec![]),
        (vec!["why", ".claude/sk"], vec![".claude/skills/"]),
        (vec!["explain", "native"], vec!["native-over-claude"]),
        (
            vec!["explain", "git-"],
            vec!["git-root", "git-link-broken", "git-file-malformed"],
        ),
        (vec!["schema", "find"], vec!["find-config"]),
        (vec!["completions", "f"], vec!["fish"]),
        (vec!["man", "wh"], vec!["why"]),
        (
            vec!["find-config", "aleph.json"],
            vec!["aleph.jsonc", "aleph.json"],
        ),
    ] {
        assert_eq!(offered(&tree, "bash", &words), wanted, "{words:?}");
    }
    let all = offered(&tree, "bash", &[""]);
    assert!(all.iter().any(|word| word == "why") && !all.iter().any(|word| word == "generate"));
}

/// Whoever is typing does not wait for a pipe that nobody writes to, nor for what takes long to read.
#[cfg(unix)]
#[test]
fn names_of_tools_are_completed_without_waiting() {
    let mut tree = Tree::in_git(TREE);
    let made = Command::new("mkfifo")
        .arg(tree.path("project/pipe.json"))
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    tree.write("project/huge.json", vec![b' '; 20 * 1024 * 1024]);
    let begun = Instant::now();
    for catalog in ["pipe.json", "huge.json", "missing.json", "."] {
        let words = ["tools", "schema", "--catalog", catalog, "git__o"];
        assert_eq!(offered(&tree, "bash", &words), ["git__open"], "{catalog}");
    }
    assert!(begun.elapsed() < LIMIT);
}

#[test]
fn a_name_that_would_run_is_offered_only_to_shells_that_quote() {
    let tree = Tree::in_git(TREE);
    assert_eq!(offered(&tree, "bash", &["why", "$"]), [""; 0]);
    assert_eq!(offered(&tree, "elvish", &["why", "$"]), ["$(touch ran)"]);
    assert!(!tree.path("project/ran").exists());
}

#[test]
fn a_shell_that_is_not_known_and_a_line_that_is_empty_get_no_answer() {
    let tree = Tree::in_git(TREE);
    for (shell, words) in [("tcsh", vec!["--", "aleph-discover", "w"]), ("bash", vec![])] {
        let mut command = hermetic(&tree, env!("CARGO_BIN_EXE_aleph-discover"));
        let ended = command
            .env("ALEPH_DISCOVER_COMPLETE", shell)
            .args(words)
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(2), "{shell}");
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended:?}");
    }
    let plain = tree
        .aleph(["--version"])
        .env("ALEPH_DISCOVER_COMPLETE", "")
        .run()
        .exits(0);
    assert!(plain.stdout.starts_with("aleph-discover "));
}

#[test]
fn bash_calls_the_function_of_its_script() {
    if !is_installed("bash") {
        return skipped("bash_calls_the_function_of_its_script", "bash is not installed");
    }
    let tree = Tree::in_git(TREE);
    let mut bash = hermetic(&tree, "bash");
    bash.args(["--norc", "-c"]).arg(
        r#"source "$1"
           COMP_WORDS=(aleph-discover why dep); COMP_CWORD=2; COMP_TYPE=9
           _clap_complete_aleph_discover aleph-discover dep why
           printf '%s\n' "${COMPREPLY[@]}"
           complete -p aleph-discover"#,
    );
    let printed = output({
        bash.arg("bash").arg(script("aleph-discover.bash"));
        bash
    });
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..2], ["deploy", "deploy-api"]);
    assert!(lines[2].contains("-F _clap_complete_aleph_discover"), "{printed}");
}

#[test]
fn fish_completes() {
    if !is_installed("fish") {
        return skipped("fish_completes", "fish is not installed");
    }
    let tree = Tree::in_git(TREE);
    let complete = |line: &str| {
        let mut fish = hermetic(&tree, "fish");
        let source = script("aleph-discover.fish");
        let command = format!("source '{}'; complete -C '{line}'", source.display());
        fish.args(["--no-config", "-c", &command]);
        output(fish)
    };
    assert_eq!(
        complete("aleph-discover why dep"),
        "deploy\tskill, command\ndeploy-api\tskill\n"
    );
    assert!(
        complete("aleph-discover explain native").starts_with("native-over-claude\tAn entry under `.aleph`")
    );
    assert_eq!(complete("aleph-discover completions z"), "zsh\tZsh\n");
}

/// A shell at a terminal, which `script` makes.
struct Terminal {
    keys: std::process::ChildStdin,
    screen: mpsc::Receiver<Vec<u8>>,
    seen: String,
    child: std::process::Child,
}

impl Terminal {
    fn open(tree: &Tree, shell: &str) -> Self {
        let mut child = hermetic(tree, "script")
            .args(["-qfec", shell, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("script starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        let (sender, screen) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = child.stdin.take().expect("a pipe");
        Self {
            keys,
            screen,
            seen: String::new(),
            child,
        }
    }

    /// Types, and waits until the screen shows `wanted`.
    fn types(&mut self, keys: &str, wanted: &str) {
        self.seen.clear();
        self.keys
            .write_all(keys.as_bytes())
            .expect("the shell takes keys");
        self.keys.flush().expect("the shell takes keys");
        let end = Instant::now() + LIMIT;
        while !self.seen.contains(wanted) {
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!(
                    "after {keys:?} the screen never showed {wanted:?}:\n{}",
                    self.seen
                ),
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Types a line with a Tab, and has the shell print what stands on it then: `echo` is put before it.
fn completes(terminal: &mut Terminal, line: &str, wanted: &str) {
    terminal.types(&format!("{line}\t"), "");
    // The shell reads ahead, so what is typed now waits for its completion.
    terminal.types("\u{1}echo GOT: \n", &format!("GOT: {wanted}"));
}

#[test]
fn bash_completes_at_a_terminal() {
    if !is_installed("bash") || !is_installed("script") {
        return skipped("bash_completes_at_a_terminal", "bash or script is not installed");
    }
    let tree = Tree::in_git(TREE);
    let mut terminal = Terminal::open(&tree, "bash --norc --noprofile -i");
    let source = script("aleph-discover.bash");
    terminal.types(&format!("source '{}'; echo R''EADY\n", source.display()), "READY");
    completes(
        &mut terminal,
        "aleph-discover why deploy-",
        "aleph-discover why deploy-api",
    );
    completes(
        &mut terminal,
        "aleph-discover explain nati",
        "aleph-discover explain native-over-claude",
    );
}

#[test]
fn zsh_completes_at_a_terminal() {
    if !is_installed("zsh") || !is_installed("script") {
        return skipped("zsh_completes_at_a_terminal", "zsh or script is not installed");
    }
    let tree = Tree::in_git(TREE);
    let folder = script("_aleph-discover");
    let folder = folder.parent().unwrap().display();
    let load = [
        // From a folder of functions: the first Tab has to be answered already.
        format!("fpath=('{folder}' $fpath); autoload -U compinit; compinit -u -D; echo R''EADY\n"),
        format!("autoload -U compinit; compinit -u -D; source '{folder}/_aleph-discover'; echo R''EADY\n"),
    ];
    for load in load {
        let mut terminal = Terminal::open(&tree, "zsh -f -i");
        terminal.types(&load, "READY");
        completes(
            &mut terminal,
            "aleph-discover why deploy-",
            "aleph-discover why deploy-api",
        );
        completes(
            &mut terminal,
            "aleph-discover explain nati",
            "aleph-discover explain native-over-claude",
        );
        completes(
            &mut terminal,
            "aleph-discover --host=ale",
            "aleph-discover --host=aleph",
        );
    }
    assert!(!tree.path("project/ran").exists());
}

#[test]
fn elvish_calls_the_function_of_its_script() {
    if !is_installed("elvish") || !is_installed("script") {
        return skipped(
            "elvish_calls_the_function_of_its_script",
            "elvish or script is not installed",
        );
    }
    let tree = Tree::in_git(TREE);
    let mut terminal = Terminal::open(&tree, "elvish -norc");
    let source = script("aleph-discover.elv");
    terminal.types(
        &format!("eval (slurp < '{}'); echo R''EADY\n", source.display()),
        "READY",
    );
    let call = "echo GOT: [($edit:completion:arg-completer[aleph-discover] aleph-discover why dep)]\n";
    terminal.types(call, "deploy-api");
}

#[test]
fn powershell_takes_its_script() {
    let test = "powershell_takes_its_script";
    if !is_installed("pwsh") {
        return skipped(test, "PowerShell is not installed");
    }
    let tree = Tree::in_git(TREE);
    let mut shell = hermetic(&tree, "pwsh");
    let source = script("_aleph-discover.ps1");
    let line = "aleph-discover why dep";
    let command = format!(
        ". '{}'; (TabExpansion2 '{line}' {}).CompletionMatches.CompletionText",
        source.display(),
        line.len()
    );
    shell.args(["-NoProfile", "-Command", &command]);
    let candidates = output(shell);
    let candidates: Vec<&str> = candidates.lines().map(str::trim).collect();
    assert_eq!(candidates, ["deploy", "deploy-api"]);
}
