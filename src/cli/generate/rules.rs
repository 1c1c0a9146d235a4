//! `docs/rules.md`: every page of `explain`.

use aleph_discover::report::explain::{Example, Explanation, PageKind, explanations};

use super::{Markdown, anchor, quoted};

pub(super) fn document() -> String {
    let all = explanations();
    let mut document = Markdown::new("Rules, states and diagnostics");
    document.block(
        "Every code that the program prints, what it means, why it is so and what to do. The same pages are printed \
         by `aleph-discover explain CODE`.",
    );
    document.block(
        "In the examples a line is a path, below the home directory `~` or below a project `shop` that is a git \
         repository; what is indented below a path is what the file holds, `path/` is a directory, `path -> target` \
         a symbolic link. A test builds each of them and looks whether the program says what the page says.",
    );
    for kind in PageKind::ALL {
        let of_kind = || all.iter().filter(|known| known.page.kind == kind);
        document.heading(2, heading(kind));
        document.block(introduction(kind));
        let rows: Vec<[String; 2]> = of_kind()
            .map(|known| {
                let link = format!("[{}](#{})", quoted(known.code), anchor(known.code));
                [link, known.page.title.to_owned()]
            })
            .collect();
        document.table(["code", "meaning"], &rows);
        for known in of_kind() {
            page(&mut document, known);
        }
    }
    document.text
}

fn page(document: &mut Markdown, known: &Explanation) {
    document.heading(3, &quoted(known.code));
    document.block(&format!("**{}.**", known.page.title));
    for paragraph in known.page.paragraphs() {
        document.block(&paragraph);
    }
    example(document, "Bad", &known.page.bad);
    example(document, "Good", &known.page.good);
    let said: Vec<&str> = known.said_of.iter().map(|said| said.in_words()).collect();
    document.block(&format!("Said of {}. {}", said.join(" and "), known.page.basis()));
}

fn example(document: &mut Markdown, verdict: &str, example: &Example) {
    document.block(&format!("{verdict}: {}", example.title));
    document.code("text", example.text);
}

const fn heading(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Rule => "Rules",
        PageKind::State => "States",
        PageKind::Diagnostic => "Diagnostics",
    }
}

const fn introduction(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Rule => {
            "A rule says why something sound does not count: why an entry loses to another, why a root is left out, \
             why the walk upward ended."
        }
        PageKind::State => {
            "A state says what became of something. Of an entry: `active`, `namespaced` and `additive` are in \
             effect; `shadowed`, `identical` and `alias` lost to another entry and name the rule; all others are out \
             of the running, so that they neither win nor hide what lies below them, and name a diagnostic."
        }
        PageKind::Diagnostic => {
            "A diagnostic says what is wrong with an entry that is out of the running, or what is worth knowing \
             about one that is in effect."
        }
    }
}
