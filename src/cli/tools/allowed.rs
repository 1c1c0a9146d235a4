//! The tools of a catalogue as a session of the gateway has them: under what the operator allows and denies.

#[cfg(feature = "mcp")]
use std::collections::HashSet;

use aleph_discover::DiscoveryManager;
#[cfg(feature = "mcp")]
use aleph_discover::mcp::gateway::Policy;
use aleph_discover::tools::disclosure::{CatalogueTools, KnownTools};
use aleph_discover::tools::{Catalogue, SearchIndex};
use serde_json::Value;

use crate::cli::args::Global;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// What is known of tools, and whether they may be called: the same that `serve` asks. Without a gateway in this build
/// nothing is denied.
pub(super) struct AllowedTools<'a> {
    tools: CatalogueTools<'a>,
    #[cfg(feature = "mcp")]
    policy: Policy,
    /// The tools that are denied by another name than their qualified one.
    #[cfg(feature = "mcp")]
    denied: HashSet<String>,
}

impl<'a> AllowedTools<'a> {
    /// The tools of a catalogue, under the policy of the Aleph home and the project.
    pub(super) fn of_catalogue(
        catalogue: &'a Catalogue,
        global: &Global,
        manager: &DiscoveryManager,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let named = catalogue.tools.iter();
        let named = named.map(|tool| (tool.server.as_str(), tool.tool.as_str(), tool.name.as_str()));
        Self::new(CatalogueTools::new(catalogue), named, global, manager, output)
    }

    /// The tools that were indexed, under the same.
    pub(super) fn of_index(
        index: &'a SearchIndex,
        global: &Global,
        manager: &DiscoveryManager,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let named = index.documents().iter();
        let named = named.map(|tool| (tool.server, tool.tool, tool.name));
        Self::new(CatalogueTools::of_index(index), named, global, manager, output)
    }

    #[cfg(feature = "mcp")]
    fn new<'n>(
        tools: CatalogueTools<'a>,
        named: impl Iterator<Item = (&'n str, &'n str, &'n str)>,
        global: &Global,
        manager: &DiscoveryManager,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        // Without an Aleph home there is no operator who could have denied anything, and no gateway either.
        let policy = match manager.aleph_home() {
            Ok(home) => crate::cli::serve::settings::policy(global, &home, output)?,
            Err(_) => Policy::default(),
        };
        let denied = named
            .filter(|(server, tool, name)| !policy.allows_named(server, tool, name))
            .map(|(_, _, name)| name.to_owned())
            .collect();
        Ok(Self {
            tools,
            policy,
            denied,
        })
    }

    #[cfg(not(feature = "mcp"))]
    #[allow(clippy::unnecessary_wraps, reason = "with a gateway its policy may be broken")]
    fn new<'n>(
        tools: CatalogueTools<'a>,
        _named: impl Iterator<Item = (&'n str, &'n str, &'n str)>,
        _global: &Global,
        _manager: &DiscoveryManager,
        _output: &mut Output,
    ) -> Result<Self, Failure> {
        Ok(Self { tools })
    }
}

impl KnownTools for AllowedTools<'_> {
    fn is_known(&self, name: &str) -> Option<bool> {
        self.tools.is_known(name)
    }

    fn schema(&self, name: &str) -> Option<Value> {
        self.tools.schema(name)
    }

    fn description(&self, name: &str) -> Option<String> {
        self.tools.description(name)
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        self.tools.nearest(name)
    }

    #[cfg(feature = "mcp")]
    fn is_allowed(&self, name: &str) -> bool {
        !self.denied.contains(name) && self.policy.allows(name)
    }
}
