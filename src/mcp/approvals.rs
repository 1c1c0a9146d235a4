//! `<aleph home>/data/mcp-approvals.toml`: which servers may be started, each exactly as it was when it was approved.
//!
//! `[approvals.<digest>]` stands for one definition; [`digest`](super::digest::digest()) says of what the digest is.
//! Beside it stands what is needed to show what is different once a definition has changed: name and file, and for
//! each part what may be shown of it and a mark that tells two values apart, never a value that may be a secret.
//!
//! Only this file approves, and only in the Aleph home: no file of a project, of a plugin or of another host does. One
//! that cannot be used approves nothing.

use std::path::{Path, PathBuf};

use super::digest::{digest, parts};
use super::launch::Site;
use crate::discovery::platform::writable_by_others;
use crate::model::{Code, Diagnostic, ServerDefinition, Severity};
use crate::parse::document::{Located, Value};
use crate::plugin::data;

/// The file's name in the data directory.
pub(super) const FILE: &str = "mcp-approvals.toml";

/// The table that the approvals stand in.
pub(super) const TABLE: &str = "approvals";

/// Whether the user has said yes to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// To exactly this definition.
    Approved,
    /// To another definition under the same name in the same file, or to this one in another file.
    Changed(Vec<Difference>),
    /// Never.
    Unapproved,
}

impl Consent {
    /// Whether the server may be started without being named.
    #[must_use]
    pub const fn is_approved(&self) -> bool {
        matches!(self, Self::Approved)
    }
}

/// What is different between a definition that was approved and the one that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `command`, `argument 1`, `variable API_KEY`, `header Authorization`, `directory`, `address`, `file`, …
    pub part: String,
    /// What was approved, secrets masked; none where that part is new.
    pub approved: Option<String>,
    /// What there is, secrets masked; none where that part is gone.
    pub now: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { part, approved, now } = self;
        match (approved, now) {
            (Some(approved), Some(now)) if approved == now => {
                write!(f, "{part}: another value than the one that was approved")
            }
            (Some(approved), Some(now)) => write!(f, "{part}: `{now}` instead of `{approved}`"),
            (None, Some(now)) => write!(f, "{part}: `{now}` is new"),
            (Some(approved), None) => write!(f, "{part}: `{approved}` is gone"),
            (None, None) => write!(f, "{part}"),
        }
    }
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Approval {
    pub(super) digest: String,
    pub(super) name: String,
    pub(super) file: String,
    /// Key, what is shown, mark.
    pub(super) parts: Vec<(String, String, String)>,
}

/// That others than the user could have written approvals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distrust {
    /// What they may write.
    pub(super) path: PathBuf,
    pub(super) why: String,
    pub(super) help: String,
}

impl Distrust {
    /// Judges the file, where it is there, and the directories that it lies in up to the Aleph home: who may change
    /// one of these may put another file in its place. What lies above is not ours to judge: who may exchange that may
    /// exchange everything of the user's.
    fn of(aleph_home: &Path, file: &Path) -> Option<Self> {
        let home = aleph_home.canonicalize().ok()?;
        // Of what is not there yet the directories are judged all the same, before something is written into them.
        let real = file
            .ancestors()
            .find_map(|path| path.canonicalize().ok())
            .filter(|real| real.starts_with(&home))?;
        let places = real.ancestors().take_while(|place| place.starts_with(&home));
        let judged = places.filter_map(|place| {
            let (why, remedy) = writable_by_others(place, &place.metadata().ok()?)?;
            Some(Self {
                path: place.to_path_buf(),
                why,
                help: format!(
                    "see that {} holds nothing that you did not approve, then {remedy}; or delete it and approve again",
                    file.display()
                ),
            })
        });
        // The outermost: inside of it everything may be somebody else's.
        judged.last()
    }

    fn diagnostic(&self, file: &Path) -> Diagnostic {
        let what = if self.path.ends_with(FILE) {
            "the file of approvals".to_owned()
        } else {
            format!("{}, which holds the file of approvals,", self.path.display())
        };
        let message = format!(
            "{what} could be written by others, so nothing is approved: {}",
            self.why
        );
        Diagnostic::new(Code::ApprovalsBroken, Severity::Error, message)
            .with_path(file)
            .with_help(self.help.clone())
    }
}

/// What the user has approved.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    /// The file, whether it is there or not.
    pub path: PathBuf,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// Why nothing in it counts, whatever it says: for whoever would write into it.
    #[cfg_attr(
        not(feature = "install"),
        expect(dead_code, reason = "only installing writes")
    )]
    pub(super) distrust: Option<Distrust>,
    pub(super) approvals: Vec<Approval>,
}

impl Approvals {
    /// The file of an Aleph home.
    #[must_use]
    pub fn path_in(aleph_home: &Path) -> PathBuf {
        aleph_home.join("data").join(FILE)
    }

