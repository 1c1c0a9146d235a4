//! Trees to scan, the same on every run: `home` and `project` side by side below one directory.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Lengths of descriptions in characters, gone through in turn; their median is 250. A few are very long, as
/// in real collections.
const DESCRIPTIONS: [usize; 9] = [60, 120, 180, 230, 250, 270, 330, 420, 900];

/// Length of the text below the front matter.
const BODY: usize = 3_600;

/// A tree on disk.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Home directory.
    pub(crate) home: PathBuf,
    /// Git root and working directory.
    pub(crate) project: PathBuf,
}

impl Tree {
    /// The component directories that could be there, whether they are or not: what a walker is given.
    pub(crate) fn component_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = Vec::new();
        for place in [&self.home, &self.project] {
            for root in [".claude", ".aleph"] {
                for folder in ["skills", "commands", "agents"] {
                    dirs.push(place.join(root).join(folder));
                }
            }
        }
        dirs
    }

    fn begin(at: &Path) -> io::Result<Self> {
        let tree = Self {
            home: at.join("home"),
            project: at.join("project"),
        };
        fs::create_dir_all(&tree.home)?;
        fs::create_dir_all(tree.project.join(".git"))?;
        Ok(tree)
    }
}

/// The tree of a typical user in a typical project: 60 components in 4 roots, 12 of them shadowed.
///
/// Each root has 9 skills, 4 commands and 2 agents, and shares one skill, one command and one agent name with
/// every other root.
pub(crate) fn typical(at: &Path) -> io::Result<Tree> {
    let tree = Tree::begin(at)?;
    let roots = [
        ("user", tree.home.join(".claude")),
        ("native", tree.home.join(".aleph")),
        ("team", tree.project.join(".claude")),
        ("local", tree.project.join(".aleph")),
    ];
    let mut number = 0;
    for (prefix, root) in roots {
        for (folder, count) in [("skills", 9), ("commands", 4), ("agents", 2)] {
            for index in 0..count {
                let name = if index == 0 {
                    format!("shared-{folder}")
                } else {
                    format!("{prefix}-{folder}-{index}")
                };
                number += 1;
                let dir = root.join(folder);
                if folder == "skills" {
                    write(&dir.join(&name), "SKILL.md", &name, number)?;
                } else {
                    write(&dir, &format!("{name}.md"), &name, number)?;
                }
            }
        }
    }
    Ok(tree)
}

/// A tree with so many skills in one root and nothing else.
pub(crate) fn flat(at: &Path, skills: usize) -> io::Result<Tree> {
    let tree = Tree::begin(at)?;
    let dir = tree.project.join(".claude/skills");
    for number in 0..skills {
        let name = format!("generated-skill-{number:06}");
        write(&dir.join(&name), "SKILL.md", &name, number)?;
    }
    Ok(tree)
}

fn write(dir: &Path, file: &str, name: &str, number: usize) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    fs::write(dir.join(file), component(name, number))
}

/// A component's file: front matter with a median of 370 bytes, then a body.
fn component(name: &str, number: usize) -> String {
    let length = DESCRIPTIONS
        .get(number % DESCRIPTIONS.len())
        .copied()
        .unwrap_or_default();
    let mut text = format!("---\nname: {name}\ndescription: ");
    let description = prose(number, length);
    // As in the wild, some are quoted and some are not.
    if number.is_multiple_of(3) {
        let _ = writeln!(text, "\"{description}\"");
    } else {
        let _ = writeln!(text, "{description}");
    }
    text.push_str(
        "license: MIT\nallowed-tools:\n  - Read\n  - Bash(git status)\nmetadata:\n  version: \"1.2\"\n---\n",
    );
    let _ = write!(text, "\n# {name}\n\n{}\n", prose(number / 7, BODY));
    text
}

/// So many characters of words.
fn prose(seed: usize, length: usize) -> String {
    const WORDS: [&str; 12] = [
        "review",
        "the",
        "change",
        "before",
        "it",
        "reaches",
        "production",
        "and",
        "report",
        "what",
        "would",
        "break",
    ];
    let mut text = String::with_capacity(length + 16);
    for word in WORDS.iter().cycle().skip(seed % WORDS.len()) {
        if text.len() >= length {
            break;
        }
        text.push_str(word);
        text.push(' ');
    }
    text.truncate(length);
    text.trim_end().to_owned()
}
