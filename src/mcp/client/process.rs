//! A server that is a process: started with nothing but what its plan names, and ended with all that it started.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[cfg(windows)]
use process_wrap::tokio::JobObject;
#[cfg(unix)]
use process_wrap::tokio::ProcessGroup;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::error::{FailureKind, ServerError};

/// How much of standard error is kept: more than is shown, so that a secret is whole when it is looked for.
const TAIL_BYTES: usize = 64 * 1024;
/// How long a server may take to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(500);
/// How long it may take after it was asked to end.
const GRACE_AFTER_TERM: Duration = Duration::from_millis(500);
/// How long reaping may take: a process that the kernel holds is not waited for.
const REAP: Duration = Duration::from_secs(2);
/// How often the rest of standard error is looked for, a [`LOOK`] apart: somebody else may hold it open. Counted and not
/// timed: what is in the pipe is read between two looks, however long this process was kept waiting before.
const DRAIN: u32 = 40;
/// How often is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The program that a name means: on Windows the first in the server's own `PATH` with an ending that stands for
/// programs there (`PATHEXT`), as a shell finds it, so that `npx` is `npx.cmd`. The standard library looks for `.exe` alone.
/// What is not found stays as it is written, and starting it says so.
#[cfg(windows)]
fn looked_up(program: &OsStr, directory: &Path, environment: &[(OsString, OsString)]) -> OsString {
    let path = environment
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("PATH"))
        .map(|(_, value)| value);
    which::which_in(program, path, directory)
        .map_or_else(|_| program.to_owned(), std::path::PathBuf::into_os_string)
}

/// The program that a name means: the system itself looks it up.
#[cfg(not(windows))]
fn looked_up(program: &OsStr, _directory: &Path, _environment: &[(OsString, OsString)]) -> OsString {
    program.to_owned()
}

/// Whether a program is one that the shell of Windows runs.
fn is_batch(program: &OsStr) -> bool {
    let ending = Path::new(program).extension();
    cfg!(windows)
        && ending
            .is_some_and(|ending| ending.eq_ignore_ascii_case("cmd") || ending.eq_ignore_ascii_case("bat"))
}

/// A server that runs. Dropping it kills it and all that it started.
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    tail: Tail,
    reading: JoinHandle<()>,
    /// Whether it was waited for: from then on its number may belong to another.
    is_reaped: bool,
}

/// The last bytes of standard error.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Its lines, as they are.
    pub(super) fn lines(&self) -> Vec<String> {
        let tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        drop(tail);
        let mut whole = bytes.as_slice();
        if bytes.len() >= TAIL_BYTES {
            // It may begin in the midst of a secret, which could not be known again.
            let first = bytes.iter().position(|byte| *byte == b'\n');
            let from = first.map_or(TAIL_BYTES / 2, |end| end + 1);
            whole = bytes.get(from..).unwrap_or_default();
        }
        String::from_utf8_lossy(whole)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

/// What is spoken to a process by.
pub(super) struct Streams {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

impl Process {
    /// Starts a program. Has to be called, and what it gives dropped, inside a runtime.
    pub(super) fn start(
        program: &OsStr,
        args: &[OsString],
        directory: &Path,
        environment: &[(OsString, OsString)],
    ) -> Result<(Self, Streams), ServerError> {
        let cannot = |why: &str| {
            let program = Path::new(program).display();
            ServerError::new(
                FailureKind::CannotStart,
                format!("`{program}` cannot be started: {why}"),
            )
        };
        // Both would be told as a program that is not there.
        if !directory.is_dir() {
            return Err(cannot(&format!("there is no directory {}", directory.display())));
        }
        let found = looked_up(program, directory, environment);
        let mut command = CommandWrap::with_new(&found, |command| {
            command
                .args(args)
                .current_dir(directory)
                .env_clear()
                .envs(environment.iter().map(|(name, value)| (name, value)))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
        });
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        command.wrap(KillOnDrop);
        #[cfg(windows)]
        command.wrap(JobObject);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let program = Path::new(program).display();
                ServerError::new(
                    FailureKind::NotFound,
                    format!("there is no program `{program}`, or what its first line names is not there"),
                )
            }
            // The standard library does not hand on to a batch file what that would take for commands.
            io::ErrorKind::InvalidInput if is_batch(&found) => cannot(
                "it is a batch file, and none can safely be given one of its arguments: start what it starts instead",
            ),
            _ => cannot(&error.to_string()),
        })?;
        let inner = child.inner_mut();
        let (stdin, stdout, stderr) = (inner.stdin().take(), inner.stdout().take(), inner.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            let _ = child.start_kill();
            return Err(cannot("it has no standard streams"));
        };
        let tail = Tail::default();
        let reading = tokio::spawn(drain(stderr, tail.clone()));
        let process = Self {
            child,
            tail,
            reading,
            is_reaped: false,
        };
        Ok((process, Streams { stdin, stdout }))
    }

    /// Waits for it to end by itself; how it ended, if it did.
    pub(super) async fn ends_by_itself(&mut self) -> Option<ExitStatus> {
        if !self.ended_within(GRACE).await {
            return None;
        }
        self.ask_to_end();
        self.reap().await
    }

    /// Ends it: its input is closed already, so it is waited for, then asked, then killed; whatever it started too.
    /// Takes no longer than three seconds. What it said last.
    pub(super) async fn end(mut self) -> Vec<String> {
        let ended = self.ended_within(GRACE).await;
        // Those that it started are asked as well, also where the server itself has ended. Until it is reaped its
        // number is its group's and nobody else's.
        if self.ask_to_end() && !ended {
            self.ended_within(GRACE_AFTER_TERM).await;
        }
        self.reap().await;
        // What it wrote before it ended is still in the pipe.
        for _ in 0..DRAIN {
            if timeout(LOOK, &mut self.reading).await.is_ok() {
                break;
            }
        }
        self.last_lines()
    }

    /// The last lines of its standard error, as they are.
    fn last_lines(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// What it says on its standard error, also when it has ended.
    pub(super) fn tail(&self) -> Tail {
        self.tail.clone()
    }

    async fn ended_within(&mut self, patience: Duration) -> bool {
        timeout(patience, async {
            while !self.has_ended() {
                sleep(LOOK).await;
            }
        })
        .await
        .is_ok()
    }

    /// Whether it has ended, without reaping it.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

        let pid = self
            .child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        let Some(pid) = pid else { return true };
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), how), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it and all that it started to end; whether there was anybody to ask.
    #[cfg(unix)]
    fn ask_to_end(&self) -> bool {
        !self.is_reaped && self.child.signal(rustix::process::Signal::TERM.as_raw()).is_ok()
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self, reason = "there is nothing to ask by")]
    const fn ask_to_end(&self) -> bool {
        false
    }

    async fn reap(&mut self) -> Option<ExitStatus> {
        if self.is_reaped {
            return None;
        }
        let _ = self.child.start_kill();
        let status = timeout(REAP, self.child.wait()).await;
        self.is_reaped = true;
        status.ok()?.ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reading.abort();
        if !self.is_reaped {
            let _ = self.child.start_kill();
        }
    }
}

async fn drain(mut stderr: ChildStderr, tail: Tail) {
    let mut buffer = vec![0; 4096];
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let mut tail = tail.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(buffer.iter().take(length));
        let excess = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..excess);
    }
}
