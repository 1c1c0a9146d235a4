//! From global flags and the process's environment to a manager.

use std::fs;
use std::path::Path;

use aleph_discover::discovery::DEFAULT_UPWARD_DEPTH;
use aleph_discover::host::HostProfile;
use aleph_discover::model::HostId;
use aleph_discover::parse::document;
use aleph_discover::{DiscoveryConfig, DiscoveryManager, Environment};

use super::args::{Global, Host};
use super::failure::Failure;

/// Gathers what the process knows, lets the flags overrule it, and looks at the directory asked about as the one
/// host does that was asked for.
pub(super) fn open(global: &Global) -> Result<DiscoveryManager, Failure> {
    match global.host {
        Host::One(host) => {
            // What would change nothing is not taken in silence.
            let profile = HostProfile::known(host);
            let given = [
                ("--plugin-dir", !global.plugin_dir.is_empty()),
                ("--settings", global.settings.is_some()),
            ];
            if profile.given_layer.is_none()
                && let Some((flag, _)) = given.iter().find(|(_, given)| *given)
            {
                return Err(Failure::usage(
                    format!("{flag} says nothing to the host {host}"),
                    "leave it out, or ask for --host claude-code",
                ));
            }
            as_host(global, host)
        }
        Host::All => Err(Failure::one_host_at_a_time()),
    }
}

/// Looks at the directory asked about as every host does.
pub(super) fn open_all(global: &Global) -> Result<Vec<DiscoveryManager>, Failure> {
    HostId::ALL
        .into_iter()
        .map(|host| as_host(global, host))
        .collect()
}

pub(super) fn as_host(global: &Global, host: HostId) -> Result<DiscoveryManager, Failure> {
    check_given(global)?;
    let profile = HostProfile::known(host);
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
        max_upward_depth: global.max_depth.unwrap_or(if profile.walk.capped {
            DEFAULT_UPWARD_DEPTH
        } else {
            usize::MAX
        }),
        plugin_dirs: global.plugin_dir.clone(),
        settings: global.settings.clone(),
    };
    Ok(DiscoveryManager::for_host(profile, config, environment)?)
}

/// What was named to be taken must be there: a slip of the pen must not look like an answer without it.
fn check_given(global: &Global) -> Result<(), Failure> {
    for dir in &global.plugin_dir {
        let is_there = fs::metadata(dir).map_err(|error| Failure::cannot_read(dir, error))?;
        if !is_there.is_dir() {
            let message = format!("{} is not a directory", dir.display());
            return Err(
                Failure::usage(message, "give the directory of a plugin with --plugin-dir").with_path(dir),
            );
        }
    }
    let Some(settings) = &global.settings else {
        return Ok(());
    };
    let text = settings.to_string_lossy();
    if text.trim_start().starts_with('{') {
        return match document::parse(text.as_bytes(), document::Format::Json) {
            Ok(_) => Ok(()),
            Err(problem) => Err(Failure::usage(
                format!("what --settings has is no JSON object: {}", problem.message),
                "give an object, or the path of a file that holds one",
            )),
        };
    }
    let path = Path::new(settings);
    fs::metadata(path).map_err(|error| Failure::cannot_read(path, error))?;
    Ok(())
}
