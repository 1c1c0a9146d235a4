//! Archives that attack (plugins.md 4): each is refused with its entry and why, and nothing of it is written.

use crate::support::snapshot::snapshot;
use crate::support::tree::Tree;
use crate::support::zip::{Entry, archive};

/// A plugin that is fine.
fn good() -> Vec<Entry> {
    vec![
        Entry::deflated(
            ".claude-plugin/plugin.json",
            br#"{"name": "zipped", "version": "1.2"}"#,
        ),
        Entry::stored("skills/one/SKILL.md", b"does one thing\n"),
        Entry::stored("skills/one/run.sh", b"#!/bin/sh\n").with(|entry| entry.mode = 0o100_755),
    ]
}

fn with(entry: Entry) -> Vec<u8> {
    let mut entries = good();
    entries.push(entry);
    archive(&entries)
}

/// Installs an archive that must be refused: exit 4, these words, and the home as it was.
fn refused(what: &str, bytes: &[u8], words: &str) {
    let mut tree = Tree::new("-- home/.aleph/plugins/mine/skills/x/SKILL.md --\nx");
    tree.write("project/a.zip", bytes);
    let before = snapshot(tree.root());
    for arguments in [
        ["plugins", "install", "./a.zip", "--yes", "--json"],
        ["plugins", "disclose", "./a.zip", "--no-claude", "--json"],
    ] {
        let run = tree.aleph(arguments).run();
        assert_eq!(run.code, Some(4), "{what}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{what}: {}", run.stderr);
        assert_eq!(run.json()["error"]["code"], "refused", "{what}");
        assert_eq!(snapshot(tree.root()), before, "{what}");
    }
}

/// Installed, verified, changed on disk, replaced by a newer archive, removed.
#[test]
fn an_archive_goes_round() {
    let mut tree = Tree::new("-- home/.aleph/plugins/mine/skills/x/SKILL.md --\nx");
    let run = |tree: &Tree, arguments: &[&str], code: i32| {
        let arguments = arguments.iter().copied().chain(["--json"]);
        tree.aleph(arguments).run().exits(code).json()
    };
    let verify = ["plugins", "verify", "zipped"];
    let before = snapshot(&tree.path("home/.aleph/plugins"));
    tree.write("project/a.zip", archive(&good()));
    run(&tree, &["plugins", "install", "./a.zip"], 0);
    let first = run(&tree, &verify, 0)["plugins"][0].clone();
    assert_eq!(
        (&first["standing"], &first["version"]),
        (&"unchanged".into(), &"1.2".into())
    );
    // An archive that is another does not make what was installed another; a file of the tree does.
    let manifest = br#"{"name": "zipped", "version": "1.3"}"#;
    let newer = [
        Entry::stored(".claude-plugin/plugin.json", manifest),
        Entry::stored("skills/two/SKILL.md", b"does two things\n"),
    ];
    tree.write("project/a.zip", archive(&newer));
    run(&tree, &verify, 0);
    for (path, bytes) in [
        ("skills/one/SKILL.md", "does another\n"),
        ("skills/more/SKILL.md", "more\n"),
    ] {
        let path = format!("home/.aleph/plugins/zipped/{path}");
        let there = std::fs::read(tree.path(&path)).ok();
        tree.write(&path, bytes);
        let drift = run(&tree, &verify, 1);
        assert_eq!(drift["plugins"][0]["standing"], "drifted");
        assert_eq!(drift["diagnostics"][0]["code"], "plugin-drift");
        match there {
            Some(there) => tree.write(&path, there),
            None => std::fs::remove_dir_all(tree.path(&path).parent().unwrap()).unwrap(),
        }
        run(&tree, &verify, 0);
    }
    let script = tree.path("home/.aleph/plugins/zipped/skills/one/run.sh");
    std::fs::remove_file(script).unwrap();
    run(&tree, &verify, 1);
    run(&tree, &["plugins", "install", "./a.zip"], 4);
    let change = run(&tree, &["plugins", "install", "./a.zip", "--update"], 0);
    assert_eq!(change["action"], "update");
    let second = run(&tree, &verify, 0)["plugins"][0].clone();
    assert_eq!(second["version"], "1.3");
    assert_ne!(second["recorded_sha256"], first["recorded_sha256"]);
    assert!(!tree.path("home/.aleph/plugins/zipped/skills/one").exists());
    run(&tree, &["plugins", "remove", "zipped"], 0);
    assert_eq!(snapshot(&tree.path("home/.aleph/plugins")), before);
}

