use super::*;

/// A recorded run: stages, a failing and a succeeding operation, a lease, hiding, showing, another handle, a reset.
const EVENTS: &str = r#"
{"call": "hub__session", "arguments": {"operation": "analyze"}, "ok": true}
{"advance": "init_complete"}
{"call": "hub__session", "arguments": {"operation": "analyze"}, "ok": false}
{"call": "hub__session", "arguments": {"operation": "analyze"}}
{"hide": "hub__deep_analysis"}
{"call": "hub__deep_analysis"}
{"show": "hub__deep_analysis"}
{"wait": "9m"}
{"use": "hub__deep_analysis"}
{"wait": "10m"}
{"wait": "1ms"}
{"show": "hub__deep_analysis"}
{"advance": "init_complete", "handle": "other"}
{"hide": "hub__deep_analysis", "handle": "other"}
{"reset": true}
{"advance": "entry"}
{"advance": "domain_active", "domain": "d"}
{"advance": "entry"}
"#;

#[test]
fn a_recorded_run_gives_the_same_answers() {
    let known = Catalogue::of(&[HUB, DEEP]);
    let mut simulation = Simulation::new(Arc::new(rules(SESSION)), &known);
    let mut told = Vec::new();
    for line in EVENTS.trim().lines() {
        let (handle, event) = read_event(line).unwrap();
        let answer = simulation.apply(handle.as_deref(), &event);
        let mut line = format!("{} {}: {}", answer.event, answer.handle, answer.what);
        for (sign, names) in [
            ("+", &answer.changed.appeared),
            ("-", &answer.changed.disappeared),
        ] {
            for name in names {
                line.push_str(&format!(" {sign}{name}"));
            }
        }
        if answer.list_changed > 0 {
            line.push_str(&format!(" ({} notification)", answer.list_changed));
        }
        if let Some(error) = answer.error {
            line.push_str(&format!(" error: {error}"));
        }
        told.push(line);
    }
    assert_eq!(
        told,
        [
            "1 default: call hub__session",
            "2 default: advance to init_complete",
            "3 default: call hub__session, which failed",
            "4 default: call hub__session +hub__deep_analysis (1 notification)",
            "5 default: hide hub__deep_analysis -hub__deep_analysis (1 notification)",
            "6 default: call hub__deep_analysis error: hub__deep_analysis is not visible, so it cannot be called; next: show hub__deep_analysis",
            "7 default: show hub__deep_analysis +hub__deep_analysis (1 notification)",
            "8 default: wait 9m",
            "9 default: use hub__deep_analysis",
            "10 default: wait 10m",
            "11 default: wait 1ms -hub__deep_analysis (1 notification)",
            "12 default: show hub__deep_analysis +hub__deep_analysis (1 notification)",
            "13 other: advance to init_complete",
            "14 other: hide hub__deep_analysis",
            "15 default: reset -hub__deep_analysis (1 notification)",
            "16 default: advance to entry",
            "17 default: advance to domain_active, domain d",
            "18 default: advance to entry error: `entry` comes before `domain_active`: only a reset goes back",
        ]
    );
}