    /// Reads the file of an Aleph home.
    #[must_use]
    pub fn read(aleph_home: &Path) -> Self {
        let path = Self::path_in(aleph_home);
        let broken = |message: String| {
            Diagnostic::new(Code::ApprovalsBroken, Severity::Error, message)
                .with_path(&path)
                .with_help("repair the file, or move it away and approve again")
        };
        // A link out of the Aleph home could lead into a project, and a project must not approve itself.
        let home = aleph_home.canonicalize();
        if let (Ok(home), Ok(real)) = (home, path.canonicalize())
            && !real.starts_with(home)
        {
            let message = "the file of approvals leads out of the Aleph home, so nothing is approved";
            return Self {
                diagnostics: vec![broken(message.to_owned())],
                distrust: None,
                path,
                approvals: Vec::new(),
            };
        }
        if let Some(distrust) = Distrust::of(aleph_home, &path) {
            // Where there is no file nothing is approved anyhow.
            let diagnostics = path.symlink_metadata().map(|_| distrust.diagnostic(&path));
            return Self {
                diagnostics: diagnostics.into_iter().collect(),
                distrust: Some(distrust),
                path,
                approvals: Vec::new(),
            };
        }
        let table = data::read(aleph_home, FILE, TABLE, Code::ApprovalsBroken);
        let mut diagnostics = table.diagnostics;
        let mut approvals = Vec::new();
        for (digest, entry) in table.entries {
            match approval(&digest, &entry) {
                Ok(approval) => approvals.push(approval),
                Err(why) => diagnostics.push(
                    broken(format!("the entry `{TABLE}.{digest}` approves nothing: {why}"))
                        .with_position(Some(entry.position.line), Some(entry.position.column)),
                ),
            }
        }
        Self {
            path,
            diagnostics,
            distrust: None,
            approvals,
        }
    }

    /// Whether the user has said yes to a definition that stands at a site.
    #[must_use]
    pub fn consent(&self, server: &ServerDefinition, site: &Site) -> Consent {
        let own = digest(server, site);
        if self.has(&own) {
            return Consent::Approved;
        }
        let file = site.file.to_string_lossy();
        let same_name = || {
            self.approvals
                .iter()
                .filter(|approval| approval.name == server.name)
        };
        if let Some(before) = same_name().find(|approval| approval.file == file) {
            return Consent::Changed(differences(before, server, site));
        }
        // The same definition elsewhere: the project was moved, or is there twice.
        let moved = same_name().map(|before| differences(before, server, site));
        let is_moved = |differences: &Vec<Difference>| {
            differences
                .iter()
                .all(|one| matches!(&*one.part, "file" | "plugin"))
        };
        match moved.into_iter().find(is_moved) {
            Some(differences) => Consent::Changed(differences),
            None => Consent::Unapproved,
        }
    }

    /// Whether the definition of this digest was approved.
    #[must_use]
    pub fn has(&self, digest: &str) -> bool {
        self.approvals.iter().any(|approval| approval.digest == digest)
    }

    /// The digests of what was approved under a name; in one file, if one is given.
    #[must_use]
    pub fn of_name(&self, name: &str, file: Option<&Path>) -> Vec<&str> {
        let file = file.map(|file| file.to_string_lossy());
        self.approvals
            .iter()
            .filter(|approval| approval.name == name)
            .filter(|approval| file.as_deref().is_none_or(|file| approval.file == file))
            .map(|approval| approval.digest.as_str())
            .collect()
    }

    /// The names of what was approved.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.approvals.iter().map(|approval| approval.name.as_str())
    }
}

fn approval(digest: &str, entry: &Located) -> Result<Approval, &'static str> {
    let is_digest = digest.len() == 64
        && digest
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_digest {
        return Err("its key is no digest");
    }
    let mut kept = Vec::new();
    if let Some(parts) = entry.value.get("parts") {
        for part in parts.value.entries() {
            let Value::List(values) = &part.value.value else {
                return Err("a part of it is no list of two texts");
            };
            let [Value::String(shown), Value::String(mark)] =
                [values.first(), values.get(1)].map(|value| value.map_or(&Value::Null, |value| &value.value))
            else {
                return Err("a part of it is no list of two texts");
            };
            kept.push((part.key.clone(), shown.clone(), mark.clone()));
        }
    }
    Ok(Approval {
        digest: digest.to_owned(),
        name: data::text(entry, "name").ok_or("it has no `name`")?,
        file: data::text(entry, "file").ok_or("it has no `file`")?,
        parts: kept,
    })
}

fn differences(before: &Approval, server: &ServerDefinition, site: &Site) -> Vec<Difference> {
    // Marks are made with the digest of the approval that they are compared with.
    let now = parts(server, site, &before.digest);
    let mut differences = Vec::new();
    for part in &now {
        let approved = before.parts.iter().find(|(key, ..)| *key == part.key);
        if approved.is_none_or(|(_, _, mark)| *mark != part.mark) {
            differences.push(Difference {
                part: part.key.clone(),
                approved: approved.map(|(_, shown, _)| shown.clone()),
                now: Some(part.shown.clone()),
            });
        }
    }
    for (key, shown, _) in &before.parts {
        if !now.iter().any(|part| part.key == *key) {
            differences.push(Difference {
                part: key.clone(),
                approved: Some(shown.clone()),
                now: None,
            });
        }
    }
    differences
}
