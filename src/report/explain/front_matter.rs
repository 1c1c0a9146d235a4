//! What is wrong with, or odd about, the text at the beginning of an entry's file.

use super::{Example, Page, PageKind, Source};

pub(super) static BAD_FRONT_MATTER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The front matter is not valid YAML",
    clause: "its front matter is not valid YAML",
    meaning: "What stands between the two `---` cannot be read, so the entry is invalid and the next one of its name \
              is used. Line and column are given. Name and description are still read line by line, so that the \
              entry is found under the name its author gave it. Two keys of one name are an error too.",
    why: "By far the most frequent cause is a colon in a value without quotes: YAML takes it for the beginning of \
          another key. Some hosts patch such files up, and each in its own way; what works in one fails in the next.",
    remedy: "Put the value in quotes.",
    bad: Example {
        title: "A second colon in an unquoted value",
        text: "shop/.claude/commands/release.md:\n    \
               ---\n    \
               description: Cut a release: tag, build, publish\n    \
               ---",
    },
    good: Example {
        title: "The value in quotes",
        text: "shop/.claude/commands/release.md:\n    \
               ---\n    \
               description: \"Cut a release: tag, build, publish\"\n    \
               ---",
    },
    in_use: true,
    source: Source::FrontMatter,
};

pub(super) static TOO_LARGE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "More than is read",
    clause: "there is more of it than is read",
    meaning: "Everything that is read has a bound. Front matter has to end within 64 KiB; a configuration file and a \
              file of disclosure rules have at most 16 MiB, a million values and, of rules, 100 000: what is larger \
              is not used. A key of a manifest names at most 1 000 paths and a file has at most 10 000 hooks: the \
              first ones count and the others do not. Of two markers with one name and more than 64 MiB nobody \
              looks whether they are the same. A manifest with more than 1 MiB is a `broken-manifest`, and a catalogue \
              of tools with more than 256 MiB is refused.",
    why: "Files come from strangers and are read in every run. A bound keeps a broken or hostile one from taking all \
          the time and memory.",
    remedy: "Close front matter with a line `---` and move long text into the body, which may be as long as you like. \
             Split a long file; of many paths, name the folder that holds them.",
    bad: Example {
        title: "The whole text in the front matter, and a path for every skill",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               description: |\n      \
               (70 KiB of text)\n    \
               ---\n\
               shop/ops/.claude-plugin/plugin.json:\n    \
               {\"name\": \"ops\", \"skills\": [(1 500 paths)]}\n\
               $ aleph-discover scan\n\
               $ aleph-discover plugins validate ops",
    },
    good: Example {
        title: "The text in the body, and the folder of the skills",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               description: How to deploy\n    \
               ---\n    \
               (70 KiB of text)\n\
               shop/ops/.claude-plugin/plugin.json:\n    \
               {\"name\": \"ops\", \"skills\": [\"./skills\"]}\n\
               $ aleph-discover scan\n\
               $ aleph-discover plugins validate ops",
    },
    in_use: true,
    source: Source::Scanner,
};

pub(super) static NOT_UTF8: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The text is not UTF-8",
    clause: "it is not UTF-8",
    meaning: "The front matter of an entry, or a configuration file, has bytes that are no UTF-8; the place of the \
              first is given. It is not used. The body of an entry is not read, so it is not judged.",
    why: "Guessing the encoding would now and then show another name than the author wrote.",
    remedy: "Save the file as UTF-8.",
    bad: Example {
        title: "Saved as Latin-1: <E9> stands for that one byte, an é",
        text: "shop/.claude/skills/menu/SKILL.md:\n    \
               ---\n    \
               description: The caf<E9>'s menu\n    \
               ---",
    },
    good: Example {
        title: "Saved as UTF-8",
        text: "shop/.claude/skills/menu/SKILL.md:\n    \
               ---\n    \
               description: The café's menu\n    \
               ---",
    },
    in_use: true,
    source: Source::FrontMatter,
};

pub(super) static NAME_MISMATCH: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The declared name differs from the name of the file or folder",
    clause: "its declared name is not its path's name",
    meaning: "The entry goes by the `name` that its front matter declares, not by the name of its file or folder.",
    why: "Aleph goes by the declared name; other hosts go by the path. The same entry then has two names.",
    remedy: "Give both the same name.",
    bad: Example {
        title: "The skill is called `ship`",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: ship\n    \
               ---",
    },
    good: Example {
        title: "One name",
        text: "shop/.claude/skills/ship/SKILL.md:\n    \
               ---\n    \
               name: ship\n    \
               ---",
    },
    in_use: true,
    source: Source::FrontMatter,
};

pub(super) static NAME_NOT_TEXT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The declared name is not text",
    clause: "its declared name is not text",
    meaning: "YAML takes the value of `name` for a number or a boolean; it is used as it is written. A list or a \
              mapping is no name at all: then the name of the file or folder is used. The entry stays in effect.",
    why: "Another program may write such a number differently: `1.0` as `1`, `yes` as `true`.",
    remedy: "Put the name in quotes.",
    bad: Example {
        title: "A number",
        text: "shop/.claude/skills/release/SKILL.md:\n    \
               ---\n    \
               name: 2.0\n    \
               ---",
    },
    good: Example {
        title: "A text",
        text: "shop/.claude/skills/release/SKILL.md:\n    \
               ---\n    \
               name: \"2.0\"\n    \
               ---",
    },
    in_use: true,
    source: Source::FrontMatter,
};

pub(super) static UNCLOSED_FRONT_MATTER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The front matter is opened and never closed",
    clause: "its front matter is never closed",
    meaning: "The first line is `---`, and no line that closes it follows before the file ends. The whole file is \
              taken for the body: the entry is in effect, but it declares neither name nor description.",
    why: "A text may begin with a line of hyphens without meaning front matter.",
    remedy: "Close it with a line `---` that is not indented.",
    bad: Example {
        title: "The second `---` is missing",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: ship\n\n    \
               How to deploy.",
    },
    good: Example {
        title: "Closed",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               ---\n    \
               How to deploy.",
    },
    in_use: true,
    source: Source::FrontMatter,
};

pub(super) static FRONT_MATTER_NOT_A_MAPPING: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The front matter is YAML, but not a mapping of keys to values",
    clause: "its front matter is not a mapping",
    meaning: "Between the two `---` stands plain text or a list. The entry is in effect, but it declares neither name \
              nor description.",
    why: "It is legal YAML, so the entry is not invalid; but whoever wrote it probably meant to declare something.",
    remedy: "Write one `key: value` a line.",
    bad: Example {
        title: "Text",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               How to deploy\n    \
               ---",
    },
    good: Example {
        title: "A key and its value",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               description: How to deploy\n    \
               ---",
    },
    in_use: true,
    source: Source::FrontMatter,
};
