//! What is to be said of MCP servers that are configured, and of whether they may be started.

use super::{Example, Page, PageKind, Source};

pub(super) static UNSUPPORTED_TRANSPORT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "An MCP server is reached in a way that is not spoken",
    clause: "its transport is not spoken",
    meaning: "Its `type` is `sse`, the older HTTP with server-sent events, or `ws`, a web socket. The definition is \
              sound and the host knows the server, but it cannot be asked: it does not compete for its name, and \
              asking it ends with exit code 5.",
    why: "The protocol has given up the older transport, and the SDK on which this is built does not have it.",
    remedy: "Most such servers have streamable HTTP too, often at `/mcp` where the older one is at `/sse`: give that \
             address, with `type` `http`.",
    bad: Example {
        title: "The older transport",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"tickets\": {\"type\": \"sse\", \"url\": \"https://example.com/sse\"}}}",
    },
    good: Example {
        title: "Streamable HTTP",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"tickets\": {\"type\": \"http\", \"url\": \"https://example.com/mcp\"}}}",
    },
    in_use: true,
    source: Source::Mcp,
};

pub(super) static SAME_SERVER_TWICE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "One MCP server is in effect under two names",
    clause: "it is in effect under two names",
    meaning: "Two names lead to the same command line in the same directory, or to the same address. Both are in \
              effect, so everything that the server has is offered twice, and it is started twice.",
    why: "Names are what is compared everywhere else, so nothing else tells that the two are one.",
    remedy: "Remove one of them, or switch it off.",
    bad: Example {
        title: "Two names for one address",
        text: "shop/.mcp.json:\n    {\"a\": {\"url\": \"https://example.com/mcp\"},\n     \"b\": {\"url\": \"https://example.com/mcp\"}}\n\
               $ aleph-discover mcp servers",
    },
    good: Example {
        title: "Two servers",
        text: "shop/.mcp.json:\n    {\"a\": {\"url\": \"https://example.com/a\"},\n     \"b\": {\"url\": \"https://example.com/b\"}}\n\
               $ aleph-discover mcp servers",
    },
    in_use: true,
    source: Source::Mcp,
};

pub(super) static CHANGES_WHAT_RUNS: Page = Page {
    kind: PageKind::Diagnostic,
    title: "An MCP server is started with a variable that changes what it loads or starts",
    clause: "a variable changes what it loads or starts",
    meaning: "Its definition sets a variable such as `LD_PRELOAD`, `NODE_OPTIONS`, `PYTHONPATH`, `BASH_ENV` or `PATH`. \
              The loader of the system, a language's runtime, a shell or git reads it before the program's own code \
              runs, and loads or starts what it names. A variable that is handed on as you have it \
              (`\"PATH\": \"${PATH}\"`) is not told of, and only the variables of the definition are looked at, not those \
              that its command line sets.",
    why: "The command line is what one reads before one approves a server, and such a variable makes a harmless one run \
          something else.",
    remedy: "Read in the file what it is set to, and approve the server only if you know why. `mcp approve NAME` says of \
             each such variable what it does.",
    bad: Example {
        title: "A library that is loaded into a well-known program",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"server\", \"env\": {\"LD_PRELOAD\": \"./fast.so\"}}}}\n\
               $ aleph-discover mcp servers",
    },
    good: Example {
        title: "A variable of the program's own",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"server\", \"env\": {\"LOG_LEVEL\": \"info\"}}}}\n\
               $ aleph-discover mcp servers",
    },
    in_use: true,
    source: Source::Mcp,
};

pub(super) static APPROVAL_OUTDATED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "An MCP server was approved, and its definition is another one now",
    clause: "it was approved as something else",
    meaning: "You approved a server of this name in this file. Since then its definition changed: the command, an \
              argument, a variable or its value, the address, a header, the directory, or the place of the file. It \
              is unapproved until you approve it again; the message and `mcp servers` say what is different.",
    why: "What you looked at is what you approved. Whoever can change the file, as a `git pull` can, could otherwise \
          run anything in your name.",
    remedy: "`mcp approve NAME` shows what would run now, and asks again. `mcp revoke NAME` forgets the old approval.",
    bad: Example {
        title: "The file gained an argument after it was approved",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"server\", \"args\": [\"--all\"]}}}\n\
               ~/.aleph/data/mcp-approvals.toml  # of a definition without arguments",
    },
    good: Example {
        title: "The definition that was approved",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"server\"}}}",
    },
    in_use: true,
    source: Source::Mcp,
};

pub(super) static APPROVALS_BROKEN: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The file of approved MCP servers cannot be used",
    clause: "the file of approvals is broken",
    meaning: "`data/mcp-approvals.toml` in the Aleph home cannot be parsed or read, or an entry of it is not what this \
              program writes. What cannot be read approves nothing; a file that cannot be parsed approves nothing at \
              all, and is not overwritten. Neither does one that others than you could have written: it or a directory \
              that it lies in, up to the Aleph home, belongs to another user or may be written by others.",
    why: "A damaged approval must never count as one, and a yes of somebody else's is none of yours.",
    remedy: "Repair the file, or move it away and approve again. Where others may write, `chmod go-w` takes that from \
             them; look first whether all that is approved is approved by you.",
    bad: Example {
        title: "A file that is no TOML",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"server\"}}}\n\
               ~/.aleph/data/mcp-approvals.toml:\n    [approvals\n\
               $ aleph-discover mcp servers",
    },
    good: Example {
        title: "Nothing approved yet",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"server\"}}}\n\
               $ aleph-discover mcp servers",
    },
    in_use: true,
    source: Source::Mcp,
};

pub(super) static SERVER_FAILED: Page = Page {
    kind: PageKind::Diagnostic,
    title: "An MCP server was asked and did not answer",
    clause: "it did not answer",
    meaning: "The server could not be started or reached, did not answer in time, ended, or said something that is not \
              the protocol; the message says which. What its last snapshot has is listed all the same, each entry \
              marked stale; other servers are not affected. The exit code is 5.",
    why: "An answer without that server would look like one in which it has nothing.",
    remedy: "The message and the end of its standard error say what is wrong. `mcp servers` shows what would be started. \
             A server that needs longer gets it with `start_timeout` or `request_timeout` below `[mcp_client]` in the \
             Aleph home's `aleph.toml`.",
    bad: Example {
        title: "A program that is not installed",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"no-such-program\"}}}\n\
               $ aleph-discover mcp resources --server files",
    },
    good: Example {
        title: "Nothing is asked",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"files\": {\"command\": \"no-such-program\"}}}\n\
               $ aleph-discover mcp servers",
    },
    in_use: true,
    source: Source::Mcp,
};
