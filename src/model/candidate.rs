//! One thing on disk that could define a component.
//!
//! There may be a hundred thousand of them, so a candidate is kept small: paths are put together from its
//! component directory and its name when they are asked for, and what few candidates have lives behind one
//! pointer in [`Detail`].

use std::borrow::Cow;
use std::ffi::OsStr;
use std::num::NonZeroU64;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use super::{
    Code, ComponentKind, Definition, DiscoverySource, Family, PluginPart, Rule, Scope, ServerDefinition,
    State, Words,
};

/// Whether a candidate is a directory with a marker or a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A directory entry that is, or would be, a directory with a marker inside.
    Directory,
    /// A directory entry that is, or would be, the defining file itself.
    File,
}

/// Where a candidate was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a component directory: `roots[root].dirs[dir]`.
    Listed {
        /// Index into the resolution's roots.
        root: u32,
        /// Index into that root's component directories.
        dir: u32,
    },
    /// In a directory that is no component directory of a root, such as a project's `aleph.toml`.
    Free(Box<FreePlace>),
}

impl Place {
    /// The place in a component directory, by the counts of roots and directories before it.
    pub(crate) fn listed(root: usize, dir: usize) -> Self {
        let index = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self::Listed {
            root: index(root),
            dir: index(dir),
        }
    }
}

/// A directory outside the component directories in which a candidate was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreePlace {
    /// The directory.
    pub parent: PathBuf,
    /// Where it comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// Whose file it is.
    pub family: Family,
    /// Later overrides earlier.
    pub priority: u32,
    /// Index of the root that the directory is, if it is one.
    pub root: Option<u32>,
}

/// What makes two paths the same real file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileIdentity {
    /// Number of the device.
    pub device: u64,
    /// Number of the file on the device; no file has number 0, so that one that is not known takes no room.
    pub inode: NonZeroU64,
}

/// Which of its names a candidate goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdOrigin {
    /// The name of its directory, or its file's stem.
    PathName,
    /// The whole file name: what is there is not of the kind that is read here.
    FileName,
    /// The name declared in its front matter.
    Declared,
    /// Text made from a name: normalised to NFC, or cleaned.
    Derived(Box<str>),
}

/// How a candidate keeps its id: [`IdOrigin`] without the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeptId {
    PathName,
    FileName,
    Declared,
    Derived,
}

/// How a candidate keeps the name that front matter declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeptDeclared {
    None,
    /// Letter for letter [`Candidate::path_name`], as nearly everywhere, and so not kept a second time.
    PathName,
    Other,
}

/// The names that a candidate's path does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FurtherNames {
    declared: Box<str>,
    id: Box<str>,
}

/// What only few candidates have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// 1-based line that [`Candidate::code`] is about.
    pub line: Option<u32>,
    /// 1-based column that [`Candidate::code`] is about.
    pub column: Option<u32>,
    /// What is wrong, in words.
    pub message: Option<Words>,
    /// What to do about it.
    pub help: Option<Words>,
    /// Where a symbolic link points, as written in the link.
    pub symlink_target: Option<PathBuf>,
    /// The defining file's real path, where it is not simply the directory's real path and the name.
    pub real_path: Option<PathBuf>,
    /// Name of the marker as it is on disk, where it is not the kind's usual one.
    pub marker_name: Option<Box<OsStr>>,
    /// SHA-256 of the marker, where bytes were compared.
    pub sha256: Option<[u8; 32]>,
    /// Index into the chain of the candidate that is the same real file.
    pub alias_of: Option<u32>,
    /// The file, and the key in it, that switches it off or keeps it from being trusted.
    pub cause: Option<(PathBuf, Option<String>)>,
    /// The plugin of another host that brings it.
    pub plugin: Option<Box<str>>,
    /// The directory of that plugin.
    pub plugin_root: Option<PathBuf>,
    /// What an MCP server is that no plugin of the native host brings.
    pub server: Option<Box<ServerDefinition>>,
    /// Whether its front matter keeps it from the model, so that only the user can call it.
    pub hidden_from_model: bool,
    /// Characters that its front matter adds to the description that the model is given.
    pub further_description: usize,
}

