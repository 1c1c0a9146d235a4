//! Asking servers what they have: nothing is started without a word of the user's, names lead back to what they name,
//! and what is said can be read, pasted and believed.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::mcp_script::{approve, asked, configure_in, counts, project, run, started};

#[test]
fn a_server_is_asked_only_for_what_it_says_it_has() {
    let tree = project(&[("tools", "has tools only")]);
    let answer = run(&tree, &["mcp", "refresh", "--server", "tools", "--json"])
        .exits(0)
        .json();
    assert_eq!(counts(&answer, "tools"), [3, 0, 0, 0]);
}

#[test]
fn nothing_starts_without_a_word_of_the_users() {
    let tree = project(&[("one", "healthy"), ("two", "healthy")]);
    for args in [
        &["mcp", "resources"][..],
        &["mcp", "refresh"],
        &["mcp", "templates"],
        &["mcp", "prompts"],
        &["mcp", "read", "one:note://a:b"],
        &["mcp", "prompt", "one:plain"],
        &["tools", "list", "--live"],
        &["tools", "search", "thing", "--live"],
    ] {
        let refused = run(&tree, args).exits(4);
        assert!(refused.stderr.contains("mcp approve one"), "{refused}");
        assert_eq!(started(&tree), 0, "{refused}");
    }
    // Neither do questions that ask nobody.
    for args in [
        &["tools", "list"][..],
        &["tools", "search", "thing"],
        &["mcp", "servers"],
        &["scan"],
    ] {
        run(&tree, args).exits(0);
        assert_eq!(started(&tree), 0);
    }
    // Approving is no starting.
    approve(&tree, "one");
    assert_eq!(started(&tree), 0);
    let answer = run(&tree, &["mcp", "resources", "--json"]).exits(0).json();
    assert_eq!(answer["count"], 2);
    assert_eq!(
        answer["note"],
        "not asked, since not approved: two (`mcp approve two` shows what would run)"
    );
    assert_eq!(started(&tree), 1);
    let refused = run(&tree, &["mcp", "read", "two:note://a:b"]).exits(4);
    assert!(refused.stderr.contains("naming it inside"), "{refused}");
    assert_eq!(started(&tree), 1);
    run(&tree, &["mcp", "read", "two:note://a:b", "--server", "two"]).exits(0);
    assert_eq!(started(&tree), 2);
    let refused = run(&tree, &["mcp", "resources", "--json"]).exits(0).json();
    assert_eq!(
        asked(&refused, "one")["outcome"],
        "live",
        "naming it once is for that once"
    );
    assert_eq!(started(&tree), 3);
}

#[test]
fn names_that_are_not_there_are_told() {
    let tree = project(&[("files", "healthy")]);
    for command in ["resources", "templates", "prompts", "refresh"] {
        let refused = run(&tree, &["mcp", command, "--server", "fils"]).exits(2);
        assert!(refused.stderr.contains("did you mean `files`?"), "{refused}");
    }
    let refused = run(&tree, &["mcp", "read", "note://a:b"]).exits(2);
    assert!(refused.stderr.contains("mcp resources"), "{refused}");
    let refused = run(&tree, &["mcp", "read", "files:note://none", "--server", "files"]).exits(1);
    assert!(refused.stderr.contains("Resource not found"), "{refused}");
    for argument in ["number", "=1"] {
        run(
            &tree,
            &[
                "mcp",
                "prompt",
                "files:plain",
                "--server",
                "files",
                "--arg",
                argument,
            ],
        )
        .exits(2);
    }
    run(
        &tree,
        &[
            "mcp",
            "prompt",
            "files:plain",
            "--server",
            "files",
            "--arg",
            "a=1",
            "--arg",
            "a=2",
        ],
    )
    .exits(2);
    assert_eq!(started(&tree), 1, "only the resource was asked for");
}

#[test]
fn none_configured_and_none_that_can_be_asked_are_refused() {
    let tree = project(&[]);
    let refused = run(&tree, &["mcp", "resources", "--json"]).exits(4);
    assert_eq!(refused.json()["error"]["code"], "refused");
    let mut tree = project(&[]);
    let old = json!({"mcpServers": {"old": {"type": "sse", "url": "http://127.0.0.1:9/sse"},
        "off": {"command": "true", "enabled": false}}});
    tree.write("project/.mcp.json", old.to_string().into_bytes());
    run(&tree, &["mcp", "resources"]).exits(4);
    let answer = run(&tree, &["mcp", "resources", "--server", "old", "--json"])
        .exits(5)
        .json();
    assert_eq!(asked(&answer, "old")["failure"], "unsupported-transport");
    let refused = run(&tree, &["mcp", "resources", "--server", "off"]).exits(4);
    assert!(refused.stderr.contains("switched off"), "{refused}");
}

