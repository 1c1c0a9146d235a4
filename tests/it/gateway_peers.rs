//! The gateway between clients and servers that nobody here wrote.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::gateway_http::Listening;
use super::mcp_peers::{peers, server, without_times};
use super::support::skipped;
use super::support::tree::Tree;

/// A client of an official SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// The TypeScript SDK of the first generation: up to 2025-11-25.
    TypeScript1,
    /// That of the second generation, held to 2026-07-28.
    TypeScript2,
    /// The Python SDK, held to the older revisions.
    PythonLegacy,
    /// The Python SDK as it comes: 2026-07-28 where the server speaks it.
    PythonAuto,
}

impl Driver {
    pub(super) const ALL: [Self; 4] = [
        Self::TypeScript1,
        Self::TypeScript2,
        Self::PythonLegacy,
        Self::PythonAuto,
    ];

    const fn is_legacy(self) -> bool {
        matches!(self, Self::TypeScript1 | Self::PythonLegacy)
    }

    /// Takes steps at a server.
    pub(super) fn drive(self, peers: &Path, how: &Value, steps: &Value) -> Value {
        let script = |name: &str| {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/peers")
                .join(name)
        };
        let mut command = match self {
            Self::TypeScript1 | Self::TypeScript2 => {
                let mut command = Command::new("node");
                let generation = if self == Self::TypeScript1 { "1" } else { "2" };
                command.arg(script("drive.mjs")).arg(peers).arg(generation);
                command
            }
            Self::PythonLegacy | Self::PythonAuto => {
                let mut command = Command::new(peers.join("python/bin/python"));
                let mode = if self == Self::PythonLegacy {
                    "legacy"
                } else {
                    "auto"
                };
                command.arg(script("drive.py")).arg(mode);
                command
            }
        };
        let output = command
            .args([how, steps].map(Value::to_string))
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{self:?} failed: {errors}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{self:?}: {error}\n{errors}"))
    }
}

/// The peers, with Python among them.
pub(super) fn all_peers(test: &str) -> Option<PathBuf> {
    let peers = peers(test)?;
    if peers.join("python/installed").is_file() {
        return Some(peers);
    }
    let why = "the Python client is not installed: run tests/peers/install";
    assert!(
        std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "in CI this has to run: {why}"
    );
    skipped(test, why);
    None
}

pub(super) struct Bench {
    pub(super) tree: Tree,
    pub(super) peers: PathBuf,
}

impl Bench {
    /// Both official servers behind the gateway, approved.
    pub(super) fn new(peers: PathBuf) -> Self {
        let mut tree = Tree::new(
            "-- project/.git/ --\n-- home/.aleph/ --\n-- files/a.txt --\none\n-- files/b/c.txt --\ntwo\n",
        );
        let servers = json!({"mcpServers": {
            "everything": Self::everything(&peers),
            "files": Self::files(&peers, &tree),
        }});
        tree.write("home/.aleph/.mcp.json", servers.to_string().into_bytes());
        for name in ["everything", "files"] {
            tree.aleph(["mcp", "approve", name, "--yes"]).run().exits(0);
        }
        Self { tree, peers }
    }

    pub(super) fn everything(peers: &Path) -> Value {
        json!({"command": "node", "args": [server(peers, "server-everything"), "stdio"]})
    }

    fn files(peers: &Path, tree: &Tree) -> Value {
        json!({"command": "node", "args": [server(peers, "server-filesystem"), tree.path("files")]})
    }

