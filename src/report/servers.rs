//! `mcp servers`: the configured servers in chains, what each would start, and whether it may.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::common::owned_text;
use super::scan::{CandidateView, ScanHead, ScanReport};
use crate::model::{CandidateRef, Chain, ChainState, ComponentKind, State, Transport};
use crate::plugin::shown::{PluginDirs, ServerView, server_view};
use crate::plugin::steering::Steering;

/// What is known of one candidate beyond what a scan knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Whether the user has said yes to exactly this; none where it is never started, whoever says yes.
    pub approved: Option<bool>,
    /// What is different from what was approved, secrets masked; empty where nothing of its name was.
    pub differences: Vec<DifferenceView>,
    /// Variables of the user's environment that it would see.
    pub sees: Vec<String>,
    /// Variables that it needs and that are not set.
    pub missing: Vec<String>,
    /// The directory that it would be started in.
    pub directory: Option<PathBuf>,
    /// Variables that it sets and that change what is loaded or started.
    pub steering: Vec<Steering>,
    /// Whether it is this program's own gateway, which an agent starts and nobody has to approve.
    pub is_gateway: bool,
}

/// What is different between a definition that was approved and the one that there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DifferenceView {
    /// `command`, `argument 1`, `variable API_KEY`, `header Authorization`, `directory`, `address`, `file`, …
    pub part: String,
    /// What was approved, secrets masked; null where that part is new.
    pub approved: Option<String>,
    /// What there is, secrets masked; null where that part is gone.
    pub now: Option<String>,
    /// The same in words.
    pub text: String,
}

/// The answer of `mcp servers`.
#[derive(Clone, Debug)]
pub struct ServersReport {
    /// The chains.
    pub scan: ScanReport,
    /// What is known of each candidate of the resolution, in its order.
    pub facts: Vec<ServerFacts>,
    /// Names in effect that lead to one server, each group in the order of names.
    pub same: Vec<Vec<String>>,
    /// The file of approvals, where a home is known.
    pub approvals: Option<PathBuf>,
    /// Whether secrets are shown.
    pub show_secrets: bool,
}

impl ServersReport {
    /// The chains with the place of their first candidate among the facts.
    pub fn chains(&self) -> impl Iterator<Item = (Chain<'_>, usize)> {
        let spans = self.scan.resolution.spans.iter();
        spans.map(|span| (self.scan.resolution.chain(*span), span.start as usize))
    }

    /// What is known of a candidate.
    #[must_use]
    pub fn facts(&self, first: usize, index: usize) -> Option<&ServerFacts> {
        self.facts.get(first + index)
    }

    /// The other names of the server that has a name.
    #[must_use]
    pub fn same_as(&self, name: &str) -> Vec<&str> {
        let group = self.same.iter().find(|group| group.iter().any(|one| one == name));
        group
            .into_iter()
            .flatten()
            .map(String::as_str)
            .filter(|one| *one != name)
            .collect()
    }

    /// A server as it is shown.
    #[must_use]
    pub fn server(&self, candidate: CandidateRef<'_>) -> Option<ServerView> {
        let server = candidate.server()?;
        let home = self.scan.context.aleph_home.as_deref();
        let dirs = PluginDirs::of(candidate, home, self.show_secrets).unwrap_or_else(|| PluginDirs {
            show_secrets: self.show_secrets,
            ..PluginDirs::default()
        });
        let line = candidate
            .candidate()
            .detail
            .as_deref()
            .and_then(|detail| detail.line);
        Some(server_view(server, &dirs, line))
    }

