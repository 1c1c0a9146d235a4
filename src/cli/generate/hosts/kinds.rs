//! The kinds of a host: which files, what they are called, what they must say, and what one name twice means.

use aleph_discover::host::{
    BadYaml, Depth, Entries, Fences, HostProfile, IdRule, KindSpec, Layout, Links, Matter, Merge, Takes,
    TextRule, Tie, TreeSpec,
};
use aleph_discover::model::ComponentKind;

use super::super::Markdown;
use super::listed;

/// The table of kinds, and below it what the files of each must say.
pub(super) fn write(document: &mut Markdown, profile: &HostProfile) {
    document.heading(3, &format!("{}: kinds", profile.name));
    let trees: Vec<(&KindSpec, &TreeSpec)> = profile
        .kinds
        .iter()
        .filter_map(|spec| match &spec.layout {
            Layout::Tree(tree) => Some((spec, *tree)),
            Layout::Marked { .. } | Layout::Plugins => None,
        })
        .collect();
    let rows: Vec<[String; 4]> = trees
        .iter()
        .map(|(spec, tree)| {
            [
                spec.kind.to_string(),
                entry(spec, tree),
                id(tree),
                clash(profile, spec.kind).to_owned(),
            ]
        })
        .collect();
    document.table(["kind", "file", "name", "one name twice"], &rows);
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for (spec, tree) in trees {
        let demands = demands(tree);
        let what = format!("{} in `{}`", spec.kind.plural(), spec.folder);
        // Folders whose files must say the same share a list.
        match told.iter_mut().find(|(_, known)| *known == demands) {
            Some((title, _)) if title.split(", ").any(|one| one == what) => {}
            Some((title, _)) => *title = format!("{title}, {what}"),
            None => told.push((what, demands)),
        }
    }
    document.block("What a file must say, and what becomes of one that does not:");
    let blocks: Vec<String> = told
        .into_iter()
        .map(|(what, demands)| format!("- {what}:\n  - {}", demands.join("\n  - ")))
        .collect();
    document.block(&blocks.join("\n"));
}

fn entry(spec: &KindSpec, tree: &TreeSpec) -> String {
    let TreeSpec {
        entries,
        depth,
        hidden,
        passed_over,
        links: Links { folders, files },
        one_file_once,
        not_beside,
        // What these say is in the columns beside, and in the messages of `scan`.
        matter: _,
        id: _,
        cleaned: _,
        without_marker: _,
        wrong_kind: _,
    } = tree;
    let Depth { min, max } = *depth;
    let between = match (min, max) {
        (1, 1) => "<name>/",
        (0, 0) => "",
        (0, 1) => "[<name>/]",
        _ => "**/",
    };
    let file = match entries {
        Entries::Marker(marker) => (*marker).to_owned(),
        Entries::Files(extension) => format!("*.{extension}"),
    };
    let mut notes = Vec::new();
    if !spec.families.is_empty() {
        let families: Vec<&str> = spec.families.iter().map(|family| family.dir_name()).collect();
        notes.push(format!("in {}", listed(&families, "and")));
    }
    if (2..64).contains(&max) {
        notes.push(format!("at most {max} folders deep"));
    }
    if !hidden {
        notes.push("no dot folders".to_owned());
    }
    match (folders, files) {
        (true, true) => {}
        (false, true) => notes.push("no linked folders".to_owned()),
        (true, false) => notes.push("no linked files".to_owned()),
        (false, false) => notes.push("no links".to_owned()),
    }
    if !passed_over.is_empty() {
        notes.push(format!("not {}", listed(passed_over, "or")));
    }
    if let Some(marker) = not_beside {
        notes.push(format!("not beside a `{marker}`"));
    }
    if *one_file_once {
        notes.push("one real file once".to_owned());
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join(", "))
    };
    format!("`{}/{between}{file}`{notes}", spec.folder)
}

fn id(tree: &TreeSpec) -> String {
    let name = match tree.id {
        IdRule::Folder => "the folder's".to_owned(),
        IdRule::Declared => "the declared one, else the folder's or file's".to_owned(),
        IdRule::DeclaredElsePath(by) => format!("the declared one, else the path, joined by `{by}`"),
        IdRule::Path(by) => format!("the path, joined by `{by}`"),
        IdRule::FoldersThenDeclared(by) => format!("the folders and the declared one, joined by `{by}`"),
    };
    if tree.cleaned.is_empty() {
        name
    } else {
        let characters: Vec<String> = tree.cleaned.iter().map(char::to_string).collect();
        format!("{name}; `{}` become `-`", characters.join(" "))
    }
}

