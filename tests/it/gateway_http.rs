//! `serve --http`: who may come in.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use super::gateway_client::{LIMIT, once_settled, tree};
use super::mcp_script::{left, started};
use super::support::tree::Tree;

/// A gateway over HTTP.
pub(crate) struct Listening {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Listening {
    pub(crate) fn new(tree: &Tree, token: Option<&str>) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut run = tree.aleph(["serve", "--http"]).env("PATH", path);
        if let Some(token) = token {
            run = run.env("ALEPH_DISCOVER_TOKEN", token);
        }
        let mut child = run.talk();
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        // Findings and hints come first.
        let url = loop {
            if let Some(url) = line().strip_prefix("listening on http://") {
                break url.to_owned();
            }
        };
        let address = url.strip_suffix("/mcp").expect("the path").to_owned();
        let token = match token {
            Some(token) => token.to_owned(),
            None => line().strip_prefix("token: ").expect("the token").to_owned(),
        };
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self {
            child,
            address,
            token,
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let sent = std::process::Command::new("sh").args(["-c", &kill]).status();
        assert!(sent.expect("there is sh").success());
    }

    /// The head of the answer to an `initialize`.
    fn hello(&self, headers: &[(&str, &str)]) -> String {
        let mut stream = self.post(&hello(), headers);
        let mut head = [0_u8; 512];
        let read = stream.read(&mut head).expect("it answers");
        String::from_utf8_lossy(&head[..read]).into_owned()
    }

    /// Sends one message.
    pub(crate) fn post(&self, message: &Value, headers: &[(&str, &str)]) -> TcpStream {
        let body = message.to_string();
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nContent-Length: {}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\nConnection: close\r\n",
            body.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream
            .set_read_timeout(Some(5 * LIMIT))
            .expect("a timeout can be set");
        stream
            .write_all(format!("{request}\r\n{body}").as_bytes())
            .expect("it reads");
        stream
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }})
}

/// A client with a session of its own.
struct Visitor<'a> {
    listening: &'a Listening,
    bearer: String,
    session: String,
}

impl<'a> Visitor<'a> {
    fn new(listening: &'a Listening) -> Self {
        let mut visitor = Self {
            listening,
            bearer: format!("Bearer {}", listening.token),
            session: String::new(),
        };
        let answer = visitor.send(&hello());
        assert_eq!(status(&answer), 200, "{answer}");
        let session = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id")
                .then(|| value.trim().to_owned())
        });
        visitor.session = session.unwrap_or_else(|| panic!("no session: {answer}"));
        let answer = visitor.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(status(&answer), 202, "{answer}");
        visitor
    }

    /// The whole answer, head and body.
    fn send(&self, message: &Value) -> String {
        let mut headers = vec![
            ("Host", self.listening.address.as_str()),
            ("Authorization", self.bearer.as_str()),
        ];
        if !self.session.is_empty() {
            headers.push(("Mcp-Session-Id", &self.session));
            headers.push(("MCP-Protocol-Version", "2025-11-25"));
        }
        let mut answer = String::new();
        self.listening
            .post(message, &headers)
            .read_to_string(&mut answer)
            .expect("it answers to the end");
        answer
    }

    fn tool(&self, name: &str, arguments: &Value) -> Value {
        once_settled(|| self.tool_now(name, arguments))
    }

    fn tool_now(&self, name: &str, arguments: &Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let answer = self.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
        let message = answer.lines().find_map(|line| {
            let line = line.strip_prefix("data:").unwrap_or(line).trim();
            let message: Value = serde_json::from_str(line).ok()?;
            (message["id"] == 2).then_some(message)
        });
        message.unwrap_or_else(|| panic!("no answer: {answer}"))["result"].clone()
    }
}

fn status(head: &str) -> u16 {
    head.split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or_else(|| panic!("{head}"))
}

#[test]
fn only_this_machine_with_the_token_comes_in() {
    let tree = tree(&[]);
    let listening = Listening::new(&tree, None);
    assert_eq!(listening.token.len(), 64);
    let host = listening.address.clone();
    let bearer = format!("Bearer {}", listening.token);
    let good = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    assert_eq!(status(&listening.hello(&good)), 200);
    let refused = listening.hello(&[("Host", &host)]);
    assert_eq!(status(&refused), 401);
    assert!(
        refused.to_lowercase().contains("www-authenticate: bearer"),
        "{refused}"
    );
    assert_eq!(
        status(&listening.hello(&[("Host", &host), ("Authorization", "Bearer x")])),
        401
    );
    assert_eq!(
        status(&listening.hello(&[("Host", "evil.example"), ("Authorization", &bearer)])),
        403
    );
    let foreign = [
        ("Host", host.as_str()),
        ("Authorization", bearer.as_str()),
        ("Origin", "https://evil.example"),
    ];
    assert_eq!(status(&listening.hello(&foreign)), 403);
    let mut answer = String::new();
    let request = format!(
        "GET /mcp/elsewhere HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nConnection: close\r\n\r\n"
    );
    let mut stream = TcpStream::connect(&host).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    stream.read_to_string(&mut answer).expect("it answers");
    assert_eq!(status(&answer), 404);
}

