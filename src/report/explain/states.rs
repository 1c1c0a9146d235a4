//! What became of an entry.

use super::{Example, Page, PageKind, Source};
use crate::model::State;

pub(super) static ACTIVE: Page = Page {
    kind: PageKind::State,
    title: "In effect: this is the one that the host uses",
    clause: "",
    meaning: "Of all entries of its kind and name this one ranks highest among those that are sound, so the host \
              loads it. A chain is active if one of its entries is in effect.",
    why: "Later roots override earlier ones: the user's, then the project's from its outermost directory inward, \
          `.claude` below `.aleph` in each of the two.",
    remedy: "",
    bad: Example {
        title: "There, but not as a host reads it: the marker is called README.md",
        text: "shop/.claude/skills/deploy/README.md",
    },
    good: Example {
        title: "A folder with its marker",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

static SHADOWED: Page = Page {
    kind: PageKind::State,
    title: "Not in effect: another entry of the same name wins",
    clause: "",
    meaning: "The entry is sound, but another of the same kind and name ranks higher. `by` names the winner, and \
              the rule says why that one wins.",
    why: "A host loads one entry for a name. Which one follows from where they stand, never from which is newer.",
    remedy: "Edit the winner, or give this one another name.",
    bad: Example {
        title: "Two skills of one name",
        text: "~/.claude/skills/review/SKILL.md     # shadowed\n\
               shop/.claude/skills/review/SKILL.md",
    },
    good: Example {
        title: "Two names",
        text: "~/.claude/skills/my-review/SKILL.md\n\
               shop/.claude/skills/review/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

static IDENTICAL: Page = Page {
    kind: PageKind::State,
    title: "Not in effect, and harmless: its bytes equal the winner's",
    clause: "",
    meaning: "Another entry of the same kind and name wins, and the files that define the two are the same byte for \
              byte (compared by size, then by SHA-256). Only the defining file is compared, not what lies beside it.",
    why: "Copies are common: a skill in the home directory and in the project. As long as they are equal it does not \
          matter which one is loaded, so they are told apart from entries that are `shadowed`.",
    remedy: "Nothing now. But an edit of this one would have no effect: keep one copy, or edit the winner.",
    bad: Example {
        title: "The same command twice",
        text: "~/.claude/commands/commit.md:  # identical\n    \
               Commit what is staged.\n\
               ~/.aleph/commands/commit.md:\n    \
               Commit what is staged.",
    },
    good: Example {
        title: "One copy",
        text: "~/.claude/commands/commit.md:\n    \
               Commit what is staged.",
    },
    in_use: true,
    source: Source::Chains,
};

static ALIAS: Page = Page {
    kind: PageKind::State,
    title: "The same file as another entry, reached by another path",
    clause: "",
    meaning: "This entry and an earlier one of the chain are one real file: a link above them, or a hard link, leads \
              two paths to it. `alias_of` names the other.",
    why: "People keep one folder and link to it from several places. Nothing is lost, so it is not called shadowed.",
    remedy: "Nothing: an edit through either path is an edit of the same file.",
    bad: Example {
        title: "One folder of skills under two names",
        text: "shop/.aleph/skills/deploy/SKILL.md\n\
               shop/.claude/skills -> ../.aleph/skills",
    },
    good: Example {
        title: "One folder; Aleph reads both places, so the link is not needed for it",
        text: "shop/.aleph/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

static NAMESPACED: Page = Page {
    kind: PageKind::State,
    title: "In effect, but only under its full name `plugin:name`",
    clause: "",
    meaning: "A plugin brings this entry. Its short name is taken, by an entry of your own or by another plugin, so \
              it is reached by its full name only.",
    why: "Installing a plugin must not change what a name that is already in use stands for.",
    remedy: "Call it by its full name.",
    bad: Example {
        title: "The short name `deploy` stands for the project's own skill",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               ~/.aleph/plugins/ops/skills/deploy/SKILL.md  # ops:deploy",
    },
    good: Example {
        title: "Nothing else is called `deploy`",
        text: "~/.aleph/plugins/ops/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Plugins,
};

static ADDITIVE: Page = Page {
    kind: PageKind::State,
    title: "In effect together with others",
    clause: "",
    meaning: "Entries of this kind do not replace one another. Aleph's configuration files of several directories are \
              such: they are merged key by key (`config-layers`). Hooks are, too: all of one event run (`adds-up`).",
    why: "For some things the sum is what is wanted: settings of the user and of the project.",
    remedy: "For a single value of the configuration, `aleph-discover find-config aleph --merged` shows which file \
             it comes from.",
    bad: Example {
        title: "Only one layer: there is nothing to add to",
        text: "shop/aleph.toml:\n    \
               model = \"small\"",
    },
    good: Example {
        title: "Two layers, both additive",
        text: "~/.aleph/aleph.toml:\n    \
               theme = \"dark\"\n\
               shop/aleph.toml:\n    \
               model = \"small\"",
    },
    in_use: true,
    source: Source::Chains,
};

static DISABLED: Page = Page {
    kind: PageKind::State,
    title: "Switched off",
    clause: "",
    meaning: "A setting turns it off. It neither wins nor hides an entry below it. `cause` names the file and the \
              key that do it.",
    why: "What is switched off is still there; it is shown, so that nobody looks for it in vain.",
    remedy: "Change the key that `cause` names.",
    bad: Example {
        title: "A plugin that is switched off",
        text: "~/.aleph/plugins/ops/aleph.plugin.toml:\n    \
               [plugin]\n    \
               id = \"ops\"\n\
               ~/.aleph/data/plugins.toml:\n    \
               [entries.ops]\n    \
               enabled = false",
    },
    good: Example {
        title: "Without an entry a plugin is on",
        text: "~/.aleph/plugins/ops/aleph.plugin.toml:\n    \
               [plugin]\n    \
               id = \"ops\"",
    },
    in_use: true,
    source: Source::Plugins,
};

static UNTRUSTED: Page = Page {
    kind: PageKind::State,
    title: "Not in effect until it is trusted or approved",
    clause: "",
    meaning: "The host takes this only from a project that its user trusts, or only once it has been approved. It neither \
              wins nor hides an entry below it.",
    why: "A repository that was only cloned must not be able to run anything.",
    remedy: "Look at what it would run. If you want that, approve it in the host.",
    bad: Example {
        title: "A skill of a project that Gemini's user does not trust",
        text: "shop/.gemini/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               description: Deploys.\n    \
               ---\n\
               $ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "The user's own skill needs no trust",
        text: "~/.gemini/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               description: Deploys.\n    \
               ---\n\
               $ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Hosts,
};

static INVALID: Page = Page {
    kind: PageKind::State,
    title: "Malformed, so not in effect",
    clause: "",
    meaning: "The file is there and was read, but it is not what it must be; the code says what is wrong, with line \
              and column. It neither wins nor hides an entry below it.",
    why: "What its author meant is not known, so the next entry of that name is used rather than a guess. It keeps \
          its place in the chain, so that you see that it was meant to win.",
    remedy: "Mend what the code names.",
    bad: Example {
        title: "A colon in a value without quotes",
        text: "shop/.claude/commands/rollback.md:\n    \
               ---\n    \
               description: Roll back: to the last release\n    \
               ---",
    },
    good: Example {
        title: "The value in quotes",
        text: "shop/.claude/commands/rollback.md:\n    \
               ---\n    \
               description: \"Roll back: to the last release\"\n    \
               ---",
    },
    in_use: true,
    source: Source::Chains,
};

static REJECTED: Page = Page {
    kind: PageKind::State,
    title: "Refused for safety",
    clause: "",
    meaning: "Something stands there that is never followed or opened: a symbolic link, a link that leads out of its \
              folder, a directory or a device where a file must be. The code says which. It neither wins nor hides \
              an entry below it.",
    why: "Whoever can change where a link leads could change what an agent is told, without touching the folder that \
          was looked over. A device or FIFO could make the program wait for ever.",
    remedy: "Put a real file or folder there.",
    bad: Example {
        title: "A skill that is a link",
        text: "~/dotfiles/skills/standup/SKILL.md\n\
               ~/.claude/skills/standup -> ../../dotfiles/skills/standup",
    },
    good: Example {
        title: "The folder of all skills is the link: that is followed",
        text: "~/dotfiles/skills/standup/SKILL.md\n\
               ~/.claude/skills -> ../dotfiles/skills",
    },
    in_use: true,
    source: Source::Chains,
};

static IGNORED: Page = Page {
    kind: PageKind::State,
    title: "There, but this host does not read it",
    clause: "",
    meaning: "It lies where entries lie, but it does not have the form of one; the code says why: `hidden`, \
              `no-marker`, `wrong-case`, `wrong-kind`, `wrong-place` or `no-manifest`.",
    why: "Nothing is passed over in silence: mostly something that is ignored was meant to be an entry.",
    remedy: "Give it the name or the place that the host reads. `scan --all` lists everything that is ignored.",
    bad: Example {
        title: "The marker in small letters",
        text: "shop/.claude/skills/profile/skill.md",
    },
    good: Example {
        title: "The marker as it must be written",
        text: "shop/.claude/skills/profile/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

pub(super) static UNREADABLE: Page = Page {
    kind: PageKind::State,
    title: "The operating system refused to let it be read",
    clause: "the operating system refused to let it be read",
    meaning: "The file or directory is there, but may not be read; the message is the operating system's. What it \
              holds is unknown, so the answer is incomplete: `complete` is false and the exit code is 3.",
    why: "A directory that may not be read must not look like one that is empty.",
    remedy: "Make it readable, or run as a user who may read it.",
    bad: Example {
        title: "A folder that belongs to somebody else",
        text: "shop/.claude/skills/deploy/SKILL.md  # mode 000",
    },
    good: Example {
        title: "Readable",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

/// The page of a state.
pub(super) const fn page(state: State) -> &'static Page {
    match state {
        State::Active => &ACTIVE,
        State::Shadowed => &SHADOWED,
        State::Identical => &IDENTICAL,
        State::Alias => &ALIAS,
        State::Namespaced => &NAMESPACED,
        State::Additive => &ADDITIVE,
        State::Disabled => &DISABLED,
        State::Untrusted => &UNTRUSTED,
        State::Invalid => &INVALID,
        State::Rejected => &REJECTED,
        State::Ignored => &IGNORED,
        State::Unreadable => &UNREADABLE,
    }
}