    /// A server reached without the gateway, with no more of the environment than the gateway gives it.
    fn direct(&self, server: &Value) -> Value {
        let given = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            let is_given = ["PATH", "LANG", "LANGUAGE"].contains(&name.as_str()) || name.starts_with("LC_");
            is_given.then(|| format!("{name}={}", value.to_string_lossy()))
        });
        // `env`, since clients add to the environment that they are told.
        let mut args: Vec<String> = vec!["-i".to_owned(), format!("HOME={}", self.tree.text("home"))];
        args.extend(given);
        args.push(server["command"].as_str().expect("a command").to_owned());
        let own = server["args"].as_array().expect("arguments");
        args.extend(own.iter().filter_map(Value::as_str).map(str::to_owned));
        json!({"command": "env", "args": args})
    }

    /// How a client is told to reach the gateway: nothing but `serve`.
    pub(super) fn gateway(&self) -> Value {
        json!({
            "command": env!("CARGO_BIN_EXE_aleph-discover"),
            "args": ["-C", self.tree.path("project"), "serve"],
            "env": {"HOME": self.tree.path("home"), "ALEPH_HOME": self.tree.path("home/.aleph")},
        })
    }

    /// Calls of every tool of a server, and calls that fail.
    fn calls(&self, server: &str) -> Vec<(&'static str, Value)> {
        let file = |name: &str| self.tree.path("files").join(name);
        match server {
            "everything" => vec![
                ("echo", json!({"message": "h\u{e9} \u{1f600}"})),
                (
                    "get-annotated-message",
                    json!({"messageType": "error", "includeImage": true}),
                ),
                ("get-env", json!({})),
                ("get-resource-links", json!({"count": 3})),
                (
                    "get-resource-reference",
                    json!({"resourceType": "Text", "resourceId": 2}),
                ),
                (
                    "get-resource-reference",
                    json!({"resourceType": "Blob", "resourceId": 1}),
                ),
                ("get-resource-reference", json!({"resourceId": 0})),
                ("get-structured-content", json!({"location": "Chicago"})),
                ("get-sum", json!({"a": 2, "b": 0.5})),
                ("get-sum", json!({"a": "two"})),
                ("get-tiny-image", json!({})),
                (
                    "gzip-file-as-resource",
                    json!({"name": "x.gz", "data": "data:text/plain,hello", "outputType": "resource"}),
                ),
                // It runs as a task of 2025-11-25, and this calls it as if it did not.
                ("simulate-research-query", json!({"topic": "rivers"})),
                ("toggle-simulated-logging", json!({})),
                ("toggle-simulated-logging", json!({})),
                (
                    "trigger-long-running-operation",
                    json!({"duration": 0.2, "steps": 2}),
                ),
                ("toggle-subscriber-updates", json!({})),
            ],
            _ => vec![
                ("read_file", json!({"path": file("a.txt")})),
                ("read_text_file", json!({"path": file("a.txt"), "head": 1})),
                ("read_text_file", json!({"path": "/etc/passwd"})),
                ("read_media_file", json!({"path": file("a.txt")})),
                (
                    "read_multiple_files",
                    json!({"paths": [file("a.txt"), file("none.txt")]}),
                ),
                ("list_directory", json!({"path": file("")})),
                ("list_directory_with_sizes", json!({"path": file("")})),
                ("directory_tree", json!({"path": file("")})),
                ("search_files", json!({"path": file(""), "pattern": "**/*.txt"})),
                ("list_allowed_directories", json!({})),
                ("create_directory", json!({"path": file("b")})),
                ("write_file", json!({"path": file("b/c.txt"), "content": "two\n"})),
                (
                    "edit_file",
                    json!({"path": file("a.txt"), "edits": [{"oldText": "one", "newText": "two"}], "dryRun": true}),
                ),
                (
                    "move_file",
                    json!({"source": file("none"), "destination": file("other")}),
                ),
                ("get_file_info", json!({"path": file("none.txt")})),
            ],
        }
    }
}

/// Results without what our answer has for its own revision of the protocol.
fn plain(answer: Value) -> Value {
    // Python writes a whole number that it holds as a fraction as 1.0.
    let mut answer = with_fractions(answer);
    if let Some(object) = answer.as_object_mut() {
        object.remove("resultType");
        if object.get("isError") == Some(&json!(false)) {
            object.remove("isError");
        }
        if let Some(meta) = object.get_mut("_meta").and_then(Value::as_object_mut) {
            meta.remove("io.modelcontextprotocol/serverInfo");
            if meta.is_empty() {
                object.remove("_meta");
            }
        }
    }
    answer
}

/// The same without what differs between two calls of a tool by its nature.
fn comparable(tool: &str, answer: &Value) -> Value {
    let mut answer = plain(answer.clone());
    match tool {
        // The order of an environment means nothing.
        "get-env" => {
            let text = answer["content"][0]["text"].as_str().unwrap_or_default();
            let variables: Value =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {answer}"));
            answer["content"][0]["text"] = variables;
        }
        // The resource says at what time it was made.
        "get-resource-reference" => {
            if let Some(resource) = answer.pointer_mut("/content/1/resource") {
                for key in ["text", "blob"] {
                    if let Some(content) = resource.get_mut(key) {
                        *content = without_times(content);
                    }
                }
            }
        }
        _ => {}
    }
    answer
}

