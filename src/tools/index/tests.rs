use super::*;
use crate::tools::catalogue::{Catalogue, Source};
use crate::tools::{Part, Query, SearchOptions, search, search_within};

fn catalogue(text: &str) -> Catalogue {
    let source = Source {
        name: "t".into(),
        server: "t".into(),
        kind: None,
        bytes: text.as_bytes(),
    };
    Catalogue::read(&[source]).unwrap()
}

fn small() -> SearchIndex {
    SearchIndex::build(&catalogue(
        r#"{"slack":[{"name":"post_message","description":"Posts a message to a channel",
              "inputSchema":{"type":"object","properties":{"channel_id":{"type":"string","description":"Identifier of the room"}}}},
             {"name":"list_channels","description":"Lists public channels"},
             {"name":"search","description":"Searches messages"}],
            "github":[{"name":"createPullRequest","description":"Opens a request to merge a branch"},
             {"name":"search","title":"Code search","description":"Searches source text in repositories"}],
            "web":[{"name":"fetch","description":"Downloads a page"},
             {"name":"stuffed","description":"message message message message message message message message message message message message message message message message message message message message"}],
            "zh":[{"name":"find","description":"搜索网页"}]}"#,
    ))
}

fn ask(index: &SearchIndex, query: &str) -> Vec<String> {
    ask_with(
        index,
        query,
        SearchOptions {
            limit: 10,
            ..SearchOptions::default()
        },
    )
}

fn ask_with(index: &SearchIndex, query: &str, options: SearchOptions) -> Vec<String> {
    let answer = search(index, None, &Query::parse(query).unwrap(), options);
    answer.hits.iter().map(|hit| hit.tool.name.to_owned()).collect()
}

fn first(index: &SearchIndex, query: &str) -> String {
    ask(index, query).into_iter().next().unwrap_or_default()
}

#[test]
fn tools_are_found_by_what_they_do() {
    let index = small();
    for (query, expected) in [
        ("send a message to a channel", "slack__post_message"),
        ("posting messages", "slack__post_message"),
        ("open a pull request", "github__createPullRequest"),
        ("pullrequest", "github__createPullRequest"),
        ("mesage chanel", "slack__post_message"),
        ("repositry code", "github__search"),
        ("room", "slack__post_message"),
        ("\u{641c}\u{7d22}", "zh__find"),
        ("web page", "web__fetch"),
        ("GitHub", "github__createPullRequest"),
    ] {
        assert_eq!(first(&index, query), expected, "{query}");
    }
    assert!(ask(&index, "the of and").is_empty());
    assert!(ask(&index, "zzzzqqqq").is_empty());
}

#[test]
fn exact_names_are_first_and_all_owners_of_a_bare_one() {
    let index = small();
    for (query, expected) in [
        ("search", vec!["github__search", "slack__search"]),
        ("SEARCH", vec!["github__search", "slack__search"]),
        ("slack__search", vec!["slack__search"]),
        ("Slack:Search", vec!["slack__search"]),
        ("mcp__slack__search", vec!["slack__search"]),
        ("createpullrequest", vec!["github__createPullRequest"]),
        ("find", vec!["zh__find"]),
    ] {
        let found = ask(&index, query);
        assert_eq!(found[..expected.len()], expected, "{query}");
    }
    let answer = search(
        &index,
        None,
        &Query::parse("fetch").unwrap(),
        SearchOptions::default(),
    );
    assert_eq!(answer.hits[0].why[0].part, Part::ExactName);
}

#[test]
fn every_tool_is_first_for_its_own_name() {
    let index = small();
    for tool in index.documents().iter() {
        assert_eq!(first(&index, tool.name), tool.name);
        let owners = index
            .documents()
            .iter()
            .filter(|other| other.tool == tool.tool)
            .count();
        assert!(
            ask(&index, tool.tool)
                .iter()
                .take(owners)
                .any(|name| name == tool.name)
        );
    }
}

