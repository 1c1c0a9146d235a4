//! `docs/roots.md`: the roots of the native host, what is read in them, and which rule names a winner.

use aleph_discover::host::{Anchor, ClashSpec, HostProfile, KindSpec, Layout, RootSpec, Side};
use aleph_discover::model::{ComponentKind, Family, Scope};

use super::{Markdown, anchor, quoted};

pub(super) fn document() -> String {
    let profile = HostProfile::native();
    let mut document = Markdown::new("Roots");
    document.block(&format!(
        "Where {} looks, and which of two entries wins. Later overrides earlier: of two entries of one kind and name \
         the one in the root with the higher priority is in effect. `aleph-discover roots` shows the same for a \
         directory, with what is there and what is not.",
        profile.name
    ));
    document.heading(2, "Where it looks");
    let rows: Vec<[String; 5]> = profile.roots.iter().map(root).collect();
    document.table(["priority", "root", "source", "read-only", "kinds"], &rows);
    document.block(
        "`i` counts the directories of the walk upward from the outermost, 0, inward, so that nearer is higher. With \
         so many directories that the bands would meet, the upper band begins behind the lower one.",
    );
    document.block(
        "The walk begins in the working directory and ends at the git root, or at the top of the file system. At most \
         `--max-depth` directories are looked at. A root that is not there is listed as missing. One that is another \
         root once more is skipped: the user's own directory met again on the walk ([`is-global-root`]\
         (rules.md#is-global-root)), or two that are one by a link ([`same-directory`](rules.md#same-directory)).",
    );
    document.block(
        "`--no-claude` leaves out every `.claude`, `--no-project` the walk. Numbers stay as they are when roots are \
         left out. Read-only are roots that Aleph never writes to; this program writes to the Aleph home alone, and \
         only by [what is to change something](install.md#what-it-writes-and-what-it-sends).",
    );
    document.heading(2, "What it reads there");
    let rows: Vec<[String; 4]> = profile.kinds.iter().map(kind).collect();
    document.table(["kind", "folder", "as a folder", "as a file"], &rows);
    document.block(
        "One level deep, and the names of markers are exact on every system. Entries must be real files and folders; a \
         root and its folders may be links.",
    );
    document.heading(2, "Which rule names the winner");
    document.block("The first that fits the two entries:");
    let mut rows: Vec<[String; 3]> = profile.clashes.iter().map(clash).collect();
    rows.push([
        rule_link("tie-path-order"),
        "another entry of the same root, with a smaller path".to_owned(),
        "an entry of that root".to_owned(),
    ]);
    document.table(["rule", "wins", "loses"], &rows);
    document.heading(2, "Configuration files");
    let names: Vec<String> = profile.config.names.iter().map(|name| quoted(name)).collect();
    document.block(&format!(
        "`aleph-discover find-config {}` looks for {} in the Aleph home and in each directory of the walk, outermost \
         first. In one directory the first of them counts ([`config-format`](rules.md#config-format)); the \
         directories' files are merged, and the nearest has the last word ([`config-layers`]\
         (rules.md#config-layers)).",
        profile.config.id,
        names.join(", ")
    ));
    document.text
}

/// A path in the user's home directory.
fn in_home(below: &str) -> String {
    if below.is_empty() {
        "the home directory".to_owned()
    } else {
        quoted(&format!("~/{below}"))
    }
}

/// Where an anchor is, in words.
pub(super) fn place(anchor: Anchor) -> String {
    match anchor {
        Anchor::ClaudeHome => "`~/.claude`, or `CLAUDE_CONFIG_DIR`".to_owned(),
        Anchor::ClaudeState => "the home directory, or `CLAUDE_CONFIG_DIR`".to_owned(),
        Anchor::AlephHome => "`~/.aleph`, or `ALEPH_HOME`".to_owned(),
        Anchor::EachWalkDirectory("") => "each directory of the walk".to_owned(),
        Anchor::EachWalkDirectory(name) => format!("`{name}` in each directory of the walk"),
        Anchor::Home(below) => in_home(below),
        Anchor::Variable { name, below, or_home } => {
            let below = if below.is_empty() {
                String::new()
            } else {
                format!("/{below}")
            };
            let set = quoted(&format!("${name}{below}"));
            or_home.map_or_else(
                || format!("{set}, where it is set"),
                |home| format!("{}, or {set}", in_home(home)),
            )
        }
        Anchor::Absolute(path) => quoted(path),
        Anchor::Start(below) => format!("{} in the working directory", quoted(below)),
        Anchor::GitRoot(below) => format!("{} at the git root, or in the working directory", quoted(below)),
        Anchor::Checkout(below) => format!(
            "{} at the root of the main checkout, or in the working directory",
            quoted(below)
        ),
        Anchor::MainCheckout(below) => format!(
            "{} of the main checkout, for a kind that the worktree does not have",
            quoted(below)
        ),
    }
}

fn root(spec: &RootSpec) -> [String; 5] {
    let place = place(spec.anchor);
    let priority = match spec.anchor {
        Anchor::EachWalkDirectory(_) => format!("{} + i", spec.priority),
        _ => spec.priority.to_string(),
    };
    let kinds: Vec<&str> = spec.kinds.iter().map(|kind| kind.plural()).collect();
    let read_only = if spec.source.is_read_only() { "yes" } else { "no" };
    [
        priority,
        place,
        quoted(spec.source.as_str()),
        read_only.to_owned(),
        kinds.join(", "),
    ]
}

fn kind(spec: &KindSpec) -> [String; 4] {
    let folder = spec.folder;
    let (directory, file) = match &spec.layout {
        Layout::Marked {
            marker, extension, ..
        } => (
            quoted(&format!("{folder}/<name>/{marker}")),
            quoted(&format!("{folder}/<name>.{extension}")),
        ),
        Layout::Tree(_) => (quoted(folder), quoted(folder)),
        Layout::Plugins => (
            format!(
                "{} with a manifest, or with one of the folders of a plugin: see [`no-manifest`](rules.md#no-manifest)",
                quoted(&format!("{folder}/<name>/"))
            ),
            "no".to_owned(),
        ),
    };
    [
        ComponentKind::as_str(spec.kind).to_owned(),
        quoted(folder),
        directory,
        file,
    ]
}

fn clash(spec: &ClashSpec) -> [String; 3] {
    let same = if spec.same_family {
        ", both under the same of `.claude` and `.aleph`"
    } else {
        ""
    };
    [
        rule_link(spec.rule.as_str()),
        side(spec.winner),
        format!("{}{same}", side(spec.loser)),
    ]
}

fn rule_link(rule: &str) -> String {
    format!("[{}](rules.md#{})", quoted(rule), anchor(rule))
}

fn side(side: Side) -> String {
    let family = side.family.map(Family::dir_name);
    match (family, side.scope) {
        (None, None) => "any entry".to_owned(),
        (Some(family), None) => format!("an entry under `{family}`"),
        (None, Some(Scope::User)) => "the user's own entry".to_owned(),
        (None, Some(scope)) => format!("an entry of the {scope}"),
        (Some(family), Some(Scope::User)) => format!("the user's own entry under `{family}`"),
        (Some(family), Some(scope)) => format!("an entry of the {scope} under `{family}`"),
    }
}
