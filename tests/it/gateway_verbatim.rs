//! What a server writes that no SDK knows reaches clients of every revision and transport as it was written.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use super::gateway_client::{Served, once_settled, tree};
use super::gateway_http::Listening;
use super::support::tree::Tree;

/// What a server says to a request: notifications, and last its answer. All of it has fields of a revision to come.
pub(crate) fn written(method: &str, id: &Value, params: &Value) -> Option<Vec<Value>> {
    let answer = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    Some(match method {
        "tools/list" => vec![answer(json!({"tools": [definition()], "later": true}))],
        "tools/call" if params["arguments"]["fail"] == true => {
            vec![json!({"jsonrpc": "2.0", "id": id, "error": error()})]
        }
        "tools/call" if params["arguments"]["mute"] == true => Vec::new(),
        "tools/call" if params["arguments"]["floods"] == true => {
            let data = "z".repeat(1 << 20);
            let ask = json!({
                "jsonrpc": "2.0", "id": format!("ask-{id}"), "method": "elicitation/create", "params": question(),
            });
            let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": data}});
            let logs = std::iter::repeat_n(log, 20);
            std::iter::once(ask).chain(logs).collect()
        }
        "tools/call" if params["arguments"]["ask"] == true => vec![json!({
            "jsonrpc": "2.0", "id": format!("ask-{id}"), "method": "elicitation/create", "params": question(),
        })],
        // The answer to what it asked.
        "" => {
            let call: i64 = id.as_str()?.strip_prefix("ask-")?.parse().ok()?;
            let result = json!({"content": [{"type": "text", "text": params.to_string()}]});
            vec![json!({"jsonrpc": "2.0", "id": call, "result": result})]
        }
        "tools/call" => {
            let mut said = Vec::new();
            if let Some(token) = params["_meta"].get("progressToken") {
                let mut params = progress();
                params["progressToken"] = token.clone();
                said.push(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
            }
            said.push(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": log()}));
            said.push(answer(result()));
            said
        }
        "resources/read" => vec![answer(
            json!({"contents": [contents()], "later": {"a": 1}, "_meta": {"own/key": 2}}),
        )],
        "prompts/get" => vec![answer(json!({
            "description": "d", "messages": [message()], "later": {"a": 1}, "_meta": {"own/key": 2},
        }))],
        _ => return None,
    })
}

fn definition() -> Value {
    json!({
        "name": "strange", "title": "Strange", "description": "does strange things", "later": {"a": [1, 2.5]},
        "inputSchema": {"type": "object", "properties": {"fail": {"type": "boolean", "x-later": 1}}, "$later": null},
        "outputSchema": {"type": "object", "x-later": [null]},
        "annotations": {"readOnlyHint": true, "laterHint": "x"},
        "icons": [{"src": "data:,", "later": 1}],
        "execution": {"taskSupport": "optional", "later": 1},
        "_meta": {"own/key": {"b": null}},
    })
}

fn result() -> Value {
    json!({
        "content": [
            {"type": "text", "text": "t", "later": 1, "annotations": {"audience": ["user", "later"], "later": 2}},
            {"type": "hologram", "depth": 3.5},
            {"type": "image", "data": "aW1hZ2U=", "mimeType": "image/png", "later": [1]},
            {"type": "resource", "resource": {"uri": "a:b", "text": "t", "later": 1}, "later": 2},
            {"type": "resource_link", "uri": "a:c", "name": "c", "size": 7, "later": {}},
        ],
        "structuredContent": {
            "one": 1, "as float": 1.0, "large": 18_446_744_073_709_551_615_u64, "small": -0.1, "third": 0.333_333_333_333_333_3,
            "null": null, "last bit": [2.638344616030823e-256, 31.245270191439438, 121.48791951161945],
        },
        "isError": false,
        "later": {"deep": [null, {"er": 1}]},
        "_meta": {"own/key": [1, null], "later/key": 1},
    })
}

fn progress() -> Value {
    json!({"progress": 1, "total": 3, "message": "m", "later": [1], "_meta": {"own/key": 1}})
}

fn log() -> Value {
    json!({"level": "info", "logger": "l", "data": {"a": 1.0}, "later": 1, "_meta": {"own/key": 1}})
}

fn error() -> Value {
    json!({"code": -32_077, "message": "no", "data": {"why": [1, null], "later": 1.0}})
}

fn question() -> Value {
    json!({
        "mode": "later", "message": "Who?", "later": [1], "_meta": {"own/key": 1},
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "colour", "later": 1}}},
    })
}

/// What a client answers, of a revision to come.
fn answer() -> Value {
    json!({
        "action": "accept", "content": {"name": "Ada", "later": [1.0, null]}, "later": {"a": 1},
        "_meta": {"own/key": [1, null], "aleph/own": 1},
    })
}