#[test]
fn a_name_that_carries_its_servers_is_known_without_it() {
    let text = r#"{"slack":[{"name":"slack:list","description":"channels"}],
        "a":[{"name":"list_all","title":"list list","description":"list list list"}],
        "my server":[{"name":"my server:send","description":"a letter"}, {"name":"hub:send"}]}"#;
    let (index, catalogue) = (SearchIndex::build(&catalogue(text)), catalogue(text));
    for (query, expected) in [
        ("list", "slack__list"),
        ("select:list", "slack__list"),
        ("select:LIST", "slack__list"),
        ("slack:list", "slack__list"),
        ("slack__slack:list", "slack__list"),
        ("mcp__slack__list", "slack__list"),
        ("/^list$/", "slack__list"),
        ("select:send", "my_server__send"),
        ("select:my server:send", "my_server__send"),
        ("select:hub:send", "my_server__hub_send"),
        ("letter server:my_server", "my_server__send"),
        ("letter server:\"my server\"", "my_server__send"),
    ] {
        assert_eq!(first(&index, query), expected, "{query}");
    }
    for name in ["list", "slack:list", "slack__list", "SLACK__LIST"] {
        let named: Vec<&str> = catalogue.named(name).iter().map(|tool| &*tool.name).collect();
        assert_eq!(named, ["slack__list"], "{name}");
    }
    // The server's name is no word of the tool's.
    assert_eq!(
        index.fields_of(1)[0],
        [("hub".to_owned(), true), ("send".to_owned(), true)]
    );
}

#[test]
fn commands_narrow_what_is_found() {
    let index = small();
    assert_eq!(ask(&index, "search server:slack")[0], "slack__search");
    assert!(
        ask(&index, "message server:SLACK")
            .iter()
            .all(|name| name.starts_with("slack__"))
    );
    assert_eq!(ask(&index, "server:web").len(), 2);
    assert!(
        ask(&index, "message +channels")
            .iter()
            .all(|name| name.contains("channel") || name.contains("post"))
    );
    assert!(ask(&index, "message server:nowhere").is_empty());
    assert_eq!(
        ask(&index, "select:slack__search,WEB__fetch,nothing"),
        ["slack__search", "web__fetch"]
    );
    // What is named is bounded as everything is, and counted all the same.
    let two = SearchOptions {
        limit: 2,
        ..SearchOptions::default()
    };
    let query = Query::parse("select:search,web__fetch,zh__find").unwrap();
    let answer = search(&index, None, &query, two);
    assert_eq!((answer.hits.len(), answer.matched), (2, 4));
    assert_eq!(ask(&index, "/^post_/"), ["slack__post_message"]);
    assert_eq!(ask(&index, "/PAGE$/"), ["web__fetch"]);
}

#[test]
fn a_cap_bounds_what_one_server_fills() {
    let index = small();
    let capped = SearchOptions {
        limit: 10,
        cap: Some(1),
        ..SearchOptions::default()
    };
    let found = ask_with(&index, "message search channel", capped);
    for server in ["slack__", "github__", "web__"] {
        assert!(
            found.iter().filter(|name| name.starts_with(server)).count() <= 1,
            "{found:?}"
        );
    }
    // What the cap keeps out matched all the same.
    let matched = |options| search(&index, None, &Query::parse("message").unwrap(), options).matched;
    assert_eq!(matched(capped), matched(SearchOptions::default()));
    assert!(matched(capped) > ask_with(&index, "message", capped).len());
    // Asked for by name, so the cap does not hide it.
    assert!(ask_with(&index, "search", capped).contains(&"slack__search".to_owned()));
}

#[test]
fn stuffing_a_description_does_not_win() {
    assert_ne!(first(&small(), "post a message"), "web__stuffed");
    assert_ne!(first(&small(), "message channel"), "web__stuffed");
}

