//! Asking servers: what misbehaves costs its own entries only, nothing is started without a word of the user's, and
//! nothing that was started is left.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mcp_script::{HEALTHY, configure, configure_in, left, script, started};
use super::support::run::Run;
use super::support::tree::Tree;

/// A project with servers, and limits that a test can wait for.
fn project(servers: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(
        "-- project/.git/ --\n-- home/.aleph/aleph.toml --\n[mcp_client]\nstart_timeout = \"4s\"\n\
         request_timeout = \"1500ms\"\nmax_message_bytes = 65536\n",
    );
    configure(&mut tree, servers);
    tree
}

fn run(tree: &Tree, args: &[&str]) -> Run {
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
fn asked<'a>(answer: &'a Value, server: &str) -> &'a Value {
    let servers = answer["servers"].as_array().expect("servers");
    servers
        .iter()
        .find(|one| one["server"] == server)
        .expect("it was asked")
}

fn counts(answer: &Value, server: &str) -> [u64; 4] {
    let server = asked(answer, server);
    ["tools", "resources", "templates", "prompts"].map(|list| server[list].as_u64().expect("a number"))
}

fn approve(tree: &Tree, server: &str) {
    run(tree, &["mcp", "approve", server, "--yes"]).exits(0);
}

#[test]
fn what_misbehaves_costs_its_own_entries_only() {
    for (behaviour, failure, reason) in [
        ("ends at start", "exited", "it ended early (exit status: 3)"),
        ("mute", "timeout", "no answer to the handshake within 4s"),
        (
            "floods at start",
            "too-much",
            "it sent more than 67108864 bytes without an end",
        ),
        (
            "ends in mid-session",
            "exited",
            "it ended in mid-session (exit status: 7)",
        ),
        (
            "hangs in mid-session",
            "timeout",
            "no answer to the request for its resources within 1500ms",
        ),
        (
            "floods in mid-session",
            "too-much",
            "it sent more than 67108864 bytes without an end",
        ),
        (
            "sends a huge message",
            "too-much",
            "it sent a message of more than 65536 bytes",
        ),
        (
            "has no end of pages",
            "too-much",
            "its resources have more than 1000 pages",
        ),
        (
            "repeats a page",
            "protocol",
            "the pages of its resources have no end: one leads back to another",
        ),
        (
            "answers with an error",
            "rejected",
            "it answered with error -32603: the database is closed",
        ),
        (
            "answers something else",
            "protocol",
            "its answer to the request for its resources is no list",
        ),
    ] {
        let tree = project(&[("well", "healthy"), ("bad", behaviour)]);
        let args = ["mcp", "refresh", "--server", "well", "--server", "bad", "--json"];
        let answer = run(&tree, &args).exits(5).json();
        assert_eq!(counts(&answer, "well"), HEALTHY, "beside one that {behaviour}");
        let bad = asked(&answer, "bad");
        let told = (
            bad["outcome"].as_str(),
            bad["failure"].as_str(),
            bad["reason"].as_str(),
        );
        // Which of two limits a flood meets first depends on how fast this machine is.
        let is_slow_flood = behaviour.starts_with("floods") && bad["failure"] == "timeout";
        assert!(
            is_slow_flood || told == (Some("failed"), Some(failure), Some(reason)),
            "{behaviour}: {told:?}"
        );
        assert_eq!(counts(&answer, "bad"), [0; 4], "{behaviour}");
        let first = bad["stderr"][0].as_str().unwrap_or_default();
        assert_eq!(first, format!("I am {behaviour}, my token is ***"));
        assert_eq!(answer["complete"], false);
        let [told] = answer["diagnostics"].as_array().expect("findings").as_slice() else {
            panic!("one finding: {answer}")
        };
        assert_eq!(
            (&told["code"], &told["subject"]["id"]),
            (&json!("server-failed"), &json!("bad"))
        );
    }
}

