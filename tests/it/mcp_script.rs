//! Small servers that do what real ones never do. Each is a run of this very test program, which a configuration names
//! as its command; what the test harness prints before it is noise, as some real servers make it.
//!
//! `SCRIPT` names a file that holds the behaviour, so that it can change while the definition stays; `PIDS` names one
//! to which everything that is started adds its number, and when it was started: numbers are used again.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::run::{LIMIT, Run};
use super::support::tree::Tree;

/// How much a healthy server has of everything.
pub(crate) const HEALTHY: [u64; 4] = [3, 2, 1, 2];

/// Configures servers of these names in the project, each with its behaviour.
pub(crate) fn configure(tree: &mut Tree, servers: &[(&str, &str)]) {
    configure_in(tree, "project/.mcp.json", servers);
}

/// The same in another file.
pub(crate) fn configure_in(tree: &mut Tree, file: &str, servers: &[(&str, &str)]) {
    let program = std::env::current_exe().expect("this program has a path");
    let mut all = serde_json::Map::new();
    for (name, behaviour) in servers {
        let script = script(tree, name);
        fs::create_dir_all(script.parent().expect("a directory")).expect("it is made");
        fs::write(&script, behaviour).expect("it is written");
        let definition = json!({
            "command": program,
            "args": ["--exact", "mcp_script::server", "--ignored", "--nocapture"],
            "env": {"SCRIPT": script, "PIDS": tree.path("pids"), "TOKEN": "hunter2-hunter2"},
        });
        all.insert((*name).to_owned(), definition);
    }
    let text = json!({"mcpServers": all}).to_string();
    tree.write(file, text.into_bytes());
}

/// The file that holds a server's behaviour.
pub(crate) fn script(tree: &Tree, name: &str) -> std::path::PathBuf {
    let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    tree.path("scripts").join(name)
}

/// What was started and still runs. One that has ended and that nobody has waited for does not run.
pub(crate) fn left(tree: &Tree) -> Vec<String> {
    let Ok(pids) = fs::read_to_string(tree.path("pids")) else {
        return Vec::new();
    };
    pids.lines().filter(|pid| runs(pid)).map(str::to_owned).collect()
}

/// How many were started.
pub(crate) fn started(tree: &Tree) -> usize {
    fs::read_to_string(tree.path("pids")).map_or(0, |pids| pids.lines().count())
}

/// A project with servers. None of them runs out of time because the machine is busy.
pub(crate) fn project(servers: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(
        "-- project/.git/ --\n-- home/.aleph/aleph.toml --\n[mcp_client]\nstart_timeout = \"50s\"\n\
         request_timeout = \"50s\"\nmax_message_bytes = 65536\n",
    );
    configure(&mut tree, servers);
    tree
}

pub(crate) fn run(tree: &Tree, args: &[&str]) -> Run {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let run = tree.aleph(args).env("PATH", path).run();
    assert_eq!(
        left(tree),
        Vec::<String>::new(),
        "something is left running\n{run}"
    );
    run
}

/// The entry of a server in an answer.
pub(crate) fn asked<'a>(answer: &'a Value, server: &str) -> &'a Value {
    let servers = answer["servers"].as_array().expect("servers");
    servers
        .iter()
        .find(|one| one["server"] == server)
        .expect("it was asked")
}

pub(crate) fn counts(answer: &Value, server: &str) -> [u64; 4] {
    let server = asked(answer, server);
    ["tools", "resources", "templates", "prompts"].map(|list| server[list].as_u64().expect("a number"))
}

pub(crate) fn approve(tree: &Tree, server: &str) {
    run(tree, &["mcp", "approve", server, "--yes"]).exits(0);
}

fn runs(noted: &str) -> bool {
    let (pid, begun) = noted.split_once(' ').unwrap_or((noted, ""));
    if Path::new("/proc/self/stat").exists() {
        let facts = facts(pid);
        let [state, .., flags, now_begun] = facts.as_slice() else {
            return false;
        };
        // Another may have its number. And what is on its way out does not run, whenever the kernel gets to it: one
        // that ends, and one that was killed.
        let is_ending = flags.parse::<u64>().expect("a number") & 4 != 0;
        return now_begun == begun && !state.starts_with(['Z', 'X']) && !is_ending && !is_killed(pid);
    }
    let ps = Command::new("ps")
        .args(["-o", "state=", "-p", pid])
        .output()
        .expect("there is ps");
    let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// The state of a process, its flags, and when it was started; nothing of one that is gone.
fn facts(pid: &str) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The first is what follows the name, which is in parentheses.
    let fields: Vec<&str> = stat
        .rsplit_once(") ")
        .map_or_else(Vec::new, |(_, rest)| rest.split(' ').collect());
    [0, 6, 19]
        .into_iter()
        .filter_map(|nth| fields.get(nth).map(|field| (*field).to_owned()))
        .collect()
}

