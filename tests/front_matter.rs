//! Replays small odd files against what is expected of each, one line a file.

use std::fs;
use std::path::Path;

use aleph_discover::parse::Problem;
use aleph_discover::parse::front_matter::{Extent, extent, parse};

/// What a file gives, in one line: state, name, description, further fields, problems.
fn outcome(bytes: &[u8]) -> String {
    let extent = extent(bytes, true);
    let front_matter = parse(bytes, &extent, &["argument-hint", "x"]);
    let state = match (&extent, &front_matter.invalid) {
        (Extent::Absent, _) => "absent",
        (Extent::Unclosed, _) => "unclosed",
        (Extent::NeedMore, _) => "undecided",
        (Extent::Closed { .. }, Some(_)) => "invalid",
        (Extent::Closed { .. }, None) => "valid",
    };
    let mut parts = vec![state.to_owned()];
    parts.extend(front_matter.name.iter().map(|name| format!("name={name:?}")));
    parts.extend(
        front_matter
            .description
            .iter()
            .map(|description| format!("description={description:?}")),
    );
    parts.extend(
        front_matter
            .fields
            .iter()
            .map(|field| format!("{}={:?}", field.key, field.value)),
    );
    parts.extend(
        front_matter
            .invalid
            .iter()
            .chain(&front_matter.findings)
            .map(problem),
    );
    parts.join(" ")
}

fn problem(problem: &Problem) -> String {
    let line = problem.line.unwrap_or(0);
    let column = problem.column.unwrap_or(0);
    format!("[{line}:{column} {}: {}]", problem.code, problem.message)
}

#[test]
fn every_fixture_gives_what_is_expected_of_it() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/front_matter");
    let mut names: Vec<String> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "md")
        })
        .collect();
    names.sort();
    let found: Vec<String> = names
        .iter()
        .map(|name| format!("{name}: {}", outcome(&fs::read(directory.join(name)).unwrap())))
        .collect();
    let expected = fs::read_to_string(directory.join("expected.txt")).unwrap();
    let expected: Vec<&str> = expected.lines().collect();
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len(), "files, and lines of expected.txt");
}
