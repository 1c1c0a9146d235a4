//! One pass over one component directory: every entry becomes a candidate, whatever it is.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::behind_links::BehindLinks;
use super::listing::Listing;
use super::marker::{LinkedMarker, MarkerReader, Opened, Reading, follow};
use super::names::{choose_id, in_nfc};
use super::real_path::RealPaths;
use super::{platform, plugins, roots};
use crate::host::{KindSpec, Layout};
use crate::model::{
    Candidate, Code, ComponentKind, Diagnostic, Form, IdOrigin, Place, RootDir, RootStatus, Severity, State,
    WordPool,
};
use crate::parse::front_matter;

/// What scanning has found so far.
#[derive(Debug, Default)]
pub struct Found {
    /// Every directory entry that was met, in no particular order. Valid ones are [`State::Active`] until
    /// candidates are resolved into chains.
    pub candidates: Vec<Candidate>,
    /// What is worth telling about them.
    pub diagnostics: Vec<Diagnostic>,
    /// True when the operating system refused to let something be read.
    pub incomplete: bool,
    /// What was said of them so far.
    pub(super) words: WordPool,
    /// How much was met behind links to folders.
    pub(super) behind_links: BehindLinks,
    /// What keeps the host from starting here, if anything does.
    pub(super) stop: Option<Stop>,
}

/// What keeps a host from starting.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    /// The file that does.
    pub(super) path: PathBuf,
    /// The key in it, where one is known.
    pub(super) key: Option<String>,
    /// Why.
    pub(super) why: String,
}

/// Reads component directories, one level deep.
///
/// It opens regular files only, never waits for one, follows no link out of the directory, and never fails: what
/// cannot be read becomes a candidate that says so.
#[derive(Debug, Default)]
pub struct DirectoryScanner {
    reader: MarkerReader,
    real_paths: RealPaths,
    /// Whether entries are only counted, but for plugins, which are roots themselves.
    only_counts: bool,
}

impl DirectoryScanner {
    /// A scanner that counts what component directories hold, and opens nothing in them.
    pub(crate) fn counting() -> Self {
        Self {
            only_counts: true,
            ..Self::default()
        }
    }

    /// A scanner; one can be used for any number of directories.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a component directory as a host does that walks trees.
    pub(super) fn list(&mut self, listing: &Listing<'_>, path: &Path, found: &mut Found) -> RootDir {
        listing.read(path, &mut self.reader, found)
    }

    /// Reads a single file or folder as a host does that walks trees.
    pub(super) fn list_one(&mut self, listing: &Listing<'_>, path: &Path, found: &mut Found) -> RootDir {
        listing.read_one(path, &mut self.reader, found)
    }

    /// Reads the component directory at `path` as `spec` says, and adds what it holds to `found`. `place` is
    /// given to every candidate.
    pub fn scan(&mut self, spec: &KindSpec, path: &Path, place: &Place, found: &mut Found) -> RootDir {
        let (mut dir, listing) = found.open(spec, path);
        let Some(listing) = listing else {
            return dir;
        };
        let real_path = self.real_paths.of(path).unwrap_or_else(|| path.to_path_buf());
        for entry in listing {
            match entry {
                Ok(entry) => {
                    dir.entries += 1;
                    if self.only_counts && spec.kind != ComponentKind::Plugin {
                        continue;
                    }
                    Visit {
                        spec,
                        place,
                        component_dir: &real_path,
                        reader: &mut self.reader,
                        found,
                    }
                    .entry(&entry.file_name(), &entry.path(), entry.file_type());
                }
                Err(error) => {
                    dir.status = RootStatus::Unreadable;
                    dir.reason = Some(error.to_string());
                    found.cannot_list(path, &error);
                }
            }
        }
        dir.real_path = Some(real_path);
        dir
    }

    /// Reads one entry of a directory as if it stood in a component directory. `inside` is the real path of the
    /// directory that a link in place of its marker may not leave.
    pub(crate) fn scan_one(
        &mut self,
        spec: &KindSpec,
        path: &Path,
        inside: &Path,
        place: &Place,
        found: &mut Found,
    ) {
        if self.only_counts {
            return;
        }
        let name = path.file_name().unwrap_or_default();
        let file_type = fs::symlink_metadata(path).map(|metadata| metadata.file_type());
        Visit {
            spec,
            place,
            component_dir: inside,
            reader: &mut self.reader,
            found,
        }
        .entry(name, path, file_type);
    }
}

impl Found {
    /// Opens the component directory at `path`, or says in its entry why there is nothing to list.
    pub(super) fn open(&mut self, spec: &KindSpec, path: &Path) -> (RootDir, Option<fs::ReadDir>) {
        let mut dir = RootDir::new(spec.kind, path.to_path_buf(), spec.layout.marker());
        match fs::read_dir(path) {
            Ok(listing) => (dir, Some(listing)),
            Err(error) => {
                (dir.status, dir.reason) = roots::absence(path, &error);
                if dir.status == RootStatus::Unreadable {
                    self.cannot_list(path, &error);
                }
                (dir, None)
            }
        }
    }

