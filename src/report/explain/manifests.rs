//! What is wrong with a manifest, a hooks file, an MCP file or a marketplace.

use super::{Page, PageKind, about_plugins};

pub(super) static BROKEN_MANIFEST: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A plugin's manifest cannot be parsed",
        "its manifest cannot be parsed",
    ),
    (
        "The file is no valid JSON or TOML, is no table, is not UTF-8 or has more than is read. If the plugin has another manifest, that one counts; if not, the plugin is `invalid`, and with it goes what lies in its folders. The same is said of a hooks file or MCP file, of which then nothing counts.",
        "Nobody can know what the author meant the plugin to bring.",
        "Mend the place that is named.",
    ),
    (
        "A brace is missing",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"\n~/.aleph/plugins/ops/skills/deploy/SKILL.md",
    ),
    (
        "A whole manifest",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}",
    ),
);

pub(super) static MANIFEST_WITHOUT_NAME: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A manifest gives the plugin no name",
        "its manifest gives it no name",
    ),
    (
        "The manifest has no `name`, or in Aleph's own formats no `id`. The plugin goes by its directory's name.",
        "What a plugin is called should not change when its folder is renamed: its components are called by it.",
        "Add the key.",
    ),
    (
        "A version, but no name",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"version\": \"1.0\"}",
    ),
    (
        "With a name",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}",
    ),
);

pub(super) static MANIFEST_WRONG_TYPE: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A key has a value of another type than it needs, so it does not count",
        "a key of it is of another type than is read",
    ),
    (
        "A known key of a manifest, a hooks file or an MCP file holds, say, a number where text must be. The key is passed over and everything else counts.",
        "One slip must not take a whole plugin away, and a guess could run what nobody meant.",
        "Give the key a value of the type that the message names.",
    ),
    (
        "A number where a path must be",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"skills\": 3}",
    ),
    (
        "A path",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"skills\": \"./skills\"}\n~/.aleph/plugins/ops/skills/deploy/SKILL.md",
    ),
);

pub(super) static MANIFESTS_DISAGREE: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "Two manifests of one plugin state a field differently",
        "its manifests state a field differently",
    ),
    (
        "A plugin can have a manifest for each of several hosts. The first in the order of formats gives name and version; another one states something else.",
        "Two hosts would show the same plugin under two names or versions.",
        "State it the same in both.",
    ),
    (
        "Two versions",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"version\": \"1.0\"}\n~/.aleph/plugins/ops/.codex-plugin/plugin.json:\n    {\"name\": \"ops\", \"version\": \"1.1\"}",
    ),
    (
        "One version",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"version\": \"1.0\"}\n~/.aleph/plugins/ops/.codex-plugin/plugin.json:\n    {\"name\": \"ops\", \"version\": \"1.0\"}",
    ),
);

pub(super) static PATH_ESCAPES_PLUGIN: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A path leads out of the plugin, so it is not read",
        "a path in it leads out of the plugin",
    ),
    (
        "A manifest names a path with `..`, an absolute path, or one that leaves the plugin through a symbolic link; or one of the plugin's own folders is such a link.",
        "A plugin must not be able to pass off files of yours as its own, and outside of it the path leads somewhere else for everybody.",
        "Name a path inside the plugin, beginning with `./`.",
    ),
    (
        "A folder beside the plugin",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"skills\": \"../shared\"}",
    ),
    (
        "A folder in the plugin",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"skills\": \"./more\"}\n~/.aleph/plugins/ops/more/deploy/SKILL.md",
    ),
);

pub(super) static PATH_MISSING: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A path that is named leads to nothing",
        "a path in it leads to nothing",
    ),
    (
        "A manifest names a file or folder that is not there, or `instructions` of a configuration file a memory file. The rest of it counts.",
        "What the author meant to bring is not brought, and without a word nobody would notice.",
        "Make what is named, or remove its name.",
    ),
    (
        "No such folder",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"skills\": \"./skils\"}",
    ),
    (
        "It is there",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"skills\": \"./skills\"}\n~/.aleph/plugins/ops/skills/deploy/SKILL.md",
    ),
);

pub(super) static HOOK_FIRES_TWICE: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A hook is defined more than once, so it runs more than once",
        "it runs more than once on one event",
    ),
    (
        "The same command stands twice under one event, or the manifest names the standard hooks file, which is read anyway. Each time the event comes, it runs as often.",
        "Running something twice is hardly ever meant, and slow or harmful where it changes things.",
        "Define it once. The standard file need not be named.",
    ),
    (
        "The standard file is named",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"hooks\": \"./hooks/hooks.json\"}\n~/.aleph/plugins/ops/hooks/hooks.json:\n    {\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"notify\"}]}]}}",
    ),
    (
        "It is found without being named",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/hooks/hooks.json:\n    {\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"notify\"}]}]}}",
    ),
);

pub(super) static BAD_SERVER: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "The definition of an MCP server cannot be used",
        "its definition cannot be used",
    ),
    (
        "The definition says neither what to start (`command`) nor what to call (`url`), or its `type` is not known. The server is `invalid`; others in the file count.",
        "There is nothing that could be started or called.",
        "Give it a `command` or a `url`.",
    ),
    (
        "Only a name",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/.mcp.json:\n    {\"mcpServers\": {\"issues\": {}}}",
    ),
    (
        "With what to start",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/.mcp.json:\n    {\"mcpServers\": {\"issues\": {\"command\": \"issue-server\"}}}",
    ),
);

pub(super) static BROKEN_MARKETPLACE: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A marketplace's file cannot be used, or lacks what every one has",
        "it cannot be used as a marketplace",
    ),
    (
        "The file cannot be parsed, or it has no `name` or no list `plugins`. Of one that cannot be parsed nothing counts.",
        "What cannot be read cannot be installed from.",
        "Mend the place that is named, or add what is missing.",
    ),
    (
        "No list of plugins",
        "market/.claude-plugin/marketplace.json:\n    {\"name\": \"market\"}\n$ aleph-discover plugins validate ../market",
    ),
    (
        "An empty one",
        "market/.claude-plugin/marketplace.json:\n    {\"name\": \"market\", \"plugins\": []}\n$ aleph-discover plugins validate ../market",
    ),
);

pub(super) static BAD_MARKETPLACE_ENTRY: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "An entry of a marketplace cannot be used; the others can",
        "an entry of it cannot be used",
    ),
    (
        "The entry has no name, does not say where its plugin comes from, has the name of another entry, or leads to a directory that is no plugin.",
        "One slip must not take a whole marketplace away.",
        "Mend the entry.",
    ),
    (
        "An entry without a source",
        "market/.claude-plugin/marketplace.json:\n    {\"name\": \"market\", \"plugins\": [{\"name\": \"ops\"}]}\n$ aleph-discover plugins validate ../market",
    ),
    (
        "An entry that leads to a plugin",
        "market/.claude-plugin/marketplace.json:\n    {\"name\": \"market\", \"plugins\": [{\"name\": \"ops\", \"source\": \"./ops\"}]}\nmarket/ops/skills/deploy/SKILL.md\n$ aleph-discover plugins validate ../market",
    ),
);
