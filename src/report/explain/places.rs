//! What became of a chain, a root, the walk, or a path that was asked about.

use super::{Example, Page, PageKind, Source, host_codes, states, trouble};
use crate::discovery::WalkStop;
use crate::model::{ChainState, RootReason, RootStatus};
use crate::report::PathFate;

static NONE: Page = Page {
    kind: PageKind::State,
    title: "Nothing of this name is in effect",
    clause: "",
    meaning: "There are entries of this kind and name, but each is out of the running: invalid, rejected, ignored, \
              switched off or unreadable.",
    why: "Such a chain is shown all the same: somebody expects something of this name to be there.",
    remedy: "`aleph-discover why NAME` says of each entry what is wrong with it.",
    bad: Example {
        title: "The only entry has no marker",
        text: "shop/.claude/skills/style-guide/guide.md",
    },
    good: Example {
        title: "The only entry is sound",
        text: "shop/.claude/skills/style-guide/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

static SCANNED: Page = Page {
    kind: PageKind::State,
    title: "The root, or its folder of entries, is there and was read",
    clause: "",
    meaning: "Every entry in it was looked at; how many there are is given. It may be empty.",
    why: "Roots are listed lowest priority first: of two entries of one name the one in the later root wins.",
    remedy: "",
    bad: Example {
        title: "A file stands in its place",
        text: "shop/.claude:\n    \
               moved to the wiki",
    },
    good: Example {
        title: "A directory",
        text: "shop/.claude/skills/",
    },
    in_use: true,
    source: Source::Roots,
};

static MISSING: Page = Page {
    kind: PageKind::State,
    title: "It is not there",
    clause: "",
    meaning: "The root, its folder of entries, or the path that was asked about does not exist. If a link stands \
              there, it leads to nothing: `dangling-symlink`.",
    why: "Most directories have no `.claude` or `.aleph`, so it is no error. Where was looked is still worth knowing.",
    remedy: "Nothing, unless you expected something there: then look at the spelling, and at where the walk ended.",
    bad: Example {
        title: "The folder is called `skill`",
        text: "shop/.claude/skill/deploy/SKILL.md",
    },
    good: Example {
        title: "The folder is called `skills`",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Roots,
};

static SKIPPED: Page = Page {
    kind: PageKind::State,
    title: "The root is there, and was left out on purpose",
    clause: "",
    meaning: "The reason says why: it is the user's own directory met again (`is-global-root`), another root once \
              more (`same-directory`), or no directory at all (`not-a-directory`).",
    why: "What is in it would be counted twice, or cannot be read as a directory.",
    remedy: "Usually nothing.",
    bad: Example {
        title: "A file stands where the directory should be",
        text: "shop/.claude:\n    \
               moved to the wiki",
    },
    good: Example {
        title: "A directory",
        text: "shop/.claude/skills/",
    },
    in_use: true,
    source: Source::Roots,
};

static IS_GLOBAL_ROOT: Page = Page {
    kind: PageKind::Rule,
    title: "The user's own directory, met again on the walk upward, is not a project's",
    clause: "it is the global root, met again on the way up",
    meaning: "The walk came to the home directory, whose `.claude` or `.aleph` is a root already: the user's. It is \
              not counted a second time with a project's higher priority. Whether it is the same directory is told \
              by its real path and by device and inode, so links do not matter.",
    why: "Otherwise everything of the user's own would override itself, and rank as if it belonged to the project.",
    remedy: "Nothing.",
    bad: Example {
        title: "The home directory is the project",
        text: "~/.git/\n\
               ~/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover -C ~",
    },
    good: Example {
        title: "The project lies elsewhere",
        text: "~/.claude/skills/deploy/SKILL.md\n\
               shop/\n\
               $ aleph-discover -C shop",
    },
    in_use: true,
    source: Source::Roots,
};

static SAME_DIRECTORY: Page = Page {
    kind: PageKind::Rule,
    title: "Two roots are one directory, so one of them is left out",
    clause: "it is the same directory as another root",
    meaning: "A link makes two roots one and the same. Of two directories of the walk the nearer stays; of `.claude` \
              and `.aleph` in one place the `.aleph` stays.",
    why: "Every entry in it would be counted twice and lose to itself.",
    remedy: "Nothing; Aleph reads both `.claude` and `.aleph`, so the link is not needed for it.",
    bad: Example {
        title: "One is a link to the other",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.aleph -> .claude",
    },
    good: Example {
        title: "Only the real one",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Roots,
};

static NOT_A_DIRECTORY: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A file stands where a root, or its folder of entries, should be",
    clause: "it is not a directory",
    meaning: "`.claude`, `.aleph` or a folder such as `skills` in it is a file, a FIFO or a device. It is skipped.",
    why: "There is nothing in it to read; but whoever put it there may expect otherwise.",
    remedy: "Replace it by a directory. On Windows a link may have become a small text file: git makes links there \
             only if `core.symlinks` is on.",
    bad: Example {
        title: "A note instead of the directory",
        text: "shop/.claude:\n    \
               moved to the wiki",
    },
    good: Example {
        title: "A directory",
        text: "shop/.claude/skills/",
    },
    in_use: true,
    source: Source::Roots,
};

static DANGLING_SYMLINK: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A root, or its folder of entries, is a link to nothing",
    clause: "it is a symbolic link to nothing",
    meaning: "The link is there, what it points at is not. The root counts as missing.",
    why: "Without a word of it the root would look as if it had never been there.",
    remedy: "Mend or remove the link. A root and its folders may be links, if they lead to a directory.",
    bad: Example {
        title: "The dotfiles were moved",
        text: "~/.claude -> dotfiles/claude",
    },
    good: Example {
        title: "They are where the link points",
        text: "~/dotfiles/claude/skills/deploy/SKILL.md\n\
               ~/.claude -> dotfiles/claude",
    },
    in_use: true,
    source: Source::Roots,
};

static GIT_ROOT: Page = Page {
    kind: PageKind::Rule,
    title: "The walk upward ends at the git root",
    clause: "",
    meaning: "The directory has a `.git` directory, or the `.git` file of a worktree or submodule. It is the last \
              directory that is looked at. A `.git` that is a link does not count.",
    why: "What lies above the repository belongs to something else.",
    remedy: "If something above is to hold too, put it into the home directory, or into the repository.",
    bad: Example {
        title: "No repository: the walk goes on to the top of the file system",
        text: "shop/api/\n\
               shop/.git -> elsewhere\n\
               $ aleph-discover -C shop/api",
    },
    good: Example {
        title: "A repository",
        text: "shop/.git/\n\
               shop/api/\n\
               $ aleph-discover -C shop/api",
    },
    in_use: true,
    source: Source::Walk,
};

static FILESYSTEM_ROOT: Page = Page {
    kind: PageKind::Rule,
    title: "The walk upward ended at the top of the file system",
    clause: "",
    meaning: "No directory on the way is a git root, so the walk went as far as it could.",
    why: "Without a repository nothing says where the project ends.",
    remedy: "`git init` at the top of the project makes the walk end there; `--max-depth` ends it earlier once.",
    bad: Example {
        title: "A project without git: every directory above it is looked at too",
        text: "shop/\n\
               shop/.git -> elsewhere\n\
               $ aleph-discover -C shop --max-depth 100",
    },
    good: Example {
        title: "With git",
        text: "shop/.git/\n\
               $ aleph-discover -C shop --max-depth 100",
    },
    in_use: true,
    source: Source::Walk,
};

static CANDIDATE: Page = Page {
    kind: PageKind::State,
    title: "The path is an entry, or the file that defines one",
    clause: "",
    meaning: "`why PATH` found an entry at that path. Its state says whether it is in effect.",
    why: "A path is asked about when a name does not help: because the entry goes by another one, or by none.",
    remedy: "",
    bad: Example {
        title: "A path where no host looks",
        text: "shop/skills/deploy/SKILL.md\n\
               $ aleph-discover why skills/deploy/SKILL.md",
    },
    good: Example {
        title: "A path below a root",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover why .claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static INSIDE_CANDIDATE: Page = Page {
    kind: PageKind::State,
    title: "The path lies in the folder of an entry, and defines nothing itself",
    clause: "",
    meaning: "Only the marker of that folder is read: `SKILL.md` or `agent.md`. Everything else in it is there for \
              the entry to refer to.",
    why: "Entries are looked for one level deep.",
    remedy: "If it is meant to be an entry, move it up so that it stands directly in `skills`, `commands` or `agents`.",
    bad: Example {
        title: "A second skill in the folder of the first",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/deploy/rollback.md\n\
               $ aleph-discover why .claude/skills/deploy/rollback.md",
    },
    good: Example {
        title: "Beside it",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/rollback.md\n\
               $ aleph-discover why .claude/skills/rollback.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static COMPONENT_DIRECTORY: Page = Page {
    kind: PageKind::State,
    title: "The path is a folder whose entries are read",
    clause: "",
    meaning: "It is `skills`, `commands`, `agents` or `plugins` of a root; its entries are listed.",
    why: "The folder itself is no entry.",
    remedy: "",
    bad: Example {
        title: "The folder is asked about, an entry was meant",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover why .claude/skills",
    },
    good: Example {
        title: "The entry",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover why .claude/skills/deploy",
    },
    in_use: true,
    source: Source::Scanner,
};

static ROOT: Page = Page {
    kind: PageKind::State,
    title: "The path is a root",
    clause: "",
    meaning: "It is a `.claude` or `.aleph` that the host looks into. What is in effect from there `scan` lists.",
    why: "The root itself is no entry.",
    remedy: "",
    bad: Example {
        title: "The root is asked about, an entry was meant",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover why ./.claude",
    },
    good: Example {
        title: "The entry",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover why .claude/skills/deploy",
    },
    in_use: true,
    source: Source::Roots,
};

static NOT_READ: Page = Page {
    kind: PageKind::State,
    title: "The path is there, and the host does not look at it",
    clause: "",
    meaning: "It lies in no root, or in a folder of a root that holds no entries.",
    why: "A host looks into its roots and nowhere else.",
    remedy: "Move it below a root: `aleph-discover roots` lists them.",
    bad: Example {
        title: "Beside the roots",
        text: "shop/skills/deploy/SKILL.md\n\
               $ aleph-discover why skills/deploy/SKILL.md",
    },
    good: Example {
        title: "In one of them",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               $ aleph-discover why .claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Roots,
};

/// The page of a chain's state.
pub(super) const fn chain(state: ChainState) -> &'static Page {
    match state {
        ChainState::Active => &states::ACTIVE,
        ChainState::None => &NONE,
    }
}

/// The page of a root's status.
pub(super) const fn status(status: RootStatus) -> &'static Page {
    match status {
        RootStatus::Scanned => &SCANNED,
        RootStatus::Missing => &MISSING,
        RootStatus::Unreadable => &states::UNREADABLE,
        RootStatus::Skipped => &SKIPPED,
    }
}

/// The page of the reason for a root's status.
pub(super) const fn reason(reason: RootReason) -> &'static Page {
    match reason {
        RootReason::IsGlobalRoot => &IS_GLOBAL_ROOT,
        RootReason::SameDirectory => &SAME_DIRECTORY,
        RootReason::NotADirectory => &NOT_A_DIRECTORY,
        RootReason::DanglingSymlink => &DANGLING_SYMLINK,
        RootReason::WorktreeHasItsOwn => &host_codes::WORKTREE_HAS_ITS_OWN,
    }
}

/// The page of a way in which the walk ends.
pub(super) const fn stop(stop: WalkStop) -> &'static Page {
    match stop {
        WalkStop::GitRoot => &GIT_ROOT,
        WalkStop::FilesystemRoot => &FILESYSTEM_ROOT,
        WalkStop::StartOnly => &host_codes::START_ONLY,
        WalkStop::DepthCap => &trouble::DEPTH_CAP,
    }
}

/// The page of what a path is.
pub(super) const fn fate(fate: PathFate) -> &'static Page {
    match fate {
        PathFate::Candidate => &CANDIDATE,
        PathFate::InsideCandidate => &INSIDE_CANDIDATE,
        PathFate::ComponentDirectory => &COMPONENT_DIRECTORY,
        PathFate::Root => &ROOT,
        PathFate::NotRead => &NOT_READ,
        PathFate::Missing => &MISSING,
        PathFate::Unreadable => &states::UNREADABLE,
    }
}
