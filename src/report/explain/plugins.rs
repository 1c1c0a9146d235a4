//! What becomes of plugins and of what they bring.

use super::{Page, PageKind, about_plugins};

pub(super) static PLUGIN_NAMESPACE: Page = about_plugins(
    PageKind::Rule,
    (
        "A plugin's component leaves its short name to others",
        "it is in effect under its qualified id, and leaves the short name to others",
    ),
    (
        "What a plugin brings is called `plugin:name`. The short name leads to it only while nothing of your own and no other plugin has that name.",
        "Installing a plugin must not change what a name that is already in use stands for.",
        "Call it by its full name.",
    ),
    (
        "The short name stands for your own skill",
        "~/.aleph/plugins/ops/skills/deploy/SKILL.md\n~/.aleph/skills/deploy/SKILL.md",
    ),
    (
        "Nothing else has the name",
        "~/.aleph/plugins/ops/skills/deploy/SKILL.md",
    ),
);

pub(super) static ADDS_UP: Page = about_plugins(
    PageKind::Rule,
    (
        "Things of this kind do not replace one another",
        "all of one id are in effect together",
    ),
    (
        "All hooks of one event run, whoever brings them. The first of the chain is shown as its winner, the others beneath it as `additive`.",
        "A hook that took the place of another one could switch a check off without anybody noticing.",
        "Remove or switch off what must not run.",
    ),
    (
        "Two commands on one event",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/hooks/hooks.json:\n    {\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\"}, {\"command\": \"b\"}]}]}}",
    ),
    (
        "One command",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/hooks/hooks.json:\n    {\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\"}]}]}}",
    ),
);

pub(super) static SWITCHED_OFF: Page = about_plugins(
    PageKind::Diagnostic,
    ("Somebody switched it off", "it is switched off"),
    (
        "The file `data/plugins.toml` of the Aleph home switches the plugin off, or the definition of a hook or server does that itself. `cause` names file and key.",
        "What is switched off is still there; it is shown, so that nobody looks for it in vain.",
        "Change the key that `cause` names.",
    ),
    (
        "A plugin that is switched off",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/data/plugins.toml:\n    [entries.ops]\n    enabled = false",
    ),
    (
        "Without an entry a plugin is on",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}",
    ),
);

pub(super) static DEFAULT_REPLACED: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "The manifest names something else in its place",
        "the plugin's manifest names something else in its place",
    ),
    (
        "It lies in a folder, or is a file, that plugins are usually read from. The manifest of this plugin names where its components of that kind are, and in its format that takes the place of the usual one, which is then not read.",
        "Claude Code's commands and agents, and everything of Codex and Cursor, work that way: who names one command wants no other. A file that everybody would expect to count must not vanish without a word.",
        "Name it in the manifest too, or remove the key from the manifest if the usual place is enough.",
    ),
    (
        "The commands that the manifest names are all there are",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"commands\": \"./more\"}\n~/.aleph/plugins/ops/commands/deploy.md\n~/.aleph/plugins/ops/more/new.md",
    ),
    (
        "The manifest names both folders",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\", \"commands\": [\"./commands\", \"./more\"]}\n~/.aleph/plugins/ops/commands/deploy.md\n~/.aleph/plugins/ops/more/new.md",
    ),
);

pub(super) static PLUGIN_NOT_IN_EFFECT: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "The plugin that brings it is not in effect",
        "its plugin is not in effect",
    ),
    (
        "The plugin is switched off, malformed, or another plugin of its id beats it. What it brings is then not there for the host, whatever becomes of the plugin that won.",
        "Half a plugin is none: its parts are made for one another.",
        "Look at the plugin: `aleph-discover plugins show ID`.",
    ),
    (
        "The plugin is switched off",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/skills/deploy/SKILL.md\n~/.aleph/data/plugins.toml:\n    [entries.ops]\n    enabled = false",
    ),
    (
        "It is on",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/plugins/ops/skills/deploy/SKILL.md",
    ),
);

pub(super) static AMBIGUOUS_SHORT_NAME: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "Several plugins bring one name, so the short name leads to none",
        "several plugins bring its name",
    ),
    (
        "Each of the components is in effect under its full name. The short name leads to none of them.",
        "Which plugin was installed first, or sorts first, is no reason to prefer it.",
        "Use the full name, or switch one of the plugins off.",
    ),
    (
        "Two plugins with one skill",
        "~/.aleph/plugins/ops/skills/deploy/SKILL.md\n~/.aleph/plugins/web/skills/deploy/SKILL.md",
    ),
    (
        "Two plugins with one each",
        "~/.aleph/plugins/ops/skills/deploy/SKILL.md\n~/.aleph/plugins/web/skills/publish/SKILL.md",
    ),
);

