//! Reading a component directory as a host does that walks trees, follows links or skips names.
//!
//! Which of these it does is data ([`TreeSpec`]); this is the walk. It ends on every tree: a real directory is
//! never entered below itself, and the depth is bounded.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::config_files::read_regular;
use super::judge::{self, Judged, Refusal};
use super::marker::{MarkerReader, Opened};
use super::roots;
use super::scanner::{Found, Stop};
use crate::host::{Entries, IdRule, KindSpec, TreeSpec};
use crate::model::{
    Candidate, Code, DeclaredName, Diagnostic, Form, IdOrigin, Place, RootDir, RootStatus, Severity, State,
};
use crate::parse::document::{Format, Value, parse};

/// A component directory to read.
pub(super) struct Listing<'a> {
    pub(super) spec: &'a KindSpec,
    pub(super) tree: &'a TreeSpec,
    pub(super) place: Place,
    /// The plugin that brings it, whose name stands before each id.
    pub(super) plugin: Option<&'a str>,
}

/// The state of one walk.
struct Walker<'a, 'f> {
    listing: &'a Listing<'a>,
    reader: &'a mut MarkerReader,
    found: &'f mut Found,
    /// Real paths of the directories that are being read, outermost first.
    open: Vec<PathBuf>,
    entries: u64,
}

impl Listing<'_> {
    /// Reads the directory at `path` and adds what it holds to `found`.
    pub(super) fn read(&self, path: &Path, reader: &mut MarkerReader, found: &mut Found) -> RootDir {
        let mut dir = RootDir {
            kind: self.spec.kind,
            path: path.to_path_buf(),
            real_path: None,
            marker: self.spec.layout.marker(),
            status: RootStatus::Scanned,
            reason: None,
            entries: 0,
        };
        let listing = match fs::read_dir(path) {
            Ok(listing) => listing,
            Err(error) => {
                (dir.status, dir.reason) = roots::absence(path, &error);
                if dir.status == RootStatus::Unreadable {
                    found.cannot_list(path, &error);
                }
                return dir;
            }
        };
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let mut walker = Walker {
            listing: self,
            reader,
            found,
            open: vec![real.clone()],
            entries: 0,
        };
        walker.directory(path, Path::new(""), &real, listing, 0);
        dir.entries = walker.entries;
        dir.real_path = Some(real);
        dir
    }
}

impl Listing<'_> {
    /// Reads a single file, or a single folder with a marker, as if it were all that its directory holds.
    pub(super) fn read_one(&self, path: &Path, reader: &mut MarkerReader, found: &mut Found) -> RootDir {
        let parent = path.parent().unwrap_or(path);
        let real = parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf());
        let name = path.file_name().unwrap_or_default().to_owned();
        let metadata = fs::metadata(path).ok();
        let is = |test: fn(&fs::Metadata) -> bool| metadata.as_ref().is_some_and(test);
        let child = Child {
            inner: PathBuf::from(&name),
            path: path.to_path_buf(),
            real: path.canonicalize().ok(),
            linked: fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()),
            is_dir: is(fs::Metadata::is_dir),
            is_file: is(fs::Metadata::is_file),
            name,
        };
        let mut walker = Walker {
            listing: self,
            reader,
            found,
            open: vec![real.clone()],
            entries: 1,
        };
        match self.tree.entries {
            Entries::Marker(marker) if child.is_dir => {
                if let Some(real) = child.real.clone() {
                    walker.marker_of(&child, &real, marker);
                }
            }
            Entries::Marker(_) => {
                let folder = parent.file_name().map(OsStr::to_owned);
                walker.file(&child, Form::File, folder);
            }
            Entries::Files(_) => {
                let stem = Path::new(&child.name).file_stem().map(OsStr::to_owned);
                walker.file(&child, Form::File, stem);
            }
        }
        RootDir {
            kind: self.spec.kind,
            path: parent.to_path_buf(),
            real_path: Some(real),
            marker: self.spec.layout.marker(),
            status: if metadata.is_some() {
                RootStatus::Scanned
            } else {
                RootStatus::Missing
            },
            reason: None,
            entries: u64::from(metadata.is_some()),
        }
    }
}

