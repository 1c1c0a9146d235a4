//! What is asked of each kind of input: by the fuzz targets of any bytes, and by `tests/fuzz_corpus.rs` of those that are
//! kept.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aleph_discover::model::PluginFormat;
use aleph_discover::parse::document::{self as documents, Format};
use aleph_discover::parse::front_matter as matter;
use aleph_discover::parse::manifest::marketplace::{self as marketplaces, EntrySource, MarketplaceEntry};
use aleph_discover::parse::manifest::{self as manifests, hooks, mcp_servers};
use aleph_discover::plugin::entry::{self as entries, Role};
use aleph_discover::plugin::install::zip::Archive;
use aleph_discover::plugin::{Plugin, hidden_text, source as sources, tree};
use aleph_discover::tools::disclosure::{
    DiscoveryRegistry, NoCatalogue, Simulation, ToolRule, TriggerRule, explain, lint, read_event, read_rules,
};
use aleph_discover::tools::{
    Budget, Catalogue, EnglishStemmer, PlainRanker, PlainTokens, Query, Ranker, SearchIndex, SearchOptions,
    Source, Stem, Tiers, search, tokens,
};

/// Front matter: ends, and says positions that are in the text.
pub(crate) fn front_matter(data: &[u8]) {
    let extent = matter::extent(data, true);
    let _ = matter::parse(data, &extent, &["license", "allowed-tools", "model"]);
}

/// Manifests of every format, hooks and MCP servers.
pub(crate) fn manifest(data: &[u8]) {
    for (format, is_toml) in [
        (PluginFormat::AlephToml, true),
        (PluginFormat::AlephJson, false),
        (PluginFormat::Claude, false),
        (PluginFormat::Claude, true),
        (PluginFormat::Codex, false),
        (PluginFormat::Cursor, false),
    ] {
        let _ = manifests::parse(data, format, is_toml);
    }
    if let Ok((hooks, _)) = hooks::parse(data) {
        let _ = hooks::merge(hooks.into_iter().map(|hook| (0, hook)).collect());
    }
    let _ = mcp_servers::parse(data);
    let _ = manifests::lsp_servers(data);
}

/// Marketplaces, the addresses that they would have fetched, and the manifests that their entries become.
pub(crate) fn marketplace(data: &[u8]) {
    for is_toml in [false, true] {
        let Ok(market) = marketplaces::parse(data, is_toml) else {
            continue;
        };
        for entry in &market.entries {
            for (plugin, is_root) in PLUGINS.iter().flat_map(|one| [(one, false), (one, true)]) {
                becomes(entry, plugin, is_root);
            }
            if let Some(EntrySource::Git { url, .. }) = entry.source.as_ref().map(|source| &source.value)
                && let Ok(address) = sources::address(url)
            {
                assert!(!address.starts_with('-') && !address.contains("ext::"));
            }
        }
    }
}

/// Plugins that an entry may lead to: one without a manifest, one whose manifest an entry is joined to, and one whose
/// manifest counts before it.
static PLUGINS: LazyLock<Vec<Plugin>> = LazyLock::new(|| {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plugins = ["plugins", "fuzz/plugins"].map(|folder| here.join(folder));
    let plugins = plugins
        .iter()
        .find(|folder| folder.is_dir())
        .expect("they are kept");
    let read = |name| Plugin::read(&plugins.join(name));
    ["bare", "joined", "above"].map(read).into()
});

/// What an entry and a plugin become is a manifest, and has what the entry names of components.
fn becomes(entry: &MarketplaceEntry, plugin: &Plugin, is_root: bool) {
    let Ok(Role::Manifest(stated)) = entries::role(entry, plugin, is_root) else {
        return;
    };
    let read = manifests::parse(stated.text.as_bytes(), PluginFormat::Claude, false);
    let read = read.expect("what is written into a plugin is a manifest");
    let declares = &entry.manifest.declares;
    let lost = declares.iter().find(|kind| !read.declares.contains(kind));
    assert!(lost.is_none(), "{lost:?} is not in {}", stated.text);
}

/// JSONC, JSON and TOML documents: positions are those of characters.
pub(crate) fn document(data: &[u8]) {
    for format in [Format::Jsonc, Format::Json, Format::Toml] {
        if let Ok(document) = documents::parse(data, format) {
            let _ = document.root.value.to_json();
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = hidden_text::find(text, true);
    }
}

/// Archives: refused, or unpacked within limits, all inside the directory that is given.
pub(crate) fn zip_install(data: &[u8]) {
    let Ok(archive) = Archive::read(Cursor::new(data), Path::new("fuzz.zip")) else {
        return;
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let inside = dir.path().join("inside");
    std::fs::create_dir(&inside).expect("a directory");
    let _ = archive.unpack(&inside, &mut ());
    let beside = std::fs::read_dir(dir.path()).expect("it is there").count();
    assert_eq!(beside, 1, "something was written outside");
    // What was unpacked may be installed.
    let entries = tree::list(&inside).expect("a tree within limits");
    assert!(
        entries
            .iter()
            .all(|entry| matches!(entry.kind, tree::EntryKind::File { .. }))
    );
}

const DIGEST: [u8; 32] = [7; 32];

fn source<'a>(name: &str, bytes: &'a [u8]) -> Source<'a> {
    Source {
        name: name.to_owned(),
        server: name.to_owned(),
        kind: None,
        bytes,
    }
}