pub(super) static STATE_FILE_BROKEN: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "The file that says which plugins are on cannot be used",
        "it does not say which plugins are on",
    ),
    (
        "`data/plugins.toml` of the Aleph home cannot be read or parsed, or a key in it is of the wrong type. What it does not say counts as on.",
        "To switch everything off for a slip in one line would be worse; but what you switched off is now in effect, so this is said loudly.",
        "Mend the place that is named.",
    ),
    (
        "A bracket is missing",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/data/plugins.toml:\n    [entries.ops\n    enabled = false",
    ),
    (
        "A whole file",
        "~/.aleph/plugins/ops/.claude-plugin/plugin.json:\n    {\"name\": \"ops\"}\n~/.aleph/data/plugins.toml:\n    [entries.ops]\n    enabled = true",
    ),
);

pub(super) static HIDDEN_TEXT: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A text of a plugin holds what a reader does not see",
        "it holds text that a reader does not see",
    ),
    (
        "Characters without a shape, characters that turn the direction of text, or tag characters, which spell words that nobody sees, stand in a file of the plugin.",
        "The agent reads them, and whoever checks the plugin does not.",
        "Look at the place that is named. If you did not write them, do not use the plugin.",
    ),
    (
        "A direction is turned",
        "ops/skills/deploy/SKILL.md:\n    Run <U+202E>daolpu<U+202C>.\n$ aleph-discover plugins validate ../ops",
    ),
    (
        "What is there is seen",
        "ops/skills/deploy/SKILL.md:\n    Run upload.\n$ aleph-discover plugins validate ../ops",
    ),
);

pub(super) static UNSAFE_TREE: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A plugin's tree holds what may not be installed",
        "its tree may not be installed",
    ),
    (
        "The directory has a symbolic link that leads out of it, a FIFO, socket or device, or more files, bytes or levels than are taken.",
        "Once copied, such a link would lead somewhere else, and the rest has no place in a plugin.",
        "Remove what the message names.",
    ),
    (
        "A link to a file outside",
        "ops/skills/deploy/SKILL.md\nops/notes.md -> ../notes.md\n$ aleph-discover plugins validate ../ops",
    ),
    (
        "The file itself",
        "ops/skills/deploy/SKILL.md\nops/notes.md\n$ aleph-discover plugins validate ../ops",
    ),
);

pub(super) static PLUGIN_DRIFT: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "An installed plugin is other than what was installed",
        "it is other than what was installed",
    ),
    (
        "The digest over the plugin's tree is not the one that was recorded when it was installed, or the plugin is gone. `plugins verify` exits with 1.",
        "What was disclosed is not what is loaded any more: somebody, or something, changed it.",
        "Look at what changed. `plugins install SOURCE --update` puts back what is served now; `plugins remove` takes the plugin and its record away.",
    ),
    (
        "A text was changed",
        "~/.aleph/plugins/ops/skills/deploy/SKILL.md:\n    Run something else.\n~/.aleph/data/installed.toml:\n    [plugins.ops]\n    sha256 = \"tree1:dde10ef1e86682e3053fe2ade8bae1e2aab14af0bc5f865b8a57abc33467073c\"\n$ aleph-discover plugins verify",
    ),
    (
        "It is as it was installed",
        "~/.aleph/plugins/ops/skills/deploy/SKILL.md:\n    Run upload.\n~/.aleph/data/installed.toml:\n    [plugins.ops]\n    sha256 = \"tree1:dde10ef1e86682e3053fe2ade8bae1e2aab14af0bc5f865b8a57abc33467073c\"\n$ aleph-discover plugins verify",
    ),
);

pub(super) static RECORD_BROKEN: Page = about_plugins(
    PageKind::Diagnostic,
    (
        "A file of records cannot be used, or an entry of it",
        "it does not say what was installed or registered",
    ),
    (
        "`installed.toml`, which says what was installed from where, or `marketplaces.toml`, which says what is registered, cannot be parsed, or an entry of it is not of the right form.",
        "One broken entry spoils no other; of a file that cannot be parsed nothing counts, and nothing is written over it.",
        "Repair the file, or move it away.",
    ),
    (
        "An entry without a source",
        "~/.aleph/data/marketplaces.toml:\n    [marketplaces.ours]\n    kind = \"directory\"\n$ aleph-discover marketplace list",
    ),
    (
        "Nothing is registered",
        "~/.aleph/data/marketplaces.toml:\n    # nothing yet\n$ aleph-discover marketplace list",
    ),
);

pub(super) static REFUSED: Page = about_plugins(
    PageKind::Diagnostic,
    ("What was asked for is refused", ""),
    (
        "A safety rule, or the lack of your consent or of trust, stands against it. Nothing was changed; exit code 4.",
        "What could harm is not done on a guess.",
        "The message says what stands against it.",
    ),
    (
        "A tree with a link out of it",
        "ops/skills/deploy/SKILL.md\nops/notes.md -> ../notes.md\n$ aleph-discover plugins disclose ../ops",
    ),
    (
        "A tree that may be installed",
        "ops/skills/deploy/SKILL.md\n$ aleph-discover plugins disclose ../ops",
    ),
);
