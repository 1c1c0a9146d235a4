//! What servers have that nobody here wrote, item for item as the official client sees it, over stdio and over HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use serde_json::{Value, json};

use super::support::run::LIMIT;
use super::support::skipped;
use super::support::tree::Tree;

/// Where `tests/peers/install` puts the peers; none, said loudly, where they are not there. In CI they have to be.
pub(crate) fn peers(test: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
        PathBuf::from,
    );
    let peers = target.join("peers");
    let node = Command::new("node")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let why = match node {
        Ok(status) if !status.success() => "node does not run",
        Err(_) => "there is no node",
        Ok(_) if !peers.join("installed").is_file() => "the peers are not installed: run tests/peers/install",
        Ok(_) => return Some(peers),
    };
    assert!(
        std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "in CI this has to run: {why}"
    );
    skipped(test, why);
    None
}

/// Arguments for prompts of the server `everything`, and resources that only its templates lead to.
fn asked() -> (Value, Value) {
    let prompts = json!({
        "simple-prompt": {},
        "args-prompt": {"city": "Rome = Roma", "state": "Lazio"},
        "completable-prompt": {"department": "Engineering", "name": "Alice"},
    });
    (prompts, json!(["demo://resource/dynamic/blob/1"]))
}

/// What the official client sees.
fn truth(peers: &Path, server: &Value, prompts: &Value, uris: &Value) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/truth.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(peers)
        .args([server, prompts, uris].map(Value::to_string))
        .output()
        .expect("node runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the official client failed: {errors}");
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

struct Asker {
    tree: Tree,
}

impl Asker {
    /// A project with one server that is approved.
    fn new(definition: &Value) -> Self {
        let mut tree = Tree::new("-- project/.git/ --\n-- files/a.txt --\none\n-- files/b/c.txt --\ntwo\n");
        let definition = definition.to_string().replace("[ROOT]", &tree.text(""));
        let text = format!("{{\"mcpServers\": {{\"peer\": {definition}}}}}");
        tree.write("project/.mcp.json", text.into_bytes());
        let asker = Self { tree };
        asker.json(&["mcp", "approve", "peer", "--yes"]);
        asker
    }

    fn json(&self, args: &[&str]) -> Value {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let args = args.iter().chain(&["--json"]);
        self.tree.aleph(args).env("PATH", path).run().exits(0).json()
    }

