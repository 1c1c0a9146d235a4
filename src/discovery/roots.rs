//! From a profile and a walk to the roots: where they are, how they rank, whether they are there.

use std::fs;
use std::path::{Path, PathBuf};

use super::{DiscoveryConfig, Environment, Walk, platform, real_or_given};
use crate::host::{Anchor, HostProfile, RootSpec};
use crate::model::{
    Code, Diagnostic, Family, FileIdentity, Root, RootReason, RootStatus, RootTerms, Scope, Severity,
};

/// The roots of one question, lowest priority first.
#[derive(Debug)]
pub(super) struct RootPlan {
    pub(super) roots: Vec<Root>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) complete: bool,
}

/// What tells a directory from every other.
#[derive(PartialEq, Eq)]
enum Directory {
    Identity(FileIdentity),
    /// Its real path, where the system gives directories no identity, or where none is there.
    RealPath(PathBuf),
}

/// A root while its place is still being judged.
struct Planned {
    root: Root,
    directory: Directory,
    /// Steps from the start of the walk; none for a global root.
    steps: Option<usize>,
}

impl Planned {
    fn is_same_directory(&self, other: &Self) -> bool {
        self.directory == other.directory
    }
}

/// Finds out which roots a host has here, and looks whether each is a directory. Component directories are
/// not looked at yet.
pub(super) fn plan(
    profile: &HostProfile,
    environment: &Environment,
    config: &DiscoveryConfig,
    walk: &Walk,
) -> RootPlan {
    let mut planned = Vec::new();
    let mut diagnostics = Vec::new();
    let mut complete = true;
    let mut next_free_priority = 0;
    for spec in profile.roots {
        let is_off = spec.unless.iter().any(|name| environment.is_on(name));
        let wanted = !is_off && (spec.family != Family::Claude || config.scan_claude_dirs);
        match spec.anchor {
            Anchor::EachWalkDirectory(name) => {
                let first = spec.priority.max(next_free_priority);
                let last = walk.dirs.len().saturating_sub(1);
                for (index, dir) in walk.dirs.iter().rev().enumerate() {
                    let steps = if spec.outer_wins { last - index } else { index };
                    let priority = first.saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
                    // Numbers are given out also where the root is not wanted, so that a flag never moves them.
                    next_free_priority = next_free_priority.max(priority.saturating_add(1));
                    if !wanted {
                        continue;
                    }
                    planned.push(look_at(
                        spec,
                        dir.join(name),
                        priority,
                        Some(walk.dirs.len() - 1 - index),
                    ));
                }
            }
            anchor => {
                if !wanted {
                    continue;
                }
                let of_project = matches!(
                    anchor,
                    Anchor::Start(_) | Anchor::GitRoot(_) | Anchor::Checkout(_) | Anchor::MainCheckout(_)
                );
                match place(anchor, environment, walk) {
                    _ if of_project && !config.scan_project_dirs => {}
                    Some(path) => {
                        let mut root = look_at(spec, path, spec.priority, of_project.then_some(0));
                        if let Anchor::MainCheckout(below) = anchor {
                            root.root.terms.stands_in_for = place(Anchor::GitRoot(below), environment, walk);
                        }
                        planned.push(root);
                    }
                    None if matches!(anchor, Anchor::ClaudeHome | Anchor::AlephHome | Anchor::Home(_)) => {
                        complete = false;
                        diagnostics.push(no_home(spec));
                    }
                    None => {}
                }
            }
        }
    }
    skip_what_is_counted_already(&mut planned);
    complete &= planned
        .iter()
        .all(|planned| planned.root.status != RootStatus::Unreadable);
    RootPlan {
        roots: planned.into_iter().map(|planned| planned.root).collect(),
        diagnostics,
        complete,
    }
}

/// Where an anchor is; none where it is nowhere here.
pub(super) fn place(anchor: Anchor, environment: &Environment, walk: &Walk) -> Option<PathBuf> {
    let home = || {
        environment
            .home
            .clone()
            .map(|home| std::path::absolute(&home).unwrap_or(home))
    };
    match anchor {
        Anchor::ClaudeHome => environment.resolved_claude_home(),
        Anchor::ClaudeState if environment.claude_home.is_some() => environment.resolved_claude_home(),
        Anchor::ClaudeState => home(),
        Anchor::AlephHome => environment.resolved_aleph_home(),
        Anchor::Home(below) => Some(below_of(&home()?, below)),
        Anchor::Variable { name, below, or_home } => match environment.variables.get(name) {
            Some(value) => Some(below_of(&PathBuf::from(value), below)),
            None => Some(below_of(&home()?, or_home?)),
        },
        Anchor::Absolute(path) => Some(match &environment.system_root {
            Some(root) => root.join(path.trim_start_matches('/')),
            None => PathBuf::from(path),
        }),
        Anchor::Start(below) => Some(below_of(&walk.start, below)),
        Anchor::GitRoot(below) => Some(below_of(walk.git_root.as_ref().unwrap_or(&walk.start), below)),
        Anchor::Checkout(below) => {
            let root = walk.worktree_of.as_ref().or(walk.git_root.as_ref());
            Some(below_of(root.unwrap_or(&walk.start), below))
        }
        Anchor::MainCheckout(below) => Some(below_of(walk.worktree_of.as_ref()?, below)),
        Anchor::EachWalkDirectory(_) => None,
    }
}