#[test]
fn names_that_leave_the_directory_are_refused() {
    for (name, words) in [
        ("/etc/passwd", "has an absolute path"),
        ("../outside", "goes up with `..`"),
        ("a/../../outside", "goes up with `..`"),
        ("a\\..\\b", "has a backslash"),
        ("C:/x", "has a drive letter"),
        ("c:x", "has a drive letter"),
        ("a//b", "has an empty part"),
        ("./a", "has an empty part or `.`"),
        ("a\nb", "has a control character"),
    ] {
        refused(name, &with(Entry::stored(name, b"x")), words);
    }
    let latin = Entry::stored("x", b"x").with(|entry| entry.name = b"caf\xe9".to_vec());
    refused("latin 1", &with(latin), "not UTF-8");
    let deep = "d/".repeat(40) + "x";
    refused("deep", &with(Entry::stored(&deep, b"x")), "32 levels deep");
}

#[test]
fn links_and_devices_are_refused() {
    let mode = |mode: u32| with(Entry::stored("odd", b"/etc/passwd").with(|entry| entry.mode = mode));
    refused("symbolic link", &mode(0o120_777), "is a symbolic link");
    for (what, bits) in [
        ("FIFO", 0o010_644),
        ("char", 0o020_644),
        ("block", 0o060_644),
        ("socket", 0o140_644),
    ] {
        refused(what, &mode(bits), "is a device, FIFO or socket");
    }
    let extra = |bytes: &[u8]| {
        let bytes = bytes.to_vec();
        with(Entry::stored("odd", b"").with(|entry| entry.extra = bytes))
    };
    let hard = [b"\x0d\0\x14\0".as_slice(), &[0; 12], b"skills/x"].concat();
    refused("hard link", &extra(&hard), "is a hard link");
    let asi = [
        b"\x6e\x75\x0e\0".as_slice(),
        &[0; 4],
        &0o120_777_u16.to_le_bytes(),
        &[4, 0, 0, 0],
        &[0; 4],
    ]
    .concat();
    refused(
        "link of another program",
        &extra(&asi),
        "is a hard link, symbolic link",
    );
    let unicode = [b"\x75\x70\x0b\0\x01".as_slice(), &[0; 4], b"../odd"].concat();
    refused("second name", &extra(&unicode), "has a second name");
}

#[test]
fn names_that_collide_are_refused() {
    let twice = |name: &str| with(Entry::stored(name, b"x"));
    refused("twice", &twice("skills/one/SKILL.md"), "is there twice");
    refused("case", &twice("skills/one/skill.MD"), "only in case");
    refused(
        "case of a directory",
        &twice("Skills/two/SKILL.md"),
        "only in case",
    );
    refused(
        "file and directory",
        &twice("skills/one/SKILL.md/x"),
        "is a file and a directory",
    );
    let mut entries = good();
    entries.push(Entry::stored("caf\u{e9}", b"x"));
    entries.push(Entry::stored("cafe\u{301}", b"x"));
    refused("composition", &archive(&entries), "only in case or composition");
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 4 * 1024 * 1024];
    refused(
        "ratio",
        &with(Entry::deflated("zeros", &zeros)),
        "more than 200 times",
    );
    let many: Vec<Entry> = (0..10_001)
        .map(|n| Entry::stored(&format!("f{n}"), b""))
        .collect();
    refused("entries", &archive(&many), "more than 10000 entries");
    let large = |entry: &mut Entry| {
        entry.size = 300 * 1024 * 1024;
        entry.packed_size = entry.size;
    };
    refused(
        "size",
        &with(Entry::stored("large", b"x").with(large)),
        "more than 268435456 bytes",
    );
    // Declares little, and holds much.
    let content: Vec<u8> = (0..200_000_u32)
        .flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes())
        .collect();
    let liar = Entry::deflated("liar", &content).with(|entry| entry.size = 10);
    refused(
        "more than declared",
        &with(liar),
        "more than the 10 bytes it declares",
    );
    let liar = Entry::deflated("liar", &content).with(|entry| entry.size += 10);
    refused("less than declared", &with(liar), "is damaged");
}

