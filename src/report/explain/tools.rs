//! What is wrong with the catalogue of tools.

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
               {\"server\": \"git\", \"tools\": [{\"name\":",
    },
    good: Example {
        title: "A whole one",
        text: "~/.aleph/cache/mcp/git.json:\n    \
               {\"server\": \"git\", \"tools\": [{\"name\": \"log\"}]}",
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
               [{\"name\": \"log\", \"inputSchema\": {\"type\": \"string\"}}]",
    },
    good: Example {
        title: "A schema for an object",
        text: "shop/tools.json:\n    \
               [{\"name\": \"log\", \"inputSchema\": {\"type\": \"object\"}}]",
    },
    in_use: true,
    source: Source::Tools,
};
