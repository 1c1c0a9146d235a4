//! `why`: one name or one file, every candidate, and the reason for each.

mod question;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

pub use question::Question;

use super::common::{Context, owned_text, raw};
use super::scan::{Chains, ScanHead, ScanReport, Selection};
use crate::discovery::{DiscoveryManager, Walk, WalkStop, platform};
use crate::host::{Anchor, HostProfile};
use crate::model::nearest;
use crate::model::{
    CandidateRef, Chain, Code, ComponentKind, Diagnostic, Form, Resolution, Root, RootStatus, Severity,
};
use crate::plugin;

/// What a path is to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathFate {
    /// It is a candidate, or its marker.
    Candidate,
    /// It lies inside a candidate's directory and defines nothing itself.
    InsideCandidate,
    /// It is a directory whose entries are candidates.
    ComponentDirectory,
    /// It is a root.
    Root,
    /// It is there, and the host does not look at it.
    NotRead,
    /// It is not there.
    Missing,
    /// The operating system refuses to say what is there.
    Unreadable,
}

impl PathFate {
    /// Everything that a path can be.
    pub const ALL: [Self; 7] = [
        Self::Candidate,
        Self::InsideCandidate,
        Self::ComponentDirectory,
        Self::Root,
        Self::NotRead,
        Self::Missing,
        Self::Unreadable,
    ];

    /// The name used in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::InsideCandidate => "inside-candidate",
            Self::ComponentDirectory => "component-directory",
            Self::Root => "root",
            Self::NotRead => "not-read",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The answer of `why`.
#[derive(Clone, Debug)]
pub struct WhyReport {
    /// What was asked.
    pub question: Question,
    /// Everything, with the chains of the answer selected.
    pub scan: ScanReport,
    /// The candidates that the question named: places of their chains and indexes into them.
    pub meant: Vec<(usize, u32)>,
    /// What the path is, if a path was asked about.
    pub fate: Option<PathFate>,
    /// What became of the path, in words.
    pub message: Option<String>,
    /// What was probably meant, where nothing has that name.
    pub suggestions: Vec<String>,
}

impl WhyReport {
    /// Answers a question from everything of these kinds.
    #[must_use]
    pub fn new(manager: &DiscoveryManager, mut question: Question, kinds: &[ComponentKind]) -> Self {
        let mut resolution = plugin::scan(manager, kinds).resolution;
        let mut found = Answer::default();
        if let Question::Path { path, through, .. } = &mut question {
            if let Some(whole) = found.behind_link(&resolution, through) {
                *path = whole;
            } else {
                found.by_path(&resolution, path);
            }
        }
        // A path that is an entry is asked about itself, and not about others of its name.
        if !matches!(
            found.fate,
            Some(PathFate::Candidate | PathFate::InsideCandidate | PathFate::Unreadable)
        ) {
            found.by_name(&resolution, question.text());
        }
        if let Question::Path { given, path, .. } = &question {
            found.otherwise(&resolution, manager, given, path);
        }
        if found.fate == Some(PathFate::Unreadable) {
            found.tell_gap(&mut resolution, &question);
        }
        found.meant.sort_unstable();
        found.meant.dedup();
        let mut places: Vec<usize> = found.meant.iter().map(|(place, _)| *place).collect();
        places.dedup();
        let suggestions = if places.is_empty() {
            suggestions(&resolution, question.text())
        } else {
            Vec::new()
        };
        let scan = ScanReport {
            context: Context::of(manager),
            kinds: kinds.to_vec(),
            resolution,
            selection: Selection::Some(places),
        };
        Self {
            question,
            scan,
            meant: found.meant,
            fate: found.fate,
            message: found.message,
            suggestions,
        }
    }

    /// Whether what was asked about is in effect: something of that name, or that very file.
    #[must_use]
    pub fn is_in_effect(&self) -> bool {
        match &self.question {
            Question::Name(_) => self.scan.chains().any(|chain| chain.winner().is_some()),
            Question::Path { .. } => self.meant.iter().any(|(place, index)| {
                let span = self.scan.resolution.spans.get(*place);
                let candidate = span.and_then(|span| self.scan.resolution.chain(*span).get(*index));
                candidate.is_some_and(|candidate| candidate.state.is_in_effect())
            }),
        }
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> WhyView<'_> {
        WhyView {
            head: self.head(),
            chains: Chains(&self.scan),
        }
    }

