//! What is wrong with the catalogue of tools, or with rules of disclosure.

use super::{Example, Page, PageKind, Source};

pub(super) static BAD_SNAPSHOT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A snapshot of a server's tools cannot be read",
    clause: "it is not JSON, or holds no tools",
    meaning: "The snapshot does not count, so the tools of its server are not in the catalogue. The other snapshots \
              and files count as if it were not there.",
    why: "Half of a list would look like the whole of one.",
    remedy: "Delete the snapshot; the next refresh of the server writes it anew.",
    bad: Example {
        title: "A snapshot that was cut",
        text: "~/.aleph/cache/mcp/git.json:\n    \
               {\"server\": \"git\", \"tools\": [{\"name\":\n\
               $ aleph-discover tools list",
    },
    good: Example {
        title: "A whole one",
        text: "~/.aleph/cache/mcp/git.json:\n    \
               {\"server\": \"git\", \"tools\": [{\"name\": \"log\"}]}\n\
               $ aleph-discover tools list",
    },
    in_use: true,
    source: Source::Tools,
};

pub(super) static UNUSABLE_TOOL: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A tool that cannot be used",
    clause: "it is quarantined",
    meaning: "The tool has no name, its input schema is not one for an object, or another tool has the name that it \
              would go by here. It is listed with its reason and is never found or offered. The other tools of its \
              server are not affected.",
    why: "A model that is offered a tool which cannot be called, or one that goes by the name of another, calls the \
          wrong thing.",
    remedy: "Tell whoever maintains the server, or rename one of two servers whose names become the same.",
    bad: Example {
        title: "A schema for text, where arguments are an object",
        text: "shop/tools.json:\n    \
               [{\"name\": \"log\", \"inputSchema\": {\"type\": \"string\"}}]\n\
               $ aleph-discover tools list --catalog tools.json",
    },
    good: Example {
        title: "A schema for an object",
        text: "shop/tools.json:\n    \
               [{\"name\": \"log\", \"inputSchema\": {\"type\": \"object\"}}]\n\
               $ aleph-discover tools list --catalog tools.json",
    },
    in_use: true,
    source: Source::Tools,
};

