use super::*;
use crate::model::Severity;

fn codes(text: &str) -> Vec<(String, Option<u32>, Option<u32>)> {
    let (rules, problems) = read_rules(text.as_bytes());
    let lint = lint(&rules, problems, &NoCatalogue);
    lint.findings
        .iter()
        .map(|(_, problem)| (problem.code.as_str().to_owned(), problem.line, problem.column))
        .collect()
}

#[test]
fn the_example_of_the_specification_is_clean() {
    let text = r#"
stages = ["entry", "init_complete", "cipher_loaded", "domain_active"]

[[tool]]
name = "hub__deep_analysis"
stage = "init_complete"
domain = "reasoning"
auto_hide_after = "10m"
[tool.descriptions]
discovered = "Analyse the session that was just loaded"

[[trigger]]
hub = "hub__session"
operation = "analyze"
unlocks = ["hub__deep_analysis"]
requires_stage = "init_complete"
advance = "cipher_loaded"
description = "a session was analysed"
[trigger.arguments]
kind = { one_of = ["full", "metrics"] }
since = { present = true }
"#;
    let rules = rules(text);
    let lint = lint(&rules, Vec::new(), &NoCatalogue);
    assert_eq!((lint.tools, lint.reachable), (1, 1));
    assert!(lint.is_clean());
    // That somebody else goes on to `init_complete` is not for the file to say, and told of.
    let told: Vec<_> = lint
        .findings
        .iter()
        .map(|(severity, problem)| (*severity, problem.code.as_str(), problem.line))
        .collect();
    assert_eq!(
        told,
        [
            (Severity::Warning, "unreachable-tool", Some(4)),
            (Severity::Warning, "orphan-trigger", Some(12)),
        ]
    );
    assert_eq!(rules.tools[0].auto_hide_after, Some(seconds(600)));
    assert_eq!(
        rules.triggers[0].arguments.describe(),
        "kind is one of \"full\", \"metrics\" and since is given"
    );
}

#[test]
fn every_mistake_has_a_place() {
    let text = "stages = [\"a\", \"b\", \"a\"]\ncolour = 1\n[[tool]]\nname = \"t\"\nstge = \"a\"\nstage = \"c\"\nauto_hide_after = \"soon\"\n[[tool]]\nname = \"t\"\n[[tool]]\nstage = \"a\"\n[[trigger]]\nhub = \"h\"\nunlocks = \"t\"\n";
    let expected = [
        ("duplicate-key", 1, 21),
        ("unknown-key", 2, 1),
        ("unreachable-tool", 3, 1),
        ("unknown-key", 5, 1),
        ("unknown-stage", 6, 9),
        ("wrong-type", 7, 19),
        ("duplicate-key", 8, 1),
        ("missing-key", 10, 1),
        ("missing-key", 12, 1),
        ("wrong-type", 14, 11),
    ];
    let expected: Vec<_> = expected
        .map(|(code, line, column)| (code.to_owned(), Some(line), Some(column)))
        .to_vec();
    assert_eq!(codes(text), expected);
    assert_eq!(codes("[[tool]\n")[0].0, "bad-config");
}

#[test]
fn cycles_orphans_and_duplicates_are_found() {
    let text = r#"
[[trigger]]
hub = "a"
operation = "go"
unlocks = ["b"]
[[trigger]]
hub = "b"
operation = "go"
unlocks = ["a"]
[[trigger]]
hub = "free"
operation = "go"
unlocks = ["c"]
[[trigger]]
hub = "free"
operation = "go"
unlocks = ["c", "c"]
[[trigger]]
hub = "free"
operation = "never"
unlocks = ["d"]
arguments = { x = { one_of = [] } }
[[trigger]]
hub = "free"
operation = "nothing"
[[tool]]
name = "a"
[[tool]]
name = "b"
[[tool]]
name = "c"
auto_hide_after = "1s"
[[tool]]
name = "d"
[[tool]]
name = "e"
auto_hide_after = "1s"
"#;
    let (rules, problems) = read_rules(text.as_bytes());
    let lint = lint(&rules, problems, &NoCatalogue);
    assert_eq!((lint.tools, lint.reachable), (5, 2));
    let found: Vec<(&str, u32)> = lint
        .findings
        .iter()
        .map(|(_, problem)| (problem.code.as_str(), problem.line.unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("duplicate-trigger", 14),
            ("orphan-trigger", 18),
            ("orphan-trigger", 23),
            ("unreachable-tool", 26),
            ("unreachable-tool", 28),
            ("unreachable-tool", 33),
            ("useless-lease", 35),
        ]
    );
    assert_eq!(lint.findings[0].0, Severity::Error, "a duplicate is a mistake");
    let cycle = lint
        .findings
        .iter()
        .find(|(_, problem)| problem.line == Some(26))
        .unwrap();
    assert_eq!(
        cycle.1.message,
        "`a` can never be shown: to unlock it takes itself (a needs b needs a)"
    );
    assert_eq!(cycle.0, Severity::Error);
    assert!(!lint.is_clean());
}

