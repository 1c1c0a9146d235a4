//! `completions`: the scripts for shells, and the answers to them.
//!
//! A script holds no flags and no names. Each time, the shell sets [`VARIABLE`] and hands over the words on the
//! line; the program works out what can follow. So names found on disk are offered like flags, a script never
//! lags behind the program, and a start without the variable costs one look at the environment.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::env::Shells;

use super::args::{Args, Completions, Shell};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

/// Tells the program that a shell wants to know what can follow, and which shell. It has a name of its own:
/// `COMPLETE`, the usual one, may be set for something else.
pub(super) const VARIABLE: &str = "ALEPH_DISCOVER_COMPLETE";

/// Name of the program, and of the command to be found in PATH.
const NAME: &str = "aleph-discover";

pub(super) fn run(args: &Completions, output: &mut Output) -> Result<Exit, Failure> {
    let script = script(args.shell)?;
    output.stdout().write_all(script.as_bytes())?;
    Ok(Exit::Done)
}

/// The script for a shell.
fn script(shell: Shell) -> io::Result<String> {
    let shells = Shells::builtins();
    let completer = shells
        .completer(shell.as_str())
        .ok_or_else(|| io::Error::other("the shell is not known"))?;
    let mut written = Vec::new();
    completer.write_registration(VARIABLE, NAME, NAME, NAME, &mut written)?;
    let written = String::from_utf8_lossy(&written);
    let lines: Vec<&str> = written.trim().lines().map(str::trim_end).collect();
    let mut script = lines.join("\n");
    script.push('\n');
    if shell == Shell::Zsh {
        // A file in fpath is read at the first Tab: it has to answer that one itself.
        script.push_str(
            "\n[[ $funcstack[1] == _aleph-discover ]] && _clap_dynamic_completer_aleph_discover \"$@\"\ntrue\n",
        );
    }
    Ok(script)
}

/// Answers a shell that asks what can follow; none if no shell asks.
pub(super) fn answer_shell(arguments: &[OsString]) -> Option<ExitCode> {
    let shell = std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    let mut words = arguments.iter().skip_while(|word| *word != "--").skip(1);
    let words: Vec<OsString> = words.by_ref().cloned().collect();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string_lossy());
    let (Some(completer), false) = (completer, words.is_empty()) else {
        // A shell that is not known has no script, and a script always hands over the program's name.
        return Some(Exit::Usage.into());
    };
    let mut candidates = Vec::new();
    let directory = std::env::current_dir().ok();
    let answered = completer
        .write_complete(&mut Args::command(), words, directory.as_deref(), &mut candidates)
        .and_then(|()| io::stdout().write_all(&candidates));
    // Whatever went wrong, a message would end up in the middle of what is being typed.
    Some(
        if answered.is_ok() {
            Exit::Done
        } else {
            Exit::Failed
        }
        .into(),
    )
}
