use super::*;

fn analyze() -> Value {
    json!({"operation": "analyze"})
}

fn ready(text: &str) -> DiscoveryRegistry {
    let mut registry = registry(text);
    registry.advance_to_stage("init_complete", None).unwrap();
    registry
}

#[test]
fn quirk_1_absent_arguments_meet_no_condition() {
    let mut registry = ready(
        "[[trigger]]\nhub = \"hub__session\"\noperation = \"load\"\nunlocks = [\"t\"]\narguments = { kind = \"full\" }\n",
    );
    assert_eq!(
        call(&mut registry, json!({"operation": "load"}), seconds(0)).newly_discovered,
        []
    );
    let none = registry.on_operation_called(HUB, None, true, &NoCatalogue, seconds(0));
    assert_eq!(none, OperationEffect::default());
    assert_eq!(
        names(
            &call(
                &mut registry,
                json!({"operation": "load", "kind": "full"}),
                seconds(0)
            )
            .newly_discovered
        ),
        ["t"]
    );
}

#[test]
fn quirks_2_and_3_conditions_compare_deeply_and_say_more_than_equality() {
    let text = r#"
[[trigger]]
hub = "hub__session"
operation = "load"
unlocks = ["t"]
[trigger.arguments]
filter = { tags = ["a", 1] }
since = { present = true }
kind = { one_of = ["full", "metrics"] }
id = { prefix = "ses_" }
"#;
    let arguments = json!({"operation": "load", "filter": {"tags": ["a", 1.0]}, "since": null, "kind": "metrics", "id": "ses_1"});
    assert_eq!(
        names(&call(&mut registry(text), arguments.clone(), seconds(0)).newly_discovered),
        ["t"]
    );
    for (key, value) in [
        ("filter", json!({"tags": [1, "a"]})),
        ("kind", json!("other")),
        ("id", json!("x")),
    ] {
        let mut other = arguments.clone();
        other[key] = value;
        assert_eq!(
            call(&mut registry(text), other, seconds(0)).newly_discovered,
            [],
            "{key}"
        );
    }
}

#[test]
fn quirks_4_and_29_unknown_tools_and_operations_are_found_at_load() {
    let text = SESSION.replace(
        "unlocks = [\"hub__deep_analysis\"]",
        "unlocks = [\"hub__deep_analisis\"]",
    );
    let mut known = Catalogue::of(&[HUB, DEEP]);
    let lint = lint(&rules(&text), Vec::new(), &known);
    let unknown: Vec<_> = lint
        .findings
        .iter()
        .filter(|(_, problem)| problem.code.as_str() == "unknown-tool")
        .collect();
    let [(severity, problem)] = unknown.as_slice() else {
        panic!("{lint:?}")
    };
    assert_eq!(
        (severity.as_str(), problem.line, problem.column),
        ("error", Some(12), Some(12))
    );
    assert!(problem.help.as_deref().unwrap().contains(DEEP));

    known.schemas.insert(
        HUB.to_owned(),
        json!({"properties": {"operation": {"enum": ["session_analyze", "load"]}}}),
    );
    let lint = super::lint(&rules(SESSION), Vec::new(), &known);
    let orphans: Vec<_> = lint
        .findings
        .iter()
        .filter(|(_, problem)| problem.code.as_str() == "orphan-trigger")
        .collect();
    assert_eq!(orphans.len(), 1, "{lint:?}");
    assert_eq!((lint.tools, lint.reachable), (1, 0));
}

#[test]
fn quirks_5_and_6_a_tools_own_triggers_unlock_it_and_are_seen_everywhere() {
    let mut registry = DiscoveryRegistry::new(Arc::new(Rules::default()));
    let trigger = TriggerRule::new(HUB, "analyze", &[]);
    registry.register_discoverable_tool(ToolRule::new(DEEP), vec![trigger]);
    registry.register_trigger(TriggerRule::new(HUB, "load", &[DEEP]));
    assert!(!registry.is_visible(DEEP, &NoCatalogue, seconds(0)));
    assert_eq!(
        names(&call(&mut registry, analyze(), seconds(0)).newly_discovered),
        [DEEP]
    );
    registry.reset();
    assert_eq!(
        registry.show_tool(DEEP, &NoCatalogue, seconds(0)),
        ShowOutcome::NeverUnlocked {
            next: vec![
                "hub__session with operation = \"analyze\"".to_owned(),
                "hub__session with operation = \"load\"".to_owned()
            ]
        }
    );
}

#[test]
fn quirk_7_a_tool_without_triggers_is_visible_from_its_stage_on() {
    let mut registry = registry("[[tool]]\nname = \"t\"\nstage = \"cipher_loaded\"\n");
    assert!(!registry.is_visible("t", &NoCatalogue, seconds(0)));
    registry.advance_to_stage("domain_active", None).unwrap();
    assert!(registry.is_visible("t", &NoCatalogue, seconds(0)));
    assert!(registry.is_visible("never heard of", &NoCatalogue, seconds(0)));
}

