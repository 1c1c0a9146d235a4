//! `docs/hosts.md`: what other hosts load, kind by kind, made from their profiles.

use aleph_discover::host::{
    Anchor, BadYaml, Entries, Gate, HostProfile, IdRule, Layout, MemoryChoice, Merge, PluginSystem,
    ServerKeys, Tie, TreeSpec, WalkEnd, WalkScope,
};
use aleph_discover::model::{ComponentKind, HostId};

use super::roots::place;
use super::{Markdown, quoted};

pub(super) fn document() -> String {
    let mut document = Markdown::new("Hosts");
    document.block(
        "What the real programs load in a directory, as `--host NAME` answers. Every rule was observed on the version \
         named, on Linux; `tests/hosts/` has the trees and what the programs did with them, and a test replays them. \
         What was seen counts where documentation says something else. Cursor was not observed: its rules are those of \
         its documentation, and where that does not say who wins, the rule is \
         [`host-order-undefined`](rules.md#host-order-undefined).",
    );
    for host in HostId::ALL.into_iter().filter(|host| *host != HostId::Aleph) {
        one(&mut document, HostProfile::known(host));
    }
    document.heading(2, "Where we do not agree, and why");
    document.block(EXCEPTIONS);
    document.heading(2, "Three repositories through several hosts' eyes");
    document.block(EXAMPLES);
    document.text
}

const EXCEPTIONS: &str = "\
On every recorded case the names in effect and the files that win are the same as on the real program, but for one:

- The case `git-worktree-file` is asked about in a directory that it does not lay out. The hosts were started where it had \
been made; here a working directory that is not there is a usage error. Where it is made first, as in our own replay, all \
four hosts agree.

Where the host itself does not always answer the same, we say so:

- opencode, everything that the recordings mark as a race: the file differs from start to start. We name the one that \
mostly wins, and say `host-order-undefined`.
- opencode, several agents or commands of one name in one directory, and Claude Code, commands such as `a/b.md` and \
`a:b.md`: which one wins depends on the order in which the file system lists the directory. We name the one whose path \
sorts last, with the same rule.
- Gemini and Codex list the host's own skills and commands beside what is in the files; ours are only what is in files.

Not answered for: what is read only when the work comes to a file below the working directory, what an account or a \
service adds, which descriptions Claude Code leaves out when all of them together are too long, the hooks of Codex, and \
flags that a host is started with, but for `--plugin-dir`: `--settings`, `--agents`, `--mcp-config`, `--add-dir`, \
`--setting-sources` and `--bare` of Claude Code change what it loads.