fn contents() -> Value {
    json!({"uri": "note://a:b", "mimeType": "text/plain", "text": "line", "later": 1, "_meta": {"own/key": 1}})
}

fn message() -> Value {
    json!({"role": "user", "content": {"type": "hologram", "depth": 3}, "later": 1})
}

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A client of either revision, over either transport, that sees every message that it is sent.
pub(crate) enum Seer<'a> {
    Streams(Box<Served>, bool),
    Http(&'a Listening, Option<String>),
}

impl Seer<'_> {
    pub(crate) const fn is_modern(&self) -> bool {
        match self {
            Self::Streams(_, is_modern) => *is_modern,
            Self::Http(_, session) => session.is_none(),
        }
    }

    /// What is said to a request, the answer last.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Vec<Value> {
        let mut params = params;
        if self.is_modern() {
            let meta = params
                .as_object_mut()
                .expect("an object")
                .entry("_meta")
                .or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "t", "version": "1"});
            if meta.get("io.modelcontextprotocol/clientCapabilities").is_none() {
                meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            }
            meta["io.modelcontextprotocol/logLevel"] = json!("debug");
        }
        match self {
            Self::Streams(served, _) => served.hear(method, &params),
            Self::Http(listening, session) => {
                let bearer = format!("Bearer {}", listening.token);
                let name = params["name"].as_str().unwrap_or_default().to_owned();
                let mut headers = vec![("Host", listening.address.as_str()), ("Authorization", &bearer)];
                match session {
                    Some(session) => headers.extend([
                        ("Mcp-Session-Id", session.as_str()),
                        ("MCP-Protocol-Version", LEGACY),
                    ]),
                    None => {
                        headers.extend([("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)]);
                        if !name.is_empty() {
                            headers.push(("Mcp-Name", &name));
                        }
                    }
                }
                let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                let mut answer = String::new();
                listening
                    .post(&message, &headers)
                    .read_to_string(&mut answer)
                    .expect("it answers");
                let events = answer.lines().filter_map(|line| line.strip_prefix("data:"));
                let said: Vec<Value> = events
                    .filter_map(|event| serde_json::from_str(event).ok())
                    .collect();
                assert!(!said.is_empty(), "{answer}");
                said
            }
        }
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        once_settled(|| {
            let answer = self.ask("tools/call", params.clone()).pop().expect("an answer");
            answer.get("result").cloned().unwrap_or(answer)
        })
    }
}

/// A session over HTTP.
pub(crate) fn session(listening: &Listening) -> String {
    session_that_can(listening, &json!({}))
}

/// A session of a client that can do this.
fn session_that_can(listening: &Listening, capabilities: &Value) -> String {
    let bearer = format!("Bearer {}", listening.token);
    let headers = [("Host", listening.address.as_str()), ("Authorization", &bearer)];
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"},
    }});
    let mut answer = String::new();
    let mut stream = listening.post(&hello, &headers);
    stream.read_to_string(&mut answer).expect("it answers");
    let found = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("mcp-session-id")
            .then(|| value.trim().to_owned())
    });
    let session = found.unwrap_or_else(|| panic!("no session: {answer}"));
    let headers = [
        headers[0],
        headers[1],
        ("Mcp-Session-Id", &session),
        ("MCP-Protocol-Version", LEGACY),
    ];
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    listening
        .post(&ready, &headers)
        .read_to_string(&mut String::new())
        .expect("it answers");
    session
}

