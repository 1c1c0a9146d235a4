//! In every state that can be reached, everything that asks about visibility gets one answer.

use proptest::prelude::*;

use super::*;

const RULES: &str = r#"
[[tool]]
name = "a"
stage = "init_complete"
auto_hide_after = "3s"
[[tool]]
name = "b"
domain = "d"
[[tool]]
name = "c"
domain = "e"
[[trigger]]
hub = "hub"
operation = "one"
unlocks = ["a", "c"]
[[trigger]]
hub = "c"
operation = "two"
unlocks = ["d"]
requires_stage = "init_complete"
advance = "domain_active"
[[trigger]]
hub = "d"
operation = "three"
unlocks = ["b"]
"#;
const NAMES: [&str; 6] = ["a", "b", "c", "d", "hub", "free"];

fn any_event() -> impl Strategy<Value = Event> {
    let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
    let operation = prop::sample::select(vec!["one", "two", "three"]);
    prop_oneof![
        (name.clone(), operation, any::<bool>()).prop_map(|(tool, operation, ok)| Event::Call {
            tool,
            arguments: Some(json!({"operation": operation})),
            ok
        }),
        (0_usize..4, prop::option::of(prop::sample::select(vec!["d", "e"]))).prop_map(|(stage, domain)| {
            Event::Advance {
                stage: DEFAULT_STAGES[stage].to_owned(),
                domain: domain.map(str::to_owned),
            }
        }),
        name.clone().prop_map(Event::Use),
        name.clone().prop_map(Event::Hide),
        name.prop_map(Event::Show),
        Just(Event::Reset),
        (0_u64..5).prop_map(|count| Event::Wait(seconds(count))),
    ]
}

/// Does what an explanation says, each step in its turn.
fn follow(registry: &mut DiscoveryRegistry, steps: &[Step], now: Duration) {
    for step in steps {
        match step {
            Step::Call { call, .. } => {
                let mut triggers = registry.rules().triggers.iter();
                let trigger = triggers.find(|trigger| trigger.call() == *call).unwrap().clone();
                assert!(registry.is_visible(&trigger.hub, &NoCatalogue, now), "{steps:?}");
                let arguments = json!({"operation": trigger.operation});
                registry.on_operation_called(&trigger.hub, Some(&arguments), true, &NoCatalogue, now);
            }
            Step::Advance(stage) => registry.advance_to_stage(stage, None).unwrap(),
            Step::Domain(domain) => registry.set_active_domain(Some(domain)),
            Step::Show(name) => {
                assert_eq!(
                    registry.show_tool(name, &NoCatalogue, now),
                    ShowOutcome::Shown,
                    "{steps:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn list_explain_call_and_use_agree(events in prop::collection::vec((0_u8..3, any_event()), 1..40)) {
        let mut simulation = Simulation::new(Arc::new(rules(RULES)), &NoCatalogue);
        for (handle, event) in events {
            let handle = format!("h{handle}");
            let answer = simulation.apply(Some(&handle), &event);
            prop_assert_eq!(answer.list_changed, u32::from(!answer.changed.is_empty()));
            let now = simulation.now();
            let registry = simulation.sessions().session(&handle).clone();
            prop_assert_eq!(&registry.visible_governed_tools(&NoCatalogue, now), &answer.visible);
            for name in NAMES {
                let visible = registry.is_visible(name, &NoCatalogue, now);
                let explanation = explain(&registry, name, &NoCatalogue, now);
                prop_assert_eq!(explanation.visible, visible);
                prop_assert_eq!(explanation.next.is_none(), visible);
                prop_assert_eq!(explanation.reason.is_none(), visible);
                let mut followed = registry.clone();
                follow(&mut followed, &explanation.steps, now);
                prop_assert!(followed.is_visible(name, &NoCatalogue, now), "{} {:?}", name, explanation.steps);
                if registry.rules().governed_tools().contains(&name) {
                    prop_assert_eq!(answer.visible.contains(&name.to_owned()), visible);
                }
                prop_assert_eq!(registry.clone().mark_tool_used(name, &NoCatalogue, now), visible);
                let shown = registry.clone().show_tool(name, &NoCatalogue, now);
                prop_assert_eq!(shown == ShowOutcome::AlreadyVisible, visible && (name != "free" && name != "hub") );
                let mut after = Simulation::new(Arc::new(rules(RULES)), &NoCatalogue);
                *after.sessions().session("x") = registry.clone();
                let wait = after.apply(Some("x"), &Event::Wait(now));
                prop_assert_eq!(&wait.visible, &answer.visible);
                let called = after.apply(Some("x"), &Event::Call { tool: name.to_owned(), arguments: None, ok: true });
                prop_assert_eq!(called.error.is_none(), visible, "{}", name);
            }
        }
    }
}