#[test]
fn quirks_8_and_9_show_is_no_way_round_a_trigger_and_says_why() {
    let mut registry = registry(SESSION);
    let known = Catalogue::of(&[HUB, DEEP]);
    let show = |registry: &mut DiscoveryRegistry, name: &str| registry.show_tool(name, &known, seconds(0));
    assert!(matches!(
        show(&mut registry, DEEP),
        ShowOutcome::NeverUnlocked { .. }
    ));
    assert_eq!(
        show(&mut registry, "hub__deep_analysys"),
        ShowOutcome::Unknown {
            suggestions: vec![DEEP.to_owned()]
        }
    );
    assert_eq!(show(&mut registry, HUB), ShowOutcome::AlreadyVisible);
    registry.advance_to_stage("init_complete", None).unwrap();
    call(&mut registry, analyze(), seconds(0));
    assert_eq!(registry.hide_tool(DEEP, &known, seconds(0)), HideOutcome::Hidden);
    assert_eq!(
        registry.hide_tool(DEEP, &known, seconds(0)),
        HideOutcome::AlreadyHidden
    );
    assert_eq!(show(&mut registry, DEEP), ShowOutcome::Shown);
    let denying = Catalogue {
        denied: vec![DEEP.to_owned()],
        ..Catalogue::of(&[DEEP])
    };
    assert_eq!(
        registry.show_tool(DEEP, &denying, seconds(0)),
        ShowOutcome::Denied
    );
    assert_eq!(
        registry.hide_tool(DEEP, &denying, seconds(0)),
        HideOutcome::Denied
    );

    let mut staged = super::registry("[[tool]]\nname = \"t\"\nstage = \"cipher_loaded\"\n");
    staged.hide_tool("t", &NoCatalogue, seconds(0));
    assert_eq!(
        staged.show_tool("t", &NoCatalogue, seconds(0)),
        ShowOutcome::StageUnmet {
            current_stage: "entry".to_owned(),
            required_stage: "cipher_loaded".to_owned()
        }
    );
}

#[test]
fn quirk_10_an_unknown_stage_never_passes() {
    let (read, problems) = read_rules(SESSION.replace("init_complete", "init_compleet").as_bytes());
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}")
    };
    assert_eq!(
        (problem.code.as_str(), problem.line, problem.column),
        ("unknown-stage", Some(13), Some(18))
    );
    assert!(!lint(&read, problems, &NoCatalogue).is_clean());
    let error = registry(SESSION).advance_to_stage("nowhere", None).unwrap_err();
    assert!(matches!(error, StageError::Unknown { .. }));
}

#[test]
fn quirk_11_visibility_follows_the_stage_at_every_moment() {
    let mut registry = registry(
        "[[tool]]\nname = \"t\"\nstage = \"init_complete\"\n[[trigger]]\nhub = \"hub__session\"\noperation = \"analyze\"\nunlocks = [\"t\"]\n",
    );
    let effect = call(&mut registry, analyze(), seconds(0));
    assert_eq!(
        (effect.newly_discovered.as_slice(), effect.withheld.as_slice()),
        (&[][..], &["t".to_owned()][..])
    );
    registry.advance_to_stage("init_complete", None).unwrap();
    assert!(
        registry.is_visible("t", &NoCatalogue, seconds(0)),
        "unlocked before, so the stage is all it took"
    );
    registry.reset();
    assert!(!registry.is_visible("t", &NoCatalogue, seconds(0)));
    assert_eq!(registry.get_discovered_tools(), Vec::<&str>::new());
    assert!(matches!(
        ready(SESSION).advance_to_stage("entry", None),
        Err(StageError::Backwards { .. })
    ));
}

#[test]
fn quirk_12_a_call_that_came_too_early_says_what_it_takes() {
    let mut registry = registry(SESSION);
    let effect = call(&mut registry, analyze(), seconds(0));
    let [pending] = effect.pending.as_slice() else {
        panic!("{effect:?}")
    };
    assert_eq!(
        (&*pending.current_stage, &*pending.required_stage),
        ("entry", "init_complete")
    );
    assert!(
        pending
            .next
            .contains("call hub__session with operation = \"analyze\" again")
    );
    registry.advance_to_stage("init_complete", None).unwrap();
    assert!(
        !registry.is_visible(DEEP, &NoCatalogue, seconds(0)),
        "calls are not remembered, and the answer said so"
    );
}

