//! How long servers may take and how much they may say: `[mcp_client]` of the Aleph home's `aleph.toml`.

use std::path::Path;
use std::time::Duration;

use super::home::{home_config, home_config_path};
use crate::model::{Code, Diagnostic, Severity};
use crate::parse::document::{Entry, Format, Value, parse};
use crate::parse::duration::duration;
use crate::parse::{Position, Problem};

/// The table of `aleph.toml`.
const TABLE: &str = "mcp_client";
/// Its keys.
const KEYS: [&str; 7] = [
    "start_timeout",
    "request_timeout",
    "answer_timeout",
    "max_message_bytes",
    "idle_stop",
    "restart_backoff",
    "list_changed_debounce",
];

/// What a server may take and say before it counts as failed (spec, mcp 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest time from starting or reaching a server to the end of the handshake. Default 30 s.
    pub start_timeout: Duration,
    /// The longest time for the answer to one request. Default 60 s.
    pub request_timeout: Duration,
    /// The longest time that the gateway holds a call while its client answers what the server asks: most answers are those
    /// of people, who read and fill in. Default 10 min.
    pub answer_timeout: Duration,
    /// The largest message, in bytes. Default 16 MiB.
    pub max_message_bytes: usize,
    /// How long a server of the gateway runs without being asked. Default 10 min.
    pub idle_stop: Duration,
    /// How long the gateway waits before it starts a server that ended again; doubled each time, up to
    /// [`MAX_RESTART_BACKOFF`](Self::MAX_RESTART_BACKOFF). Default 1 s.
    pub restart_backoff: Duration,
    /// How long the gateway collects changes before it announces them. Default 50 ms.
    pub list_changed_debounce: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            answer_timeout: Duration::from_secs(600),
            max_message_bytes: 16 * 1024 * 1024,
            idle_stop: Duration::from_secs(600),
            restart_backoff: Duration::from_secs(1),
            list_changed_debounce: Duration::from_millis(50),
        }
    }
}

impl Limits {
    /// What a whole answer may have, all its pages and all that is said between them: 64 MiB. Not a setting.
    pub const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;
    /// How many resources, templates and prompts of one server are kept of each; tools are not cut.
    pub const MAX_ENTRIES: usize = 500;
    /// How many pages one list may have.
    pub const MAX_PAGES: usize = 1_000;
    /// The longest wait before a server is started again.
    pub const MAX_RESTART_BACKOFF: Duration = Duration::from_secs(60);

    /// Reads `[mcp_client]` of an Aleph home's `aleph.toml`, and what is wrong with it. Only a regular file is read,
    /// and never waited for; one that is not there says nothing.
    #[must_use]
    pub fn of_home(aleph_home: &Path) -> (Self, Vec<Diagnostic>) {
        let path = home_config_path(aleph_home);
        let bytes = match home_config(aleph_home) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return (Self::default(), Vec::new()),
            Err(error) => {
                let message = format!("cannot read the file, so the usual limits count for servers: {error}");
                let told = Diagnostic::new(Code::Unreadable, Severity::Warning, message)
                    .with_path(&path)
                    .with_help("make it a file that you may read");
                return (Self::default(), vec![told]);
            }
        };
        let (limits, problems) = Self::from_toml(&bytes);
        let told = problems
            .into_iter()
            .map(|problem| problem.into_diagnostic(Severity::Warning).with_path(&path));
        (limits, told.collect())
    }

    /// Reads `[mcp_client]` of the text of an `aleph.toml`.
    ///
    /// What is not understood is told and counts as not written: a limit that is wrong must not become no limit. A
    /// text that is no TOML at all has its problem told by whoever reads the configuration.
    #[must_use]
    pub fn from_toml(bytes: &[u8]) -> (Self, Vec<Problem>) {
        let mut limits = Self::default();
        let mut problems = Vec::new();
        let Ok(document) = parse(bytes, Format::Toml) else {
            return (limits, problems);
        };
        let Some(table) = document.root.value.get(TABLE) else {
            return (limits, problems);
        };
        if !matches!(table.value, Value::Table(_)) {
            let message = format!("`{TABLE}` is {}, not a table", table.value.type_name());
            problems.push(
                Problem::new(Code::WrongType, Some(table.position), message)
                    .with_help(format!("write its keys below `[{TABLE}]`")),
            );
        }
        for entry in table.value.entries() {
            if let Err(problem) = limits.set(entry) {
                problems.push(problem);
            }
        }
        (limits, problems)
    }

    fn set(&mut self, entry: &Entry) -> Result<(), Problem> {
        match entry.key.as_str() {
            "start_timeout" => self.start_timeout = time(entry, false)?,
            "request_timeout" => self.request_timeout = time(entry, false)?,
            "answer_timeout" => self.answer_timeout = time(entry, false)?,
            "max_message_bytes" => self.max_message_bytes = bytes(entry)?,
            "idle_stop" => self.idle_stop = time(entry, false)?,
            "restart_backoff" => self.restart_backoff = time(entry, false)?,
            "list_changed_debounce" => self.list_changed_debounce = time(entry, true)?,
            _ => return Err(Problem::unknown_key(entry, &format!("in `[{TABLE}]`"), &KEYS)),
        }
        Ok(())
    }
}