/// One thing on disk that could define a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it would define.
    pub kind: ComponentKind,
    /// Directory with a marker, or file.
    pub form: Form,
    /// What became of it.
    pub state: State,
    /// Why a valid candidate lost or coexists.
    pub rule: Option<Rule>,
    /// What is wrong with one that is out of the running.
    pub code: Option<Code>,
    /// Index into the chain of the candidate that it lost to.
    pub by: Option<u32>,
    /// Where it was met.
    pub place: Place,
    /// Whether a defining file was found; for a directory without one there is none to name.
    pub has_marker: bool,
    /// Name of the directory entry; for a plugin one level further down the path from its parent folder.
    pub entry_name: Box<OsStr>,
    declared: KeptDeclared,
    id: KeptId,
    further_names: Option<Box<FurtherNames>>,
    /// Description declared in the front matter.
    pub description: Option<Box<str>>,
    /// Device and inode of the defining file, where it was opened.
    pub identity: Option<FileIdentity>,
    /// Size of the defining file in bytes, where it was opened.
    pub size: u64,
    /// What only few candidates have.
    pub detail: Option<Box<Detail>>,
    /// The plugin that brings it, if one does.
    pub plugin: Option<Box<PluginPart>>,
}

impl Candidate {
    /// A candidate of which nothing is known yet but where it is and what it is called: active, without a marker.
    pub(crate) fn new(
        kind: ComponentKind,
        form: Form,
        place: Place,
        entry_name: impl Into<Box<OsStr>>,
        id: IdOrigin,
    ) -> Self {
        let mut candidate = Self {
            kind,
            form,
            state: State::Active,
            rule: None,
            code: None,
            by: None,
            place,
            has_marker: false,
            entry_name: entry_name.into(),
            declared: KeptDeclared::None,
            id: KeptId::PathName,
            further_names: None,
            description: None,
            identity: None,
            size: 0,
            detail: None,
            plugin: None,
        };
        candidate.set_id(id);
        candidate
    }

    /// The candidate's [`Detail`], made if it has none yet.
    pub fn detail_mut(&mut self) -> &mut Detail {
        self.detail.get_or_insert_with(Box::default)
    }

    /// The name of its directory, or its file's stem: `deploy` for `deploy/` and for `deploy.md`. One of several
    /// things in one file has its own name.
    #[must_use]
    pub fn path_name(&self) -> Cow<'_, str> {
        if let Some(name) = self.plugin.as_ref().and_then(|part| part.name.as_deref()) {
            return name.into();
        }
        if let Some(server) = self.detail.as_ref().and_then(|detail| detail.server.as_deref()) {
            return server.name.as_str().into();
        }
        match self.entry_name.to_str() {
            // Every comparison of two ids asks for this, so the name is not taken apart as a path would be.
            Some(entry) => {
                let name = cut_at_last(entry, MAIN_SEPARATOR).map_or(entry, |(_, name)| name);
                let stem = match (self.form, cut_at_last(name, '.')) {
                    (Form::File, Some((stem, _))) if !stem.is_empty() => stem,
                    _ => name,
                };
                Cow::Borrowed(stem)
            }
            None => {
                let path = Path::new(&*self.entry_name);
                let name = match self.form {
                    Form::Directory => path.file_name(),
                    Form::File => path.file_stem(),
                };
                name.unwrap_or(&self.entry_name).to_string_lossy()
            }
        }
    }

    /// What it is, if it is an MCP server whose definition could be read.
    #[must_use]
    pub fn server(&self) -> Option<&ServerDefinition> {
        if let Some(server) = self.detail.as_ref().and_then(|detail| detail.server.as_deref()) {
            return Some(server);
        }
        match self.plugin.as_ref().and_then(|part| part.definition.as_ref()) {
            Some(Definition::Server(server)) => Some(server),
            Some(Definition::Hook(_)) | None => None,
        }
    }

    /// Whether it stands in this chain only because its short name leads here.
    #[must_use]
    pub fn is_short_name(&self) -> bool {
        self.plugin.as_ref().is_some_and(|part| part.is_short_name)
    }

    /// Name declared in the front matter.
    #[must_use]
    pub fn declared_name(&self) -> Option<Cow<'_, str>> {
        match self.declared {
            KeptDeclared::None => None,
            KeptDeclared::PathName => Some(self.path_name()),
            KeptDeclared::Other => self.further_names.as_ref().map(|names| (*names.declared).into()),
        }
    }

    /// Says what name the front matter declares.
    pub fn set_declared_name(&mut self, name: Option<Box<str>>) {
        self.declared = match name {
            None => KeptDeclared::None,
            Some(name) if *name == *self.path_name() => KeptDeclared::PathName,
            Some(name) => {
                self.further_names.get_or_insert_default().declared = name;
                KeptDeclared::Other
            }
        };
    }

    /// The id: the name that the host keys on.
    #[must_use]
    pub fn id(&self) -> Cow<'_, str> {
        let derived = || self.further_names.as_ref().map(|names| (*names.id).into());
        match self.id {
            KeptId::PathName => Some(self.path_name()),
            KeptId::FileName => Some(self.entry_name.to_string_lossy()),
            KeptId::Declared => self.declared_name(),
            KeptId::Derived => derived(),
        }
        .unwrap_or_else(|| self.path_name())
    }

    /// Says which name is the id.
    pub fn set_id(&mut self, origin: IdOrigin) {
        self.id = match origin {
            IdOrigin::PathName => KeptId::PathName,
            IdOrigin::FileName => KeptId::FileName,
            IdOrigin::Declared => KeptId::Declared,
            IdOrigin::Derived(id) => {
                self.further_names.get_or_insert_default().id = id;
                KeptId::Derived
            }
        };
    }
}