    /// Compares everything with what the official client sees.
    fn sees(&self, truth: &Value, prompts: &Value) {
        let listed = self.json(&["mcp", "resources"]);
        let facts = ["name", "title", "description", "mimeType"];
        assert_eq!(
            ours(&listed["resources"], "uri"),
            theirs(&truth["resources"], "uri", &facts)
        );
        let listed = self.json(&["mcp", "templates"]);
        assert_eq!(
            ours(&listed["templates"], "uri_template"),
            theirs(&truth["templates"], "uriTemplate", &facts)
        );
        let listed = self.json(&["mcp", "prompts"]);
        let facts = ["title", "description"];
        assert_eq!(
            ours(&listed["prompts"], "name"),
            theirs(&truth["prompts"], "name", &facts)
        );
        for (ours, theirs) in array(&listed["prompts"]).iter().zip(array(&truth["prompts"])) {
            let arguments = theirs["arguments"].as_array().cloned().unwrap_or_default();
            let theirs: Vec<_> = arguments
                .iter()
                .map(|one| json!([one["name"], one["description"], one["required"] == true]))
                .collect();
            let ours: Vec<_> = array(&ours["arguments"])
                .iter()
                .map(|one| json!([one["name"], one["description"], one["required"]]))
                .collect();
            assert_eq!(ours, theirs);
        }
        for (uri, contents) in truth["read"].as_object().expect("an object") {
            let read = self.json(&["mcp", "read", &format!("peer:{uri}")]);
            let mut parts = vec![json!([read["content"], read["content_type"], read["mime_type"]])];
            parts.extend(
                array(&read["more"])
                    .iter()
                    .map(|one| json!([one["content"], one["content_type"], one["mime_type"]])),
            );
            let theirs: Vec<_> = array(contents)
                .iter()
                .map(|one| match one.get("text") {
                    Some(text) => json!([without_times(text), "text", one["mimeType"]]),
                    None => json!([without_times(&one["blob"]), "binary", one["mimeType"]]),
                })
                .collect();
            for part in &mut parts {
                part[0] = without_times(&part[0]);
            }
            assert_eq!(parts, theirs, "{uri}");
        }
        for (name, got) in truth["got"].as_object().expect("an object") {
            let mut args = vec!["mcp".to_owned(), "prompt".to_owned(), format!("peer:{name}")];
            for (key, value) in prompts[name].as_object().expect("arguments") {
                args.push("--arg".to_owned());
                args.push(format!("{key}={}", value.as_str().expect("text")));
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ours = self.json(&args);
            assert_eq!(ours["messages"], got["messages"], "{name}");
            assert_eq!(
                ours["description"],
                got.get("description").cloned().unwrap_or_default()
            );
        }
        self.sees_tools(truth);
    }

    fn sees_tools(&self, truth: &Value) {
        let listed = self.json(&["tools", "list", "--live"]);
        assert_eq!(listed["quarantined"], 0);
        let ours: BTreeMap<&str, &str> = array(&listed["tools"])
            .iter()
            .map(|tool| {
                (
                    tool["tool"].as_str().unwrap(),
                    tool["description"].as_str().unwrap(),
                )
            })
            .collect();
        let theirs: BTreeMap<&str, &str> = array(&truth["tools"])
            .iter()
            .map(|tool| {
                (
                    tool["name"].as_str().unwrap(),
                    tool["description"].as_str().unwrap_or_default(),
                )
            })
            .collect();
        assert_eq!(ours, theirs);
        // Schemas in one run: exact names are found with all that they have.
        let names: Vec<&str> = array(&listed["tools"])
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        let query = format!("select:{}", names.join(","));
        let found = self.json(&["tools", "search", &query, "--limit", "100", "--live"]);
        assert_eq!(array(&found["results"]).len(), names.len());
        for hit in array(&found["results"]) {
            let theirs = array(&truth["tools"])
                .iter()
                .find(|tool| tool["name"] == hit["tool"])
                .expect("it is theirs");
            assert_eq!(hit["parameters"], theirs["inputSchema"], "{}", hit["name"]);
        }
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Ours under their keys; the server stands before what it names.
fn ours(entries: &Value, key: &str) -> Vec<Vec<Value>> {
    let one = |entry: &Value| {
        let named = entry[key]
            .as_str()
            .and_then(|name| name.strip_prefix("peer:"))
            .expect("it says whose it is");
        assert_eq!(
            (&entry["server"], &entry["stale"]),
            (&json!("peer"), &json!(false))
        );
        let mut facts = vec![named.into()];
        if key != "name" {
            facts.push(entry["name"].clone());
        }
        facts.extend([entry["title"].clone(), entry["description"].clone()]);
        if key != "name" {
            facts.push(entry["mime_type"].clone());
        }
        facts
    };
    array(entries).iter().map(one).collect()
}

fn theirs(entries: &Value, key: &str, facts: &[&str]) -> Vec<Vec<Value>> {
    let one = |entry: &Value| {
        let fact = |fact: &&str| entry.get(*fact).cloned().unwrap_or_default();
        std::iter::once(entry[key].clone())
            .chain(facts.iter().map(fact))
            .collect()
    };
    array(entries).iter().map(one).collect()
}

/// A content that says when it was made is another each time: from `created at` on it does not count.
pub(crate) fn without_times(content: &Value) -> Value {
    use base64::Engine;

    let text = content.as_str().unwrap_or_default();
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap_or_default();
    let decoded = String::from_utf8(bytes).unwrap_or_default();
    for text in [text, &decoded] {
        if let Some((before, _)) = text.split_once("created at") {
            return before.into();
        }
    }
    content.clone()
}

pub(crate) fn server(peers: &Path, name: &str) -> String {
    let script = peers
        .join("node_modules/@modelcontextprotocol")
        .join(name)
        .join("dist/index.js");
    script.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn the_server_everything_over_stdio() {
    let Some(peers) = peers("the_server_everything_over_stdio") else {
        return;
    };
    let definition = json!({"command": "node", "args": [server(&peers, "server-everything"), "stdio"]});
    let (prompts, uris) = asked();
    let truth = truth(&peers, &definition, &prompts, &uris);
    assert!(
        array(&truth["tools"]).len() > 5
            && array(&truth["resources"]).len() > 3
            && array(&truth["prompts"]).len() > 2
    );
    Asker::new(&definition).sees(&truth, &prompts);
}

#[test]
fn the_server_filesystem_over_stdio() {
    let Some(peers) = peers("the_server_filesystem_over_stdio") else {
        return;
    };
    let definition =
        json!({"command": "node", "args": [server(&peers, "server-filesystem"), "[ROOT]/files"]});
    let asker = Asker::new(&definition);
    let rooted = definition.to_string().replace("[ROOT]", &asker.tree.text(""));
    let rooted: Value = serde_json::from_str(&rooted).unwrap();
    let truth = truth(&peers, &rooted, &json!({}), &json!([]));
    assert!(array(&truth["tools"]).len() > 5);
    asker.sees(&truth, &json!({}));
}

/// A server that is ended when the test is over.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The server at a port that was free a moment ago; None where somebody else was faster to take it.
fn listening(peers: &Path, until: Instant) -> Option<(Ended, u16)> {
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port")
        .port();
    let mut child = Command::new("node")
        .args([&server(peers, "server-everything"), "streamableHttp"])
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node starts");
    let told = child.stderr.take().expect("it is piped");
    let mut running = Ended(child);
    let (tell, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(told).lines().map_while(Result::ok) {
            let _ = tell.send(line);
        }
    });
    // Whoever answers at the port may be another: what it says itself counts.
    loop {
        match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) if line.contains(&format!("listening on port {port}")) => return Some((running, port)),
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected) => {
                running.0.wait().expect("it has ended");
                return None;
            }
            Err(RecvTimeoutError::Timeout) => panic!("the server does not listen"),
        }
    }
}

#[test]
fn the_server_everything_over_http() {
    let Some(peers) = peers("the_server_everything_over_http") else {
        return;
    };
    let until = Instant::now() + LIMIT;
    let (_running, port) = loop {
        assert!(Instant::now() < until, "no port stays free");
        if let Some(listening) = listening(&peers, until) {
            break listening;
        }
    };
    let definition = json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp")});
    let (prompts, uris) = asked();
    let truth = truth(&peers, &definition, &prompts, &uris);
    assert!(array(&truth["tools"]).len() > 5);
    Asker::new(&definition).sees(&truth, &prompts);
}
