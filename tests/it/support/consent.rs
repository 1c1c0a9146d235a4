//! A question at a terminal.

use std::io::Write;
use std::process::{Command, Stdio};

use super::skipped;
use super::snapshot::snapshot;
use super::tree::Tree;

/// Has a command ask at a terminal: only a yes is one, and until then nothing is changed. What is shown before
/// `question` has to hold `disclosed`. Says whether there was a terminal to try it at.
pub(crate) fn only_yes_is_consent(tree: &Tree, command: &str, disclosed: &str, question: &str) -> bool {
    let before = snapshot(tree.root());
    for (answer, code) in [("n\n", 4), ("\n", 4), ("yse\n", 4), ("y\n", 0)] {
        assert_eq!(snapshot(tree.root()), before, "{answer:?}");
        let command = format!("{} {command}", env!("CARGO_BIN_EXE_aleph-discover"));
        let started = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(tree.path("project"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", tree.path("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut terminal) = started else {
            skipped(&command, "there is no program `script`");
            return false;
        };
        let mut input = terminal.stdin.take().expect("it is piped");
        input.write_all(answer.as_bytes()).expect("it is read");
        drop(input);
        let run = terminal.wait_with_output().expect("it ends");
        let shown = String::from_utf8_lossy(&run.stdout);
        assert_eq!(run.status.code(), Some(code), "{answer:?}: {shown}");
        let (told, question) = (shown.find(disclosed), shown.find(question));
        assert!(told.is_some() && told < question, "{shown}");
    }
    true
}
