//! The settings of a host: which files, what they may say, what in them and in variables switches entries off.

use aleph_discover::host::{
    Comments, Gate, GateSpec, HostProfile, LayerSpec, ServerTypes, SwitchSpec, ValueType,
};
use aleph_discover::model::Scope;

use super::super::roots::place;
use super::super::{Markdown, quoted};
use super::{kinds_of, listed};

pub(super) fn write(document: &mut Markdown, profile: &HostProfile) {
    document.heading(3, &format!("{}: settings", profile.name));
    document.block("Lowest first; a later file has the last word:");
    let mut lines: Vec<String> = profile.layers.iter().map(layer).collect();
    if let Some(given) = profile.given_layer {
        lines.push(format!(
            "- what `{}` gives: a file or JSON, above all but the administrator's",
            given.file
        ));
    }
    document.block(&lines.join("\n"));
    lines = values(profile);
    if !lines.is_empty() {
        document.block("What they may say:");
        document.block(&lines.join("\n"));
    }
    lines = profile.gates.iter().map(gate).collect();
    lines.extend(profile.switches.iter().map(switch));
    lines.extend(unless(profile));
    if !lines.is_empty() {
        document.block("What switches entries off:");
        document.block(&lines.join("\n"));
    }
}

fn layer(spec: &LayerSpec) -> String {
    let LayerSpec {
        anchor,
        file,
        source: _,
        scope,
        comments,
        trusted_only,
        unless,
        hooks,
    } = spec;
    let mut notes = vec![scope.to_string()];
    if *trusted_only {
        notes.push("if trusted".to_owned());
    }
    let files = file.replace('|', "`, then `");
    let file = if files.is_empty() {
        String::new()
    } else {
        format!(", `{files}`")
    };
    if *comments == Comments::NoTrailingComma {
        notes.push("comments are allowed, a comma before a closing bracket is not".to_owned());
    } else if *comments == Comments::Allowed {
        notes.push("comments and trailing commas are allowed".to_owned());
    }
    if *hooks {
        notes.push("hooks in `hooks`".to_owned());
    }
    if !unless.is_empty() {
        notes.push(format!("not where {} is set", listed(unless, "or")));
    }
    format!("- {}{file} ({})", place(*anchor), notes.join("; "))
}

/// What values must be, and what becomes of a file that has another.
fn values(profile: &HostProfile) -> Vec<String> {
    let mut lines = Vec::new();
    let broken = match (profile.broken_settings_stop, profile.layers.is_empty()) {
        (_, true) => return lines,
        (true, false) => "keeps the host from starting",
        (false, false) => "is left out as a whole",
    };
    lines.push(format!(
        "- a file that cannot be read as what its name says {broken}"
    ));
    if !profile.types.is_empty() {
        let types: Vec<String> = profile
            .types
            .iter()
            .map(|(key, value)| format!("`{key}` ({})", value_type(*value)))
            .collect();
        lines.push(format!(
            "- so is one in which a value is of another type: {}",
            types.join(", ")
        ));
    }
    if profile.layers.iter().any(|layer| layer.file.ends_with(".toml")) && !profile.types.is_empty() {
        lines.push(
            "- what the layers say together must be so: a value that a higher one replaces is not looked at"
                .to_owned(),
        );
    }
    if profile.fills_in_files {
        lines.push(
            "- `{file:PATH}` in a text stands for what is in that file; where there is none, the host does not start"
                .to_owned(),
        );
    }
    lines
}

fn value_type(value: ValueType) -> String {
    match value {
        ValueType::Table => "a table".to_owned(),
        ValueType::List => "a list".to_owned(),
        ValueType::Texts => "a list of texts".to_owned(),
        ValueType::Text => "text".to_owned(),
        ValueType::Flag => "`true` or `false`".to_owned(),
        ValueType::Number => "a number".to_owned(),
        ValueType::OneOf(words) => listed(words, "or"),
        ValueType::TableOf(words) => format!("names with {}", listed(words, "or")),
        ValueType::TableOfFlags => "names with `true`, `false` or a table".to_owned(),
        ValueType::Described => "names with tables, whose `description` is text".to_owned(),
        ValueType::SomeText => "text that is not empty".to_owned(),
        ValueType::Positive => "a whole number above zero".to_owned(),
        ValueType::FilledText => "text that is not blank".to_owned(),
        ValueType::TextOrTexts => "text or a list of texts".to_owned(),
        ValueType::DistinctTexts => "a list of at least one text, none twice".to_owned(),
        ValueType::TextsOrTables => "a list of texts and tables".to_owned(),
        ValueType::TableOfTexts => "names with texts".to_owned(),
        ValueType::TableOfTables => "names with tables".to_owned(),
        ValueType::Integer => "a whole number".to_owned(),
        ValueType::Whole => "a whole number, not negative".to_owned(),
        ValueType::NotNegative => "a number, not negative".to_owned(),
        ValueType::WordOrTable(words) => format!("{}, or a table", listed(words, "or")),
        ValueType::Servers(servers) => server_types(servers),
        ValueType::TypedServers => {
            "names with a `type` and what belongs to it, or with `enabled` alone".to_owned()
        }
    }
}

