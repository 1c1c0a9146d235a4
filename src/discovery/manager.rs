//! The front door: one value that answers every question about one directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::beyond::Beyond;
use super::budget::Budget;
use super::listing::Listing;
use super::native_servers::{NativeServers, native_priority};
use super::settings::Settings;
use super::{
    ConfigFiles, DirectoryScanner, DiscoveryConfig, DiscoveryError, Environment, Found, Walk, config_files,
    gates, host_plugins, resolve, roots, settings,
};
use crate::host::{HostProfile, Layout, PluginSystem};
use crate::model::{
    Candidate, CandidateRef, Code, ComponentKind, DeclaredName, Diagnostic, DiscoverySource, Family, Form,
    FreePlace, IdOrigin, Place, Resolution, Root, RootDir, RootReason, RootStatus, Severity, State,
};

/// Discovery for one working directory: where a host looks, what is there, and who wins.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use aleph_discover::model::ComponentKind;
/// use aleph_discover::{DiscoveryConfig, DiscoveryManager, Environment};
///
/// # let tree = tempfile::tempdir()?;
/// # let (home, project) = (tree.path().join("home"), tree.path().join("shop"));
/// for skill in [home.join(".claude/skills/deploy"), project.join(".claude/skills/deploy")] {
///     std::fs::create_dir_all(&skill)?;
///     std::fs::write(skill.join("SKILL.md"), format!("---\nname: deploy\n---\n{}\n", skill.display()))?;
/// }
/// let config = DiscoveryConfig::default().with_working_dir(&project);
/// let manager = DiscoveryManager::new(config, Environment::with_home(&home))?;
///
/// let resolution = manager.scan(&[ComponentKind::Skill]);
/// let chain = resolution.chains().next().ok_or("no skill")?;
/// assert_eq!(chain.id(), "deploy");
/// let winner = chain.winner().ok_or("no winner")?;
/// assert!(winner.path().ends_with("shop/.claude/skills/deploy"));
/// let loser = chain.get(1).ok_or("no loser")?;
/// assert_eq!(loser.rule.ok_or("no rule")?.as_str(), "project-over-global");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DiscoveryManager {
    profile: &'static HostProfile,
    config: DiscoveryConfig,
    environment: Environment,
    walk: Walk,
}

/// A root that is there, as the directories to scan are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanDirectory {
    /// The root.
    pub path: PathBuf,
    /// Where it comes from.
    pub source: DiscoverySource,
    /// Later overrides earlier.
    pub priority: u32,
}

/// Something valid that was found, before it is known who wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredPath {
    /// The directory with the marker, or the file.
    pub path: PathBuf,
    /// Where its root comes from.
    pub source: DiscoverySource,
    /// The last component of the path, for a file with its extension; lossy where it is not UTF-8.
    pub name: String,
    /// Priority of its root; later overrides earlier.
    pub priority: u32,
}

impl DiscoveryManager {
    /// Looks at the directory that `config` names, as Aleph does.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::WorkingDirectory`] if that is missing, not a directory or closed to us.
    pub fn new(config: DiscoveryConfig, environment: Environment) -> Result<Self, DiscoveryError> {
        Self::for_host(HostProfile::native(), config, environment)
    }