#[test]
fn overlapping_entries_are_refused() {
    let mut entries = good();
    // The second is said to begin where the first does.
    entries.push(entries[1].clone().with(|entry| {
        entry.name = b"skills/one/other".to_vec();
        entry.local_name = Some(b"skills/one/other".to_vec());
    }));
    let first = archive(&entries[..1]).len();
    let offset = u32::try_from(first - 22 - 46 - entries[0].name.len()).unwrap();
    entries[2].offset = Some(offset);
    refused("same bytes", &archive(&entries), "described differently");
    let inner = archive(&[Entry::stored("inner", b"x")]);
    let outer = Entry::stored("outer", &inner);
    let inside = Entry::stored("inner", b"x").with(|entry| entry.offset = Some(30 + 5));
    refused("inside another", &archive(&[outer, inside]), "shares bytes");
}

#[test]
fn encrypted_unknown_and_inconsistent_entries_are_refused() {
    let change = |change: fn(&mut Entry)| with(Entry::stored("odd", b"x").with(change));
    refused("encrypted", &change(|entry| entry.flags = 1), "is encrypted");
    refused("strongly", &change(|entry| entry.flags = 1 << 6), "is encrypted");
    refused("AES", &change(|entry| entry.method = 99), "is encrypted");
    refused("bzip2", &change(|entry| entry.method = 12), "not known (12)");
    refused(
        "checksum",
        &change(|entry| entry.crc ^= 1),
        "its checksum is another",
    );
    refused(
        "local name",
        &change(|entry| entry.local_name = Some(b"odf".to_vec())),
        "described differently",
    );
    refused(
        "ZIP64",
        &change(|entry| entry.size = u32::MAX),
        "form for large files",
    );
    refused(
        "ZIP64 extra",
        &change(|entry| entry.extra = vec![1, 0, 0, 0]),
        "form for large files",
    );
    refused(
        "directory with content",
        &change(|entry| entry.name = b"odd/".to_vec()),
        "is a file and a directory",
    );
    refused("stored size", &change(|entry| entry.size = 2), "another size");
}

#[test]
fn truncated_damaged_and_joined_archives_are_refused() {
    let whole = archive(&good());
    for cut in [0, 1, 21, 22, 60, whole.len() / 2, whole.len() - 1] {
        refused(&format!("cut at {cut}"), &whole[..cut], "refused");
    }
    refused(
        "in front",
        &[b"#!/bin/sh\n".as_slice(), &whole].concat(),
        "something is joined to it",
    );
    refused(
        "behind",
        &[whole.as_slice(), b"more"].concat(),
        "its end is missing",
    );
    refused("no archive", b"PK, but not really", "it is no archive");
}

/// Any byte of an archive changed: installed as it is, or refused; never a panic, never something half written.
#[test]
fn no_single_damaged_byte_does_harm() {
    let whole = archive(&good());
    let mut tree = Tree::new("");
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        tree.write("project/a.zip", &bytes);
        let run = tree.aleph(["plugins", "disclose", "./a.zip"]).run();
        assert!(
            matches!(run.code, Some(0 | 2 | 4)),
            "byte {at}: {:?} {}",
            run.code,
            run.stderr
        );
        assert!(!tree.path("home/.aleph").exists(), "byte {at}");
    }
}

#[test]
fn a_good_archive_is_installed_as_it_is() {
    for (folder, entries) in [("", good()), ("repo-1.2/", good())] {
        let mut tree = Tree::new("");
        let entries: Vec<Entry> = entries
            .into_iter()
            .map(|entry| entry.with(|entry| entry.name = [folder.as_bytes(), &entry.name].concat()))
            .collect();
        tree.write("project/a.zip", archive(&entries));
        let change = tree
            .aleph(["plugins", "install", "a.zip", "--json"])
            .run()
            .exits(0)
            .json();
        assert_eq!(
            (&change["subject"], &change["done"]),
            (&"zipped".into(), &true.into())
        );
        let installed = snapshot(&tree.path("home/.aleph/plugins/zipped"));
        assert_eq!(
            installed["skills/one/SKILL.md"],
            "file 100644 \"does one thing\\n\""
        );
        assert_eq!(installed["skills/one/run.sh"], "file 100755 \"#!/bin/sh\\n\"");
        let verified = tree.aleph(["plugins", "verify", "--json"]).run().exits(0).json();
        assert_eq!(verified["unchanged"], 1);
        assert_eq!(verified["plugins"][0]["tier"], "unverified");
    }
}
