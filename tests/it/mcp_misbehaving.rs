//! Servers that misbehave cost their own entries only, say what went wrong, and leave nothing running.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use super::mcp_script::{HEALTHY, asked, counts, left, project, run, started};
use super::support::run::LIMIT;
use super::support::{is_ignored, skipped};

#[test]
fn what_misbehaves_costs_its_own_entries_only() {
    for (behaviour, failure, reason) in [
        ("ends at start", "exited", "it ended early (exit status: 3)"),
        ("mute", "timeout", "no answer to the handshake within TIME"),
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
            "no answer to the request for its resources within TIME",
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
        let mut tree = project(&[("well", "healthy"), ("bad", behaviour)]);
        let args = ["mcp", "refresh", "--server", "well", "--server", "bad", "--json"];
        let limit = match behaviour {
            "mute" => Some("start_timeout"),
            "hangs in mid-session" => Some("request_timeout"),
            _ => None,
        };
        // Both have the same time. How much they need before the one answers and the other hangs depends on the machine.
        let mut times = if limit.is_some() {
            vec!["40s", "10s", "2s"]
        } else {
            vec![""]
        };
        let (answer, reason) = loop {
            let time = times.pop().expect("one that is healthy answers in time");
            if let Some(limit) = limit {
                tree.write(
                    "home/.aleph/aleph.toml",
                    format!("[mcp_client]\n{limit} = \"{time}\"\n"),
                );
            }
            let answer = run(&tree, &args).exits(5).json();
            let reason = reason.replace("TIME", time);
            let bad = asked(&answer, "bad");
            let is_early = asked(&answer, "well")["failure"] == "timeout"
                || bad["reason"] != reason
                || bad["stderr"][0].is_null();
            if !is_early || times.is_empty() {
                break (answer, reason);
            }
        };
        assert_eq!(counts(&answer, "well"), HEALTHY, "beside one that {behaviour}");
        let bad = asked(&answer, "bad");
        let told = (
            bad["outcome"].as_str(),
            bad["failure"].as_str(),
            bad["reason"].as_str(),
        );
        assert_eq!(
            told,
            (Some("failed"), Some(failure), Some(&*reason)),
            "{behaviour}"
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

/// None of them answers before all of them run.
#[test]
fn forty_servers_are_asked_at_once() {
    let names: Vec<String> = (0..40).map(|nth| format!("server-{nth:02}")).collect();
    let servers: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), "waits for forty"))
        .collect();
    let tree = project(&servers);
    let mut args = vec!["mcp", "refresh", "--json"];
    for name in &names {
        args.extend(["--server", name]);
    }
    let answer = run(&tree, &args).exits(0).json();
    for name in &names {
        assert_eq!(counts(&answer, name), HEALTHY, "{name}");
    }
    assert_eq!(started(&tree), 40);
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
    let shown = run(&tree, &["mcp", "resources", "--server", "needy"]).exits(5);
    assert_eq!(shown.stdout, "0 resources; 1 server failed\n");
}

/// Ended by a signal, whatever the server does.
#[test]
fn nothing_is_left_after_a_signal() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        if is_ignored(number) {
            skipped(
                "nothing_is_left_after_a_signal",
                &format!("{signal} is ignored here"),
            );
            continue;
        }
        for behaviour in [
            "mute",
            "has a grandchild and ignores everything",
            "hangs in mid-session",
        ] {
            let mut tree = project(&[("slow", behaviour), ("mute", "mute")]);
            // Nobody is given up, and started again, before the signal comes.
            tree.write(
                "home/.aleph/aleph.toml",
                b"[mcp_client]\nstart_timeout = \"10m\"\nrequest_timeout = \"10m\"\n",
            );
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
            while started(&tree) < wanted && start.elapsed() < LIMIT {
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
                assert!(start.elapsed() < LIMIT, "it goes on");
                sleep(Duration::from_millis(10));
            };
            assert_eq!(status.signal(), Some(number), "{signal}");
            assert_eq!(left(&tree), Vec::<String>::new(), "{signal}, {behaviour}");
        }
    }
}