#[test]
fn what_is_listed_can_be_given_back() {
    let mut tree = project(&[("a", "healthy")]);
    // A plugin's server has the plugin's name before its own.
    configure_in(&mut tree, "home/.aleph/plugins/a/.mcp.json", &[("b", "healthy")]);
    for server in ["a", "a:b"] {
        let listed = run(&tree, &["mcp", "resources", "--server", server, "--json"])
            .exits(0)
            .json();
        let uris: Vec<&str> = listed["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["uri"].as_str().unwrap())
            .collect();
        assert_eq!(
            uris,
            [format!("{server}:note://a:b"), format!("{server}:bytes://c")]
        );
        let read = run(&tree, &["mcp", "read", uris[0], "--server", server, "--json"])
            .exits(0)
            .json();
        assert_eq!(read["server"], server);
        assert_eq!(read["content"], "line\n\u{1b}[31mred\ttab\n");
        assert_eq!(
            (&read["content_type"], &read["mime_type"]),
            (&json!("text"), &json!("text/plain"))
        );
        let read = run(&tree, &["mcp", "read", uris[1], "--server", server, "--json"])
            .exits(0)
            .json();
        assert_eq!(
            (&read["content"], &read["content_type"]),
            (&json!("AAEC"), &json!("binary"))
        );
        let listed = run(&tree, &["mcp", "prompts", "--server", server, "--json"])
            .exits(0)
            .json();
        let name = listed["prompts"][0]["name"].as_str().unwrap();
        assert_eq!(name, format!("{server}:review: all"));
        assert_eq!(listed["prompts"][0]["arguments"][0]["required"], true);
        let args = [
            "mcp",
            "prompt",
            name,
            "--server",
            server,
            "--arg",
            "number=1=2",
            "--json",
        ];
        let prompt = run(&tree, &args).exits(0).json();
        assert_eq!(prompt["messages"][0]["role"], "user");
        assert_eq!(prompt["messages"][0]["content"]["text"], "review: all \"1=2\"");
    }
    // Without --server the longest name of a server wins.
    for server in ["a", "a:b"] {
        approve(&tree, server);
    }
    let read = run(&tree, &["mcp", "read", "a:b:note://a:b", "--json"])
        .exits(0)
        .json();
    assert_eq!(read["server"], "a:b");
    let read = run(&tree, &["mcp", "read", "a:note://a:b", "--json"])
        .exits(0)
        .json();
    assert_eq!(read["server"], "a");
}

#[test]
fn what_servers_say_cannot_steer_a_terminal() {
    let tree = project(&[("a", "healthy")]);
    // The runner looks at every output for control characters.
    for args in [
        &["mcp", "resources", "--server", "a"][..],
        &["mcp", "templates", "--server", "a"],
        &["mcp", "prompts", "--server", "a"],
        &["mcp", "prompt", "a:plain", "--server", "a"],
        &["mcp", "read", "a:bytes://c", "--server", "a"],
        &["mcp", "refresh", "--server", "a"],
    ] {
        run(&tree, args).exits(0);
    }
    let read = run(&tree, &["mcp", "read", "a:note://a:b", "--server", "a"]).exits(0);
    assert_eq!(read.stdout, "line\n\\u{1b}[31mred    tab\n");
}

#[test]
fn lists_are_cut_and_say_so() {
    let tree = project(&[("many", "has many resources")]);
    let answer = run(&tree, &["mcp", "resources", "--server", "many", "--json"])
        .exits(0)
        .json();
    assert_eq!(answer["count"], 500);
    assert_eq!(
        answer["note"],
        "`many` has more resources: its first 500 are kept"
    );
    assert_eq!(asked(&answer, "many")["cut"], json!(["resources"]));
}

/// What is offered for pasting into a shell is one word, whatever a stranger called a server.
#[test]
fn hints_can_be_pasted() {
    let mut tree = project(&[]);
    for (name, approve, once) in [
        ("x; touch y", "mcp approve 'x; touch y'", "--server 'x; touch y'"),
        ("x --yes", "mcp approve 'x --yes'", "--server 'x --yes'"),
        ("--yes", "mcp approve -- --yes", "--server=--yes"),
        ("$(id)`id`", "mcp approve '$(id)`id`'", "--server '$(id)`id`'"),
        ("it's", r"mcp approve 'it'\''s'", r"--server 'it'\''s'"),
    ] {
        let text = json!({"mcpServers": {name: {"command": "true"}}});
        tree.write("project/.mcp.json", text.to_string().into_bytes());
        for args in [&["mcp", "resources"][..], &["mcp", "read", &format!("{name}:x")]] {
            let mut args = args.to_vec();
            if name.starts_with('-') {
                args.insert(args.len() - 1, if args[1] == "read" { "--" } else { "-v" });
            }
            let refused = run(&tree, &args).exits(4);
            assert!(
                refused.stderr.contains(&format!("`aleph-discover {approve}`")),
                "{refused}"
            );
            assert!(refused.stderr.contains(&format!("`{once}`")), "{refused}");
        }
        let listed = run(&tree, &["mcp", "servers"]).exits(0);
        assert!(
            listed.stderr.contains(&format!("`aleph-discover {approve}`")),
            "{listed}"
        );
    }
    // It is about the same place as the question was.
    let refused = run(&tree, &["--no-claude", "mcp", "resources"]).exits(4);
    assert!(
        refused.stderr.contains("`aleph-discover --no-claude mcp approve"),
        "{refused}"
    );
}

#[test]
fn thousands_of_names_are_not_all_said() {
    let mut tree = project(&[]);
    let all: serde_json::Map<String, Value> = (0..5000)
        .map(|nth| (format!("server-{nth}"), json!({"command": "true"})))
        .collect();
    tree.write(
        "project/.mcp.json",
        json!({"mcpServers": all}).to_string().into_bytes(),
    );
    let refused = run(&tree, &["mcp", "resources"]).exits(4);
    assert!(
        refused.stderr.contains("and 4990 more") && refused.stderr.len() < 1000,
        "{refused}"
    );
    let answer = run(&tree, &["mcp", "prompts", "--server", "server-7", "--json"]).exits(5);
    assert!(answer.json()["note"].is_null(), "{answer}");
}

/// A server on this machine is reached directly: a proxy would see its headers.
#[test]
fn a_proxy_sees_nothing_of_this_machine() {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    let listen = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (send, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = send.send(());
                let _ = stream.and_then(|stream| {
                    let mut reader = BufReader::new(stream);
                    let mut line = String::new();
                    while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
                        line.clear();
                    }
                    let mut stream = reader.into_inner();
                    stream.write_all(
                        b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    )?;
                    stream.shutdown(std::net::Shutdown::Write)?;
                    // All of what is asked, or the system takes the answer back.
                    std::io::copy(&mut stream, &mut std::io::sink())
                });
            }
        });
        (port, heard)
    };
    let (proxy, proxied) = listen();
    let (port, direct) = listen();
    let mut tree = project(&[]);
    let text = json!({"mcpServers": {
        "near": {"url": format!("http://localhost:{port}/mcp"), "headers": {"Authorization": "Bearer abcdefgh"}},
        "far": {"url": "http://far.invalid/mcp"},
    }});
    tree.write("project/.mcp.json", text.to_string().into_bytes());
    let ask = |server: &str| {
        let proxy = format!("http://127.0.0.1:{proxy}");
        let run = tree.aleph(&["mcp", "resources", "--server", server, "--json"]);
        let answer = run.env("http_proxy", &proxy).run().exits(5).json();
        asked(&answer, server)["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let reason = ask("near");
    assert!(reason.contains("leads to another one"), "{reason}");
    assert!(direct.try_recv().is_ok() && proxied.try_recv().is_err());
    ask("far");
    assert!(proxied.try_recv().is_ok(), "what is far goes through it");
}

/// A FIFO in the place of the configuration is not waited for.
#[test]
fn limits_are_read_from_a_file_and_nothing_else() {
    let tree = project(&[("a", "healthy")]);
    let path = tree.path("home/.aleph/aleph.toml");
    fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo")
        .arg(&path)
        .status()
        .expect("there is mkfifo");
    assert!(made.success());
    let answer = run(&tree, &["mcp", "resources", "--server", "a", "--json"])
        .exits(0)
        .json();
    assert_eq!(answer["diagnostics"][0]["code"], "unreadable", "{answer}");
    assert_eq!(answer["count"], 2);
}

#[test]
fn a_limit_that_is_wrong_is_told_and_does_not_count() {
    let mut tree = project(&[("a", "healthy")]);
    tree.write(
        "home/.aleph/aleph.toml",
        b"[mcp_client]\nstart_timout = \"1s\"\nrequest_timeout = 5\n",
    );
    let answer = run(&tree, &["mcp", "resources", "--server", "a", "--json"])
        .exits(0)
        .json();
    let told: Vec<_> = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["code"].as_str().unwrap(),
                one["line"].as_u64().unwrap(),
                one["column"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("unknown-key", 2, 1), ("wrong-type", 3, 19)]);
}