/// What stands before and after the last of an ASCII character. Names are so short that looking at byte after byte takes
/// a fraction of what [`str::rsplit_once`] needs to begin.
fn cut_at_last(text: &str, ascii: char) -> Option<(&str, &str)> {
    let at = text.bytes().rposition(|byte| char::from(byte) == ascii)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_candidate_stays_small() {
        // A hundred thousand of them, and twice as many pieces of text, have to fit into 60 MB.
        assert!(size_of::<Candidate>() <= 112, "{}", size_of::<Candidate>());
    }

    #[test]
    fn its_names_are_what_it_was_given() {
        let place = Place::Listed { root: 0, dir: 0 };
        let mut candidate = Candidate::new(
            ComponentKind::Skill,
            Form::File,
            place,
            OsStr::new("deploy.md"),
            IdOrigin::Declared,
        );
        assert_eq!(
            (candidate.id(), candidate.declared_name()),
            ("deploy".into(), None)
        );
        candidate.set_declared_name(Some("release".into()));
        assert_eq!(candidate.id(), "release");
        candidate.set_id(IdOrigin::Derived("x:release".into()));
        assert_eq!(candidate.id(), "x:release");
        assert_eq!(candidate.declared_name().as_deref(), Some("release"));
        candidate.set_declared_name(Some("deploy".into()));
        assert_eq!(candidate.declared_name().as_deref(), Some("deploy"));
        assert_eq!(candidate.id(), "x:release");
        candidate.set_declared_name(None);
        candidate.set_id(IdOrigin::FileName);
        assert_eq!(
            (candidate.id(), candidate.declared_name()),
            ("deploy.md".into(), None)
        );
    }

    #[test]
    fn a_path_name_is_what_a_path_would_say() {
        for name in [
            "deploy",
            "deploy.md",
            "deploy.v2.md",
            ".md",
            ".hidden.md",
            "group/deploy.md",
            "deploy.",
        ] {
            for form in [Form::Directory, Form::File] {
                let place = Place::Listed { root: 0, dir: 0 };
                let candidate = Candidate::new(
                    ComponentKind::Skill,
                    form,
                    place,
                    OsStr::new(name),
                    IdOrigin::PathName,
                );
                let path = Path::new(name);
                let expected = match form {
                    Form::Directory => path.file_name(),
                    Form::File => path.file_stem(),
                };
                assert_eq!(
                    Some(OsStr::new(&*candidate.path_name())),
                    expected,
                    "{name} {form:?}"
                );
            }
        }
    }
}