/// Everything that the server writes, as one client sees it.
fn everything(seer: &mut Seer<'_>) {
    let is_modern = seer.is_modern();
    let of_revision = |mut written: Value| {
        if is_modern {
            written["resultType"] = json!("complete");
        }
        written
    };
    seer.tool("tool_search", json!({"query": "strange"}));

    let params =
        json!({"name": "call_tool", "arguments": {"name": "a__strange"}, "_meta": {"progressToken": "mine"}});
    let said = seer.ask("tools/call", params);
    let of = |method: &str| {
        let found: Vec<&Value> = said
            .iter()
            .filter(|message| message["method"] == method)
            .collect();
        found
            .into_iter()
            .map(|message| message["params"].clone())
            .collect::<Vec<_>>()
    };
    let mut expected = progress();
    expected["progressToken"] = json!("mine");
    assert_eq!(of("notifications/progress"), [expected]);
    if !matches!(seer, Seer::Http(_, Some(_))) {
        // In a session over HTTP they are on the stream that is the client's own, of which none is open here.
        assert_eq!(of("notifications/message"), [log()]);
    }
    let answer = said.last().expect("an answer");
    assert_eq!(answer["result"], of_revision(result()));

    let failed = seer.tool(
        "call_tool",
        json!({"name": "a__strange", "arguments": {"fail": true}}),
    );
    assert_eq!(failed["error"], error());

    let described = seer.tool("get_tool_schema", json!({"name": "a__strange"}));
    let described = &described["structuredContent"];
    let mut more = definition();
    for (key, described_as) in [
        ("inputSchema", "parameters"),
        ("outputSchema", "output"),
        ("annotations", "annotations"),
    ] {
        assert_eq!(described[described_as], definition()[key]);
        more.as_object_mut().expect("an object").remove(key);
    }
    for key in ["name", "description"] {
        more.as_object_mut().expect("an object").remove(key);
    }
    assert_eq!(described["more"], more);

    if matches!(seer, Seer::Streams(_, false) | Seer::Http(_, Some(_))) {
        let listed = seer.ask("tools/list", json!({})).pop().expect("an answer");
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        let strange = tools.iter().find(|tool| tool["name"] == "a__strange");
        let mut expected = definition();
        expected["name"] = json!("a__strange");
        assert_eq!(strange, Some(&expected));
    }

    let read = seer.tool("mcp_read_resource", json!({"uri": "a:note://a:b"}));
    assert_eq!(
        read["structuredContent"],
        json!({
            "content": "line", "content_type": "text", "mime_type": "text/plain",
            "other": {"later": 1, "_meta": {"own/key": 1}},
        })
    );
    assert_eq!(
        (&read["later"], &read["_meta"]["own/key"]),
        (&json!({"a": 1}), &json!(2))
    );

    let prompt = seer.tool("mcp_get_prompt", json!({"name": "a:plain"}));
    assert_eq!(
        prompt["structuredContent"],
        json!({"description": "d", "messages": [message()]})
    );
    assert_eq!(
        (&prompt["later"], &prompt["_meta"]["own/key"]),
        (&json!({"a": 1}), &json!(2))
    );
}

#[test]
fn clients_over_streams_see_what_a_server_over_streams_writes() {
    let tree = tree(&[("a", "writes what nobody knows")]);
    everything(&mut Seer::Streams(Box::new(Served::ready(&tree, &[])), false));
    everything(&mut Seer::Streams(Box::new(Served::new(&tree, &[])), true));
}

#[test]
fn clients_over_http_see_what_a_server_over_streams_writes() {
    let tree = tree(&[("a", "writes what nobody knows")]);
    let listening = Listening::new(&tree, None);
    everything(&mut Seer::Http(&listening, None));
    let session = session(&listening);
    everything(&mut Seer::Http(&listening, Some(session)));
}

/// What a server says to a request, as bytes: its method, id and params.
pub(crate) type Says = fn(&str, &Value, &Value) -> Option<Vec<Vec<u8>>>;

/// How a server over HTTP puts what it says.
pub(crate) type Puts = fn(Vec<Vec<u8>>) -> (&'static str, Vec<u8>);

/// As one JSON, which has no place for notifications.
pub(crate) fn as_json(mut said: Vec<Vec<u8>>) -> (&'static str, Vec<u8>) {
    ("application/json", said.pop().unwrap_or_default())
}

/// As events.
pub(crate) fn as_events(said: Vec<Vec<u8>>) -> (&'static str, Vec<u8>) {
    let event = |message: Vec<u8>| [b"event: message\r\ndata: ", &*message, b"\r\n\r\n"].concat();
    ("text/event-stream", said.into_iter().flat_map(event).collect())
}

fn in_bytes(method: &str, id: &Value, params: &Value) -> Option<Vec<Vec<u8>>> {
    let said = written(method, id, params)?;
    Some(
        said.iter()
            .map(|message| message.to_string().into_bytes())
            .collect(),
    )
}

/// A project with one server, over HTTP.
pub(crate) fn web_tree(says: Says, puts: Puts) -> Tree {
    let mut tree = Tree::new("-- project/.git/ --\n-- home/.aleph/ --\n");
    let servers = json!({"mcpServers": {"a": {"type": "http", "url": web(says, puts)}}});
    tree.write("home/.aleph/.mcp.json", servers.to_string().into_bytes());
    tree.aleph(["mcp", "approve", "a", "--yes"]).run().exits(0);
    tree
}

/// A server over HTTP.
fn web(says: Says, puts: Puts) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || respond(stream, says, puts));
        }
    });
    format!("http://{address}/mcp")
}

