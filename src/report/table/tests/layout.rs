use snapbox::{assert_data_eq, str};

use super::*;
use crate::report::table::layout::width;

/// The text without styles and hyperlinks.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{241b}') {
        plain.push_str(before);
        rest = match after.strip_prefix("]8;;") {
            Some(link) => link.split_once("\u{241b}\\").unwrap().1,
            None => after.split_once('m').unwrap().1,
        };
    }
    plain + rest
}

#[test]
fn columns_stay_aligned_across_chunks() {
    let tree = Tree::new();
    for index in 0..2_000 {
        tree.file(&format!("shop/.aleph/skills/s{}.md", index * index), "");
    }
    let report = tree.report(SKILLS);
    for look in [
        tree.look(),
        tree.wide(80),
        tree.wide(200),
        Look {
            color: true,
            hyperlinks: true,
            ..tree.wide(100)
        },
    ] {
        let shown = plain(&text(|writer| {
            crate::report::table::scan(&report, Detail::InEffect, &look, writer)
        }));
        let rows: Vec<&str> = shown
            .lines()
            .filter(|line| line.contains(".aleph/skills/"))
            .collect();
        assert_eq!(rows.len(), 2_000);
        let column = |row: &str, of: &str| row.find(of).unwrap();
        for row in &rows {
            assert_eq!(column(row, "shop/"), column(rows[0], "shop/"), "{row}");
            assert_eq!(column(row, "project"), column(rows[0], "project"), "{row}");
        }
    }
}

#[test]
fn every_width_shows_every_path_whole() {
    let tree = clashes();
    tree.skill("shop/.claude", &"long".repeat(40));
    for limit in (1..120).step_by(7) {
        let shown = tree.scan(SKILLS, Detail::Everything, &tree.wide(limit));
        for line in shown.lines().filter(|line| width(line) > limit.max(40)) {
            // Wider is only what cannot be broken: a path, a name, or a single word.
            let words = line.split_whitespace().count();
            assert!(words <= 3 && line.contains(['/', 'l']), "{limit}: {line}");
        }
        for path in ["shop/api/.aleph/skills/deploy", "shop/.claude/skills/notes.txt"] {
            assert!(shown.contains(path), "{limit}: {path}");
        }
        tree.why("deploy", &tree.wide(limit));
        tree.roots(&tree.wide(limit));
        tree.config("aleph", &tree.wide(limit));
    }
}

#[test]
fn a_pipe_gets_one_line_for_each_whatever_its_width() {
    let tree = Tree::new();
    let long = "long".repeat(60);
    tree.skill("shop/.aleph", &long)
        .skill("shop/.claude", &long)
        .skill("shop/.aleph", "short");
    let shown = tree.scan(SKILLS, Detail::InEffect, &tree.look());
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("/skills/")).collect();
    assert_eq!(rows.len(), 3, "{shown}");
    assert!(rows[0].ends_with("  project .aleph"));
    assert!(rows[1].ends_with("  native-over-claude, by project .aleph"));
}

#[test]
fn where_paths_need_the_room_long_names_have_a_line_of_their_own() {
    let tree = Tree::new();
    for name in ["agent-architecture-audit", "lint", "security-review"] {
        tree.skill("shop/.aleph", name).skill("home/.aleph", name);
    }
    let shown = tree.scan(SKILLS, Detail::InEffect, &tree.wide(60));
    assert_data_eq!(
        shown,
        str![[r#"
Skills in shop/api, as aleph loads it
Git root shop

Skills
agent-architecture-audit
              shop/.aleph/skills/agent-architecture-audit
  shadowed    home/.aleph/skills/agent-architecture-audit
              project-over-global, by project .aleph
lint          shop/.aleph/skills/lint
  shadowed    home/.aleph/skills/lint
              project-over-global, by project .aleph
security-review
              shop/.aleph/skills/security-review
  shadowed    home/.aleph/skills/security-review
              project-over-global, by project .aleph

3 skills in effect; 3 shadowed

"#]]
    );
}
