//! Progress of long work, on standard error, where that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use aleph_discover::plugin::install::{Observer, Step};
use aleph_discover::report::escape;

use super::interrupt;

/// How long work may take before anything is said of it.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long one line stands at least.
const PAUSE: Duration = Duration::from_millis(100);

/// One line that is written over again and again, and wiped in the end.
pub(super) struct Progress {
    is_wanted: bool,
    start: Instant,
    last: Option<Instant>,
    files: u64,
    bytes: u64,
}

impl Progress {
    pub(super) fn new(is_quiet: bool) -> Self {
        Self {
            is_wanted: !is_quiet && io::stderr().is_terminal(),
            start: Instant::now(),
            last: None,
            files: 0,
            bytes: 0,
        }
    }

    /// Says what is being done, unless something was said a moment ago.
    pub(super) fn say(&mut self, text: &str) {
        let since = self.last.unwrap_or(self.start).elapsed();
        let pause = if self.last.is_some() { PAUSE } else { PATIENCE };
        if !self.is_wanted || since < pause {
            return;
        }
        self.last = Some(Instant::now());
        let text: String = escape::visible(text).chars().take(70).collect();
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\u{1b}[2K{text}");
        let _ = stderr.flush();
    }

    /// Takes the line away.
    pub(super) fn wipe(&mut self) {
        if self.last.take().is_some() {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\u{1b}[2K");
            let _ = stderr.flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl Observer for Progress {
    fn is_interrupted(&self) -> bool {
        interrupt::is_caught()
    }

    fn at(&mut self, step: Step<'_>) {
        match step {
            Step::Fetching { url, bytes } => {
                let mebibytes = bytes / (1024 * 1024);
                self.say(&format!("fetching {url} ({mebibytes} MiB)"));
            }
            Step::File { bytes, .. } => {
                self.files += 1;
                self.bytes += bytes;
                let mebibytes = self.bytes / (1024 * 1024);
                self.say(&format!("unpacking: {} files, {mebibytes} MiB", self.files));
            }
            Step::Hashing => self.say("reading what it brings"),
            _ => {}
        }
    }
}