fn below_of(dir: &Path, below: &str) -> PathBuf {
    if below.is_empty() {
        dir.to_path_buf()
    } else {
        dir.join(below)
    }
}

fn no_home(spec: &RootSpec) -> Diagnostic {
    Diagnostic::new(
        Code::NoHome,
        Severity::Error,
        format!(
            "the home directory is not known, so the user's {} was not looked at",
            spec.family.dir_name()
        ),
    )
    .with_help("set HOME, or give --home")
}

fn look_at(spec: &RootSpec, path: PathBuf, priority: u32, steps: Option<usize>) -> Planned {
    let in_real_parent = |path: &Path| match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_or_given(parent).join(name),
        _ => path.to_path_buf(),
    };
    let (status, reason, directory) = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => {
            let directory = match platform::identity(&metadata) {
                Some(identity) => Directory::Identity(identity),
                None => Directory::RealPath(real_or_given(&path)),
            };
            (RootStatus::Scanned, None, directory)
        }
        Ok(_) => (
            RootStatus::Skipped,
            Some(RootReason::NotADirectory.to_string()),
            Directory::RealPath(in_real_parent(&path)),
        ),
        Err(error) => {
            let (status, reason) = absence(&path, &error);
            (status, reason, Directory::RealPath(in_real_parent(&path)))
        }
    };
    let root = Root {
        path,
        source: spec.source,
        scope: spec.scope,
        family: spec.family,
        priority,
        kinds: spec.kinds.to_vec(),
        status,
        reason,
        dirs: Vec::new(),
        terms: RootTerms {
            ranks: spec
                .ranks
                .iter()
                .map(|(kind, rank)| (*kind, rank + priority.saturating_sub(spec.priority)))
                .collect(),
            needs_trust: spec.trusted_only.to_vec(),
            ..RootTerms::default()
        },
    };
    Planned {
        root,
        directory,
        steps,
    }
}

/// What an error on looking at a directory means: it is missing, a link to nothing, or closed to us.
pub(super) fn absence(path: &Path, error: &std::io::Error) -> (RootStatus, Option<String>) {
    if error.kind() == std::io::ErrorKind::NotFound {
        let dangling = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        (
            RootStatus::Missing,
            dangling.then(|| RootReason::DanglingSymlink.to_string()),
        )
    } else if platform::is_not_a_directory(error) {
        (RootStatus::Skipped, Some(RootReason::NotADirectory.to_string()))
    } else {
        (RootStatus::Unreadable, Some(error.to_string()))
    }
}

/// Of roots that are one directory a single one stays, also where that is not there: a global root before any of the
/// walk, the nearer before the one further out, and in one place the native one.
fn skip_what_is_counted_already(planned: &mut [Planned]) {
    let mut order: Vec<usize> = (0..planned.len()).collect();
    order.sort_by_key(|index| {
        planned.get(*index).map(|planned| {
            (
                planned.root.scope != Scope::User,
                planned.steps,
                planned.root.family != Family::Aleph,
            )
        })
    });
    let mut staying: Vec<usize> = Vec::new();
    for index in order {
        let Some(candidate) = planned.get(index) else {
            continue;
        };
        let same = staying
            .iter()
            .filter_map(|kept| planned.get(*kept))
            .find(|kept| kept.is_same_directory(candidate))
            .map(|kept| kept.steps.is_none());
        match same {
            None => staying.push(index),
            Some(kept_is_global) => {
                let met_again = kept_is_global && candidate.steps.is_some();
                if let Some(candidate) = planned.get_mut(index) {
                    candidate.root.status = RootStatus::Skipped;
                    let reason = if met_again {
                        RootReason::IsGlobalRoot
                    } else {
                        RootReason::SameDirectory
                    };
                    candidate.root.reason = Some(reason.to_string());
                }
            }
        }
    }
}
