//! The front door: one value that answers every question about one directory.

mod look;

use std::path::{Path, PathBuf};

use super::settings::Settings;
use super::{
    ConfigFiles, DiscoveryConfig, DiscoveryError, Environment, Walk, config_files, resolve, roots, settings,
};
use crate::host::HostProfile;
use crate::model::{CandidateRef, ComponentKind, DiscoverySource, Resolution, RootStatus};

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
}