    /// The answer without its chains, for the first of the JSON lines.
    #[must_use]
    pub fn head(&self) -> WhyHead<'_> {
        let (path, path_bytes) = match &self.question {
            Question::Name(_) => (None, None),
            Question::Path { path, .. } => (Some(owned_text(path)), raw(path)),
        };
        WhyHead {
            head: self.scan.head("aleph-discover/why@1"),
            question: QuestionView {
                text: self.question.text(),
                path,
                path_bytes,
                fate: self.fate,
                message: self.message.as_deref(),
            },
            suggestions: &self.suggestions,
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct Answer {
    meant: Vec<(usize, u32)>,
    fate: Option<PathFate>,
    message: Option<String>,
}

impl Answer {
    /// Chains whose id equals the name, and candidates whose path name or declared name does.
    fn by_name(&mut self, resolution: &Resolution, name: &str) {
        let wanted: String = name.nfc().collect();
        for (place, chain) in resolution.chains().enumerate() {
            let is_id = chain.id() == wanted;
            for (index, candidate) in (0..).zip(chain.candidates()) {
                let is_name = |known: &str| known == name || known == wanted;
                if is_id
                    || is_name(&candidate.path_name())
                    || candidate.declared_name().as_deref().is_some_and(is_name)
                {
                    self.meant.push((place, index));
                }
            }
        }
    }

    /// Whether the path goes through a link that is an entry and not in effect; if so, the path as it goes through it.
    fn behind_link(&mut self, resolution: &Resolution, through: &[(PathBuf, PathBuf)]) -> Option<PathBuf> {
        let (link, whole) = through.iter().find(|(link, _)| {
            self.candidates(resolution, |candidate| {
                candidate.state.is_out_of_the_running() && is_entry(candidate, link)
            })
        })?;
        self.fate = Some(PathFate::InsideCandidate);
        self.message = Some(format!(
            "it lies behind the symbolic link {}, which is not in effect",
            link.display()
        ));
        Some(whole.clone())
    }

    /// What the path is among what was found: an entry itself before what it leads to.
    fn by_path(&mut self, resolution: &Resolution, path: &Path) {
        let looked = std::fs::symlink_metadata(path);
        if self.candidates(resolution, |candidate| is_entry(candidate, path)) {
            self.fate = Some(PathFate::Candidate);
            return;
        }
        // What a link outside of the component directories leads to may well be an entry.
        let real = path.canonicalize().ok();
        if let Some(real) = &real
            && self.candidates(resolution, |candidate| is_really(candidate, real))
        {
            self.fate = Some(PathFate::Candidate);
            return;
        }
        self.inside(resolution, path, real.as_deref());
        match looked {
            Err(error) if !platform::leads_nowhere(&error) => {
                self.fate = Some(PathFate::Unreadable);
                self.message = Some(error.to_string());
            }
            _ if self.fate.is_some() => {}
            _ => self.directory(resolution, path, real.as_deref()),
        }
    }

    /// Notes the candidates that `is_meant` holds for, and says whether there are any.
    fn candidates(&mut self, resolution: &Resolution, is_meant: impl Fn(CandidateRef<'_>) -> bool) -> bool {
        let before = self.meant.len();
        for (place, chain) in resolution.chains().enumerate() {
            for (index, candidate) in (0..).zip(chain.candidates()) {
                if is_meant(candidate) {
                    self.meant.push((place, index));
                }
            }
        }
        self.meant.len() > before
    }

    /// What is to be said of a path that has nothing to do with what was found.
    fn otherwise(&mut self, resolution: &Resolution, manager: &DiscoveryManager, given: &str, path: &Path) {
        if self.fate.is_some() {
            return;
        }
        let there = std::fs::symlink_metadata(path).is_ok();
        self.fate = Some(if there {
            PathFate::NotRead
        } else {
            PathFate::Missing
        });
        let mut message = if there {
            not_read(manager.profile(), manager.walk(), &resolution.roots, path)
        } else {
            "there is no such file or directory".to_owned()
        };
        // `why deploy` beside a file of that name may well have meant the skill.
        if self.meant.is_empty() && !given.chars().any(std::path::is_separator) {
            message.push_str(&format!("; and nothing is called `{given}`"));
        }
        self.message = Some(message);
    }

    /// An answer about a path that could not be looked at is not complete, and says so.
    fn tell_gap(&self, resolution: &mut Resolution, question: &Question) {
        resolution.complete = false;
        let Question::Path { path, .. } = question else {
            return;
        };
        let why = self.message.as_deref().unwrap_or_default();
        resolution.diagnostics.push(
            Diagnostic::new(
                Code::Unreadable,
                Severity::Error,
                format!("cannot look at this path: {why}"),
            )
            .with_path(path)
            .with_help("make the directories on the way to it readable, or run as a user who may enter them"),
        );
    }

    fn inside(&mut self, resolution: &Resolution, path: &Path, real: Option<&Path>) {
        for (place, chain) in resolution.chains().enumerate() {
            for (index, candidate) in (0..).zip(chain.candidates()) {
                let holds = |entry: &Path| {
                    path.starts_with(entry) || real.is_some_and(|real| real.starts_with(entry))
                };
                if candidate.form == Form::Directory
                    && (holds(&candidate.path()) || real_entry(candidate).is_some_and(|entry| holds(&entry)))
                {
                    self.meant.push((place, index));
                    self.fate = Some(PathFate::InsideCandidate);
                    let (kind, path) = (candidate.kind, candidate.path());
                    self.message = Some(match candidate.dir().and_then(|dir| dir.marker) {
                        Some(marker) => format!(
                            "it lies inside the {kind} entry {}; only {marker} of that folder is read",
                            path.display()
                        ),
                        None => format!(
                            "it lies inside the {kind} {} and is none of the files that it brings; `plugins show {}` \
                             lists those",
                            path.display(),
                            super::shell::argument(&candidate.id())
                        ),
                    });
                }
            }
        }
    }

    fn directory(&mut self, resolution: &Resolution, path: &Path, real: Option<&Path>) {
        for root in &resolution.roots {
            for dir in &root.dirs {
                let is_it = dir.path == path || (real.is_some() && dir.real_path.as_deref() == real);
                if !is_it {
                    continue;
                }
                self.fate = Some(PathFate::ComponentDirectory);
                let came_of_it = match (dir.status, dir.reason.as_deref()) {
                    (RootStatus::Scanned, _) => entries(dir.entries),
                    (_, Some(reason)) => reason.to_owned(),
                    (_, None) => "nothing is there".to_owned(),
                };
                self.message = Some(format!(
                    "the {} of the {} root {} ({}, {came_of_it})",
                    dir.kind.plural(),
                    root.source,
                    root.path.display(),
                    dir.status,
                ));
                for (place, chain) in resolution.chains().enumerate() {
                    for (index, candidate) in (0..).zip(chain.candidates()) {
                        if candidate.dir().is_some_and(|of| std::ptr::eq(of, dir)) {
                            self.meant.push((place, index));
                        }
                    }
                }
                return;
            }
        }
        let is_root = |root: &&Root| {
            root.path == path || (real.is_some() && root.path.canonicalize().ok().as_deref() == real)
        };
        if let Some(root) = resolution.roots.iter().find(is_root) {
            self.fate = Some(PathFate::Root);
            self.message = Some(root_in_words(root));
        }
    }
}

/// Where the entry itself really is, links in the path of its directory resolved.
fn real_entry(candidate: CandidateRef<'_>) -> Option<PathBuf> {
    Some(
        candidate
            .dir()?
            .real_path
            .as_deref()?
            .join(&*candidate.entry_name),
    )
}

/// Whether a path is an entry or its marker, by name: links at its end are not followed.
fn is_entry(candidate: CandidateRef<'_>, path: &Path) -> bool {
    if !may_be(candidate, path) {
        return false;
    }
    let is_it = |entry: PathBuf, marker: Option<&OsStr>| {
        path == entry || marker.is_some_and(|marker| path == entry.join(marker))
    };
    let (entry, marker) = (candidate.path(), candidate.marker());
    let name = marker.as_deref().filter(|marker| **marker != entry);
    let name = name.and_then(Path::file_name);
    marker.as_deref() == Some(path)
        || is_it(entry, None)
        || real_entry(candidate).is_some_and(|entry| is_it(entry, name))
}

/// Whether a real path is that of an entry, or of the file that defines it. An entry that is a link is none: it is
/// not read, wherever it leads.
fn is_really(candidate: CandidateRef<'_>, real: &Path) -> bool {
    if candidate.code == Some(Code::Symlink) || !may_be(candidate, real) {
        return false;
    }
    real_entry(candidate).is_some_and(|entry| entry == real) || candidate.real_path().as_deref() == Some(real)
}

/// A cheap test first: putting paths together for every candidate of a large tree is not.
fn may_be(candidate: CandidateRef<'_>, path: &Path) -> bool {
    let name = Path::new(&*candidate.entry_name).file_name();
    candidate.detail.is_some()
        || path
            .components()
            .any(|component| Some(component.as_os_str()) == name)
}

fn entries(count: u64) -> String {
    if count == 1 {
        "1 entry".to_owned()
    } else {
        format!("{count} entries")
    }
}

fn root_in_words(root: &Root) -> String {
    let what = format!("a root of source {}, priority {}", root.source, root.priority);
    match (root.status, root.reason.as_deref()) {
        (RootStatus::Scanned, _) => format!("{what}, with {}", entries(root.entries())),
        (status, Some(reason)) => format!("{what}, {status}: {reason}"),
        (status, None) => format!("{what}, {status}"),
    }
}

/// Why the host does not look at a path that is there.
fn not_read(profile: &HostProfile, walk: &Walk, roots: &[Root], path: &Path) -> String {
    let host = profile.id;
    let families: Vec<&str> = profile
        .roots
        .iter()
        .filter_map(|spec| match spec.anchor {
            Anchor::EachWalkDirectory(name) => Some(name),
            Anchor::Start(name) | Anchor::GitRoot(name) => Path::new(name).file_name()?.to_str(),
            _ => None,
        })
        .collect();
    if let Some(root) = roots.iter().find(|root| path.starts_with(&root.path)) {
        let folders: Vec<&str> = root
            .kinds
            .iter()
            .filter_map(|kind| Some(profile.kind(*kind)?.folder))
            .collect();
        return match root.status {
            RootStatus::Scanned => {
                format!(
                    "{host} reads only {} in {}",
                    folders.join(", "),
                    root.path.display()
                )
            }
            _ => format!("it is below {}", root_in_words(root)),
        };
    }
    let family = path.ancestors().find(|dir| {
        dir.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| families.contains(&name))
    });
    let Some(place) = family.and_then(Path::parent) else {
        return format!("it is in no directory that {host} looks at; `roots` lists them");
    };
    if place.starts_with(&walk.start) {
        return format!(
            "{} is below the working directory, and {host} looks only upward; run in there to see it loaded",
            place.display()
        );
    }
    if walk.start.starts_with(place) {
        return match walk.stop {
            Some(WalkStop::GitRoot) => {
                format!("{} is above the git root, where the walk stops", place.display())
            }
            Some(WalkStop::DepthCap) => {
                format!(
                    "{} is above the last directory that the walk may look at; raise --max-depth",
                    place.display()
                )
            }
            Some(WalkStop::FilesystemRoot | WalkStop::StartOnly) | None => {
                format!(
                    "the roots that would hold it are switched off ({})",
                    place.display()
                )
            }
        };
    }
    format!(
        "{} is not on the walk upward from {}",
        place.display(),
        walk.start.display()
    )
}

fn suggestions(resolution: &Resolution, text: &str) -> Vec<String> {
    let mut known: Vec<String> = resolution
        .chains()
        .map(|chain: Chain<'_>| chain.id().into_owned())
        .collect();
    known.sort_unstable();
    known.dedup();
    let name = Path::new(text)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or(text);
    nearest(name, known.iter().map(String::as_str))
}

/// An answer of `why` but for its chains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WhyHead<'a> {
    /// As in `scan`.
    #[serde(flatten)]
    pub head: ScanHead<'a>,
    /// What was asked, and what became of it if it is a path.
    pub question: QuestionView<'a>,
    /// What was probably meant, where nothing has that name.
    pub suggestions: &'a [String],
}

/// The answer of `why`: the chains whose id, path name or path is the one that was asked about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "why@1")]
pub struct WhyView<'a> {
    /// All but the chains.
    #[serde(flatten)]
    pub head: WhyHead<'a>,
    /// The chains, by kind and id.
    #[schemars(with = "Vec<super::scan::ChainView<'a>>")]
    pub chains: Chains<'a>,
}

/// What was asked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuestionView<'a> {
    /// As it was given.
    pub text: &'a str,
    /// Absolute, if it was taken for a path.
    pub path: Option<String>,
    /// Its bytes in base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// What the path is to the host.
    pub fate: Option<PathFate>,
    /// What became of the path, in words.
    pub message: Option<&'a str>,
}