/// Does everything at the same time.
fn at_once<T: Send>(tasks: impl Iterator<Item = impl FnOnce() -> T + Send>) -> Vec<T> {
    thread::scope(|scope| {
        let running: Vec<_> = tasks.map(|task| scope.spawn(task)).collect();
        running
            .into_iter()
            .map(|one| one.join().expect("it does not panic"))
            .collect()
    })
}

#[test]
fn two_hundred_clients_at_once_share_one_server() {
    const CLIENTS: usize = 200;
    let tree = tree(&[("a", "healthy")]);
    let listening = Listening::new(&tree, None);
    let begun = Instant::now();
    // Nobody calls before everybody has come.
    let visitors = at_once((0..CLIENTS).map(|_| || Visitor::new(&listening)));
    let sessions: BTreeSet<&str> = visitors.iter().map(|visitor| visitor.session.as_str()).collect();
    assert_eq!(sessions.len(), CLIENTS);
    let answers = at_once(visitors.iter().enumerate().map(|(nth, visitor)| {
        move || {
            let found = visitor.tool("tool_search", &json!({"query": "select:a__tool_1"}));
            let call = json!({"name": "a__tool_1", "arguments": {"client": nth}});
            (found, visitor.tool("call_tool", &call))
        }
    }));
    for (nth, (found, called)) in answers.iter().enumerate() {
        assert_eq!(found["structuredContent"]["count"], 1, "{nth}: {found}");
        // Each has its own answer and nobody else's.
        let expected = format!("\"tool_1\" {{\"client\":{nth}}}");
        assert_eq!(called["content"][0]["text"], expected, "{nth}: {called}");
    }
    // Far above what it takes, and far below what it would take if clients waited for each other's time limits.
    assert!(begun.elapsed() < 10 * LIMIT, "it took {:?}", begun.elapsed());
    assert_eq!((started(&tree), left(&tree).len()), (1, 1));
}

#[test]
fn a_token_from_the_environment_is_not_printed() {
    let tree = tree(&[]);
    let listening = Listening::new(&tree, Some("my-own-token"));
    let headers = [
        ("Host", listening.address.as_str()),
        ("Authorization", "Bearer my-own-token"),
    ];
    assert_eq!(status(&listening.hello(&headers)), 200);
}

#[test]
fn an_address_that_others_reach_has_to_be_said_twice() {
    let tree = tree(&[]);
    tree.aleph(["serve", "--http", "0.0.0.0:0"])
        .run()
        .exits(4)
        .says("--allow-remote");
    tree.aleph(["serve", "--http", "nowhere"])
        .run()
        .exits(2)
        .says("`nowhere` is no address with a port");
    tree.aleph(["serve", "--allow-remote"]).run().exits(2);
    let empty = tree.aleph(["serve", "--http"]).env("ALEPH_DISCOVER_TOKEN", " ");
    empty.run().exits(2).says("ALEPH_DISCOVER_TOKEN is empty");
}