#[test]
fn what_is_only_odd_costs_nothing() {
    for behaviour in [
        "talks garbage",
        "changes its mind",
        "ignores the end of its input",
        "has a grandchild",
        "healthy",
        "has a grandchild and ignores everything",
    ] {
        let tree = project(&[("odd", behaviour)]);
        let answer = run(&tree, &["mcp", "refresh", "--server", "odd", "--json"])
            .exits(0)
            .json();
        assert_eq!(counts(&answer, "odd"), HEALTHY, "{behaviour}");
        assert_eq!(asked(&answer, "odd")["stderr"], json!([]));
    }
}

#[test]
fn a_server_is_asked_only_for_what_it_says_it_has() {
    let tree = project(&[("tools", "has tools only")]);
    let answer = run(&tree, &["mcp", "refresh", "--server", "tools", "--json"])
        .exits(0)
        .json();
    assert_eq!(counts(&answer, "tools"), [3, 0, 0, 0]);
}

#[test]
fn forty_servers_are_asked_at_once() {
    let names: Vec<String> = (0..40).map(|nth| format!("server-{nth:02}")).collect();
    let mut servers: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "healthy")).collect();
    servers[7].1 = "mute";
    servers[11].1 = "hangs in mid-session";
    let mut tree = project(&servers);
    // Forty processes of this size take a while to start on a small machine.
    tree.write(
        "home/.aleph/aleph.toml",
        b"[mcp_client]\nstart_timeout = \"9s\"\nrequest_timeout = \"9s\"\n",
    );
    let mut args = vec!["mcp", "refresh", "--json"];
    for name in &names {
        args.extend(["--server", name]);
    }
    let start = Instant::now();
    let answer = run(&tree, &args).exits(5).json();
    // One after the other, the two would take 18 seconds alone.
    assert!(start.elapsed() < Duration::from_secs(17), "{:?}", start.elapsed());
    for (nth, name) in names.iter().enumerate() {
        if nth == 7 || nth == 11 {
            assert_eq!(asked(&answer, name)["failure"], "timeout");
        } else {
            assert_eq!(counts(&answer, name), HEALTHY, "{name}");
        }
    }
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

#[test]
fn a_server_that_fails_keeps_what_it_had() {
    let tree = project(&[("well", "healthy"), ("ill", "healthy")]);
    for server in ["well", "ill"] {
        approve(&tree, server);
    }
    let answer = run(&tree, &["tools", "list", "--json"]).exits(0).json();
    assert_eq!(answer["not_refreshed"], json!(["ill", "well"]));
    let search = run(&tree, &["tools", "search", "thing"]).exits(0);
    assert!(search.stdout.contains("never refreshed: ill, well"), "{search}");
    run(&tree, &["mcp", "refresh"]).exits(0);
    let answer = run(&tree, &["tools", "list", "--json"]).exits(0).json();
    assert_eq!(
        (&answer["count"], &answer["not_refreshed"]),
        (&json!(6), &json!([]))
    );
    assert!(
        answer["tools"]
            .as_array()
            .unwrap()
            .iter()
            .all(|tool| tool["stale"] == false)
    );

    fs::write(script(&tree, "ill"), "ends at start").unwrap();
    // What is asked now and fails is answered from the snapshot, and says so.
    let answer = run(&tree, &["mcp", "resources", "--json"]).exits(5).json();
    assert_eq!(
        (&answer["count"], &answer["complete"]),
        (&json!(4), &json!(false))
    );
    for entry in answer["resources"].as_array().unwrap() {
        assert_eq!(entry["stale"], entry["server"] == "ill", "{entry}");
    }
    assert_eq!(asked(&answer, "ill")["outcome"], "stale");
    assert!(asked(&answer, "ill")["snapshot"].as_str().unwrap().ends_with('Z'));
    let answer = run(&tree, &["tools", "list", "--live", "--json"]).exits(5).json();
    assert_eq!(answer["count"], 6);
    for tool in answer["tools"].as_array().unwrap() {
        assert_eq!(tool["stale"], tool["server"] == "ill", "{tool}");
    }
    // Until it is refreshed in vain, nobody who asks no server knows.
    let answer = run(&tree, &["tools", "search", "thing", "--json"])
        .exits(0)
        .json();
    assert!(
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|hit| hit["stale"] == false)
    );
    let answer = run(&tree, &["mcp", "refresh", "--json"]).exits(5).json();
    assert_eq!(counts(&answer, "ill"), HEALTHY);
    assert_eq!(asked(&answer, "ill")["outcome"], "stale");
    let answer = run(&tree, &["tools", "search", "thing", "--limit", "9", "--json"])
        .exits(0)
        .json();
    assert_eq!(answer["count"], 6);
    for hit in answer["results"].as_array().unwrap() {
        assert_eq!(hit["stale"], hit["server"] == "ill", "{hit}");
    }

    // With another definition it is another server: what the former had is not listed for it.
    let text = fs::read_to_string(tree.path("project/.mcp.json")).unwrap();
    fs::write(
        tree.path("project/.mcp.json"),
        text.replace("hunter2-hunter2", "another-token"),
    )
    .unwrap();
    let answer = run(&tree, &["mcp", "resources", "--server", "ill", "--json"])
        .exits(5)
        .json();
    assert_eq!(
        (&answer["count"], &asked(&answer, "ill")["outcome"]),
        (&json!(0), &json!("failed"))
    );
}

