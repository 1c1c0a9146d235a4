//! From flags to the bytes of every source of tools.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use aleph_discover::DiscoveryManager;
use aleph_discover::mcp::{Configured, ConfiguredServer, Snapshot, SnapshotBeginning, Snapshots, configured};
use aleph_discover::model::{Code, ComponentKind, Diagnostic, Severity};
use aleph_discover::report::SnapshotFacts;
use aleph_discover::tools::{Catalogue, MAX_CATALOGUE_BYTES, Source};
use clap::ValueEnum;
use sha2::{Digest, Sha256};

use super::args::{self, CallableKind};
use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// How many bytes are read for whoever is typing.
const MOST_BRIEFLY: u64 = 16 * 1024 * 1024;

/// How much of a snapshot is read to learn whose it is.
const READ_FIRST: u64 = 16 * 1024;

/// One source with its bytes.
struct Given {
    name: String,
    server: String,
    kind: Option<ComponentKind>,
    /// The file of a snapshot: a bad one costs only itself.
    snapshot: Option<PathBuf>,
    bytes: Vec<u8>,
}

impl Given {
    fn source(&self) -> Source<'_> {
        Source {
            name: self.name.clone(),
            server: self.server.clone(),
            kind: self.kind,
            bytes: &self.bytes,
        }
    }
}

/// Everything that a question is asked of.
pub(super) struct Gathered {
    given: Vec<Given>,
    /// False when a source could not be read.
    pub(super) complete: bool,
    /// What was wrong with snapshots.
    diagnostics: Vec<Diagnostic>,
    /// Whether standard input is among the sources, which is another every time.
    pub(super) has_stdin: bool,
    /// What is to be said of servers and their snapshots.
    pub(super) facts: SnapshotFacts,
    /// Whether a server that was asked did not answer.
    pub(super) failed: bool,
}

/// Reads what the flags name, the snapshots, and the components of the kinds that are wanted.
pub(super) fn gather(
    args: &args::Sources,
    manager: &DiscoveryManager,
    output: &Output,
) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::new();
    for path in &args.catalog {
        gathered.add_file(path)?;
    }
    if let Ok(home) = manager.aleph_home() {
        let snapshots = Snapshots::of(&home);
        let configured = configured(manager);
        let mut answered = BTreeMap::new();
        if args.live {
            answered = gathered.ask(&configured, &home, output)?;
        }
        gathered.add_snapshots(&snapshots, &answered, &configured);
        let waits = |server: &&ConfiguredServer| {
            let has = snapshots.has(&server.name, &server.digest());
            server.obstacle.is_none() && !answered.contains_key(&server.name) && !has
        };
        let waiting = configured.servers.iter().filter(waits);
        gathered.facts.not_refreshed = waiting.map(|server| server.name.clone()).collect();
    } else if args.live {
        return Err(Failure::usage(
            "there is no Aleph home, so no server is approved",
            "set HOME, or give --home",
        ));
    }
    let kinds: Vec<ComponentKind> = args.kind.iter().map(|kind| kind.0).collect();
    if !kinds.is_empty() {
        gathered.add_components(manager, &kinds);
    }
    Ok(gathered)
}

/// As [`gather`], for whoever is typing and must not wait: regular files only, and no more bytes than are read in an
/// instant. What cannot be read is left out.
pub(super) fn gather_briefly(args: &args::Sources, manager: &DiscoveryManager) -> Gathered {
    let mut gathered = Gathered::new();
    let mut left = MOST_BRIEFLY;
    let mut is_short = |path: &Path| {
        let length = fs::metadata(path)
            .ok()
            .filter(fs::Metadata::is_file)
            .map(|metadata| metadata.len());
        let Some(rest) = length.and_then(|length| left.checked_sub(length)) else {
            return false;
        };
        left = rest;
        true
    };
    for path in args.catalog.iter().filter(|path| is_short(path)) {
        // What is wrong with it is told when the command runs.
        let _ = gathered.add_file(path);
    }
    if let Ok(home) = manager.aleph_home() {
        let paths = snapshot_paths(&Snapshots::of(&home).directory()).unwrap_or_default();
        let configured = configured(manager);
        gathered.add_newest(paths.into_iter().filter(|path| is_short(path)), &configured);
    }
    let kinds: Vec<ComponentKind> = args.kind.iter().map(|kind| kind.0).collect();
    if !kinds.is_empty() {
        gathered.add_components(manager, &kinds);
    }
    gathered
}

/// The text of a snapshot, with what it says of itself, or nothing where that does not count: of many files of a name
/// one counts, and the others are not read to the end.
fn read_snapshot(
    path: &Path,
    counts: impl Fn(&SnapshotBeginning) -> bool,
) -> io::Result<Option<(Option<SnapshotBeginning>, Vec<u8>)>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(READ_FIRST).read_to_end(&mut bytes)?;
    let mut beginning = Snapshot::beginning(&bytes);
    if beginning.as_ref().is_some_and(|beginning| !counts(beginning)) {
        return Ok(None);
    }
    file.take(MAX_CATALOGUE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    // One that has a long story to tell of why it is stale.
    if beginning.is_none() {
        beginning = Snapshot::beginning(&bytes);
    }
    Ok(beginning
        .as_ref()
        .is_none_or(&counts)
        .then_some((beginning, bytes)))
}

