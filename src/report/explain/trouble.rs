//! What is wrong around the entries: with the walk, with git, with the question itself.

use super::{Example, Page, PageKind, Source, plugins};
use crate::report::ErrorCode;

pub(super) static DEPTH_CAP: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The walk upward ended before it came to the git root or the top",
    clause: "the walk ended at its cap",
    meaning: "As many directories as `--max-depth` allows were looked at, 10 unless told otherwise, the working \
              directory included. What lies further up is not in the answer.",
    why: "A walk must end somewhere. But the answer may lack what the top of the project brings, so it says so.",
    remedy: "Ask with a larger `--max-depth`, or from further up with `-C`.",
    bad: Example {
        title: "The top of the project is not reached",
        text: "shop/.claude/skills/deploy/SKILL.md  # not looked at\n\
               shop/api/v2/\n\
               $ aleph-discover -C shop/api/v2 --max-depth 2",
    },
    good: Example {
        title: "Far enough",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/api/v2/\n\
               $ aleph-discover -C shop/api/v2 --max-depth 3",
    },
    in_use: true,
    source: Source::Walk,
};

pub(super) static GIT_LINK_BROKEN: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A `.git` file names a directory that is not there",
    clause: "the git directory that it names is not there",
    meaning: "In a worktree or a submodule `.git` is a file that says where git keeps its data. That place is gone. \
              The directory still counts as the git root, so the walk ends there.",
    why: "The file shows what the directory is meant to be. Walking on would bring in what belongs to another project.",
    remedy: "`git worktree repair`, or remove the file if the checkout is of no use any more.",
    bad: Example {
        title: "A worktree whose main checkout was moved",
        text: "shop/.git:\n    \
               gitdir: /gone/.git/worktrees/shop",
    },
    good: Example {
        title: "A `.git` directory",
        text: "shop/.git/",
    },
    in_use: true,
    source: Source::Walk,
};

pub(super) static GIT_FILE_MALFORMED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A `.git` file does not name a directory",
    clause: "it names no git directory",
    meaning: "A file called `.git` is there, but it does not begin with `gitdir:`. Its directory is not taken for a \
              git root, and the walk goes on upward.",
    why: "Git would not take it for a repository either.",
    remedy: "Repair or remove the file.",
    bad: Example {
        title: "An empty file",
        text: "shop/.git:",
    },
    good: Example {
        title: "A `.git` directory",
        text: "shop/.git/",
    },
    in_use: true,
    source: Source::Walk,
};

pub(super) static NO_HOME: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The home directory is not known",
    clause: "the home directory is not known",
    meaning: "Neither the environment nor the system says where the user's home directory is, so the user's own \
              `.claude`, `.aleph` and configuration were not looked at. The answer is incomplete, exit code 3.",
    why: "What the user has at home may override or be overridden; leaving it out in silence would be a wrong answer.",
    remedy: "Set HOME, or give `--home`. `CLAUDE_CONFIG_DIR` and `ALEPH_HOME` name the two directories one by one.",
    bad: Example {
        title: "A service account without a home directory",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ env -u HOME aleph-discover -C shop",
    },
    good: Example {
        title: "The home directory is given",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover -C shop --home ~",
    },
    in_use: true,
    source: Source::Roots,
};

static USAGE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The question could not be asked",
    clause: "",
    meaning: "A flag or a name is wrong, or the working directory is missing or closed to us. Nothing was looked at; \
              exit code 2.",
    why: "An answer to another question than the one that was meant would be worse than none.",
    remedy: "The message says what was not understood and what was probably meant.",
    bad: Example {
        title: "A flag that there is not",
        text: "$ aleph-discover scan --actve",
    },
    good: Example {
        title: "The flag that was meant",
        text: "$ aleph-discover scan --active",
    },
    in_use: true,
    source: Source::CommandLine,
};

static FAILED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The answer could not be written",
    clause: "",
    meaning: "The disk is full or the output is closed; exit code 5. A pipe that its reader closes is no failure.",
    why: "Half an answer must not be taken for a whole one.",
    remedy: "Make room, or write somewhere else.",
    bad: Example {
        title: "A device that is always full",
        text: "$ aleph-discover scan --json > /dev/full",
    },
    good: Example {
        title: "A file with room",
        text: "$ aleph-discover scan --json > scan.json",
    },
    in_use: true,
    source: Source::CommandLine,
};

/// The page of an error's code.
pub(super) const fn error(code: ErrorCode) -> &'static Page {
    match code {
        ErrorCode::Usage => &USAGE,
        ErrorCode::Refused => &plugins::REFUSED,
        ErrorCode::Failed => &FAILED,
    }
}
