//! How far links to folders are followed, for hosts that follow them.
//!
//! A link of a few bytes can lead to the whole disk, and several of them to each other again and again. What lies in
//! the tree itself somebody had to put there; what lies behind links is read up to a limit, and beyond it is told of.

use std::path::Path;

use super::scanner::Found;
use crate::model::{Code, Diagnostic, Severity};

/// How many entries behind links are looked at in one question: far more than people link, and read within a second.
const MOST: usize = 20_000;

/// What was met behind links so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BehindLinks {
    entries: usize,
    is_told: bool,
}

impl Found {
    /// Counts an entry behind the link at `link`, and says whether it is still to be looked at.
    pub(super) fn is_followed(&mut self, link: &Path) -> bool {
        if self.behind_links.entries < MOST {
            self.behind_links.entries += 1;
            return true;
        }
        if !self.behind_links.is_told {
            self.behind_links.is_told = true;
            let message = format!(
                "behind links to folders, of which this is one, lie more than {MOST} entries; the rest was not looked at"
            );
            self.diagnostics.push(
                Diagnostic::new(Code::SearchCut, Severity::Warning, message)
                    .with_path(link)
                    .with_help("link the folders that are meant, not one far above them"),
            );
        }
        false
    }
}
