//! Repositories, fetched with the user's own `git`. This is the only place of the library that starts a program.
//!
//! Git is given an environment of its own: nothing of the user's and the system's configuration, no hooks, no
//! templates, no submodules, no prompts, no stored credentials, and only the protocols that [`address`] takes. What
//! it puts on disk is bounded while it runs.
//!
//! [`address`]: crate::plugin::source::address

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::error::InstallError;
use super::step::{Observer, Step};
use crate::parse::manifest::marketplace::GitPick;
use crate::plugin::source;
use crate::plugin::tree::MAX_BYTES;

/// How long one run of git may take.
pub const MAX_TIME: Duration = Duration::from_secs(600);
/// How many bytes a repository may take on disk while it is fetched: what is checked out, and twice that packed.
pub const MAX_CLONE: u64 = 3 * MAX_BYTES;

/// The variables of the caller's environment that git is given.
const PASSED: &[&str] = &[
    "PATH",
    "SystemRoot",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

/// The user's git, and what it is given of the user's environment.
#[derive(Clone, Debug)]
pub struct Git {
    environment: Vec<(OsString, OsString)>,
}

/// What was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The commit that is checked out: 40 or 64 hex digits.
    pub commit: String,
}

impl Git {
    /// Takes what git may have of an environment: where programs and certificates are, proxies, the agent for keys.
    #[must_use]
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let is_passed = |name: &OsStr| PASSED.iter().any(|passed| name == *passed);
        Self {
            environment: environment
                .into_iter()
                .filter(|(name, _)| is_passed(name))
                .collect(),
        }
    }

    /// Fetches one commit of a repository into an empty directory: the pinned one, that of a branch or tag, or the
    /// default branch's. `url` has passed [`address`](crate::plugin::source::address).
    ///
    /// # Errors
    ///
    /// [`InstallError`]: git is missing or failed, the pick is unsafe, or another commit came than the pinned one.
    pub fn fetch(
        &self,
        url: &str,
        pick: &GitPick,
        into: &Path,
        observer: &mut dyn Observer,
    ) -> Result<Fetched, InstallError> {
        check_pick(url, pick)?;
        let sha = pick.sha.as_deref().map(str::to_ascii_lowercase);
        let wanted = sha.as_deref().or(pick.reference.as_deref()).unwrap_or("HEAD");
        let mut run = |args: &[&str]| self.run(url, into, args, observer);
        // What `git clone --depth 1 --no-tags` does, in steps that can also ask for a commit.
        run(&["init", "--quiet", "--template="])?;
        let shallow = run(&[
            "fetch",
            "--quiet",
            "--depth=1",
            "--no-tags",
            "--no-recurse-submodules",
            "--",
            url,
            wanted,
        ]);
        match (&shallow, &sha) {
            (Err(InstallError::Git { .. }), Some(_)) => {
                // Some servers give commits only as part of a branch.
                let branch = pick.reference.as_deref().unwrap_or("HEAD");
                run(&[
                    "fetch",
                    "--quiet",
                    "--no-tags",
                    "--no-recurse-submodules",
                    "--",
                    url,
                    branch,
                ])?;
            }
            _ => {
                shallow?;
            }
        }
        let checked_out = sha.as_deref().unwrap_or("FETCH_HEAD");
        run(&[
            "checkout",
            "--quiet",
            "--detach",
            "--force",
            "--no-recurse-submodules",
            checked_out,
            "--",
        ])?;
        let commit = run(&["rev-parse", "--verify", "HEAD"])?.trim().to_owned();
        match sha {
            Some(wanted) if wanted != commit => Err(InstallError::Commit {
                url: url.to_owned(),
                wanted,
                found: commit,
            }),
            _ => Ok(Fetched { commit }),
        }
    }

    /// Runs git in a directory and gives what it prints; kills it when it takes too long or too much.
    fn run(
        &self,
        url: &str,
        dir: &Path,
        args: &[&str],
        observer: &mut dyn Observer,
    ) -> Result<String, InstallError> {
        let failed = |why: String| InstallError::Git {
            url: url.to_owned(),
            why,
        };
        let mut child = self
            .command(dir, args)
            .spawn()
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => InstallError::NoGit { url: url.to_owned() },
                _ => failed(format!("git cannot be started: {error}")),
            })?;
        let out = collect(child.stdout.take());
        let err = collect(child.stderr.take());
        let ended = wait(&mut child, url, dir, observer);
        // The terminal interrupts git as well, which then says that it failed.
        InstallError::unless_interrupted(observer)?;
        // What a git has started that was killed may go on for a while, and holds its output open: it is not waited for.
        let is_content = ended.map_err(&failed)?;
        let (Ok(out), Ok(err)) = (out.join(), err.join()) else {
            return Err(failed("its output cannot be read".to_owned()));
        };
        match is_content {
            true => Ok(out),
            false => Err(failed(words(&err))),
        }
    }

    fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(dir)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            // No `.gitconfig` and no `.netrc`: this home has neither.
            .env("HOME", dir.parent().unwrap_or(dir))
            .env("XDG_CONFIG_HOME", dir.parent().unwrap_or(dir))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", null_device())
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", dir.parent().unwrap_or(dir))
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "true")
            .env("SSH_ASKPASS", "true")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
            .env("GIT_ALLOW_PROTOCOL", "https:http:ssh:git:file")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("LC_ALL", "C");
        for setting in [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.autocrlf=false",
            "core.protectHFS=true",
            "core.protectNTFS=true",
            "credential.helper=",
            "protocol.ext.allow=never",
            "submodule.recurse=false",
            "gc.auto=0",
            "maintenance.auto=false",
            "http.followRedirects=initial",
            "advice.detachedHead=false",
            "init.defaultBranch=main",
            // A server that says nothing is given up, also when nobody waits any more.
            "http.lowSpeedLimit=100",
            "http.lowSpeedTime=60",
        ] {
            command.arg("-c").arg(setting);
        }
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Where a process clones to: a git whose parent was killed must not meet the clone of the next.
pub(super) fn directory() -> String {
    format!("clone-{}", std::process::id())
}

