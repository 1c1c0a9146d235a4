//! Runs the binary with nothing of this machine's in its environment, and never for ever.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::schema;
use super::tree::Tree;

/// What any run may take before it counts as hanging: far more than it takes on a slow machine that is busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A user and group that own nothing.
pub(crate) const NOBODY: u32 = 65534;

/// One run of the binary that is being prepared.
pub(crate) struct Aleph<'t> {
    root: &'t Path,
    cwd: PathBuf,
    args: Vec<OsString>,
    env: Vec<(String, OsString)>,
    input: Option<PathBuf>,
    unprivileged: bool,
    raw: bool,
}

/// What came of a run; the tree's root stands as `[ROOT]` in the texts.
pub(crate) struct Run {
    /// The exit code; a run that was killed by a signal has none.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Standard output as it was written.
    pub(crate) bytes: Vec<u8>,
    shown: String,
}

impl Tree {
    /// Prepares a run in `project` with `home` as the home directory.
    pub(crate) fn aleph<I>(&self, args: I) -> Aleph<'_>
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        Aleph {
            root: self.root(),
            cwd: self.path("project"),
            args: args.into_iter().map(|arg| arg.as_ref().to_owned()).collect(),
            env: vec![("HOME".to_owned(), self.path("home").into_os_string())],
            input: None,
            unprivileged: false,
            raw: false,
        }
    }

    /// The JSON of `scan` in `project`, which must exit with 0.
    pub(crate) fn scan(&self) -> Value {
        self.aleph(["scan", "--json"]).run().exits(0).json()
    }

    /// The JSON of `scan` in another directory of the tree.
    pub(crate) fn scan_in(&self, cwd: &str) -> Value {
        self.aleph(["scan", "--json"])
            .cwd(self.path(cwd))
            .run()
            .exits(0)
            .json()
    }
}

impl Aleph<'_> {
    /// Runs in another directory.
    pub(crate) fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Takes an environment variable away, `HOME` for instance.
    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self
    }

    /// Reads a file on standard input.
    pub(crate) fn reads(mut self, path: impl Into<PathBuf>) -> Self {
        self.input = Some(path.into());
        self
    }

    /// Expects bytes on standard output that are not for a terminal: colours or raw paths.
    pub(crate) fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    /// Runs as a user to whom permissions apply; None, said loudly, where that can't be had.
    pub(crate) fn unprivileged(mut self, test: &str) -> Option<Self> {
        match permissions_apply() {
            Rights::Apply => {}
            Rights::ApplyToNobody => self.unprivileged = true,
            Rights::CannotDrop(why) => {
                super::skipped(test, &format!("permissions mean nothing to this user, and {why}"));
                return None;
            }
        }
        Some(self)
    }

    /// Runs to the end, or kills it when it takes too long, and fails.
    pub(crate) fn run(self) -> Run {
        let child = self.start(self.command());
        self.end(child)
    }

    /// Runs with a standard output that nobody reads.
    pub(crate) fn run_into_closed_pipe(self) -> Run {
        let (read, mut write) = std::io::pipe().expect("a pipe");
        drop(read);
        // A test beside this one that is starting a program has a copy of the end that reads, until that runs. Only
        // when all are gone is the pipe closed, and from then on it is.
        while write.write_all(b".").is_ok() {
            thread::sleep(Duration::from_millis(1));
        }
        let child = self.start_with(self.command(), Stdio::null(), write.into());
        self.end(child)
    }

    /// Runs behind a shell script that leaves its working directory in some state: `exec "$@"` is the run.
    pub(crate) fn run_behind(self, script: &str) -> Run {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script, "sh"]).arg(built());
        let child = self.start(shell);
        self.end(child)
    }

    fn command(&self) -> Command {
        if self.unprivileged {
            let mut command = Command::new(open_copy(self.root));
            command.uid(NOBODY).gid(NOBODY);
            command
        } else {
            Command::new(built())
        }
    }

    /// Starts it with a standard input that is written to while it runs; whoever starts it ends it.
    pub(crate) fn talk(self) -> Child {
        self.start_with(self.command(), Stdio::piped(), Stdio::piped())
    }

    fn start(&self, command: Command) -> Child {
        self.start_with(command, Stdio::null(), Stdio::piped())
    }

    fn start_with(&self, mut command: Command, stdin: Stdio, stdout: Stdio) -> Child {
        command
            .args(&self.args)
            .current_dir(&self.cwd)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(stdin)
            .stdout(stdout)
            .stderr(Stdio::piped());
        if let Some(path) = &self.input {
            command.stdin(std::fs::File::open(path).expect("the input is there"));
        }
        command.spawn().expect("the binary starts")
    }

    fn end(&self, mut child: Child) -> Run {
        let stdout = child.stdout.take().map(read_all);
        let stderr = child.stderr.take().map(read_all);
        let status = wait(&mut child, &self.shown());
        let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
            reader.map_or_else(Vec::new, |reader| reader.join().expect("a pipe can be read"))
        };
        self.finish(status, text(stdout), &text(stderr))
    }

    fn finish(&self, status: ExitStatus, bytes: Vec<u8>, errors: &[u8]) -> Run {
        let root = self.root.to_str().expect("the root is UTF-8");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(root, "[ROOT]");
        let run = Run {
            code: status.code(),
            stdout: text(&bytes),
            stderr: text(errors),
            bytes,
            shown: self.shown(),
        };
        assert!(status.signal().is_none(), "killed by a signal: {status}\n{run}");
        assert!(!run.stderr.contains("panicked at"), "a panic\n{run}");
        if !self.raw {
            assert!(
                std::str::from_utf8(&run.bytes).is_ok(),
                "output that is not UTF-8\n{run}"
            );
            assert_clean(&run.stdout, &run);
            assert_clean(&run.stderr, &run);
        }
        run
    }

    fn shown(&self) -> String {
        let args: Vec<_> = self.args.iter().map(|arg| arg.to_string_lossy()).collect();
        format!(
            "$ aleph-discover {}   (in {})",
            args.join(" "),
            self.cwd.display()
        )
    }
}

