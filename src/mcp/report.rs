//! What is to be said of the configured servers, as a report.

use std::collections::BTreeMap;
use std::path::Path;

use super::approvals::{Approvals, Consent, Difference};
use super::configured::{Configured, Obstacle, is_gateway, site, steering_of};
use super::environment::UserEnvironment;
use super::launch::{Preview, Site};
use crate::discovery::DiscoveryManager;
use crate::model::{CandidateRef, Code, ComponentKind, Diagnostic, ServerDefinition, Severity, State};
use crate::report::{Context, DifferenceView, ScanReport, Selection, ServerFacts, ServersReport};

/// The report of `mcp servers`.
#[must_use]
pub fn servers_report(
    manager: &DiscoveryManager,
    configured: Configured,
    user: &UserEnvironment,
    show_secrets: bool,
) -> ServersReport {
    let home = manager.aleph_home().ok();
    let Configured {
        approvals,
        mut resolution,
        diagnostics,
        ..
    } = configured;
    let facts = resolution
        .candidates
        .iter()
        .map(|candidate| {
            let candidate = CandidateRef::new(&resolution, candidate);
            facts(candidate, &approvals, user, home.as_deref())
        })
        .collect();
    let mut groups: BTreeMap<Vec<String>, Vec<(String, Diagnostic)>> = BTreeMap::new();
    for chain in resolution.chains() {
        let Some(winner) = chain.winner().filter(|winner| !winner.is_short_name()) else {
            continue;
        };
        let Some(endpoint) = winner
            .server()
            .and_then(|server| endpoint(server, &site(winner, home.as_deref())))
        else {
            continue;
        };
        let detail = winner.candidate().detail.as_deref();
        let told = Diagnostic::new(Code::SameServerTwice, Severity::Warning, String::new())
            .with_path(winner.path())
            .with_position(
                detail.and_then(|detail| detail.line),
                detail.and_then(|detail| detail.column),
            )
            .with_subject(ComponentKind::McpServer, chain.id())
            .with_help("remove one of them, or switch it off");
        groups
            .entry(endpoint)
            .or_default()
            .push((chain.id().into_owned(), told));
    }
    resolution.complete &= Diagnostic::is_all_read(&diagnostics);
    resolution.diagnostics = diagnostics;
    let mut same = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let names: Vec<String> = group.iter().map(|(name, _)| name.clone()).collect();
        for (name, mut told) in group.into_iter().skip(1) {
            let first = names.first().map_or("", String::as_str);
            told.message = format!("`{name}` is the same server as `{first}`: it is there twice").into();
            resolution.diagnostics.push(told);
        }
        same.push(names);
    }
    same.sort();
    ServersReport {
        scan: ScanReport {
            context: Context::of(manager),
            kinds: vec![ComponentKind::McpServer],
            resolution,
            selection: Selection::All,
        },
        facts,
        same,
        approvals: home.is_some().then_some(approvals.path),
        show_secrets,
    }
}

fn facts(
    candidate: CandidateRef<'_>,
    approvals: &Approvals,
    user: &UserEnvironment,
    home: Option<&Path>,
) -> ServerFacts {
    let Some(server) = candidate.server() else {
        return ServerFacts::default();
    };
    let site = site(candidate, home);
    let preview = Preview::of(server, &site, user);
    let is_sound = !matches!(candidate.state, State::Invalid | State::Rejected | State::Ignored);
    let can_start = is_sound && matches!(Obstacle::of(server), None | Some(Obstacle::SwitchedOff));
    let consent = approvals.consent(server, &site);
    ServerFacts {
        approved: can_start.then(|| consent.is_approved()),
        differences: match &consent {
            Consent::Changed(differences) => differences.iter().map(difference_view).collect(),
            Consent::Approved | Consent::Unapproved => Vec::new(),
        },
        sees: preview.sees.into_iter().collect(),
        missing: preview.missing.into_iter().collect(),
        directory: preview.directory,
        steering: steering_of(server),
        is_gateway: is_gateway(server),
    }
}

/// A difference as it is shown.
#[must_use]
pub fn difference_view(difference: &Difference) -> DifferenceView {
    DifferenceView {
        part: difference.part.clone(),
        approved: difference.approved.clone(),
        now: difference.now.clone(),
        text: difference.to_string(),
    }
}

/// What two names lead to if they are one server: the same command line with the same variables, or the same address
/// with the same headers.
fn endpoint(server: &ServerDefinition, site: &Site) -> Option<Vec<String>> {
    let mut key = vec![server.transport?.as_str().to_owned()];
    let pairs = if let Some(command) = &server.command {
        // Where a program starts makes it another one only if that was said, or if it is looked for there.
        let matters = server.cwd.is_some() || command.starts_with('.');
        let directory = matters.then(|| site.base.join(server.cwd.as_deref().unwrap_or_default()));
        key.push(directory.unwrap_or_default().to_string_lossy().into_owned());
        key.push(command.clone());
        key.extend(server.args.iter().cloned());
        &server.env
    } else {
        // An address is the same with and without a slash at its end, and whatever the case of scheme and host.
        let url = server.url.as_deref()?.trim_end_matches('/');
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        key.push(format!(
            "{}://{}/{path}",
            scheme.to_lowercase(),
            host.to_lowercase()
        ));
        &server.headers
    };
    let mut pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}\0{value}"))
        .collect();
    pairs.sort();
    key.push(String::new());
    key.extend(pairs);
    Some(key)
}
