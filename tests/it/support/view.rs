//! The JSON of `scan` and `why` in lines that a test can name in full.

use serde_json::Value;

/// The text of a member; fails where it is something else.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} is not text in {value:#}"))
}

/// The list of a member; fails where it is something else.
pub(crate) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key} is not a list in {value:#}"))
}

/// A path without the tree's root: `project/.aleph/skills/deploy`.
pub(crate) fn short(path: &str) -> &str {
    path.strip_prefix("[ROOT]/").unwrap_or(path)
}

/// The roots, each as `PRIORITY PATH SOURCE STATUS` and the reason, if any.
pub(crate) fn roots(report: &Value) -> Vec<String> {
    let line = |root: &Value| {
        let mut line = format!(
            "{} {} {} {}",
            root["priority"],
            short(text(root, "path")),
            text(root, "source"),
            text(root, "status"),
        );
        if let Some(reason) = root["reason"].as_str() {
            line.push(' ');
            line.push_str(reason);
        }
        line
    };
    list(report, "roots").iter().map(line).collect()
}

/// The root with a path.
pub(crate) fn root<'v>(report: &'v Value, path: &str) -> &'v Value {
    let mut found = list(report, "roots")
        .iter()
        .filter(|root| short(text(root, "path")) == path);
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no root {path} in {:#}", report["roots"]));
    assert!(found.next().is_none(), "two roots {path}");
    first
}

/// The component directory of a kind under a root.
pub(crate) fn dir<'v>(report: &'v Value, path: &str, kind: &str) -> &'v Value {
    let root = root(report, path);
    list(root, "dirs")
        .iter()
        .find(|dir| dir["kind"] == kind)
        .unwrap_or_else(|| panic!("no {kind} directory in {root:#}"))
}

/// Every chain as `kind id`.
pub(crate) fn chains(report: &Value) -> Vec<String> {
    let line = |chain: &Value| format!("{} {}", text(chain, "kind"), text(chain, "id"));
    list(report, "chains").iter().map(line).collect()
}

/// The chain of a kind and id.
pub(crate) fn chain<'v>(report: &'v Value, kind: &str, id: &str) -> &'v Value {
    let mut found = list(report, "chains")
        .iter()
        .filter(|chain| chain["kind"] == kind && chain["id"] == id);
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no chain {kind} {id:?}; there are {:?}", chains(report)));
    assert!(found.next().is_none(), "two chains {kind} {id}");
    first
}

/// The candidates of a chain in order, each as `PATH STATE`, then its rule or code, then what beat it:
/// `home/.aleph/skills/deploy shadowed project-over-global by 0`.
pub(crate) fn story(report: &Value, kind: &str, id: &str) -> Vec<String> {
    list(chain(report, kind, id), "candidates")
        .iter()
        .map(fate)
        .collect()
}

/// What became of a candidate, in one line.
pub(crate) fn fate(candidate: &Value) -> String {
    let mut line = format!("{} {}", short(text(candidate, "path")), text(candidate, "state"));
    for key in ["rule", "code"] {
        if let Some(word) = candidate[key].as_str() {
            line.push(' ');
            line.push_str(word);
        }
    }
    if let Some(by) = candidate["by"].as_u64() {
        line.push_str(&format!(" by {by}"));
    }
    line
}

/// The candidate at a path; fails unless there is exactly one, so that nothing is listed twice.
pub(crate) fn at<'v>(report: &'v Value, path: &str) -> &'v Value {
    let mut found = candidates(report).filter(|candidate| short(text(candidate, "path")) == path);
    let first = found.next().unwrap_or_else(|| {
        let all: Vec<String> = candidates(report).map(fate).collect();
        panic!("no candidate {path}; there are {all:#?}")
    });
    assert!(found.next().is_none(), "two candidates {path}");
    first
}

/// What became of the candidate at a path, in one line without the path.
pub(crate) fn fate_at(report: &Value, path: &str) -> String {
    let line = fate(at(report, path));
    line.strip_prefix(path)
        .expect("a line begins with the path")
        .trim_start()
        .to_owned()
}

/// Every candidate of every chain.
pub(crate) fn candidates(report: &Value) -> impl Iterator<Item = &Value> {
    list(report, "chains")
        .iter()
        .flat_map(|chain| list(chain, "candidates"))
}

/// The diagnostics with a code.
pub(crate) fn diagnostics<'v>(report: &'v Value, code: &str) -> Vec<&'v Value> {
    list(report, "diagnostics")
        .iter()
        .filter(|found| found["code"] == code)
        .collect()
}

/// The paths that diagnostics of a code are about.
pub(crate) fn told(report: &Value, code: &str) -> Vec<String> {
    diagnostics(report, code)
        .into_iter()
        .map(|found| found["path"].as_str().map_or("-", short).to_owned())
        .collect()
}
