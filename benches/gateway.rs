//! What the gateway costs: a call through it against the same call made directly, and a search over three thousand tools,
//! each over standard input and output, as an agent makes them.
//!
//! `cargo bench --bench gateway`. Server, gateway and client are three processes of this machine; the server answers at
//! once, so that what is measured is the way. Medians, and the slowest of a hundred, in microseconds.

#![allow(clippy::print_stdout, reason = "what was measured is its output")]

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How many tools the server has.
const TOOLS: usize = 3_000;

/// How many calls are measured, after as many that are not.
const CALLS: usize = 2_000;

fn main() {
    if std::env::args().any(|argument| argument == "server") {
        server();
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    let program = std::env::current_exe().expect("this program has a path");
    let aleph = home.path().join(".aleph");
    fs::create_dir_all(&aleph).expect("it is made");
    let configuration = json!({"mcpServers": {"bench": {"command": program, "args": ["server"]}}});
    fs::write(aleph.join(".mcp.json"), configuration.to_string()).expect("it is written");

    let mut direct = Peer::start(Command::new(&program).arg("server"));
    let mut gateway = Peer::start(gateway(home.path()).args(["serve", "--server", "bench"]));
    // The first search waits for the server's tools.
    gateway.tool("tool_search", &json!({"query": "word1"}));
    let arguments = json!({"path": "/tmp/x", "text": "a".repeat(200)});
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    // In turns, so that what else the machine does hits both alike.
    for nth in 0..CALLS * 2 {
        let (one, other) = (
            direct.timed("tool_7", &arguments),
            gateway.timed(
                "call_tool",
                &json!({"name": "bench__tool_7", "arguments": arguments}),
            ),
        );
        if nth >= CALLS {
            theirs.push(one);
            ours.push(other);
        }
    }
    report("a call, directly", &mut theirs);
    report("a call, through the gateway", &mut ours);
    println!(
        "overhead of the median: {} us",
        (middle(&ours) - middle(&theirs)).as_micros()
    );
    for query in [
        "send a message to a channel",
        "create word17 word230",
        "I have to look up word12 for a customer and then update the order. Can you list every word99 of last month?",
    ] {
        let mut times = Vec::new();
        for nth in 0..400 {
            let time = gateway.timed("tool_search", &json!({"query": query}));
            if nth >= 200 {
                times.push(time);
            }
        }
        report(
            &format!("tool_search over {TOOLS} tools: {query:.40}"),
            &mut times,
        );
    }
}

fn gateway(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aleph-discover"));
    command
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home);
    command
}

fn middle(times: &[Duration]) -> Duration {
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let slow = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
    println!(
        "{what}: median {} us, 99 of 100 within {} us",
        middle(times).as_micros(),
        slow.as_micros()
    );
}

/// A server at the other end of pipes.
struct Peer {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut peer = Self {
            stdin: child.stdin.take().expect("it is piped"),
            stdout: BufReader::new(child.stdout.take().expect("it is piped")),
            child,
            next: 0,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        peer.ask("initialize", &hello);
        writeln!(
            peer.stdin,
            r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#
        )
        .expect("it reads");
        peer
    }

    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.next += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}).to_string();
        self.stdin
            .write_all(format!("{request}\n").as_bytes())
            .expect("it reads");
        let id = format!("\"id\":{}", self.next);
        loop {
            let mut line = String::new();
            assert!(
                self.stdout.read_line(&mut line).expect("it writes") > 0,
                "it ended"
            );
            if line.contains(&id) {
                return line;
            }
        }
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}));
        assert!(answer.contains("\"result\""), "{answer}");
        answer
    }

    fn timed(&mut self, name: &str, arguments: &Value) -> Duration {
        let start = Instant::now();
        self.tool(name, arguments);
        start.elapsed()
    }
}

/// A server that answers at once, with many tools.
fn server() {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(request) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let (Some(id), Some(method)) = (request.get("id"), request.get("method").and_then(Value::as_str))
        else {
            continue;
        };
        let answer = match method {
            "initialize" => r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}"#.to_owned(),
            "tools/list" => format!(r#""result":{{"tools":[{}]}}"#, tools()),
            "tools/call" => r#""result":{"content":[{"type":"text","text":"done"}]}"#.to_owned(),
            _ => r#""error":{"code":-32601,"message":"no such method"}"#.to_owned(),
        };
        if writeln!(stdout, r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)
            .and_then(|()| stdout.flush())
            .is_err()
        {
            return;
        }
    }
}

/// Made-up tools: descriptions of about 20 words and four parameters, from a vocabulary of which few words are common.
fn tools() -> String {
    let mut seed: u64 = 7;
    let mut number = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed >> 33
    };
    let mut words = move |count: usize| -> String {
        const COMMON: [&str; 12] = [
            "get", "create", "list", "send", "message", "order", "update", "search", "user", "file", "the",
            "of",
        ];
        let mut word = || match number() % 3 {
            0 => usize::try_from(number() % 12)
                .ok()
                .and_then(|at| COMMON.get(at))
                .map_or_else(String::new, |word| (*word).to_owned()),
            1 => format!("word{}", number() % 200),
            _ => format!("word{}", number() % 20_000),
        };
        (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
    };
    let mut text = String::new();
    for nth in 0..TOOLS {
        let comma = if nth == 0 { "" } else { "," };
        let description = words(20);
        let parameters: Vec<String> = (0..4)
            .map(|at| {
                format!(
                    r#""{}_{at}":{{"type":"string","description":"{}"}}"#,
                    words(2).replace(' ', "_"),
                    words(6)
                )
            })
            .collect();
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            r#"{comma}{{"name":"tool_{nth}","description":"{description}","inputSchema":{{"type":"object","properties":{{{}}}}}}}"#,
            parameters.join(",")
        );
    }
    text
}