#[test]
fn quirks_13_to_15_a_lease_is_renewed_by_use_and_by_its_trigger_and_needs_no_sweep() {
    let mut registry = ready(SESSION);
    let visible = |registry: &DiscoveryRegistry, at| registry.is_visible(DEEP, &NoCatalogue, seconds(at));
    let effect = call(&mut registry, analyze(), seconds(0));
    assert_eq!(effect.newly_discovered[0].expires_in_ms, Some(600_000));
    assert!(
        visible(&registry, 600),
        "it runs for the whole of its ten minutes"
    );
    assert!(!visible(&registry, 601));
    assert_eq!(registry.process_auto_hide(&NoCatalogue, seconds(601)), [DEEP]);
    let again = call(&mut registry, analyze(), seconds(500));
    assert_eq!(
        (again.newly_discovered.len(), again.already_visible.as_slice()),
        (0, &[DEEP.to_owned()][..])
    );
    assert!(visible(&registry, 1100));
    assert!(registry.mark_tool_used(DEEP, &NoCatalogue, seconds(1100)));
    assert!(visible(&registry, 1700));
    assert!(
        !registry.mark_tool_used(DEEP, &NoCatalogue, seconds(1701)),
        "what is not visible cannot be used"
    );
    assert!(!visible(&registry, 1701));
    assert_eq!(
        names(&call(&mut registry, analyze(), seconds(1800)).newly_discovered),
        [DEEP]
    );
    let zero = SESSION.replace("\"10m\"", "\"0s\"");
    let (_, problems) = read_rules(zero.as_bytes());
    assert_eq!(
        problems.len(),
        1,
        "a lease of no time is refused, not taken for none"
    );
}

#[test]
fn quirk_16_a_call_under_way_holds_the_lease() {
    let mut registry = ready(SESSION);
    call(&mut registry, analyze(), seconds(0));
    registry.begin_call(DEEP, seconds(10));
    registry.begin_call(DEEP, seconds(20));
    assert!(registry.is_visible(DEEP, &NoCatalogue, seconds(9_000)));
    registry.end_call(DEEP, seconds(9_000));
    assert!(
        registry.is_visible(DEEP, &NoCatalogue, seconds(99_000)),
        "one of two calls is still under way"
    );
    registry.end_call(DEEP, seconds(99_000));
    assert!(registry.is_visible(DEEP, &NoCatalogue, seconds(99_600)));
    assert!(!registry.is_visible(DEEP, &NoCatalogue, seconds(99_601)));
    registry.end_call(DEEP, seconds(100_000));
    assert!(
        !registry.is_visible(DEEP, &NoCatalogue, seconds(100_000)),
        "an end without a beginning renews nothing"
    );
}

#[test]
fn quirks_17_and_18_what_was_hidden_stays_so_and_says_so() {
    let mut registry = ready(SESSION);
    let description = |registry: &DiscoveryRegistry| {
        registry
            .description(DEEP, &NoCatalogue, seconds(1))
            .map(str::to_owned)
    };
    assert_eq!(
        description(&registry).as_deref(),
        Some("unlocked by session analyze")
    );
    let effect = call(&mut registry, analyze(), seconds(0));
    assert_eq!(effect.newly_discovered[0].why, "a session was analysed");
    assert_eq!(
        description(&registry).as_deref(),
        Some("Analyse the session that was just loaded")
    );
    registry.hide_tool(DEEP, &NoCatalogue, seconds(1));
    assert_eq!(
        description(&registry).as_deref(),
        Some("unlocked by session analyze")
    );
    let effect = call(&mut registry, analyze(), seconds(2));
    assert_eq!(
        (effect.newly_discovered.len(), effect.hidden.as_slice()),
        (0, &[DEEP.to_owned()][..])
    );
    assert!(!registry.is_visible(DEEP, &NoCatalogue, seconds(2)));
    assert_eq!(
        registry.show_tool(DEEP, &NoCatalogue, seconds(3)),
        ShowOutcome::Shown
    );
}

#[test]
fn quirks_19_to_22_registering_again_replaces_and_triggers_do_not_pile_up() {
    let mut registry = ready(SESSION);
    call(&mut registry, analyze(), seconds(0));
    let trigger = registry.get_triggers_for(HUB, "analyze").remove(0);
    assert!(!registry.register_trigger(trigger.clone()), "the same again");
    let mut rule = ToolRule::new(DEEP);
    rule.discovered_description = Some("new".to_owned());
    registry.register_discoverable_tool(rule, vec![trigger]);
    assert_eq!(registry.get_triggers_for(HUB, "analyze").len(), 1);
    assert!(
        registry.is_visible(DEEP, &NoCatalogue, seconds(0)),
        "what the session did with it stays"
    );
    assert_eq!(registry.description(DEEP, &NoCatalogue, seconds(0)), Some("new"));
    let mut colons = DiscoveryRegistry::new(Arc::new(Rules::default()));
    colons.register_trigger(TriggerRule::new("a:b", "c", &["t"]));
    assert_eq!(colons.get_triggers_for("a", "b:c"), []);
    let effect = colons.on_operation_called(
        "a",
        Some(&json!({"operation": "b:c"})),
        true,
        &NoCatalogue,
        seconds(0),
    );
    assert_eq!(effect, OperationEffect::default());
}