/// Whether the signal that no process survives was sent to it.
fn is_killed(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
    // The lowest bit is signal 1.
    pending.is_some_and(|set| u64::from_str_radix(set.trim(), 16).expect("a set of signals") & (1 << 8) != 0)
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The number of a process, and when it was started where that can be told.
fn noted(pid: u32) -> String {
    let begun = facts(&pid.to_string()).pop().unwrap_or_default();
    format!("{pid} {begun}").trim_end().to_owned()
}

fn note_pid(pid: u32) {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(variable("PIDS"))
        .expect("a file for numbers");
    file.write_all(format!("{}\n", noted(pid)).as_bytes())
        .expect("it is noted");
}

fn say(text: &str) {
    say_bytes(text.as_bytes());
}

fn say_bytes(text: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    // Whoever listened may have gone.
    if stdout.write_all(text).and_then(|()| stdout.flush()).is_err() {
        exit(0);
    }
}

fn complain(text: &str) {
    // Whoever listened may have gone.
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

fn answer(id: &Value, result: &Value) {
    say(&format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": id, "result": result})
    ));
}

fn wait_for_ever() -> ! {
    loop {
        sleep(Duration::from_secs(60));
    }
}

/// Waits until so many servers run.
fn wait_for_others(count: usize) {
    let until = Instant::now() + LIMIT;
    let started = || fs::read_to_string(variable("PIDS")).map_or(0, |pids| pids.lines().count());
    while started() < count {
        assert!(Instant::now() < until, "the others are not started");
        sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_killed_does_not_run_nor_does_another_of_its_number() {
    let mut child = Command::new("sleep").arg("600").spawn().expect("there is sleep");
    let noted = noted(child.id());
    assert!(runs(&noted), "{noted}");
    assert!(!runs(&format!("{} 1", child.id())));
    child.kill().expect("it can be killed");
    assert!(!runs(&noted), "{noted}");
    child.wait().expect("it ends");
    assert!(!runs(&noted), "{noted}");
}

#[test]
#[ignore = "runs only as a part of other tests"]
fn server() {
    if variable("SCRIPT").is_empty() {
        return;
    }
    note_pid(std::process::id());
    let behaviour = fs::read_to_string(variable("SCRIPT")).expect("there is a script");
    let behaviour = behaviour.trim();
    complain(&format!("I am {behaviour}, my token is {}", variable("TOKEN")));
    match behaviour {
        "ends at start" => exit(3),
        "mute" => wait_for_ever(),
        "floods at start" => loop {
            say(&format!("{}\n", "y".repeat(60_000)));
        },
        "has a grandchild" | "has a grandchild and ignores everything" => {
            let mut command = Command::new("sh");
            command.args(["-c", "trap '' TERM HUP INT; while :; do sleep 1; done"]);
            let child = command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            note_pid(child.expect("it starts").id());
        }
        "waits for forty" => wait_for_others(40),
        _ => {}
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(asked) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let Some(id) = asked.get("id") else { continue };
        let params = match asked.get("result") {
            Some(answer) => answer,
            None => &asked["params"],
        };
        respond(
            behaviour,
            asked["method"].as_str().unwrap_or_default(),
            id,
            params,
        );
    }
    if behaviour.contains("ignores everything") || behaviour == "ignores the end of its input" {
        wait_for_ever();
    }
    exit(0);
}

fn respond(behaviour: &str, method: &str, id: &Value, params: &Value) {
    if behaviour == "talks garbage" {
        say("{\"jsonrpc\": \u{fffd}\n[1, 2\n\n\0\n{\"id\": 7}\n\"text\"\n");
    }
    if behaviour == "writes what nobody knows"
        && let Some(written) = super::gateway_verbatim::written(method, id, params)
    {
        for message in written {
            say(&format!("{message}\n"));
        }
        return;
    }
    if behaviour == "writes odd things"
        && let Some(written) = super::gateway_odd::written(method, id, params)
    {
        for message in written {
            say_bytes(&[&*message, b"\r\n"].concat());
        }
        return;
    }
    match (behaviour, method) {
        (_, "initialize") => {
            let capabilities = match behaviour {
                "has tools only" => json!({"tools": {}}),
                _ => json!({"tools": {"listChanged": true}, "resources": {}, "prompts": {}}),
            };
            let server_info = json!({"name": "script", "version": "1"});
            let version = "2025-06-18";
            answer(
                id,
                &json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": server_info}),
            );
        }
        ("ends in mid-session", "resources/list") => {
            complain("out of memory");
            exit(7);
        }
        ("hangs in mid-session", "resources/list") => wait_for_ever(),
        ("floods in mid-session", "resources/list") => loop {
            let line = json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": "z".repeat(60_000)}});
            say(&format!("{line}\n"));
        },
        ("sends a huge message", "resources/list") => {
            answer(id, &json!({"resources": [], "padding": "p".repeat(100_000)}));
        }
        ("has no end of pages", "resources/list") => {
            let page: u64 = params["cursor"]
                .as_str()
                .map_or(0, |cursor| cursor.parse().expect("a cursor of mine"));
            answer(
                id,
                &json!({"resources": [], "nextCursor": (page + 1).to_string()}),
            );
        }
        ("repeats a page", "resources/list") => {
            answer(
                id,
                &json!({"resources": [{"uri": "a://1", "name": "one"}], "nextCursor": "again"}),
            );
        }
        ("answers with an error", "resources/list") => {
            let error = json!({"code": -32603, "message": "the database is closed"});
            say(&format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            ));
        }
        ("answers something else", "resources/list") => answer(id, &json!({"hello": "world"})),
        ("changes its mind", "tools/list") => {
            // What is said of changes in the middle of a list is no answer to it.
            say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
            answer(id, &tools());
            say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
        }
        (_, "tools/list") => answer(id, &tools()),
        ("says what nobody asked", "tools/call") => {
            let token = &params["_meta"]["progressToken"];
            for told in [
                json!({"jsonrpc": "2.0", "id": 987_654, "result": {"content": []}}),
                json!({"jsonrpc": "2.0", "id": "no such", "error": {"code": 1, "message": "no"}}),
                json!({"jsonrpc": "2.0", "id": null, "result": {}}),
                json!({"jsonrpc": "2.0", "id": 1.5, "result": {}}),
                json!([{"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "in a batch"}]}}]),
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "no such", "progress": 1}}),
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": "far"}}),
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
                json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": null}),
                json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": [1]}),
                json!({"jsonrpc": "2.0", "id": "q", "method": "no/such", "params": {}}),
            ] {
                say(&format!("{told}\n"));
            }
            for nth in 0..3 {
                let text = format!("answer {nth}");
                answer(id, &json!({"content": [{"type": "text", "text": text}]}));
            }
        }
        ("storms", "tools/call") => {
            for _ in 0..20_000 {
                say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
            }
            answer(id, &json!({"content": [{"type": "text", "text": "done"}]}));
        }
        ("ends when called", "tools/call") => {
            complain("segmentation fault");
            exit(7);
        }
        ("begins a task when called", "tools/call") => {
            let when = "2026-07-28T00:00:00Z";
            answer(
                id,
                &json!({"resultType": "task", "taskId": "7", "status": "working", "createdAt": when,
                    "lastUpdatedAt": when, "ttlMs": null}),
            );
        }
        ("logs on and on when called", "tools/call") if params["name"] == "tool_0" => loop {
            let line = json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": "still at it"}});
            say(&format!("{line}\n"));
            sleep(Duration::from_millis(100));
        },
        ("asks when called" | "asks on and on when called", "tools/call") if params["name"] == "tool_0" => {
            let times = if behaviour == "asks when called" { 1 } else { 1_000 };
            for nth in 0..times {
                let question =
                    json!({"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}});
                say(&format!(
                    "{}\n",
                    json!({"jsonrpc": "2.0", "id": format!("question {nth}"), "method": "elicitation/create",
                        "params": question})
                ));
            }
        }
        ("hangs when called" | "has a grandchild and ignores everything", "tools/call") => {
            note_pid(std::process::id());
            wait_for_ever();
        }
        (_, "tools/call") => answer(
            id,
            &json!({"content": [{"type": "text", "text": format!("{} {}", params["name"], params["arguments"])}]}),
        ),
        ("has many resources", "resources/list") => {
            let entry = |nth: usize| json!({"uri": format!("a://{nth}"), "name": nth.to_string()});
            answer(id, &json!({"resources": (0..501).map(entry).collect::<Vec<_>>()}));
        }
        (_, "resources/list") => answer(
            id,
            &json!({"resources": [
                {"uri": "note://a:b", "name": "a", "mimeType": "text/plain", "description": "\u{1b}[31mred"},
                {"uri": "bytes://c", "name": "c", "title": "See"},
            ]}),
        ),
        (_, "resources/templates/list") => {
            answer(
                id,
                &json!({"resourceTemplates": [{"uriTemplate": "note://{name}", "name": "note"}]}),
            );
        }
        (_, "prompts/list") => answer(
            id,
            &json!({"prompts": [
                {"name": "review: all", "description": "Reviews", "arguments": [{"name": "number", "required": true}]},
                {"name": "plain"},
            ]}),
        ),
        (_, "resources/read") => match params["uri"].as_str() {
            Some("note://a:b") => answer(
                id,
                &json!({"contents": [{"uri": "note://a:b", "mimeType": "text/plain", "text": "line\n\u{1b}[31mred\ttab\n"}]}),
            ),
            Some("bytes://c") => {
                answer(
                    id,
                    &json!({"contents": [{"uri": "bytes://c", "mimeType": "image/png", "blob": "AAEC"}]}),
                );
            }
            _ => {
                let error = json!({"code": -32002, "message": "Resource not found"});
                say(&format!(
                    "{}\n",
                    json!({"jsonrpc": "2.0", "id": id, "error": error})
                ));
            }
        },
        (_, "prompts/get") => {
            let text = format!(
                "{} {}",
                params["name"].as_str().unwrap_or_default(),
                params["arguments"]["number"]
            );
            answer(
                id,
                &json!({"description": "Reviews", "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}),
            );
        }
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            say(&format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            ));
        }
    }
}

fn tools() -> Value {
    let tool = |nth: usize| json!({"name": format!("tool_{nth}"), "description": format!("does thing {nth}"), "inputSchema": {"type": "object"}});
    json!({"tools": (0..3).map(tool).collect::<Vec<_>>()})
}