#[test]
fn live_tools_are_those_of_the_servers_and_not_of_their_snapshots() {
    let tree = project(&[("one", "healthy"), ("two", "healthy")]);
    approve(&tree, "one");
    let answer = run(&tree, &["tools", "list", "--live", "--json"]).exits(0).json();
    assert_eq!(
        (&answer["count"], &answer["not_refreshed"]),
        (&json!(3), &json!(["two"]))
    );
    assert_eq!(answer["tools"][0]["name"], "one__tool_0");
    run(&tree, &["mcp", "refresh"]).exits(0);
    // The snapshot that was just written does not double them.
    let answer = run(&tree, &["tools", "list", "--live", "--json"]).exits(0).json();
    assert_eq!((&answer["count"], &answer["quarantined"]), (&json!(3), &json!(0)));
    let answer = run(&tree, &["tools", "schema", "one__tool_1", "--live", "--json"])
        .exits(0)
        .json();
    assert_eq!(answer["found"], true);
}

/// Two projects may call different servers the same.
#[test]
fn tools_of_another_server_of_the_name_are_not_this_ones() {
    let mut tree = project(&[("one", "healthy"), ("two", "healthy")]);
    run(&tree, &["mcp", "refresh", "--server", "one", "--server", "two"]).exits(0);
    let names = |tree: &Tree, args: &[&str]| {
        let answer = run(tree, args).exits(0).json();
        (answer["count"].clone(), answer["not_refreshed"].clone())
    };
    let list = ["tools", "list", "--json"];
    assert_eq!(names(&tree, &list), (json!(6), json!([])));
    tree.write("other/.git/HEAD", Vec::new());
    configure_in(&mut tree, "other/.mcp.json", &[("one", "healthy")]);
    // `two` is not configured there: what is known of it stays known.
    let there = ["-C", "../other", "tools", "list", "--json"];
    assert_eq!(names(&tree, &there), (json!(3), json!(["one"])));
    let found = run(&tree, &["-C", "../other", "tools", "search", "thing", "--json"]).exits(0);
    assert_eq!(found.json()["indexed"], 3, "{found}");
    assert_eq!(names(&tree, &list), (json!(6), json!([])));
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

/// Whoever reads what went wrong learns what to do.
#[test]
fn what_a_server_refuses_is_told_as_it_is() {
    let tree = project(&[("files", "has tools only"), ("ill", "answers with an error")]);
    let ask = |args: &[&str], exit: i32| {
        let mut args = args.to_vec();
        args.insert(0, "mcp");
        run(&tree, &args).exits(exit).stderr
    };
    let said = ask(&["prompt", "files:p", "--server", "files", "--arg", "a=b"], 0);
    assert_eq!(said, "");
    let said = ask(&["read", "files:note://none", "--server", "files"], 1);
    assert!(
        said.contains("`files` has no resource `note://none`: it answered with error -32002"),
        "{said}"
    );
    assert!(
        said.contains("`aleph-discover mcp resources --server files`"),
        "{said}"
    );
    let said = ask(&["resources", "--server", "ill"], 5);
    assert!(
        said.contains("`ill` refused: it answered with error -32603: the database is closed"),
        "{said}"
    );
    let said = ask(&["read", "fils:note://a:b"], 2);
    assert!(said.contains("did you mean the server `files`?"), "{said}");
    let said = ask(&["resource"], 2);
    assert!(said.contains("did you mean `resources`?"), "{said}");
}

/// A server on this machine is reached directly: a proxy would see its headers.
#[test]
fn a_proxy_sees_nothing_of_this_machine() {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    let listen = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (send, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = send.send(());
                let _ = stream.and_then(|mut stream| {
                    // All of it, or the system takes the answer back.
                    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
                    let mut request = [0; 4096];
                    while stream.read(&mut request).is_ok_and(|length| length > 0) {}
                    stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
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

#[test]
fn a_definition_that_needs_what_is_not_set_is_told() {
    let mut tree = project(&[]);
    let text = json!({"mcpServers": {"needy": {"command": "true", "args": ["${NO_SUCH_VARIABLE}"]}}});
    tree.write("project/.mcp.json", text.to_string().into_bytes());
    let answer = run(&tree, &["mcp", "resources", "--server", "needy", "--json"])
        .exits(5)
        .json();
    assert_eq!(asked(&answer, "needy")["failure"], "definition");
    assert!(
        asked(&answer, "needy")["reason"]
            .as_str()
            .unwrap()
            .contains("NO_SUCH_VARIABLE")
    );
}

/// Ended by a signal, whatever the server does.
#[test]
fn nothing_is_left_after_a_signal() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        for behaviour in [
            "mute",
            "has a grandchild and ignores everything",
            "hangs in mid-session",
        ] {
            let mut tree = project(&[("slow", behaviour), ("mute", "mute")]);
            tree.write("home/.aleph/aleph.toml", Vec::new());
            let mut child = Command::new(env!("CARGO_BIN_EXE_aleph-discover"))
                .args(["mcp", "refresh", "--server", "slow", "--server", "mute"])
                .current_dir(tree.path("project"))
                .env_clear()
                .env("HOME", tree.path("home"))
                .env("PATH", std::env::var_os("PATH").unwrap_or_default())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let wanted = if behaviour.contains("grandchild") { 3 } else { 2 };
            let start = Instant::now();
            while started(&tree) < wanted && start.elapsed() < Duration::from_secs(15) {
                sleep(Duration::from_millis(20));
            }
            assert_eq!(left(&tree).len(), wanted, "they run");
            let sent = Command::new("sh")
                .args(["-c", &format!("kill -{signal} {}", child.id())])
                .status();
            assert!(sent.unwrap().success());
            let start = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                assert!(start.elapsed() < Duration::from_secs(5), "it goes on");
                sleep(Duration::from_millis(10));
            };
            assert_eq!(status.signal(), Some(number), "{signal}");
            // A kill takes effect when the kernel gets to it.
            let start = Instant::now();
            while !left(&tree).is_empty() && start.elapsed() < Duration::from_secs(2) {
                sleep(Duration::from_millis(10));
            }
            assert_eq!(left(&tree), Vec::<String>::new(), "{signal}, {behaviour}");
        }
    }
}