/// All numbers as fractions.
fn with_fractions(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(elements) => elements.into_iter().map(with_fractions).collect(),
        Value::Object(object) => {
            let entries = object
                .into_iter()
                .map(|(key, value)| (key, with_fractions(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}

#[test]
fn every_client_finds_describes_and_calls_every_tool_and_results_equal_a_direct_connections() {
    let Some(peers) = all_peers("every_client_finds_describes_and_calls_every_tool") else {
        return;
    };
    let bench = Bench::new(peers);
    for name in ["everything", "files"] {
        let calls = bench.calls(name);
        let how = bench.direct(&match name {
            "everything" => Bench::everything(&bench.peers),
            _ => Bench::files(&bench.peers, &bench.tree),
        });
        let mut direct: Vec<Value> = calls
            .iter()
            .map(|(tool, arguments)| json!({"call": tool, "arguments": arguments}))
            .collect();
        // Last, since a client that knows that a tool runs as a task refuses to call it otherwise.
        direct.push(json!({"list": true}));
        // Both servers speak the older revisions, so the clients of the newer one cannot reach them themselves.
        let [truth, again] = [Driver::TypeScript1, Driver::PythonLegacy].map(|driver| {
            let answers = driver.drive(&bench.peers, &how, &json!(direct));
            answers["steps"].as_array().expect("answers").clone()
        });
        for (((tool, arguments), one), other) in calls.iter().zip(&truth).zip(&again) {
            assert_eq!(
                comparable(tool, one),
                comparable(tool, other),
                "{name} {tool} {arguments}"
            );
        }
        let tools = truth.last().and_then(Value::as_array).expect("a list").clone();
        for tool in &tools {
            assert!(
                calls.iter().any(|(called, _)| tool["name"] == *called),
                "{name} has a tool that is not called: {tool}"
            );
        }
        for driver in Driver::ALL {
            let mut steps = Vec::new();
            for tool in &tools {
                let own = tool["name"].as_str().expect("a name");
                steps.push(
                    json!({"call": "tool_search", "arguments": {"query": format!("select:{name}__{own}")}}),
                );
                steps.push(
                    json!({"call": "get_tool_schema", "arguments": {"name": format!("{name}__{own}")}}),
                );
            }
            for (tool, arguments) in &calls {
                let call = json!({"name": format!("{name}__{tool}"), "arguments": arguments});
                steps.push(json!({"call": "call_tool", "arguments": call}));
            }
            let answers = driver.drive(&bench.peers, &bench.gateway(), &json!(steps));
            let answers = answers["steps"].as_array().expect("answers");
            for (tool, pair) in tools.iter().zip(answers.chunks(2)) {
                let [found, described] = pair else {
                    panic!("two answers a tool")
                };
                assert_eq!(
                    found["structuredContent"]["count"], 1,
                    "{driver:?} {tool} {found}"
                );
                let described = &described["structuredContent"];
                assert_eq!(described["parameters"], tool["inputSchema"], "{driver:?}");
                assert_eq!(described["description"], tool["description"], "{driver:?}");
            }
            let rest = &answers[tools.len() * 2..];
            for (((tool, arguments), ours), theirs) in calls.iter().zip(rest).zip(&truth) {
                assert_eq!(
                    comparable(tool, ours),
                    comparable(tool, theirs),
                    "{driver:?} {name} {tool} {arguments}"
                );
            }
            assert_eq!(rest.len(), calls.len(), "{driver:?}");
        }
    }
}

#[test]
fn promoted_tools_appear_with_one_change_for_older_clients_and_never_for_newer_ones() {
    let Some(peers) = all_peers("promoted_tools_appear_with_one_change") else {
        return;
    };
    let bench = Bench::new(peers);
    for driver in Driver::ALL {
        // Newer clients are told of no change: what does not come is waited for in vain.
        let told = if driver.is_legacy() {
            json!({"change": 60_000})
        } else {
            json!({"quiet": 1_000})
        };
        let steps = json!([
            {"call": "tool_search", "arguments": {"query": "zzz qqq"}},
            {"quiet": 1_000},
            {"list": true},
            {"call": "tool_search", "arguments": {"query": "server:files file", "limit": 4}},
            told,
            {"list": true},
            // The same once more changes nothing.
            {"call": "tool_search", "arguments": {"query": "server:files file", "limit": 4}},
            {"quiet": 1_000},
        ]);
        let answers = driver.drive(&bench.peers, &bench.gateway(), &steps);
        let names = |nth: usize| -> Vec<String> {
            let list = answers["steps"][nth].as_array().expect("a list");
            list.iter()
                .map(|tool| tool["name"].as_str().unwrap().to_owned())
                .collect()
        };
        let before = answers["steps"][1].as_u64().unwrap();
        let after = answers["steps"][4].as_u64().unwrap();
        assert_eq!(answers["steps"][7], after, "{driver:?}");
        if driver.is_legacy() {
            assert_eq!(after - before, 1, "{driver:?}");
            assert_eq!(names(5).len(), names(2).len() + 4, "{driver:?}");
        } else {
            assert_eq!(after - before, 0, "{driver:?}");
            assert_eq!(names(5), names(2), "{driver:?}");
        }
    }
}

#[test]
fn progress_reaches_the_client() {
    let Some(peers) = all_peers("progress_reaches_the_client") else {
        return;
    };
    let bench = Bench::new(peers);
    let long = json!({"duration": 0.4, "steps": 4});
    let steps = json!([
        {"call": "call_tool", "progress": true, "arguments": {"name": "everything__trigger-long-running-operation", "arguments": long}},
    ]);
    for driver in [Driver::TypeScript1, Driver::TypeScript2] {
        let answers = driver.drive(&bench.peers, &bench.gateway(), &steps);
        let heard = answers["steps"][0]["progress"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        // These clients forget who wants progress as soon as an answer is there, and so may miss what came with it.
        let expected = [json!(1), json!(2), json!(3), json!(4)];
        assert!(
            heard.len() >= 3 && expected.starts_with(&heard),
            "{driver:?} {answers}"
        );
    }
}

#[test]
fn clients_of_both_generations_come_in_over_http() {
    let Some(peers) = all_peers("clients_of_both_generations_come_in_over_http") else {
        return;
    };
    let mut bench = Bench::new(peers);
    let rules = "[[trigger]]\nhub = \"everything__echo\"\noperation_argument = \"message\"\noperation = \"open\"\nunlocks = [\"everything__get-sum\"]\n";
    bench.tree.write("home/.aleph/disclosure.toml", rules.as_bytes());
    let listening = Listening::new(&bench.tree, None);
    let how = json!({"url": format!("http://{}/mcp", listening.address), "token": listening.token});
    let call = |name: &str, arguments: Value| json!({"call": "call_tool", "arguments": {"name": name, "arguments": arguments}});
    let steps = json!([
        call("everything__get-sum", json!({"a": 1, "b": 2})),
        call("everything__echo", json!({"message": "open"})),
        call("everything__get-sum", json!({"a": 1, "b": 2})),
        call("files__list_allowed_directories", json!({})),
    ]);
    // A session of an older revision is a handle of its own.
    for _ in 0..2 {
        let answers = Driver::TypeScript1.drive(&bench.peers, &how, &steps);
        assert_eq!(answers["steps"][0]["isError"], true, "{answers}");
        assert_eq!(
            answers["steps"][1]["_meta"]["aleph/unlocked"]["newly_discovered"][0]["tool"],
            "everything__get-sum"
        );
        assert!(answers["steps"][2].to_string().contains("is 3"), "{answers}");
        assert!(answers["steps"][3].to_string().contains("files"), "{answers}");
    }
    // 2026-07-28 has no session: the first answer hands out a handle.
    let answers = Driver::TypeScript2.drive(&bench.peers, &how, &steps);
    assert_eq!(answers["steps"][0]["isError"], true, "{answers}");
    assert_eq!(
        answers["steps"][2]["isError"], true,
        "nothing is unlocked without the handle: {answers}"
    );
    let handle = answers["steps"][1]["_meta"]["aleph/unlocked"]["handle"].clone();
    let steps = json!([
        {"list": true},
        {"call": "call_tool", "arguments": {"name": "everything__get-sum", "arguments": {"a": 1, "b": 2}, "handle": handle}},
    ]);
    let answers = Driver::TypeScript2.drive(&bench.peers, &how, &steps);
    assert!(answers["steps"][1].to_string().contains("is 3"), "{answers}");
}

#[test]
fn the_official_inspector_lists_and_calls() {
    let Some(peers) = all_peers("the_official_inspector_lists_and_calls") else {
        return;
    };
    let bench = Bench::new(peers);
    let inspector = bench
        .peers
        .join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let inspect = |args: &[&str]| {
        let output = Command::new("node")
            .arg(&inspector)
            .arg("--cli")
            .arg(env!("CARGO_BIN_EXE_aleph-discover"))
            .args([
                "-C",
                &bench.tree.text("project"),
                "--home",
                &bench.tree.text("home"),
            ])
            .arg("serve")
            .args(args)
            .env("HOME", bench.tree.path("home"))
            .output()
            .expect("node runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}\n{text}\n{errors}"))
    };
    let list = inspect(&["--method", "tools/list"]);
    assert!(list.to_string().contains("\"tool_search\""), "{list}");
    let found = inspect(&[
        "--method",
        "tools/call",
        "--tool-name",
        "tool_search",
        "--tool-arg",
        "query=echo",
    ]);
    assert!(found.to_string().contains("everything__echo"), "{found}");
    let call = [
        "--tool-arg",
        "name=everything__echo",
        "arguments={\"message\":\"hi\"}",
    ];
    let args: Vec<&str> = ["--method", "tools/call", "--tool-name", "call_tool"]
        .into_iter()
        .chain(call)
        .collect();
    assert!(inspect(&args).to_string().contains("Echo: hi"));
}