Codex, Gemini and opencode do not start at all where a settings file is broken, opencode also where an agent or a command \
has a value of a wrong type, such as `tools: Read, Grep`; then everything is \
[`host-does-not-start`](rules.md#host-does-not-start).";

const EXAMPLES: &str = "\
`aleph-discover hosts` in three public repositories (their structure is kept, their texts are not):

**pbakaus/impeccable** brings one skill for each host, so each uses its own copy. Codex and Gemini find one in \
`.agents`; only Gemini reads `.gemini` too, and needs trust for both.

```text
skill impeccable
  aleph        .claude/skills/impeccable
  claude-code  .claude/skills/impeccable
  codex        .agents/skills/impeccable
  opencode     .opencode/skills/impeccable
  cursor       .cursor/skills/impeccable
```

**affaan-m/everything-claude-code** has skills in `.agents` that Claude Code never sees, and one in `.claude` that is \
another file for Codex; opencode takes whichever is read last.

```text
skill everything-claude-code
  claude-code  .claude/skills/everything-claude-code
  codex        .agents/skills/everything-claude-code
  opencode     .agents/skills/everything-claude-code
  cursor       .agents/skills/everything-claude-code
```

**Kastalien-Research/thoughtbox** keeps the same skills in `.claude` and in `.agents`: an edit of one copy reaches half \
of the hosts. `code-mode` is a skill for Claude Code and Cursor, and none for Codex and opencode, which need what its \
front matter does not have.

```text
skill assumptions
  aleph        .claude/skills/assumptions
  claude-code  .claude/skills/assumptions
  codex        .agents/skills/assumptions
  opencode     .agents/skills/assumptions
  cursor       .agents/skills/assumptions
skill code-mode
  claude-code  .claude/skills/code-mode
  cursor       .agents/skills/code-mode
```";

fn one(document: &mut Markdown, profile: &HostProfile) {
    document.heading(2, profile.name);
    let observed = match profile.observed {
        Some(version) => format!("Observed on {version}."),
        None => "As documented; not observed.".to_owned(),
    };
    let walk = match profile.walk.without_git {
        WalkEnd::Top => "without a repository to the top of the file system",
        WalkEnd::Start => "without a repository nowhere",
    };
    document.block(&format!(
        "{observed} `--host {}`. It looks from the working directory upward to the root of the repository, {walk}.",
        profile.id
    ));
    document.heading(3, &format!("{}: directories", profile.name));
    let rows: Vec<[String; 4]> = profile
        .roots
        .iter()
        .map(|spec| {
            let kinds: Vec<String> = spec
                .kinds
                .iter()
                .map(|kind| {
                    let rank = spec.ranks.iter().find(|(ranked, _)| ranked == kind);
                    let rank = rank.map(|(_, rank)| format!(" ({rank})")).unwrap_or_default();
                    let trust = if spec.trusted_only.contains(kind) {
                        ", if trusted"
                    } else {
                        ""
                    };
                    format!("{}{rank}{trust}", kind.plural())
                })
                .collect();
            let steps = match (spec.anchor, spec.outer_wins) {
                (Anchor::EachWalkDirectory(_), true) => " + further out",
                (Anchor::EachWalkDirectory(_), false) => " + nearer",
                _ => "",
            };
            [
                format!("{}{steps}", spec.priority),
                place(spec.anchor),
                spec.scope.to_string(),
                kinds.join(", "),
            ]
        })
        .collect();
    document.table(["priority", "directory", "scope", "kinds"], &rows);
    document.heading(3, &format!("{}: kinds", profile.name));
    let mut rows: Vec<[String; 5]> = Vec::new();
    for spec in profile.kinds {
        if let Layout::Tree(tree) = &spec.layout {
            rows.push([
                spec.kind.to_string(),
                entry(spec.folder, tree),
                id(tree).to_owned(),
                demands(tree),
                clash(profile, spec.kind).to_owned(),
            ]);
        }
    }
    document.table(["kind", "file", "name", "front matter", "one name twice"], &rows);
    let mut rows: Vec<[String; 3]> = profile
        .clashes
        .iter()
        .map(|clash| {
            let side = |side: aleph_discover::host::Side| {
                let family = side.family.map(|family| quoted(family.dir_name()));
                let scope = side.scope.map(|scope| scope.to_string());
                let words: Vec<String> = scope.into_iter().chain(family).collect();
                if words.is_empty() {
                    "anything".to_owned()
                } else {
                    words.join(" in ")
                }
            };
            [
                format!("[`{0}`](rules.md#{0})", clash.rule),
                side(clash.winner),
                side(clash.loser),
            ]
        })
        .collect();
    if profile.skill_beats_command {
        let rule = "[`skill-over-command`](rules.md#skill-over-command)".to_owned();
        rows.push([rule, "a skill".to_owned(), "a command of its name".to_owned()]);
    }
    document.table(["rule", "wins", "loses"], &rows);
    further(document, profile);
}

fn further(document: &mut Markdown, profile: &HostProfile) {
    let mut lines = Vec::new();
    for layer in profile.layers {
        let trust = if layer.trusted_only { ", if trusted" } else { "" };
        let files = layer.file.replace('|', "`, then `");
        let file = if files.is_empty() {
            String::new()
        } else {
            format!(", `{files}`")
        };
        lines.push(format!(
            "- settings ({}{trust}): {}{file}",
            layer.scope,
            place(layer.anchor)
        ));
    }
    for gate in profile.gates {
        let kinds: Vec<&str> = gate.kinds.iter().map(|kind| kind.plural()).collect();
        let how = match gate.gate {
            Gate::Word(word) => format!("a name set to `{word}`; the highest layer decides"),
            Gate::Denied(tools) => format!(
                "a rule such as `{}(name)`, or the word alone, in any layer",
                tools.first().unwrap_or(&"")
            ),
            Gate::Names => "a list of names; those of all layers count".to_owned(),
            Gate::Flag(flag, off) => format!("a name whose `{flag}` is `{off}`"),
            Gate::PathOrName => "an entry with `path` or `name` and `enabled = false`".to_owned(),
            Gate::PluginOnly(word) => {
                format!(
                    "`true`, or a list with `{word}`, in the administrator's settings: all but what plugins bring"
                )
            }
            Gate::All(off) => format!("`{off}` switches all of them off"),
        };
        lines.push(format!(
            "- switched off: {}, by `{}`: {how}",
            kinds.join(" and "),
            gate.key.join(".")
        ));
    }
    for server in profile.servers {
        let keys = match server.keys {
            ServerKeys::Table(key) => quoted(key),
            ServerKeys::OfProject(key) => format!("`projects.PATH.{key}`, by the path of the repository"),
        };
        let place = server.anchor.map_or_else(
            || "the settings".to_owned(),
            |anchor| format!("{}, {}", place(anchor), quoted(server.file)),
        );
        let alone = if server.exclusive {
            "; where it is, nothing else counts"
        } else {
            ""
        };
        lines.push(format!(
            "- MCP servers ({}, priority {}): {place}: {keys}{alone}",
            server.scope, server.priority
        ));
    }
    if let Some(memory) = profile.memory {
        for file in memory.fixed {
            let names: Vec<String> = file.names.iter().map(|name| quoted(name)).collect();
            lines.push(format!(
                "- memory ({}): {}, {}",
                file.scope,
                place(file.anchor),
                names.join(" else ")
            ));
        }
        let names: Vec<String> = memory.names.iter().map(|name| quoted(name)).collect();
        let choice = match memory.choice {
            MemoryChoice::All => "all of them",
            MemoryChoice::FirstOfFolder => "in each directory the first that is there",
            MemoryChoice::FirstNameOfWalk => "only the first name that any directory has",
        };
        let walk = match memory.walk {
            WalkScope::Top => "each directory up to the top of the file system",
            WalkScope::Walk => "each directory of the walk",
        };
        lines.push(format!(
            "- memory (project): {walk}: {}; {choice}",
            names.join(", ")
        ));
        for rules in memory.rules {
            let place = rules
                .anchor
                .map_or_else(|| "the same directories".to_owned(), place);
            lines.push(format!(
                "- rules ({}): {place}, `{}/**/*.{}`; one with `{}` waits for such a file",
                rules.scope, rules.folder, rules.extension, rules.waits_for
            ));
        }
        if let Some(imports) = memory.imports {
            lines.push(format!("- imports: `@path`, {} files deep", imports.depth));
        }
    }
    match profile.plugins {
        PluginSystem::Folders => {}
        PluginSystem::Marketplaces => lines.push(
            "- plugins: `--plugin-dir`, then what `enabledPlugins` enables: in place from a marketplace that is a \
             directory, else where `installed_plugins.json` says; then folders with a manifest among the skills of the \
             user and of the working directory. Components are `plugin:name`."
                .to_owned(),
        ),
        PluginSystem::VersionCache => lines.push(
            "- plugins: what `[plugins.\"name@marketplace\"]` enables, from the cache, the highest version. The host \
             lists none itself, so they are answered for when asked by name (`scan plugin`)."
                .to_owned(),
        ),
        PluginSystem::Extensions => {
            lines.push("- plugins: extensions in `~/.gemini/extensions`, with a `gemini-extension.json`.".to_owned());
        }
    }
    if profile.longest_description > 0 {
        lines.push(format!(
            "- limit: the model is given the first {} characters of a description",
            profile.longest_description
        ));
    }
    document.block(&lines.join("\n"));
}

fn entry(folder: &str, tree: &TreeSpec) -> String {
    let depth = match (tree.depth.min, tree.depth.max) {
        (1, 1) => "<name>/",
        (0, 0) => "",
        (0, 1) => "[<name>/]",
        _ => "**/",
    };
    let file = match tree.entries {
        Entries::Marker(marker) => marker.to_owned(),
        Entries::Files(extension) => format!("*.{extension}"),
    };
    let mut notes = Vec::new();
    if (2..64).contains(&tree.depth.max) {
        notes.push(format!("at most {} folders deep", tree.depth.max));
    }
    if !tree.hidden {
        notes.push("no dot folders".to_owned());
    }
    if !tree.links.files {
        notes.push("no linked files".to_owned());
    }
    if !tree.passed_over.is_empty() {
        notes.push(format!("not `{}`", tree.passed_over.join("`, `")));
    }
    if tree.one_file_once {
        notes.push("one real file once".to_owned());
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join(", "))
    };
    format!("`{folder}/{depth}{file}`{notes}")
}