/// The files of snapshots, in order; a directory that is not there has none.
fn snapshot_paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    // Not a link and no FIFO: nobody but this program writes here.
    let is_snapshot = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "json")
            && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(is_snapshot)
        .collect();
    paths.sort();
    Ok(paths)
}

/// Reads a file, or standard input for `-`.
pub(super) fn read_input(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = MAX_CATALOGUE_BYTES as u64 + 1;
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        Failure::usage(
            format!("cannot read {}: {error}", path.display()),
            "give a file that you may read, or - for standard input",
        )
        .with_path(path)
    })?;
    Ok(bytes)
}

impl Gathered {
    fn new() -> Self {
        Self {
            given: Vec::new(),
            complete: true,
            diagnostics: Vec::new(),
            has_stdin: false,
            facts: SnapshotFacts::default(),
            failed: false,
        }
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let is_stdin = path.as_os_str() == "-";
        if is_stdin && self.has_stdin {
            return Err(Failure::usage(
                "standard input can be read once",
                "give `--catalog -` once",
            ));
        }
        self.has_stdin |= is_stdin;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.given.push(Given {
            name: if is_stdin {
                "standard input".to_owned()
            } else {
                path.to_string_lossy().into_owned()
            },
            server: if is_stdin {
                "stdin".to_owned()
            } else {
                stem.unwrap_or_default()
            },
            kind: None,
            snapshot: None,
            bytes: read_input(path)?,
        });
        Ok(())
    }

    /// Asks the approved servers for their tools; those that answered, with whether their snapshots still count.
    #[cfg(feature = "mcp")]
    fn ask(
        &mut self,
        configured: &Configured,
        home: &Path,
        output: &Output,
    ) -> Result<BTreeMap<String, bool>, Failure> {
        use aleph_discover::mcp::client::Ask;
        use aleph_discover::mcp::{Limits, Wanted};
        use aleph_discover::report::AskedState;

        use crate::cli::mcp::ask::choose;

        let chosen = choose::approved(configured)?;
        let (limits, told) = Limits::of_home(home);
        self.diagnostics.extend(told);
        let outcomes = choose::ask(chosen.servers, &Ask::Lists(vec![Wanted::Tools]), &limits, output)?;
        let lists = choose::sort_out(outcomes, home);
        self.diagnostics.extend(lists.diagnostics);
        let mut answered = BTreeMap::new();
        for server in &lists.servers {
            let counts = server.outcome == AskedState::Stale;
            answered.insert(server.server.clone(), counts);
            if server.outcome != AskedState::Live {
                self.failed = true;
                self.complete = false;
                self.facts.stale.insert(server.server.clone());
            }
        }
        for (server, offer, _) in lists.offers.into_iter().filter(|(_, _, stale)| !stale) {
            let list = serde_json::json!({"server": server, "tools": offer.tools});
            self.given.push(Given {
                name: format!("the MCP server {server}"),
                server,
                kind: None,
                snapshot: None,
                bytes: list.to_string().into_bytes(),
            });
        }
        Ok(answered)
    }

    #[cfg(not(feature = "mcp"))]
    #[allow(clippy::unused_self, reason = "with servers it is used")]
    fn ask(
        &mut self,
        _configured: &Configured,
        _home: &Path,
        _output: &Output,
    ) -> Result<BTreeMap<String, bool>, Failure> {
        Err(Failure::refused(
            "this build starts no servers",
            "leave out `--live`",
        ))
    }

    /// Adds every snapshot but those of servers that were just asked, unless they did not answer.
    fn add_snapshots(
        &mut self,
        snapshots: &Snapshots,
        answered: &BTreeMap<String, bool>,
        configured: &Configured,
    ) {
        let left_out: Vec<PathBuf> = answered
            .iter()
            .filter(|(_, counts)| !**counts)
            .flat_map(|(server, _)| snapshots.paths(server))
            .collect();
        let directory = snapshots.directory();
        match snapshot_paths(&directory) {
            Ok(paths) => {
                let paths = paths.into_iter().filter(|path| !left_out.contains(path));
                self.add_newest(paths, configured);
            }
            Err(error) => self.unreadable(&directory, &error),
        }
    }

