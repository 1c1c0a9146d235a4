//! Listing, searching, describing and calling give one answer about visibility, under any rules and after any events;
//! and what a search found can be called.

use proptest::prelude::*;

use super::*;
use crate::tools::{
    self, Promotions, Query, SearchIndex, SearchOptions, SearchScope, Source, Tier, Tiers, search_within,
};

/// Tools of two servers, each with a word of its own.
const TOOLS: [(&str, &str, &str); 7] = [
    ("hub", "open", "apricot"),
    ("hub", "close", "banana"),
    ("hub", "same", "cherry"),
    ("db", "query", "damson"),
    ("db", "drop", "elderberry"),
    ("db", "same", "fennel"),
    ("web", "fetch", "guava"),
];
const OPERATIONS: [&str; 2] = ["one", "two"];
const DOMAINS: [&str; 2] = ["red", "blue"];

fn catalogue() -> tools::Catalogue {
    let tools =
        TOOLS.map(|(server, name, word)| json!({"server": server, "name": name, "description": word}));
    let text = Value::from(tools.to_vec()).to_string();
    let source = Source {
        name: "t".into(),
        server: "t".into(),
        kind: None,
        bytes: text.as_bytes(),
    };
    tools::Catalogue::read(&[source]).unwrap()
}

fn name(at: usize) -> String {
    let (server, tool, _) = TOOLS[at % TOOLS.len()];
    tools::qualified_name(server, tool)
}

/// What an operator allows of a catalogue.
struct Allowed<'a> {
    tools: CatalogueTools<'a>,
    denied: Option<String>,
}

impl KnownTools for Allowed<'_> {
    fn is_known(&self, name: &str) -> Option<bool> {
        self.tools.is_known(name)
    }

    fn schema(&self, name: &str) -> Option<Value> {
        self.tools.schema(name)
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        self.tools.nearest(name)
    }

    fn is_allowed(&self, name: &str) -> bool {
        self.denied.as_deref() != Some(name)
    }
}

fn any_tool_rule() -> impl Strategy<Value = ToolRule> {
    let domain = prop::option::of(prop::sample::select(DOMAINS.to_vec()));
    let lease = prop::option::of(1_u64..5);
    (0..TOOLS.len(), 0_u32..3, domain, lease).prop_map(|(tool, stage, domain, lease)| ToolRule {
        stage: Stage(stage),
        domain: domain.map(str::to_owned),
        auto_hide_after: lease.map(seconds),
        hidden_description: Some("hidden".to_owned()),
        discovered_description: Some("discovered".to_owned()),
        stage_descriptions: vec![(Stage(0), "at a stage".to_owned())],
        ..ToolRule::new(name(tool))
    })
}

fn any_trigger() -> impl Strategy<Value = TriggerRule> {
    let unlocks = prop::collection::vec(0..TOOLS.len(), 1..3);
    let operation = prop::sample::select(OPERATIONS.to_vec());
    let conditional = any::<bool>();
    (
        0..TOOLS.len(),
        operation,
        unlocks,
        0_u32..3,
        prop::option::of(0_u32..4),
        conditional,
    )
        .prop_map(|(hub, operation, unlocks, stage, advance, conditional)| {
            let unlocks: Vec<String> = unlocks.into_iter().map(name).collect();
            let unlocks: Vec<&str> = unlocks.iter().map(String::as_str).collect();
            let condition = ("kind".to_owned(), Condition::Equals(json!(1)));
            TriggerRule {
                requires_stage: Stage(stage),
                advance: advance.map(Stage),
                arguments: ArgumentConditions(conditional.then_some(condition).into_iter().collect()),
                ..TriggerRule::new(name(hub), operation, &unlocks)
            }
        })
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let tools = prop::collection::vec(any_tool_rule(), 0..5);
    (tools, prop::collection::vec(any_trigger(), 0..5)).prop_map(|(mut tools, triggers)| {
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools.dedup_by(|one, other| one.name == other.name);
        Rules {
            tools,
            triggers,
            ..Rules::default()
        }
    })
}

fn any_event() -> impl Strategy<Value = Event> {
    let tool = || (0..TOOLS.len()).prop_map(name);
    let arguments = (prop::sample::select(OPERATIONS.to_vec()), 0..3)
        .prop_map(|(operation, kind)| json!({"operation": operation, "kind": kind}));
    prop_oneof![
        4 => (tool(), arguments, prop::bool::weighted(0.8)).prop_map(|(tool, arguments, ok)| Event::Call {
            tool,
            arguments: Some(arguments),
            ok
        }),
        1 => (0_usize..4, prop::option::of(prop::sample::select(DOMAINS.to_vec()))).prop_map(|(stage, domain)| {
            Event::Advance {
                stage: DEFAULT_STAGES[stage].to_owned(),
                domain: domain.map(str::to_owned),
            }
        }),
        1 => tool().prop_map(Event::Use),
        1 => tool().prop_map(Event::Hide),
        1 => tool().prop_map(Event::Show),
        1 => Just(Event::Reset),
        1 => (0_u64..5).prop_map(|count| Event::Wait(seconds(count))),
    ]
}

fn any_tiers() -> impl Strategy<Value = Tiers> {
    (prop::collection::vec(0..TOOLS.len(), 0..3), any::<bool>()).prop_map(|(core, defer_mcp_tools)| Tiers {
        core: core.into_iter().map(name).collect(),
        defer_mcp_tools,
        truncate_tool_descriptions: false,
    })
}