    /// Looks at the directory that `config` names, as the host of `profile` does.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn for_host(
        profile: &'static HostProfile,
        config: DiscoveryConfig,
        environment: Environment,
    ) -> Result<Self, DiscoveryError> {
        let mut walk = Walk::of(&profile.walk, &config)?;
        if let Some(key) = profile.walk.marker_setting {
            // The user's settings may name other marks of a repository than `.git`.
            let settings = Settings::load(profile, &environment, &walk, false, None);
            if let Some((_, marks)) = settings.highest(&[key]) {
                let marks: Vec<&str> = settings::strings(&marks.value).collect();
                walk = Walk::with_marks(&profile.walk, &marks, &config)?;
            }
        }
        Ok(Self {
            profile,
            config,
            environment,
            walk,
        })
    }

    /// Looks at the process's working directory with the process's environment: the one place in the library
    /// that gathers them itself.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_defaults() -> Result<Self, DiscoveryError> {
        Self::new(DiscoveryConfig::default(), Environment::from_process())
    }

    /// The host whose rules apply.
    #[must_use]
    pub const fn profile(&self) -> &'static HostProfile {
        self.profile
    }

    /// The upward walk.
    #[must_use]
    pub const fn walk(&self) -> &Walk {
        &self.walk
    }

    /// What was asked.
    #[must_use]
    pub const fn config(&self) -> &DiscoveryConfig {
        &self.config
    }

    /// The working directory: canonical, or raw where canonicalizing failed.
    #[must_use]
    pub fn working_dir(&self) -> &Path {
        &self.walk.start
    }

    /// The git root above the working directory, itself included.
    #[must_use]
    pub fn git_root(&self) -> Option<&Path> {
        self.walk.git_root.as_deref()
    }

    /// The Aleph home, whether it is there or not.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::NoHome`] if neither an Aleph home nor a home directory is known.
    pub fn aleph_home(&self) -> Result<PathBuf, DiscoveryError> {
        self.environment
            .resolved_aleph_home()
            .ok_or(DiscoveryError::NoHome)
    }

    /// The roots that are there, lowest priority first: later overrides earlier.
    #[must_use]
    pub fn get_scan_directories(&self) -> Vec<ScanDirectory> {
        let plan = roots::plan(self.profile, &self.environment, &self.config, &self.walk);
        let there = plan
            .roots
            .into_iter()
            .filter(|root| root.status == RootStatus::Scanned);
        there
            .map(|root| ScanDirectory {
                path: root.path,
                source: root.source,
                priority: root.priority,
            })
            .collect()
    }

    /// The configuration files of one name, lowest precedence first: the user's, then the project's from the
    /// outermost directory inward. Works for any file name.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::Name`] if the name could leave its directory.
    pub fn find_config_files(&self, name: &str) -> Result<Vec<PathBuf>, DiscoveryError> {
        Ok(self
            .config_files(name)?
            .active()
            .map(|file| file.path.clone())
            .collect())
    }

    /// The configuration files of one name with what became of each, and every path that was looked at.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::Name`] if the name could leave its directory.
    pub fn config_files(&self, name: &str) -> Result<ConfigFiles, DiscoveryError> {
        config_files::find(self.profile, &self.environment, &self.walk, name)
    }

    /// What the process's surroundings decided.
    #[must_use]
    pub const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Every valid skill, lowest priority first; see [`scan`](Self::scan) for who wins.
    #[must_use]
    pub fn discover_skill_dirs(&self) -> Vec<DiscoveredPath> {
        self.discover(ComponentKind::Skill)
    }

    /// Every valid command, lowest priority first; see [`scan`](Self::scan) for who wins.
    #[must_use]
    pub fn discover_command_dirs(&self) -> Vec<DiscoveredPath> {
        self.discover(ComponentKind::Command)
    }

    /// Every valid agent, lowest priority first; see [`scan`](Self::scan) for who wins.
    #[must_use]
    pub fn discover_agent_dirs(&self) -> Vec<DiscoveredPath> {
        self.discover(ComponentKind::Agent)
    }

    /// Every plugin directory, lowest priority first; see [`discover_plugins`](Self::discover_plugins) for who
    /// wins.
    #[must_use]
    pub fn discover_plugin_dirs(&self) -> Vec<DiscoveredPath> {
        self.discover(ComponentKind::Plugin)
    }

    /// The plugins in effect and what they shadow. Manifests are not read: a plugin's id is made from the name
    /// of its directory.
    #[must_use]
    pub fn discover_plugins(&self) -> Resolution {
        self.scan(&[ComponentKind::Plugin])
    }

    fn discover(&self, kind: ComponentKind) -> Vec<DiscoveredPath> {
        let resolution = self.scan(&[kind]);
        let mut paths: Vec<DiscoveredPath> = resolution
            .candidates
            .iter()
            .filter(|candidate| !candidate.state.is_out_of_the_running())
            .map(|candidate| {
                let candidate = CandidateRef::new(&resolution, candidate);
                let path = candidate.path();
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                DiscoveredPath {
                    path,
                    source: candidate.source(),
                    name,
                    priority: candidate.priority(),
                }
            })
            .collect();
        paths.sort_by(|one, other| (one.priority, &one.path).cmp(&(other.priority, &other.path)));
        paths
    }

    /// The roots of the host, lowest priority first, with the component directories of these kinds looked at.
    #[must_use]
    pub fn roots(&self, kinds: &[ComponentKind]) -> Resolution {
        let mut resolution = self.scan(kinds);
        resolution.candidates.clear();
        resolution.spans.clear();
        resolution
    }

    /// Everything of these kinds that is in the host's own roots, in chains: who wins, who loses, and why. Nothing
    /// that other kinds alone need is read. What plugins bring is not among it, and a plugin goes by its
    /// directory's name: [`plugin::scan`](crate::plugin::scan) reads them too.
    #[must_use]
    pub fn scan(&self, kinds: &[ComponentKind]) -> Resolution {
        if !self.profile.is_native() {
            return self.scan_as_host(kinds);
        }
        self.resolve(self.collect(kinds))
    }

    /// Decides who wins among candidates; one that is decided already stays as it is.
    pub(crate) fn resolve(&self, collected: Resolution) -> Resolution {
        resolve::resolve(self.profile, collected)
    }

    /// Everything of these kinds that is there, not yet in chains.
    pub(crate) fn collect(&self, kinds: &[ComponentKind]) -> Resolution {
        let (roots, mut found, _) = self.look(kinds, DirectoryScanner::new());
        let wants_servers = kinds.contains(&ComponentKind::McpServer);
        if (wants_servers || kinds.contains(&ComponentKind::Config))
            && let Ok(files) = self.config_files(self.profile.config.id)
        {
            if wants_servers {
                let servers = NativeServers {
                    environment: &self.environment,
                    walk: &self.walk,
                    roots: &roots,
                    found: &mut found,
                };
                servers.find(&files);
            }
            if kinds.contains(&ComponentKind::Config) {
                self.add_config_files(files, &roots, &mut found);
            } else {
                let told = files.diagnostics.into_iter();
                found
                    .diagnostics
                    .extend(told.filter(|one| one.code != Code::NoHome));
                found.incomplete |= !files.complete;
            }
        }
        Resolution {
            roots,
            candidates: found.candidates,
            spans: Vec::new(),
            diagnostics: found.diagnostics,
            complete: !found.incomplete,
        }
    }

    /// The roots with how many entries their component directories of these kinds have, and the plugins among them:
    /// everything is listed, no marker is opened.
    pub(crate) fn count(&self, kinds: &[ComponentKind]) -> Resolution {
        let (roots, found, _) = self.look(kinds, DirectoryScanner::counting());
        Resolution {
            roots,
            candidates: found.candidates,
            spans: Vec::new(),
            diagnostics: found.diagnostics,
            complete: !found.incomplete,
        }
    }

    /// Reads the component directories of these kinds in every root.
    fn look(
        &self,
        kinds: &[ComponentKind],
        mut scanner: DirectoryScanner,
    ) -> (Vec<Root>, Found, DirectoryScanner) {
        let plan = roots::plan(self.profile, &self.environment, &self.config, &self.walk);
        let mut roots = plan.roots;
        let mut found = Found {
            incomplete: !plan.complete,
            ..Found::default()
        };
        found.diagnostics = self.walk.diagnostics.clone();
        found.diagnostics.extend(plan.diagnostics);
        found.incomplete |= !self.walk.complete;

        for (index, root) in roots.iter_mut().enumerate() {
            if root.status == RootStatus::Unreadable {
                found.diagnostics.push(unreadable_root(root));
            }
            if root.status == RootStatus::Scanned {
                self.scan_root(
                    &mut scanner,
                    kinds,
                    u32::try_from(index).unwrap_or(u32::MAX),
                    root,
                    &mut found,
                );
            }
        }
        (roots, found, scanner)
    }

    /// Everything of these kinds as a host does that is not the native one, with its settings, plugins and memory.
    fn scan_as_host(&self, kinds: &[ComponentKind]) -> Resolution {
        // What keeps the host from starting may be of another kind than what is asked about.
        let that_stop = self
            .profile
            .kinds
            .iter()
            .filter(|spec| matches!(&spec.layout, Layout::Tree(tree) if tree.matter.wrong_type_stops))
            .map(|spec| spec.kind);
        let all: BTreeSet<ComponentKind> = kinds.iter().copied().chain(that_stop).collect();
        let all: Vec<ComponentKind> = all.into_iter().collect();
        let (mut roots, mut found, mut scanner) = self.look(&all, DirectoryScanner::new());
        if all.len() > kinds.len() {
            found
                .candidates
                .retain(|candidate| kinds.contains(&candidate.kind));
            found.diagnostics.retain(|told| {
                let subject = told.subject.as_ref();
                subject.is_none_or(|subject| kinds.contains(&subject.kind))
            });
            for root in &mut roots {
                root.dirs.retain(|dir| kinds.contains(&dir.kind));
            }
        }
        let beyond = Beyond {
            profile: self.profile,
            environment: &self.environment,
            config: &self.config,
            walk: &self.walk,
            kinds,
        };
        let mut settings = beyond.add(&mut roots, &mut found, &mut scanner);
        settings.stop = settings.stop.take().or(found.stop.take());
        let mut resolution = Resolution {
            roots,
            candidates: found.candidates,
            spans: Vec::new(),
            diagnostics: found.diagnostics,
            complete: !found.incomplete,
        };
        let here = gates::Here {
            environment: &self.environment,
            walk: &self.walk,
        };
        gates::close(self.profile, &mut settings, &mut resolution, &here);
        let named = [ComponentKind::Skill, ComponentKind::Command];
        if self.profile.plugins == PluginSystem::Marketplaces && named.iter().all(|kind| kinds.contains(kind))
        {
            host_plugins::short::list(&mut resolution);
        }
        let mut resolution = resolve::resolve(self.profile, resolution);
        resolution.diagnostics.append(&mut settings.diagnostics);
        let budget = Budget {
            profile: self.profile,
            environment: &self.environment,
            walk: &self.walk,
            settings: &settings,
        };
        let mut told = budget.cut(&resolution);
        if named.iter().all(|kind| kinds.contains(kind)) {
            told.extend(budget.left_out(&resolution));
        }
        resolution.diagnostics.append(&mut told);
        resolution
    }

    fn scan_root(
        &self,
        scanner: &mut DirectoryScanner,
        kinds: &[ComponentKind],
        index: u32,
        root: &mut Root,
        found: &mut Found,
    ) {
        for spec in self.profile.kinds {
            let is_here = spec.families.is_empty() || spec.families.contains(&root.family);
            if !kinds.contains(&spec.kind) || !root.kinds.contains(&spec.kind) || !is_here {
                continue;
            }
            let dir = u32::try_from(root.dirs.len()).unwrap_or(u32::MAX);
            let place = Place::Listed { root: index, dir };
            let path = root.path.join(spec.folder);
            if let Some(own) = &root.terms.stands_in_for
                && own.join(spec.folder).exists()
            {
                root.dirs.push(RootDir {
                    kind: spec.kind,
                    path,
                    real_path: None,
                    marker: None,
                    status: RootStatus::Skipped,
                    reason: Some(RootReason::WorktreeHasItsOwn.to_string()),
                    entries: 0,
                });
                continue;
            }
            root.dirs.push(match &spec.layout {
                Layout::Tree(tree) => {
                    let listing = Listing {
                        spec,
                        tree,
                        place,
                        plugin: root.terms.plugin.as_deref(),
                    };
                    scanner.list(&listing, &path, found)
                }
                _ => scanner.scan(spec, &path, &place, found),
            });
        }
        let unreadable = |status| status == RootStatus::Unreadable;
        if !root.dirs.is_empty() && root.dirs.iter().all(|dir| unreadable(dir.status)) {
            // Nothing below it could be looked at: the root itself is closed, and must not look empty. One
            // finding says so instead of one for each of its directories.
            root.status = RootStatus::Unreadable;
            root.reason = root.dirs.first().and_then(|dir| dir.reason.clone());
            found
                .diagnostics
                .retain(|one| !root.dirs.iter().any(|dir| one.path.as_ref() == Some(&dir.path)));
            found.diagnostics.push(unreadable_root(root));
        }
    }

    fn add_config_files(&self, files: ConfigFiles, roots: &[Root], found: &mut Found) {
        found.incomplete |= !files.complete;
        for diagnostic in files.diagnostics {
            if diagnostic.code != Code::NoHome {
                found
                    .diagnostics
                    .push(diagnostic.with_subject(ComponentKind::Config, self.profile.config.id));
            }
        }
        for file in files.files {
            let (Some(parent), Some(name)) = (file.path.parent(), file.path.file_name()) else {
                continue;
            };
            // Project layers rank as the native roots of their directories do.
            let priority = native_priority(roots, &file.path, file.source, file.scope);
            let root = roots.iter().position(|root| root.path == parent);
            let mut candidate = Candidate {
                kind: ComponentKind::Config,
                form: Form::File,
                // Which format counts is decided with the chain.
                state: if file.state == State::Shadowed {
                    State::Active
                } else {
                    file.state
                },
                rule: None,
                code: file.code,
                by: None,
                place: Place::Free(Box::new(FreePlace {
                    parent: parent.to_path_buf(),
                    source: file.source,
                    scope: file.scope,
                    family: Family::Aleph,
                    priority,
                    root: root.and_then(|index| u32::try_from(index).ok()),
                })),
                has_marker: true,
                entry_name: name.into(),
                declared: DeclaredName::None,
                description: None,
                id: IdOrigin::Derived(self.profile.config.id.into()),
                identity: None,
                size: 0,
                detail: None,
                plugin: None,
            };
            if file.message.is_some() || file.symlink_target.is_some() {
                let real_path = file.path.canonicalize().ok();
                let detail = candidate.detail_mut();
                detail.message = file.message.map(Into::into);
                detail.help = file.help.map(Into::into);
                (detail.line, detail.column) = (file.line, file.column);
                detail.symlink_target = file.symlink_target;
                detail.real_path = real_path;
            }
            found.candidates.push(candidate);
        }
    }
}

fn unreadable_root(root: &Root) -> Diagnostic {
    let reason = root.reason.as_deref().unwrap_or("unknown reason");
    Diagnostic::new(
        Code::Unreadable,
        Severity::Error,
        format!("cannot look into this root: {reason}"),
    )
    .with_path(&root.path)
    .with_help("what it holds is unknown; make it readable, or run as a user who may read it")
}
