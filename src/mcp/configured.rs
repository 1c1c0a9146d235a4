//! The servers that are configured here: for each name the one that counts, where it stands, and whether it may run.

use std::collections::HashMap;
use std::path::Path;

use super::approvals::{Approvals, Consent};
use super::digest::digest;
use super::environment::UserEnvironment;
use super::launch::{LaunchError, LaunchPlan, Preview, Site};
use crate::discovery::DiscoveryManager;
use crate::model::{
    CandidateRef, Chain, Code, ComponentKind, Diagnostic, DiscoverySource, Resolution, Scope,
    ServerDefinition, Severity, Transport, nearest,
};
use crate::plugin;
use crate::plugin::shown::PluginDirs;
use crate::plugin::steering::{Steering, steering};
use crate::report::shell;

/// Why a server is never started, whoever approves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It is switched off.
    SwitchedOff,
    /// Its transport is not spoken.
    Unsupported(Transport),
    /// Its definition says neither what to start nor what to call.
    Unusable,
}

impl Obstacle {
    /// What is in the way of a definition.
    #[must_use]
    pub const fn of(server: &ServerDefinition) -> Option<Self> {
        if !server.enabled {
            return Some(Self::SwitchedOff);
        }
        match server.transport {
            Some(Transport::Stdio | Transport::Http) => None,
            Some(transport @ (Transport::Sse | Transport::Ws)) => Some(Self::Unsupported(transport)),
            None => Some(Self::Unusable),
        }
    }
}

/// A server that has its name: the winner of its chain, or where nothing is in effect what would be if it were
/// switched on or its transport were spoken.
#[derive(Clone, Debug)]
pub struct ConfiguredServer {
    /// Its name: the id of its chain, for a plugin's `plugin:name`.
    pub name: String,
    /// The short name that leads to it too, where it is free.
    pub short_name: Option<String>,
    /// What is configured, as written.
    pub definition: ServerDefinition,
    /// Where that stands.
    pub site: Site,
    /// 1-based line of its definition.
    pub line: Option<u32>,
    /// Where its file comes from.
    pub source: DiscoverySource,
    /// For whom it holds.
    pub scope: Scope,
    /// The plugin that brings it.
    pub plugin: Option<String>,
    /// Whether the user has said yes to it.
    pub consent: Consent,
    /// Why it is never started.
    pub obstacle: Option<Obstacle>,
}

impl ConfiguredServer {
    /// The variables that its definition sets and that change what its program loads or starts.
    #[must_use]
    pub fn steering(&self) -> Vec<Steering> {
        steering_of(&self.definition)
    }

    /// The same as a finding; none where there is none.
    #[must_use]
    pub fn changes_what_runs(&self) -> Option<Diagnostic> {
        let names: Vec<String> = self
            .steering()
            .into_iter()
            .map(|one| format!("`{}`", one.variable))
            .collect();
        let (last, others) = names.split_last()?;
        let names = match others {
            [] => last.clone(),
            others => format!("{} and {last}", others.join(", ")),
        };
        let message = format!(
            "`{}` sets {names}, which changes what its program loads or starts",
            self.name
        );
        let told = Diagnostic::new(Code::ChangesWhatRuns, Severity::Warning, message)
            .with_path(&self.site.file)
            .with_position(self.line, None)
            .with_subject(ComponentKind::McpServer, self.name.as_str())
            .with_help("read in that file what it is set to before you approve the server");
        Some(told)
    }

    /// Whether it may be started without being named.
    #[must_use]
    pub const fn may_start(&self) -> bool {
        self.obstacle.is_none() && self.consent.is_approved()
    }

    /// Whether nothing but a yes of the user's is missing for it to be started.
    #[must_use]
    pub const fn needs_approval(&self) -> bool {
        self.obstacle.is_none() && !self.consent.is_approved()
    }

    /// Whether it is this program's own gateway (`serve`): an agent starts that, and it is not put behind itself, which
    /// would have it start itself for ever.
    #[must_use]
    pub fn is_gateway(&self) -> bool {
        is_gateway(&self.definition)
    }