pub(super) static UNKNOWN_KEY: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A key that rules of disclosure do not have",
    clause: "it has a key that is not known",
    meaning: "The file, a `[[tool]]` or a `[[trigger]]` in it has a key that means nothing there. As long as it is \
              there, the rules are not used.",
    why: "A key with a slip in it is a condition that is left out, and the tool that it was to hide would be shown.",
    remedy: "Write the key that the help names, or remove it.",
    bad: Example {
        title: "A slip of the pen",
        text: "shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               stagge = \"domain_active\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "The key as it is read",
        text: "shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               stage = \"domain_active\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static MISSING_KEY: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A rule lacks a key without which it means nothing",
    clause: "it lacks a key that it needs",
    meaning: "A `[[tool]]` has no `name`, or a `[[trigger]]` no `hub` or no `operation`. As long as that is so, the \
              rules are not used.",
    why: "Without a name nobody knows which tool is meant; without a hub or an operation, which call.",
    remedy: "Add the key.",
    bad: Example {
        title: "A call of which operation?",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "Of this one",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static UNKNOWN_STAGE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A stage that is not among the stages",
    clause: "it names a stage that there is not",
    meaning: "A tool, a trigger or a description names a stage that is not in `stages`, or, where the file has no \
              such key, not among `entry`, `init_complete`, `cipher_loaded` and `domain_active`. An empty list \
              `stages` is told as the same. As long as that is so, the rules are not used.",
    why: "Stages are compared by their place in the order, and a name that has none can be neither before nor after \
          another.",
    remedy: "Name one of the stages, or add this one to `stages`, in its place.",
    bad: Example {
        title: "A name of one's own, without a list",
        text: "shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               stage = \"ready\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "With a list",
        text: "shop/disclosure.toml:\n    \
               stages = [\"start\", \"ready\"]\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               stage = \"ready\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static UNKNOWN_TOOL: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Rules speak of a tool that nobody has",
    clause: "no server has a tool that it names",
    meaning: "With a catalogue, from `--catalog` or from the snapshots in the Aleph home: a `[[tool]]` or `unlocks` \
              names a tool that is not in it, an error. Without one: `unlocks` names a tool that has no `[[tool]]` \
              of its own, a warning, since it may be a slip. So is a tool of a server that is not configured here, where no \
              snapshot says what there is.",
    why: "A rule for a tool that does not exist does nothing, and the tool that was meant is governed by no rule.",
    remedy: "Write the name in full, server and tool with two underscores between them, as `aleph-discover tools \
             list` shows it.",
    bad: Example {
        title: "Two letters have changed places",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__qurey\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "The name of the tool",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static UNREACHABLE_TOOL: Page = Page {
    kind: PageKind::Diagnostic,
    title: "No sequence of calls can make a tool visible",
    clause: "no call can make a tool of it visible",
    meaning: "The tool waits for calls that can never be made: of itself, of tools that wait for it in turn, or by \
              triggers that can never fire; or it needs a stage that there is not, or no server has it. That stages \
              are reached and domains made active is taken for granted. It is an error. A tool that needs a stage to which \
              no trigger leads is told of as a warning: the gateway goes on to a stage by triggers only, but other \
              programs may by themselves.",
    why: "An agent never finds such a tool, and nothing in a session shows why.",
    remedy: "Let a tool that is visible from the start unlock it, or remove the rule.",
    bad: Example {
        title: "Each of two tools unlocks the other",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__query\"\n    \
               operation = \"run\"\n    \
               unlocks = [\"db__open\"]\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__open\"\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "One of them is visible from the start",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__open\"\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static ORPHAN_TRIGGER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A trigger that can never fire, or does nothing when it does",
    clause: "a trigger of it can never do anything",
    meaning: "No server has the trigger's hub, the hub's schema lists its operations and this one is not among them \
              (both with a catalogue only), no value meets a condition, or the trigger unlocks nothing and advances \
              to no stage later than the one that it requires. It is an error. One that requires a stage to which no \
              trigger leads is a warning, since only the gateway does not go on to stages by itself.",
    why: "Whoever wrote it expects that something happens on that call.",
    remedy: "Mend what the message names, or remove the trigger.",
    bad: Example {
        title: "It leads to a stage before its own",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               requires_stage = \"domain_active\"\n    \
               advance = \"init_complete\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "It leads onward",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               requires_stage = \"entry\"\n    \
               advance = \"domain_active\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static DUPLICATE_TRIGGER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Two triggers do the same on the same calls",
    clause: "it has two triggers that do the same",
    meaning: "Hub, operation, conditions and stages of the two are the same, and so are the tools that they unlock, \
              in whatever order. It is an error: `serve` does not start with such rules.",
    why: "Who changes one of them and not the other gets both, and nothing tells that there are two.",
    remedy: "Remove one of the two.",
    bad: Example {
        title: "One trigger twice",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "Once",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};

pub(super) static USELESS_LEASE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A tool that no trigger unlocks has a lease",
    clause: "it limits a time that never begins",
    meaning: "The tool has `auto_hide_after`, and no trigger unlocks it. A lease begins when a tool is unlocked, so \
              the key does nothing. It is a warning: the rules can be used.",
    why: "Its author expects the tool to disappear after a while, and it stays.",
    remedy: "Remove the key, or add a trigger that unlocks the tool.",
    bad: Example {
        title: "Visible from the start, and for good",
        text: "shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__query\"\n    \
               auto_hide_after = \"10m\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "Unlocked for ten minutes",
        text: "shop/disclosure.toml:\n    \
               [[trigger]]\n    \
               hub = \"db__open\"\n    \
               operation = \"connect\"\n    \
               unlocks = [\"db__query\"]\n    \
               [[tool]]\n    \
               name = \"db__query\"\n    \
               auto_hide_after = \"10m\"\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Disclosure,
};
