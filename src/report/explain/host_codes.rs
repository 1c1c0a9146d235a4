//! What other hosts than Aleph have against an entry, as observed on the real programs.

use super::{Example, Page, PageKind, Source};

pub(super) static MISSING_NAME: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The host needs a declared name",
    clause: "it declares no name",
    meaning: "The front matter has no `name` that the host accepts, so it leaves the entry out.",
    why: "Some hosts know an entry by its declared name alone.",
    remedy: "Add a `name` to the front matter.",
    bad: Example {
        title: "An agent without a name",
        text: "shop/.claude/agents/reviewer.md:\n    ---\n    description: Reviews.\n    ---\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "With a name",
        text: "shop/.claude/agents/reviewer.md:\n    ---\n    name: reviewer\n    description: D\n    ---\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static MISSING_DESCRIPTION: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The host needs a description",
    clause: "it has no description",
    meaning: "The front matter has no `description` that the host accepts, so it leaves the entry out.",
    why: "The description is what the model chooses by.",
    remedy: "Add a `description` to the front matter.",
    bad: Example {
        title: "A skill without a description",
        text: "shop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    ---\n$ aleph-discover scan --host codex",
    },
    good: Example {
        title: "With a description",
        text: "shop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n$ aleph-discover scan --host codex",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static NO_FRONT_MATTER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The host needs front matter, and sees none",
    clause: "it has no front matter that this host sees",
    meaning: "There is no front matter, it is never closed, or a byte order mark stands before it where the host does not expect one.",
    why: "Name and description stand there, and this host needs them.",
    remedy: "Begin the file with `---`, a name, a description and `---`.",
    bad: Example {
        title: "Only text",
        text: "shop/.agents/skills/deploy/SKILL.md:\n    Deploys.\n$ aleph-discover scan --host codex",
    },
    good: Example {
        title: "With front matter",
        text: "shop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n$ aleph-discover scan --host codex",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static DENIED_BY_RULE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A permission rule takes it away",
    clause: "a permission rule takes it away",
    meaning: "A rule in the settings denies its use, so the host does not offer it.",
    why: "A denial in any settings file counts.",
    remedy: "Remove the rule.",
    bad: Example {
        title: "An agent that is denied",
        text: "shop/.claude/agents/reviewer.md:\n    ---\n    name: reviewer\n    description: D\n    ---\nshop/.claude/settings.json:\n    {\"permissions\": {\"deny\": [\"Agent(reviewer)\"]}}\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Without the rule",
        text: "shop/.claude/agents/reviewer.md:\n    ---\n    name: reviewer\n    description: D\n    ---\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static NOT_TRUSTED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The project is not trusted",
    clause: "its project is not trusted",
    meaning: "The host loads this only from a project that its user has said to trust. `cause` names the file where that is kept.",
    why: "A repository that was only cloned must not be able to do anything.",
    remedy: "Trust the project in the host, once you have looked at it.",
    bad: Example {
        title: "A skill of a project that nobody trusts",
        text: "shop/.gemini/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n$ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "A trusted project",
        text: "shop/.gemini/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static NOT_APPROVED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Nobody has approved it as it is",
    clause: "nobody has approved it",
    meaning: "Gemini loads an agent of a project only once its text has been approved; a change asks for approval again.",
    why: "An agent acts on the user's behalf.",
    remedy: "Start the host in the project and approve it there.",
    bad: Example {
        title: "An agent of a trusted project, not approved",
        text: "shop/.gemini/agents/reviewer.md:\n    ---\n    name: reviewer\n    description: D\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "Your own needs no approval",
        text: "~/.gemini/agents/reviewer.md:\n    ---\n    name: reviewer\n    description: D\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Gemini,
};

pub(super) static HOST_DOES_NOT_START: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The host does not start here",
    clause: "the host does not start here",
    meaning: "A file that the host reads first is wrong, and the host ends with an error instead of leaving the file out: a settings \
              file of Codex, Gemini or opencode that cannot be parsed, a record of trusted folders, or an agent or command of opencode \
              with a value of a wrong type. Nothing at all is in effect until the file is mended.",
    why: "These hosts check what they read and refuse to go on; one broken file, also one of the user's, takes everything away.",
    remedy: "Mend the file that is named. An agent written for another host often has `tools` as text or a `color` by its name.",
    bad: Example {
        title: "An agent of opencode with the tools of another host",
        text: "shop/.opencode/agents/reviewer.md:\n    ---\n    description: D\n    tools: Read, Grep\n    ---\nshop/.opencode/agents/tester.md\n$ aleph-discover scan --host opencode",
    },
    good: Example {
        title: "The tools as opencode has them",
        text: "shop/.opencode/agents/reviewer.md:\n    ---\n    description: D\n    tools:\n      read: true\n    ---\nshop/.opencode/agents/tester.md\n$ aleph-discover scan --host opencode",
    },
    in_use: true,
    source: Source::Opencode,
};

pub(super) static NAME_OF_THE_HOSTS: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The host has something of its own of this name",
    clause: "the host has its own of this name",
    meaning: "Gemini reads its own agents first and leaves out another one of the same name, with a warning.",
    why: "What the host itself relies on is not to be replaced by accident.",
    remedy: "Give it another name.",
    bad: Example {
        title: "An agent called as one of the host's",
        text: "~/.gemini/agents/help.md:\n    ---\n    name: cli_help\n    description: D\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "A name of its own",
        text: "~/.gemini/agents/help.md:\n    ---\n    name: my-help\n    description: D\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Gemini,
};

pub(super) static NOT_INSTALLED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A plugin that is enabled and not there",
    clause: "it is enabled and not installed",
    meaning: "The settings enable the plugin, and neither a marketplace in a directory nor the record of installed plugins says where it is.",
    why: "Settings of a project can enable what its user has not installed.",
    remedy: "Install it in the host.",
    bad: Example {
        title: "Enabled, and not installed",
        text: "shop/.claude/settings.json:\n    {\"enabledPlugins\": {\"tools@shop\": true}}\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Nothing enabled",
        text: "shop/.claude/settings.json:\n    {}\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static ON_DEMAND: Page = Page {
    kind: PageKind::Diagnostic,
    title: "It waits for work on the files that it is about",
    clause: "it waits for work on the files that it is about",
    meaning: "The rule or skill names the files that it is about. It is read when the work comes to one of them, and not at the start; until then another skill of its name counts.",
    why: "What is about a part of a project need not be read for the rest.",
    remedy: "Remove the key if it shall always be read.",
    bad: Example {
        title: "A rule for one folder",
        text: "shop/.claude/rules/api.md:\n    ---\n    paths: api/**\n    ---\n    Be brief.\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "A rule for everything",
        text: "shop/.claude/rules/api.md:\n    Be brief.\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static OUTSIDE_PROJECT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "It lies outside the project and is not approved",
    clause: "it lies outside the project and is not approved",
    meaning: "A memory file imports a file that is not in the project, or a rule is a link to one. It is not read unless that has been approved.",
    why: "A cloned repository must not be able to read other files along.",
    remedy: "Copy the text into the project.",
    bad: Example {
        title: "An import from the home directory",
        text: "shop/CLAUDE.md:\n    See @~/notes.md\n~/notes.md\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "An import from the project",
        text: "shop/CLAUDE.md:\n    See @notes.md\nshop/notes.md\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static OUTER_CHECKOUT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "It belongs to the checkout that the worktree lies inside of",
    clause: "it belongs to the checkout that the worktree lies inside of",
    meaning: "The working directory is in a linked worktree inside another checkout of the same repository. The memory files of that checkout are left out, but for `CLAUDE.local.md`.",
    why: "The worktree has the same files, and the model would be given them twice.",
    remedy: "Nothing, if the worktree has the file; else put it there.",
    bad: Example {
        title: "A worktree below its checkout",
        text: "shop/CLAUDE.md:\n    Be brief.\nshop/.git/HEAD:\n    ref: refs/heads/main\nshop/.git/worktrees/next/HEAD:\n    ref: refs/heads/next\nshop/.git/worktrees/next/commondir:\n    ../..\nshop/next/.git:\n    gitdir: ../.git/worktrees/next\nshop/next/CLAUDE.md:\n    Be brief.\n$ aleph-discover -C shop/next --host claude-code",
    },
    good: Example {
        title: "No worktree",
        text: "shop/CLAUDE.md:\n    Be brief.\nshop/next/CLAUDE.md:\n    Be brief.\n$ aleph-discover -C shop/next --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static IMPORT_MISSING: Page = Page {
    kind: PageKind::Diagnostic,
    title: "An import of a file that is not there",
    clause: "it names a file that is not there",
    meaning: "A memory file imports a path at which there is no file. The rest is read.",
    why: "A file may have been moved; the host says nothing of it.",
    remedy: "Correct the path.",
    bad: Example {
        title: "The file is gone",
        text: "shop/CLAUDE.md:\n    See @notes.md\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "The file is there",
        text: "shop/CLAUDE.md:\n    See @notes.md\nshop/notes.md\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static NOT_FETCHED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A text on the network, which is not fetched",
    clause: "it is on the network, and nothing is fetched to show it",
    meaning: "A configuration file names an address where a memory file could stand. The host may fetch it; what it says is \
              not in this answer.",
    why: "To look at a directory opens no connection. But what is always given to the model and unknown here is said to be.",
    remedy: "Read the address yourself, or keep a copy beside the configuration and name that.",
    bad: Example {
        title: "An address",
        text: "~/.aleph/aleph.toml:\n    instructions = [\"https://example.com/style.md\"]\n$ aleph-discover scan",
    },
    good: Example {
        title: "A file",
        text: "~/.aleph/aleph.toml:\n    instructions = [\"style.md\"]\n~/.aleph/style.md\n$ aleph-discover scan",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static SEARCH_CUT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "More is named than is looked for",
    clause: "so much is named that not all of it was looked for",
    meaning: "For all patterns of `instructions` together 5 000 directories are looked into, and of one file's list the first \
              1 000 texts count. What lies beyond may be in effect and is not in the answer.",
    why: "A pattern like `/**/*.md` means the whole disk, and an answer has to come. But what was not looked at is not said \
          not to be there.",
    remedy: "Name the files, or a directory that is nearer to them.",
    bad: Example {
        title: "The whole disk",
        text: "~/.aleph/aleph.toml:\n    instructions = [\"/**/rules-of-*.md\"]",
    },
    good: Example {
        title: "A directory of its own",
        text: "~/.aleph/aleph.toml:\n    instructions = [\"rules/*.md\"]\n~/.aleph/rules/style.md\n$ aleph-discover scan",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static IMPORT_TOO_DEEP: Page = Page {
    kind: PageKind::Diagnostic,
    title: "It stands at the end of too long a chain of imports",
    clause: "it stands at the end of too long a chain of imports",
    meaning: "Imports are followed a few files deep, four by Claude Code and five by Gemini; what comes after that is not read.",
    why: "A chain has to end somewhere.",
    remedy: "Import it from a file that is nearer to the beginning.",
    bad: Example {
        title: "The fifth import",
        text: "shop/CLAUDE.md:\n    @a.md\nshop/a.md:\n    @b.md\nshop/b.md:\n    @c.md\nshop/c.md:\n    @d.md\nshop/d.md:\n    @e.md\nshop/e.md\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Four imports",
        text: "shop/CLAUDE.md:\n    @a.md\nshop/a.md:\n    @b.md\nshop/b.md:\n    @c.md\nshop/c.md:\n    @d.md\nshop/d.md\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static EMPTY_FILE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "There is no text in it",
    clause: "there is no text in it",
    meaning: "The file is empty, so the host has nothing to give to the model.",
    why: "An empty memory file says nothing.",
    remedy: "Write into it, or remove it.",
    bad: Example {
        title: "An empty file",
        text: "shop/CLAUDE.md:\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "With text",
        text: "shop/CLAUDE.md:\n    Be brief.\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static DESCRIPTION_CUT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The model is given only the beginning of a description",
    clause: "the model is given only the beginning of its description",
    meaning: "The description is longer than the host passes on: 1536 characters for Claude Code, 1024 for Codex.",
    why: "All descriptions together have to fit into what the model reads at the start.",
    remedy: "Say first what it is for.",
    bad: Example {
        title: "A very long description",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    ---\n    description: >\n    (70 KiB of text)\n    ---\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "A short one",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static DESCRIPTION_LEFT_OUT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The model is given its name without the description",
    clause: "the model is given its name without the description",
    meaning: "All entries that the model is given have so many characters together: 30000 for Claude Code with a model that has a million tokens, 8000 with one that has 200000. The host's own come first, then those that were used, most and most lately first, then the order in which it lists them; a description that does not fit is left out.",
    why: "The list is there at every start, so the host bounds what it costs. Without a description the model can hardly know when to use the entry.",
    remedy: "Shorten descriptions, switch off what is not used, or set `skillListingBudgetFraction` or `SLASH_COMMAND_TOOL_CHAR_BUDGET`.",
    bad: Example {
        title: "Next to no room",
        text: "~/.claude/settings.json:\n    {\"skillListingBudgetFraction\": 0.001}\nshop/.claude/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: Deploys.\n    ---\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "As much as usual",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: Deploys.\n    ---\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static DOCUMENT_CUT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The model is given only the beginning of a file",
    clause: "the model is given only the beginning of it",
    meaning: "The project's memory files have more bytes together than the host takes: 32768 for Codex, or what `project_doc_max_bytes` says. The file that passes that is cut, and those after it are left out.",
    why: "The text is given to the model at every start, so the host bounds it.",
    remedy: "Say first what counts, shorten the files before it, or raise the limit.",
    bad: Example {
        title: "A small limit",
        text: "~/.codex/config.toml:\n    project_doc_max_bytes = 10\nshop/AGENTS.md:\n    Be brief, and say what you did.\n$ aleph-discover scan --host codex",
    },
    good: Example {
        title: "A short file",
        text: "shop/AGENTS.md:\n    Be brief.\n$ aleph-discover scan --host codex",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static LINKED_MARKER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The host passes over a marker that is a link",
    clause: "its marker is a symbolic link",
    meaning: "The folder is there, but its `SKILL.md` is a symbolic link, which this host does not follow; it does follow a folder that is a link.",
    why: "Codex reads only real files.",
    remedy: "Link the folder instead, or copy the file.",
    bad: Example {
        title: "A linked marker",
        text: "shop/docs/text.md:\n    ---\n    name: deploy\n    description: D\n    ---\nshop/.agents/skills/deploy/SKILL.md -> ../../../docs/text.md\n$ aleph-discover scan --host codex",
    },
    good: Example {
        title: "A real one",
        text: "shop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n$ aleph-discover scan --host codex",
    },
    in_use: true,
    source: Source::Codex,
};

pub(super) static START_ONLY: Page = Page {
    kind: PageKind::Rule,
    title: "Without a repository the host looks only at the working directory",
    clause: "",
    meaning: "The walk ended where it began: there is no repository around the working directory, and this host looks further up only in one.",
    why: "Above a directory that belongs to no repository there may be anything.",
    remedy: "Run `git init` at the top of the project.",
    bad: Example {
        title: "No repository",
        text: "shop/.git:\n    nothing\n$ aleph-discover roots --host codex -C /",
    },
    good: Example {
        title: "A repository",
        text: "shop/a/\n$ aleph-discover roots --host codex",
    },
    in_use: true,
    source: Source::Hosts,
};

pub(super) static WORKTREE_HAS_ITS_OWN: Page = Page {
    kind: PageKind::Rule,
    title: "The worktree has a directory of its own",
    clause: "the worktree has one of its own",
    meaning: "In a linked worktree the main checkout stands in, kind by kind, for what the worktree does not have. This kind it has itself.",
    why: "What a branch has must not be mixed with what another one has.",
    remedy: "Nothing.",
    bad: Example {
        title: "A worktree with skills of its own",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    good: Example {
        title: "A main checkout",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::ClaudeCode,
};