/// One entry of a directory.
struct Child {
    name: OsString,
    /// Path as it is spelled, and below the component directory.
    path: PathBuf,
    inner: PathBuf,
    /// Where it really is; none for a link to nothing.
    real: Option<PathBuf>,
    linked: bool,
    is_dir: bool,
    is_file: bool,
}

impl Walker<'_, '_> {
    /// Reads one directory: `inner` is its path below the component directory, `real` where it really is.
    fn directory(&mut self, path: &Path, inner: &Path, real: &Path, listing: fs::ReadDir, depth: usize) {
        let tree = self.listing.tree;
        let mut children = Vec::new();
        for entry in listing {
            match entry {
                Ok(entry) => children.push(entry),
                Err(error) => self.found.cannot_list(path, &error),
            }
        }
        self.entries += if depth == 0 { children.len() as u64 } else { 0 };
        children.sort_by_key(fs::DirEntry::file_name);
        let beside = tree
            .not_beside
            .is_some_and(|marker| children.iter().any(|entry| entry.file_name() == marker));
        for entry in &children {
            let Some(child) = self.child(entry, inner, real) else {
                continue;
            };
            if self.is_passed_over(&child) {
                continue;
            }
            match tree.entries {
                Entries::Marker(marker) => self.marked(child, marker, depth),
                Entries::Files(_) if beside && !child.is_dir => {
                    let why = "its folder is a skill, so its files are no commands";
                    self.ignore(&child, Code::WrongKind, Some(why));
                }
                Entries::Files(extension) => self.filed(child, extension, depth),
            }
        }
    }

    fn child(&mut self, entry: &fs::DirEntry, inner: &Path, real: &Path) -> Option<Child> {
        let name = entry.file_name();
        let path = entry.path();
        let file_type = match entry.file_type() {
            Ok(file_type) => file_type,
            Err(error) => {
                self.found.cannot_list(&path, &error);
                return None;
            }
        };
        let linked = file_type.is_symlink();
        let (is_dir, is_file, real) = if linked {
            let metadata = fs::metadata(&path).ok();
            let real = metadata.as_ref().and_then(|_| path.canonicalize().ok());
            let is = |test: fn(&fs::Metadata) -> bool| metadata.as_ref().is_some_and(test);
            (is(fs::Metadata::is_dir), is(fs::Metadata::is_file), real)
        } else {
            (file_type.is_dir(), file_type.is_file(), Some(real.join(&name)))
        };
        Some(Child {
            inner: inner.join(&name),
            name,
            path,
            real,
            linked,
            is_dir,
            is_file,
        })
    }

