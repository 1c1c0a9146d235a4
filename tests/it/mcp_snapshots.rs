//! What servers had is kept for when they do not answer, and belongs to their definitions.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::mcp_script::{HEALTHY, approve, asked, configure_in, counts, project, run, script};
use super::support::tree::Tree;

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
    let shown = run(&tree, &["mcp", "resources"]).exits(5);
    assert!(
        shown
            .stdout
            .contains("\n4 resources of 2 servers, 1 of them stale\n"),
        "{shown}"
    );
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
    // Refreshing there leaves what was known here.
    let files = || -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(tree.path("home/.aleph/cache/mcp")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let before = files();
    let refresh = ["-C", "../other", "mcp", "refresh", "--server", "one"];
    run(&tree, &refresh).exits(0);
    let after = files();
    let new: Vec<&PathBuf> = after.difference(&before).collect();
    assert_eq!((before.len(), new.len(), after.len()), (2, 1, 3));
    assert_eq!(names(&tree, &there), (json!(6), json!([])));
    assert_eq!(names(&tree, &list), (json!(6), json!([])));
    // Where none is configured, what the last refresh of a name found is known, once.
    let text = fs::read_to_string(new[0]).unwrap();
    let (before, after) = text.split_once("\"refreshed\":\"").unwrap();
    let later = format!("{before}\"refreshed\":\"9{}", &after[1..]).replace("tool_0", "later_0");
    fs::write(new[0], later).unwrap();
    tree.write("third/.git/HEAD", Vec::new());
    let third = ["-C", "../third", "tools", "list", "--json"];
    let answer = run(&tree, &third).exits(0).json();
    assert_eq!((&answer["count"], &answer["quarantined"]), (&json!(6), &json!(0)));
    assert_eq!(answer["tools"][0]["name"], "one__later_0");
}