    /// Adds one snapshot of each server. One that is configured here has what it had under its definition here, and
    /// nothing that another project's server of the same name had; of one that is not, the newest counts. A file that
    /// does not say whose it is counts by itself.
    fn add_newest(&mut self, paths: impl Iterator<Item = PathBuf>, configured: &Configured) {
        let mut newest: BTreeMap<String, (SnapshotBeginning, Given)> = BTreeMap::new();
        for path in paths {
            let counts = |beginning: &SnapshotBeginning,
                          newest: &BTreeMap<String, (SnapshotBeginning, Given)>| {
                let here = configured
                    .servers
                    .iter()
                    .find(|server| server.name == beginning.server);
                let is_newer = newest
                    .get(&beginning.server)
                    .is_none_or(|(before, _)| before.refreshed <= beginning.refreshed);
                here.is_none_or(|here| here.digest() == beginning.digest) && is_newer
            };
            match read_snapshot(&path, |beginning| counts(beginning, &newest)) {
                Ok(None) => {}
                Ok(Some((beginning, bytes))) => {
                    let given = Given {
                        name: path.to_string_lossy().into_owned(),
                        server: path
                            .file_stem()
                            .unwrap_or_default()
                            .to_string_lossy()
                            .into_owned(),
                        kind: None,
                        snapshot: Some(path),
                        bytes,
                    };
                    match beginning {
                        Some(beginning) => {
                            newest.insert(beginning.server.clone(), (beginning, given));
                        }
                        None => self.given.push(given),
                    }
                }
                Err(error) => self.unreadable(&path, &error),
            }
        }
        for (server, (beginning, given)) in newest {
            if beginning.stale.is_some() {
                self.facts.stale.insert(server);
            }
            self.given.push(given);
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        self.complete = false;
        self.diagnostics.push(
            Diagnostic::new(
                Code::Unreadable,
                Severity::Error,
                format!("cannot read the snapshots of tools: {error}"),
            )
            .with_path(path)
            .with_help("make it readable, or run as a user who may read it"),
        );
    }

    /// Adds the components that are in effect, as tools of a server that is called like their kind.
    fn add_components(&mut self, manager: &DiscoveryManager, kinds: &[ComponentKind]) {
        let resolution = aleph_discover::plugin::scan(manager, kinds).resolution;
        self.complete &= resolution.complete;
        let gaps = resolution.diagnostics.iter().filter(|one| one.is_gap());
        self.diagnostics.extend(gaps.cloned());
        let callable = CallableKind::value_variants().iter().map(|kind| kind.0);
        for kind in callable.filter(|kind| kinds.contains(kind)) {
            let mut bytes = Vec::new();
            for chain in resolution.chains().filter(|chain| chain.kind() == kind) {
                // Once is enough: what a plugin brings is listed under its qualified id.
                let Some(winner) = chain.winner().filter(|winner| !winner.is_short_name()) else {
                    continue;
                };
                let line = serde_json::json!({
                    "server": kind.as_str(),
                    "name": chain.id(),
                    "description": winner.candidate().description.as_deref(),
                });
                bytes.extend(line.to_string().into_bytes());
                bytes.push(b'\n');
            }
            if bytes.is_empty() {
                continue;
            }
            let name = kind.plural().to_owned();
            self.given.push(Given {
                name,
                server: kind.as_str().to_owned(),
                kind: Some(kind),
                snapshot: None,
                bytes,
            });
        }
    }

    /// The catalogue of all sources; a file that was named and cannot be used is a failure, a bad snapshot a finding.
    pub(super) fn read(&self) -> Result<(Catalogue, Vec<Diagnostic>), Failure> {
        let mut diagnostics = self.diagnostics.clone();
        let mut usable = Vec::new();
        for given in &self.given {
            if let Some(path) = &given.snapshot
                && let Err(error) = Catalogue::read(&[given.source()])
            {
                let message = format!("the snapshot does not count: {error}");
                diagnostics
                    .push(Diagnostic::new(Code::BadSnapshot, Severity::Error, message).with_path(path));
                continue;
            }
            usable.push(given.source());
        }
        let catalogue = Catalogue::read(&usable).map_err(|error| {
            Failure::usage(
                error.to_string(),
                "give an answer to tools/list, a list of tools, a map of servers to tools, or JSON lines",
            )
        })?;
        Ok((catalogue, diagnostics))
    }

    /// The tools of the sources that can be read.
    pub(super) fn usable(&self) -> Catalogue {
        let sources: Vec<Source<'_>> = self.given.iter().map(Given::source).collect();
        Catalogue::read_each(&sources).0
    }

    /// What tells these sources, with these bytes, from all others.
    pub(super) fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(env!("CARGO_PKG_VERSION"));
        for given in &self.given {
            for part in [
                &given.name,
                &given.server,
                &given.kind.map_or("", ComponentKind::as_str).to_owned(),
            ] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
            digest.update((given.bytes.len() as u64).to_le_bytes());
            digest.update(&given.bytes);
        }
        digest.finalize().into()
    }

    /// What tells these sources from others, whatever their bytes are.
    pub(super) fn names(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        for given in &self.given {
            let path = Path::new(&given.name);
            let name = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
            digest.update(name.as_os_str().as_encoded_bytes());
            digest.update([0]);
        }
        digest.finalize().into()
    }

    /// What was wrong with snapshots, apart from what reading them as a catalogue tells.
    pub(super) fn told(&self) -> Vec<Diagnostic> {
        self.diagnostics.clone()
    }
}