    /// Whether the host does not look at an entry, by its name alone or because it is a link.
    fn is_passed_over(&mut self, child: &Child) -> bool {
        let tree = self.listing.tree;
        let name = child.name.to_string_lossy();
        let over = tree
            .passed_over
            .iter()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == *pattern,
            });
        if over {
            self.ignore(
                child,
                Code::Hidden,
                Some("this host passes over entries of this name"),
            );
        } else if !tree.hidden && name.starts_with('.') {
            self.ignore(child, Code::Hidden, None);
        } else if child.linked && child.real.is_none() {
            self.ignore(child, Code::Symlink, Some("a symbolic link that leads nowhere"));
        } else if child.linked && child.is_dir && !tree.links.folders {
            self.ignore(
                child,
                Code::Symlink,
                Some("this host enters no linked folder here"),
            );
        } else {
            return false;
        }
        true
    }

    /// An entry of a kind that is a folder with a marker.
    fn marked(&mut self, child: Child, marker: &str, depth: usize) {
        let tree = self.listing.tree;
        if !child.is_dir {
            if child.name == marker && tree.depth.min == 0 && depth == 0 {
                let folder = child.path.parent().map(Path::to_path_buf);
                let fallback = folder.as_deref().and_then(Path::file_name).map(OsStr::to_owned);
                self.file(&child, Form::File, fallback);
            } else if depth == 0 {
                self.ignore(&child, Code::WrongKind, None);
            }
            return;
        }
        if depth >= tree.depth.max {
            return;
        }
        let Some(real) = child.real.clone() else {
            return;
        };
        if self.open.contains(&real) {
            self.ignore(&child, Code::Symlink, Some("a link to a folder that it lies in"));
            return;
        }
        let has_marker = self.marker_of(&child, &real, marker);
        let goes_on = depth + 1 < tree.depth.max;
        if !goes_on {
            if !has_marker {
                self.without_marker(&child, marker);
            }
            return;
        }
        match fs::read_dir(&child.path) {
            Ok(listing) => {
                self.open.push(real.clone());
                self.directory(&child.path, &child.inner, &real, listing, depth + 1);
                self.open.pop();
            }
            Err(error) => self.found.cannot_list(&child.path, &error),
        }
    }

    /// Reads a folder's marker if it has one, and says whether it has.
    fn marker_of(&mut self, child: &Child, real: &Path, marker: &str) -> bool {
        let path = child.path.join(marker);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
            Err(error) => {
                let mut candidate = self.blank(child, Form::Directory);
                candidate.has_marker = true;
                self.unreadable(candidate, &path, &error);
                return true;
            }
        };
        let mut candidate = self.blank(child, Form::Directory);
        candidate.has_marker = true;
        let linked = metadata.is_symlink();
        if linked {
            candidate.detail_mut().symlink_target = fs::read_link(&path).ok();
        }
        let real_marker = if linked {
            path.canonicalize().ok()
        } else {
            Some(real.join(marker))
        };
        let Some(real_marker) = real_marker else {
            self.out(
                candidate,
                State::Ignored,
                Code::Symlink,
                "a symbolic link that leads nowhere",
            );
            return true;
        };
        if linked || child.linked || self.open.len() > 1 {
            candidate.detail_mut().real_path = Some(real_marker.clone());
        }
        if linked && !self.listing.tree.links.files {
            let why = "this host reads no marker that is a symbolic link";
            self.out(candidate, State::Ignored, Code::LinkedMarker, why);
            return true;
        }
        let fallback = child.name.clone();
        self.read(candidate, &path, &real_marker, &child.inner, Some(fallback));
        true
    }

    fn without_marker(&mut self, child: &Child, marker: &str) {
        let wrong = fs::read_dir(&child.path).ok().and_then(|listing| {
            let names = listing.flatten().map(|entry| entry.file_name());
            names.filter(|name| name.eq_ignore_ascii_case(marker)).min()
        });
        match wrong {
            None => self.ignore(child, Code::NoMarker, None),
            Some(name) => {
                let message = format!(
                    "the marker is called {}; it must be {marker} exactly",
                    name.display()
                );
                let mut candidate = self.blank(child, Form::Directory);
                candidate.has_marker = true;
                candidate.detail_mut().marker_name = Some(name.into_boxed_os_str());
                self.out(candidate, State::Ignored, Code::WrongCase, &message);
            }
        }
    }

    /// An entry of a kind that is a file.
    fn filed(&mut self, child: Child, extension: &str, depth: usize) {
        let tree = self.listing.tree;
        if child.is_dir {
            let Some(real) = child.real.clone() else {
                return;
            };
            if depth >= tree.depth.max {
                let why = "this host reads no folders here";
                self.ignore(&child, Code::WrongKind, Some(why));
            } else if !self.open.contains(&real) {
                match fs::read_dir(&child.path) {
                    Ok(listing) => {
                        self.open.push(real.clone());
                        self.directory(&child.path, &child.inner, &real, listing, depth + 1);
                        self.open.pop();
                    }
                    Err(error) => self.found.cannot_list(&child.path, &error),
                }
            }
        } else if Path::new(&child.name).extension() != Some(OsStr::new(extension))
            && !is_bare_extension(&child.name, extension)
        {
            self.ignore(&child, Code::WrongKind, None);
        } else if child.linked && !tree.links.files {
            let why = "this host reads no file here that is a symbolic link";
            self.ignore(&child, Code::Symlink, Some(why));
        } else if depth < tree.depth.min {
            self.ignore(&child, Code::WrongKind, None);
        } else {
            let fallback = Path::new(&child.name).file_stem().map(OsStr::to_owned);
            self.file(&child, Form::File, fallback);
        }
    }

    fn file(&mut self, child: &Child, form: Form, fallback: Option<OsString>) {
        let mut candidate = self.blank(child, form);
        candidate.has_marker = true;
        let Some(real) = child.real.clone() else {
            return;
        };
        if !child.is_file {
            let why = "not a regular file, so it was not opened";
            self.out(candidate, State::Rejected, Code::NotRegular, why);
            return;
        }
        if child.linked {
            candidate.detail_mut().symlink_target = fs::read_link(&child.path).ok();
        }
        if child.linked || self.open.len() > 1 {
            candidate.detail_mut().real_path = Some(real.clone());
        }
        self.read(candidate, &child.path, &real, &child.inner, fallback);
    }

    fn read(
        &mut self,
        mut candidate: Candidate,
        path: &Path,
        real: &Path,
        inner: &Path,
        own: Option<OsString>,
    ) {
        let tree = self.listing.tree;
        let judged = match self.reader.read_with(real, judge::WANTED, tree.matter.fences) {
            Opened::Read(reading) => {
                candidate.identity = reading.identity;
                candidate.size = reading.size;
                if tree.entries == Entries::Files("toml") {
                    match read_regular(real, true) {
                        Ok(_) if tree.matter.mark_hides && reading.has_mark => {
                            let why =
                                "a byte order mark stands before the first key, which the host does not take";
                            Judged {
                                refused: Some(Refusal::new(Code::BadConfig, why)),
                                ..Judged::default()
                            }
                        }
                        Ok(bytes) => judge_toml(tree, &bytes.unwrap_or_default()),
                        Err(error) => return self.unreadable(candidate, path, &error),
                    }
                } else {
                    judge::judge(&tree.matter, *reading, self.reader)
                }
            }
            Opened::NotRegular => {
                let why = "not a regular file, so it was not opened";
                return self.out(candidate, State::Rejected, Code::NotRegular, why);
            }
            Opened::BecameLink => {
                let why = "became a symbolic link while being read";
                return self.out(candidate, State::Rejected, Code::Symlink, why);
            }
            Opened::Refused(error) => return self.unreadable(candidate, path, &error),
        };
        let own = own.unwrap_or_default();
        candidate.id = self.id(&judged, inner, &own.to_string_lossy());
        candidate.declared = match judged.name {
            None => DeclaredName::None,
            Some(name) if *name == *candidate.path_name() => DeclaredName::PathName,
            Some(name) => DeclaredName::Other(name.into()),
        };
        candidate.description = judged.description;
        let disabled = judged
            .fields
            .iter()
            .any(|field| &*field.key == "disable" && field.value.as_str() == Some("true"));
        let says = |key: &str, wanted: &[&str]| {
            judged.fields.iter().any(|field| {
                let value = field.value.as_str().map(str::to_ascii_lowercase);
                *field.key == *key && value.is_some_and(|value| wanted.contains(&&*value))
            })
        };
        let hidden_from_model =
            tree.matter.may_be_hidden && says("disable-model-invocation", &["true", "yes", "on", "1"]);
        let hidden_from_all = hidden_from_model && says("user-invocable", &["false", "no", "off", "0"]);
        if hidden_from_model {
            candidate.detail_mut().hidden_from_model = true;
        }
        let further = judged.fields.iter().find(|field| &*field.key == "when_to_use");
        if let Some(text) = further.and_then(|field| field.value.as_str())
            && tree.matter.may_be_hidden
        {
            // It follows the description after ` - `.
            candidate.detail_mut().further_description = text.chars().count() + 3;
        }
        match judged.refused {
            None if hidden_from_all => {
                let why = "its front matter hides it from the user and from the model";
                self.out(candidate, State::Disabled, Code::SwitchedOff, why);
            }
            Some(refusal) => {
                let state = match refusal.code {
                    Code::NoFrontMatter => State::Ignored,
                    _ => State::Invalid,
                };
                let detail = candidate.detail_mut();
                (detail.line, detail.column) = (refusal.line, refusal.column);
                self.found.tell_of(&candidate, path, &refusal);
                if refusal.stops && self.found.stop.is_none() {
                    self.found.stop = Some(Stop {
                        path: path.to_path_buf(),
                        key: None,
                        why: refusal.message.clone(),
                    });
                }
                self.out(candidate, state, refusal.code, &refusal.message);
            }
            None if disabled && tree.id == IdRule::DeclaredElsePath("/") => {
                let why = "its front matter switches it off";
                self.out(candidate, State::Disabled, Code::SwitchedOff, why);
            }
            None => self.found.candidates.push(candidate),
        }
    }

    fn id(&self, judged: &Judged, inner: &Path, own: &str) -> IdOrigin {
        let tree = self.listing.tree;
        let path_id = |separator: &str| {
            let stem = match tree.entries {
                Entries::Files(_) => inner.with_extension(""),
                Entries::Marker(_) => inner.to_path_buf(),
            };
            let parts: Vec<String> = stem
                .components()
                .map(|part| self.cleaned(&part.as_os_str().to_string_lossy()))
                .collect();
            parts.join(separator)
        };
        let declared = judged.name.as_deref().filter(|_| tree.id != IdRule::Folder);
        let id = match (tree.id, declared) {
            (IdRule::Path(_), _) if matches!(tree.entries, Entries::Marker(marker) if inner == Path::new(marker)) => {
                own.to_owned()
            }
            (IdRule::Path(separator), _) => path_id(separator),
            (IdRule::FoldersThenDeclared(separator), name) => {
                let name = name.unwrap_or(own);
                let mut parts: Vec<String> = inner
                    .parent()
                    .into_iter()
                    .flat_map(Path::components)
                    .map(|part| part.as_os_str().to_string_lossy().into_owned())
                    .collect();
                parts.push(name.to_owned());
                parts.join(separator)
            }
            (IdRule::Declared | IdRule::DeclaredElsePath(_), Some(name)) => self.cleaned(name),
            (IdRule::DeclaredElsePath(separator), None) => path_id(separator),
            (IdRule::Declared | IdRule::Folder, _) => own.replace(tree.cleaned, "-"),
        };
        match self.listing.plugin {
            Some(plugin) => IdOrigin::Derived(format!("{plugin}:{id}").into()),
            None => IdOrigin::Derived(id.into()),
        }
    }

    fn cleaned(&self, name: &str) -> String {
        let tree = self.listing.tree;
        if let IdRule::Path(":") = tree.id
            && tree.entries == Entries::Files("toml")
        {
            return clean_segment(name);
        }
        name.replace(tree.cleaned, "-")
    }

    fn blank(&self, child: &Child, form: Form) -> Candidate {
        let mut candidate = Candidate {
            kind: self.listing.spec.kind,
            form,
            state: State::Active,
            rule: None,
            code: None,
            by: None,
            place: self.listing.place.clone(),
            has_marker: false,
            entry_name: child.inner.clone().into_os_string().into_boxed_os_str(),
            declared: DeclaredName::None,
            description: None,
            id: IdOrigin::PathName,
            identity: None,
            size: 0,
            detail: None,
            plugin: None,
        };
        if child.linked {
            candidate.detail_mut().symlink_target = fs::read_link(&child.path).ok();
        }
        if let Some(plugin) = self.listing.plugin {
            candidate.detail_mut().plugin = Some(plugin.into());
        }
        candidate
    }

    fn ignore(&mut self, child: &Child, code: Code, message: Option<&str>) {
        let form = match self.listing.tree.entries {
            Entries::Marker(_) if child.is_dir || child.linked => Form::Directory,
            _ => Form::File,
        };
        let mut candidate = self.blank(child, form);
        candidate.state = State::Ignored;
        candidate.code = Some(code);
        if code == Code::WrongKind {
            candidate.id = IdOrigin::FileName;
        }
        if let Some(message) = message {
            candidate.detail_mut().message = Some(message.into());
        }
        self.found.candidates.push(candidate);
    }

    fn out(&mut self, mut candidate: Candidate, state: State, code: Code, message: &str) {
        candidate.state = state;
        candidate.code = Some(code);
        candidate.detail_mut().message = Some(message.into());
        self.found.candidates.push(candidate);
    }

    fn unreadable(&mut self, candidate: Candidate, path: &Path, error: &io::Error) {
        self.found.incomplete = true;
        self.found.diagnostics.push(
            Diagnostic::new(Code::Unreadable, Severity::Error, error.to_string())
                .with_path(path)
                .with_subject(candidate.kind, candidate.id())
                .with_help("make it readable, or run as a user who may read it"),
        );
        self.out(candidate, State::Unreadable, Code::Unreadable, &error.to_string());
    }
}

