//! A gateway over standard input and output, and the client that speaks to it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mcp_script::{configure, left};
pub(crate) use super::support::run::LIMIT;
use super::support::tree::Tree;

/// A gateway that runs, spoken to line by line.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) lines: Receiver<String>,
    next: i64,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub(crate) fn new(tree: &Tree, args: &[&str]) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let args = std::iter::once(&"serve").chain(args);
        Self::of(tree.aleph(args).env("PATH", path).talk())
    }

    pub(crate) fn of(mut child: Child) -> Self {
        let stdout = child.stdout.take().expect("it is piped");
        let (tell, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = child.stderr.take().expect("it is piped");
        thread::spawn(move || {
            BufReader::new(stderr)
                .lines()
                .map_while(Result::ok)
                .for_each(drop)
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            next: 0,
        }
    }

    /// One that has shaken hands.
    pub(crate) fn ready(tree: &Tree, args: &[&str]) -> Self {
        let mut served = Self::new(tree, args);
        served.hello(&json!({}));
        served
    }

    /// Shakes hands as a client that can do this.
    pub(crate) fn hello(&mut self, capabilities: &Value) {
        let client = json!({"name": "t", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
        self.ask("initialize", &hello);
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    }

    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("it is open");
        // One that has ended is seen by its answers.
        let _ = writeln!(stdin, "{line}");
    }

    pub(crate) fn send(&mut self, method: &str, params: &Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    pub(crate) fn answer(&mut self, id: i64) -> Value {
        self.message(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The next message that is this one.
    pub(crate) fn message(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + LIMIT;
        loop {
            let line = self
                .lines
                .recv_timeout(until.saturating_duration_since(Instant::now()))
                .unwrap_or_else(|error| panic!("no such message: {error}"));
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if is_it(&message) {
                return message;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// All that is said until a request is answered, the answer last.
    pub(crate) fn hear(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let id = self.send(method, params);
        let mut said = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LIMIT).expect("an answer");
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let is_answer = message["id"] == id && message.get("method").is_none();
            said.push(message);
            if is_answer {
                return said;
            }
        }
    }

    /// What a tool of the gateway answers; a search once no server is still being started.
    pub(crate) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        once_settled(|| {
            self.ask("tools/call", &json!({"name": name, "arguments": arguments}))["result"].clone()
        })
    }

    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.tool("call_tool", &json!({"name": name, "arguments": arguments}))
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let sent = Command::new("sh")
            .args(["-c", &kill])
            .status()
            .expect("there is sh");
        assert!(sent.success());
    }

    pub(crate) fn ends(&mut self) -> ExitStatus {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status;
            }
            assert!(Instant::now() < until, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A project with servers that are approved.
pub(crate) fn tree(servers: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new("-- project/.git/ --\n-- home/.aleph/ --\n");
    configure(&mut tree, servers);
    for (name, _) in servers {
        tree.aleph(["mcp", "approve", name, "--yes"]).run().exits(0);
    }
    tree
}

/// Asks until no server is still being started: a search does not wait longer than some seconds for those that are.
pub(crate) fn once_settled(mut ask: impl FnMut() -> Value) -> Value {
    let until = Instant::now() + LIMIT;
    loop {
        let answer = ask();
        let note = answer["structuredContent"]["note"].as_str().unwrap_or_default();
        let is_early = ["still being started", "is not searched yet"];
        let said = text(&answer);
        if !is_early.iter().any(|early| note.contains(early)) && !said.ends_with("call again") {
            return answer;
        }
        assert!(Instant::now() < until, "{answer}");
    }
}

pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Waits until what so many servers listed is kept: that is written beside what a client asks for.
pub(crate) fn lists_are_kept(tree: &Tree, count: usize) {
    let until = Instant::now() + LIMIT;
    let kept = || {
        let entries = std::fs::read_dir(tree.path("home/.aleph/cache/mcp"));
        let names = entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name());
        names
            .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
            .count()
    };
    while kept() < count {
        assert!(Instant::now() < until, "nobody keeps it");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until nothing that was started runs any more.
pub(crate) fn nothing_is_left(tree: &Tree) {
    let until = Instant::now() + LIMIT;
    while !left(tree).is_empty() {
        assert!(Instant::now() < until, "left: {:?}", left(tree));
        thread::sleep(Duration::from_millis(50));
    }
}
