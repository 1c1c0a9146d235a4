//! From global flags and the process's environment to a manager.

use aleph_discover::discovery::DEFAULT_UPWARD_DEPTH;
use aleph_discover::{DiscoveryConfig, DiscoveryManager, Environment};

use super::args::Global;
use super::failure::Failure;

/// Gathers what the process knows, lets the flags overrule it, and looks at the directory asked about.
pub(super) fn open(global: &Global) -> Result<DiscoveryManager, Failure> {
    let mut environment = Environment::from_process();
    if let Some(home) = &global.home {
        environment.home = Some(home.clone());
    }
    if let Some(aleph_home) = &global.aleph_home {
        environment.aleph_home = Some(aleph_home.clone());
    }
    let config = DiscoveryConfig {
        working_dir: match &global.directory {
            Some(directory) => directory.clone(),
            None => std::env::current_dir().map_err(Failure::no_working_directory)?,
        },
        scan_claude_dirs: !global.no_claude,
        scan_project_dirs: !global.no_project,
        max_upward_depth: global.max_depth.unwrap_or(if global.host.0.walk.capped {
            DEFAULT_UPWARD_DEPTH
        } else {
            usize::MAX
        }),
        plugin_dirs: global.plugin_dir.clone(),
    };
    Ok(DiscoveryManager::for_host(global.host.0, config, environment)?)
}