/// The names that a query finds in a scope, and how many tools it says matched.
fn found(index: &SearchIndex, scope: &SearchScope, query: &str) -> (Vec<String>, usize) {
    let options = SearchOptions {
        limit: 20,
        ..SearchOptions::default()
    };
    let answer = search_within(index, scope, None, &Query::parse(query).unwrap(), options);
    let names = answer.hits.iter().map(|hit| hit.tool.name.to_owned());
    (names.collect(), answer.matched)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn list_search_describe_and_call_agree(
        rules in any_rules(),
        denied in prop::option::weighted(0.3, (0..TOOLS.len()).prop_map(name)),
        tiers in any_tiers(),
        events in prop::collection::vec((0_u8..2, any_event()), 0..30),
        searched in prop::collection::vec(0..TOOLS.len(), 0..3),
    ) {
        let catalogue = catalogue();
        let index = SearchIndex::build(&catalogue);
        let known = Allowed { tools: CatalogueTools::new(&catalogue), denied };
        let rules = Arc::new(rules);
        let mut simulation = Simulation::new(Arc::clone(&rules), &known);
        let mut told = BTreeMap::new();
        for (handle, event) in events {
            let handle = format!("h{handle}");
            let answer = simulation.apply(Some(&handle), &event);
            let now = simulation.now();
            let hidden = simulation.sessions().session(&handle).hidden_tools(&known, now);
            // Who only listens to changes knows what is hidden: nothing changes without being told.
            let heard: &mut Option<Vec<String>> = told.entry(handle).or_default();
            if let Some(heard) = heard {
                prop_assert!(answer.changed.appeared.iter().all(|name| heard.contains(name)));
                heard.retain(|name| !answer.changed.appeared.contains(name));
                heard.extend(answer.changed.disappeared.iter().cloned());
                heard.sort();
                prop_assert_eq!(&*heard, &hidden);
            }
            *heard = Some(hidden);
            prop_assert_eq!(answer.list_changed, u32::from(!answer.changed.is_empty()));
        }
        let now = simulation.now();
        let registry = simulation.sessions().session("h0").clone();
        let scope = registry.scope(&index, &known, now);
        let visible: Vec<&tools::Tool> =
            catalogue.tools.iter().filter(|tool| registry.is_visible(&tool.name, &known, now)).collect();
        prop_assert_eq!(scope.count(&index), visible.len());

        let mut promotions = Promotions::default();
        for at in searched {
            let (names, _) = found(&index, &scope, TOOLS[at].2);
            let hits: Vec<&tools::Tool> = catalogue.tools.iter().filter(|tool| names.contains(&tool.name)).collect();
            promotions.promote(&tiers, hits);
        }
        let listed = |promotions: &Promotions| -> Vec<String> {
            let is_listed = |tool: &&&tools::Tool| promotions.tier(&tiers, tool) != Tier::Deferred;
            visible.iter().filter(is_listed).map(|tool| tool.name.clone()).collect()
        };
        for (at, tool) in catalogue.tools.iter().enumerate() {
            let is_visible = visible.iter().any(|visible| visible.name == tool.name);
            // Searching, in every way in which it can be asked for.
            prop_assert_eq!(scope.has(at), is_visible);
            let word = tool.description.as_str();
            for query in [
                word.to_owned(),
                format!("{word}s"),
                format!("get +{word}"),
                format!("/{word}/"),
                format!("select:{}", tool.name),
                tool.name.clone(),
                tool.tool.clone(),
                format!("server:{}", tool.server),
                format!("server:{} {word}", tool.server),
                TOOLS.map(|(_, _, word)| word).join(". "),
            ] {
                let (names, matched) = found(&index, &scope, &query);
                prop_assert_eq!(names.contains(&tool.name), is_visible, "{}", query);
                prop_assert_eq!(names.len(), matched);
                prop_assert!(names.iter().all(|name| visible.iter().any(|tool| tool.name == *name)), "{}", query);
            }
            // Describing.
            let explanation = explain(&registry, &tool.name, &known, now);
            prop_assert_eq!(explanation.visible, is_visible);
            let description = registry.description(&tool.name, &known, now);
            if rules.tool(&tool.name).is_some() {
                prop_assert_eq!(description != Some("hidden"), is_visible);
            }
            // Calling.
            let call = Event::Call { tool: tool.name.clone(), arguments: None, ok: true };
            let mut after = Simulation::new(Arc::clone(&rules), &known);
            *after.sessions().session("x") = registry.clone();
            after.apply(Some("x"), &Event::Wait(now));
            prop_assert_eq!(after.apply(Some("x"), &call).error.is_none(), is_visible, "{}", tool.name);
            // Listing: a tool that is visible is on the list, or is deferred and gets there by being found.
            let tier = promotions.tier(&tiers, tool);
            prop_assert_eq!(
                listed(&promotions).contains(&tool.name),
                is_visible && tier != Tier::Deferred
            );
            let (names, _) = found(&index, &scope, word);
            let hits: Vec<&tools::Tool> = catalogue.tools.iter().filter(|tool| names.contains(&tool.name)).collect();
            let was_listed = listed(&promotions).contains(&tool.name);
            let is_changed = promotions.clone().promote(&tiers, hits.iter().copied());
            prop_assert_eq!(is_changed, hits.iter().any(|hit| promotions.tier(&tiers, hit) == Tier::Deferred));
            let mut later = promotions.clone();
            later.promote(&tiers, hits);
            prop_assert_eq!(listed(&later).contains(&tool.name), is_visible);
            prop_assert!(!was_listed || listed(&later).contains(&tool.name), "the set of deferred tools only shrinks");
        }
    }
}