impl Found {
    fn tell_of(&mut self, candidate: &Candidate, path: &Path, refusal: &Refusal) {
        self.diagnostics.push(
            Diagnostic::new(refusal.code, Severity::Warning, refusal.message.as_str())
                .with_path(path)
                .with_position(refusal.line, refusal.column)
                .with_subject(candidate.kind, candidate.id()),
        );
    }
}

/// Whether a name is only a dot and the extension, which counts as a file of that extension to a pattern.
fn is_bare_extension(name: &OsStr, extension: &str) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix('.'))
        .is_some_and(|rest| rest == extension)
}

/// One part of a command's name: everything but letters, digits, `_`, `-` and `.` becomes `_`; cut at 50.
fn clean_segment(name: &str) -> String {
    let clean: String = name
        .encode_utf16()
        .map(|unit| match char::from_u32(u32::from(unit)) {
            Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') => c,
            _ => '_',
        })
        .collect();
    match clean.get(..47) {
        Some(beginning) if clean.len() > 50 => format!("{beginning}..."),
        _ => clean,
    }
}

/// A TOML file that defines an agent or a command: valid, with the keys that the host needs.
fn judge_toml(tree: &TreeSpec, bytes: &[u8]) -> Judged {
    let document = match parse(bytes, Format::Toml) {
        Ok(document) => document,
        Err(problem) => {
            return Judged {
                refused: Some(Refusal {
                    code: problem.code,
                    message: problem.message,
                    line: problem.line,
                    column: problem.column,
                    stops: false,
                }),
                ..Judged::default()
            };
        }
    };
    let text = |key: &str| match document.root.value.get(key).map(|found| &found.value) {
        Some(Value::String(text)) => Some(text.as_str().into()),
        _ => None,
    };
    let mut judged = Judged {
        name: text("name"),
        description: text("description"),
        ..Judged::default()
    };
    if document.root.value.get("description").is_some() && text("description").is_none() {
        judged.refused = Some(Refusal::new(
            Code::WrongType,
            "this host takes only text for a `description`",
        ));
        return judged;
    }
    let missing = tree.matter.needs_keys.iter().find(|key| text(key).is_none());
    if let Some(key) = missing {
        let code = match *key {
            "name" => Code::MissingName,
            "description" => Code::MissingDescription,
            _ => Code::BadConfig,
        };
        judged.refused = Some(Refusal::new(
            code,
            format!("this host needs a `{key}` that is text"),
        ));
    }
    judged
}
