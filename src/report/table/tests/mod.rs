//! Renderings of reports on small real trees, word for word. `SNAPSHOTS=overwrite` writes them anew.

mod config_files;
mod findings;
mod layout;
mod looks;
mod roots;
mod scan;
mod talk;
mod why;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Detail, Look};
use crate::discovery::{DiscoveryConfig, DiscoveryManager, Environment};
use crate::model::ComponentKind;
use crate::report::{ConfigFilesReport, Context, Question, RootsReport, ScanReport, Selection, WhyReport};

/// A home, `home`, and a git checkout, `shop`, in which `shop/api` is asked about.
struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "shop/.git", "shop/api"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        Self { dir }
    }

    fn top(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// Writes a file and the directories above it.
    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes `<root>/skills/<name>/SKILL.md` with that name, and the root as its description.
    fn skill(&self, root: &str, name: &str) -> &Self {
        self.file(
            &format!("{root}/skills/{name}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: From {root}.\n---\n"),
        )
    }

    #[cfg(unix)]
    fn link(&self, target: &str, path: &str) -> &Self {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    fn manager(&self) -> DiscoveryManager {
        let config = DiscoveryConfig::default().with_working_dir(self.top().join("shop/api"));
        DiscoveryManager::new(config, Environment::with_home(self.top().join("home"))).unwrap()
    }

    fn report(&self, kinds: &[ComponentKind]) -> ScanReport {
        let manager = self.manager();
        ScanReport {
            context: Context::of(&manager),
            resolution: manager.scan(kinds),
            kinds: kinds.to_vec(),
            selection: Selection::All,
        }
    }

    /// Paths relative to the top of the tree, so that they are the same wherever the tree is.
    fn look(&self) -> Look {
        Look {
            relative_to: Some(self.top()),
            ..Look::default()
        }
    }

    fn wide(&self, width: usize) -> Look {
        Look {
            width: Some(width),
            ..self.look()
        }
    }

    fn scan(&self, kinds: &[ComponentKind], detail: Detail, look: &Look) -> String {
        text(|writer| super::scan(&self.report(kinds), detail, look, writer))
    }

    fn question(&self, given: &str) -> WhyReport {
        let manager = self.manager();
        let kinds: Vec<ComponentKind> = manager.profile().listed_kinds().collect();
        let question = Question::read(OsStr::new(given), &self.top().join("shop/api"));
        WhyReport::new(&manager, question, &kinds)
    }

    fn why(&self, given: &str, look: &Look) -> String {
        text(|writer| super::why(&self.question(given), look, writer))
    }

    fn roots(&self, look: &Look) -> String {
        let manager = self.manager();
        let kinds: Vec<ComponentKind> = manager.profile().listed_kinds().collect();
        text(|writer| super::roots(&RootsReport::new(&manager, &kinds), look, writer))
    }

    fn config(&self, name: &str, look: &Look) -> String {
        let report = ConfigFilesReport::new(&self.manager(), name).unwrap();
        text(|writer| super::config_files(&report, look, writer))
    }
}

/// What is written, with escape characters made visible.
fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap().replace('\u{1b}', "\u{241b}")
}

/// The text with this tree's own place left out of it.
fn without_place(text: &str, top: &Path) -> String {
    // In links it is encoded.
    let link = super::path::file_url(top);
    let link = link.strip_prefix("file://").unwrap_or_default();
    text.replace(&top.to_string_lossy().into_owned(), "")
        .replace(link, "")
}

const SKILLS: &[ComponentKind] = &[ComponentKind::Skill];
const BAD: &str = "---\nname: half\ndescription: Use it: always\n---\n";

/// Every root has a skill `deploy`; other clashes, and what is out of the running, around it.
fn clashes() -> Tree {
    let tree = Tree::new();
    for root in [
        "home/.claude",
        "home/.aleph",
        "shop/.claude",
        "shop/.aleph",
        "shop/api/.claude",
        "shop/api/.aleph",
    ] {
        tree.skill(root, "deploy");
    }
    let same = "---\nname: lint\ndescription: Lints.\n---\n";
    tree.file("home/.claude/skills/lint/SKILL.md", same)
        .file("shop/.claude/skills/lint/SKILL.md", same)
        .skill("shop/.claude", "review")
        .skill("home/.aleph", "review")
        .skill("shop/.claude", "half")
        .file("shop/.aleph/skills/half/SKILL.md", BAD)
        .file(
            "shop/.aleph/skills/broken/SKILL.md",
            &BAD.replace("half", "broken"),
        )
        .file("shop/.aleph/skills/.cache/SKILL.md", "")
        .file("shop/.claude/skills/notes.txt", "")
        .file("shop/.claude/skills/lower/skill.md", "")
        .file("shop/.claude/commands/deploy.md", "ship it")
        .file("shop/api/.claude/commands/deploy.md", "ship it now")
        .file("home/.claude/agents/planner.md", "")
        .file("shop/aleph.toml", "x = 1")
        .file("shop/aleph.json", "{}")
        .file("home/.aleph/aleph.toml", "x = 2");
    tree
}