fn id(tree: &TreeSpec) -> &'static str {
    match tree.id {
        IdRule::Folder => "the folder's",
        IdRule::Declared => "the declared one, else the folder's or file's",
        IdRule::DeclaredElsePath(_) => "the declared one, else the path, joined by `/`",
        IdRule::Path(":") => "the path, joined by `:`",
        IdRule::Path(_) => "the path",
        IdRule::FoldersThenDeclared(_) => "the folders and the declared one",
    }
}

fn demands(tree: &TreeSpec) -> String {
    let matter = &tree.matter;
    if let Entries::Files("toml") = tree.entries {
        return format!("TOML with `{}`", matter.needs_keys.join("`, `"));
    }
    let mut words = Vec::new();
    match (matter.name, matter.description) {
        (true, true) => words.push("name and description needed"),
        (true, false) => words.push("name needed"),
        (false, true) => words.push("description needed"),
        (false, false) => words.push("nothing needed"),
    }
    match matter.bad_yaml {
        BadYaml::Recovered | BadYaml::LastLine => {
            words.push("broken YAML is read line by line");
        }
        BadYaml::ValuesQuoted => words.push("of broken YAML only values without quotes are forgiven"),
        BadYaml::ColonsQuoted => words.push("of broken YAML only unquoted colons are forgiven"),
        BadYaml::ColonsElseNothing => words.push("broken YAML counts as empty"),
        BadYaml::Refused => words.push("broken YAML is refused"),
    }
    if matter.mark_hides {
        words.push("a byte order mark hides it");
    }
    if !matter.lossy {
        words.push("UTF-8 only");
    }
    words.join("; ")
}

fn clash(profile: &HostProfile, kind: ComponentKind) -> &'static str {
    match (profile.merge(kind), profile.tie(kind)) {
        (Merge::Additive, _) => "all are kept",
        (Merge::Race, _) => "whichever is loaded last",
        (Merge::RenameAll, _) => "all are renamed",
        (Merge::Highest, Tie::FirstPath) => "the highest priority, then the first path",
        (Merge::Highest, Tie::LastPath) => "the highest priority, then the last path",
        (Merge::Highest, Tie::Undefined) => "the highest priority, then chance",
    }
}