#[test]
fn many_unlocked_tools_are_one_notification() {
    let text = "[[trigger]]\nhub = \"hub__session\"\noperation = \"go\"\nunlocks = [\"a\", \"b\", \"c\"]\n";
    let mut simulation = Simulation::new(Arc::new(rules(text)), &NoCatalogue);
    let (_, event) = read_event(r#"{"call": "hub__session", "arguments": {"operation": "go"}}"#).unwrap();
    let answer = simulation.apply(None, &event);
    assert_eq!(answer.list_changed, 1);
    assert_eq!(
        answer.notification,
        Some(events::Notification {
            newly_discovered: vec!["a".into(), "b".into(), "c".into()],
            message: "Tools unlocked: a, b, c".into()
        })
    );
}

#[test]
fn a_lease_that_ran_out_is_told_to_each_session_at_its_next_event() {
    let text = SESSION.replace("requires_stage", "#");
    let mut simulation = Simulation::new(Arc::new(rules(&text)), &NoCatalogue);
    let call =
        read_event(r#"{"call": "hub__session", "arguments": {"operation": "analyze"}, "handle": "b"}"#)
            .unwrap();
    simulation.apply(call.0.as_deref(), &call.1);
    let wait = read_event(r#"{"wait": "11m"}"#).unwrap();
    assert_eq!(simulation.apply(None, &wait.1).list_changed, 0);
    let late = read_event(r#"{"use": "x", "handle": "b"}"#).unwrap();
    assert_eq!(
        simulation.apply(late.0.as_deref(), &late.1).changed.disappeared,
        [DEEP]
    );
}

#[test]
fn what_is_no_event_says_why() {
    for (line, why) in [
        ("", "not JSON"),
        ("[]", "an event is an object"),
        ("{}", "one of the keys"),
        (r#"{"hide": "a", "show": "a"}"#, "are two"),
        (r#"{"hide": "a", "ok": true}"#, "no key of `hide`"),
        (r#"{"call": "a", "ok": 1}"#, "true or false"),
        (r#"{"wait": "10"}"#, "no duration"),
        (r#"{"wait": "99999999999999999999d"}"#, "no duration"),
        (r#"{"wait": "99999999999999999d"}"#, "too long"),
        (r#"{"reset": false}"#, "`reset` is true"),
        (r#"{"use": ""}"#, "not empty"),
    ] {
        let error = read_event(line).unwrap_err();
        assert!(error.contains(why), "{line}: {error}");
    }
}

#[test]
fn explain_names_the_clause_that_hides_a_tool_and_the_call_that_would_show_it() {
    let mut registry = registry(SESSION);
    let explained = |registry: &DiscoveryRegistry| explain(registry, DEEP, &NoCatalogue, seconds(0));
    let answer = explained(&registry);
    assert!(!answer.visible);
    let failing: Vec<ClauseKind> = answer
        .clauses
        .iter()
        .filter(|clause| !clause.holds)
        .map(|clause| clause.clause)
        .collect();
    assert_eq!(failing, [ClauseKind::Unlocked]);
    assert_eq!(
        answer.next.as_deref(),
        Some("advance to stage `init_complete`, then call hub__session with operation = \"analyze\"")
    );
    registry.advance_to_stage("init_complete", None).unwrap();
    call(&mut registry, json!({"operation": "analyze"}), seconds(0));
    assert_eq!(explained(&registry).next, None);
    registry.hide_tool(DEEP, &NoCatalogue, seconds(0));
    assert_eq!(
        explained(&registry).next.as_deref(),
        Some("show hub__deep_analysis")
    );
}

/// What explaining a tool says to do next, in a session that has done nothing yet.
fn next(text: &str, name: &str, known: &Catalogue) -> Option<String> {
    explain(&registry(text), name, known, seconds(0)).next
}

#[test]
fn the_first_step_can_be_done_now_and_each_leads_to_the_next() {
    let known = Catalogue::of(&["hub", "a", "b", "c"]);
    let chain = r#"
[[trigger]]
hub = "hub"
operation = "o"
unlocks = ["a"]
[[trigger]]
hub = "a"
operation = "p"
unlocks = ["b"]
"#;
    assert_eq!(
        next(chain, "b", &known).as_deref(),
        Some("call hub with operation = \"o\", then call a with operation = \"p\"")
    );
    // A stage to which a call leads, and one to which none does but that which needs it.
    let staged = r#"
[[tool]]
name = "a"
stage = "cipher_loaded"
[[trigger]]
hub = "hub"
operation = "load"
requires_stage = "init_complete"
advance = "cipher_loaded"
[[trigger]]
hub = "hub"
operation = "load"
unlocks = ["a"]
requires_stage = "init_complete"
"#;
    assert_eq!(
        next(staged, "a", &known).as_deref(),
        Some(
            "advance to stage `init_complete`, then call hub with operation = \"load\" (to reach stage `cipher_loaded`)"
        )
    );
    // The domain of a hub is not that of the tool.
    let domains = r#"
[[tool]]
name = "a"
domain = "one"
[[tool]]
name = "b"
domain = "two"
[[trigger]]
hub = "a"
operation = "o"
unlocks = ["b"]
"#;
    assert_eq!(
        next(domains, "b", &known).as_deref(),
        Some(
            "make `one` the active domain, then call a with operation = \"o\", then make `two` the active domain"
        )
    );
}

#[test]
fn what_nothing_leads_to_has_no_next_step() {
    let mut known = Catalogue::of(&["hub", "a", "b"]);
    let cycle = r#"
[[trigger]]
hub = "a"
operation = "o"
unlocks = ["b"]
[[trigger]]
hub = "b"
operation = "o"
unlocks = ["a"]
"#;
    assert_eq!(next(cycle, "a", &known), None);
    let behind = "[[trigger]]\nhub = \"hub\"\noperation = \"o\"\nunlocks = [\"a\"]\n";
    assert!(next(behind, "a", &known).is_some());
    known.denied.push("hub".to_owned());
    assert_eq!(next(behind, "a", &known), None, "its hub is denied");
    let explained = explain(&registry(behind), "hub", &known, seconds(0));
    assert_eq!((explained.reason, explained.next), (Some(Reason::Denied), None));
    let unknown = explain(&registry(behind), "hubb", &known, seconds(0));
    assert_eq!(unknown.reason, Some(Reason::Unknown));
    assert_eq!(unknown.suggestions, ["hub"]);
    assert!(!unknown.visible);
}

#[test]
fn calling_and_using_what_there_is_not_says_so() {
    let known = Catalogue::of(&[HUB, DEEP]);
    let mut simulation = Simulation::new(Arc::new(rules(SESSION)), &known);
    for (line, refused, suggestions) in [
        (r#"{"use": "hub__sesion"}"#, Reason::Unknown, vec![HUB]),
        (r#"{"call": "hub__sesion"}"#, Reason::Unknown, vec![HUB]),
        (r#"{"use": "hub__deep_analysis"}"#, Reason::NeverUnlocked, vec![]),
    ] {
        let (handle, event) = read_event(line).unwrap();
        let answer = simulation.apply(handle.as_deref(), &event);
        assert_eq!(answer.refused, Some(refused), "{answer:?}");
        assert_eq!(answer.suggestions, suggestions);
        let error = answer.error.unwrap();
        assert_eq!(
            error.contains("nearest names"),
            refused == Reason::Unknown,
            "{error}"
        );
    }
}

/// Where no call that unlocks a tool can be made yet, showing it says what comes before.
#[test]
fn showing_names_calls_that_can_be_made() {
    let mut registry = registry(SESSION);
    let known = Catalogue::of(&[HUB, DEEP]);
    let next = |registry: &mut DiscoveryRegistry| match registry.show_tool(DEEP, &known, seconds(0)) {
        ShowOutcome::NeverUnlocked { next } => next,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        next(&mut registry),
        [
            "advance to stage `init_complete`",
            "call hub__session with operation = \"analyze\""
        ]
    );
    registry.advance_to_stage("init_complete", None).unwrap();
    assert_eq!(next(&mut registry), ["hub__session with operation = \"analyze\""]);
}
