use snapbox::{IntoData, assert_data_eq, str};

use super::*;
use crate::model::{Code, Diagnostic, Severity};
use crate::report::table::{diagnostics, hints};

fn finding(severity: Severity, number: usize) -> Diagnostic {
    Diagnostic::new(Code::BadFrontMatter, severity, format!("finding {number}"))
        .with_path(format!("/p/{number}.md"))
        .with_position(Some(3), Some(14))
}

fn shown(findings: &[Diagnostic], verbose: bool, look: &Look) -> String {
    text(|writer| diagnostics(findings, verbose, look, writer))
}

#[test]
fn errors_come_first_and_notes_are_counted() {
    let findings = [
        finding(Severity::Note, 1),
        finding(Severity::Warning, 2).with_help("mend it"),
        finding(Severity::Error, 3).with_position(Some(7), None),
        Diagnostic::new(Code::NoHome, Severity::Error, "no \u{1b}home"),
    ];
    assert_data_eq!(
        shown(&findings, false, &Look::default()),
        str![[r#"
error: finding 3 (bad-front-matter)
  --> /p/3.md:7
error: no \u{1b}home (no-home)
warning: finding 2 (bad-front-matter)
  --> /p/2.md:3:14
  help: mend it
1 note not shown (-v)

"#]]
        .raw()
    );
    assert_data_eq!(
        shown(&findings, true, &Look::default()),
        str![[r#"
error: finding 3 (bad-front-matter)
  --> /p/3.md:7
error: no \u{1b}home (no-home)
warning: finding 2 (bad-front-matter)
  --> /p/2.md:3:14
  help: mend it
note: finding 1 (bad-front-matter)
  --> /p/1.md:3:14

"#]]
        .raw()
    );
    let look = Look {
        color: true,
        width: Some(30),
        ..Look::default()
    };
    assert_data_eq!(
        shown(&findings, false, &look),
        str![[r#"

␛[1m␛[31merror:␛[0m finding 3
  (bad-front-matter)
  --> /p/3.md:7
␛[1m␛[31merror:␛[0m no \u{1b}home (no-home)
␛[1m␛[35mwarning:␛[0m finding 2
  (bad-front-matter)
  --> /p/2.md:3:14
  ␛[1mhelp:␛[0m mend it
1 note not shown (-v)

"#]]
        .raw()
    );
}

#[test]
fn a_screenful_is_told_unless_all_are_asked_for() {
    let mut findings: Vec<Diagnostic> = (0..25).map(|number| finding(Severity::Warning, number)).collect();
    findings.push(finding(Severity::Error, 25));
    let told = shown(&findings, false, &Look::default());
    assert!(
        told.starts_with("error: finding 25 (bad-front-matter)\n"),
        "{told}"
    );
    assert_eq!(told.matches("-->").count(), 20);
    assert_eq!(
        told.lines().last().unwrap(),
        "\u{2026} and 6 more (-v shows them)"
    );
    findings.push(finding(Severity::Note, 26));
    let told = shown(&findings, false, &Look::default());
    assert_eq!(
        told.lines().last().unwrap(),
        "\u{2026} and 6 more, and 1 note (-v shows them)"
    );
    assert_eq!(
        shown(&findings, true, &Look::default()).matches("-->").count(),
        27
    );
}

#[test]
fn only_notes_are_but_a_number() {
    let notes = [finding(Severity::Note, 1), finding(Severity::Note, 2)];
    assert_eq!(shown(&notes, false, &Look::default()), "2 notes not shown (-v)\n");
    assert_eq!(
        shown(&notes[..1], false, &Look::default()),
        "1 note not shown (-v)\n"
    );
    assert_eq!(shown(&[], false, &Look::default()), "");
}

#[test]
fn hints_have_a_line_each() {
    let told = text(|writer| {
        hints(
            &["do this".to_owned(), "or that".to_owned()],
            &Look::default(),
            writer,
        )
    });
    assert_eq!(told, "hint: do this\nhint: or that\n");
}
