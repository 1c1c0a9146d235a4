//! What is wrong with a configuration file, or with a value in it.

use super::{Example, Page, PageKind, Source};

pub(super) static BAD_CONFIG: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A configuration file is not valid TOML, JSONC or JSON",
    clause: "it is not valid TOML, JSONC or JSON",
    meaning: "The file cannot be parsed, or it holds something other than a table. Line and column are given. The \
              file does not count; if its directory has another format, that one does, and all other layers still \
              merge.",
    why: "Half of a file could set the opposite of what its author wanted.",
    remedy: "Mend the place that is named.",
    bad: Example {
        title: "TOML needs quotes around text",
        text: "shop/aleph.toml:\n    \
               model = small",
    },
    good: Example {
        title: "With quotes",
        text: "shop/aleph.toml:\n    \
               model = \"small\"",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static TOO_DEEP: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Values are nested deeper than is read",
    clause: "its values are nested too deep",
    meaning: "A configuration file has tables or lists within one another more than 64 levels deep. It does not count.",
    why: "Real files have fewer than ten levels. A bound keeps a hostile file from exhausting the stack, here and in \
          whatever reads the merged configuration next.",
    remedy: "Look at what wrote the file: it is hardly ever a person.",
    bad: Example {
        title: "A hundred lists within one another",
        text: "shop/aleph.json:\n    \
               {\"a\": (100 levels)}",
    },
    good: Example {
        title: "Two levels",
        text: "shop/aleph.json:\n    \
               {\"a\": [[]]}",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static DUPLICATE_KEY: Page = Page {
    kind: PageKind::Diagnostic,
    title: "One thing is said twice in a file",
    clause: "one thing is said twice in it",
    meaning: "In JSON, an object has one key twice: in a configuration file, a manifest, a marketplace, a file of \
              hooks or of MCP servers. JSON allows it, and only the later value counts; in TOML it is an error, \
              `bad-config`. In rules of disclosure, a tool has two `[[tool]]` entries or a stage is named twice, and \
              as long as that is so, the rules are not used.",
    why: "Programs disagree about which of two keys counts, and who reads the file sees the first one first. Two rules \
          of a tool may contradict each other, and a tool must not be shown by a guess.",
    remedy: "Remove one of the two.",
    bad: Example {
        title: "A setting, a manifest's name and a rule, each twice",
        text: "shop/aleph.json:\n    \
               {\"model\": \"large\",\n     \
               \"model\": \"small\"}\n\
               shop/ops/.claude-plugin/plugin.json:\n    \
               {\"name\": \"ops\", \"name\": \"operations\"}\n\
               shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               stage = \"domain_active\"\n\
               $ aleph-discover find-config aleph --merged\n\
               $ aleph-discover plugins validate ops\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "Each once",
        text: "shop/aleph.json:\n    \
               {\"model\": \"small\"}\n\
               shop/ops/.claude-plugin/plugin.json:\n    \
               {\"name\": \"ops\"}\n\
               shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               stage = \"domain_active\"\n\
               $ aleph-discover find-config aleph --merged\n\
               $ aleph-discover plugins validate ops\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static NUMBER_PRECISION: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A whole number that no 64-bit integer holds",
    clause: "a number in it is too large for 64 bits",
    meaning: "The number is kept here as it is written, but most programs would round it. In TOML it is an error, \
              `bad-config`.",
    why: "A number that long is an identifier more often than an amount, and one rounded digit makes it another one.",
    remedy: "Write it as text, in quotes.",
    bad: Example {
        title: "An account number as a number",
        text: "shop/aleph.json:\n    \
               {\"account\": 123456789012345678901234567890}",
    },
    good: Example {
        title: "As text",
        text: "shop/aleph.json:\n    \
               {\"account\": \"123456789012345678901234567890\"}",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static WRONG_TYPE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A value is not of the type that its key needs, so it does not count",
    clause: "a value in it is not of the type that its key needs",
    meaning: "In a configuration file, `agent`, `mcp`, `permission`, `provider` and `tools` are tables, `plugin`, \
              `instructions` and `tools.core` are lists; something else does not count, and what other files say \
              under that key still does. In rules of disclosure every key has its type, a duration and a condition \
              their form; as long as one is wrong, the rules are not used. Some hosts leave a whole settings file \
              out for it, or an entry whose `description` is no text. Of manifests it is said as \
              `manifest-wrong-type`.",
    why: "Tables are merged name by name and lists are joined; a text can be neither. A condition that is not \
          understood would show the tool that it was to hide.",
    remedy: "Write what the message says.",
    bad: Example {
        title: "A text where a list belongs, a number where a duration does",
        text: "shop/aleph.toml:\n    \
               instructions = \"docs/style.md\"\n\
               shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               auto_hide_after = 10\n\
               $ aleph-discover find-config aleph --merged\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    good: Example {
        title: "A list with one text, and a duration",
        text: "shop/aleph.toml:\n    \
               instructions = [\"docs/style.md\"]\n\
               shop/disclosure.toml:\n    \
               [[tool]]\n    \
               name = \"db__drop\"\n    \
               auto_hide_after = \"10m\"\n\
               $ aleph-discover find-config aleph --merged\n\
               $ aleph-discover tools lint disclosure.toml",
    },
    in_use: true,
    source: Source::Config,
};

pub(super) static NULL_IGNORED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A null neither sets nor overrides anything",
    clause: "a null neither sets nor overrides anything",
    meaning: "The key is there with the value null. The value of a file below it stays in effect.",
    why: "People write null for \"not set\". It cannot take a value away that another file gives.",
    remedy: "Remove the key, or give it the value that you want.",
    bad: Example {
        title: "The user's theme stays",
        text: "~/.aleph/aleph.toml:\n    \
               theme = \"dark\"\n\
               shop/aleph.json:\n    \
               {\"theme\": null}",
    },
    good: Example {
        title: "Overridden by a value",
        text: "~/.aleph/aleph.toml:\n    \
               theme = \"dark\"\n\
               shop/aleph.json:\n    \
               {\"theme\": \"light\"}",
    },
    in_use: true,
    source: Source::Config,
};
