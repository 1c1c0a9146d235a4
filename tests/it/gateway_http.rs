//! `serve --http`: who may come in.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use serde_json::json;

use super::gateway::tree;
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
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self {
            child,
            address,
            token,
        }
    }

    /// The head of the answer to an `initialize`.
    fn hello(&self, headers: &[(&str, &str)]) -> String {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        }})
        .to_string();
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
            .set_read_timeout(Some(Duration::from_secs(10)))
            .expect("a timeout can be set");
        stream
            .write_all(format!("{request}\r\n{body}").as_bytes())
            .expect("it reads");
        let mut head = [0_u8; 512];
        let read = stream.read(&mut head).expect("it answers");
        String::from_utf8_lossy(&head[..read]).into_owned()
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