#[test]
fn the_limit_cuts_and_says_so() {
    let index = small();
    let all = ask(&index, "message channel search");
    for limit in 0..all.len() {
        let options = SearchOptions {
            limit,
            ..SearchOptions::default()
        };
        let answer = search(
            &index,
            None,
            &Query::parse("message channel search").unwrap(),
            options,
        );
        let names: Vec<&str> = answer.hits.iter().map(|hit| hit.tool.name).collect();
        assert_eq!(names, all[..limit]);
        assert_eq!(answer.matched, all.len());
    }
}

#[test]
fn the_parts_of_a_score_are_the_score() {
    let index = small();
    let text = "I would like to post something. Which channels are there, and how do I create a pull request on GitHub?";
    let answer = search(
        &index,
        None,
        &Query::parse(text).unwrap(),
        SearchOptions::default(),
    );
    assert!(answer.hits.len() > 2);
    for hit in &answer.hits {
        let sum: f64 = hit.why.iter().map(|part| part.score).sum();
        assert!(
            (sum - hit.score).abs() < 1e-3,
            "{} {sum} {}",
            hit.tool.name,
            hit.score
        );
    }
    let why = &answer.hits[0].why;
    assert!(
        why.iter()
            .any(|part| part.part == Part::Name && part.term.is_some()),
        "{why:?}"
    );
}

#[test]
fn an_index_survives_being_saved() {
    let index = small();
    let digest = [7; 32];
    let bytes = index.to_bytes(&digest);
    assert_eq!(SearchIndex::from_bytes(&bytes, &digest).unwrap(), index);
    assert_eq!(
        SearchIndex::from_bytes(&bytes, &[8; 32]).unwrap_err(),
        Damage::Stale
    );
    let empty = SearchIndex::build(&Catalogue::default());
    assert_eq!(
        SearchIndex::from_bytes(&empty.to_bytes(&digest), &digest).unwrap(),
        empty
    );
    assert!(ask(&empty, "anything").is_empty());
}