/// Asks in both ways of ranking; what is found is counted and in order.
fn ask(index: &SearchIndex, text: &str) {
    let plain = PlainRanker::new(index.documents(), PlainTokens::Documented);
    for ranker in [Ranker::Fields, Ranker::Bm25] {
        for query in [Query::parse(text), Query::words(text)].into_iter().flatten() {
            let options = SearchOptions {
                limit: 3,
                cap: Some(2),
                ranker,
            };
            let answer = search(index, Some(&plain), &query, options);
            assert!(answer.hits.len() <= answer.matched);
            assert!(answer.hits.windows(2).all(|two| two[0].score >= two[1].score));
        }
    }
}

/// A saved index whose checksum is right: everything behind it has to be looked at.
fn load(bytes: &[u8], text: &str) {
    let _ = SearchIndex::from_bytes(bytes, &DIGEST);
    let mut saved = b"ALDXIDX2".to_vec();
    saved.extend(DIGEST);
    saved.extend(bytes);
    saved.extend(crc32fast::hash(&saved).to_le_bytes());
    if let Ok(index) = SearchIndex::from_bytes(&saved, &DIGEST) {
        ask(&index, text);
    }
}

/// Catalogues of one source and of two, the index built from them, searches in it, and saved indexes of any bytes.
///
/// A byte 0x1e ends the first source, another the second; what follows is asked as a query.
pub(crate) fn tool_catalogue(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0x1e);
    let one = parts.next().unwrap_or_default();
    let two = parts.next().unwrap_or_default();
    let query = String::from_utf8_lossy(parts.next().unwrap_or(one));
    let query: String = query.chars().take(200).collect();
    load(data, &query);
    for sources in [
        vec![source("one", one)],
        vec![source("one", one), source("two", two)],
    ] {
        let (catalogue, _) = Catalogue::read_each(&sources);
        assert!(catalogue.tools.windows(2).all(|two| two[0].name != two[1].name));
        let _ = Budget::new(&catalogue.tools, &Tiers::default());
        for tool in &catalogue.tools {
            assert!(tool.name.len() <= aleph_discover::tools::MAX_NAME);
            let _ = tool.digest();
            assert!(
                catalogue
                    .named(&tool.name)
                    .iter()
                    .any(|known| known.name == tool.name)
            );
        }
        let index = SearchIndex::build(&catalogue);
        let bytes = index.to_bytes(&DIGEST);
        assert_eq!(SearchIndex::from_bytes(&bytes, &DIGEST).as_ref(), Ok(&index));
        ask(&index, &query);
        if let Some(tool) = catalogue.tools.first() {
            let by_name = search(
                &index,
                None,
                &Query::words(&tool.name).expect("a name is not blank"),
                SearchOptions::default(),
            );
            let found = by_name.hits.first().map(|hit| hit.tool.name);
            assert!(found.is_some_and(|found| found.eq_ignore_ascii_case(&tool.name)));
        }
    }
}

fn agree(registry: &DiscoveryRegistry, now: Duration) {
    let visible = registry.visible_governed_tools(&NoCatalogue, now);
    for name in registry.rules().governed_tools() {
        let is_visible = registry.is_visible(name, &NoCatalogue, now);
        assert_eq!(visible.iter().any(|known| known == name), is_visible);
        let explanation = explain(registry, name, &NoCatalogue, now);
        assert_eq!(explanation.visible, is_visible);
        assert!(!is_visible || explanation.next.is_none());
        let _ = registry.description(name, &NoCatalogue, now);
    }
}

/// Disclosure rules, and what events make of them: every way of asking whether a tool is visible agrees.
///
/// A byte 0x1e ends the rules; what follows are events, one a line.
pub(crate) fn disclosure_rules(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0x1e);
    let rules = parts.next().unwrap_or_default();
    let events = parts.next().unwrap_or_default();
    let (rules, problems) = read_rules(rules);
    let found = lint(&rules, problems, &NoCatalogue);
    assert!(found.reachable <= found.tools);
    let mut simulation = Simulation::new(Arc::new(rules), &NoCatalogue);
    let events = String::from_utf8_lossy(events);
    for line in events.lines().take(64) {
        let Ok((handle, event)) = read_event(line) else {
            continue;
        };
        let answer = simulation.apply(handle.as_deref(), &event);
        assert!(answer.list_changed <= 1);
        let now = simulation.now();
        let registry = simulation.sessions().session(&answer.handle);
        agree(registry, now);
        if let Some(name) = answer.visible.first() {
            registry.register_trigger(TriggerRule::new(name, "run", &["made__up"]));
            registry.register_discoverable_tool(ToolRule::new("made__up"), Vec::new());
            agree(registry, now);
        }
    }
}

/// Words and queries of any text.
pub(crate) fn tokenizer(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let found = tokens(&text);
    let stemmer = EnglishStemmer::default();
    for (at, token) in found.iter().enumerate() {
        assert!(!token.text.is_empty());
        assert!(at + token.parts < found.len(), "the parts of a token follow it");
        assert!(!stemmer.stem(&token.text).is_empty());
    }
    for query in [Query::parse(&text), Query::words(&text)].into_iter().flatten() {
        assert_eq!(query.text, text);
    }
}
