//! What a host has beside folders: servers, memory, plugins, trust, names of its own and limits.

use aleph_discover::host::{
    HookSpec, HostProfile, ImportSpec, ListingSpec, MemoryChoice, MemoryFile, MemorySpec, PluginSystem,
    RulesDir, ServerKeys, ServerSpec, TrustSpec, WalkScope,
};
use aleph_discover::model::ComponentKind;

use super::super::roots::place;
use super::super::{Markdown, quoted};
use super::{kinds_of, listed};

pub(super) fn write(document: &mut Markdown, profile: &HostProfile) {
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            document.heading(3, &format!("{}: {title}", profile.name));
            document.block(&lines.join("\n"));
        }
    };
    section("MCP servers", profile.servers.iter().map(server).collect());
    section("hooks", profile.hooks.map(hooks).unwrap_or_default());
    section("memory", profile.memory.map(memory).unwrap_or_default());
    section("plugins, trust and limits", further(profile));
}

fn server(spec: &ServerSpec) -> String {
    let ServerSpec {
        anchor,
        file,
        keys,
        source: _,
        scope,
        priority,
        exclusive,
        comments: _,
    } = spec;
    let keys = match keys {
        ServerKeys::Table(key) => quoted(key),
        ServerKeys::OfProject(key) => format!("`projects.PATH.{key}`, by the path of the repository"),
    };
    let from = anchor.map_or_else(
        || "the settings".to_owned(),
        |anchor| format!("{}, {}", place(anchor), quoted(file)),
    );
    let alone = if *exclusive {
        "; where it is, nothing else counts"
    } else {
        ""
    };
    format!("- {scope}, priority {priority}: {from}: {keys}{alone}")
}

/// Every field of [`MemorySpec`] is named, so that a new one cannot be forgotten here.
fn memory(spec: &MemorySpec) -> Vec<String> {
    let MemorySpec {
        fixed,
        first_fixed_only,
        names,
        names_setting,
        more_names_setting,
        further_setting,
        choice,
        walk,
        rules,
        imports,
        skips_empty,
        excludes_setting,
        marks_setting,
        more_dirs_setting,
        limit,
        not_of_outer_checkout,
        project_unless,
        each_path,
    } = spec;
    let mut lines: Vec<String> = fixed.iter().map(fixed_file).collect();
    if *first_fixed_only {
        lines.push("- of these the first that is there".to_owned());
    }
    let choice = match choice {
        MemoryChoice::All => "all of them",
        MemoryChoice::FirstOfFolder => "in each directory the first that is there",
        MemoryChoice::FirstNameOfWalk => "only the first name that any directory has",
    };
    let walk = match walk {
        WalkScope::Top => "each directory up to the top of the file system",
        WalkScope::Walk => "each directory of the walk",
    };
    lines.push(format!("- project: {walk}: {}; {choice}", listed(names, "and")));
    let mut setting = |key: &[&str], what: &str| {
        if !key.is_empty() {
            lines.push(format!("- the setting `{}` {what}", key.join(".")));
        }
    };
    setting(names_setting, "gives other names");
    setting(more_names_setting, "adds names after them");
    setting(
        marks_setting,
        "lists what marks the topmost directory, instead of `.git`; an empty list ends the walk where it begins",
    );
    setting(
        more_dirs_setting,
        "adds directories in which the names are looked for",
    );
    setting(further_setting, "lists further files");
    setting(excludes_setting, "lists patterns of files to leave out");
    if let Some((key, bytes)) = limit {
        lines.push(format!(
            "- the project's files together are given to the model up to {bytes} bytes, or what `{}` says; the one that passes it is cut, those after it are left out",
            key.join(".")
        ));
    }
    if *skips_empty {
        lines.push("- a file without text is left out".to_owned());
    }
    if *not_of_outer_checkout {
        lines.push(
            "- in a worktree that lies inside its checkout the checkout's files are left out, but for `.local.` ones"
                .to_owned(),
        );
    }
    if *each_path {
        lines.push("- a link to a file that is read already is one more file".to_owned());
    }
    if !project_unless.is_empty() {
        lines.push(format!(
            "- the project's files are left out where {} is set",
            listed(project_unless, "or")
        ));
    }
    lines.extend(rules.iter().map(rules_of));
    lines.extend(imports.map(imports_of));
    lines
}

fn hooks(spec: &HookSpec) -> Vec<String> {
    let HookSpec {
        file,
        events,
        without_matcher,
        record,
        timeout,
    } = spec;
    vec![
        format!(
            "- `{file}` beside each settings file, and `hooks` in the settings; all of them, of those that are trusted"
        ),
        format!("- events: {}; others are passed over", listed(events, "and")),
        format!(
            "- each command needs the user's approval as it is, in `hooks.{record}` of the user's settings: `trusted_hash` \
             is the SHA-256 of the event, its matcher (not for {}) and the command with its timeout ({timeout} seconds if \
             it names none); `enabled = false` switches it off. The system's need none",
            listed(without_matcher, "and")
        ),
        "- not answered for: the hooks of plugins".to_owned(),
    ]
}