    pub(super) fn cannot_list(&mut self, path: &Path, error: &io::Error) {
        self.incomplete = true;
        self.diagnostics.push(
            Diagnostic::new(
                Code::Unreadable,
                Severity::Error,
                format!("cannot list this directory: {error}"),
            )
            .with_path(path)
            .with_help("what it holds is unknown; make it readable, or run as a user who may read it"),
        );
    }
}

/// One entry being judged.
pub(super) struct Visit<'a> {
    pub(super) spec: &'a KindSpec,
    pub(super) place: &'a Place,
    /// Real path of the component directory.
    pub(super) component_dir: &'a Path,
    pub(super) reader: &'a mut MarkerReader,
    pub(super) found: &'a mut Found,
}

impl Visit<'_> {
    fn entry(&mut self, name: &OsStr, path: &Path, file_type: io::Result<fs::FileType>) {
        let file_type = match file_type {
            Ok(file_type) => file_type,
            Err(error) => {
                let candidate = self.blank(name, Form::File, IdOrigin::FileName);
                return self.unreadable(candidate, path, &error);
            }
        };
        let extension = match &self.spec.layout {
            Layout::Marked { extension, .. } => Some(*extension),
            Layout::Plugins | Layout::Tree(_) => None,
        };
        let has_extension = extension.is_some_and(|extension| has_extension(name, extension));
        let (form, id) = if has_extension {
            (Form::File, IdOrigin::PathName)
        } else if file_type.is_dir() || file_type.is_symlink() {
            (Form::Directory, IdOrigin::PathName)
        } else {
            (Form::File, IdOrigin::FileName)
        };
        if name.as_encoded_bytes().first() == Some(&b'.') {
            let mut candidate = self.blank(name, form, id);
            candidate.state = State::Ignored;
            candidate.code = Some(Code::Hidden);
            self.found.candidates.push(candidate);
        } else if file_type.is_symlink() {
            let candidate = self.blank(name, form, id);
            self.linked_entry(candidate, path);
        } else if file_type.is_dir() {
            let candidate = self.blank(name, Form::Directory, IdOrigin::PathName);
            match &self.spec.layout {
                Layout::Marked { marker, .. } => self.directory(candidate, path, marker),
                Layout::Plugins | Layout::Tree(_) => plugins::visit(self, candidate, path),
            }
        } else if !file_type.is_file() {
            let candidate = self.blank(name, form, id);
            self.reject_special(candidate, path);
        } else if has_extension {
            let mut candidate = self.blank(name, form, id);
            candidate.has_marker = true;
            self.marker(candidate, path, path);
        } else {
            let mut candidate = self.blank(name, form, id);
            candidate.state = State::Ignored;
            candidate.code = Some(Code::WrongKind);
            self.found.candidates.push(candidate);
        }
    }

    pub(super) fn blank(&self, name: &OsStr, form: Form, id: IdOrigin) -> Candidate {
        // Ids are compared in NFC, also those of what is out of the running.
        let lossy = name.to_string_lossy();
        let shown = match (&id, form) {
            (IdOrigin::PathName, Form::File) => lossy.rsplit_once('.').map_or(&*lossy, |(stem, _)| stem),
            _ => &*lossy,
        };
        let id = match in_nfc(shown) {
            Cow::Borrowed(_) => id,
            Cow::Owned(normal) => IdOrigin::Derived(normal.into()),
        };
        Candidate::new(self.spec.kind, form, self.place.clone(), name, id)
    }

    /// A child that is a symbolic link is never followed: a link inside the tree can change under us.
    pub(super) fn linked_entry(&mut self, mut candidate: Candidate, path: &Path) {
        let target = fs::read_link(path).ok();
        let real = path.canonicalize();
        let message: Cow<'_, str> = match &real {
            Ok(real) if self.component_dir.starts_with(real) => {
                "a symbolic link to a directory that it lies in, so a cycle".into()
            }
            Ok(real) if real.starts_with(self.component_dir) => {
                "a symbolic link to an entry of the same directory".into()
            }
            Ok(_) => {
                "a symbolic link that leads out of its directory; entries must be real files and directories"
                    .into()
            }
            Err(error) if platform::is_circle(error) => {
                "a symbolic link that leads back to itself, so a cycle".into()
            }
            Err(error) if platform::leads_nowhere(error) => {
                "a symbolic link to something that is not there".into()
            }
            Err(error) => format!("a symbolic link, and where it leads cannot be told: {error}").into(),
        };
        let detail = candidate.detail_mut();
        detail.symlink_target = target;
        detail.real_path = real.ok();
        self.reject(
            candidate,
            path,
            Code::Symlink,
            &message,
            "copy what it points at to this place, or link the folder that holds it instead",
        );
    }

    fn directory(&mut self, mut candidate: Candidate, path: &Path, marker: &str) {
        if let Some((marker, file_type)) = self.reader.exactly_named(path, marker) {
            candidate.has_marker = true;
            return self.marker_entry(candidate, &marker, file_type);
        }
        let listing = match fs::read_dir(path) {
            Ok(listing) => listing,
            Err(error) => return self.unreadable(candidate, path, &error),
        };
        let mut wrong_case = None;
        for entry in listing {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.unreadable(candidate, path, &error),
            };
            let name = entry.file_name();
            if name == marker {
                candidate.has_marker = true;
                return match entry.file_type() {
                    Ok(file_type) => self.marker_entry(candidate, &entry.path(), file_type),
                    Err(error) => self.unreadable(candidate, &entry.path(), &error),
                };
            }
            if name.eq_ignore_ascii_case(marker) && wrong_case.as_ref().is_none_or(|other| name < *other) {
                wrong_case = Some(name);
            }
        }
        candidate.state = State::Ignored;
        match wrong_case {
            None => {
                candidate.code = Some(Code::NoMarker);
                self.found.candidates.push(candidate);
            }
            Some(name) => {
                let message = format!(
                    "the marker is called {}; it must be {marker} exactly",
                    name.display()
                );
                candidate.has_marker = true;
                candidate.code = Some(Code::WrongCase);
                let wrong = path.join(&name);
                let detail = candidate.detail_mut();
                detail.marker_name = Some(name.into_boxed_os_str());
                detail.message = Some(message.into());
                detail.help = Some(format!("rename it to {marker}").into());
                self.found.tell(&mut candidate, &wrong, Severity::Warning);
                self.found.candidates.push(candidate);
            }
        }
    }

    fn marker_entry(&mut self, mut candidate: Candidate, path: &Path, file_type: FileType) {
        match file_type {
            file_type if file_type.is_file() => self.marker(candidate, path, path),
            file_type if file_type.is_symlink() => {
                candidate.detail_mut().symlink_target = fs::read_link(path).ok();
                match follow(path, self.component_dir) {
                    LinkedMarker::Inside(real) => {
                        candidate.detail_mut().real_path = Some(real.clone());
                        self.marker(candidate, path, &real);
                    }
                    LinkedMarker::Outside(real) => {
                        candidate.detail_mut().real_path = Some(real);
                        let message = "the marker is a symbolic link that leads out of its directory";
                        self.reject(
                            candidate,
                            path,
                            Code::EscapesRoot,
                            message,
                            "replace the link by a real file",
                        );
                    }
                    LinkedMarker::NotRegular(real) => {
                        candidate.detail_mut().real_path = Some(real);
                        self.reject_special(candidate, path);
                    }
                    LinkedMarker::Broken(error) => {
                        let message = format!("the marker is a symbolic link that leads nowhere: {error}");
                        self.reject(
                            candidate,
                            path,
                            Code::Symlink,
                            &message,
                            "replace the link by a real file",
                        );
                    }
                    LinkedMarker::Refused(error) => self.unreadable(candidate, path, &error),
                }
            }
            _ => self.reject_special(candidate, path),
        }
    }

    /// Reads the file that defines a component: `path` as people see it, `real` without a link at its end.
    fn marker(&mut self, mut candidate: Candidate, path: &Path, real: &Path) {
        match self.reader.read(real) {
            Opened::Read(reading) => self.judge(candidate, path, *reading),
            Opened::NotRegular => self.reject_special(candidate, path),
            Opened::BecameLink => {
                candidate.detail_mut().symlink_target = fs::read_link(path).ok();
                self.reject(
                    candidate,
                    path,
                    Code::Symlink,
                    "became a symbolic link while being read",
                    "run again",
                );
            }
            Opened::Refused(error) => self.unreadable(candidate, path, &error),
        }
    }

    fn judge(&mut self, mut candidate: Candidate, path: &Path, reading: Reading) {
        let front_matter = front_matter::of_utf16(self.reader.bytes()).unwrap_or(reading.front_matter);
        candidate.identity = reading.identity;
        candidate.size = reading.size;
        let chosen = choose_id(front_matter.name.as_deref(), &candidate.path_name());
        candidate.set_declared_name(front_matter.name);
        candidate.description = front_matter.description;
        candidate.set_id(chosen.origin);

        let mut findings = Vec::new();
        for problem in front_matter.findings {
            let severity = match problem.code {
                Code::NameNotText => Severity::Note,
                _ => Severity::Warning,
            };
            findings.push(problem.into_diagnostic(severity));
        }
        if let Some(why) = chosen.declared_refusal {
            let name = candidate.declared_name().unwrap_or_default();
            findings.push(
                Diagnostic::new(
                    Code::UnusableName,
                    Severity::Warning,
                    format!("the declared name `{name}` cannot be an id: {why}; the path's name is used"),
                )
                .with_help("choose a name without `/`, `\\`, `:` and control characters"),
            );
        }
        if chosen.mismatch {
            let declared = candidate.declared_name().unwrap_or_default();
            let declared = declared.trim();
            findings.push(
                Diagnostic::new(
                    Code::NameMismatch,
                    Severity::Note,
                    format!(
                        "goes by its declared name `{declared}`, not by its path's name `{}`",
                        candidate.path_name()
                    ),
                )
                .with_help("give both the same name: other hosts go by the path"),
            );
        }
        let id = candidate.id().into_owned();
        for finding in findings {
            let finding = Diagnostic {
                message: self.found.words.share(finding.message),
                help: finding.help.map(|help| self.found.words.share(help)),
                ..finding
            };
            self.found
                .diagnostics
                .push(finding.with_path(path).with_subject(candidate.kind, id.as_str()));
        }

        if reading.too_large {
            let detail = candidate.detail_mut();
            detail.message =
                Some("the front matter does not end within the first 64 KiB, so it was not read".into());
            detail.help = Some("close it with a line `---`, and move long text into the body".into());
            (detail.line, detail.column) = (Some(1), Some(1));
            self.invalid(candidate, path, Code::TooLarge);
        } else if let Some(problem) = front_matter.invalid {
            let detail = candidate.detail_mut();
            detail.message = Some(problem.message.into());
            detail.help = problem.help.map(Into::into);
            (detail.line, detail.column) = (problem.line, problem.column);
            self.invalid(candidate, path, problem.code);
        } else if let Some(why) = chosen.path_refusal {
            let detail = candidate.detail_mut();
            detail.message = Some(format!("its path's name cannot be an id: {why}").into());
            detail.help = Some("rename it, or declare a `name` in its front matter".into());
            self.invalid(candidate, path, Code::UnusableName);
        } else {
            self.found.candidates.push(candidate);
        }
    }

    fn invalid(&mut self, mut candidate: Candidate, path: &Path, code: Code) {
        candidate.state = State::Invalid;
        candidate.code = Some(code);
        self.found.tell(&mut candidate, path, Severity::Error);
        self.found.candidates.push(candidate);
    }

    pub(super) fn reject_special(&mut self, candidate: Candidate, path: &Path) {
        let what = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => "a directory",
            _ => "a FIFO, socket or device",
        };
        let message = format!("{what} stands where a regular file must be, so it was not opened");
        self.reject(
            candidate,
            path,
            Code::NotRegular,
            &message,
            "replace it by a regular file",
        );
    }

    fn reject(&mut self, mut candidate: Candidate, path: &Path, code: Code, message: &str, help: &str) {
        candidate.state = State::Rejected;
        candidate.code = Some(code);
        let detail = candidate.detail_mut();
        detail.message = Some(message.into());
        detail.help = Some(help.into());
        self.found.tell(&mut candidate, path, Severity::Warning);
        self.found.candidates.push(candidate);
    }

    pub(super) fn unreadable(&mut self, mut candidate: Candidate, path: &Path, error: &io::Error) {
        self.found.incomplete = true;
        candidate.state = State::Unreadable;
        candidate.code = Some(Code::Unreadable);
        let detail = candidate.detail_mut();
        detail.message = Some(error.to_string().into());
        detail.help = Some(
            match error.kind() {
                io::ErrorKind::NotFound => "it vanished while being read: run again",
                _ => "make it readable, or run as a user who may read it",
            }
            .into(),
        );
        self.found.tell(&mut candidate, path, Severity::Error);
        self.found.candidates.push(candidate);
    }
}

impl Found {
    /// Tells of a candidate that is out of the running in the words that the candidate itself has.
    fn tell(&mut self, candidate: &mut Candidate, path: &Path, severity: Severity) {
        let (Some(code), Some(detail)) = (candidate.code, candidate.detail.as_deref_mut()) else {
            return;
        };
        for said in [&mut detail.message, &mut detail.help] {
            *said = said.take().map(|said| self.words.share(said));
        }
        let message = detail.message.clone().unwrap_or_default();
        self.diagnostics.push(Diagnostic {
            help: detail.help.clone(),
            ..Diagnostic::new(code, severity, message)
                .with_path(path)
                .with_position(detail.line, detail.column)
                .with_subject(candidate.kind, candidate.id())
        });
    }
}

/// Whether a name ends in exactly this extension and has something before it.
fn has_extension(name: &OsStr, extension: &str) -> bool {
    Path::new(name).extension() == Some(OsStr::new(extension))
}