impl Run {
    /// Fails unless the exit code is this one.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "exit code\n{self}");
        self
    }

    /// Standard output as one JSON document that is valid under the schema it names.
    pub(crate) fn json(&self) -> Value {
        let raw: Value = serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("not one JSON document: {error}\n{self}"));
        schema::validate(&raw);
        serde_json::from_str(&self.stdout).expect("the same with another root")
    }

    /// Standard output as one JSON document a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}\n{self}"))
        };
        self.stdout.lines().map(parse).collect()
    }

    /// The lines of standard output.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.stdout.lines().collect()
    }

    /// Fails unless standard error has this text.
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "standard error lacks {text:?}\n{self}"
        );
        self
    }

    /// Fails unless standard output has this text.
    pub(crate) fn shows(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text),
            "standard output lacks {text:?}\n{self}"
        );
        self
    }

    /// Fails if standard output has this text.
    pub(crate) fn hides(self, text: &str) -> Self {
        assert!(
            !self.stdout.contains(text),
            "standard output has {text:?}\n{self}"
        );
        self
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}\nexit code {:?}\n--- standard output\n{}\n--- standard error\n{}",
            self.shown,
            self.code,
            visible(&self.stdout),
            visible(&self.stderr),
        )
    }
}

/// A text with everything escaped that a terminal would obey.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if c != '\n' && is_dangerous(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Fails if a text has characters that a terminal would obey or that hide or reorder text.
fn assert_clean(text: &str, run: &Run) {
    if let Some(found) = text.chars().find(|c| *c != '\n' && is_dangerous(*c)) {
        panic!("{} reached the output\n{run}", found.escape_unicode());
    }
}

/// Controls, bidi controls, zero-width and tag characters.
fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn read_all(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

fn wait(child: &mut Child, shown: &str) -> ExitStatus {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("a child can be killed");
            child.wait().expect("a killed child ends");
            panic!("still running after {LIMIT:?}\n{shown}");
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The binary as built.
fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_aleph-discover"))
}

/// The binary where a user without rights can start it: the build directory may be closed to it.
fn open_copy(root: &Path) -> PathBuf {
    let copy = root.join("aleph-discover-for-nobody");
    if !copy.exists() && std::fs::hard_link(built(), &copy).is_err() {
        // By another process: what a fork of this one has open for writing cannot be started.
        let copied = Command::new("cp").arg(built()).arg(&copy).status();
        assert!(copied.expect("there is cp").success(), "the binary can be copied");
    }
    copy
}

/// Whether permissions mean anything to a process that the tests start.
enum Rights {
    /// This user is bound by them.
    Apply,
    /// This user is not, but can start processes of one who is.
    ApplyToNobody,
    /// Neither.
    CannotDrop(String),
}

fn permissions_apply() -> Rights {
    let tree = Tree::new("-- closed mode=000 --\nsecret");
    let closed = tree.path("closed");
    if std::fs::read(&closed).is_err() {
        return Rights::Apply;
    }
    let tried = Command::new("cat")
        .arg(&closed)
        .uid(NOBODY)
        .gid(NOBODY)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match tried {
        Ok(status) if status.success() => {
            Rights::CannotDrop("another user can read everything too".to_owned())
        }
        Ok(_) => Rights::ApplyToNobody,
        Err(error) => Rights::CannotDrop(format!("its rights cannot be dropped: {error}")),
    }
}