#[test]
fn a_damaged_index_is_never_taken_for_a_good_one() {
    let index = small();
    let digest = [7; 32];
    let bytes = index.to_bytes(&digest);
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            assert!(SearchIndex::from_bytes(&damaged, &digest).is_err(), "byte {at}");
        }
    }
    for length in 0..bytes.len() {
        assert!(
            SearchIndex::from_bytes(&bytes[..length], &digest).is_err(),
            "length {length}"
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(SearchIndex::from_bytes(&longer, &digest).is_err());
}

#[test]
fn bounds_are_checked_even_where_the_checksum_is_right() {
    let index = small();
    let digest = [7; 32];
    let bytes = index.to_bytes(&digest);
    let body = bytes.len() - 4;
    for at in 8 + 32..body {
        for change in [1, 0x40, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            let checksum = crc32fast::hash(&damaged[..body]).to_le_bytes();
            damaged[body..].copy_from_slice(&checksum);
            if let Ok(index) = SearchIndex::from_bytes(&damaged, &digest) {
                // What passes is in bounds: it may be wrong, but it cannot fail.
                ask(&index, "send a message to a channel and search slack");
            }
        }
    }
}

#[test]
fn any_query_ends_without_a_panic() {
    use proptest::prelude::*;
    let index = small();
    proptest!(|(text in "\\PC{0,120}")| {
        if let Ok(query) = Query::parse(&text) {
            let _ = search(&index, None, &query, SearchOptions::default());
        }
    });
    let long = "find message channels, then 搜索 + search. ".repeat(5000);
    assert!(!ask(&index, &long).is_empty());
}

/// Everything that an answer says, as text.
fn said(index: &SearchIndex, scope: &SearchScope, query: &str) -> String {
    let options = SearchOptions {
        limit: 10,
        ..SearchOptions::default()
    };
    format!(
        "{:?}",
        search_within(index, scope, None, &Query::parse(query).unwrap(), options)
    )
}

#[test]
fn what_is_out_of_scope_is_as_good_as_not_there() {
    let index = SearchIndex::build(&catalogue(
        r#"{"chat":[{"name":"send","description":"Sends a message"},{"name":"purge","description":"Deletes every message and zeppelin"}],
            "vault":[{"name":"purge","description":"Empties the vault of zeppelins"}]}"#,
    ));
    let scope = SearchScope::of(&index, |tool| tool.tool != "purge");
    assert_eq!(scope.count(&index), 1);
    for query in [
        "purge",
        "chat__purge",
        "message",
        "zeppelin",
        "zepelin",
        "select:purge,vault__purge",
        "server:vault",
        "server:vault zeppelin",
        "+zeppelin message",
        "/purge|message|zeppelin/",
        "delete every message of the vault. Send a zeppelin.",
    ] {
        assert!(
            said(&index, &SearchScope::everything(), query).contains("purge"),
            "{query}"
        );
        let answer = said(&index, &scope, query);
        for hidden in ["name: \"purge\"", "Deletes", "Empties", "zeppelin\")"] {
            assert!(!answer.contains(hidden), "{query}: {answer}");
        }
    }
    let answer = search_within(
        &index,
        &scope,
        None,
        &Query::parse("server:vault message").unwrap(),
        SearchOptions::default(),
    );
    assert_eq!(
        (answer.matched, answer.missing_servers),
        (0, vec!["vault".to_owned()])
    );
    // What hidden tools score is no part of what is said of their neighbour.
    let alone = SearchIndex::build(&catalogue(
        r#"{"chat":[{"name":"send","description":"Sends a message"}]}"#,
    ));
    let neighbours = |index: &SearchIndex, scope: &SearchScope| {
        let query = Query::parse("message").unwrap();
        let answer = search_within(index, scope, None, &query, SearchOptions::default());
        answer.hits[0]
            .why
            .iter()
            .filter(|part| part.part == Part::Neighbours)
            .map(|part| part.score / answer.hits[0].score)
            .sum::<f64>()
    };
    assert!(neighbours(&index, &scope) > 0.0 && neighbours(&alone, &SearchScope::everything()) <= 0.0);
    assert!((neighbours(&index, &scope) - (0.4 + 0.4 * 1.4) / 1.96).abs() < 1e-6);
    // A scope lets nothing through that its index did not have.
    assert!(said(&index, &SearchScope::of(&alone, |_| true), "select:vault__purge").contains("hits: []"));
}

/// What a server's tools score lifts the others of that server, and never changes who is first.
#[test]
fn a_server_that_fits_lifts_its_tools_but_not_past_its_best() {
    let index = SearchIndex::build(&catalogue(
        r#"{"chat":[{"name":"post_message","description":"Posts a message to a channel"},
                    {"name":"pin","description":"Pins a message, so that all who come by later see it at the top"},
                    {"name":"history","description":"Reads messages of a channel"}],
            "mail":[{"name":"rules","description":"Message rules"},{"name":"purge","description":"Empties the bin"}]}"#,
    ));
    let with = ask(&index, "post a message to a channel");
    assert_eq!(with[0], "chat__post_message");
    let weights = Weights {
        neighbours: 0.0,
        best_neighbour: 0.0,
        ..Weights::default()
    };
    let mut without = index.clone();
    without.weights = weights;
    let without = ask(&without, "post a message to a channel");
    assert_eq!(without[0], with[0]);
    let place = |names: &[String], name: &str| names.iter().position(|known| known == name);
    assert!(place(&without, "mail__rules") < place(&without, "chat__pin"));
    assert!(place(&with, "chat__pin") < place(&with, "mail__rules"));
    // The order within a server is that of its tools alone.
    let of_chat = |names: &[String]| -> Vec<String> {
        names
            .iter()
            .filter(|name| name.starts_with("chat"))
            .cloned()
            .collect()
    };
    assert_eq!(of_chat(&with), of_chat(&without));
}