fn wrong(at: Position, message: String, help: &str) -> Problem {
    Problem::new(Code::WrongType, Some(at), message).with_help(help)
}

fn time(entry: &Entry, may_be_zero: bool) -> Result<Duration, Problem> {
    const HELP: &str = "write a duration such as \"30s\", \"500ms\" or \"10m\"";
    let (key, at) = (&entry.key, entry.value.position);
    let Value::String(text) = &entry.value.value else {
        let is = entry.value.value.type_name();
        return Err(wrong(at, format!("`{key}` is {is}, not a duration"), HELP));
    };
    let time = duration(text).map_err(|message| wrong(at, format!("`{key}`: {message}"), HELP))?;
    if time.is_zero() && !may_be_zero {
        return Err(wrong(at, format!("`{key}` is no time at all"), HELP));
    }
    // A hundred years: what is added to a moment must not overflow.
    if time > Duration::from_secs(3_153_600_000) {
        return Err(wrong(at, format!("`{key}`: `{text}` is too long"), HELP));
    }
    Ok(time)
}

fn bytes(entry: &Entry) -> Result<usize, Problem> {
    const HELP: &str = "write a whole number of bytes, 1024 or more";
    let (key, at) = (&entry.key, entry.value.position);
    let Value::Integer(number) = entry.value.value else {
        let is = entry.value.value.type_name();
        return Err(wrong(at, format!("`{key}` is {is}, not a number of bytes"), HELP));
    };
    // No answer to a handshake fits into less; more than half a gibibyte is no limit.
    match usize::try_from(number) {
        Ok(number) if (1024..=512 * 1024 * 1024).contains(&number) => Ok(number),
        _ => Err(wrong(
            at,
            format!("`{key}` is {number}"),
            "write a number of bytes from 1024 to 536870912",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let text =
            b"[mcp_client]\nstart_timeout = \"5s\"\nrequest_timeout = \"1m\"\nanswer_timeout = \"5m\"\nmax_message_bytes = 2048\n\
            idle_stop = \"1h\"\nrestart_backoff = \"250ms\"\nlist_changed_debounce = \"0s\"\n";
        let (limits, problems) = Limits::from_toml(text);
        assert_eq!(problems, []);
        let wanted = Limits {
            start_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(60),
            answer_timeout: Duration::from_secs(300),
            max_message_bytes: 2048,
            idle_stop: Duration::from_secs(3600),
            restart_backoff: Duration::from_millis(250),
            list_changed_debounce: Duration::ZERO,
        };
        assert_eq!(limits, wanted);
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands_and_changes_nothing() {
        let text = "[mcp_client]\nstart_timout = \"5s\"\nrequest_timeout = 60\nmax_message_bytes = \"16MiB\"\n\
            idle_stop = \"soon\"\nrestart_backoff = \"0s\"\nlist_changed_debounce = \"999999999999d\"\n";
        let (limits, problems) = Limits::from_toml(text.as_bytes());
        assert_eq!(limits, Limits::default());
        let told: Vec<_> = problems
            .iter()
            .map(|problem| (problem.code, problem.line, problem.column))
            .collect();
        let wrong = Code::WrongType;
        assert_eq!(
            told,
            [
                (Code::UnknownKey, Some(2), Some(1)),
                (wrong, Some(3), Some(19)),
                (wrong, Some(4), Some(21)),
                (wrong, Some(5), Some(13)),
                (wrong, Some(6), Some(19)),
                (wrong, Some(7), Some(25)),
            ]
        );
        let help = problems.first().and_then(|problem| problem.help.as_deref());
        assert_eq!(help, Some("did you mean `start_timeout`?"));
    }

    #[test]
    fn a_table_that_is_none_is_told() {
        let (limits, problems) = Limits::from_toml(b"mcp_client = 3\n");
        assert_eq!(limits, Limits::default());
        assert_eq!(problems.len(), 1);
        let (_, problems) = Limits::from_toml(b"no toml");
        assert_eq!(problems, []);
    }

    #[test]
    fn a_size_that_holds_nothing_or_everything_is_refused() {
        for size in ["0", "-1", "1023", "536870913", "99999999999999999999"] {
            let text = format!("[mcp_client]\nmax_message_bytes = {size}\n");
            let (limits, problems) = Limits::from_toml(text.as_bytes());
            assert_eq!(limits, Limits::default(), "{size}");
            // TOML has no number of twenty digits: that text is no TOML.
            assert!(problems.len() == 1 || size.len() == 20, "{size}");
        }
    }
}