    /// The digest of its definition as it is configured now: what is approved, and what a snapshot is of.
    #[must_use]
    pub fn digest(&self) -> String {
        digest(&self.definition, &self.site)
    }

    /// What it would take to reach it, under the name that it has here. Nothing is started, and consent is not looked
    /// at: that is for whoever starts it.
    ///
    /// # Errors
    ///
    /// [`LaunchError`], as [`LaunchPlan::new`].
    pub fn plan(&self, user: &UserEnvironment) -> Result<LaunchPlan, LaunchError> {
        let named = ServerDefinition {
            name: self.name.clone(),
            ..self.definition.clone()
        };
        LaunchPlan::new(&named, &self.site, user)
    }

    /// What it would see of the user's environment, in names.
    #[must_use]
    pub fn preview(&self, user: &UserEnvironment) -> Preview {
        Preview::of(&self.definition, &self.site, user)
    }
}

/// The servers of one question.
#[derive(Clone, Debug)]
pub struct Configured {
    /// By name.
    pub servers: Vec<ConfiguredServer>,
    /// What the user has approved.
    pub approvals: Approvals,
    /// Everything that was found, in chains.
    pub resolution: Resolution,
    /// What is odd about what was found and about approvals.
    pub diagnostics: Vec<Diagnostic>,
}

impl Configured {
    /// The server of a name, or of a short name that is free.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&ConfiguredServer> {
        let own = self.servers.iter().find(|server| server.name == name);
        own.or_else(|| {
            let mut servers = self.servers.iter();
            servers.find(|server| server.short_name.as_deref() == Some(name))
        })
    }

    /// The names most like one that is not there, best first.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Vec<String> {
        nearest(name, self.servers.iter().map(|server| server.name.as_str()))
    }

    /// The servers that may be started without being named.
    pub fn approved(&self) -> impl Iterator<Item = &ConfiguredServer> {
        self.servers.iter().filter(|server| server.may_start())
    }

    /// The names of the servers that could be started and that nobody has said yes to. The gateway needs no yes.
    #[must_use]
    pub fn unapproved(&self) -> Vec<String> {
        let servers = self.servers.iter();
        let waiting = servers.filter(|server| server.needs_approval() && !server.is_gateway());
        waiting.map(|server| server.name.clone()).collect()
    }
}

/// Whether a definition starts this program's gateway, by itself or by what starts programs, such as `npx`, `env` or a
/// shell. There the program is named without a path: a path may be that of anything, such as a directory to work in.
pub(super) fn is_gateway(definition: &ServerDefinition) -> bool {
    let is_ours = |word: &str| {
        let name = word.rsplit_once('@').map_or(word, |(name, _version)| name);
        name == env!("CARGO_PKG_NAME")
    };
    let program = definition.command.as_deref().map(Path::new);
    let stem = program.and_then(Path::file_stem).and_then(|stem| stem.to_str());
    let mut words = definition
        .args
        .iter()
        .flat_map(|argument| argument.split_whitespace());
    (stem.is_some_and(is_ours) || words.any(is_ours)) && words.any(|word| word == "serve")
}

