use super::*;
use crate::report::table::scan_hints;

#[test]
fn hints_name_the_next_command() {
    let tree = clashes();
    assert_eq!(
        scan_hints(&tree.report(SKILLS), Detail::InEffect),
        [
            "`aleph-discover scan --all` also lists what is not in effect",
            "`aleph-discover why deploy` says why each of them lost, and what would make it win",
        ]
    );
    assert_eq!(
        scan_hints(&tree.report(SKILLS), Detail::Everything),
        ["`aleph-discover why deploy` says why each of them lost, and what would make it win"]
    );
    let odd = Tree::new();
    odd.skill("shop/.aleph", "$(x)").skill("home/.aleph", "$(x)");
    assert_eq!(
        scan_hints(&odd.report(SKILLS), Detail::InEffect),
        ["`aleph-discover why NAME` says why each of them lost, and what would make it win"]
    );
}

#[test]
fn claude_code_has_its_own_answer_once_it_has_a_profile() {
    let is_known = crate::host::HostProfile::of(crate::model::HostId::ClaudeCode).is_some();
    let tree = Tree::new();
    tree.skill("shop/.claude", "deploy");
    let hints = scan_hints(&tree.report(SKILLS), Detail::InEffect);
    assert_eq!(
        hints.iter().any(|hint| hint.contains("--host claude-code")),
        is_known
    );
    let native = Tree::new();
    native.skill("shop/.aleph", "deploy");
    assert!(scan_hints(&native.report(SKILLS), Detail::InEffect).is_empty());
}
