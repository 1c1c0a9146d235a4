use snapbox::{assert_data_eq, str};

use super::*;
use crate::report::table::config_hints;

#[test]
fn formats_of_the_hosts_own_configuration() {
    let tree = clashes();
    assert_data_eq!(
        tree.config("aleph", &tree.look()),
        str![[r#"
Files named aleph.toml, aleph.jsonc or aleph.json in shop/api, as aleph loads it; highest precedence first
Git root shop

  missing   shop/api/aleph.toml
  missing   shop/api/aleph.jsonc
  missing   shop/api/aleph.json
  active    shop/aleph.toml          project
  missing   shop/aleph.jsonc
  shadowed  shop/aleph.json          project, config-format, by aleph.toml
  active    home/.aleph/aleph.toml   global
  missing   home/.aleph/aleph.jsonc
  missing   home/.aleph/aleph.json

2 files in effect; 1 shadowed; 6 missing

"#]]
    );
    assert_data_eq!(
        tree.config("aleph", &tree.wide(60)),
        str![[r#"
Files named aleph.toml, aleph.jsonc or aleph.json in
  shop/api, as aleph loads it; highest precedence first
Git root shop

  missing   shop/api/aleph.toml
  missing   shop/api/aleph.jsonc
  missing   shop/api/aleph.json
  active    shop/aleph.toml
            project
  missing   shop/aleph.jsonc
  shadowed  shop/aleph.json
            project, config-format, by aleph.toml
  active    home/.aleph/aleph.toml
            global
  missing   home/.aleph/aleph.jsonc
  missing   home/.aleph/aleph.json

2 files in effect; 1 shadowed; 6 missing

"#]]
    );
}

#[test]
fn one_exact_name() {
    let tree = clashes();
    fs::create_dir(tree.top().join("shop/api/aleph.toml")).unwrap();
    assert_data_eq!(
        tree.config("aleph.toml", &tree.look()),
        str![[r#"
Files named aleph.toml in shop/api, as aleph loads it; highest precedence first
Git root shop

  rejected  shop/api/aleph.toml     project, not-regular: not a regular file, so it does not count
  active    shop/aleph.toml         project
  active    home/.aleph/aleph.toml  global

2 files in effect; 1 rejected

"#]]
    );
    let report = ConfigFilesReport::new(&tree.manager(), "aleph.toml").unwrap();
    assert_eq!(
        config_hints(&report),
        ["`aleph-discover find-config aleph` looks at all formats, and says which one counts"]
    );
}

#[cfg(unix)]
#[test]
fn links_show_where_they_lead() {
    let tree = Tree::new();
    tree.file("shop/other.md", "")
        .link("other.md", "shop/CLAUDE.md")
        .link("gone", "home/.aleph/CLAUDE.md");
    assert_data_eq!(
        tree.config("CLAUDE.md", &tree.look()),
        str![[r#"
Files named CLAUDE.md in shop/api, as aleph loads it; highest precedence first
Git root shop

  missing   shop/api/CLAUDE.md
  active    shop/CLAUDE.md         project, leads to other.md
  rejected  home/.aleph/CLAUDE.md  global, symlink: a symbolic link to something that is not there, leads to gone

1 file in effect; 1 rejected; 1 missing

"#]]
    );
}