    /// The answer without its chains.
    #[must_use]
    pub fn head(&self) -> ServersHead<'_> {
        ServersHead {
            scan: self.scan.head("aleph-discover/mcp-servers@1"),
            approvals: self.approvals.as_deref().map(owned_text),
        }
    }

    /// The answer as JSON.
    #[must_use]
    pub fn view(&self) -> ServersView<'_> {
        ServersView {
            head: self.head(),
            chains: ServerChains(self),
        }
    }

    /// One chain as JSON.
    #[must_use]
    pub fn chain_view<'a>(&'a self, chain: Chain<'a>, first: usize) -> ServerChainView<'a> {
        ServerChainView {
            kind: chain.kind(),
            id: chain.id(),
            state: chain.state(),
            winner: chain.winner_index(),
            same_as: self.same_as(&chain.id()).into_iter().map(str::to_owned).collect(),
            candidates: chain
                .candidates()
                .enumerate()
                .map(|(index, candidate)| self.candidate_view(candidate, self.facts(first, index)))
                .collect(),
        }
    }

    fn candidate_view<'a>(
        &'a self,
        candidate: CandidateRef<'a>,
        facts: Option<&ServerFacts>,
    ) -> ServerCandidateView<'a> {
        let server = self.server(candidate);
        let facts = facts.cloned().unwrap_or_default();
        let switched_on = candidate.server().is_some_and(|server| server.enabled);
        ServerCandidateView {
            candidate: CandidateView {
                server: None,
                ..CandidateView::of(&self.scan, candidate)
            },
            transport: server.as_ref().and_then(|server| server.transport),
            command: server.as_ref().and_then(|server| server.command.clone()),
            args: server
                .as_ref()
                .map(|server| server.args.clone())
                .unwrap_or_default(),
            cwd: server.as_ref().and_then(|server| server.cwd.clone()),
            url: server.as_ref().and_then(|server| server.url.clone()),
            env: server
                .as_ref()
                .map(|server| server.env.clone())
                .unwrap_or_default(),
            headers: server.map(|server| server.headers).unwrap_or_default(),
            enabled: switched_on && candidate.state != State::Disabled,
            approved: facts.approved,
            differences: facts.differences,
            sees: facts.sees,
            missing: facts.missing,
            directory: facts.directory.as_deref().map(owned_text),
            changes_what_runs: facts.steering,
        }
    }
}

/// The answer of `mcp servers` but for its chains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServersHead<'a> {
    /// As a scan's.
    #[serde(flatten)]
    pub scan: ScanHead<'a>,
    /// The file that holds what was approved, whether it is there or not; null where no home is known.
    pub approvals: Option<String>,
}

/// The answer of `mcp servers`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "mcp-servers@1")]
pub struct ServersView<'a> {
    /// All but the chains.
    #[serde(flatten)]
    pub head: ServersHead<'a>,
    /// The servers, by name.
    #[schemars(with = "Vec<ServerChainView<'a>>")]
    pub chains: ServerChains<'a>,
}

/// The chains of an answer, made one by one while they are written.
#[derive(Debug)]
pub struct ServerChains<'a>(&'a ServersReport);

impl Serialize for ServerChains<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for (chain, first) in self.0.chains() {
            sequence.serialize_element(&self.0.chain_view(chain, first))?;
        }
        sequence.end()
    }
}

/// All definitions of one name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServerChainView<'a> {
    /// `mcp-server`.
    pub kind: ComponentKind,
    /// The name.
    pub id: Cow<'a, str>,
    /// Whether anything of it is in effect.
    pub state: ChainState,
    /// Index of the winner: the first candidate that is in effect.
    pub winner: Option<u32>,
    /// Other names in effect that lead to the same server.
    pub same_as: Vec<String>,
    /// Its definitions, highest precedence first.
    pub candidates: Vec<ServerCandidateView<'a>>,
}

/// One definition. Values of variables and headers are never shown; all else has secrets masked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServerCandidateView<'a> {
    /// As in a scan.
    #[serde(flatten)]
    pub candidate: CandidateView<'a>,
    /// How one talks to it; null where its definition does not say.
    pub transport: Option<Transport>,
    /// The program that is started, as written.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory that it is to be started in, as written.
    pub cwd: Option<String>,
    /// The address that is called, as written.
    pub url: Option<String>,
    /// Names of variables that are set for it or handed on to it.
    pub env: Vec<String>,
    /// Names of headers that are sent.
    pub headers: Vec<String>,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether the user has approved exactly this definition; null where it is never started, whoever approves it.
    pub approved: Option<bool>,
    /// What is different from what was approved under its name; empty where nothing was.
    pub differences: Vec<DifferenceView>,
    /// Names of variables of the user's environment that it would see.
    pub sees: Vec<String>,
    /// Names of variables that it needs and that are not set.
    pub missing: Vec<String>,
    /// The directory that it would be started in; null where it is not started, or where that is not known.
    pub directory: Option<String>,
    /// Variables that its definition sets and that change what its program loads or starts.
    pub changes_what_runs: Vec<Steering>,
}