fn listing(spec: &ListingSpec) -> String {
    let ListingSpec {
        characters,
        variable,
        share_setting,
        usual_share,
        longest_setting,
        overrides_setting,
        hidden_words,
        name_only_word,
        own,
        usage,
    } = spec;
    let own: usize = own.iter().map(|(name, length)| name.len() + length + 5).sum();
    format!(
        "- limit: all skills and commands that the model is told of may have {characters} characters together with the \
         model that the host starts with, a share of {usual_share} of its window; `{}` says another share, the variable \
         `{variable}` how many, `{}` how many each may have. Names are always given. The host's own come first (about \
         {own} characters), then what `{}` of `{}` says was used, a use counting half after {} days and never less than \
         {}, then the rest: skills by precedence, commands by name, plugins. A description that does not fit is left out \
         ([`description-left-out`](rules.md#description-left-out)), a shorter one after it may still fit. `{}` keeps an \
         entry out with {} and its description with `{name_only_word}`. `scan` says so where it is asked for skills and \
         commands; a model with a window of 200000 tokens was seen to have 8000 characters",
        share_setting.join("."),
        longest_setting.join("."),
        usage.key,
        usage.file,
        usage.half_life_days,
        usage.least,
        overrides_setting.join("."),
        listed(hidden_words, "or"),
    )
}

fn fixed_file(file: &MemoryFile) -> String {
    let MemoryFile {
        anchor,
        names,
        scope,
        unless,
    } = file;
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let unless = if unless.is_empty() {
        String::new()
    } else {
        format!(", not where {} is set", listed(unless, "or"))
    };
    format!("- {scope}: {}, {}{unless}", place(*anchor), names.join(" else "))
}

fn rules_of(rules: &RulesDir) -> String {
    let RulesDir {
        anchor,
        folder,
        extension,
        waits_for,
        scope,
    } = rules;
    let from = anchor.map_or_else(|| "the same directories".to_owned(), place);
    format!(
        "- rules, {scope}: {from}, `{folder}/**/*.{extension}`; one with `{waits_for}` waits for such a file"
    )
}

fn imports_of(imports: ImportSpec) -> String {
    let ImportSpec {
        depth,
        strict,
        once,
        user_anywhere,
        within_start,
    } = imports;
    let what = if strict {
        "where it begins like a path"
    } else {
        "whatever follows the `@`"
    };
    let again = if once {
        "a file that is named again is there once"
    } else {
        "a file that is named again is there again"
    };
    let within = if within_start {
        "the working directory"
    } else {
        "the git root"
    };
    let user = if user_anywhere {
        ", but the user's own may"
    } else {
        ""
    };
    format!("- imports: `@path`, {what}, {depth} files deep; {again}; none may lead out of {within}{user}")
}

fn further(profile: &HostProfile) -> Vec<String> {
    let mut lines = vec![];
    match profile.plugins {
        PluginSystem::Folders => {}
        PluginSystem::Marketplaces => lines.push(
            "- plugins: `--plugin-dir`, then what `enabledPlugins` enables: in place from a marketplace that is a \
             directory, else where `installed_plugins.json` says; then folders with a manifest among the skills of the \
             user and of the working directory. Components are `plugin:name`."
                .to_owned(),
        ),
        PluginSystem::VersionCache => lines.push(
            "- plugins: what `[plugins.\"name@marketplace\"]` enables, from the cache, the highest version"
                .to_owned(),
        ),
        PluginSystem::Extensions => {
            lines.push("- plugins: extensions in `~/.gemini/extensions`, with a `gemini-extension.json`".to_owned());
        }
    }
    if !profile.on_request.is_empty() {
        lines.push(format!(
            "- the host lists no {} itself, so they are answered for when asked by name (`scan {}`)",
            kinds_of(profile.on_request),
            profile
                .on_request
                .iter()
                .map(|kind| kind.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        ));
    }
    if !profile.more_skills.is_empty() {
        lines.push(format!(
            "- skills: the setting `{}` adds directories",
            profile.more_skills.join(".")
        ));
    }
    for (kind, table) in profile.made_in_settings {
        lines.push(format!(
            "- {}: also those that the setting `{table}` makes",
            kind.plural()
        ));
    }
    for kind in ComponentKind::ALL {
        let names: Vec<&str> = profile
            .built_in
            .iter()
            .filter(|(of, _)| *of == kind)
            .map(|(_, name)| *name)
            .collect();
        if !names.is_empty() {
            lines.push(format!(
                "- {} that are the host's own and keep their names: {}",
                kind.plural(),
                listed(&names, "and")
            ));
        }
    }
    match profile.trust {
        None => {}
        Some(TrustSpec::CodexProjects) => lines.push(
            "- trust: `[projects.\"PATH\"] trust_level = \"trusted\"` in the user's `config.toml`".to_owned(),
        ),
        Some(TrustSpec::GeminiFolders) => lines.push(
            "- trust: `trustedFolders.json` in the user's directory, by path; without it nothing of the project counts"
                .to_owned(),
        ),
    }
    if profile.trust_gates_memory {
        lines.push("- without trust no memory is given either, not even the user's".to_owned());
    }
    if let Some(approvals) = profile.approvals {
        lines.push(format!(
            "- {} of the project must be approved as they are, in {}, `{}`",
            approvals.kind.plural(),
            place(approvals.anchor),
            approvals.file
        ));
    }
    lines.extend(profile.listing.map(listing));
    if profile.longest_description > 0 {
        lines.push(format!(
            "- limit: the model is given the first {} characters of a description",
            profile.longest_description
        ));
    }
    lines
}