fn respond(stream: TcpStream, says: Says, puts: Puts) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut is_post = false;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        is_post |= line.starts_with("POST ");
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut stream = reader.into_inner();
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let nothing = |status: &str| {
        format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
    };
    let answer = match asked.get("id") {
        _ if !is_post => nothing("405 No"),
        None => nothing("202 Accepted"),
        Some(id) => {
            let method = asked["method"].as_str().unwrap_or_default();
            let said = says(method, id, &asked["params"]).unwrap_or_else(|| {
                let hello = json!({
                    "protocolVersion": "2025-06-18", "serverInfo": {"name": "web", "version": "1"},
                    "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
                });
                let result = match method {
                    "initialize" => hello,
                    "resources/list" => json!({"resources": [{"uri": "note://a:b", "name": "a"}]}),
                    "resources/templates/list" => json!({"resourceTemplates": []}),
                    "prompts/list" => json!({"prompts": [{"name": "plain"}]}),
                    _ => {
                        let error = json!({"code": -32601, "message": "no such method"});
                        let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
                        return vec![answer.to_string().into_bytes()];
                    }
                };
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
                vec![answer.to_string().into_bytes()]
            });
            let (kind, body) = puts(said);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        }
    };
    stream.write_all(&answer).ok()
}

#[test]
fn clients_see_what_a_server_over_http_writes() {
    for events in [false, true] {
        let tree = web_tree(in_bytes, if events { as_events } else { as_json });
        let mut seer = Seer::Streams(Box::new(Served::ready(&tree, &[])), false);
        if events {
            everything(&mut seer);
        } else {
            // One that answers with one JSON has no place for notifications.
            let answer = seer.tool("call_tool", json!({"name": "a__strange"}));
            assert_eq!(answer, result());
            let read = seer.tool("mcp_read_resource", json!({"uri": "a:note://a:b"}));
            assert_eq!(read["structuredContent"]["other"]["later"], 1);
            let described = seer.tool("get_tool_schema", json!({"name": "a__strange"}));
            assert_eq!(
                described["structuredContent"]["more"]["later"],
                definition()["later"]
            );
        }
    }
}

#[test]
fn a_question_is_asked_as_it_was_written() {
    let tree = tree(&[("a", "writes what nobody knows")]);
    let can = json!({"elicitation": {}});
    let answer = answer();
    let ask = json!({"name": "call_tool", "arguments": {"name": "a__strange", "arguments": {"ask": true}}});

    let mut legacy = Served::new(&tree, &[]);
    legacy.hello(&can);
    let call = legacy.send("tools/call", &ask);
    let asked = legacy.message(|message| message["method"] == "elicitation/create");
    let mut params = asked["params"].clone();
    params["_meta"]
        .as_object_mut()
        .expect("an object")
        .remove("progressToken");
    assert_eq!(params, question());
    legacy.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}).to_string());
    let answered = legacy.answer(call);
    assert_eq!(answered["result"]["content"][0]["text"], answer.to_string());

    let mut modern = Seer::Streams(Box::new(Served::new(&tree, &[])), true);
    let mut params = ask;
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": can});
    let asked = modern.ask("tools/call", params.clone()).pop().expect("an answer");
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required");
    let questions = json!({"question-1": {"method": "elicitation/create", "params": question()}});
    assert_eq!(asked["inputRequests"], questions);
    params["inputResponses"] = json!({"question-1": answer});
    params["requestState"] = asked["requestState"].clone();
    let answered = modern.ask("tools/call", params).pop().expect("an answer");
    assert_eq!(answered["result"]["content"][0]["text"], answer.to_string());
}

#[test]
fn an_answer_over_http_reaches_the_server_as_it_was_written() {
    let tree = tree(&[("a", "writes what nobody knows")]);
    let listening = Listening::new(&tree, None);
    let session = session_that_can(&listening, &json!({"elicitation": {}}));
    let bearer = format!("Bearer {}", listening.token);
    let headers = [
        ("Host", listening.address.as_str()),
        ("Authorization", &bearer),
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", LEGACY),
    ];
    let arguments = json!({"name": "a__strange", "arguments": {"ask": true}});
    let params = json!({"name": "call_tool", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let stream = BufReader::new(listening.post(&call, &headers));
    let mut said = stream.lines().map_while(Result::ok).filter_map(|line| {
        let event = line.strip_prefix("data:")?;
        serde_json::from_str::<Value>(event).ok()
    });
    let asked = said
        .find(|message| message["method"] == "elicitation/create")
        .expect("a question");
    let answered = json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer()});
    let mut accepted = String::new();
    listening
        .post(&answered, &headers)
        .read_to_string(&mut accepted)
        .expect("it answers");
    assert!(accepted.starts_with("HTTP/1.1 202"), "{accepted}");
    let result = said.find(|message| message["id"] == 7).expect("an answer");
    assert_eq!(
        result["result"]["content"][0]["text"],
        answer().to_string(),
        "{result}"
    );
}
