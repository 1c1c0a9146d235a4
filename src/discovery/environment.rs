//! What discovery needs to know of the process, as plain fields.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How many directories the upward walk looks at unless told otherwise, the start included.
pub const DEFAULT_UPWARD_DEPTH: usize = 10;

/// The places that the process's surroundings decide. Relative paths are taken from the working directory of
/// the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The Aleph home, the `.aleph` directory itself; without it `<home>/.aleph`.
    pub aleph_home: Option<PathBuf>,
    /// The Claude home; without it `<home>/.claude`.
    pub claude_home: Option<PathBuf>,
    /// Configuration as JSON that overrides every file.
    pub config_content: Option<OsString>,
    /// The directory that stands in for `/` where a host has a fixed place, such as `/etc`; for tests and images.
    pub system_root: Option<PathBuf>,
    /// The variables that other hosts go by, those of [`HOST_VARIABLES`] that are set.
    pub variables: BTreeMap<&'static str, OsString>,
}

/// The environment variables that move another host's directories, or switch parts of it off.
pub const HOST_VARIABLES: [&str; 19] = [
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    "CLAUDE_CODE_DISABLE_POLICY_SKILLS",
    "CLAUDE_CODE_PLUGIN_CACHE_DIR",
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_SIMPLE",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_TRUST_WORKSPACE",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT",
    "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "SLASH_COMMAND_TOOL_CHAR_BUDGET",
    "XDG_CONFIG_HOME",
];

impl Environment {
    /// An environment in which only the home directory is known.
    #[must_use]
    pub fn with_home(home: impl Into<PathBuf>) -> Self {
        Self {
            home: Some(home.into()),
            ..Self::default()
        }
    }

    /// Gathers the environment of this process: the home directory, `ALEPH_HOME`, `CLAUDE_CONFIG_DIR`,
    /// `ALEPH_CONFIG_CONTENT`. An empty variable counts as not set.
    #[must_use]
    pub fn from_process() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            home: dirs::home_dir().filter(|home| !home.as_os_str().is_empty()),
            aleph_home: variable("ALEPH_HOME").map(PathBuf::from),
            claude_home: variable("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            config_content: variable("ALEPH_CONFIG_CONTENT"),
            system_root: None,
            variables: HOST_VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, variable(name)?)))
                .collect(),
        }
    }

    /// Whether a variable of a host is set to something that means yes: `1`, `true`, `yes` or `on`.
    #[must_use]
    pub fn is_on(&self, variable: &str) -> bool {
        self.variables.get(variable).is_some_and(|value| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            matches!(&*value, "1" | "true" | "yes" | "on")
        })
    }

    /// The Aleph home as an absolute path.
    #[must_use]
    pub fn resolved_aleph_home(&self) -> Option<PathBuf> {
        resolved(self.aleph_home.as_deref(), self.home.as_deref(), ".aleph")
    }

    /// The Claude home as an absolute path.
    #[must_use]
    pub fn resolved_claude_home(&self) -> Option<PathBuf> {
        resolved(self.claude_home.as_deref(), self.home.as_deref(), ".claude")
    }
}

fn resolved(given: Option<&Path>, home: Option<&Path>, name: &str) -> Option<PathBuf> {
    let path = given.map(Path::to_path_buf).or_else(|| Some(home?.join(name)))?;
    Some(std::path::absolute(&path).unwrap_or(path))
}

/// What is asked, and how far to look.
///
/// ```
/// use aleph_discover::DiscoveryConfig;
///
/// let config = DiscoveryConfig::default();
/// assert!(config.scan_claude_dirs && config.scan_project_dirs);
/// assert_eq!(config.max_upward_depth, 10);
/// let config = config.with_working_dir("/src/shop").without_claude_dirs().with_max_upward_depth(3);
/// assert!(!config.scan_claude_dirs);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveryConfig {
    /// The directory to ask about; `.` by default.
    pub working_dir: PathBuf,
    /// Whether `.claude` roots are read, global and project ones.
    pub scan_claude_dirs: bool,
    /// Whether the upward walk is made.
    pub scan_project_dirs: bool,
    /// How many directories the walk looks at, the start included; 0 looks at none.
    pub max_upward_depth: usize,
    /// Plugins given for this one question, for hosts that have that (`--plugin-dir`).
    pub plugin_dirs: Vec<PathBuf>,
    /// Settings given for this one question, for hosts that have that (`--settings`): a file's path, or JSON that
    /// begins with `{`.
    pub settings: Option<OsString>,
}

impl Default for DiscoveryConfig {
    fn default() -> Self {
        Self {
            working_dir: PathBuf::from("."),
            scan_claude_dirs: true,
            scan_project_dirs: true,
            max_upward_depth: DEFAULT_UPWARD_DEPTH,
            plugin_dirs: Vec::new(),
            settings: None,
        }
    }
}

impl DiscoveryConfig {
    /// Asks about this directory.
    #[must_use]
    pub fn with_working_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.working_dir = dir.into();
        self
    }

    /// Leaves out every `.claude` root.
    #[must_use]
    pub const fn without_claude_dirs(mut self) -> Self {
        self.scan_claude_dirs = false;
        self
    }

    /// Leaves out the upward walk.
    #[must_use]
    pub const fn without_project_dirs(mut self) -> Self {
        self.scan_project_dirs = false;
        self
    }

    /// Takes this plugin as if it had been given when the host was started.
    #[must_use]
    pub fn with_plugin_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.plugin_dirs.push(dir.into());
        self
    }

    /// Looks at this many directories on the walk, the start included.
    #[must_use]
    pub const fn with_max_upward_depth(mut self, depth: usize) -> Self {
        self.max_upward_depth = depth;
        self
    }
}