/// The servers that are configured in the directory that a manager is about, and what the user has approved.
///
/// Files are read and nothing else: nothing is started, connected to or looked up.
#[must_use]
pub fn configured(manager: &DiscoveryManager) -> Configured {
    let home = manager.aleph_home().ok();
    let approvals = home.as_deref().map(Approvals::read).unwrap_or_default();
    let resolution = plugin::scan(manager, &[ComponentKind::McpServer]).resolution;
    let mut servers: Vec<ConfiguredServer> = Vec::new();
    let mut short_names: HashMap<String, String> = HashMap::new();
    for chain in resolution.chains() {
        let Some(candidate) = in_place(chain) else {
            continue;
        };
        if candidate.is_short_name() {
            let part = candidate.candidate().plugin.as_deref();
            short_names.extend(part.map(|part| (part.qualified_id.to_string(), chain.id().into_owned())));
            continue;
        }
        let Some(definition) = candidate.server() else {
            continue;
        };
        let site = site(candidate, home.as_deref());
        let detail = candidate.candidate().detail.as_deref();
        let part = candidate.candidate().plugin.as_deref();
        let plugin = part.map(|part| part.plugin.to_string());
        // A host may list a server and not start it.
        let is_off = detail.is_some_and(|detail| detail.cause.is_some());
        servers.push(ConfiguredServer {
            name: chain.id().into_owned(),
            short_name: None,
            consent: approvals.consent(definition, &site),
            obstacle: is_off
                .then_some(Obstacle::SwitchedOff)
                .or_else(|| Obstacle::of(definition)),
            definition: definition.clone(),
            site,
            line: detail.and_then(|detail| detail.line),
            source: candidate.source(),
            scope: candidate.scope(),
            plugin: plugin.or_else(|| detail.and_then(|detail| detail.plugin.as_deref().map(str::to_owned))),
        });
    }
    for server in &mut servers {
        server.short_name = short_names.remove(&server.name);
    }
    let mut diagnostics = resolution.diagnostics.clone();
    diagnostics.extend(approvals.diagnostics.iter().cloned());
    diagnostics.extend(servers.iter().filter_map(outdated));
    diagnostics.extend(servers.iter().filter_map(ConfiguredServer::changes_what_runs));
    Configured {
        servers,
        approvals,
        resolution,
        diagnostics,
    }
}

/// The variables that a definition sets and that change what its program loads or starts: where none is started there
/// are none.
pub(super) fn steering_of(server: &ServerDefinition) -> Vec<Steering> {
    match server.transport {
        Some(Transport::Stdio) => steering(&server.env),
        Some(Transport::Http | Transport::Sse | Transport::Ws) | None => Vec::new(),
    }
}

/// The candidate that has a chain's name.
fn in_place(chain: Chain<'_>) -> Option<CandidateRef<'_>> {
    chain.winner().or_else(|| {
        chain.candidates().find(|candidate| {
            let is_waiting = matches!(
                candidate.code,
                Some(Code::UnsupportedTransport | Code::SwitchedOff)
            );
            is_waiting && !candidate.is_short_name()
        })
    })
}

/// Where the definition of a candidate stands.
#[must_use]
pub(super) fn site(candidate: CandidateRef<'_>, aleph_home: Option<&Path>) -> Site {
    let file = candidate.path();
    if let Some(dirs) = PluginDirs::of(candidate, aleph_home, false) {
        return Site::of_plugin(&file, dirs);
    }
    let detail = candidate.candidate().detail.as_deref();
    let root = detail.and_then(|detail| detail.plugin_root.clone());
    match root {
        // Where another host keeps a plugin's data is its own affair.
        Some(root) => Site::of_plugin(
            &file,
            PluginDirs {
                root,
                ..PluginDirs::default()
            },
        ),
        None => Site::of_file(&file),
    }
}

/// That a server was approved as something else.
fn outdated(server: &ConfiguredServer) -> Option<Diagnostic> {
    let Consent::Changed(differences) = &server.consent else {
        return None;
    };
    let name = shell::argument(&server.name);
    // What was approved in another file may be in use there: it is not for this place to advise against it.
    let help = if differences.iter().any(|one| one.part == "file") {
        format!(
            "look at it with `mcp approve {name}`; what was approved in the other file stays approved there"
        )
    } else {
        format!("look at it with `mcp approve {name}`, or forget the old approval with `mcp revoke {name}`")
    };
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    let message = format!(
        "`{}` is not what was approved, so it is unapproved: {}",
        server.name,
        differences.join("; ")
    );
    Some(
        Diagnostic::new(Code::ApprovalOutdated, Severity::Warning, message)
            .with_path(&server.site.file)
            .with_position(server.line, None)
            .with_subject(ComponentKind::McpServer, server.name.as_str())
            .with_help(help),
    )
}
