//! `explain`: one code's page as sentences, or all codes with a line each.

use std::io::{self, Write};

use super::Look;
use super::layout::{GAP, width, wrapped};
use super::paint::Paint;
use super::prose::Prose;
use super::words::list;
use crate::report::explain::{Example, Explanation, PageKind};

/// The widest that prose is comfortable to read, in columns.
const COMFORTABLE: usize = 100;

/// Fewer columns than this for a title, and it goes below its code.
const NARROWEST: usize = 24;

/// Writes one page.
///
/// # Errors
///
/// What the writer answers.
pub fn explanation(explanation: &Explanation, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let look = &comfortable(look);
    let page = explanation.page;
    if !look.quiet {
        let said: Vec<String> = explanation
            .said_of
            .iter()
            .map(|said| said.in_words().to_owned())
            .collect();
        Prose::new(look)
            .painted(Paint::Heading, explanation.code)
            .glue(&format!(": a {}, said of {}", page.kind.as_str(), list(&said)))
            .write(writer, "", "  ")?;
    }
    Prose::new(look).say(page.title).glue(".").write(writer, "", "")?;
    for paragraph in page.paragraphs() {
        writeln!(writer)?;
        Prose::new(look).say(&paragraph).write(writer, "", "")?;
    }
    example("Bad", Paint::Warning, &page.bad, look, writer)?;
    example("Good", Paint::Winner, &page.good, look, writer)?;
    if !look.quiet {
        writeln!(writer)?;
        Prose::new(look)
            .painted(Paint::Faint, &page.basis())
            .write(writer, "", "")?;
    }
    Ok(())
}

fn example(
    verdict: &str,
    paint: Paint,
    example: &Example,
    look: &Look,
    writer: &mut dyn Write,
) -> io::Result<()> {
    writeln!(writer)?;
    Prose::new(look)
        .painted(paint, verdict)
        .glue(":")
        .say(example.title)
        .write(writer, "", "  ")?;
    for line in example.text.lines() {
        writeln!(writer, "{}", format!("    {line}").trim_end())?;
    }
    Ok(())
}

/// Writes all codes by kind, each with its title.
///
/// # Errors
///
/// What the writer answers.
pub fn explanations(all: &[Explanation], look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let look = &comfortable(look);
    let column = all.iter().map(|known| width(known.code)).max().unwrap_or(0) + 2 + GAP;
    let room = look
        .width
        .map_or(usize::MAX, |width| width.saturating_sub(column));
    let mut is_first = true;
    for kind in PageKind::ALL {
        if !is_first {
            writeln!(writer)?;
        }
        is_first = false;
        writeln!(writer, "{}", look.paint(Paint::Heading, heading(kind)))?;
        for known in all.iter().filter(|known| known.page.kind == kind) {
            let code = look.paint(Paint::Winner, known.code);
            if room < NARROWEST {
                writeln!(writer, "  {code}")?;
                Prose::new(look)
                    .say(known.page.title)
                    .write(writer, "    ", "    ")?;
                continue;
            }
            let gap = " ".repeat(column - 2 - width(known.code));
            let mut lines = wrapped(known.page.title, room).into_iter();
            writeln!(writer, "  {code}{gap}{}", lines.next().unwrap_or_default())?;
            for line in lines {
                writeln!(writer, "{}{line}", " ".repeat(column))?;
            }
        }
    }
    Ok(())
}

const fn heading(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Rule => "Rules: why one wins, or does not count",
        PageKind::State => "States: what became of it",
        PageKind::Diagnostic => "Diagnostics: what is wrong, or worth saying",
    }
}

fn comfortable(look: &Look) -> Look {
    Look {
        width: look.width.map(|width| width.min(COMFORTABLE)),
        ..look.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::explain;

    fn printed(columns: Option<usize>, code: Option<&str>) -> String {
        let look = Look {
            width: columns,
            ..Look::default()
        };
        let mut written = Vec::new();
        match code {
            Some(code) => explanation(&explain::explain(code).unwrap(), &look, &mut written).unwrap(),
            None => explanations(&explain::explanations(), &look, &mut written).unwrap(),
        }
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn prose_is_wrapped_and_examples_are_not() {
        let text = printed(Some(60), Some("config-format"));
        assert!(
            text.contains("\n    {\"model\": \"small\"}") || text.contains("        {\"model\": \"small\"}")
        );
        for line in text.lines().filter(|line| !line.starts_with("    ")) {
            assert!(width(line) <= 60, "{line}");
        }
        let whole = printed(None, Some("config-format"));
        assert!(
            whole.lines().any(|line| line.len() > 200),
            "one line a paragraph in a pipe"
        );
    }

    #[test]
    fn the_list_fits_any_terminal() {
        for columns in [20, 40, 80, 300] {
            let text = printed(Some(columns), None);
            // Codes and headings are never cut.
            let limit = columns.max(44);
            for line in text.lines() {
                assert!(width(line) <= limit, "{columns}: {line}");
            }
        }
        let whole = printed(None, None);
        let codes = explain::explanations().len();
        assert_eq!(whole.lines().filter(|line| line.starts_with("  ")).count(), codes);
    }
}