/// What a file must say. Every field of [`Matter`] is named, so that a new one cannot be forgotten here.
fn demands(tree: &TreeSpec) -> Vec<String> {
    let Matter {
        needed,
        mark_hides,
        bad_yaml,
        lossy,
        name,
        description,
        name_must_be_text,
        blank_is_none,
        description_type,
        fences,
        fields,
        wrong_type_stops,
        may_be_hidden,
        dates_are_no_text,
        empty_is_none,
        name_in_one_line,
        longest_name,
        body_describes,
        slug,
        no_colon,
        only_keys,
        needs_keys,
        toml_types,
        waits_for,
    } = tree.matter;
    let mut words = Vec::new();
    let mut say = |is_so: bool, what: &str| {
        if is_so {
            words.push(what.to_owned());
        }
    };
    if let Entries::Files("toml") = tree.entries {
        words.push(format!(
            "TOML with {} as text, else it is left out",
            listed(needs_keys, "and")
        ));
        if !toml_types.is_empty() {
            words.push(
                "blank text counts as none, and a key that the settings do not have, or a value that is nothing for them, takes it away"
                    .to_owned(),
            );
        }
        return words;
    }
    let needs = match (name, description) {
        (true, true) => "needs `name` and `description`",
        (true, false) => "needs `name`",
        (false, true) => "needs `description`",
        (false, false) if needed => "needs front matter",
        (false, false) => "needs nothing",
    };
    say(true, needs);
    say(
        body_describes,
        "without a description the first line of the text stands in for it",
    );
    say(
        name_must_be_text,
        "a name that is a number or a boolean counts as none",
    );
    say(empty_is_none, "an empty name or description counts as none");
    say(blank_is_none, "a name or description of blanks counts as none");
    match description_type {
        TextRule::Any => {}
        TextRule::Scalar => say(true, "a description that is a list or a mapping takes it away"),
        TextRule::Text => say(true, "a description that is no text takes it away"),
    }
    say(dates_are_no_text, "a date without quotes is no text");
    say(name_in_one_line, "line ends in a name become blanks");
    say(slug, "a name may have small letters, digits, `-` and `_`");
    say(no_colon, "a name with `:`, or that begins with `-`, is refused");
    if longest_name > 0 {
        say(true, &format!("a name may have {longest_name} characters"));
    }
    if !fields.is_empty() {
        let fields: Vec<String> = fields
            .iter()
            .map(|field| format!("`{}` {}", field.key, takes(field.takes)))
            .collect();
        say(true, &format!("where they are there: {}", fields.join(", ")));
    }
    say(
        wrong_type_stops,
        "a value of another type keeps the host from starting",
    );
    if !only_keys.is_empty() {
        say(
            true,
            &format!("a key other than {} takes it away", listed(only_keys, "and")),
        );
    }
    say(
        may_be_hidden,
        "`user-invocable: false` with `disable-model-invocation: true` hides it from everyone",
    );
    if !waits_for.is_empty() {
        say(
            true,
            &format!(
                "one with patterns of files in `{waits_for}` waits for work on such a file, and hides nothing of its name; not in plugins"
            ),
        );
    }
    say(true, broken(bad_yaml));
    say(mark_hides, "a byte order mark hides the front matter");
    say(!lossy, "bytes that are not UTF-8 take it away");
    say(true, &lines_of(fences));
    words
}

fn takes(takes: Takes) -> String {
    match takes {
        Takes::Text => "is text".to_owned(),
        Takes::Number => "is a number".to_owned(),
        Takes::Flag => "is `true` or `false`".to_owned(),
        Takes::Mapping | Takes::MappingOrNothing => "is a mapping".to_owned(),
        Takes::OneOf(words) => format!("is {}", listed(words, "or")),
        Takes::Color(words) => format!("is `#` and six hexadecimal digits, or {}", listed(words, "or")),
        Takes::ListOf(words) => format!("is a list of {}", listed(words, "and")),
    }
}

fn broken(bad_yaml: BadYaml) -> &'static str {
    match bad_yaml {
        BadYaml::Recovered => {
            "broken YAML is read line by line, and of a key that is there twice the last counts"
        }
        BadYaml::LastLine => "broken YAML is read line by line, the last line of a key counting",
        BadYaml::ValuesQuoted => "of broken YAML only values that should be in quotes are forgiven",
        BadYaml::ColonsQuoted => "of broken YAML only a colon in a value without quotes is forgiven",
        BadYaml::ColonsElseNothing => {
            "of broken YAML a colon in a value without quotes is forgiven, anything else counts as empty"
        }
        BadYaml::SpecialsElseNothing => {
            "of broken YAML a value with ``{}[]*&#!|>%@` `` or a colon and a blank in it, behind a key of ASCII letters, `-` and `_` at the beginning of a line, is taken as text; what is still broken counts as empty. Of a key that is there twice the last counts"
        }
        BadYaml::Refused => "broken YAML takes it away",
    }
}

fn lines_of(fences: Fences) -> String {
    let Fences {
        indented,
        padded,
        longer,
        dots,
        open_end,
        anywhere,
    } = fences;
    let mut words = vec!["front matter begins with a line `---`"];
    match (indented, padded) {
        (true, true) => words.push("with blanks around it or not"),
        (true, false) => words.push("with blanks before it or not"),
        (false, true) => words.push("with blanks after it or not"),
        (false, false) => words.push("and nothing else in it"),
    }
    words.push(match (anywhere, longer) {
        (true, _) => "and ends with the next `---`, be it within a line",
        (false, true) => "and ends with one that begins so",
        (false, false) => "and ends with another",
    });
    if dots {
        words.push("or with `...`");
    }
    if open_end {
        words.push("or with the file");
    }
    words.join(" ")
}

fn clash(profile: &HostProfile, kind: ComponentKind) -> &'static str {
    match (profile.merge(kind), profile.tie(kind)) {
        (Merge::Additive, _) => "all are kept",
        (Merge::Race, _) => "whichever is loaded last",
        (Merge::RenameAll, _) => "all are renamed",
        (Merge::Highest, Tie::FirstPath) => "the highest priority, then the first path",
        (Merge::Highest, Tie::LastPath) => "the highest priority, then the last path",
        (Merge::Highest, Tie::Undefined) => "the highest priority, then chance",
        (Merge::Highest, Tie::DeepestElseUndefined) => {
            "the highest priority, then the one in the deepest directory, then chance"
        }
    }
}