#[test]
fn where_it_cannot_listen_is_said_and_a_token_that_nobody_can_send_is_refused() {
    let tree = tree(&[]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has one").to_string();
    tree.aleph(["serve", "--http", &address])
        .run()
        .exits(2)
        .says(&format!(
            "cannot listen on {address}: something else listens there"
        ))
        .says("give another address and port");
    for token in ["two words", "l\u{ef}ne", "two\nlines"] {
        let run = tree.aleph(["serve", "--http"]).env("ALEPH_DISCOVER_TOKEN", token);
        run.run().exits(2).says("characters that no token may have");
    }
    // A file has a line's end, and the header none.
    let listening = Listening::new(&tree, Some("my-own-token\r\n"));
    let headers = [
        ("Host", listening.address.as_str()),
        ("Authorization", "Bearer my-own-token"),
    ];
    assert_eq!(status(&listening.hello(&headers)), 200);
}

#[test]
fn a_connection_of_another_cannot_be_named_as_a_handle() {
    let mut tree = tree(&[("a", "healthy")]);
    tree.write(
        "home/.aleph/disclosure.toml",
        b"[[trigger]]\nhub = \"a__tool_0\"\noperation = \"open\"\nunlocks = [\"a__tool_1\"]\n",
    );
    let listening = Listening::new(&tree, None);
    let visitor = Visitor::new(&listening);
    let open = json!({"name": "a__tool_0", "arguments": {"operation": "open"}});
    visitor.tool("call_tool", &open);
    let call = json!({"name": "a__tool_1", "arguments": {}});
    assert_eq!(
        visitor.tool("call_tool", &call)["content"][0]["text"],
        "\"tool_1\" {}"
    );
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let ask = |handle: &str| {
        let arguments = json!({"name": "a__tool_1", "handle": handle});
        let params = json!({"name": "call_tool", "arguments": arguments, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let bearer = format!("Bearer {}", listening.token);
        let headers = [
            ("Host", listening.address.as_str()),
            ("Authorization", bearer.as_str()),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "call_tool"),
        ];
        let mut answer = String::new();
        listening
            .post(&message, &headers)
            .read_to_string(&mut answer)
            .expect("it answers to the end");
        answer
    };
    for nth in 0..4 {
        let answer = ask(&format!("session-{nth}"));
        assert!(answer.contains("there is no handle"), "{nth}: {answer}");
    }
    // Nor do others, however many they are, cost it what it has.
    for _ in 0..1_100 {
        assert!(ask("new").contains("a__tool_0"));
    }
    assert_eq!(
        visitor.tool("call_tool", &call)["content"][0]["text"],
        "\"tool_1\" {}"
    );
}

#[test]
fn a_client_too_many_is_told_what_to_do_and_the_others_are_served() {
    let tree = tree(&[("a", "healthy")]);
    let listening = Listening::new(&tree, None);
    let visitor = Visitor::new(&listening);
    let bearer = format!("Bearer {}", listening.token);
    let headers = [("Host", listening.address.as_str()), ("Authorization", &bearer)];
    // On a machine that takes more than a minute for so many, those that came first have gone for the last.
    let until = Instant::now() + 10 * LIMIT;
    let mut clients = 1;
    let refused = loop {
        let answer = listening.hello(&headers);
        if status(&answer) != 200 {
            break answer;
        }
        clients += 1;
        assert!(Instant::now() < until, "{clients} clients, and none too many");
        if clients % 100 == 0 {
            visitor.tool("tool_search", &json!({"query": "thing"}));
        }
    };
    assert_eq!(status(&refused), 503, "{refused}");
    assert!(clients >= 1024, "{clients}");
    assert!(
        refused.contains("1024 clients are served already: end a session"),
        "{refused}"
    );
    let found = visitor.tool("tool_search", &json!({"query": "select:a__tool_1"}));
    assert_eq!(found["structuredContent"]["count"], 1, "{found}");
}

#[test]
fn clients_that_never_read_their_streams_keep_nobody_waiting() {
    const CLIENTS: usize = 200;
    let tree = tree(&[("a", "healthy")]);
    let listening = Listening::new(&tree, None);
    let silent: Vec<(Visitor<'_>, TcpStream)> = (0..CLIENTS)
        .map(|_| {
            let visitor = Visitor::new(&listening);
            let request = format!(
                "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nMcp-Session-Id: {}\r\nMCP-Protocol-Version: \
                 2025-11-25\r\nAccept: text/event-stream\r\n\r\n",
                listening.address, visitor.bearer, visitor.session
            );
            let mut stream = TcpStream::connect(&listening.address).expect("it listens");
            stream.write_all(request.as_bytes()).expect("it reads");
            // Each has something announced that it does not read.
            visitor.tool("tool_search", &json!({"query": "select:a__tool_1"}));
            (visitor, stream)
        })
        .collect();
    let begun = Instant::now();
    let visitor = Visitor::new(&listening);
    let call = json!({"name": "a__tool_1", "arguments": {}});
    for _ in 0..20 {
        let called = visitor.tool("call_tool", &call);
        assert_eq!(called["content"][0]["text"], "\"tool_1\" {}", "{called}");
    }
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    drop(silent);
    assert_eq!((started(&tree), left(&tree).len()), (1, 1));
}

#[test]
fn bodies_that_are_no_message_are_refused_and_nothing_else_happens() {
    let tree = tree(&[("a", "healthy")]);
    let listening = Listening::new(&tree, None);
    let visitor = Visitor::new(&listening);
    for odd in [
        json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]),
        json!([]),
        json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1}),
        json!(null),
        json!("text"),
    ] {
        let answer = visitor.send(&odd);
        assert!((400..500).contains(&status(&answer)), "{odd}: {answer}");
    }
    for answer in [json!({"later": 1}), json!(1), json!(null), json!([])] {
        let message = json!({"jsonrpc": "2.0", "id": "nobody asked", "result": answer});
        assert_eq!(status(&visitor.send(&message)), 202, "{message}");
    }
    let twice = visitor.send(&hello());
    assert!((200..500).contains(&status(&twice)), "{twice}");
    let called = visitor.tool("call_tool", &json!({"name": "a__tool_1", "arguments": {}}));
    assert_eq!(called["content"][0]["text"], "\"tool_1\" {}", "{called}");
}