fn null_device() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}

/// Refuses what a marketplace picks of a repository where git could take it for something else.
fn check_pick(url: &str, pick: &GitPick) -> Result<(), InstallError> {
    source::check_pick(pick).map_err(|error| InstallError::Pick {
        what: error.what,
        text: error.text,
        url: url.to_owned(),
        why: error.why,
    })
}

/// Reads a stream to its end in the background; keeps the first 64 KiB.
fn collect(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(64 * 1024).read_to_end(&mut kept);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

/// Waits for git, looking now and then at the time and at what is on disk; whether git was content.
fn wait(child: &mut Child, url: &str, dir: &Path, observer: &mut dyn Observer) -> Result<bool, String> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) => {}
            Err(error) => return Err(error.to_string()),
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
        let bytes = if pause.as_millis() < 100 { 0 } else { size(dir) };
        observer.at(Step::Fetching { url, bytes });
        let why = if observer.is_interrupted() {
            "it was interrupted".to_owned()
        } else if start.elapsed() > MAX_TIME {
            format!("it took more than {} seconds", MAX_TIME.as_secs())
        } else if bytes > MAX_CLONE {
            format!("it takes more than {MAX_CLONE} bytes on disk")
        } else {
            continue;
        };
        let _ = child.kill();
        let _ = child.wait();
        return Err(why);
    }
}

/// Bytes of the files below a directory.
fn size(dir: &Path) -> u64 {
    let mut total = 0_u64;
    let mut open: Vec<PathBuf> = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                open.push(entry.path());
            } else {
                total = total.saturating_add(metadata.len());
            }
        }
    }
    total
}

/// Git's words on one line, without the ones that only repeat that it failed.
fn words(err: &str) -> String {
    let lines: Vec<&str> = err
        .lines()
        .map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("fatal: ").unwrap_or(line);
            line.strip_prefix("error: ").unwrap_or(line)
        })
        .filter(|line| !line.is_empty())
        .take(3)
        .collect();
    if lines.is_empty() {
        return "it failed without a word".to_owned();
    }
    crate::parse::secrets::mask_text(&lines.join("; ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_that_git_could_take_for_something_else_are_refused() {
        let pick = |sha: Option<&str>, reference: Option<&str>| {
            let pick = GitPick {
                path: None,
                reference: reference.map(str::to_owned),
                sha: sha.map(str::to_owned),
            };
            check_pick("u", &pick).is_ok()
        };
        for reference in [
            "-x",
            "--upload-pack=id",
            "a:b",
            "a b",
            "a..b",
            "+main",
            "",
            "a@{1}",
            "a^",
            "a~1",
        ] {
            assert!(!pick(None, Some(reference)), "{reference}");
        }
        for reference in ["main", "v1.0", "feature/x", "a-b_c"] {
            assert!(pick(None, Some(reference)), "{reference}");
        }
        assert!(!pick(Some("abc"), None));
        assert!(!pick(Some(&"g".repeat(40)), None));
        assert!(pick(Some(&"A".repeat(40)), None));
    }

    #[test]
    fn only_what_is_listed_of_the_environment_is_passed_on() {
        let pair = |name: &str| (OsString::from(name), OsString::from("x"));
        let git = Git::new(["PATH", "GIT_DIR", "GIT_CONFIG_COUNT", "HOME", "AWS_SECRET"].map(pair));
        assert_eq!(git.environment, [pair("PATH")]);
    }
}