#[test]
fn a_stage_that_no_trigger_leads_to_is_told() {
    let text = r#"
stages = ["first", "second", "third", "fourth"]
[[trigger]]
hub = "free"
operation = "go"
advance = "second"
[[trigger]]
hub = "late"
operation = "go"
requires_stage = "second"
advance = "third"
[[trigger]]
hub = "free"
operation = "further"
requires_stage = "fourth"
unlocks = ["a"]
[[tool]]
name = "a"
[[tool]]
name = "b"
stage = "third"
[[tool]]
name = "late"
stage = "second"
"#;
    let found = |text: &str| -> Vec<(&'static str, u32, Severity)> {
        let (rules, problems) = read_rules(text.as_bytes());
        let lint = lint(&rules, problems, &NoCatalogue);
        assert!(lint.is_clean(), "{lint:?}");
        let findings = lint.findings.iter();
        findings
            .map(|(severity, problem)| (problem.code.as_str(), problem.line.unwrap(), *severity))
            .collect()
    };
    assert_eq!(found(text), [("orphan-trigger", 12, Severity::Warning)]);
    // The tool that would advance needs what it advances to.
    let waits = text.replace("\nstage = \"second\"", "\nstage = \"third\"");
    assert_eq!(
        found(&waits),
        [
            ("orphan-trigger", 12, Severity::Warning),
            ("unreachable-tool", 19, Severity::Warning),
            ("unreachable-tool", 22, Severity::Warning),
        ]
    );
    assert_eq!(
        found(&text.replace("advance = \"third\"", "advance = \"fourth\"")),
        []
    );
}

#[test]
fn a_tool_that_is_not_declared_is_a_warning_without_a_catalogue() {
    let text = SESSION.replace(
        "unlocks = [\"hub__deep_analysis\"]",
        "unlocks = [\"hub__deep_analisis\"]",
    );
    let lint = lint(&rules(&text), Vec::new(), &NoCatalogue);
    let (severity, problem) = &lint.findings[0];
    assert_eq!(
        (*severity, problem.code.as_str()),
        (Severity::Warning, "useless-lease")
    );
    let (severity, problem) = lint
        .findings
        .iter()
        .find(|(_, problem)| problem.code.as_str() == "unknown-tool")
        .unwrap();
    assert_eq!(*severity, Severity::Warning);
    assert!(problem.help.as_deref().unwrap().contains("hub__deep_analysis"));
}

#[test]
fn triggers_are_the_same_whose_conditions_the_same_arguments_meet() {
    let twice = |one: &str, other: &str| {
        let trigger = |condition: &str| {
            format!(
                "[[trigger]]\nhub = \"h\"\noperation = \"o\"\nunlocks = [\"a\"]\n[trigger.arguments]\n{condition}\n"
            )
        };
        let (rules, problems) = read_rules((trigger(one) + &trigger(other)).as_bytes());
        let lint = lint(&rules, problems, &NoCatalogue);
        let mut codes = lint.findings.iter().map(|(_, problem)| problem.code.as_str());
        codes.any(|code| code == "duplicate-trigger")
    };
    assert!(twice("k = 1", "k = 1.0"));
    assert!(twice("k = [1, { a = 2 }]", "k = [1.0, { a = 2.0 }]"));
    assert!(twice("k = { one_of = [1, 2] }", "k = { one_of = [2.0, 1] }"));
    assert!(twice("k = { one_of = [1] }\nl = 2", "l = 2\nk = 1"));
    assert!(!twice("k = 1", "k = \"1\""));
    assert!(!twice("k = 1", "k = 1\nl = 1"));
}
