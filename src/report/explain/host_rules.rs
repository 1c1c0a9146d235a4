//! Why an entry loses with another host than Aleph, as observed on the real programs.

use super::{Example, Page, PageKind, Source};

pub(super) static USER_OVER_PROJECT: Page = Page {
    kind: PageKind::Rule,
    title: "For Claude Code your own skill beats the project's",
    clause: "the user's entry beats the project's",
    meaning: "Both have one name. The one in the home directory is in effect, the project's is not. So it is with skills and commands; with agents it is the other way round.",
    why: "Claude Code ranks what a person has for every project above what one project brings.",
    remedy: "Rename your own, or remove it, if the project's is the one to use.",
    bad: Example {
        title: "Your own deploy skill hides the project's",
        text: "~/.claude/skills/deploy/SKILL.md\nshop/.claude/skills/deploy/SKILL.md  # not in effect\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Two names, so both are in effect",
        text: "~/.claude/skills/my-deploy/SKILL.md\nshop/.claude/skills/deploy/SKILL.md\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static MANAGED_OVER_ALL: Page = Page {
    kind: PageKind::Rule,
    title: "What an administrator put on the machine beats everything",
    clause: "what an administrator put on the machine beats everything else",
    meaning: "An entry of this name is in the host's directory below `/etc`. It is in effect, yours and the project's are not. An administrator's file of servers lets no other server count.",
    why: "Who manages a machine must be able to rely on what is there.",
    remedy: "Ask the administrator; nothing in your home or project changes it.",
    bad: Example {
        title: "The administrator's skill of one name",
        text: "/etc/claude-code/.claude/skills/deploy/SKILL.md\n~/.claude/skills/deploy/SKILL.md",
    },
    good: Example {
        title: "Another name",
        text: "~/.claude/skills/my-deploy/SKILL.md",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static SKILL_OVER_COMMAND: Page = Page {
    kind: PageKind::Rule,
    title: "A skill beats a command of its name",
    clause: "a skill beats a command of its name",
    meaning: "Skills and commands are called in the same way, so that a name can be only one of them. The skill has it, wherever each of them is.",
    why: "Claude Code takes commands for an older form of skills.",
    remedy: "Rename one of them.",
    bad: Example {
        title: "The command is never run",
        text: "shop/.claude/skills/ship/SKILL.md\nshop/.claude/commands/ship.md  # not in effect\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Two names",
        text: "shop/.claude/skills/ship/SKILL.md\nshop/.claude/commands/release.md\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static KEPT_SIDE_BY_SIDE: Page = Page {
    kind: PageKind::Rule,
    title: "The host keeps every entry of one name",
    clause: "the host keeps every entry of one name",
    meaning: "Nothing is hidden: all of them are listed, each with its file, and the model chooses. Codex does so with skills.",
    why: "Codex knows a skill by its file, not by its name.",
    remedy: "If the model shall not choose, give them different names.",
    bad: Example {
        title: "Two skills called `deploy`, and both are offered",
        text: "~/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: mine\n    ---\nshop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: the shop's\n    ---\n$ aleph-discover scan --host codex",
    },
    good: Example {
        title: "Two names",
        text: "~/.agents/skills/mine/SKILL.md:\n    ---\n    name: mine\n    description: D\n    ---\nshop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: the shop's\n    ---\n$ aleph-discover scan --host codex",
    },
    in_use: true,
    source: Source::Codex,
};

pub(super) static RENAMED_ON_CLASH: Page = Page {
    kind: PageKind::Rule,
    title: "Commands of one name are all renamed",
    clause: "commands of one name all lose it: each goes by a name that says where it is from",
    meaning: "Gemini leaves the name to none of them: the user's becomes `user.NAME`, the project's `workspace.NAME`, an extension's `EXTENSION:NAME`. A command that is called like one of the host's own is renamed as well.",
    why: "Whoever types a name should get what was meant, not whichever was read last.",
    remedy: "Use the longer name, or rename one of the files.",
    bad: Example {
        title: "Nothing is called `/build` any more",
        text: "~/.gemini/commands/build.toml:\n    prompt = \"mine\"\nshop/.gemini/commands/build.toml:\n    prompt = \"theirs\"\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "Two names",
        text: "~/.gemini/commands/mine.toml:\n    prompt = \"mine\"\nshop/.gemini/commands/build.toml:\n    prompt = \"theirs\"\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Gemini,
};

pub(super) static HOST_ORDER_UNDEFINED: Page = Page {
    kind: PageKind::Rule,
    title: "Which entry has the name is left to chance",
    clause: "the host loads entries at once, and whichever is ready last has the name",
    meaning: "The host reads all of them at the same time, or its documentation does not say which one it takes. The one shown as in effect mostly is; another start can choose another. opencode does so with skills.",
    why: "Starts of the real program on one and the same tree gave different answers.",
    remedy: "Rename all but one of them.",
    bad: Example {
        title: "Two skills of one name: each start may use the other",
        text: "shop/.opencode/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: one\n    ---\nshop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: two\n    ---\n$ aleph-discover scan --host opencode",
    },
    good: Example {
        title: "Two names",
        text: "shop/.opencode/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: one\n    ---\nshop/.agents/skills/ship/SKILL.md:\n    ---\n    name: ship\n    description: two\n    ---\n$ aleph-discover scan --host opencode",
    },
    in_use: true,
    source: Source::Opencode,
};

pub(super) static ONE_FILE_ONCE: Page = Page {
    kind: PageKind::Rule,
    title: "One real file is listed once",
    clause: "the host lists one real file once",
    meaning: "Several paths lead to the same file. The host lists it under the one that it meets first; the others are as if they were not there.",
    why: "A link is another way to a thing, not another thing.",
    remedy: "Nothing, if the link is wanted. For a second entry, copy the folder.",
    bad: Example {
        title: "A link beside the folder takes its place",
        text: "shop/.claude/skills/real/SKILL.md\nshop/.claude/skills/alias -> real\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "A copy",
        text: "shop/.claude/skills/real/SKILL.md\nshop/.claude/skills/other/SKILL.md\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static LAST_PATH_WINS: Page = Page {
    kind: PageKind::Rule,
    title: "Of two in one place the one whose path sorts last wins",
    clause: "of two in one place the one whose path sorts last wins",
    meaning: "Both are in one directory and declare one name. Files are read in the order of their paths, and what is read later replaces what was read before.",
    why: "Claude Code reads a directory of agents so.",
    remedy: "Rename one of them.",
    bad: Example {
        title: "`zzz.md` is in effect",
        text: "shop/.claude/agents/aaa.md:\n    ---\n    name: twin\n    description: D\n    ---\nshop/.claude/agents/zzz.md:\n    ---\n    name: twin\n    description: E\n    ---\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Two names",
        text: "shop/.claude/agents/aaa.md:\n    ---\n    name: one\n    description: D\n    ---\nshop/.claude/agents/zzz.md:\n    ---\n    name: two\n    description: D\n    ---\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static AGENTS_OVER_OWN: Page = Page {
    kind: PageKind::Rule,
    title: "At one level `.agents` beats the host's own directory",
    clause: "at one level .agents beats the host's own directory",
    meaning: "Both are the user's, or both the project's. Gemini reads `.agents` after `.gemini`, and what is read later counts.",
    why: "`.agents` is shared by several hosts, and is the newer place.",
    remedy: "Keep one of them.",
    bad: Example {
        title: "The skill in `.gemini` is not used",
        text: "shop/.gemini/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: one\n    ---\nshop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: two\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "Only in `.agents`",
        text: "shop/.agents/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: D\n    ---\n~/.gemini/trustedFolders.json:\n    {\"/\": \"TRUST_FOLDER\"}\n$ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Gemini,
};

pub(super) static OUTER_DIRECTORY: Page = Page {
    kind: PageKind::Rule,
    title: "The directory further out beats the nearer one",
    clause: "the directory further out beats the nearer one",
    meaning: "opencode reads the `.opencode` of the working directory first and those above it after that; what is read later replaces what was read before. So it is with agents and commands.",
    why: "It is how the program merges its directories, whatever one would expect.",
    remedy: "Rename the nearer one.",
    bad: Example {
        title: "The root's agent is used in `api`",
        text: "shop/.opencode/agents/reviewer.md\nshop/api/.opencode/agents/reviewer.md  # not in effect\n$ aleph-discover scan --host opencode -C api",
    },
    good: Example {
        title: "Two names",
        text: "shop/.opencode/agents/reviewer.md\nshop/api/.opencode/agents/api-reviewer.md\n$ aleph-discover scan --host opencode -C api",
    },
    in_use: true,
    source: Source::Opencode,
};

pub(super) static OWN_HOME_OVER_ALL: Page = Page {
    kind: PageKind::Rule,
    title: "The user's own directory is read last and wins",
    clause: "the host's directory in the user's home is read last and beats the project's",
    meaning: "`~/.opencode` comes after every `.opencode` of the project, and `OPENCODE_CONFIG_DIR` after that; `~/.config/opencode` comes before all of them.",
    why: "It is how the program merges its directories.",
    remedy: "Move it to `~/.config/opencode`, where the project's comes after it.",
    bad: Example {
        title: "Your own agent hides the project's",
        text: "~/.opencode/agents/reviewer.md\nshop/.opencode/agents/reviewer.md  # not in effect\n$ aleph-discover scan --host opencode",
    },
    good: Example {
        title: "In the other place the project's counts",
        text: "~/.config/opencode/agents/reviewer.md\nshop/.opencode/agents/reviewer.md\n$ aleph-discover scan --host opencode",
    },
    in_use: true,
    source: Source::Opencode,
};

pub(super) static EXTENSION_LAST: Page = Page {
    kind: PageKind::Rule,
    title: "What an extension brings gives way to yours and the project's",
    clause: "what an extension brings gives way to the user's and the project's",
    meaning: "An extension has an entry of this name, and so has the user or the project. Theirs is in effect.",
    why: "Installing an extension must not change what a name that is in use stands for.",
    remedy: "Rename yours to use the extension's.",
    bad: Example {
        title: "The extension's skill is not used",
        text: "~/.gemini/extensions/ext/gemini-extension.json:\n    {\"name\": \"ext\", \"version\": \"1\"}\n~/.gemini/extensions/ext/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: ext\n    ---\n~/.gemini/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: mine\n    ---\n$ aleph-discover scan --host gemini",
    },
    good: Example {
        title: "Two names",
        text: "~/.gemini/extensions/ext/gemini-extension.json:\n    {\"name\": \"ext\", \"version\": \"1\"}\n~/.gemini/extensions/ext/skills/deploy/SKILL.md:\n    ---\n    name: deploy\n    description: ext\n    ---\n~/.gemini/skills/mine/SKILL.md:\n    ---\n    name: mine\n    description: D\n    ---\n$ aleph-discover scan --host gemini",
    },
    in_use: true,
    source: Source::Gemini,
};

pub(super) static LOCAL_OVER_PROJECT: Page = Page {
    kind: PageKind::Rule,
    title: "What you have for this project alone beats what the project shares",
    clause: "what the user has for this project alone beats what the project shares",
    meaning: "An entry for the project in the user's own `.claude.json` is called local. It comes before the project's shared file, which comes before what the user has for every project.",
    why: "Who works in a project may need another server than the others.",
    remedy: "Remove the local entry to use the shared one.",
    bad: Example {
        title: "The user's own state is one file: a later entry of it beats the earlier",
        text: "~/.claude.json:\n    {\"mcpServers\": {\"db\": {\"command\": \"a\"}},\n     \"projects\": {\"shop\": {\"mcpServers\": {\"db\": {\"command\": \"b\"}}}}}",
    },
    good: Example {
        title: "Two names",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"db\": {\"command\": \"a\"}}}",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static SAME_ENDPOINT: Page = Page {
    kind: PageKind::Rule,
    title: "A plugin's server that is configured already is left out",
    clause: "a plugin's server that starts the same as a configured one is left out",
    meaning: "The plugin brings a server with the same command, or the same address, as one in a configuration file. The configured one is used, under its name.",
    why: "The same program need not run twice.",
    remedy: "Nothing; use the configured name.",
    bad: Example {
        title: "One command under two names",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"alpha\": {\"command\": \"serve\"}}}\n~/.claude/skills/kit/.claude-plugin/plugin.json:\n    {\"name\": \"kit\"}\n~/.claude/skills/kit/.mcp.json:\n    {\"mcpServers\": {\"delta\": {\"command\": \"serve\"}}}\n$ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "Two commands",
        text: "shop/.mcp.json:\n    {\"mcpServers\": {\"alpha\": {\"command\": \"serve\"}}}\n~/.claude/skills/kit/.claude-plugin/plugin.json:\n    {\"name\": \"kit\"}\n~/.claude/skills/kit/.mcp.json:\n    {\"mcpServers\": {\"delta\": {\"command\": \"other\"}}}\n$ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static FIRST_FILE_OF_FOLDER: Page = Page {
    kind: PageKind::Rule,
    title: "Of one directory only the first of several file names is read",
    clause: "of one directory the host reads only the first of several file names",
    meaning: "Codex looks for `AGENTS.override.md`, then `AGENTS.md`, then the names that its configuration adds, and takes the first that is there.",
    why: "An override is there to replace.",
    remedy: "Put what still holds into the file that is read.",
    bad: Example {
        title: "The plain file is not read",
        text: "shop/AGENTS.override.md\nshop/AGENTS.md  # not read\n$ aleph-discover scan --host codex",
    },
    good: Example {
        title: "One file",
        text: "shop/AGENTS.md\n$ aleph-discover scan --host codex",
    },
    in_use: true,
    source: Source::Codex,
};

pub(super) static ONLY_ONE_NAME_OF_WALK: Page = Page {
    kind: PageKind::Rule,
    title: "The host goes by one file name on the whole way up",
    clause: "the host goes by one file name on the whole walk",
    meaning: "opencode looks for `AGENTS.md` in every directory up to the repository's root. Only if there is none at all does it look for `CLAUDE.md`.",
    why: "The second name is there for projects that do not have the first.",
    remedy: "Write what shall be read into the first name.",
    bad: Example {
        title: "`CLAUDE.md` is not read, since the root has an `AGENTS.md`",
        text: "shop/AGENTS.md\nshop/api/CLAUDE.md  # not read\n$ aleph-discover scan --host opencode -C api",
    },
    good: Example {
        title: "One name",
        text: "shop/AGENTS.md\nshop/api/AGENTS.md\n$ aleph-discover scan --host opencode -C api",
    },
    in_use: true,
    source: Source::Opencode,
};

pub(super) static PLUGIN_FIRST_GIVEN: Page = Page {
    kind: PageKind::Rule,
    title: "Of two plugins of one name the one given first has the component",
    clause: "of two plugins of one name the one given first has it",
    meaning: "Two plugins call themselves the same and bring something of one name. The plugin that was given first has it; a plugin given when the host is started comes before one that settings enable.",
    why: "A name of a component is made of the plugin's name and its own, so that it can be only one of them.",
    remedy: "Rename one of the plugins.",
    bad: Example {
        title: "Two folders of one plugin",
        text: "shop/one/.claude-plugin/plugin.json:\n    {\"name\": \"plug\"}\nshop/one/skills/deploy/SKILL.md\nshop/two/.claude-plugin/plugin.json:\n    {\"name\": \"plug\"}\nshop/two/skills/deploy/SKILL.md\n$ aleph-discover scan --host claude-code --plugin-dir one --plugin-dir two",
    },
    good: Example {
        title: "One of them",
        text: "shop/one/.claude-plugin/plugin.json:\n    {\"name\": \"plug\"}\nshop/one/skills/deploy/SKILL.md\n$ aleph-discover scan --host claude-code --plugin-dir one",
    },
    in_use: true,
    source: Source::ClaudeCode,
};

pub(super) static HIGHER_VERSION: Page = Page {
    kind: PageKind::Rule,
    title: "Of several versions in the cache the highest is loaded",
    clause: "of several versions in the cache the highest is loaded",
    meaning: "The plugin is in the cache in several versions. The highest is loaded, one called `local` before all numbers.",
    why: "An older version stays in the cache for a while after an update.",
    remedy: "Nothing.",
    bad: Example {
        title: "Two versions",
        text: "~/.codex/config.toml:\n    [plugins.\"tools@shop\"]\n    enabled = true\n~/.codex/plugins/cache/shop/tools/1.0.0/.codex-plugin/plugin.json:\n    {\"name\": \"tools\"}\n~/.codex/plugins/cache/shop/tools/1.0.0/skills/a/SKILL.md:\n    ---\n    name: a\n    description: D\n    ---\n~/.codex/plugins/cache/shop/tools/2.0.0/.codex-plugin/plugin.json:\n    {\"name\": \"tools\"}\n~/.codex/plugins/cache/shop/tools/2.0.0/skills/a/SKILL.md:\n    ---\n    name: a\n    description: D\n    ---\n$ aleph-discover scan --host codex --kind plugin",
    },
    good: Example {
        title: "One version",
        text: "~/.codex/config.toml:\n    [plugins.\"tools@shop\"]\n    enabled = true\n~/.codex/plugins/cache/shop/tools/2.0.0/.codex-plugin/plugin.json:\n    {\"name\": \"tools\"}\n~/.codex/plugins/cache/shop/tools/2.0.0/skills/a/SKILL.md:\n    ---\n    name: a\n    description: D\n    ---\n$ aleph-discover scan --host codex --kind plugin",
    },
    in_use: true,
    source: Source::Codex,
};

pub(super) static COMMAND_OVER_SKILL: Page = Page {
    kind: PageKind::Rule,
    title: "In a plugin a command beats a skill of its name",
    clause: "in a plugin a command beats a skill of its name",
    meaning: "A plugin brings a skill and a command of one name. The command has it; outside of plugins it is the skill.",
    why: "Claude Code reads a plugin's commands before its skills, and keeps what it has read first.",
    remedy: "Rename one of them in the plugin.",
    bad: Example {
        title: "The plugin's skill is not listed",
        text: "shop/kit/.claude-plugin/plugin.json:\n    {\"name\": \"kit\"}\nshop/kit/skills/ship/SKILL.md\nshop/kit/commands/ship.md\n$ aleph-discover scan --host claude-code --plugin-dir kit",
    },
    good: Example {
        title: "Two names",
        text: "shop/kit/.claude-plugin/plugin.json:\n    {\"name\": \"kit\"}\nshop/kit/skills/ship/SKILL.md\nshop/kit/commands/release.md\n$ aleph-discover scan --host claude-code --plugin-dir kit",
    },
    in_use: true,
    source: Source::ClaudeCode,
};