/// What servers may have, in words.
pub(super) fn server_types(servers: &ServerTypes) -> String {
    let ServerTypes {
        any,
        started,
        reached,
        never,
        words,
    } = servers;
    let keys = |types: &[(&str, ValueType)]| -> String {
        let keys: Vec<String> = types
            .iter()
            .map(|(key, value)| format!("`{key}` {}", value_type(*value)))
            .collect();
        keys.join("; ")
    };
    let (started, reached, any) = (keys(started), keys(reached), keys(any));
    let mut told = if words.is_empty() {
        format!("names with tables that have either {started} or {reached}; beside either {any}")
    } else {
        format!(
            "without a `type` or with `stdio` {started}; with the `type` {} {reached}; beside either {any}",
            listed(words, "or")
        )
    };
    if !never.is_empty() {
        told.push_str(&format!("; never {}", listed(never, "or")));
    }
    told
}

fn gate(spec: &GateSpec) -> String {
    let GateSpec {
        kinds,
        key,
        gate,
        scopes,
    } = spec;
    let how = match gate {
        Gate::Word(word) => format!("a name set to `{word}`; the highest layer decides"),
        Gate::Denied(tools) => {
            let rules: Vec<String> = tools.iter().map(|tool| format!("{tool}(name)")).collect();
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            format!("a rule {}, or the word alone, in any layer", listed(&rules, "or"))
        }
        Gate::Names => "a list of names; those of all layers count".to_owned(),
        Gate::Flag(flag, off) => format!("a name whose `{flag}` is `{off}`; the highest layer decides"),
        Gate::PathOrName => "an entry with `path` or `name` and `enabled = false`".to_owned(),
        Gate::PluginOnly(word) => {
            format!("`true`, or a list with `{word}`, leaves only what plugins and the administrator bring")
        }
        Gate::All(off) => format!("`{off}` switches all of them off; the highest layer decides"),
    };
    let whose = if scopes.is_empty() {
        String::new()
    } else {
        format!(" in the settings of the {}", people(scopes))
    };
    format!("- {} by `{}`{whose}: {how}", kinds_of(kinds), key.join("."))
}

fn switch(spec: &SwitchSpec) -> String {
    let SwitchSpec {
        variable,
        kinds,
        scopes,
        not_of_plugins,
        files,
    } = spec;
    let mut notes = Vec::new();
    if !scopes.is_empty() {
        notes.push(format!("those of the {}", people(scopes)));
    }
    if !files.is_empty() {
        notes.push(format!("the files {}", listed(files, "and")));
    }
    if !not_of_plugins.is_empty() {
        notes.push(format!("but not the {} of plugins", kinds_of(not_of_plugins)));
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join("; "))
    };
    format!(
        "- {}{notes} by the variable {}",
        kinds_of(kinds),
        quoted(variable)
    )
}

/// Variables that leave out whole directories.
fn unless(profile: &HostProfile) -> Vec<String> {
    profile
        .roots
        .iter()
        .filter(|root| !root.unless.is_empty())
        .map(|root| {
            let word = if root.unless.len() == 1 {
                "variable"
            } else {
                "variables"
            };
            format!(
                "- all of {} by the {word} {}",
                place(root.anchor),
                listed(root.unless, "or")
            )
        })
        .collect()
}

/// Whose settings or entries.
fn people(scopes: &[Scope]) -> String {
    let words: Vec<&str> = scopes
        .iter()
        .map(|scope| match scope {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Plugin => "plugin",
            Scope::Managed => "administrator",
            Scope::System => "system",
        })
        .collect();
    words.join(" and the ")
}