#[test]
fn quirks_23_24_30_and_32_an_answer_has_names_schemas_reasons_and_one_message() {
    let text = "[[trigger]]\nhub = \"hub__session\"\noperation = \"analyze\"\nunlocks = [\"z\", \"a\"]\n";
    let known = Catalogue::of(&["a", "z", HUB]);
    let effect = registry(text).on_operation_called(HUB, Some(&analyze()), true, &known, seconds(0));
    assert_eq!(names(&effect.newly_discovered), ["a", "z"]);
    assert_eq!(
        effect.newly_discovered[0].schema,
        Some(json!({"type": "object", "title": "a"}))
    );
    assert_eq!(
        effect.newly_discovered[0].why,
        "hub__session with operation = \"analyze\" succeeded"
    );
    assert_eq!(effect.message.as_deref(), Some("Tools unlocked: a, z"));
}

#[test]
fn quirk_25_sessions_do_not_see_one_another() {
    let mut sessions = Sessions::new(Arc::new(rules(&SESSION.replace("requires_stage", "#"))));
    call(sessions.session("parent"), analyze(), seconds(0));
    assert!(
        sessions
            .session("parent")
            .is_visible(DEEP, &NoCatalogue, seconds(0))
    );
    assert!(
        !sessions
            .session("child")
            .is_visible(DEEP, &NoCatalogue, seconds(0))
    );
}

#[test]
fn quirks_26_and_27_there_is_one_rule_of_visibility() {
    let mut registry = registry(
        "[[tool]]\nname = \"t\"\nstage = \"init_complete\"\ndomain = \"d\"\n[[trigger]]\nhub = \"hub__session\"\noperation = \"analyze\"\nunlocks = [\"t\"]\n",
    );
    registry.advance_to_stage("init_complete", Some("d")).unwrap();
    assert!(registry.stages().is_tool_enabled("t"));
    assert!(
        !registry.is_visible("t", &NoCatalogue, seconds(0)),
        "the stage alone does not unlock it"
    );
    call(&mut registry, analyze(), seconds(0));
    assert!(registry.is_visible("t", &NoCatalogue, seconds(0)));
    registry.set_active_domain(Some("other"));
    assert!(!registry.is_visible("t", &NoCatalogue, seconds(0)));
    assert_eq!(
        registry.show_tool("t", &NoCatalogue, seconds(0)),
        ShowOutcome::DomainUnmet {
            required_domain: "d".to_owned()
        }
    );
}

#[test]
fn quirk_28_a_failed_operation_unlocks_nothing() {
    let mut registry = ready(SESSION);
    let effect = registry.on_operation_called(HUB, Some(&analyze()), false, &NoCatalogue, seconds(0));
    assert_eq!(effect, OperationEffect::default());
    assert!(!registry.is_discovered(DEEP));
}

#[test]
fn quirk_31_lists_are_sorted() {
    let mut registry = registry(
        "[[trigger]]\nhub = \"hub__session\"\noperation = \"analyze\"\nunlocks = [\"z\", \"m\", \"a\"]\n",
    );
    assert_eq!(registry.get_all_discoverable_tools(), ["a", "m", "z"]);
    call(&mut registry, analyze(), seconds(0));
    assert_eq!(registry.get_discovered_tools(), ["a", "m", "z"]);
}

#[test]
fn stages_enable_describe_and_advance() {
    let text = r#"
stages = ["one", "two", "three"]
[[tool]]
name = "b"
stage = "two"
[tool.descriptions]
two = "from two on"
[[tool]]
name = "a"
[[trigger]]
hub = "hub__session"
operation = "go"
advance = "two"
[[trigger]]
hub = "hub__session"
operation = "go"
requires_stage = "two"
advance = "three"
"#;
    let mut registry = registry(text);
    assert_eq!(registry.stages().get_enabled_tools(), ["a"]);
    let effect = call(&mut registry, json!({"operation": "go"}), seconds(0));
    assert_eq!(
        effect.advanced_to.as_deref(),
        Some("two"),
        "judged by the stage at which the call was made"
    );
    assert_eq!(registry.stages().get_enabled_tools(), ["a", "b"]);
    assert_eq!(
        call(&mut registry, json!({"operation": "go"}), seconds(0))
            .advanced_to
            .as_deref(),
        Some("three")
    );
    assert_eq!(
        registry.description("b", &NoCatalogue, seconds(0)),
        Some("from two on"),
        "falls back to an earlier stage"
    );
}
