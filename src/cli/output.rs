//! Where answers go: data to standard output, talk to standard error.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::Path;

use aleph_discover::host::HostProfile;
use aleph_discover::model::Diagnostic;
use aleph_discover::report::table::{self, Look};
use aleph_discover::report::{escape, shell, write_json, write_json_line};
use serde::Serialize;

use super::args::{Color, Format, Global, Host};

/// The two streams, and how to write to them.
pub(super) struct Output {
    stdout: BufWriter<Stdout>,
    pub(super) format: Format,
    null: bool,
    quiet: bool,
    /// What could not be read and was not told of, since nothing but the answer is wanted.
    withheld: Vec<Diagnostic>,
    verbose: bool,
    color: Color,
    relative: bool,
    /// The flags that say what is asked about, to be repeated in hints: the next command is about the same place.
    same_place: String,
}

impl Output {
    pub(super) fn new(global: &Global) -> Self {
        Self {
            stdout: BufWriter::with_capacity(64 * 1024, io::stdout()),
            format: global.output_format(),
            null: global.null,
            quiet: global.quiet,
            withheld: Vec::new(),
            verbose: global.verbose,
            color: global.color,
            relative: global.relative,
            same_place: place(global),
        }
    }

    /// Whether nothing but the answer is wanted.
    pub(super) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How tables are to look on standard output; `directory` is what relative paths are relative to.
    pub(super) fn look(&self, directory: &Path) -> Look {
        let width = terminal_width(&io::stdout());
        let is_terminal = width.is_some();
        let color = colored(self.color, &io::stdout());
        Look {
            color,
            hyperlinks: color && is_terminal && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
            width,
            relative_to: self.relative.then(|| directory.to_path_buf()),
            // What the reader's shell would make of `~`, whatever --home says. A pipe gets paths in full.
            home: if is_terminal { dirs::home_dir() } else { None },
            quiet: self.quiet,
        }
    }

    /// The stream that tables are written to.
    pub(super) const fn stdout(&mut self) -> &mut BufWriter<Stdout> {
        &mut self.stdout
    }

    /// Writes an answer as one JSON object.
    pub(super) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        write_json(&mut self.stdout, value)
    }

    /// Writes one line of an answer as JSON lines.
    pub(super) fn json_line<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        write_json_line(&mut self.stdout, value)
    }

    /// Writes a path: raw and ended by NUL if asked to, else on a line of its own with what could steer a
    /// terminal escaped.
    pub(super) fn path(&mut self, path: &Path) -> io::Result<()> {
        if self.null {
            self.stdout.write_all(path.as_os_str().as_encoded_bytes())?;
            self.stdout.write_all(b"\0")
        } else if path.to_str().is_some() || path.to_string_lossy().contains(escape::is_unsafe) {
            writeln!(self.stdout, "{}", escape::visible(&path.to_string_lossy()))
        } else {
            self.stdout.write_all(path.as_os_str().as_encoded_bytes())?;
            self.stdout.write_all(b"\n")
        }
    }

    /// Tells the findings and what to do next, after the answer.
    pub(super) fn talk(&mut self, diagnostics: &[Diagnostic], hints: &[String]) -> io::Result<()> {
        self.stdout.flush()?;
        if self.quiet {
            let gaps = diagnostics.iter().filter(|diagnostic| diagnostic.is_gap());
            self.withheld.extend(gaps.cloned());
            return Ok(());
        }
        self.tell(diagnostics, hints);
        Ok(())
    }

    /// Says what could not be read, also where nothing but the answer is wanted: an exit code that says so never
    /// stands alone.
    pub(super) fn tell_withheld(&mut self) -> io::Result<()> {
        self.stdout.flush()?;
        let withheld = std::mem::take(&mut self.withheld);
        if !withheld.is_empty() {
            self.tell(&withheld, &[]);
        }
        Ok(())
    }

    fn tell(&self, diagnostics: &[Diagnostic], hints: &[String]) {
        let look = Look {
            color: colored(self.color, &io::stderr()),
            width: terminal_width(&io::stderr()),
            ..Look::default()
        };
        let mut stderr = BufWriter::new(io::stderr().lock());
        // Whoever closed standard error does not want to be told.
        let _ = table::diagnostics(diagnostics, self.verbose, &look, &mut stderr);
        let hints: Vec<String> = hints
            .iter()
            .map(|hint| in_place(&self.same_place, hint))
            .collect();
        let _ = table::hints(&hints, &look, &mut stderr);
        let _ = stderr.flush();
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

/// Width of the terminal that a stream leads to; 80 columns where it does not say.
fn terminal_width(stream: &impl IsTerminal) -> Option<usize> {
    stream.is_terminal().then(|| {
        terminal_size::terminal_size()
            .map(|(width, _)| usize::from(width.0))
            .filter(|width| *width > 0)
            .unwrap_or(80)
    })
}

/// A hint whose commands are asked about the same place as this one.
pub(super) fn same_place(global: &Global, hint: &str) -> String {
    in_place(&place(global), hint)
}

fn in_place(place: &str, hint: &str) -> String {
    hint.replace("`aleph-discover ", &format!("`aleph-discover {place}"))
}

/// The flags that decide what is asked about, each followed by a blank, as a shell would be given them.
fn place(global: &Global) -> String {
    let mut flags = String::new();
    let mut flag = |name: &str, value: &Path| {
        flags.push_str(&shell::flag(name, &value.to_string_lossy()));
        flags.push(' ');
    };
    for (name, value) in [
        ("-C", &global.directory),
        ("--home", &global.home),
        ("--aleph-home", &global.aleph_home),
    ] {
        if let Some(value) = value {
            flag(name, value);
        }
    }
    match global.host {
        Host::One(host) if host == HostProfile::native().id => {}
        Host::One(host) => flag("--host", Path::new(host.as_str())),
        Host::All => flag("--host", Path::new("all")),
    }
    for dir in &global.plugin_dir {
        flag("--plugin-dir", dir);
    }
    if let Some(settings) = &global.settings {
        flag("--settings", Path::new(settings));
    }
    if let Some(depth) = global.max_depth {
        flag("--max-depth", Path::new(&depth.to_string()));
    }
    for (name, given) in [
        ("--no-claude ", global.no_claude),
        ("--no-project ", global.no_project),
    ] {
        if given {
            flags.push_str(name);
        }
    }
    flags
}

/// Whether a stream gets colours: NO_COLOR, CLICOLOR and CLICOLOR_FORCE count where the flag leaves it open.
fn colored<S: anstream::stream::RawStream>(color: Color, stream: &S) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
    }
}
