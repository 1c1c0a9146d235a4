//! `generate`: documents of the repository that are made from the program itself, so that they cannot lag behind.
//!
//! Hidden, since only the repository needs it; a test compares what it prints with the files in `docs/`.

mod cli;
mod json;
mod roots;
mod rules;

use std::io::Write;

use super::args::{Document, Generate};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

pub(super) fn run(args: &Generate, output: &mut Output) -> Result<Exit, Failure> {
    let text = match args.document {
        Document::Cli => cli::document(),
        Document::Json => json::document(),
        Document::Roots => roots::document(),
        Document::Rules => rules::document(),
    };
    output.stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// A Markdown document being put together.
struct Markdown {
    text: String,
}

impl Markdown {
    /// Begins a document, with a remark on where it comes from that readers do not see.
    fn new(title: &str) -> Self {
        Self {
            text: format!(
                "<!-- Made by the program: `REGENERATE=1 cargo test --test generated` writes it anew. -->\n\n# {title}\n"
            ),
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        let marks = "#".repeat(level);
        self.block(&format!("{marks} {text}"));
    }

    /// Adds a paragraph, or anything else that stands between blank lines.
    fn block(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Adds text that is shown as it is.
    fn code(&mut self, language: &str, text: &str) {
        self.block(&format!("```{language}\n{text}\n```"));
    }

    /// Adds a table; nothing if it has no rows.
    fn table<const N: usize>(&mut self, head: [&str; N], rows: &[[String; N]]) {
        if rows.is_empty() {
            return;
        }
        let row = |cells: &[String; N]| {
            let cells: Vec<String> = cells
                .iter()
                .map(|cell| cell.replace('|', "\\|").replace('\n', " "))
                .collect();
            format!("| {} |", cells.join(" | "))
        };
        let mut lines = vec![row(&head.map(str::to_owned)), format!("|{}", " --- |".repeat(N))];
        lines.extend(rows.iter().map(row));
        self.block(&lines.join("\n"));
    }
}

/// The text as code, safe in a table.
fn quoted(text: &str) -> String {
    format!("`{text}`")
}

/// The link that leads to a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ => character.is_alphanumeric().then_some(character),
        })
        .collect()
}
